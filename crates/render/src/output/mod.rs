//! The output formats of answers, one file and one table row each.

pub mod agent;
mod answer;
pub mod context;
pub mod definitions;
mod diagram;
pub mod edges;
pub mod failure;
mod grep;
mod human;
mod json;
mod jsonl;
pub mod links;
mod markdown;
mod notices;
pub mod offsets;
mod paths;
pub mod place;
mod research;
pub mod review;
pub mod similar;
pub mod style;
pub mod symbols;
pub mod table;
mod toon;
pub mod tried;
pub mod why;

use std::io::{self, Write};

use lore_engine::{Relation, ResearchResponse};

pub use self::answer::{Answer, Files, Page};
pub use self::human::{
    absence, bytes, count, link, milliseconds, older_than_code, plural, reverts, skipped,
    tried_before,
};
pub(crate) use self::human::{ingested, near};
pub use self::notices::notices;
use self::style::Style;
use crate::wire;

/// An output format of search answers.
pub trait Format: Sync {
    /// The name that users type.
    fn name(&self) -> &'static str;

    /// Writes the whole answer, hits best first. The output never contains control sequences for a
    /// terminal, even if the searched files do.
    fn write(&self, answer: &Answer<'_>, style: &Style, out: &mut dyn Write) -> io::Result<()>;

    /// True if the output itself explains why there is no hit.
    fn explains_absence(&self) -> bool {
        false
    }
}

/// Every format, sorted by name.
pub static FORMATS: &[&dyn Format] = &[
    &agent::Agent,
    &grep::Grep,
    &human::Human,
    &json::Json,
    &jsonl::JsonLines,
    &markdown::Markdown,
    &paths::Paths,
    &toon::Toon,
    &grep::VimGrep,
];

/// The format with this name, if it exists.
pub fn format(name: &str) -> Option<&'static dyn Format> {
    FORMATS.iter().copied().find(|format| format.name() == name)
}

/// The names of the formats.
pub fn names() -> Vec<&'static str> {
    FORMATS.iter().map(|format| format.name()).collect()
}

/// An answer about the graph, with the requested relation.
pub struct GraphAnswer<'a> {
    /// The requested relation.
    pub relation: Relation,
    /// The answer.
    pub response: &'a ResearchResponse,
}

/// An output format of answers about the graph.
pub struct GraphFormat {
    /// The name that users type.
    pub name: &'static str,
    /// Writes the whole answer. The output never contains control sequences for a terminal.
    pub write: fn(&GraphAnswer<'_>, &Style, &mut dyn Write) -> io::Result<()>,
    /// True if the output itself explains why there is no edge.
    pub explains_absence: bool,
}

/// Every format for answers about the graph, sorted by name.
pub static GRAPH_FORMATS: &[GraphFormat] = &[
    GraphFormat { name: agent::NAME, write: edges::agent, explains_absence: true },
    GraphFormat { name: "dot", write: diagram::dot, explains_absence: false },
    GraphFormat { name: "human", write: research::write, explains_absence: false },
    GraphFormat {
        name: "json",
        write: |answer, _, out| wire::write(&wire::research(answer.relation, answer.response), out),
        explains_absence: true,
    },
    GraphFormat { name: "jsonl", write: edges::json_lines, explains_absence: true },
    GraphFormat { name: "markdown", write: edges::markdown_list, explains_absence: true },
    GraphFormat { name: "mermaid", write: diagram::mermaid, explains_absence: false },
    GraphFormat { name: "paths", write: edges::paths, explains_absence: false },
    GraphFormat { name: "toon", write: edges::toon_object, explains_absence: true },
];

/// The format for answers about the graph with this name, if it exists.
pub fn graph_format(name: &str) -> Option<&'static GraphFormat> {
    GRAPH_FORMATS.iter().find(|format| format.name == name)
}

