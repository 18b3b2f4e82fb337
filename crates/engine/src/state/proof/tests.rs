//! Tests of passages in files that change between the walk and the answer.
#![expect(clippy::disallowed_methods, reason = "tests make files")]

use std::{
    fs,
    time::{Duration, SystemTime},
};

use lore_schema::{Filter, TextOrigin};
use tempfile::TempDir;

use super::*;
use crate::{
    Embedding, Engine, IndexMode, SearchRequest,
    state::refresh,
    testing::{Silent, in_memory},
};

const BEFORE: &str = "pub fn first() {}\n\npub fn second() {\n    sell();\n}\n";

/// A section that becomes a chunk of its own, because it is long enough.
fn section(name: &str) -> String {
    format!("# {name}\n\n{}\n\n", format!("Of {name}. ").repeat(80))
}

/// State of the definition or section `second` of a file after its text became `now`; and the number of
/// files that changed.
fn after(name: &str, before: &str, now: Option<&str>) -> (PassageState, u64) {
    let folder = TempDir::new().expect("a new folder");
    let path = folder.path().join(name);
    fs::write(&path, before).expect("a new file");
    let config =
        EngineConfig { commits: Some(0), embedding: Embedding::Off, ..in_memory(folder.path(), 1) };
    let source = lore_sources::source_of_path(name);
    let snapshot = refresh::take(&config, &[source], IndexMode::Update, &Silent).expect("an index");
    match now {
        Some(now) => {
            fs::write(&path, now).expect("ours");
            let later = SystemTime::now() + Duration::from_secs(5);
            let file = fs::File::options().write(true).open(&path).expect("ours");
            file.set_modified(later).expect("ours");
        }
        None => fs::remove_file(&path).expect("ours"),
    }
    let reader = snapshot.sources[0].reader.as_ref();
    let listed = reader.listing(&Filter::default()).expect("a listing")[0].id;
    let stored = reader.documents(&[listed]).expect("a document").remove(0);
    let document = Document {
        key: stored.key.clone(),
        path: stored.path.clone(),
        format: "files",
        kind: "file",
        title: String::new(),
        text: before.to_owned(),
        origin: TextOrigin::File,
        metadata: Vec::new(),
        attributes: stored.attributes.clone(),
        trust: stored.trust,
    };
    let chunked = chunk_document(&document, &config.parsers).chunked;
    let is_sought = |symbol: &&Symbol| symbol.name == "second";
    let holds = |chunk: &&Chunk| {
        chunk.symbols.iter().any(|symbol| is_sought(&symbol))
            || chunk.breadcrumb.last().is_some_and(|heading| heading == "second")
    };
    let chunk = stored_chunk(chunked.chunks.iter().find(holds).expect("it is there"));
    let subject = chunk.symbols.iter().find(is_sought);
    let context = snapshot.proof_context(0, &config);
    let passage =
        PassageRef { document: &stored, chunk: Some(&chunk), subject, matches: &|_| false };
    let state = context.locate(&passage, None);
    (state, snapshot.proof.changes())
}

#[test]
fn a_touched_file_is_unchanged() {
    assert_eq!(
        after("a.rs", BEFORE, Some(BEFORE)),
        (PassageState::AsIndexed(BEFORE.to_owned()), 0)
    );
}

#[test]
fn a_new_secret_is_redacted() {
    let folder = TempDir::new().expect("a new folder");
    let path = folder.path().join("a.rs");
    fs::write(&path, BEFORE).expect("a new file");
    let config =
        EngineConfig { commits: Some(0), embedding: Embedding::Off, ..in_memory(folder.path(), 1) };
    let engine = Engine::open(config).expect("a tree");
    let mut searcher = engine.searcher(&[SourceName::Code], &Silent).expect("an index");
    let token = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
    for (now, is_there) in [
        (BEFORE.replace("sell", "refund"), false),
        (BEFORE.replace("sell();", &format!("sell(\"{token}\");")), true),
    ] {
        fs::write(&path, &now).expect("ours");
        let later = SystemTime::now() + Duration::from_secs(5);
        let file = fs::File::options().write(true).open(&path).expect("ours");
        file.set_modified(later).expect("ours");
        let request = SearchRequest::new("second").with_bodies(true);
        let answer = searcher.search(&request, &Silent).expect("an answer");
        let shown = format!("{:?}", answer.hits);
        assert!(shown.contains("second"), "{shown}");
        assert!(!shown.contains(&token), "{shown}");
        assert_eq!(shown.contains("[redacted:github-token]"), is_there, "{shown}");
    }
}

#[test]
fn a_definition_that_moved_is_located_again() {
    let now = format!("// One more line.\n\n{BEFORE}");
    let (state, changes) = after("a.rs", BEFORE, Some(&now));
    let PassageState::Moved(moved) = state else { panic!("{state:?}") };
    let (chunk, symbol) = (moved.chunk.expect("a passage"), moved.subject.expect("its definition"));
    assert_eq!((moved.text.as_str(), symbol.line, changes), (now.as_str(), 5, 1));
    assert!(now[chunk.span.start..chunk.span.end].contains("sell();"));
}

#[test]
fn a_section_that_moved_is_located_again() {
    let (first, second) = (section("first"), section("second"));
    let now = format!("{second}{first}");
    let (state, changes) = after("a.md", &format!("{first}{second}"), Some(&now));
    let PassageState::Moved(moved) = state else { panic!("{state:?}") };
    let (text, chunk) = (moved.text, moved.chunk.expect("a passage"));
    assert!(text[chunk.span.start..chunk.span.end].contains("Of second."), "{chunk:?}");
    assert_eq!((chunk.span.start_line, changes), (1, 1));
}

#[test]
fn a_passage_that_is_gone_is_dropped() {
    assert_eq!(after("a.rs", BEFORE, Some("pub fn first() {}\n")), (PassageState::Gone, 1));
    assert_eq!(after("a.rs", BEFORE, Some("")), (PassageState::Gone, 1));
    assert_eq!(after("a.rs", BEFORE, None), (PassageState::Gone, 1));
    let (first, second) = (section("first"), section("second"));
    assert_eq!(after("a.md", &format!("{first}{second}"), Some(&first)), (PassageState::Gone, 1));
}
