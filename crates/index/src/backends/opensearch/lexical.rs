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
//! 3. All scores of the documents in the lists, without those that cannot be among the best. A document that is in neither list has at most the last
//!    score of each, so that the selection is proven complete (Fagin's threshold algorithm); otherwise
//!    the lists are made longer, up to the maximum number of hits of a request.
//! 4. The evidence of the selected documents: the score of each named part of the query.

use std::collections::{BTreeMap, HashMap, HashSet};

use lore_schema::{Filter, Level};
use serde_json::{Value, json};

use super::{
    accepted::Accepted,
    cluster::MAX_HITS,
    part::{Part, parts, single},
    snapshot::{Snapshot, hits, number, row_kind, score},
};
use crate::{
    Candidate, ChunkCandidate, ChunkId, DocumentId, Evidence, GroupStatistics, IndexError,
    LexicalQuery, Matches,
};

/// Weights of a document's best chunks in its selection score, best first, as in the local index.
const CHUNK_SHARES: [f32; 3] = [1.0, 0.5, 0.25];

/// Length of the lists at first, in shares of the limit.
const FIRST_LENGTH: usize = 2;

/// Maximum share by which two sums of the same scores differ.
const ROUNDING: f32 = 1e-4;

/// Length of the lists at least.
const MIN_LENGTH: usize = 200;

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

