//! A candidate with the normalised evidence that signals read.

mod order;

use lore_index::{
    Candidate, ChunkCandidate, ChunkId, DocumentId, Evidence, GroupStatistics, StoredChunk,
    StoredDocument,
};
use lore_schema::{Field, Level, SourceName, Symbol};
use lore_text::{analyzer, parts};

use self::order::order_chunks;
pub(crate) use self::order::sort_chunks;
use super::{
    Neighbours,
    faces::is_face,
    naming::{AskedWords, WordForms, is_form_of_any},
    signals,
};
use crate::query::{Intent, Query, Shape, WordForm, intent, is_prose};

/// Number of best chunks that count for a document. Each counts half of the one before.
const CHUNKS_PER_DOCUMENT: usize = 3;

/// `k1 + 1`: the limit of BM25 for a word that fills a field.
const BM25_CEILING: f32 = 2.2;

/// The query as signals see it, with the statistics of one source.
#[derive(Debug)]
pub(crate) struct Question<'a> {
    /// The words.
    pub(crate) query: &'a Query,
    /// For each word, one over the square root of the number of files that define it, or 0.
    pub(crate) rarity: &'a [f32],
    /// Maximum score: the sum of the weighted idf of all typed words.
    max_score: f32,
    /// Idf of each word, in the order of the words.
    idf: Vec<f32>,
    /// Idf of each word, times its weight in the query.
    weighted_idf: Vec<f32>,
    /// The source whose documents are scored.
    pub(crate) source: SourceName,
    /// The intent that its words express.
    pub(crate) intent: Intent,
    /// For each word that may be a name, the number of documents that contain it.
    frequency: &'a [u64],
    /// Mean length of the texts of the source, in bytes.
    pub(crate) mean_bytes: u64,
    /// All words, ready to be compared with others.
    words: Vec<WordForms<'a>>,
    /// The typed words, ready to be found in names.
    pub(super) asked: AskedWords<'a>,
}

impl<'a> Question<'a> {
    /// Combines a query with the statistics of one source.
    pub(crate) fn new(
        query: &'a Query,
        statistics: &[GroupStatistics],
        rarity: &'a [f32],
        frequency: &'a [u64],
        source: SourceName,
        mean_bytes: u64,
    ) -> Question<'a> {
        let idf = word_idf(query, statistics, source);
        let weighted_idf: Vec<f32> =
            query.words.iter().zip(&idf).map(|(word, one)| word.weight * one).collect();
        let asked = query.required_words().map(|(index, _)| weighted_idf[index]).sum::<f32>();
        Question {
            query,
            rarity,
            max_score: asked.max(f32::MIN_POSITIVE),
            idf,
            weighted_idf,
            source,
            intent: intent(query),
            frequency,
            mean_bytes,
            words: query
                .words
                .iter()
                .map(|word| WordForms::new(word, query.shape.relation()))
                .collect(),
            asked: AskedWords::new(query),
        }
    }

    /// Words that may be names of definitions: index and name as typed.
    pub(crate) fn names(&self) -> impl Iterator<Item = (usize, &str)> {
        let words = self.query.words.iter().enumerate();
        words.filter_map(|(index, word)| word.name.as_deref().map(|name| (index, name)))
    }

    /// Number of documents of the source that contain a word which may be a name.
    pub(crate) fn frequency(&self, word: usize) -> u64 {
        self.frequency[word]
    }

    /// Share of the query's weighted idf that the contained words have, 0.0..=1.0.
    pub(crate) fn share(&self, holds: impl Fn(usize) -> bool) -> f32 {
        let held: f32 = self
            .query
            .required_words()
            .filter(|(index, _)| holds(*index))
            .map(|(index, _)| self.weighted_idf[index])
            .sum();
        (held / self.max_score).min(1.0)
    }

    /// Share of the words of a file's stem that are words of the query, in any form, 0.0..=1.0.
    ///
    /// In prose a word counts for the square of its idf, as in the product of two tf-idf vectors
    /// (Salton and Buckley, 1988), relative to the highest idf of the query: in a tree of specs
    /// about nodes, `node` distinguishes no file. Names of code are chosen more carefully: every
    /// word counts the same.
    fn share_of_stem(&self, stem: &[String]) -> f32 {
        if stem.is_empty() {
            return 0.0;
        }
        if !is_prose(self.source) {
            let covered = stem.iter().filter(|word| is_form_of_any(word, self.words.iter()));
            return covered.count() as f32 / stem.len() as f32;
        }
        // A stem contains the parts of an identifier, never all of it as one word. Typed words
        // count in full, also as parts or pairs; added words count for less.
        let typed = self.query.typed();
        let worth_of = |index: usize| {
            if index < typed { self.idf[index] } else { self.weighted_idf[index] }
        };
        let parts = self.query.words.iter().enumerate();
        let parts = parts.filter(|(_, word)| word.form != WordForm::Whole);
        let most = parts.map(|(index, _)| worth_of(index)).fold(f32::MIN_POSITIVE, f32::max);
        let worth = |word: &String| {
            let words = self.words.iter().enumerate();
            let same = words.filter(|(_, own)| is_form_of_any(word, std::iter::once(*own)));
            let idf = same.map(|(index, _)| worth_of(index)).fold(0.0, f32::max);
            (idf / most).min(1.0).powi(2)
        };
        stem.iter().map(worth).sum::<f32>() / stem.len() as f32
    }

    /// Evidence of all words, weighted and divided by the maximum, 0.0..=1.0.
    fn normalised(&self, evidence: impl Fn(usize) -> f32) -> f32 {
        let sum: f32 = self
            .query
            .words
            .iter()
            .enumerate()
            .map(|(index, word)| word.weight * evidence(index))
            .sum();
        (sum / (self.max_score * BM25_CEILING)).clamp(0.0, 1.0)
    }
}

