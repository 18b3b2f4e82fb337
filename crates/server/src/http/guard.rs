//! The checks of each request: its host, its origin, its token and its path.

use std::{
    fmt::Write as _,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
};

use http_body_util::{BodyExt as _, Full};
use hyper::{
    Method, Request, Response, StatusCode,
    body::Bytes,
    header::{self, HeaderMap, HeaderValue},
};
use sha2::{Digest as _, Sha256};

use super::{Body, METRICS, PATH};

/// Time that a browser keeps the cookie, in seconds: 30 days.
const COOKIE_SECONDS: u32 = 30 * 24 * 3_600;

/// Text for a browser without the cookie.
const NO_COOKIE: &str = "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\">\
    <meta name=\"viewport\" content=\"width=device-width\"><title>Lorehound</title>\
    <h1>This page needs its token</h1>\
    <p>Open the address that <code>lore serve</code> printed when it started: it contains \
    <code>?token=…</code>. The browser then keeps a cookie. If you have opened it before and came here by a link \
    of another site, <a href=\"\">open this address again</a>.</p></html>\n";

/// Destination of a request that has passed the checks.
#[derive(Debug)]
pub(super) enum Passed {
    /// The protocol.
    Protocol,
    /// A page.
    Page,
    /// The metrics.
    Metrics,
    /// Refused, or answered by a redirection.
    Answered(Box<Response<Body>>),
}

/// Checks of each request.
pub(super) struct Guard {
    /// Allowed values of `Host`.
    pub(super) hosts: Vec<String>,
    /// Allowed values of `Origin`.
    pub(super) origins: Vec<String>,
    /// Port of a server that other machines reach: then every address with this port is an allowed host. Names
    /// other than `localhost` are not, because any page of the web may point its name at this machine.
    public_port: Option<u16>,
    /// Digest of the token. Comparing digests takes no longer for a token that is nearly right.
    token: [u8; 32],
    /// Digest of the value of the cookie.
    cookie: [u8; 32],
    /// Name and value of the cookie. Cookies are shared by all ports, so that the name has the port, and the
    /// value gives no access to the protocol.
    cookie_text: String,
    cookie_name: String,
    /// True if the protocol is served.
    protocol: bool,
    /// True if pages are served.
    pages: bool,
}

