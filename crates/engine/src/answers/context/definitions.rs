//! The definitions that a task is about, and what is told of them.

use std::collections::HashMap;

use lore_index::{DocumentId, IndexError};
use lore_schema::{Category, SymbolKind};

use super::{
    policy::Policy,
    section::{ContextItem, Detail},
    words::TaskWords,
};
use crate::{
    Hit,
    graph::{CodeGraph, Definition, documentation, exact_symbols},
    response::id::symbol_id,
};

/// Most definitions of one file beside the one that was found.
const MAX_OF_FILE: usize = 6;

/// Share of a hit's score that another definition of its file gets that holds all words of the task.
const BESIDE: f32 = 0.8;

/// Score of what the task names, above every hit.
const NAMED: f32 = 3.0;

/// What is documented comes before mocks and aliases of the same name; less than what a name gets that
/// only one definition has.
const DOCUMENTED: f32 = 0.4;

/// Least score of what a file holds that the task is said to be about, above every hit.
const TYPED: f32 = 1.0;

/// What an error has to do with a bug: share of a hit's score.
const ERROR: f32 = 0.2;

/// Share of the best hit's score that another hit needs for its definitions to be told.
const NEAR_THE_BEST: f32 = 0.35;

/// The same where the broad picture is asked for.
const BROADLY: f32 = 0.2;

/// Names of errors.
const ERRORS: &[&str] = &["error", "errors", "exception", "failed", "failure", "panic"];

/// Longest body that is told, in lines.
const LONGEST_BODY: u32 = 60;

/// Most members that the outline of a type lists.
const MAX_MEMBERS: usize = 40;

/// Where definitions are looked for.
pub(super) struct Sought<'a> {
    /// The code that was found, best first.
    pub(super) hits: &'a [Hit],
    /// Files with the file of tests among the hits that belongs to them.
    pub(super) under_test: &'a [(&'a str, &'a str)],
    /// Paths of files that the task is said to be about.
    pub(super) files: &'a [String],
    /// The documents of paths.
    pub(super) documents: &'a HashMap<String, DocumentId>,
    /// The words of the task.
    pub(super) words: &'a TaskWords,
    /// What is put together.
    pub(super) policy: &'a Policy,
}

/// The definitions that a task is about, those of preferred kinds first, each part best first; and
/// how many more there are.
pub(super) fn pick(
    graph: &CodeGraph<'_>,
    sought: &Sought<'_>,
) -> Result<(Vec<Definition>, usize), IndexError> {
    let mut scored: Vec<(f32, Definition)> = Vec::new();
    for name in sought.words.names() {
        let exact = exact_symbols(graph, name)?;
        let share = 1.0 / exact.len().max(1) as f32;
        for definition in exact {
            let is_documented =
                documentation(graph, &definition)?.is_some_and(|doc| !doc.is_empty());
            let more = if is_documented { DOCUMENTED } else { 0.0 };
            scored.push((NAMED + share + more, definition));
        }
    }
    for path in sought.files {
        let Some(id) = sought.documents.get(path) else { continue };
        let file = graph.file(*id)?;
        let found = Definition::all(&file).filter(is_told);
        scored.extend(
            found.map(|definition| (TYPED + overlap(&definition, sought.words), definition)),
        );
    }
    let share = if is_broad(sought.policy) { BROADLY } else { NEAR_THE_BEST };
    let least = share * sought.hits.iter().map(|hit| hit.score).fold(0.0, f32::max);
    for hit in sought.hits.iter().filter(|hit| hit.score >= least) {
        let path = hit.path.as_deref().unwrap_or_default();
        let tested = sought.under_test.iter().filter(|(_, test)| *test == path);
        for id in tested.filter_map(|(module, _)| sought.documents.get(*module)) {
            let file = graph.file(*id)?;
            let found = Definition::all(&file).filter(is_told);
            let mut beside: Vec<(f32, Definition)> = found
                .map(|definition| {
                    (hit.score * BESIDE * overlap(&definition, sought.words), definition)
                })
                .filter(|(score, _)| *score > 0.0)
                .collect();
            beside.sort_by(|left, right| right.0.total_cmp(&left.0));
            beside.truncate(MAX_OF_FILE);
            scored.extend(beside);
        }
        let Some(id) = sought.documents.get(path) else { continue };
        let file = graph.file(*id)?;
        let mut beside: Vec<(f32, Definition)> = Vec::new();
        for definition in Definition::all(&file) {
            if symbol_id(&format!("{}:{path}", id.source), definition.symbol()) == hit.id {
                if is_told(&definition) {
                    scored.push((hit.score, definition));
                }
                continue;
            }
            let mut share = BESIDE * overlap(&definition, sought.words);
            if sought.policy.intent == "debug" && is_error(&definition) {
                share = share.max(ERROR);
            }
            if share > 0.0 && is_told(&definition) {
                beside.push((hit.score * share, definition));
            }
        }
        beside.sort_by(|left, right| right.0.total_cmp(&left.0));
        beside.truncate(MAX_OF_FILE);
        scored.extend(beside);
    }
    scored.sort_by(|left, right| {
        right.0.total_cmp(&left.0).then_with(|| {
            let key = |definition: &Definition| (definition.file.path.clone(), definition.symbol);
            key(&left.1).cmp(&key(&right.1))
        })
    });
    let mut picked: Vec<Definition> = Vec::new();
    for (_, definition) in scored {
        if !picked.contains(&definition) {
            picked.push(definition);
        }
    }
    let beyond = picked.len().saturating_sub(sought.policy.max_symbols);
    picked.truncate(sought.policy.max_symbols);
    let preferred = &sought.policy.prefer_kinds;
    picked.sort_by_key(|definition| {
        !preferred.is_empty() && !preferred.iter().any(|kind| kind == policy_kind(definition))
    });
    Ok((picked, beyond))
}

