//! Tickets of any tracker: lookup by id, and links between them.

use lore_schema::{Document, SourceName};
use lore_sources::{SourceError, Tree};

use crate::query::facets;

/// Maximum number of suggestions for an unknown ticket.
const NEAREST: usize = 3;

/// The tickets of a tree.
pub(super) struct Tickets {
    documents: Vec<Document>,
}

/// The ticket that a task refers to.
pub(super) enum TicketReference<'a> {
    /// The task is the id of this ticket, or contains it.
    Ticket(&'a Document),
    /// The task has the form of an id that no ticket has; the strings are similar ids.
    Unknown(Vec<String>),
    /// No ticket.
    Words,
}

/// Kind of a link between tickets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Link {
    /// The other ticket has to be done before.
    DependsOn,
    /// The opposite of `DependsOn`.
    NeededBy,
    /// The other ticket contains it.
    Parent,
    /// It contains the other ticket.
    Child,
    /// One lists the other as related.
    RelatedTo,
    /// One mentions the other in its text.
    Mentions,
}

impl Link {
    fn of_field(name: &str) -> Option<Link> {
        let name = facets::canonical(name);
        Some(match name.replace(['_', '-'], "").as_str() {
            "dependency" | "blockedby" => Link::DependsOn,
            "blocks" => Link::NeededBy,
            "parent" | "parentid" | "epic" | "parenttaskid" => Link::Parent,
            "children" | "child" | "subtasks" => Link::Child,
            "relatedto" | "related" | "relates" => Link::RelatedTo,
            _ => return None,
        })
    }

    fn reversed(self) -> Link {
        match self {
            Link::DependsOn => Link::NeededBy,
            Link::NeededBy => Link::DependsOn,
            Link::Parent => Link::Child,
            Link::Child => Link::Parent,
            Link::RelatedTo | Link::Mentions => self,
        }
    }
}

/// A linked ticket.
pub(super) struct Linked<'a> {
    pub(super) link: Link,
    /// Its id, as written in the other ticket.
    pub(super) id: String,
    /// The ticket; `None` if it is not in the tree.
    pub(super) ticket: Option<&'a Document>,
}

impl Tickets {
    /// Reads every ticket of a tree.
    pub(super) fn read(tree: &Tree) -> Result<Tickets, SourceError> {
        Ok(Tickets {
            documents: lore_sources::read_documents(tree, SourceName::Tickets, &|_| true)?,
        })
    }

    /// Returns all tickets.
    pub(super) fn all(&self) -> &[Document] {
        &self.documents
    }

    /// Returns the ticket with an id, in any letter case.
    pub(super) fn find(&self, id: &str) -> Option<&Document> {
        let wanted = id.trim().trim_start_matches('#');
        let has = |document: &&Document, same: fn(&str, &str) -> bool| {
            document.attributes.id.as_deref().is_some_and(|own| same(own, wanted))
        };
        let exact = self.documents.iter().find(|ticket| has(ticket, |left, right| left == right));
        exact
            .or_else(|| self.documents.iter().find(|ticket| has(ticket, str::eq_ignore_ascii_case)))
    }