/// Idf of each word, in the order of the words.
///
/// In code it is the idf of the field in which the word is rarest: names of files and definitions
/// are chosen on purpose. In prose it is the mean over the fields that contain the word: a spec is
/// not about a word that happens to be in its heading, where every text contains that word.
fn word_idf(query: &Query, statistics: &[GroupStatistics], source: SourceName) -> Vec<f32> {
    let known = |group: &GroupStatistics| {
        let fields = group.idf.iter().copied().filter(|idf| *idf > 0.0);
        if is_prose(source) {
            fields.clone().sum::<f32>() / fields.count().max(1) as f32
        } else {
            fields.fold(0.0, f32::max)
        }
    };
    let rarest = statistics.iter().map(known).fold(0.0, f32::max);
    let words = query.words.iter().zip(statistics);
    // A word that the source does not contain has the idf of the rarest one that it contains.
    let idf = words.map(|(word, group)| match known(group) {
        idf if idf > 0.0 || !word.is_required() => idf,
        _ => rarest,
    });
    idf.collect()
}

/// The words of a file's stem, each once. A file that represents its folder (`mod.rs`, `index.ts`)
/// has the folder's name as its stem; at the root, where there is none, its own.
pub(super) fn stem_words(path: &str) -> Vec<String> {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = match name.rfind('.') {
        Some(dot) if dot > 0 => &name[..dot],
        _ => name,
    };
    let called = if is_face(name) && !folders.is_empty() {
        folders.rsplit('/').next().unwrap_or(stem)
    } else {
        stem
    };
    let mut words = Vec::new();
    for word in parts(called) {
        if !words.contains(&word) {
            words.push(word);
        }
    }
    words
}

/// The words of the folders of a path.
pub(super) fn folder_words(path: &str) -> Vec<String> {
    parts(path.rsplit_once('/').map_or("", |(folders, _)| folders))
}

/// The parts of a candidate: what the index found and stores.
#[derive(Debug)]
pub(crate) struct CandidateParts {
    /// Evidence of the words.
    pub(crate) candidate: Candidate,
    /// The document.
    pub(crate) document: StoredDocument,
    /// Its chunks, in the order of the candidate's: all of them, or as many as [`sort_chunks`]
    /// returned.
    pub(crate) chunks: Vec<StoredChunk>,
    /// Similarity of each chunk to the query, in the same order; empty where no embedding takes
    /// part.
    pub(crate) similarities: Vec<f32>,
}

impl CandidateParts {
    /// A document that meets conditions, without evidence.
    pub(crate) fn listed(id: DocumentId, document: StoredDocument) -> CandidateParts {
        let candidate = Candidate { id, evidence: Evidence::zeros(0), chunks: Vec::new() };
        CandidateParts { candidate, document, chunks: Vec::new(), similarities: Vec::new() }
    }

    /// Moves a chunk to the front, with its evidence. All chunks must have been read.
    pub(crate) fn move_to_front(&mut self, index: usize) {
        self.chunks[..=index].rotate_right(1);
        self.candidate.chunks[..=index].rotate_right(1);
        if let Some(similarities) = self.similarities.get_mut(..=index) {
            similarities.rotate_right(1);
        }
    }

