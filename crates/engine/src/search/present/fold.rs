//! Duplicates: documents whose passages say the same are shown once.

use std::collections::{HashMap, HashSet};

use lore_schema::{Field, SourceName};

use crate::{
    query::facets,
    rank::{CandidateParts, Passage, Ranked, group},
    search::{context::SearchContext, score::ScoredDocument},
    state::files::UnverifiedText,
};

/// Documents beyond the limit that are compared: they take the places of duplicates.
const SPARE: usize = 10;

/// Maximum number of documents that are compared: each is compared with every one that is shown.
const MAX_COMPARED: usize = 200;

/// Texts of files, by path, that were read to compare passages and not yet compared with the disk.
pub(crate) type ReadTexts = HashMap<String, UnverifiedText>;

/// Removes, of the best documents, those whose passage repeats that of a better one, and notes
/// their keys there. Adds the texts that it reads to those that were read already.
pub(crate) fn fold_duplicates(
    scored: &mut Vec<Ranked<ScoredDocument>>,
    texts: &mut ReadTexts,
    context: SearchContext<'_>,
) {
    let limit = context.ranking_limit().saturating_add(SPARE).min(MAX_COMPARED);
    let compared = may_be_duplicates(&scored[..scored.len().min(limit)]);
    read_ahead(compared.iter().map(|index| &scored[*index]), context);
    let passages: Vec<Passage> =
        compared.iter().map(|index| read_passage(&scored[*index], texts, context)).collect();
    let mut folded = HashSet::new();
    for (shown, others) in group(&passages) {
        let keys = others.iter().map(|other| scored[compared[*other]].key.clone()).collect();
        scored[compared[shown]].payload.also = keys;
        folded.extend(others.into_iter().map(|other| compared[other]));
    }
    let mut index = 0;
    scored.retain(|_| {
        index += 1;
        !folded.contains(&(index - 1))
    });
}

/// Reads the best passage of a document.
fn read_passage(
    document: &Ranked<ScoredDocument>,
    texts: &mut ReadTexts,
    context: SearchContext<'_>,
) -> Passage {
    let CandidateParts { document: stored, chunks, .. } = &document.payload.candidate.parts;
    let known = texts.remove(&stored.path);
    let read = known.or_else(|| read_unverified(&document.payload, context));
    let text = stored.text.as_deref();
    let text = text.or(read.as_ref().map(UnverifiedText::to_compare)).unwrap_or_default();
    let span = chunks.first().map_or(0..text.len(), |chunk| chunk.span.start..chunk.span.end);
    let passage = text.get(span).unwrap_or_default();
    let is_old = document.payload.candidate.superseded || facets::is_archived(&stored.attributes);
    let passage = Passage::new(passage, document.source, is_old);
    if let Some(read) = read {
        texts.insert(stored.path.clone(), read);
    }
    passage
}

/// Indexes, ascending, of the documents whose passages may be duplicates. Copies of code have the
/// same evidence for every word, because they contain it equally often and have the same length.
/// Where all documents are code with evidence, only those that share theirs with another one are
/// read.
fn may_be_duplicates(scored: &[Ranked<ScoredDocument>]) -> Vec<usize> {
    let evidence: Option<Vec<Vec<u32>>> = scored
        .iter()
        .map(|document| {
            let chunk = document.payload.candidate.parts.candidate.chunks.first()?;
            let has_evidence = document.source == SourceName::Code && !chunk.evidence.is_zero();
            has_evidence.then(|| chunk.evidence.of(Field::Body).map(f32::to_bits).collect())
        })
        .collect();
    let Some(evidence) = evidence else { return (0..scored.len()).collect() };
    let mut counts: HashMap<&[u32], usize> = HashMap::new();
    for values in &evidence {
        *counts.entry(values).or_default() += 1;
    }
    (0..scored.len()).filter(|index| counts[&*evidence[*index]] > 1).collect()
}

/// Announces that the files of these documents are read next.
pub(crate) fn read_ahead<'a>(
    documents: impl Iterator<Item = &'a Ranked<ScoredDocument>>,
    context: SearchContext<'_>,
) {
    let stored = documents.map(|document| &document.payload.candidate.parts.document);
    let on_disk = stored.filter(|stored| stored.text.is_none());
    context.config.read_ahead(on_disk.map(|stored| stored.path.as_str()));
}

/// Reads the file of a document without comparing it with the disk again: the snapshot did. `None`
/// where the index has the text itself.
pub(crate) fn read_unverified(
    document: &ScoredDocument,
    context: SearchContext<'_>,
) -> Option<UnverifiedText> {
    let CandidateParts { candidate, document: stored, .. } = &document.candidate.parts;
    if stored.text.is_some() {
        return None;
    }
    let source = context.snapshot.sources.get(document.source)?;
    source.read_unverified(candidate.id, &stored.path, context.config).ok()
}
