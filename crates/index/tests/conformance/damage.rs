//! Files that are not what was written: an error or a right answer, never a panic or a wrong hit.

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use lore_index::{
    BACKENDS, DocumentSet, FieldTerm, IndexError, LexicalQuery, Place, Store, TermGroup,
};
use lore_schema::{Field, Filter, SourceName, SymbolKind};
use tempfile::TempDir;

use crate::{
    corpus::{Page, commit, unit},
    oracle::{Answer, comparable},
};

/// An index with two segments and deleted rows.
fn build(path: &Path) -> Box<dyn Store> {
    let place = Place::Folder(path.to_owned());
    let store = BACKENDS[0].open(SourceName::Code, &place, "test").expect("opens");
    for round in 0..2 {
        commit(&*store, "cursor", |writer| {
            for number in 0..40 {
                let name = format!("src/{round}/{number}.rs");
                let body = format!("word{number} common round{round} {}", "again ".repeat(number));
                let mut page = Page::new(&name, "common title", &[&body, "second common"]);
                page.chunks[0].symbol = Some(SymbolKind::Function);
                writer.replace(unit(&name, 1, &[page]))?;
            }
            Ok(())
        });
    }
    commit(&*store, "cursor", |writer| writer.delete("src/0/7.rs"));
    store
}

fn ask(store: &dyn Store) -> Result<Answer, IndexError> {
    let forms = |word: &str| TermGroup {
        weight: 1.0,
        optional: false,
        forms: [Field::Body, Field::Title]
            .map(|field| FieldTerm { field, term: word.to_owned(), weight: 1.0 })
            .to_vec(),
    };
    let query = LexicalQuery {
        groups: vec![forms("common"), forms("word7"), forms("again")],
        weights: [1.0; Field::ALL.len()],
        chunks_per_document: 2,
        within: DocumentSet::all(),
    };
    let filter = Filter {
        kinds: vec!["function".to_owned()],
        excludes: vec!["src/1/3.rs".to_owned()],
        ..Filter::default()
    };
    let reader = store.reader()?;
    let mut matches = reader.lexical(&query, &filter, 200)?;
    let unfiltered = reader.lexical(&query, &Filter::default(), 200)?;
    assert_eq!(reader.cursor(), Some("cursor"));
    // A stored row that cannot be read is an error, too.
    for candidate in &unfiltered.candidates {
        reader.documents(&[candidate.id])?;
        for chunk in &candidate.chunks {
            reader.chunks(&[chunk.id])?;
        }
    }
    matches.candidates.extend(unfiltered.candidates);
    matches.total += unfiltered.total;
    Ok(comparable(&*reader, &query, &matches))
}

fn ask_folder(path: &Path) -> Result<Answer, IndexError> {
    let place = Place::Folder(path.to_owned());
    ask(&*BACKENDS[0].open(SourceName::Code, &place, "test")?)
}

fn files(path: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(path)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort();
    files
}

/// Another time than any that a build can have.
fn touch(file: &Path) {
    let time = SystemTime::now() + Duration::from_hours(1);
    fs::File::options()
        .append(true)
        .open(file)
        .expect("opens")
        .set_modified(time)
        .expect("touches");
}

fn is_refused(error: &IndexError) -> bool {
    matches!(error, IndexError::Damaged { .. } | IndexError::Incompatible { .. })
}

#[test]
fn damage_is_an_error_or_does_no_harm() {
    let folder = TempDir::new().expect("a temporary folder");
    let whole = folder.path().join("whole");
    let expected = ask(&*build(&whole)).expect("an answer");
    assert!(files(&whole).len() >= 6 + 4);
    assert_eq!(ask_folder(&whole).expect("an answer"), expected);
    let check = |file: &Path, content: Option<&[u8]>, what: &str| {
        let original = fs::read(file).expect("reads");
        match content {
            None => fs::remove_file(file).expect("removes"),
            Some(bytes) => {
                fs::write(file, bytes).expect("writes");
                touch(file);
            }
        }
        match ask_folder(&whole) {
            Ok(answer) => assert_eq!(answer, expected, "{what} of {}", file.display()),
            Err(error) => assert!(is_refused(&error), "{what} of {}: {error}", file.display()),
        }
        fs::write(file, original).expect("writes");
    };
    for file in files(&whole) {
        let bytes = fs::read(&file).expect("reads");
        check(&file, None, "deletion");
        check(&file, Some(b""), "emptying");
        let positions: Vec<usize> = (0..12)
            .map(|step| step * bytes.len() / 12)
            .chain(bytes.len().saturating_sub(12)..bytes.len())
            .filter(|position| *position < bytes.len())
            .collect();
        for position in positions {
            let mut flipped = bytes.clone();
            flipped[position] ^= 1 << (position % 8);
            check(&file, Some(&flipped), &format!("a flip at {position}"));
            check(&file, Some(&bytes[..position]), &format!("a cut at {position}"));
        }
        let longer = [bytes.as_slice(), b"more"].concat();
        check(&file, Some(&longer), "growth");
    }
    assert_eq!(ask_folder(&whole).expect("an answer"), expected);
}

