//! Tests against a local server with configurable responses.

mod server;

use std::{
    ffi::OsString,
    sync::{Arc, Mutex},
    time::Instant,
};

use lore_settings::SettingsFile;
use serde_json::Value;

use self::server::{Reply, Server};
use super::*;

const KEY: &str = "sk-very-secret";

/// An endpoint that notes its pauses instead of making them.
struct Subject {
    endpoint: Endpoint,
    pauses: Arc<Mutex<Vec<Duration>>>,
}

impl Subject {
    fn new(url: &str, key: bool, batch: usize, timeout: Duration) -> Subject {
        let address = Address::parse(url).expect("a valid address");
        let key = key.then(|| Key::read("TEST_KEY", Some(KEY.into())).expect("a valid key"));
        let mut endpoint = Endpoint::new(address, "small", key, batch, timeout);
        let pauses = Arc::new(Mutex::new(Vec::new()));
        let noted = Arc::clone(&pauses);
        endpoint.pause = Box::new(move |pause| noted.lock().expect("no panic").push(pause));
        Subject { endpoint, pauses }
    }

    /// With a key, four texts a request and a minute, so that a slow machine fails no test.
    fn of(server: &Server) -> Subject {
        Subject::new(&server.url(), true, 4, Duration::from_mins(1))
    }

    fn pauses(&self) -> Vec<u128> {
        self.pauses.lock().expect("no panic").iter().map(Duration::as_millis).collect()
    }

    fn query(&self) -> Result<Vec<f32>, EmbedError> {
        self.endpoint.embed_query("refund")
    }

    /// The error of a query, which never holds the key.
    fn refused(&self) -> String {
        let error = self.query().expect_err("it cannot be embedded");
        let shown = format!("{error} {error:?} {:?}", self.endpoint);
        assert!(!shown.contains("secret"), "{shown}");
        assert!(!error.reason.contains(['\n', '\r', '\u{1b}']), "{error}");
        format!("{error}; {}", error.hint.as_ref().expect("there is always a way out"))
    }
}

