//! Vectors from a server that speaks the embeddings protocol of OpenAI: Ollama, vLLM, LM Studio and
//! others.
//!
//! **Invariant:** opens connections only to the one server that the user's own settings name: no proxy, no
//! redirect. The key is in the header of a request and nowhere else:
//! not in an error, and not in what `Debug` shows.

mod answer;
mod key;

use std::{
    fmt,
    io::{self, Read},
    sync::OnceLock,
    thread,
    time::{Duration, Instant},
};

use lore_console::text;
use lore_engine::{ChunkText, EmbedError, Embedder, Fault};
use lore_render::output::plural;
use lore_settings::{EMBEDDED, Origin, Settings, env_vars::Lookup};
use serde::Serialize;
use ureq::{
    Agent,
    http::{StatusCode, Uri, header},
};

use self::key::Key;
use crate::http_client;
pub(super) use lore_settings::address::Address;

/// Most characters of a passage that are sent, its path among them. About 2,500 tokens: small models
/// read fewer and cut what is longer by themselves, and some servers refuse what is far too long.
const MAX_CHARACTERS: usize = 8_000;

/// Most bytes of an answer for each text: 32 for each number of the longest vector, which are more
/// than a float has digits.
const MAX_BYTES_PER_TEXT: u64 = 32 * answer::MAX_DIMENSIONS as u64;

/// Bytes of an answer beside the vectors.
const MAX_BYTES_OVERHEAD: u64 = 1 << 16;

/// Most characters of a server's own words in an error.
const MAX_WORDS: usize = 200;

/// The pauses before the second and the third try, where the server names none.
const PAUSES: [Duration; 2] = [Duration::from_millis(200), Duration::from_millis(800)];

/// Default hint.
const GO_BACK: &str = "return to the built-in model with `lore model use embedded`";

/// A embedding server.
pub struct Endpoint {
    name: String,
    fingerprint: String,
    address: Address,
    model: String,
    key: Option<Key>,
    /// Texts a request, at least 1.
    batch: usize,
    /// Longest time for one request, from the look-up of the name to the end of the answer.
    timeout: Duration,
    agent: Agent,
    /// Dimensions of the vectors, after the first answer.
    dimensions: OnceLock<usize>,
    /// Waits; tests do not.
    pause: Box<dyn Fn(Duration) + Send + Sync>,
}

/// Without the client and the key.
impl fmt::Debug for Endpoint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Endpoint")
            .field("address", &self.address)
            .field("model", &self.model)
            .field("key", &self.key)
            .field("batch", &self.batch)
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}

/// Body of a request.
#[derive(Serialize)]
struct Request<'a> {
    model: &'a str,
    input: &'a [&'a str],
    encoding_format: &'a str,
}

/// The error of one attempt.
struct Failure {
    /// In words; those of the server may be among them, as it wrote them.
    reason: String,
    hint: Option<String>,
    again: Again,
    at_fault: Fault,
}

impl Failure {
    /// One that is up to the server.
    fn of_server(reason: String, hint: Option<String>, again: Again) -> Failure {
        Failure { reason, hint, again, at_fault: Fault::Embedder }
    }
}

/// Returns true if another attempt may succeed.
#[derive(Clone, Copy)]
enum Again {
    Never,
    Soon,
    After(Duration),
}

