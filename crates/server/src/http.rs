//! The server over HTTP, for clients that send the token: on this machine alone, unless the user says otherwise.
//!
//! A request is answered in these steps; the first two need none of its body:
//!
//! 1. `Guard::check` checks its host, origin, token, method and path.
//! 2. `Connection::authorize` counts its connection among those with the token.
//! 3. `body::read` reads its body, within bounds of size and time.
//! 4. The library decodes the message and calls `Server`, or the web page answers, or the metrics are written.
//!
//! `Operations` records each request from its first step to the end of its answer.

mod body;
mod connections;
mod guard;
mod sessions;
mod token;
mod users;

use std::{
    convert::Infallible,
    fmt::Write as _,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use anyhow::Context as _;
use http_body_util::{BodyExt as _, Full, combinators::BoxBody};
use hyper::{
    Method, Request, Response, StatusCode,
    body::{Body as _, Bytes, Incoming},
    header::{CONNECTION, CONTENT_TYPE, HeaderValue},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::{TokioIo, TokioTimer};
use lore_console::report::{self, UsageError};
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::{TcpListener, TcpStream};

pub use self::token::{Token, made as new_token, token};
pub use self::users::{PublicUrl, Users};
use self::{
    connections::{Connection, Connections},
    guard::{Guard, Passed, refusal},
    sessions::Sessions,
};
use super::{
    operations::{self, Operations, OperationsOptions},
    pages::{Pages, Route},
    requests::{RequestRecord, TASK_REQUEST},
    roots::Trees,
    runtime,
    server::Server,
};

/// The port where none is named.
const PORT: u16 = 7_411;

/// Path of the protocol endpoint.
const PATH: &str = "/mcp";

/// Path that answers without a token, for supervisors.
const HEALTH: &str = "/healthz";

/// Path of the metrics.
const METRICS: &str = "/metrics";

/// Default time limit for the headers of a request, and for its body.
const MAX_REQUEST_TIME: Duration = Duration::from_secs(10);

/// Maximum size of the buffer of a connection, in bytes; the headers of a request must fit.
const MAX_BUFFER_BYTES: usize = 64 << 10;

/// Header with the session of a request.
const SESSION: &str = "mcp-session-id";

/// Address that a server listens on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Address(SocketAddr);

impl Address {
    /// Reads what was typed. `is_public` allows an address that other machines reach.
    ///
    /// # Errors
    /// When the address is not readable, or other machines reach it and that is not allowed.
    pub fn new(
        host: Option<&str>,
        port: Option<u16>,
        is_public: bool,
    ) -> Result<Address, UsageError> {
        let typed = host.unwrap_or("127.0.0.1");
        let inner = typed.trim_start_matches('[').trim_end_matches(']');
        let address = match inner {
            "localhost" => IpAddr::V4(Ipv4Addr::LOCALHOST),
            other => other.parse().map_err(|_| {
                UsageError::new(format!("could not understand the address `{typed}`"))
                    .hint("listen at 127.0.0.1, ::1 or localhost")
            })?,
        };
        if !address.is_loopback() && !is_public {
            return Err(UsageError::new(format!(
                "could not listen at `{typed}`: other machines would reach it"
            ))
            .hint(
                "listen at 127.0.0.1, and let `ssh -L 7411:127.0.0.1:7411 HOST` lead there; or add \
                 `--unencrypted`, if everyone on the network may read along",
            ));
        }
        Ok(Address(SocketAddr::new(address, port.unwrap_or(PORT))))
    }
}

/// Parts of a server over HTTP.
pub struct Served {
    /// True to serve the protocol.
    pub protocol: bool,
    /// The web page, if it is served.
    pub pages: Option<Pages>,
    /// Called with the address of the page, once it can be opened.
    pub opened: Option<fn(&str)>,
    /// Measurements of the requests.
    pub operations: OperationsOptions,
    /// The users, and their address.
    pub users: Users,
}

/// Answers until the system requests the end of the program.
///
/// # Errors
/// When the address cannot be listened at.
pub fn serve(
    trees: Arc<Trees>,
    address: Address,
    token: &Token,
    served: Served,
) -> anyhow::Result<()> {
    let max_time = trees.options().max_request_time.unwrap_or(MAX_REQUEST_TIME);
    let runtime = runtime()?;
    let ended = runtime.block_on(async {
        let listener = TcpListener::bind(address.0).await.map_err(|error| {
            UsageError::new(format!("could not listen at `{}`: {error}", address.0))
                .hint("use a free port: `lore serve --port 0`")
        })?;
        let address = listener.local_addr().context("could not find the port")?;
        let stopped = super::stop_requested().context("could not wait for signals")?;
        announce(address, token, &served);
        let pages = served.pages.is_some();
        let guard = Guard::new(address, &token.text, served.protocol, pages, served.users);
        let operations = Arc::new(Operations::new(served.operations, Arc::clone(&trees))?);
        let front = Front::new(guard, trees, max_time, served.pages, Arc::clone(&operations));
        tokio::select! {
            never = accept(listener, front) => match never {},
            () = stopped => {
                operations.finish();
                Ok(())
            }
        }
    });
    runtime.shutdown_background();
    ended
}

/// Reports the addresses, and opens the page if that was requested.
fn announce(address: SocketAddr, token: &Token, served: &Served) {
    if !address.ip().is_loopback() {
        report::warning(
            "other machines reach this server, and everyone on the network can read what it sends: the \
             connection is not encrypted",
        );
    }
    // A browser cannot open the address that stands for all.
    let shown = match address.ip() {
        ip if ip.is_unspecified() => {
            SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), address.port())
        }
        _ => address,
    };
    let mut value = String::new();
    for byte in token.text.bytes() {
        if byte.is_ascii_alphanumeric() {
            value.push(char::from(byte));
        } else {
            let _ = write!(value, "%{byte:02X}");
        }
    }
    let link = format!("http://{shown}/?token={value}");
    if served.protocol {
        report::note(&format!("serving MCP at http://{address}{PATH}"));
        if token.is_made {
            report::note(&format!("token: {}", token.text));
        }
    }
    if served.pages.is_some() {
        let printed =
            if token.is_made { link.clone() } else { format!("http://{shown}/?token=TOKEN") };
        report::note(&format!("open {printed}"));
    }
    if let Some(open) = served.opened {
        open(&link);
    }
}

