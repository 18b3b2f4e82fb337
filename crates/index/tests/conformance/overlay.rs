//! Overlays: they answer like a new index with the same content, and do not change the index below
//! until they are published.

use std::{collections::BTreeMap, fs, path::Path};

use lore_index::{BACKENDS, Backend, IndexError, IndexLocation, Overlay, Store};
use lore_schema::{Field, Filter, SourceName};
use proptest::prelude::*;

use crate::{
    corpus::{Page, Shelf, commit, unit},
    everywhere, in_folder, laws,
    oracle::Units,
    vector_laws,
};

fn open(backend: &dyn Backend, place: &IndexLocation) -> Box<dyn Store> {
    backend.open(SourceName::Code, place, "test").expect("opens")
}

fn overlay(store: &dyn Store) -> Box<dyn Overlay> {
    let base = store.reader().expect("a reader").version();
    store.overlay(base).expect("the last version").expect("an overlay")
}

/// All files of a folder with their bytes, without locks.
fn bytes(place: &IndexLocation) -> BTreeMap<String, Vec<u8>> {
    let IndexLocation::Folder(path) = place else { return BTreeMap::new() };
    let Ok(entries) = fs::read_dir(path) else { return BTreeMap::new() };
    let entries = entries.map(|entry| entry.expect("an entry").path());
    let name = |path: &Path| path.file_name().expect("a name").to_string_lossy().into_owned();
    entries.map(|path| (name(&path), fs::read(&path).expect("reads"))).collect()
}

fn page(word: &str) -> [Page; 1] {
    [Page::new(word, "", &[word])]
}

fn contains(store: &dyn Store, word: &str) -> bool {
    let reader = store.reader().expect("a reader");
    reader.document_frequency(Field::Body, word).expect("a count") == 1
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn an_overlay_answers_as_a_new_index(
        before in laws::steps(),
        after in laws::steps(),
        questions in prop::collection::vec((laws::query(), laws::filter(), 0_usize..12), 12),
    ) {
        let check = |backend: &dyn Backend, place: &IndexLocation| {
            let store = open(backend, place);
            let mut shelf = Shelf::new();
            let units = laws::apply(&*store, Units::new(), &before, &mut shelf);
            let written = bytes(place);
            let overlay = overlay(&*store);
            let units = laws::apply(&*overlay, units, &after, &mut shelf);
            let fresh = open(backend, &IndexLocation::Memory);
            commit(&*fresh, "fresh", |writer| {
                units.iter().try_for_each(|(name, pages)| writer.replace(unit(name, 1, pages)))
            });
            let ask = |store: &dyn Store| -> Vec<_> {
                let questions = questions.iter();
                questions.map(|(query, filter, limit)| laws::ask(store, query, filter, *limit)).collect()
            };
            let expected = ask(&*fresh);
            assert_eq!(ask(&*overlay), expected, "in memory");
            assert_eq!(bytes(place), written, "nothing is written");
            overlay.publish().expect("no other writer");
            assert_eq!(ask(&*store), expected, "published");
            assert_eq!(ask(&*overlay), expected, "the overlay can still be read");
            assert_eq!(store.verify().expect("verifies"), [""; 0]);
            if let IndexLocation::Folder(_) = place {
                assert_eq!(ask(&*open(backend, place)), expected, "as seen by another store");
            }
        };
        for backend in BACKENDS {
            check(*backend, &IndexLocation::Memory);
            in_folder(|place| check(*backend, place));
        }
    }

    #[test]
    fn an_overlay_has_the_vectors_of_a_new_index(
        before in vector_laws::steps(),
        after in vector_laws::steps(),
        questions in prop::collection::vec(vector_laws::question(), 8),
    ) {
        let check = |backend: &dyn Backend, place: &IndexLocation| {
            let store = open(backend, place);
            let mut shelf = Shelf::new();
            let units =
                vector_laws::apply(&*store, vector_laws::Units::new(), &before, &mut shelf);
            let written = bytes(place);
            let overlay = overlay(&*store);
            let units = vector_laws::apply(&*overlay, units, &after, &mut shelf);
            let check = |store: &dyn Store| {
                let reader = store.reader().expect("a reader");
                vector_laws::check_content(&*reader, &units);
                for question in &questions {
                    vector_laws::check(&*reader, &units, question);
                }
            };
            check(&*overlay);
            assert_eq!(bytes(place), written);
            overlay.publish().expect("no other writer");
            check(&*store);
            assert_eq!(store.verify().expect("verifies"), [""; 0]);
        };
        for backend in BACKENDS {
            in_folder(|place| check(*backend, place));
        }
    }
}