impl Endpoint {
    /// The server that the settings name, if they name one. Opens no connection.
    ///
    /// # Errors
    /// When the settings do not fit together, or the key cannot be had.
    pub fn configured(
        settings: &Settings,
        lookup: Lookup<'_>,
    ) -> Result<Option<Endpoint>, EmbedError> {
        let Some(url) = settings.embedding_endpoint() else { return Ok(None) };
        let refused = |reason: String, hint: String| EmbedError {
            reason: format!("could not use the server of `embedding.endpoint`: {reason}"),
            hint: Some(hint),
            at_fault: Fault::Embedder,
        };
        let model = match settings.get("embedding.model") {
            Some(decided) if settings.embedding_model() == EMBEDDED => {
                if decided.origin != Origin::Default {
                    return Ok(None);
                }
                return Err(refused(
                    "`embedding.model` does not name one of its models".to_owned(),
                    "set `embedding.model` to the server's name of the model, such as \
                     `nomic-embed-text`"
                        .to_owned(),
                ));
            }
            _ => settings.embedding_model(),
        };
        let address = Address::parse(url).map_err(|reason| {
            refused(
                format!("found {reason}"),
                "use a URL such as `http://localhost:11434/v1`".to_owned(),
            )
        })?;
        let key = match settings.embedding_key_variable() {
            None => None,
            Some(variable) => Some(Key::read(variable, lookup(variable)).map_err(|reason| {
                refused(
                    format!("`embedding.key_env` names the variable `{variable}`, but {reason}"),
                    format!("put the key into `{variable}`, or set `embedding.key_env` to `none`"),
                )
            })?),
        };
        // Anyone on the network path could read the key and use it.
        if key.is_some() && !address.is_private() {
            return Err(refused(
                format!("a key would be sent to {} without encryption", address.url()),
                "use `https://`, a tunnel that ends on `localhost`, or no key".to_owned(),
            ));
        }
        let (batch, timeout) = (settings.embedding_batch(), settings.embedding_timeout());
        Ok(Some(Endpoint::new(address, model, key, batch, timeout)))
    }

    fn new(
        address: Address,
        model: &str,
        key: Option<Key>,
        batch: usize,
        timeout: Duration,
    ) -> Endpoint {
        let agent = http_client::agent("application/json", None);
        Endpoint {
            name: format!("endpoint:{model}"),
            fingerprint: format!("endpoint {} {model}", address.url()),
            address,
            model: model.to_owned(),
            key,
            batch: batch.max(1),
            timeout,
            agent,
            dimensions: OnceLock::new(),
            pause: Box::new(thread::sleep),
        }
    }