type Body = BoxBody<Bytes, Infallible>;

async fn accept(listener: TcpListener, front: Front) -> Infallible {
    let front = Arc::new(front);
    let connections = Arc::new(Connections::default());
    loop {
        connections.room().await;
        let Ok((stream, _)) = listener.accept().await else {
            // A client that went away, or too many open files: neither ends the server.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        tokio::spawn(Arc::clone(&front).converse(stream, connections.open()));
    }
}

/// State that all connections share.
struct Front {
    guard: Guard,
    sessions: Arc<Sessions>,
    service: StreamableHttpService<Server, Sessions>,
    pages: Option<Pages>,
    max_time: Duration,
    operations: Arc<Operations>,
}

impl Front {
    fn new(
        guard: Guard,
        trees: Arc<Trees>,
        max_time: Duration,
        pages: Option<Pages>,
        operations: Arc<Operations>,
    ) -> Front {
        let config = StreamableHttpServerConfig::default()
            .with_allowed_hosts(guard.hosts.iter().cloned())
            .with_allowed_origins(guard.origins.iter().cloned())
            .with_max_request_body_bytes(body::MAX_BYTES);
        let sessions = Arc::new(Sessions::default());
        let service = StreamableHttpService::new(
            move || Ok(Server::new(Arc::clone(&trees))),
            Arc::clone(&sessions),
            config,
        );
        Front { guard, sessions, service, pages, max_time, operations }
    }

    /// Answers the requests of a connection until one side closes it.
    async fn converse(self: Arc<Self>, stream: TcpStream, connection: Connection) {
        let connection = Arc::new(connection);
        let answered = Arc::clone(&connection);
        let max_time = self.max_time;
        let answer = service_fn(move |request: Request<Incoming>| {
            let (front, connection) = (Arc::clone(&self), Arc::clone(&answered));
            async move { Ok::<_, Infallible>(front.answer(request, &connection).await) }
        });
        let conversation = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(max_time)
            .max_buf_size(MAX_BUFFER_BYTES)
            .serve_connection(TokioIo::new(stream), answer);
        tokio::select! {
            // An error of one connection affects no other one.
            _ = conversation => {}
            () = connection.closed() => {}
        }
    }

    /// Answers a request, and records it until the last frame of its answer.
    async fn answer(
        &self,
        request: Request<Incoming>,
        connection: &Arc<Connection>,
    ) -> Response<Body> {
        let is_stream = *request.method() == Method::GET && request.uri().path() == PATH;
        let recording = self.operations.begin(request.method(), is_stream);
        let response = self.respond(request, connection, &recording.request).await;
        let length = response.body().size_hint().exact();
        recording.request.set_status(response.status(), length.unwrap_or(0));
        if length.is_some() {
            return response;
        }
        response.map(|body| {
            body.map_frame(move |frame| {
                let bytes = frame.data_ref().map_or(0, Bytes::len);
                recording.request.add_bytes(bytes as u64);
                frame
            })
            .boxed()
        })
    }

    async fn respond(
        &self,
        request: Request<Incoming>,
        connection: &Arc<Connection>,
        record: &Arc<RequestRecord>,
    ) -> Response<Body> {
        let passed = self.guard.check(&request);
        if let Passed::Answered(response) = passed {
            return last(*response);
        }
        if !connection.authorize() {
            return last(refusal(StatusCode::SERVICE_UNAVAILABLE, "too many requests at once\n"));
        }
        let (mut parts, body) = request.into_parts();
        let body = match body::read(&parts, body, self.max_time).await {
            Ok(body) => body,
            Err((status, text)) => return last(refusal(status, text)),
        };
        let viewer = match (passed, &self.pages) {
            (Passed::Metrics(viewer), _) => {
                record.set_user(viewer.name());
                record.set_route(Arc::from(METRICS));
                let _running = connection.run();
                return self.metrics().await;
            }
            (Passed::Page(viewer), Some(pages)) => {
                let _running = connection.run();
                record.set_user(viewer.name());
                parts.extensions.insert(viewer);
                record.note_query(|| parts.uri.to_string());
                let page = pages(Request::from_parts(parts, body));
                let mut answer = TASK_REQUEST.scope(Arc::clone(record), page).await;
                let route = answer.extensions_mut().remove::<Route>();
                record.set_route(route.map_or_else(|| Arc::from("other"), |Route(route)| route));
                return answer.map(|body| Full::new(body).boxed());
            }
            (Passed::Protocol(viewer), _) => viewer,
            (Passed::Page(_) | Passed::Answered(_), _) => {
                return last(refusal(StatusCode::NOT_FOUND, "there is no page\n"));
            }
        };
        record.set_route(Arc::from(PATH));
        record.set_user(viewer.name());
        let session = parts.headers.get(SESSION).and_then(|id| id.to_str().ok()).map(str::to_owned);
        // A session belongs to its user: it has the texts that were sent, and receives the answers.
        let owner = viewer.name().map(str::to_owned);
        if session.as_deref().is_some_and(|id| !self.sessions.is_of(id, owner.as_deref())) {
            return last(refusal(StatusCode::NOT_FOUND, "there is no such session\n"));
        }
        parts.extensions.insert(Arc::clone(record));
        parts.extensions.insert(viewer);
        // A stream of notifications, which a client can request again, keeps nothing busy.
        let running = (parts.method == Method::POST)
            .then(|| (connection.run(), session.as_deref().map(|id| self.sessions.run(id))));
        let response = self.service.handle(Request::from_parts(parts, Full::new(body))).await;
        if session.is_none()
            && let Some(id) = response.headers().get(SESSION).and_then(|id| id.to_str().ok())
        {
            self.sessions.set_owner(id, owner);
        }
        response.map(|body| {
            body.map_frame(move |frame| {
                // Dropped after the last frame.
                let _ = &running;
                frame
            })
            .boxed()
        })
    }

    /// Answers with the metrics, which are read in a thread: a tree that is being opened is waited for.
    async fn metrics(&self) -> Response<Body> {
        let operations = Arc::clone(&self.operations);
        let written = tokio::task::spawn_blocking(move || operations.metrics_text()).await;
        let Ok(text) = written else {
            return refusal(StatusCode::INTERNAL_SERVER_ERROR, "the metrics could not be read\n");
        };
        let mut response = Response::new(Full::new(Bytes::from(text)).boxed());
        let kind = HeaderValue::from_static(operations::CONTENT_TYPE);
        response.headers_mut().insert(CONTENT_TYPE, kind);
        response
    }
}

/// Marks a response as the last one of its connection, so that a body which was not read is not
/// waited for.
fn last(mut response: Response<Body>) -> Response<Body> {
    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    response
}

#[cfg(test)]
mod tests {
    use std::net::Ipv6Addr;

    use super::*;

    #[test]
    fn only_this_machine_is_listened_at() {
        let read = |host: Option<&str>| {
            Address::new(host, Some(0), false).ok().map(|address| address.0.ip())
        };
        assert_eq!(read(None), Some(IpAddr::V4(Ipv4Addr::LOCALHOST)));
        assert_eq!(read(Some("localhost")), Some(IpAddr::V4(Ipv4Addr::LOCALHOST)));
        assert_eq!(read(Some("::1")), Some(IpAddr::V6(Ipv6Addr::LOCALHOST)));
        assert_eq!(read(Some("[::1]")), Some(IpAddr::V6(Ipv6Addr::LOCALHOST)));
        for other in ["0.0.0.0", "::", "192.168.1.2", "example.org", ""] {
            assert_eq!(read(Some(other)), None, "{other}");
        }
        let public = Address::new(Some("0.0.0.0"), Some(0), true).expect("it is allowed");
        assert!(public.0.ip().is_unspecified());
    }
}
