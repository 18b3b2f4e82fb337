//! Lexical retrieval: BM25 of every word in every field, computed by the cluster with the statistics of
//! one source.
//!
//! The cluster's own scores use the statistics of a shard, with the rows of all repositories and with
//! deleted ones, and score each form of a word by itself. So the columns of words have a similarity that
//! returns the frequency, and a script computes the score of a word with all its forms from it. The
//! scores are those of the local index.
//!
//! A query takes four requests:
//!
//! 1. The statistics: in how many rows each word occurs in each field, and the totals.
//! 2. The best rows of chunks and the best rows of documents, as a list each.
//! 3. All scores of the documents in the lists, without those that cannot be among the best. A document
//!    that is in neither list has at most the last score of each, so that the selection is proven complete
//!    (Fagin's threshold algorithm); otherwise the lists are made longer, up to the maximum number of hits
//!    of a request. A large reserve is selected from in the same way.
//! 4. The evidence of the selected documents: the score of each named part of the query.

use std::collections::{BTreeMap, HashSet};

use lore_schema::{Filter, Level};
use serde_json::{Value, json};

use super::{
    accepted::Accepted,
    cluster::MAX_HITS,
    lists::{CHUNK_SHARES, List, Row, promising},
    part::{Part, parts, single},
    snapshot::{Snapshot, hits, number, row_kind, score},
};
use crate::{
    Candidate, ChunkCandidate, ChunkId, DocumentId, Evidence, GroupStatistics, IndexError,
    LexicalQuery, Matches,
};

/// Length of the lists at first, in shares of the limit.
const FIRST_LENGTH: usize = 2;

/// Length of the lists at least. In a million passages, 200 rows are seldom enough for the proof, and 800 take
/// no more time.
const MIN_LENGTH: usize = 800;

/// Number of documents of a reserve of which all rows are scored. Small in debug builds, so that tests with
/// few documents select from a reserve.
const MAX_SCORED: usize = if cfg!(debug_assertions) { 2 } else { 100 };

/// Maximum number of documents in a condition: OpenSearch accepts 65,536 terms.
const MAX_TERMS: usize = 60_000;

/// A query, prepared for a snapshot.
struct Search<'q> {
    snapshot: &'q Snapshot,
    query: &'q LexicalQuery,
    parts: Vec<Part<'q>>,
    accepted: Accepted,
    /// True if documents that match only optional groups have to be distinguished.
    has_optional: bool,
}

/// Answers a query.
pub(super) fn search(
    snapshot: &Snapshot,
    query: &LexicalQuery,
    filter: &Filter,
    limit: usize,
) -> Result<Matches, IndexError> {
    let mut search = Search {
        snapshot,
        query,
        parts: parts(snapshot, query)?,
        accepted: Accepted::new(snapshot, filter, &query.within),
        has_optional: query.groups.iter().any(|group| group.optional),
    };
    let mut matches = search.count()?;
    if !search.accepted.is_none() {
        search.select(&mut matches, limit)?;
    }
    Ok(matches)
}

/// The scores of a document.
#[derive(Debug, Default, Clone)]
struct Scores {
    own: f32,
    /// Number and score of each accepted chunk that matches.
    chunks: Vec<(u64, f32)>,
    /// True if a group that is not optional matches.
    qualifies: bool,
}

impl Scores {
    /// Score for the selection: the own row plus the best chunks.
    fn sum(&mut self) -> f32 {
        self.chunks.sort_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
        let best = self.chunks.iter().zip(CHUNK_SHARES);
        self.own + best.map(|((_, score), share)| score * share).sum::<f32>()
    }
}

