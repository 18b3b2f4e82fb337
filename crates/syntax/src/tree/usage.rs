//! What a text says about names that are defined elsewhere: uses, conformances, types of variables.

use std::collections::{HashMap, HashSet};

use lore_schema::{Conformance, ConformanceKind, Reference, ReferenceKind, SymbolKind};

use super::{
    capture::{ToldBy, Use, UseKind, Variable},
    types::type_name,
};
use crate::{
    limits::{CONFORMANCES, QUALIFIER},
    line_table::LineTable,
    outline::{Outline, holds_members, is_function, line_number},
};

/// What stands for a qualifier that is no name.
const NO_NAME: &str = "?";

/// Words by which a member names its own type or object.
const OWN: &[&str] = &["self", "Self", "this", "cls", "@", "$this"];

/// Uses of names, each once, without those that define their name. Of two patterns for one name the
/// first counts; what is said about the type around says more than any use.
pub(super) fn distinct(
    mut uses: Vec<Use>,
    definitions: &HashSet<usize>,
) -> impl Iterator<Item = Use> {
    uses.retain(|used| !definitions.contains(&used.name.start));
    uses.sort_by_key(|used| (used.name.start, used.kind, used.pattern));
    uses.dedup_by_key(|used| used.name.start);
    uses.into_iter()
}

