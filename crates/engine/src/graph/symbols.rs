//! Finds definitions by name and lists the definitions of files.

use std::collections::HashSet;

use lore_index::IndexError;
use lore_schema::{Field, Filter, Symbol, SymbolKind};
use lore_text::parts;

use super::{
    code_graph::{CodeGraph, Definition, folder_of},
    languages::binding,
};
use crate::{SymbolMatch, query::definition_term};

/// Maximum number of dictionary entries compared with a name.
const MAX_TERMS: usize = 200_000;

/// Maximum number of names looked up for each kind of match.
const MAX_NAMES: usize = 200;

/// Minimum similarity of a near match, 0.0..=1.0.
const NEAR: f64 = 0.75;

/// Returns definitions of a name with the kind of match, best first: exact, other case, prefix,
/// parts, near. A type is followed by its members. `Type.name` and `Type::name` find members.
pub(crate) fn find_symbols(
    graph: &CodeGraph<'_>,
    query: &str,
    limit: usize,
) -> Result<Vec<(Definition, SymbolMatch)>, IndexError> {
    let (container, name) = split(query);
    let mut found = Matches { definitions: Vec::new(), seen: HashSet::new(), limit };
    let fits = |definition: &Definition| {
        container.is_none_or(|container| {
            definition
                .symbol()
                .container
                .as_deref()
                .is_some_and(|own| own.eq_ignore_ascii_case(container))
        })
    };
    let mut exact: Vec<Definition> =
        graph.definitions(name)?.iter().filter(|definition| fits(definition)).cloned().collect();
    if exact.is_empty() {
        exact = in_module(graph, container, name)?;
    }
    found.add(graph, exact, SymbolMatch::Exact)?;
    let folded = folded(name);
    if folded.is_empty() {
        return Ok(found.definitions);
    }
    let mut same = in_any_case(graph, name)?;
    same.retain(fits);
    found.add(graph, same, SymbolMatch::Case)?;
    if found.is_full() {
        return Ok(found.definitions);
    }
    // `hash_` keeps its underscore.
    let lower = name.to_lowercase();
    let terms = graph.terms(Field::Symbol, &folded, MAX_NAMES)?;
    let mut prefixed = Vec::new();
    for term in terms {
        if prefixed.len() > limit.saturating_mul(2) {
            break;
        }
        prefixed.extend(with_folded(graph, &term, |symbol| {
            symbol.name.to_lowercase().starts_with(&lower) || is_same_parts(&symbol.name, name)
        })?);
    }
    prefixed.sort_by_key(order);
    let prefixed = prefixed.into_iter().filter(|definition| fits(definition)).collect();
    found.add(graph, prefixed, SymbolMatch::Prefix)?;
    // All names of the tree are scanned only if no name has the prefix.
    if !found.definitions.is_empty() {
        return Ok(found.definitions);
    }
    let parts = by_parts(graph, name)?;
    found.add(graph, parts, SymbolMatch::Parts)?;
    if !found.definitions.is_empty() {
        return Ok(found.definitions);
    }
    let near = near(graph, &folded)?;
    found.add(graph, near, SymbolMatch::Near)?;
    Ok(found.definitions)
}

/// Returns definitions for `name`, `Type.name`, `path#Type.name` or the id of a hit, in other case
/// if there is no exact match.
pub(crate) fn exact_symbols(
    graph: &CodeGraph<'_>,
    query: &str,
) -> Result<Vec<Definition>, IndexError> {
    let (path, rest) = match query.split_once('#') {
        Some((path, rest)) if path.contains(['/', '.']) => {
            let path = path.strip_prefix("code:").unwrap_or(path);
            (Some(path), rest.split('~').next().unwrap_or(rest))
        }
        _ => (None, query),
    };
    let (container, name) = split(rest);
    let fits = |definition: &Definition, exactly: bool| {
        let own = definition.symbol().container.as_deref();
        path.is_none_or(|path| {
            definition
                .file
                .path
                .strip_suffix(path)
                .is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
        }) && container.is_none_or(|container| match (own, exactly) {
            (Some(own), true) => own == container,
            (Some(own), false) => own.eq_ignore_ascii_case(container),
            (None, _) => false,
        })
    };
    let mut found: Vec<Definition> = graph
        .definitions(name)?
        .iter()
        .filter(|definition| fits(definition, true))
        .cloned()
        .collect();
    if found.is_empty() {
        found = in_any_case(graph, name)?;
        found.retain(|definition| fits(definition, false));
    }
    if found.is_empty() && path.is_none() {
        found = in_module(graph, container, name)?;
    }
    // A block that extends a type counts as its definition only if there is no other.
    if found.iter().any(|definition| definition.symbol().kind != SymbolKind::Impl) {
        found.retain(|definition| definition.symbol().kind != SymbolKind::Impl);
    }
    Ok(found)
}