    /// The vectors of texts, of which none is blank, with as many tries as are sensible.
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let request = Request { model: &self.model, input: texts, encoding_format: "float" };
        let body = serde_json::to_vec(&request).expect("texts are JSON");
        let deadline = Instant::now() + 3 * self.timeout;
        let mut pauses = PAUSES.into_iter();
        let mut tries = 1;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let failure = match self.ask(&body, texts.len(), self.timeout.min(left)) {
                Ok(vectors) => return Ok(vectors),
                Err(failure) => failure,
            };
            let pause = match (failure.again, pauses.next()) {
                (Again::Never, _) | (_, None) => None,
                (Again::Soon, usual) => usual,
                // As the server requests, unless a user would not wait that long.
                (Again::After(named), Some(_)) => (named <= self.timeout).then_some(named),
            };
            let pause = pause.filter(|pause| Instant::now() + *pause < deadline);
            let Some(pause) = pause else { return Err(self.error(failure, texts.len(), tries)) };
            (self.pause)(pause);
            tries += 1;
        }
    }

    fn error(&self, failure: Failure, texts: usize, tries: usize) -> EmbedError {
        let url = self.address.url();
        let texts = plural(texts as u64, "text", "texts");
        let reason = self.printable(&failure.reason);
        let after = if tries == 1 { String::new() } else { format!(", tried {tries} times") };
        EmbedError {
            reason: format!(
                "could not embed {texts} with `{}` at {url}: {reason}{after}",
                self.model
            ),
            hint: Some(failure.hint.unwrap_or_else(|| GO_BACK.to_owned())),
            at_fault: failure.at_fault,
        }
    }

    /// One line without the key.
    fn printable(&self, words: &str) -> String {
        let line: String = words.chars().map(|it| if it.is_control() { ' ' } else { it }).collect();
        let line = text::clean(&line).split_whitespace().collect::<Vec<_>>().join(" ");
        // Last, since a key may have been broken by what is a blank now.
        self.key.as_ref().map_or_else(|| line.clone(), |key| key.hide(&line))
    }

    /// The beginning of a server's message, on one line and without the key.
    fn quoted(&self, words: &str) -> String {
        // Hidden before it is cut: half a key is not found any more.
        let line = self.printable(words);
        let mut characters = line.chars();
        let beginning: String = characters.by_ref().take(MAX_WORDS).collect();
        if characters.next().is_none() { beginning } else { format!("{beginning}…") }
    }

    /// One try.
    fn ask(&self, body: &[u8], texts: usize, timeout: Duration) -> Result<Vec<Vec<f32>>, Failure> {
        let mut request =
            self.agent.post(self.address.url()).header(header::CONTENT_TYPE, "application/json");
        if let Some(key) = &self.key {
            request = request.header(header::AUTHORIZATION, key.header());
        }
        let request = request.config().timeout_global(Some(timeout)).build();
        let mut response = request.send(body).map_err(|error| self.failure(error))?;
        let status = response.status();
        if !status.is_success() {
            let after = response.headers().get(header::RETRY_AFTER);
            let after = after.and_then(|value| value.to_str().ok()?.trim().parse().ok());
            let location = response.headers().get(header::LOCATION);
            let location = location.and_then(|value| value.to_str().ok()?.parse::<Uri>().ok());
            let mut words = Vec::new();
            // Words that cannot be read are none: the status says enough.
            let _ =
                response.body_mut().as_reader().take(MAX_BYTES_OVERHEAD).read_to_end(&mut words);
            let after = after.map(Duration::from_secs);
            return Err(self.refusal(status, after, location.as_ref(), &words));
        }
        let most = MAX_BYTES_OVERHEAD + MAX_BYTES_PER_TEXT * texts as u64;
        let answer = response
            .body_mut()
            .with_config()
            .limit(most)
            .read_to_vec()
            .map_err(|error| self.failure(error))?;
        let vectors = answer::vectors(&answer, texts).map_err(|reason| {
            let hint = format!("check that {} is the URL of an embeddings API", self.address.url());
            Failure::of_server(self.quoted(&reason), Some(hint), Again::Never)
        })?;
        self.same_dimensions(&vectors)?;
        Ok(vectors)
    }

    fn same_dimensions(&self, vectors: &[Vec<f32>]) -> Result<(), Failure> {
        let Some(found) = vectors.first().map(Vec::len) else { return Ok(()) };
        let first = *self.dimensions.get_or_init(|| found);
        if first == found {
            return Ok(());
        }
        let reason = format!("the vectors have {found} dimensions, and had {first} before");
        Err(Failure::of_server(reason, None, Again::Never))
    }

    /// The error of a failed connection.
    fn failure(&self, error: ureq::Error) -> Failure {
        let failure = Failure::of_server;
        let start = if self.address.is_local() {
            format!("start the server, for example with `ollama serve`, or {GO_BACK}")
        } else {
            format!(
                "check that `embedding.endpoint` is right and the server is running, or {GO_BACK}"
            )
        };
        let late = || {
            let seconds = self.timeout.as_secs_f32();
            failure(
                format!("no answer within {seconds} seconds"),
                Some(
                    "wait longer with `embedding.timeout`, or send fewer texts with \
                     `embedding.batch`"
                        .to_owned(),
                ),
                // A configured time limit holds for all attempts together.
                Again::Never,
            )
        };
        match error {
            ureq::Error::Timeout(_) => late(),
            ureq::Error::Io(error) => match error.kind() {
                io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => late(),
                io::ErrorKind::ConnectionRefused => {
                    failure("the connection is refused".to_owned(), Some(start), Again::Soon)
                }
                // A certificate that is not trusted comes so.
                io::ErrorKind::InvalidData => failure(
                    format!("no encrypted connection: {error}"),
                    Some(
                        "make this machine trust the server's certificate, or name a file with it \
                         in the environment variable `SSL_CERT_FILE`"
                            .to_owned(),
                    ),
                    Again::Never,
                ),
                _ => failure(format!("the connection failed: {error}"), Some(start), Again::Soon),
            },
            ureq::Error::ConnectionFailed => {
                failure("the connection failed".to_owned(), Some(start), Again::Soon)
            }
            ureq::Error::HostNotFound => {
                failure("there is no such host".to_owned(), Some(start), Again::Never)
            }
            ureq::Error::BodyExceedsLimit(most) => {
                failure(format!("the answer is larger than {most} bytes"), None, Again::Never)
            }
            error => failure(self.quoted(&error.to_string()), Some(start), Again::Never),
        }
    }

    /// The error of a response without success.
    fn refusal(
        &self,
        status: StatusCode,
        after: Option<Duration>,
        location: Option<&Uri>,
        body: &[u8],
    ) -> Failure {
        let code = status.as_u16();
        let mut reason = match status.canonical_reason() {
            Some(name) => format!("the server returned {code} {name}"),
            None => format!("the server returned {code}"),
        };
        if status.is_redirection() {
            let host = location.and_then(Uri::host).unwrap_or("another path");
            reason = format!("{reason} and sends to {}, which is not followed", self.quoted(host));
        } else if let Some(said) = answer::said(body) {
            reason = format!("{reason}: {}", self.quoted(&said));
        }
        let again = match (code, after) {
            (408 | 429 | 500..=599, Some(after)) => Again::After(after),
            (408 | 429 | 500..=599, None) => Again::Soon,
            _ => Again::Never,
        };
        if let Again::After(after) = again
            && after > self.timeout
        {
            reason = format!("{reason}; it asks to wait for {} seconds", after.as_secs());
        }
        let hint = match (code, &self.key) {
            (300..=399, _) => Some("set `embedding.endpoint` to the URL of the server".to_owned()),
            (401 | 403, Some(key)) => Some(format!(
                "check that the environment variable `{}` contains the key",
                key.variable()
            )),
            (401 | 403, None) => Some(
                "set `embedding.key_env` to the name of the variable that contains the key"
                    .to_owned(),
            ),
            (404, _) => Some(format!(
                "check that `embedding.endpoint` ends as the server's documentation says, usually in \
                 `/v1`, and that it has the model: for Ollama, run `ollama pull {}`",
                self.model
            )),
            (413, _) => Some("send fewer texts per request with `embedding.batch`".to_owned()),
            (429, _) => Some(format!("wait, or {GO_BACK}")),
            _ => None,
        };
        // What is too long for a model comes as each of these.
        let at_fault = match code {
            400 | 413 | 422 => Fault::Text,
            _ => Fault::Embedder,
        };
        Failure { reason, hint, again, at_fault }
    }

    /// A vector of zeros. The first call may need to request the dimensions.
    fn zeros(&self) -> Result<Vec<f32>, EmbedError> {
        if self.dimensions.get().is_none() {
            self.embed(&["text"])?;
        }
        Ok(vec![0.0; self.dimensions.get().copied().unwrap_or_default()])
    }
}

