//! What a language's query captures in a tree.

use std::{
    cell::Cell,
    collections::{HashMap, HashSet},
    ops::Range,
};

use lore_schema::{ConformanceKind, ReferenceKind, SymbolKind};
use tree_sitter::{
    Node, QueryCursor, QueryCursorOptions, QueryCursorState, StreamingIterator, Tree,
};

use super::Budget;
use crate::{
    grammar::{Compiled, Role},
    limits::{DEEPEST, QUERY_MATCHES},
};

/// What a query captured, in no order.
#[derive(Default)]
pub(super) struct Captured {
    pub(super) definitions: Vec<Found>,
    pub(super) comments: Vec<Range<usize>>,
    pub(super) attributes: Vec<Range<usize>>,
    pub(super) docs: Vec<Range<usize>>,
    pub(super) access: Vec<Range<usize>>,
    pub(super) exported: HashSet<String>,
    pub(super) embedded: Vec<tree_sitter::Range>,
    pub(super) uses: Vec<Use>,
    /// Where names begin that are not used, whatever `uses` says.
    pub(super) no_uses: Vec<usize>,
    pub(super) type_parameters: Vec<Range<usize>>,
    pub(super) variables: Vec<Variable>,
    pub(super) imports: Vec<Range<usize>>,
    pub(super) has_errors: bool,
}

/// A name that is used.
pub(super) struct Use {
    pub(super) kind: UseKind,
    pub(super) name: Range<usize>,
    /// Whether the name is one word, whatever signs are in it, and no path.
    pub(super) is_word: bool,
    pub(super) qualifier: Option<Range<usize>>,
    pub(super) pattern: usize,
}

/// What a name is used for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum UseKind {
    Conformance(ConformanceKind),
    Reference(ReferenceKind),
}

/// A variable, parameter or field of which the text tells the type.
pub(super) struct Variable {
    pub(super) name: Range<usize>,
    pub(super) told_by: ToldBy,
    /// A field of the type around, although it stands in a function.
    pub(super) is_field: bool,
}

/// How the text tells a type.
pub(super) enum ToldBy {
    /// It names the type.
    Type(Range<usize>),
    /// It names another variable that is of the type.
    Variable(Range<usize>),
}

/// What the name of a function begins with that is named after the type that it makes.
const MAKERS: &[&str] = &["New", "new"];

/// A definition as captured.
pub(super) struct Found {
    pub(super) kind: SymbolKind,
    /// The definition with what wraps it.
    pub(super) range: Range<usize>,
    pub(super) name: Range<usize>,
    pub(super) body: Option<usize>,
    pub(super) receiver: Option<Range<usize>>,
    pub(super) is_clause: bool,
    /// A key of data.
    pub(super) is_key: bool,
    pub(super) pattern: usize,
}

impl Captured {
    /// Runs the query over a tree and adds what it finds; nothing if that costs more than the
    /// budget allows.
    pub(super) fn collect(
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
                    Role::Key => parts.is_key = true,
                    Role::Name => parts.name = Some(range),
                    Role::Clause => parts.is_clause = true,
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
                    Role::Reference(kind) => {
                        parts.is_word = matches!(node.kind(), "identifier" | "plain_value");
                        parts.uses.push((UseKind::Reference(kind), range));
                    }
                    Role::NoReference => self.no_uses.push(range.start),
                    Role::Token if text[range.end..].trim_start().starts_with('(') => {
                        parts.qualifier = path_before(text, range.start);
                        parts.uses.push((UseKind::Reference(ReferenceKind::Call), range));
                    }
                    Role::Conformance(kind) => {
                        parts.uses.push((UseKind::Conformance(kind), range));
                    }
                    Role::Qualifier => {
                        let start = parts.qualifier.as_ref().map_or(range.start, |all| all.start);
                        parts.qualifier = Some(start..range.end);
                    }
                    Role::Import => self.imports.push(range),
                    Role::TypeParameter => self.type_parameters.push(range),
                    Role::Variable => parts.variable = Some((range, false)),
                    Role::VariableField => parts.variable = Some((range, true)),
                    Role::VariableType => parts.told_by = Some(ToldBy::Type(range)),
                    Role::VariableLike => parts.told_by = Some(ToldBy::Variable(range)),
                    Role::VariableMaker => {
                        let name = &text[range.clone()];
                        let made = MAKERS.iter().find_map(|verb| name.strip_prefix(verb));
                        parts.told_by =
                            made.map(|made| ToldBy::Type(range.end - made.len()..range.end));
                    }
                    Role::Token | Role::Unused => {}
                }
            }
            if let (Some(wrapper), Some(wrapped)) = (parts.wrapper, parts.wrapped) {
                wrappers.insert(wrapped, Wrapper { id: wrapper.id(), range: wrapper.byte_range() });
            }
            if let (Some((name, is_field)), Some(told_by)) = (parts.variable, parts.told_by) {
                self.variables.push(Variable { name, told_by, is_field });
            }
            for (kind, name) in parts.uses {
                self.uses.push(Use {
                    kind,
                    name,
                    is_word: parts.is_word,
                    qualifier: parts.qualifier.clone(),
                    pattern: found.pattern_index,
                });
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
                    is_clause: parts.is_clause,
                    is_key: parts.is_key,
                    pattern: found.pattern_index,
                });
                nodes.push(node.id());
            }
        }
        if spent.get() {
            return None;
        }
        self.has_errors |= tree.root_node().has_error();
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

/// The path before a name at this byte, as far as the text shows one; of what ends in a bracket, the
/// bracket.
fn path_before(text: &str, name: usize) -> Option<Range<usize>> {
    let before = text[..name].trim_end();
    let before = before.strip_suffix('.').or_else(|| before.strip_suffix("::"))?.trim_end();
    let is_path = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '.' | ':');
    let path = before.trim_end_matches(is_path).len();
    let path = if path < before.len() { path } else { text.floor_char_boundary(path.max(1) - 1) };
    Some(path..before.len())
}

/// What one match captured.
#[derive(Default)]
struct Parts<'tree> {
    definition: Option<(SymbolKind, Node<'tree>)>,
    name: Option<Range<usize>>,
    body: Option<usize>,
    receiver: Option<Range<usize>>,
    is_clause: bool,
    is_key: bool,
    is_word: bool,
    wrapper: Option<Node<'tree>>,
    wrapped: Option<usize>,
    uses: Vec<(UseKind, Range<usize>)>,
    qualifier: Option<Range<usize>>,
    variable: Option<(Range<usize>, bool)>,
    told_by: Option<ToldBy>,
}

struct Wrapper {
    id: usize,
    range: Range<usize>,
}
