//! Tests of other models than the built-in one: index runs embed with them, and failures fall back to
//! the built-in model.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests make and change folders, and a failure there is a failed test"
)]

mod common;

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

use lore_engine::{
    ChunkText, EmbedError, Embedder, Embedding, Engine, EngineConfig, Fault, IndexMode,
    SearchRequest, SearchResponse,
};

use common::{Silent, Workspace};

/// A tree with a file that has the meaning of the query in other words.
const MEANING: &str = include_str!("fixtures/meaning.txt");

impl Workspace {
    fn engine(&self, remote: &Arc<Remote>) -> Engine {
        let embedding = Embedding::Other(remote.clone());
        Engine::open(EngineConfig { embedding, ..self.config() }).unwrap()
    }

    /// Searches with the built-in model.
    fn search(&self, query: &str) -> SearchResponse {
        let engine = Engine::open(self.config()).unwrap();
        engine.search(&SearchRequest::new(query), &Silent).unwrap()
    }
}

fn question() -> SearchRequest {
    SearchRequest::new("delete old files")
}

fn paths(response: &SearchResponse) -> Vec<String> {
    response.hits.iter().filter_map(|hit| hit.path.clone()).collect()
}

/// Behaviour of the test embedder.
#[derive(Clone, Copy, Default)]
enum Mood {
    #[default]
    Well,
    /// It cannot be reached.
    Dead,
    /// It rejects texts that contain this.
    Picky(&'static str),
    /// Its vectors have another dimension.
    Changed,
}

type Event = Box<dyn FnOnce() + Send>;

/// An embedder that is slow unless `is_fast` is set.
#[derive(Default)]
struct Remote {
    is_fast: bool,
    mood: Mutex<Mood>,
    requests: AtomicUsize,
    /// Runs while it embeds passages for the first time.
    meanwhile: Mutex<Option<Event>>,
}

impl Remote {
    fn set(&self, mood: Mood) {
        *self.mood.lock().unwrap() = mood;
    }

    /// Returns the number of vectors that were requested.
    fn requests(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }

    /// Returns a vector of letter counts: enough to distinguish texts.
    fn vector(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        self.requests.fetch_add(1, Ordering::SeqCst);
        let mood = *self.mood.lock().unwrap();
        let failed = |reason: &str, at_fault| {
            let (reason, hint) = (reason.to_owned(), Some("start it".to_owned()));
            Err(EmbedError { reason, hint, at_fault })
        };
        match mood {
            Mood::Dead => {
                return failed("could not reach the server: connection refused", Fault::Embedder);
            }
            Mood::Picky(word) if text.contains(word) => {
                return failed("the server says 400 Bad Request", Fault::Text);
            }
            _ => {}
        }
        let mut vector = vec![0.0_f32; if matches!(mood, Mood::Changed) { 30 } else { 26 }];
        for letter in text.bytes().filter(u8::is_ascii_lowercase) {
            vector[usize::from(letter - b'a')] += 1.0;
        }
        let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
        for value in &mut vector {
            *value /= length.max(1.0);
        }
        Ok(vector)
    }
}

impl Embedder for Remote {
    fn name(&self) -> &'static str {
        "remote"
    }

    fn fingerprint(&self) -> &'static str {
        "remote"
    }

    fn is_fast(&self) -> bool {
        self.is_fast
    }

    fn embed_query(&self, query: &str) -> Result<Vec<f32>, EmbedError> {
        self.vector(query)
    }

    fn embed_chunks(&self, chunks: &[ChunkText<'_>]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let event = self.meanwhile.lock().unwrap().take();
        if let Some(event) = event {
            event();
        }
        chunks.iter().map(|chunk| self.vector(chunk.text)).collect()
    }
}

fn index(engine: &Engine) -> (u64, Vec<String>) {
    let report = engine.index(IndexMode::Update, &Silent).unwrap();
    (report.embedded, report.warnings)
}

