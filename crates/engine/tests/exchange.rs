//! Exports and imports: a clone starts from the index of another one, answers as a new index does, and
//! learns nothing that the clone itself does not have.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests make and change folders, and a failure there is a failed test"
)]

mod common;
#[path = "common/git.rs"]
mod git;

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use common::{Silent, Workspace};
use git::git_in;
use lore_engine::{
    CachePlace, ChunkText, EmbedError, Embedder, Embedding, Engine, EngineConfig, EngineError,
    Freshness, ImportReport, IndexError, IndexMode, Progress, SearchRequest, SearchResponse,
    Secrets, SuggestRequest,
};
use lore_schema::SourceName;

/// Number of files of the exporting repository, besides the page.
const FILES: usize = 60;

/// A repository with an index, and a folder for its clones, their caches and exports.
struct Repository {
    shop: Workspace,
    beside: tempfile::TempDir,
}

/// A clone with a cache of its own.
struct Clone {
    root: PathBuf,
    cache: PathBuf,
    config: EngineConfig,
}

impl Repository {
    fn new() -> Repository {
        let shop = Workspace::new("");
        for number in 0..FILES {
            shop.write(&path(number), &text(number, "first"));
        }
        shop.write("README.md", "# Shop\n\nSells parts.\n");
        let repository = Repository { shop, beside: tempfile::tempdir().unwrap() };
        repository.git(&["init", "-q", "-b", "main"]);
        repository.commit("open the shop");
        repository
    }

    fn git(&self, arguments: &[&str]) -> String {
        git_in(self.shop.tree.path(), arguments)
    }

    fn commit(&self, message: &str) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", message]);
    }

    fn engine(&self) -> Engine {
        Engine::open(self.shop.config()).unwrap()
    }

    fn export(&self, name: &str) -> PathBuf {
        let file = self.beside.path().join(name);
        let (_, export) = self.engine().export(&file, IndexMode::Update, &Silent).unwrap();
        assert_eq!(fs::metadata(&file).unwrap().len(), export.bytes);
        file
    }

    fn clone(&self, name: &str) -> Clone {
        let root = self.beside.path().join(name);
        let from = self.shop.tree.path().to_str().unwrap();
        let arguments = ["clone", "-q", "--single-branch", "-b", "main", from];
        git_in(self.beside.path(), &[&arguments[..], &[root.to_str().unwrap()]].concat());
        let cache = self.beside.path().join(format!("cache of {name}"));
        let config = EngineConfig {
            root: root.clone(),
            cache: CachePlace::Folder(cache.clone()),
            ..self.shop.config()
        };
        Clone { root, cache, config }
    }
}

impl Clone {
    fn engine(&self) -> Engine {
        Engine::open(self.config.clone()).unwrap()
    }

    fn import(&self, from: &Path) -> ImportReport {
        let engine = self.engine();
        let plan = engine.plan_import(from, false).unwrap();
        engine.import(plan, &Silent).unwrap()
    }

    fn refusal(&self, from: &Path) -> String {
        let engine = self.engine();
        let plan = engine.plan_import(from, false);
        match plan.and_then(|plan| engine.import(plan, &Silent)) {
            Err(error @ EngineError::Index(IndexError::Import { .. })) => error.to_string(),
            other => panic!("{other:?}"),
        }
    }

    /// Checks that a new process answers as one without any index does.
    fn check(&self) {
        let engine = self.engine();
        let cache = CachePlace::Memory;
        let fresh = Engine::open(EngineConfig { cache, ..self.config.clone() }).unwrap();
        for query in ["first", "second", "retry refund", "file17", "parts", "open the shop"] {
            let (own, other) = (ask(&engine, query), ask(&fresh, query));
            assert_eq!(own.receipt.fresh, Freshness::Verified, "{query}");
            assert_eq!(own.receipt.total, other.receipt.total, "{query}");
            let shown = |response: &SearchResponse| -> Vec<(String, String)> {
                let hits = response.hits.iter();
                hits.map(|hit| (hit.id.clone(), hit.snippet.text.clone())).collect()
            };
            assert_eq!(shown(&own), shown(&other), "{query}");
        }
        assert_eq!(engine.check().unwrap().problems, [""; 0]);
    }

