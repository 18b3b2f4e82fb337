//! Resolves uses of names within a file: references, conformances, types of variables.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
};

use lore_schema::{Conformance, ConformanceKind, Reference, ReferenceKind, SymbolKind};

use super::{
    capture::{TypeSource, Use, UseKind, Variable},
    chain::path_of,
    paths::{OWN, bare, field_of_own, path_before, path_in_front, qualifier, split_first},
    types::type_name,
};
use crate::{
    limits::{MAX_CONFORMANCES, MAX_QUALIFIER_LEN},
    line_table::LineTable,
    outline::{Outline, holds_members, is_function, line_number},
};

/// Distinct uses of names, without those that define the name. If two patterns match one name, the
/// first counts; a conformance of the enclosing type takes precedence over a plain use. The name of a
/// type that an anonymous class implements may be called, too.
pub(super) fn distinct(
    mut uses: Vec<Use>,
    definitions: &HashSet<usize>,
) -> impl Iterator<Item = Use> {
    uses.retain(|used| !definitions.contains(&used.name.start));
    let is_anonymous = |used: &Use| used.kind == UseKind::Reference(ReferenceKind::Implementation);
    uses.sort_by_key(|used| (used.name.start, is_anonymous(used), used.kind, used.pattern));
    uses.dedup_by_key(|used| (used.name.start, is_anonymous(used)));
    uses.into_iter()
}

