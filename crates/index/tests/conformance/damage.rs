//! Damaged files: they lead to an error or a correct answer, never to a panic or a wrong hit.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::{Duration, Instant, SystemTime},
};

use lore_index::{
    DenseQuery, DocumentSet, DocumentVectors, FieldTerm, IndexError, IndexLocation, LexicalQuery,
    Reader, Store, TermGroup, default_backend,
};
use lore_schema::{Field, Filter, SourceName, SymbolKind};
use tempfile::TempDir;

use crate::{
    corpus::{Page, commit, unit},
    oracle::{Answer, comparable},
};

/// Vectors of two chunks.
fn vectors(model: &str, number: usize) -> DocumentVectors {
    let slope = number as f32 / 40.0;
    let chunks = vec![vec![1.0, slope, 0.0], vec![slope, 0.0, 1.0 - slope]];
    DocumentVectors { model: model.into(), chunks }
}

/// An index with two segments, deleted rows, and vectors of two models in several files.
pub(crate) fn build(path: &Path) -> Box<dyn Store> {
    let place = IndexLocation::Folder(path.to_owned());
    let store = default_backend().open(SourceName::Code, &place, "test").expect("opens");
    for round in 0..2 {
        commit(&*store, "cursor", |writer| {
            for number in 0..40 {
                let name = format!("src/{round}/{number}.rs");
                let body = format!("word{number} common round{round} {}", "again ".repeat(number));
                let mut page = Page::new(&name, "common title", &[&body, "second common"]);
                page.chunks[0].symbol = Some(SymbolKind::Function);
                let mut update = unit(&name, 1, &[page]);
                update.documents[0].vectors.push(vectors("first", number));
                writer.replace(update)?;
            }
            Ok(())
        });
    }
    let reader = commit(&*store, "cursor", |writer| writer.delete("src/0/7.rs"));
    let missing = reader.unembedded("second", 20).expect("an answer");
    commit(&*store, "cursor", |writer| {
        let mut numbered = missing.iter().enumerate();
        numbered.try_for_each(|(number, id)| writer.embed(*id, vectors("second", number)))
    });
    store
}

/// Locator, and ordinals and similarities of chunks.
pub(crate) type Near = (String, Vec<(u32, f32)>);

/// Runs dense queries for both models, with and without a filter, and loads every vector.
fn ask_vectors(reader: &dyn Reader, filter: &Filter) -> Result<Vec<Near>, IndexError> {
    let mut near = Vec::new();
    for model in ["first", "second"] {
        let query = DenseQuery {
            model: model.into(),
            vector: vec![0.5, 0.5, 0.25],
            chunks_per_document: 2,
            min_similarity: None,
            within: DocumentSet::all(),
            threads: 1,
        };
        for filter in [filter, &Filter::default()] {
            for similar in reader.dense(&query, filter, 200)?.candidates {
                let document = reader.documents(&[similar.id])?.remove(0);
                let mut chunks = Vec::new();
                for chunk in similar.chunks {
                    assert!(reader.vector(model, chunk.id)?.is_some());
                    chunks.push((reader.chunks(&[chunk.id])?[0].ordinal, chunk.similarity));
                }
                near.push((document.key.locator, chunks));
            }
        }
        let counts = reader.vector_counts(model)?;
        near.push((format!("{counts:?}"), Vec::new()));
    }
    Ok(near)
}

/// Results of lexical and dense queries.
pub(crate) type Answers = (Answer, Vec<Near>);

fn ask(store: &dyn Store) -> Result<Answers, IndexError> {
    ask_reader(&*store.reader()?)
}

/// Runs lexical and dense queries and loads all stored data of the results.
pub(crate) fn ask_reader(reader: &dyn Reader) -> Result<Answers, IndexError> {
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
        ..LexicalQuery::default()
    };
    let filter = Filter {
        kinds: vec!["function".to_owned()],
        excludes: vec!["src/1/3.rs".to_owned()],
        ..Filter::default()
    };
    let mut matches = reader.lexical(&query, &filter, 200)?;
    let unfiltered = reader.lexical(&query, &Filter::default(), 200)?;
    assert_eq!(reader.cursor(), (reader.generation() > 0).then_some("cursor"));
    // An unreadable stored row is an error as well.
    for candidate in &unfiltered.candidates {
        reader.documents(&[candidate.id])?;
        for chunk in &candidate.chunks {
            reader.chunks(&[chunk.id])?;
        }
    }
    matches.candidates.extend(unfiltered.candidates);
    matches.total += unfiltered.total;
    let near = ask_vectors(reader, &filter)?;
    Ok((comparable(reader, &query, &matches), near))
}

fn ask_folder(path: &Path) -> Result<Answers, IndexError> {
    let place = IndexLocation::Folder(path.to_owned());
    ask(&*default_backend().open(SourceName::Code, &place, "test")?)
}

pub(crate) fn files(path: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(path)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort();
    files
}

