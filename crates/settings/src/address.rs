//! The URL of an embedding server, a collector of traces or a node of a cluster, as the user wrote it.

use std::net::IpAddr;

use http::Uri;

/// Maximum length of a URL in bytes.
const MAX_BYTES: usize = 2048;

/// The URL of a server. Contains no secret: URLs with a user, a password or a query are
/// refused, so an address is safe to print and store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    scheme: &'static str,
    /// Host, non-default port and path.
    host_and_path: String,
    local: bool,
}

impl Address {
    /// Reads the URL of an embedding server, with or without `/embeddings` at its end.
    ///
    /// # Errors
    /// As [`Address::of_server`].
    pub fn parse(text: &str) -> Result<Address, &'static str> {
        Address::with_end(text, "/embeddings")
    }

    /// Reads the URL of an OpenTelemetry collector, with or without `/v1/traces` at its end.
    ///
    /// # Errors
    /// As [`Address::of_server`].
    pub fn parse_collector(text: &str) -> Result<Address, &'static str> {
        Address::with_end(text, "/v1/traces")
    }

    /// Reads a URL, with or without this end of its path, and adds the end where it is missing.
    fn with_end(text: &str, end: &str) -> Result<Address, &'static str> {
        let mut address = Address::of_server(text)?;
        if !address.host_and_path.ends_with(end) {
            address.host_and_path.push_str(end);
        }
        Ok(address)
    }

    /// Reads the URL of a server. A `/` at its end is removed.
    ///
    /// # Errors
    /// If the URL is invalid: a description to follow the word "found". It does not contain the
    /// text, which might contain a password.
    pub fn of_server(text: &str) -> Result<Address, &'static str> {
        if text.len() > MAX_BYTES {
            return Err("a URL longer than 2,048 bytes");
        }
        let uri: Uri = text.parse().map_err(|_| "a text that is not a URL")?;
        let scheme = match uri.scheme_str() {
            Some("http") => "http",
            Some("https") => "https",
            _ => return Err("a URL that starts neither with `http://` nor with `https://`"),
        };
        let authority = uri.authority().ok_or("a URL without a host")?;
        if authority.as_str().contains('@') {
            return Err("a URL with a user name or password");
        }
        // The parsed URL does not contain the fragment.
        if uri.query().is_some() || text.contains('#') {
            return Err("a URL with a query or fragment, which might contain a key");
        }
        if !text.is_ascii() {
            return Err("a URL with a non-ASCII character");
        }
        let host = authority.host().to_ascii_lowercase();
        let port = match authority.port_u16() {
            Some(port) => Some(port),
            None if authority.as_str().len() == host.len() => None,
            None => return Err("a URL with an invalid port (the maximum is 65535)"),
        };
        let default = if scheme == "http" { 80 } else { 443 };
        let port = match port {
            Some(port) if port != default => format!(":{port}"),
            _ => String::new(),
        };
        let path = uri.path().trim_end_matches('/');
        let local = is_loopback_host(&host);
        Ok(Address { scheme, host_and_path: format!("{host}{port}{path}"), local })
    }

    /// The URL of the requests.
    pub fn url(&self) -> String {
        format!("{}://{}", self.scheme, self.host_and_path)
    }

    /// Returns true if the connection is encrypted or does not leave the machine.
    pub fn is_private(&self) -> bool {
        self.scheme == "https" || self.local
    }

    /// Returns true if the server runs on this machine.
    pub fn is_local(&self) -> bool {
        self.local
    }
}

fn is_loopback_host(host: &str) -> bool {
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    host == "localhost" || bare.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_path_segment_is_optional() {
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
    fn collectors_have_a_path_of_their_own() {
        for text in ["http://localhost:4318", "http://localhost:4318/v1/traces"] {
            let address = Address::parse_collector(text).expect("a valid address");
            assert_eq!(address.url(), "http://localhost:4318/v1/traces");
        }
        assert!(Address::parse_collector("http://ada:secret@localhost:4318").is_err());
    }

    #[test]
    fn error_messages_do_not_contain_secrets() {
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
        check("http:///v1", "not a URL");
        check("http://local host/v1", "not a URL");
        check("http://localhost:70000/v1", "port");
        check("http://localhost:/v1", "port");
        check("http://localhost:x/v1", "");
        check("http://localhost/\u{e9}", "ASCII");
        check("", "not a URL");
        check(&format!("http://localhost/{}", "a".repeat(3000)), "2,048");
    }

    #[test]
    fn servers_are_checked_and_never_shown() {
        let check = |text: &str| Address::of_server(text).map(|address| address.is_private());
        assert_eq!(check("http://localhost:9200"), Ok(true));
        assert_eq!(check("http://127.0.0.1:9200/path"), Ok(true));
        assert_eq!(check("http://[::1]:9200"), Ok(true));
        assert_eq!(check("https://search.example.com"), Ok(true));
        assert_eq!(check("http://search.example.com:9200"), Ok(false));
        for bad in [
            "search.example.com",
            "ftp://localhost",
            "http://",
            "https://ada:Secret1@example.com",
            "https://example.com?key=Secret1",
            "https://example.com/#Secret1",
        ] {
            let reason = check(bad).expect_err(bad);
            assert!(!reason.contains("Secret1"), "{reason}");
        }
        let address = Address::of_server("http://LocalHost:9200/").expect("a valid address");
        assert_eq!(address.url(), "http://localhost:9200");
    }

    #[test]
    fn local_and_encrypted_addresses_are_private() {
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
