//! Finds tests of failed code: tests that call it, or that call its callers.

use std::collections::HashSet;

use lore_index::DocumentId;
use lore_schema::{Category, ReferenceKind, Symbol};

use crate::{
    EngineError,
    graph::{CodeGraph, Definition, defines},
    search::sites::Site,
};

/// Maximum number of callers whose own callers are looked up.
const MAX_CALLERS: usize = 12;

/// A test of failed code.
pub(crate) struct Cover {
    /// The test.
    pub(crate) test: Definition,
    /// The line where the test uses the code, or a caller of it.
    pub(crate) line: u32,
    /// Index of the site.
    pub(crate) site: usize,
    /// True if the test calls the code itself.
    pub(crate) directly: bool,
}

/// Returns the tests of the sites, direct ones first, without duplicates, at most `most`.
pub(crate) fn tests(
    sites: &[&Site],
    graph: &CodeGraph<'_>,
    most: usize,
) -> Result<Vec<Cover>, EngineError> {
    let mut found: Vec<Cover> = Vec::new();
    let mut seen: HashSet<(DocumentId, u32)> = HashSet::new();
    let mut callers: Vec<(usize, Definition)> = Vec::new();
    for (at, site) in sites.iter().enumerate() {
        let Some(target) = definition_of(site, graph)? else { continue };
        if is_test(&target) {
            seen.insert(target.key());
            continue;
        }
        for caller in using(&target, graph)? {
            if is_test(&caller.0) {
                if seen.insert(caller.0.key()) {
                    found.push(Cover { test: caller.0, line: caller.1, site: at, directly: true });
                }
            } else {
                callers.push((at, caller.0));
            }
        }
    }
    if found.is_empty() {
        for (at, caller) in callers.into_iter().take(MAX_CALLERS) {
            for (test, line) in using(&caller, graph)?.into_iter().filter(|(user, _)| is_test(user))
            {
                if seen.insert(test.key()) {
                    found.push(Cover { test, line, site: at, directly: false });
                }
            }
        }
    }
    found.truncate(most);
    Ok(found)
}

/// Returns the definition of a site in the graph.
fn definition_of(site: &Site, graph: &CodeGraph<'_>) -> Result<Option<Definition>, EngineError> {
    let Some(symbol) = site.symbol.as_ref().filter(|_| defines(site.document.source)) else {
        return Ok(None);
    };
    let file = graph.file(site.document)?;
    let is_it =
        |own: &Symbol| (own.line, &own.name, own.kind) == (symbol.line, &symbol.name, symbol.kind);
    Ok(Definition::all(&file).find(|definition| is_it(definition.symbol())))
}

/// Returns the definitions that use a definition, with the line of the use. Guesses among several
/// candidates do not count.
fn using(
    target: &Definition,
    graph: &CodeGraph<'_>,
) -> Result<Vec<(Definition, u32)>, EngineError> {
    let kinds = [ReferenceKind::Call];
    let links = graph.users(std::slice::from_ref(target), &kinds)?;
    let sure = links.into_iter().filter(|link| link.certainty.candidates() == 1);
    Ok(sure.filter_map(|link| Some((link.from.definition()?, link.line))).collect())
}

/// Returns true if a definition is a test, judging by its file, its module or its name.
pub(crate) fn is_test(definition: &Definition) -> bool {
    let symbol = definition.symbol();
    let is_module = |name: &str| matches!(name, "test" | "tests");
    definition.file.category == Category::Test
        || symbol.container.as_deref().is_some_and(is_module)
        || definition
            .file
            .around(Some(definition.symbol))
            .any(|outer| is_module(&definition.file.symbol(outer).name))
        || symbol.name.starts_with("test_")
}
