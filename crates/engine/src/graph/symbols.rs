//! Finding definitions by name, and listing those of files.

use std::collections::HashSet;

use lore_index::IndexError;
use lore_schema::{Field, Filter, Symbol, SymbolKind};
use lore_text::parts;

use super::places::{Place, Places};
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
    places: &Places<'_>,
    query: &str,
    limit: usize,
) -> Result<Vec<(Place, SymbolMatch)>, IndexError> {
    let (container, name) = split(query);
    let mut found = Found { places: Vec::new(), seen: HashSet::new(), limit };
    let fits = |place: &Place| {
        container.is_none_or(|container| {
            place
                .symbol()
                .container
                .as_deref()
                .is_some_and(|own| own.eq_ignore_ascii_case(container))
        })
    };
    let exact: Vec<Place> =
        places.definitions(name)?.iter().filter(|place| fits(place)).cloned().collect();
    found.add(places, exact, SymbolMatch::Exact)?;
    let folded = folded(name);
    if folded.is_empty() {
        return Ok(found.places);
    }
    let mut same = in_any_case(places, name)?;
    same.retain(fits);
    found.add(places, same, SymbolMatch::Case)?;
    if found.is_full() {
        return Ok(found.places);
    }
    // `hash_` keeps its underscore.
    let lower = name.to_lowercase();
    let terms = places.terms(Field::Symbol, &folded, MOST_NAMES)?;
    let mut prefixed = Vec::new();
    for term in terms {
        if prefixed.len() > limit.saturating_mul(2) {
            break;
        }
        prefixed.extend(with_folded(places, &term, |symbol| {
            symbol.name.to_lowercase().starts_with(&lower) || is_same_parts(&symbol.name, name)
        })?);
    }
    prefixed.sort_by_key(order);
    let prefixed = prefixed.into_iter().filter(|place| fits(place)).collect();
    found.add(places, prefixed, SymbolMatch::Prefix)?;
    // The names of the whole tree are looked through only where nothing begins so.
    if !found.places.is_empty() {
        return Ok(found.places);
    }
    let parts = by_parts(places, name)?;
    found.add(places, parts, SymbolMatch::Parts)?;
    if !found.places.is_empty() {
        return Ok(found.places);
    }
    let near = near(places, &folded)?;
    found.add(places, near, SymbolMatch::Near)?;
    Ok(found.places)
}

