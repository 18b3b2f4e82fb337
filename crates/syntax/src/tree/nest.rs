//! Nests captured definitions into each other, and assigns comments, attributes and uses to them.

use std::{cmp::Reverse, collections::HashSet, ops::Range};

use lore_schema::{SymbolKind, Visibility};

use super::{
    capture::{Captured, CapturedDefinition, Part, Use, Variable},
    keys,
    usage::{self, Usage},
};
use crate::{
    comments,
    grammar::Grammar,
    imports,
    leading::Leading,
    limits::{MAX_DOC_COMMENT_LEN, MAX_SIGNATURE_CHARS},
    line_table::LineTable,
    outline::{Definition, Outline, collapsed, holds_members, is_function},
    visibility::{Container, Declaration},
};

/// An event at a position of the text. The order of the variants is the order at one position.
enum Event {
    Definition(CapturedDefinition),
    Access(Range<usize>),
    Doc(Range<usize>),
    TypeParameter(Range<usize>),
    Use(Use),
    Variable(Variable),
}

impl Event {
    fn range(&self) -> &Range<usize> {
        match self {
            Event::Definition(found) => &found.range,
            Event::Access(range) | Event::Doc(range) | Event::TypeParameter(range) => range,
            Event::Use(used) => &used.name,
            Event::Variable(variable) => &variable.name,
        }
    }
}

/// A definition that is open at the current position.
struct Open {
    index: usize,
    end: usize,
    access: Option<Visibility>,
}

/// Nests the captures in one pass over the text.
pub(super) fn nest(
    text: &str,
    lines: &LineTable,
    grammar: &Grammar,
    captured: Captured,
) -> Outline {
    let Captured {
        mut definitions,
        comments,
        attributes,
        docs,
        access,
        exported,
        uses,
        no_uses,
        type_parameters,
        variables,
        imports,
        has_errors,
        embedded: _,
    } = captured;
    // The first pattern of a query that names a definition is the most specific one.
    definitions.sort_by_key(|found| (found.name.start, found.pattern));
    definitions.dedup_by_key(|found| found.name.start);
    keys::drop_key_tables(&mut definitions);

    let names: HashSet<usize> =
        definitions.iter().map(|found| found.name.start).chain(no_uses).collect();
    join_clauses(text, &mut definitions, &comments, &attributes);
    let mut nesting = Nesting {
        text,
        lines,
        grammar,
        leading: Leading::new(text, lines, &comments, attributes),
        file_exports: !exported.is_empty()
            || definitions.iter().any(|found| text[found.range.clone()].starts_with("export ")),
        exported,
        outline: Outline {
            comments: comments::ordered(comments.into_iter().chain(docs.iter().cloned())),
            definitions: Vec::with_capacity(definitions.len()),
            imports: imports::read(text, lines, grammar.imports, imports),
            has_errors,
            ..Outline::default()
        },
        usage: Usage::default(),
        open: Vec::new(),
    };
    let mut events: Vec<Event> = definitions
        .into_iter()
        .map(Event::Definition)
        .chain(access.into_iter().map(Event::Access))
        .chain(docs.into_iter().map(Event::Doc))
        .chain(type_parameters.into_iter().map(Event::TypeParameter))
        .chain(usage::distinct(uses, &names).map(Event::Use))
        .chain(variables.into_iter().map(Event::Variable))
        .collect();
    events.sort_by_key(|event| (event.range().start, Reverse(event.range().end)));
    for event in events {
        nesting.handle(event);
    }
    nesting.usage.finish(text, lines, &mut nesting.outline);
    nesting.outline
}

/// State of the pass over the text.
struct Nesting<'t> {
    text: &'t str,
    lines: &'t LineTable,
    grammar: &'t Grammar,
    leading: Leading,
    /// Names in the file's lists of exports.
    exported: HashSet<String>,
    /// True if the file exports anything.
    file_exports: bool,
    outline: Outline,
    usage: Usage<'t>,
    /// The enclosing definitions, innermost last.
    open: Vec<Open>,
}

