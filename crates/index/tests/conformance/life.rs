//! Readers and writers, and their isolation from each other.

use std::fs;

use lore_index::{Backend, IndexError, IndexLocation, Reader, default_backend};
use lore_schema::{Field, SourceName, Stamp};

use crate::{
    corpus::{Page, commit, unit},
    everywhere, in_folder,
};

fn open(backend: &dyn Backend, place: &IndexLocation) -> Box<dyn lore_index::Store> {
    backend.open(SourceName::Code, place, "test").expect("opens")
}

fn page(word: &str) -> [Page; 1] {
    [Page::new("a", "", &[word])]
}

fn has(reader: &dyn Reader, word: &str) -> bool {
    reader.document_frequency(Field::Body, word).expect("a count") == 1
}

#[test]
fn an_index_that_was_never_written_is_empty() {
    everywhere(|backend, place| {
        let store = open(backend, place);
        let reader = store.reader().expect("a reader");
        assert_eq!((reader.generation(), reader.cursor()), (0, None));
        assert_eq!(reader.units().count(), 0);
        assert_eq!(reader.stamp("a"), None);
        assert_eq!(reader.summary().documents, 0);
        assert_eq!(store.verify().expect("verifies"), [""; 0]);
        if let IndexLocation::Folder(path) = place {
            assert!(!path.exists(), "opening creates nothing");
            backend.erase(place).expect("nothing to erase");
        }
    });
}

#[test]
fn units_round_trip_in_order_with_their_stamps() {
    everywhere(|backend, place| {
        let store = open(backend, place);
        let reader = commit(&*store, "first", |writer| {
            writer.replace(unit("b/c", 2, &page("one")))?;
            writer.replace(unit("a", 1, &[]))?;
            writer.replace(unit("b", 3, &[Page::new("x", "", &[])]))
        });
        assert_eq!((reader.generation(), reader.cursor()), (1, Some("first")));
        assert_eq!(reader.units().collect::<Vec<_>>(), ["a", "b", "b/c"]);
        assert_eq!(reader.stamp("b/c"), Some(Stamp { metadata: 2, content: 2 }));
        assert_eq!(reader.stamp("c"), None);

        let stamp = Stamp { metadata: 9, content: 2 };
        let reader = commit(&*store, "second", |writer| {
            writer.restamp("b/c", stamp)?;
            writer.restamp("unknown", stamp)?;
            writer.delete("unknown")?;
            writer.delete("a")
        });
        assert_eq!((reader.generation(), reader.cursor()), (2, Some("second")));
        assert_eq!(reader.units().collect::<Vec<_>>(), ["b", "b/c"]);
        assert_eq!(reader.stamp("b/c"), Some(stamp));
        assert!(has(&*reader, "one"));

        let reader = commit(&*store, "third", |_| Ok(()));
        assert_eq!((reader.generation(), reader.cursor()), (3, Some("third")));
        assert_eq!(reader.summary().documents, 2);
    });
}

#[test]
fn the_last_change_of_a_unit_wins() {
    everywhere(|backend, place| {
        let store = open(backend, place);
        for _ in 0..2 {
            let reader = commit(&*store, "", |writer| {
                writer.replace(unit("a", 1, &page("one")))?;
                writer.replace(unit("a", 2, &page("two")))?;
                writer.delete("a")?;
                writer.replace(unit("a", 3, &page("three")))?;
                writer.restamp("a", Stamp { metadata: 4, content: 3 })
            });
            assert!(has(&*reader, "three") && !has(&*reader, "one") && !has(&*reader, "two"));
            assert_eq!(reader.stamp("a"), Some(Stamp { metadata: 4, content: 3 }));
            assert_eq!(reader.summary().documents, 1);
        }
        let reader = commit(&*store, "", |writer| {
            writer.replace(unit("a", 5, &page("five")))?;
            writer.delete("a")
        });
        assert_eq!(reader.summary().documents, 0);
        assert_eq!(reader.units().count(), 0);
    });
}

