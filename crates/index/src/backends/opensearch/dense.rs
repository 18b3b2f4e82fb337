//! Dense retrieval: the cluster compares a query vector with the vector of every accepted chunk.
//!
//! The cluster compares vectors of bytes, so it rounds the query more coarsely than the local index. Its
//! scores choose the rows; their similarities are then computed here, from the stored rows, and are those
//! of the local index. No graph of neighbours is built: that makes ingestion four times slower, and the
//! answers would no longer be exact.

use std::{
    cmp::Ordering,
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use lore_schema::Filter;
use serde_json::{Value, json};

use super::{
    accepted::Accepted,
    cluster::{MAX_HITS, vector_column},
    kept::{Model, StoredVector},
    points::lock,
    snapshot::{Snapshot, hits, number, score, stored},
    vectors::{self, of_model, stored_vector},
};
use crate::{
    ChunkId, ChunkSimilarity, DenseMatches, DenseQuery, DocumentId, DocumentSet, IndexError,
    Similar, VectorCounts,
    backends::local::quantise::{Probe, row_parts, vector as row_vector},
};

/// Number of requested rows for each candidate, at first.
const ROWS_PER_CANDIDATE: usize = 4;

/// Minimum number of requested rows.
const MIN_ROWS: usize = 200;

/// Rows near the minimum similarity that are read at once.
const NEAR_ROWS: usize = 1_000;

/// The largest component of a vector of bytes.
const MAX_COMPONENT: f32 = 127.0;

/// A query, prepared for the vectors of its model.
struct Scan<'a> {
    snapshot: &'a Snapshot,
    query: &'a DenseQuery,
    probe: Probe,
    /// The query, rounded to bytes.
    bytes: Vec<i8>,
    /// Maximum difference between the similarity of a row to the rounded query and to the query.
    error: f32,
    accepted: Accepted,
}

/// A chunk with its similarity.
#[derive(Debug, Clone, Copy)]
struct Row {
    document: u64,
    number: u64,
    similarity: f32,
}

