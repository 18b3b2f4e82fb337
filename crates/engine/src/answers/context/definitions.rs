//! Selects the definitions that a task is about and renders them.

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

/// Maximum number of further definitions per file beside the hit.
const MAX_OF_FILE: usize = 6;

/// Share of a hit's score for another definition in its file that contains all words of the task.
const BESIDE: f32 = 0.8;

/// Score of a definition that the task names, above every hit.
const NAMED: f32 = 3.0;

/// Bonus for a documented definition, so that it comes before mocks and aliases of the same name.
/// It is less than the bonus for a unique name.
const DOCUMENTED: f32 = 0.4;

/// Minimum score of definitions in a file that the request names, above every hit.
const TYPED: f32 = 1.0;

/// Share of a hit's score for an error type in a debugging task.
const ERROR: f32 = 0.2;

/// Share of the best hit's score that a hit needs for its definitions to be selected.
const NEAR_THE_BEST: f32 = 0.35;

/// The same for intents that need a broad picture.
const BROADLY: f32 = 0.2;

/// Name parts of error types.
const ERRORS: &[&str] = &["error", "errors", "exception", "failed", "failure", "panic"];

/// Maximum length of a shown body, in lines.
const MAX_BODY_LINES: u32 = 60;

/// Maximum number of members in the outline of a type.
const MAX_MEMBERS: usize = 40;

/// Inputs for selecting definitions.
pub(super) struct SelectionInput<'a> {
    /// Hits in code, best first.
    pub(super) hits: &'a [Hit],
    /// Files, each with the matching test file among the hits.
    pub(super) under_test: &'a [(&'a str, &'a str)],
    /// Paths of files that the request names.
    pub(super) files: &'a [String],
    /// Documents by path.
    pub(super) documents: &'a HashMap<String, DocumentId>,
    /// The words of the task.
    pub(super) words: &'a TaskWords,
    /// The policy of the package.
    pub(super) policy: &'a Policy,
}

