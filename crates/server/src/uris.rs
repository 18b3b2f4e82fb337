//! Addresses of files: `file:` with percent-encoded bytes.

use std::path::{Path, PathBuf};

/// The path of a `file:` address of this machine.
pub fn path_of_uri(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    if !path.starts_with('/') {
        return None;
    }
    let decoded = decode(path)?;
    // `/C:/work` is how Windows writes it.
    let is_drive = cfg!(windows) && decoded.get(2..3) == Some(":");
    Some(PathBuf::from(if is_drive { &decoded[1..] } else { &decoded }))
}

/// A text whose `%41` stand for bytes; `None` if these are no Unicode.
pub fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let code = match (first, tail) {
            (b'%', [high, low, ..]) => {
                let digits = [*high, *low];
                std::str::from_utf8(&digits).ok().and_then(|hex| u8::from_str_radix(hex, 16).ok())
            }
            _ => None,
        };
        bytes.push(code.unwrap_or(*first));
        rest = if code.is_some() { &tail[2..] } else { tail };
    }
    String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'))
}

/// The `file:` address of an absolute path; `None` if the path is no Unicode.
pub fn uri_of_path(path: &Path) -> Option<String> {
    use std::fmt::Write as _;

    let path = path.to_str()?;
    let path = if cfg!(windows) { path.replace('\\', "/") } else { path.to_owned() };
    let mut uri = "file://".to_owned();
    if !path.starts_with('/') {
        // `C:/work` on Windows.
        uri.push('/');
    }
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => {
                uri.push(byte.into());
            }
            _ => write!(uri, "%{byte:02X}").expect("a string accepts every text"),
        }
    }
    Some(uri)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_files_are_paths() {
        let path = |uri: &str| path_of_uri(uri).map(|path| path.display().to_string());
        assert_eq!(path("file:///shop/a%20b").as_deref(), Some("/shop/a b"));
        assert_eq!(path("file://localhost/shop").as_deref(), Some("/shop"));
        assert_eq!(path("file:///a%2"), Some("/a%2".to_owned()));
        assert_eq!(path("file://elsewhere/shop"), None);
        assert_eq!(path("https://example.org/"), None);
        assert_eq!(path("file:///a%00b"), None);
        assert_eq!(path("file:///%ff"), None);
    }

    #[test]
    fn paths_become_addresses_that_lead_back() {
        let path = Path::new("/shop/a b/größe#1?100%.rs");
        let uri = uri_of_path(path).unwrap();
        assert_eq!(uri, "file:///shop/a%20b/gr%C3%B6%C3%9Fe%231%3F100%25.rs");
        assert_eq!(path_of_uri(&uri).as_deref(), Some(path));
    }
}