/// Collects uses while the text is walked through.
#[derive(Default)]
pub(super) struct Usage<'t> {
    references: Vec<Pending>,
    /// What the next definition has derived, with its places.
    derived: Vec<(usize, String)>,
    /// Types of variables, by the definition around and the name.
    variables: HashMap<(Option<usize>, &'t str), &'t str>,
    /// Types of fields that need their object named before them, by the type around and the name.
    fields: HashMap<(Option<usize>, &'t str), &'t str>,
    /// The first type of each name that the text declares.
    types: HashMap<&'t str, usize>,
    /// Names that stand for some type, by the definition around.
    type_parameters: HashSet<(Option<usize>, &'t str)>,
}

/// A reference, before it is known what its qualifier is.
struct Pending {
    reference: Reference,
    within: Option<usize>,
    start: usize,
}

impl<'t> Usage<'t> {
    /// Notes a use inside a definition.
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
                    // Of a type without a name inside of it.
                    return;
                }
                let known = definition.conformances.len() >= CONFORMANCES
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
            // A single letter stands for some type in every language.
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

    /// What was derived for a definition whose attributes begin at this byte.
    pub(super) fn take_derived(&mut self, start: usize) -> Vec<Conformance> {
        let mut conformances: Vec<Conformance> = Vec::new();
        for (at, name) in self.derived.drain(..) {
            let is_full = conformances.len() >= CONFORMANCES;
            if at >= start && !is_full && !conformances.iter().any(|other| other.name == name) {
                let kind = ConformanceKind::Derives;
                conformances.push(Conformance { kind, name, qualifier: None });
            }
        }
        conformances
    }

    /// Notes a type that the text declares.
    pub(super) fn declare(&mut self, name: &'t str, index: usize) {
        self.types.entry(name).or_insert(index);
    }

    /// Notes a name that stands for some type inside of a definition.
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

    /// Notes the type of a variable. A field belongs to the type around.
    pub(super) fn bind(
        &mut self,
        text: &'t str,
        variable: &Variable,
        within: Option<usize>,
        outline: &Outline,
    ) {
        let name = &text[variable.name.clone()];
        let of_type = match &variable.told_by {
            ToldBy::Type(range) => type_name(&text[range.clone()]),
            ToldBy::Variable(range) => self.type_of(&text[range.clone()], within, outline),
        };
        let Some(mut of_type) = of_type else { return };
        if self.is_hidden(of_type, within, outline) {
            // What a type parameter is bound to, if anything.
            let Some(bound) = self.type_of(of_type, within, outline) else { return };
            of_type = bound;
        }
        // The first one that is written is the declaration.
        let own = field_of_own(name);
        if own.is_some() || variable.is_field {
            let owner = within.and_then(|index| type_around(outline, index));
            self.fields.entry((owner, own.unwrap_or(name))).or_insert(of_type);
        } else {
            let scope = within.and_then(|index| scope_of(outline, index, name));
            self.variables.entry((scope, name)).or_insert(of_type);
        }
    }

    /// Puts the types of variables in the place of their names, and hands everything over.
    pub(super) fn finish(mut self, text: &str, lines: &LineTable, outline: &mut Outline) {
        debug_assert!(outline.references.is_empty(), "a text is walked through once");
        let mut references = Vec::with_capacity(self.references.len());
        for Pending { mut reference, within, start } in std::mem::take(&mut self.references) {
            if reference.kind == ReferenceKind::Call
                && let Some(of_type) = reference
                    .qualifier
                    .as_deref()
                    .and_then(|path| self.type_of(path, within, outline))
            {
                reference.qualifier = Some(of_type.to_owned());
            }
            reference.line = line_number(lines.line_of(start.min(text.len())));
            references.push(reference);
        }
        outline.references = references;
    }

    /// The type of what stands before a name, if the text tells it: of a variable, of a field of the
    /// own object, and of fields of those.
    fn type_of(&self, path: &str, within: Option<usize>, outline: &Outline) -> Option<&'t str> {
        if self.variables.is_empty() && self.fields.is_empty() {
            return None;
        }
        let (first, rest) = match path.strip_prefix('@') {
            Some(rest) => ("@", Some(rest)),
            None => joint(path),
        };
        let (mut of_type, mut rest) = if OWN.contains(&first) {
            let (field, rest) = joint(rest?);
            (self.own_field(field, within, outline)?, rest)
        } else {
            (self.variable(first, within, outline)?, rest)
        };
        while let Some(path) = rest {
            let field;
            (field, rest) = joint(path);
            of_type = self.field(*self.types.get(of_type)?, field)?;
        }
        Some(of_type)
    }

    /// The type of a field of the object whose method is around.
    fn own_field(&self, field: &str, within: Option<usize>, outline: &Outline) -> Option<&'t str> {
        let within = within?;
        let owner = type_around(outline, within);
        owner.and_then(|owner| self.field(owner, field)).or_else(|| {
            // Of `impl` blocks and methods outside of their type: the type of that name.
            let owner = match owner {
                Some(owner) => outline.definitions[owner].name.as_str(),
                None => outline.definitions[within].receiver.as_deref()?,
            };
            self.field(*self.types.get(owner)?, field)
        })
    }

    /// The type of a variable that is seen inside a definition.
    fn variable(&self, name: &str, within: Option<usize>, outline: &Outline) -> Option<&'t str> {
        let mut scope = within;
        loop {
            // A field may be taken for a variable as well.
            let is_field = scope.is_some() && self.fields.contains_key(&(scope, name));
            if let Some(found) = self.variables.get(&(scope, name)).copied()
                && !is_field
            {
                return Some(found);
            }
            let definition = &outline.definitions[scope?];
            // What is defined outside of its type sees the fields all the same.
            if let Some(receiver) = &definition.receiver
                && let Some(owner) = self.types.get(receiver.as_str())
                && let Some(found) = self.variables.get(&(Some(*owner), name)).copied()
            {
                return Some(found);
            }
            scope = definition.parent;
        }
    }

    /// The type of a field, by the type around.
    fn field(&self, owner: usize, field: &str) -> Option<&'t str> {
        let key = (Some(owner), field);
        self.fields.get(&key).or_else(|| self.variables.get(&key)).copied()
    }
}

/// Where a variable counts that is declared in a definition: a field or constant is a definition
/// itself, and counts around.
fn scope_of(outline: &Outline, index: usize, name: &str) -> Option<usize> {
    let definition = &outline.definitions[index];
    let is_value =
        matches!(definition.kind, SymbolKind::Const | SymbolKind::Field | SymbolKind::Variable);
    if is_value && definition.name == name { definition.parent } else { Some(index) }
}

/// The innermost type around a definition, itself included.
fn type_around(outline: &Outline, index: usize) -> Option<usize> {
    let parent = |index: &usize| outline.definitions[*index].parent;
    std::iter::successors(Some(index), parent)
        .find(|index| holds_members(outline.definitions[*index].kind))
}

/// The name of a field of the own object: `store` in `self.store`.
fn field_of_own(name: &str) -> Option<&str> {
    let (own, field) =
        name.strip_prefix('@').map_or_else(|| joint(name), |field| ("@", Some(field)));
    let field = field?;
    let is_name = field.chars().all(|letter| letter.is_alphanumeric() || "_$#".contains(letter));
    (OWN.contains(&own) && is_name).then_some(field)
}

