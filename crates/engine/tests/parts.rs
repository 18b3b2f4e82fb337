//! A first index is committed in parts: after a kill or an interrupt, the next run continues, and the
//! finished index answers as one made at once.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests make and change folders, and a failure there is a failed test"
)]

mod common;

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use common::{Silent, Workspace};
use lore_engine::{
    Engine, EngineConfig, EngineError, IndexMode, IndexReport, Phase, Progress, SearchRequest,
    SearchResponse,
};
use lore_index::{FailPoints, Stop};
use lore_schema::SourceName;

/// Number of generated files.
const FILES: u64 = 24;

/// Number of kills, and one.
const KILLS: u64 = 9;

const QUERIES: [&str; 4] = ["crane", "how is a berth reserved", "reserve_7", "path:src vessel 12"];

fn workspace() -> Workspace {
    let workspace = Workspace::new("");
    for file in 0..FILES {
        let text = format!(
            "//! Berth {file} of the pier.\n\n/// Reserves a berth for the vessel {file}.\npub fn \
             reserve_{file}(crane: u32) -> u32 {{\n    crane + {file}\n}}\n"
        );
        workspace.write(&format!("src/berth_{file:02}.rs"), &text);
    }
    workspace.write("docs/pier.md", "# The pier\n\nA vessel moors at a berth near a crane.\n");
    workspace
}

/// Settings that commit after each unit.
fn in_parts(workspace: &Workspace) -> EngineConfig {
    EngineConfig { commit_interval: Duration::ZERO, threads: 1, ..workspace.config() }
}

fn index(config: EngineConfig) -> Result<IndexReport, EngineError> {
    Engine::open(config)?.index(IndexMode::Update, &Silent)
}

/// Everything that an answer shows of the documents.
fn answers(config: EngineConfig) -> Vec<Vec<(Option<String>, String)>> {
    let engine = Engine::open(config).unwrap();
    let hits = |response: SearchResponse| {
        let hit = |hit: &lore_engine::Hit| (hit.path.clone(), format!("{hit:?}"));
        response.hits.iter().map(hit).collect::<Vec<_>>()
    };
    let search = |query: &&str| hits(engine.search(&SearchRequest::new(*query), &()).unwrap());
    QUERIES.iter().map(search).collect()
}

/// The folder of the index of code.
fn code_folder(cache: &Path) -> PathBuf {
    let below = |folder: &Path| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let repository = below(cache).find(|path| path.is_dir()).unwrap();
    let view = below(&repository).find(|path| path.join("code").is_dir()).unwrap();
    view.join("code")
}

/// Names of the segments and states in the index of code that no commit needs: more than one state, and
/// segments that are not in the list.
fn unnamed_files(folder: &Path) -> Vec<String> {
    let meta = fs::read_to_string(folder.join("meta.json")).unwrap();
    let segments: BTreeSet<String> = meta
        .split("\"segment_id\":")
        .skip(1)
        .map(|rest| rest.split('"').nth(1).unwrap_or_default().replace('-', ""))
        .collect();
    let names = fs::read_dir(folder).unwrap();
    let names: Vec<String> =
        names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    let states = names.iter().filter(|name| name.starts_with("state-")).count();
    assert_eq!(states, 1, "{names:?}");
    let is_unnamed = |name: &&String| {
        let id = name.split('.').next().unwrap_or_default();
        let is_new = Path::new(name).extension().is_some_and(|ending| ending == "new");
        id.len() == 32 && !segments.contains(id) || is_new
    };
    names.iter().filter(is_unnamed).cloned().collect()
}

/// Stops a run after a number of units of code.
struct StopAfter {
    units: u64,
    done: AtomicU64,
}

impl Progress for StopAfter {
    fn phase(&self, phase: Phase) {
        if let Phase::Read { source: SourceName::Code, finished, .. } = phase {
            self.done.store(finished.units, Ordering::Relaxed);
        }
    }

    fn is_stopped(&self) -> bool {
        self.units <= self.done.load(Ordering::Relaxed)
    }
}

#[test]
fn an_index_in_parts_answers_as_one_made_at_once() {
    let at_once = workspace();
    index(at_once.config()).unwrap();
    let parts = workspace();
    let report = index(in_parts(&parts)).unwrap();
    assert_eq!(report.sources[&SourceName::Code], (FILES, 0, 0));
    assert_eq!(answers(parts.config()), answers(at_once.config()));
    let folder = code_folder(parts.cache.path());
    assert_eq!(unnamed_files(&folder), Vec::<String>::new());
    let segments = fs::read_to_string(folder.join("meta.json")).unwrap();
    assert_eq!(segments.matches("segment_id").count(), 1, "the parts are merged: {segments}");
}