impl Nesting<'_> {
    /// Index of the innermost open definition.
    fn parent(&self) -> Option<usize> {
        self.open.last().map(|last| last.index)
    }

    /// Processes the next event of the text.
    fn handle(&mut self, event: Event) {
        let start = event.range().start;
        while self.open.last().is_some_and(|last| last.end <= start) {
            self.open.pop();
        }
        let parent = self.parent();
        match event {
            Event::Access(range) => {
                if let Some(last) = self.open.last_mut() {
                    last.access = access_level(&self.text[range]);
                }
            }
            Event::Doc(range) => {
                if let Some(parent) = parent {
                    let doc = comments::strip(&self.text[range], MAX_DOC_COMMENT_LEN);
                    if !doc.is_empty() {
                        self.outline.definitions[parent].doc_comment = Some(doc);
                    }
                }
            }
            Event::TypeParameter(range) => self.usage.hide(&self.text[range], parent),
            Event::Use(used) => self.usage.add(self.text, used, parent, &mut self.outline),
            Event::Variable(variable) => {
                self.usage.bind(self.text, &variable, parent, &self.outline);
            }
            Event::Definition(found) => self.define(&found),
        }
    }

    /// Adds a definition to the outline, unless it does not count, and opens it.
    fn define(&mut self, found: &CapturedDefinition) {
        let (text, lines) = (self.text, self.lines);
        let parent = self.parent();
        let container = parent.map(|index| &self.outline.definitions[index]);
        // Some languages define names by symbols, `attr_reader :name`, or quote names.
        let name = text[found.name.clone()].trim_start_matches(':').trim_matches(['`', '"']);
        let (prefix, name) = split_path(name);
        let Some(kind) = kept_kind(found, name, container) else { return };
        let head = self.leading.head(text, lines, &found.range);
        let declared = self.leading.after_attributes(text, &found.range);
        let signature = signature(text, found, declared, &self.outline.comments);
        let receiver = found.receiver.clone().map(|range| &text[range]);
        let declaration = Declaration {
            name,
            kind,
            modifiers: modifiers(text, found),
            leading: &text[lines.start(head.first_line)..found.range.start],
            container: container.map(|container| Container {
                kind: container.kind,
                visibility: container.visibility,
                signature: &container.signature,
            }),
            access: self.open.last().and_then(|last| last.access),
            has_receiver: receiver.is_some(),
            exported: self.exported.contains(name)
                || receiver.is_some_and(|receiver| self.exported.contains(receiver)),
            file_exports: self.file_exports,
        };
        let index = self.outline.definitions.len();
        let definition = Definition {
            name: name.to_owned(),
            kind,
            visibility: declaration.visibility(self.grammar.visibility),
            receiver: receiver.or(prefix).map(str::to_owned),
            name_line: lines.line_of(found.name.start),
            anchor: found.range.start,
            lines: head.first_line..lines.line_after(&found.range),
            signature,
            doc_comment: self.leading.doc(text, head.marks),
            parent,
            depth: container.map_or(0, |container| container.depth + 1),
            conformances: self.usage.take_derived(lines.start(head.first_line)),
        };
        if kind.is_type() {
            self.usage.declare(name, index);
        }
        self.open.push(Open { index, end: found.range.end, access: None });
        self.outline.definitions.push(definition);
    }
}

/// Splits a path of capitalised names, such as Elixir's modules, at its last dot.
fn split_path(name: &str) -> (Option<&str>, &str) {
    match name.rsplit_once('.') {
        Some((prefix, last))
            if name.starts_with(char::is_uppercase) && last.starts_with(char::is_uppercase) =>
        {
            (Some(prefix.rsplit('.').next().unwrap_or(prefix)), last)
        }
        _ => (None, name),
    }
}

/// Joins the clauses of a definition, and the heads of an overloaded one, with the first of them.
fn join_clauses(
    text: &str,
    definitions: &mut Vec<CapturedDefinition>,
    comments: &[Range<usize>],
    attributes: &[Range<usize>],
) {
    if definitions.iter().all(|found| found.part == Part::Whole) {
        return;
    }
    let all = comments::ordered(comments.iter().chain(attributes).cloned());
    let remarks = comments
        .iter()
        .filter(|comment| !comments::is_documentation(&text[(*comment).clone()]))
        .chain(attributes);
    let marks = comments::ordered(remarks.cloned());
    definitions.dedup_by(|next, first| {
        let is_one = first.kind == next.kind
            && text[first.name.clone()] == text[next.name.clone()]
            && first.range.end <= next.range.start;
        let gap = || first.range.end..next.range.start;
        let joined = is_one
            && match first.part {
                Part::Whole => false,
                Part::Clause => next.part == Part::Clause && only_marks(text, gap(), &marks),
                // Each head may have a documentation comment.
                Part::Head => only_marks(text, gap(), &all),
            };
        if joined {
            first.body.get_or_insert(first.range.end);
            first.range.end = next.range.end;
            first.part = next.part;
        }
        joined
    });
}

