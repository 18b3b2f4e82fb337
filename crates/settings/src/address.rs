//! Where a server of embeddings is, as the user wrote it.

use std::net::IpAddr;

use http::Uri;

/// Longest address that is taken, in bytes.
const MOST_BYTES: usize = 2048;

/// Where vectors are asked for. Holds no secret: addresses with a user, a password or a query are
/// refused, so that one can be printed and kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    scheme: &'static str,
    /// Host, port if it is not the usual one, and path.
    place: String,
    local: bool,
}

impl Address {
    /// Reads the URL of a server, with or without `/embeddings` at its end.
    ///
    /// # Errors
    /// What is wrong with it, to follow "found". The text itself is not in it, since there may be a
    /// password in it.
    pub fn parse(text: &str) -> Result<Address, &'static str> {
        if text.len() > MOST_BYTES {
            return Err("one that is longer than 2,048 bytes");
        }
        let uri: Uri = text.parse().map_err(|_| "a text that is no URL")?;
        let scheme = match uri.scheme_str() {
            Some("http") => "http",
            Some("https") => "https",
            _ => return Err("one that begins neither with `http://` nor with `https://`"),
        };
        let authority = uri.authority().ok_or("one without a host")?;
        if authority.as_str().contains('@') {
            return Err("one with a user name or password");
        }
        // A fragment is not part of what has been parsed.
        if uri.query().is_some() || text.contains('#') {
            return Err("one with a query or fragment, where a key might stand");
        }
        if !text.is_ascii() {
            return Err("one with a character that is not ASCII");
        }
        let host = authority.host().to_ascii_lowercase();
        let port = match authority.port_u16() {
            Some(port) => Some(port),
            None if authority.as_str().len() == host.len() => None,
            None => return Err("one whose port is no number up to 65535"),
        };
        let usual = if scheme == "http" { 80 } else { 443 };
        let port = match port {
            Some(port) if port != usual => format!(":{port}"),
            _ => String::new(),
        };
        let path = uri.path().trim_end_matches('/');
        let path = path.strip_suffix("/embeddings").unwrap_or(path);
        let local = is_this_machine(&host);
        Ok(Address { scheme, place: format!("{host}{port}{path}/embeddings"), local })
    }

    /// The URL that vectors are asked for at.
    pub fn url(&self) -> String {
        format!("{}://{}", self.scheme, self.place)
    }

    /// Whether nobody on the way can read what is sent: it is encrypted, or does not leave the
    /// machine.
    pub fn is_private(&self) -> bool {
        self.scheme == "https" || self.local
    }

    /// Whether the server runs on this machine.
    pub fn is_local(&self) -> bool {
        self.local
    }
}

fn is_this_machine(host: &str) -> bool {
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    host == "localhost" || bare.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_step_of_the_path_may_be_left_out() {
        let check = |text: &str, url: &str| {
            let address = Address::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(address.url(), url, "{text}");
        };
        let local = "http://localhost:11434/v1/embeddings";
        check("http://localhost:11434/v1", local);
        check("http://localhost:11434/v1/", local);
        check("http://localhost:11434/v1/embeddings", local);
        check("http://localhost:11434/v1/embeddings/", local);
        check("HTTP://LocalHost:11434/v1", local);
        check("https://api.example.com:443/v1", "https://api.example.com/v1/embeddings");
        check("https://api.example.com:80/v1", "https://api.example.com:80/v1/embeddings");
        check("http://10.0.0.7", "http://10.0.0.7/embeddings");
        check("http://[::1]:8000/v1", "http://[::1]:8000/v1/embeddings");
    }

    #[test]
    fn what_is_refused_is_not_repeated() {
        let check = |text: &str, reason: &str| {
            let found = Address::parse(text).expect_err(text);
            assert!(found.contains(reason), "{text}: {found}");
            assert!(!found.contains("secret"), "{text}: {found}");
        };
        check("http://ada:secret@localhost/v1", "a user name or password");
        check("http://secret@localhost/v1", "a user name or password");
        check("http://localhost/v1?key=secret", "a query");
        check("http://localhost/v1#secret", "fragment");
        check("ftp://localhost/v1", "neither");
        check("localhost:11434", "neither");
        check("/v1/embeddings", "neither");
        check("http:///v1", "no URL");
        check("http://local host/v1", "no URL");
        check("http://localhost:70000/v1", "port");
        check("http://localhost:/v1", "port");
        check("http://localhost:x/v1", "");
        check("http://localhost/\u{e9}", "ASCII");
        check("", "no URL");
        check(&format!("http://localhost/{}", "a".repeat(3000)), "2,048");
    }

    #[test]
    fn only_this_machine_and_encryption_are_private() {
        let check = |text: &str, private: bool, local: bool| {
            let address = Address::parse(text).expect("a valid address");
            assert_eq!((address.is_private(), address.is_local()), (private, local), "{text}");
        };
        check("http://localhost:11434/v1", true, true);
        check("http://127.0.0.1/v1", true, true);
        check("http://127.8.0.1/v1", true, true);
        check("http://[::1]:8000/v1", true, true);
        check("https://api.example.com/v1", true, false);
        check("http://api.example.com/v1", false, false);
        check("http://192.168.1.4/v1", false, false);
        check("http://localhost.example.com/v1", false, false);
        check("http://127.0.0.1.example.com/v1", false, false);
    }
}