#[test]
fn a_document_may_move_between_units() {
    everywhere(|backend, place| {
        let store = open(backend, place);
        commit(&*store, "", |writer| writer.replace(unit("a", 1, &page("one"))));
        let reader = commit(&*store, "", |writer| {
            writer.replace(unit("b", 1, &page("two")))?;
            writer.delete("a")
        });
        assert!(has(&*reader, "two") && !has(&*reader, "one"));
        assert_eq!(reader.summary().documents, 1);
        // Two units with the same document name are kept apart.
        let reader = commit(&*store, "", |writer| writer.replace(unit("c", 1, &page("two"))));
        assert_eq!(reader.document_frequency(Field::Body, "two").expect("a count"), 2);
    });
}

#[test]
fn a_reader_does_not_see_a_writer() {
    everywhere(|backend, place| {
        let store = open(backend, place);
        let before = commit(&*store, "", |writer| writer.replace(unit("a", 1, &page("one"))));
        let writer = store.writer(before.version()).expect("a writer");
        writer.replace(unit("a", 2, &page("two"))).expect("replaces");
        let during = store.reader().expect("a reader");
        writer.commit("next").expect("commits");
        for reader in [&before, &during] {
            assert!(has(&**reader, "one") && !has(&**reader, "two"));
            assert_eq!(reader.generation(), 1);
            assert_eq!(reader.stamp("a"), Some(Stamp { metadata: 1, content: 1 }));
        }
        let after = store.reader().expect("a reader");
        assert!(has(&*after, "two") && !has(&*after, "one"));
    });
}

#[test]
fn a_dropped_writer_leaves_no_trace() {
    everywhere(|backend, place| {
        let store = open(backend, place);
        let files = || match place {
            IndexLocation::Memory => Vec::new(),
            IndexLocation::Folder(path) => {
                let mut names: Vec<_> = fs::read_dir(path)
                    .into_iter()
                    .flatten()
                    .map(|entry| entry.expect("an entry").file_name())
                    .collect();
                names.sort();
                names
            }
        };
        let base = commit(&*store, "", |writer| writer.replace(unit("a", 1, &page("one"))));
        let before = files();
        for _ in 0..2 {
            let writer = store.writer(base.version()).expect("a writer");
            writer.replace(unit("a", 2, &page("two"))).expect("replaces");
            writer.replace(unit("b", 2, &page("two"))).expect("replaces");
            drop(writer);
            assert_eq!(files(), before);
            let reader = store.reader().expect("a reader");
            assert!(has(&*reader, "one") && !has(&*reader, "two"));
            assert_eq!(reader.generation(), 1);
        }
        assert_eq!(store.verify().expect("verifies"), [""; 0]);
    });
}

#[test]
fn a_second_writer_is_refused() {
    everywhere(|backend, place| {
        let store = open(backend, place);
        let base = store.reader().expect("a reader");
        let writer = store.writer(base.version()).expect("a writer");
        assert!(matches!(store.writer(base.version()), Err(IndexError::Busy { .. })));
        if let IndexLocation::Folder(_) = place {
            let other = open(backend, place);
            assert!(matches!(other.writer(base.version()), Err(IndexError::Busy { .. })));
            assert!(matches!(backend.erase(place), Err(IndexError::Busy { .. })));
        }
        drop(writer);
        drop(store.writer(base.version()).expect("free again"));
        // Nothing was committed, and the first commit still works.
        let reader = commit(&*store, "", |writer| writer.replace(unit("a", 1, &page("one"))));
        assert!(has(&*reader, "one"));
    });
}

#[test]
fn a_writer_needs_the_last_commit() {
    everywhere(|backend, place| {
        let store = open(backend, place);
        let never = store.reader().expect("a reader");
        let first = commit(&*store, "", |writer| writer.replace(unit("a", 1, &page("one"))));
        assert!(matches!(store.writer(never.version()), Err(IndexError::Moved { .. })));
        commit(&*store, "", |writer| writer.delete("a"));
        assert!(matches!(store.writer(first.version()), Err(IndexError::Moved { .. })));
    });
    in_folder(|place| {
        // The same generation, but another index.
        let store = open(default_backend(), place);
        let base = commit(&*store, "", |writer| writer.replace(unit("a", 1, &page("one"))));
        default_backend().erase(place).expect("erases");
        let other = open(default_backend(), place);
        commit(&*other, "", |writer| writer.replace(unit("a", 1, &page("two"))));
        assert!(matches!(store.writer(base.version()), Err(IndexError::Moved { .. })));
    });
}

