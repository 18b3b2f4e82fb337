//! The reader: answers queries from an immutable snapshot of the cluster.

use std::{
    num::NonZeroUsize,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use lore_schema::{Field, Filter, Level, Outline, SourceName, Stamp};
use lru::LruCache;
use serde_json::{Value, json};

use super::{
    cluster::MAX_HITS,
    dense, dictionary, lexical, part,
    snapshot::{Snapshot, hits, number, row_kind},
    table::{Acceptance, DocumentFilter},
    terms::{column, word},
};
use crate::{
    ChunkId, DenseMatches, DenseQuery, DiskUsage, DocumentId, DocumentSet, Holder, IndexError,
    IndexVersion, LexicalQuery, Listed, Matches, Reader, Similar, StoredChunk, StoredDocument,
    Summary, VectorCounts,
    backends::{
        frequencies::Frequencies,
        local::{
            codec::{decode_chunk, decode_document},
            outline::decode_outline,
        },
    },
};

/// Number of terms whose rows a reader keeps.
const CACHE_SIZE: NonZeroUsize = NonZeroUsize::new(4_096).expect("above zero");

/// A reader of a cluster.
pub(super) struct ClusterReader {
    snapshot: Arc<Snapshot>,
    frequencies: Frequencies,
    /// Rows with recent terms.
    holders: Mutex<LruCache<(Field, String), KnownHolders>>,
    summary: OnceLock<Summary>,
}

/// The first rows with a term.
struct KnownHolders {
    holders: Vec<Holder>,
    /// True if there are no others.
    is_complete: bool,
}

impl ClusterReader {
    pub(super) fn new(snapshot: Arc<Snapshot>) -> ClusterReader {
        ClusterReader {
            snapshot,
            frequencies: Frequencies::new(),
            holders: Mutex::new(LruCache::new(CACHE_SIZE)),
            summary: OnceLock::new(),
        }
    }

    /// Loads stored rows by their numbers, in the order of the numbers.
    fn rows(&self, numbers: &[u64]) -> Result<Vec<Arc<[u8]>>, IndexError> {
        let found = self.snapshot.stored(numbers)?;
        let unknown =
            || self.snapshot.cluster.failed("the row belongs to another reader".to_owned());
        found.into_iter().map(|row| row.ok_or_else(unknown)).collect()
    }

    fn check_source(&self, mut ids: impl Iterator<Item = SourceName>) -> Result<(), IndexError> {
        if ids.all(|source| source == self.snapshot.source) {
            return Ok(());
        }
        Err(self.snapshot.cluster.failed("the row belongs to another reader".to_owned()))
    }

    /// A request for rows that meet conditions, in storage order, at most `limit`.
    fn lookup(&self, field: Field, conditions: Vec<Value>, limit: usize) -> Value {
        let mut filter = vec![self.snapshot.rows(&[row_kind(field.level())])];
        filter.extend(conditions);
        json!({
            "size": limit.min(MAX_HITS), "track_total_hits": false,
            "query": {"bool": {"filter": filter}}, "sort": [{"number": "asc"}],
            "_source": false, "docvalue_fields": ["number", "document"],
        })
    }

    fn holder(&self, field: Field, hit: &Value) -> Holder {
        let source = self.snapshot.source;
        let chunk = ChunkId { source, number: number(hit, "number") };
        Holder {
            document: DocumentId { source, number: number(hit, "document") },
            chunk: (field.level() == Level::Chunk).then_some(chunk),
        }
    }

    /// Rows that meet conditions, in storage order, at most `limit`.
    fn holders_where(
        &self,
        field: Field,
        conditions: Vec<Value>,
        limit: usize,
    ) -> Result<Vec<Holder>, IndexError> {
        let body = self.lookup(field, conditions, limit);
        if limit <= MAX_HITS {
            let answer = self.snapshot.search(body)?;
            return Ok(hits(&answer).iter().map(|hit| self.holder(field, hit)).collect());
        }
        let mut holders = Vec::new();
        self.snapshot.each(body, |hit| {
            holders.push(self.holder(field, hit));
            Ok(())
        })?;
        holders.sort_unstable();
        Ok(holders)
    }

    fn listed(&self, filter: &Filter, accepts: impl Fn(u64) -> bool) -> Vec<Listed<'_>> {
        let (source, table) = (self.snapshot.source, &self.snapshot.table);
        if !filter.sources.is_empty() && !filter.sources.contains(&source) {
            return Vec::new();
        }
        let prepared = DocumentFilter::new(filter, source);
        let mut listed: Vec<(Listed<'_>, &str)> = table
            .documents()
            .filter(|(_, document)| {
                accepts(document.number) && prepared.document(document) != Acceptance::None
            })
            .map(|(_, document)| {
                let listed = Listed {
                    path: &document.path,
                    id: DocumentId { source, number: document.number },
                    fell_back: document.fell_back,
                    updated: document.updated,
                };
                (listed, &*document.locator)
            })
            .collect();
        listed.sort_by(|(left, left_name), (right, right_name)| {
            (left.path, left_name, left.id).cmp(&(right.path, right_name, right.id))
        });
        listed.into_iter().map(|(listed, _)| listed).collect()
    }
}

impl Reader for ClusterReader {
    fn source(&self) -> SourceName {
        self.snapshot.source
    }

    fn version(&self) -> IndexVersion {
        self.snapshot.state.version()
    }

    fn cursor(&self) -> Option<&str> {
        self.snapshot.state.cursor.as_deref()
    }

    fn stamp(&self, unit: &str) -> Option<Stamp> {
        self.snapshot.table.unit(unit).map(|unit| unit.stamp())
    }

    fn has_folder(&self, folder: &str) -> bool {
        self.snapshot.table.has_folder(folder)
    }

    fn unit_count(&self) -> u64 {
        self.snapshot.table.units().len() as u64
    }

    fn units(&self) -> Box<dyn Iterator<Item = &str> + '_> {
        Box::new(self.snapshot.table.units().iter().map(|unit| unit.name.as_str()))
    }

    fn lexical(
        &self,
        query: &LexicalQuery,
        filter: &Filter,
        limit: usize,
    ) -> Result<Matches, IndexError> {
        lexical::search(&self.snapshot, query, filter, limit)
    }

    fn dense(
        &self,
        query: &DenseQuery,
        filter: &Filter,
        limit: usize,
    ) -> Result<DenseMatches, IndexError> {
        dense::search(&self.snapshot, query, filter, limit)
    }

    fn similar(
        &self,
        query: &DenseQuery,
        filter: &Filter,
        ids: &[DocumentId],
    ) -> Result<Vec<Similar>, IndexError> {
        self.check_source(ids.iter().map(|id| id.source))?;
        dense::similar(&self.snapshot, query, filter, ids)
    }

    fn vector(&self, model: &str, chunk: ChunkId) -> Result<Option<Vec<f32>>, IndexError> {
        self.check_source([chunk.source].into_iter())?;
        dense::vector(&self.snapshot, model, chunk.number)
    }

    fn vector_counts(&self, model: &str) -> Result<VectorCounts, IndexError> {
        dense::counts(&self.snapshot, model)
    }

    fn unembedded(&self, model: &str, limit: usize) -> Result<Vec<DocumentId>, IndexError> {
        dense::unembedded(&self.snapshot, model, limit)
    }

    fn locator(&self, id: DocumentId) -> Result<Option<&str>, IndexError> {
        self.check_source([id.source].into_iter())?;
        Ok(self.snapshot.table.document(id.number).map(|(_, document)| &*document.locator))
    }

    fn documents(&self, ids: &[DocumentId]) -> Result<Vec<StoredDocument>, IndexError> {
        self.check_source(ids.iter().map(|id| id.source))?;
        let numbers: Vec<u64> = ids.iter().map(|id| id.number).collect();
        if let [_] = numbers[..] {
            // A single document is read for its outline, too.
            self.snapshot.outlines(&numbers)?;
        }
        let decode = |row: Arc<[u8]>| {
            let document = decode_document(self.snapshot.source, &row);
            document.ok_or_else(|| self.snapshot.undecodable())
        };
        self.rows(&numbers)?.into_iter().map(decode).collect()
    }

    fn chunks(&self, ids: &[ChunkId]) -> Result<Vec<StoredChunk>, IndexError> {
        self.check_source(ids.iter().map(|id| id.source))?;
        let numbers: Vec<u64> = ids.iter().map(|id| id.number).collect();
        let decode = |row: Arc<[u8]>| decode_chunk(&row).ok_or_else(|| self.snapshot.undecodable());
        self.rows(&numbers)?.into_iter().map(decode).collect()
    }

    fn defines(&self, chunk: ChunkId, name: &str) -> Result<bool, IndexError> {
        let chunks = self.chunks(&[chunk])?;
        Ok(chunks.iter().flat_map(|chunk| &chunk.symbols).any(|symbol| symbol.name == name))
    }

    fn outlines(&self, ids: &[DocumentId]) -> Result<Vec<Outline>, IndexError> {
        self.check_source(ids.iter().map(|id| id.source))?;
        let numbers: Vec<u64> = ids.iter().map(|id| id.number).collect();
        let outlines = self.snapshot.outlines(&numbers)?;
        let outline = |(id, bytes): (&DocumentId, Option<Arc<[u8]>>)| {
            let Some(bytes) = bytes else { return Ok(Outline::default()) };
            let chunks = || {
                let document = self.snapshot.table.document(id.number);
                let count = document.map_or(0, |(_, document)| u64::from(document.chunks));
                let numbers = id.number - count..id.number;
                let chunk = |number| ChunkId { source: id.source, number };
                self.chunks(&numbers.map(chunk).collect::<Vec<_>>())
            };
            decode_outline(&bytes, chunks)?.ok_or_else(|| self.snapshot.undecodable())
        };
        ids.iter().zip(outlines).map(outline).collect()
    }

    fn holders(&self, field: Field, term: &str, limit: usize) -> Result<Vec<Holder>, IndexError> {
        let Some(word) = word(term).filter(|_| limit > 0) else { return Ok(Vec::new()) };
        let lock = || self.holders.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (field, word);
        if let Some(known) = lock().get(&key)
            && (known.is_complete || limit <= known.holders.len())
        {
            return Ok(known.holders.iter().take(limit).copied().collect());
        }
        // Queries look up many attributes that no document has, with few different names.
        let name = key.1.find(['=', ':']).filter(|_| field == Field::Facets);
        if let Some(name) = name
            && !dictionary::holds(&self.snapshot, field, &key.1[..=name], &key.1)?
        {
            return Ok(Vec::new());
        }
        let condition = json!({"term": {column(field): key.1}});
        let holders = self.holders_where(field, vec![condition], limit)?;
        let is_complete = holders.len() < limit;
        lock().put(key, KnownHolders { holders: holders.clone(), is_complete });
        Ok(holders)
    }

    fn announce(&self, terms: &[(Field, String)], limit: usize) -> Result<(), IndexError> {
        let lock = || self.holders.lock().unwrap_or_else(PoisonError::into_inner);
        let mut keys: Vec<(Field, String)> =
            terms.iter().filter_map(|(field, term)| Some((*field, word(term)?))).collect();
        keys.sort_unstable();
        keys.dedup();
        {
            let known = lock();
            keys.retain(|key| !known.contains(key));
        }
        if limit == 0 || limit > MAX_HITS || keys.is_empty() {
            return Ok(());
        }
        let lookups = keys.iter().map(|(field, word)| {
            self.lookup(*field, vec![json!({"term": {column(*field): word}})], limit)
        });
        let answers = self.snapshot.search_all(lookups.collect())?;
        for (key, answer) in keys.into_iter().zip(answers) {
            let found = hits(&answer).iter().map(|hit| self.holder(key.0, hit));
            let holders: Vec<Holder> = found.collect();
            let is_complete = holders.len() < limit;
            lock().put(key, KnownHolders { holders, is_complete });
        }
        Ok(())
    }

    fn holders_of_all(&self, field: Field, terms: &[String]) -> Result<Vec<Holder>, IndexError> {
        let words: Option<Vec<String>> = terms.iter().map(|term| word(term)).collect();
        let Some(words) = words.filter(|words| !words.is_empty()) else { return Ok(Vec::new()) };
        let all = words.iter().map(|word| json!({"term": {column(field): word}})).collect();
        self.holders_where(field, all, usize::MAX)
    }

    fn listing(&self, filter: &Filter) -> Result<Vec<Listed<'_>>, IndexError> {
        Ok(self.listed(filter, |_| true))
    }

    fn listing_of(
        &self,
        ids: &[DocumentId],
        filter: &Filter,
    ) -> Result<Vec<Listed<'_>>, IndexError> {
        let among = DocumentSet::of(ids.iter().copied());
        Ok(self.listed(filter, |number| among.contains_number(number)))
    }

    fn accepted_terms(
        &self,
        field: Field,
        prefix: &str,
        accept: &dyn Fn(&str) -> bool,
        limit: usize,
    ) -> Result<Vec<String>, IndexError> {
        dictionary::terms(&self.snapshot, field, prefix, accept, limit)
    }

    fn frequent_terms(
        &self,
        field: Field,
        prefix: &str,
        limit: usize,
    ) -> Result<Vec<(String, u64)>, IndexError> {
        dictionary::frequent_terms(&self.snapshot, field, prefix, limit)
    }

    fn document_frequency(&self, field: Field, term: &str) -> Result<u64, IndexError> {
        self.frequencies.get(field, term, || part::document_frequency(&self.snapshot, field, term))
    }

    fn summary(&self) -> &Summary {
        self.summary.get_or_init(|| {
            let state = &self.snapshot.state;
            let mut summary = Summary {
                documents: state.documents,
                chunks: state.chunks,
                skipped: state.skip_counts(),
                ..Summary::default()
            };
            self.snapshot.table.count(&mut summary);
            summary
        })
    }

    fn disk_usage(&self) -> DiskUsage {
        let cluster = &self.snapshot.cluster;
        let path = format!("{}/_stats/store?filter_path=_all.total.store", cluster.alias());
        let answer = cluster.send("GET", &path, None).unwrap_or(Value::Null);
        // All repositories are in one index, so it is shared as a whole.
        let bytes = answer["_all"]["total"]["store"]["size_in_bytes"].as_u64().unwrap_or(0);
        DiskUsage { bytes, shared: bytes }
    }
}