    /// A document that was reached at one of its chunks, without evidence.
    pub(crate) fn reached(
        id: DocumentId,
        chunk: ChunkId,
        document: StoredDocument,
        chunks: Vec<StoredChunk>,
    ) -> CandidateParts {
        let chunk = ChunkCandidate { id: chunk, evidence: Evidence::zeros(0) };
        let candidate = Candidate { id, evidence: Evidence::zeros(0), chunks: vec![chunk] };
        CandidateParts { candidate, document, chunks, similarities: Vec::new() }
    }
}

/// A document with normalised evidence.
#[derive(Debug)]
pub(crate) struct DocumentCandidate {
    /// The evidence and the stored rows.
    pub(crate) parts: CandidateParts,
    /// Evidence per field, 0.0..=1.0; in chunk fields the geometrically discounted sum over its
    /// best chunks.
    pub(crate) fields: [f32; Field::ALL.len()],
    /// Evidence of the best chunk alone in the body, 0.0..=1.0.
    pub(crate) best_chunk: f32,
    /// Similarity to the query, 0.0..=1.0: the geometrically discounted sum over its most similar
    /// chunks.
    pub(crate) meaning: f32,
    /// Similarity of its most similar chunk alone, 0.0..=1.0; `None` where no embedding takes part,
    /// or the document has no vectors.
    pub(crate) nearest: Option<f32>,
    /// For each word, whether any field contains it.
    pub(crate) holds: Vec<bool>,
    /// For each word, whether the document defines it as a name.
    pub(crate) defines: Vec<bool>,
    /// Share of the stem's words that the query contains, 0.0..=1.0.
    pub(crate) stem_share: f32,
    /// Use, by the rest of the tree, of names that only this document defines and the query
    /// contains, 0.0..=1.0.
    pub(crate) centrality: f32,
    /// True if its folder is an old version of something (`v3`) with a newer one beside it.
    pub(crate) superseded: bool,
    /// The support of other candidates.
    pub(crate) neighbours: Neighbours,
    /// Largest share of the query's weighted idf that the heading of one of its best chunks has,
    /// 0.0..=1.0; 0 outside of prose.
    pub(crate) heading_share: f32,
    /// True if another file in its folder describes the folder as a whole.
    pub(crate) is_detail: bool,
}

impl DocumentCandidate {
    /// Normalises the evidence of one candidate.
    pub(crate) fn new(mut parts: CandidateParts, question: &Question<'_>) -> DocumentCandidate {
        let (meaning, nearest) = similarity(&parts.similarities);
        let shares = order_chunks(&mut parts, question);
        let words = question.query.words.len();
        let mut fields = [0.0; Field::ALL.len()];
        let mut holds = vec![false; words];
        let mut defines = vec![false; words];
        let of_chunks = by_evidence(&parts, &shares, question);
        let mut best_chunk: f32 = 0.0;
        for &field in Field::ALL {
            let document = &parts.candidate.evidence;
            let of_document = field.level() == Level::Document;
            let value = if of_document {
                question.normalised(|word| document.get(word, field))
            } else {
                let of_field = || of_chunks.iter().map(|chunk| chunk[field.index()]);
                if field == Field::Body {
                    best_chunk = of_field().fold(0.0, f32::max);
                }
                discounted_sum(of_field())
            };
            fields[field.index()] = value.min(1.0);
            for word in 0..words {
                let holds_word = |evidence: &Evidence| evidence.get(word, field) > 0.0;
                let found = if of_document {
                    holds_word(document)
                } else {
                    parts.candidate.chunks.iter().any(|chunk| holds_word(&chunk.evidence))
                };
                holds[word] |= found;
                defines[word] |=
                    found && field == Field::Symbol && question.query.words[word].name.is_some();
            }
        }
        let heading_share =
            if is_prose(question.source) { heading_share(&parts.chunks, question) } else { 0.0 };
        parts.candidate.chunks.truncate(CHUNKS_PER_DOCUMENT);
        parts.chunks.truncate(CHUNKS_PER_DOCUMENT);
        let stem_share = question.share_of_stem(&stem_words(&parts.document.path));
        DocumentCandidate {
            parts,
            fields,
            best_chunk,
            meaning,
            nearest,
            holds,
            defines,
            stem_share,
            centrality: 0.0,
            superseded: false,
            neighbours: Neighbours::default(),
            heading_share,
            is_detail: false,
        }
    }