#[test]
fn an_interrupted_run_keeps_its_work_and_the_next_one_continues() {
    let at_once = workspace();
    index(at_once.config()).unwrap();
    let expected = answers(at_once.config());
    for (stop, config) in [(1, in_parts as fn(&_) -> _), (10, Workspace::config), (20, in_parts)] {
        let workspace = workspace();
        let progress = StopAfter { units: stop, done: AtomicU64::new(0) };
        let engine = Engine::open(config(&workspace)).unwrap();
        let stopped = engine.index(IndexMode::Update, &progress);
        let Err(EngineError::Interrupted { indexed, total }) = stopped else {
            panic!("{stopped:?}");
        };
        assert_eq!(total, FILES + 1);
        assert!((stop..total).contains(&indexed), "{stop}: {indexed}");
        let report = index(config(&workspace)).unwrap();
        let (written, deleted, unchanged) = report.sources[&SourceName::Code];
        assert_eq!((written + unchanged, deleted), (FILES, 0));
        assert!(unchanged >= stop, "{stop}: nothing is read twice, but {written} were written");
        assert_eq!(answers(workspace.config()), expected, "{stop}");
        assert_eq!(unnamed_files(&code_folder(workspace.cache.path())), Vec::<String>::new());
        let again = index(config(&workspace)).unwrap();
        assert_eq!(again.sources[&SourceName::Code], (0, 0, FILES));
    }
}

#[test]
fn a_killed_run_loses_at_most_one_part() {
    let at_once = workspace();
    index(at_once.config()).unwrap();
    let expected = answers(at_once.config());
    let workspace = workspace();
    // Finds the folder of the index.
    index(workspace.config()).unwrap();
    let folder = code_folder(workspace.cache.path());
    let erase = || fs::remove_dir_all(&folder).unwrap();
    erase();
    let steps = {
        let armed = FailPoints::arm(&folder, usize::MAX, Stop::Killed);
        index(in_parts(&workspace)).unwrap();
        armed.steps()
    };
    let mut resumed = 0;
    for share in 1..KILLS {
        erase();
        let kill = if share % 2 == 0 { Stop::Killed } else { Stop::Torn };
        {
            let at = usize::try_from(share).unwrap() * steps / usize::try_from(KILLS).unwrap();
            let _armed = FailPoints::arm(&folder, at, kill);
            // The files of the index that cannot be written are read into memory.
            let _ = index(in_parts(&workspace));
        }
        let report = index(workspace.config()).unwrap();
        let (written, deleted, unchanged) = report.sources[&SourceName::Code];
        assert_eq!((written + unchanged, deleted), (FILES, 0), "{share}");
        resumed += unchanged;
        assert_eq!(answers(workspace.config()), expected, "{share}");
        assert_eq!(unnamed_files(&folder), Vec::<String>::new(), "{share}");
    }
    // On average, the kills are in the middle of the runs.
    assert!(resumed > (KILLS - 1) * FILES / 4, "{resumed} files were not read again");
}

#[test]
fn a_search_finds_what_a_part_lacks() {
    let workspace = workspace();
    let progress = StopAfter { units: 10, done: AtomicU64::new(0) };
    let engine = Engine::open(in_parts(&workspace)).unwrap();
    assert!(engine.index(IndexMode::Update, &progress).is_err());
    let request = SearchRequest::new("reserve_19");
    let engine = Engine::open(workspace.config()).unwrap();
    let response = engine.search(&request, &()).unwrap();
    assert_eq!(response.hits[0].path.as_deref(), Some("src/berth_19.rs"));
    assert_eq!(response.receipt.sources[&SourceName::Code].documents, FILES);
    // The rest is published after the answer, however small it is.
    assert_eq!(engine.settle(), Vec::<String>::new());
    drop(engine);
    let report = index(workspace.config()).unwrap();
    assert_eq!(report.sources[&SourceName::Code], (0, 0, FILES));
}

