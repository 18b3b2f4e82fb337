//! The checks of each request: its host, its origin, its token and its path.

use std::{
    fmt::Write as _,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
};

use super::{
    Body, HEALTH, METRICS, PATH,
    users::{PublicUrl, Users},
};
use crate::access::{Access, TokenDigest, Viewer, digest};
use http_body_util::{BodyExt as _, Full};
use hyper::{
    Method, Request, Response, StatusCode,
    body::Bytes,
    header::{self, HeaderMap, HeaderValue},
};

/// Time that a browser keeps the cookie, in seconds: 30 days.
const COOKIE_SECONDS: u32 = 30 * 24 * 3_600;

/// Text for a browser without the cookie.
const NO_COOKIE: &str = "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\">\
    <meta name=\"viewport\" content=\"width=device-width\"><title>Lorehound</title>\
    <h1>This page needs its token</h1>\
    <p>Open the address that <code>lore serve</code> printed when it started: it contains \
    <code>?token=…</code>. The browser then keeps a cookie. If you have opened it before and came here by a link \
    of another site, <a href=\"\">open this address again</a>.</p></html>\n";

/// Destination of a request that has passed the checks, with its sender.
#[derive(Debug)]
pub(super) enum Passed {
    /// The protocol.
    Protocol(Viewer),
    /// A page.
    Page(Viewer),
    /// The metrics.
    Metrics(Viewer),
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
    /// The token of the operator. The values of cookies depend on it, so that only a server with this token
    /// can make them.
    secret: String,
    /// Digest of the token. Comparing digests takes no longer for a token that is nearly right.
    token: TokenDigest,
    /// The users; `None` if there is only the operator.
    access: Option<Access>,
    /// Name of the cookie. Cookies are shared by all ports, so that the name has the port, and the value gives
    /// no access to the protocol.
    cookie_name: String,
    port: u16,
    /// True if browsers reach the server over TLS only.
    is_secure: bool,
    /// True if the protocol is served.
    protocol: bool,
    /// True if pages are served.
    pages: bool,
}

