//! The definitions and comments of a text, found before it is cut.

use std::ops::Range;

use lore_schema::{Conformance, Import, Reference, Symbol, SymbolKind, Visibility};

use crate::limits::MAX_NESTING;

/// A definition with its location.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Definition {
    /// The bare name.
    pub(crate) name: String,
    /// Its kind.
    pub(crate) kind: SymbolKind,
    /// Its visibility.
    pub(crate) visibility: Visibility,
    /// The type that it belongs to, if the text names the type without enclosing the definition.
    pub(crate) receiver: Option<String>,
    /// Line of the name, from 0.
    pub(crate) name_line: usize,
    /// First byte of the declaration, after documentation and attributes.
    pub(crate) anchor: usize,
    /// Lines from the first leading comment or attribute to the end.
    pub(crate) lines: Range<usize>,
    /// The declaration on one line.
    pub(crate) signature: String,
    /// The documentation comment without its signs.
    pub(crate) doc_comment: Option<String>,
    /// Index of the definition that encloses it.
    pub(crate) parent: Option<usize>,
    /// Number of definitions that enclose it.
    pub(crate) depth: usize,
    /// Declared supertypes, distinct, in text order.
    pub(crate) conformances: Vec<Conformance>,
}

/// The definitions and comments of a text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Outline {
    /// Sorted by `anchor`; a parent comes before its children.
    pub(crate) definitions: Vec<Definition>,
    /// Byte ranges of comments and documentation strings, ordered, without overlap.
    pub(crate) comments: Vec<Range<usize>>,
    /// Uses of names; `within` is an index into `definitions`.
    pub(crate) references: Vec<Reference>,
    /// Imported names.
    pub(crate) imports: Vec<Import>,
    /// True if the parser found syntax errors.
    pub(crate) has_errors: bool,
}

impl Outline {
    /// Indices of the definitions whose declaration starts inside a byte range.
    pub(crate) fn within(&self, range: &Range<usize>) -> Range<usize> {
        let first = self.definitions.partition_point(|found| found.anchor < range.start);
        let last = self.definitions.partition_point(|found| found.anchor < range.end);
        first..last.max(first)
    }

    /// Names of the enclosing definitions, outermost first.
    pub(crate) fn breadcrumb(&self, index: usize) -> Vec<String> {
        let definition = &self.definitions[index];
        let mut names: Vec<String> =
            self.ancestors(index).map(|found| found.name.clone()).collect();
        names.reverse();
        if let Some(receiver) = &definition.receiver
            && names.last() != Some(receiver)
        {
            names.push(receiver.clone());
        }
        names
    }

    /// The definitions as symbols. Equal names in one container are numbered by the order of their
    /// lines.
    pub(crate) fn symbols(&self) -> Vec<Symbol> {
        let mut symbols: Vec<Symbol> =
            (0..self.definitions.len()).map(|index| self.symbol(index)).collect();
        let mut order: Vec<usize> = (0..symbols.len()).collect();
        let key = |index: &usize| {
            let symbol: &Symbol = &symbols[*index];
            (symbol.container.as_deref(), symbol.name.as_str(), symbol.line)
        };
        order.sort_by(|left, right| key(left).cmp(&key(right)));
        for pair in 1..order.len() {
            let (before, index) = (&symbols[order[pair - 1]], order[pair]);
            let same =
                before.container == symbols[index].container && before.name == symbols[index].name;
            if same {
                let repetition = before.repetition + u32::from(before.line != symbols[index].line);
                symbols[index].repetition = repetition;
            }
        }
        symbols
    }

    fn symbol(&self, index: usize) -> Symbol {
        let definition = &self.definitions[index];
        let container = definition.receiver.clone().or_else(|| {
            self.ancestors(index)
                .find(|found| holds_members(found.kind) || found.kind == SymbolKind::Module)
                .map(|found| found.name.clone())
        });
        Symbol {
            name: definition.name.clone(),
            kind: definition.kind,
            visibility: definition.visibility,
            container,
            line: line_number(definition.name_line),
            start_line: line_number(definition.lines.start),
            end_line: line_number(definition.lines.end.max(definition.name_line + 1) - 1),
            repetition: 1,
            signature: definition.signature.clone(),
            doc_comment: definition.doc_comment.clone(),
            conformances: definition.conformances.clone(),
        }
    }

    /// The definitions that enclose one, innermost first.
    pub(crate) fn ancestors(&self, index: usize) -> impl Iterator<Item = &Definition> {
        let parent = |found: &&Definition| found.parent.map(|index| &self.definitions[index]);
        std::iter::successors(parent(&&self.definitions[index]), parent).take(MAX_NESTING)
    }
}

/// Returns true for kinds that run when called.
pub(crate) fn is_function(kind: SymbolKind) -> bool {
    matches!(kind, SymbolKind::Function | SymbolKind::Method)
}

/// Returns true for kinds whose functions are methods.
pub(crate) fn holds_members(kind: SymbolKind) -> bool {
    kind.is_type() || kind == SymbolKind::Impl
}

/// A line number counted from 1, as users count.
pub(crate) fn line_number(line: usize) -> u32 {
    u32::try_from(line + 1).unwrap_or(u32::MAX)
}

/// Collapses whitespace; cuts after `limit` characters and appends an ellipsis.
pub(crate) fn collapsed(text: &str, limit: usize) -> String {
    let mut line = String::new();
    let mut length = 0;
    for word in text.split_whitespace() {
        for (index, letter) in word.chars().enumerate() {
            if length >= limit {
                line.push('…');
                return line;
            }
            if index == 0 && length > 0 {
                line.push(' ');
                length += 1;
            }
            line.push(letter);
            length += 1;
        }
    }
    line
}