pub(crate) fn file_name(file: &Path) -> String {
    file.file_name().expect("a name").to_string_lossy().into_owned()
}

/// Sets a time that no build can have.
fn touch(file: &Path) {
    let time = SystemTime::now() + Duration::from_hours(1);
    fs::File::options()
        .append(true)
        .open(file)
        .expect("opens")
        .set_modified(time)
        .expect("touches");
}

/// Returns true if a commit names the file.
pub(crate) fn is_in_commit(name: &str) -> bool {
    ["fast", "fieldnorm", "idx", "pos", "store", "term", "del"]
        .iter()
        .any(|ending| name.ends_with(ending))
        || name.starts_with("state-")
        || name.starts_with("vectors-")
}

fn is_refused(error: &IndexError) -> bool {
    matches!(error, IndexError::Damaged { .. } | IndexError::Incompatible { .. })
}

#[test]
fn damage_is_an_error_or_harmless() {
    let folder = TempDir::new().expect("a temporary folder");
    let whole = folder.path().join("whole");
    let expected = ask(&*build(&whole)).expect("an answer");
    assert_eq!(expected.1.len(), 79 + 78 + 20 + 19 + 2);
    let of_vectors = |file: &&PathBuf| file_name(file).starts_with("vectors-");
    assert_eq!(files(&whole).iter().filter(of_vectors).count(), 3);
    assert!(files(&whole).len() >= 6 + 4 + 3);
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

/// `meta.json` is small and has no checksum, so that every byte is tested.
#[test]
fn every_damaged_byte_of_the_list_of_segments_is_detected() {
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
        let name = file_name(&file);
        if !is_in_commit(&name) {
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

/// Sets the time of a file.
pub(crate) fn set_time(file: &Path, time: SystemTime) {
    let file = fs::File::options().append(true).open(file).expect("opens");
    file.set_modified(time).expect("touches");
}

/// Returns the next pseudo-random number (xorshift64).
fn random(seed: &mut u64) -> usize {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    usize::try_from(*seed >> 33).expect("31 bits")
}

/// Damages bytes by a cut, a flipped bit, a hole or garbage.
pub(crate) fn damage(bytes: &[u8], seed: &mut u64) -> (&'static str, Vec<u8>) {
    let mut damaged = bytes.to_vec();
    let at = random(seed) % bytes.len().max(1);
    let end = bytes.len().min(at + 1 + random(seed) % 64);
    let what = match random(seed) % 4 {
        0 => {
            damaged.truncate(at);
            "a cut"
        }
        1 if !bytes.is_empty() => {
            damaged[at..end].fill(0);
            "a hole"
        }
        2 if !bytes.is_empty() => {
            damaged[at..end].fill_with(|| random(seed).to_le_bytes()[0]);
            "rubbish"
        }
        _ if !bytes.is_empty() => {
            damaged[at] ^= 1 << (random(seed) % 8);
            "a flip"
        }
        _ => {
            damaged.push(7);
            "a byte"
        }
    };
    (what, damaged)
}

/// Damages the files of an index in turn and changes their times.
fn damage_at_random(rounds: usize, mut seed: u64) {
    let folder = TempDir::new().expect("a temporary folder");
    let expected = ask(&*build(folder.path())).expect("an answer");
    let all = files(folder.path());
    let mut refused = 0;
    for round in 0..rounds {
        let file = &all[round % all.len()];
        let bytes = fs::read(file).expect("reads");
        let time = fs::metadata(file).and_then(|data| data.modified()).expect("a time");
        let (what, damaged) = damage(&bytes, &mut seed);
        fs::write(file, damaged).expect("writes");
        touch(file);
        let what = format!("round {round}, {what} of {}", file.display());
        let started = Instant::now();
        match ask_folder(folder.path()) {
            Ok(answer) => assert_eq!(answer, expected, "{what}"),
            Err(error) => {
                refused += 1;
                assert!(is_refused(&error), "{what}: {error}");
            }
        }
        assert!(started.elapsed() < Duration::from_secs(20), "{what} took long");
        fs::write(file, bytes).expect("writes");
        set_time(file, time);
    }
    assert!(refused > rounds / 3, "{refused}");
    assert_eq!(ask_folder(folder.path()).expect("an answer"), expected);
}

#[test]
fn three_hundred_random_damages_are_errors_or_harmless() {
    damage_at_random(300, 0x5EED_0001);
}

#[test]
#[ignore = "takes minutes: cargo xtask full"]
fn ten_thousand_random_damages_are_errors_or_harmless() {
    damage_at_random(10_000, 0x5EED_0002);
}

#[test]
fn a_damaged_index_is_erased_and_rebuilt() {
    let folder = TempDir::new().expect("a temporary folder");
    let expected = ask(&*build(folder.path())).expect("an answer");
    let place = IndexLocation::Folder(folder.path().to_owned());
    for file in files(folder.path()) {
        if file.extension().is_some_and(|ending| ending == "lock") {
            continue;
        }
        fs::write(&file, "nonsense").expect("writes");
    }
    let opened = default_backend().open(SourceName::Code, &place, "test");
    assert!(matches!(opened, Err(error) if is_refused(&error)));
    default_backend().erase(&place).expect("erases");
    build(folder.path());
    assert_eq!(ask_folder(folder.path()).expect("an answer"), expected);
}

/// A file with a valid checksum of its own, in place of another one.
#[test]
fn files_of_other_segments_are_refused() {
    let folder = TempDir::new().expect("a temporary folder");
    drop(build(folder.path()));
    let place = IndexLocation::Folder(folder.path().to_owned());
    let ending = |file: &PathBuf| file.extension().map(ToOwned::to_owned);
    let segments: Vec<PathBuf> = files(folder.path())
        .into_iter()
        .filter(|file| is_in_commit(&file_name(file)) && ending(file).is_some_and(|e| e != "bin"))
        .collect();
    let mut refused = 0;
    for file in &segments {
        let whole = fs::read(file).expect("reads");
        let time = fs::metadata(file).and_then(|data| data.modified()).expect("a time");
        for other in segments.iter().filter(|other| ending(other) == ending(file)) {
            let bytes = fs::read(other).expect("reads");
            if bytes == whole {
                continue;
            }
            fs::write(file, bytes).expect("writes");
            let opened = default_backend().open(SourceName::Code, &place, "test");
            assert!(matches!(opened, Err(error) if is_refused(&error)), "{}", file.display());
            refused += 1;
        }
        fs::write(file, &whole).expect("writes");
        set_time(file, time);
    }
    assert!(refused > 5, "{refused}");
    assert!(default_backend().open(SourceName::Code, &place, "test").is_ok());
}

/// The seal is written before a commit. Without it, files of other segments cannot be detected.
#[test]
fn a_missing_or_damaged_seal_is_damage() {
    let folder = TempDir::new().expect("a temporary folder");
    let expected = ask(&*build(folder.path())).expect("an answer");
    let seal = folder.path().join("seal.bin");
    let bytes = fs::read(&seal).expect("reads");
    for damaged in [None, Some(&bytes[1..]), Some(&[][..])] {
        fs::remove_file(&seal).expect("removes");
        if let Some(damaged) = damaged {
            fs::write(&seal, damaged).expect("writes");
        }
        assert!(matches!(ask_folder(folder.path()), Err(error) if is_refused(&error)));
        fs::write(&seal, &bytes).expect("writes");
    }
    assert_eq!(ask_folder(folder.path()).expect("an answer"), expected);
}

/// A kill leaves the folder as it is at that moment: the last commit remains, and leftover files do
/// not disturb the next one.
#[test]
fn a_kill_before_the_commit_keeps_the_last_one() {
    let folder = TempDir::new().expect("a temporary folder");
    let whole = folder.path().join("whole");
    let store = build(&whole);
    let expected = ask(&*store).expect("an answer");
    let base = store.reader().expect("a reader");
    let writer = store.writer(base.version()).expect("a writer");
    let mut killed = Vec::new();
    for round in 0..4_usize {
        for number in 0..200 {
            let name = format!("new/{round}/{number}");
            let mut update = unit(&name, 1, &[Page::new(&name, "common", &["common", "word"])]);
            update.documents[0].vectors.push(vectors(["first", "third"][round % 2], number));
            writer.replace(update).expect("replaces");
        }
        let copy = folder.path().join(format!("killed {round}"));
        fs::create_dir(&copy).expect("creates");
        for file in files(&whole) {
            // The writer's threads continue, so that temporary files may disappear after the folder
            // was listed. A kill may or may not leave such files.
            match fs::copy(&file, copy.join(file_name(&file))) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                copied => drop(copied.expect("copies")),
            }
        }
        assert!(files(&copy).iter().any(|file| file_name(file).starts_with("vectors-5-")));
        killed.push(copy);
    }
    drop(writer);
    assert!(!files(&whole).iter().any(|file| file_name(file).starts_with("vectors-5-")));
    assert_eq!(ask_folder(&whole).expect("an answer"), expected);
    for copy in killed {
        assert_eq!(ask_folder(&copy).expect("an answer"), expected);
        let place = IndexLocation::Folder(copy.clone());
        let store = default_backend().open(SourceName::Code, &place, "test").expect("opens");
        let reader = commit(&*store, "cursor", |writer| {
            let mut update = unit("x", 1, &[Page::new("x", "", &["one", "two"])]);
            update.documents[0].vectors.push(vectors("third", 7));
            writer.replace(update)
        });
        assert_eq!(reader.vector_counts("third").expect("counts").vectors, 2);
        assert_eq!(reader.vector_counts("first").expect("counts").documents, 79);
        assert_eq!(store.verify().expect("verifies"), [""; 0]);
        let left =
            files(&copy).into_iter().filter(|file| file_name(file).starts_with("vectors-5-"));
        assert_eq!(left.count(), 1, "the leftovers of the killed writer are gone");
    }
}
