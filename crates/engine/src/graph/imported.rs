//! Resolution of imports: looks names up in the imported modules, also through re-exports.

use std::{collections::HashSet, rc::Rc};

use lore_index::IndexError;
use lore_schema::Import;

use super::{
    code_graph::{CodeGraph, Definition, File},
    languages::may_mean,
    modules,
    resolve::{NameUsage, fits_usage, is_member},
};

/// Maximum number of re-exports that a name is followed through.
const MAX_REEXPORTS: usize = 5;

/// First words of module names in standard libraries.
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

/// Result of looking a name up in imports.
pub(super) enum Imported {
    /// The imports do not contain the name.
    No,
    /// It is imported from outside the tree.
    FromOutside,
    /// It is imported from these definitions.
    Definitions(Vec<Definition>),
}

impl CodeGraph<'_> {
    /// Looks a name up in the imports of a file.
    pub(super) fn imported(
        &self,
        file: &Rc<File>,
        name: &str,
        usage: NameUsage,
    ) -> Result<Imported, IndexError> {
        let mut outside = false;
        for import in &file.outline.imports {
            let as_name = import.alias.as_deref().or(import.name.as_deref());
            if as_name != Some(name) || import.name.is_none() {
                continue;
            }
            let definitions = self.of_import(file, import, name, usage, 0)?;
            if !definitions.is_empty() {
                return Ok(Imported::Definitions(definitions));
            }
            outside = true;
        }
        if outside {
            return self.of_outside(file, name, usage);
        }
        for import in
            file.outline.imports.iter().filter(|import| import.name.as_deref() == Some("*"))
        {
            let definitions = self.of_import(file, import, name, usage, 0)?;
            if !definitions.is_empty() {
                return Ok(Imported::Definitions(definitions));
            }
        }
        Ok(Imported::No)
    }

    /// Resolves a name whose import leads to no file by the rules of the language. It may lead to
    /// one by convention, if the module is named like the file or its folder.
    fn of_outside(
        &self,
        file: &Rc<File>,
        name: &str,
        usage: NameUsage,
    ) -> Result<Imported, IndexError> {
        let import = file
            .outline
            .imports
            .iter()
            .find(|import| import.alias.as_deref().or(import.name.as_deref()) == Some(name));
        let Some(import) = import else { return Ok(Imported::FromOutside) };
        // A single word is a library, and so is a module that starts like the standard ones.
        let mut parts = import.module.split(['.', '/', ':', '\\']).filter(|part| !part.is_empty());
        let (first, second) = (parts.next().unwrap_or(""), parts.next());
        if second.is_none() || STANDARD.contains(&first) {
            return Ok(Imported::FromOutside);
        }
        let last = import.module.rsplit(['.', '/', ':', '\\']).next().unwrap_or("");
        let original = import.name.as_deref().unwrap_or(name);
        let definitions: Vec<Definition> = self
            .candidates(file, original, usage)?
            .into_iter()
            .filter(|definition| !is_member(definition.symbol()))
            .filter(|definition| {
                definition.file.module.segments.iter().rev().take(2).any(|segment| segment == last)
            })
            .collect();
        Ok(if definitions.len() == 1 {
            Imported::Definitions(definitions)
        } else {
            Imported::FromOutside
        })
    }

    /// Returns the definitions that an import brings in under a name.
    fn of_import(
        &self,
        file: &Rc<File>,
        import: &Import,
        name: &str,
        usage: NameUsage,
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
        let mut definitions: Vec<Definition> = if original == "default" {
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
            self.candidates(file, original, usage)?.into_iter().filter(in_module).collect()
        };
        if !definitions.is_empty() || depth >= MAX_REEXPORTS {
            return Ok(definitions);
        }
        // The module may re-export it.
        for module in self.module_files(file, &import.module)? {
            if module.id == file.id {
                continue;
            }
            if original == "default" {
                definitions.extend(default_exports(&module, name, usage));
            }
            for inner in module.outline.imports.iter().filter(|inner| inner.reexported) {
                let offers = match (inner.alias.as_deref(), inner.name.as_deref()) {
                    (Some(alias), _) => alias == original,
                    (None, Some("*")) => true,
                    (None, Some(inner)) => inner == original,
                    (None, None) => false,
                };
                if offers {
                    definitions.extend(self.of_import(
                        &module,
                        inner,
                        original,
                        usage,
                        depth + 1,
                    )?);
                }
            }
            if !definitions.is_empty() {
                break;
            }
        }
        Ok(definitions)
    }

    /// Returns the files that a module name in a file refers to.
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
        // `..` and `super` name a parent; every other module ends with a name. The folder of a
        // crate may contain dashes, or be named like the last word of the crate.
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

    /// Resolves a name inside a module that a qualifier names: `store::save`, `store.Save`.
    pub(super) fn in_module(
        &self,
        file: &Rc<File>,
        qualifier: &str,
        first: &str,
        name: &str,
        usage: NameUsage,
    ) -> Result<Imported, IndexError> {
        let mut outside = false;
        let rest = qualifier[first.len()..].trim_start_matches([':', '.', '/', '\\']);
        for import in &file.outline.imports {
            // The module itself, under its own name or an alias; or a module imported from another
            // one.
            let (is_named, module) = match (&import.name, &import.alias) {
                (None, Some(alias)) => (alias == first, import.module.clone()),
                (None, None) => {
                    let whole = import.module == first
                        || modules::is_called(&file.language, &import.module, first);
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
            let definitions = self.of_import(file, &inner, name, usage, 0)?;
            if !definitions.is_empty() {
                return Ok(Imported::Definitions(definitions));
            }
            // A value or a type of the tree, whose members the import does not show.
            outside |= !self.is_item(file, import, rest)?;
        }
        if file.language == "rust" {
            let inner = Import {
                module: qualifier.to_owned(),
                name: Some("*".into()),
                ..Import::default()
            };
            let definitions = self.of_import(file, &inner, name, usage, 0)?;
            if !definitions.is_empty() {
                return Ok(Imported::Definitions(definitions));
            }
            // `mod inner { … }` in the same file.
            let here: Vec<Definition> = self
                .candidates(file, name, usage)?
                .into_iter()
                .filter(|definition| {
                    definition.file.id == file.id
                        && definition.symbol().container.as_deref() == qualifier.rsplit("::").next()
                })
                .collect();
            if !here.is_empty() {
                return Ok(Imported::Definitions(here));
            }
        }
        Ok(if outside { Imported::FromOutside } else { Imported::No })
    }

    /// Returns true if a qualifier that starts with an import leads to an item of the tree, not to one
    /// of its modules: `import { store }` in front of `store.save()`, `pkg.Default` in front of
    /// `pkg.Default.Save()`. `rest` is the qualifier without its first name.
    fn is_item(&self, file: &Rc<File>, import: &Import, rest: &str) -> Result<bool, IndexError> {
        let (import, item) = if let Some(item) = &import.name {
            (import.clone(), item.as_str())
        } else {
            let item = rest.split(['.', ':', '/', '\\']).next().unwrap_or(rest);
            if item.is_empty() {
                return Ok(false);
            }
            (Import { name: Some(item.to_owned()), ..import.clone() }, item)
        };
        let found = self.of_import(file, &import, item, NameUsage::Call, 0)?;
        Ok(!found.is_empty())
    }
}

/// Returns the default export of a file: the definition marked as such, or the one with the name.
fn default_exports(file: &Rc<File>, name: &str, usage: NameUsage) -> Vec<Definition> {
    Definition::all(file)
        .filter(|definition| {
            let symbol = definition.symbol();
            fits_usage(symbol.kind, usage)
                && !is_member(symbol)
                && (symbol.signature.starts_with("export default") || symbol.name == name)
        })
        .collect()
}
