//! Resolves names: by scope, by import, by inheritance, otherwise by name alone.

use std::{collections::HashSet, rc::Rc};

use lore_index::IndexError;
use lore_schema::{Conformance, Reference, ReferenceKind, Symbol, SymbolKind};

use super::{
    code_graph::{CodeGraph, Definition, File, Resolution, folder_of},
    imported::Imported,
    languages::{Binding, binding, may_mean},
    results::{Receiver, is_call},
};
use crate::Certainty;

/// Maximum depth of supertypes.
const MAX_BASES: usize = 6;

/// Words that refer to the own object or type.
const OWN: &[&str] = &["$this", "@", "Self", "cls", "self", "static", "this"];

/// Words that refer to the supertype.
const BASE: &[&str] = &["base", "parent", "super"];

/// The use of a name: as something called or as a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NameUsage {
    Call,
    Type,
}

impl CodeGraph<'_> {
    /// Resolves a reference; `None` if it refers to nothing in this tree.
    pub(crate) fn resolve(
        &self,
        file: &Rc<File>,
        reference: &Reference,
    ) -> Result<Option<Resolution>, IndexError> {
        let Reference { kind, name, qualifier, within, .. } = reference;
        let key = (file.id, *within, *kind, qualifier.clone(), name.clone());
        if let Some(known) = self.cached_resolution(&key) {
            return Ok(Some(known).filter(|known| !known.definitions.is_empty()));
        }
        let usage = match kind {
            ReferenceKind::Call => NameUsage::Call,
            ReferenceKind::Implementation | ReferenceKind::Type => NameUsage::Type,
        };
        let resolution = match qualifier.as_deref() {
            None => self.plain(file, name, *within, usage)?,
            Some(qualifier) => self.qualified(file, qualifier, reference, usage)?,
        };
        let nothing = || certain(Vec::new(), Certainty::Outside);
        self.cache_resolution(key, resolution.clone().unwrap_or_else(nothing));
        Ok(resolution)
    }

    /// Resolves the supertype in the head of a definition.
    pub(crate) fn resolve_type(
        &self,
        file: &Rc<File>,
        of: &Conformance,
        within: Option<u32>,
    ) -> Result<Option<Resolution>, IndexError> {
        let Some(path) = &of.qualifier else {
            return self.plain(file, &of.name, within, NameUsage::Type);
        };
        let first = path.split(['.', ':', '\\']).next().unwrap_or(path);
        match self.in_module(file, path, first, &of.name, NameUsage::Type)? {
            Imported::Definitions(definitions) => Ok(Some(certain(definitions, Certainty::Import))),
            Imported::FromOutside => Ok(None),
            Imported::No => {
                let last = path.rsplit(['.', ':', '\\']).next().unwrap_or(path);
                let inside = self.candidates(file, &of.name, NameUsage::Type)?;
                let (inner, others): (Vec<Definition>, Vec<Definition>) = inside
                    .into_iter()
                    .partition(|definition| definition.symbol().container.as_deref() == Some(last));
                Ok(by_name(if inner.is_empty() { others } else { inner }))
            }
        }
    }

    /// Resolves a name without a qualifier.
    pub(super) fn plain(
        &self,
        file: &Rc<File>,
        name: &str,
        within: Option<u32>,
        usage: NameUsage,
    ) -> Result<Option<Resolution>, IndexError> {
        let rules = binding(&file.language);
        let candidates = self.candidates(file, name, usage)?;
        let here: Vec<Definition> = candidates
            .iter()
            .filter(|definition| {
                definition.file.id == file.id && sees(file, within, definition.symbol(), rules)
            })
            .cloned()
            .collect();
        if !here.is_empty() {
            return Ok(Some(certain(innermost(file, within, here), Certainty::SameFile)));
        }
        if rules.implicit_this
            && usage == NameUsage::Call
            && let Some(own) = file.type_around(within)
            && let Some(found) = self.member(file, own, name, within, false)?
        {
            return Ok(Some(found));
        }
        match self.imported(file, name, usage)? {
            Imported::Definitions(definitions) => {
                return Ok(Some(certain(self.declared(definitions, rules)?, Certainty::Import)));
            }
            Imported::FromOutside => return Ok(None),
            Imported::No => {}
        }
        let free =
            |definition: &&Definition| !is_member(definition.symbol()) || rules.implicit_this;
        if rules.folder_is_package {
            let folder = folder_of(&file.path);
            let beside: Vec<Definition> = candidates
                .iter()
                .filter(|definition| {
                    folder_of(&definition.file.path) == folder && !is_member(definition.symbol())
                })
                .cloned()
                .collect();
            if !beside.is_empty() {
                return Ok(Some(certain(beside, Certainty::Import)));
            }
        }
        Ok(by_name(candidates.iter().filter(free).cloned().collect()))
    }

    /// Resolves a name after a path, an object or a type.
    fn qualified(
        &self,
        file: &Rc<File>,
        qualifier: &str,
        reference: &Reference,
        usage: NameUsage,
    ) -> Result<Option<Resolution>, IndexError> {
        let (name, within) = (reference.name.as_str(), reference.within);
        if is_call(qualifier) {
            return self.member_of_result(file, qualifier, reference, usage);
        }
        if OWN.contains(&qualifier) || BASE.contains(&qualifier) {
            let is_base = BASE.contains(&qualifier);
            if let Some(own) = file.type_around(within)
                && let Some(found) = self.member(file, own, name, within, is_base)?
            {
                return Ok(Some(found));
            }
            // Rust's `self::` and `super::` are modules.
            if file.language != "rust" {
                return self.member_by_name(file, name, usage);
            }
        }
        let joints: &[char] = &['.', ':', '\\', '/', '>'];
        let is_path = qualifier != "?" && !qualifier.is_empty();
        let last = qualifier.rsplit(joints).next().unwrap_or(qualifier);
        let first = qualifier.split(joints).next().unwrap_or(qualifier);
        if is_path {
            // A type: its own members, then those of its supertypes.
            if let Some(found) = self.member_of_type(file, last, name, within)? {
                return Ok(Some(found));
            }
            match self.in_module(file, qualifier, first, name, usage)? {
                Imported::Definitions(definitions) => {
                    let rules = binding(&file.language);
                    return Ok(Some(certain(
                        self.declared(definitions, rules)?,
                        Certainty::Import,
                    )));
                }
                Imported::FromOutside => return Ok(None),
                Imported::No => {}
            }
            // A member of a type that is not in the tree: `Vec::new`, or a function that extends it.
            let is_type = last.starts_with(char::is_uppercase);
            let is_extended = |named: &Definition| named.symbol().kind == SymbolKind::Impl;
            let is_outside = self.definitions(last)?.iter().all(is_extended);
            if is_type && usage == NameUsage::Call && is_outside {
                return Ok(by_name(self.members_named(file, last, name)?));
            }
        }
        self.member_by_name(file, name, usage)
    }

    /// Resolves a member of the result of a call.
    fn member_of_result(
        &self,
        file: &Rc<File>,
        call: &str,
        reference: &Reference,
        usage: NameUsage,
    ) -> Result<Option<Resolution>, IndexError> {
        match self.result_of(file, call, reference.within)? {
            Receiver::Types(types) => {
                let found = self.inherited(&types, &reference.name, &mut HashSet::new(), 0)?;
                if !found.is_empty() {
                    return Ok(Some(certain(found, Certainty::Import)));
                }
            }
            Receiver::Outside => return Ok(None),
            Receiver::Unknown => {}
        }
        self.member_by_name(file, &reference.name, usage)
    }

    /// Resolves a member of an object of unknown type.
    fn member_by_name(
        &self,
        file: &Rc<File>,
        name: &str,
        usage: NameUsage,
    ) -> Result<Option<Resolution>, IndexError> {
        // A function outside its type, as in Kotlin, is imported by its own name.
        if let Imported::Definitions(mut imported) = self.imported(file, name, usage)? {
            imported.retain(|definition| is_extension(definition.symbol()));
            if !imported.is_empty() {
                return Ok(Some(certain(imported, Certainty::Import)));
            }
        }
        let candidates = self.candidates(file, name, usage)?;
        let members: Vec<Definition> = candidates
            .iter()
            .filter(|definition| {
                is_member(definition.symbol()) || is_extension(definition.symbol())
            })
            .cloned()
            .collect();
        Ok(by_name(members))
    }

    /// Returns the definitions of a name that a file in this language can refer to.
    pub(super) fn candidates(
        &self,
        file: &File,
        name: &str,
        usage: NameUsage,
    ) -> Result<Vec<Definition>, IndexError> {
        let found = self.definitions(name)?;
        let fits = |definition: &&Definition| {
            may_mean(&file.language, &definition.file.language)
                && fits_usage(definition.symbol().kind, usage)
        };
        Ok(found.iter().filter(fits).cloned().collect())
    }

    /// Resolves a member by the name of its type, as that name is understood in the file.
    fn member_of_type(
        &self,
        file: &Rc<File>,
        of_type: &str,
        name: &str,
        within: Option<u32>,
    ) -> Result<Option<Resolution>, IndexError> {
        if !self.definitions(of_type)?.iter().any(|definition| is_holder(definition.symbol().kind))
        {
            return Ok(None);
        }
        match self.plain(file, of_type, within, NameUsage::Type)? {
            Some(types) if types.certainty.is_certain() => {
                let mut found = self.inherited(&types.definitions, name, &mut HashSet::new(), 0)?;
                if found.is_empty() {
                    // For an alias or a generated type, only the names are left.
                    found = self.members_named(file, of_type, name)?;
                }
                let here = types.certainty == Certainty::SameFile
                    && found.iter().all(|definition| definition.file.id == file.id);
                let certainty = if here { Certainty::SameFile } else { Certainty::Import };
                Ok((!found.is_empty()).then(|| certain(found, certainty)))
            }
            _ => Ok(by_name(self.members_named(file, of_type, name)?)),
        }
    }

    /// Returns members by name and by the name of their container, in any file.
    fn members_named(
        &self,
        file: &File,
        container: &str,
        name: &str,
    ) -> Result<Vec<Definition>, IndexError> {
        let candidates = self.candidates(file, name, NameUsage::Call)?;
        let inside =
            |definition: &Definition| definition.symbol().container.as_deref() == Some(container);
        Ok(candidates.into_iter().filter(inside).collect())
    }

    /// Resolves a member of the enclosing type or of its supertypes.
    fn member(
        &self,
        file: &Rc<File>,
        own: &str,
        name: &str,
        within: Option<u32>,
        only_bases: bool,
    ) -> Result<Option<Resolution>, IndexError> {
        let own_members = self.members_named(file, own, name)?;
        if !only_bases {
            let here: Vec<Definition> = own_members
                .iter()
                .filter(|definition| definition.file.id == file.id)
                .cloned()
                .collect();
            if !here.is_empty() {
                return Ok(Some(certain(here, Certainty::SameFile)));
            }
        }
        // The declarations of the own type, in this file or where its name leads.
        let mut types: Vec<Definition> = Definition::all(file)
            .filter(|definition| {
                definition.symbol().name == own && is_holder(definition.symbol().kind)
            })
            .collect();
        if !types.iter().any(|definition| definition.symbol().kind.is_type())
            && let Some(elsewhere) = self.plain(file, own, within, NameUsage::Type)?
        {
            types.extend(elsewhere.definitions.iter().cloned());
        }
        let mut seen = HashSet::new();
        let found = if only_bases {
            self.of_bases(&types, name, &mut seen, 0)?
        } else {
            self.inherited(&types, name, &mut seen, 0)?
        };
        if !found.is_empty() {
            let here = found.iter().all(|definition| definition.file.id == file.id);
            let certainty = if here { Certainty::SameFile } else { Certainty::Import };
            return Ok(Some(certain(found, certainty)));
        }
        Ok(if only_bases { None } else { by_name(own_members) })
    }

    /// Returns members of types: their own, in any file, otherwise those of the nearest supertypes.
    fn inherited(
        &self,
        types: &[Definition],
        name: &str,
        seen: &mut HashSet<(lore_index::DocumentId, u32)>,
        depth: usize,
    ) -> Result<Vec<Definition>, IndexError> {
        let mut found: Vec<Definition> = Vec::new();
        for of_type in types {
            let own = &of_type.symbol().name;
            for definition in self.members_named(&of_type.file, own, name)? {
                if self.is_of_type(&definition, of_type)? && !found.contains(&definition) {
                    found.push(definition);
                }
            }
        }
        if found.is_empty() && depth < MAX_BASES {
            return self.of_bases(types, name, seen, depth);
        }
        Ok(found)
    }

    /// Returns members of the supertypes of types.
    fn of_bases(
        &self,
        types: &[Definition],
        name: &str,
        seen: &mut HashSet<(lore_index::DocumentId, u32)>,
        depth: usize,
    ) -> Result<Vec<Definition>, IndexError> {
        let mut bases: Vec<Definition> = Vec::new();
        for of_type in types {
            for head in self.heads(of_type)? {
                for of in &head.symbol().conformances {
                    let base = self.resolve_type(&head.file, of, Some(head.symbol))?;
                    for definition in base.iter().flat_map(|base| base.definitions.iter()) {
                        if seen.insert(definition.key()) {
                            bases.push(definition.clone());
                        }
                    }
                }
            }
        }
        if bases.is_empty() {
            return Ok(Vec::new());
        }
        self.inherited(&bases, name, seen, depth + 1)
    }

    /// Returns the declaration of a type and every block that extends it.
    pub(crate) fn heads(&self, of_type: &Definition) -> Result<Vec<Definition>, IndexError> {
        let all = self.definitions(&of_type.symbol().name)?;
        let mut heads = Vec::new();
        for definition in all.iter().filter(|definition| is_holder(definition.symbol().kind)) {
            let is_block = definition.symbol().kind == SymbolKind::Impl;
            if definition == of_type || (is_block && self.is_of_type(definition, of_type)?) {
                heads.push(definition.clone());
            }
        }
        Ok(heads)
    }

    /// Returns true if a member or block that names a type refers to this one: both are in the same
    /// file, no other type has the name, or its file imports the name from there.
    fn is_of_type(
        &self,
        definition: &Definition,
        of_type: &Definition,
    ) -> Result<bool, IndexError> {
        if definition.file.id == of_type.file.id {
            return Ok(true);
        }
        let name = &of_type.symbol().name;
        let others = self.definitions(name)?;
        let mut types = others.iter().filter(|other| {
            other.symbol().kind.is_type()
                && may_mean(&definition.file.language, &other.file.language)
        });
        if types.all(|other| other == of_type) {
            return Ok(true);
        }
        // A type in the same file takes precedence.
        if others
            .iter()
            .any(|other| other.file.id == definition.file.id && other.symbol().kind.is_type())
        {
            return Ok(false);
        }
        let meant = self.plain(&definition.file, name, None, NameUsage::Type)?;
        Ok(meant.is_some_and(|meant| {
            meant.certainty.is_certain() && meant.definitions.contains(of_type)
        }))
    }

    /// Adds the other declarations of an item that is declared in one file and defined in another.
    fn declared(
        &self,
        mut definitions: Vec<Definition>,
        rules: Binding,
    ) -> Result<Vec<Definition>, IndexError> {
        let Some(first) = definitions.first().filter(|_| rules.declared_apart).cloned() else {
            return Ok(definitions);
        };
        for other in self.definitions(&first.symbol().name)?.iter() {
            let same = other.symbol().container == first.symbol().container
                && other.symbol().kind == first.symbol().kind
                && other.symbol().visibility != lore_schema::Visibility::Private;
            if same && !definitions.contains(other) {
                definitions.push(other.clone());
            }
        }
        Ok(definitions)
    }
}

