//! Commits that purge: nothing that is not live is left in the files of the index.

use std::fs;

use lore_index::{Backend, DocumentVectors, IndexLocation, Reader, Store};
use lore_schema::{Field, SourceName};

use crate::{
    corpus::{Page, commit, unit},
    everywhere,
};

fn open(backend: &dyn Backend, place: &IndexLocation) -> Box<dyn Store> {
    backend.open(SourceName::Code, place, "test").expect("opens")
}

/// Writes units with a word of their own each, and with vectors.
fn write(store: &dyn Store, names: &[&str], stamp: u64, word: &str) {
    commit(store, "cursor", |writer| {
        for name in names {
            let body = format!("{word}{} common", name.replace(['/', '.'], ""));
            let mut update = unit(name, stamp, &[Page::new(name, "title", &[&body])]);
            let chunks = vec![vec![stamp as f32, 1.0]];
            update.documents[0].vectors.push(DocumentVectors { model: "m".into(), chunks });
            writer.replace(update)?;
        }
        Ok(())
    });
}

/// Terms of the bodies with this beginning, deleted rows included.
fn terms(reader: &dyn Reader, prefix: &str) -> Vec<String> {
    let found = reader.frequent_terms(Field::Body, prefix, 99).expect("terms");
    found.into_iter().map(|(term, _)| term).collect()
}

fn holds(place: &IndexLocation, text: &str) -> bool {
    let IndexLocation::Folder(folder) = place else { return false };
    fs::read_dir(folder).into_iter().flatten().any(|entry| {
        let bytes = fs::read(entry.expect("an entry").path()).expect("a file");
        bytes.windows(text.len()).any(|window| window == text.as_bytes())
    })
}

#[test]
fn deleted_units_leave_no_trace_in_the_files() {
    everywhere(|backend, place| {
        let store = open(backend, place);
        let names: Vec<String> = (0..40).map(|number| format!("kept/{number}.rs")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        write(&*store, &names, 1, "stays");
        write(&*store, &["secret/one.rs", "secret/two.rs"], 2, "private");
        // On the shelf: one unit that is gone, and the earlier content of another one.
        commit(&*store, "cursor", |writer| writer.delete("secret/one.rs"));
        write(&*store, &["kept/7.rs"], 3, "later");
        let reader = store.reader().expect("a reader");
        if backend.name() == "local" {
            assert!(reader.can_restore("secret/one.rs", 2), "the test needs a shelf");
        }
        drop(reader);

        commit(&*store, "next", |writer| {
            writer.purge();
            writer.delete("secret/two.rs")
        });
        let reader = store.reader().expect("a reader");
        assert_eq!(reader.unit_count(), 40);
        assert_eq!(terms(&*reader, "private"), [""; 0]);
        assert_eq!(terms(&*reader, "stayskept7"), [""; 0]);
        assert_eq!(terms(&*reader, "laterkept7"), ["laterkept7rs"]);
        assert_eq!(terms(&*reader, "stays").len(), 39);
        assert!(!reader.can_restore("secret/one.rs", 2));
        let counts = reader.vector_counts("m").expect("counts");
        assert_eq!((counts.documents, counts.missing), (40, 0));
        drop(reader);
        let has_files = backend.name() == "local" && *place != IndexLocation::Memory;
        assert!(holds(place, "kept/3.rs") || !has_files);
        assert!(!holds(place, "secret/"), "the name of a deleted unit is left");
        assert_eq!(store.verify().expect("verifies"), [""; 0]);

        // A later change works on top of it.
        write(&*store, &["kept/8.rs"], 4, "again");
        assert_eq!(store.reader().expect("a reader").unit_count(), 40);
    });
}

#[test]
fn an_index_can_be_emptied() {
    everywhere(|backend, place| {
        let store = open(backend, place);
        write(&*store, &["a.rs", "b.rs"], 1, "private");
        commit(&*store, "", |writer| {
            writer.purge();
            writer.delete("a.rs")?;
            writer.delete("b.rs")
        });
        let reader = store.reader().expect("a reader");
        assert_eq!((reader.unit_count(), terms(&*reader, "private").len()), (0, 0));
        drop(reader);
        assert!(!holds(place, "a.rs"));
    });
}
