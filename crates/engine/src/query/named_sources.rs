//! The sources that a query names: "which commit", "ticket about". Pure.

use lore_schema::SourceName;

/// Words that name sources, in lower case.
static NAMES: [(SourceName, &[&str]); 5] = [
    (SourceName::Code, &["function", "class", "method", "struct", "module", "code", "file"]),
    (
        SourceName::Docs,
        &["doc", "docs", "documentation", "guide", "manual", "readme", "changelog", "tutorial"],
    ),
    (
        SourceName::Git,
        &["commit", "commits", "pr", "reverted", "revert", "merged", "author", "blame"],
    ),
    (
        SourceName::Specs,
        &[
            "spec",
            "specs",
            "adr",
            "rfc",
            "kep",
            "pep",
            "proposal",
            "decision",
            "enhancement",
            "requirement",
        ],
    ),
    (
        SourceName::Tickets,
        &["ticket", "tickets", "issue", "issues", "task", "tasks", "story", "epic"],
    ),
];

/// The sources that a query names.
#[derive(Debug, Clone, Default)]
pub(crate) struct NamedSources(Vec<SourceName>);

impl NamedSources {
    /// The sources that a query text names.
    pub(crate) fn of(text: &str) -> NamedSources {
        let words: Vec<String> = text
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(str::to_lowercase)
            .collect();
        let is_named = |names: &[&str]| words.iter().any(|word| names.contains(&word.as_str()));
        let named = NAMES.iter().filter(|(_, names)| is_named(names));
        NamedSources(named.map(|(source, _)| *source).collect())
    }

    /// Returns whether the query names this source. Patterns are documents.
    pub(crate) fn names(&self, source: SourceName) -> bool {
        let source = if source == SourceName::Patterns { SourceName::Docs } else { source };
        self.0.contains(&source)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_name_sources() {
        for (text, expected) in [
            ("which commit added it", &[SourceName::Git][..]),
            ("the ticket about retries", &[SourceName::Tickets]),
            ("ADR on storage", &[SourceName::Specs]),
            ("retry", &[]),
        ] {
            let named = NamedSources::of(text);
            let found = SourceName::ALL.iter().copied().filter(|source| named.names(*source));
            assert_eq!(found.collect::<Vec<_>>(), expected, "{text}");
        }
    }
}
