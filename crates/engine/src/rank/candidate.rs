//! A candidate with everything that signals look at, normalised.

mod order;

use lore_index::{
    Candidate, ChunkCandidate, ChunkId, DocumentId, Evidence, GroupStatistics, StoredChunk,
    StoredDocument,
};
use lore_schema::{Field, Level, SourceName, Symbol};
use lore_text::{analyzer, parts};

use self::order::put_tests_last;
pub(crate) use self::order::sort_chunks;
use super::{
    Neighbours,
    faces::is_face,
    naming::{AskedWords, WordForms, is_form_of_any},
    signals,
};
use crate::query::{Intent, Query, Shape, WordForm, intent};

/// How many of its best chunks speak for a document. Each counts half of the one before.
const CHUNKS_PER_DOCUMENT: usize = 3;

/// How many chunks a candidate brings along, so that enough remain when tests step back.
pub(crate) const CHUNKS_FETCHED: usize = 5;

/// `k1 + 1`: what BM25 approaches for a word that fills a field.
const BM25_CEILING: f32 = 2.2;

/// What signals know of the question.
#[derive(Debug)]
pub(crate) struct Question<'a> {
    /// The words.
    pub(crate) query: &'a Query,
    /// For each word, one over the root of the number of files that define it, or 0.
    pub(crate) rarity: &'a [f32],
    /// What evidence is measured by: the information of all that was asked for.
    ideal: f32,
    /// Information of each word by itself, in the order of the words.
    telling: Vec<f32>,
    /// The same as far as the word was asked for.
    information: Vec<f32>,
    /// The source that is ranked.
    pub(crate) source: SourceName,
    /// What it asks for beside its words.
    pub(crate) intent: Intent,
    /// For each word, the documents that hold it, if it may be a name.
    frequency: &'a [u64],
    /// How long the texts of the source are in the mean, in bytes.
    pub(crate) mean_bytes: u64,
    /// All words, as they are compared with others.
    words: Vec<WordForms<'a>>,
    /// Those that were asked for, as they are looked for in names.
    pub(super) asked: AskedWords<'a>,
}

