//! Seeding: an index that starts from another one shares its files, and neither affects the other.

use std::{collections::BTreeMap, fs, os::unix::fs::MetadataExt as _, path::Path};

use lore_index::{DocumentVectors, IndexError, IndexLocation, Reader, Store, default_backend};
use lore_schema::{Field, SourceName, Stamp};
use tempfile::TempDir;

use crate::corpus::{Page, commit, unit};

fn place(folder: &TempDir, name: &str) -> IndexLocation {
    IndexLocation::Folder(folder.path().join(name).join("code"))
}

fn open(place: &IndexLocation) -> Box<dyn Store> {
    default_backend().open(SourceName::Code, place, "test").expect("opens")
}

fn try_seed(
    from: &IndexLocation,
    to: &IndexLocation,
    fingerprint: &str,
) -> Result<bool, IndexError> {
    let siblings = || match from {
        IndexLocation::Folder(path) => vec![path.parent().expect("a view").to_owned()],
        IndexLocation::Memory => Vec::new(),
    };
    default_backend().cache().seed(SourceName::Code, to, fingerprint, &siblings)
}

fn seed(from: &IndexLocation, to: &IndexLocation) -> bool {
    try_seed(from, to, "test").expect("no error")
}

/// An index of forty pages with vectors.
fn build(place: &IndexLocation) -> Box<dyn Store> {
    let store = open(place);
    commit(&*store, "cursor", |writer| {
        for number in 0..40 {
            let name = format!("{number}.rs");
            // Enough words that the segments are larger than the other files.
            let words =
                (0..400).map(|word| format!("only{number}x{word}")).collect::<Vec<_>>().join(" ");
            let body = format!("word{number} common {words}");
            let mut update = unit(&name, 1, &[Page::new(&name, "title", &[&body])]);
            let chunks = vec![vec![1.0, number as f32, 2.0]];
            update.documents[0].vectors.push(DocumentVectors { model: "m".into(), chunks });
            writer.replace(update)?;
        }
        Ok(())
    });
    store
}

fn count(reader: &dyn Reader, word: &str) -> u64 {
    reader.document_frequency(Field::Body, word).expect("a count")
}

/// Size of the files below a folder. A file with several hard links counts once.
fn on_disk(folder: &Path) -> u64 {
    fn gather(folder: &Path, files: &mut BTreeMap<u64, u64>) {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let metadata = path.metadata().expect("metadata");
            if metadata.is_dir() {
                gather(&path, files);
            } else {
                files.insert(metadata.ino(), metadata.len());
            }
        }
    }
    let mut files = BTreeMap::new();
    gather(folder, &mut files);
    files.values().sum()
}

#[test]
fn a_seeded_index_is_equal_and_shares_its_bytes() {
    let folder = TempDir::new().expect("a folder");
    let (first, second) = (place(&folder, "first"), place(&folder, "second"));
    let store = build(&first);
    let alone = on_disk(folder.path());
    assert!(seed(&first, &second));
    let both = on_disk(folder.path());
    assert!(both < alone + alone / 5, "{alone} bytes became {both}");

    let (left, right) =
        (store.reader().expect("a reader"), open(&second).reader().expect("a reader"));
    assert_eq!(left.units().collect::<Vec<_>>(), right.units().collect::<Vec<_>>());
    assert_eq!((right.cursor(), right.generation()), (Some("cursor"), 1));
    assert_eq!(right.stamp("7.rs"), Some(Stamp { metadata: 1, content: 1 }));
    assert_eq!(count(&*right, "common"), 40);
    assert_eq!(right.vector_counts("m").expect("counts").missing, 0);
    let usage = right.disk_usage();
    assert!(usage.shared * 10 > usage.bytes * 8, "{usage:?}");
    assert_eq!(open(&second).verify().expect("verifies"), [""; 0]);
    assert!(!seed(&first, &second), "the index exists already");
}

