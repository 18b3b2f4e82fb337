//! Requests to a cluster, over HTTP.
//!
//! A request that fails for a reason that may pass is sent again, to the next node of the list. That has no
//! second effect on rows: the writer chooses their identifiers, and a change of a state names the version
//! that it replaces. A point in time that is opened twice ends by itself.

use std::{
    fmt,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;
use ureq::{
    Agent, AsSendBody,
    http::{Request, header},
    tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem},
};

/// Time limits of changes. The cluster itself waits up to a minute for the copies of a shard, and an
/// interrupted ingestion costs more than a wait.
const WRITE_LIMITS: Limits =
    Limits { attempt: Duration::from_mins(1), total: Duration::from_mins(8) };

/// Time limits of reads, for which a user waits. An attempt is shorter if there are several nodes, so that one
/// that accepts connections and does not answer leaves time for another.
const READ_LIMITS: Limits =
    Limits { attempt: Duration::from_secs(10), total: Duration::from_secs(20) };

/// Time limits of reads while the cluster is silent: a command sends reads one after another, and each would
/// wait for the whole time.
const SILENT_LIMITS: Limits =
    Limits { attempt: Duration::from_secs(2), total: Duration::from_secs(4) };

/// Time for which the cluster counts as silent after a request without an answer, unless it answers. Then a read
/// has its whole time again, because the cluster may be slow and not silent.
const SILENCE: Duration = Duration::from_secs(30);

/// Longest time until a node accepts a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);

/// The pauses before the second attempt and the following ones. The cluster refuses requests while its
/// queues are full, which takes seconds to pass.
const PAUSES: [Duration; 6] = [
    Duration::from_millis(50),
    Duration::from_millis(200),
    Duration::from_millis(500),
    Duration::from_secs(1),
    Duration::from_secs(2),
    Duration::from_secs(4),
];

/// Maximum length of an answer in bytes.
const MAX_ANSWER: u64 = 1 << 30;

/// The name and the secret that a cluster requires.
#[derive(Clone, PartialEq, Eq, Default)]
pub enum ClusterCredentials {
    /// None.
    #[default]
    None,
    /// A user with a password.
    Basic {
        /// The name.
        user: String,
        /// The password.
        password: String,
    },
    /// A key, as the cluster gave it out.
    ApiKey(String),
}

/// Without the secrets.
impl fmt::Debug for ClusterCredentials {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            ClusterCredentials::None => "None",
            ClusterCredentials::Basic { .. } => "Basic",
            ClusterCredentials::ApiKey(_) => "ApiKey",
        })
    }
}

/// A cluster and how to reach it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ClusterAddress {
    /// Addresses of its nodes, such as `https://search.example.com:9200`, at least one.
    pub nodes: Vec<String>,
    /// Name and secret.
    pub credentials: ClusterCredentials,
    /// Certificates of authorities that are trusted instead of those of the machine, as PEM.
    pub authorities: Option<Vec<u8>>,
}

/// Time limits of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Limits {
    /// Maximum time of one attempt.
    attempt: Duration,
    /// Maximum time of all attempts.
    total: Duration,
}

/// Returns true if a request changes nothing that lasts.
fn is_read(method: &str, path: &str) -> bool {
    let path = path.split('?').next().unwrap_or_default();
    let endpoint = path.rsplit('/').next().unwrap_or_default();
    method == "GET" || ["_search", "_msearch", "_count", "point_in_time"].contains(&endpoint)
}

/// The answer to a request.
#[derive(Debug)]
pub(super) struct Answer {
    /// Status of HTTP.
    pub(super) status: u16,
    /// The object; null if the answer has none.
    pub(super) body: Value,
}

