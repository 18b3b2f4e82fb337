//! The definitions that a change of a file adds, changes and removes.

use std::collections::{BTreeMap, BTreeSet};

use lore_schema::{
    Attributes, DocKey, Document, Outline, SourceName, Symbol, SymbolKind, TextOrigin, Trust,
};
use lore_sources::ChangedText;

use crate::{DefinitionChange, EngineConfig, ReviewedDefinition, state::chunking::chunk_document};

/// Maximum number of lines of a hunk whose definitions are looked up.
const MAX_LINES: usize = 2_000;

/// Words before a definition, with the level of visibility that they give.
const VISIBILITY: &[(&str, u8)] = &[
    ("export default", 2),
    ("export", 2),
    ("internal", 1),
    ("private", 0),
    ("protected", 1),
    ("pub(crate)", 1),
    ("pub(super)", 1),
    ("pub", 2),
    ("public", 2),
];

/// Key of a definition in its file: container, name, and number among those of the same name.
type Key = (Option<String>, String, u32);

/// The version of a changed file that is in the tree, and so in the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum InTree {
    New,
    Old,
    Neither,
}

/// Returns the changed definitions of a file, in text order. `indexed` is the outline of the version that is
/// in the tree, which need not be parsed.
pub(super) fn changed_definitions(
    change: &ChangedText,
    indexed: (InTree, Option<&Outline>),
    config: &EngineConfig,
) -> Vec<ReviewedDefinition> {
    let outline = |version: InTree, text: Option<&String>, path: &str| match (text, indexed) {
        (Some(_), (in_tree, Some(outline))) if in_tree == version => outline.clone(),
        (Some(text), _) => outline(path, text, config),
        (None, _) => Outline::default(),
    };
    let old_path = change.old_path.as_ref().unwrap_or(&change.path);
    let old = outline(InTree::Old, change.old.as_ref(), old_path);
    let new = outline(InTree::New, change.new.as_ref(), &change.path);
    let (before, after) = (by_key(&old), by_key(&new));
    let mut found = Vec::new();
    for (key, symbol) in &after {
        let kind = match before.get(key) {
            None => DefinitionChange::Added,
            Some(known) if is_other_signature(&known.signature, &symbol.signature) => {
                DefinitionChange::Signature
            }
            Some(_) => continue,
        };
        found.push(reviewed(symbol, kind));
    }
    for (_, symbol) in before.iter().filter(|(key, _)| !after.contains_key(*key)) {
        found.push(reviewed(symbol, DefinitionChange::Removed));
    }
    for (old_lines, new_lines) in &change.hunks {
        let mut touched: Vec<&Symbol> =
            new_lines.clone().take(MAX_LINES).filter_map(|line| innermost(&new, line)).collect();
        let of_old = old_lines.clone().take(MAX_LINES).filter_map(|line| innermost(&old, line));
        touched.extend(of_old.filter_map(|symbol| after.get(&key_of(symbol)).copied()));
        for symbol in touched {
            let one = reviewed(symbol, DefinitionChange::Body);
            if !found.iter().any(|known| known.name == one.name && known.line == one.line) {
                found.push(one);
            }
        }
    }
    found.sort_by(|left, right| (left.line, &left.name).cmp(&(right.line, &right.name)));
    found
}

/// The outline of a text.
fn outline(path: &str, text: &str, config: &EngineConfig) -> Outline {
    let document = Document {
        key: DocKey { source: SourceName::Code, locator: path.to_owned() },
        path: path.to_owned(),
        format: "file",
        kind: "file",
        title: String::new(),
        text: text.to_owned(),
        origin: TextOrigin::File,
        metadata: Vec::new(),
        attributes: Attributes::default(),
        trust: Trust::Own,
    };
    chunk_document(&document, &config.parsers).chunked.outline
}

fn by_key(outline: &Outline) -> BTreeMap<Key, &Symbol> {
    let listed = outline.symbols.iter().filter(|symbol| is_listed(symbol));
    listed.map(|symbol| (key_of(symbol), symbol)).collect()
}

