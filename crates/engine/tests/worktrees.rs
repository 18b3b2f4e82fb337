//! Tests of worktrees, branches and earlier commits of one repository: an index starts from a sibling,
//! and answers equal those of a new index.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests make and change folders, and a failure there is a failed test"
)]

mod common;
#[path = "common/git.rs"]
mod git;

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use common::{Silent, Workspace};
use git::git_in;
use lore_engine::{
    CachePlace, Clock, Engine, EngineConfig, EngineError, Freshness, IndexMode, PatternKind,
    SearchRequest, SearchResponse,
};
use lore_schema::SourceName;

/// A repository with a number of files, and a folder for a worktree beside it.
struct Repository {
    shop: Workspace,
    beside: tempfile::TempDir,
}

impl Repository {
    fn new(files: usize) -> Repository {
        let shop = Workspace::new("");
        for number in 0..files {
            let path = format!("src/part{}/file{number}.rs", number % 20);
            shop.write(&path, &text(number, "first"));
        }
        shop.write("README.md", "# Shop\n\nSells parts.\n");
        let repository = Repository { shop, beside: tempfile::tempdir().unwrap() };
        repository.git(&["init", "-q", "-b", "main"]);
        repository.commit("first");
        repository
    }

    fn root(&self) -> &Path {
        self.shop.tree.path()
    }

    fn git(&self, arguments: &[&str]) -> String {
        git_in(self.root(), arguments)
    }

    fn commit(&self, message: &str) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", message]);
    }

    fn add_worktree(&self, name: &str, commit: &str) -> PathBuf {
        let path = self.beside.path().join(name);
        self.git(&["worktree", "add", "-q", "--detach", path.to_str().unwrap(), commit]);
        path
    }

    fn config(&self, root: &Path) -> EngineConfig {
        EngineConfig { root: root.to_owned(), ..self.shop.config() }
    }

    fn engine(&self, root: &Path) -> Engine {
        Engine::open(self.config(root)).unwrap()
    }

    /// Opens an engine that shares nothing with any other.
    fn fresh(&self, root: &Path) -> Engine {
        Engine::open(EngineConfig { cache: CachePlace::Memory, ..self.config(root) }).unwrap()
    }

    /// Checks that an engine answers as a new one does.
    fn check(&self, root: &Path, engine: &Engine, step: &str) {
        let fresh = self.fresh(root);
        for query in ["first", "second", "third", "retry refund", "file17", "parts"] {
            let (own, other) = (ask(engine, query), ask(&fresh, query));
            assert_eq!(own.receipt.fresh, Freshness::Verified, "{step}: {query}");
            assert_eq!(own.receipt.total, other.receipt.total, "{step}: {query}");
            let shown = |response: &SearchResponse| -> Vec<(String, String)> {
                let hits = response.hits.iter();
                hits.map(|hit| (hit.id.clone(), hit.snippet.text.clone())).collect()
            };
            assert_eq!(shown(&own), shown(&other), "{step}: {query}");
        }
    }
}

fn text(number: usize, word: &str) -> String {
    format!("/// The {word} way to retry a refund of order {number}.\npub fn file{number}() {{}}\n")
}

fn ask(engine: &Engine, query: &str) -> SearchResponse {
    engine.search(&SearchRequest::new(query).with_limit(30), &Silent).unwrap()
}

fn ids(response: &SearchResponse) -> BTreeSet<&str> {
    response.hits.iter().map(|hit| hit.id.as_str()).collect()
}

/// Runs the index and returns the written, deleted and unchanged units of code.
fn update(engine: &Engine) -> (u64, u64, u64) {
    engine.index(IndexMode::Update, &Silent).unwrap().sources[&SourceName::Code]
}

