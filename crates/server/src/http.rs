//! The server over HTTP: on this machine alone, for clients that send the token.
//!
//! A request is answered in these steps; the first two need none of its body:
//!
//! 1. `Guard::refuse` checks its host, origin, token and path.
//! 2. `Connection::authorize` counts its connection among those with the token.
//! 3. `body::read` reads its body, within bounds of size and time.
//! 4. The library decodes the message and calls `Server`.

mod body;
mod connections;
mod guard;
mod sessions;
mod token;

use std::{
    convert::Infallible,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use anyhow::Context as _;
use http_body_util::{BodyExt as _, Full, combinators::BoxBody};
use hyper::{
    Method, Request, Response, StatusCode,
    body::{Bytes, Incoming},
    header::{CONNECTION, HeaderValue},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::{TokioIo, TokioTimer};
use lore_console::report::{self, UsageError};
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::{TcpListener, TcpStream};

pub use self::token::{Token, token};
use self::{
    connections::{Connection, Connections},
    guard::{Guard, refusal},
    sessions::Sessions,
};
use super::{Options, roots::Trees, runtime, server::Server};

/// The port where none is named.
const PORT: u16 = 7_411;

/// Path of the protocol endpoint.
const PATH: &str = "/mcp";

/// Default time limit for the headers of a request, and for its body.
const MAX_REQUEST_TIME: Duration = Duration::from_secs(10);

/// Maximum size of the buffer of a connection, in bytes; the headers of a request must fit.
const MAX_BUFFER_BYTES: usize = 64 << 10;

/// Header with the session of a request.
const SESSION: &str = "mcp-session-id";

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

/// Answers until the system requests the end of the program.
pub fn serve(options: Options, address: Address, token: &Token) -> anyhow::Result<()> {
    let max_time = options.max_request_time.unwrap_or(MAX_REQUEST_TIME);
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
        let front = Front::new(Guard::new(address, &token.text), trees, max_time);
        tokio::select! {
            never = accept(listener, front) => match never {},
            () = stopped => Ok(()),
        }
    });
    runtime.shutdown_background();
    ended
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
    max_time: Duration,
}

impl Front {
    fn new(guard: Guard, trees: Arc<Trees>, max_time: Duration) -> Front {
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
        Front { guard, sessions, service, max_time }
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

    async fn answer(
        &self,
        request: Request<Incoming>,
        connection: &Arc<Connection>,
    ) -> Response<Body> {
        if let Some(refusal) = self.guard.refuse(&request) {
            return last(refusal);
        }
        if !connection.authorize() {
            return last(refusal(StatusCode::SERVICE_UNAVAILABLE, "too many requests at once\n"));
        }
        let (parts, body) = request.into_parts();
        let body = match body::read(&parts, body, self.max_time).await {
            Ok(body) => body,
            Err((status, text)) => return last(refusal(status, text)),
        };
        // A stream of notifications, which a client can request again, keeps nothing busy.
        let running = (parts.method == Method::POST).then(|| {
            let session = parts.headers.get(SESSION).and_then(|id| id.to_str().ok());
            (connection.run(), session.map(|id| self.sessions.run(id)))
        });
        let response = self.service.handle(Request::from_parts(parts, Full::new(body))).await;
        response.map(|body| {
            body.map_frame(move |frame| {
                // Dropped after the last frame.
                let _ = &running;
                frame
            })
            .boxed()
        })
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
}