    /// Checks that a word is not found, not suggested and not the correction of another one.
    fn lacks(&self, word: &str, misspelled: &str) {
        // Suggestions are read from the index as it is on disk.
        let request = SuggestRequest { prefix: word[..5].to_owned(), kinds: Vec::new(), limit: 50 };
        let suggested = self.engine().suggest(&request, &Silent).unwrap();
        let texts: Vec<&str> =
            suggested.suggestions.iter().map(|suggestion| suggestion.text.as_str()).collect();
        assert!(!texts.iter().any(|text| text.contains(word)), "{texts:?}");
        for query in [word, misspelled] {
            let response = ask(&self.engine(), query);
            assert_eq!(response.receipt.total, 0, "{query}: {:?}", response.hits);
            assert!(!format!("{response:?}").replace(query, "").contains(word), "{query}");
        }
    }

    /// All files of the cache with their bytes, sorted by path.
    fn files(&self) -> Vec<(PathBuf, Vec<u8>)> {
        files(&self.cache)
    }
}

fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut all = Vec::new();
    let Ok(entries) = fs::read_dir(folder) else { return all };
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(files(&path));
        } else {
            all.push((path.clone(), fs::read(path).unwrap()));
        }
    }
    all.sort();
    all
}

fn contains(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

fn path(number: usize) -> String {
    format!("src/part{}/file{number}.rs", number % 7)
}

fn text(number: usize, word: &str) -> String {
    format!("/// The {word} way to retry a refund of order {number}.\npub fn file{number}() {{}}\n")
}

fn ask(engine: &Engine, query: &str) -> SearchResponse {
    engine.search(&SearchRequest::new(query).with_limit(30), &Silent).unwrap()
}

#[test]
fn a_clone_starts_from_the_export_and_analyses_nothing() {
    let repository = Repository::new();
    let file = repository.export("index.lore");
    let clone = repository.clone("clone");
    let report = clone.import(&file);
    // The files, the page and the commit.
    assert_eq!((report.kept, report.analysed, report.dropped), (FILES as u64 + 2, 0, 0));
    assert_eq!(report.plan.commit, Some(repository.git(&["rev-parse", "HEAD"])));
    let run = clone.engine().index(IndexMode::Update, &Silent).unwrap();
    assert!(run.sources.values().all(|(written, deleted, _)| (*written, *deleted) == (0, 0)));
    assert_eq!(run.embedded, 0, "vectors are imported, too");
    clone.check();
    // Nothing of the other machine is in the file.
    let bytes = fs::read(&file).unwrap();
    for text in [repository.shop.tree.path(), repository.shop.cache.path()] {
        assert!(!contains(&bytes, text.to_str().unwrap()));
    }
    // Later changes go on top of it.
    fs::write(clone.root.join(path(17)), text(17, "second")).unwrap();
    fs::remove_file(clone.root.join(path(18))).unwrap();
    clone.check();
}

#[test]
fn only_what_the_clone_has_is_taken() {
    let repository = Repository::new();
    // Not committed: a changed file, a new one, and one under a name that the clone does not have.
    repository.shop.write(&path(3), &text(3, "zebrafish"));
    repository.shop.write("private/quokkas.rs", "/// Counts quokkas.\npub fn quokkas() {}\n");
    fs::rename(
        repository.shop.tree.path().join(path(4)),
        repository.shop.tree.path().join("renamed.rs"),
    )
    .unwrap();
    let file = repository.export("index.lore");
    let clone = repository.clone("clone");
    let report = clone.import(&file);
    // Two units are read: the changed file, and the one that was renamed.
    assert_eq!((report.kept, report.analysed, report.dropped), (FILES as u64, 2, 2));
    for (path, bytes) in clone.files() {
        for text in ["quokkas", "renamed.rs", "zebrafish"] {
            assert!(!contains(&bytes, text), "`{text}` in {}", path.display());
        }
    }
    clone.lacks("zebrafish", "zebrafsh");
    clone.lacks("quokkas", "quokkass");
    clone.engine().index(IndexMode::Update, &Silent).unwrap();
    clone.lacks("zebrafish", "zebrafsh");
    clone.check();
}

#[test]
fn commits_that_the_clone_does_not_have_are_dropped() {
    let repository = Repository::new();
    repository.git(&["checkout", "-q", "-b", "side"]);
    repository.shop.write("side.txt", "on the side\n");
    repository.commit("breed wolverines");
    repository.git(&["checkout", "-q", "main"]);
    repository.shop.write("later.txt", "later\n");
    repository.commit("paint the walls");
    let file = repository.export("index.lore");
    assert_eq!(ask(&repository.engine(), "wolverines").receipt.total, 1);
    let clone = repository.clone("clone");
    let report = clone.import(&file);
    assert_eq!((report.analysed, report.dropped), (0, 1));
    clone.lacks("wolverines", "wolverins");
    assert_eq!(ask(&clone.engine(), "paint the walls").receipt.total, 1);
    clone.check();
    // Commits that come later are read as usual.
    repository.git(&["merge", "-q", "--no-ff", "-m", "merge the side", "side"]);
    git_in(&clone.root, &["pull", "-q"]);
    assert_eq!(ask(&clone.engine(), "wolverines").receipt.total, 1);
    clone.check();
}

#[test]
fn an_export_contains_nothing_that_was_deleted() {
    let repository = Repository::new();
    repository.shop.write("private/quokkas.rs", "/// Counts quokkas.\npub fn quokkas() {}\n");
    repository.engine().index(IndexMode::Update, &Silent).unwrap();
    fs::remove_file(repository.shop.tree.path().join("private/quokkas.rs")).unwrap();
    repository.engine().index(IndexMode::Update, &Silent).unwrap();
    let in_cache = |text: &str| {
        files(repository.shop.cache.path()).iter().any(|(_, bytes)| contains(bytes, text))
    };
    assert!(in_cache("quokkas"), "the test needs rows that can be restored");
    let before = files(repository.shop.cache.path());
    let file = repository.export("index.lore");
    assert_eq!(files(repository.shop.cache.path()), before, "an export changes no index");
    // The file is packed: what is in it is what an import unpacks.
    let clone = repository.clone("clone");
    clone.import(&file);
    assert!(!clone.files().iter().any(|(_, bytes)| contains(bytes, "quokkas")));
    clone.check();
}

#[test]
fn sources_that_only_the_settings_name_are_not_exported() {
    let repository = Repository::new();
    let tickets = repository.beside.path().join("issues.json");
    let issue = r#"[{"number": 1, "title": "Wombats are slow", "body": "", "state": "OPEN"}]"#;
    fs::write(&tickets, issue).unwrap();
    let config = EngineConfig { exports: vec![tickets], ..repository.shop.config() };
    let engine = Engine::open(config).unwrap();
    assert_eq!(ask(&engine, "wombats").receipt.total, 1);
    let file = repository.beside.path().join("index.lore");
    engine.export(&file, IndexMode::Update, &Silent).unwrap();
    let clone = repository.clone("clone");
    clone.import(&file);
    clone.lacks("wombats", "wombatss");
    clone.check();
}

/// An embedder behind a server, whose address is in its name.
struct Server;

impl Embedder for Server {
    fn name(&self) -> &'static str {
        "server"
    }

    fn fingerprint(&self) -> &'static str {
        "endpoint http://private.example/embed small"
    }

    fn is_fast(&self) -> bool {
        false
    }

    fn embed_query(&self, _: &str) -> Result<Vec<f32>, EmbedError> {
        Ok(vec![1.0, 0.0])
    }

    fn embed_chunks(&self, chunks: &[ChunkText<'_>]) -> Result<Vec<Vec<f32>>, EmbedError> {
        Ok(vec![vec![1.0, 0.0]; chunks.len()])
    }
}