/// Collects uses during the pass over the text.
#[derive(Default)]
pub(super) struct Usage<'t> {
    references: Vec<Pending>,
    /// Derived supertypes of the next definition, with their positions.
    derived: Vec<(usize, String)>,
    /// Types of variables, by enclosing definition and name. A call stands for the type of its result.
    variables: HashMap<(Option<usize>, &'t str), Cow<'t, str>>,
    /// Types of fields that are only accessible through their object, by enclosing type and name.
    fields: HashMap<(Option<usize>, &'t str), Cow<'t, str>>,
    /// The first declared type of each name.
    types: HashMap<&'t str, usize>,
    /// Type parameters, by enclosing definition.
    type_parameters: HashSet<(Option<usize>, &'t str)>,
}

/// A reference whose qualifier is not resolved yet.
struct Pending {
    reference: Reference,
    within: Option<usize>,
    start: usize,
}

impl<'t> Usage<'t> {
    /// Adds a use inside a definition.
    pub(super) fn add(
        &mut self,
        text: &str,
        used: Use,
        within: Option<usize>,
        outline: &mut Outline,
    ) {
        let path = &text[used.name.clone()];
        let name = if used.is_word { path } else { bare(path) };
        if name.is_empty() {
            return;
        }
        match used.kind {
            UseKind::Conformance(ConformanceKind::Derives)
                if !within.is_some_and(|index| outline.definitions[index].kind.is_type()) =>
            {
                self.derived.push((used.name.start, name.to_owned()));
            }
            UseKind::Conformance(kind) => {
                let Some(definition) = within.map(|index| &mut outline.definitions[index]) else {
                    return;
                };
                if is_function(definition.kind) || definition.kind == SymbolKind::Macro {
                    // A part of a type that has no name of its own.
                    return;
                }
                let known = definition.conformances.len() >= MAX_CONFORMANCES
                    || definition.conformances.iter().any(|other| other.name == name);
                if !known && (definition.name != name || definition.kind == SymbolKind::Impl) {
                    definition.conformances.push(Conformance {
                        kind,
                        name: name.to_owned(),
                        qualifier: path_before(path, name)
                            .or_else(|| path_in_front(&text[..used.name.start])),
                    });
                }
            }
            // A single letter is a type parameter in every language.
            UseKind::Reference(ReferenceKind::Type)
                if name.len() == 1
                    || (used.qualifier.is_none() && self.is_hidden(name, within, outline)) => {}
            UseKind::Reference(kind) => self.references.push(Pending {
                reference: Reference {
                    kind,
                    name: name.to_owned(),
                    qualifier: match used.qualifier {
                        Some(range) => Some(qualifier(&text[range])),
                        None => path_before(path, name),
                    },
                    line: 0,
                    within: within.and_then(|index| u32::try_from(index).ok()),
                },
                within,
                start: used.name.start,
            }),
        }
    }

    /// Takes the derived supertypes of a definition whose attributes start at this byte.
    pub(super) fn take_derived(&mut self, start: usize) -> Vec<Conformance> {
        let mut conformances: Vec<Conformance> = Vec::new();
        for (at, name) in self.derived.drain(..) {
            let is_full = conformances.len() >= MAX_CONFORMANCES;
            if at >= start && !is_full && !conformances.iter().any(|other| other.name == name) {
                let kind = ConformanceKind::Derives;
                conformances.push(Conformance { kind, name, qualifier: None });
            }
        }
        conformances
    }

    /// Adds a type that the text declares.
    pub(super) fn declare(&mut self, name: &'t str, index: usize) {
        self.types.entry(name).or_insert(index);
    }

    /// Adds a type parameter of a definition.
    pub(super) fn hide(&mut self, name: &'t str, within: Option<usize>) {
        self.type_parameters.insert((within, name));
    }

    fn is_hidden(&self, name: &str, within: Option<usize>, outline: &Outline) -> bool {
        if self.type_parameters.is_empty() {
            return false;
        }
        let parent = |index: &usize| outline.definitions[*index].parent;
        std::iter::successors(within, parent)
            .any(|index| self.type_parameters.contains(&(Some(index), name)))
    }

    /// Adds the type of a variable. A field belongs to the enclosing type.
    pub(super) fn bind(
        &mut self,
        text: &'t str,
        variable: &Variable,
        within: Option<usize>,
        outline: &Outline,
    ) {
        let name = &text[variable.name.clone()];
        let of_type = match &variable.type_source {
            TypeSource::Type(range) => type_name(&text[range.clone()]).map(Cow::Borrowed),
            TypeSource::Variable(range) => self
                .type_of(&text[range.clone()], within, outline)
                .map(str::to_owned)
                .map(Cow::Owned),
            TypeSource::Value(range) => self.type_of_value(&text[range.clone()], within, outline),
        };
        let Some(mut of_type) = of_type else { return };
        if self.is_hidden(&of_type, within, outline) {
            // The bound of a type parameter, if any.
            let Some(bound) = self.type_of(&of_type, within, outline) else { return };
            of_type = Cow::Owned(bound.to_owned());
        }
        // The first one in the text is the declaration.
        let own = field_of_own(name);
        if own.is_some() || variable.is_field {
            let owner = within.and_then(|index| type_around(outline, index));
            self.fields.entry((owner, own.unwrap_or(name))).or_insert(of_type);
        } else {
            let scope = within.and_then(|index| scope_of(outline, index, name));
            self.variables.entry((scope, name)).or_insert(of_type);
        }
    }

    /// Replaces variables by their types, and returns all uses.
    pub(super) fn finish(mut self, text: &str, lines: &LineTable, outline: &mut Outline) {
        debug_assert!(outline.references.is_empty(), "a text is walked through once");
        let mut references = Vec::with_capacity(self.references.len());
        for Pending { mut reference, within, start } in std::mem::take(&mut self.references) {
            if reference.kind == ReferenceKind::Call
                && let Some(of_type) = reference
                    .qualifier
                    .as_deref()
                    .and_then(|path| self.typed(path, within, outline))
            {
                reference.qualifier = Some(of_type);
            }
            reference.line = line_number(lines.line_of(start.min(text.len())));
            references.push(reference);
        }
        outline.references = references;
    }

    /// The type of a value: of a variable, or the call that makes it.
    fn type_of_value(
        &self,
        value: &str,
        within: Option<usize>,
        outline: &Outline,
    ) -> Option<Cow<'t, str>> {
        let path = path_of(value)?;
        if let Some(of_type) = self.typed(&path, within, outline) {
            return Some(Cow::Owned(of_type));
        }
        path.ends_with("()").then_some(Cow::Owned(path))
    }

    /// A path whose first variable is replaced by its type: `Store` for `store`, and `Store.rows()` for
    /// `store.rows()`. `None` if the text does not show a type.
    fn typed(&self, path: &str, within: Option<usize>, outline: &Outline) -> Option<String> {
        let Some(call) = path.find("()") else {
            return self.type_of(path, within, outline).map(str::to_owned);
        };
        let joint = path[..call].rfind('.')?;
        let of_type = self.type_of(&path[..joint], within, outline)?;
        let typed = format!("{of_type}{}", &path[joint..]);
        (typed.len() <= MAX_QUALIFIER_LEN).then_some(typed)
    }

    /// The type of the expression before a name, if the text shows it: of a variable, of a field of
    /// the own object, and of fields of those.
    fn type_of<'a>(
        &'a self,
        path: &'a str,
        within: Option<usize>,
        outline: &'a Outline,
    ) -> Option<&'a str> {
        if self.variables.is_empty() && self.fields.is_empty() {
            return None;
        }
        let (first, rest) = match path.strip_prefix('@') {
            Some(rest) => ("@", Some(rest)),
            None => split_first(path),
        };
        let (mut of_type, mut rest) = if OWN.contains(&first) {
            let (field, rest) = split_first(rest?);
            (self.own_field(field, within, outline)?, rest)
        } else {
            (self.variable(first, within, outline)?, rest)
        };
        while let Some(path) = rest {
            let field;
            (field, rest) = split_first(path);
            of_type = self.field(*self.types.get(of_type)?, field)?;
        }
        Some(of_type)
    }

    /// The type of a field of the object whose method encloses the use.
    fn own_field<'a>(
        &'a self,
        field: &'a str,
        within: Option<usize>,
        outline: &'a Outline,
    ) -> Option<&'a str> {
        let within = within?;
        let owner = type_around(outline, within);
        owner.and_then(|owner| self.field(owner, field)).or_else(|| {
            // In `impl` blocks and methods outside of their type: the type of that name.
            let owner = match owner {
                Some(owner) => outline.definitions[owner].name.as_str(),
                None => outline.definitions[within].receiver.as_deref()?,
            };
            self.field(*self.types.get(owner)?, field)
        })
    }

    /// The type of a variable that is visible inside a definition.
    fn variable<'a>(
        &'a self,
        name: &'a str,
        within: Option<usize>,
        outline: &'a Outline,
    ) -> Option<&'a str> {
        let mut scope = within;
        loop {
            // A field may be used like a variable as well.
            let is_field = scope.is_some() && self.fields.contains_key(&(scope, name));
            if let Some(found) = self.variables.get(&(scope, name)).map(Cow::as_ref)
                && !is_field
            {
                return Some(found);
            }
            let definition = &outline.definitions[scope?];
            // Definitions outside of their type see its fields as well.
            if let Some(receiver) = &definition.receiver
                && let Some(owner) = self.types.get(receiver.as_str())
                && let Some(found) = self.variables.get(&(Some(*owner), name)).map(Cow::as_ref)
            {
                return Some(found);
            }
            scope = definition.parent;
        }
    }

    /// The type of a field, by enclosing type.
    fn field<'a>(&'a self, owner: usize, field: &'a str) -> Option<&'a str> {
        let key = (Some(owner), field);
        self.fields.get(&key).or_else(|| self.variables.get(&key)).map(Cow::as_ref)
    }
}

/// Scope of a variable that is declared in a definition: a field or constant is a definition
/// itself, and its scope is the enclosing one.
fn scope_of(outline: &Outline, index: usize, name: &str) -> Option<usize> {
    let definition = &outline.definitions[index];
    let is_value =
        matches!(definition.kind, SymbolKind::Const | SymbolKind::Field | SymbolKind::Variable);
    if is_value && definition.name == name { definition.parent } else { Some(index) }
}

/// The innermost enclosing type of a definition, itself included.
fn type_around(outline: &Outline, index: usize) -> Option<usize> {
    let parent = |index: &usize| outline.definitions[*index].parent;
    std::iter::successors(Some(index), parent)
        .find(|index| holds_members(outline.definitions[*index].kind))
}