impl Search<'_> {
    /// Counts rows with each word, and documents with all and any.
    fn count(&mut self) -> Result<Matches, IndexError> {
        let mut groups = vec![GroupStatistics::default(); self.query.groups.len()];
        if self.parts.is_empty() {
            return Ok(Matches { groups, ..Matches::default() });
        }
        let required: Vec<usize> =
            (0..self.query.groups.len()).filter(|at| !self.query.groups[*at].optional).collect();
        let with: Vec<Value> = required.iter().map(|at| self.documents_with(*at)).collect();
        let accepted = self.accepted.documents();
        let own = json!({"term": {"row": "document"}});
        let mut counted: Vec<Value> = self.parts.iter().map(Part::rows).collect();
        counted.extend((0..self.query.groups.len()).map(|group| self.documents_with(group)));
        let is_total_counted =
            !self.accepted.is_none() && !with.is_empty() && self.accepted.partly.is_empty();
        if is_total_counted {
            let filter = json!([own, accepted]);
            let any = json!({"should": with, "filter": filter, "minimum_should_match": 1});
            counted.push(json!({"bool": any}));
            let all = [with.as_slice(), &[own, accepted]].concat();
            counted.push(json!({"bool": {"filter": all}}));
        }
        // An aggregation would compare every row with every condition.
        let rows = self.snapshot.rows(&["chunk", "document"]);
        let requests = counted.into_iter().map(|condition| {
            json!({
                "size": 0, "track_total_hits": true,
                "query": {"bool": {"filter": [rows, condition]}},
            })
        });
        let answers = self.snapshot.search_all(requests.collect())?;
        let mut counts = answers.iter().map(super::snapshot::total);
        for part in &mut self.parts {
            part.set_frequency(counts.next().unwrap_or(0));
            groups[part.group].idf[part.field.index()] = part.idf;
        }
        self.parts.retain(|part| part.idf > 0.0);
        for group in &mut groups {
            group.documents = counts.next().unwrap_or(0);
        }
        let (mut total, mut matched_all) = (counts.next().unwrap_or(0), counts.next().unwrap_or(0));
        if !self.accepted.partly.is_empty() {
            (total, matched_all) = self.count_partly(&required)?;
        }
        Ok(Matches { groups, total, matched_all, ..Matches::default() })
    }

    /// Documents with a group, as a condition of their own rows.
    fn documents_with(&self, group: usize) -> Value {
        let parts = self.parts.iter().filter(|part| part.group == group);
        let words: Vec<Value> = parts.map(Part::documents).collect();
        if words.is_empty() {
            return json!({"match_none": {}});
        }
        json!({"bool": {"should": words}})
    }

    /// The condition of accepted rows of both levels.
    fn accepted_rows(&self) -> Value {
        json!({"bool": {"should": [
            {"bool": {"filter": [{"term": {"row": "document"}}, self.accepted.documents()]}},
            {"bool": {"filter": [{"term": {"row": "chunk"}}, self.accepted.chunks()]}},
        ]}})
    }

    /// Counts documents of which only some chunks are accepted, by looking at every row with a word.
    fn count_partly(&self, required: &[usize]) -> Result<(u64, u64), IndexError> {
        let mut found: BTreeMap<u64, (HashSet<usize>, bool)> = BTreeMap::new();
        let named = (0..self.query.groups.len()).filter_map(|group| {
            let parts = self.parts.iter().filter(|part| part.group == group);
            let words: Vec<Value> = parts.map(Part::rows).collect();
            let name = group.to_string();
            (!words.is_empty()).then(|| json!({"bool": {"should": words, "_name": name}}))
        });
        let named: Vec<Value> = named.collect();
        if named.is_empty() {
            return Ok((0, 0));
        }
        let rows = self.snapshot.rows(&["chunk", "document"]);
        let body = json!({
            "query": {"bool": {
                "filter": [rows, self.accepted_rows()], "should": named, "minimum_should_match": 1,
            }},
            "stored_fields": "_none_", "docvalue_fields": ["document", "number"],
        });
        self.snapshot.each(body, |hit| {
            let (document, row) = (number(hit, "document"), number(hit, "number"));
            let (groups, has_chunk) = found.entry(document).or_default();
            *has_chunk |= row != document;
            let names = hit["matched_queries"].as_array().into_iter().flatten();
            groups.extend(names.filter_map(|name| name.as_str()?.parse::<usize>().ok()));
            Ok(())
        })?;
        let mut counts = (0, 0);
        for (document, (groups, has_chunk)) in &found {
            let matched = required.iter().filter(|group| groups.contains(group)).count();
            if matched > 0 && (*has_chunk || !self.accepted.is_partly(*document)) {
                counts.0 += 1;
                counts.1 += u64::from(matched == required.len());
            }
        }
        Ok(counts)
    }

    /// Selects the best documents, and adds them with their evidence.
    fn select(&self, matches: &mut Matches, limit: usize) -> Result<(), IndexError> {
        let accepted = |ids: &[DocumentId]| -> HashSet<u64> {
            let numbers = ids.iter().map(|id| id.number);
            numbers.filter(|document| self.accepted.contains(*document)).collect()
        };
        let also = accepted(&self.query.also);
        let mut reserve = accepted(&self.query.reserve.documents);
        let is_small = reserve.len() <= MAX_SCORED;
        let mut named = also.clone();
        if is_small {
            named.extend(&reserve);
        }
        let mut scores = self.best(None, limit, &named)?;
        let rest = scores.split_off(limit.min(scores.len()));
        let (more, rest): (Vec<_>, Vec<_>) =
            rest.into_iter().partition(|(document, _, _)| also.contains(document));
        scores.extend(more);
        let count = scores.len();
        let most = self.query.reserve.limit;
        if is_small {
            let reserved = rest.into_iter().filter(|(document, _, _)| reserve.contains(document));
            scores.extend(reserved.take(most));
        } else {
            for (document, _, _) in &scores {
                reserve.remove(document);
            }
            let mut numbers: Vec<u64> = reserve.into_iter().collect();
            numbers.sort_unstable();
            let mut reserved = Vec::new();
            for some in numbers.chunks(MAX_TERMS) {
                let mut best = self.best(Some(some), most, &HashSet::new())?;
                best.truncate(most);
                reserved.extend(best);
            }
            self.sort(&mut reserved);
            scores.extend(reserved.into_iter().take(most));
        }
        let mut all = self.evidence(&scores)?;
        matches.reserve = all.split_off(count);
        matches.candidates = all;
        Ok(())
    }

    /// The best `limit` documents, of `among` if there is such a list, and the documents in `named`: number,
    /// score and parts, best first. The list may contain more than `limit`.
    fn best(
        &self,
        among: Option<&[u64]>,
        limit: usize,
        named: &HashSet<u64>,
    ) -> Result<Vec<(u64, f32, Scores)>, IndexError> {
        let mut length = (limit * FIRST_LENGTH).clamp(MIN_LENGTH, MAX_HITS);
        loop {
            let [chunks, documents] = self.lists(among, length, limit)?;
            let bound = documents.rest + chunks.rest * CHUNK_SHARES.iter().sum::<f32>();
            let mut promising = if self.accepted.partly.is_empty() {
                promising(&chunks, &documents, limit)
            } else {
                chunks.documents().chain(documents.documents()).collect()
            };
            promising.extend(named);
            let scores = self.scores(&promising)?;
            let last = scores.get(limit.wrapping_sub(1)).map_or(0.0, |(_, score, _)| *score);
            if bound < last || bound == 0.0 || length == MAX_HITS || limit == 0 {
                return Ok(scores);
            }
            length = (length * 4).min(MAX_HITS);
        }
    }

    /// Queries of the parts of a level.
    fn clauses(&self, level: Level) -> Vec<Value> {
        let parts = self.parts.iter().filter(|part| part.field.level() == level);
        parts.map(|part| part.query(part.weight)).collect()
    }

    /// Finds the best rows of both levels, of these documents if there is such a list.
    fn lists(
        &self,
        among: Option<&[u64]>,
        length: usize,
        limit: usize,
    ) -> Result<[List; 2], IndexError> {
        const LEVELS: [Level; 2] = [Level::Chunk, Level::Document];
        let requests = LEVELS.map(|level| {
            let clauses = self.clauses(level);
            let is_wanted = limit > 0 && !clauses.is_empty();
            is_wanted.then(|| self.request(level, among, clauses, length))
        });
        let sent = requests.iter().flatten().cloned().collect();
        let mut answers = self.snapshot.search_all(sent)?.into_iter();
        Ok(requests.map(|request| {
            let Some(answer) = request.and_then(|_| answers.next()) else {
                return List { rows: Vec::new(), rest: 0.0 };
            };
            let hits = hits(&answer);
            let rest = if hits.len() < length { 0.0 } else { hits.last().map_or(0.0, score) };
            let row = |hit: &Value| Row {
                document: number(hit, "document"),
                score: score(hit),
                qualifies: self.qualifies(hit),
            };
            List { rows: hits.iter().map(row).collect(), rest }
        }))
    }

    /// A request for the best rows of a level.
    fn request(
        &self,
        level: Level,
        among: Option<&[u64]>,
        mut clauses: Vec<Value>,
        length: usize,
    ) -> Value {
        let accepted = match level {
            Level::Chunk => self.accepted.chunks(),
            Level::Document => self.accepted.documents(),
        };
        if self.has_optional {
            clauses.extend(self.required());
        }
        let mut filter = vec![self.snapshot.rows(&[row_kind(level)]), accepted];
        filter.extend(among.map(|documents| json!({"terms": {"document": documents}})));
        json!({
            "size": length, "track_total_hits": false,
            "query": {"bool": {
                "filter": filter, "should": clauses, "minimum_should_match": 1,
            }},
            "sort": ["_score", {"_shard_doc": "asc"}],
            "stored_fields": "_none_", "docvalue_fields": ["document"],
        })
    }

    /// A named condition without a score: a group that is not optional matches. `None` if there is none.
    fn required(&self) -> Option<Value> {
        let required = self.parts.iter().filter(|part| !self.query.groups[part.group].optional);
        let required: Vec<Value> = required.map(Part::rows).collect();
        // Without conditions, the query would accept every row.
        (!required.is_empty())
            .then(|| json!({"bool": {"should": required, "boost": 0, "_name": "required"}}))
    }

    /// Returns true if a row of a query with [`required`](Search::required) meets that condition.
    fn qualifies(&self, hit: &Value) -> bool {
        let mut names = hit["matched_queries"].as_array().into_iter().flatten();
        !self.has_optional || names.any(|name| name == "required")
    }

    /// Computes the scores of these documents: number, score and parts, best first, without those that do
    /// not qualify.
    fn scores(&self, documents: &HashSet<u64>) -> Result<Vec<(u64, f32, Scores)>, IndexError> {
        let clauses = [self.clauses(Level::Chunk), self.clauses(Level::Document)].concat();
        if clauses.is_empty() || documents.is_empty() {
            return Ok(Vec::new());
        }
        let mut should = clauses;
        if self.has_optional {
            let Some(required) = self.required() else { return Ok(Vec::new()) };
            should.push(required);
        }
        let mut listed: Vec<u64> = documents.iter().copied().collect();
        listed.sort_unstable();
        let body = json!({
            "query": {"bool": {
                "filter": [
                    self.snapshot.rows(&["chunk", "document"]),
                    {"terms": {"document": listed}},
                    self.accepted_rows(),
                ],
                "should": should, "minimum_should_match": 1,
            }},
            "track_scores": true, "stored_fields": "_none_", "docvalue_fields": ["document", "number"],
        });
        let mut found: BTreeMap<u64, Scores> = BTreeMap::new();
        self.snapshot.each(body, |hit| {
            let (document, row) = (number(hit, "document"), number(hit, "number"));
            let scores = found.entry(document).or_default();
            if row == document {
                scores.own = score(hit);
            } else {
                scores.chunks.push((row, score(hit)));
            }
            scores.qualifies |= self.qualifies(hit);
            Ok(())
        })?;
        let mut all: Vec<(u64, f32, Scores)> = Vec::with_capacity(found.len());
        for (document, mut scores) in found {
            if scores.qualifies && !(scores.chunks.is_empty() && self.accepted.is_partly(document))
            {
                let sum = scores.sum();
                if sum > 0.0 {
                    all.push((document, sum, scores));
                }
            }
        }
        self.sort(&mut all);
        Ok(all)
    }

    /// Sorts documents by score, best first, and then by their keys.
    fn sort(&self, documents: &mut [(u64, f32, Scores)]) {
        let key = |document: u64| {
            self.snapshot.table.document(document).map(|(unit, it)| (&it.locator, &unit.name))
        };
        documents.sort_by(|left, right| {
            right.1.total_cmp(&left.1).then_with(|| key(left.0).cmp(&key(right.0)))
        });
    }

    /// Requests the evidence of documents and their best chunks.
    fn evidence(&self, chosen: &[(u64, f32, Scores)]) -> Result<Vec<Candidate>, IndexError> {
        let source = self.snapshot.source;
        let zeros = || Evidence::zeros(self.query.groups.len());
        let mut rows = Vec::new();
        let mut candidates: Vec<Candidate> = Vec::with_capacity(chosen.len());
        for (document, _, scores) in chosen {
            let best = scores.chunks.iter().filter(|(_, score)| *score > 0.0);
            let best = best.take(self.query.chunks_per_document);
            let chunks: Vec<ChunkCandidate> = best
                .map(|(number, _)| ChunkCandidate {
                    id: ChunkId { source, number: *number },
                    evidence: zeros(),
                })
                .collect();
            rows.push(*document);
            rows.extend(chunks.iter().map(|chunk| chunk.id.number));
            let id = DocumentId { source, number: *document };
            candidates.push(Candidate { id, evidence: zeros(), chunks });
        }
        if rows.is_empty() {
            return Ok(candidates);
        }
        let named = self.parts.iter().map(|part| {
            let mut query = part.query(1.0);
            query["script_score"]["_name"] = json!(part.name());
            query
        });
        let named: Vec<Value> = named.collect();
        let body = json!({
            "query": {"bool": {
                "filter": [self.snapshot.rows(&["chunk", "document"]), {"terms": {"number": rows}}],
                "should": named, "minimum_should_match": 1,
            }},
            // The rows are read next.
            "named": true, "stored_fields": "_none_", "docvalue_fields": ["number", "stored"],
        });
        let mut found: BTreeMap<u64, Evidence> = BTreeMap::new();
        self.snapshot.each(body, |hit| {
            self.snapshot.keep(hit)?;
            let mut evidence = zeros();
            for (name, score) in hit["matched_queries"].as_object().into_iter().flatten() {
                let part = self.parts.iter().find(|part| part.name() == *name);
                if let Some((part, score)) = part.zip(score.as_f64()) {
                    evidence.set(part.group, part.field, single(score));
                }
            }
            found.insert(number(hit, "number"), evidence);
            Ok(())
        })?;
        for candidate in &mut candidates {
            if let Some(evidence) = found.remove(&candidate.id.number) {
                candidate.evidence = evidence;
            }
            for chunk in &mut candidate.chunks {
                if let Some(evidence) = found.remove(&chunk.id.number) {
                    chunk.evidence = evidence;
                }
            }
        }
        Ok(candidates)
    }
}