/// A path before and after its first joint: `store` and `rows.last` in `store.rows.last`.
fn joint(path: &str) -> (&str, Option<&str>) {
    let dot = path.split_once('.');
    let arrow = path.split_once("->");
    let first = match (dot, arrow) {
        (Some(dot), Some(arrow)) => Some(if dot.0.len() < arrow.0.len() { dot } else { arrow }),
        (dot, arrow) => dot.or(arrow),
    };
    first.map_or((path, None), |(name, rest)| (name, Some(rest)))
}

/// The last name of a path, without type arguments, quotes and the like.
pub(super) fn bare(name: &str) -> &str {
    let end = name.find(['<', '(', '[', '{', ' ', '\n']).unwrap_or(name.len());
    // Clojure calls a constructor `Store.`.
    let name = name[..end].trim_end_matches('.');
    let cut = name.rfind(['.', ':', '\\', '/']).map_or(0, |at| at + 1);
    name[cut..].trim_matches(|letter: char| !letter.is_alphanumeric() && !"_$!?'#".contains(letter))
}

/// What a path says before its last name, if anything.
fn path_before(path: &str, name: &str) -> Option<String> {
    let at = path.find(name).filter(|at| *at > 0)?;
    let before = path[..at].trim_end_matches(['.', ':', '\\', '/']);
    let is_path = before.len() < at && before.starts_with(char::is_alphabetic);
    is_path.then(|| qualifier(before))
}

/// The path at the end of a text, if a joint follows it: `app.` in front of `Store`.
fn path_in_front(text: &str) -> Option<String> {
    let path = text.strip_suffix("::").or_else(|| text.strip_suffix(['.', '\\']))?;
    let is_path = |letter: char| letter.is_alphanumeric() || "_.:$\\".contains(letter);
    let start = path
        .char_indices()
        .rev()
        .take_while(|(_, letter)| is_path(*letter))
        .last()
        .map_or(path.len(), |(at, _)| at);
    let path = path[start..].trim_start_matches([':', '.', '\\']);
    (!path.is_empty() && path.len() <= QUALIFIER).then(|| path.to_owned())
}

/// What stands before a name, as a path without white space; [`NO_NAME`] where it is none.
fn qualifier(text: &str) -> String {
    let text = text.trim_end_matches("()").trim_end_matches('.');
    let text = text.trim_start_matches(['&', '*', '(']);
    // `<Foo as Bar>::new`, `Vec::<u8>::new`
    let text = match text.strip_prefix('<') {
        Some(inner) => inner.split([' ', '>', '<']).next().unwrap_or(inner),
        None => text.split('<').next().unwrap_or(text).trim_end_matches("::"),
    };
    let is_path = |letter: char| letter.is_alphanumeric() || "_.:$->@#?!\\/'".contains(letter);
    if text.len() > QUALIFIER || text.is_empty() || !text.chars().all(is_path) {
        return NO_NAME.to_owned();
    }
    text.replace(['?', '!'], "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_bare() {
        let check = |name: &str, expected: &str| assert_eq!(bare(name), expected, "{name}");
        check("Store", "Store");
        check("storage::Store<Row>", "Store");
        check("app.models.Store[int]", "Store");
        check("\\App\\Store", "Store");
        check("save!", "save!");
        check("", "");
    }

    #[test]
    fn qualifiers_are_paths() {
        let check = |text: &str, expected: &str| assert_eq!(qualifier(text), expected, "{text}");
        check("self.store", "self.store");
        check("super()", "super");
        check("a.b(c)", NO_NAME);
        check("this?.store", "this.store");
        check("Vec::<u8>", "Vec");
        check("<Foo as Bar>", "Foo");
        check("&mut x", NO_NAME);
        check("\"text\"", NO_NAME);
    }

    #[test]
    fn paths_in_front_of_names() {
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(path_in_front(text).as_deref(), expected, "{text}");
        };
        check("class Disk(app.store.", Some("app.store"));
        check("impl crate::store::", Some("crate::store"));
        check("class Disk(", None);
        check("...", None);
    }

    #[test]
    fn fields_of_the_own_object() {
        let check = |text: &str, expected: Option<&str>| assert_eq!(field_of_own(text), expected);
        check("self.store", Some("store"));
        check("$this->store", Some("store"));
        check("@store", Some("store"));
        check("self.store.rows", None);
        check("other.store", None);
    }
}
