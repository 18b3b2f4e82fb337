//! Ranks the scanned files. Pure.
//!
//! A word weighs more if fewer of the scanned files contain it. Each word of a file counts by its
//! frequency, as in BM25, and by occurring in the path or in the name of a definition.

use std::collections::BTreeMap;

use lore_index::IndexedChunk;
use lore_schema::{Category, Field};
use lore_text::Relation;

use super::scan::{Finder, Seen};
use crate::answers::holders::counts_as_start;

/// BM25 constants: saturation of repeated words, and length normalization.
const K1: f32 = 1.2;
const B: f32 = 0.75;

/// Shares of the text, the path and a definition in the weight of a word.
const TEXT: f32 = 0.5;
const PATH: f32 = 0.3;
const DEFINED: f32 = 0.2;

/// Statistics of the words over the scanned files.
pub(super) struct Statistics {
    /// Share of each word in the total idf; the sum is 1.0 or less.
    pub(super) shares: Vec<f32>,
    /// Number of files that contain each word.
    files: Vec<u64>,
    /// Mean length of a file with words, in bytes.
    mean_bytes: f32,
}

impl Statistics {
    /// Computes the statistics of the files with words among `looked` files.
    pub(super) fn of(finder: &Finder, seen: &[Seen], looked: usize) -> Statistics {
        let mut files = vec![0_u64; finder.words.len()];
        for file in seen {
            for (word, files) in files.iter_mut().enumerate() {
                *files += u64::from(file.holds(word));
            }
        }
        let all = looked.max(1) as f32;
        let idf: Vec<f32> = finder
            .words
            .iter()
            .zip(&files)
            .map(|(word, files)| {
                let held = *files as f32;
                let idf = (1.0 + (all - held).max(0.0) / (held + 0.5)).ln();
                if *files > 0 { word.weight * idf.max(f32::MIN_POSITIVE) } else { 0.0 }
            })
            .collect();
        // A query word that no file contains weighs as much as the rarest one.
        let rarest = idf.iter().copied().fold(0.0, f32::max);
        let unknown = |word: &usize| files[*word] == 0;
        let missing = rarest * finder.query_words().filter(unknown).count() as f32;
        let sum = (idf.iter().sum::<f32>() + missing).max(f32::MIN_POSITIVE);
        let bytes: usize = seen.iter().map(|file| file.bytes).sum();
        Statistics {
            shares: idf.into_iter().map(|idf| idf / sum).collect(),
            files,
            mean_bytes: (bytes as f32 / seen.len().max(1) as f32).max(1.0),
        }
    }

    /// Returns true if a file contains the word.
    pub(super) fn is_known(&self, word: usize) -> bool {
        self.files.get(word).is_none_or(|files| *files > 0)
    }

    /// Returns the score of a file, 0.0..=1.0.
    pub(super) fn score(&self, finder: &Finder, seen: &Seen) -> f32 {
        let length = 1.0 - B + B * seen.bytes as f32 / self.mean_bytes;
        let mut sum = 0.0;
        for word in 0..finder.words.len() {
            let often = seen.counts[word] as f32;
            let flag = |bits: u64| f32::from(u8::from(bits >> word & 1 == 1));
            let evidence = TEXT * often / (often + K1 * length)
                + PATH * flag(seen.in_path)
                + DEFINED * flag(seen.defined);
            sum += self.shares[word] * evidence;
        }
        sum * share_of(seen.category)
    }
}

/// Returns the factor of a file's category, as in the index: production code before tests; examples
/// are hardly reduced.
fn share_of(category: Category) -> f32 {
    match category {
        Category::Own => 1.0,
        Category::Example => 0.9,
        Category::Test => 0.7,
        Category::Data | Category::Template | Category::Translation => 0.6,
        Category::Generated | Category::Lock | Category::Minified | Category::Vendored => 0.4,
    }
}

/// Returns the terms of the texts that are a word or a form of it.
pub(super) fn forms_in<'c>(
    finder: &Finder,
    chunks: impl Iterator<Item = &'c IndexedChunk>,
) -> Vec<(String, Option<usize>)> {
    let mut forms: BTreeMap<String, usize> = BTreeMap::new();
    for chunk in chunks {
        for (field, terms) in &chunk.terms {
            if !matches!(field, Field::Body | Field::Whole | Field::Context | Field::Symbol) {
                continue;
            }
            for term in terms.iter() {
                if forms.contains_key(term) {
                    continue;
                }
                let words = &finder.words;
                let same = words.iter().position(|word| word.term == term);
                let of = same.or_else(|| {
                    words.iter().position(|word| is_form(&word.term, finder.relation, term))
                });
                if let Some(word) = of {
                    forms.insert(term.to_owned(), word);
                }
            }
        }
    }
    for (at, word) in finder.words.iter().enumerate() {
        forms.entry(word.term.clone()).or_insert(at);
    }
    forms.into_iter().map(|(term, word)| (term, Some(word))).collect()
}

fn is_form(word: &str, relation: Relation, term: &str) -> bool {
    (counts_as_start(word) && term.starts_with(word)) || relation.joins(word, term)
}

/// Returns the best passage of a file; the first among equals.
pub(super) fn best_chunk(
    chunks: &[IndexedChunk],
    forms: &[(String, Option<usize>)],
    statistics: &Statistics,
) -> Option<usize> {
    let word_of = |term: &str| {
        let at = forms.binary_search_by(|(form, _)| form.as_str().cmp(term)).ok()?;
        forms[at].1
    };
    let mut best: Option<(usize, f32)> = None;
    for (at, chunk) in chunks.iter().enumerate() {
        let mut often = vec![0.0_f32; statistics.shares.len()];
        let mut named = vec![false; statistics.shares.len()];
        for (field, terms) in &chunk.terms {
            for term in terms.iter() {
                let Some(word) = word_of(term) else { continue };
                match field {
                    Field::Body | Field::Whole => often[word] += 1.0,
                    Field::Context | Field::Symbol => named[word] = true,
                    _ => {}
                }
            }
        }
        let words = often.iter().zip(&named).zip(&statistics.shares);
        let value: f32 = words
            .map(|((often, named), share)| {
                share * (TEXT * often / (often + K1) + PATH * f32::from(u8::from(*named)))
            })
            .sum();
        if best.is_none_or(|(_, most)| value > most) {
            best = Some((at, value));
        }
    }
    best.map(|(at, _)| at)
}
