//! Inserts one entry into a text and removes it again, and changes no other byte.

use std::ops::Range;

use serde_json::{Map, Value};

use super::{Content, Document, Item, Node, style::Style};
use crate::{Present, Problem, Removal, Target, Trace, line_end};

/// The path from the root to a target.
struct Walk<'d> {
    /// The containers and the index of the item taken in each, from the root on.
    chain: Vec<(&'d Node, usize)>,
    /// The last container that exists.
    container: &'d Node,
    /// Number of the named containers that exist; `None` if the entry itself exists.
    missing: Option<usize>,
}

/// Reports whether the entry is in the text.
///
/// # Errors
/// If the text cannot be parsed, or has something else in place of a container.
pub(crate) fn present(text: &str, target: &Target<'_>) -> Result<Present, Problem> {
    let document = Document::parse(text)?;
    let Some(walk) = walk(text, &document, target)? else { return Ok(Present::Absent) };
    if walk.missing.is_some() {
        return Ok(Present::Absent);
    }
    let item = taken(&walk.chain, walk.chain.len() - 1);
    if item.value.value(text).as_ref() == Some(target.value) {
        Ok(Present::Same)
    } else {
        Ok(Present::Different(Problem::at(text, item.start, "")))
    }
}

/// The text with the entry as the last one of its container, and the trace that removes it.
///
/// # Errors
/// As [`present`]; also where removing the entry would not restore the text.
pub(crate) fn insert(text: &str, target: &Target<'_>) -> Result<(String, Trace), Problem> {
    let document = Document::parse(text)?;
    let (changed, trace) = match walk(text, &document, target)? {
        None => whole(text, target),
        Some(walk) => match walk.missing {
            None => return Err(Problem::whole("the entry exists already")),
            Some(found) => into_container(text, &document, walk.container, found, target),
        },
    };
    let restored = remove(&changed, target, &trace, false);
    let is_restored = matches!(restored, Ok(Removal::Text(restored)) if restored == text);
    if !is_restored || !matches!(present(&changed, target), Ok(Present::Same)) {
        return Err(Problem::whole(
            "an entry could not be removed again from a text with this layout",
        ));
    }
    Ok((changed, trace))
}

/// The text without the entry, and without the containers that were added for it, if they are
/// otherwise empty.
///
/// # Errors
/// As [`present`]; also where the entry cannot be removed alone.
pub(crate) fn remove(
    text: &str,
    target: &Target<'_>,
    trace: &Trace,
    force: bool,
) -> Result<Removal, Problem> {
    let document = Document::parse(text)?;
    let Some(walk) = walk(text, &document, target)? else { return Ok(Removal::Absent) };
    if walk.missing.is_some() {
        return Ok(Removal::Absent);
    }
    let chain = &walk.chain;
    let mut at = chain.len() - 1;
    let leaf = taken(chain, at);
    let is_ours = leaf.value.value(text).as_ref() == Some(target.value)
        && !document.has_comment(&leaf.span());
    if !is_ours && !force {
        return Ok(Removal::Edited(Problem::at(text, leaf.start, "")));
    }
    let is_otherwise_empty = |at: usize| {
        let (container, _) = chain[at];
        container.items().len() == 1
            && !document.has_comment(&(container.span.start..leaf.start))
            && !document.has_comment(&(leaf.span().end..container.span.end))
    };
    let mut made = trace.made;
    while 0 < made && 0 < at && is_otherwise_empty(at) {
        at -= 1;
        made -= 1;
    }
    let as_written = made == 0;
    if trace.whole && at == 0 && as_written && is_otherwise_empty(0) {
        return Ok(Removal::Text(without_whole(text, &chain[0].0.span, trace)));
    }
    let (container, number) = chain[at];
    let trace = if as_written { trace } else { &Trace::default() };
    let wide = cuts(text, &document, container, number, Some(trace));
    let narrow = cuts(text, &document, container, number, None);
    [wide, narrow]
        .into_iter()
        .find_map(|cuts| without(text, &document, &cuts))
        .map(Removal::Text)
        .ok_or_else(|| {
            Problem::at(text, chain[at].0.span.start, "the entry cannot be removed alone")
        })
}

