//! Lists what was tried before: reverted commits, and records that were rejected or superseded.

use std::{collections::BTreeSet, time::Instant};

use lore_index::{DocumentId, IndexError, Reader};
use lore_schema::{Field, Filter, SourceName};

use crate::{
    Attempt, Engine, EngineConfig, EngineError, IndexMode, Progress, TriedRequest, TriedResponse,
    query::facets,
    search::{
        reverts::REVERTS,
        tried::{attempt_of_record, attempt_of_revert, common_words, subject_words},
    },
    state::refresh,
};

/// Maximum number of reverts that are read.
const MAX_REVERTS: usize = 20_000;

/// Weight of a word in the title, in the reason and in the paths.
const TITLE: usize = 4;
const REASON: usize = 2;
const PATH: usize = 1;

impl Engine {
    /// Lists what was tried before, on the tree as it is now.
    ///
    /// # Errors
    /// When the tree or the index cannot be read.
    pub fn tried(
        &self,
        request: &TriedRequest,
        progress: &dyn Progress,
    ) -> Result<TriedResponse, EngineError> {
        let started = Instant::now();
        let mut response = self.recover(|config| tried(config, request, progress))?;
        response.receipt.elapsed_ms = started.elapsed().as_secs_f64() * 1e3;
        Ok(response)
    }
}

fn tried(
    config: &EngineConfig,
    request: &TriedRequest,
    progress: &dyn Progress,
) -> Result<TriedResponse, EngineError> {
    let snapshot = refresh::take(config, &[], IndexMode::Update, progress)?;
    let mut attempts: Vec<Attempt> = Vec::new();
    for open in &snapshot.sources {
        let reader = open.reader.as_ref();
        attempts.extend(match reader.source() {
            SourceName::Git => of_commits(reader)?,
            SourceName::Specs | SourceName::Tickets => of_records(reader)?,
            SourceName::Code | SourceName::Docs | SourceName::Patterns => Vec::new(),
        });
    }
    let words = subject_words(&request.query);
    let mut scored: Vec<(usize, Attempt)> = attempts
        .into_iter()
        .map(|attempt| (score(&words, &attempt), attempt))
        .filter(|(score, _)| words.is_empty() || 0 < *score)
        .collect();
    scored.sort_by(|left, right| {
        let key = |attempt: &(usize, Attempt)| (attempt.0, attempt.1.date);
        key(right).cmp(&key(left)).then(left.1.id.cmp(&right.1.id))
    });
    let total = scored.len();
    scored.truncate(request.limit);
    let shown = scored.len() as u64;
    Ok(TriedResponse {
        query: request.query.clone(),
        attempts: scored.into_iter().map(|(_, attempt)| attempt).collect(),
        total,
        receipt: snapshot.receipt(config, total as u64, shown, shown),
        warnings: snapshot.warnings,
    })
}

/// Returns the commits that others revert.
fn of_commits(reader: &dyn Reader) -> Result<Vec<Attempt>, IndexError> {
    let prefix = facets::value_term(REVERTS, "");
    let mut ids: BTreeSet<DocumentId> = BTreeSet::new();
    for term in reader.terms(Field::Facets, &prefix, MAX_REVERTS)? {
        let holders = reader.holders(Field::Facets, &term, MAX_REVERTS)?;
        ids.extend(holders.iter().map(|holder| holder.document));
    }
    let ids: Vec<DocumentId> = ids.into_iter().collect();
    let mut attempts: Vec<Attempt> = Vec::new();
    for revert in reader.documents(&ids)? {
        attempts.extend(attempt_of_revert(&revert, reader)?);
    }
    Ok(attempts)
}

/// Returns the records of a source that were turned down or replaced.
fn of_records(reader: &dyn Reader) -> Result<Vec<Attempt>, IndexError> {
    let listing = reader.listing(&Filter::default())?;
    let ids: Vec<DocumentId> = listing.iter().map(|listed| listed.id).collect();
    Ok(reader.documents(&ids)?.iter().filter_map(attempt_of_record).collect())
}

/// Number of words that an attempt contains, weighted by the place.
fn score(words: &[String], attempt: &Attempt) -> usize {
    let common = |text: &str| common_words(words, &subject_words(text));
    TITLE * common(&attempt.title)
        + REASON * common(&attempt.reason)
        + PATH * common(&attempt.paths.join(" "))
}
