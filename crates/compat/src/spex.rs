//! `--as spex`: the search over spec nodes that agents and their re-rankers read.
//!
//! JSON is an array and nothing else; each hit has exactly five keys in a fixed order. Only the
//! order of the scores means something.

mod answer;
mod ranking;

use std::{
    io::{self, Write},
    path::Path,
    time::Instant,
};

use lore_console::{
    report::{self, Status, UsageError},
    text,
};
use lore_engine::{Engine, EngineError, SearchRequest};
use lore_render::{
    output::style::{Role, Style},
    wire as output_wire,
};
use lore_schema::{Document, SourceName};

pub use self::answer::{SpecAnswer, SpecHit, followed, followed_schema, schema, wire};
use super::{Answer, Contract, ContractRequest, Defaults};
use crate::ContractArguments;

/// Default number of hits.
pub const LIMIT: usize = 10;

/// Computing time in milliseconds above which an index is recommended.
const SLOW: f64 = 1_000.0;

pub(super) struct Spex;

impl Contract for Spex {
    fn name(&self) -> &'static str {
        "spex"
    }

    fn defaults(&self) -> Defaults {
        Defaults {
            limit: LIMIT,
            sources: &[SourceName::Specs],
            formats: &["human", "json"],
            on_terminal: "human",
            piped: "human",
            flags: &["--id-sep"],
            on_none: Status::Success,
        }
    }

    fn prepare(
        &self,
        request: &mut SearchRequest,
        _: &ContractArguments,
    ) -> Result<(), UsageError> {
        super::refuse_filters(self, request)
    }

    fn search(
        &self,
        asked: &ContractRequest<'_, SearchRequest>,
    ) -> anyhow::Result<Box<dyn Answer>> {
        let answer = search_nodes(asked.engine, &asked.request.query, asked.request.limit)?;
        let separator = asked.typed.id_sep.as_deref();
        Ok(Box::new(Nodes::new(answer, &asked.request.query, asked.root, separator)))
    }
}

/// Ranks the specs of every format by the rule of spex, without an index, a model or git.
///
/// # Errors
/// [`EngineError::EmptyQuery`] when the query is blank; otherwise when the tree cannot be read.
pub fn search_specs(engine: &Engine, query: &str, limit: usize) -> Result<SpecAnswer, EngineError> {
    search(engine, query, limit, |_| true)
}

/// Ranks the nodes of spex alone, like [`search_specs`].
///
/// # Errors
/// As [`search_specs`].
pub fn search_nodes(engine: &Engine, query: &str, limit: usize) -> Result<SpecAnswer, EngineError> {
    search(engine, query, limit, |document| document.format == "spex")
}

fn search(
    engine: &Engine,
    query: &str,
    limit: usize,
    keep: impl Fn(&Document) -> bool,
) -> Result<SpecAnswer, EngineError> {
    if query.trim().is_empty() {
        return Err(EngineError::EmptyQuery);
    }
    let mut documents = engine.documents(&[SourceName::Specs], &|_, _| true)?;
    documents.retain(keep);
    let started = Instant::now();
    let mut answer = ranking::rank(&ranking::nodes(&documents), query, limit);
    answer.compute_ms = started.elapsed().as_secs_f64() * 1e3;
    Ok(answer)
}

/// Answer to a query.
pub struct Nodes {
    answer: SpecAnswer,
    query: String,
    /// True if the tree has a `.spec` directory.
    folder: bool,
}

impl Nodes {
    /// The answer to a query in the tree at `root`, identifiers joined by `separator`.
    pub fn new(mut answer: SpecAnswer, query: &str, root: &Path, separator: Option<&str>) -> Nodes {
        separate(&mut answer.hits, separator);
        Nodes { answer, query: query.to_owned(), folder: root.join(".spec").is_dir() }
    }
}

impl Answer for Nodes {
    fn is_empty(&self) -> bool {
        self.answer.hits.is_empty()
    }

