//! The receipt: how much was searched, and how reliable the answer is.

use lore_console::text;
use lore_engine::{Freshness, Receipt, SearchResponse};
use lore_schema::{SkipCounts, SkipReason, SourceName};

use super::numbers::{columns, count, milliseconds, plural};
use crate::{
    budget::{BudgetReport, LevelSummary},
    output::{Answer, Style, failure},
};

/// A part of the receipt.
struct Part {
    text: String,
    /// The part with the highest number is dropped first where there is no room.
    drop_order: usize,
}

/// The receipt on one line of a terminal: totals, and what matters to this question. Parts that do not
/// fit are dropped as a whole.
pub(super) fn line(response: &SearchResponse, style: &Style) -> String {
    let receipt = &response.receipt;
    let shown = response.hits.len();
    if style.verbose {
        return text::clean(&self::receipt(receipt, shown));
    }
    let mut parts = vec![Part { text: totals(receipt, shown), drop_order: 0 }];
    let mut add = |text: Option<String>, drop_order| {
        parts.extend(text.map(|text| Part { text: text::clean(&text), drop_order }));
    };
    add(receipt.failure.as_ref().map(failure::summary), 4);
    add(relevant_skips(response).map(|skips| format!("skipped: {skips}")), 2);
    add((receipt.fresh != Freshness::Verified).then(|| freshness(receipt)), 1);
    add(Some(format!("{} ms", milliseconds(receipt.elapsed_ms))), 3);
    fit(parts, style.width)
}

fn fit(mut parts: Vec<Part>, width: usize) -> String {
    loop {
        let texts: Vec<&str> = parts.iter().map(|part| part.text.as_str()).collect();
        let line = texts.join(" · ");
        if columns(&line) <= width || parts.len() == 1 {
            return line;
        }
        let last = parts.iter().enumerate().max_by_key(|(_, part)| part.drop_order);
        if let Some((position, _)) = last {
            parts.remove(position);
        }
    }
}

/// The skipped files that may have contained an answer: those of an answer that is empty or weak, of a
/// search that reads every file, and older commits where only commits were searched.
fn relevant_skips(response: &SearchResponse) -> Option<String> {
    let receipt = &response.receipt;
    let is_pattern = response.hits.iter().any(|hit| matches!(hit.match_type, "regex" | "literal"));
    let searches_commits = receipt.sources.keys().eq([&SourceName::Git]);
    let mut counts = unexpected(receipt);
    if !(response.hits.is_empty() || receipt.weak || is_pattern) {
        counts.retain(|reason, _| searches_commits && *reason == SkipReason::BeyondLimit);
    }
    let older = counts.remove(&SkipReason::BeyondLimit).filter(|older| *older > 0);
    let mut texts: Vec<String> =
        Some(skipped(&counts)).filter(|text| !text.is_empty()).into_iter().collect();
    texts.extend(older.map(|older| plural(older, "older commit", "older commits")));
    (!texts.is_empty()).then(|| texts.join(", "))
}

/// The numbers of searched, matching and shown documents.
fn totals(receipt: &Receipt, shown: usize) -> String {
    let documents = receipt.sources.values().map(|report| report.documents).sum();
    let verb = if receipt.total == 1 { "matches" } else { "match" };
    let shown = match shown {
        0 => String::new(),
        _ if receipt.exhaustive => ", all shown".to_owned(),
        shown => format!(", {} shown", count(shown as u64)),
    };
    let documents = plural(documents, "document", "documents");
    let repositories = match receipt.repositories.len() {
        0 => String::new(),
        number => format!(" in {}", plural(number as u64, "repository", "repositories")),
    };
    format!("{} of {documents}{repositories} {verb}{shown}", count(receipt.total))
}

fn freshness(receipt: &Receipt) -> String {
    if let Some(scanned) = receipt.scanned {
        let (looked, files) = (count(scanned.looked), count(scanned.files));
        return format!("preliminary: {looked} of {files} files");
    }
    match receipt.fresh {
        Freshness::Verified => "fresh".to_owned(),
        Freshness::Ingested(_) => ingested(receipt.fresh),
        Freshness::Partial(pending) => {
            format!("{} not searched yet", plural(pending, "change", "changes"))
        }
        Freshness::Stale => "not all hits could be checked".to_owned(),
    }
}

