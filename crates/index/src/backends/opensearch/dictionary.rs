//! The dictionary of a source: blocks of sorted words.
//!
//! The cluster can only list the words of a column by reading all of them into memory. Blocks of words
//! are read instead. A snapshot reads the first and the last word of every block once, and so knows which
//! blocks may have a word. Each commit adds blocks with its words; when there are many, they are merged.
//! Words stay in the dictionary when their last row is deleted, so every word that is found is counted
//! before it is returned, unless nothing was deleted since the dictionary was begun.

use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use lore_schema::Field;
use serde_json::{Map, Value, json};

use super::{
    kept::{Directory, Entry, FieldWord},
    points::lock,
    snapshot::{Snapshot, number, row_kind, stored},
    terms::{column, has_code, term, word},
    words::Words,
};
use crate::{AcceptedPrefix, IndexError};

/// Maximum number of words that are counted in one request.
const COUNTED: usize = 1_000;

/// Maximum number of words of which the most frequent are chosen.
const MAX_CHOICE: usize = 2_000;

/// Maximum number of blocks that are read in advance.
const MAX_ANNOUNCED: usize = 1_000;

/// Maximum number of blocks that are read to find words that no row has.
const MAX_PROBED: usize = 100;

/// Number of blocks of a dictionary that is read as a whole.
const SMALL: usize = 60;

/// A condition on terms.
pub(super) type Accept<'a> = &'a dyn Fn(&str) -> bool;

/// Reads the directory of a snapshot.
fn read_directory(snapshot: &Snapshot) -> Result<Directory, IndexError> {
    let mut directory = Directory::default();
    let body = json!({
        "query": snapshot.rows(&["words"]), "_source": false,
        "docvalue_fields": ["field", "first", "last", "change"],
    });
    let mut position = 0;
    snapshot.each(body, |hit| {
        let text = |column: &str| hit["fields"][column][0].as_str().unwrap_or_default();
        let field = Field::ALL.iter().find(|field| field.as_str() == text("field"));
        let field = field.ok_or_else(|| snapshot.undecodable())?;
        let entry = Entry {
            position,
            id: hit["_id"].as_str().unwrap_or_default().to_owned(),
            first: text("first").to_owned(),
            last: text("last").to_owned(),
        };
        position += 1;
        directory.runs.entry((*field, number(hit, "change"))).or_default().push(entry);
        Ok(())
    })?;
    for run in directory.runs.values_mut() {
        run.sort_unstable_by(|left, right| left.first.cmp(&right.first));
    }
    Ok(directory)
}

/// The directory of a snapshot, read on the first call.
fn directory(snapshot: &Snapshot) -> Result<Arc<Directory>, IndexError> {
    let mut known = lock(&snapshot.kept.directory);
    if let Some(known) = &*known {
        return Ok(Arc::clone(known));
    }
    let directory = Arc::new(read_directory(snapshot)?);
    let entries: Vec<&Entry> = directory.runs.values().flatten().collect();
    if entries.len() <= SMALL {
        load(snapshot, &entries)?;
    }
    *known = Some(Arc::clone(&directory));
    Ok(directory)
}

/// Loads blocks, in their order: each has words, separated by line breaks.
fn load(snapshot: &Snapshot, entries: &[&Entry]) -> Result<Vec<Arc<str>>, IndexError> {
    let mut read: HashMap<u32, Arc<str>> = HashMap::new();
    let mut missing: HashMap<&str, u32> = HashMap::new();
    {
        let mut known = snapshot.kept.blocks();
        for entry in entries {
            match known.get(&entry.position) {
                Some(block) => drop(read.insert(entry.position, Arc::clone(block))),
                None => drop(missing.insert(&entry.id, entry.position)),
            }
        }
    }
    if !missing.is_empty() {
        let ids: Vec<&str> = missing.keys().copied().collect();
        let body = json!({
            "query": {"bool": {"filter": [snapshot.rows(&["words"]), {"ids": {"values": ids}}]}},
            "_source": false, "docvalue_fields": ["stored"],
        });
        snapshot.each(body, |hit| {
            let position = hit["_id"].as_str().and_then(|id| missing.get(id));
            let found = position.zip(words_of(hit));
            let (position, block) = found.ok_or_else(|| snapshot.undecodable())?;
            let block: Arc<str> = block.into();
            snapshot.kept.blocks().put(*position, Arc::clone(&block));
            read.insert(*position, block);
            Ok(())
        })?;
    }
    let block = |entry: &&Entry| {
        let block = read.get(&entry.position).cloned();
        block.ok_or_else(|| snapshot.undecodable())
    };
    entries.iter().map(block).collect()
}

