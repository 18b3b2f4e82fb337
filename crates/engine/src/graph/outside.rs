//! Uses of a definition of another tree: references in files that import its package.

use std::rc::Rc;

use lore_index::IndexError;
use lore_schema::{Reference, ReferenceKind};

use super::{
    code_graph::{CodeGraph, File},
    edge::{End, Link},
    languages::may_mean,
    packages::Package,
};
use crate::{Certainty, EdgeKind};

/// A definition of another tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Foreign {
    /// Bare name.
    pub(crate) name: String,
    /// The type or module that contains it.
    pub(crate) container: Option<String>,
    /// Language of its file.
    pub(crate) language: String,
}

impl CodeGraph<'_> {
    /// Returns the references of some kinds to a definition of another tree with these packages. A
    /// reference counts if its file imports the name, its container or its module from one of them.
    pub(crate) fn users_of_foreign(
        &self,
        foreign: &Foreign,
        packages: &[Package],
        kinds: &[ReferenceKind],
    ) -> Result<Vec<Link>, IndexError> {
        let mut links = Vec::new();
        for file in self.files_that_name(&foreign.name, kinds)? {
            if !may_mean(&file.language, &foreign.language) {
                continue;
            }
            let imported = Imported::of(&file, foreign, packages);
            for reference in &file.outline.references {
                if kinds.contains(&reference.kind)
                    && imported.means(reference, foreign)
                    && self.resolve(&file, reference)?.is_none()
                {
                    links.push(link(&file, reference, foreign));
                }
            }
        }
        Ok(links)
    }
}

fn link(file: &Rc<File>, reference: &Reference, foreign: &Foreign) -> Link {
    let from = End { file: Rc::clone(file), symbol: reference.within };
    Link {
        to: from.clone(),
        from,
        kind: EdgeKind::from(reference.kind),
        certainty: Certainty::Import,
        line: reference.line,
        outside: Some(foreign.name.clone()),
        is_one_asked: true,
    }
}

/// The names that a file has from the packages of another tree.
struct Imported<'a> {
    /// Local names of the definition.
    names: Vec<&'a str>,
    /// Local names of its container.
    containers: Vec<&'a str>,
    /// Local names of modules.
    modules: Vec<&'a str>,
}

impl<'a> Imported<'a> {
    fn of(file: &'a File, foreign: &'a Foreign, packages: &'a [Package]) -> Imported<'a> {
        let mut imported =
            Imported { names: Vec::new(), containers: Vec::new(), modules: Vec::new() };
        let container = foreign.container.as_deref();
        let roots =
            packages.iter().filter_map(|package| package.name_without_import(&file.language));
        imported.modules.extend(roots);
        for import in &file.outline.imports {
            if !packages.iter().any(|package| package.is_in(&file.language, &import.module)) {
                continue;
            }
            let local = import.alias.as_deref().or(import.name.as_deref());
            match import.name.as_deref() {
                Some("*") => {
                    imported.names.push(&foreign.name);
                    imported.containers.extend(container);
                }
                Some(name) if name == foreign.name => imported.names.extend(local),
                Some(name) if Some(name) == container => imported.containers.extend(local),
                // A module of the package, or a name that stands for one.
                Some(_) => imported.modules.extend(local),
                None => {
                    let last = import.module.rsplit(['.', '/', ':']).next();
                    imported.modules.extend(import.alias.as_deref().or(last));
                }
            }
        }
        imported
    }

    fn means(&self, reference: &Reference, foreign: &Foreign) -> bool {
        let Some(qualifier) = reference.qualifier.as_deref() else {
            return self.names.contains(&&*reference.name);
        };
        if reference.name != foreign.name {
            return false;
        }
        let mut parts = qualifier.split(['.', ':']).filter(|part| !part.is_empty());
        let first = parts.next().unwrap_or(qualifier);
        let last = parts.next_back().unwrap_or(first);
        let is_container = self.containers.contains(&last);
        match &foreign.container {
            Some(container) => is_container || (last == container && self.modules.contains(&first)),
            None => self.modules.contains(&first),
        }
    }
}
