//! Specs, decisions, patterns and pages as items.

use lore_schema::Document;

use super::section::{ContextItem, Detail, origin};
use crate::{Hit, Owner};

/// Longest text of a spec that is told whole, in bytes.
const LONGEST_TEXT: usize = 6_000;

/// A document that was found by the words of the task: the passage that answers best.
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

/// A spec that governs a file: its text where that is short, or its description.
pub(super) fn governing(owner: &Owner, document: &Document, relation: String) -> ContextItem {
    let mut item = whole(document, relation, None);
    item.id = format!("specs:{}", owner.path);
    item.name.clone_from(&owner.title);
    item
}

/// A document that is named: its text where that is short, the passage of it that answers best or its
/// beginning, or its description.
pub(super) fn whole(document: &Document, relation: String, passage: Option<&Hit>) -> ContextItem {
    let text = body(document);
    let text = text.trim();
    let mut details = Vec::new();
    if text.len() <= LONGEST_TEXT {
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

/// What a document says of itself.
fn about(status: Option<&str>, date: Option<String>) -> Vec<(&'static str, String)> {
    let fields = [("status", status.map(str::to_owned)), ("date", date)];
    fields.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

/// The text without what is metadata.
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

/// Bytes of a text's beginning.
const BEGINNING: usize = 1_200;

/// The first paragraphs of a text, as many as fit; the first one whole.
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
    // A heading without its text says nothing.
    while let Some((before, last)) = shown.rsplit_once("\n\n")
        && last.starts_with('#')
        && !last.contains('\n')
    {
        shown.truncate(before.len());
    }
    shown
}
