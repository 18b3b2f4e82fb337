//! The first line of an answer: how sure it is, and what to do next.

use lore_console::text::{clean, cut};
use lore_engine::{Confidence, Hit, SearchResponse, Sureness};
use lore_schema::SourceName;

/// Maximum number of columns of a query that is suggested.
const MAX_QUERY_WIDTH: usize = 100;

/// The first line of the first page of an answer with hits, without a line end; `None` if the answer
/// makes no claim: all matches of a pattern, the failures of a log.
pub(super) fn verdict(response: &SearchResponse) -> Option<String> {
    let Confidence { sureness, complete, .. } = response.receipt.confidence.as_ref()?;
    Some(match (sureness, complete) {
        (Sureness::Found, Some(complete)) => {
            format!("found, {}: no need to look further", clean(complete))
        }
        (Sureness::Likely, Some(complete)) => format!("likely, {}", clean(complete)),
        (Sureness::Found, None) => "found: these lines probably answer".to_owned(),
        (Sureness::Likely, None) => {
            "likely one of these: open only the one whose lines fit".to_owned()
        }
        (Sureness::Unsure, _) => match next_query(response) {
            Some(next) => format!("unsure: if none of these fits, ask {next}"),
            None => "unsure: if none of these fits, search for a literal with ripgrep".to_owned(),
        },
    })
}

/// Returns whether the first line states that the answer is complete.
pub(super) fn is_complete(response: &SearchResponse) -> bool {
    let confidence = response.receipt.confidence.as_ref();
    confidence.is_some_and(|it| it.sureness == Sureness::Found && it.complete.is_some())
}

/// The next query that would decide: without the words that occur nowhere; in the history, if the
/// question is about the past and no commit was found; otherwise the best name that was found.
fn next_query(response: &SearchResponse) -> Option<String> {
    let hits = &response.hits;
    let unknown = response.absence.as_ref().map_or(&[][..], |absence| &absence.unknown_words);
    if !unknown.is_empty() {
        let is_known = |word: &&str| {
            let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
            !unknown.iter().any(|unknown| unknown.eq_ignore_ascii_case(bare))
        };
        let known: Vec<&str> = response.query.split_whitespace().filter(is_known).collect();
        if (2..response.query.split_whitespace().count()).contains(&known.len()) {
            return Some(format!("`{}`", shown(&known.join(" "))));
        }
    }
    let first = response.query.split_whitespace().next().unwrap_or_default().to_lowercase();
    let is_about_past = matches!(first.as_str(), "why" | "when" | "who");
    if is_about_past && hits.iter().take(MAX_LISTED).all(|hit| hit.source != SourceName::Git) {
        return Some("the same with `--in git`".to_owned());
    }
    let words: Vec<String> = response.query.split_whitespace().map(str::to_lowercase).collect();
    let is_near = |hit: &&Hit| {
        let title = hit.title.to_lowercase();
        let says = |word: &String| word.len() >= MIN_WORD && title.contains(word.as_str());
        hit.source == SourceName::Code && hit.id.contains('#') && words.iter().any(says)
    };
    let named = hits.iter().take(MAX_LISTED).find(is_near)?;
    (named.title != response.query).then(|| format!("`{}`", shown(&named.title)))
}

/// Minimum number of bytes of a word of the question that makes a name worth asking for.
const MIN_WORD: usize = 4;

/// Number of hits that such an answer lists.
const MAX_LISTED: usize = 10;

fn shown(query: &str) -> String {
    cut(&clean(query), MAX_QUERY_WIDTH)
}