/// The state of a repository in a cluster.
pub(crate) fn ingested(fresh: Freshness) -> String {
    let time = fresh.ingestion_time();
    time.map_or_else(|| "as ingested".to_owned(), |time| format!("as ingested at {time}"))
}

/// The used budget and the levels of the hits.
pub(in crate::output) fn budget_report(
    budget_report: &BudgetReport,
    answer: &Answer<'_>,
) -> String {
    let BudgetReport { tokens, used, tokenizer, .. } = budget_report;
    let colon = if answer.levels.is_empty() { "" } else { ": " };
    format!(
        "budget: {} of {} tokens ({}){colon}{}",
        count(*used as u64),
        count(*tokens as u64),
        tokenizer.as_str(),
        LevelSummary(answer.levels)
    )
}

/// The receipt on one line: totals, failures and reliability.
pub(in crate::output) fn receipt(receipt: &Receipt, shown: usize) -> String {
    let mut parts = vec![totals(receipt, shown)];
    parts.extend(receipt.failure.as_ref().map(failure::summary));
    parts.extend(trust(receipt));
    parts.join(" · ")
}

/// The searched sources, skipped files, freshness and elapsed time.
pub(in crate::output) fn trust(receipt: &Receipt) -> Vec<String> {
    let mut parts = Vec::new();
    let sources: Vec<&str> = receipt
        .sources
        .iter()
        .filter(|(_, report)| report.documents > 0)
        .map(|(source, _)| source.as_str())
        .collect();
    if !sources.is_empty() {
        parts.push(sources.join(", "));
    }
    let skips = skipped(&unexpected(receipt));
    parts.extend((!skips.is_empty()).then(|| format!("skipped: {skips}")));
    parts.push(freshness(receipt));
    parts.push(format!("{} ms", milliseconds(receipt.elapsed_ms)));
    parts
}

/// The numbers of skipped files, except ignored and empty ones, which users expect to be skipped.
fn unexpected(receipt: &Receipt) -> SkipCounts {
    let mut counts = SkipCounts::new();
    for (reason, number) in receipt.sources.values().flat_map(|report| &report.skipped) {
        *counts.entry(*reason).or_default() += number;
    }
    counts.retain(|reason, _| !matches!(reason, SkipReason::Ignored | SkipReason::Empty));
    counts
}

/// The number of skipped files for each reason, in words; empty if there are none.
pub fn skipped(counts: &SkipCounts) -> String {
    let counts: Vec<String> = counts
        .iter()
        .filter(|(_, number)| **number > 0)
        .map(|(reason, number)| {
            let reason = match reason {
                SkipReason::NotAFile => "not a file",
                SkipReason::BeyondLimit => {
                    "older commits (later runs read them; `lore index --all-history` reads all now)"
                }
                SkipReason::Symlink if *number == 1 => "symlink",
                SkipReason::Symlink => "symlinks",
                SkipReason::TooLarge => "too large",
                reason => reason.as_str(),
            };
            format!("{} {reason}", count(*number))
        })
        .collect();
    counts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_dropped_whole() {
        let parts = || {
            [("143 of 2,304 documents match", 0), ("skipped: 3 too large", 2), ("34 ms", 3)]
                .map(|(text, drop_order)| Part { text: text.to_owned(), drop_order })
                .into_iter()
                .collect()
        };
        assert_eq!(fit(parts(), 80), "143 of 2,304 documents match · skipped: 3 too large · 34 ms");
        assert_eq!(fit(parts(), 55), "143 of 2,304 documents match · skipped: 3 too large");
        assert_eq!(fit(parts(), 40), "143 of 2,304 documents match");
        assert_eq!(fit(parts(), 4), "143 of 2,304 documents match");
    }
}
