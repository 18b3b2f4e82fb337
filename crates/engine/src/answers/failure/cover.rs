//! Who tests what failed: the tests that call it, or call what calls it.

use std::collections::HashSet;

use lore_index::DocumentId;
use lore_schema::{Category, ReferenceKind, Symbol};

use super::sites::Site;
use crate::{
    EngineError,
    graph::{Place, Places, defines},
};

/// Callers whose own callers are asked for.
const MOST_CALLERS: usize = 12;

/// A test of something that failed.
pub(crate) struct Cover {
    /// The test.
    pub(crate) test: Place,
    /// The line where it uses what failed, or what calls it.
    pub(crate) line: u32,
    /// Which place it is about.
    pub(crate) place: usize,
    /// Whether it calls what failed by itself.
    pub(crate) directly: bool,
}

/// The tests of places, those that use them directly first, each once, at most `most`.
pub(crate) fn tests(
    sites: &[&Site],
    places: &Places<'_>,
    most: usize,
) -> Result<Vec<Cover>, EngineError> {
    let mut found: Vec<Cover> = Vec::new();
    let mut seen: HashSet<(DocumentId, u32)> = HashSet::new();
    let mut callers: Vec<(usize, Place)> = Vec::new();
    for (at, site) in sites.iter().enumerate() {
        let Some(target) = place_of(site, places)? else { continue };
        if is_test(&target) {
            seen.insert(target.key());
            continue;
        }
        for caller in using(&target, places)? {
            if is_test(&caller.0) {
                if seen.insert(caller.0.key()) {
                    found.push(Cover { test: caller.0, line: caller.1, place: at, directly: true });
                }
            } else {
                callers.push((at, caller.0));
            }
        }
    }
    if found.is_empty() {
        for (at, caller) in callers.into_iter().take(MOST_CALLERS) {
            for (test, line) in using(&caller, places)?.into_iter().filter(|one| is_test(&one.0)) {
                if seen.insert(test.key()) {
                    found.push(Cover { test, line, place: at, directly: false });
                }
            }
        }
    }
    found.truncate(most);
    Ok(found)
}

/// A site as a place of the graph.
fn place_of(site: &Site, places: &Places<'_>) -> Result<Option<Place>, EngineError> {
    let Some(symbol) = site.symbol.as_ref().filter(|_| defines(site.document.source)) else {
        return Ok(None);
    };
    let file = places.file(site.document)?;
    let is_it =
        |own: &Symbol| (own.line, &own.name, own.kind) == (symbol.line, &symbol.name, symbol.kind);
    Ok(Place::all(&file).find(|place| is_it(place.symbol())))
}

/// The definitions that use one, with the line where they do. A guess among many definitions of a
/// name is none.
fn using(target: &Place, places: &Places<'_>) -> Result<Vec<(Place, u32)>, EngineError> {
    let kinds = [ReferenceKind::Call];
    let links = places.users(std::slice::from_ref(target), &kinds)?;
    let sure = links.into_iter().filter(|link| link.certainty.candidates() == 1);
    Ok(sure.filter_map(|link| Some((link.from.place()?, link.line))).collect())
}

/// Whether a definition is a test: by its file, by its module, or by its name.
pub(crate) fn is_test(place: &Place) -> bool {
    let symbol = place.symbol();
    let is_module = |name: &str| matches!(name, "test" | "tests");
    place.file.category == Category::Test
        || symbol.container.as_deref().is_some_and(is_module)
        || place
            .file
            .around(Some(place.symbol))
            .any(|outer| is_module(&place.file.symbol(outer).name))
        || symbol.name.starts_with("test_")
}