/// Selects the definitions that a task is about, preferred kinds first, each group best first. Also
/// returns how many more there are.
pub(super) fn pick(
    graph: &CodeGraph<'_>,
    input: &SelectionInput<'_>,
) -> Result<(Vec<Definition>, usize), IndexError> {
    let mut scored: Vec<(f32, Definition)> = Vec::new();
    for name in input.words.names() {
        let exact = exact_symbols(graph, name)?;
        let share = 1.0 / exact.len().max(1) as f32;
        for definition in exact {
            let is_documented =
                documentation(graph, &definition)?.is_some_and(|doc| !doc.is_empty());
            let more = if is_documented { DOCUMENTED } else { 0.0 };
            scored.push((NAMED + share + more, definition));
        }
    }
    for path in input.files {
        let Some(id) = input.documents.get(path) else { continue };
        let file = graph.file(*id)?;
        let found = Definition::all(&file).filter(is_listed);
        scored.extend(
            found.map(|definition| (TYPED + overlap(&definition, input.words), definition)),
        );
    }
    let share = if is_broad(input.policy) { BROADLY } else { NEAR_THE_BEST };
    let min_score = share * input.hits.iter().map(|hit| hit.score).fold(0.0, f32::max);
    for hit in input.hits.iter().filter(|hit| hit.score >= min_score) {
        let path = hit.path.as_deref().unwrap_or_default();
        let tested = input.under_test.iter().filter(|(_, test)| *test == path);
        for id in tested.filter_map(|(module, _)| input.documents.get(*module)) {
            let file = graph.file(*id)?;
            let found = Definition::all(&file).filter(is_listed);
            let mut beside: Vec<(f32, Definition)> = found
                .map(|definition| {
                    (hit.score * BESIDE * overlap(&definition, input.words), definition)
                })
                .filter(|(score, _)| *score > 0.0)
                .collect();
            beside.sort_by(|left, right| right.0.total_cmp(&left.0));
            beside.truncate(MAX_OF_FILE);
            scored.extend(beside);
        }
        let Some(id) = input.documents.get(path) else { continue };
        let file = graph.file(*id)?;
        let mut beside: Vec<(f32, Definition)> = Vec::new();
        for definition in Definition::all(&file) {
            if symbol_id(&format!("{}:{path}", id.source), definition.symbol()) == hit.id {
                if is_listed(&definition) {
                    scored.push((hit.score, definition));
                }
                continue;
            }
            let mut share = BESIDE * overlap(&definition, input.words);
            if input.policy.intent == "debug" && is_error(&definition) {
                share = share.max(ERROR);
            }
            if share > 0.0 && is_listed(&definition) {
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
    let beyond = picked.len().saturating_sub(input.policy.max_symbols);
    picked.truncate(input.policy.max_symbols);
    let preferred = &input.policy.prefer_kinds;
    picked.sort_by_key(|definition| {
        !preferred.is_empty() && !preferred.iter().any(|kind| kind == policy_kind(definition))
    });
    Ok((picked, beyond))
}

/// Returns true if an intent needs more than the closest definitions.
fn is_broad(policy: &Policy) -> bool {
    policy.intent == "search"
}

/// Returns the name of a definition's kind in policies.
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

/// Returns true if a definition is shown by itself. Tests have a section of their own.
fn is_listed(definition: &Definition) -> bool {
    !matches!(definition.symbol().kind, SymbolKind::Field | SymbolKind::Impl | SymbolKind::Module)
        && !is_test(definition)
}

/// Returns true if a definition is a test or belongs to one.
pub(crate) fn is_test(definition: &Definition) -> bool {
    let file = &definition.file;
    file.category == Category::Test
        || file.around(Some(definition.symbol)).map(|index| file.symbol(index)).any(|symbol| {
            symbol.kind == SymbolKind::Module && matches!(symbol.name.as_str(), "test" | "tests")
        })
}

/// Returns the share of the task's words in the name of a definition or of its container.
fn overlap(definition: &Definition, words: &TaskWords) -> f32 {
    if words.len() == 0 {
        return 0.0;
    }
    let symbol = definition.symbol();
    let own = words.held_by(&symbol.name);
    let outer = words.held_by(symbol.container.as_deref().unwrap_or_default());
    // Words that only the container contains apply to all of its members alike.
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

/// Returns `Container.name`.
pub(super) fn qualified(definition: &Definition) -> String {
    let symbol = definition.symbol();
    match &symbol.container {
        Some(container) => format!("{container}.{}", symbol.name),
        None => symbol.name.clone(),
    }
}

/// Returns a definition as an item without details.
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

/// Returns the declaration of a definition as a detail.
pub(super) fn declaration(definition: &Definition) -> Detail {
    Detail::code("", definition.symbol().signature.clone(), Some(&definition.file.language))
}

/// Returns the details of a definition at a level. Level 1: none; level 2: signature and first
/// sentence of the documentation; level 3: the documentation, and the body if it is short. `text`
/// is that of its file; `holds_others` is true if definitions inside it are shown as well.
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
    if last - symbol.start_line < MAX_BODY_LINES
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

/// Maximum length of the first sentence of a documentation, in characters.
const SENTENCE: usize = 160;

/// Returns the first sentence of a documentation on one line, truncated if it is long.
fn first_sentence(doc: &str) -> String {
    let paragraph: Vec<&str> = doc
        .lines()
        .map(str::trim)
        .skip_while(|line| line.is_empty())
        .take_while(|line| !line.is_empty())
        .collect();
    let text = paragraph.join(" ");
    let end = text.match_indices(". ").map(|(at, _)| at + 1).find(|at| {
        // `e.g.` and `v. 2` do not end a sentence.
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

/// Returns lines of a text, 1-based, both ends included.
pub(super) fn lines(text: &str, first: u32, last: u32) -> String {
    let skipped = first.saturating_sub(1) as usize;
    let count = (last + 1).saturating_sub(first) as usize;
    let lines: Vec<&str> = text.lines().skip(skipped).take(count).collect();
    lines.join("\n").trim_end().to_owned()
}

/// Returns true if other selected definitions are inside this one.
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
    fn the_first_sentence_is_extracted() {
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