#[test]
fn many_threads_may_replace() {
    everywhere(|backend, place| {
        let store = open(backend, place);
        let reader = commit(&*store, "", |writer| {
            std::thread::scope(|scope| {
                for thread in 0..4 {
                    scope.spawn(move || {
                        for number in 0..50 {
                            let name = format!("{thread}/{number}");
                            let word = format!("word{thread}x{number}");
                            let pages = [Page::new(&name, "", &[&word, "all"])];
                            writer.replace(unit(&name, 1, &pages)).expect("replaces");
                        }
                    });
                }
            });
            Ok(())
        });
        assert_eq!(reader.document_frequency(Field::Body, "all").expect("a count"), 200);
        assert!(has(&*reader, "word3x49"));
        assert_eq!(reader.units().count(), 200);
    });
}

#[test]
fn another_analysis_or_source_is_incompatible() {
    in_folder(|place| {
        let store = open(default_backend(), place);
        commit(&*store, "", |writer| writer.replace(unit("a", 1, &page("one"))));
        for (source, fingerprint) in [(SourceName::Code, "other"), (SourceName::Docs, "test")] {
            let opened = default_backend().open(source, place, fingerprint);
            assert!(matches!(opened, Err(IndexError::Incompatible { .. })));
        }
        drop(open(default_backend(), place));
    });
}

#[test]
fn erasing_removes_only_index_files() {
    in_folder(|place| {
        let IndexLocation::Folder(path) = place else { unreachable!("it is a folder") };
        let store = open(default_backend(), place);
        let reader = commit(&*store, "", |writer| writer.replace(unit("a", 1, &page("one"))));
        fs::write(path.join("notes.md"), "mine").expect("writes");
        fs::create_dir(path.join("folder")).expect("creates");
        default_backend().erase(place).expect("erases");
        let mut names: Vec<String> = fs::read_dir(path)
            .expect("a folder")
            .map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"))
            .filter(|name| !name.contains("lock"))
            .collect();
        names.sort();
        assert_eq!(names, ["folder", "notes.md"]);
        assert!(has(&*reader, "one"), "an open reader still works");
        let store = open(default_backend(), place);
        assert_eq!(store.reader().expect("a reader").generation(), 0);
        let reader = commit(&*store, "", |writer| writer.replace(unit("a", 1, &page("two"))));
        assert!(has(&*reader, "two"));
    });
}

#[test]
fn an_unwritable_folder_is_an_error() {
    let folder = tempfile::TempDir::new().expect("a temporary folder");
    let file = folder.path().join("file");
    fs::write(&file, "not a folder").expect("writes");
    let place = IndexLocation::Folder(file.join("index"));
    // Depending on the system, a file in place of the folder is an error or looks like no folder.
    if let Ok(store) = default_backend().open(SourceName::Code, &place, "test") {
        let base = store.reader().expect("a reader");
        let writer = store.writer(base.version());
        assert!(
            matches!(writer, Err(IndexError::Unwritable { path, .. }) if path.starts_with(&file))
        );
    }
}

#[cfg(unix)]
#[test]
fn a_read_only_folder_is_readable() {
    use std::os::unix::fs::PermissionsExt;
    in_folder(|place| {
        let IndexLocation::Folder(path) = place else { unreachable!("it is a folder") };
        let store = open(default_backend(), place);
        let base = commit(&*store, "", |writer| writer.replace(unit("a", 1, &page("one"))));
        for entry in fs::read_dir(path).expect("a folder") {
            let file = entry.expect("an entry").path();
            fs::set_permissions(file, fs::Permissions::from_mode(0o400)).expect("forbids");
        }
        fs::set_permissions(path, fs::Permissions::from_mode(0o500)).expect("forbids");
        let reader = open(default_backend(), place).reader().expect("a reader");
        assert!(has(&*reader, "one"));
        // The superuser can write all the same.
        if fs::write(path.join("probe"), "").is_err() {
            let writer = store.writer(base.version());
            assert!(matches!(writer, Err(IndexError::Unwritable { .. })));
        }
        fs::set_permissions(path, fs::Permissions::from_mode(0o700)).expect("allows");
    });
}

