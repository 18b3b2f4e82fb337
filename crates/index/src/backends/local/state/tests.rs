//! Comparison of the state with a map.

use std::{collections::BTreeMap, sync::atomic::AtomicUsize};

use lore_schema::{Category, Field, SkipReason, Stamp};
use proptest::prelude::*;

use tantivy::directory::OwnedBytes;

use super::State;
use crate::backends::local::draft::{NewDocument, NewUnit, UnitChange, VectorChanges, next_state};

/// Encodes the state after changes that do not touch vectors.
fn advance<'a>(
    base: &State,
    changes: impl Iterator<Item = (&'a str, &'a UnitChange)>,
    cursor: &str,
) -> Option<Vec<u8>> {
    let vectors = VectorChanges {
        models: base.models().iter().map(|model| model.name.clone()).collect(),
        files: base.vector_files().to_vec(),
        ..VectorChanges::default()
    };
    next_state(base, changes, vectors)?.encode(cursor)
}

fn unit(name: &str, size: u64) -> NewUnit {
    NewUnit {
        stamp: Stamp { metadata: size, content: size + 1 },
        skipped: [(SkipReason::Malformed, size)].into(),
        chunks: u32::try_from(size).expect("small"),
        tokens: [u32::try_from(size).expect("small"); Field::ALL.len()],
        documents: (0..size)
            .map(|index| NewDocument {
                number: u64::from_le_bytes([
                    name.bytes().last().unwrap_or(0),
                    u8::try_from(index).expect("small"),
                    u8::try_from(size).expect("small"),
                    0,
                    0,
                    0,
                    0,
                    0,
                ]),
                locator: if index == 0 { name.to_owned() } else { format!("{name}#{index}") },
                path: name.to_owned(),
                format: "files".to_owned(),
                kind: format!("kind {}", index % 2),
                language: (index > 0).then(|| "rust".to_owned()),
                category: Category::ALL[usize::try_from(index).expect("small") % 8],
                updated: Some(-5),
                bytes: size,
                fell_back: index == 1,
                embeddings: Vec::new(),
            })
            .collect(),
    }
}

#[derive(Debug, Clone)]
enum Step {
    Replace(u8, u64),
    Restamp(u8, u64),
    Delete(u8),
}

fn steps() -> impl Strategy<Value = Vec<Vec<Step>>> {
    let step = prop_oneof![
        (0_u8..6, 0_u64..4).prop_map(|(name, size)| Step::Replace(name, size)),
        (0_u8..6, 5_u64..9).prop_map(|(name, stamp)| Step::Restamp(name, stamp)),
        (0_u8..6).prop_map(Step::Delete),
    ];
    prop::collection::vec(prop::collection::vec(step, 0..5), 0..6)
}

/// A name that is long enough for its unused text to be dropped.
fn name(index: u8) -> String {
    format!("{}/{}", "folder".repeat(100), char::from(b'a' + index))
}

proptest! {
    #[test]
    fn state_matches_a_map_after_random_changes(commits in steps()) {
        let mut state = State::empty();
        let mut expected: BTreeMap<String, NewUnit> = BTreeMap::new();
        for (number, commit) in commits.iter().enumerate() {
            let mut changes: BTreeMap<String, UnitChange> = BTreeMap::new();
            for step in commit {
                match step {
                    Step::Replace(index, size) => {
                        let unit = unit(&name(*index), *size);
                        expected.insert(name(*index), unit.clone());
                        changes.insert(name(*index), UnitChange::Replace(Box::new(unit)));
                    }
                    Step::Restamp(index, value) => {
                        // A writer folds a second change of a unit into the first.
                        let stamp = Stamp { metadata: *value, content: *value };
                        if let Some(unit) = expected.get_mut(&name(*index)) {
                            unit.stamp = stamp;
                        }
                        match changes.get_mut(&name(*index)) {
                            Some(UnitChange::Replace(unit)) => unit.stamp = stamp,
                            Some(UnitChange::Delete) => {}
                            _ => {
                                changes.insert(name(*index), UnitChange::Restamp(stamp));
                            }
                        }
                    }
                    Step::Delete(index) => {
                        expected.remove(&name(*index));
                        changes.insert(name(*index), UnitChange::Delete);
                    }
                }
            }
            let cursor = format!("cursor {number}");
            let changes = changes.iter().map(|(name, change)| (name.as_str(), change));
            let file = advance(&state, changes, &cursor).expect("fits");
            state = State::open(&OwnedBytes::new(file)).expect("opens");
            prop_assert_eq!(state.cursor(), cursor.as_str());
        }
        // A commit drops the unused text of the commits before.
        let file = advance(&state, std::iter::empty(), "last").expect("fits");
        let state = State::open(&OwnedBytes::new(file)).expect("opens");
        let units = expected.values().flat_map(|unit| &unit.documents);
        let own = units.filter(|document| document.locator != document.path);
        let live = expected.keys().map(String::len).sum::<usize>()
            + own.map(|document| document.locator.len() + document.path.len()).sum::<usize>();
        prop_assert!(state.texts().len() <= live / 2 * 3 + (4 << 10));
        let names: Vec<&str> = state.unit_names().collect();
        prop_assert_eq!(names, expected.keys().map(String::as_str).collect::<Vec<_>>());
        let mut documents = Vec::new();
        let guess = AtomicUsize::new(0);
        for (name, unit) in expected.iter().rev().chain(&expected) {
            prop_assert_eq!(state.stamp(name, &guess), Some(unit.stamp));
        }
        prop_assert_eq!(state.stamp("no such unit", &guess), None);
        for (name, unit) in &expected {
            for document in &unit.documents {
                let record = state.document(document.number).expect("is there");
                prop_assert_eq!(state.text(record.locator), document.locator.as_str());
                prop_assert_eq!(state.text(record.path), document.path.as_str());
                prop_assert_eq!(&state.labels()[record.kind as usize], &document.kind);
                prop_assert_eq!(state.unit_of(&record), name.as_str());
                prop_assert_eq!(record.category(), document.category);
                documents.push(document.number);
            }
        }
        let malformed: u64 =
            expected.values().filter_map(|unit| unit.skipped.get(&SkipReason::Malformed)).sum();
        let counted = state.skipped().get(&SkipReason::Malformed).copied().unwrap_or(0);
        prop_assert_eq!(counted, malformed);
        prop_assert_eq!(state.documents().len(), documents.len());
        prop_assert_eq!(state.totals().documents, documents.len() as u64);
        let chunks: u64 = expected.values().map(|unit| u64::from(unit.chunks)).sum();
        prop_assert_eq!(state.totals().chunks, chunks);
        prop_assert_eq!(state.totals().tokens, [chunks; Field::ALL.len()]);
    }

    /// Checksums reject such files; reading one must not panic all the same.
    #[test]
    fn reading_a_damaged_state_does_not_panic(at in any::<prop::sample::Index>(), bit in 0_u8..8) {
        let change = UnitChange::Replace(Box::new(unit("a", 3)));
        let file = advance(&State::empty(), [("a", &change)].into_iter(), "").expect("fits");
        let at = at.index(file.len());
        prop_assert!(State::open(&OwnedBytes::new(file[..at].to_vec())).is_none());
        let mut flipped = file;
        flipped[at] ^= 1 << bit;
        if let Some(state) = State::open(&OwnedBytes::new(flipped)) {
            state.unit_names().for_each(drop);
            for document in state.documents().iter() {
                state.text(document.path);
                state.unit_of(&document);
            }
            let _ = advance(&state, [("b", &change)].into_iter(), "");
        }
    }
}