#[test]
fn vectors_of_embedding_servers_are_not_exported() {
    let repository = Repository::new();
    let embedding = Embedding::Other(Arc::new(Server));
    let config = EngineConfig { embedding, ..repository.shop.config() };
    let file = repository.beside.path().join("index.lore");
    let engine = Engine::open(config.clone()).unwrap();
    let (report, _) = engine.export(&file, IndexMode::Update, &Silent).unwrap();
    assert!(0 < report.embedded, "the test needs vectors of the server");
    let description = config.backend.cache().describe_export(&file).unwrap();
    for source in &description.sources {
        assert!(source.models.iter().all(|model| !model.contains("private")), "{source:?}");
    }
    let code = description.sources.iter().find(|source| source.name == SourceName::Code).unwrap();
    assert_eq!(code.models.len(), 1);
    let clone = repository.clone("clone");
    clone.import(&file);
    assert!(!clone.files().iter().any(|(_, bytes)| contains(bytes, "private.example")));
    clone.check();
}

#[test]
fn a_damaged_file_is_refused_and_changes_nothing() {
    let repository = Repository::new();
    let file = repository.export("index.lore");
    let clone = repository.clone("clone");
    let bytes = fs::read(&file).unwrap();
    let damaged = repository.beside.path().join("damaged.lore");
    let refused = |bytes: &[u8]| {
        fs::write(&damaged, bytes).unwrap();
        let message = clone.refusal(&damaged);
        assert!(message.contains("could not import the index from"), "{message}");
        assert!(!clone.cache.exists(), "{message}: {:?}", clone.files());
        message
    };
    for at in (0..bytes.len()).step_by(bytes.len() / 150) {
        let mut flipped = bytes.clone();
        flipped[at] ^= 0x10;
        refused(&flipped);
        refused(&bytes[..at]);
    }
    assert!(refused(&[&bytes[..], b"more"].concat()).contains("damaged"));
    assert!(refused(b"").contains("no export"));
    assert!(refused(b"something else that is long enough").contains("no export"));
    assert!(clone.refusal(Path::new("/no/such/file")).contains("could not import"));

    // The index of a tree that has a part of one stays as it is.
    clone.engine().index(IndexMode::Update, &Silent).unwrap();
    let before = clone.files();
    let mut flipped = bytes.clone();
    flipped[bytes.len() / 2] ^= 1;
    fs::write(&damaged, &flipped).unwrap();
    let engine = clone.engine();
    let plan = engine.plan_import(&damaged, true).unwrap();
    assert!(engine.import(plan, &Silent).is_err());
    assert_eq!(clone.files(), before);
}

