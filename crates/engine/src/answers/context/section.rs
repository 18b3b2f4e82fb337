//! The parts of a package and what they hold.

use lore_schema::Trust;

/// A part of a package.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SectionName {
    /// The ticket itself.
    Ticket,
    /// Tickets that it names or that name it.
    LinkedTickets,
    /// Specs that govern the files, that the ticket names, or that are about the task.
    Specs,
    /// Definitions that the task is about.
    Symbols,
    /// What calls, is called by, implements or uses them.
    Related,
    /// What tests them.
    Tests,
    /// Decisions about the task.
    Decisions,
    /// Pages about the task, and those that the ticket names.
    Docs,
    /// Patterns to follow or to avoid, and examples.
    Patterns,
    /// Tickets about the same.
    SimilarTickets,
    /// Commits on the files, and those that name the ticket.
    Commits,
    /// The files and what lies beside them.
    Tree,
}

impl SectionName {
    /// Every section, in the order in which they stand in a package.
    pub const ALL: &'static [SectionName] = &[
        SectionName::Ticket,
        SectionName::LinkedTickets,
        SectionName::Specs,
        SectionName::Symbols,
        SectionName::Related,
        SectionName::Tests,
        SectionName::Decisions,
        SectionName::Docs,
        SectionName::Patterns,
        SectionName::SimilarTickets,
        SectionName::Commits,
        SectionName::Tree,
    ];

    /// The name that programs read.
    pub fn as_str(self) -> &'static str {
        match self {
            SectionName::Ticket => "ticket",
            SectionName::LinkedTickets => "linked-tickets",
            SectionName::Specs => "specs",
            SectionName::Docs => "docs",
            SectionName::Symbols => "symbols",
            SectionName::Related => "related",
            SectionName::Tests => "tests",
            SectionName::Decisions => "decisions",
            SectionName::Patterns => "patterns",
            SectionName::SimilarTickets => "similar-tickets",
            SectionName::Commits => "commits",
            SectionName::Tree => "tree",
        }
    }

    /// Weight among the sections that share what definitions leave, for an intent.
    fn weight(self, intent: &str) -> f64 {
        match (self, intent) {
            (SectionName::Ticket | SectionName::Symbols, _) => 0.0,
            (SectionName::Commits, "review")
            | (SectionName::Related, "refactor")
            | (SectionName::Tests, "test") => 6.0,
            (SectionName::Specs | SectionName::Related, _) => 4.0,
            (SectionName::Tree | SectionName::LinkedTickets | SectionName::Tests, _)
            | (SectionName::Commits, "debug") => 2.0,
            (
                SectionName::Decisions
                | SectionName::Docs
                | SectionName::Patterns
                | SectionName::SimilarTickets
                | SectionName::Commits,
                _,
            ) => 1.0,
        }
    }
}

/// Share of a ticket in the whole package.
const TICKET: f64 = 0.25;

/// A part of a package.
#[derive(Debug, Clone, PartialEq)]
pub struct ContextSection {
    /// Which one.
    pub name: SectionName,
    /// Share of the budget, 0.0..=1.0; those of a package make 1. What is not spent goes on to the
    /// next sections.
    pub share: f64,
    /// The items, most important first.
    pub items: Vec<ContextItem>,
    /// How many more there are that were not looked at.
    pub beyond: usize,
    /// The words of a command that lists them: `research`, `references to save` …; empty where a
    /// larger budget is all that helps.
    pub command: Vec<String>,
}

impl ContextSection {
    /// A section with these items and no others.
    pub(crate) fn new(name: SectionName, items: Vec<ContextItem>) -> ContextSection {
        ContextSection { name, share: 0.0, items, beyond: 0, command: Vec::new() }
    }
}

/// One thing that a package tells.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ContextItem {
    /// `source:path#Container.name`, as in a search; a path for a file or folder.
    pub id: String,
    /// `function`, `spec`, `ticket`, `commit`, `folder` …
    pub kind: String,
    /// What it is called.
    pub name: String,
    /// Root-relative path; `None` for a commit.
    pub path: Option<String>,
    /// First line, 1-based; `None` where the whole file is meant.
    pub start_line: Option<u32>,
    /// Last line, 1-based, inclusive.
    pub end_line: Option<u32>,
    /// Why it is here, without a final dot: ``calls `save` ``; empty where the section says it.
    pub relation: String,
    /// What it says of itself, in the order in which it is told: `status`, `date` …
    pub about: Vec<(&'static str, String)>,
    /// Texts of it, the fullest first; its name and place need none.
    pub details: Vec<Detail>,
}