    fn write(&self, format: &str, style: &Style, out: &mut dyn Write) -> io::Result<()> {
        if format == "json" {
            return output_wire::write(&wire(&self.answer.hits), out);
        }
        self.answer
            .hits
            .iter()
            .enumerate()
            .try_for_each(|(position, hit)| block(position + 1, hit, style, out))
    }

    fn report(&self, _: &Engine) {
        for line in absence(&self.answer, &self.query, self.folder, NO_NODES) {
            line.report();
        }
        report::plain_line(&format!("[spec-search] {}", timing(&self.answer)));
        if SLOW < self.answer.compute_ms {
            report::warning(
                "the specs took more than a second; `lore search --in specs` has an index",
            );
        }
    }
}

/// A line about an empty answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    /// A statement.
    Plain(String),
    /// An instruction.
    Hint(String),
}

impl Line {
    /// Writes it to standard error.
    pub fn report(&self) {
        match self {
            Line::Plain(text) => report::plain_line(text),
            Line::Hint(text) => report::hint_line(text),
        }
    }
}

/// Instruction for a tree without nodes.
const NO_NODES: &str =
    "this tree has no nodes of spex; `lore spec` searches the specs of every format";

/// Reasons for an empty answer and next steps; empty if there are hits. `folder` is true if the tree
/// has a `.spec` directory; `no_specs` is the instruction for a tree without specs.
pub fn absence(answer: &SpecAnswer, query: &str, folder: bool, no_specs: &str) -> Vec<Line> {
    if !answer.hits.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![Line::Plain(format!("no spec matches `{}`", text::cut(query, 100)))];
    if answer.nodes == 0 {
        lines.push(Line::Hint(no_specs.to_owned()));
        return lines;
    }
    if !answer.nearest.is_empty() {
        lines.push(Line::Hint(format!("near: {}", answer.nearest.join(", "))));
    }
    if query.chars().any(|character| !character.is_ascii() && character.is_alphabetic()) {
        let hint = "the specs may be in English: translate the words and search again";
        lines.push(Line::Hint(hint.into()));
    }
    let browse = if folder {
        "to browse, run `lore sources` or `ls -R .spec`"
    } else {
        "to browse, run `lore sources`"
    };
    lines.push(Line::Hint(browse.into()));
    lines
}

/// Time of the ranking and the amount of text that it read.
pub fn timing(answer: &SpecAnswer) -> String {
    let SpecAnswer { compute_ms, nodes, tokens, .. } = answer;
    format!("compute {compute_ms:.1}ms · {nodes} nodes · {tokens} tokens")
}

/// Joins the folders of identifiers by another separator than `_`. The path
/// shows if a `_` joins folders or is part of a name.
pub fn separate(hits: &mut [SpecHit], separator: Option<&str>) {
    let Some(separator) = separator.filter(|separator| *separator != "_") else { return };
    for hit in hits {
        let Some(folder) = hit.path.strip_suffix("/spec.md") else { continue };
        let folders: Vec<&str> = folder.split('/').collect();
        let names = (1..=folders.len())
            .map(|count| &folders[folders.len() - count..])
            .find(|names| names.join("_") == hit.id);
        if let Some(names) = names {
            hit.id = names.join(separator);
        }
    }
}