#[test]
fn a_store_follows_another_one() {
    in_folder(|place| {
        let (mine, theirs) = (open(default_backend(), place), open(default_backend(), place));
        for number in 1..20_u64 {
            let word = format!("word{number}");
            commit(&*mine, "", |writer| writer.replace(unit("a", number, &page(&word))));
            let reader = theirs.reader().expect("a reader");
            assert_eq!(reader.generation(), number);
            assert!(has(&*reader, &word));
        }
        assert_eq!(theirs.verify().expect("verifies"), [""; 0]);
    });
}

#[test]
fn readers_never_wait_for_writers_nor_fail_because_of_them() {
    const COMMITS: u64 = 25;
    in_folder(|place| {
        let store = open(default_backend(), place);
        let write = |number: u64| {
            commit(&*store, &number.to_string(), |writer| {
                // A changed unit and a new one, so that segments accumulate and are merged.
                let word = format!("word{number}");
                writer.replace(unit("a", number, &page(&word)))?;
                writer.replace(unit(&word, 1, &[Page::new(&word, "", &["other"])]))
            });
        };
        write(1);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    let mut seen = 0;
                    while seen < COMMITS {
                        let reader = open(default_backend(), place).reader().expect("a reader");
                        let number = reader.generation();
                        assert!(number >= seen, "generations grow");
                        assert_eq!(reader.cursor(), Some(number.to_string().as_str()));
                        let stamp = Stamp { metadata: number, content: number };
                        assert_eq!(reader.stamp("a"), Some(stamp));
                        assert!(has(&*reader, &format!("word{number}")));
                        assert!(!has(&*reader, &format!("word{}", number - 1)));
                        let others = reader.document_frequency(Field::Body, "other");
                        assert_eq!(others.expect("a count"), number);
                        seen = number;
                    }
                });
            }
            (2..=COMMITS).for_each(write);
        });
    });
}

#[test]
fn replaced_and_deleted_units_are_restored_with_their_rows() {
    everywhere(|backend, place| {
        let store = backend.open(SourceName::Code, place, "test").expect("opens");
        let page = |name: &str, word: &str| [Page::new(name, "", &[word, "common"])];
        commit(&*store, "1", |writer| {
            writer.replace(unit("a", 1, &page("a", "alpha")))?;
            writer.replace(unit("b", 1, &page("b", "beta")))
        });
        let contains = |word: &str| {
            let reader = store.reader().expect("a reader");
            reader.document_frequency(Field::Body, word).expect("a count")
        };
        let reader = commit(&*store, "2", |writer| {
            writer.delete("b")?;
            writer.replace(unit("a", 2, &page("a", "omega")))
        });
        assert_eq!((contains("alpha"), contains("beta"), contains("common")), (0, 0, 1));
        if backend.name() != "local" && !reader.can_restore("a", 1) {
            return;
        }
        assert!(reader.can_restore("a", 1) && reader.can_restore("b", 1));
        assert!(!reader.can_restore("a", 2) && !reader.can_restore("c", 1));
        // Every row of the first segment becomes live again, and none of the second remains so.
        for round in 0..3 {
            let (content, words) =
                if round % 2 == 0 { (1, [1, 1, 0, 2]) } else { (2, [0, 0, 1, 1]) };
            let stamp = Stamp { metadata: round, content };
            let reader = commit(&*store, "3", |writer| {
                assert!(!writer.restore("a", Stamp { metadata: 1, content: 9 })?);
                assert!(writer.restore("a", stamp)?);
                assert!(!writer.restore("a", stamp)?, "it is changed already");
                if content == 1 {
                    assert!(writer.restore("b", Stamp { metadata: 3, content: 1 })?);
                } else {
                    writer.delete("b")?;
                }
                Ok(())
            });
            let counts = ["alpha", "beta", "omega", "common"].map(contains);
            assert_eq!(counts, words, "round {round}");
            assert_eq!(reader.stamp("a"), Some(stamp));
            assert!(reader.can_restore("a", 3 - content));
            assert_eq!(store.verify().expect("verifies"), [""; 0]);
        }
        // A restored unit that is then replaced by the same writer is not restored.
        commit(&*store, "4", |writer| {
            assert!(writer.restore("a", Stamp { metadata: 1, content: 2 })?);
            writer.replace(unit("a", 5, &page("a", "last")))?;
            writer.delete("b")
        });
        assert_eq!(["alpha", "beta", "omega", "last"].map(contains), [0, 0, 0, 1]);
    });
}