impl Answer {
    pub(super) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// The reason that the cluster gives for an error, in its words.
    pub(super) fn reason(&self) -> String {
        let error = &self.body["error"];
        let root = error["root_cause"][0]["reason"].as_str();
        let cause = error["caused_by"]["reason"].as_str();
        let shard = self.body["_shards"]["failures"][0]["reason"]["reason"].as_str();
        let words = root.or_else(|| error["reason"].as_str()).or_else(|| error.as_str()).or(shard);
        let words = words.unwrap_or("no reason was given");
        let cause = cause.filter(|cause| *cause != words).map(|cause| format!(": {cause}"));
        format!("HTTP status {}: {words}{}", self.status, cause.unwrap_or_default())
    }

    /// The type of the error, in the cluster's terms.
    pub(super) fn kind(&self) -> &str {
        let error = &self.body["error"];
        error["root_cause"][0]["type"].as_str().or_else(|| error["type"].as_str()).unwrap_or("")
    }
}

/// The reason why no node answered.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) reason: String,
    /// True if the certificate of a node is not trusted. Another attempt does not change that.
    pub(super) is_untrusted: bool,
}

impl Failure {
    fn new(reason: impl Into<String>) -> Failure {
        Failure { reason: reason.into(), is_untrusted: false }
    }

    /// The reason of a failed request.
    fn of_request(error: &ureq::Error) -> Failure {
        let source = match error {
            ureq::Error::Io(error) => error.get_ref(),
            _ => None,
        };
        let tls = source.and_then(|source| source.downcast_ref::<rustls::Error>());
        let is_untrusted = matches!(tls, Some(rustls::Error::InvalidCertificate(_)));
        Failure { reason: error.to_string(), is_untrusted }
    }
}

/// Connections to the nodes of a cluster.
pub(super) struct Connection {
    agent: Agent,
    nodes: Vec<String>,
    authorization: Option<String>,
    /// Position of the node that answered last.
    current: AtomicUsize,
    /// Time at which a request had no answer within its time; `None` after an answer.
    silent: Mutex<Option<Instant>>,
}

/// Without the client and the secret.
impl fmt::Debug for Connection {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Connection").field("nodes", &self.nodes).finish_non_exhaustive()
    }
}

impl Connection {
    /// Prepares connections. Opens none.
    ///
    /// # Errors
    /// The reason, if the address names no node or the certificates cannot be read.
    pub(super) fn new(address: &ClusterAddress) -> Result<Connection, String> {
        if address.nodes.is_empty() {
            return Err("no node is named".to_owned());
        }
        let roots = match &address.authorities {
            None => RootCerts::PlatformVerifier,
            Some(pem) => RootCerts::new_with_certs(&certificates(pem)?),
        };
        // Named, since a library may not choose one for the whole process.
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let tls = TlsConfig::builder()
            .root_certs(roots)
            .unversioned_rustls_crypto_provider(provider)
            .build();
        let agent = Agent::config_builder()
            .tls_config(tls)
            .user_agent(concat!("lorehound/", env!("CARGO_PKG_VERSION")))
            .accept("application/json")
            .http_status_as_error(false)
            .max_redirects(0)
            .proxy(None)
            .timeout_connect(Some(CONNECT_TIMEOUT))
            .build()
            .into();
        let nodes = address.nodes.iter().map(|node| node.trim_end_matches('/').to_owned());
        Ok(Connection {
            agent,
            nodes: nodes.collect(),
            authorization: authorization(&address.credentials),
            current: AtomicUsize::new(0),
            silent: Mutex::default(),
        })
    }

    /// The addresses, for messages.
    pub(super) fn name(&self) -> String {
        self.nodes.join(",")
    }

    /// Sends a request, and repeats it while the reason for its failure may pass and its time lasts.
    ///
    /// # Errors
    /// The reason, if no node gave an answer. An answer with an error status is an answer.
    pub(super) fn send(
        &self,
        method: &str,
        path: &str,
        body: Option<&[u8]>,
    ) -> Result<Answer, Failure> {
        self.send_within(self.limits(method, path), method, path, body)
    }