fn block(rank: usize, hit: &SpecHit, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let title = style.paint(Role::Title, text::clean(&hit.title)).to_string();
    let id = style.paint(Role::Dim, text::clean(&hit.id)).to_string();
    writeln!(out, "{rank:>2}. {title}  {id}")?;
    writeln!(out, "    {}", style.paint(Role::Path, text::quoted(&hit.path)))?;
    writeln!(out, "    {}\n", text::clean(&hit.snippet))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hit(id: &str, title: &str, path: &str, score: f64) -> SpecHit {
        SpecHit {
            id: id.into(),
            title: title.into(),
            path: path.into(),
            score,
            snippet: "…the oven is checked before the bread goes in…".into(),
            code: vec!["src/oven.rs".into()],
        }
    }

    fn written(hits: Vec<SpecHit>, format: &str) -> String {
        let answer = SpecAnswer { hits, nodes: 4, tokens: 90, ..SpecAnswer::default() };
        let nodes = Nodes { answer, query: "oven".into(), folder: true };
        let mut out = Vec::new();
        nodes.write(format, &Style::plain(), &mut out).expect("a vector takes everything");
        String::from_utf8(out).expect("it is text")
    }

    #[test]
    fn json_is_an_array_of_five_keys_in_their_order() {
        let hits = vec![
            hit("oven-check", "Oven check", ".spec/bakery/oven-check/spec.md", 8.0),
            hit("bread", "bread", ".spec/bakery/bread/spec.md", 0.73),
        ];
        assert_eq!(
            written(hits, "json"),
            r#"[
  {
    "id": "oven-check",
    "title": "Oven check",
    "path": ".spec/bakery/oven-check/spec.md",
    "score": 8.0,
    "snippet": "…the oven is checked before the bread goes in…"
  },
  {
    "id": "bread",
    "title": "bread",
    "path": ".spec/bakery/bread/spec.md",
    "score": 0.73,
    "snippet": "…the oven is checked before the bread goes in…"
  }
]
"#
        );
        assert_eq!(written(Vec::new(), "json"), "[]\n");
    }

    #[test]
    fn people_read_rank_title_identifier_path_and_snippet() {
        let hits = vec![hit("oven-check", "Oven check", ".spec/bakery/oven-check/spec.md", 8.0)];
        assert_eq!(
            written(hits, "human"),
            " 1. Oven check  oven-check\n    .spec/bakery/oven-check/spec.md\n    \
             …the oven is checked before the bread goes in…\n\n"
        );
    }

    #[test]
    fn the_timing_line_names_nodes_and_tokens() {
        let answer =
            SpecAnswer { nodes: 288, tokens: 110_260, compute_ms: 27.04, ..SpecAnswer::default() };
        assert_eq!(timing(&answer), "compute 27.0ms · 288 nodes · 110260 tokens");
    }

    #[test]
    fn empty_answers_suggest_next_steps() {
        let empty = SpecAnswer { nodes: 4, ..SpecAnswer::default() };
        let plain = |text: &str| Line::Plain(text.to_owned());
        let hint = |text: &str| Line::Hint(text.to_owned());
        let english = hint("the specs may be in English: translate the words and search again");
        let browse = hint("to browse, run `lore sources` or `ls -R .spec`");
        assert_eq!(
            absence(&empty, "会话", true, NO_NODES),
            [plain("no spec matches `会话`"), english, browse.clone()]
        );
        let near = SpecAnswer { nearest: vec!["keyboard-nav".into()], ..empty.clone() };
        assert_eq!(
            absence(&near, "kyeboard", true, NO_NODES),
            [plain("no spec matches `kyeboard`"), hint("near: keyboard-nav"), browse]
        );
        let found = SpecAnswer { hits: vec![hit("节点", "节点", "p", 1.0)], ..empty };
        let nowhere = SpecAnswer::default();
        assert_eq!(
            absence(&nowhere, "x", false, NO_NODES),
            [plain("no spec matches `x`"), hint(NO_NODES)]
        );
        assert_eq!(absence(&found, "节点", true, NO_NODES), []);
    }

    #[test]
    fn identifiers_are_joined_as_asked() {
        let joined = |id: &str, path: &str, separator: &str| {
            let mut hits = vec![hit(id, id, path, 1.0)];
            separate(&mut hits, Some(separator));
            hits.remove(0).id
        };
        assert_eq!(joined("a_probe", ".spec/x/a/probe/spec.md", "/"), "a/probe");
        assert_eq!(joined("a_probe", ".spec/x/a/probe/spec.md", "_"), "a_probe");
        // This `_` is part of the name of the folder.
        assert_eq!(joined("a_probe", ".spec/x/a_probe/spec.md", "/"), "a_probe");
        assert_eq!(joined("adr-7", "docs/adr/0007-ovens.md", "/"), "adr-7");
    }
}
