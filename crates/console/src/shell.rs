//! Text as words of a shell.

/// A text as one word of a command that can be pasted into a shell.
pub fn shell_word(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"%+,-./:=@_".contains(&byte);
    if !text.is_empty() && text.bytes().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_stays_one_in_a_shell() {
        assert_eq!(shell_word("../my-shop/x.sig"), "../my-shop/x.sig");
        assert_eq!(shell_word("my shop"), "'my shop'");
        assert_eq!(shell_word("it's"), r"'it'\''s'");
        assert_eq!(shell_word("$HOME"), "'$HOME'");
        assert_eq!(shell_word(""), "''");
    }
}