#[test]
fn later_writes_never_show_in_the_other_index() {
    let folder = TempDir::new().expect("a folder");
    let (first, second) = (place(&folder, "first"), place(&folder, "second"));
    let store = build(&first);
    assert!(seed(&first, &second));
    let other = open(&second);
    for round in 0..6 {
        // Enough is replaced that segments and vector files are merged and removed.
        for (store, word) in [(&store, "mine"), (&other, "theirs")] {
            commit(&**store, "next", |writer| {
                for number in 0..30 {
                    let name = format!("{number}.rs");
                    let body = format!("{word} word{number} common");
                    let stamp = 10 + round;
                    let mut update = unit(&name, stamp, &[Page::new(&name, "title", &[&body])]);
                    let chunks = vec![vec![2.0, number as f32, 2.0]];
                    let vectors = DocumentVectors { model: "m".into(), chunks };
                    update.documents[0].vectors.push(vectors);
                    writer.replace(update)?;
                }
                writer.delete("39.rs")
            });
        }
        for (place, word, foreign) in [(&first, "mine", "theirs"), (&second, "theirs", "mine")] {
            let store = open(place);
            let reader = store.reader().expect("a reader");
            assert_eq!(count(&*reader, word), 30);
            assert_eq!(count(&*reader, foreign), 0);
            assert_eq!(count(&*reader, "common"), 39);
            assert_eq!(store.verify().expect("verifies"), [""; 0]);
        }
    }
    // The original index may be removed.
    drop(store);
    default_backend().erase(&first).expect("erases");
    let IndexLocation::Folder(path) = &first else { unreachable!("it is a folder") };
    fs::remove_dir_all(path).expect("ours");
    let reader = open(&second).reader().expect("a reader");
    assert_eq!((count(&*reader, "theirs"), count(&*reader, "common")), (30, 39));
    assert_eq!(open(&second).verify().expect("verifies"), [""; 0]);
}

#[test]
fn a_failed_seeding_leaves_nothing_behind() {
    let folder = TempDir::new().expect("a folder");
    let (first, second) = (place(&folder, "first"), place(&folder, "second"));
    assert!(!seed(&first, &second), "there is nothing");
    build(&first);
    assert!(try_seed(&first, &second, "another analysis").is_err());
    assert!(!seed(&first, &IndexLocation::Memory));
    assert!(!seed(&IndexLocation::Memory, &second));

    let IndexLocation::Folder(path) = &first else { unreachable!("it is a folder") };
    let files: Vec<_> = fs::read_dir(path).expect("a folder").map(|entry| entry.unwrap()).collect();
    for entry in files {
        let (name, bytes) = (entry.file_name(), fs::read(entry.path()).expect("a file"));
        let name = name.to_str().expect("ASCII");
        if bytes.is_empty() || name.starts_with('.') || name == "seal.bin" {
            continue;
        }
        let mut damaged = bytes.clone();
        damaged[bytes.len() / 2] ^= 0x40;
        damaged.push(0);
        fs::write(entry.path(), &damaged).expect("ours");
        assert!(try_seed(&first, &second, "test").is_err(), "{name}");
        let IndexLocation::Folder(target) = &second else { unreachable!("it is a folder") };
        let left = fs::read_dir(target.parent().expect("one"));
        let left = left.map_or(0, |entries| entries.flatten().count());
        assert_eq!(left, 0, "{name}");
        fs::write(entry.path(), &bytes).expect("ours");
    }
    assert!(seed(&first, &second));
}

#[test]
fn concurrent_seedings_create_one_index() {
    let folder = TempDir::new().expect("a folder");
    let (first, second) = (place(&folder, "first"), place(&folder, "second"));
    let store = build(&first);
    // A killed process left a draft.
    let left = folder.path().join("second").join("code.seed-1-1");
    fs::create_dir_all(&left).expect("ours");
    fs::write(left.join("meta.json"), "{").expect("ours");
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_hours(1);
    fs::File::open(&left).and_then(|folder| folder.set_modified(long_ago)).expect("ours");
    let made: usize = std::thread::scope(|scope| {
        let writing = scope.spawn(|| {
            for round in 0..20 {
                commit(&*store, "more", |writer| {
                    let body = format!("more{round}");
                    writer.replace(unit("more", round, &[Page::new("more", "", &[&body])]))
                });
            }
        });
        let seeds: Vec<_> = (0..8).map(|_| scope.spawn(|| seed(&first, &second))).collect();
        let made = seeds.into_iter().map(|seed| usize::from(seed.join().expect("no panic"))).sum();
        writing.join().expect("no panic");
        made
    });
    assert!(made <= 1, "{made} were created");
    let made_later = made == 1 || seed(&first, &second);
    assert!(made_later);
    let reader = open(&second).reader().expect("a reader");
    assert_eq!(count(&*reader, "common"), 40);
    assert_eq!(open(&second).verify().expect("verifies"), [""; 0]);
    let names: Vec<_> = fs::read_dir(folder.path().join("second"))
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    assert_eq!(names, ["code"]);
}