impl Guard {
    pub(super) fn new(
        address: SocketAddr,
        token: &str,
        protocol: bool,
        pages: bool,
        users: Users,
    ) -> Guard {
        let port = address.port();
        let addresses =
            [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST), address.ip()];
        let mut hosts = vec![format!("localhost:{port}")];
        hosts.extend(addresses.map(|ip| SocketAddr::new(ip, port).to_string()));
        let mut origins: Vec<String> = hosts.iter().map(|host| format!("http://{host}")).collect();
        let Users { access, public_urls } = users;
        let is_secure = public_urls.iter().any(|url| url.scheme == "https");
        for PublicUrl { scheme, host } in public_urls {
            origins.push(format!("{scheme}://{host}"));
            hosts.push(host);
        }
        Guard {
            origins,
            hosts,
            public_port: (!address.ip().is_loopback()).then_some(port),
            secret: token.to_owned(),
            token: digest(token),
            access,
            cookie_name: format!("lore-{port}"),
            port,
            is_secure,
            protocol,
            pages,
        }
    }

    /// The sender of a request with a token.
    fn viewer(&self, token: &str) -> Option<Viewer> {
        let token = digest(token);
        if token == self.token {
            return Some(Viewer::operator());
        }
        self.access.as_ref()?.user(&token).map(Viewer::user)
    }

    /// The value of the cookie of a viewer.
    fn cookie_value(&self, viewer: &Viewer) -> String {
        let mut text = format!("page of port {} with {}", self.port, self.secret);
        if let Some(token) = viewer.token() {
            text.push_str(" for ");
            hexadecimal(token, &mut text);
        }
        let mut value = String::with_capacity(64);
        hexadecimal(&digest(&text), &mut value);
        value
    }

    /// The header that sets the cookie of a viewer.
    fn cookie(&self, viewer: &Viewer) -> String {
        let (name, value) = (&self.cookie_name, self.cookie_value(viewer));
        let secure = if self.is_secure { "; Secure" } else { "" };
        format!(
            "{name}={value}; Path=/; Max-Age={COOKIE_SECONDS}; HttpOnly; SameSite=Strict{secure}"
        )
    }

    /// Checks a request.
    pub(super) fn check<T>(&self, request: &Request<T>) -> Passed {
        let headers = request.headers();
        let path = request.uri().path();
        // For supervisors, which know neither a name of this server nor a token. It reveals nothing.
        if path == HEALTH && matches!(*request.method(), Method::GET | Method::HEAD) {
            return answered(refusal(StatusCode::OK, "ok\n"));
        }
        if !self.is_host(headers) {
            return answered(refusal(StatusCode::FORBIDDEN, "the Host is not this machine\n"));
        }
        if !self.is_origin(headers) {
            return answered(refusal(StatusCode::FORBIDDEN, "pages of other sites are refused\n"));
        }
        let viewer = bearer(headers).and_then(|token| self.viewer(token));
        if path == METRICS {
            return check_metrics(request, viewer);
        }
        if self.pages && path != PATH {
            return self.check_page(request, viewer);
        }
        let Some(viewer) = viewer else { return answered(without_token()) };
        if !self.protocol || path != PATH {
            let text =
                if self.protocol { "there is only /mcp\n" } else { "start `lore serve --mcp`\n" };
            return answered(refusal(StatusCode::NOT_FOUND, text));
        }
        Passed::Protocol(viewer)
    }

    fn check_page<T>(&self, request: &Request<T>, viewer: Option<Viewer>) -> Passed {
        if !matches!(*request.method(), Method::GET | Method::HEAD) {
            return answered(only_get("the page only reads: use GET\n"));
        }
        let uri = request.uri();
        if let Some((token, rest)) = uri.query().and_then(split_token) {
            let Some(viewer) = self.viewer(&decoded(token)) else {
                return answered(without_token());
            };
            let rest = if rest.is_empty() { rest } else { format!("?{rest}") };
            // Two slashes at the start would be another site, and browsers read `\` as a slash.
            let path = format!("/{}", uri.path().trim_start_matches(['/', '\\']));
            return answered(self.welcome(&viewer, &format!("{path}{rest}")));
        }
        if let Some(viewer) = viewer.or_else(|| self.viewer_of_cookie(request.headers())) {
            return Passed::Page(viewer);
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
    fn welcome(&self, viewer: &Viewer, target: &str) -> Response<Body> {
        let (Ok(target), Ok(cookie)) =
            (HeaderValue::from_str(target), HeaderValue::from_str(&self.cookie(viewer)))
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

    /// The sender of a request with a cookie.
    fn viewer_of_cookie(&self, headers: &HeaderMap) -> Option<Viewer> {
        let cookies =
            headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
        let mut values = cookies.flat_map(|value| value.split(';')).filter_map(|cookie| {
            let (name, value) = cookie.trim().split_once('=')?;
            (name == self.cookie_name).then(|| digest(value))
        });
        values.find_map(|value| {
            let users = self.access.as_ref().map(Access::users);
            let users = users.iter().flat_map(|users| users.iter().cloned().map(Viewer::user));
            let mut viewers = std::iter::once(Viewer::operator()).chain(users);
            viewers.find(|viewer| digest(&self.cookie_value(viewer)) == value)
        })
    }
}

fn hexadecimal(bytes: &[u8], text: &mut String) {
    for byte in bytes {
        // Writing to memory does not fail.
        let _ = write!(text, "{byte:02x}");
    }
}

/// Checks a request for the metrics. A cookie gives no access: a browser has no use for them.
fn check_metrics<T>(request: &Request<T>, viewer: Option<Viewer>) -> Passed {
    let Some(viewer) = viewer.filter(Viewer::reads_metrics) else {
        return answered(without_token());
    };
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return answered(only_get("the metrics are only read: use GET\n"));
    }
    Passed::Metrics(viewer)
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
mod tests;