#[test]
fn a_complete_index_is_kept_unless_it_is_replaced() {
    let repository = Repository::new();
    let file = repository.export("index.lore");
    let clone = repository.clone("clone");
    clone.engine().index(IndexMode::Update, &Silent).unwrap();
    let before = clone.files();
    let report = clone.import(&file);
    assert!(report.plan.sources.values().all(|(_, is_imported)| !is_imported));
    assert_eq!((report.kept, report.plan.bytes), (0, 0));
    assert_eq!(clone.files(), before);
    let engine = clone.engine();
    let plan = engine.plan_import(&file, true).unwrap();
    assert_eq!(engine.import(plan, &Silent).unwrap().kept, FILES as u64 + 2);
    clone.check();
}

#[test]
fn an_index_of_another_repository_is_refused() {
    let repository = Repository::new();
    let file = repository.export("index.lore");
    let clone = repository.clone("clone");
    // Other contents under the same names, and another history.
    for number in 0..FILES {
        fs::write(clone.root.join(path(number)), text(number, "other")).unwrap();
    }
    fs::write(clone.root.join("README.md"), "# Another shop\n").unwrap();
    fs::remove_dir_all(clone.root.join(".git")).unwrap();
    git_in(&clone.root, &["init", "-q", "-b", "main"]);
    git_in(&clone.root, &["add", "-A"]);
    git_in(&clone.root, &["commit", "-q", "-m", "other"]);
    let message = clone.refusal(&file);
    assert!(message.contains("nothing in it is in this tree"), "{message}");
    assert!(!clone.cache.exists());
    // One file in common is enough.
    fs::write(clone.root.join(path(8)), text(8, "first")).unwrap();
    assert_eq!(clone.import(&file).kept, 1);
    clone.check();
}

#[test]
fn files_with_other_options_are_refused() {
    let repository = Repository::new();
    let config = EngineConfig { max_file_size: 1000, ..repository.shop.config() };
    let file = repository.beside.path().join("index.lore");
    Engine::open(config).unwrap().export(&file, IndexMode::Update, &Silent).unwrap();
    let clone = repository.clone("clone");
    let message = clone.refusal(&file);
    assert!(message.contains("`hidden=true max=1000`"), "{message}");
    assert!(message.contains("`hidden=true max=1048576`"), "{message}");
}

