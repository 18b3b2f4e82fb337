//! Damage that keeps the size and the time of a file, so that opening does not detect it.

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant, SystemTime},
};

use lore_index::{
    DenseQuery, DocumentSet, FieldTerm, IndexError, IndexLocation, LexicalQuery, TermGroup,
    default_backend,
};
use lore_schema::{Field, Filter, SourceName};
use tempfile::TempDir;

use crate::{
    corpus::{Page, unit},
    damage::{build, damage, file_name, files, is_in_commit, set_time},
};

/// Reads everything; errors are accepted.
fn read_everything(path: &Path) -> Result<(), IndexError> {
    let place = IndexLocation::Folder(path.to_owned());
    let store = default_backend().open(SourceName::Code, &place, "test")?;
    let reader = store.reader()?;
    let group = TermGroup {
        weight: 1.0,
        optional: false,
        forms: vec![FieldTerm { field: Field::Body, term: "common".to_owned(), weight: 1.0 }],
    };
    let query = LexicalQuery {
        groups: vec![group],
        weights: [1.0; Field::ALL.len()],
        chunks_per_document: 2,
        within: DocumentSet::all(),
        ..LexicalQuery::default()
    };
    let found = reader.lexical(&query, &Filter::default(), 200).map(|found| found.candidates);
    for candidate in found.unwrap_or_default() {
        let _ = reader.documents(&[candidate.id]);
        let _ = reader.outlines(&[candidate.id]);
        for chunk in &candidate.chunks {
            let _ = reader.chunks(&[chunk.id]);
            let _ = reader.vector("first", chunk.id);
        }
    }
    for prefix in ["", "word"] {
        let _ = reader.frequent_terms(Field::Body, prefix, 20);
    }
    let _ = reader.holders(Field::Body, "common", 20);
    let _ = reader.listing(&Filter::default());
    let _ = reader.unembedded("second", 20);
    let mut dense = DenseQuery {
        model: "first".into(),
        vector: vec![0.5, 0.5, 0.25],
        chunks_per_document: 2,
        min_similarity: None,
        within: DocumentSet::all(),
        threads: 1,
    };
    let _ = reader.dense(&dense, &Filter::default(), 200);
    dense.model = "second".into();
    let _ = reader.dense(&dense, &Filter::default(), 200);
    let writer = store.writer(reader.version())?;
    writer.replace(unit("x", 1, &[Page::new("x", "", &["common"])]))?;
    writer.delete("src/0/3.rs")?;
    writer.replace(unit("src/1/5.rs", 2, &[Page::new("src/1/5.rs", "", &["common"])]))?;
    writer.commit("cursor")
}

/// Length of tantivy's footer of a file (checksum, version, footer length, magic number); 0 if
/// there is none.
fn footer(bytes: &[u8]) -> usize {
    let Some((rest, [a, b, c, d, 0x39, 0x05, 0, 0])) = bytes.split_last_chunk::<8>() else {
        return 0;
    };
    let length = u32::from_le_bytes([*a, *b, *c, *d]) as usize;
    assert!(length < 200 && length < rest.len());
    length + 8
}

/// Damages files without changing size and time. Results may be wrong then, but reading terminates,
/// the process survives, and verification reports the damage.
fn damage_silently(rounds: usize, mut seed: u64) {
    let folder = TempDir::new().expect("a temporary folder");
    drop(build(folder.path()));
    let all: Vec<PathBuf> =
        files(folder.path()).into_iter().filter(|file| is_in_commit(&file_name(file))).collect();
    let mut kinds: Vec<String> = all
        .iter()
        .map(|file| file_name(file).rsplit_once('.').expect("an ending").1.into())
        .collect();
    kinds.sort_unstable();
    kinds.dedup();
    assert_eq!(kinds, ["bin", "del", "fast", "fieldnorm", "idx", "pos", "store", "term"]);
    let whole: Vec<(PathBuf, Vec<u8>, SystemTime)> = files(folder.path())
        .into_iter()
        .map(|file| {
            let time = fs::metadata(&file).and_then(|data| data.modified()).expect("a time");
            (file.clone(), fs::read(&file).expect("reads"), time)
        })
        .collect();
    let place = IndexLocation::Folder(folder.path().to_owned());
    for round in 0..rounds {
        // The previous round committed something, or tried to.
        for file in files(folder.path()) {
            fs::remove_file(file).expect("removes");
        }
        for (file, bytes, time) in &whole {
            fs::write(file, bytes).expect("writes");
            set_time(file, *time);
        }
        let file = &all[round % all.len()];
        let bytes = fs::read(file).expect("reads");
        let time = fs::metadata(file).and_then(|data| data.modified()).expect("a time");
        let (what, mut damaged) = damage(&bytes, &mut seed);
        damaged.resize(bytes.len(), 0);
        fs::write(file, &damaged).expect("writes");
        set_time(file, time);
        let what = format!("round {round}, {what} of {}", file.display());
        let started = Instant::now();
        let body = bytes.len() - footer(&bytes);
        if damaged[..body] != bytes[..body] {
            let opened = default_backend().open(SourceName::Code, &place, "test");
            let found = opened.and_then(|store| store.verify());
            // Opening fails, or verification reports the damage.
            assert!(!found.is_ok_and(|lines| lines.is_empty()), "{what}");
        }
        // Errors are accepted.
        let _ = read_everything(folder.path());
        assert!(started.elapsed() < Duration::from_secs(20), "{what} took long");
    }
}

#[test]
fn silent_damage_does_not_end_the_process() {
    damage_silently(150, 0x5EED_0003);
}

#[test]
#[ignore = "takes minutes: cargo xtask full"]
fn ten_thousand_silent_damages_do_not_end_the_process() {
    damage_silently(10_000, 0x5EED_0004);
}