    /// Returns the ticket that a task refers to: the whole task is an id, or one of its words is.
    pub(super) fn referenced(&self, task: &str) -> TicketReference<'_> {
        if self.documents.is_empty() {
            return TicketReference::Words;
        }
        let task = task.trim();
        if !task.contains(char::is_whitespace) {
            if let Some(ticket) = self.find(task) {
                return TicketReference::Ticket(ticket);
            }
            return match prefix(task) {
                Some(prefix) if self.is_prefix(prefix) || is_capital(prefix) => {
                    TicketReference::Unknown(self.nearest(task))
                }
                _ => TicketReference::Words,
            };
        }
        let mut named = identifiers(task).filter_map(|word| self.find(word));
        named.next().map_or(TicketReference::Words, TicketReference::Ticket)
    }

    /// Returns true if a task can only be the id of a ticket, but the tree has no tickets.
    pub(super) fn has_none_for(&self, task: &str) -> bool {
        self.documents.is_empty() && prefix(task.trim()).is_some_and(is_capital)
    }

    /// Returns the linked tickets, by kind of link, then in the order in which they are named,
    /// without duplicates.
    pub(super) fn linked(&self, ticket: &Document) -> Vec<Linked<'_>> {
        let own = ticket.attributes.id.as_deref().unwrap_or_default();
        let mut linked: Vec<Linked<'_>> = Vec::new();
        let mut add = |link: Link, id: &str, ticket: Option<&'_ Document>| {
            let is_known = |known: &Linked<'_>| known.id.eq_ignore_ascii_case(id);
            if !id.eq_ignore_ascii_case(own) && !linked.iter().any(is_known) {
                linked.push(Linked {
                    link,
                    id: id.to_owned(),
                    ticket: ticket.and_then(|parent| self.find(parent.attributes.id.as_deref()?)),
                });
            }
        };
        for (name, value) in &ticket.attributes.extra {
            let Some(link) = Link::of_field(name) else { continue };
            for id in value.split([',', ' ']).filter(|id| !id.is_empty()) {
                let found = self.find(id);
                // Some trackers name a parent by its title.
                if found.is_some() || prefix(id).is_some() {
                    add(link, id, found);
                }
            }
        }
        for other in &self.documents {
            let Some(id) = other.attributes.id.as_deref() else { continue };
            let names_own = other
                .attributes
                .extra
                .iter()
                .filter(|(_, value)| {
                    value.split([',', ' ']).any(|value| value.eq_ignore_ascii_case(own))
                })
                .find_map(|(name, _)| Link::of_field(name));
            if let Some(link) = names_own {
                add(link.reversed(), id, Some(other));
            }
        }
        for id in identifiers(&ticket.text) {
            if let Some(found) = self.find(id) {
                add(Link::Mentions, id, Some(found));
            }
        }
        linked.sort_by_key(|linked| linked.link);
        linked
    }

    /// Returns the component of a ticket: its own field, otherwise the prefix of its id if other
    /// tickets share it, but not all.
    pub(super) fn component(&self, ticket: &Document) -> Option<String> {
        let says =
            ticket.attributes.extra.iter().find(|(name, _)| {
                matches!(name.to_lowercase().as_str(), "component" | "components")
            });
        if let Some((_, component)) = says {
            return Some(component.clone());
        }
        let prefix = prefix(ticket.attributes.id.as_deref()?)?;
        let (same, other): (Vec<&str>, Vec<&str>) =
            self.prefixes().partition(|other| other.eq_ignore_ascii_case(prefix));
        (same.len() > 1 && !other.is_empty()).then(|| prefix.to_owned())
    }

    fn prefixes(&self) -> impl Iterator<Item = &str> {
        self.documents.iter().filter_map(|ticket| prefix(ticket.attributes.id.as_deref()?))
    }

    fn is_prefix(&self, prefix: &str) -> bool {
        self.prefixes().any(|known| known.eq_ignore_ascii_case(prefix))
    }

    /// Returns the ids with the most similar spelling, those with the same prefix first.
    fn nearest(&self, id: &str) -> Vec<String> {
        let folded = id.to_lowercase();
        let mut known: Vec<(bool, f64, &str)> = self
            .documents
            .iter()
            .filter_map(|ticket| ticket.attributes.id.as_deref())
            .map(|own| {
                let same = prefix(own).zip(prefix(id));
                let differs = !same.is_some_and(|(left, right)| left.eq_ignore_ascii_case(right));
                let alike = strsim::normalized_damerau_levenshtein(&own.to_lowercase(), &folded);
                (differs, alike, own)
            })
            .collect();
        known.sort_by(|left, right| {
            left.0.cmp(&right.0).then(right.1.total_cmp(&left.1)).then(left.2.cmp(right.2))
        });
        known.dedup_by(|left, right| left.2 == right.2);
        known.into_iter().take(NEAREST).map(|(.., own)| own.to_owned()).collect()
    }
}

/// Returns true if a status means that the ticket is done.
pub(super) fn is_done(status: Option<&str>) -> bool {
    status.is_some_and(|status| {
        matches!(
            facets::normal(status).as_str(),
            "archived"
                | "canceled"
                | "cancelled"
                | "closed"
                | "complete"
                | "completed"
                | "done"
                | "merged"
                | "resolved"
        )
    })
}

/// Returns the prefix of an id such as `CACHE-017` or `shop-a1b`; `None` if the text is not an id.
pub(super) fn prefix(text: &str) -> Option<&str> {
    let (prefix, number) = text.rsplit_once('-')?;
    let is_number = number.bytes().any(|byte| byte.is_ascii_digit())
        && number.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'.');
    let is_prefix = prefix.starts_with(|first: char| first.is_ascii_alphabetic())
        && prefix.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    (is_number && is_prefix).then_some(prefix)
}

fn is_capital(prefix: &str) -> bool {
    prefix.bytes().all(|byte| !byte.is_ascii_lowercase())
}

