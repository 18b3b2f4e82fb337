//! Finds the definitions that a name at a position of a file refers to, and the uses of definitions.

use std::{collections::HashMap, rc::Rc};

use lore_index::{DocumentId, IndexError, Listed};
use lore_schema::{Field, Filter, Reference, ReferenceKind, SymbolKind};

use super::{
    code_graph::{CodeGraph, Definition, File, Resolution},
    edge::Link,
    imported::Imported,
    resolve::NameUsage,
};
use crate::{Certainty, EdgeKind, query::import_term};

/// Maximum number of candidates of a name that is neither called, a type nor imported.
const MAX_GUESSES: usize = 3;

/// Maximum number of lines from the name of a definition to the end of its head.
const MAX_HEAD_LINES: u32 = 12;

/// A name at a position.
pub(crate) struct PlacedName<'a> {
    /// The file.
    pub(crate) file: &'a Rc<File>,
    /// Line, 1-based.
    pub(crate) line: u32,
    /// The name.
    pub(crate) name: &'a str,
    /// Number of earlier occurrences of the name in the line.
    pub(crate) nth: usize,
    /// The expression before the name and a dot or colons, if there is one.
    pub(crate) qualifier: Option<&'a str>,
    /// True if the text around the position binds the name locally. Then only a recorded use or
    /// definition counts.
    pub(crate) is_local: bool,
}