#[test]
fn another_model_is_embedded_by_an_index_run_and_replaced_where_it_fails() {
    let workspace = Workspace::new(MEANING);
    Engine::open(workspace.config()).unwrap().index(IndexMode::Update, &Silent).unwrap();
    let remote = Arc::new(Remote::default());
    let engine = workspace.engine(&remote);
    let asked = question();
    // A search does not wait for it: the model inside the program answers, and says why.
    let response = engine.search(&asked, &Silent).unwrap();
    assert_eq!(response.receipt.semantic, "embedded");
    let reason = response.receipt.semantic_fallback.unwrap();
    assert!(reason.contains("has not embedded 3 documents yet"), "{reason}");
    assert_eq!(remote.requests(), 0);
    // An index run embeds, and reads nothing else again.
    let report = engine.index(IndexMode::Update, &Silent).unwrap();
    assert_eq!(report.embedded, 3);
    assert!(report.sources.values().all(|(written, _, _)| *written == 0));
    let response = engine.search(&asked, &Silent).unwrap();
    assert_eq!(response.receipt.semantic, "remote");
    assert_eq!(response.receipt.semantic_fallback, None);
    assert_eq!(paths(&response)[0], "src/background.rs");
    // If it cannot be reached, the built-in model replaces it for this answer.
    remote.set(Mood::Dead);
    let response = engine.search(&asked, &Silent).unwrap();
    assert_eq!(response.receipt.semantic, "embedded");
    assert!(response.warnings[0].contains("connection refused"), "{:?}", response.warnings);
    assert_eq!(paths(&response)[0], "src/background.rs");
    // An index run that cannot reach it warns, and indexes the words.
    workspace.write("src/new.rs", "/// Entirely novel.\npub fn novelty() {}\n");
    let report = engine.index(IndexMode::Update, &Silent).unwrap();
    assert!(report.warnings[0].contains("could not embed"), "{:?}", report.warnings);
    assert_eq!(paths(&workspace.search("novelty")), ["src/new.rs"]);
    // When it is back, only missing vectors are computed.
    remote.set(Mood::Well);
    assert_eq!(engine.index(IndexMode::Update, &Silent).unwrap().embedded, 1);
    assert_eq!(engine.search(&asked, &Silent).unwrap().receipt.semantic, "remote");
}

#[test]
fn vectors_of_a_text_that_changed_meanwhile_are_dropped() {
    let workspace = Arc::new(Workspace::new(MEANING));
    workspace.search("color");
    let remote = Arc::new(Remote::default());
    let edited = workspace.clone();
    *remote.meanwhile.lock().unwrap() = Some(Box::new(move || {
        let text = "/// Zebras.\npub fn zebra() {}\n\n/// Okapis.\npub fn okapi() {}\n".repeat(60);
        edited.write("src/color.rs", &text);
        index(&Engine::open(edited.config()).unwrap());
        assert_eq!(paths(&edited.search("okapi")), ["src/color.rs"]);
    }));
    let engine = workspace.engine(&remote);
    assert_eq!(index(&engine), (2, Vec::new()));
    // The new text is embedded by the next run.
    assert_eq!(index(&engine), (1, Vec::new()));
    assert_eq!(index(&engine), (0, Vec::new()));
}

#[test]
fn a_rejected_passage_does_not_affect_others() {
    let workspace = Workspace::new(MEANING);
    let remote = Arc::new(Remote::default());
    remote.set(Mood::Picky("colors"));
    let engine = workspace.engine(&remote);
    let (embedded, warnings) = index(&engine);
    assert_eq!((embedded, warnings.len()), (3, 1), "{warnings:?}");
    assert!(warnings[0].contains("rejects one passage of `code`"), "{warnings:?}");
    assert!(warnings[0].contains("400 Bad Request"), "{warnings:?}");
    // It is marked and not sent again.
    let asked = remote.requests();
    assert_eq!(index(&engine), (0, Vec::new()));
    assert_eq!(remote.requests(), asked);
    let response = engine.search(&question(), &Silent).unwrap();
    assert_eq!((response.receipt.semantic.as_str(), response.warnings.len()), ("remote", 0));
    assert_eq!(paths(&response)[0], "src/background.rs");
}

#[test]
fn a_server_that_rejects_everything_is_at_fault() {
    let workspace = Workspace::new(MEANING);
    let remote = Arc::new(Remote::default());
    remote.set(Mood::Picky(""));
    let engine = workspace.engine(&remote);
    let (embedded, warnings) = index(&engine);
    assert_eq!((embedded, warnings.len()), (0, 1), "{warnings:?}");
    assert!(warnings[0].contains("could not embed"), "{warnings:?}");
    remote.set(Mood::Well);
    assert_eq!(index(&engine), (3, Vec::new()));
}

#[test]
fn a_server_that_does_not_answer_gets_one_request_per_run() {
    let workspace = Workspace::new(MEANING);
    workspace
        .write("specs/001-paint/README.md", "---\nstatus: planned\n---\n# Paint\n\nOf walls.\n");
    let remote = Arc::new(Remote::default());
    remote.set(Mood::Dead);
    let (embedded, warnings) = index(&workspace.engine(&remote));
    assert_eq!((embedded, warnings.len(), remote.requests()), (0, 1, 1), "{warnings:?}");
}

