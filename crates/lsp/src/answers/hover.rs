//! Hover: the signature and documentation of a definition, the last commit that changed it with its
//! reason, and the specs that govern its file.

use std::fmt::Write as _;

use lore_console::text;
use lore_engine::{Certainty, EngineError, LastChange, Navigator, Owner, ResolvedName, SymbolHit};
use lsp_server::ResponseError;
use lsp_types::{Hover, HoverContents, HoverParams, MarkupContent, MarkupKind};
use serde_json::Value;

use super::{Spot, Work, places::Places, work};
use crate::state::{EditorState, decode};

/// Maximum number of definitions that are shown.
const MAX_DEFINITIONS: usize = 3;

/// Maximum number of specs that are shown.
const MAX_SPECS: usize = 3;

/// `textDocument/hover`.
pub(super) fn hover(editor: &EditorState, params: Value) -> Result<Work, ResponseError> {
    let params: HoverParams = decode(params)?;
    let spot = Spot::of(editor, &params.text_document_position_params)?;
    let root = spot.root.clone();
    Ok(work(editor, &root, Navigator::CONTEXT, move |places| {
        let Some((name, range)) = places.name_at(&spot.path, spot.position) else {
            return Ok(None);
        };
        let Some(meaning) = places.navigator.meaning(&name)? else { return Ok(None) };
        if meaning.definitions.is_empty() {
            return Ok(None);
        }
        let value = describe(places, &meaning)?;
        let kind =
            if places.features.markdown { MarkupKind::Markdown } else { MarkupKind::PlainText };
        let contents = HoverContents::Markup(MarkupContent { kind, value });
        Ok(Some(Hover { contents, range: Some(range) }))
    }))
}

/// Writes the parts of a hover.
fn describe(places: &Places<'_>, meaning: &ResolvedName) -> Result<String, EngineError> {
    let is_markdown = places.features.markdown;
    let mut parts: Vec<String> = Vec::new();
    if let Certainty::OneOf(count) = meaning.certainty {
        parts.push(format!("One of {count} definitions with this name:"));
    }
    for hit in meaning.definitions.iter().take(MAX_DEFINITIONS) {
        parts.push(signature(hit, is_markdown));
        parts.extend(hit.doc_comment.clone().filter(|comment| !comment.trim().is_empty()));
        parts.push(format!("Defined in {}:{}", hit.path, hit.line));
    }
    let Some(first) = meaning.definitions.first() else { return Ok(String::new()) };
    let source = places.source_of(first);
    if let Some(change) = places.navigator.last_change(&first.path, &source)? {
        parts.push(changed(&change));
    }
    let specs = places.navigator.governing(&first.path)?;
    parts.extend(specs.iter().take(MAX_SPECS).map(|spec| governed(places, spec, is_markdown)));
    Ok(text::clean_lines(&parts.join("\n\n")))
}

fn signature(hit: &SymbolHit, is_markdown: bool) -> String {
    let line = if hit.signature.is_empty() {
        format!("{} {}", hit.kind, hit.name)
    } else {
        hit.signature.clone()
    };
    let within = hit.breadcrumb.join(".");
    let within = if within.is_empty() { within } else { format!("{within}\n") };
    if !is_markdown {
        return format!("{within}{line}");
    }
    // A fence is longer than every run of backticks in the text.
    let longest = line.split(|character| character != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    let language = hit.language.as_deref().unwrap_or_default();
    format!("{fence}{language}\n{within}{line}\n{fence}")
}

/// Writes the last change: commit, date, author, subject and reason.
fn changed(change: &LastChange) -> String {
    let hash = &change.hash[..change.hash.len().min(8)];
    let mut line = format!("Last changed by {hash}");
    if let Some(day) = change.date.and_then(lore_console::dates::day) {
        write!(line, " on {day}").expect("a string accepts every text");
    }
    if let Some(author) = &change.author {
        write!(line, " ({author})").expect("a string accepts every text");
    }
    write!(line, ": {}", change.subject).expect("a string accepts every text");
    if let Some(reason) = &change.reason {
        write!(line, "\n\nReason: {reason}").expect("a string accepts every text");
    }
    line
}

fn governed(places: &Places<'_>, spec: &Owner, is_markdown: bool) -> String {
    match places.uri(&spec.path).filter(|_| is_markdown) {
        Some(uri) => format!("Governed by [{}]({})", spec.title, uri.as_str()),
        None => format!("Governed by {} ({})", spec.title, spec.path),
    }
}