    /// A candidate without any evidence.
    pub(crate) fn without_evidence(parts: CandidateParts) -> DocumentCandidate {
        DocumentCandidate {
            parts,
            fields: [0.0; Field::ALL.len()],
            best_chunk: 0.0,
            meaning: 0.0,
            nearest: None,
            holds: Vec::new(),
            defines: Vec::new(),
            stem_share: 0.0,
            centrality: 0.0,
            superseded: false,
            neighbours: Neighbours::default(),
            heading_share: 0.0,
            is_detail: false,
        }
    }

    /// The first definition in the best chunks that conforms to a name of the query, if the query
    /// is for implementations.
    pub(crate) fn conforming(&self, question: &Question<'_>) -> Option<&Symbol> {
        if !question.intent.implementers {
            return None;
        }
        self.parts.chunks.iter().flat_map(|chunk| &chunk.symbols).find(|symbol| {
            question.names().any(|(_, name)| symbol.conformances.iter().any(|of| of.name == name))
        })
    }

    /// Evidence in a field, 0.0..=1.0.
    pub(crate) fn field(&self, field: Field) -> f32 {
        self.fields[field.index()]
    }
}

/// The largest share of the query's weighted idf that the heading of one chunk has.
fn heading_share(chunks: &[StoredChunk], question: &Question<'_>) -> f32 {
    let share = |heading: &String| {
        let mut words: Vec<String> = Vec::new();
        analyzer("code").analyze(heading, &mut |token| words.push(token.term.to_owned()));
        let holds = |asked: &WordForms<'_>| {
            words.iter().any(|word| is_form_of_any(word, std::iter::once(asked)))
        };
        question.share(|index| holds(&question.words[index]))
    };
    chunks.iter().filter_map(|chunk| chunk.breadcrumb.last()).map(share).fold(0.0, f32::max)
}

/// The geometrically discounted sum over the most similar chunks, and the highest similarity alone.
fn similarity(similarities: &[f32]) -> (f32, Option<f32>) {
    let mut nearest: Vec<f32> =
        similarities.iter().map(|similarity| similarity.clamp(0.0, 1.0)).collect();
    nearest.sort_by(|left, right| right.total_cmp(left));
    (discounted_sum(nearest.iter().copied()), nearest.first().copied())
}

/// The evidence of each chunk by field, the chunks with most of it first.
///
/// The order is by the weights of the signals. Then more evidence never lowers their sum, as no
/// other order of the same chunks gives a larger one.
fn by_evidence(
    parts: &CandidateParts,
    shares: &[f32],
    question: &Question<'_>,
) -> Vec<[f32; Field::ALL.len()]> {
    let mut chunks: Vec<[f32; Field::ALL.len()]> = parts
        .candidate
        .chunks
        .iter()
        .zip(shares)
        .map(|(chunk, share)| {
            let evidence = |field: Field| match field.level() {
                Level::Chunk => {
                    share * question.normalised(|word| evidence_of(&chunk.evidence, word, field))
                }
                Level::Document => 0.0,
            };
            std::array::from_fn(|index| evidence(Field::ALL[index]))
        })
        .collect();
    let total = |chunk: &[f32; Field::ALL.len()]| -> f32 {
        signals::CHUNK_EVIDENCE.iter().map(|(field, weight)| weight * chunk[field.index()]).sum()
    };
    chunks.sort_by(|left, right| total(right).total_cmp(&total(left)));
    chunks
}

/// Evidence of a word in a field of a chunk. The context includes the chunk's own name as a whole.
fn evidence_of(evidence: &Evidence, word: usize, field: Field) -> f32 {
    let evidence_of = evidence.get(word, field);
    if field == Field::Context {
        evidence_of.max(evidence.get(word, Field::Symbol))
    } else {
        evidence_of
    }
}

/// The geometrically discounted sum of the first three values, each counting half of the one
/// before, as a share of that of three times 1.0.
pub(super) fn discounted_sum(values: impl Iterator<Item = f32>) -> f32 {
    let sum: f32 = values.zip(DISCOUNTS).map(|(value, share)| share * value).sum();
    sum / DISCOUNTS.iter().sum::<f32>()
}

/// Weight of each of the best values.
const DISCOUNTS: [f32; CHUNKS_PER_DOCUMENT] = [1.0, 0.5, 0.25];

/// Returns whether the query is one name.
pub(crate) fn is_symbol(question: &Question<'_>) -> bool {
    question.query.shape == Shape::Symbol
}

#[cfg(test)]
mod tests;
