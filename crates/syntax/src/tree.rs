//! Definitions and comments by grammar: parses a text, runs its language's query, and nests what
//! the query found.
//!
//! The parser and the query work under a budget, and no walk here is recursive, so that a hostile
//! text costs bounded time and stack. The clock is read for that budget and for nothing else.

use std::{
    cell::Cell,
    cmp::Reverse,
    collections::{HashMap, HashSet},
    ops::{ControlFlow, Range},
    time::Instant,
};

use lore_schema::{SymbolKind, Visibility};
use tree_sitter::{
    Node, ParseOptions, ParseState, Parser, Point, QueryCursor, QueryCursorOptions,
    QueryCursorState, StreamingIterator, Tree,
};

use crate::{
    comments,
    grammar::{Compiled, Grammar, Role},
    leading::Leading,
    limits::{
        DEEPEST, DOC_COMMENT, EMBEDDED_LEVELS, PARSE_STEPS, PARSE_STEPS_PER_KILOBYTE, PARSE_TIME,
        PARSE_TIME_PER_MEGABYTE, QUERY_MATCHES, SIGNATURE,
    },
    line_table::LineTable,
    outline::{Definition, Outline, collapsed, holds_members, is_function},
    visibility::{Container, Declaration},
};

/// The definitions and comments of a text; nothing if the parser gave up or would not come to an
/// end in reasonable time.
pub(crate) fn outline(text: &str, lines: &LineTable, grammar: &Grammar) -> Option<Outline> {
    if is_too_deep(text) {
        return None;
    }
    let compiled = grammar.compiled()?;
    let budget = Budget::new(text);
    let mut parser = Parser::new();
    parser.set_language(&compiled.language).ok()?;
    let mut captured = Captured::default();
    let tree = parse(&mut parser, text, &budget)?;
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

/// What a query captured, in no order.
#[derive(Default)]
struct Captured {
    definitions: Vec<Found>,
    comments: Vec<Range<usize>>,
    attributes: Vec<Range<usize>>,
    docs: Vec<Range<usize>>,
    access: Vec<Range<usize>>,
    exported: HashSet<String>,
    embedded: Vec<tree_sitter::Range>,
}

/// A definition as captured.
struct Found {
    kind: SymbolKind,
    /// The definition with what wraps it.
    range: Range<usize>,
    name: Range<usize>,
    body: Option<usize>,
    receiver: Option<Range<usize>>,
    pattern: usize,
}

impl Captured {
    /// Runs the query over a tree and adds what it finds; nothing if that costs more than the
    /// budget allows.
    fn collect(
        &mut self,
        tree: &Tree,
        text: &str,
        compiled: &Compiled,
        budget: &Budget,
    ) -> Option<()> {
        let mut steps = 0;
        let spent = Cell::new(false);
        let mut progress = |_: &QueryCursorState| {
            let flow = budget.step(&mut steps);
            spent.set(flow.is_break());
            flow
        };
        let mut cursor = QueryCursor::new();
        cursor.set_match_limit(QUERY_MATCHES);
        cursor.set_max_start_depth(u32::try_from(DEEPEST).ok());
        let options = QueryCursorOptions::new().progress_callback(&mut progress);
        let mut matches = cursor.matches_with_options(
            &compiled.query,
            tree.root_node(),
            text.as_bytes(),
            options,
        );
        let mut wrappers: HashMap<usize, Wrapper> = HashMap::new();
        let first = self.definitions.len();
        let mut nodes = Vec::new();
        while let Some(found) = matches.next() {
            let mut parts = Parts::default();
            for capture in found.captures() {
                let node = capture.node;
                let range = node.byte_range();
                match compiled.roles[capture.index as usize] {
                    Role::Definition(kind) => parts.definition = Some((kind, node)),
                    Role::Name => parts.name = Some(range),
                    Role::Body => parts.body = Some(range.start),
                    Role::Receiver => parts.receiver = Some(range),
                    Role::Wrapper => parts.wrapper = Some(node),
                    Role::Wrapped => parts.wrapped = Some(node.id()),
                    Role::Comment => self.comments.push(range),
                    Role::Doc => self.docs.push(range),
                    Role::Attribute => self.attributes.push(range),
                    Role::Embedded => self.embedded.push(node.range()),
                    Role::Exported => {
                        self.exported.insert(text[range].to_owned());
                    }
                    Role::Access => self.access.push(range),
                    Role::Unused => {}
                }
            }
            if let (Some(wrapper), Some(wrapped)) = (parts.wrapper, parts.wrapped) {
                wrappers.insert(wrapped, Wrapper { id: wrapper.id(), range: wrapper.byte_range() });
            }
            if let (Some((kind, node)), Some(name)) = (parts.definition, parts.name) {
                let body = parts
                    .body
                    .or_else(|| node.child_by_field_name("body").map(|body| body.start_byte()));
                self.definitions.push(Found {
                    kind,
                    range: node.byte_range(),
                    name,
                    body,
                    receiver: parts.receiver,
                    pattern: found.pattern_index,
                });
                nodes.push(node.id());
            }
        }
        if spent.get() {
            return None;
        }
        for (found, node) in self.definitions[first..].iter_mut().zip(nodes) {
            let mut outer = wrappers.get(&node);
            // As deep as a decorated, exported, ambient template; a bound keeps this a short loop.
            for _ in 0..4 {
                let Some(wrapper) = outer else { break };
                found.range = wrapper.range.clone();
                outer = wrappers.get(&wrapper.id);
            }
        }
        Some(())
    }
}

/// What one match captured.
#[derive(Default)]
struct Parts<'tree> {
    definition: Option<(SymbolKind, Node<'tree>)>,
    name: Option<Range<usize>>,
    body: Option<usize>,
    receiver: Option<Range<usize>>,
    wrapper: Option<Node<'tree>>,
    wrapped: Option<usize>,
}

struct Wrapper {
    id: usize,
    range: Range<usize>,
}

/// What happens at a place of the text, in the order in which it counts there.
enum Event {
    Definition(Found),
    Access(Range<usize>),
    Doc(Range<usize>),
}

impl Event {
    fn range(&self) -> &Range<usize> {
        match self {
            Event::Definition(found) => &found.range,
            Event::Access(range) | Event::Doc(range) => range,
        }
    }
}

/// A definition that is open while the text is walked through.
struct Open {
    index: usize,
    end: usize,
    access: Option<Visibility>,
}

/// Nests what was captured, by one walk through the text.
fn nest(text: &str, lines: &LineTable, grammar: &Grammar, captured: Captured) -> Outline {
    let Captured { mut definitions, comments, attributes, docs, access, exported, .. } = captured;
    // The first pattern of a query that names a definition is the most exact one.
    definitions.sort_by_key(|found| (found.name.start, found.pattern));
    definitions.dedup_by_key(|found| found.name.start);

    let leading = Leading::new(text, lines, &comments, attributes);
    let mut outline = Outline {
        comments: comments::ordered(comments.into_iter().chain(docs.iter().cloned())),
        definitions: Vec::with_capacity(definitions.len()),
    };
    let file_exports = !exported.is_empty()
        || definitions.iter().any(|found| text[found.range.clone()].starts_with("export"));
    let mut events: Vec<Event> = definitions
        .into_iter()
        .map(Event::Definition)
        .chain(access.into_iter().map(Event::Access))
        .chain(docs.into_iter().map(Event::Doc))
        .collect();
    events.sort_by_key(|event| (event.range().start, Reverse(event.range().end)));

    let mut open: Vec<Open> = Vec::new();
    for event in events {
        let start = event.range().start;
        while open.last().is_some_and(|last| last.end <= start) {
            open.pop();
        }
        match event {
            Event::Access(range) => {
                if let Some(last) = open.last_mut() {
                    last.access = access_level(&text[range]);
                }
            }
            Event::Doc(range) => {
                if let Some(last) = open.last() {
                    let definition = &mut outline.definitions[last.index];
                    let doc = comments::strip(&text[range], DOC_COMMENT);
                    if !doc.is_empty() {
                        definition.doc_comment = Some(doc);
                    }
                }
            }
            Event::Definition(found) => {
                let parent = open.last().map(|last| last.index);
                let container = parent.map(|index| &outline.definitions[index]);
                let name = &text[found.name.clone()];
                let Some(kind) = kept_kind(&found, name, container) else { continue };
                let head = leading.head(text, lines, &found.range);
                let declared = leading.after_attributes(text, &found.range);
                let signature = signature(text, &found, declared, &outline.comments);
                let declaration = Declaration {
                    name,
                    kind,
                    modifiers: modifiers(text, &found),
                    leading: &text[lines.start(head.first_line)..found.range.start],
                    container: container.map(|container| Container {
                        kind: container.kind,
                        visibility: container.visibility,
                        signature: &container.signature,
                    }),
                    access: open.last().and_then(|last| last.access),
                    has_receiver: found.receiver.is_some(),
                    exported: exported.contains(name),
                    file_exports,
                };
                let definition = Definition {
                    name: name.to_owned(),
                    kind,
                    visibility: declaration.visibility(grammar.visibility),
                    receiver: found.receiver.map(|range| text[range].to_owned()),
                    name_line: lines.line_of(found.name.start),
                    anchor: found.range.start,
                    lines: head.first_line..lines.line_after(&found.range),
                    signature,
                    doc_comment: leading.doc(text, head.marks),
                    parent,
                    depth: container.map_or(0, |container| container.depth + 1),
                };
                open.push(Open {
                    index: outline.definitions.len(),
                    end: found.range.end,
                    access: None,
                });
                outline.definitions.push(definition);
            }
        }
    }
    outline
}

/// The kind of a definition at its place; nothing where it does not count as one.
fn kept_kind(found: &Found, name: &str, container: Option<&Definition>) -> Option<SymbolKind> {
    if name.is_empty() || name == "_" {
        return None;
    }
    let all_capitals =
        name.chars().any(char::is_uppercase) && !name.chars().any(char::is_lowercase);
    let kind = match found.kind {
        SymbolKind::Variable if all_capitals => SymbolKind::Const,
        kind => kind,
    };
    let Some(container) = container else { return Some(kind) };
    if is_function(container.kind) && found.body.is_none() {
        // A local variable or a declaration that looks like one.
        return None;
    }
    if kind.is_type() && container.kind.is_type() && container.name == name {
        // `typedef struct A { … } A`: the name of the same thing.
        return None;
    }
    if kind == SymbolKind::Type && container.kind == SymbolKind::Impl {
        // It fulfils a trait and is no new name.
        return None;
    }
    if kind == SymbolKind::Function && holds_members(container.kind) {
        return Some(SymbolKind::Method);
    }
    Some(kind)
}

/// What an access marker says.
fn access_level(marker: &str) -> Option<Visibility> {
    match marker.trim_end_matches([':', ' ']) {
        "public" => Some(Visibility::Public),
        "private" | "protected" => Some(Visibility::Private),
        _ => None,
    }
}

/// The text of a declaration before its name and its body, within reason.
fn modifiers<'t>(text: &'t str, found: &Found) -> &'t str {
    let end = found.name.start.min(found.body.unwrap_or(usize::MAX)).max(found.range.start);
    let modifiers = &text[found.range.start..end];
    &modifiers[..modifiers.floor_char_boundary(SIGNATURE * 2)]
}

