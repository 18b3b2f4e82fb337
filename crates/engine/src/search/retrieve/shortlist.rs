//! The shortlist of a search in several trees: the documents of all of them that are read and scored.
//!
//! Each index returns as many candidates as an answer from it alone needs. With 25 trees, nearly all of
//! them are read for nothing. So the candidates of all trees are compared by what their indexes returned,
//! before any document is read. A source of one tree never has more than a shortlist holds, so it is
//! complete there.

use std::collections::{BTreeMap, HashMap};

use foldhash::HashSet;
use lore_index::{Candidate, DocumentId};
use lore_schema::{Field, Level, SourceName};

use super::{Looked, gather::admitted_similar, lookup::Lookup};
use crate::search::{
    context::SearchContext,
    parse::{Order, ParsedQuery},
};

/// Documents of one source, in all trees together, that are scored for their words.
const BY_WORDS: usize = 150;

/// Documents of one source, in all trees together, that are scored for their similarity.
const BY_SIMILARITY: usize = 60;

/// Documents of a list for each hit of the request.
const EACH_HIT: usize = 2;

/// Shares of the best chunks of a document in its score, best first, as in the choice of an index.
const CHUNK_SHARES: [f32; 3] = [1.0, 0.5, 0.25];

/// The documents that are read, by source of the snapshot; `None` for a source of which all candidates
/// are.
pub(crate) type Shortlist = Vec<Option<HashSet<DocumentId>>>;

/// A tree with the candidates that its indexes returned.
pub(crate) struct LookedTree<'a, 'l> {
    pub(crate) query: &'a ParsedQuery,
    pub(crate) looked: &'l Looked<'a>,
    pub(crate) context: SearchContext<'a>,
}

/// The shortlist of each tree. The documents of all trees are compared in each source.
pub(crate) fn shortlists(trees: &[LookedTree<'_, '_>]) -> Vec<Shortlist> {
    let mut lists: Vec<Shortlist> =
        trees.iter().map(|tree| vec![None; tree.looked.lookups.len()]).collect();
    // Facets count the candidates.
    let is_cut = |tree: &LookedTree<'_, '_>| {
        tree.query.order() != Order::LastChange && !tree.context.request.extras.facets
    };
    if trees.len() < 2 || !trees.iter().all(is_cut) {
        return lists;
    }
    for source in SourceName::ALL {
        let members: Vec<Member<'_>> =
            trees.iter().enumerate().filter_map(|(at, tree)| tree.member(at, *source)).collect();
        let limit = members.iter().map(|member| member.limit).max().unwrap_or(0) * EACH_HIT;
        let rarity = Rarity::of(&members);
        let by_words = members.iter().flat_map(|member| member.by_words(&rarity));
        // Similarities of two models are not comparable.
        let mut by_model: BTreeMap<&str, Vec<(f32, usize, DocumentId)>> = BTreeMap::new();
        for member in &members {
            by_model.entry(member.model).or_default().extend(member.by_similarity());
        }
        let mut chosen = best(by_words.collect(), BY_WORDS.max(limit));
        for similar in by_model.into_values() {
            chosen.extend(best(similar, BY_SIMILARITY.max(limit)));
        }
        let mut kept: HashMap<usize, HashSet<DocumentId>> = HashMap::new();
        for (tree, id) in chosen {
            kept.entry(tree).or_default().insert(id);
        }
        for member in members {
            let mut documents = kept.remove(&member.tree).unwrap_or_default();
            documents.extend(member.pinned());
            lists[member.tree][member.lookup.source] = Some(documents);
        }
    }
    lists
}

impl<'a: 'l, 'l> LookedTree<'a, 'l> {
    /// The lookup in a source, if its candidates are compared with those of other trees.
    fn member(&self, tree: usize, source: SourceName) -> Option<Member<'l>> {
        let LookedTree { query, looked, context } = self;
        if !looked.is_answerable {
            return None;
        }
        let sources = &context.snapshot.sources;
        let lookup = looked.lookups.iter().find(|lookup| {
            let open = &sources[lookup.source];
            // Documents that differ from the disk are dropped when they are read, and not counted.
            open.reader.source() == source && open.pending.is_empty()
        })?;
        let documents = sources[lookup.source].reader.summary().documents;
        let words = query.plan.query.words.iter().map(|word| word.term.as_str()).collect();
        let limit = context.request.limit;
        let similar = admitted_similar(lookup, query, *context);
        let model = query.vector.name.as_str();
        Some(Member { tree, lookup, words, documents, limit, similar, model })
    }
}

