//! Finding definitions by name, and listing those of files.

use std::collections::HashSet;

use lore_index::IndexError;
use lore_schema::{Field, Filter, Symbol, SymbolKind};
use lore_text::parts;

use super::code_graph::{CodeGraph, Definition};
use crate::{SymbolMatch, query::definition_term};

/// Most dictionary entries that are compared with a name.
const MOST_TERMS: usize = 200_000;

/// Most names of one way to match that are looked up.
const MOST_NAMES: usize = 200;

/// Least similarity of a near name, 0.0..=1.0.
const NEAR: f64 = 0.75;

/// Definitions of a name, best first: exact, in other case, by prefix, by parts, near; each with how
/// it was found. A type is followed by its members. `Type.name` and `Type::name` find members.
pub(crate) fn find_symbols(
    graph: &CodeGraph<'_>,
    query: &str,
    limit: usize,
) -> Result<Vec<(Definition, SymbolMatch)>, IndexError> {
    let (container, name) = split(query);
    let mut found = Found { graph: Vec::new(), seen: HashSet::new(), limit };
    let fits = |definition: &Definition| {
        container.is_none_or(|container| {
            definition
                .symbol()
                .container
                .as_deref()
                .is_some_and(|own| own.eq_ignore_ascii_case(container))
        })
    };
    let exact: Vec<Definition> =
        graph.definitions(name)?.iter().filter(|definition| fits(definition)).cloned().collect();
    found.add(graph, exact, SymbolMatch::Exact)?;
    let folded = folded(name);
    if folded.is_empty() {
        return Ok(found.graph);
    }
    let mut same = in_any_case(graph, name)?;
    same.retain(fits);
    found.add(graph, same, SymbolMatch::Case)?;
    if found.is_full() {
        return Ok(found.graph);
    }
    // `hash_` keeps its underscore.
    let lower = name.to_lowercase();
    let terms = graph.terms(Field::Symbol, &folded, MOST_NAMES)?;
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
    // The names of the whole tree are looked through only where nothing begins so.
    if !found.graph.is_empty() {
        return Ok(found.graph);
    }
    let parts = by_parts(graph, name)?;
    found.add(graph, parts, SymbolMatch::Parts)?;
    if !found.graph.is_empty() {
        return Ok(found.graph);
    }
    let near = near(graph, &folded)?;
    found.add(graph, near, SymbolMatch::Near)?;
    Ok(found.graph)
}

/// Definitions of a name that is asked about: `name`, `Type.name`, `path#Type.name` or an identifier
/// of a hit; in other case if there is none so.
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
    // A block that extends a type is no definition of it, unless there is nothing else.
    if found.iter().any(|definition| definition.symbol().kind != SymbolKind::Impl) {
        found.retain(|definition| definition.symbol().kind != SymbolKind::Impl);
    }
    Ok(found)
}

/// Symbols of files whose path contains a fragment, by file and line, at most `limit`.
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

/// What was found so far, each definition once.
struct Found {
    graph: Vec<(Definition, SymbolMatch)>,
    seen: HashSet<(lore_index::DocumentId, u32)>,
    limit: usize,
}

impl Found {
    fn is_full(&self) -> bool {
        self.graph.len() >= self.limit
    }

    /// Adds definitions: types first, then by category and path; a type brings its members.
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
            self.graph.push((definition, how));
        }
        for member in members {
            if self.is_full() {
                break;
            }
            if self.seen.insert(member.key()) {
                self.graph.push((member, SymbolMatch::Member));
            }
        }
        Ok(())
    }
}

/// Types before functions, own code before tests, shorter names and paths first.
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

/// Container and name of `Type.name`, `Type::name`, `Type#name`.
fn split(query: &str) -> (Option<&str>, &str) {
    let query = query.trim().trim_end_matches("()");
    let Some(at) = query.rfind(['.', ':', '#']).filter(|at| at + 1 < query.len()) else {
        return (None, query);
    };
    let outer = query[..at].trim_end_matches(':');
    let container = outer.rsplit(['.', ':', '#']).next().unwrap_or(outer);
    (Some(container).filter(|name| !name.is_empty()), &query[at + 1..])
}

/// The definitions under a folded name that pass a test.
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

/// The definitions of a name, in whatever letter case they are written.
fn in_any_case(graph: &CodeGraph<'_>, name: &str) -> Result<Vec<Definition>, IndexError> {
    let lower = name.to_lowercase();
    with_folded(graph, &definition_term(name), |symbol| symbol.name.to_lowercase() == lower)
}

/// Whether two names have the same parts: `getUser`, `get_user`.
fn is_same_parts(left: &str, right: &str) -> bool {
    folded(left) == folded(right)
}

/// Definitions whose name holds every part of the query, fewest other parts first.
fn by_parts(graph: &CodeGraph<'_>, name: &str) -> Result<Vec<Definition>, IndexError> {
    let wanted = parts(name);
    let Some(longest) = wanted.iter().max_by_key(|part| part.len()) else { return Ok(Vec::new()) };
    let mut names = Vec::new();
    for term in graph.terms(Field::Symbol, "", MOST_TERMS)? {
        if term.contains(longest.as_str()) && wanted.iter().all(|part| term.contains(&**part)) {
            names.push(term);
        }
    }
    names.sort_by_key(String::len);
    names.truncate(MOST_NAMES);
    let mut found = Vec::new();
    for term in names {
        found.extend(with_folded(graph, &term, |symbol| {
            let own = parts(&symbol.name);
            wanted.iter().all(|part| own.iter().any(|one| one.starts_with(&**part)))
        })?);
    }
    Ok(found)
}

/// Definitions whose name is spelled nearly so, nearest first.
fn near(graph: &CodeGraph<'_>, folded: &str) -> Result<Vec<Definition>, IndexError> {
    let mut near: Vec<(f64, String)> = graph
        .terms(Field::Symbol, "", MOST_TERMS)?
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

/// The folded parts of a name, joined.
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
