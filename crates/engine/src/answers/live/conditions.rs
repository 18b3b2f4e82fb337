//! Decides which files count, and rejects requests that need an index.

use lore_index::PathFilter;
use lore_schema::{Filter, SourceName};

use super::partial::Indexed;
use crate::{
    EngineError, Mode, Scanned, SearchRequest,
    query::{Condition, Plan},
};

/// Returns the reason why embeddings take no part, or only for some files.
pub(super) fn no_embeddings(indexed: Option<&Indexed>) -> &'static str {
    match indexed {
        None => "the tree has no index yet",
        Some(_) => "the index of the tree is not complete yet",
    }
}

/// Conditions on a file.
pub(super) struct Conditions<'a> {
    filter: &'a Filter,
    paths: PathFilter,
    phrases: Vec<String>,
}

impl<'a> Conditions<'a> {
    pub(super) fn new(filter: &'a Filter, phrases: Vec<String>) -> Conditions<'a> {
        let paths = PathFilter::new(&filter.paths, &filter.excludes);
        Conditions { filter, paths, phrases }
    }

    /// Returns true if the path meets the conditions.
    pub(super) fn admit_path(&self, path: &str) -> bool {
        let Filter { sources, languages, .. } = self.filter;
        self.paths.admits(path)
            && (sources.is_empty() || sources.contains(&lore_sources::source_of_path(path)))
            && (languages.is_empty()
                || lore_syntax::detect(path, "")
                    .is_some_and(|language| languages.iter().any(|name| name == language.name)))
    }

    /// Returns true if the text meets the conditions.
    pub(super) fn admit_text(&self, path: &str, text: &str) -> bool {
        let Filter { categories, without, .. } = self.filter;
        if !categories.is_empty() || !without.is_empty() {
            let category = lore_syntax::categorize(path, text);
            if without.contains(&category)
                || (!categories.is_empty() && !categories.contains(&category))
            {
                return false;
            }
        }
        if self.phrases.is_empty() {
            return true;
        }
        let folded = text.to_lowercase();
        self.phrases.iter().all(|phrase| folded.contains(phrase))
    }
}

/// Rejects a request that needs an index, instead of answering a different one. Returns the phrases
/// that a file must contain.
pub(super) fn refuse_what_needs_an_index(
    request: &SearchRequest,
    plan: &Plan,
) -> Result<Vec<String>, EngineError> {
    let filter = &request.filter;
    let sources = &filter.sources;
    let refused = [
        (request.pattern.is_some(), "a pattern"),
        (request.mode == Mode::Semantic, "a search by meaning alone"),
        (!request.attributes.is_empty(), "a filter on attributes of documents"),
        (filter.since.is_some() || filter.until.is_some(), "a filter by date"),
        (!filter.kinds.is_empty() || !plan.kinds.is_empty(), "a filter by kind"),
        (!filter.parts.is_empty(), "a filter by a part of a source"),
        (
            !sources.is_empty() && sources.iter().all(|source| needs_index(*source)),
            "a search of specs, tickets or commits",
        ),
    ];
    if let Some((_, what)) = refused.into_iter().find(|(is_requested, _)| *is_requested) {
        return Err(EngineError::NeedsIndex { what });
    }
    let mut phrases = Vec::new();
    if let Some(condition) = &plan.condition
        && !phrases_of(condition, &mut phrases)
    {
        return Err(EngineError::NeedsIndex { what: "a condition of the query language" });
    }
    Ok(phrases)
}

/// Collects the phrases of a condition; returns false if it has other parts.
fn phrases_of(condition: &Condition, phrases: &mut Vec<String>) -> bool {
    match condition {
        Condition::Phrase(text) => {
            phrases.push(text.to_lowercase());
            true
        }
        Condition::All(parts) => parts.iter().all(|part| phrases_of(part, phrases)),
        _ => false,
    }
}

/// Returns true if only an index can tell which documents belong to a source.
fn needs_index(source: SourceName) -> bool {
    matches!(source, SourceName::Git | SourceName::Specs | SourceName::Tickets)
}

/// Returns the warnings of an answer without a complete index.
pub(super) fn scan_warnings(
    request: &SearchRequest,
    scanned: &Scanned,
    indexed: Option<&Indexed>,
) -> Vec<String> {
    let Scanned { files, looked, indexed: in_index, listed_all } = scanned;
    let or_more = if *listed_all { "" } else { " or more" };
    let by_words = match indexed {
        None => ", by their words only".to_owned(),
        Some(_) if in_index == looked => ", those that are indexed".to_owned(),
        Some(_) => format!(", of which {in_index} are indexed, the others by their words only"),
    };
    let mut warnings =
        vec![format!("preliminary: {looked} of {files}{or_more} files were searched{by_words}")];
    let sources = &request.filter.sources;
    let hidden = |source: &SourceName| {
        needs_index(*source)
            && (sources.is_empty() || sources.contains(source))
            && !indexed.is_some_and(|indexed| indexed.has_source(*source))
    };
    if hidden(&SourceName::Git) {
        warnings.push("commits are searched once there is an index".to_owned());
    }
    if !sources.is_empty()
        && sources.iter().any(|source| needs_index(*source) && *source != SourceName::Git)
    {
        warnings.push("specs and tickets are recognised once there is an index".to_owned());
    }
    if request.hops > 0 && indexed.is_none() {
        warnings.push("calls and uses of the hits are followed once there is an index".to_owned());
    }
    warnings
}