/// The declaration on one line, white space collapsed, without attributes, comments and body.
fn signature(text: &str, found: &Found, start: usize, comments: &[Range<usize>]) -> String {
    let start = start.min(found.name.start);
    let end = match found.body {
        Some(body) if body > start => body,
        _ => found.range.end,
    };
    let declaration = without_comments(text, start..end, comments);
    // A value may go on for pages; what matters of it stands on the first line.
    let is_value = matches!(found.kind, SymbolKind::Const | SymbolKind::Variable);
    let declaration = if is_value {
        declaration.lines().next().unwrap_or("")
    } else if found.kind == SymbolKind::Macro
        || (found.kind.is_type() && found.kind != SymbolKind::Type)
    {
        declaration.split('{').next().unwrap_or("")
    } else {
        &declaration
    };
    let mut line = collapsed(declaration, SIGNATURE);
    let cut = line.trim_end_matches([' ', '{', '[', '(', ':', ';', '=', ',', '&']).len();
    // An operator may be called `==` or `[`.
    if line[..cut].ends_with("operator") {
        return line;
    }
    line.truncate(cut);
    if line.ends_with(" =>") {
        line.truncate(line.len() - 3);
    }
    if found.name.start >= end {
        line.push(' ');
        line.push_str(&text[found.name.clone()]);
    }
    line
}

/// The beginning of a range, as much as a signature may need, without the comments inside.
fn without_comments(text: &str, range: Range<usize>, comments: &[Range<usize>]) -> String {
    let mut kept = String::new();
    let mut start = range.start;
    let first = comments.partition_point(|comment| comment.end <= range.start);
    let limit = SIGNATURE * 8;
    for comment in &comments[first..] {
        if comment.start >= range.end || kept.len() > limit {
            break;
        }
        kept.push_str(&text[start..comment.start.max(start)]);
        start = comment.end.max(start);
    }
    let rest = &text[start.min(range.end)..range.end];
    kept.push_str(&rest[..rest.floor_char_boundary(limit)]);
    kept
}
