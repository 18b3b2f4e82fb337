//! Finds the words of a query in texts, in any of their forms.

use std::{cell::RefCell, ops::Range, sync::Arc};

use foldhash::HashMap;
use lore_text::analyzer;
use smallvec::SmallVec;

use super::spotter::Spotter;

/// The forms of a query's words, as they occur in texts.
#[derive(Debug)]
pub(crate) struct HighlightTerms {
    /// Index of the word of each folded term.
    terms: HashMap<String, usize>,
    /// Share of the query's weighted idf of each word; the sum is 1.0 or less.
    shares: Vec<f32>,
    /// Finds positions where terms may start. `None` when one of them is not ASCII.
    pub(super) spotter: Option<Arc<Spotter>>,
    /// Matches in runs of letters and digits: most runs occur more than once in a text, and in many
    /// texts.
    known: RefCell<HashMap<Box<str>, LineMatches>>,
}

/// Maximum number of runs that are remembered.
const MAX_KNOWN: usize = 10_000;

impl HighlightTerms {
    /// Creates the terms of a query from its folded terms, without repetition. A term without a
    /// word only helps to find lines.
    pub(crate) fn new(terms: Vec<(String, Option<usize>)>, shares: Vec<f32>) -> HighlightTerms {
        // The separators of an identifier differ from text to text: its parts are among the terms.
        let spotter = Spotter::new(terms.iter().map(|(term, _)| term.as_str()));
        let terms =
            terms.into_iter().filter_map(|(term, word)| word.map(|word| (term, word))).collect();
        HighlightTerms { terms, shares, spotter: spotter.map(Arc::new), known: RefCell::default() }
    }

    /// The same terms for another thread.
    pub(crate) fn for_thread(&self) -> HighlightTerms {
        HighlightTerms {
            terms: self.terms.clone(),
            shares: self.shares.clone(),
            spotter: self.spotter.clone(),
            known: RefCell::default(),
        }
    }

    /// These terms, which analyse every line.
    #[cfg(test)]
    pub(super) fn without_spotter(self) -> HighlightTerms {
        HighlightTerms { spotter: None, ..self }
    }

    /// The part of a line that is searched and shown: all of it or, of a very long line, the part
    /// around the first possible match.
    pub(super) fn visible<'t>(&self, line: &'t str) -> &'t str {
        if line.len() <= MAX_LINE_LEN {
            return line;
        }
        let first = self.spotter.as_ref().and_then(|spotter| spotter.first(line));
        let start = line.floor_char_boundary(first.unwrap_or(0).saturating_sub(MAX_LINE_LEN / 4));
        let end = line.floor_char_boundary((start + MAX_LINE_LEN).min(line.len()));
        &line[start..end]
    }

    /// Finds the words in one line, and their byte ranges, ordered and merged.
    pub(super) fn find(&self, line: &str) -> LineMatches {
        let mut found = LineMatches::default();
        if let Some(places) = self.places(line).filter(|_| line.is_ascii()) {
            self.analyse(line, places.into_iter(), &mut found);
        } else {
            self.analyse_part(line, 0, &mut found);
            found.normalise();
        }
        found
    }

    /// Positions where words may start in a text, ascending; reliable in ASCII lines only. `None`
    /// if the text must be analysed.
    pub(super) fn places(&self, text: &str) -> Option<Vec<usize>> {
        self.spotter.as_ref().map(|spotter| spotter.places(text))
    }

    /// Finds the words in an ASCII line that may start at these positions. Replaces the content of
    /// `found`.
    pub(super) fn analyse(
        &self,
        line: &str,
        places: impl Iterator<Item = usize>,
        found: &mut LineMatches,
    ) {
        found.words.0.clear();
        found.ranges.clear();
        let mut known = self.known.borrow_mut();
        let mut end = 0;
        for place in places {
            if place < end {
                continue;
            }
            let run = run_around(line, place);
            end = run.end;
            // The words in a run of letters and digits do not depend on the text around it.
            let text = &line[run.clone()];
            if let Some(held) = known.get(text) {
                found.add(held, run.start);
                continue;
            }
            let mut held = LineMatches::default();
            self.analyse_part(text, 0, &mut held);
            found.add(&held, run.start);
            if known.len() < MAX_KNOWN {
                known.insert(text.into(), held);
            }
        }
        found.normalise();
    }

    /// Adds the words of a part of a line that starts at `offset`.
    pub(super) fn analyse_part(&self, part: &str, offset: usize, found: &mut LineMatches) {
        analyzer("code").analyze(part, &mut |token| {
            if let Some(&word) = self.terms.get(token.term) {
                found.words.insert(word);
                found.ranges.push((offset + token.start, offset + token.end));
            }
        });
    }

    /// Share of the query that a single value contains, and the ranges of the words in Unicode
    /// scalar values; `None` when it contains no word.
    pub(crate) fn highlight(&self, value: &str) -> Option<(f32, Vec<(usize, usize)>)> {
        let found = self.find(value);
        (!found.ranges.is_empty())
            .then(|| (self.share(&found.words), scalar_ranges(value, &found.ranges)))
    }

    /// Share of the query's weighted idf that one word has.
    pub(super) fn share_of(&self, word: usize) -> f32 {
        self.shares[word]
    }

    /// Share of the query that a single value contains, 0.0..=1.0.
    pub(crate) fn share_in(&self, value: &str) -> f32 {
        self.share(&self.find(value).words)
    }

    /// Share of the query's weighted idf that these words have.
    pub(super) fn share(&self, words: &WordSet) -> f32 {
        words.0.iter().map(|word| self.shares[*word]).sum()
    }
}

