//! Sections of a package and their content.

use lore_schema::Trust;

/// Name of a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SectionName {
    /// The ticket itself.
    Ticket,
    /// Tickets linked in either direction.
    LinkedTickets,
    /// Specs that govern the files, that the ticket names, or that match the task.
    Specs,
    /// Definitions that the task is about.
    Symbols,
    /// Callers, callees, implementations and users of the definitions.
    Related,
    /// Files that commits of the ticket's component and of linked tickets change.
    UsualFiles,
    /// Tests of the definitions.
    Tests,
    /// Decisions that match the task.
    Decisions,
    /// Pages that match the task, and those that the ticket names.
    Docs,
    /// Patterns to follow or to avoid, and examples.
    Patterns,
    /// Tickets on the same subject.
    SimilarTickets,
    /// Commits on the files, and those that name the ticket.
    Commits,
    /// The files and their neighbours.
    Tree,
}

impl SectionName {
    /// All sections, in the order of a package.
    pub const ALL: &'static [SectionName] = &[
        SectionName::Ticket,
        SectionName::LinkedTickets,
        SectionName::Specs,
        SectionName::Symbols,
        SectionName::Related,
        SectionName::UsualFiles,
        SectionName::Tests,
        SectionName::Decisions,
        SectionName::Docs,
        SectionName::Patterns,
        SectionName::SimilarTickets,
        SectionName::Commits,
        SectionName::Tree,
    ];

    /// Returns the name used in output.
    pub fn as_str(self) -> &'static str {
        match self {
            SectionName::Ticket => "ticket",
            SectionName::LinkedTickets => "linked-tickets",
            SectionName::Specs => "specs",
            SectionName::Docs => "docs",
            SectionName::Symbols => "symbols",
            SectionName::Related => "related",
            SectionName::UsualFiles => "usual-files",
            SectionName::Tests => "tests",
            SectionName::Decisions => "decisions",
            SectionName::Patterns => "patterns",
            SectionName::SimilarTickets => "similar-tickets",
            SectionName::Commits => "commits",
            SectionName::Tree => "tree",
        }
    }

    /// Returns the weight of the section among those that share the rest of the budget.
    fn weight(self, intent: &str) -> f64 {
        match (self, intent) {
            (SectionName::Ticket | SectionName::Symbols, _) => 0.0,
            (SectionName::Commits, "review")
            | (SectionName::Related, "refactor")
            | (SectionName::Tests, "test") => 6.0,
            (SectionName::Specs | SectionName::Related | SectionName::UsualFiles, _) => 4.0,
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

/// A section of a package.
#[derive(Debug, Clone, PartialEq)]
pub struct ContextSection {
    /// Name of the section.
    pub name: SectionName,
    /// Share of the budget, 0.0..=1.0; the shares of a package add up to 1. What a section does not
    /// use goes to the next ones.
    pub share: f64,
    /// The items, most important first.
    pub items: Vec<ContextItem>,
    /// Number of further items that were not included.
    pub beyond: usize,
    /// Arguments of a command that lists them: `research`, `references to save` …; empty if only a
    /// larger budget helps.
    pub command: Vec<String>,
}

impl ContextSection {
    /// Creates a section with these items and no others.
    pub(crate) fn new(name: SectionName, items: Vec<ContextItem>) -> ContextSection {
        ContextSection { name, share: 0.0, items, beyond: 0, command: Vec::new() }
    }
}

/// An item of a package.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ContextItem {
    /// `source:path#Container.name`, as in a search; a path for a file or folder.
    pub id: String,
    /// `function`, `spec`, `ticket`, `commit`, `folder` …
    pub kind: String,
    /// Name.
    pub name: String,
    /// Root-relative path; `None` for a commit.
    pub path: Option<String>,
    /// First line, 1-based; `None` for a whole file.
    pub start_line: Option<u32>,
    /// Last line, 1-based, inclusive.
    pub end_line: Option<u32>,
    /// Reason for the item, without a final period: ``calls `save` ``; empty if the section implies
    /// it.
    pub relation: String,
    /// Attributes, in display order: `status`, `date` …
    pub about: Vec<(&'static str, String)>,
    /// Texts of the item, the fullest first. Its name and position are always shown.
    pub details: Vec<Detail>,
}

/// Returns the origin attribute of an item written by outsiders; `None` for others.
pub(super) fn origin(trust: Trust) -> Option<(&'static str, String)> {
    (trust == Trust::Outside).then(|| ("origin", trust.as_str().to_owned()))
}

/// A text of an item: prose, code, or prose about the code that follows it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Detail {
    /// Prose, without a final newline; may be empty.
    pub prose: String,
    /// Code, without a final newline; may be empty.
    pub code: String,
    /// Language of the code; empty if unknown.
    pub language: String,
}

impl Detail {
    /// Creates a detail with prose only.
    pub(crate) fn prose(text: impl Into<String>) -> Detail {
        Detail { prose: text.into(), ..Detail::default() }
    }

    /// Creates a detail with prose about code; either may be empty.
    pub(crate) fn code(
        prose: impl Into<String>,
        code: impl Into<String>,
        language: Option<&str>,
    ) -> Detail {
        let language = language.unwrap_or_default().to_owned();
        Detail { prose: prose.into(), code: code.into(), language }
    }

    /// Returns true if there is no text.
    pub fn is_empty(&self) -> bool {
        self.prose.is_empty() && self.code.is_empty()
    }
}

/// Sorts the sections, drops empty ones and assigns shares: a quarter to the ticket, `fraction` of
/// the rest to the definitions, and what remains to the others, weighted by intent.
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
    fn shares_add_up_to_one() {
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
    fn empty_sections_are_dropped() {
        let empty = ContextSection::new(SectionName::Specs, Vec::new());
        assert_eq!(shared(vec![empty], 0.7, "debug"), []);
    }

    #[test]
    fn section_names_are_sorted() {
        assert!(SectionName::ALL.is_sorted());
        assert_eq!(SectionName::ALL.len(), 13);
    }
}