/// Returns the bytes below a folder, and those of files with a single link.
#[cfg(unix)]
fn sizes(folder: &Path) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt as _;
    let (mut all, mut own) = (0, 0);
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let metadata = path.metadata().unwrap();
        let (size, alone) = if metadata.is_dir() {
            sizes(&path)
        } else {
            (metadata.len(), if metadata.nlink() == 1 { metadata.len() } else { 0 })
        };
        all += size;
        own += alone;
    }
    (all, own)
}

#[test]
fn a_second_worktree_analyses_only_what_differs() {
    let repository = Repository::new(300);
    let first = repository.engine(repository.root());
    assert_eq!(update(&first), (300, 0, 0));
    let side = repository.add_worktree("side", "main");
    for number in 0..7 {
        let path = side.join(format!("src/part{number}/file{number}.rs"));
        fs::write(path, text(number, "second")).unwrap();
    }
    fs::remove_file(side.join("src/part9/file9.rs")).unwrap();
    let second = repository.engine(&side);
    assert_eq!(update(&second), (7, 1, 292));
    repository.check(&side, &second, "the second work tree");
    repository.check(repository.root(), &first, "the first one");
    let status = second.status().unwrap();
    assert_eq!(status.views, 2);
    assert_eq!(status.cache.unwrap().parent(), first.status().unwrap().cache.unwrap().parent());

    // Later changes of one do not affect the other.
    fs::write(side.join("src/part0/file0.rs"), text(0, "third")).unwrap();
    assert_eq!(ask(&second, "third").receipt.total, 1);
    assert_eq!(ask(&first, "third").receipt.total, 0);
    first.index(IndexMode::Rebuild, &Silent).unwrap();
    repository.check(&side, &second, "after a rebuild of the first");
}

#[cfg(unix)]
#[test]
fn a_second_worktree_needs_little_disk_space() {
    let repository = Repository::new(600);
    update(&repository.engine(repository.root()));
    let (alone, _) = sizes(repository.shop.cache.path());
    let side = repository.add_worktree("side", "main");
    update(&repository.engine(&side));
    let (_, own) = sizes(repository.shop.cache.path());
    let status = repository.engine(&side).status().unwrap();
    let code = &status.sources[&SourceName::Code];
    assert!(code.shared_bytes * 2 > code.disk_bytes, "{code:?}");
    // Only stamps and lists are stored twice.
    assert!(own < alone, "{own} bytes of their own beside {alone}");
}

#[test]
fn a_damaged_sibling_is_not_used() {
    let repository = Repository::new(40);
    let first = repository.engine(repository.root());
    update(&first);
    let cache = first.status().unwrap().cache.unwrap().join("code");
    for entry in fs::read_dir(&cache).unwrap().map(Result::unwrap) {
        if entry.file_name().to_string_lossy().ends_with(".idx") {
            fs::write(entry.path(), "nothing").unwrap();
        }
    }
    let side = repository.add_worktree("side", "main");
    let second = repository.engine(&side);
    assert_eq!(update(&second), (40, 0, 0));
    repository.check(&side, &second, "beside a damaged one");
    repository.check(repository.root(), &first, "the damaged one");
}

#[test]
fn the_next_answer_after_a_switch_of_branches_is_right() {
    let repository = Repository::new(2_000);
    repository.git(&["checkout", "-q", "-b", "other"]);
    for number in 0..2_000 {
        let path = format!("src/part{}/file{number}.rs", number % 20);
        match number % 10 {
            0 => fs::remove_file(repository.root().join(path)).unwrap(),
            _ => repository.shop.write(&path, &text(number, "second")),
        }
    }
    repository.commit("second");
    repository.git(&["checkout", "-q", "main"]);
    let engine = repository.engine(repository.root());
    let total = |word: &str| ask(&engine, word).receipt.total;
    // Besides the files, the commit with that message contains the word.
    assert_eq!((total("first"), total("second")), (2_001, 1), "the commit of the other branch");
    repository.git(&["checkout", "-q", "other"]);
    assert_eq!((total("first"), total("second")), (1, 1_801));
    assert_eq!(ask(&engine, "second").receipt.fresh, Freshness::Verified);
    repository.git(&["checkout", "-q", "main"]);
    assert_eq!((total("first"), total("second")), (2_001, 1), "the commit of the other branch");
}

