//! The reader: answers queries from an immutable snapshot of the cluster.

use std::{collections::BTreeSet, sync::Arc};

use lore_schema::{Field, Filter, Level, Outline, SourceName, Stamp};
use serde_json::{Value, json};

use super::{
    cluster::MAX_HITS,
    dense, dictionary,
    kept::{FieldWord, FieldWords, KnownHolders},
    lexical, part,
    points::lock,
    snapshot::{Snapshot, hits, number, row_kind},
    table::{Acceptance, DocumentFilter},
    terms::{column, word},
};
use crate::{
    AcceptedPrefix, ChunkId, DenseMatches, DenseQuery, DiskUsage, DocumentId, DocumentSet, Holder,
    IndexError, IndexVersion, LexicalQuery, Listed, Matches, Reader, Similar, StoredChunk,
    StoredDocument, Summary, VectorCounts,
    backends::local::{
        codec::{decode_chunk, decode_document},
        outline::decode_outline,
    },
};

/// Maximum number of documents of which the rows with an announced name are read at once.
const MAX_READ: usize = 6;

/// Maximum number of documents that are read together because the next one of them is read.
const MAX_AHEAD: usize = 64;

/// Maximum number of rows of a list that is kept.
const MAX_KEPT: usize = 10_000;

/// A reader of a cluster.
pub(super) struct ClusterReader {
    snapshot: Arc<Snapshot>,
}