/// The accepted words of a field that start with a prefix, in byte order, dead ones too.
fn accepted(
    snapshot: &Snapshot,
    field: Field,
    prefix: &str,
    accept: Accept<'_>,
) -> Result<Vec<String>, IndexError> {
    let prefix = if prefix.is_empty() { Some(String::new()) } else { word(prefix) };
    let Some(prefix) = prefix else { return Ok(Vec::new()) };
    let directory = directory(snapshot)?;
    let entries: Vec<&Entry> = directory.blocks(field, &prefix).collect();
    let mut words = Vec::new();
    for block in load(snapshot, &entries)? {
        let found = block.split('\n').filter(|word| word.starts_with(&*prefix));
        let found = found.filter(|word| {
            let is_term = !has_code(word);
            accept(&if is_term { Cow::Borrowed(*word) } else { Cow::Owned(term(word)) })
        });
        words.extend(found.map(str::to_owned));
    }
    words.sort_unstable();
    words.dedup();
    Ok(words)
}

/// Finds terms of a field that start with `prefix` and are accepted, in byte order.
pub(super) fn terms(
    snapshot: &Snapshot,
    field: Field,
    prefix: &str,
    accept: Accept<'_>,
    limit: usize,
) -> Result<Vec<String>, IndexError> {
    let mut found = Vec::new();
    if limit == 0 {
        return Ok(found);
    }
    let mut words = accepted(snapshot, field, prefix, accept)?;
    if !snapshot.state.has_dead_words {
        words.truncate(limit);
        return Ok(words.iter().map(|word| term(word)).collect());
    }
    let words: Vec<FieldWord> = words.into_iter().map(|word| (field, word)).collect();
    // Few words are dead, so that little more than the limit is enough.
    for words in words.chunks((limit.saturating_add(limit / 4 + 8)).min(COUNTED)) {
        let counts = counts(snapshot, words)?;
        let live = words.iter().zip(counts).filter(|(_, count)| *count > 0);
        found.extend(live.map(|((_, word), _)| term(word)));
        if found.len() >= limit {
            found.truncate(limit);
            break;
        }
    }
    Ok(found)
}

/// Reads in advance what [`terms`] needs for these prefixes in all of these fields.
pub(super) fn announce(
    snapshot: &Snapshot,
    fields: &[Field],
    prefixes: &[AcceptedPrefix<'_>],
) -> Result<(), IndexError> {
    let directory = directory(snapshot)?;
    let words: Vec<String> = prefixes.iter().filter_map(|(prefix, _)| word(prefix)).collect();
    let all = fields.iter().flat_map(|field| words.iter().map(move |word| (*field, word)));
    let mut entries: Vec<&Entry> =
        all.flat_map(|(field, word)| directory.blocks(field, word)).collect();
    entries.sort_unstable_by_key(|entry| entry.position);
    entries.dedup_by_key(|entry| entry.position);
    if entries.len() > MAX_ANNOUNCED {
        return Ok(());
    }
    load(snapshot, &entries)?;
    if !snapshot.state.has_dead_words {
        return Ok(());
    }
    let mut counted = Vec::new();
    for field in fields {
        for (prefix, accept) in prefixes {
            let words = accepted(snapshot, *field, prefix, *accept)?;
            counted.extend(words.into_iter().map(|word| (*field, word)));
        }
    }
    counted.truncate(COUNTED);
    counts(snapshot, &counted).map(drop)
}

/// Finds terms of a field that start with `prefix`, most frequent first, with the number of rows.
pub(super) fn frequent_terms(
    snapshot: &Snapshot,
    field: Field,
    prefix: &str,
    limit: usize,
) -> Result<Vec<(String, u64)>, IndexError> {
    let mut words = accepted(snapshot, field, prefix, &|_| true)?;
    words.truncate(MAX_CHOICE);
    let words: Vec<FieldWord> = words.into_iter().map(|word| (field, word)).collect();
    let mut found = Vec::with_capacity(words.len());
    for words in words.chunks(COUNTED) {
        let counts = counts(snapshot, words)?;
        let live = words.iter().zip(counts).filter(|(_, count)| *count > 0);
        found.extend(live.map(|((_, word), count)| (term(word), count)));
    }
    found.sort_by(|left, right| right.1.cmp(&left.1).then_with(|| left.0.cmp(&right.0)));
    found.truncate(limit);
    Ok(found)
}

/// The blocks that may have a word.
fn blocks_of<'a>(
    directory: &'a Directory,
    field: Field,
    word: &'a str,
) -> impl Iterator<Item = &'a Entry> {
    directory.blocks(field, word).take_while(move |entry| &*entry.first <= word)
}

