//! Places of the tree that a pasted text names by a stack frame, or whose text became one of its
//! messages.

use std::collections::HashMap;

use lore_failures::{Frame, positions, read};
use lore_index::{DocumentId, DocumentSet, Reader};
use lore_schema::Field;

use crate::{
    EngineError, Explanation,
    query::{
        facets,
        pasted::{self, MessageText},
    },
    rank::{CandidateParts, DocumentCandidate, Message, MessageMatch, Ranked},
    search::{
        context::SearchContext,
        lines::{chunk_at, source_of},
        parse::ParsedQuery,
        present::ReadTexts,
        score::ScoredDocument,
        sites::{Resolved, Sites},
    },
    state::files::UnverifiedText,
};

/// A place of the tree that a pasted text is about.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Evidence {
    /// The document.
    pub(super) document: DocumentId,
    /// The line, from 1, if it is known.
    pub(super) line: Option<u32>,
    /// Strength of the evidence, 0.0..=1.0.
    pub(super) value: f32,
}

/// The documents that the hits of a request may be in.
pub(super) struct Admission {
    /// By source of the snapshot: the conditions of the query.
    admitted: Vec<DocumentSet>,
    /// By source of the snapshot: the filter of the request.
    filtered: Vec<DocumentSet>,
}

impl Admission {
    pub(super) fn new(
        admitted: &[DocumentSet],
        query: &ParsedQuery,
        context: SearchContext<'_>,
    ) -> Result<Admission, EngineError> {
        let mut filtered = Vec::new();
        for source in &context.snapshot.sources {
            filtered.push(if query.filter.is_empty() {
                DocumentSet::all()
            } else {
                let listing = source.reader.listing(&query.filter)?;
                DocumentSet::of(listing.iter().map(|listed| listed.id))
            });
        }
        Ok(Admission { admitted: admitted.to_vec(), filtered })
    }

    fn admits(&self, source: usize, document: DocumentId) -> bool {
        let holds = |sets: &[DocumentSet]| {
            sets.get(source).is_none_or(|documents| documents.contains(document))
        };
        holds(&self.admitted) && holds(&self.filtered)
    }
}

/// The places of the frames in a text: the innermost one of a stack counts most.
pub(super) fn frames(
    text: &str,
    admission: &Admission,
    context: SearchContext<'_>,
) -> Result<Vec<Evidence>, EngineError> {
    let failures = read(text).failures;
    let other = positions(text);
    let mut stacks: Vec<Vec<&Frame>> =
        failures.iter().map(|failure| failure.all_frames().collect()).collect();
    let is_in_stack = |frame: &&Frame| {
        stacks.iter().flatten().any(|known| known.path == frame.path && known.line == frame.line)
    };
    let alone: Vec<&Frame> = other.iter().filter(|frame| !is_in_stack(frame)).collect();
    if !alone.is_empty() {
        stacks.push(alone);
    }
    if stacks.iter().all(Vec::is_empty) {
        return Ok(Vec::new());
    }
    let graph = context.snapshot.graph();
    let mut sites = Sites::new(context.snapshot, context.config, &graph)?;
    let mut found: Vec<Evidence> = Vec::new();
    for stack in sites.resolve_stacks(stacks.into_iter())? {
        let mut depth = 0;
        for resolved in stack {
            let Resolved::Site(site) = resolved else { continue };
            let is_admitted = source_of(site.document, context)
                .is_some_and(|(source, _)| admission.admits(source, site.document));
            if !is_admitted {
                continue;
            }
            let value = 1.0 / (1.0 + depth as f32);
            depth += 1;
            match found.iter_mut().find(|known| known.document == site.document) {
                Some(known) if known.value >= value => {}
                Some(known) => (known.value, known.line) = (value, site.line),
                None => found.push(Evidence { document: site.document, line: site.line, value }),
            }
        }
    }
    Ok(found)
}

/// Maximum number of documents that are compared with one message.
const MAX_COMPARED: usize = 48;

/// Maximum number of documents with a pair of words, or with one word, that are compared with a
/// message because of it.
const MAX_WITH_PAIR: usize = 60;
const MAX_WITH_WORD: usize = 12;

/// Weight of the words of a run, in nats, up to which it is no evidence, and from which it is
/// conclusive. A rare word has about 6.
const MIN_RUN: f32 = 5.0;
const FULL_RUN: f32 = 14.0;

/// Number of words of a run up to which it is no evidence, and of further ones with which it is
/// conclusive.
const MIN_RUN_WORDS: usize = 2;
const FULL_RUN_WORDS: f32 = 5.0;

