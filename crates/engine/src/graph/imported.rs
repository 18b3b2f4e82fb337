//! What imports bring: names out of modules, through as many modules as hand them on.

use std::{collections::HashSet, rc::Rc};

use lore_index::IndexError;
use lore_schema::Import;

use super::{
    code_graph::{CodeGraph, Definition, File},
    languages::may_mean,
    modules,
    resolve::{Sought, is_member, is_sought},
};

/// How many files a name is followed through that one takes from another.
const MOST_REEXPORTS: usize = 5;

/// First words of the modules of standard libraries.
const STANDARD: &[&str] = &[
    "System",
    "alloc",
    "collections",
    "core",
    "importlib",
    "java",
    "javax",
    "jdk",
    "kotlin",
    "kotlinx",
    "node",
    "os",
    "scala",
    "std",
    "unittest",
    "urllib",
    "xml",
];

/// What imports say of a name.
pub(super) enum Imported {
    /// They do not bring it.
    No,
    /// They bring it from outside of the tree.
    FromOutside,
    /// They bring these.
    CodeGraph(Vec<Definition>),
}

impl CodeGraph<'_> {
    /// What the imports of a file say of a name.
    pub(super) fn imported(
        &self,
        file: &Rc<File>,
        name: &str,
        sought: Sought,
    ) -> Result<Imported, IndexError> {
        let mut outside = false;
        for import in &file.outline.imports {
            let as_name = import.alias.as_deref().or(import.name.as_deref());
            if as_name != Some(name) || import.name.is_none() {
                continue;
            }
            let graph = self.of_import(file, import, name, sought, 0)?;
            if !graph.is_empty() {
                return Ok(Imported::CodeGraph(graph));
            }
            outside = true;
        }
        if outside {
            return self.of_outside(file, name, sought);
        }
        for import in file.outline.imports.iter().filter(|one| one.name.as_deref() == Some("*")) {
            let graph = self.of_import(file, import, name, sought, 0)?;
            if !graph.is_empty() {
                return Ok(Imported::CodeGraph(graph));
            }
        }
        Ok(Imported::No)
    }

    /// A name whose import leads to no file by the rules: it may lead to one by custom, when the
    /// module is called as the file or its folder is.
    fn of_outside(
        &self,
        file: &Rc<File>,
        name: &str,
        sought: Sought,
    ) -> Result<Imported, IndexError> {
        let import = file
            .outline
            .imports
            .iter()
            .find(|import| import.alias.as_deref().or(import.name.as_deref()) == Some(name));
        let Some(import) = import else { return Ok(Imported::FromOutside) };
        // A single word is a library, and so is what begins as the standard ones do.
        let mut parts = import.module.split(['.', '/', ':', '\\']).filter(|part| !part.is_empty());
        let (first, second) = (parts.next().unwrap_or(""), parts.next());
        if second.is_none() || STANDARD.contains(&first) {
            return Ok(Imported::FromOutside);
        }
        let last = import.module.rsplit(['.', '/', ':', '\\']).next().unwrap_or("");
        let original = import.name.as_deref().unwrap_or(name);
        let graph: Vec<Definition> = self
            .candidates(file, original, sought)?
            .into_iter()
            .filter(|definition| !is_member(definition.symbol()))
            .filter(|definition| {
                definition.file.module.segments.iter().rev().take(2).any(|one| one == last)
            })
            .collect();
        Ok(if graph.len() == 1 { Imported::CodeGraph(graph) } else { Imported::FromOutside })
    }

    /// The definitions that an import brings under a name.
    fn of_import(
        &self,
        file: &Rc<File>,
        import: &Import,
        name: &str,
        sought: Sought,
        depth: usize,
    ) -> Result<Vec<Definition>, IndexError> {
        let original = match import.name.as_deref() {
            Some("*") | None => name,
            Some(original) => original,
        };
        let names = |to: &Definition| {
            let container = to.symbol().container.as_deref();
            modules::names(&file.language, &file.module, &import.module, &to.file.module, container)
        };
        let mut graph: Vec<Definition> = if original == "default" {
            Vec::new()
        } else {
            let in_module = |definition: &Definition| {
                let by_type = definition
                    .symbol()
                    .container
                    .as_deref()
                    .is_some_and(|container| import.module.ends_with(container));
                (!is_member(definition.symbol()) || by_type) && names(definition)
            };
            self.candidates(file, original, sought)?.into_iter().filter(in_module).collect()
        };
        if !graph.is_empty() || depth >= MOST_REEXPORTS {
            return Ok(graph);
        }
        // The module may have it from another one.
        for module in self.module_files(file, &import.module)? {
            if module.id == file.id {
                continue;
            }
            if original == "default" {
                graph.extend(default_exports(&module, name, sought));
            }
            for inner in module.outline.imports.iter().filter(|inner| inner.reexported) {
                let offers = match (inner.alias.as_deref(), inner.name.as_deref()) {
                    (Some(alias), _) => alias == original,
                    (None, Some("*")) => true,
                    (None, Some(inner)) => inner == original,
                    (None, None) => false,
                };
                if offers {
                    graph.extend(self.of_import(&module, inner, original, sought, depth + 1)?);
                }
            }
            if !graph.is_empty() {
                break;
            }
        }
        Ok(graph)
    }

    /// The files that a module, written in a file, names.
    pub(crate) fn module_files(
        &self,
        file: &Rc<File>,
        module: &str,
    ) -> Result<Vec<Rc<File>>, IndexError> {
        let all = self.modules()?;
        let stem = module.trim_end_matches(".js").trim_end_matches(".ts");
        let last = stem.rsplit(['.', '/', ':', '\\']).next().unwrap_or("");
        let own = file.module.segments.last().map_or("", String::as_str);
        let above = file.module.segments.iter().rev().nth(1).map_or("", String::as_str);
        // `..` and `super` name what stands above; everything else ends with a name.
        // A crate's folder may have dashes, or the last word of its name alone.
        let dashed = last.replace('_', "-");
        let word = last.rsplit('_').next().unwrap_or(last);
        let keys = [last, &dashed, word, own, above, ""];
        let mut found = Vec::new();
        let mut seen = HashSet::new();
        for key in keys {
            if !seen.insert(key) {
                continue;
            }
            for (path, id) in all.get(key).into_iter().flatten() {
                if modules::names(&file.language, &file.module, module, path, None) {
                    let target = self.file(*id)?;
                    if may_mean(&file.language, &target.language) {
                        found.push(target);
                    }
                }
            }
            if !found.is_empty() && key == last {
                break;
            }
        }
        Ok(found)
    }

    /// A name inside a module that a qualifier names: `store::save`, `store.Save`.
    pub(super) fn in_module(
        &self,
        file: &Rc<File>,
        qualifier: &str,
        first: &str,
        name: &str,
        sought: Sought,
    ) -> Result<Imported, IndexError> {
        let mut outside = false;
        let rest = qualifier[first.len()..].trim_start_matches([':', '.', '/', '\\']);
        for import in &file.outline.imports {
            let last = import.module.rsplit(['.', '/', ':', '\\']).next().unwrap_or("");
            // The module itself, under its own name or another one; or a module taken out of one.
            let (is_named, module) = match (&import.name, &import.alias) {
                (None, Some(alias)) => (alias == first, import.module.clone()),
                (None, None) => {
                    let whole = import.module == first || last == first;
                    (whole || import.module == qualifier, import.module.clone())
                }
                (Some(item), alias) => {
                    let is_named = alias.as_deref().unwrap_or(item) == first;
                    (is_named, modules::join(&file.language, &import.module, item))
                }
            };
            if !is_named {
                continue;
            }
            let inner = if rest.is_empty() || import.module == qualifier {
                module
            } else {
                modules::join(&file.language, &module, rest)
            };
            let inner = Import { module: inner, name: Some("*".to_owned()), ..Import::default() };
            let graph = self.of_import(file, &inner, name, sought, 0)?;
            if !graph.is_empty() {
                return Ok(Imported::CodeGraph(graph));
            }
            outside = true;
        }
        if file.language == "rust" {
            let inner = Import {
                module: qualifier.to_owned(),
                name: Some("*".into()),
                ..Import::default()
            };
            let graph = self.of_import(file, &inner, name, sought, 0)?;
            if !graph.is_empty() {
                return Ok(Imported::CodeGraph(graph));
            }
            // `mod inner { … }` of the same file.
            let here: Vec<Definition> = self
                .candidates(file, name, sought)?
                .into_iter()
                .filter(|definition| {
                    definition.file.id == file.id
                        && definition.symbol().container.as_deref() == qualifier.rsplit("::").next()
                })
                .collect();
            if !here.is_empty() {
                return Ok(Imported::CodeGraph(here));
            }
        }
        Ok(if outside { Imported::FromOutside } else { Imported::No })
    }
}

/// What a file exports as its default: what says so, or what has the name.
fn default_exports(file: &Rc<File>, name: &str, sought: Sought) -> Vec<Definition> {
    Definition::all(file)
        .filter(|definition| {
            let symbol = definition.symbol();
            is_sought(symbol.kind, sought)
                && !is_member(symbol)
                && (symbol.signature.starts_with("export default") || symbol.name == name)
        })
        .collect()
}
