//! Definitions and comments by grammar: parses a text, runs its language's query, and nests what
//! the query found.
//!
//! The parser and the query work under a budget, and no walk here is recursive, so that a hostile
//! text costs bounded time and stack. The clock is read for that budget and for nothing else.

mod capture;
mod keys;
mod nest;
mod types;
mod usage;

use std::{ops::ControlFlow, time::Instant};

use tree_sitter::{ParseOptions, ParseState, Parser, Point, Tree};

use self::{capture::Captured, nest::nest};
use crate::{
    grammar::Grammar,
    limits::{
        DEEPEST, EMBEDDED_LEVELS, PARSE_STEPS, PARSE_STEPS_PER_KILOBYTE, PARSE_TIME,
        PARSE_TIME_PER_MEGABYTE,
    },
    line_table::LineTable,
    outline::{Outline, collapsed},
};

/// The definitions and comments of a text; nothing if the parser gave up or would not come to an
/// end in reasonable time.
pub(crate) fn outline(text: &str, lines: &LineTable, grammar: &Grammar) -> Option<Outline> {
    if is_too_deep(text) || !(grammar.takes)(text) {
        return None;
    }
    let mut budget = Budget::new(text);
    let mut parser = Parser::new();
    parser.set_language(&grammar.language()).ok()?;
    let mut captured = Captured::default();
    let mut tree = parse(&mut parser, text, &budget)?;
    if tree.root_node().has_error()
        && let Some(eased) = without_words(text, grammar.stumbling_words)
        && let Some(second) = parse(&mut parser, &eased, &budget)
        && (tree.root_node().is_error() || !second.root_node().has_error())
    {
        tree = second;
    }
    // Asked for last: another thread may be compiling it meanwhile. That is no cost of the text.
    let waits = Instant::now();
    let compiled = grammar.compiled()?;
    budget.deadline += waits.elapsed();
    captured.collect(&tree, text, compiled, &budget)?;

    for _ in 0..EMBEDDED_LEVELS {
        let ranges = embedded_ranges(text, std::mem::take(&mut captured.embedded));
        if ranges.is_empty() || parser.set_included_ranges(&ranges).is_err() {
            break;
        }
        let tree = parse(&mut parser, text, &budget)?;
        captured.collect(&tree, text, compiled, &budget)?;
    }
    Some(nest(text, lines, grammar, captured))
}

/// A text of the same length with blanks in place of some words; nothing if none is in it.
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

/// Whether brackets, wherever they stand, are nested deeper than [`DEEPEST`].
fn is_too_deep(text: &str) -> bool {
    let mut depth = 0_usize;
    text.bytes().any(|byte| {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth > DEEPEST
    })
}

/// What a text may cost: steps of the parser and of the query each, and the time of all.
struct Budget {
    steps: usize,
    deadline: Instant,
}

impl Budget {
    fn new(text: &str) -> Budget {
        let kilobytes = u32::try_from(text.len() / 1_024).unwrap_or(u32::MAX);
        Budget {
            steps: PARSE_STEPS + text.len() / 1_024 * PARSE_STEPS_PER_KILOBYTE,
            deadline: Instant::now() + PARSE_TIME + PARSE_TIME_PER_MEGABYTE / 1_024 * kilobytes,
        }
    }

    /// Counts one step; whether there may be another.
    fn step(&self, steps: &mut usize) -> ControlFlow<()> {
        *steps += 1;
        let spent = *steps > self.steps || Instant::now() > self.deadline;
        if spent { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Parses, unless it costs more than the budget allows.
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

/// The insides of delimited ranges, ordered and apart, as the parser wants them.
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
        if node.is_named() && depth <= DEEPEST {
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