/// The item that a chain takes in a container.
fn taken<'d>(chain: &[(&'d Node, usize)], at: usize) -> &'d Item {
    let (container, number) = chain[at];
    &container.items()[number]
}

/// Follows the names of a target as far as they exist; `None` in a text without a value.
fn walk<'d>(
    text: &str,
    document: &'d Document,
    target: &Target<'_>,
) -> Result<Option<Walk<'d>>, Problem> {
    let Some(root) = &document.root else { return Ok(None) };
    if !matches!(root.content, Content::Object(_)) {
        let reason = format!("the file contains {} where an object is expected", root.name());
        return Err(Problem::at(text, root.span.start, reason));
    }
    let mut walk = Walk { chain: Vec::new(), container: root, missing: None };
    for (number, name) in target.containers.iter().enumerate() {
        let Some(index) = unique(text, walk.container, name)? else {
            walk.missing = Some(number);
            return Ok(Some(walk));
        };
        let child = &walk.container.items()[index].value;
        let wants_list = target.key.is_none() && number + 1 == target.containers.len();
        let is_right = match child.content {
            Content::Object(_) => !wants_list,
            Content::Array(_) => wants_list,
            Content::Scalar => false,
        };
        if !is_right {
            let expected = if wants_list { "a list" } else { "an object" };
            let reason = format!("`{name}` is {} where {expected} is expected", child.name());
            return Err(Problem::at(text, child.span.start, reason));
        }
        walk.chain.push((walk.container, index));
        walk.container = child;
    }
    let index = match target.key {
        Some(key) => unique(text, walk.container, key)?,
        None => walk
            .container
            .items()
            .iter()
            .position(|item| item.value.value(text).as_ref() == Some(target.value)),
    };
    match index {
        Some(index) => walk.chain.push((walk.container, index)),
        None => walk.missing = Some(target.containers.len()),
    }
    Ok(Some(walk))
}

/// The member with this name. Two are an error, since programs disagree on which one counts.
fn unique(text: &str, node: &Node, name: &str) -> Result<Option<usize>, Problem> {
    let mut found = None;
    for (number, item) in node.items().iter().enumerate() {
        if item.key.as_deref() == Some(name) && found.replace(number).is_some() {
            return Err(Problem::at(text, item.start, format!("`{name}` occurs twice")));
        }
    }
    Ok(found)
}

/// The entry within the containers that have these names.
fn nested(containers: &[String], target: &Target<'_>) -> Value {
    let leaf = match target.key {
        Some(key) => Value::Object(Map::from_iter([(key.to_owned(), target.value.clone())])),
        None => Value::Array(vec![target.value.clone()]),
    };
    containers
        .iter()
        .rev()
        .fold(leaf, |value, name| Value::Object(Map::from_iter([(name.clone(), value)])))
}

/// Inserts into a text that has no value yet.
fn whole(text: &str, target: &Target<'_>) -> (String, Trace) {
    let line_end = line_end(text);
    let is_at_start = text.is_empty() || text == "\u{feff}" || text.ends_with('\n');
    let lead = if is_at_start { "" } else { line_end };
    let value = Style::whole(text).item(None, &nested(target.containers, target));
    let trace = Trace {
        lead: Some(lead.to_owned()),
        tail: Some(line_end.to_owned()),
        made: target.containers.len(),
        whole: true,
    };
    ([text, lead, &value, line_end].concat(), trace)
}

fn without_whole(text: &str, span: &Range<usize>, trace: &Trace) -> String {
    let lead = trace.lead.as_deref().unwrap_or_default();
    let tail = trace.tail.as_deref().unwrap_or_default();
    let before = &text[..span.start];
    let after = &text[span.end..];
    [before.strip_suffix(lead).unwrap_or(before), after.strip_prefix(tail).unwrap_or(after)]
        .concat()
}