/// Returns the words of a text that have the form of an id.
pub(super) fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')))
        .map(|word| word.trim_matches(['.', '-', '_']))
        .filter(|word| prefix(word).is_some())
}

#[cfg(test)]
mod tests {
    use lore_schema::{Attributes, DocKey, TextOrigin, Trust};

    use super::*;

    fn ticket(id: &str, status: &str, extra: &[(&str, &str)], text: &str) -> Document {
        let pair = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        Document {
            key: DocKey { source: SourceName::Tickets, locator: id.to_owned() },
            path: format!("tickets/{id}.md"),
            format: "sage",
            kind: "ticket",
            title: format!("about {id}"),
            text: text.to_owned(),
            origin: TextOrigin::Composed,
            metadata: Vec::new(),
            attributes: Attributes {
                id: Some(id.to_owned()),
                status: Some(status.to_owned()),
                extra: extra.iter().map(pair).collect(),
                ..Attributes::default()
            },
            trust: Trust::Own,
        }
    }

    fn tickets() -> Tickets {
        Tickets {
            documents: vec![
                ticket("CACHE-001", "DONE", &[("children", "CACHE-002")], ""),
                ticket(
                    "CACHE-002",
                    "OPEN",
                    &[
                        ("dependency", "CACHE-004"),
                        ("dependency", "CACHE-003"),
                        ("parent", "CACHE-001"),
                    ],
                    "As OUT-7 said, not like CACHE-002 or UTF-8.",
                ),
                ticket("CACHE-003", "CLOSED", &[("relatedTo", "cache-002")], ""),
                ticket("CACHE-005", "OPEN", &[("dependencies", "CACHE-002")], ""),
                ticket("OUT-7", "OPEN", &[("component", "exports")], ""),
            ],
        }
    }

    #[test]
    fn identifiers_are_found_in_any_case() {
        let tickets = tickets();
        let referenced = |task: &str| match tickets.referenced(task) {
            TicketReference::Ticket(ticket) => ticket.attributes.id.clone().unwrap_or_default(),
            TicketReference::Unknown(nearest) => format!("unknown, near {}", nearest.join(" ")),
            TicketReference::Words => "words".to_owned(),
        };
        assert_eq!(referenced("CACHE-002"), "CACHE-002");
        assert_eq!(referenced(" cache-002 "), "CACHE-002");
        assert_eq!(referenced("do what OUT-7 asks"), "OUT-7");
        assert_eq!(referenced("CACHE-012"), "unknown, near CACHE-002 CACHE-001 CACHE-003");
        assert_eq!(referenced("cache-9"), "unknown, near CACHE-001 CACHE-002 CACHE-003");
        assert_eq!(referenced("retry the refund"), "words");
        assert_eq!(referenced("retry"), "words");
        assert_eq!(referenced("utf-8"), "words");
        assert_eq!(referenced("x-ray"), "words");
    }

    #[test]
    fn links_are_found_from_both_ends_once() {
        let tickets = tickets();
        let ticket = tickets.find("CACHE-002").expect("a ticket");
        let linked: Vec<(Link, String, bool)> = tickets
            .linked(ticket)
            .into_iter()
            .map(|linked| (linked.link, linked.id, linked.ticket.is_some()))
            .collect();
        let row = |link, id: &str, found| (link, id.to_owned(), found);
        assert_eq!(
            linked,
            [
                row(Link::DependsOn, "CACHE-004", false),
                row(Link::DependsOn, "CACHE-003", true),
                row(Link::NeededBy, "CACHE-005", true),
                row(Link::Parent, "CACHE-001", true),
                row(Link::Mentions, "OUT-7", true),
            ]
        );
    }

    #[test]
    fn components_come_from_a_field_or_a_shared_prefix() {
        let tickets = tickets();
        let component = |id: &str| tickets.component(tickets.find(id).expect("a ticket"));
        assert_eq!(component("OUT-7").as_deref(), Some("exports"));
        assert_eq!(component("CACHE-001").as_deref(), Some("CACHE"));
        let alone =
            Tickets { documents: vec![ticket("A-1", "", &[], ""), ticket("A-2", "", &[], "")] };
        assert_eq!(alone.component(&alone.documents[0]), None, "every ticket begins so");
    }

    #[test]
    fn states_of_trackers_are_known() {
        for (status, done) in
            [("DONE", true), ("Closed", true), ("in_progress", false), ("To Do", false)]
        {
            assert_eq!(is_done(Some(status)), done, "{status}");
        }
        assert!(!is_done(None));
    }
}
