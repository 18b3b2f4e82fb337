//! Passages of files that change between the walk and the answer.
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

/// A section that stands by itself, as it is not tiny.
fn section(name: &str) -> String {
    format!("# {name}\n\n{}\n\n", format!("Of {name}. ").repeat(80))
}

/// Where the definition or section `second` of a file stands after it became `now`; and how many files changed.
fn after(name: &str, before: &str, now: Option<&str>) -> (Standing, u64) {
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
    let (chunked, _) = cut(&document);
    let is_sought = |symbol: &&Symbol| symbol.name == "second";
    let holds = |chunk: &&Chunk| {
        chunk.symbols.iter().any(|symbol| is_sought(&symbol))
            || chunk.breadcrumb.last().is_some_and(|heading| heading == "second")
    };
    let chunk = stored_chunk(chunked.chunks.iter().find(holds).expect("it is there"));
    let subject = chunk.symbols.iter().find(is_sought);
    let terms = HighlightTerms::new(Vec::new(), Vec::new());
    let context = snapshot.proof_context(0, &config);
    let sought = Sought { document: &stored, chunk: Some(&chunk), subject, terms: &terms };
    let standing = context.find(&sought, None);
    (standing, snapshot.proof.changes())
}

#[test]
fn what_was_only_touched_stands_as_indexed() {
    assert_eq!(after("a.rs", BEFORE, Some(BEFORE)), (Standing::AsIndexed(BEFORE.to_owned()), 0));
}

#[test]
fn a_secret_that_came_meanwhile_is_shown_to_nobody() {
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
        let request = SearchRequest { bodies: true, ..SearchRequest::new("second") };
        let answer = searcher.search(&request, &Silent).expect("an answer");
        let shown = format!("{:?}", answer.hits);
        assert!(shown.contains("second"), "{shown}");
        assert!(!shown.contains(&token), "{shown}");
        assert_eq!(shown.contains("[redacted:github-token]"), is_there, "{shown}");
    }
}

#[test]
fn a_definition_that_moved_is_found_again() {
    let now = format!("// One more line.\n\n{BEFORE}");
    let (standing, changes) = after("a.rs", BEFORE, Some(&now));
    let Standing::Elsewhere(moved) = standing else { panic!("{standing:?}") };
    let (chunk, symbol) = (moved.chunk.expect("a passage"), moved.subject.expect("its definition"));
    assert_eq!((moved.text.as_str(), symbol.line, changes), (now.as_str(), 5, 1));
    assert!(now[chunk.span.start..chunk.span.end].contains("sell();"));
}

#[test]
fn a_section_that_moved_is_found_again() {
    let (first, second) = (section("first"), section("second"));
    let now = format!("{second}{first}");
    let (standing, changes) = after("a.md", &format!("{first}{second}"), Some(&now));
    let Standing::Elsewhere(moved) = standing else { panic!("{standing:?}") };
    let (text, chunk) = (moved.text, moved.chunk.expect("a passage"));
    assert!(text[chunk.span.start..chunk.span.end].contains("Of second."), "{chunk:?}");
    assert_eq!((chunk.span.start_line, changes), (1, 1));
}

#[test]
fn what_is_gone_is_no_hit() {
    assert_eq!(after("a.rs", BEFORE, Some("pub fn first() {}\n")), (Standing::Gone, 1));
    assert_eq!(after("a.rs", BEFORE, Some("")), (Standing::Gone, 1));
    assert_eq!(after("a.rs", BEFORE, None), (Standing::Gone, 1));
    let (first, second) = (section("first"), section("second"));
    assert_eq!(after("a.md", &format!("{first}{second}"), Some(&first)), (Standing::Gone, 1));
}