impl<'a> Question<'a> {
    /// Puts a query beside the statistics of one source.
    pub(crate) fn new(
        query: &'a Query,
        statistics: &[GroupStatistics],
        rarity: &'a [f32],
        frequency: &'a [u64],
        source: SourceName,
        mean_bytes: u64,
    ) -> Question<'a> {
        let telling = of_each(query, statistics, source);
        let information: Vec<f32> =
            query.words.iter().zip(&telling).map(|(word, one)| word.weight * one).collect();
        let asked = query.asked().map(|(index, _)| information[index]).sum::<f32>();
        Question {
            query,
            rarity,
            ideal: asked.max(f32::MIN_POSITIVE),
            telling,
            information,
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

    /// Words that may be names of definitions: position, name as typed.
    pub(crate) fn names(&self) -> impl Iterator<Item = (usize, &str)> {
        let words = self.query.words.iter().enumerate();
        words.filter_map(|(index, word)| word.name.as_deref().map(|name| (index, name)))
    }

    /// Number of documents of the source that hold a word which may be a name.
    pub(crate) fn frequency(&self, word: usize) -> u64 {
        self.frequency[word]
    }

    /// Share of the query's information that the words with these flags carry, 0.0..=1.0.
    pub(crate) fn share(&self, holds: impl Fn(usize) -> bool) -> f32 {
        let held: f32 = self
            .query
            .asked()
            .filter(|(index, _)| holds(*index))
            .map(|(index, _)| self.information[index])
            .sum();
        (held / self.ideal).min(1.0)
    }

    /// Share of these words of a file's name that are words of the question, in whatever form,
    /// 0.0..=1.0.
    ///
    /// In prose a word counts for the square of its information, as in the product of two tf-idf
    /// vectors (Salton and Buckley, 1988), beside that of the most telling word of the question: in
    /// a tree of specs about nodes, `node` tells nothing of a file. Names of code are chosen more
    /// carefully, and every word of them tells.
    fn share_of_stem(&self, stem: &[String]) -> f32 {
        if stem.is_empty() {
            return 0.0;
        }
        if !is_prose(self.source) {
            let covered = stem.iter().filter(|word| is_form_of_any(word, self.words.iter()));
            return covered.count() as f32 / stem.len() as f32;
        }
        // A stem holds the parts of an identifier, never all of it as one word. What was asked for
        // as a part or beside its neighbour counts in full, what the program added does not.
        let typed = self.query.typed();
        let worth_of = |index: usize| {
            if index < typed { self.telling[index] } else { self.information[index] }
        };
        let parts = self.query.words.iter().enumerate();
        let parts = parts.filter(|(_, word)| word.form != WordForm::Whole);
        let most = parts.map(|(index, _)| worth_of(index)).fold(f32::MIN_POSITIVE, f32::max);
        let worth = |word: &String| {
            let words = self.words.iter().enumerate();
            let same = words.filter(|(_, own)| is_form_of_any(word, std::iter::once(*own)));
            let telling = same.map(|(index, _)| worth_of(index)).fold(0.0, f32::max);
            (telling / most).min(1.0).powi(2)
        };
        stem.iter().map(worth).sum::<f32>() / stem.len() as f32
    }

    /// Evidence, weighted by word and divided by what much of it comes to, 0.0..=1.0.
    fn normalised(&self, evidence: impl Fn(usize) -> f32) -> f32 {
        let sum: f32 = self
            .query
            .words
            .iter()
            .enumerate()
            .map(|(index, word)| word.weight * evidence(index))
            .sum();
        (sum / (self.ideal * BM25_CEILING)).clamp(0.0, 1.0)
    }
}

/// What it tells that a document holds each word, in the order of the words.
///
/// In code it is what the word tells where it is rarest: who names a file or a definition so means it.
/// In prose it is the mean of the fields that hold it somewhere: a spec is not about what its heading
/// alone happens to name, in a tree where every text speaks of it.
fn of_each(query: &Query, statistics: &[GroupStatistics], source: SourceName) -> Vec<f32> {
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
    // A word that the source does not know tells as much as the rarest one that it knows.
    let telling = words.map(|(word, group)| match known(group) {
        idf if idf > 0.0 || !word.is_asked() => idf,
        _ => rarest,
    });
    telling.collect()
}

/// The words of a file's stem, each once. A file that only stands for its folder (`mod.rs`,
/// `index.ts`) takes the folder's name as its stem; at the root, where there is none, its own.
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

/// The words of the folders that a path leads through.
pub(super) fn folder_words(path: &str) -> Vec<String> {
    parts(path.rsplit_once('/').map_or("", |(folders, _)| folders))
}

/// Everything that makes a candidate.
#[derive(Debug)]
pub(crate) struct CandidateParts {
    /// What the index found.
    pub(crate) candidate: Candidate,
    /// The document.
    pub(crate) document: StoredDocument,
    /// Its chunks, in the order of the candidate's: all of them, or the first ones where
    /// [`sort_chunks`] says so.
    pub(crate) chunks: Vec<StoredChunk>,
    /// How near each of them is to the question in meaning, in their order; empty where no embedding
    /// takes part.
    pub(crate) similarities: Vec<f32>,
}

impl CandidateParts {
    /// A document that meets conditions, without evidence.
    pub(crate) fn listed(id: DocumentId, document: StoredDocument) -> CandidateParts {
        let candidate = Candidate { id, evidence: Evidence::zeros(0), chunks: Vec::new() };
        CandidateParts { candidate, document, chunks: Vec::new(), similarities: Vec::new() }
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

/// A document that is being ranked.
#[derive(Debug)]
pub(crate) struct DocumentCandidate {
    /// What it is made of.
    pub(crate) parts: CandidateParts,
    /// Evidence per field, 0.0..=1.0; for chunk fields the halving sum over its best chunks.
    pub(crate) fields: [f32; Field::ALL.len()],
    /// Evidence of the best chunk alone in the body, 0.0..=1.0.
    pub(crate) best_chunk: f32,
    /// Likeness in meaning, 0.0..=1.0: the halving sum over its nearest chunks.
    pub(crate) meaning: f32,
    /// Likeness of its nearest chunk alone, 0.0..=1.0; `None` where no embedding takes part, or has
    /// not looked at it.
    pub(crate) nearest: Option<f32>,
    /// For each word, whether any field holds it.
    pub(crate) holds: Vec<bool>,
    /// For each word, whether the document defines it as a name.
    pub(crate) defines: Vec<bool>,
    /// Share of the stem's words that the query holds, 0.0..=1.0.
    pub(crate) stem_share: f32,
    /// How much the rest of the tree uses what only this document defines and the query names,
    /// 0.0..=1.0.
    pub(crate) centrality: f32,
    /// Whether it lies in a version of something of which there is a newer one.
    pub(crate) superseded: bool,
    /// What the other candidates say for it.
    pub(crate) neighbours: Neighbours,
    /// Largest share of the question's information that the heading of one of its best chunks holds,
    /// 0.0..=1.0; nothing outside of prose.
    pub(crate) heading_share: f32,
    /// Whether a document that stands for their folder lies beside it.
    pub(crate) is_detail: bool,
}

impl DocumentCandidate {
    /// Normalises the evidence of one candidate.
    pub(crate) fn new(mut parts: CandidateParts, question: &Question<'_>) -> DocumentCandidate {
        let (meaning, nearest) = likeness(&parts.similarities);
        let shares = put_tests_last(&mut parts, question);
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
                halving_sum(of_field())
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

    /// A candidate of which nothing was measured.
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

    /// The first definition in the best passages that conforms to a name of the question, if the
    /// question asks who does.
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

/// Whether a source holds texts that people wrote for people, cut at their headings.
pub(crate) fn is_prose(source: SourceName) -> bool {
    matches!(source, SourceName::Docs | SourceName::Specs | SourceName::Tickets)
}

/// The share of the question's information that the heading of one chunk holds, where it is largest.
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

/// The halving sum over the nearest chunks, and the nearest alone.
fn likeness(similarities: &[f32]) -> (f32, Option<f32>) {
    let mut nearest: Vec<f32> =
        similarities.iter().map(|similarity| similarity.clamp(0.0, 1.0)).collect();
    nearest.sort_by(|left, right| right.total_cmp(left));
    (halving_sum(nearest.iter().copied()), nearest.first().copied())
}

/// The evidence of each chunk by field, the chunks with most of it first.
///
/// The order is by what the signals make of it: then more evidence never lowers their sum, as no
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
                    share * question.normalised(|word| said(&chunk.evidence, word, field))
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

/// What a passage's names say for a word beside its text: those around it, and, whole, its own.
fn said(evidence: &Evidence, word: usize, field: Field) -> f32 {
    let said = evidence.get(word, field);
    if field == Field::Context { said.max(evidence.get(word, Field::Symbol)) } else { said }
}

/// The first three values, each counting half of the one before, as a share of what three of 1.0 come
/// to.
pub(super) fn halving_sum(values: impl Iterator<Item = f32>) -> f32 {
    let sum: f32 = values.zip(SHARES).map(|(value, share)| share * value).sum();
    sum / SHARES.iter().sum::<f32>()
}

/// What each of the best counts for.
const SHARES: [f32; CHUNKS_PER_DOCUMENT] = [1.0, 0.5, 0.25];

/// Whether the question is one name.
pub(crate) fn is_symbol(question: &Question<'_>) -> bool {
    question.query.shape == Shape::Symbol
}

#[cfg(test)]
mod tests;
