//! Suggests further queries, with rules over the hits and their neighbours in the graph.
//!
//! The rules are deterministic: the same answer always gives the same queries.

mod cache;

pub(crate) use self::cache::FollowUpCache;
use crate::{FollowUp, FollowUpCategory, Hit};

/// Maximum number of suggested queries.
const MAX_FOLLOW_UPS: usize = 5;

/// Number of hits that suggestions are made from.
const HITS: usize = 5;

/// Maximum length of a name or heading in a query, in characters; longer ones are sentences.
const MAX_NAME_LEN: usize = 60;

/// Number of characters of the summary that identify an answer.
const SUMMARY: usize = 100;

/// Returns the key of an answer: the query, normalized in case and spacing, and the first hits.
pub(crate) fn key(query: &str, hits: &[Hit]) -> String {
    let query = query.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    let found: Vec<&str> = hits.iter().take(HITS).map(|hit| hit.id.as_str()).collect();
    let summary: String = found.join(" ").chars().take(SUMMARY).collect();
    format!("{query}|{summary}")
}

/// Returns at most five related queries, of as many categories as possible. `neighbours` are names
/// of definitions that the best hits use, most certain first.
pub(crate) fn follow_ups(query: &str, hits: &[Hit], neighbours: &[String]) -> Vec<FollowUp> {
    let hits = &hits[..hits.len().min(HITS)];
    let code: Vec<&Hit> = hits.iter().filter(|hit| hit.signature.is_some()).collect();
    let has_tests = hits.iter().any(|hit| hit.category == "test");
    let has_reasons = hits.iter().any(|hit| matches!(hit.kind.as_str(), "decision" | "commit"));
    let names = || code.iter().map(|hit| hit.title.as_str());
    let called = code.iter().filter(|hit| matches!(hit.kind.as_str(), "function" | "method"));
    let containers = code.iter().filter_map(|hit| {
        hit.breadcrumb.iter().rev().find(|name| **name != hit.title).map(String::as_str)
    });
    let sections = hits.iter().filter(|hit| hit.signature.is_none()).filter_map(|hit| {
        // The first heading of a document is its title.
        hit.breadcrumb.iter().skip(1).next_back().map(String::as_str)
    });
    let by_category: Vec<(FollowUpCategory, Vec<String>)> = vec![
        (
            FollowUpCategory::Callers,
            called.map(|hit| format!("callers of {}", hit.title)).collect(),
        ),
        (FollowUpCategory::Neighbour, neighbours.to_vec()),
        (FollowUpCategory::Container, containers.map(str::to_owned).collect()),
        (
            FollowUpCategory::Tests,
            if has_tests {
                Vec::new()
            } else {
                names().map(|name| format!("{name} test")).collect()
            },
        ),
        (
            FollowUpCategory::Reasons,
            if has_reasons {
                Vec::new()
            } else {
                names().map(|name| format!("why {name}")).collect()
            },
        ),
        (FollowUpCategory::Section, sections.map(str::to_owned).collect()),
    ];
    let mut follow_ups: Vec<FollowUp> = Vec::new();
    let longest = by_category.iter().map(|(_, queries)| queries.len()).max().unwrap_or(0);
    // One of each category first, then the second ones.
    for turn in 0..longest {
        for (category, queries) in &by_category {
            let Some(next) = queries.get(turn) else { continue };
            let is_new = !same(next, query)
                && !follow_ups.iter().any(|known| same(&known.query, next))
                && (1..=MAX_NAME_LEN).contains(&next.chars().count());
            if is_new && follow_ups.len() < MAX_FOLLOW_UPS {
                follow_ups.push(FollowUp { query: next.clone(), category: *category });
            }
        }
    }
    follow_ups
}

/// Returns true if two queries are equal except for letter case and surrounding whitespace.
fn same(left: &str, right: &str) -> bool {
    left.trim().to_lowercase() == right.trim().to_lowercase()
}

#[cfg(test)]
mod tests;
