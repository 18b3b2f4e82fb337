//! Edges of calls, type uses and implementations, one step at a time.

use std::{collections::HashSet, rc::Rc};

use lore_index::{DocumentId, IndexError};
use lore_schema::{Field, Reference, ReferenceKind, SymbolKind};

use super::{
    code_graph::{CodeGraph, Definition, File, Resolution, folder_of},
    edge::{End, Link},
    languages::{binding, may_mean},
    structural,
};
use crate::{
    Certainty, EdgeKind,
    query::{import_term, reference_term},
};

impl CodeGraph<'_> {
    /// Returns the references of some kinds to the given definitions.
    pub(crate) fn users(
        &self,
        targets: &[Definition],
        kinds: &[ReferenceKind],
    ) -> Result<Vec<Link>, IndexError> {
        let mut links = Vec::new();
        let keys: HashSet<(DocumentId, u32)> = targets.iter().map(Definition::key).collect();
        let mut looked_up = HashSet::new();
        for target in targets {
            let name = target.symbol().name.as_str();
            if !looked_up.insert(name) {
                continue;
            }
            for file in self.files_that_name(name, kinds)? {
                let aliases = aliases(&file, name);
                for reference in &file.outline.references {
                    let is_named = reference.name == name
                        || (reference.qualifier.is_none() && aliases.contains(&&*reference.name));
                    if is_named && kinds.contains(&reference.kind) {
                        self.link(&file, reference, &keys, &mut links)?;
                    }
                }
            }
        }
        Ok(links)
    }

    /// Returns the files that use a name or import it, possibly under an alias.
    pub(super) fn files_that_name(
        &self,
        name: &str,
        kinds: &[ReferenceKind],
    ) -> Result<Vec<Rc<File>>, IndexError> {
        let mut files: Vec<Rc<File>> = Vec::new();
        let terms = kinds.iter().map(|kind| reference_term(*kind, name)).chain([import_term(name)]);
        for term in terms {
            files.extend(self.files_with(Field::References, &term)?);
        }
        files.sort_by(|left, right| left.path.cmp(&right.path).then(left.id.cmp(&right.id)));
        files.dedup_by_key(|file| file.id);
        Ok(files)
    }

    /// Adds the edge of a reference if it refers to one of the targets.
    fn link(
        &self,
        file: &Rc<File>,
        reference: &Reference,
        targets: &HashSet<(DocumentId, u32)>,
        links: &mut Vec<Link>,
    ) -> Result<(), IndexError> {
        let Some(meant) = self.resolve(file, reference)? else { return Ok(()) };
        let is_meant = |definition: &&Definition| targets.contains(&definition.key());
        let Some(target) = meant.definitions.iter().find(is_meant) else { return Ok(()) };
        let is_one_asked = meant.definitions.iter().all(|definition| is_meant(&definition));
        links.push(Link {
            from: End { file: Rc::clone(file), symbol: reference.within },
            to: target.clone().into(),
            kind: EdgeKind::from(reference.kind),
            certainty: meant.certainty,
            line: reference.line,
            outside: None,
            is_one_asked,
        });
        Ok(())
    }

    /// Returns the references of some kinds inside a definition, and the number of names that are
    /// not defined in the tree.
    pub(crate) fn used_by(
        &self,
        definition: &Definition,
        kinds: &[ReferenceKind],
    ) -> Result<(Vec<Link>, usize), IndexError> {
        let own = definition.symbol();
        let inside = |reference: &&Reference| {
            kinds.contains(&reference.kind)
                && reference.within.is_some_and(|within| {
                    let symbol = definition.file.symbol(within);
                    within >= definition.symbol && own.encloses(symbol)
                })
        };
        let mut links = Vec::new();
        let mut outside = 0;
        for reference in definition.file.outline.references.iter().filter(inside) {
            let Some(meant) = self.resolve(&definition.file, reference)? else {
                outside += 1;
                continue;
            };
            for target in meant.definitions.iter() {
                if target.symbol().kind == SymbolKind::Impl {
                    continue;
                }
                links.push(Link {
                    from: definition.clone().into(),
                    to: target.clone().into(),
                    kind: EdgeKind::from(reference.kind),
                    certainty: meant.certainty,
                    line: reference.line,
                    outside: None,
                    is_one_asked: false,
                });
            }
        }
        Ok((links, outside))
    }

    /// Returns the types that implement, extend or derive types of a name. With `outside`, a type
    /// of that name may be outside the tree.
    pub(crate) fn implementers(
        &self,
        name: &str,
        targets: &[Definition],
        outside: bool,
    ) -> Result<Vec<Link>, IndexError> {
        let mut links = Vec::new();
        let outside = outside.then_some(name);
        for file in self.files_with(Field::Conformance, name)? {
            for definition in Definition::all(&file) {
                let symbol = definition.symbol();
                let Some(of) = symbol.conformances.iter().find(|of| of.name == name) else {
                    continue;
                };
                let (kind, line) = (EdgeKind::from(of.kind), symbol.line);
                let meant = self.resolve_type(&file, of, Some(definition.symbol))?;
                let from = End::from(definition);
                links.extend(implementer(from, (kind, line), meant, targets, outside));
            }
        }
        links.extend(self.anonymous_implementers(name, targets, outside)?);
        for target in targets {
            if binding(&target.file.language).structural
                && target.symbol().kind == SymbolKind::Interface
            {
                for link in structural::implementers(self, target)? {
                    // A type that embeds the interface has an edge of its own.
                    let key = (link.from.key(), link.to.key());
                    if links.iter().all(|other| (other.from.key(), other.to.key()) != key) {
                        links.push(link);
                    }
                }
            }
        }
        Ok(links)
    }

    /// Returns the anonymous classes and lambdas that implement types of a name: each is an edge of the
    /// definition around it.
    fn anonymous_implementers(
        &self,
        name: &str,
        targets: &[Definition],
        outside: Option<&str>,
    ) -> Result<Vec<Link>, IndexError> {
        let kind = ReferenceKind::Implementation;
        let mut links = Vec::new();
        for file in self.files_with(Field::References, &reference_term(kind, name))? {
            let named = |used: &&Reference| used.kind == kind && used.name == name;
            for reference in file.outline.references.iter().filter(named) {
                let from = End { file: Rc::clone(&file), symbol: reference.within };
                let meant = self.resolve(&file, reference)?;
                let line = (EdgeKind::from(kind), reference.line);
                links.extend(implementer(from, line, meant, targets, outside));
            }
        }
        Ok(links)
    }

    /// Returns the types that a type implements, extends or derives: the opposite of
    /// [`CodeGraph::implementers`].
    pub(crate) fn supertypes(&self, of_type: &Definition) -> Result<Vec<Link>, IndexError> {
        let mut links = Vec::new();
        for head in self.heads(of_type)? {
            for of in &head.symbol().conformances {
                let Some(meant) = self.resolve_type(&head.file, of, Some(head.symbol))? else {
                    continue;
                };
                for target in meant.definitions.iter() {
                    links.push(Link {
                        from: head.clone().into(),
                        to: target.clone().into(),
                        kind: EdgeKind::from(of.kind),
                        certainty: meant.certainty,
                        line: head.symbol().line,
                        outside: None,
                        is_one_asked: false,
                    });
                }
            }
        }
        Ok(links)
    }

    /// Returns the members of a type in all files, ordered by path and line.
    pub(crate) fn members(&self, of_type: &Definition) -> Result<Vec<Definition>, IndexError> {
        let name = &of_type.symbol().name;
        let mut members = Vec::new();
        for head in self.heads(of_type)? {
            members.extend(Definition::all(&head.file).filter(|definition| {
                definition.symbol > head.symbol
                    && head.symbol().encloses(definition.symbol())
                    && definition.symbol().container.as_deref() == Some(name)
            }));
        }
        // Members declared outside their type: Go, C++, extension functions.
        let is_structural = binding(&of_type.file.language).structural;
        if is_structural || of_type.file.language == "c++" {
            let folder = folder_of(&of_type.file.path).to_owned();
            let mut files = self.beside(&folder)?;
            // In Go, methods are in the package of their type.
            if !is_structural {
                let defining = self.definitions(name)?;
                let defining = defining.iter().map(|definition| Rc::clone(&definition.file));
                files.splice(0..0, defining);
            }
            for file in files {
                if !may_mean(&of_type.file.language, &file.language) {
                    continue;
                }
                for definition in Definition::all(&file) {
                    let is_member = definition.symbol().container.as_deref() == Some(name);
                    if is_member && !members.contains(&definition) {
                        members.push(definition);
                    }
                }
            }
        }
        Ok(members)
    }
}

/// Returns the edge of an implementer, with its kind and line, to the target that its supertype means;
/// `None` for a different type of the same name. A supertype without a definition in the tree has the
/// name `outside`, or no edge.
fn implementer(
    from: End,
    (kind, line): (EdgeKind, u32),
    meant: Option<Resolution>,
    targets: &[Definition],
    outside: Option<&str>,
) -> Option<Link> {
    let (to, certainty, outside) = match meant {
        Some(meant) => {
            let target = targets.iter().find(|target| meant.definitions.contains(target))?;
            (End::from(target.clone()), meant.certainty, None)
        }
        None => (from.clone(), Certainty::Outside, Some(outside?.to_owned())),
    };
    Some(Link { from, to, kind, certainty, line, outside, is_one_asked: false })
}

/// Returns the aliases under which a file imports a name.
fn aliases<'a>(file: &'a File, name: &str) -> Vec<&'a str> {
    file.outline
        .imports
        .iter()
        .filter(|import| import.name.as_deref() == Some(name))
        .filter_map(|import| import.alias.as_deref())
        .filter(|alias| *alias != name)
        .collect()
}
