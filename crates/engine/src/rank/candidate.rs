//! A candidate with everything that signals look at, normalised.

use lore_index::{Candidate, GroupStatistics, StoredChunk, StoredDocument};
use lore_schema::{Field, SourceName};
use lore_text::{Form, analyzer, same_stem};

use crate::query::{Query, Shape, WordForm};

/// How many of its best chunks speak for a document. Each counts half of the one before.
pub(crate) const CHUNKS_PER_DOCUMENT: usize = 3;

/// `k1 + 1`: what BM25 approaches for a word that fills a field.
const BM25_CEILING: f32 = 2.2;

/// What signals know of the question.
#[derive(Debug)]
pub(crate) struct Question<'a> {
    /// The words.
    pub(crate) query: &'a Query,
    /// For each word, one over the root of the number of files that define it, or 0.
    pub(crate) rarity: &'a [f32],
    /// Most evidence that a row can have: the sum of every word's information.
    ideal: f32,
    /// Information of each word, in the order of the words.
    information: Vec<f32>,
    /// The source that is ranked.
    pub(crate) source: SourceName,
}

impl<'a> Question<'a> {
    /// Puts a query beside the statistics of one source.
    pub(crate) fn new(
        query: &'a Query,
        statistics: &[GroupStatistics],
        rarity: &'a [f32],
        source: SourceName,
    ) -> Question<'a> {
        let known = |group: &GroupStatistics| group.idf.iter().copied().fold(0.0, f32::max);
        let rarest = statistics.iter().map(known).fold(0.0, f32::max);
        // A word that the source does not know tells as much as the rarest one that it knows.
        let information: Vec<f32> = query
            .words
            .iter()
            .zip(statistics)
            .map(|(word, group)| {
                let idf = known(group);
                let optional = word.form == WordForm::Joined || word.weight < 1.0;
                word.weight * if idf > 0.0 || optional { idf } else { rarest }
            })
            .collect();
        let asked = query.asked().map(|(index, _)| information[index]).sum::<f32>();
        Question { query, rarity, ideal: asked.max(f32::MIN_POSITIVE), information, source }
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

    /// Evidence, weighted by word and divided by the most that is possible, 0.0..=1.0.
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

/// The words of a path.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct PathWords {
    /// Words of the file's stem.
    pub(crate) stem: Vec<String>,
    /// Words of the folders.
    pub(crate) folders: Vec<String>,
}

impl PathWords {
    /// Cuts a root-relative path. A file that only stands for its folder (`mod.rs`, `index.ts`)
    /// takes the folder's name as its stem.
    pub(crate) fn new(path: &str) -> PathWords {
        let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
        let stem = match name.rfind('.') {
            Some(dot) if dot > 0 => &name[..dot],
            _ => name,
        };
        let words = |text: &str| {
            let mut words = Vec::new();
            analyzer("code").analyze(text, &mut |token| {
                if token.form == Form::Part && !words.iter().any(|word| word == token.term) {
                    words.push(token.term.to_owned());
                }
            });
            words
        };
        let is_face = super::signals::is_package_face(name);
        let stem_text = if is_face { folders.rsplit('/').next().unwrap_or(stem) } else { stem };
        PathWords { stem: words(stem_text), folders: words(folders) }
    }
}

/// Everything that makes a candidate.
#[derive(Debug)]
pub(crate) struct CandidateParts {
    /// What the index found.
    pub(crate) candidate: Candidate,
    /// The document.
    pub(crate) document: StoredDocument,
    /// Its chunks, in the order of the candidate's.
    pub(crate) chunks: Vec<StoredChunk>,
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
    /// For each word, whether any field holds it.
    pub(crate) holds: Vec<bool>,
    /// For each word, whether the document defines it as a name.
    pub(crate) defines: Vec<bool>,
    /// For each word, whether the path holds it.
    pub(crate) in_path: Vec<bool>,
    /// Share of the stem's words that the query holds, 0.0..=1.0.
    pub(crate) stem_share: f32,
}

impl DocumentCandidate {
    /// Normalises the evidence of one candidate.
    pub(crate) fn new(parts: CandidateParts, question: &Question<'_>) -> DocumentCandidate {
        let words = question.query.words.len();
        let mut fields = [0.0; Field::ALL.len()];
        let mut holds = vec![false; words];
        let mut defines = vec![false; words];
        let mut best_chunk: f32 = 0.0;
        for &field in Field::ALL {
            let document = &parts.candidate.evidence;
            let mut value = question.normalised(|word| document.get(word, field));
            let mut share = 1.0;
            let mut shares = 0.0;
            for chunk in parts.candidate.chunks.iter().take(CHUNKS_PER_DOCUMENT) {
                let of_chunk = question.normalised(|word| chunk.evidence.get(word, field));
                value += share * of_chunk;
                shares += share;
                share /= 2.0;
                if field == Field::Body {
                    best_chunk = best_chunk.max(of_chunk);
                }
            }
            if field.level() == lore_schema::Level::Chunk && shares > 0.0 {
                value /= HALVING_SUM;
            }
            fields[field.index()] = value.min(1.0);
            for word in 0..words {
                let found = document.get(word, field) > 0.0
                    || parts.candidate.chunks.iter().any(|c| c.evidence.get(word, field) > 0.0);
                holds[word] |= found;
                defines[word] |= found && field == Field::Symbol;
            }
        }
        let path = PathWords::new(&parts.document.path);
        let is_in = |list: &[String], term: &str| list.iter().any(|word| same_stem(word, term));
        let in_stem: Vec<bool> =
            question.query.words.iter().map(|word| is_in(&path.stem, &word.term)).collect();
        let in_path = question
            .query
            .words
            .iter()
            .zip(&in_stem)
            .map(|(word, stem)| *stem || is_in(&path.folders, &word.term))
            .collect();
        let covered = path
            .stem
            .iter()
            .filter(|stem| question.query.words.iter().any(|word| same_stem(&word.term, stem)))
            .count();
        let stem_share =
            if path.stem.is_empty() { 0.0 } else { covered as f32 / path.stem.len() as f32 };
        DocumentCandidate { parts, fields, best_chunk, holds, defines, in_path, stem_share }
    }

    /// Evidence in a field, 0.0..=1.0.
    pub(crate) fn field(&self, field: Field) -> f32 {
        self.fields[field.index()]
    }
}

/// `1 + 1/2 + 1/4`: what the halving sum reaches when every chunk is perfect.
const HALVING_SUM: f32 = 1.75;

/// Whether the question is one name.
pub(crate) fn is_symbol(question: &Question<'_>) -> bool {
    question.query.shape == Shape::Symbol
}
