//! Definitions and comments by grammar: parses a text, runs the language's query, and nests the
//! captured definitions.
//!
//! The parser and the query have a budget, and no walk is recursive. The clock is read only for that
//! budget, which does not bound a single step of the parser library.

mod budget;
mod capture;
mod chain;
mod keys;
mod nest;
mod paths;
pub(crate) mod types;
mod usage;

use std::time::Instant;

use tree_sitter::{ParseOptions, ParseState, Parser, Point, Tree};

use self::{budget::Budget, capture::Captured, nest::nest};
use crate::{
    grammar::Grammar,
    limits::{MAX_DEPTH, MAX_EMBEDDED_LEVELS},
    line_table::LineTable,
    outline::{Outline, collapsed},
};

/// The definitions and comments of a text; `None` if the parser gave up or exceeded its budget.
pub(crate) fn outline(text: &str, lines: &LineTable, grammar: &Grammar) -> Option<Outline> {
    if is_too_deep(text) || !(grammar.accepts)(text) {
        return None;
    }
    let mut budget = Budget::new(text);
    let mut parser = Parser::new();
    parser.set_language(&grammar.language()).ok()?;
    let mut captured = Captured::default();
    let mut tree = parse(&mut parser, text, &budget)?;
    if tree.root_node().has_error()
        && let Some(eased) = without_words(text, grammar.skipped_words)
        && let Some(second) = parse(&mut parser, &eased, &budget)
        && (tree.root_node().is_error() || !second.root_node().has_error())
    {
        tree = second;
    }
    // Fetched last: another thread may be compiling it meanwhile. The wait is not a cost of the
    // text.
    let waits = Instant::now();
    let compiled = grammar.compiled()?;
    budget.extend(waits.elapsed());
    captured.collect(&tree, text, compiled, &budget)?;

    for _ in 0..MAX_EMBEDDED_LEVELS {
        let ranges = embedded_ranges(text, std::mem::take(&mut captured.embedded));
        if ranges.is_empty() || parser.set_included_ranges(&ranges).is_err() {
            break;
        }
        let tree = parse(&mut parser, text, &budget)?;
        captured.collect(&tree, text, compiled, &budget)?;
    }
    Some(nest(text, lines, grammar, captured))
}

/// A text of the same length with spaces in place of some words; `None` if it contains none of
/// them.
fn without_words(text: &str, words: &[&str]) -> Option<String> {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut eased: Option<String> = None;
    for word in words {
        for (start, _) in text.match_indices(word) {
            let end = start + word.len();
            if text[..start].ends_with(is_part) || text[end..].starts_with(is_part) {
                continue;
            }
            eased
                .get_or_insert_with(|| text.to_owned())
                .replace_range(start..end, &" ".repeat(word.len()));
        }
    }
    eased
}

/// Returns true for brackets, in code or not, nested deeper than [`MAX_DEPTH`].
fn is_too_deep(text: &str) -> bool {
    let mut depth = 0_usize;
    text.bytes().any(|byte| {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth > MAX_DEPTH
    })
}

/// Parses a text; `None` if that exceeds the budget.
fn parse(parser: &mut Parser, text: &str, budget: &Budget) -> Option<Tree> {
    let mut steps = 0;
    let mut progress = |_: &ParseState| budget.step(&mut steps);
    let bytes = text.as_bytes();
    let mut read = |offset: usize, _: Point| &bytes[offset.min(bytes.len())..];
    let options = ParseOptions::new().progress_callback(&mut progress);
    let tree = parser.parse_with_options(&mut read, None, Some(options));
    parser.reset();
    tree
}

/// The contents of delimited ranges, ordered and without overlap, as the parser requires.
fn embedded_ranges(text: &str, mut nodes: Vec<tree_sitter::Range>) -> Vec<tree_sitter::Range> {
    nodes.sort_by_key(|range| range.start_byte);
    let mut end = 0;
    nodes.retain_mut(|range| {
        let delimited = text[range.start_byte..range.end_byte].starts_with('{')
            && range.end_byte - range.start_byte > 2
            && text.as_bytes()[range.end_byte - 1] == b'}';
        if !delimited || range.start_byte < end {
            return false;
        }
        end = range.end_byte;
        range.start_byte += 1;
        range.start_point.column += 1;
        range.end_byte -= 1;
        range.end_point.column = range.end_point.column.saturating_sub(1);
        true
    });
    nodes
}

/// The named nodes of a text with their fields, one a line, indented by depth.
pub(crate) fn print(text: &str, grammar: &Grammar) -> Option<String> {
    let budget = Budget::new(text);
    let mut parser = Parser::new();
    parser.set_language(&grammar.language()).ok()?;
    let tree = parse(&mut parser, text, &budget)?;
    let mut cursor = tree.walk();
    let mut printed = String::new();
    let mut depth = 0;
    loop {
        let node = cursor.node();
        if node.is_named() && depth <= MAX_DEPTH {
            let field = cursor.field_name().map(|name| format!("{name}: ")).unwrap_or_default();
            let first = text[node.byte_range()].lines().next().unwrap_or("");
            let line = collapsed(first, 60);
            let indent = "  ".repeat(depth);
            for part in [&indent, &field, node.kind(), "  ", &line, "\n"] {
                printed.push_str(part);
            }
        }
        if cursor.goto_first_child() {
            depth += 1;
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return Some(printed);
            }
            depth -= 1;
        }
    }
}
