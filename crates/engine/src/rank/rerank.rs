//! The model of the second ranking: one sum for the best candidates of all sources, from the score
//! that each has in its source, from windows of its text, and from the kind of question. Pure.
//!
//! The weights differ by group of sources, because the same evidence means more in one than in
//! another: a commit message that contains half of a question is a better answer than a file of code
//! that does. `docs/concepts/ranking.md` describes how they were fitted.

mod weights;

use lore_schema::{Category, SourceName};

use self::weights::{BASE, FEATURE_WEIGHTS, KIND_WEIGHTS, QUESTION_WEIGHTS};
use super::{Calibration, DocumentCandidate, HighlightTerms, WindowEvidence, signals::is_path_of};
use crate::{
    Explanation, Part,
    query::{Changes, KIND_NAMES, QueryProfile, is_everyday},
};

/// Number of features.
pub(super) const FEATURES: usize = 23;

/// Names of the features in explanations, in the order of [`Features`].
pub(super) static FEATURE_NAMES: [&str; FEATURES] = [
    "place",
    "window",
    "window-squared",
    "wide-window",
    "document",
    "document-squared",
    "run",
    "verbatim",
    "verbatim-name",
    "is-path",
    "is-record",
    "path-share",
    "title-share",
    "nearest",
    "nearest-squared",
    "nearest-window",
    "change",
    "lines",
    "in-test",
    "not-source",
    "named-source",
    "specs",
    "tickets",
];

/// Name of the part of a score that is the same for all candidates of a source: each score of the
/// second ranking has it, and no other.
pub(crate) const SOURCE_PART: &str = "source";

/// The place of a candidate after the first ranking.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    /// Its source.
    pub(crate) source: SourceName,
    /// Its position in the list of its source, from 1.
    pub(crate) position: usize,
    /// True if it contains the query word by word.
    pub(crate) is_exact: bool,
    /// True if the query names it by its number: `RFC 42`.
    pub(crate) is_record: bool,
}

/// Evidence from the text of a candidate.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reading {
    /// Share of the query in a few lines together.
    pub(crate) evidence: WindowEvidence,
    /// Number of lines.
    pub(crate) lines: u32,
}

/// The values of one candidate, 0.0..=1.0 each.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Features([f32; FEATURES]);

/// Logarithm of the number of lines that counts as 1.0.
const LONGEST: f32 = 10.0;

impl Features {
    /// The features of a candidate.
    pub(crate) fn new(
        candidate: &DocumentCandidate,
        place: Place,
        reading: Reading,
        terms: &HighlightTerms,
        profile: &QueryProfile,
    ) -> Features {
        let Place { source, position, is_exact, is_record } = place;
        let Reading { evidence, lines } = reading;
        let stored = &candidate.parts.document;
        let nearest = candidate.nearest.unwrap_or(0.0).clamp(0.0, 1.0);
        let names = names_of(candidate);
        let flag = |holds: bool| f32::from(u8::from(holds));
        Features([
            1.0 / position as f32,
            evidence.narrow,
            evidence.narrow * evidence.narrow,
            evidence.wide,
            evidence.whole,
            evidence.whole * evidence.whole,
            evidence.run,
            if is_exact { verbatim_value(profile.words) } else { 0.0 },
            names.iter().map(|name| verbatim_share(&profile.parts, name)).fold(0.0, f32::max),
            flag(is_path_of(&profile.text, &stored.path)),
            flag(is_record),
            terms.share_in(&stored.path),
            names.iter().map(|name| terms.share_in(name)).fold(0.0, f32::max),
            nearest,
            nearest * nearest,
            nearest * evidence.narrow,
            flag(source == SourceName::Git && profile.changes.meets(Changes::of(&stored.title))),
            ((lines.max(1) as f32).ln() / LONGEST).min(1.0),
            flag(matches!(stored.category, Category::Test | Category::Example)),
            flag(!matches!(stored.category, Category::Own | Category::Test | Category::Example)),
            flag(profile.named.names(source)),
            flag(source == SourceName::Specs),
            flag(source == SourceName::Tickets),
        ])
    }
}

/// The names of a document: its title, its file name, and the definitions and headings of its best
/// chunks with those around them.
fn names_of(candidate: &DocumentCandidate) -> Vec<String> {
    let stored = &candidate.parts.document;
    let mut names = vec![stored.title.clone()];
    let file = stored.path.rsplit('/').next().unwrap_or_default();
    names.push(file.split('.').next().unwrap_or_default().to_owned());
    for chunk in &candidate.parts.chunks {
        let mut name = chunk.breadcrumb.join(" ");
        names.extend(chunk.breadcrumb.last().cloned());
        if let Some(symbol) = &chunk.symbol {
            name.push(' ');
            name.push_str(&symbol.name);
            names.push(symbol.name.clone());
        }
        names.push(name);
    }
    names
}

/// The value of a query of this many words that a document contains word by word: nothing for one or
/// two, which are in many documents, and most for a sentence, which is in one.
fn verbatim_value(words: usize) -> f32 {
    (words.saturating_sub(2) as f32 / LONG_QUOTATION).min(1.0)
}

/// Number of words, beyond two, of a quotation that identifies a document.
const LONG_QUOTATION: f32 = 4.0;

/// Half of 1 and half of the share of a name that the query is, if its words follow one another in the
/// name, everyday words aside: 0.5..=1.0; 0 otherwise.
fn verbatim_share(query: &[String], name: &str) -> f32 {
    if query.is_empty() {
        return 0.0;
    }
    let mut name = lore_text::parts(name);
    name.retain(|part| !is_everyday(part));
    let holds = name.windows(query.len()).any(|words| words == query);
    if holds { 0.5 + 0.5 * query.len() as f32 / name.len() as f32 } else { 0.0 }
}

/// Index of the group of a source in the tables of weights: code, prose, history.
fn group_of(source: SourceName) -> usize {
    match source {
        SourceName::Code => 0,
        SourceName::Docs | SourceName::Specs | SourceName::Tickets | SourceName::Patterns => 1,
        SourceName::Git => 2,
    }
}

/// Scores a candidate again: from its first score and explanation, its features and the kinds of
/// profile. Without features, as for candidates beyond the best ones, they count as 0.
pub(crate) fn rerank(
    first: f32,
    explanation: &mut Explanation,
    source: SourceName,
    features: Option<Features>,
    profile: &QueryProfile,
) -> f32 {
    let group = group_of(source);
    let base = BASE[group];
    let raw = Calibration::COMMON.raw(first);
    let mut sum = 0.0;
    for part in &mut explanation.parts {
        sum += part.contribution;
        part.weight *= base;
        part.contribution *= base;
    }
    let mut add = |name, value: f32, weight: f32| {
        explanation.parts.push(Part { name, value, weight, contribution: value * weight });
    };
    // The curve of the source and the common one differ.
    add("source-curve", raw - sum, base);
    let values = features.map_or([0.0; FEATURES], |features| features.0);
    let in_question = profile.kinds.is_question();
    for (index, (name, value)) in FEATURE_NAMES.iter().zip(values).enumerate() {
        let more = if in_question { QUESTION_WEIGHTS[index][group] } else { 0.0 };
        add(name, value, FEATURE_WEIGHTS[index][group] + more);
    }
    for ((name, value), weights) in KIND_NAMES.iter().zip(profile.kinds.values).zip(&KIND_WEIGHTS) {
        if value > 0.0 {
            add(name, value, weights[group]);
        }
    }
    add(SOURCE_PART, 1.0, weights::SOURCE[group]);
    Calibration::COMMON.score(explanation.sum())
}