impl<'a> Scan<'a> {
    /// Prepares a query; `None` if no chunk can match.
    fn new(
        snapshot: &'a Snapshot,
        query: &'a DenseQuery,
        filter: &Filter,
        within: &DocumentSet,
    ) -> Result<Option<Scan<'a>>, IndexError> {
        let model = model(snapshot, &query.model)?;
        if !model.dimensions.contains(&query.vector.len()) || within.is_none() {
            return Ok(None);
        }
        let accepted = Accepted::new(snapshot, filter, within);
        let probe = Probe::new(&query.vector).filter(|_| !accepted.is_none());
        Ok(probe.map(|probe| {
            let (bytes, error) = rounded(&query.vector);
            Scan { snapshot, query, probe, bytes, error, accepted }
        }))
    }

    /// The condition of the vectors of accepted chunks.
    fn rows(&self) -> Value {
        json!({"bool": {"filter": [
            self.snapshot.rows(&["vector"]),
            {"term": {"model": &*self.query.model}},
            // A condition that the column of vectors exists misses some rows.
            {"term": {"dimension": self.bytes.len()}},
            self.accepted.chunks(),
        ]}})
    }

    /// The similarity of a row that was found; `None` if it is less than the minimum.
    fn row(&self, hit: &Value) -> Result<Option<Row>, IndexError> {
        let stored = stored_vector(self.snapshot, hit)?;
        self.compared(number(hit, "document"), &stored)
    }

    /// The similarity of a stored vector; `None` if it is less than the minimum.
    fn compared(&self, document: u64, stored: &StoredVector) -> Result<Option<Row>, IndexError> {
        let (components, scale) = row_parts(&stored.bytes)
            .filter(|(components, _)| components.len() == self.bytes.len())
            .ok_or_else(|| self.snapshot.undecodable())?;
        let products = components.iter().zip(&self.probe.components);
        let sum =
            products.map(|(byte, other)| i32::from(i8::from_le_bytes([*byte])) * i32::from(*other));
        let similarity = self.probe.similarity(sum.sum(), scale);
        let is_enough = self.query.min_similarity.is_none_or(|least| similarity >= least);
        Ok(is_enough.then_some(Row { document, number: stored.number, similarity }))
    }

    /// A request for rows, best first, with at least this score of the cluster: 1 more than the cosine.
    fn request(&self, size: usize, least: Option<f32>) -> Value {
        let mut body = json!({
            "size": size, "track_total_hits": false,
            "query": {"script_score": {
                "query": self.rows(),
                "script": {"lang": "knn", "source": "knn_score", "params": {
                    "field": vector_column(self.bytes.len()), "query_value": self.bytes,
                    "space_type": "cosinesimil",
                }},
            }},
            "sort": ["_score", {"_shard_doc": "asc"}],
            "stored_fields": "_none_", "docvalue_fields": ["document", "number", "stored"],
        });
        if let Some(least) = least {
            body["min_score"] = json!(least);
        }
        body
    }

    /// Minimum score of the rows that may have the minimum similarity.
    fn least(&self) -> Option<f32> {
        self.query.min_similarity.map(|least| 1.0 + least - self.error)
    }

    /// Number of rows that are requested for this number of documents at first.
    fn first_size(limit: usize) -> usize {
        (limit * ROWS_PER_CANDIDATE).clamp(MIN_ROWS, MAX_HITS)
    }

    /// The best documents with their similarities, best first. `first` is the answer to the request for
    /// the first rows.
    fn best(&self, limit: usize, first: Value) -> Result<Vec<(u64, f32)>, IndexError> {
        let mut size = Scan::first_size(limit);
        let mut answer = first;
        loop {
            let hits = hits(&answer);
            let mut best: BTreeMap<u64, f32> = BTreeMap::new();
            for hit in hits {
                if let Some(row) = self.row(hit)? {
                    let known = best.entry(row.document).or_insert(f32::NEG_INFINITY);
                    *known = known.max(row.similarity);
                }
            }
            let mut best: Vec<(u64, f32)> = best.into_iter().collect();
            best.sort_by(|left, right| self.order(*left, *right));
            let last = best.get(limit.wrapping_sub(1)).map_or(f32::NEG_INFINITY, |(_, it)| *it);
            let rest = hits.last().map_or(0.0, |hit| score(hit) - 1.0 + self.error);
            if hits.len() < size || rest < last || size == MAX_HITS {
                best.truncate(limit);
                return Ok(best);
            }
            size = (size * 4).min(MAX_HITS);
            answer = self.snapshot.search(self.request(size, self.least()))?;
        }
    }

    /// The number of documents with an accepted chunk, and the answer to the request for the first rows.
    fn total_and_first(&self, limit: usize) -> Result<(u64, Value), IndexError> {
        let request = || self.request(Scan::first_size(limit), self.least());
        let is_counted_by_documents =
            self.query.min_similarity.is_none() && self.accepted.partly.is_empty();
        if !is_counted_by_documents {
            let total = self.total()?;
            let is_read = limit > 0 && total > 0;
            let first = if is_read { self.snapshot.search(request())? } else { Value::Null };
            return Ok((total, first));
        }
        // Without a minimum, every document with a vector counts.
        let key = (self.query.model.to_string(), self.bytes.len());
        let is_all = self.accepted.whole.is_none();
        let known = lock(&self.snapshot.kept.embedded).get(&key).copied().filter(|_| is_all);
        let mut requests = Vec::new();
        if known.is_none() {
            requests.push(json!({
                "size": 0, "track_total_hits": true,
                "query": {"bool": {"filter": [
                    of_model(self.snapshot, "model", &self.query.model),
                    {"term": {"dimension": self.bytes.len()}},
                    {"range": {"vectors": {"gt": 0}}},
                    self.accepted.documents(),
                ]}},
            }));
        }
        if limit > 0 {
            requests.push(request());
        }
        let mut answers = self.snapshot.search_all(requests)?.into_iter();
        let counted = || answers.next().map_or(0, |answer| super::snapshot::total(&answer));
        let total = known.unwrap_or_else(counted);
        if is_all {
            lock(&self.snapshot.kept.embedded).insert(key, total);
        }
        Ok((total, answers.next().unwrap_or(Value::Null)))
    }

    /// By descending similarity, then by the key of the document.
    fn order(&self, left: (u64, f32), right: (u64, f32)) -> Ordering {
        let key = |document: u64| {
            self.snapshot.table.document(document).map(|(unit, it)| (&it.locator, &unit.name))
        };
        right.1.total_cmp(&left.1).then_with(|| key(left.0).cmp(&key(right.0)))
    }

    /// Number of documents with an accepted chunk of the minimum similarity. Those that have it in any case
    /// are counted by the cluster; rows near the minimum are compared again.
    fn total(&self) -> Result<u64, IndexError> {
        let certain = self.query.min_similarity.map(|least| 1.0 + least + self.error);
        let mut documents = self.documents(certain)?;
        let Some(certain) = certain else { return Ok(documents.len() as u64) };
        let mut body = self.request(MAX_HITS, self.least());
        body["sort"] = json!([{"_score": "asc"}, {"_shard_doc": "asc"}]);
        body["track_total_hits"] = json!(false);
        body["size"] = json!(NEAR_ROWS);
        loop {
            let answer = self.snapshot.search(body.clone())?;
            let found = hits(&answer);
            let near = found.iter().take_while(|hit| score(hit) < certain);
            for hit in near {
                documents.extend(self.row(hit)?.map(|row| row.document));
            }
            match found.last() {
                Some(last) if found.len() == NEAR_ROWS && score(last) < certain => {
                    body["search_after"] = last["sort"].clone();
                }
                _ => return Ok(documents.len() as u64),
            }
        }
    }

    /// Documents with an accepted chunk of at least this score of the cluster.
    fn documents(&self, least: Option<f32>) -> Result<BTreeSet<u64>, IndexError> {
        let mut body = if least.is_some() {
            self.request(0, least)
        } else {
            json!({"size": 0, "query": self.rows()})
        };
        body["aggs"] = json!({"of": {"composite": {
            "size": MAX_HITS, "sources": [{"document": {"terms": {"field": "document"}}}],
        }}});
        body["track_total_hits"] = json!(false);
        let mut documents = BTreeSet::new();
        loop {
            let answer = self.snapshot.search(body.clone())?;
            let page = &answer["aggregations"]["of"];
            let buckets = page["buckets"].as_array().into_iter().flatten();
            documents.extend(buckets.filter_map(|bucket| bucket["key"]["document"].as_u64()));
            if page["after_key"].is_null() {
                return Ok(documents);
            }
            body["aggs"]["of"]["composite"]["after"] = page["after_key"].clone();
        }
    }

    /// The most similar accepted chunks of these documents, in their order.
    fn chunks(&self, documents: &[u64]) -> Result<Vec<Similar>, IndexError> {
        let mut found: BTreeMap<u64, Vec<Row>> = BTreeMap::new();
        let (partly, whole): (Vec<u64>, Vec<u64>) = documents
            .iter()
            .filter(|document| self.accepted.contains(**document))
            .partition(|document| self.accepted.is_partly(**document));
        for (document, rows) in
            vectors::of_documents(self.snapshot, &self.query.model, self.bytes.len(), &whole)?
        {
            let rows = rows.iter().map(|row| self.compared(document, row));
            let rows: Vec<Row> = rows.filter_map(Result::transpose).collect::<Result<_, _>>()?;
            found.insert(document, rows);
        }
        if !partly.is_empty() {
            let body = json!({
                "query": {"bool": {"filter": [self.rows(), {"terms": {"document": partly}}]}},
                "stored_fields": "_none_", "docvalue_fields": ["document", "number", "stored"],
            });
            self.snapshot.each(body, |hit| {
                if let Some(row) = self.row(hit)? {
                    found.entry(row.document).or_default().push(row);
                }
                Ok(())
            })?;
        }
        let source = self.snapshot.source;
        let similar = documents.iter().map(|document| {
            let mut rows = found.remove(document).unwrap_or_default();
            rows.sort_by(|left, right| {
                let by_similarity = right.similarity.total_cmp(&left.similarity);
                by_similarity.then(left.number.cmp(&right.number))
            });
            rows.truncate(self.query.chunks_per_document);
            let chunk = |row: Row| ChunkSimilarity {
                id: ChunkId { source, number: row.number },
                similarity: row.similarity,
            };
            let chunks = rows.into_iter().map(chunk).collect();
            Similar { id: DocumentId { source, number: *document }, chunks }
        });
        Ok(similar.collect())
    }
}

