//! Specs, decisions, patterns and pages as items.

use lore_schema::Document;

use super::section::{ContextItem, Detail, origin};
use crate::{Hit, Owner};

/// Maximum length of a spec that is shown whole, in bytes.
const MAX_TEXT_LEN: usize = 6_000;

/// Returns a document found by the words of the task, with its best passage.
pub(super) fn found(hit: &Hit) -> ContextItem {
    let mut item = ContextItem {
        id: hit.id.clone(),
        kind: hit.kind.clone(),
        name: hit.title.clone(),
        path: hit.path.clone(),
        start_line: hit.start_line,
        end_line: hit.end_line,
        about: about(hit.status.as_deref(), None),
        ..ContextItem::default()
    };
    item.about.extend(origin(hit.origin));
    let passage = hit.snippet.text.trim_end();
    let is_code = hit.language.as_deref().is_some_and(|name| name != "markdown");
    if !passage.trim().is_empty() {
        item.details.push(if is_code {
            Detail::code("", passage, hit.language.as_deref())
        } else {
            Detail::prose(passage.trim())
        });
    }
    if let Some(signature) = hit.signature.as_ref().filter(|signature| !signature.is_empty()) {
        item.details.push(Detail::code("", signature.clone(), hit.language.as_deref()));
    }
    item
}

/// Returns a spec that governs a file, with its text if it is short, otherwise with its
/// description.
pub(super) fn governing(owner: &Owner, document: &Document, relation: String) -> ContextItem {
    let mut item = whole(document, relation, None);
    item.id = format!("specs:{}", owner.path);
    item.name.clone_from(&owner.title);
    item
}

/// Returns a named document: with its text if it is short, otherwise with its best passage, its
/// beginning, or its description.
pub(super) fn whole(document: &Document, relation: String, passage: Option<&Hit>) -> ContextItem {
    let text = body(document);
    let text = text.trim();
    let mut details = Vec::new();
    if text.len() <= MAX_TEXT_LEN {
        details.push(Detail::prose(text));
    }
    details.push(Detail::prose(match passage {
        Some(hit) => hit.snippet.text.trim().to_owned(),
        None => beginning(text),
    }));
    details.extend(document.attributes.description.clone().map(Detail::prose));
    details.retain(|detail| !detail.is_empty());
    details.dedup();
    ContextItem {
        id: document.key.to_string(),
        kind: document.kind.to_owned(),
        name: document.title.clone(),
        path: Some(document.path.clone()).filter(|path| !path.is_empty()),
        relation,
        about: about(document.attributes.status.as_deref(), None),
        details,
        ..ContextItem::default()
    }
}

/// Returns the status and the date of a document.
fn about(status: Option<&str>, date: Option<String>) -> Vec<(&'static str, String)> {
    let fields = [("status", status.map(str::to_owned)), ("date", date)];
    fields.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

/// Returns the text without metadata.
fn body(document: &Document) -> String {
    let mut body = String::new();
    let mut at = 0;
    for range in &document.metadata {
        body.push_str(document.text.get(at..range.start).unwrap_or_default());
        at = range.end.max(at);
    }
    body.push_str(document.text.get(at..).unwrap_or_default());
    body
}

/// Maximum length of the beginning of a text, in bytes.
const BEGINNING: usize = 1_200;

/// Returns the first paragraphs of a text, as many as fit; at least the first one.
fn beginning(text: &str) -> String {
    let mut shown = String::new();
    for paragraph in text.split("\n\n") {
        if !shown.is_empty() && shown.len() + paragraph.len() > BEGINNING {
            break;
        }
        if !shown.is_empty() {
            shown.push_str("\n\n");
        }
        shown.push_str(paragraph.trim_end());
    }
    // A heading without its text is useless.
    while let Some((before, last)) = shown.rsplit_once("\n\n")
        && last.starts_with('#')
        && !last.contains('\n')
    {
        shown.truncate(before.len());
    }
    shown
}