impl CodeGraph<'_> {
    /// Returns the file with this root-relative path.
    pub(crate) fn file_at(&self, path: &str) -> Result<Option<Rc<File>>, IndexError> {
        if let Some(open) = self.open_files().iter().find(|file| file.path == path) {
            return Ok(Some(Rc::clone(open)));
        }
        let id = id_in(&self.listing(&Filter::default())?, path);
        id.map(|id| self.file(id)).transpose()
    }

    /// Returns what a name at a position refers to; `None` if that is not in the tree.
    pub(crate) fn meaning(&self, at: &PlacedName<'_>) -> Result<Option<Resolution>, IndexError> {
        let outline = &at.file.outline;
        let declared = (0..).zip(&outline.symbols).find(|(_, symbol)| {
            symbol.line == at.line && symbol.name == at.name && symbol.kind != SymbolKind::Impl
        });
        if let Some((symbol, _)) = declared
            && at.nth == 0
        {
            let own = Definition { file: Rc::clone(at.file), symbol };
            return Ok(Some(known(vec![own], Certainty::SameFile)));
        }
        let is_here =
            |reference: &&Reference| reference.line == at.line && reference.name == at.name;
        let mut references = outline.references.iter().filter(is_here);
        let count = references.clone().count();
        if let Some(reference) = references.nth(at.nth.min(count.saturating_sub(1))) {
            return self.resolve(at.file, reference);
        }
        if let Some(found) = self.supertype_at(at)? {
            return Ok(Some(found));
        }
        if let Some(found) = self.import_at(at)? {
            return Ok(Some(found));
        }
        if at.is_local { Ok(None) } else { self.unrecorded(at) }
    }

    /// Resolves a name in the head of a definition.
    fn supertype_at(&self, at: &PlacedName<'_>) -> Result<Option<Resolution>, IndexError> {
        for (index, symbol) in (0..).zip(&at.file.outline.symbols) {
            let last = symbol.end_line.min(symbol.line.saturating_add(MAX_HEAD_LINES));
            // The attributes of a definition come before its name.
            if !(symbol.start_line..=last).contains(&at.line) {
                continue;
            }
            if let Some(of) = symbol.conformances.iter().find(|of| of.name == at.name)
                && let Some(found) = self.resolve_type(at.file, of, Some(index))?
            {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// Resolves an imported name, in its import or where it is used in a way that is not recorded.
    fn import_at(&self, at: &PlacedName<'_>) -> Result<Option<Resolution>, IndexError> {
        let imports = at.file.outline.imports.iter().filter(|import| {
            let names = [import.alias.as_deref(), import.name.as_deref()];
            let is_own = names.contains(&Some(at.name));
            // In another line, the name is the imported one only if it is not another's member.
            is_own && (import.line == at.line || at.qualifier.is_none() && !at.is_local)
        });
        for import in imports {
            let Some(local) = import.alias.as_deref().or(import.name.as_deref()) else { continue };
            let found = self.imported_as_any(at.file, local)?;
            if !found.is_empty() {
                return Ok(Some(known(found, Certainty::Import)));
            }
        }
        Ok(None)
    }

    /// Returns what an imported name of a file refers to, in any use.
    fn imported_as_any(&self, file: &Rc<File>, name: &str) -> Result<Vec<Definition>, IndexError> {
        // A call may also mean a type. Only a module needs the second look, which lists all files.
        for usage in [NameUsage::Call, NameUsage::Type] {
            if let Imported::Definitions(found) = self.imported(file, name, usage)? {
                return Ok(found);
            }
        }
        Ok(Vec::new())
    }

    /// Resolves a name that is neither called nor a type: a constant, a field, a function that is
    /// passed on.
    fn unrecorded(&self, at: &PlacedName<'_>) -> Result<Option<Resolution>, IndexError> {
        for kind in [ReferenceKind::Call, ReferenceKind::Type] {
            let reference = Reference {
                kind,
                name: at.name.to_owned(),
                qualifier: at.qualifier.map(str::to_owned),
                line: at.line,
                within: innermost(at.file, at.line),
            };
            if let Some(found) = self.resolve(at.file, &reference)?
                && found.certainty.candidates() <= MAX_GUESSES
            {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// Returns the uses of definitions: calls, uses as a type, supertypes in heads, and imports.
    pub(crate) fn uses(&self, targets: &[Definition]) -> Result<Vec<Link>, IndexError> {
        let mut links = self.users(targets, ReferenceKind::USES)?;
        let types: Vec<Definition> =
            targets.iter().filter(|target| target.symbol().kind.is_type()).cloned().collect();
        if let Some(first) = types.first() {
            let implementers = self.implementers(&first.symbol().name, &types, false)?;
            // A type that has the methods of an interface does not name it.
            links.extend(implementers.into_iter().filter(|link| link.kind != EdgeKind::Satisfies));
        }
        links.extend(self.importers(targets)?);
        Ok(links)
    }

    /// Returns the imports of definitions by name.
    fn importers(&self, targets: &[Definition]) -> Result<Vec<Link>, IndexError> {
        let mut links = Vec::new();
        let mut by_name: HashMap<&str, Vec<&Definition>> = HashMap::new();
        for target in targets {
            by_name.entry(&target.symbol().name).or_default().push(target);
        }
        let mut by_name: Vec<_> = by_name.into_iter().collect();
        by_name.sort_by_key(|(name, _)| *name);
        for (name, targets) in by_name {
            for file in self.files_with(Field::References, &import_term(name))? {
                for import in &file.outline.imports {
                    if import.name.as_deref() != Some(name) {
                        continue;
                    }
                    let local = import.alias.as_deref().unwrap_or(name);
                    let found = self.imported_as_any(&file, local)?;
                    let Some(target) = targets.iter().find(|target| found.contains(target)) else {
                        continue;
                    };
                    links.push(Link {
                        from: super::edge::End { file: Rc::clone(&file), symbol: None },
                        to: (*target).clone().into(),
                        kind: EdgeKind::Imports,
                        certainty: Certainty::Import,
                        line: import.line,
                        outside: None,
                        is_one_asked: false,
                    });
                }
            }
        }
        Ok(links)
    }

    /// Returns what implements definitions: the types that implement, extend or satisfy a type, and
    /// the methods of the same name in those of a method's type.
    pub(crate) fn implementations_of(
        &self,
        targets: &[Definition],
    ) -> Result<Vec<Definition>, IndexError> {
        let mut found: Vec<Definition> = Vec::new();
        let mut add = |definition: Definition| {
            if !found.contains(&definition) && !targets.contains(&definition) {
                found.push(definition);
            }
        };
        for target in targets {
            let symbol = target.symbol();
            if symbol.kind.is_type() {
                let own = std::slice::from_ref(target);
                for link in self.implementers(&symbol.name, own, false)? {
                    link.from.definition().into_iter().for_each(&mut add);
                }
                continue;
            }
            let Some(container) = container(target) else { continue };
            let own = std::slice::from_ref(&container);
            for link in self.implementers(&container.symbol().name, own, false)? {
                let Some(implementer) = link.from.definition() else { continue };
                let members = self.members_of_head(&implementer)?;
                members
                    .into_iter()
                    .filter(|member| member.symbol().name == symbol.name)
                    .for_each(&mut add);
            }
        }
        Ok(found)
    }

    /// Returns the members of a block that extends a type, or of a type.
    fn members_of_head(&self, head: &Definition) -> Result<Vec<Definition>, IndexError> {
        if head.symbol().kind != SymbolKind::Impl {
            return self.members(head);
        }
        let inside = |member: &Definition| {
            member.symbol > head.symbol && head.symbol().encloses(member.symbol())
        };
        Ok(Definition::all(&head.file).filter(inside).collect())
    }
}

/// Returns the document of a root-relative path in a listing.
pub(crate) fn id_in(listing: &[Listed<'_>], path: &str) -> Option<DocumentId> {
    let first = listing.partition_point(|listed| listed.path < path);
    listing.get(first).filter(|listed| listed.path == path).map(|listed| listed.id)
}

/// Returns the innermost definition around a line.
pub(crate) fn innermost(file: &File, line: u32) -> Option<u32> {
    (0..)
        .zip(&file.outline.symbols)
        .filter(|(_, symbol)| (symbol.start_line..=symbol.end_line).contains(&line))
        .min_by_key(|(index, symbol)| {
            (symbol.end_line - symbol.start_line, std::cmp::Reverse(*index))
        })
        .map(|(index, _)| index)
}

/// Returns the type around a method in its file.
fn container(member: &Definition) -> Option<Definition> {
    member
        .file
        .around(Some(member.symbol))
        .filter(|index| *index != member.symbol)
        .find(|index| member.file.symbol(*index).kind.is_type())
        .map(|symbol| Definition { file: Rc::clone(&member.file), symbol })
}

fn known(definitions: Vec<Definition>, certainty: Certainty) -> Resolution {
    Resolution { definitions: definitions.into(), certainty }
}