/// Rounds a query to bytes. Also returns the maximum error of a similarity: the length of the difference
/// between the directions.
fn rounded(vector: &[f32]) -> (Vec<i8>, f32) {
    let largest = vector.iter().fold(f32::MIN_POSITIVE, |largest, value| largest.max(value.abs()));
    #[expect(clippy::cast_possible_truncation, reason = "-127 to 127")]
    let bytes: Vec<i8> =
        vector.iter().map(|value| (value / largest * MAX_COMPONENT).round() as i8).collect();
    let length = |values: &mut dyn Iterator<Item = f64>| -> f64 {
        values.map(|value| value * value).sum::<f64>().sqrt().max(f64::MIN_POSITIVE)
    };
    let of_vector = length(&mut vector.iter().map(|value| f64::from(*value)));
    let of_bytes = length(&mut bytes.iter().map(|value| f64::from(*value)));
    let differences = vector.iter().zip(&bytes);
    let error = differences
        .map(|(value, byte)| f64::from(*value) / of_vector - f64::from(*byte) / of_bytes);
    #[expect(clippy::cast_possible_truncation, reason = "a small number")]
    let error = error.map(|value| value * value).sum::<f64>().sqrt() as f32;
    // The cluster computes in single precision.
    (bytes, error + 1e-5)
}

/// Answers a query.
pub(super) fn search(
    snapshot: &Snapshot,
    query: &DenseQuery,
    filter: &Filter,
    limit: usize,
) -> Result<DenseMatches, IndexError> {
    let Some(scan) = Scan::new(snapshot, query, filter, &query.within)? else {
        return Ok(DenseMatches::default());
    };
    let (total, first) = scan.total_and_first(limit)?;
    if limit == 0 || total == 0 {
        return Ok(DenseMatches { candidates: Vec::new(), total });
    }
    let best = scan.best(limit, first)?;
    let best: Vec<u64> = best.into_iter().map(|(document, _)| document).collect();
    let candidates = scan.chunks(&best)?;
    keep_rows(snapshot, &candidates)?;
    Ok(DenseMatches { candidates, total })
}

