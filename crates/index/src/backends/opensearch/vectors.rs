//! The stored vectors of documents, which a snapshot keeps.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use serde_json::{Value, json};

use super::{
    kept::{DocumentRows, StoredVector},
    snapshot::{Snapshot, number, stored},
};
use crate::IndexError;

/// Maximum number of vectors of a document that are kept.
const MAX_KEPT: usize = 400;

/// The rows of vectors of a model.
pub(super) fn of_model(snapshot: &Snapshot, kind: &str, model: &str) -> Value {
    json!({"bool": {"filter": [snapshot.rows(&[kind]), {"term": {"model": model}}]}})
}

/// The vectors of all chunks of these documents.
pub(super) fn of_documents(
    snapshot: &Snapshot,
    model: &str,
    dimension: usize,
    documents: &[u64],
) -> Result<Vec<(u64, DocumentRows)>, IndexError> {
    let vectors_of = format!("{model} {dimension}");
    let key = |document: u64| (vectors_of.clone(), document);
    let mut read: Vec<(u64, DocumentRows)> = {
        let mut kept = snapshot.kept.vectors();
        let known = |document: &u64| Some((*document, Arc::clone(kept.get(&key(*document))?)));
        documents.iter().filter_map(known).collect()
    };
    let known: BTreeSet<u64> = read.iter().map(|(document, _)| *document).collect();
    let missing: Vec<u64> =
        documents.iter().copied().filter(|document| !known.contains(document)).collect();
    if missing.is_empty() {
        return Ok(read);
    }
    let mut found: BTreeMap<u64, Vec<StoredVector>> =
        missing.iter().map(|document| (*document, Vec::new())).collect();
    let body = json!({
        "query": {"bool": {"filter": [
            of_model(snapshot, "vector", model),
            {"term": {"dimension": dimension}},
            {"terms": {"document": missing}},
        ]}},
        "stored_fields": "_none_", "docvalue_fields": ["document", "number", "stored"],
    });
    snapshot.each(body, |hit| {
        let stored = stored_vector(snapshot, hit)?;
        found.entry(number(hit, "document")).or_default().push(stored);
        Ok(())
    })?;
    let mut kept = snapshot.kept.vectors();
    for (document, rows) in found {
        let rows: DocumentRows = rows.into();
        if rows.len() <= MAX_KEPT {
            kept.put(key(document), Arc::clone(&rows));
        }
        read.push((document, rows));
    }
    Ok(read)
}

/// The vector of a hit.
pub(super) fn stored_vector(snapshot: &Snapshot, hit: &Value) -> Result<StoredVector, IndexError> {
    let bytes = stored(hit).ok_or_else(|| snapshot.undecodable())?;
    Ok(StoredVector { number: number(hit, "number"), bytes })
}