/// The run of letters, digits and underscores around a position in an ASCII text.
fn run_around(text: &str, place: usize) -> Range<usize> {
    let joins = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let (before, after) = text.as_bytes().split_at(place);
    let before = before.iter().rev().take_while(|byte| joins(byte)).count();
    let after = after.iter().take_while(|byte| joins(byte)).count();
    place - before..place + after
}

/// Maximum length, in bytes, of a line that is shown whole: longer ones are data.
pub(super) const MAX_LINE_LEN: usize = 1_000;

/// The words of a query in a line.
#[derive(Debug, Default)]
pub(super) struct LineMatches {
    pub(super) words: WordSet,
    pub(super) ranges: SmallVec<[(usize, usize); 3]>,
}

/// Some of a query's words, ascending, each once: a line contains few of them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct WordSet(SmallVec<[usize; 4]>);

impl WordSet {
    /// Number of words.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Indexes of the words, ascending.
    pub(super) fn iter(&self) -> impl Iterator<Item = usize> {
        self.0.iter().copied()
    }

    pub(super) fn insert(&mut self, word: usize) {
        if let Err(place) = self.0.binary_search(&word) {
            self.0.insert(place, word);
        }
    }

    pub(super) fn add(&mut self, other: &WordSet) {
        for word in &other.0 {
            self.insert(*word);
        }
    }
}

impl LineMatches {
    /// Adds the matches of a part that starts at `offset`.
    fn add(&mut self, part: &LineMatches, offset: usize) {
        self.words.add(&part.words);
        let moved = part.ranges.iter().map(|(start, end)| (start + offset, end + offset));
        self.ranges.extend(moved);
    }

    /// Sorts the ranges and merges those that overlap.
    fn normalise(&mut self) {
        self.ranges.sort_unstable();
        self.ranges.dedup_by(|next, kept| {
            let overlaps = next.0 <= kept.1;
            if overlaps {
                kept.1 = kept.1.max(next.1);
            }
            overlaps
        });
    }
}

/// Byte ranges as ranges of Unicode scalar values.
pub(super) fn scalar_ranges(line: &str, ranges: &[(usize, usize)]) -> Vec<(usize, usize)> {
    if line.is_ascii() {
        return ranges.to_vec();
    }
    let count = |from: usize, to: usize| line[from..to].chars().count();
    ranges
        .iter()
        .map(|&(start, end)| {
            let before = count(0, start);
            (before, before + count(start, end))
        })
        .collect()
}