/// Says of an item that outsiders wrote it; nothing of others.
pub(super) fn origin(trust: Trust) -> Option<(&'static str, String)> {
    (trust == Trust::Outside).then(|| ("origin", trust.as_str().to_owned()))
}

/// A text of an item: prose, code, or prose about the code that follows it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Detail {
    /// Prose, without a final line end; may be empty.
    pub prose: String,
    /// Code, without a final line end; may be empty.
    pub code: String,
    /// The language of the code; empty where it is not known.
    pub language: String,
}

impl Detail {
    /// Prose alone.
    pub(crate) fn prose(text: impl Into<String>) -> Detail {
        Detail { prose: text.into(), ..Detail::default() }
    }

    /// Prose about code, either of which may be empty.
    pub(crate) fn code(
        prose: impl Into<String>,
        code: impl Into<String>,
        language: Option<&str>,
    ) -> Detail {
        let language = language.unwrap_or_default().to_owned();
        Detail { prose: prose.into(), code: code.into(), language }
    }

    /// Whether there is nothing to read.
    pub fn is_empty(&self) -> bool {
        self.prose.is_empty() && self.code.is_empty()
    }
}

/// Puts sections into their order, leaves out empty ones and gives each its share: a quarter to the
/// ticket, of the rest `fraction` to the definitions, and what they leave to the others, by what the
/// intent asks for.
pub(crate) fn shared(
    mut sections: Vec<ContextSection>,
    fraction: f64,
    intent: &str,
) -> Vec<ContextSection> {
    sections.retain(|section| !section.items.is_empty());
    sections.sort_by_key(|section| section.name);
    let holds = |name: SectionName| sections.iter().any(|section| section.name == name);
    let others: f64 = sections.iter().map(|section| section.name.weight(intent)).sum();
    let (has_ticket, has_others) = (holds(SectionName::Ticket), others > 0.0);
    let has_symbols = holds(SectionName::Symbols);
    let rest = match (has_ticket, has_symbols || has_others) {
        (true, true) => 1.0 - TICKET,
        (true, false) => 0.0,
        (false, _) => 1.0,
    };
    let of_symbols = match (has_symbols, has_others) {
        (true, true) => fraction.clamp(0.0, 1.0),
        (true, false) => 1.0,
        (false, _) => 0.0,
    };
    for section in &mut sections {
        section.share = match section.name {
            SectionName::Ticket => 1.0 - rest,
            SectionName::Symbols => rest * of_symbols,
            other => rest * (1.0 - of_symbols) * other.weight(intent) / others,
        };
    }
    sections
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sections(names: &[SectionName]) -> Vec<ContextSection> {
        let item = ContextItem::default();
        names.iter().map(|name| ContextSection::new(*name, vec![item.clone()])).collect()
    }

    #[track_caller]
    fn check(names: &[SectionName], fraction: f64, expected: &[(&str, f64)]) {
        let shared = shared(sections(names), fraction, "implement");
        let found: Vec<(&str, f64)> =
            shared.iter().map(|section| (section.name.as_str(), section.share)).collect();
        assert_eq!(found.len(), expected.len(), "{found:?}");
        for ((name, share), (expected_name, expected_share)) in found.iter().zip(expected) {
            assert_eq!(name, expected_name);
            assert!((share - expected_share).abs() < 1e-9, "{found:?}");
        }
    }

    #[test]
    fn shares_make_one() {
        use SectionName::{Commits, Related, Specs, Symbols, Ticket, Tree};
        check(&[Symbols], 0.7, &[("symbols", 1.0)]);
        check(&[Ticket], 0.7, &[("ticket", 1.0)]);
        check(&[Tree, Symbols], 0.7, &[("symbols", 0.7), ("tree", 0.3)]);
        check(&[Tree, Specs, Related], 0.7, &[("specs", 0.4), ("related", 0.4), ("tree", 0.2)]);
        check(
            &[Symbols, Ticket, Specs, Commits],
            0.8,
            &[("ticket", 0.25), ("specs", 0.12), ("symbols", 0.6), ("commits", 0.03)],
        );
        check(&[], 0.7, &[]);
    }

    #[test]
    fn empty_sections_are_left_out() {
        let empty = ContextSection::new(SectionName::Specs, Vec::new());
        assert_eq!(shared(vec![empty], 0.7, "debug"), []);
    }

    #[test]
    fn names_are_those_of_the_order() {
        assert!(SectionName::ALL.is_sorted());
        assert_eq!(SectionName::ALL.len(), 12);
    }
}