impl Embedder for Endpoint {
    fn name(&self) -> &str {
        &self.name
    }

    fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    fn is_fast(&self) -> bool {
        false
    }

    fn embed_query(&self, query: &str) -> Result<Vec<f32>, EmbedError> {
        if query.trim().is_empty() {
            return self.zeros();
        }
        Ok(self.embed(&[query])?.swap_remove(0))
    }

    fn embed_chunks(&self, chunks: &[ChunkText<'_>]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let texts: Vec<String> = chunks.iter().map(passage).collect();
        // Some servers refuse a whole request for one empty text.
        let filled: Vec<&str> =
            texts.iter().map(String::as_str).filter(|text| !text.trim().is_empty()).collect();
        let mut vectors = Vec::with_capacity(filled.len());
        for batch in filled.chunks(self.batch) {
            vectors.extend(self.embed(batch)?);
        }
        let mut vectors = vectors.into_iter();
        texts
            .iter()
            .map(|text| match text.trim() {
                "" => self.zeros(),
                _ => Ok(vectors.next().expect("every filled text has its vector")),
            })
            .collect()
    }
}

/// The text to embed of a passage: its path, which often names its topic, and its text.
fn passage(chunk: &ChunkText<'_>) -> String {
    let path = if chunk.path.is_empty() { "" } else { chunk.path };
    let line_end = if path.is_empty() { "" } else { "\n" };
    [path, line_end, chunk.text].into_iter().flat_map(str::chars).take(MAX_CHARACTERS).collect()
}

#[cfg(test)]
mod tests;