/// Minimum length, in bytes, of a text that is conclusive where it occurs character by character.
const MIN_VERBATIM_LEN: usize = 10;

/// Power of a run's share of the heaviest run: a text with a part of the message is less likely the
/// one that it was made from.
const SHARPNESS: i32 = 4;

/// The places with the texts that became messages. `ranked` are the best documents by
/// words, which are compared with each message.
pub(super) fn messages(
    messages: &[MessageText],
    ranked: &[&Ranked<ScoredDocument>],
    admission: &Admission,
    texts: &mut ReadTexts,
    context: SearchContext<'_>,
) -> Result<Vec<Evidence>, EngineError> {
    let mut found: Vec<Evidence> = Vec::new();
    for message in messages {
        for mut evidence in message_places(&message.text, ranked, admission, texts, context)? {
            evidence.value *= message.share;
            match found.iter_mut().find(|known| known.document == evidence.document) {
                Some(known) if known.value >= evidence.value => {}
                Some(known) => *known = evidence,
                None => found.push(evidence),
            }
        }
    }
    Ok(found)
}

/// The places with the text that became a message.
fn message_places(
    text: &str,
    ranked: &[&Ranked<ScoredDocument>],
    admission: &Admission,
    texts: &mut ReadTexts,
    context: SearchContext<'_>,
) -> Result<Vec<Evidence>, EngineError> {
    let words = Words::new(text, context)?;
    let weight = |word: &str| words.weight(word);
    let Some(message) = Message::new(text, weight) else { return Ok(Vec::new()) };
    let mut candidates: Vec<(usize, DocumentId)> = ranked
        .iter()
        .map(|document| (document.payload.source, document.payload.id()))
        .take(MAX_COMPARED)
        .collect();
    for candidate in words.rare_places(admission, context)? {
        if candidates.len() < 2 * MAX_COMPARED && !candidates.contains(&candidate) {
            candidates.push(candidate);
        }
    }
    let mut matches: Vec<(DocumentId, MessageMatch)> = Vec::new();
    for (source, document) in candidates {
        let open = &context.snapshot.sources[source];
        let Some(stored) = open.reader.documents(&[document])?.pop() else { continue };
        let read = match &stored.text {
            Some(_) => None,
            None => texts
                .remove(&stored.path)
                .or_else(|| open.read_unverified(document, &stored.path, context.config).ok()),
        };
        let body = stored.text.as_deref();
        let body = body.or(read.as_ref().map(UnverifiedText::to_compare)).unwrap_or_default();
        matches.extend(message.find(body).map(|found| (document, found)));
        if let Some(read) = read {
            texts.insert(stored.path.clone(), read);
        }
    }
    let heaviest = matches.iter().map(|(_, found)| found.weight).fold(0.0, f32::max);
    let is_verbatim = matches.iter().any(|(_, found)| found.is_verbatim);
    let confidence = if is_verbatim && text.trim().len() >= MIN_VERBATIM_LEN {
        1.0
    } else {
        let words = matches.iter().filter(|(_, found)| found.weight >= heaviest);
        let words = words.map(|(_, found)| found.words).max().unwrap_or_default();
        let by_length = words.saturating_sub(MIN_RUN_WORDS) as f32 / FULL_RUN_WORDS;
        let by_weight = (heaviest - MIN_RUN) / (FULL_RUN - MIN_RUN);
        by_weight.max(by_length).clamp(0.0, 1.0)
    };
    let near = matches.iter().filter(|(_, found)| found.weight >= 0.9 * heaviest).count();
    // A run that many texts contain is no evidence for any of them.
    let scale = confidence / (near.max(1) as f32).sqrt();
    let evidence = matches.into_iter().map(|(document, found)| Evidence {
        document,
        line: Some(found.line),
        value: scale * (found.weight / heaviest.max(f32::MIN_POSITIVE)).powi(SHARPNESS),
    });
    Ok(evidence.filter(|evidence| evidence.value > 0.01).collect())
}

/// The words of a message with their weights in the tree.
struct Words {
    /// Each word in the order of the text, the terms that the index has for it, and its weight.
    list: Vec<(String, Vec<String>, f32)>,
    weights: HashMap<String, f32>,
}