/// Returns true if the blocks in memory show that no row has a word. Sends no request for blocks.
pub(super) fn is_absent(snapshot: &Snapshot, field: Field, word: &str) -> Result<bool, IndexError> {
    let directory = directory(snapshot)?;
    let mut known = snapshot.kept.blocks();
    let lacks = |entry: &Entry| {
        let block = known.get(&entry.position);
        block.is_some_and(|block| block.split('\n').all(|other| other != word))
    };
    Ok(blocks_of(&directory, field, word).all(lacks))
}

/// Removes words that no row has. Reads the blocks of the others if they are few.
pub(super) fn retain_present(
    snapshot: &Snapshot,
    words: &mut Vec<FieldWord>,
) -> Result<(), IndexError> {
    let directory = directory(snapshot)?;
    let all = words.iter().flat_map(|(field, word)| blocks_of(&directory, *field, word));
    let mut missing: Vec<&Entry> = {
        let known = snapshot.kept.blocks();
        all.filter(|entry| !known.contains(&entry.position)).collect()
    };
    missing.sort_unstable_by_key(|entry| entry.position);
    missing.dedup_by_key(|entry| entry.position);
    if missing.len() <= MAX_PROBED {
        load(snapshot, &missing)?;
    }
    let mut present = Vec::with_capacity(words.len());
    for (field, word) in words.drain(..) {
        if !is_absent(snapshot, field, &word)? {
            present.push((field, word));
        }
    }
    *words = present;
    Ok(())
}

/// Returns true if the dictionary has a word in a field, dead ones too.
pub(super) fn holds(snapshot: &Snapshot, field: Field, word: &str) -> Result<bool, IndexError> {
    let directory = directory(snapshot)?;
    load(snapshot, &blocks_of(&directory, field, word).collect::<Vec<_>>())?;
    Ok(!is_absent(snapshot, field, word)?)
}

/// All words of a snapshot.
pub(super) fn all(snapshot: &Snapshot) -> Result<Words, IndexError> {
    let mut words = Words::default();
    let body = json!({
        "query": snapshot.rows(&["words"]), "stored_fields": "_none_",
        "docvalue_fields": ["stored", "field"],
    });
    snapshot.each(body, |hit| {
        let name = hit["fields"]["field"][0].as_str().unwrap_or_default();
        let field = Field::ALL.iter().find(|field| field.as_str() == name);
        let (field, block) = field.zip(words_of(hit)).ok_or_else(|| snapshot.undecodable())?;
        block.split('\n').for_each(|word| words.insert(*field, word));
        Ok(())
    })?;
    Ok(words)
}

/// The words of a block.
fn words_of(hit: &Value) -> Option<String> {
    String::from_utf8(stored(hit)?).ok()
}

/// Number of rows that contain each of these words.
fn counts(snapshot: &Snapshot, words: &[FieldWord]) -> Result<Vec<u64>, IndexError> {
    let mut known: HashMap<&FieldWord, u64> = {
        let mut counts = snapshot.kept.counts();
        words.iter().filter_map(|word| Some((word, *counts.get(word)?))).collect()
    };
    let missing: Vec<&FieldWord> = words.iter().filter(|word| !known.contains_key(word)).collect();
    if !missing.is_empty() {
        let filters: Map<String, Value> = missing
            .iter()
            .enumerate()
            .map(|(at, (field, word))| (at.to_string(), json!({"term": {column(*field): word}})))
            .collect();
        let mut by_field: BTreeMap<Field, Vec<&str>> = BTreeMap::new();
        for (field, word) in &missing {
            by_field.entry(*field).or_default().push(word);
        }
        let kinds: Vec<&str> = by_field.keys().map(|field| row_kind(field.level())).collect();
        let any = by_field.iter().map(|(field, words)| json!({"terms": {column(*field): words}}));
        // Each row is compared with every filter, so that rows without the words are excluded first.
        let rows = json!({"bool": {
            "filter": [snapshot.rows(&kinds)],
            "should": any.collect::<Vec<_>>(), "minimum_should_match": 1,
        }});
        let body = json!({
            "size": 0, "track_total_hits": false, "query": rows,
            "aggs": {"count": {"filters": {"filters": filters}}},
        });
        let answer = snapshot.search(body)?;
        let buckets = &answer["aggregations"]["count"]["buckets"];
        let mut counts = snapshot.kept.counts();
        for (at, word) in missing.into_iter().enumerate() {
            let count = buckets[at.to_string()]["doc_count"].as_u64().unwrap_or(0);
            counts.put(word.clone(), count);
            known.insert(word, count);
        }
    }
    Ok(words.iter().map(|word| known.get(word).copied().unwrap_or(0)).collect())
}