/// Reads the rows of candidates at once: they are read next, some at a time.
fn keep_rows(snapshot: &Snapshot, candidates: &[Similar]) -> Result<(), IndexError> {
    let rows = candidates.iter().flat_map(|similar| {
        let chunks = similar.chunks.iter().map(|chunk| chunk.id.number);
        chunks.chain([similar.id.number])
    });
    snapshot.stored(&rows.collect::<Vec<_>>()).map(drop)
}

/// Computes the similarity of the accepted chunks of some documents.
pub(super) fn similar(
    snapshot: &Snapshot,
    query: &DenseQuery,
    filter: &Filter,
    ids: &[DocumentId],
) -> Result<Vec<Similar>, IndexError> {
    let documents: Vec<u64> = ids.iter().map(|id| id.number).collect();
    match Scan::new(snapshot, query, filter, &DocumentSet::all())? {
        Some(scan) => {
            let similar = scan.chunks(&documents)?;
            keep_rows(snapshot, &similar)?;
            Ok(similar)
        }
        None => Ok(ids.iter().map(|id| Similar { id: *id, chunks: Vec::new() }).collect()),
    }
}

/// Returns the vector of a chunk.
pub(super) fn vector(
    snapshot: &Snapshot,
    model: &str,
    chunk: u64,
) -> Result<Option<Vec<f32>>, IndexError> {
    let rows = of_model(snapshot, "vector", model);
    let body = json!({
        "size": 1, "track_total_hits": false, "stored_fields": "_none_",
        "docvalue_fields": ["stored"],
        "query": {"bool": {"filter": [rows, {"term": {"number": chunk}}]}},
    });
    let answer = snapshot.search(body)?;
    let Some(hit) = hits(&answer).first() else { return Ok(None) };
    let stored = stored(hit).ok_or_else(|| snapshot.undecodable())?;
    Ok(row_vector(&stored))
}

/// Counts what a model has embedded.
pub(super) fn counts(snapshot: &Snapshot, name: &str) -> Result<VectorCounts, IndexError> {
    let model = model(snapshot, name)?;
    let dimension = model.dimensions.first().and_then(|dimension| u32::try_from(*dimension).ok());
    Ok(VectorCounts {
        documents: model.documents,
        missing: snapshot.state.documents.saturating_sub(model.documents),
        vectors: model.vectors,
        dimensions: dimension,
    })
}

/// Counts what a model has embedded, once for each snapshot.
fn model(snapshot: &Snapshot, name: &str) -> Result<Arc<Model>, IndexError> {
    if let Some(known) = snapshot.kept.models().get(name) {
        return Ok(Arc::clone(known));
    }
    let body = json!({
        "size": 0, "track_total_hits": true, "query": of_model(snapshot, "model", name),
        "aggs": {
            "vectors": {"sum": {"field": "vectors"}},
            "dimensions": {"terms": {"field": "dimension", "size": 100}},
        },
    });
    let answer = snapshot.search(body)?;
    let found = &answer["aggregations"];
    let dimensions = found["dimensions"]["buckets"].as_array().into_iter().flatten();
    let dimension = |bucket: &Value| usize::try_from(bucket["key"].as_u64()?).ok();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a whole number")]
    let vectors = found["vectors"]["value"].as_f64().unwrap_or(0.0).max(0.0) as u64;
    let model = Arc::new(Model {
        documents: super::snapshot::total(&answer),
        vectors,
        dimensions: dimensions.filter_map(dimension).filter(|dimension| *dimension > 0).collect(),
    });
    snapshot.kept.models().insert(name.to_owned(), Arc::clone(&model));
    Ok(model)
}

/// Finds documents that a model has not processed, in storage order.
pub(super) fn unembedded(
    snapshot: &Snapshot,
    model: &str,
    limit: usize,
) -> Result<Vec<DocumentId>, IndexError> {
    if limit == 0 || counts(snapshot, model)?.missing == 0 {
        return Ok(Vec::new());
    }
    let mut processed = BTreeSet::new();
    let body = json!({
        "query": of_model(snapshot, "model", model), "stored_fields": "_none_",
        "docvalue_fields": ["document"],
    });
    snapshot.each(body, |hit| {
        processed.insert(number(hit, "document"));
        Ok(())
    })?;
    let numbers = snapshot.table.documents().map(|(_, document)| document.number);
    let missing = numbers.filter(|number| !processed.contains(number)).take(limit);
    Ok(missing.map(|number| DocumentId { source: snapshot.source, number }).collect())
}
