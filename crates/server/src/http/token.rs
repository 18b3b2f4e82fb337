//! The token that clients of the HTTP server must send.

use std::{fmt::Write as _, path::Path};

use anyhow::Context as _;
use lore_console::report::{self, UsageError};
use lore_settings::env_vars;

use crate::access::{MIN_TOKEN_LENGTH, is_strong_token};

/// Bytes of a token that is made.
const BYTES: usize = 32;

/// The token that clients must send, and true if it was generated.
pub struct Token {
    pub(super) text: String,
    pub(super) is_made: bool,
}

/// The token of the file, else of the environment, else a new one.
pub fn token(file: Option<&Path>) -> anyhow::Result<Token> {
    let (text, whence) = match file {
        Some(path) => {
            let shown = path.display();
            let text = std::fs::read_to_string(path)
                .with_context(|| format!("could not read the token from `{shown}`"))?;
            warn_of_readers(path);
            (text, format!("`{shown}`"))
        }
        None => match env_vars::non_empty(&env_vars::from_process, env_vars::LOREHOUND_TOKEN) {
            Some(value) => {
                (value.to_string_lossy().into_owned(), format!("`{}`", env_vars::LOREHOUND_TOKEN))
            }
            None => return made().map(|text| Token { text, is_made: true }),
        },
    };
    let text = text.trim().to_owned();
    if !is_strong_token(&text) {
        return Err(UsageError::new(format!(
            "could not use the token of {whence}: it can be guessed"
        ))
        .hint(format!(
            "it must have at least {MIN_TOKEN_LENGTH} visible characters, as `openssl rand -hex 32` writes"
        ))
        .into());
    }
    Ok(Token { text, is_made: false })
}

/// A token from the randomness of the operating system.
///
/// # Errors
/// If there is none.
pub fn made() -> anyhow::Result<String> {
    let mut bytes = [0; BYTES];
    getrandom::fill(&mut bytes)
        .map_err(|error| anyhow::anyhow!("could not make a token: {error}"))?;
    let mut text = String::with_capacity(2 * BYTES);
    for byte in bytes {
        let _ = write!(text, "{byte:02x}");
    }
    Ok(text)
}

/// Says when others can read the file of the token.
fn warn_of_readers(path: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;

        let others =
            std::fs::metadata(path).is_ok_and(|file| file.permissions().mode() & 0o077 != 0);
        if others {
            let shown = path.display();
            report::warning(&format!("other users can read the token in `{shown}`"));
            report::hint_line(&format!("run `chmod 600 {shown}`"));
        }
    }
    #[cfg(not(unix))]
    let _ = path;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_long_and_new_each_time() {
        let one = made().expect("the system has randomness");
        assert_eq!(one.len(), 2 * BYTES);
        assert_ne!(one, made().expect("the system has randomness"));
    }
}
