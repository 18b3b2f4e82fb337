//! Collects the captures of a language's query in a tree.

use std::{
    cell::Cell,
    collections::{HashMap, HashSet},
    ops::Range,
};

use lore_schema::{ConformanceKind, ReferenceKind, SymbolKind};
use tree_sitter::{
    Node, QueryCapture, QueryCursor, QueryCursorOptions, QueryCursorState, StreamingIterator, Tree,
};

use super::budget::Budget;
use crate::{
    grammar::{Compiled, Role},
    limits::{MAX_DEPTH, MAX_QUERY_MATCHES},
};

/// The captures of a query, unordered.
#[derive(Default)]
pub(super) struct Captured {
    pub(super) definitions: Vec<CapturedDefinition>,
    pub(super) comments: Vec<Range<usize>>,
    pub(super) attributes: Vec<Range<usize>>,
    pub(super) docs: Vec<Range<usize>>,
    pub(super) access: Vec<Range<usize>>,
    pub(super) exported: HashSet<String>,
    pub(super) embedded: Vec<tree_sitter::Range>,
    pub(super) uses: Vec<Use>,
    /// Starts of names that are not uses, even if `uses` contains them.
    pub(super) no_uses: Vec<usize>,
    pub(super) type_parameters: Vec<Range<usize>>,
    pub(super) variables: Vec<Variable>,
    pub(super) imports: Vec<Range<usize>>,
    pub(super) has_errors: bool,
}

/// A use of a name.
pub(super) struct Use {
    pub(super) kind: UseKind,
    pub(super) name: Range<usize>,
    /// True if the name is one word, with any signs in it, and not a path.
    pub(super) is_word: bool,
    pub(super) qualifier: Option<Range<usize>>,
    pub(super) pattern: usize,
}

/// Kind of a use.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum UseKind {
    Conformance(ConformanceKind),
    Reference(ReferenceKind),
}

/// A variable, parameter or field whose type is visible in the text.
pub(super) struct Variable {
    pub(super) name: Range<usize>,
    pub(super) type_source: TypeSource,
    /// A field of the enclosing type, although it is inside a function.
    pub(super) is_field: bool,
}

/// Source of a variable's type.
pub(super) enum TypeSource {
    /// The type itself.
    Type(Range<usize>),
    /// Another variable of the same type.
    Variable(Range<usize>),
    /// An expression whose value the variable gets.
    Value(Range<usize>),
}

/// The part of a definition that a captured one is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Part {
    /// The whole.
    #[default]
    Whole,
    /// One of several clauses.
    Clause,
    /// A declaration without body that the next definition of the name continues.
    Head,
}

/// A captured definition.
pub(super) struct CapturedDefinition {
    pub(super) kind: SymbolKind,
    /// The definition with what wraps it.
    pub(super) range: Range<usize>,
    pub(super) name: Range<usize>,
    pub(super) body: Option<usize>,
    pub(super) receiver: Option<Range<usize>>,
    pub(super) part: Part,
    /// A key of data.
    pub(super) is_key: bool,
    pub(super) pattern: usize,
}

impl Captured {
    /// Runs the query over a tree and adds its captures; `None` if that exceeds the budget.
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
        cursor.set_match_limit(MAX_QUERY_MATCHES);
        cursor.set_max_start_depth(u32::try_from(MAX_DEPTH).ok());
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
            let parts = self.assign(found.captures(), text, &compiled.roles);
            if let (Some(wrapper), Some(wrapped)) = (parts.wrapper, parts.wrapped) {
                wrappers.insert(wrapped, Wrapper { id: wrapper.id(), range: wrapper.byte_range() });
            }
            nodes.extend(self.add(parts, found.pattern_index));
        }
        if spent.get() {
            return None;
        }
        self.has_errors |= tree.root_node().has_error();
        for (found, node) in self.definitions[first..].iter_mut().zip(nodes) {
            let mut outer = wrappers.get(&node);
            // As deep as a decorated, exported, ambient template; the limit keeps this a short
            // loop.
            for _ in 0..4 {
                let Some(wrapper) = outer else { break };
                found.range = wrapper.range.clone();
                outer = wrappers.get(&wrapper.id);
            }
        }
        Some(())
    }

    /// Sorts the captures of one match: those of single nodes into `self`, the others into parts.
    fn assign<'tree>(
        &mut self,
        captures: &[QueryCapture<'tree>],
        text: &str,
        roles: &[Role],
    ) -> Parts<'tree> {
        let mut parts = Parts::default();
        for capture in captures {
            let node = capture.node;
            let range = node.byte_range();
            match roles[capture.index as usize] {
                Role::Definition(kind) => parts.definition = Some((kind, node)),
                Role::Key => parts.is_key = true,
                Role::Name => parts.name = Some(range),
                Role::Clause => parts.part = Part::Clause,
                Role::Head => parts.part = Part::Head,
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
                Role::VariableType => parts.type_source = Some(TypeSource::Type(range)),
                Role::VariableLike => parts.type_source = Some(TypeSource::Variable(range)),
                Role::VariableValue => parts.type_source = Some(TypeSource::Value(range)),
                Role::Token | Role::Unused => {}
            }
        }
        parts
    }

    /// Adds the variable, the uses and the definition of one match; returns the node of the
    /// definition.
    fn add(&mut self, parts: Parts<'_>, pattern: usize) -> Option<usize> {
        if let (Some((name, is_field)), Some(type_source)) = (parts.variable, parts.type_source) {
            self.variables.push(Variable { name, type_source, is_field });
        }
        for (kind, name) in parts.uses {
            self.uses.push(Use {
                kind,
                name,
                is_word: parts.is_word,
                qualifier: parts.qualifier.clone(),
                pattern,
            });
        }
        if let (Some((kind, node)), Some(name)) = (parts.definition, parts.name) {
            let body = parts
                .body
                .or_else(|| node.child_by_field_name("body").map(|body| body.start_byte()));
            self.definitions.push(CapturedDefinition {
                kind,
                range: node.byte_range(),
                name,
                body,
                receiver: parts.receiver,
                part: parts.part,
                is_key: parts.is_key,
                pattern,
            });
            return Some(node.id());
        }
        None
    }
}

/// The path before a name at this byte, as far as it is in the text; after a closing bracket, the
/// bracket.
fn path_before(text: &str, name: usize) -> Option<Range<usize>> {
    let before = text[..name].trim_end();
    let before = before.strip_suffix('.').or_else(|| before.strip_suffix("::"))?.trim_end();
    let is_path = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '.' | ':');
    let path = before.trim_end_matches(is_path).len();
    let path = if path < before.len() { path } else { text.floor_char_boundary(path.max(1) - 1) };
    Some(path..before.len())
}

/// The captures of one match.
#[derive(Default)]
struct Parts<'tree> {
    definition: Option<(SymbolKind, Node<'tree>)>,
    name: Option<Range<usize>>,
    body: Option<usize>,
    receiver: Option<Range<usize>>,
    part: Part,
    is_key: bool,
    is_word: bool,
    wrapper: Option<Node<'tree>>,
    wrapped: Option<usize>,
    uses: Vec<(UseKind, Range<usize>)>,
    qualifier: Option<Range<usize>>,
    variable: Option<(Range<usize>, bool)>,
    type_source: Option<TypeSource>,
}

struct Wrapper {
    id: usize,
    range: Range<usize>,
}
