//! The checks of each request: its host, its origin, its token and its path.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use http_body_util::{BodyExt as _, Full};
use hyper::{
    Request, Response, StatusCode,
    body::Bytes,
    header::{self, HeaderMap, HeaderValue},
};
use sha2::{Digest as _, Sha256};

use super::{Body, PATH};

/// Checks of each request.
pub(super) struct Guard {
    /// Allowed values of `Host`.
    pub(super) hosts: Vec<String>,
    /// Allowed values of `Origin`.
    pub(super) origins: Vec<String>,
    /// Digest of the token. Comparing digests takes no longer for a token that is nearly right.
    token: [u8; 32],
}

impl Guard {
    pub(super) fn new(address: SocketAddr, token: &str) -> Guard {
        let port = address.port();
        let addresses =
            [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST), address.ip()];
        let mut hosts = vec![format!("localhost:{port}")];
        hosts.extend(addresses.map(|ip| SocketAddr::new(ip, port).to_string()));
        Guard {
            origins: hosts.iter().map(|host| format!("http://{host}")).collect(),
            hosts,
            token: digest(token),
        }
    }

    /// Returns the refusal of a request that is not allowed.
    pub(super) fn refuse<T>(&self, request: &Request<T>) -> Option<Response<Body>> {
        let headers = request.headers();
        let is_one = |name, known: &[String]| {
            let mut values = headers.get_all(name).iter();
            let value = values.next().and_then(|value| value.to_str().ok()).unwrap_or_default();
            values.next().is_none() && known.iter().any(|known| known.eq_ignore_ascii_case(value))
        };
        if !is_one(header::HOST, &self.hosts) {
            return Some(refusal(StatusCode::FORBIDDEN, "the Host is not this machine\n"));
        }
        if headers.contains_key(header::ORIGIN) && !is_one(header::ORIGIN, &self.origins) {
            return Some(refusal(StatusCode::FORBIDDEN, "pages of the web may not ask\n"));
        }
        if bearer(headers).is_none_or(|token| digest(token) != self.token) {
            let mut response = refusal(
                StatusCode::UNAUTHORIZED,
                "the token is missing or wrong; send `Authorization: Bearer TOKEN`\n",
            );
            response
                .headers_mut()
                .insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            return Some(response);
        }
        if request.uri().path() != PATH {
            return Some(refusal(StatusCode::NOT_FOUND, "there is only /mcp\n"));
        }
        None
    }
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(header::AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
}

fn digest(text: &str) -> [u8; 32] {
    Sha256::digest(text).into()
}

/// Returns a response with a status and a text.
pub(super) fn refusal(status: StatusCode, text: &'static str) -> Response<Body> {
    let mut response = Response::new(Full::new(Bytes::from_static(text.as_bytes())).boxed());
    *response.status_mut() = status;
    response
        .headers_mut()
        .insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_may_not_ask_is_refused() {
        let address = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 7411);
        let guard = Guard::new(address, "0123456789abcdef");
        let good = [("host", "127.0.0.1:7411"), ("authorization", "Bearer 0123456789abcdef")];
        let status = |path: &str, changed: &[(&str, &str)]| {
            let mut request = Request::builder().uri(path);
            for (name, value) in good.iter().chain(changed) {
                let is_changed = changed.iter().any(|(other, _)| other == name);
                if !is_changed || changed.contains(&(*name, *value)) && !value.is_empty() {
                    request = request.header(*name, *value);
                }
            }
            let request = request.body(()).expect("a request");
            guard.refuse(&request).map(|response| response.status().as_u16())
        };
        assert_eq!(status("/mcp", &[]), None);
        assert_eq!(status("/mcp", &[("host", "localhost:7411")]), None);
        assert_eq!(status("/mcp", &[("host", "[::1]:7411")]), None);
        assert_eq!(status("/mcp", &[("origin", "http://localhost:7411")]), None);
        assert_eq!(status("/mcp", &[("host", "evil.example:7411")]), Some(403));
        assert_eq!(status("/mcp", &[("host", "127.0.0.1")]), Some(403));
        assert_eq!(status("/mcp", &[("host", "")]), Some(403));
        assert_eq!(status("/mcp", &[("origin", "https://evil.example")]), Some(403));
        assert_eq!(status("/mcp", &[("origin", "null")]), Some(403));
        assert_eq!(status("/mcp", &[("authorization", "")]), Some(401));
        assert_eq!(status("/mcp", &[("authorization", "Bearer 0123456789abcdee")]), Some(401));
        assert_eq!(status("/mcp", &[("authorization", "Basic 0123456789abcdef")]), Some(401));
        assert_eq!(status("/", &[]), Some(404));
    }

    #[test]
    fn the_address_that_is_listened_at_is_a_host() {
        let address = SocketAddr::new(IpAddr::V4(Ipv4Addr::new(127, 0, 0, 2)), 7411);
        let guard = Guard::new(address, "0123456789abcdef");
        let request = Request::builder()
            .uri("/mcp")
            .header("host", "127.0.0.2:7411")
            .header("origin", "http://127.0.0.2:7411")
            .header("authorization", "Bearer 0123456789abcdef");
        assert!(guard.refuse(&request.body(()).expect("a request")).is_none());
    }
}
