//! Names and titles that are near to a word that nothing holds.

use lore_index::Reader;
use lore_schema::{Field, SourceName};
use strsim::normalized_levenshtein;

use crate::{
    EngineError, answers::suggest::name_of, query::definition_term, state::snapshot::Snapshot,
};

/// Names must be at least this similar to be offered.
const NEAR: f64 = 0.5;

/// A word of a title must be more similar than that: a title has many.
const NEAR_IN_TITLES: f64 = 0.6;

/// Most names that are offered.
const MAX_NEAREST: usize = 3;

/// Most names of a source that are compared.
const MAX_NAMES: usize = 100_000;

/// The defined names, and the titles with a word, that are most similar to a word that nothing holds.
pub(super) fn nearest(snapshot: &Snapshot, strangers: &[&str]) -> Result<Vec<String>, EngineError> {
    let names: Vec<String> = strangers.iter().map(|word| definition_term(word)).collect();
    let strangers: Vec<String> = strangers.iter().map(|word| lore_text::fold(word)).collect();
    let similarity = |name: &str, strangers: &[String]| {
        strangers.iter().map(|word| normalized_levenshtein(name, word)).fold(0.0, f64::max)
    };
    let mut scored: Vec<(f64, String)> = Vec::new();
    for source in &snapshot.sources {
        let reader = source.reader.as_ref();
        let mut near: Vec<(f64, String)> = Vec::new();
        for name in reader.terms(Field::Symbol, "", MAX_NAMES)? {
            let best = similarity(&name, &names);
            if best >= NEAR {
                near.push((best, name));
            }
        }
        sort(&mut near);
        near.truncate(MAX_NEAREST);
        for (best, term) in near {
            scored.extend(name_of(reader, &term)?.map(|name| (best, name)));
        }
        if has_titles(reader.source()) {
            let mut words: Vec<(f64, String)> = reader
                .terms(Field::Title, "", MAX_NAMES)?
                .into_iter()
                .map(|word| (similarity(&word, &strangers), word))
                .filter(|(best, _)| *best >= NEAR_IN_TITLES)
                .collect();
            sort(&mut words);
            words.truncate(MAX_NEAREST);
            for (best, word) in words {
                scored.extend(title_with(reader, &word)?.map(|title| (best, title)));
            }
        }
    }
    sort(&mut scored);
    let mut names: Vec<String> = Vec::new();
    for (_, name) in scored {
        if !names.contains(&name) {
            names.push(name);
        }
        if names.len() == MAX_NEAREST {
            break;
        }
    }
    Ok(names)
}

/// Whether the titles of a source are names: a file of code is called by what it defines, and the
/// first line of a commit is a sentence.
fn has_titles(source: SourceName) -> bool {
    !matches!(source, SourceName::Code | SourceName::Git)
}

/// Most similar first, then by name.
fn sort(scored: &mut [(f64, String)]) {
    scored.sort_by(|left, right| right.0.total_cmp(&left.0).then_with(|| left.1.cmp(&right.1)));
}

/// Most documents that are looked at for a title with a word: it may stand in a description alone.
const MAX_TITLES: usize = 10;

/// The first title that holds a word.
fn title_with(reader: &dyn Reader, word: &str) -> Result<Option<String>, EngineError> {
    let holders = reader.holders(Field::Title, word, MAX_TITLES)?;
    let ids: Vec<_> = holders.iter().map(|holder| holder.document).collect();
    let titles = reader.documents(&ids)?.into_iter().map(|document| document.title);
    Ok(titles.into_iter().find(|title| lore_text::parts(title).iter().any(|part| part == word)))
}