impl Guard {
    pub(super) fn new(address: SocketAddr, token: &str, protocol: bool, pages: bool) -> Guard {
        let port = address.port();
        let addresses =
            [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST), address.ip()];
        let mut hosts = vec![format!("localhost:{port}")];
        hosts.extend(addresses.map(|ip| SocketAddr::new(ip, port).to_string()));
        let mut value = String::new();
        for byte in digest(&format!("page of port {port} with {token}")) {
            let _ = write!(value, "{byte:02x}");
        }
        let cookie_name = format!("lore-{port}");
        Guard {
            origins: hosts.iter().map(|host| format!("http://{host}")).collect(),
            hosts,
            public_port: (!address.ip().is_loopback()).then_some(port),
            token: digest(token),
            cookie: digest(&value),
            cookie_text: format!(
                "{cookie_name}={value}; Path=/; Max-Age={COOKIE_SECONDS}; HttpOnly; SameSite=Strict"
            ),
            cookie_name,
            protocol,
            pages,
        }
    }

    /// Checks a request.
    pub(super) fn check<T>(&self, request: &Request<T>) -> Passed {
        let headers = request.headers();
        if !self.is_host(headers) {
            return answered(refusal(StatusCode::FORBIDDEN, "the Host is not this machine\n"));
        }
        if !self.is_origin(headers) {
            return answered(refusal(StatusCode::FORBIDDEN, "pages of other sites are refused\n"));
        }
        let has_token = bearer(headers).is_some_and(|token| digest(token) == self.token);
        let path = request.uri().path();
        if path == METRICS {
            return check_metrics(request, has_token);
        }
        if self.pages && path != PATH {
            return self.check_page(request, has_token);
        }
        if !has_token {
            return answered(without_token());
        }
        if !self.protocol || path != PATH {
            let text =
                if self.protocol { "there is only /mcp\n" } else { "start `lore serve --mcp`\n" };
            return answered(refusal(StatusCode::NOT_FOUND, text));
        }
        Passed::Protocol
    }

    fn check_page<T>(&self, request: &Request<T>, has_token: bool) -> Passed {
        if !matches!(*request.method(), Method::GET | Method::HEAD) {
            return answered(only_get("the page only reads: use GET\n"));
        }
        let uri = request.uri();
        if let Some((token, rest)) = uri.query().and_then(split_token) {
            if digest(&decoded(token)) != self.token {
                return answered(without_token());
            }
            let rest = if rest.is_empty() { rest } else { format!("?{rest}") };
            // Two slashes at the start would be another site, and browsers read `\` as a slash.
            let path = format!("/{}", uri.path().trim_start_matches(['/', '\\']));
            return answered(self.welcome(&format!("{path}{rest}")));
        }
        if has_token || self.has_cookie(request.headers()) {
            return Passed::Page;
        }
        let accepts = request.headers().get(header::ACCEPT).and_then(|accept| accept.to_str().ok());
        if accepts.is_some_and(|accept| accept.contains("text/html")) {
            let mut response = refusal(StatusCode::UNAUTHORIZED, NO_COOKIE);
            let headers = response.headers_mut();
            let html = HeaderValue::from_static("text/html; charset=utf-8");
            headers.insert(header::CONTENT_TYPE, html);
            let policy = HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'");
            headers.insert(header::CONTENT_SECURITY_POLICY, policy);
            return answered(response);
        }
        answered(without_token())
    }

    /// Sets the cookie, and leads to an address without the token, so that it is in no history.
    fn welcome(&self, target: &str) -> Response<Body> {
        let (Ok(target), Ok(cookie)) =
            (HeaderValue::from_str(target), HeaderValue::from_str(&self.cookie_text))
        else {
            return refusal(StatusCode::BAD_REQUEST, "the address is not readable\n");
        };
        let mut response = refusal(StatusCode::SEE_OTHER, "");
        let headers = response.headers_mut();
        headers.insert(header::LOCATION, target);
        headers.insert(header::SET_COOKIE, cookie);
        headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        response
    }

    fn is_host(&self, headers: &HeaderMap) -> bool {
        let Some(host) = only(headers, header::HOST) else { return false };
        self.hosts.iter().any(|known| known.eq_ignore_ascii_case(host)) || self.is_public(host)
    }

    fn is_origin(&self, headers: &HeaderMap) -> bool {
        if !headers.contains_key(header::ORIGIN) {
            return true;
        }
        let Some(origin) = only(headers, header::ORIGIN) else { return false };
        self.origins.iter().any(|known| known.eq_ignore_ascii_case(origin))
            || origin.strip_prefix("http://").is_some_and(|host| self.is_public(host))
    }

    /// True for an address with the port of a server that other machines reach.
    fn is_public(&self, host: &str) -> bool {
        let address = host.parse::<SocketAddr>().ok();
        self.public_port.is_some() && address.map(|address| address.port()) == self.public_port
    }

    fn has_cookie(&self, headers: &HeaderMap) -> bool {
        let cookies =
            headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
        cookies.flat_map(|value| value.split(';')).any(|cookie| {
            cookie.trim().split_once('=').is_some_and(|(name, value)| {
                name == self.cookie_name && digest(value) == self.cookie
            })
        })
    }
}

/// Checks a request for the metrics. Only the token gives access: a browser has no use for them.
fn check_metrics<T>(request: &Request<T>, has_token: bool) -> Passed {
    if !has_token {
        return answered(without_token());
    }
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return answered(only_get("the metrics are only read: use GET\n"));
    }
    Passed::Metrics
}

/// The refusal of another method than GET and HEAD.
fn only_get(text: &'static str) -> Response<Body> {
    let mut response = refusal(StatusCode::METHOD_NOT_ALLOWED, text);
    response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("GET, HEAD"));
    response
}

fn answered(response: Response<Body>) -> Passed {
    Passed::Answered(Box::new(response))
}

/// The value of a header that occurs once.
fn only(headers: &HeaderMap, name: header::HeaderName) -> Option<&str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}

fn without_token() -> Response<Body> {
    let mut response = refusal(
        StatusCode::UNAUTHORIZED,
        "the token is missing or wrong; send `Authorization: Bearer TOKEN`\n",
    );
    response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    response
}

