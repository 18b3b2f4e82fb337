//! What to ask next: related queries, made by rules from the hits and their neighbours in the graph.
//!
//! No model and no chance takes part: the same answer always leads to the same queries.

mod cache;

pub(crate) use self::cache::FollowUpCache;
use crate::{FollowUp, FollowUpCategory, Hit};

/// Most queries that are suggested.
const MOST: usize = 5;

/// Hits that suggest something.
const HITS: usize = 5;

/// Characters of a name or a heading that make a query; a longer one is a sentence.
const LONGEST: usize = 60;

/// Characters of the answer's summary that tell it from others.
const SUMMARY: usize = 100;

/// What tells one answer from another: the query in any letter case and spacing, and what was found
/// first.
pub(crate) fn key(query: &str, hits: &[Hit]) -> String {
    let query = query.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    let found: Vec<&str> = hits.iter().take(HITS).map(|hit| hit.id.as_str()).collect();
    let summary: String = found.join(" ").chars().take(SUMMARY).collect();
    format!("{query}|{summary}")
}

/// Related queries, at most five, of as many categories as there are. `neighbours` are names of
/// definitions that the best hits use, the surest first.
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
                && (1..=LONGEST).contains(&next.chars().count());
            if is_new && follow_ups.len() < MOST {
                follow_ups.push(FollowUp { query: next.clone(), category: *category });
            }
        }
    }
    follow_ups
}

/// Whether two queries are the same but for letter case and blanks around them.
fn same(left: &str, right: &str) -> bool {
    left.trim().to_lowercase() == right.trim().to_lowercase()
}

#[cfg(test)]
mod tests;