/// The response of a working server: the length of each text and 1, not normalised, last text first.
fn vectors(body: &str) -> String {
    let request: Value = serde_json::from_str(body).expect("a request is JSON");
    let texts = request["input"].as_array().expect("texts");
    let rows = texts.iter().enumerate().rev().map(|(index, text)| {
        let length = text.as_str().expect("a text").chars().count();
        format!(r#"{{"object": "embedding", "index": {index}, "embedding": [{length}, 1.0]}}"#)
    });
    format!(r#"{{"object": "list", "data": [{}]}}"#, rows.collect::<Vec<_>>().join(","))
}

fn good() -> Reply {
    Reply::computed(vectors)
}

fn unit(length: usize) -> Vec<f32> {
    let length = length as f32;
    let norm = length.hypot(1.0);
    vec![length / norm, 1.0 / norm]
}

fn assert_near(found: &[f32], expected: &[f32]) {
    assert_eq!(found.len(), expected.len());
    let near = found.iter().zip(expected).all(|(left, right)| (left - right).abs() < 1e-6);
    assert!(near, "{found:?} is not {expected:?}");
}

#[test]
fn a_query_is_sent_as_it_is_with_the_key() {
    let server = Server::start(vec![good()]);
    let subject = Subject::of(&server);
    let vector = subject.endpoint.embed_query("  where is \"retry\"?\n").expect("a vector");
    assert_near(&vector, &unit(20));
    let [request] = &server.requests()[..] else { panic!("one request") };
    assert_eq!(request.line, "POST /v1/embeddings HTTP/1.1");
    assert_eq!(request.header("authorization"), Some("Bearer sk-very-secret"));
    assert_eq!(request.header("content-type"), Some("application/json"));
    let body: Value = serde_json::from_str(&request.body).expect("JSON");
    let expected = serde_json::json!({
        "model": "small", "input": ["  where is \"retry\"?\n"], "encoding_format": "float"
    });
    assert_eq!(body, expected);
}

#[test]
fn without_a_key_no_header_is_sent() {
    let server = Server::start(vec![good()]);
    let subject = Subject::new(&server.url(), false, 1, Duration::from_mins(1));
    subject.query().expect("a vector");
    assert_eq!(server.requests()[0].header("authorization"), None);
}

#[test]
fn passages_go_in_batches_and_come_back_in_order() {
    let server = Server::start(vec![good(), good().chunked(), good().closing()]);
    let subject = Subject::of(&server);
    let texts: Vec<String> = (0..10).map(|length| "x".repeat(length)).collect();
    let chunks: Vec<ChunkText<'_>> =
        texts.iter().map(|text| ChunkText { path: "a.rs", text }).collect();
    let vectors = subject.endpoint.embed_chunks(&chunks).expect("vectors");
    assert_eq!(vectors.len(), 10);
    for (length, vector) in vectors.iter().enumerate() {
        assert_near(vector, &unit(5 + length));
    }
    let requests = server.requests();
    assert_eq!(requests.iter().map(|it| it.texts().len()).collect::<Vec<_>>(), [4, 4, 2]);
    assert_eq!(requests[0].texts()[2], "a.rs\nxx");
    assert!(subject.endpoint.embed_chunks(&[]).is_ok_and(|vectors| vectors.is_empty()));
    assert_eq!(server.requests().len(), 3);
}

#[test]
fn long_passages_are_cut_between_characters() {
    let server = Server::start(vec![good()]);
    let subject = Subject::of(&server);
    let text = "é".repeat(9_000);
    let chunks = [ChunkText { path: "", text: &text }, ChunkText { path: "é.md", text: &text }];
    subject.endpoint.embed_chunks(&chunks).expect("vectors");
    let texts = server.requests()[0].texts();
    assert_eq!(texts[0], "é".repeat(8_000));
    assert_eq!(texts[1], format!("é.md\n{}", "é".repeat(7_995)));
}

#[test]
fn empty_texts_are_zeros_and_not_sent() {
    let server = Server::start(vec![good()]);
    let subject = Subject::of(&server);
    let chunks = ["", "four", " \n"].map(|text| ChunkText { path: "", text });
    let vectors = subject.endpoint.embed_chunks(&chunks).expect("vectors");
    assert_near(&vectors[0], &[0.0, 0.0]);
    assert_near(&vectors[1], &unit(4));
    assert_near(&vectors[2], &[0.0, 0.0]);
    assert_eq!(server.requests()[0].texts(), ["four"]);
    assert_near(&subject.endpoint.embed_query(" ").expect("zeros"), &[0.0, 0.0]);
    assert_eq!(server.requests().len(), 1);
    // Unknown dimensions are requested.
    let server = Server::start(vec![good()]);
    let subject = Subject::of(&server);
    assert_near(&subject.endpoint.embed_query("").expect("zeros"), &[0.0, 0.0]);
    assert_eq!(server.requests()[0].texts(), ["text"]);
}

#[test]
fn names_and_fingerprints_tell_models_apart() {
    let name = |url: &str, model: &str| {
        let address = Address::parse(url).expect("a valid address");
        let endpoint = Endpoint::new(address, model, None, 1, Duration::from_secs(1));
        assert!(!endpoint.is_fast());
        (endpoint.name().to_owned(), endpoint.fingerprint().to_owned())
    };
    let (shown, fingerprint) = name("http://localhost:11434/v1", "small");
    assert_eq!(shown, "endpoint:small");
    assert_eq!(fingerprint, "endpoint http://localhost:11434/v1/embeddings small");
    assert_eq!(name("http://LOCALHOST:11434/v1/embeddings", "small").1, fingerprint);
    assert_ne!(name("http://localhost:11434/v1", "large").1, fingerprint);
    assert_ne!(name("http://localhost:11435/v1", "small").1, fingerprint);
    assert_ne!(name("https://localhost:11434/v1", "small").1, fingerprint);
}

#[test]
fn errors_of_a_text_and_of_the_server_are_distinguished() {
    for (status, at_fault) in [
        (400, Fault::Text),
        (413, Fault::Text),
        (422, Fault::Text),
        (401, Fault::Embedder),
        (404, Fault::Embedder),
        (307, Fault::Embedder),
    ] {
        let server = Server::start(vec![Reply::status(status, "")]);
        let error = Subject::of(&server).query().expect_err("a refusal");
        assert_eq!(error.at_fault, at_fault, "{status}");
    }
}

#[test]
fn a_busy_server_is_retried_after_the_requested_time() {
    let busy = Reply::status(429, r#"{"error": {"message": "slow down"}}"#);
    let server = Server::start(vec![busy.clone().with("Retry-After: 0"), busy, good()]);
    let subject = Subject::of(&server);
    assert_near(&subject.query().expect("a vector"), &unit(6));
    assert_eq!(server.requests().len(), 3);
    assert_eq!(subject.pauses(), [0, 800]);
}

#[test]
fn retries_end_within_the_time_limit() {
    let busy = Reply::status(429, "").with("Retry-After: 3600");
    let server = Server::start(vec![busy]);
    let subject = Subject::of(&server);
    let error = subject.refused();
    assert!(error.contains("429 Too Many Requests; it asks to wait for 3600 seconds"), "{error}");
    assert!(subject.pauses().is_empty());
    // A date is not read, and the usual pause holds.
    let dated = Reply::status(503, "").with("Retry-After: Fri, 31 Dec 1999 23:59:59 GMT");
    let server = Server::start(vec![dated, good()]);
    let subject = Subject::of(&server);
    subject.query().expect("a vector");
    assert_eq!(subject.pauses(), [200]);
}

#[test]
fn failures_of_the_server_are_tried_three_times() {
    for status in [408, 500, 502, 503, 504] {
        let failure = Reply::status(status, r#"{"error": "out of memory"}"#);
        let server = Server::start(vec![failure.clone(), failure.clone(), failure]);
        let subject = Subject::of(&server);
        let error = subject.refused();
        let url = format!("{}/embeddings", server.url());
        let start =
            format!("could not embed 1 text with `small` at {url}: the server returned {status} ");
        assert!(error.starts_with(&start), "{error}");
        assert!(error.contains(": out of memory, tried 3 times; "), "{error}");
        assert_eq!(server.requests().len(), 3);
        assert_eq!(subject.pauses(), [200, 800]);
    }
}

#[test]
fn refusals_are_final_and_quote_the_server() {
    let check = |status: u16, body: &str, expected: &str| {
        let server = Server::start(vec![Reply::status(status, body)]);
        let subject = Subject::of(&server);
        let error = subject.refused();
        assert!(error.contains(expected), "{error}");
        assert_eq!(server.requests().len(), 1);
        error
    };
    let message = format!(
        r#"{{"error": {{"message": "Incorrect key {KEY}\u001b[31m,\n try\u0000 another"}}}}"#
    );
    let error = check(401, &message, "401 Unauthorized: Incorrect key [key]");
    assert!(error.ends_with("check that the environment variable `TEST_KEY` contains the key"));
    assert!(error.contains(", try another; "), "{error}");
    // Neither what is taken out beside the key nor a cut within it leaves any of it.
    check(403, r#"{"message": "sk-very-secret\u0007 and sk-very-secret"}"#, "[key] and [key]");
    check(400, &format!("{} {KEY}", "x".repeat(195)), "[key…;");
    let error = check(404, r#"{"error": {"message": "no such model"}}"#, "no such model");
    assert!(error.contains("ollama pull small"), "{error}");
    check(400, &"word ".repeat(100_000), "word word");
    check(413, "<html>", "413 Payload Too Large; send fewer texts");
    check(418, "", "418 I'm a teapot; ");

    let server = Server::start(vec![Reply::status(401, "")]);
    let subject = Subject::new(&server.url(), false, 1, Duration::from_mins(1));
    assert!(subject.refused().contains("set `embedding.key_env`"));
}

#[test]
fn long_words_of_a_server_are_cut() {
    let server = Server::start(vec![Reply::status(400, &"word ".repeat(100_000))]);
    let error = Subject::of(&server).refused();
    assert!(error.chars().count() < 500, "{error}");
}

#[test]
fn nonsense_is_an_error() {
    let check = |body: &str, expected: &str| {
        let server = Server::start(vec![Reply::status(200, body)]);
        let error = Subject::of(&server).refused();
        assert!(error.contains(expected), "{body}: {error}");
        assert_eq!(server.requests().len(), 1, "{body}");
    };
    check("{\"data\": [", "an unexpected format");
    check("<html>", "an unexpected format");
    check("", "an unexpected format");
    check(r#"{"data": []}"#, "0 vectors for 1 texts");
    check(r#"{"data": [{"index": 0, "embedding": [NaN]}]}"#, "an unexpected format");
    check(r#"{"data": [{"index": 0, "embedding": "AADAfw=="}]}"#, "not finite");
    check(&format!(r#"{{"data": [{{"index": 0, "embedding": "{KEY}"}}]}}"#), "not valid base64");
    check(
        &format!(r#"{{"data": [{{"index": 0, "embedding": {{"{KEY}": 1}}}}]}}"#),
        "list of at most",
    );
    check(&format!(r#"{{"data": "{KEY}"}}"#), "[key]");
    // Not even the half of it that a cut would leave.
    check(&format!(r#"{{"data": "{} {KEY}"}}"#, "x".repeat(120)), "invalid type");
}

#[test]
fn ragged_vectors_are_an_error_within_and_between_answers() {
    let ragged = r#"{"data": [{"index": 0, "embedding": [1]}, {"index": 1, "embedding": [1, 2]}]}"#;
    let server = Server::start(vec![Reply::status(200, ragged)]);
    let subject = Subject::of(&server);
    let chunks = ["a", "b"].map(|text| ChunkText { path: "", text });
    let error = subject.endpoint.embed_chunks(&chunks).expect_err("ragged");
    assert!(error.reason.contains("1 and 2 dimensions"), "{error}");

    let three = r#"{"data": [{"index": 0, "embedding": [1, 2, 3]}]}"#;
    let server = Server::start(vec![good(), Reply::status(200, three)]);
    let subject = Subject::of(&server);
    subject.query().expect("a vector");
    assert!(subject.refused().contains("have 3 dimensions, and had 2 before"));
}

#[test]
fn an_answer_is_not_read_without_end() {
    // One text may be answered with 196,608 bytes.
    let body = format!("{{\"data\": \"{}\"}}", "x".repeat(200_000));
    for reply in [Reply::status(200, &body), Reply::status(200, &body).chunked()] {
        let server = Server::start(vec![reply]);
        let error = Subject::of(&server).refused();
        assert!(error.contains("larger than 196608 bytes"), "{error}");
    }
}

#[test]
fn a_redirect_is_not_followed() {
    let thief = Server::start(vec![good()]);
    for status in [301, 302, 303, 307, 308] {
        let location = format!("Location: {}/embeddings", thief.url());
        let server = Server::start(vec![Reply::status(status, "moved").with(&location)]);
        let error = Subject::of(&server).refused();
        assert!(error.contains("sends to 127.0.0.1, which is not followed"), "{error}");
        assert_eq!(server.requests().len(), 1);
    }
    assert!(thief.requests().is_empty());
}

#[test]
fn a_refused_connection_is_reported_with_a_hint() {
    // No test and no program of a user is given the port 1.
    let url = "http://127.0.0.1:1/v1";
    let subject = Subject::new(url, true, 4, Duration::from_mins(1));
    assert_eq!(
        subject.refused(),
        format!(
            "could not embed 1 text with `small` at {url}/embeddings: the connection is refused, \
             tried 3 times; start the server, for example with `ollama serve`, or return to the \
             built-in model with `lore model use embedded`"
        )
    );
    assert_eq!(subject.pauses(), [200, 800]);
}

#[test]
fn a_connection_that_breaks_off_is_tried_again() {
    let server = Server::start(vec![Reply::hang_up(), good()]);
    let subject = Subject::of(&server);
    assert_near(&subject.query().expect("a vector"), &unit(6));
    assert_eq!(subject.pauses(), [200]);
}

#[test]
fn a_slow_server_is_not_waited_for() {
    let server = Server::start(vec![good().after(Duration::from_secs(20))]);
    let subject = Subject::new(&server.url(), true, 4, Duration::from_millis(100));
    let started = Instant::now();
    let error = subject.refused();
    assert!(error.contains("no answer within 0.1 seconds; wait longer"), "{error}");
    assert!(started.elapsed() < Duration::from_secs(15), "{:?}", started.elapsed());
}

#[test]
fn all_tries_together_take_three_times_the_time() {
    let failure = Reply::status(500, "");
    let server = Server::start(vec![failure.clone(), failure.clone(), failure]);
    let subject = Subject::new(&server.url(), true, 4, Duration::from_millis(250));
    subject.refused();
    // A pause that would end too late is not even begun.
    assert!(!subject.pauses().contains(&800));
}

fn configured(text: &str, key: Option<&str>) -> Result<Option<Endpoint>, EmbedError> {
    let file = SettingsFile { path: "/u.toml".into(), text: format!("[embedding]\n{text}") };
    let lookup = |name: &str| key.filter(|_| name == "TEST_KEY").map(OsString::from);
    let settings = Settings::merge(Some(&file), None, &lookup, Vec::new()).expect("valid settings");
    Endpoint::configured(&settings, &lookup)
}

#[test]
fn settings_name_a_server_or_none() {
    assert!(configured("", None).is_ok_and(|endpoint| endpoint.is_none()));
    assert!(configured("model = \"small\"", None).is_ok_and(|endpoint| endpoint.is_none()));
    let server = Server::start(vec![good()]);
    let text = format!(
        "endpoint = \"{}\"\nmodel = \"small\"\nkey_env = \"TEST_KEY\"\nbatch = 7\ntimeout = 60\n",
        server.url()
    );
    let endpoint = configured(&text, Some("sk-very-secret\n")).expect("valid").expect("a server");
    assert_eq!((endpoint.batch, endpoint.timeout), (7, Duration::from_mins(1)));
    assert!(!format!("{endpoint:?}").contains("secret"));
    endpoint.embed_query("refund").expect("a vector");
    assert_eq!(server.requests()[0].header("authorization"), Some("Bearer sk-very-secret"));
    // The embedded model can be selected even if a server is configured.
    let text = format!("endpoint = \"{}\"\nmodel = \"embedded\"\n", server.url());
    assert!(configured(&text, None).is_ok_and(|endpoint| endpoint.is_none()));
    assert!(configured("endpoint = \"none\"\nmodel = \"m\"\n", None).is_ok_and(|it| it.is_none()));
}

#[test]
fn settings_that_do_not_fit_together_are_refused() {
    let refused = |text: &str, key: Option<&str>| {
        let error = configured(text, key).expect_err(text);
        let line = format!("{error}; {}", error.hint.as_ref().expect("a way out"));
        assert!(line.starts_with("could not use the server of `embedding.endpoint`: "), "{line}");
        assert!(!line.contains("secret"), "{line}");
        line
    };
    let local = "endpoint = \"http://localhost:1/v1\"\n";
    assert!(refused(local, None).contains("`embedding.model`"));
    let with_key = format!("{local}model = \"m\"\nkey_env = \"TEST_KEY\"\n");
    assert!(refused(&with_key, None).contains("the variable `TEST_KEY`, but it is not set"));
    assert!(refused(&with_key, Some("secret key")).contains("not allowed in a header"));
    let open =
        "endpoint = \"http://models.example.com/v1\"\nmodel = \"m\"\nkey_env = \"TEST_KEY\"\n";
    assert!(refused(open, Some(KEY)).contains("without encryption"));
    let without_key = "endpoint = \"http://models.example.com/v1\"\nmodel = \"m\"\n";
    assert!(configured(without_key, None).is_ok_and(|endpoint| endpoint.is_some()));
    let encrypted = open.replace("http:", "https:");
    assert!(configured(&encrypted, Some(KEY)).is_ok_and(|endpoint| endpoint.is_some()));
}
