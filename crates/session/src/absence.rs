//! Messages on standard error when nothing was found.

use lore_console::{report, text};
use lore_engine::{Absence, Engine, SymbolMatch, SymbolResponse};
use lore_render::output;
use lore_schema::Filter;
use lore_settings::{filters, terminal::Terminal};

/// Maximum number of similar names in a message.
const NEAREST: usize = 5;

/// Says why there is no hit. A misspelt language or kind is looked up only now, since it costs a look
/// at the whole index.
pub fn tell(engines: &[&Engine], query: &str, filter: &Filter, absence: Option<&Absence>) {
    let absence = absence.cloned().unwrap_or_default();
    let terminal = Terminal::from_process();
    let width = (terminal.messages && terminal.output).then_some(terminal.width);
    for line in output::absence(query, &absence) {
        for part in lines_of(&line, width) {
            report::plain_line(&part);
        }
    }
    for hint in filters::unknown_kinds(&filter.kinds) {
        report::hint_line(&hint);
    }
    if filter.languages.is_empty() {
        return;
    }
    let statuses: Vec<_> = engines.iter().filter_map(|engine| engine.status().ok()).collect();
    let mut names: Vec<&str> = statuses
        .iter()
        .flat_map(|status| status.sources.values())
        .flat_map(|source| source.languages.keys())
        .map(String::as_str)
        .collect();
    names.sort_unstable();
    names.dedup();
    for hint in filters::unknown_languages(&filter.languages, &names) {
        report::hint_line(&hint);
    }
}

/// A line of a message within the columns of a terminal, without a break inside a word.
fn lines_of(line: &str, width: Option<usize>) -> Vec<String> {
    let Some(width) = width else { return vec![line.to_owned()] };
    let (indent, words) = line.split_at(line.len() - line.trim_start().len());
    let parts = text::wrapped(words, width.saturating_sub(indent.len()));
    parts.into_iter().map(|part| format!("{indent}{part}")).collect()
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

#[cfg(test)]
mod tests {
    use super::lines_of;

    #[test]
    fn lines_break_between_words_and_keep_their_indent() {
        assert_eq!(lines_of("  one two three", Some(10)), ["  one two", "  three"]);
        assert_eq!(lines_of("  one two three", None), ["  one two three"]);
    }
}