    fn limits(&self, method: &str, path: &str) -> Limits {
        if !is_read(method, path) {
            return WRITE_LIMITS;
        }
        let Limits { attempt, total } =
            if is_recent(*self.silent()) { SILENT_LIMITS } else { READ_LIMITS };
        Limits { attempt: if self.nodes.len() == 1 { total } else { attempt }, total }
    }

    fn silent(&self) -> MutexGuard<'_, Option<Instant>> {
        self.silent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn send_within(
        &self,
        limits: Limits,
        method: &str,
        path: &str,
        body: Option<&[u8]>,
    ) -> Result<Answer, Failure> {
        let end = Instant::now() + limits.total;
        let mut pauses = PAUSES.iter();
        loop {
            let node = self.current.load(Ordering::Relaxed) % self.nodes.len();
            let rest = end.saturating_duration_since(Instant::now());
            let timeout = rest.min(limits.attempt);
            let failure = match self.attempt(&self.nodes[node], method, path, body, timeout) {
                Ok(answer) if !matches!(answer.status, 429 | 502..=504) => {
                    *self.silent() = None;
                    return Ok(answer);
                }
                Ok(answer) => Failure::new(answer.reason()),
                Err(Failure { reason, is_untrusted }) => {
                    Failure { reason: format!("{}: {reason}", self.nodes[node]), is_untrusted }
                }
            };
            if failure.is_untrusted {
                return Err(failure);
            }
            self.current.store(node + 1, Ordering::Relaxed);
            let Some(pause) = pauses.next() else { return Err(failure) };
            if end <= Instant::now() + *pause {
                let mut silent = self.silent();
                if !is_recent(*silent) {
                    *silent = Some(Instant::now());
                }
                let reason = failure.reason;
                let seconds = limits.total.as_secs_f32().round();
                return Err(Failure::new(format!("no answer within {seconds} s: {reason}")));
            }
            thread::sleep(*pause);
        }
    }

    fn attempt(
        &self,
        node: &str,
        method: &str,
        path: &str,
        body: Option<&[u8]>,
        timeout: Duration,
    ) -> Result<Answer, Failure> {
        let mut request = Request::builder().method(method).uri(format!("{node}/{path}"));
        if let Some(authorization) = &self.authorization {
            request = request.header(header::AUTHORIZATION, authorization);
        }
        // Lines of JSON are sent as such, and everything else as one object.
        let is_lines = path
            .split('?')
            .next()
            .is_some_and(|path| path.ends_with("_bulk") || path.ends_with("_msearch"));
        let kind = if is_lines { "application/x-ndjson" } else { "application/json" };
        let unsent = |error: ureq::http::Error| Failure::new(error.to_string());
        let answer = match body {
            Some(body) => {
                let request = request.header(header::CONTENT_TYPE, kind).body(body);
                self.run(request.map_err(unsent)?, timeout)
            }
            None => self.run(request.body(()).map_err(unsent)?, timeout),
        };
        let mut answer = answer.map_err(|error| Failure::of_request(&error))?;
        let status = answer.status().as_u16();
        let bytes = answer.body_mut().with_config().limit(MAX_ANSWER).read_to_vec();
        let bytes = bytes.map_err(|error| Failure::of_request(&error))?;
        let body = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
        Ok(Answer { status, body })
    }

    fn run(
        &self,
        request: Request<impl AsSendBody>,
        timeout: Duration,
    ) -> Result<ureq::http::Response<ureq::Body>, ureq::Error> {
        let request = self.agent.configure_request(request).timeout_global(Some(timeout));
        self.agent.run(request.build())
    }
}

/// Returns true if the cluster counts as silent after a request that had no answer at this time.
fn is_recent(silent: Option<Instant>) -> bool {
    silent.is_some_and(|since| since.elapsed() < SILENCE)
}

