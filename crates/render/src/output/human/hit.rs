//! Texts of a hit: its title, its origin, its place and its notes.

use lore_console::{dates, text};
use lore_engine::{Hit, Link};
use lore_schema::SourceName;

/// Number of shown characters of a commit's hash.
const SHORT_HASH_LEN: usize = 10;

/// A link of a hit: `governs src/refund.rs:10-42 (Refunds.retry)`.
pub fn link(link: &Link) -> String {
    let lines = link.start_line.zip(link.end_line);
    let lines = lines.map_or_else(String::new, |(start, end)| format!(":{start}-{end}"));
    let name = link.id.split_once('#').map_or_else(String::new, |(_, name)| format!(" ({name})"));
    let missing = if link.found { "" } else { ", which does not exist" };
    format!("{} {}{lines}{name}{missing}", link.relation, link.path)
}

/// The date, the author and the reverts of a hit; the author with their address if `is_verbose`.
pub(super) fn origin(hit: &Hit, is_verbose: bool) -> Vec<String> {
    let author = hit.author.as_deref().map(|author| match author.split_once('<') {
        Some((name, _)) if !is_verbose && !name.trim().is_empty() => name.trim().to_owned(),
        _ => author.to_owned(),
    });
    let parts = [reverts(hit), hit.date.and_then(dates::day), author];
    parts.into_iter().flatten().collect()
}

/// The commits that revert this one.
pub fn reverts(hit: &Hit) -> Option<String> {
    let by = hit.extra.iter().filter(|(name, _)| name == "reverted_by");
    let by: Vec<&str> = by.map(|(_, hash)| hash.as_str()).collect();
    (!by.is_empty()).then(|| format!("reverted by {}", by.join(", ")))
}

/// The line about a change like this one that was undone.
pub fn tried_before(hit: &Hit) -> Option<String> {
    let tried = hit.extra.iter().find(|(name, _)| name == "tried_before");
    tried.map(|(_, line)| format!("tried before: {}", text::clean(line)))
}

/// The line about a document that is older than the code that it names.
pub fn older_than_code(hit: &Hit) -> Option<String> {
    let age = hit.extra.iter().find(|(name, _)| name == "older_than_code");
    age.map(|(_, line)| format!("older than its code {}", text::clean(line)))
}

/// A commit's identifier with a short hash.
pub(super) fn commit(id: &str) -> String {
    let document = id.split_once('#').map_or(id, |(document, _)| document);
    let (source, hash) = document.split_once(':').unwrap_or(("", document));
    let short: String = hash.chars().take(SHORT_HASH_LEN).collect();
    text::quoted(&if source.is_empty() { short } else { format!("{source}:{short}") })
}

/// The title and the breadcrumb, without repeating one in the other.
///
/// The first heading of a ticket is its title with its identifier, so it replaces the title.
pub(in crate::output) fn names(hit: &Hit) -> (&str, &[String]) {
    let title = hit.title.as_str();
    let repeats = |name: &str| {
        name.strip_suffix(title)
            .is_some_and(|before| before.is_empty() || before.ends_with(char::is_whitespace))
    };
    match hit.breadcrumb.as_slice() {
        [first, rest @ ..] if hit.source == SourceName::Tickets && repeats(first) => (first, rest),
        [first, rest @ ..] if repeats(first) => (title, rest),
        [rest @ .., last] if last == title => (title, rest),
        breadcrumb => (title, breadcrumb),
    }
}
