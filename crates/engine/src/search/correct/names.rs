//! Nearest names: the definition or identifier that a half-remembered name means.

use foldhash::HashSet;
use lore_index::{IndexError, Reader};
use lore_schema::Field;
use lore_text::{Form, analyzer};
use strsim::osa_distance;

use super::{
    MAX_CANDIDATES, MIN_WORD_LEN,
    words::{edits, is_within, max_edits},
};
use crate::{
    EngineError,
    query::definition_term,
    search::context::{SearchContext, text_of},
};

/// Minimum similarity of a name.
const MIN_SIMILARITY: f64 = 0.6;

/// Maximum number of names whose parts are compared.
const MAX_COMPARED: usize = 16;

/// Maximum number of chunks in which the spelling of a name is looked up.
const MAX_SPELLINGS: usize = 16;

/// Bonus of a name with all typed parts, and of a name with the same first part; penalty of a test. With
/// these, 45 of the 54 misspelt and half-remembered names of the natural questions find their
/// definition first; with the similarity of letters alone 41.
const PARTS: f64 = 0.5;
const SAME_START: f64 = 0.05;
const OF_TEST: f64 = 0.2;

/// Minimum length of an abbreviated part.
const MIN_ABBREVIATION_LEN: usize = 3;

/// The name of a definition that is most similar to a half-remembered one. `min_value` is the least
/// sum of similarity and agreement.
pub(super) fn nearest_name(
    typed: &str,
    min_value: f64,
    readers: &[&dyn Reader],
) -> Result<Option<String>, IndexError> {
    let term = definition_term(typed);
    let trigrams: HashSet<[u8; 3]> = trigrams(&term).collect();
    let mut near: Vec<(f64, String, &dyn Reader)> = Vec::new();
    for reader in readers {
        let is_near = |other: &str| similarity(&term, &trigrams, other) >= MIN_SIMILARITY;
        for other in reader.accepted_terms(Field::Symbol, "", &is_near, MAX_CANDIDATES)? {
            near.push((similarity(&term, &trigrams, &other), other, *reader));
        }
    }
    near.sort_by(|left, right| right.0.total_cmp(&left.0).then_with(|| left.1.cmp(&right.1)));
    near.truncate(MAX_COMPARED);
    let parts = lore_text::parts(typed);
    let mut best: Option<(f64, String)> = None;
    for (similarity, term, reader) in near {
        let Some(name) = spelled(reader, &term)? else { continue };
        let value = similarity + agreement(&parts, &name);
        if value >= min_value && best.as_ref().is_none_or(|(most, _)| value > *most) {
            best = Some((value, name));
        }
    }
    Ok(best.map(|(_, name)| name))
}

/// Addition of the parts of two names to the similarity of their letters: most for a name with all
/// typed parts, a little for a name with the same start, less for that of a test.
fn agreement(typed: &[String], name: &str) -> f64 {
    let parts = lore_text::parts(name);
    let meets = |part: &String| parts.iter().any(|other| is_same_part(part, other));
    let met = typed.iter().filter(|part| meets(part)).count();
    let mut value = PARTS * met as f64 / typed.len().max(1) as f64;
    if typed.first().zip(parts.first()).is_some_and(|(part, other)| is_same_part(part, other)) {
        value += SAME_START;
    }
    let is_test = |parts: &[String]| parts.iter().any(|part| part == "test" || part == "tests");
    if is_test(&parts) && !is_test(typed) {
        value -= OF_TEST;
    }
    value
}

/// Returns whether a typed part of a name means a part of another one: it may be misspelt or
/// abbreviated.
fn is_same_part(typed: &str, other: &str) -> bool {
    let shorter = if typed.len() < other.len() { typed } else { other };
    let is_abbreviated = typed.len() >= MIN_ABBREVIATION_LEN && other.starts_with(typed);
    let is_misspelt = shorter.len() > MIN_WORD_LEN && edits(typed, other) <= max_edits(shorter);
    typed == other || is_abbreviated || is_misspelt
}