/// A source of one tree.
struct Member<'l> {
    /// Position of the tree.
    tree: usize,
    lookup: &'l Lookup<'l>,
    /// The words of the query.
    words: Vec<&'l str>,
    /// Number of documents.
    documents: u64,
    /// Number of requested hits.
    limit: usize,
    /// The similar documents that may be candidates: similarity and identifier.
    similar: Vec<(f32, DocumentId)>,
    /// The model of the similarities.
    model: &'l str,
}

impl Member<'_> {
    /// The candidates by their words, each with its tree.
    fn by_words(&self, rarity: &Rarity<'_>) -> Vec<(f32, usize, DocumentId)> {
        let weights = self.weights(rarity);
        let candidates = self.lookup.matches.candidates.iter();
        candidates.map(|it| (score(it, &weights), self.tree, it.id)).collect()
    }

    /// The candidates by the similarity of their best chunks, each with its tree.
    fn by_similarity(&self) -> Vec<(f32, usize, DocumentId)> {
        self.similar.iter().map(|(similarity, id)| (*similarity, self.tree, *id)).collect()
    }

    /// Documents that are read whatever their scores: they may contain the query word by word.
    fn pinned(&self) -> impl Iterator<Item = DocumentId> {
        self.lookup.possibly_exact.iter().copied()
    }

    /// For each word and field, the factor that turns the evidence of this index into one that is
    /// comparable between trees: the word is as rare as it is in all of them.
    fn weights(&self, rarity: &Rarity<'_>) -> Vec<[f32; Field::ALL.len()]> {
        let lexical = &self.lookup.prepared.lexical;
        let groups = lexical.groups.iter().zip(&self.lookup.matches.groups).zip(&self.words);
        let of_word = groups.map(|((group, statistics), word)| {
            let common = rarity.get(word) * group.weight;
            let mut weights = [0.0; Field::ALL.len()];
            for field in Field::ALL {
                let own = statistics.idf[field.index()];
                if own > 0.0 {
                    weights[field.index()] = lexical.weights[field.index()] * common / own;
                }
            }
            weights
        });
        of_word.collect()
    }
}

/// Inverse document frequency of each word over all trees: `ln(1 + (N - df + 0.5) / (df + 0.5))`
/// (Robertson and Zaragoza, 2009).
struct Rarity<'l> {
    of_words: HashMap<&'l str, f32>,
}

impl<'l> Rarity<'l> {
    fn of(members: &[Member<'l>]) -> Rarity<'l> {
        let all: u64 = members.iter().map(|member| member.documents).sum();
        let mut held: HashMap<&'l str, u64> = HashMap::new();
        for member in members {
            for (word, statistics) in member.words.iter().zip(&member.lookup.matches.groups) {
                *held.entry(word).or_default() += statistics.documents;
            }
        }
        let of_word = |(word, held): (&'l str, u64)| {
            let held = held.min(all) as f32;
            (word, (1.0 + (all as f32 - held + 0.5) / (held + 0.5)).ln())
        };
        Rarity { of_words: held.into_iter().map(of_word).collect() }
    }

    fn get(&self, word: &str) -> f32 {
        self.of_words.get(word).copied().unwrap_or(0.0)
    }
}

/// Score of a candidate: its own fields, and its best chunks.
fn score(candidate: &Candidate, weights: &[[f32; Field::ALL.len()]]) -> f32 {
    let sum = |level: Level, evidence: &lore_index::Evidence| -> f32 {
        let fields = || Field::ALL.iter().filter(|field| field.level() == level);
        let of_word = |(word, weights): (usize, &[f32; Field::ALL.len()])| -> f32 {
            fields().map(|field| weights[field.index()] * evidence.get(word, *field)).sum()
        };
        weights.iter().enumerate().map(of_word).sum()
    };
    let mut chunks: Vec<f32> =
        candidate.chunks.iter().map(|chunk| sum(Level::Chunk, &chunk.evidence)).collect();
    chunks.sort_by(|left, right| right.total_cmp(left));
    let of_chunks: f32 = chunks.iter().zip(CHUNK_SHARES).map(|(sum, share)| sum * share).sum();
    sum(Level::Document, &candidate.evidence) + of_chunks
}

/// The best `count` documents, each with its tree; of equals, those of the first trees, in the order of
/// their lists.
fn best(mut all: Vec<(f32, usize, DocumentId)>, count: usize) -> Vec<(usize, DocumentId)> {
    // Stable.
    all.sort_by(|left, right| right.0.total_cmp(&left.0));
    all.truncate(count);
    all.into_iter().map(|(_, tree, id)| (tree, id)).collect()
}