#[test]
fn a_few_documents_without_vectors_do_not_disable_a_model() {
    let workspace = Workspace::new("");
    for number in 0..9 {
        workspace.write(&format!("src/f{number}.rs"), &format!("pub fn delete_{number}() {{}}\n"));
    }
    let remote = Arc::new(Remote::default());
    let engine = workspace.engine(&remote);
    assert_eq!(index(&engine), (9, Vec::new()));
    workspace.write("src/new.rs", "pub fn delete_more() {}\n");
    let response = engine.search(&question(), &Silent).unwrap();
    assert_eq!(response.receipt.semantic, "remote");
    assert_eq!(response.receipt.semantic_fallback, None);
    let expected = "1 of 10 documents has no vectors of `remote` yet: only words find them until \
                    the next `lore index`";
    assert_eq!(response.warnings, [expected]);
    assert!(paths(&response).contains(&"src/new.rs".to_owned()));
    // One more is too many.
    workspace.write("src/newer.rs", "pub fn delete_most() {}\n");
    let response = engine.search(&question(), &Silent).unwrap();
    assert_eq!(response.receipt.semantic, "embedded");
    let reason = response.receipt.semantic_fallback.unwrap();
    assert!(reason.contains("has not embedded 2 documents yet"), "{reason}");
    assert_eq!(index(&engine), (2, Vec::new()));
    assert_eq!(engine.search(&question(), &Silent).unwrap().receipt.semantic, "remote");
}

#[test]
fn a_search_embeds_new_files_with_a_fast_model_but_a_new_model_needs_an_index_run() {
    let workspace = Workspace::new(MEANING);
    workspace.search("color");
    let remote = Arc::new(Remote { is_fast: true, ..Remote::default() });
    let engine = workspace.engine(&remote);
    assert_eq!(engine.search(&question(), &Silent).unwrap().receipt.semantic, "embedded");
    assert_eq!(remote.requests(), 0);
    assert_eq!(index(&engine), (3, Vec::new()));
    // A passage that it rejects has no vector and does not count as missing.
    remote.set(Mood::Picky("secret"));
    workspace.write("src/new.rs", "/// Deletes the secret.\npub fn delete_secret() {}\n");
    let response = engine.search(&question(), &Silent).unwrap();
    assert_eq!((response.receipt.semantic.as_str(), response.warnings.len()), ("remote", 0));
    assert_eq!(index(&engine), (0, Vec::new()));
}

#[test]
fn documents_without_vectors_of_the_built_in_model_are_reported() {
    let workspace = Workspace::new(MEANING);
    let without = EngineConfig { embedding: Embedding::Off, ..workspace.config() };
    let without = Engine::open(without).unwrap();
    // Files that changed during the first run are compared by content once more.
    assert_eq!(index(&without), (0, Vec::new()));
    assert_eq!(index(&without), (0, Vec::new()));
    let closed = Engine::open(EngineConfig { write: false, ..workspace.config() }).unwrap();
    let response = closed.search(&question(), &Silent).unwrap();
    let expected = "3 of 3 documents have no vectors of `embedded` yet: only words find them \
                    until the next `lore index`";
    assert_eq!(response.warnings, [expected]);
    // A search that may write embeds them in memory; an index run writes the vectors.
    assert_eq!(workspace.search("delete old files").warnings, [""; 0]);
    assert_eq!(closed.search(&question(), &Silent).unwrap().warnings, [expected]);
    index(&Engine::open(workspace.config()).unwrap());
    assert_eq!(closed.search(&question(), &Silent).unwrap().warnings, [""; 0]);
}

#[test]
fn a_changed_dimension_is_reported_and_falls_back_to_the_built_in_model() {
    let workspace = Workspace::new(MEANING);
    let remote = Arc::new(Remote::default());
    let engine = workspace.engine(&remote);
    assert_eq!(index(&engine), (3, Vec::new()));
    remote.set(Mood::Changed);
    let response = engine.search(&question(), &Silent).unwrap();
    assert_eq!(response.receipt.semantic, "embedded");
    let reason = response.receipt.semantic_fallback.unwrap();
    assert!(reason.contains("30 dimensions, but those of the index have 26"), "{reason}");
    engine.index(IndexMode::Rebuild, &Silent).unwrap();
    assert_eq!(engine.search(&question(), &Silent).unwrap().receipt.semantic, "remote");
}