/// Returns the symbols of files whose path contains a fragment, by file and line, at most `limit`.
pub(crate) fn file_symbols(
    graph: &CodeGraph<'_>,
    fragment: &str,
    filter: &Filter,
    limit: usize,
) -> Result<Vec<Definition>, IndexError> {
    let mut found = Vec::new();
    let lower = fragment.to_lowercase();
    let exact_case = fragment.chars().any(char::is_uppercase);
    for listed in graph.listing(filter)? {
        let contains = if exact_case {
            listed.path.contains(fragment)
        } else {
            listed.path.to_lowercase().contains(&lower)
        };
        if !contains {
            continue;
        }
        let file = graph.file(listed.id)?;
        found.extend(Definition::all(&file).take(limit - found.len()));
        if found.len() == limit {
            break;
        }
    }
    Ok(found)
}

/// The matches found so far, without duplicates.
struct Matches {
    definitions: Vec<(Definition, SymbolMatch)>,
    seen: HashSet<(lore_index::DocumentId, u32)>,
    limit: usize,
}

impl Matches {
    fn is_full(&self) -> bool {
        self.definitions.len() >= self.limit
    }

    /// Adds definitions: types first, then by category and path. A type is followed by its members.
    fn add(
        &mut self,
        graph: &CodeGraph<'_>,
        mut found: Vec<Definition>,
        how: SymbolMatch,
    ) -> Result<(), IndexError> {
        if how != SymbolMatch::Near && how != SymbolMatch::Prefix {
            found.sort_by_key(order);
        }
        let mut members = Vec::new();
        for definition in found {
            if self.is_full() {
                return Ok(());
            }
            if !self.seen.insert(definition.key()) {
                continue;
            }
            let is_whole = matches!(how, SymbolMatch::Exact | SymbolMatch::Case);
            if is_whole && definition.symbol().kind.is_type() {
                members.extend(graph.members(&definition)?);
            }
            self.definitions.push((definition, how));
        }
        for member in members {
            if self.is_full() {
                break;
            }
            if self.seen.insert(member.key()) {
                self.definitions.push((member, SymbolMatch::Member));
            }
        }
        Ok(())
    }
}

/// Sort key: types before functions, own code before tests, shorter names and paths first.
fn order(definition: &Definition) -> (bool, bool, usize, String, u32) {
    let symbol = definition.symbol();
    (
        definition.file.category != lore_schema::Category::Own,
        !symbol.kind.is_type(),
        symbol.name.len(),
        definition.file.path.clone(),
        symbol.line,
    )
}

/// Splits `Type.name`, `Type::name` and `Type#name` into container and name.
fn split(query: &str) -> (Option<&str>, &str) {
    let query = query.trim().trim_end_matches("()");
    let Some(at) = query.rfind(['.', ':', '#']).filter(|at| at + 1 < query.len()) else {
        return (None, query);
    };
    let outer = query[..at].trim_end_matches(':');
    let container = outer.rsplit(['.', ':', '#']).next().unwrap_or(outer);
    (Some(container).filter(|name| !name.is_empty()), &query[at + 1..])
}

