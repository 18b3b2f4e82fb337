//! Merges hits with nearly the same text.

use std::collections::BTreeSet;

use lore_schema::{Document, SourceName};

use super::SageHit;
use crate::documents::{Folded, is_word};

/// Words per shingle.
const SHINGLE: usize = 5;

/// Minimum share of common shingles of two duplicates.
const ALIKE: f64 = 0.8;

/// Minimum number of compared hits.
const COMPARED: usize = 50;

/// A group with its first document and the shingles of that document.
type Known<'a> = (Group, &'a Document, BTreeSet<u64>);

/// Hits that are shown as one, by their positions in the ranking.
pub(super) struct Group {
    pub(super) first: usize,
    pub(super) others: Vec<usize>,
}

/// Groups ranked hits; hits far after the limit are not compared, and tickets with different
/// identifiers never belong to one group.
pub(super) fn merge(ranked: &[(SageHit, &Document)], limit: usize) -> Vec<Group> {
    let compared = limit.saturating_mul(2).max(COMPARED);
    let mut groups: Vec<Known<'_>> = Vec::new();
    for (position, (_, document)) in ranked.iter().enumerate() {
        let shingles = if position < compared { shingles(&document.text) } else { BTreeSet::new() };
        let same = groups.iter_mut().find(|(group, first, known)| {
            let others = group.others.iter().map(|&other| ranked[other].1);
            !shingles.is_empty()
                && alike(known, &shingles)
                && !others.chain([*first]).any(|other| are_other_tickets(other, document))
        });
        match same {
            Some((group, ..)) => group.others.push(position),
            None => {
                groups.push((Group { first: position, others: Vec::new() }, document, shingles));
            }
        }
    }
    groups.into_iter().map(|(group, ..)| group).collect()
}

/// Returns true for two tickets with different identifiers.
fn are_other_tickets(left: &Document, right: &Document) -> bool {
    let id = |document: &Document| {
        let is_ticket = document.key.source == SourceName::Tickets;
        document.attributes.id.clone().filter(|_| is_ticket)
    };
    id(left).zip(id(right)).is_some_and(|(left, right)| left != right)
}

/// Fingerprints of the runs of words; none for a text that is too short.
fn shingles(text: &str) -> BTreeSet<u64> {
    let folded = Folded::of(text);
    let words: Vec<&str> = folded
        .as_str()
        .split(|character| !is_word(character))
        .filter(|word| !word.is_empty())
        .collect();
    words.windows(SHINGLE).map(|run| xxhash_rust::xxh3::xxh3_64(run.join(" ").as_bytes())).collect()
}

fn alike(left: &BTreeSet<u64>, right: &BTreeSet<u64>) -> bool {
    let (few, many) = if left.len() < right.len() { (left, right) } else { (right, left) };
    if (few.len() as f64) < ALIKE * many.len() as f64 {
        return false;
    }
    let common = few.iter().filter(|shingle| many.contains(shingle)).count();
    common as f64 >= ALIKE * (few.len() + many.len() - common) as f64
}
