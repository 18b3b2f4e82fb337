//! Why a search found nothing. It names what is near and never substitutes it.

use lore_schema::{Field, Filter};
use strsim::normalized_levenshtein;

use crate::{
    Absence, EngineError, SearchRequest,
    query::{Query, prepare},
    snapshot::Snapshot,
    templates,
};

/// Names must be at least this similar to be offered.
const NEAR: f64 = 0.5;

/// Most names that are offered.
const MOST_NEAREST: usize = 3;

/// Most names of a source that are compared.
const MOST_NAMES: usize = 100_000;

/// Explains an empty answer. `total` is the number of documents that met the filter and held a word.
pub(crate) fn explain_absence(
    snapshot: &Snapshot,
    query: &Query,
    request: &SearchRequest,
    total: u64,
) -> Result<Absence, EngineError> {
    let mut absence = Absence::default();
    let documents: u64 =
        snapshot.sources.iter().map(|source| source.reader.summary().documents).sum();
    for source in &snapshot.sources {
        let asked = request.filter.sources.contains(&source.reader.source())
            && request.filter.parts.is_empty();
        if asked && source.reader.summary().documents == 0 {
            absence
                .reasons
                .push(format!("the source `{}` holds nothing here", source.reader.source()));
        }
    }
    if documents == 0 {
        absence.reasons.push("there is no document to search".to_owned());
        return Ok(absence);
    }
    if total > 0 {
        absence.reasons.push(format!("{total} documents hold a word of the query, but their files changed while they were searched"));
        return Ok(absence);
    }
    let mut unknown = vec![true; query.words.len()];
    let mut removed = 0;
    for source in &snapshot.sources {
        let prepared = prepare(query, source.reader.as_ref())?;
        let matches = source.reader.lexical(&prepared.lexical, &Filter::default(), 1)?;
        removed += matches.total;
        for (word, group) in matches.groups.iter().enumerate() {
            unknown[word] &= group.documents == 0;
        }
    }
    let missing = query.sought_names().any(|word| unknown[word]);
    if removed > 0 && !missing && !request.filter.is_empty() {
        let noun = if removed == 1 { "document holds" } else { "documents hold" };
        absence.reasons.push(format!(
            "{removed} {noun} a word of the query, and the filters leave out all of them"
        ));
        if templates::are_left_out(&request.filter) {
            absence.reasons.push(templates::LEFT_OUT.to_owned());
        }
    }
    let strangers: Vec<&str> = query
        .asked()
        .filter(|(index, _)| unknown[*index])
        .map(|(_, word)| word.name.as_deref().unwrap_or(&word.term))
        .collect();
    match &strangers[..] {
        [] => return Ok(absence),
        [only] => {
            absence.reasons.push(format!("no searched document holds the word `{only}`"));
        }
        _ => absence.reasons.push(format!(
            "no searched document holds any of the words {}",
            strangers.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
        )),
    }
    absence.nearest = nearest(snapshot, &strangers)?;
    Ok(absence)
}

/// The defined names that are most similar to a word that nothing holds.
fn nearest(snapshot: &Snapshot, strangers: &[&str]) -> Result<Vec<String>, EngineError> {
    let mut scored: Vec<(f64, String)> = Vec::new();
    for source in &snapshot.sources {
        for name in source.reader.terms(Field::Symbol, "", MOST_NAMES)? {
            if name.starts_with('=') {
                continue;
            }
            let folded = lore_text::fold(&name);
            let best = strangers
                .iter()
                .map(|word| normalized_levenshtein(&folded, &lore_text::fold(word)))
                .fold(0.0, f64::max);
            if best >= NEAR {
                scored.push((best, name));
            }
        }
    }
    scored.sort_by(|left, right| right.0.total_cmp(&left.0).then_with(|| left.1.cmp(&right.1)));
    scored.dedup_by(|left, right| left.1 == right.1);
    scored.truncate(MOST_NEAREST);
    Ok(scored.into_iter().map(|(_, name)| name).collect())
}