/// Returns the definitions of a name in modules or packages of another: `storage.Appender` in Go,
/// `store::open` in Rust. They are no members of a type.
fn in_module(
    graph: &CodeGraph<'_>,
    module: Option<&str>,
    name: &str,
) -> Result<Vec<Definition>, IndexError> {
    let Some(module) = module else { return Ok(Vec::new()) };
    let is_inside = |definition: &&Definition| {
        let file = &definition.file;
        let last = if binding(&file.language).folder_is_package {
            folder_of(&file.path).rsplit('/').next()
        } else {
            file.module.segments.last().map(String::as_str)
        };
        definition.symbol().container.is_none() && last == Some(module)
    };
    Ok(graph.definitions(name)?.iter().filter(is_inside).cloned().collect())
}

/// Returns the definitions with a folded name that pass a test.
fn with_folded(
    graph: &CodeGraph<'_>,
    term: &str,
    keep: impl Fn(&Symbol) -> bool,
) -> Result<Vec<Definition>, IndexError> {
    let mut found = Vec::new();
    for file in graph.files_with(Field::Symbol, term)? {
        found.extend(Definition::all(&file).filter(|definition| {
            let symbol = definition.symbol();
            definition_term(&symbol.name) == term && keep(symbol)
        }));
    }
    Ok(found)
}

/// Returns the definitions of a name in any letter case.
fn in_any_case(graph: &CodeGraph<'_>, name: &str) -> Result<Vec<Definition>, IndexError> {
    let lower = name.to_lowercase();
    with_folded(graph, &definition_term(name), |symbol| symbol.name.to_lowercase() == lower)
}

/// Returns true if two names have the same parts: `getUser`, `get_user`.
fn is_same_parts(left: &str, right: &str) -> bool {
    folded(left) == folded(right)
}

/// Returns definitions whose name contains every part of the query, those with the fewest other
/// parts first.
fn by_parts(graph: &CodeGraph<'_>, name: &str) -> Result<Vec<Definition>, IndexError> {
    let wanted = parts(name);
    let Some(longest) = wanted.iter().max_by_key(|part| part.len()) else { return Ok(Vec::new()) };
    let mut names = Vec::new();
    for term in graph.terms(Field::Symbol, "", MAX_TERMS)? {
        if term.contains(longest.as_str()) && wanted.iter().all(|part| term.contains(&**part)) {
            names.push(term);
        }
    }
    names.sort_by_key(String::len);
    names.truncate(MAX_NAMES);
    let mut found = Vec::new();
    for term in names {
        found.extend(with_folded(graph, &term, |symbol| {
            let own = parts(&symbol.name);
            wanted.iter().all(|part| own.iter().any(|known| known.starts_with(&**part)))
        })?);
    }
    Ok(found)
}

/// Returns definitions with a similar spelling, nearest first.
fn near(graph: &CodeGraph<'_>, folded: &str) -> Result<Vec<Definition>, IndexError> {
    let mut near: Vec<(f64, String)> = graph
        .terms(Field::Symbol, "", MAX_TERMS)?
        .into_iter()
        .filter(|term| term.len().abs_diff(folded.len()) <= folded.len() / 3 + 1)
        .map(|term| (strsim::normalized_damerau_levenshtein(&term, folded), term))
        .filter(|(similarity, _)| *similarity >= NEAR)
        .collect();
    near.sort_by(|left, right| right.0.total_cmp(&left.0).then_with(|| left.1.cmp(&right.1)));
    near.truncate(10);
    let mut found = Vec::new();
    for (_, term) in near {
        found.extend(with_folded(graph, &term, |_| true)?);
    }
    Ok(found)
}

/// Returns the folded parts of a name, joined.
fn folded(name: &str) -> String {
    parts(name).concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn qualified_names_are_split() {
        assert_eq!(split("Disk.save"), (Some("Disk"), "save"));
        assert_eq!(split("store::Disk::save()"), (Some("Disk"), "save"));
        assert_eq!(split("save"), (None, "save"));
        assert_eq!(split(".gitignore"), (None, "gitignore"));
        assert_eq!(split("auth."), (None, "auth."));
    }
}