/// The best rows of a level.
struct List {
    /// Document and score of each row, best first.
    rows: Vec<(u64, f32)>,
    /// Maximum score of a row that is not in the list; 0 if all are.
    rest: f32,
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
        let named: Vec<u64> = self
            .query
            .also
            .iter()
            .chain(&self.query.reserve.documents)
            .map(|id| id.number)
            .filter(|document| self.accepted.contains(*document))
            .collect();
        let mut length = (limit * FIRST_LENGTH).clamp(MIN_LENGTH, MAX_HITS);
        let mut scores = loop {
            let [chunks, documents] = self.lists(length, limit)?;
            let bound = documents.rest + chunks.rest * CHUNK_SHARES.iter().sum::<f32>();
            let mut among = self.promising(&chunks, &documents, limit);
            among.extend(&named);
            let scores = self.scores(&among)?;
            let last = scores.get(limit.wrapping_sub(1)).map_or(0.0, |(_, score, _)| *score);
            if bound < last || bound == 0.0 || length == MAX_HITS || limit == 0 {
                break scores;
            }
            length = (length * 4).min(MAX_HITS);
        };
        let rest = scores.split_off(limit.min(scores.len()));
        let (also, reserve) = (&self.query.also, &self.query.reserve);
        let is_in = |ids: &[DocumentId], document: u64| ids.iter().any(|id| id.number == document);
        let (more, rest): (Vec<_>, Vec<_>) =
            rest.into_iter().partition(|(document, _, _)| is_in(also, *document));
        scores.extend(more);
        let reserved =
            rest.into_iter().filter(|(document, _, _)| is_in(&reserve.documents, *document));
        let count = scores.len();
        scores.extend(reserved.take(reserve.limit));
        let mut all = self.evidence(&scores)?;
        matches.reserve = all.split_off(count);
        matches.candidates = all;
        Ok(())
    }

    /// Queries of the parts of a level.
    fn clauses(&self, level: Level) -> Vec<Value> {
        let parts = self.parts.iter().filter(|part| part.field.level() == level);
        parts.map(|part| part.query(part.weight)).collect()
    }

    /// Finds the best rows of both levels.
    fn lists(&self, length: usize, limit: usize) -> Result<[List; 2], IndexError> {
        const LEVELS: [Level; 2] = [Level::Chunk, Level::Document];
        let requests = LEVELS.map(|level| {
            let clauses = self.clauses(level);
            (limit > 0 && !clauses.is_empty()).then(|| self.request(level, &clauses, length))
        });
        let sent = requests.iter().flatten().cloned().collect();
        let mut answers = self.snapshot.search_all(sent)?.into_iter();
        Ok(requests.map(|request| {
            let Some(answer) = request.and_then(|_| answers.next()) else {
                return List { rows: Vec::new(), rest: 0.0 };
            };
            let hits = hits(&answer);
            let rest = if hits.len() < length { 0.0 } else { hits.last().map_or(0.0, score) };
            let rows = hits.iter().map(|hit| (number(hit, "document"), score(hit))).collect();
            List { rows, rest }
        }))
    }

    /// The documents of both lists that may be among the best `limit`. The rows in the lists give each
    /// document a minimum score, and the last rows a maximum.
    fn promising(&self, chunks: &List, documents: &List, limit: usize) -> HashSet<u64> {
        let mut of: HashMap<u64, (Option<f32>, Vec<f32>)> = HashMap::new();
        for (document, score) in &chunks.rows {
            of.entry(*document).or_default().1.push(*score);
        }
        for (document, score) in &documents.rows {
            of.entry(*document).or_default().0 = Some(*score);
        }
        // A document that does not qualify gives no minimum.
        if self.has_optional || !self.accepted.partly.is_empty() {
            return of.into_keys().collect();
        }
        let sum = |own: f32, known: &[f32], rest: f32| {
            let scores = known.iter().copied().chain(std::iter::repeat(rest));
            own + scores.zip(CHUNK_SHARES).map(|(score, share)| score * share).sum::<f32>()
        };
        let mut minima: Vec<f32> =
            of.values().map(|(own, known)| sum(own.unwrap_or(0.0), known, 0.0)).collect();
        minima.sort_unstable_by(|left, right| right.total_cmp(left));
        let least = minima.get(limit.wrapping_sub(1)).copied().unwrap_or(0.0);
        // The cluster may round the sums of two requests differently.
        let least = least - least.abs() * ROUNDING;
        let may_be_best = |(_, (own, known)): &(u64, (Option<f32>, Vec<f32>))| {
            sum(own.unwrap_or(documents.rest), known, chunks.rest) >= least
        };
        of.into_iter().filter(may_be_best).map(|(document, _)| document).collect()
    }

    /// A request for the best rows of a level.
    fn request(&self, level: Level, clauses: &[Value], length: usize) -> Value {
        let accepted = match level {
            Level::Chunk => self.accepted.chunks(),
            Level::Document => self.accepted.documents(),
        };
        json!({
            "size": length, "track_total_hits": false,
            "query": {"bool": {
                "filter": [self.snapshot.rows(&[row_kind(level)]), accepted],
                "should": clauses, "minimum_should_match": 1,
            }},
            "sort": ["_score", {"_shard_doc": "asc"}],
            "stored_fields": "_none_", "docvalue_fields": ["document"],
        })
    }

    /// Computes the scores of these documents: number, score and parts, best first, without those that do
    /// not qualify.
    fn scores(&self, documents: &HashSet<u64>) -> Result<Vec<(u64, f32, Scores)>, IndexError> {
        let clauses = [self.clauses(Level::Chunk), self.clauses(Level::Document)].concat();
        if clauses.is_empty() || documents.is_empty() {
            return Ok(Vec::new());
        }
        let mut should = clauses;
        let optional = |part: &&Part<'_>| self.query.groups[part.group].optional;
        if self.has_optional {
            let required = self.parts.iter().filter(|part| !optional(part));
            let required: Vec<Value> = required.map(Part::rows).collect();
            // Without conditions, the query would accept every row.
            if required.is_empty() {
                return Ok(Vec::new());
            }
            should.push(json!({"bool": {"should": required, "boost": 0, "_name": "required"}}));
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
            let names = hit["matched_queries"].as_array().into_iter().flatten();
            scores.qualifies |=
                !self.has_optional || names.into_iter().any(|name| name == "required");
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
        let key = |document: u64| {
            self.snapshot.table.document(document).map(|(unit, it)| (&it.locator, &unit.name))
        };
        all.sort_by(|left, right| {
            right.1.total_cmp(&left.1).then_with(|| key(left.0).cmp(&key(right.0)))
        });
        Ok(all)
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