/// `meta.json` is small and has no checksum of its own: every single byte.
#[test]
fn no_byte_of_the_list_of_segments_lies() {
    let folder = TempDir::new().expect("a temporary folder");
    let expected = ask(&*build(folder.path())).expect("an answer");
    let file = folder.path().join("meta.json");
    let bytes = fs::read(&file).expect("reads");
    for position in 0..bytes.len() {
        let mut flipped = bytes.clone();
        flipped[position] ^= 1 << (position % 7);
        fs::write(&file, &flipped).expect("writes");
        match ask_folder(folder.path()) {
            Ok(answer) => assert_eq!(answer, expected, "{}", String::from_utf8_lossy(&flipped)),
            Err(error) => assert!(is_refused(&error), "{error}"),
        }
    }
}

#[test]
fn damage_that_keeps_the_stamp_is_found_by_verification() {
    let folder = TempDir::new().expect("a temporary folder");
    let store = build(folder.path());
    assert_eq!(store.verify().expect("verifies"), [""; 0]);
    for file in files(folder.path()) {
        let name = file.file_name().expect("a name").to_string_lossy().into_owned();
        let in_commit = ["fast", "fieldnorm", "idx", "pos", "store", "term", "del"]
            .iter()
            .any(|ending| name.ends_with(ending))
            || name.starts_with("state-");
        if !in_commit {
            continue;
        }
        let bytes = fs::read(&file).expect("reads");
        let modified = fs::metadata(&file).and_then(|data| data.modified()).expect("a time");
        let mut flipped = bytes.clone();
        flipped[bytes.len() / 3] ^= 16;
        let write = |bytes: &[u8]| {
            fs::write(&file, bytes).expect("writes");
            let file = fs::File::options().append(true).open(&file).expect("opens");
            file.set_modified(modified).expect("touches");
        };
        write(&flipped);
        let lines = store.verify().expect("verifies");
        assert!(lines.iter().any(|line| line.contains(&name)), "{name}: {lines:?}");
        write(&bytes);
    }
    assert_eq!(store.verify().expect("verifies"), [""; 0]);
}

#[test]
fn a_damaged_index_is_erased_and_built_anew() {
    let folder = TempDir::new().expect("a temporary folder");
    let expected = ask(&*build(folder.path())).expect("an answer");
    let place = Place::Folder(folder.path().to_owned());
    for file in files(folder.path()) {
        if file.extension().is_some_and(|ending| ending == "lock") {
            continue;
        }
        fs::write(&file, "nonsense").expect("writes");
    }
    let opened = BACKENDS[0].open(SourceName::Code, &place, "test");
    assert!(matches!(opened, Err(error) if is_refused(&error)));
    BACKENDS[0].erase(&place).expect("erases");
    build(folder.path());
    assert_eq!(ask_folder(folder.path()).expect("an answer"), expected);
}

/// A kill between the list of segments and the seal leaves files without a stamp.
#[test]
fn a_missing_seal_costs_nothing_but_time() {
    let folder = TempDir::new().expect("a temporary folder");
    let expected = ask(&*build(folder.path())).expect("an answer");
    fs::remove_file(folder.path().join("seal.bin")).expect("removes");
    let before = files(folder.path());
    assert_eq!(ask_folder(folder.path()).expect("an answer"), expected);
    assert_eq!(files(folder.path()), before, "readers write nothing");
}