/// Definitions of a name that is asked about: `name`, `Type.name`, `path#Type.name` or an identifier
/// of a hit; in other case if there is none so.
pub(crate) fn exact_symbols(places: &Places<'_>, query: &str) -> Result<Vec<Place>, IndexError> {
    let (path, rest) = match query.split_once('#') {
        Some((path, rest)) if path.contains(['/', '.']) => {
            let path = path.strip_prefix("code:").unwrap_or(path);
            (Some(path), rest.split('~').next().unwrap_or(rest))
        }
        _ => (None, query),
    };
    let (container, name) = split(rest);
    let fits = |place: &Place, exactly: bool| {
        let own = place.symbol().container.as_deref();
        path.is_none_or(|path| {
            place
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
    let mut found: Vec<Place> =
        places.definitions(name)?.iter().filter(|place| fits(place, true)).cloned().collect();
    if found.is_empty() {
        found = in_any_case(places, name)?;
        found.retain(|place| fits(place, false));
    }
    // A block that extends a type is no definition of it, unless there is nothing else.
    if found.iter().any(|place| place.symbol().kind != SymbolKind::Impl) {
        found.retain(|place| place.symbol().kind != SymbolKind::Impl);
    }
    Ok(found)
}

/// Symbols of files whose path contains a fragment, by file and line, at most `limit`.
pub(crate) fn file_symbols(
    places: &Places<'_>,
    fragment: &str,
    filter: &Filter,
    limit: usize,
) -> Result<Vec<Place>, IndexError> {
    let mut found = Vec::new();
    let lower = fragment.to_lowercase();
    let exact_case = fragment.chars().any(char::is_uppercase);
    for listed in places.listing(filter)? {
        let contains = if exact_case {
            listed.path.contains(fragment)
        } else {
            listed.path.to_lowercase().contains(&lower)
        };
        if !contains {
            continue;
        }
        let file = places.file(listed.id)?;
        found.extend(Place::all(&file).take(limit - found.len()));
        if found.len() == limit {
            break;
        }
    }
    Ok(found)
}

/// What was found so far, each definition once.
struct Found {
    places: Vec<(Place, SymbolMatch)>,
    seen: HashSet<(lore_index::DocumentId, u32)>,
    limit: usize,
}

impl Found {
    fn is_full(&self) -> bool {
        self.places.len() >= self.limit
    }

    /// Adds definitions: types first, then by category and path; a type brings its members.
    fn add(
        &mut self,
        places: &Places<'_>,
        mut found: Vec<Place>,
        how: SymbolMatch,
    ) -> Result<(), IndexError> {
        if how != SymbolMatch::Near && how != SymbolMatch::Prefix {
            found.sort_by_key(order);
        }
        let mut members = Vec::new();
        for place in found {
            if self.is_full() {
                return Ok(());
            }
            if !self.seen.insert(place.key()) {
                continue;
            }
            let is_whole = matches!(how, SymbolMatch::Exact | SymbolMatch::Case);
            if is_whole && place.symbol().kind.is_type() {
                members.extend(places.members(&place)?);
            }
            self.places.push((place, how));
        }
        for member in members {
            if self.is_full() {
                break;
            }
            if self.seen.insert(member.key()) {
                self.places.push((member, SymbolMatch::Member));
            }
        }
        Ok(())
    }
}

/// Types before functions, own code before tests, shorter names and paths first.
fn order(place: &Place) -> (bool, bool, usize, String, u32) {
    let symbol = place.symbol();
    (
        place.file.category != lore_schema::Category::Own,
        !symbol.kind.is_type(),
        symbol.name.len(),
        place.file.path.clone(),
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
    places: &Places<'_>,
    term: &str,
    keep: impl Fn(&Symbol) -> bool,
) -> Result<Vec<Place>, IndexError> {
    let mut found = Vec::new();
    for file in places.files_with(Field::Symbol, term)? {
        found.extend(Place::all(&file).filter(|place| {
            let symbol = place.symbol();
            definition_term(&symbol.name) == term && keep(symbol)
        }));
    }
    Ok(found)
}

/// The definitions of a name, in whatever letter case they are written.
fn in_any_case(places: &Places<'_>, name: &str) -> Result<Vec<Place>, IndexError> {
    let lower = name.to_lowercase();
    with_folded(places, &definition_term(name), |symbol| symbol.name.to_lowercase() == lower)
}

/// Whether two names have the same parts: `getUser`, `get_user`.
fn is_same_parts(left: &str, right: &str) -> bool {
    folded(left) == folded(right)
}

/// Definitions whose name holds every part of the query, fewest other parts first.
fn by_parts(places: &Places<'_>, name: &str) -> Result<Vec<Place>, IndexError> {
    let wanted = parts(name);
    let Some(longest) = wanted.iter().max_by_key(|part| part.len()) else { return Ok(Vec::new()) };
    let mut names = Vec::new();
    for term in places.terms(Field::Symbol, "", MOST_TERMS)? {
        if term.contains(longest.as_str()) && wanted.iter().all(|part| term.contains(&**part)) {
            names.push(term);
        }
    }
    names.sort_by_key(String::len);
    names.truncate(MOST_NAMES);
    let mut found = Vec::new();
    for term in names {
        found.extend(with_folded(places, &term, |symbol| {
            let own = parts(&symbol.name);
            wanted.iter().all(|part| own.iter().any(|one| one.starts_with(&**part)))
        })?);
    }
    Ok(found)
}

/// Definitions whose name is spelled nearly so, nearest first.
fn near(places: &Places<'_>, folded: &str) -> Result<Vec<Place>, IndexError> {
    let mut near: Vec<(f64, String)> = places
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
        found.extend(with_folded(places, &term, |_| true)?);
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