/// Splits the parameter `token` off the parameters of an address.
fn split_token(query: &str) -> Option<(&str, String)> {
    let token = query.split('&').find_map(|pair| pair.strip_prefix("token="))?;
    let rest: Vec<&str> = query.split('&').filter(|pair| !pair.starts_with("token=")).collect();
    Some((token, rest.join("&")))
}

/// Replaces the percent codes of a value of an address.
fn decoded(value: &str) -> String {
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let code = after
            .get(..2)
            .filter(|_| *first == b'%')
            .and_then(|code| u8::from_str_radix(std::str::from_utf8(code).ok()?, 16).ok());
        bytes.push(code.unwrap_or(*first));
        rest = if code.is_some() { &after[2..] } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
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

    const TOKEN: &str = "0123456789abcdef";

    fn guard(ip: [u8; 4], protocol: bool, pages: bool) -> Guard {
        Guard::new(SocketAddr::new(IpAddr::from(ip), 7411), TOKEN, protocol, pages)
    }

    /// The status; 0 for a request of the protocol, 1 for one of a page, 2 for one of the metrics.
    fn status(guard: &Guard, path: &str, headers: &[(&str, &str)]) -> u16 {
        let mut request = Request::builder().uri(path);
        for (name, value) in headers.iter().filter(|(_, value)| !value.is_empty()) {
            request = request.header(*name, *value);
        }
        match guard.check(&request.body(()).expect("a request")) {
            Passed::Protocol => 0,
            Passed::Page => 1,
            Passed::Metrics => 2,
            Passed::Answered(response) => response.status().as_u16(),
        }
    }

    #[test]
    fn who_may_not_ask_is_refused() {
        let guard = guard([127, 0, 0, 1], true, false);
        let status = |path: &str, changed: Option<(&str, &str)>| {
            let mut headers = vec![("host", "127.0.0.1:7411")];
            headers.push(("authorization", "Bearer 0123456789abcdef"));
            if let Some(changed) = changed {
                headers.retain(|(name, _)| *name != changed.0);
                headers.push(changed);
            }
            status(&guard, path, &headers)
        };
        assert_eq!(status("/mcp", None), 0);
        assert_eq!(status("/mcp", Some(("host", "localhost:7411"))), 0);
        assert_eq!(status("/mcp", Some(("host", "[::1]:7411"))), 0);
        assert_eq!(status("/mcp", Some(("origin", "http://localhost:7411"))), 0);
        assert_eq!(status("/mcp", Some(("host", "evil.example:7411"))), 403);
        assert_eq!(status("/mcp", Some(("host", "127.0.0.1"))), 403);
        assert_eq!(status("/mcp", Some(("host", ""))), 403);
        assert_eq!(status("/mcp", Some(("host", "10.0.0.7:7411"))), 403);
        assert_eq!(status("/mcp", Some(("origin", "https://evil.example"))), 403);
        assert_eq!(status("/mcp", Some(("origin", "null"))), 403);
        assert_eq!(status("/mcp", Some(("authorization", ""))), 401);
        assert_eq!(status("/mcp", Some(("authorization", "Bearer 0123456789abcdee"))), 401);
        assert_eq!(status("/mcp", Some(("authorization", "Basic 0123456789abcdef"))), 401);
        assert_eq!(status("/", None), 404);
    }

    #[test]
    fn the_address_that_is_listened_at_is_a_host() {
        let guard = guard([127, 0, 0, 2], true, false);
        let headers = [
            ("host", "127.0.0.2:7411"),
            ("origin", "http://127.0.0.2:7411"),
            ("authorization", "Bearer 0123456789abcdef"),
        ];
        assert_eq!(status(&guard, "/mcp", &headers), 0);
    }

    #[test]
    fn a_public_server_accepts_addresses_but_no_names() {
        let guard = guard([0, 0, 0, 0], false, true);
        let bearer = ("authorization", "Bearer 0123456789abcdef");
        assert_eq!(status(&guard, "/", &[("host", "10.0.0.7:7411"), bearer]), 1);
        assert_eq!(status(&guard, "/", &[("host", "[fe80::1]:7411"), bearer]), 1);
        assert_eq!(status(&guard, "/", &[("host", "10.0.0.7:80"), bearer]), 403);
        assert_eq!(status(&guard, "/", &[("host", "evil.example:7411"), bearer]), 403);
    }

    #[test]
    fn the_link_with_the_token_gives_a_cookie_for_pages_alone() {
        let guard = guard([127, 0, 0, 1], true, true);
        let host = ("host", "127.0.0.1:7411");
        let link = "/search?q=a&token=0123456789abcdef&page=2";
        let request = Request::builder().uri(link).header(host.0, host.1);
        let Passed::Answered(response) = guard.check(&request.body(()).expect("a request")) else {
            panic!("the link is answered by a redirection");
        };
        assert_eq!(response.status(), StatusCode::SEE_OTHER);
        let text = |name| response.headers()[name].to_str().expect("text").to_owned();
        assert_eq!(text(header::LOCATION), "/search?q=a&page=2");
        let cookie = text(header::SET_COOKIE);
        assert!(cookie.ends_with("; HttpOnly; SameSite=Strict"), "{cookie}");
        assert!(!cookie.contains(TOKEN));
        let cookie = cookie.split(';').next().expect("a cookie");
        assert_eq!(status(&guard, "/", &[host, ("cookie", &format!("a=b; {cookie}"))]), 1);
        assert_eq!(status(&guard, "/mcp", &[host, ("cookie", cookie)]), 401);
        assert_eq!(status(&guard, "/", &[host, ("cookie", "lore-7411=0")]), 401);
        assert_eq!(status(&guard, "/?token=0123456789abcdee", &[host]), 401);
        assert_eq!(status(&guard, "/", &[host, ("accept", "text/html")]), 401);
        assert_eq!(status(&guard, "/", &[("host", "evil.example:7411"), ("cookie", cookie)]), 403);
        assert_eq!(
            status(&guard, "/", &[host, ("cookie", cookie), ("origin", "http://a.example")]),
            403
        );
    }

    #[test]
    fn the_metrics_need_the_token_itself() {
        let host = ("host", "127.0.0.1:7411");
        let bearer = ("authorization", "Bearer 0123456789abcdef");
        for (protocol, pages) in [(true, true), (true, false), (false, true)] {
            let guard = guard([127, 0, 0, 1], protocol, pages);
            assert_eq!(status(&guard, "/metrics", &[host, bearer]), 2);
            assert_eq!(status(&guard, "/metrics", &[host]), 401);
            let cookie = guard.cookie_text.split(';').next().expect("a cookie").to_owned();
            assert_eq!(status(&guard, "/metrics", &[host, ("cookie", &cookie)]), 401);
            assert_eq!(status(&guard, "/metrics?token=0123456789abcdef", &[host]), 401);
            assert_eq!(status(&guard, "/metrics", &[("host", "evil.example:7411"), bearer]), 403);
        }
    }

    #[test]
    fn tokens_in_addresses_are_decoded() {
        assert_eq!(decoded("0123%26%23%25456789abcdef"), "0123&#%456789abcdef");
        assert_eq!(decoded("%zz%4"), "%zz%4");
    }

    #[test]
    fn a_redirection_never_leaves_the_server() {
        let guard = guard([127, 0, 0, 1], false, true);
        let response = guard.welcome("/a");
        assert_eq!(response.headers()[header::LOCATION], "/a");
        let request = Request::builder()
            .uri("//evil.example/?token=0123456789abcdef")
            .header("host", "127.0.0.1:7411");
        let Passed::Answered(response) = guard.check(&request.body(()).expect("a request")) else {
            panic!("the link is answered by a redirection");
        };
        let target = response.headers()[header::LOCATION].to_str().expect("text");
        assert!(target.starts_with('/') && !target.starts_with("//"), "{target}");
    }

    #[test]
    fn pages_are_only_read() {
        let guard = guard([127, 0, 0, 1], false, true);
        let request = Request::builder()
            .method(Method::POST)
            .uri("/search")
            .header("host", "127.0.0.1:7411")
            .header("authorization", "Bearer 0123456789abcdef");
        let Passed::Answered(response) = guard.check(&request.body(()).expect("a request")) else {
            panic!("a POST is refused");
        };
        assert_eq!(response.status(), StatusCode::METHOD_NOT_ALLOWED);
    }
}