/// The text with a new last item in a container; `found` of the named containers exist.
fn into_container(
    text: &str,
    document: &Document,
    container: &Node,
    found: usize,
    target: &Target<'_>,
) -> (String, Trace) {
    let style = Style::of(text, document, container);
    let made = target.containers.len() - found;
    let item = match target.containers.get(found) {
        Some(name) => style.item(Some(name), &nested(&target.containers[found + 1..], target)),
        None => style.item(target.key, target.value),
    };
    let mut trace = Trace { made, ..Trace::default() };
    let Some(last) = container.items().last() else {
        let inside = container.span.start + 1..container.span.end - 1;
        let comment = document
            .tokens
            .iter()
            .rfind(|token| inside.start <= token.span.start && token.span.end <= inside.end);
        let at = comment.map_or(inside.start, |token| token.span.end);
        let lead = style.lead(true);
        let is_closed = text[at..inside.end].contains('\n');
        let tail = if is_closed { String::new() } else { style.tail(text, container) };
        let changed = [&text[..at], &lead, &item, &tail, &text[at..]].concat();
        trace.lead = Some(lead);
        trace.tail = Some(tail);
        return (changed, trace);
    };
    let end = last.value.span.end;
    let anchor = last.comma.map_or(end, |comma| comma + 1);
    let at = after_comments(text, document, anchor);
    let (before, behind) = if last.comma.is_some() { ("", ",") } else { (",", "") };
    let lead = style.lead(false);
    let changed =
        [&text[..end], before, &text[end..at], &lead, &item, behind, &text[at..]].concat();
    trace.lead = Some(lead);
    (changed, trace)
}

/// The end of the comments that follow an offset on its line.
fn after_comments(text: &str, document: &Document, anchor: usize) -> usize {
    let mut end = anchor;
    for token in document.tokens.iter().filter(|token| anchor <= token.span.start) {
        if !token.is_comment || text[end..token.span.start].contains('\n') {
            break;
        }
        end = token.span.end;
    }
    end
}

/// The ranges to remove for an item, in order: the whitespace before it, and its comma or the one
/// before it. Without a trace, no whitespace.
fn cuts(
    text: &str,
    document: &Document,
    container: &Node,
    number: usize,
    trace: Option<&Trace>,
) -> Vec<Range<usize>> {
    let items = container.items();
    let item = &items[number];
    let before = document.tokens.iter().rfind(|token| token.span.end <= item.start);
    let whitespace = &text[before.map_or(item.start, |token| token.span.end)..item.start];
    let lead = match trace {
        None => 0,
        Some(trace) => match &trace.lead {
            Some(lead) if whitespace.ends_with(lead.as_str()) => lead.len(),
            _ => whitespace.len(),
        },
    };
    let mut cuts = Vec::new();
    if item.comma.is_none()
        && let Some(comma) = number.checked_sub(1).and_then(|before| items[before].comma)
    {
        cuts.push(comma..comma + 1);
    }
    let mut end = item.value.span.end;
    cuts.push(item.start - lead..end);
    if let Some(comma) = item.comma {
        cuts.push(comma..comma + 1);
        end = comma + 1;
    }
    if let Some(tail) = trace.and_then(|trace| trace.tail.as_deref())
        && items.len() == 1
        && text[end..].starts_with(tail)
    {
        cuts.push(end..end + tail.len());
    }
    cuts
}

/// The text without these ranges, if all other tokens are unchanged.
fn without(text: &str, document: &Document, cuts: &[Range<usize>]) -> Option<String> {
    let mut changed = String::with_capacity(text.len());
    let mut end = 0;
    for cut in cuts {
        changed.push_str(&text[end..cut.start]);
        end = cut.end;
    }
    changed.push_str(&text[end..]);
    let is_kept = |span: &Range<usize>| {
        !cuts.iter().any(|cut| cut.start <= span.start && span.end <= cut.end)
    };
    let kept = document.tokens.iter().filter(|token| is_kept(&token.span));
    let kept = kept.map(|token| &text[token.span.clone()]);
    let parsed = Document::parse(&changed).ok()?;
    let after = parsed.tokens.iter().map(|token| &changed[token.span.clone()]);
    after.eq(kept).then_some(changed)
}