#[test]
fn whatever_git_does_the_next_answer_is_right() {
    let repository = Repository::new(60);
    let root = repository.root();
    let engine = repository.engine(root);
    let check = |step: &str| repository.check(root, &engine, step);
    check("start");
    repository.shop.write("src/part1/file1.rs", &text(1, "second"));
    repository.commit("second");
    check("a commit");
    repository.git(&["checkout", "-q", "--detach", "HEAD~1"]);
    check("a detached head");
    repository.git(&["checkout", "-q", "main"]);
    repository.shop.write("src/part2/file2.rs", &text(2, "third"));
    check("an edit");
    repository.git(&["stash", "-q"]);
    check("a stash");
    repository.git(&["stash", "pop", "-q"]);
    check("a stash that came back");
    repository.git(&["checkout", "-q", "-b", "topic", "HEAD~1"]);
    repository.commit("third");
    repository.git(&["rebase", "-q", "main"]);
    check("a rebase");
    fs::remove_dir_all(root.join("src/part3")).unwrap();
    repository.shop.write("src/part3", "the third way, as a file\n");
    check("a file in the place of a folder");
    fs::remove_file(root.join("src/part3")).unwrap();
    repository.shop.write("src/part3/again.rs", &text(3, "third"));
    check("a folder in the place of a file");
    fs::rename(root.join("src/part4/file4.rs"), root.join("src/part4/FILE4.rs")).unwrap();
    check("a name in upper case");
    repository.git(&["reset", "-q", "--hard", "HEAD~1"]);
    check("a reset");
    fs::write(root.join(".git/HEAD"), "ref: refs/heads/unborn\n").unwrap();
    check("a head without a commit");
}

#[test]
fn the_receipt_counts_what_differs_from_the_commit() {
    let repository = Repository::new(5);
    let engine = repository.engine(repository.root());
    let head = repository.git(&["rev-parse", "HEAD"]);
    let tree = || ask(&engine, "refund").receipt.tree.unwrap();
    assert_eq!(tree(), head[..8]);
    repository.shop.write("src/part0/file0.rs", &text(0, "second"));
    repository.shop.write("new.md", "new\n");
    fs::remove_file(repository.root().join("src/part1/file1.rs")).unwrap();
    assert_eq!(tree(), format!("{}+3", &head[..8]));
    let literal = SearchRequest::new("refund").with_pattern(PatternKind::Literal);
    let receipt = engine.search(&literal, &Silent).unwrap().receipt;
    assert_eq!(receipt.tree.unwrap(), format!("{}+3", &head[..8]));
}