/// Fields and variables belong to what is around them, and blocks and modules contain others.
fn is_listed(symbol: &Symbol) -> bool {
    !matches!(
        symbol.kind,
        SymbolKind::Field | SymbolKind::Impl | SymbolKind::Module | SymbolKind::Variable
    )
}

fn key_of(symbol: &Symbol) -> Key {
    (symbol.container.clone(), symbol.name.clone(), symbol.repetition)
}

/// The innermost definition around a 0-based line.
fn innermost(outline: &Outline, line: usize) -> Option<&Symbol> {
    let line = u32::try_from(line + 1).unwrap_or(u32::MAX);
    outline
        .symbols
        .iter()
        .filter(|symbol| is_listed(symbol) && (symbol.start_line..=symbol.end_line).contains(&line))
        .min_by_key(|symbol| symbol.end_line - symbol.start_line)
}

fn reviewed(symbol: &Symbol, change: DefinitionChange) -> ReviewedDefinition {
    let name = match &symbol.container {
        Some(container) => format!("{container}.{}", symbol.name),
        None => symbol.name.clone(),
    };
    ReviewedDefinition {
        name,
        bare: symbol.name.clone(),
        container: symbol.container.clone(),
        change,
        line: symbol.line,
    }
}

/// Marks definitions that one file of a change lost and another one gained.
pub(super) fn mark_moved(files: &mut [Vec<ReviewedDefinition>]) {
    let of = |change: DefinitionChange, files: &[Vec<ReviewedDefinition>]| -> BTreeSet<_> {
        let all = files.iter().flatten().filter(|definition| definition.change == change);
        all.map(|definition| definition.name.clone()).collect()
    };
    let added = of(DefinitionChange::Added, files);
    for definition in files.iter_mut().flatten() {
        if definition.change == DefinitionChange::Removed && added.contains(&definition.name) {
            definition.change = DefinitionChange::Moved;
        }
    }
}

/// Returns true if users of a definition may have to change with its signature. A new layout or a wider
/// visibility concerns no user.
fn is_other_signature(old: &str, new: &str) -> bool {
    let (old_rest, old_level) = without_visibility(old);
    let (new_rest, new_level) = without_visibility(new);
    squeezed(old_rest) != squeezed(new_rest) || new_level < old_level
}

/// Splits off the words before a definition that say who may use it. Returns the level: 0 for no other file,
/// 1 for some, 2 for all.
fn without_visibility(signature: &str) -> (&str, u8) {
    let signature = signature.trim_start();
    for (word, level) in VISIBILITY {
        let Some(rest) = signature.strip_prefix(word) else { continue };
        if !rest.starts_with(|character: char| character.is_alphanumeric() || character == '_') {
            return (rest, *level);
        }
    }
    (signature, 0)
}

/// A signature without whitespace and without a comma at the end of a list.
fn squeezed(signature: &str) -> String {
    let kept: String = signature.chars().filter(|character| !character.is_whitespace()).collect();
    kept.replace(",)", ")")
}

#[cfg(test)]
mod tests {
    use super::is_other_signature;

    #[test]
    fn layout_and_wider_visibility_are_no_change_of_a_signature() {
        for (old, new, expected) in [
            ("fn a(b: u8)", "fn a(\n    b: u8,\n)", false),
            ("fn a(b: u8)", "pub fn a(b: u8)", false),
            ("pub(crate) fn a()", "pub fn a()", false),
            ("pub fn a()", "fn a()", true),
            ("private void a()", "public void a()", false),
            ("public void a()", "private void a()", true),
            ("export function a()", "function a()", true),
            ("def publish(a)", "def publish(a, b)", true),
            ("fn a() -> u8", "fn a() -> u16", true),
        ] {
            assert_eq!(is_other_signature(old, new), expected, "{old} {new}");
        }
    }
}
