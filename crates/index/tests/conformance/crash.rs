//! Crash safety: every kind of change is stopped after each step of disk access, by an error, a
//! full disk, a kill, and a kill in the middle of a write.

use std::{
    fs,
    path::{Path, PathBuf},
};

use lore_index::{
    DocumentVectors, FailPoints, IndexError, IndexLocation, Reader, Stop, Store, UnitUpdate,
    default_backend,
};
use lore_schema::{SourceName, Stamp};
use tempfile::TempDir;

use crate::{
    corpus::{Page, unit},
    damage::{Answers, ask_reader},
};

/// A change with the commits before it.
struct Scenario {
    name: &'static str,
    /// Commits before the change.
    before: &'static [Change],
    change: Change,
}

/// A commit or another change of an index.
#[derive(Debug, Clone, Copy)]
enum Change {
    /// Replaces a range of units; each contains its number and this edition.
    Units { from: usize, to: usize, edition: u64 },
    /// Deletes units in a range.
    Delete { from: usize, to: usize },
    /// Restores the units of a range with an earlier edition.
    Restore { from: usize, to: usize, edition: u64 },
    /// Embeds this many documents that a model has not embedded.
    Embed(&'static str, usize),
    /// Keeps only the vectors of the first model.
    Forget,
    /// Removes the index.
    Erase,
}

const BUILD: Change = Change::Units { from: 0, to: 24, edition: 1 };

const SCENARIOS: [Scenario; 9] = [
    Scenario { name: "a first commit", before: &[], change: BUILD },
    Scenario {
        name: "an update",
        before: &[BUILD],
        change: Change::Units { from: 3, to: 6, edition: 2 },
    },
    Scenario {
        name: "an update that merges segments and rewrites vectors",
        before: &[
            BUILD,
            Change::Units { from: 24, to: 28, edition: 1 },
            Change::Units { from: 28, to: 32, edition: 1 },
            Change::Units { from: 32, to: 36, edition: 1 },
        ],
        change: Change::Units { from: 36, to: 40, edition: 1 },
    },
    Scenario {
        name: "an update that deletes most of a segment",
        before: &[BUILD],
        change: Change::Delete { from: 0, to: 10 },
    },
    Scenario {
        name: "replaced units that are restored",
        before: &[BUILD, Change::Units { from: 3, to: 6, edition: 2 }],
        change: Change::Restore { from: 3, to: 6, edition: 1 },
    },
    Scenario {
        name: "a deletion that is undone",
        before: &[BUILD, Change::Delete { from: 0, to: 10 }],
        change: Change::Restore { from: 0, to: 10, edition: 1 },
    },
    Scenario {
        name: "a segment without live rows that is restored",
        before: &[
            BUILD,
            Change::Units { from: 0, to: 24, edition: 2 },
            Change::Restore { from: 4, to: 9, edition: 1 },
            Change::Restore { from: 4, to: 9, edition: 2 },
        ],
        change: Change::Restore { from: 0, to: 24, edition: 1 },
    },
    Scenario {
        name: "vectors only",
        before: &[BUILD, Change::Embed("second", 5)],
        change: Change::Embed("second", 9),
    },
    Scenario {
        name: "dropped vectors",
        before: &[BUILD, Change::Embed("second", 5)],
        change: Change::Forget,
    },
];

const STOPS: [Stop; 4] = [Stop::Once, Stop::Full, Stop::Killed, Stop::Torn];

fn open(path: &Path) -> Result<Box<dyn Store>, IndexError> {
    default_backend().open(SourceName::Code, &IndexLocation::Folder(path.to_owned()), "test")
}

fn vectors(model: &str, number: usize) -> DocumentVectors {
    let slope = number as f32 / 64.0;
    DocumentVectors { model: model.into(), chunks: vec![vec![1.0, slope], vec![slope, 1.0]] }
}

fn update(number: usize, edition: u64) -> UnitUpdate {
    let name = format!("src/{number}.rs");
    let body = format!("word{number} common edition{edition} {}", "again ".repeat(number));
    let page = Page::new(&name, "common title", &[&body, "second common"]);
    let mut update = unit(&name, edition, &[page]);
    update.documents[0].vectors.push(vectors("first", number));
    update
}

impl Change {
    fn apply(self, path: &Path) -> Result<(), IndexError> {
        if matches!(self, Change::Erase) {
            return default_backend().erase(&IndexLocation::Folder(path.to_owned()));
        }
        let store = open(path)?;
        let reader = store.reader()?;
        let writer = store.writer(reader.version())?;
        match self {
            Change::Units { from, to, edition } => {
                for number in from..to {
                    writer.replace(update(number, edition))?;
                }
            }
            Change::Delete { from, to } => {
                for number in from..to {
                    writer.delete(&format!("src/{number}.rs"))?;
                }
            }
            Change::Restore { from, to, edition } => {
                for number in from..to {
                    let stamp = Stamp { metadata: edition, content: edition };
                    assert!(writer.restore(&format!("src/{number}.rs"), stamp)?, "{number}");
                }
            }
            Change::Embed(model, count) => {
                for (number, id) in reader.unembedded(model, count)?.iter().enumerate() {
                    writer.embed(*id, vectors(model, number))?;
                }
            }
            Change::Forget => writer.keep_models(&["first"])?,
            Change::Erase => {}
        }
        writer.commit("cursor")
    }
}

/// The observable state of an index.
#[derive(Debug, Clone, PartialEq)]
struct State {
    units: Vec<(String, Option<Stamp>)>,
    answers: Answers,
}

fn state(reader: &dyn Reader) -> Result<State, IndexError> {
    let units = reader.units().map(|unit| (unit.to_owned(), reader.stamp(unit))).collect();
    let (mut words, mut near) = ask_reader(reader)?;
    // Another history stores rows in another order, which changes the order of equal documents.
    words.candidates.sort_by(|left, right| left.locator.cmp(&right.locator));
    near.sort_by(|left, right| left.0.cmp(&right.0));
    Ok(State { units, answers: (words, near) })
}

fn state_of(path: &Path) -> Result<State, IndexError> {
    state(&*open(path)?.reader()?)
}

fn files(path: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(path).into_iter().flatten();
    entries.map(|entry| entry.expect("an entry").path()).collect()
}

fn copy(from: &Path, to: &Path) {
    fs::remove_dir_all(to).ok();
    if from.exists() {
        fs::create_dir_all(to).expect("creates");
    }
    for file in files(from) {
        let target = to.join(file.file_name().expect("a name"));
        fs::copy(&file, &target).expect("copies");
        // The seal depends on the times of the files.
        let modified = fs::metadata(&file).and_then(|data| data.modified()).expect("a time");
        let copied = fs::File::options().append(true).open(&target).expect("opens");
        copied.set_modified(modified).expect("touches");
    }
}

/// Checks that a folder has no leftover files.
fn assert_no_leftovers(path: &Path, what: &str) {
    let names: Vec<String> = files(path)
        .iter()
        .map(|file| file.file_name().expect("a name").to_string_lossy().into_owned())
        .collect();
    let count = |found: &dyn Fn(&str) -> bool| names.iter().filter(|name| found(name)).count();
    let ends = |ending: &str| count(&|name| name.rsplit('.').next() == Some(ending));
    assert_eq!(ends("new") + ends("temp"), 0, "{what}: {names:?}");
    assert_eq!(count(&|name| name.starts_with("state-")), 1, "{what}: {names:?}");
    let (terms, stores) = (ends("term"), ends("store"));
    assert_eq!(terms, stores, "{what}: {names:?}");
    assert!(ends("del") <= terms, "{what}: {names:?}");
}

/// Stops a change after each step, or after every `stride`-th step.
fn stop_everywhere(scenario: &Scenario, stride: usize) -> usize {
    let folder = TempDir::new().expect("a temporary folder");
    let base = folder.path().join("base");
    for change in scenario.before {
        change.apply(&base).expect("a commit");
    }
    let before = state_of(&base).expect("a state");
    let run = folder.path().join("run");
    copy(&base, &run);
    let counting = FailPoints::arm(&run, usize::MAX, Stop::Once);
    scenario.change.apply(&run).expect("a commit");
    let steps = counting.steps();
    drop(counting);
    let after = state_of(&run).expect("a state");
    assert_ne!(before, after, "{}", scenario.name);
    assert!(steps > 10, "{}: {steps} steps", scenario.name);
    let mut stopped = 0;
    for step in 0..=steps {
        for (number, stop) in STOPS.into_iter().enumerate() {
            if !(step + number).is_multiple_of(stride) {
                continue;
            }
            stopped += 1;
            // Another folder: threads of the previous writer may still be running.
            let run = folder.path().join(format!("run {stopped}"));
            let what = format!("{}, {stop:?} after {step} of {steps}", scenario.name);
            copy(&base, &run);
            let other = open(&run).and_then(|store| store.reader()).expect("a reader");
            let armed = FailPoints::arm(&run, step, stop);
            let ended = scenario.change.apply(&run);
            drop(armed);
            // An open reader does not see the change.
            assert_eq!(state(&*other).expect("an answer"), before, "{what}: the open reader");
            let left = state_of(&run).unwrap_or_else(|error| panic!("{what}: {error}"));
            match &ended {
                Ok(()) => assert_eq!(left, after, "{what}: it said that it was done"),
                Err(error) => {
                    assert!(
                        left == before || left == after,
                        "{what}: {error}: neither old nor new"
                    );
                    // A write error must not look like damage, which would be erased.
                    let kind =
                        matches!(error, IndexError::Unwritable { .. } | IndexError::Storage { .. });
                    assert!(kind, "{what}: {error:?}");
                }
            }
            if left == before {
                scenario.change.apply(&run).unwrap_or_else(|error| panic!("{what}: {error}"));
                assert_eq!(state_of(&run).expect("a state"), after, "{what}: the next update");
            }
            // The next commit removes the leftovers.
            Change::Units { from: 40, to: 41, edition: 1 }.apply(&run).expect("a commit");
            let verified = open(&run).and_then(|store| store.verify()).expect("verifies");
            assert_eq!(verified, [""; 0], "{what}");
            assert_no_leftovers(&run, &what);
            fs::remove_dir_all(&run).ok();
        }
    }
    stopped
}

/// Some steps with each kind of stop, few enough for every test run.
#[test]
fn after_a_stop_at_some_steps_the_index_is_old_or_new() {
    for scenario in &SCENARIOS {
        assert!(stop_everywhere(scenario, 10) > 4, "{}", scenario.name);
    }
}

#[test]
#[ignore = "takes minutes: cargo xtask full"]
fn after_a_stop_at_every_step_the_index_is_old_or_new() {
    let stopped: usize = SCENARIOS.iter().map(|scenario| stop_everywhere(scenario, 1)).sum();
    assert!(stopped > 500, "{stopped}");
}

#[test]
fn a_stopped_erase_can_be_repeated() {
    let folder = TempDir::new().expect("a temporary folder");
    let (base, run) = (folder.path().join("base"), folder.path().join("run"));
    BUILD.apply(&base).expect("a commit");
    let before = state_of(&base).expect("a state");
    for step in 0.. {
        copy(&base, &run);
        let other = open(&run).and_then(|store| store.reader()).expect("a reader");
        let armed = FailPoints::arm(&run, step, Stop::Killed);
        let ended = Change::Erase.apply(&run);
        let is_over = armed.steps() <= step;
        drop(armed);
        assert_eq!(state(&*other).expect("an answer"), before, "step {step}");
        match state_of(&run) {
            Ok(left) => assert!(left == before || left.units.is_empty(), "step {step}"),
            Err(error) => assert!(matches!(error, IndexError::Damaged { .. }), "{error}"),
        }
        Change::Erase.apply(&run).expect("erases");
        BUILD.apply(&run).expect("a commit");
        assert_eq!(state_of(&run).expect("a state"), before, "step {step}");
        assert_no_leftovers(&run, "after an erase");
        if is_over {
            ended.expect("erases");
            assert!(step > 5, "{step} steps");
            break;
        }
    }
}

/// Network file systems may have no locks.
#[test]
fn a_folder_without_locks_is_read_only() {
    let folder = TempDir::new().expect("a temporary folder");
    BUILD.apply(folder.path()).expect("a commit");
    let before = state_of(folder.path()).expect("a state");
    let armed = FailPoints::arm(folder.path(), usize::MAX, Stop::Lockless);
    assert_eq!(state_of(folder.path()).expect("a state"), before);
    let refused = Change::Delete { from: 0, to: 1 }.apply(folder.path());
    let Err(IndexError::Unwritable { reason, .. }) = refused else { panic!("{refused:?}") };
    assert!(reason.contains("does not lock files"), "{reason}");
    let refused = Change::Erase.apply(folder.path());
    assert!(matches!(refused, Err(IndexError::Unwritable { .. })), "{refused:?}");
    assert_eq!(armed.steps(), 0);
    assert_eq!(state_of(folder.path()).expect("a state"), before);
}