/// The name of a definition as its file spells it.
fn spelled(reader: &dyn Reader, term: &str) -> Result<Option<String>, IndexError> {
    let holders = reader.holders(Field::Symbol, term, MAX_SPELLINGS)?;
    let chunks: Vec<_> = holders.iter().filter_map(|holder| holder.chunk).collect();
    for chunk in reader.chunks(&chunks)? {
        let mut names = chunk.symbols.into_iter().map(|symbol| symbol.name);
        if let Some(name) = names.find(|name| definition_term(name) == term) {
            return Ok(Some(name));
        }
    }
    Ok(None)
}

/// The identifier of a text that differs from a misspelt one by the fewest edits, as that text spells
/// it: for names that are used here and defined elsewhere.
pub(super) fn nearest_identifier(
    term: &str,
    context: SearchContext<'_>,
) -> Result<Option<String>, EngineError> {
    let is_near = is_within(term, max_edits(term));
    let mut near: Vec<(usize, String, usize)> = Vec::new();
    for (source, open) in context.snapshot.sources.iter().enumerate() {
        for other in open.reader.accepted_terms(Field::Whole, "", &is_near, MAX_CANDIDATES)? {
            near.push((edits(term, &other), other, source));
        }
    }
    near.sort();
    for (_, other, source) in near.into_iter().take(MAX_COMPARED) {
        let open = &context.snapshot.sources[source];
        let holders = open.reader.holders(Field::Whole, &other, MAX_SPELLINGS)?;
        let ids: Vec<_> = holders.iter().map(|holder| holder.document).collect();
        for stored in open.reader.documents(&ids)? {
            let Some(text) = text_of(&stored, context.config) else { continue };
            let mut spelled = None;
            analyzer("prose").analyze(&text, &mut |token| {
                if spelled.is_none() && token.form == Form::Whole && token.term == other {
                    spelled = Some(text[token.start..token.end].to_owned());
                }
            });
            if spelled.is_some() {
                return Ok(spelled);
            }
        }
    }
    Ok(None)
}

/// Similarity of two names in one case without separators, 0.0..=1.0: the higher one of the share of
/// equal letters (optimal string alignment) and of common trigrams (Dice).
fn similarity(typed: &str, typed_trigrams: &HashSet<[u8; 3]>, other: &str) -> f64 {
    let longest = typed.len().max(other.len());
    let shortest = typed.len().min(other.len());
    if longest > 2 * shortest {
        return 0.0;
    }
    let (mut common, mut count) = (0_usize, 0_usize);
    for trigram in trigrams(other) {
        count += 1;
        common += usize::from(typed_trigrams.contains(&trigram));
    }
    let dice = 2.0 * common.min(typed_trigrams.len()) as f64
        / (count + typed_trigrams.len()).max(1) as f64;
    // Names with few common trigrams differ by many edits.
    if dice < 0.3 {
        return dice;
    }
    dice.max(1.0 - osa_distance(typed, other) as f64 / longest as f64)
}

fn trigrams(term: &str) -> impl Iterator<Item = [u8; 3]> {
    term.as_bytes().windows(3).map(|window| [window[0], window[1], window[2]])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Similarity and agreement of a typed name with another one.
    fn value(typed: &str, name: &str) -> f64 {
        let term = definition_term(typed);
        let trigrams: HashSet<[u8; 3]> = trigrams(&term).collect();
        let similarity = similarity(&term, &trigrams, &definition_term(name));
        if similarity < MIN_SIMILARITY {
            return 0.0;
        }
        similarity + agreement(&lore_text::parts(typed), name)
    }

    #[test]
    fn the_meant_name_is_the_nearest() {
        for (typed, meant, others) in [
            ("hydrate_when_visible", "hydrateOnVisible", &["hydrateOnIdle", "isVisible"][..]),
            ("poolToken", "PoolTokenSource", &["Token", "TokenTool"]),
            ("digest_dir_content", "digestDirectoryContents", &["digestDir", "dirContent"]),
            ("isLikelyUtf8Text", "isLikelyUtf8", &["IsLikelyUtf8Test"]),
            ("BatchLogSink", "BatchedLogEventSink", &["LogSink", "BatchJob"]),
        ] {
            let of_meant = value(typed, meant);
            assert!(of_meant > 0.0, "{typed} is not similar to {meant}");
            for other in others {
                let of_other = value(typed, other);
                assert!(of_meant > of_other, "{typed}: {meant} {of_meant}, {other} {of_other}");
            }
        }
        assert!(value("parse_header", "write_footer") < f64::EPSILON);
    }
}
