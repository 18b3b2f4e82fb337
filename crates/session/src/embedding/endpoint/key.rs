//! A key, kept from everything that is printed.

use std::{ffi::OsString, fmt};

use ureq::http::HeaderValue;

/// Replacement of a key in the messages of a server.
const HIDDEN: &str = "[key]";

/// The key of a server and the variable that it was read from.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Key {
    variable: String,
    text: String,
}

/// Shows the variable alone.
impl fmt::Debug for Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Key({})", self.variable)
    }
}

impl Key {
    /// Takes the value of a variable; surrounding white space, such as the end of a line, is removed.
    ///
    /// # Errors
    /// Why it cannot be a key, without what is in it.
    pub(super) fn read(variable: &str, value: Option<OsString>) -> Result<Key, &'static str> {
        let value = value.ok_or("it is not set")?;
        let text = value.to_str().map(str::trim).filter(|text| !text.is_empty());
        let text = text.ok_or("it is empty or not valid Unicode")?;
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err("it contains whitespace or characters that are not allowed in a header");
        }
        Ok(Key { variable: variable.to_owned(), text: text.to_owned() })
    }

    /// The name of the variable.
    pub(super) fn variable(&self) -> &str {
        &self.variable
    }

    /// The header that carries it; one that no log shows.
    pub(super) fn header(&self) -> HeaderValue {
        let mut header = HeaderValue::from_str(&format!("Bearer {}", self.text))
            .expect("visible ASCII characters are a header");
        header.set_sensitive(true);
        header
    }

    /// The text without the key.
    pub(super) fn hide(&self, text: &str) -> String {
        text.replace(&self.text, HIDDEN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_and_never_shown() {
        let key = Key::read("API_KEY", Some(" sk-very-secret\n".into())).expect("a key");
        assert_eq!(key.header(), "Bearer sk-very-secret");
        assert_eq!(format!("{key:?}"), "Key(API_KEY)");
        assert!(!format!("{:?}", key.header()).contains("secret"));
        assert_eq!(key.hide("no sk-very-secret here"), "no [key] here");
    }

    #[test]
    fn rubbish_is_refused_without_being_repeated() {
        for value in [None, Some(""), Some(" \n"), Some("secret key"), Some("secret\u{e9}")] {
            let refused = Key::read("API_KEY", value.map(Into::into)).expect_err("no key");
            assert!(!refused.contains("secret"), "{refused}");
        }
    }
}