impl Words {
    fn new(text: &str, context: SearchContext<'_>) -> Result<Words, EngineError> {
        let readers = || context.snapshot.sources.iter().map(|source| source.reader.as_ref());
        let documents: u64 = readers().map(|reader| reader.summary().documents).sum();
        let terms = pasted::words(text).flat_map(facets::words_of);
        let terms: Vec<_> = terms.map(|term| (Field::Body, term)).collect();
        for reader in readers() {
            reader.announce_frequencies(&terms)?;
        }
        let mut weights = HashMap::new();
        let mut list = Vec::new();
        for word in pasted::words(text) {
            let terms = facets::words_of(word);
            let folded = word.to_lowercase();
            let mut frequency = if terms.is_empty() { 0 } else { documents };
            for term in &terms {
                let mut with_term = 0;
                for reader in readers() {
                    with_term += reader.document_frequency(Field::Body, term)?;
                }
                frequency = frequency.min(with_term);
            }
            let weight = if frequency == 0 {
                0.0
            } else {
                let without = documents.saturating_sub(frequency) as f32;
                (1.0 + (without + 0.5) / (frequency as f32 + 0.5)).ln()
            };
            weights.insert(folded.clone(), weight);
            list.push((folded, terms, weight));
        }
        Ok(Words { list, weights })
    }

    fn weight(&self, word: &str) -> f32 {
        self.weights.get(word).copied().unwrap_or(0.0)
    }

    /// Documents with a rare word of the message, or a pair of adjacent words that few have together,
    /// those with most of them first.
    fn rare_places(
        &self,
        admission: &Admission,
        context: SearchContext<'_>,
    ) -> Result<Vec<(usize, DocumentId)>, EngineError> {
        let mut scores: HashMap<(usize, DocumentId), f32> = HashMap::new();
        let known: Vec<_> = self.list.iter().filter(|(.., weight)| *weight > 0.0).collect();
        for (source, open) in context.snapshot.sources.iter().enumerate() {
            let reader = open.reader.as_ref();
            let pairs = known.windows(2).map(|pair| [&*pair[0].1, &*pair[1].1].concat());
            let pairs: Vec<_> = pairs.map(|terms| (Field::Body, terms)).collect();
            reader.announce_all(&pairs)?;
            let mut add = |terms: &[String], weight: f32, limit: usize| {
                for document in with_all(reader, terms, limit)? {
                    if admission.admits(source, document) {
                        *scores.entry((source, document)).or_default() += weight;
                    }
                }
                Ok::<(), EngineError>(())
            };
            for (_, terms, weight) in &known {
                add(terms, *weight, MAX_WITH_WORD)?;
            }
            for pair in known.windows(2) {
                let terms = [pair[0].1.as_slice(), pair[1].1.as_slice()].concat();
                add(&terms, pair[0].2 + pair[1].2, MAX_WITH_PAIR)?;
            }
        }
        let mut places: Vec<((usize, DocumentId), f32)> = scores.into_iter().collect();
        places.sort_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
        Ok(places.into_iter().map(|(place, _)| place).collect())
    }
}

/// The documents with all of these terms in one chunk; none if more than `limit` have them.
fn with_all(
    reader: &dyn Reader,
    terms: &[String],
    limit: usize,
) -> Result<Vec<DocumentId>, EngineError> {
    let mut documents = if let [only] = terms {
        if reader.document_frequency(Field::Body, only)? > limit as u64 {
            return Ok(Vec::new());
        }
        reader.documents_with(Field::Body, only)?
    } else {
        let rows = reader.holders_of_all(Field::Body, terms)?;
        // Rows of a document are adjacent.
        let mut documents: Vec<DocumentId> = rows.iter().map(|row| row.document).collect();
        documents.dedup();
        documents
    };
    if documents.len() > limit {
        documents.clear();
    }
    Ok(documents)
}

/// A document that no query found, at a line of its text.
pub(super) fn reached(
    evidence: Evidence,
    line: &str,
    context: SearchContext<'_>,
) -> Result<Option<Ranked<ScoredDocument>>, EngineError> {
    let id = evidence.document;
    let Some((index, source)) = source_of(id, context) else { return Ok(None) };
    let Some((chunk, stored)) = chunk_at(id, evidence.line, line, source)? else {
        return Ok(None);
    };
    let Some(document) = source.reader.documents(&[id])?.pop() else { return Ok(None) };
    let parts = CandidateParts::reached(id, chunk, document, vec![stored]);
    Ok(Some(Ranked {
        source: id.source,
        exact: false,
        score: 0.0,
        coverage: 0.0,
        key: parts.document.key.to_string(),
        payload: ScoredDocument::unlisted(
            index,
            DocumentCandidate::without_evidence(parts),
            Explanation::of_one("views", 0.0),
        ),
    }))
}
