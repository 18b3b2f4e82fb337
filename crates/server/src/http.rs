//! The server over HTTP: on this machine alone, for who knows the token.
//!
//! Before a request is read, its `Host` must name this machine (a page of the web may have any name
//! that leads here), an `Origin`, which only browsers send, must be this server itself, and the token
//! must be right. What comes then is the library's.

use std::{
    convert::Infallible,
    fmt::Write as _,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    path::Path,
    sync::Arc,
    time::Duration,
};

use anyhow::Context as _;
use http_body_util::{BodyExt as _, Full, combinators::BoxBody};
use hyper::{
    Request, Response, StatusCode,
    body::{Bytes, Incoming},
    header::{self, HeaderMap, HeaderValue},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::{TokioIo, TokioTimer};
use lore_console::report::{self, UsageError};
use lore_settings::env_vars;
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
};
use sha2::{Digest as _, Sha256};
use tokio::{net::TcpListener, sync::Semaphore};

use super::{Options, roots::Trees, runtime, server::Server};

/// The port where none is named.
const PORT: u16 = 7_411;

/// Path of the protocol endpoint.
const PATH: &str = "/mcp";

/// Largest body of a request, in bytes.
const MAX_REQUEST_BYTES: usize = 1 << 20;

/// Most connections at a time.
const CONNECTIONS: usize = 64;

/// Time in which a request must have come as far as its body.
const HEADERS_WITHIN: Duration = Duration::from_secs(10);

/// Minimum number of characters of a token that a user chose.
const MIN_TOKEN_LENGTH: usize = 16;

/// Bytes of a token that is made.
const BYTES: usize = 32;

/// Address that a server listens on; always of this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Address(SocketAddr);

impl Address {
    /// Reads what was typed.
    pub fn new(host: Option<&str>, port: Option<u16>) -> Result<Address, UsageError> {
        let typed = host.unwrap_or("127.0.0.1");
        let inner = typed.trim_start_matches('[').trim_end_matches(']');
        let address = match inner {
            "localhost" => IpAddr::V4(Ipv4Addr::LOCALHOST),
            other => other.parse().map_err(|_| {
                UsageError::new(format!("could not understand the address `{typed}`"))
                    .hint("listen at 127.0.0.1, ::1 or localhost")
            })?,
        };
        if !address.is_loopback() {
            return Err(UsageError::new(format!(
                "could not listen at `{typed}`: other machines would reach it"
            ))
            .hint("listen at 127.0.0.1, and let `ssh -L 7411:127.0.0.1:7411 HOST` lead there"));
        }
        Ok(Address(SocketAddr::new(address, port.unwrap_or(PORT))))
    }
}

/// The token that clients must send, and true if it was generated.
pub struct Token {
    text: String,
    is_made: bool,
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
    if text.len() < MIN_TOKEN_LENGTH || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
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
fn made() -> anyhow::Result<String> {
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

/// Answers until the system requests the end of the program.
pub fn serve(options: Options, address: Address, token: &Token) -> anyhow::Result<()> {
    let trees = Arc::new(Trees::new(Arc::new(options)));
    let runtime = runtime()?;
    let ended = runtime.block_on(async {
        let listener = TcpListener::bind(address.0)
            .await
            .with_context(|| format!("could not listen at `{}`", address.0))?;
        let address = listener.local_addr().context("could not find the port")?;
        let stopped = super::stop_requested().context("could not wait for signals")?;
        report::note(&format!("serving MCP at http://{address}{PATH}"));
        if token.is_made {
            report::note(&format!("token: {}", token.text));
        }
        tokio::select! {
            never = accept(listener, Guard::new(address, &token.text), trees) => match never {},
            () = stopped => Ok(()),
        }
    });
    runtime.shutdown_background();
    ended
}

type Body = BoxBody<Bytes, Infallible>;

async fn accept(listener: TcpListener, guard: Guard, trees: Arc<Trees>) -> Infallible {
    let config = StreamableHttpServerConfig::default()
        .with_allowed_hosts(guard.hosts.iter().cloned())
        .with_allowed_origins(guard.origins.iter().cloned())
        .with_max_request_body_bytes(MAX_REQUEST_BYTES);
    let service = StreamableHttpService::new(
        move || Ok(Server::new(Arc::clone(&trees))),
        Arc::new(LocalSessionManager::default()),
        config,
    );
    let guard = Arc::new(guard);
    let slots = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let Ok(permit) = Arc::clone(&slots).acquire_owned().await else { continue };
        let Ok((stream, _)) = listener.accept().await else {
            // A client that went away, or too many open files: neither ends the server.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let (service, guard) = (service.clone(), Arc::clone(&guard));
        tokio::spawn(async move {
            let answer = service_fn(move |request: Request<Incoming>| {
                let (service, guard) = (service.clone(), Arc::clone(&guard));
                async move {
                    let response = match guard.refuse(&request) {
                        Some(refusal) => refusal,
                        None => service.handle(request).await,
                    };
                    Ok::<_, Infallible>(response)
                }
            });
            // An error of one connection affects no other one.
            let _ = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(HEADERS_WITHIN)
                .serve_connection(TokioIo::new(stream), answer)
                .await;
            drop(permit);
        });
    }
}

/// Checks of each request.
struct Guard {
    /// Allowed values of `Host`.
    hosts: Vec<String>,
    /// Allowed values of `Origin`.
    origins: Vec<String>,
    /// Digest of the token. Comparing digests takes no longer for a token that is nearly right.
    token: [u8; 32],
}

impl Guard {
    fn new(address: SocketAddr, token: &str) -> Guard {
        let port = address.port();
        let names = [
            "localhost".to_owned(),
            Ipv4Addr::LOCALHOST.to_string(),
            format!("[{}]", Ipv6Addr::LOCALHOST),
        ];
        let hosts: Vec<String> = names.iter().map(|name| format!("{name}:{port}")).collect();
        Guard {
            origins: hosts.iter().map(|host| format!("http://{host}")).collect(),
            hosts,
            token: digest(token),
        }
    }

    /// Returns the refusal of a request that is not allowed.
    fn refuse<T>(&self, request: &Request<T>) -> Option<Response<Body>> {
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

fn refusal(status: StatusCode, text: &'static str) -> Response<Body> {
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
    fn only_this_machine_is_listened_at() {
        let read =
            |host: Option<&str>| Address::new(host, Some(0)).ok().map(|address| address.0.ip());
        assert_eq!(read(None), Some(IpAddr::V4(Ipv4Addr::LOCALHOST)));
        assert_eq!(read(Some("localhost")), Some(IpAddr::V4(Ipv4Addr::LOCALHOST)));
        assert_eq!(read(Some("::1")), Some(IpAddr::V6(Ipv6Addr::LOCALHOST)));
        assert_eq!(read(Some("[::1]")), Some(IpAddr::V6(Ipv6Addr::LOCALHOST)));
        for other in ["0.0.0.0", "::", "192.168.1.2", "example.org", ""] {
            assert_eq!(read(Some(other)), None, "{other}");
        }
    }

    #[test]
    fn a_token_is_long_and_new_each_time() {
        let one = made().expect("the system has randomness");
        assert_eq!(one.len(), 2 * BYTES);
        assert_ne!(one, made().expect("the system has randomness"));
    }

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
}