#[test]
fn an_index_with_secrets_or_without_files_is_not_exported() {
    let repository = Repository::new();
    let file = repository.beside.path().join("index.lore");
    let shown = EngineConfig { secrets: Secrets::Shown, ..repository.shop.config() };
    let memory = EngineConfig { cache: CachePlace::Memory, ..repository.shop.config() };
    for config in [shown, memory] {
        let engine = Engine::open(config).unwrap();
        let refused = engine.export(&file, IndexMode::Update, &Silent).unwrap_err();
        assert!(matches!(refused, EngineError::Index(IndexError::Export { .. })), "{refused}");
    }
    assert!(!file.exists());
    let nowhere = repository.beside.path().join("missing/index.lore");
    let refused = repository.engine().export(&nowhere, IndexMode::Update, &Silent).unwrap_err();
    assert!(refused.to_string().contains("could not export the index to"), "{refused}");
}

#[test]
fn of_a_folder_the_nearest_ancestor_is_taken() {
    let repository = Repository::new();
    let exports = repository.beside.path().join("exports");
    fs::create_dir(&exports).unwrap();
    let clone = repository.clone("clone");
    assert!(clone.refusal(&exports).contains("no file"));
    fs::write(exports.join("notes.txt"), "not an export").unwrap();
    repository.export("exports/b-first.lore");
    repository.shop.write("second.txt", "second\n");
    repository.commit("second");
    repository.export("exports/a-second.lore");
    // Its commit is not in the history of the clone.
    repository.git(&["checkout", "-q", "-b", "side"]);
    repository.shop.write("third.txt", "third\n");
    repository.commit("third");
    repository.export("exports/c-side.lore");
    let chosen = |clone: &Clone| {
        let plan = clone.engine().plan_import(&exports, false).unwrap();
        plan.path.file_name().unwrap().to_str().unwrap().to_owned()
    };
    assert_eq!(chosen(&clone), "b-first.lore");
    git_in(&clone.root, &["pull", "-q"]);
    assert_eq!(chosen(&clone), "a-second.lore");
    git_in(&clone.root, &["commit", "-q", "--allow-empty", "-m", "own"]);
    assert_eq!(chosen(&clone), "a-second.lore");
    for name in ["a-second.lore", "b-first.lore"] {
        fs::remove_file(exports.join(name)).unwrap();
    }
    let message = clone.refusal(&exports);
    assert!(message.contains("`c-side.lore`: its commit"), "{message}");
    assert!(message.contains("`notes.txt`: it is no export"), "{message}");
}

/// Stops the work when files are read.
struct Stopped;

impl Progress for Stopped {
    fn is_stopped(&self) -> bool {
        true
    }
}

#[test]
fn a_stopped_import_leaves_nothing() {
    let repository = Repository::new();
    let file = repository.export("index.lore");
    let clone = repository.clone("clone");
    let engine = clone.engine();
    let plan = engine.plan_import(&file, false).unwrap();
    let stopped = engine.import(plan, &Stopped);
    assert!(matches!(stopped, Err(EngineError::Interrupted { indexed: 0, .. })), "{stopped:?}");
    drop(engine);
    assert!(!clone.cache.exists(), "{:?}", clone.files());
}

#[test]
fn an_index_that_another_process_writes_is_not_replaced() {
    let repository = Repository::new();
    let file = repository.export("index.lore");
    let clone = repository.clone("clone");
    let engine = clone.engine();
    engine.index(IndexMode::Update, &Silent).unwrap();
    let before = clone.files();
    let plan = engine.plan_import(&file, true).unwrap();
    let folder = engine.cache_folder().unwrap().join("code");
    let lock = fs::File::options().write(true).open(folder.join(".lorehound-writer.lock")).unwrap();
    lock.try_lock().unwrap();
    let refused = engine.import(plan.clone(), &Silent);
    assert!(refused.is_err_and(|error| error.is_busy()));
    assert_eq!(clone.files(), before);
    drop(lock);
    engine.import(plan, &Silent).unwrap();
    clone.check();
}

#[test]
fn metadata_of_files_proves_nothing() {
    let repository = Repository::new();
    let file = repository.export("index.lore");
    let clone = repository.clone("clone");
    // The same size as before.
    fs::write(clone.root.join(path(5)), text(5, "tenth")).unwrap();
    let report = clone.import(&file);
    assert_eq!((report.analysed, report.dropped), (1, 0));
    assert_eq!(ask(&clone.engine(), "tenth").hits[0].path, Some(path(5)));
    clone.check();
    let status = clone.engine().status().unwrap();
    assert_eq!(status.sources[&SourceName::Code].documents, FILES as u64);
}
