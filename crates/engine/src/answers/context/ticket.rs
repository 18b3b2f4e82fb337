//! A ticket as the first section of its package, and its linked tickets.

use lore_schema::Document;
use lore_sources::Tree;

use super::{
    section::{ContextItem, Detail, origin},
    tickets::{Link, Linked, Tickets, is_done},
};
use crate::query::path_words;

/// Returns the ticket with three details: all of it, description and criteria, description only.
pub(super) fn whole(ticket: &Document) -> ContextItem {
    let body = without_title(&ticket.text);
    let criteria: Vec<&str> = sections(body)
        .filter(|(heading, _)| {
            let heading = heading.to_lowercase();
            heading.is_empty() || heading.contains("description") || heading.contains("acceptance")
        })
        .map(|(_, text)| text)
        .collect();
    let mut details = vec![Detail::prose(body)];
    let short = criteria.join("\n\n");
    if !short.is_empty() && short != body {
        details.push(Detail::prose(short));
    }
    details.extend(ticket.attributes.description.clone().map(Detail::prose));
    let mut item = item(ticket);
    item.details = details.into_iter().filter(|detail| !detail.is_empty()).collect();
    item.details.dedup();
    item
}

/// Returns a ticket among others, with its description.
pub(super) fn item(ticket: &Document) -> ContextItem {
    let attributes = &ticket.attributes;
    let id = attributes.id.clone().unwrap_or_default();
    let name = match ticket.title.as_str() {
        title if title == id => id,
        title => format!("{id}: {title}"),
    };
    let kind = attributes.extra.iter().find(|(name, _)| name == "type" || name == "issue_type");
    let mut about = Vec::new();
    let fields = [
        ("status", attributes.status.clone()),
        ("priority", attributes.priority.clone()),
        ("type", kind.map(|(_, kind)| kind.clone())),
        ("assignee", attributes.assignee.clone()),
    ];
    about.extend(fields.into_iter().filter_map(|(name, value)| {
        Some((name, value?)).filter(|(_, value)| !value.trim().is_empty())
    }));
    about.extend(origin(ticket.trust));
    ContextItem {
        id: ticket.key.to_string(),
        kind: "ticket".to_owned(),
        name,
        path: Some(ticket.path.clone()).filter(|path| !path.is_empty()),
        about,
        details: attributes.description.iter().cloned().map(Detail::prose).collect(),
        ..ContextItem::default()
    }
}

/// Returns the linked tickets, dependencies first.
pub(super) fn linked(tickets: &Tickets, ticket: &Document) -> Vec<ContextItem> {
    let mut linked = tickets.linked(ticket);
    let waits = |linked_ticket: &Linked<'_>| {
        linked_ticket.link == Link::DependsOn
            && linked_ticket.ticket.is_some_and(|it| !is_done(it.attributes.status.as_deref()))
    };
    linked.sort_by_key(|linked_ticket| !waits(linked_ticket));
    linked
        .iter()
        .map(|linked_ticket| {
            let item = match linked_ticket.ticket {
                Some(other) => item(other),
                None => ContextItem {
                    id: format!("tickets:{}", linked_ticket.id),
                    kind: "ticket".to_owned(),
                    name: linked_ticket.id.clone(),
                    about: vec![("status", "not in this tree".to_owned())],
                    ..ContextItem::default()
                },
            };
            let relation = match linked_ticket.link {
                Link::DependsOn if waits(linked_ticket) => "blocks it, as it is not done",
                Link::DependsOn => "it depends on this",
                Link::NeededBy => "waits for it",
                Link::Parent => "its parent",
                Link::Child => "a part of it",
                Link::RelatedTo => "related to it",
                Link::Mentions => "mentioned in it",
            };
            ContextItem { relation: relation.to_owned(), ..item }
        })
        .collect()
}

/// Returns the files of the tree that a ticket names, first in its fields, then in its text,
/// without duplicates.
pub(super) fn named_files(ticket: &Document, tree: &Tree) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    let fields = ticket.attributes.extra.iter().map(|(_, value)| value.as_str());
    for text in fields.chain([ticket.text.as_str()]) {
        for path in path_words(text) {
            let is_path = path.contains('/') || path.contains('.');
            if is_path && tree.entry(path).is_some() && *path != ticket.path {
                let path = path.to_owned();
                if !files.contains(&path) {
                    files.push(path);
                }
            }
        }
    }
    files
}

/// Returns the intent for the type of a ticket; `None` if it has none.
pub(super) fn intent_of_type(ticket: &Document) -> Option<&'static str> {
    let fields = ticket.attributes.extra.iter().filter(|(name, _)| {
        matches!(name.to_lowercase().as_str(), "type" | "issue_type" | "issuetype" | "kind")
    });
    let tags = ticket.attributes.tags.iter();
    let mut values = fields.map(|(_, value)| value).chain(tags);
    values.find_map(|value| {
        Some(match value.to_lowercase().replace([' ', '_', '-'], "").as_str() {
            "bug" | "bugfix" | "defect" | "hotfix" | "incident" => "debug",
            "refactor" | "refactoring" | "chore" | "techdebt" | "cleanup" => "refactor",
            "test" | "testing" => "test",
            "docs" | "documentation" | "research" | "spike" => "explain",
            "epic" | "enhancement" | "feature" | "implementation" | "story" | "subtask"
            | "task" => "implement",
            _ => return None,
        })
    })
}

/// Returns the text of a ticket below its title.
fn without_title(text: &str) -> &str {
    match text.strip_prefix("# ") {
        Some(rest) => rest.split_once('\n').map_or("", |(_, body)| body).trim(),
        None => text.trim(),
    }
}

/// Splits a text into sections; each has its heading line and all of its lines.
fn sections(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut starts: Vec<usize> = vec![0];
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.starts_with("## ") && at > 0 {
            starts.push(at);
        }
        at += line.len();
    }
    starts.push(text.len());
    let parts: Vec<&str> = starts.windows(2).map(|pair| text[pair[0]..pair[1]].trim()).collect();
    parts.into_iter().filter(|part| !part.is_empty()).map(|part| {
        let first = part.lines().next().unwrap_or_default();
        (first.strip_prefix("## ").unwrap_or_default(), part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_start_at_headings() {
        let text = "intro\n\n## Description\n\nWarm it.\n\n## Notes\n\nLater.\n";
        let found: Vec<(&str, &str)> = sections(text).collect();
        assert_eq!(
            found,
            [
                ("", "intro"),
                ("Description", "## Description\n\nWarm it."),
                ("Notes", "## Notes\n\nLater."),
            ]
        );
        assert_eq!(sections("").count(), 0);
    }

    #[test]
    fn the_title_is_removed() {
        assert_eq!(without_title("# A-1: Warm it\n\n## Notes\n\nx\n"), "## Notes\n\nx");
        assert_eq!(without_title("# A-1: Warm it\n"), "");
        assert_eq!(without_title("Warm it\n"), "Warm it");
    }
}
