//! A word of a query in one field, as conditions and queries of the cluster.

use lore_schema::{Field, Level};
use serde_json::{Value, json};

use super::{
    dictionary,
    snapshot::{Snapshot, number, total},
    terms::{CONTAINED, column, contained, length_column, word},
};
use crate::{FieldTerm, IndexError, LexicalQuery};

/// BM25 of a word with all its forms. `_score` is the sum of the frequencies of its forms.
const SCRIPT: &str = "double f = _score; return params.w * params.i * f * 2.2 \
    / (f + 1.2 * (0.25 + 0.75 * doc[params.l].value / params.a));";

/// A word in a field.
pub(super) struct Part<'q> {
    pub(super) group: usize,
    pub(super) field: Field,
    forms: Vec<(&'q FieldTerm, String)>,
    /// Weight in the selection.
    pub(super) weight: f32,
    /// Number of rows of the level of the field.
    rows: u64,
    /// Inverse document frequency; 0 if no row has the word.
    pub(super) idf: f32,
    /// Average length of the field.
    average: f32,
}

impl Part<'_> {
    /// Rows with the word, as a condition.
    pub(super) fn rows(&self) -> Value {
        let words: Vec<&str> = self.forms.iter().map(|(_, word)| word.as_str()).collect();
        json!({"terms": {column(self.field): words}})
    }

    /// Documents with the word, as a condition of their own rows.
    pub(super) fn documents(&self) -> Value {
        if self.field.level() == Level::Document {
            return self.rows();
        }
        let words = self.forms.iter().map(|(_, word)| contained(self.field, word));
        json!({"terms": {CONTAINED: words.collect::<Vec<_>>()}})
    }

    /// The word as a query that scores.
    pub(super) fn query(&self, weight: f32) -> Value {
        let forms = self.forms.iter().map(|(form, word)| {
            json!({"term": {column(self.field): {"value": word, "boost": form.weight.max(0.0)}}})
        });
        json!({"script_score": {
            "query": {"bool": {"should": forms.collect::<Vec<_>>()}},
            "script": {"source": SCRIPT, "params": {
                "w": weight, "i": self.idf, "a": self.average, "l": length_column(self.field),
            }},
        }})
    }

    pub(super) fn name(&self) -> String {
        format!("{}.{}", self.group, self.field.index())
    }

    /// Notes the number of rows with the word.
    pub(super) fn set_frequency(&mut self, frequency: u64) {
        if frequency > 0 {
            let (rows, frequency) = (self.rows as f64, frequency as f64);
            self.idf = single((1.0 + (rows - frequency + 0.5) / (frequency + 0.5)).ln());
        }
    }
}

/// The words of a query by group and field.
pub(super) fn parts<'q>(
    snapshot: &Snapshot,
    query: &'q LexicalQuery,
) -> Result<Vec<Part<'q>>, IndexError> {
    let positive = |weight: f32| if weight.is_finite() { weight.max(0.0) } else { 0.0 };
    let mut parts = Vec::new();
    for (group, terms) in query.groups.iter().enumerate() {
        for field in Field::ALL.iter().copied() {
            let mut forms = Vec::new();
            for form in terms.forms.iter().filter(|form| form.field == field) {
                if let Some(word) = word(&form.term)
                    && !dictionary::is_absent(snapshot, field, &word)?
                {
                    forms.push((form, word));
                }
            }
            if forms.is_empty() {
                continue;
            }
            let rows = snapshot.state.rows_of(field.level());
            let average = single(snapshot.state.tokens[field.index()] as f64 / rows.max(1) as f64);
            parts.push(Part {
                group,
                field,
                forms,
                weight: positive(query.weights[field.index()]) * terms.weight.max(0.0),
                rows,
                idf: 0.0,
                average,
            });
        }
    }
    Ok(parts)
}

/// Rounds to single precision.
#[expect(clippy::cast_possible_truncation, reason = "rounding is intended")]
pub(super) fn single(value: f64) -> f32 {
    value as f32
}

/// The condition of the own rows of documents that contain a word in a field.
fn condition(field: Field, word: &str) -> Value {
    match field.level() {
        Level::Document => json!({"term": {column(field): word}}),
        Level::Chunk => json!({"term": {CONTAINED: contained(field, word)}}),
    }
}

/// The documents that contain a term in a field, by number.
pub(super) fn documents_with(
    snapshot: &Snapshot,
    field: Field,
    term: &str,
) -> Result<Vec<u64>, IndexError> {
    let mut found = Vec::new();
    let Some(word) = word(term) else { return Ok(found) };
    if dictionary::is_absent(snapshot, field, &word)? {
        return Ok(found);
    }
    let rows = snapshot.rows(&["document"]);
    let body = json!({
        "query": {"bool": {"filter": [rows, condition(field, &word)]}},
        "stored_fields": "_none_", "docvalue_fields": ["number"],
    });
    snapshot.each(body, |hit| {
        found.push(number(hit, "number"));
        Ok(())
    })?;
    found.sort_unstable();
    Ok(found)
}

/// Number of documents that contain each of these terms in a field.
pub(super) fn document_frequencies(
    snapshot: &Snapshot,
    terms: &[(Field, String)],
) -> Result<Vec<u64>, IndexError> {
    let mut words: Vec<Option<String>> = Vec::with_capacity(terms.len());
    for (field, term) in terms {
        // A term that is not indexed is in no document.
        let word = word(term);
        let is_absent = match &word {
            Some(word) => dictionary::is_absent(snapshot, *field, word)?,
            None => true,
        };
        words.push(word.filter(|_| !is_absent));
    }
    let requests = terms.iter().zip(&words).filter_map(|((field, _), word)| {
        let condition = condition(*field, word.as_ref()?);
        Some(json!({
            "size": 0, "track_total_hits": true,
            "query": {"bool": {"filter": [snapshot.rows(&["document"]), condition]}},
        }))
    });
    let mut answers = snapshot.search_all(requests.collect())?.into_iter();
    let mut count = |word: &Option<String>| {
        let answer = word.as_ref().and_then(|_| answers.next());
        answer.map_or(0, |answer| total(&answer))
    };
    Ok(words.iter().map(&mut count).collect())
}
