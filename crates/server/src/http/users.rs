//! The users of a server over HTTP, and the addresses under which they reach it.

use lore_console::report::UsageError;

use crate::access::Access;

/// The users of a server, and the addresses under which they reach it.
#[derive(Debug, Default)]
pub struct Users {
    /// The users; `None` if there is only the operator.
    pub access: Option<Access>,
    /// The addresses, beside those of the server itself.
    pub public_urls: Vec<PublicUrl>,
}

/// The address of a proxy in front of the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicUrl {
    pub(super) scheme: &'static str,
    /// Host, and the port unless it is that of the scheme, as browsers send them.
    pub(super) host: String,
}

impl PublicUrl {
    /// Reads an address such as `https://lore.example.com`.
    ///
    /// # Errors
    /// If it is no such address, or has a path: the page uses paths from the root.
    pub fn new(text: &str) -> Result<PublicUrl, UsageError> {
        let refused = |reason: &str| {
            UsageError::new(format!("could not use the public address `{text}`: {reason}"))
                .hint("use an address such as `https://lore.example.com`")
        };
        let uri: hyper::Uri = text.parse().map_err(|_| refused("it is not a URL"))?;
        let scheme = match uri.scheme_str() {
            Some("https") => "https",
            Some("http") => "http",
            _ => return Err(refused("it does not begin with `https://` or `http://`")),
        };
        let authority = uri.authority().filter(|authority| !authority.as_str().contains('@'));
        let authority = authority.ok_or_else(|| refused("it has no host, or a password"))?;
        if !matches!(uri.path(), "" | "/") || uri.query().is_some() || text.contains('#') {
            return Err(refused("it has a path"));
        }
        let usual = if scheme == "https" { 443 } else { 80 };
        let host = authority.host().to_ascii_lowercase();
        let host = match authority.port_u16() {
            Some(port) if port != usual => format!("{host}:{port}"),
            _ => host,
        };
        Ok(PublicUrl { scheme, host })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_addresses_have_no_path() {
        let host = |text| PublicUrl::new(text).map(|url| url.host).ok();
        assert_eq!(host("https://Lore.example.com").as_deref(), Some("lore.example.com"));
        assert_eq!(host("https://lore.example.com:443/").as_deref(), Some("lore.example.com"));
        assert_eq!(host("http://lore:8080").as_deref(), Some("lore:8080"));
        for other in
            ["lore.example.com", "https://a@b", "https://a/b", "ftp://a", "https://a/?b", ""]
        {
            assert_eq!(host(other), None, "{other}");
        }
    }
}