/// The names of the formats for answers about the graph.
pub fn graph_format_names() -> Vec<&'static str> {
    GRAPH_FORMATS.iter().map(|format| format.name).collect()
}

#[cfg(any(test, feature = "fixtures"))]
pub mod fixture;
#[cfg(any(test, feature = "fixtures"))]
pub mod graph_fixture;

/// A whole response in a format.
#[cfg(test)]
fn written(format: &dyn Format, response: &lore_engine::SearchResponse, style: &Style) -> String {
    let mut out = Vec::new();
    let answer = Answer::whole(response, offsets::Offsets::Char);
    format.write(&answer, style, &mut out).expect("writing to a vector cannot fail");
    String::from_utf8(out).expect("output is Unicode")
}

#[cfg(test)]
mod tests {
    use super::{definitions::Listing, *};

    #[test]
    fn formats_are_sorted() {
        assert!(names().is_sorted_by(|left, right| left < right));
        assert!(graph_format_names().is_sorted_by(|left, right| left < right));
    }

    #[test]
    fn no_format_writes_control_sequences_of_a_file() {
        let response = fixture::hostile();
        for format in FORMATS {
            let text = written(*format, &response, &Style::plain());
            assert_harmless(format.name(), text.into_bytes());
        }
        let response = graph_fixture::hostile_graph();
        for relation in Relation::ALL {
            let answer = GraphAnswer { relation: *relation, response: &response };
            for format in GRAPH_FORMATS {
                let mut out = Vec::new();
                (format.write)(&answer, &Style::plain(), &mut out)
                    .expect("writing to a vector cannot fail");
                assert_harmless(format.name, out);
            }
        }
        let response = graph_fixture::hostile_symbols();
        for listing in [Listing::Name, Listing::File] {
            for format in definitions::SYMBOL_FORMATS {
                let mut out = Vec::new();
                (format.write)(listing, &response, &Style::plain(), &mut out)
                    .expect("writing to a vector cannot fail");
                assert_harmless(format.name, out);
            }
        }
    }

    #[test]
    fn no_format_writes_invisible_characters() {
        let text = "re\u{200b}fund\u{2060}\u{feff}\u{e0041}";
        let mut response = fixture::response();
        response.query = text.to_owned();
        response.warnings = vec![text.to_owned()];
        for hit in &mut response.hits {
            hit.title = text.to_owned();
            hit.path = Some(text.to_owned());
            hit.snippet.text = text.to_owned();
            hit.snippet.highlights.clear();
        }
        for format in FORMATS {
            let text = written(*format, &response, &Style::plain());
            assert_harmless(format.name(), text.into_bytes());
        }
        // JSON keeps them, escaped.
        let mut out = Vec::new();
        wire::write(&text, &mut out).expect("writing to a vector cannot fail");
        assert_eq!(
            out,
            br#""re\u200bfund\u2060\ufeff\udb40\udc41"
"#
        );
        assert_eq!(serde_json::from_slice::<String>(&out).expect("JSON"), text);
    }

    #[test]
    fn every_key_of_the_graph_is_present() {
        let mut out = Vec::new();
        wire::write(&wire::research(Relation::Callers, &graph_fixture::callers()), &mut out)
            .expect("writing to a vector cannot fail");
        insta::assert_snapshot!(String::from_utf8(out).expect("JSON is Unicode"));
        let mut out = Vec::new();
        wire::write(&wire::symbols(&graph_fixture::symbols()), &mut out)
            .expect("writing to a vector cannot fail");
        insta::assert_snapshot!(String::from_utf8(out).expect("JSON is Unicode"));
    }

    fn assert_harmless(format: &str, out: Vec<u8>) {
        let text = String::from_utf8(out).expect("output is Unicode");
        let control = text.chars().find(|character| {
            (character.is_control() && *character != '\n')
                || lore_console::text::is_reordering(*character)
                || lore_console::text::is_unseen(*character)
        });
        assert_eq!(control, None, "{format}: {text:?}");
    }
}
