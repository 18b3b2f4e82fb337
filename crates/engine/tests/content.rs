//! Tests of contents that the index had before: they are restored without parsing, and the answers equal
//! those of a rebuilt index.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests make and change folders, and a failure there is a failed test"
)]

mod common;

use std::{
    fs,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use lore_engine::{
    CachePlace, Engine, EngineConfig, InProcess, IndexMode, Mode, Overlays, ParserFault,
    ParserHost, Parsers, SearchRequest, SearchResponse,
};
use lore_schema::SourceName;
use lore_syntax::Parsed;

use crate::common::{Silent, Workspace};

/// Number of files.
const FILES: usize = 320;

/// Number of files that differ between two branches.
const CHANGED: usize = 260;

/// Parses in this process and counts the texts.
#[derive(Default)]
struct Counting(AtomicUsize);

impl ParserHost for Counting {
    fn parse(&self, language: &str, text: &str) -> Result<Option<Parsed>, ParserFault> {
        self.0.fetch_add(1, Ordering::Relaxed);
        InProcess.parse(language, text)
    }

    fn prepare(&self, path: &str) {
        InProcess.prepare(path);
    }
}

/// A tree, with an engine that is opened again for each step.
struct Tree {
    shop: Workspace,
    parsed: Arc<Counting>,
}

impl Tree {
    fn new() -> Tree {
        let tree = Tree { shop: Workspace::new(""), parsed: Arc::default() };
        (0..FILES).for_each(|number| tree.write(number, "first"));
        tree
    }

    fn write(&self, number: usize, branch: &str) {
        let text = format!(
            "// The {branch} way to retry refund {number}.\n\
             pub fn {branch}_refund{number}() {{\n    ledger{}();\n}}\n",
            number % 7
        );
        self.shop.write(&format!("src/part{}/file{number}.rs", number % 9), &text);
    }

    fn switch(&self, branch: &str) {
        (0..CHANGED).for_each(|number| self.write(number, branch));
    }

    fn config(&self) -> EngineConfig {
        let parsers = Parsers::new(Arc::<Counting>::clone(&self.parsed));
        EngineConfig { parsers, overlays: Overlays::default(), ..self.shop.config() }
    }

    /// Number of texts that a search by a new process parses. The answers must equal those of a
    /// rebuilt index.
    fn parsed_by_search(&self) -> usize {
        let memory = EngineConfig { cache: CachePlace::Memory, ..self.config() };
        let rebuilt = Engine::open(memory).unwrap();
        ask(&rebuilt, "ledger", Mode::Hybrid);
        let before = self.parsed.0.load(Ordering::Relaxed);
        let engine = Engine::open(self.config()).unwrap();
        ask(&engine, "ledger", Mode::Hybrid);
        let parsed = self.parsed.0.load(Ordering::Relaxed) - before;
        for published in [false, true] {
            for mode in [Mode::Lexical, Mode::Semantic, Mode::Hybrid] {
                for query in ["retry refund 17", "second_refund33 ledger3"] {
                    assert_eq!(
                        ask(&engine, query, mode),
                        ask(&rebuilt, query, mode),
                        "{mode:?} {query} published: {published}"
                    );
                }
            }
            assert!(engine.settle().is_empty());
        }
        parsed
    }

    /// Number of texts that an update of the index parses, with the counts of its files.
    fn parsed_by_index(&self) -> (usize, (u64, u64, u64)) {
        let before = self.parsed.0.load(Ordering::Relaxed);
        let engine = Engine::open(self.config()).unwrap();
        let updated = engine.index(IndexMode::Update, &Silent).unwrap();
        (self.parsed.0.load(Ordering::Relaxed) - before, updated.sources[&SourceName::Code])
    }
}

/// Contents of an answer: the number of documents, and for each hit its name, score and text.
fn ask(engine: &Engine, query: &str, mode: Mode) -> (u64, Vec<(String, u32, String)>) {
    let request = SearchRequest::new(query).with_mode(mode).with_limit(40);
    let response: SearchResponse = engine.search(&request, &Silent).unwrap();
    let hits = response.hits.into_iter();
    let hits = hits.map(|hit| (hit.id, hit.score.to_bits(), hit.snippet.text)).collect();
    (response.receipt.total, hits)
}

#[test]
fn switching_between_two_branches_parses_each_content_once() {
    let tree = Tree::new();
    assert_eq!(tree.parsed_by_search(), FILES);
    tree.switch("second");
    assert_eq!(tree.parsed_by_search(), CHANGED);
    for branch in ["first", "second", "first"] {
        tree.switch(branch);
        assert_eq!(tree.parsed_by_search(), 0, "back to the {branch} branch");
    }
}

#[test]
fn renames_and_deletions_parse_nothing() {
    let tree = Tree::new();
    assert_eq!(tree.parsed_by_search(), FILES);
    let at = |name: &str| tree.shop.tree.path().join("src").join(name);
    fs::rename(at("part3"), at("other")).unwrap();
    assert_eq!(tree.parsed_by_search(), 0, "the folder is renamed");
    assert_eq!(tree.parsed_by_index(), (0, (36, 36, 284)));
    fs::copy(at("other/file3.rs"), at("part1/copy.rs")).unwrap();
    assert_eq!(tree.parsed_by_search(), 0, "a file is copied");
    fs::rename(at("other"), at("part3")).unwrap();
    assert_eq!(tree.parsed_by_search(), 0, "the rename is undone");
    assert_eq!(tree.parsed_by_index(), (0, (37, 36, 284)));
    // The language differs.
    fs::rename(at("part1/copy.rs"), at("part1/copy.go")).unwrap();
    assert_eq!(tree.parsed_by_search(), 1, "another language");
    assert_eq!(tree.parsed_by_index(), (1, (1, 1, 320)));
    let aside = tempfile::tempdir().unwrap();
    fs::rename(at("part3"), aside.path().join("part3")).unwrap();
    assert_eq!(tree.parsed_by_index(), (0, (0, 36, 285)));
    assert_eq!(tree.parsed_by_search(), 0, "a folder is deleted");
    fs::rename(aside.path().join("part3"), at("part3")).unwrap();
    assert_eq!(tree.parsed_by_search(), 0, "the deletion is undone");
    assert_eq!(tree.parsed_by_index(), (0, (36, 0, 285)));
}