fn certificates(pem: &[u8]) -> Result<Vec<Certificate<'static>>, String> {
    let mut certificates = Vec::new();
    for item in parse_pem(pem) {
        match item {
            Ok(PemItem::Certificate(certificate)) => certificates.push(certificate),
            Ok(_) => {}
            Err(error) => return Err(format!("the certificates cannot be read: {error}")),
        }
    }
    if certificates.is_empty() {
        return Err("the file of certificates contains none".to_owned());
    }
    Ok(certificates)
}

/// The value of the header that proves the identity of the user.
fn authorization(credentials: &ClusterCredentials) -> Option<String> {
    use base64::{Engine as _, engine::general_purpose::STANDARD};
    match credentials {
        ClusterCredentials::None => None,
        ClusterCredentials::Basic { user, password } => {
            Some(format!("Basic {}", STANDARD.encode(format!("{user}:{password}"))))
        }
        ClusterCredentials::ApiKey(key) => Some(format!("ApiKey {key}")),
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn secrets_are_not_shown() {
        let credentials =
            ClusterCredentials::Basic { user: "ada".to_owned(), password: "wombat".to_owned() };
        assert_eq!(authorization(&credentials).as_deref(), Some("Basic YWRhOndvbWJhdA=="));
        let address = ClusterAddress {
            nodes: vec!["http://localhost:1".to_owned()],
            credentials,
            authorities: None,
        };
        let connection = Connection::new(&address).expect("a connection");
        let shown = format!("{address:?} {connection:?}");
        assert!(!shown.contains("wombat") && !shown.contains("YWRh"), "{shown}");
    }

    #[test]
    fn searches_are_reads() {
        for (method, path) in [
            ("GET", "_cluster/health"),
            ("GET", "team/_mapping"),
            ("POST", "team/_search?routing=a"),
            ("POST", "_msearch"),
            ("POST", "team/_search/point_in_time?keep_alive=5m"),
            ("DELETE", "_search/point_in_time"),
        ] {
            assert!(is_read(method, path), "{method} {path}");
        }
        for (method, path) in [
            ("POST", "_bulk?filter_path=errors"),
            ("POST", "team/_refresh"),
            ("PUT", "team/_mapping"),
            ("POST", "team/_delete_by_query?routing=a"),
        ] {
            assert!(!is_read(method, path), "{method} {path}");
        }
    }

    #[test]
    fn silent_nodes_are_given_up_in_time() {
        // They accept connections, and nothing reads from them.
        let nodes = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").expect("a listener"));
        let urls = nodes.each_ref().map(|node| {
            let address = node.local_addr().expect("an address");
            format!("http://{address}")
        });
        let limits =
            Limits { attempt: Duration::from_millis(100), total: Duration::from_millis(400) };
        for names in [&urls[..], &urls[..1]] {
            let address = ClusterAddress { nodes: names.to_vec(), ..ClusterAddress::default() };
            let connection = Connection::new(&address).expect("a connection");
            let start = Instant::now();
            let failure = connection.send_within(limits, "GET", "", None).expect_err("no answer");
            assert!(failure.reason.starts_with("no answer within 0 s: http://"), "{failure:?}");
            assert_eq!(connection.limits("GET", "").total, SILENT_LIMITS.total);
            assert_eq!(connection.limits("POST", "_bulk"), WRITE_LIMITS);
            // Far less than the time of seven attempts of a minute, on a slow machine, too.
            assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
        }
        for node in &nodes {
            node.set_nonblocking(true).expect("a listener");
            assert!(node.accept().is_ok(), "both nodes are tried");
        }
    }

    #[test]
    fn an_address_without_nodes_or_certificates_is_refused() {
        assert!(Connection::new(&ClusterAddress::default()).is_err());
        let address = ClusterAddress {
            nodes: vec!["https://localhost:1".to_owned()],
            authorities: Some(b"no certificate".to_vec()),
            ..ClusterAddress::default()
        };
        assert!(Connection::new(&address).is_err());
    }
}
