//! Messages on standard error when nothing was found.

use lore_console::report;
use lore_engine::{Absence, Engine, SymbolMatch, SymbolResponse};
use lore_render::output;
use lore_schema::Filter;
use lore_settings::filters;

/// Maximum number of similar names in a message.
const NEAREST: usize = 5;

/// Says why there is no hit. A misspelt language or kind is looked up only now, since it costs a look
/// at the whole index.
pub fn tell(engine: &Engine, query: &str, filter: &Filter, absence: Option<&Absence>) {
    let absence = absence.cloned().unwrap_or_default();
    for line in output::absence(query, &absence) {
        report::plain_line(&line);
    }
    for hint in filters::unknown_kinds(&filter.kinds) {
        report::hint_line(&hint);
    }
    if filter.languages.is_empty() {
        return;
    }
    let Ok(status) = engine.status() else { return };
    let mut names: Vec<&str> = status
        .sources
        .values()
        .flat_map(|source| source.languages.keys())
        .map(String::as_str)
        .collect();
    names.sort_unstable();
    names.dedup();
    for hint in filters::unknown_languages(&filter.languages, &names) {
        report::hint_line(&hint);
    }
}

/// Names that are only spelled nearly so are no answer.
pub fn only_near(response: &SymbolResponse) -> Option<Absence> {
    if response.hits.iter().any(|hit| hit.matched != Some(SymbolMatch::Near)) {
        return None;
    }
    let mut nearest: Vec<String> = Vec::new();
    for hit in &response.hits {
        if nearest.len() < NEAREST && !nearest.contains(&hit.name) {
            nearest.push(hit.name.clone());
        }
    }
    let reasons = vec![format!("no definition is named `{}`", response.query)];
    Some(Absence { reasons, nearest, ..Absence::default() })
}
