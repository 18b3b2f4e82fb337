//! The dictionary of a source: blocks of sorted words.
//!
//! The cluster can only list the words of a column by reading all of them into memory. Blocks of words
//! with their first and their last one are found by a range instead. Each commit adds blocks with its
//! words; when there are many, they are merged. Words stay in the dictionary when their last row is
//! deleted, so every word that is found is counted before it is returned.

use std::sync::{Arc, PoisonError};

use lore_schema::Field;
use serde_json::{Map, Value, json};

use super::{
    rows::{Words, words_of},
    snapshot::Snapshot,
    terms::{column, term, word},
};
use crate::IndexError;

/// Maximum number of words that are counted in one request.
const COUNTED: usize = 1_000;

/// Maximum number of words of which the most frequent are chosen.
const MAX_CHOICE: usize = 2_000;

/// Finds terms of a field that start with `prefix` and are accepted, in byte order.
pub(super) fn terms(
    snapshot: &Snapshot,
    field: Field,
    prefix: &str,
    accept: &dyn Fn(&str) -> bool,
    limit: usize,
) -> Result<Vec<String>, IndexError> {
    let mut found = Vec::new();
    if limit == 0 {
        return Ok(found);
    }
    let words: Vec<String> = beginning_with(snapshot, field, prefix)?
        .into_iter()
        .filter(|it| accept(&term(it)))
        .collect();
    // Few words are dead, so that little more than the limit is enough.
    for words in words.chunks((limit + limit / 4 + 8).min(COUNTED)) {
        let counts = counts(snapshot, field, words)?;
        let live = words.iter().zip(counts).filter(|(_, count)| *count > 0);
        found.extend(live.map(|(word, _)| term(word)));
        if found.len() >= limit {
            found.truncate(limit);
            break;
        }
    }
    Ok(found)
}

/// Finds terms of a field that start with `prefix`, most frequent first, with the number of rows.
pub(super) fn frequent_terms(
    snapshot: &Snapshot,
    field: Field,
    prefix: &str,
    limit: usize,
) -> Result<Vec<(String, u64)>, IndexError> {
    let mut words: Vec<String> = beginning_with(snapshot, field, prefix)?.into_iter().collect();
    words.truncate(MAX_CHOICE);
    let mut found = Vec::with_capacity(words.len());
    for words in words.chunks(COUNTED) {
        let counts = counts(snapshot, field, words)?;
        let live = words.iter().zip(counts).filter(|(_, count)| *count > 0);
        found.extend(live.map(|(word, count)| (term(word), count)));
    }
    found.sort_by(|left, right| right.1.cmp(&left.1).then_with(|| left.0.cmp(&right.0)));
    found.truncate(limit);
    Ok(found)
}

/// Returns true if the dictionary has a word, which starts with this prefix. The words with the prefix are
/// read once.
pub(super) fn holds(
    snapshot: &Snapshot,
    field: Field,
    prefix: &str,
    word: &str,
) -> Result<bool, IndexError> {
    Ok(of_all_fields(snapshot, prefix)?.contains(&(field, word.to_owned())))
}

/// The words of a field that start with a prefix, in byte order.
fn beginning_with(
    snapshot: &Snapshot,
    field: Field,
    prefix: &str,
) -> Result<Vec<String>, IndexError> {
    let prefix = if prefix.is_empty() { Some(String::new()) } else { word(prefix) };
    let Some(prefix) = prefix else { return Ok(Vec::new()) };
    let words = of_all_fields(snapshot, &prefix)?;
    let of_field = words.range((field, String::new())..).take_while(|(other, _)| *other == field);
    Ok(of_field.map(|(_, word)| word.clone()).collect())
}

/// The words of all fields that start with a prefix: a query looks them up in one field after the other.
fn of_all_fields(snapshot: &Snapshot, prefix: &str) -> Result<Arc<Words>, IndexError> {
    let lock = || snapshot.words.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = lock().get(prefix) {
        return Ok(Arc::clone(known));
    }
    let mut filter = vec![snapshot.rows(&["words"])];
    if !prefix.is_empty() {
        filter.push(json!({"range": {"first": {"lte": format!("{prefix}{}", char::MAX)}}}));
        filter.push(json!({"range": {"last": {"gte": prefix}}}));
    }
    let words = read(snapshot, &json!({"bool": {"filter": filter}}), prefix)?;
    let words = Arc::new(words);
    lock().put(prefix.to_owned(), Arc::clone(&words));
    Ok(words)
}

/// All words of a snapshot.
pub(super) fn all(snapshot: &Snapshot) -> Result<Words, IndexError> {
    read(snapshot, &snapshot.rows(&["words"]), "")
}

/// The words that start with a prefix of the blocks that a query finds.
fn read(snapshot: &Snapshot, blocks: &Value, prefix: &str) -> Result<Words, IndexError> {
    let mut words = Words::new();
    let body = json!({"query": blocks, "_source": ["stored", "field"]});
    snapshot.each(body, |hit| {
        let row = &hit["_source"];
        let name = row["field"].as_str().unwrap_or_default();
        let field = Field::ALL.iter().find(|field| field.as_str() == name);
        let (field, block) = field.zip(words_of(row)).ok_or_else(|| snapshot.undecodable())?;
        let found = block.split('\n').filter(|word| word.starts_with(prefix));
        words.extend(found.map(|word| (*field, word.to_owned())));
        Ok(())
    })?;
    Ok(words)
}

/// Number of rows that contain each of these words.
fn counts(snapshot: &Snapshot, field: Field, words: &[String]) -> Result<Vec<u64>, IndexError> {
    if words.is_empty() {
        return Ok(Vec::new());
    }
    let filters: Map<String, Value> = words
        .iter()
        .enumerate()
        .map(|(at, word)| (at.to_string(), json!({"term": {column(field): word}})))
        .collect();
    let body = json!({
        "size": 0, "track_total_hits": false, "query": snapshot.rows(&["chunk", "document"]),
        "aggs": {"count": {"filters": {"filters": filters}}},
    });
    let answer = snapshot.search(body)?;
    let buckets = &answer["aggregations"]["count"]["buckets"];
    let count = |at: usize| buckets[at.to_string()]["doc_count"].as_u64().unwrap_or(0);
    Ok((0..words.len()).map(count).collect())
}
