//! The formats in which an answer is written. One file and one row each.

pub mod agent;
mod answer;
pub mod context;
mod diagram;
pub mod failure;
mod human;
mod json;
mod jsonl;
mod markdown;
pub mod offsets;
mod paths;
mod research;
pub mod similar;
pub mod style;
pub mod symbols;
pub mod table;
mod toon;

use std::io::{self, Write};

use lore_engine::{Relation, ResearchResponse};

pub use self::answer::{Answer, Page};
pub use self::human::{absence, bytes, count, link, milliseconds, plural, skipped};
use self::style::Style;
use crate::wire;

/// A way to write an answer.
pub trait Format: Sync {
    /// The name that users type.
    fn name(&self) -> &'static str;

    /// Writes the whole answer, hits best first. Nothing in it may steer a terminal, whatever the
    /// searched files hold.
    fn write(&self, answer: &Answer<'_>, style: &Style, out: &mut dyn Write) -> io::Result<()>;

    /// Whether the answer itself says why there is no hit.
    fn explains_absence(&self) -> bool {
        false
    }
}

/// Every format, in the order of the names.
pub static FORMATS: &[&dyn Format] = &[
    &agent::Agent,
    &human::Human,
    &json::Json,
    &jsonl::JsonLines,
    &markdown::Markdown,
    &paths::Paths,
    &toon::Toon,
];

/// The format with this name, if there is one.
pub fn format(name: &str) -> Option<&'static dyn Format> {
    FORMATS.iter().copied().find(|format| format.name() == name)
}

/// The names of the formats.
pub fn names() -> Vec<&'static str> {
    FORMATS.iter().map(|format| format.name()).collect()
}

/// An answer about the graph, with what was asked.
pub struct GraphAnswer<'a> {
    /// The relation that was asked for.
    pub relation: Relation,
    /// What was answered.
    pub response: &'a ResearchResponse,
}

/// A way to write an answer about the graph.
pub struct GraphFormat {
    /// The name that users type.
    pub name: &'static str,
    /// Writes the whole answer. Nothing in it may steer a terminal, whatever the files hold.
    pub write: fn(&GraphAnswer<'_>, &Style, &mut dyn Write) -> io::Result<()>,
    /// Whether the answer itself says why there is no edge.
    pub explains_absence: bool,
}

/// Every format of the graph, in the order of the names.
pub static GRAPH_FORMATS: &[GraphFormat] = &[
    GraphFormat { name: "dot", write: diagram::dot, explains_absence: false },
    GraphFormat { name: "human", write: research::write, explains_absence: false },
    GraphFormat {
        name: "json",
        write: |answer, _, out| wire::write(&wire::research(answer.relation, answer.response), out),
        explains_absence: true,
    },
    GraphFormat { name: "mermaid", write: diagram::mermaid, explains_absence: false },
];

/// The format of the graph with this name, if there is one.
pub fn graph_format(name: &str) -> Option<&'static GraphFormat> {
    GRAPH_FORMATS.iter().find(|format| format.name == name)
}

/// The names of the formats of the graph.
pub fn graph_format_names() -> Vec<&'static str> {
    GRAPH_FORMATS.iter().map(|format| format.name).collect()
}

#[cfg(any(test, feature = "fixtures"))]
pub mod fixture;
#[cfg(any(test, feature = "fixtures"))]
pub mod graph_fixture;

/// All of a response in a format.
#[cfg(test)]
fn written(format: &dyn Format, response: &lore_engine::SearchResponse, style: &Style) -> String {
    let mut out = Vec::new();
    let answer = Answer::whole(response, offsets::Offsets::Char);
    format.write(&answer, style, &mut out).expect("a vector takes everything");
    String::from_utf8(out).expect("output is Unicode")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_sorted() {
        assert!(names().is_sorted_by(|left, right| left < right));
        assert!(graph_format_names().is_sorted_by(|left, right| left < right));
    }

    #[test]
    fn no_format_lets_a_file_steer_the_terminal() {
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
                (format.write)(&answer, &Style::plain(), &mut out).expect("it takes everything");
                assert_harmless(format.name, out);
            }
        }
        for listing in [symbols::by_name, symbols::of_files] {
            let mut out = Vec::new();
            let response = graph_fixture::hostile_symbols();
            listing(&response, &Style::plain(), &mut out).expect("a vector takes everything");
            assert_harmless("definitions", out);
        }
    }

    #[test]
    fn every_key_of_the_graph_is_there() {
        let mut out = Vec::new();
        wire::write(&wire::research(Relation::Callers, &graph_fixture::callers()), &mut out)
            .expect("a vector takes everything");
        insta::assert_snapshot!(String::from_utf8(out).expect("JSON is Unicode"));
        let mut out = Vec::new();
        wire::write(&wire::symbols(&graph_fixture::symbols()), &mut out)
            .expect("a vector takes everything");
        insta::assert_snapshot!(String::from_utf8(out).expect("JSON is Unicode"));
    }

    fn assert_harmless(what: &str, out: Vec<u8>) {
        let text = String::from_utf8(out).expect("output is Unicode");
        let steering = text.chars().find(|character| {
            (character.is_control() && *character != '\n')
                || lore_console::text::is_reordering(*character)
        });
        assert_eq!(steering, None, "{what}: {text:?}");
    }
}
