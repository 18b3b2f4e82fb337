//! Explains why a search found nothing. Similar names are suggested, never substituted.

pub(crate) mod elsewhere;
mod filters;
mod nearest;

use lore_schema::Filter;
use lore_text::Relation;

use self::{elsewhere::look, filters::losses, nearest::nearest};
use crate::{
    Absence, EngineConfig, EngineError, FilterLoss, SearchRequest,
    query::{Query, prepare, prepare_related},
    search::{parse::ParsedQuery, templates},
    state::{
        refresh,
        snapshot::{OpenSource, Snapshot},
    },
};

/// Results of the search by meaning that an empty answer needs.
pub(crate) struct SemanticOutcome {
    /// Similarity of the most similar document, in a source where none is similar enough.
    pub(crate) best: Option<f32>,
    /// True if the embedding model has no vector for any word of the query.
    pub(crate) has_no_known_word: bool,
    /// True if words took no part in the search.
    pub(crate) semantic_only: bool,
}

/// The reason that a bare repository contains nothing to search.
const BARE: &str =
    "this is a bare git repository, which has no files: clone it, and search the clone";

/// Explains an empty answer. `total` is the number of documents that met the filter and contained a
/// word.
pub(crate) fn explain_absence(
    config: &EngineConfig,
    snapshot: &Snapshot,
    parsed: &ParsedQuery,
    request: &SearchRequest,
    total: u64,
    outcome: &SemanticOutcome,
) -> Result<Absence, EngineError> {
    let mut absence = Absence::default();
    absence.reasons.extend(empty_sources(snapshot, request));
    if lore_sources::is_bare_repository(&config.root) {
        absence.reasons.push(BARE.to_owned());
    }
    if let Some(reason) = early_reason(snapshot, request, total, outcome) {
        absence.reasons.push(reason);
        return Ok(absence);
    }
    if total > 0 && request.min_score > 0.0 {
        let noun = if total == 1 { "document matches" } else { "documents match" };
        let minimum = request.min_score;
        absence.reasons.push(format!("{total} {noun}, but none with a score of {minimum} or more"));
        let values = vec![request.min_score.to_string()];
        absence.filters.push(FilterLoss { name: "min-score", values, removed: total });
        return Ok(absence);
    }
    if total > 0 {
        absence.reasons.push(format!("{total} documents contain a word of the query, but their files changed during the search"));
        return Ok(absence);
    }
    let query = &parsed.plan.query;
    let occurrence = Occurrence::of(query, snapshot)?;
    let others = refresh::take_others(config, snapshot)?;
    absence.reasons.extend(filter_reasons(parsed, &occurrence));
    absence.filters = losses(config, snapshot, &others, parsed, request)?;
    let unknown_words: Vec<&str> = query
        .required_words()
        .filter(|(index, _)| occurrence.unknown[*index])
        .map(|(_, word)| word.name.as_deref().unwrap_or(&word.term))
        .collect();
    match &unknown_words[..] {
        [] => return Ok(absence),
        [only] => {
            absence.reasons.push(format!("no searched document contains the word `{only}`"));
        }
        _ => absence.reasons.push(format!(
            "no searched document contains any of the words {}",
            unknown_words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
        )),
    }
    absence.unknown_words = unknown_words.iter().map(|&word| word.to_owned()).collect();
    absence.nearest = nearest(snapshot, &unknown_words)?;
    if request.extras.elsewhere {
        look(config, snapshot, &others, &unknown_words, &mut absence)?;
    }
    Ok(absence)
}

/// Returns a reason for each requested source without documents.
fn empty_sources(snapshot: &Snapshot, request: &SearchRequest) -> Vec<String> {
    let is_empty = |source: &&OpenSource| {
        request.filter.sources.contains(&source.reader.source())
            && request.filter.parts.is_empty()
            && source.reader.summary().documents == 0
    };
    let empty = snapshot.sources.iter().filter(is_empty);
    empty
        .map(|source| format!("the source `{}` has no documents here", source.reader.source()))
        .collect()
}

/// Returns the reason why the words of the query need no further analysis, if there is one.
fn early_reason(
    snapshot: &Snapshot,
    request: &SearchRequest,
    total: u64,
    outcome: &SemanticOutcome,
) -> Option<String> {
    let counts = snapshot.sources.iter().map(|source| source.reader.summary().documents);
    if counts.sum::<u64>() == 0 {
        return Some("there are no documents to search".to_owned());
    }
    if outcome.semantic_only && outcome.has_no_known_word {
        return Some("the embedding model has no vector for any word of the query".to_owned());
    }
    let (best, minimum) = (outcome.best?, request.min_similarity?);
    (total == 0 && best < minimum)
        .then(|| format!("the nearest document has a similarity of {best:.2}, below {minimum}"))
}

/// Occurrences of the words of a query in all documents, without filters.
struct Occurrence {
    /// Number of documents that contain a word.
    documents: u64,
    /// True for each word that occurs nowhere.
    unknown: Vec<bool>,
    /// True if a required name occurs nowhere.
    lacks_name: bool,
}

impl Occurrence {
    fn of(query: &Query, snapshot: &Snapshot) -> Result<Occurrence, EngineError> {
        let mut unknown = vec![true; query.words.len()];
        let mut documents = 0;
        for source in &snapshot.sources {
            let reader = source.reader.as_ref();
            let related = prepare(query, reader)?;
            documents += reader.lexical(&related.lexical, &Filter::default(), 1)?.total;
            // A word is known if a text contains it.
            let typed = prepare_related(query, Relation::Inflection, reader)?;
            let matches = reader.lexical(&typed.lexical, &Filter::default(), 1)?;
            for (word, group) in matches.groups.iter().enumerate() {
                unknown[word] &= group.documents == 0;
            }
        }
        let lacks_name = query.required_names().any(|word| unknown[word]);
        Ok(Occurrence { documents, unknown, lacks_name })
    }
}

/// Returns the reasons that concern filters and conditions.
fn filter_reasons(parsed: &ParsedQuery, occurrence: &Occurrence) -> Vec<String> {
    let mut reasons = Vec::new();
    let removed = occurrence.documents;
    let is_restricted = parsed.condition.is_some() || !parsed.filter.is_empty();
    if removed > 0 && !occurrence.lacks_name && is_restricted {
        let noun = if removed == 1 { "document contains" } else { "documents contain" };
        reasons.push(format!(
            "{removed} {noun} a word of the query, but the filters exclude all of them"
        ));
        if !parsed.plan.phrases.is_empty() {
            reasons.push("quoted words must be adjacent; `--raw` reads quotes as text".to_owned());
        }
        if templates::are_excluded(&parsed.filter) {
            reasons.push(templates::EXCLUDED.to_owned());
        }
    } else if parsed.plan.query.words.is_empty() {
        reasons.push("no document meets the conditions".to_owned());
    }
    reasons
}