#[test]
fn an_earlier_tree_is_searched_as_if_it_were_checked_out() {
    let repository = Repository::new(50);
    let first = repository.git(&["rev-parse", "HEAD"]);
    repository.git(&["tag", "v1"]);
    for number in 0..10 {
        let path = format!("src/part{number}/file{number}.rs");
        repository.shop.write(&path, &text(number, "second"));
    }
    fs::remove_file(repository.root().join("src/part11/file11.rs")).unwrap();
    repository.commit("second");
    repository.shop.write("src/part0/file0.rs", &text(0, "third"));
    let engine = repository.engine(repository.root());
    assert_eq!(ask(&engine, "third").receipt.total, 1);
    // A first index is written after the answer.
    engine.settle();

    let past = engine.at("v1", Clock::default()).unwrap();
    let checked_out = repository.add_worktree("past", "v1");
    let fresh = repository.fresh(&checked_out);
    for query in ["first", "second", "third", "retry refund", "file17", "file11", "parts"] {
        // A worktree also has the commits of other branches.
        let files = |engine: &Engine| {
            let mut request = SearchRequest::new(query).with_limit(30);
            request.filter.sources = vec![SourceName::Code, SourceName::Docs];
            engine.search(&request, &Silent).unwrap()
        };
        let (own, other) = (files(&past), files(&fresh));
        assert_eq!(own.receipt.total, other.receipt.total, "{query}");
        assert_eq!(ids(&own), ids(&other), "{query}");
        let snippets = |response: &SearchResponse| -> Vec<String> {
            response.hits.iter().map(|hit| hit.snippet.text.clone()).collect()
        };
        assert_eq!(snippets(&own), snippets(&other), "{query}");
        assert_eq!(own.receipt.tree.as_deref(), Some(&first[..8]));
        assert_eq!(own.receipt.fresh, Freshness::Verified);
    }
    let commits = |word: &str| {
        let mut request = SearchRequest::new(word);
        request.filter.sources = vec![SourceName::Git];
        past.search(&request, &Silent).unwrap().receipt.total
    };
    assert_eq!((commits("first"), commits("second")), (1, 0), "only what led to the tag");
    // It started from the tree on disk. The differences are an overlay, which an index run writes.
    assert_eq!(update(&past), (11, 0, 39));
    let (written, deleted, unchanged) = update(&engine.at("v1", Clock::default()).unwrap());
    assert_eq!((written, deleted, unchanged), (0, 0, 50));
    let before = engine.at("HEAD", Clock::default()).unwrap();
    // The worktree is nearer than the tag: only its uncommitted changes differ.
    assert_eq!(update(&before), (1, 0, 48));

    let literal = SearchRequest::new("third way").with_pattern(PatternKind::Literal);
    assert_eq!(past.search(&literal, &Silent).unwrap().receipt.total, 0);
    let literal = literal.with_query("order 11.");
    assert_eq!(past.search(&literal, &Silent).unwrap().receipt.total, 1);
    let phrase = ask(&past, "\"first way to retry a refund of order 11\"");
    assert_eq!(phrase.receipt.total, 1);
    assert!(!repository.root().join("src/part11/file11.rs").exists());
    assert_eq!(repository.git(&["status", "--short"]), "M src/part0/file0.rs");
}

#[test]
fn an_unknown_commit_is_rejected() {
    let repository = Repository::new(3);
    repository.git(&["branch", "release"]);
    let engine = repository.engine(repository.root());
    let day = |text: &str| engine.at(text, Clock { now: 1_790_000_000, offset: 0 });
    match day("relaese~1") {
        Err(EngineError::Revision { nearest, .. }) => assert_eq!(*nearest, ["release"]),
        other => panic!("{other:?}"),
    }
    assert!(matches!(day("2026-01-30"), Err(EngineError::Revision { .. })));
    assert!(day("2026-01-31").is_ok());
    assert!(day("yesterday").is_ok());
    let outside = Workspace::new("");
    let engine = Engine::open(outside.config()).unwrap();
    let error = engine.at("HEAD", Clock::default()).unwrap_err().to_string();
    assert!(error.contains("not in a git repository"), "{error}");
}

#[test]
fn only_the_last_revisions_are_kept() {
    let repository = Repository::new(3);
    let engine = repository.engine(repository.root());
    update(&engine);
    for number in 0..11 {
        repository.shop.write("README.md", &format!("# Shop {number}\n"));
        repository.commit("again");
        let past = engine.at("HEAD", Clock::default()).unwrap();
        assert_eq!(
            ask(&past, &format!("shop {number}")).hits[0].path.as_deref(),
            Some("README.md")
        );
    }
    assert_eq!(engine.status().unwrap().views, 9);
    let oldest = engine.at("HEAD~10", Clock::default()).unwrap();
    assert_eq!(ask(&oldest, "shop").hits[0].path.as_deref(), Some("README.md"));
    assert_eq!(engine.status().unwrap().views, 9);
}