impl ClusterReader {
    pub(super) fn new(snapshot: Arc<Snapshot>) -> ClusterReader {
        ClusterReader { snapshot }
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
            "stored_fields": "_none_", "docvalue_fields": ["number", "document"],
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

    /// Words of terms that a row may have together; `None` if no row has all of them.
    fn conjunction(
        &self,
        field: Field,
        terms: &[String],
    ) -> Result<Option<FieldWords>, IndexError> {
        let words: Option<Vec<String>> = terms.iter().map(|term| word(term)).collect();
        let Some(mut words) = words.filter(|words| !words.is_empty()) else { return Ok(None) };
        words.sort_unstable();
        words.dedup();
        for word in &words {
            if dictionary::is_absent(&self.snapshot, field, word)? {
                return Ok(None);
            }
        }
        Ok(Some((field, words)))
    }

    /// Notes the documents that may be read next.
    fn note_ahead(&self, field: Field, holders: &[Holder]) {
        let is_name = matches!(field, Field::Symbol | Field::Conformance | Field::References);
        let mut documents: Vec<u64> = holders.iter().map(|holder| holder.document.number).collect();
        documents.dedup();
        if is_name {
            *lock(&self.snapshot.kept.ahead) = documents;
        }
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

/// The conditions of rows with all of these words.
fn conditions((field, words): &FieldWords) -> Vec<Value> {
    words.iter().map(|word| json!({"term": {column(*field): word}})).collect()
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
            // A single document is read for its outline, too; and the documents that define or use a name
            // are read one after the other.
            let next: Vec<u64> = {
                let ahead = lock(&self.snapshot.kept.ahead);
                let place = ahead.iter().position(|number| numbers.contains(number));
                let next = place.map_or(&numbers[..], |place| &ahead[place..]);
                next.iter().take(MAX_AHEAD).copied().collect()
            };
            self.snapshot.outlines(&next)?;
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
        let key = (field, word);
        if let Some(known) = self.snapshot.kept.holders().get(&key)
            && (known.is_complete || limit <= known.holders.len())
        {
            let holders: Vec<Holder> = known.holders.iter().take(limit).copied().collect();
            self.note_ahead(field, &holders);
            return Ok(holders);
        }
        // Queries look up many attributes that no document has, with few different names.
        if match field {
            Field::Facets => !dictionary::holds(&self.snapshot, field, &key.1)?,
            _ => dictionary::is_absent(&self.snapshot, field, &key.1)?,
        } {
            return Ok(Vec::new());
        }
        let condition = json!({"term": {column(field): key.1}});
        let holders = self.holders_where(field, vec![condition], limit)?;
        self.note_ahead(field, &holders);
        let is_complete = holders.len() < limit;
        let known = KnownHolders { holders: holders.clone(), is_complete };
        self.snapshot.kept.holders().put(key, known);
        Ok(holders)
    }

    fn announce(&self, terms: &[(Field, String)], limit: usize) -> Result<(), IndexError> {
        let mut keys: Vec<FieldWord> =
            terms.iter().filter_map(|(field, term)| Some((*field, word(term)?))).collect();
        keys.sort_unstable();
        keys.dedup();
        {
            let known = self.snapshot.kept.holders();
            keys.retain(|key| !known.contains(key));
        }
        dictionary::retain_present(&self.snapshot, &mut keys)?;
        if limit == 0 || limit > MAX_HITS || keys.is_empty() {
            return Ok(());
        }
        let lookups = keys.iter().map(|(field, word)| {
            self.lookup(*field, vec![json!({"term": {column(*field): word}})], limit)
        });
        let answers = self.snapshot.search_all(lookups.collect())?;
        let mut read = BTreeSet::new();
        for (key, answer) in keys.into_iter().zip(answers) {
            let found = hits(&answer).iter().map(|hit| self.holder(key.0, hit));
            let holders: Vec<Holder> = found.collect();
            let is_complete = holders.len() < limit;
            // The spelling of rare names is compared next.
            let documents: BTreeSet<_> = holders.iter().map(|holder| holder.document).collect();
            if key.0 == Field::Symbol && documents.len() <= MAX_READ {
                read.extend(holders.iter().filter_map(|holder| Some(holder.chunk?.number)));
            }
            let known = KnownHolders { holders, is_complete };
            self.snapshot.kept.holders().put(key, known);
        }
        self.snapshot.stored(&read.into_iter().collect::<Vec<_>>()).map(drop)
    }

    fn announce_frequencies(&self, terms: &[(Field, String)]) -> Result<(), IndexError> {
        let frequencies = &self.snapshot.kept.frequencies;
        let mut missing: Vec<(Field, String)> =
            terms.iter().filter(|term| !frequencies.contains(term)).cloned().collect();
        missing.sort_unstable();
        missing.dedup();
        let counted = part::document_frequencies(&self.snapshot, &missing)?;
        for (term, frequency) in missing.into_iter().zip(counted) {
            frequencies.put(term, frequency);
        }
        Ok(())
    }

    fn announce_terms(
        &self,
        fields: &[Field],
        prefixes: &[AcceptedPrefix<'_>],
    ) -> Result<(), IndexError> {
        dictionary::announce(&self.snapshot, fields, prefixes)
    }

    fn announce_similar(
        &self,
        query: &DenseQuery,
        filter: &Filter,
        ids: &[DocumentId],
    ) -> Result<(), IndexError> {
        self.similar(query, filter, ids).map(drop)
    }

    fn holders_of_all(&self, field: Field, terms: &[String]) -> Result<Vec<Holder>, IndexError> {
        let Some(key) = self.conjunction(field, terms)? else { return Ok(Vec::new()) };
        if let Some(known) = self.snapshot.kept.conjunctions().get(&key) {
            return Ok(known.to_vec());
        }
        let holders = self.holders_where(field, conditions(&key), usize::MAX)?;
        if holders.len() <= MAX_KEPT {
            self.snapshot.kept.conjunctions().put(key, holders.as_slice().into());
        }
        Ok(holders)
    }

    fn announce_all(&self, lists: &[(Field, Vec<String>)]) -> Result<(), IndexError> {
        let mut keys = Vec::with_capacity(lists.len());
        for (field, terms) in lists {
            let key = self.conjunction(*field, terms)?;
            keys.extend(key.filter(|key| !self.snapshot.kept.conjunctions().contains(key)));
        }
        let lookups = keys.iter().map(|key| self.lookup(key.0, conditions(key), MAX_KEPT));
        let answers = self.snapshot.search_all(lookups.collect())?;
        for (key, answer) in keys.into_iter().zip(answers) {
            let found = hits(&answer).iter().map(|hit| self.holder(key.0, hit));
            let holders: Vec<Holder> = found.collect();
            if holders.len() < MAX_KEPT {
                self.snapshot.kept.conjunctions().put(key, holders.into());
            }
        }
        Ok(())
    }

    fn documents_with(&self, field: Field, term: &str) -> Result<Vec<DocumentId>, IndexError> {
        let numbers = part::documents_with(&self.snapshot, field, term)?;
        let source = self.snapshot.source;
        Ok(numbers.into_iter().map(|number| DocumentId { source, number }).collect())
    }

    fn is_distant(&self) -> bool {
        true
    }

    fn texts(&self, ids: &[DocumentId]) -> Result<Vec<Option<String>>, IndexError> {
        self.check_source(ids.iter().map(|id| id.source))?;
        let numbers: Vec<u64> = ids.iter().map(|id| id.number).collect();
        let mut found = self.snapshot.texts(&numbers)?;
        Ok(numbers.iter().map(|number| found.remove(number)).collect())
    }

    fn written(&self) -> Option<i64> {
        self.snapshot.state.written
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
        let count = || {
            let counted = part::document_frequencies(&self.snapshot, &[(field, term.to_owned())])?;
            Ok(counted.first().copied().unwrap_or(0))
        };
        self.snapshot.kept.frequencies.get(field, term, count)
    }

    fn summary(&self) -> &Summary {
        self.snapshot.kept.summary.get_or_init(|| {
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