/// Whether an intent wants to see more than what is about the task most.
fn is_broad(policy: &Policy) -> bool {
    policy.intent == "search"
}

/// What policies call the kind of a definition.
fn policy_kind(definition: &Definition) -> &'static str {
    match definition.symbol().kind {
        SymbolKind::Class | SymbolKind::Struct | SymbolKind::Interface => "class",
        SymbolKind::Enum | SymbolKind::Type | SymbolKind::Impl | SymbolKind::Module => "type",
        SymbolKind::Function | SymbolKind::Macro => "function",
        SymbolKind::Method => "method",
        SymbolKind::Const => "const",
        SymbolKind::Field | SymbolKind::Variable => "var",
    }
}

/// Whether a definition says something by itself. Tests have a section of their own.
fn is_told(definition: &Definition) -> bool {
    !matches!(definition.symbol().kind, SymbolKind::Field | SymbolKind::Impl | SymbolKind::Module)
        && !is_test(definition)
}

/// Whether a definition is a test or belongs to tests.
pub(super) fn is_test(definition: &Definition) -> bool {
    let file = &definition.file;
    file.category == Category::Test
        || file.around(Some(definition.symbol)).map(|index| file.symbol(index)).any(|symbol| {
            symbol.kind == SymbolKind::Module && matches!(symbol.name.as_str(), "test" | "tests")
        })
}

/// Share of the task's words that stand in the name of a definition or of what holds it.
fn overlap(definition: &Definition, words: &TaskWords) -> f32 {
    if words.len() == 0 {
        return 0.0;
    }
    let symbol = definition.symbol();
    let own = words.held_by(&symbol.name);
    let outer = words.held_by(symbol.container.as_deref().unwrap_or_default());
    // What only the container holds is held by all of its members alike.
    if !own.contains(&true) {
        return 0.0;
    }
    let held = own.iter().zip(&outer).filter(|(own, outer)| **own || **outer).count();
    held as f32 / words.len() as f32
}

fn is_error(definition: &Definition) -> bool {
    let parts = lore_text::parts(&definition.symbol().name);
    parts.iter().any(|part| ERRORS.contains(&part.as_str()))
}

/// `Container.name`.
pub(super) fn qualified(definition: &Definition) -> String {
    let symbol = definition.symbol();
    match &symbol.container {
        Some(container) => format!("{container}.{}", symbol.name),
        None => symbol.name.clone(),
    }
}

/// A definition as an item without texts.
pub(super) fn item(definition: &Definition) -> ContextItem {
    let symbol = definition.symbol();
    ContextItem {
        id: symbol_id(&format!("{}:{}", definition.file.id.source, definition.file.path), symbol),
        kind: symbol.kind.as_str().to_owned(),
        name: qualified(definition),
        path: Some(definition.file.path.clone()),
        start_line: Some(symbol.start_line),
        end_line: Some(symbol.end_line.max(symbol.line)),
        ..ContextItem::default()
    }
}

/// The declaration of a definition as a text.
pub(super) fn declaration(definition: &Definition) -> Detail {
    Detail::code("", definition.symbol().signature.clone(), Some(&definition.file.language))
}