fn certain(definitions: Vec<Definition>, certainty: Certainty) -> Resolution {
    Resolution { definitions: definitions.into(), certainty }
}

/// Returns the resolution when only the name is known.
fn by_name(definitions: Vec<Definition>) -> Option<Resolution> {
    let certainty = match definitions.len() {
        0 => return None,
        1 => Certainty::UniqueName,
        count => Certainty::OneOf(count),
    };
    Some(Resolution { definitions: definitions.into(), certainty })
}

/// Keeps, among definitions in one file, those in the innermost definition around the use.
fn innermost(file: &File, within: Option<u32>, definitions: Vec<Definition>) -> Vec<Definition> {
    for outer in file.around(within) {
        let around = file.symbol(outer);
        let inside: Vec<Definition> = definitions
            .iter()
            .filter(|definition| {
                let symbol = definition.symbol();
                definition.symbol != outer && around.encloses(symbol) && !around.kind.is_type()
            })
            .cloned()
            .collect();
        if !inside.is_empty() {
            return inside;
        }
    }
    definitions
}

/// Returns true if an unqualified name can refer to a definition in the same file.
fn sees(file: &File, within: Option<u32>, symbol: &Symbol, rules: Binding) -> bool {
    if !is_member(symbol) {
        return true;
    }
    // A member without its object: inside its type, in languages that allow it.
    rules.implicit_this && symbol.container.as_deref() == file.type_around(within)
}

/// Returns true if a definition is a member of a type.
pub(crate) fn is_member(symbol: &Symbol) -> bool {
    matches!(symbol.kind, SymbolKind::Method | SymbolKind::Field)
}

/// Returns true for a function that is called like a member of its container, but defined outside of it.
fn is_extension(symbol: &Symbol) -> bool {
    symbol.kind == SymbolKind::Function && symbol.container.is_some()
}

/// Returns true if definitions of this kind have members.
fn is_holder(kind: SymbolKind) -> bool {
    kind.is_type() || kind == SymbolKind::Impl || kind == SymbolKind::Module
}

pub(super) fn fits_usage(kind: SymbolKind, usage: NameUsage) -> bool {
    match usage {
        NameUsage::Call => !matches!(kind, SymbolKind::Impl | SymbolKind::Module),
        NameUsage::Type => kind.is_type() || kind == SymbolKind::Module,
    }
}