#[test]
fn a_question_during_the_first_index_uses_what_is_there() {
    const LONG: Duration = Duration::from_mins(1);
    let workspace = workspace();
    // The times of a file that has just changed do not show that it is as it was indexed.
    std::thread::sleep(Duration::from_millis(100));
    let progress = StopAfter { units: 10, done: AtomicU64::new(0) };
    let engine = Engine::open(in_parts(&workspace)).unwrap();
    engine.index(IndexMode::Update, &progress).unwrap_err();
    let live = |request: &SearchRequest| engine.live(request, LONG, &|| false);
    let first = |query: &str| {
        let response = live(&SearchRequest::new(query)).unwrap();
        let scanned = response.receipt.scanned.unwrap();
        assert!((10..FILES).contains(&scanned.indexed), "{scanned:?}");
        assert_eq!((scanned.looked, scanned.files), (FILES + 1, FILES + 1), "the rest is scanned");
        assert!(response.warnings[0].starts_with("preliminary: 25 of 25 files"));
        let ranks: Vec<usize> = response.hits.iter().map(|hit| hit.rank).collect();
        assert_eq!(ranks, (1..=ranks.len()).collect::<Vec<_>>());
        assert!(response.hits.is_sorted_by(|left, right| right.score <= left.score));
        let ids: BTreeSet<&String> = response.hits.iter().map(|hit| &hit.id).collect();
        assert_eq!(ids.len(), response.hits.len(), "each is shown once");
        (response.hits[0].path.clone().unwrap(), scanned.indexed)
    };
    for file in 0..FILES {
        let (path, _) = first(&format!("reserve_{file}"));
        assert_eq!(path, format!("src/berth_{file:02}.rs"), "indexed or not");
    }
    let (_, indexed) = first("crane");

    // A file that changed since it was indexed is found with its new text.
    workspace.write("src/berth_00.rs", "pub fn release_capstan() {}\n");
    assert_eq!(first("release_capstan"), ("src/berth_00.rs".to_owned(), indexed - 1));

    // The index alone answers what a scan cannot.
    let kinds = lore_schema::Filter { kinds: vec!["function".into()], ..Default::default() };
    let response = live(&SearchRequest::new("berth").with_filter(kinds.clone())).unwrap();
    let scanned = response.receipt.scanned.unwrap();
    assert_eq!((scanned.indexed, scanned.looked), (indexed - 1, indexed - 1));
    assert!(!response.hits.is_empty() && !response.receipt.exhaustive);
    assert!(response.warnings.iter().any(|it| it.contains("those that are indexed")));
    let empty = self::workspace();
    let engine = Engine::open(empty.config()).unwrap();
    let refused = engine.live(&SearchRequest::new("berth").with_filter(kinds), LONG, &|| false);
    assert!(matches!(refused, Err(EngineError::NeedsIndex { .. })), "{refused:?}");
}

/// Declines every first index.
struct Declining {
    asked: AtomicU64,
}

impl Progress for Declining {
    fn accepts(&self, expected: Duration) -> bool {
        assert!(Duration::ZERO < expected);
        self.asked.fetch_add(1, Ordering::Relaxed);
        false
    }
}

#[test]
fn a_first_index_can_be_declined() {
    let workspace = workspace();
    let engine = Engine::open(workspace.config()).unwrap();
    let progress = Declining { asked: AtomicU64::new(0) };
    let request = SearchRequest::new("crane");
    let declined = engine.search(&request, &progress);
    assert!(matches!(declined, Err(EngineError::SlowIndex { .. })), "{declined:?}");
    assert_eq!(progress.asked.load(Ordering::Relaxed), 1);

    // The listing of a request is for that request alone.
    let Err(EngineError::SlowIndex { listing, .. }) = declined else { unreachable!() };
    workspace.write("src/later.rs", "pub fn later() {}\n");
    let later = SearchRequest::new("later");
    let time = Duration::from_mins(1);
    assert_eq!(engine.live_in(&listing, &later, time, &|| false).unwrap().hits.len(), 0);
    assert_eq!(engine.live(&later, time, &|| false).unwrap().hits.len(), 1);

    // A run that was started for the index is not asked, and neither is a search of an old index.
    engine.index(IndexMode::Update, &progress).unwrap();
    workspace.write("src/berth_99.rs", "pub fn reserve_99() {}\n");
    let found = engine.search(&SearchRequest::new("reserve_99"), &progress).unwrap();
    assert_eq!(found.hits[0].path.as_deref(), Some("src/berth_99.rs"));
    assert_eq!(progress.asked.load(Ordering::Relaxed), 1);
}