/// What is told of a definition at a level: at 1 nothing more, at 2 its signature and the first line
/// of its documentation, at 3 its body where it is short, with its documentation. `text` is that of its
/// file; `holds_others` tells that definitions inside of it are told as well.
pub(super) fn details(
    graph: &CodeGraph<'_>,
    definition: &Definition,
    level: u8,
    text: Option<&str>,
    holds_others: bool,
) -> Result<Vec<Detail>, IndexError> {
    if level < 2 {
        return Ok(Vec::new());
    }
    let symbol = definition.symbol();
    let language = Some(definition.file.language.as_str());
    let doc = documentation(graph, definition)?.unwrap_or_default();
    let short = Detail::code(first_sentence(&doc), symbol.signature.clone(), language);
    if level < 3 {
        return Ok([short].into_iter().filter(|detail| !detail.is_empty()).collect());
    }
    let mut details = Vec::new();
    let last = symbol.end_line.max(symbol.line);
    if last - symbol.start_line < LONGEST_BODY
        && !holds_others
        && let Some(body) = text.map(|text| lines(text, symbol.start_line, last))
        && !body.is_empty()
    {
        details.push(Detail::code("", body, language));
    }
    if symbol.kind.is_type() {
        let members = graph.members(definition)?;
        let signatures: Vec<&str> = members
            .iter()
            .filter(|member| !is_test(member) && !member.symbol().signature.is_empty())
            .map(|member| member.symbol().signature.as_str())
            .take(MAX_MEMBERS)
            .collect();
        if !signatures.is_empty() {
            let mut code = symbol.signature.clone();
            for signature in signatures {
                code.push_str("\n    ");
                code.push_str(signature);
            }
            details.push(Detail::code(doc.trim(), code, language));
        }
    }
    details.push(Detail::code(doc.trim(), symbol.signature.clone(), language));
    details.push(short);
    details.retain(|detail| !detail.is_empty());
    details.dedup();
    Ok(details)
}

/// Most characters of the first sentence of a documentation.
const SENTENCE: usize = 160;

/// The first sentence of a documentation on one line, cut where it is long.
fn first_sentence(doc: &str) -> String {
    let paragraph: Vec<&str> = doc
        .lines()
        .map(str::trim)
        .skip_while(|line| line.is_empty())
        .take_while(|line| !line.is_empty())
        .collect();
    let text = paragraph.join(" ");
    let end = text.match_indices(". ").map(|(at, _)| at + 1).find(|at| {
        // `e.g.` and `v. 2` end no sentence.
        text[at + 1..].starts_with(|next: char| next.is_uppercase()) && *at > 5
    });
    let sentence = &text[..end.unwrap_or(text.len())];
    match sentence.char_indices().nth(SENTENCE) {
        None => sentence.to_owned(),
        Some((at, _)) => {
            let kept = sentence[..at].rsplit_once(' ').map_or(&sentence[..at], |(kept, _)| kept);
            format!("{kept} …")
        }
    }
}

/// Lines of a text, 1-based, both included.
pub(super) fn lines(text: &str, first: u32, last: u32) -> String {
    let skipped = first.saturating_sub(1) as usize;
    let count = (last + 1).saturating_sub(first) as usize;
    let lines: Vec<&str> = text.lines().skip(skipped).take(count).collect();
    lines.join("\n").trim_end().to_owned()
}

/// Which of several definitions lie inside of another one of them.
pub(super) fn holds_others(definition: &Definition, others: &[Definition]) -> bool {
    others.iter().any(|other| {
        other != definition
            && other.file.id == definition.file.id
            && definition.symbol().encloses(other.symbol())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_sentence_is_told() {
        for (doc, sentence) in [
            ("Saves it.\n\nMore.", "Saves it."),
            ("\n  Saves what\n  was typed. Then it\n  ends.", "Saves what was typed."),
            ("Reads texts, e.g. of files", "Reads texts, e.g. of files"),
            ("", ""),
        ] {
            assert_eq!(first_sentence(doc), sentence);
        }
        let long = first_sentence(&"wörter ".repeat(60));
        assert!(long.ends_with(" …") && long.chars().count() <= SENTENCE + 2, "{long}");
    }

    #[test]
    fn lines_are_counted_from_one() {
        assert_eq!(lines("a\nb\nc\n\n", 2, 4), "b\nc");
        assert_eq!(lines("a\n", 7, 9), "");
        assert_eq!(lines("a\nb", 1, u32::MAX - 1), "a\nb");
    }
}
