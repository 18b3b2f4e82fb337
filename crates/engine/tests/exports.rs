//! Tests of documents that are only searched on request: exports of trackers, and templates.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests make and change folders, and a failure there is a failed test"
)]

use std::{fs, path::PathBuf};

use lore_engine::{
    CachePlace, Embedding, Engine, EngineConfig, EngineError, Overlays, Progress, RankingConfig,
    SearchRequest, SearchResponse,
};
use lore_schema::{Category, Filter, Part, SourceName, testing};
use tempfile::TempDir;

struct Silent;

impl Progress for Silent {
    fn advance(&self, _: SourceName, _: u64, _: u64) {}
    fn note(&self, _: &str) {}
}

struct Workspace {
    tree: TempDir,
    cache: TempDir,
    outside: TempDir,
}

impl Workspace {
    fn new(fixture: &str) -> Workspace {
        let folder = || TempDir::new().unwrap();
        let workspace = Workspace { tree: folder(), cache: folder(), outside: folder() };
        for (path, text) in testing::files(fixture) {
            let path = workspace.tree.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        workspace
    }

    /// Writes an export with one issue outside the tree.
    fn export(&self, name: &str, title: &str) -> PathBuf {
        let path = self.outside.path().join(name);
        fs::write(&path, format!("[{{\"number\": 1, \"title\": \"{title}\"}}]")).unwrap();
        path.canonicalize().unwrap()
    }

    fn config(&self, exports: &[&PathBuf]) -> EngineConfig {
        EngineConfig {
            root: self.tree.path().to_owned(),
            at: None,
            stored: None,
            backend: lore_engine::default_backend(),
            cache: CachePlace::Folder(self.cache.path().to_owned()),
            write: true,
            hidden: true,
            max_file_size: 1 << 20,
            commits: Some(0),
            exports: exports.iter().map(|path| (*path).clone()).collect(),
            custom: lore_engine::CustomSources::none(),
            threads: 1,
            secrets: lore_engine::Secrets::Redacted,
            ranking: RankingConfig::default(),
            embedding: Embedding::Embedded,
            parsers: lore_engine::Parsers::in_process(),
            overlays: Overlays::default(),
            limits: lore_engine::Limits::none(),
            commit_interval: EngineConfig::COMMIT_INTERVAL,
        }
    }

    fn ask(&self, query: &str, exports: &[&PathBuf], filter: Filter) -> SearchResponse {
        let request = SearchRequest::new(query).with_filter(filter);
        Engine::open(self.config(exports)).unwrap().search(&request, &Silent).unwrap()
    }

    /// Returns the titles of the tickets that are found.
    fn tickets(&self, query: &str, exports: &[&PathBuf]) -> Vec<String> {
        let response = self.ask(query, exports, Filter::default());
        response.hits.into_iter().map(|hit| hit.title).collect()
    }
}

#[test]
fn tickets_of_an_export_are_found_only_with_it_and_never_stale() {
    let workspace = Workspace::new(
        "//- /.beads/issues.jsonl\n{\"id\":\"b-1\",\"title\":\"Refund here\",\"status\":\"open\"}\n",
    );
    let (one, two) = (workspace.export("one", "Refund one"), workspace.export("two", "Refund two"));
    for _ in 0..2 {
        assert_eq!(workspace.tickets("refund", &[]), ["Refund here"]);
        let with_one = workspace.tickets("refund", &[&one]);
        assert!(with_one.len() == 2 && with_one.contains(&"Refund one".to_owned()), "{with_one:?}");
        let with_two = workspace.tickets("refund", &[&two]);
        assert!(with_two.len() == 2 && with_two.contains(&"Refund two".to_owned()), "{with_two:?}");
        assert_eq!(workspace.tickets("refund", &[&two, &one, &two]).len(), 3);
    }
    workspace.export("one", "Payout one");
    assert_eq!(workspace.tickets("payout", &[&one]), ["Payout one"]);
    assert_eq!(workspace.tickets("refund", &[&one]), ["Refund here"]);
    let closed = EngineConfig { write: false, ..workspace.config(&[&one]) };
    workspace.export("one", "Chargeback one");
    let status = Engine::open(closed).unwrap().status().unwrap();
    assert_eq!(status.sources[&SourceName::Tickets].pending, 1);
}

#[test]
fn a_file_that_is_no_export_stops_every_command() {
    let workspace = Workspace::new("//- /README.md\n# Shop\n");
    let readme = workspace.tree.path().join("README.md");
    let engine = Engine::open(workspace.config(&[&readme])).unwrap();
    for error in [
        engine.status().unwrap_err(),
        engine.sources(&Silent).unwrap_err(),
        engine.documents(&[SourceName::Specs], &|_, _| true).unwrap_err(),
    ] {
        let EngineError::Export { path, reason } = &error else { panic!("{error}") };
        assert_eq!(*path, readme);
        assert!(reason.contains("expected issues of GitHub"), "{reason}");
    }
}

#[test]
fn templates_are_searched_on_request() {
    let workspace = Workspace::new(
        "//- /.specify/templates/spec.md\n# Refund of [NAME]\n//- /docs/refund.md\n# Refund\n\nPaid.\n//- /.sage/agent/templates/sop.md\n# Refund sop\n",
    );
    let paths = |query: &str, filter: Filter| -> Vec<String> {
        let response = workspace.ask(query, &[], filter);
        response.hits.into_iter().filter_map(|hit| hit.path).collect()
    };
    assert_eq!(paths("refund", Filter::default()), ["docs/refund.md"]);
    let by_category = Filter { categories: vec![Category::Template], ..Filter::default() };
    assert_eq!(paths("refund", by_category).len(), 2);
    let part =
        Part { source: SourceName::Docs, paths: Vec::new(), categories: vec![Category::Template] };
    let of_docs =
        Filter { sources: vec![SourceName::Docs], parts: vec![part], ..Filter::default() };
    assert_eq!(paths("refund", of_docs).len(), 2);
    let by_path = Filter { paths: vec![".specify/templates/**".into()], ..Filter::default() };
    assert_eq!(paths("refund", by_path), [".specify/templates/spec.md"]);
    let agent = Part {
        source: SourceName::Docs,
        paths: vec!["**/.sage/agent/**".into()],
        categories: Vec::new(),
    };
    let of_agent =
        Filter { sources: vec![SourceName::Docs], parts: vec![agent], ..Filter::default() };
    assert!(paths("refund", of_agent).is_empty(), "templates of agents are templates, too");

    let absence = workspace.ask("sop", &[], Filter::default()).absence.unwrap();
    let reason =
        "templates of tools for specs and agents are excluded unless the request names them";
    assert!(absence.reasons.iter().any(|it| it == reason), "{:?}", absence.reasons);
}