/// Returns true if a range contains only whitespace, separators and some of these ordered marks.
fn only_marks(text: &str, range: Range<usize>, marks: &[Range<usize>]) -> bool {
    let mut start = range.start;
    let is_separator = |letter: char| letter.is_whitespace() || matches!(letter, ';' | ',');
    let is_gap = |gap: Range<usize>| text[gap].trim_matches(is_separator).is_empty();
    let first = marks.partition_point(|mark| mark.start < range.start);
    for mark in marks[first..].iter().take_while(|mark| mark.end <= range.end) {
        if mark.start < start || !is_gap(start..mark.start) {
            return false;
        }
        start = mark.end;
    }
    is_gap(start..range.end)
}

/// The kind of a definition in its container; `None` if it does not count as a definition.
fn kept_kind(
    found: &CapturedDefinition,
    name: &str,
    container: Option<&Definition>,
) -> Option<SymbolKind> {
    if name.is_empty() || name == "_" {
        return None;
    }
    let all_upper_case =
        name.chars().any(char::is_uppercase) && !name.chars().any(char::is_lowercase);
    let kind = match found.kind {
        SymbolKind::Variable if all_upper_case => SymbolKind::Const,
        kind => kind,
    };
    let Some(container) = container else { return Some(kind) };
    if is_function(container.kind) && found.body.is_none() {
        // A local variable, or a declaration that looks like one.
        return None;
    }
    if kind.is_type() && container.kind.is_type() && container.name == name {
        // `typedef struct A { … } A`: the name of the same thing.
        return None;
    }
    if kind == SymbolKind::Type && container.kind == SymbolKind::Impl {
        // An implementation of a trait item, not a new name.
        return None;
    }
    if kind == SymbolKind::Function && holds_members(container.kind) {
        return Some(SymbolKind::Method);
    }
    Some(kind)
}

/// The visibility that an access marker sets.
fn access_level(marker: &str) -> Option<Visibility> {
    match marker.trim_end_matches([':', ' ']) {
        "public" => Some(Visibility::Public),
        "private" | "protected" => Some(Visibility::Private),
        _ => None,
    }
}

/// The text of a declaration before its name and its body, up to a maximum length.
fn modifiers<'t>(text: &'t str, found: &CapturedDefinition) -> &'t str {
    let end = found.name.start.min(found.body.unwrap_or(usize::MAX)).max(found.range.start);
    let modifiers = &text[found.range.start..end];
    &modifiers[..modifiers.floor_char_boundary(MAX_SIGNATURE_CHARS * 2)]
}

/// The declaration on one line, whitespace collapsed, without attributes, comments and body.
fn signature(
    text: &str,
    found: &CapturedDefinition,
    start: usize,
    comments: &[Range<usize>],
) -> String {
    let start = start.min(found.name.start);
    let end = match found.body {
        Some(body) if body > start => body,
        _ => found.range.end,
    };
    let declaration = without_comments(text, start..end, comments);
    // A value may run over pages; the important part is on the first line.
    let is_value =
        matches!(found.kind, SymbolKind::Const | SymbolKind::Field | SymbolKind::Variable)
            || (found.kind == SymbolKind::Module && found.body.is_none());
    let declaration = if is_value {
        declaration.trim_start().lines().next().unwrap_or("")
    } else if found.body.is_none()
        && (found.kind == SymbolKind::Macro
            || (found.kind.is_type() && found.kind != SymbolKind::Type))
    {
        declaration.split('{').next().unwrap_or("")
    } else {
        &declaration
    };
    let mut line = collapsed(declaration, MAX_SIGNATURE_CHARS);
    let cut = line.trim_end_matches([' ', '{', '[', '(', ':', ';', '=', ',', '&']).len();
    // An operator may be named `==` or `[`.
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

/// The start of a range, at most as long as a signature needs, without the comments inside.
fn without_comments(text: &str, range: Range<usize>, comments: &[Range<usize>]) -> String {
    let mut kept = String::new();
    let mut start = range.start;
    let first = comments.partition_point(|comment| comment.end <= range.start);
    let limit = MAX_SIGNATURE_CHARS * 8;
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