#[test]
fn an_overlay_over_nothing_is_a_first_index() {
    everywhere(|backend, place| {
        let store = open(backend, place);
        // Optional: a cluster has none.
        if backend.name() == "opensearch" {
            return;
        }
        let overlay = overlay(&*store);
        commit(&*overlay, "cursor", |writer| writer.replace(unit("a", 1, &page("alpha"))));
        assert!(contains(&*overlay, "alpha"));
        assert!(!contains(&*store, "alpha"));
        assert!(bytes(place).is_empty());
        overlay.publish().expect("no other writer");
        let reader = store.reader().expect("a reader");
        assert_eq!((reader.generation(), reader.cursor()), (1, Some("cursor")));
        assert!(contains(&*store, "alpha"));
    });
}

#[test]
fn an_overlay_without_changes_publishes_nothing() {
    everywhere(|backend, place| {
        let store = open(backend, place);
        // Optional: a cluster has none.
        if backend.name() == "opensearch" {
            return;
        }
        let overlay = overlay(&*store);
        overlay.publish().expect("there is nothing to do");
        assert!(bytes(place).is_empty());
        assert_eq!(store.reader().expect("a reader").generation(), 0);
    });
}

#[test]
fn a_writer_below_does_not_affect_an_overlay() {
    in_folder(|place| {
        for backend in BACKENDS {
            let store = open(*backend, place);
            commit(&*store, "", |writer| writer.replace(unit("a", 1, &page("alpha"))));
            let overlay = overlay(&*store);
            commit(&*overlay, "", |writer| writer.replace(unit("b", 1, &page("beta"))));
            // This writer merges the segments below the overlay and removes their files.
            let other = open(*backend, place);
            for number in 0..12 {
                let name = format!("other {number}");
                commit(&*other, "", |writer| {
                    writer.delete("a")?;
                    writer.replace(unit(&name, 1, &[Page::new(&name, "", &["gamma"])]))
                });
            }
            assert!(!contains(&*other, "alpha"));
            let base = other.reader().expect("a reader");
            assert!(!overlay.is_over(base.version()));
            commit(&*overlay, "", |writer| {
                writer.delete("b")?;
                writer.replace(unit("c", 1, &page("delta")))
            });
            assert!(contains(&*overlay, "alpha") && contains(&*overlay, "delta"));
            assert!(!contains(&*overlay, "beta") && !contains(&*overlay, "gamma"));
            let before = bytes(place);
            assert!(matches!(overlay.publish(), Err(IndexError::Moved { .. })));
            assert_eq!(bytes(place), before);
        }
    });
}

#[test]
fn overlays_and_writers_never_wait_for_each_other() {
    in_folder(|place| {
        for backend in BACKENDS {
            let store = open(*backend, place);
            let base = commit(&*store, "", |writer| writer.replace(unit("a", 1, &page("alpha"))));
            let writer = store.writer(base.version()).expect("a writer");
            // During a write below, overlays are opened and changed, but not published.
            let overlay = overlay(&*store);
            assert!(overlay.is_over(base.version()));
            commit(&*overlay, "", |writer| writer.replace(unit("b", 1, &page("beta"))));
            assert!(contains(&*overlay, "beta"));
            assert!(matches!(overlay.publish(), Err(IndexError::Busy { .. })));
            drop(writer);
            // Nor during a write to the overlay.
            let top = overlay.reader().expect("a reader");
            let writer = overlay.writer(top.version()).expect("a writer");
            assert!(matches!(overlay.publish(), Err(IndexError::Busy { .. })));
            drop(writer);
            overlay.publish().expect("no other writer any more");
            assert!(contains(&*store, "beta"));
        }
    });
}

#[test]
fn many_small_changes_leave_few_files() {
    in_folder(|place| {
        for backend in BACKENDS {
            let store = open(*backend, place);
            commit(&*store, "", |writer| writer.replace(unit("a", 1, &page("alpha"))));
            for number in 0..24 {
                let overlay = overlay(&*store);
                for part in 0..6 {
                    let name = format!("{number} {part}");
                    commit(&*overlay, "", |writer| {
                        writer.replace(unit(&name, 1, &[Page::new(&name, "", &["beta"])]))
                    });
                }
                overlay.publish().expect("no other writer");
            }
            let reader = store.reader().expect("a reader");
            assert_eq!(reader.listing(&Filter::default()).expect("a listing").len(), 1 + 24 * 6);
            let files = bytes(place).len();
            assert!(files < 80, "{files} files");
        }
    });
}
