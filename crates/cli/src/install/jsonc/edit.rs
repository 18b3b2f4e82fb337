//! Puts one entry into a text and takes it out again, and touches no other byte.

use std::ops::Range;

use serde_json::{Map, Value};

use super::{Content, Document, Item, Kind, Node, style::Style, tokens};
use crate::install::{Place, Present, Problem, Removal, Trace, line_end};

/// The way from the root to a place.
struct Walk<'d> {
    /// The containers and which of their items was taken, from the root on.
    chain: Vec<(&'d Node, usize)>,
    /// The last container that is there.
    container: &'d Node,
    /// How many of the named containers are there; `None` if the entry itself is there.
    missing: Option<usize>,
}

/// Whether the entry is in the text.
///
/// # Errors
/// When the text cannot be read, or holds something else where a container should be.
pub(in crate::install) fn present(text: &str, place: &Place<'_>) -> Result<Present, Problem> {
    let document = Document::parse(text)?;
    let Some(walk) = walk(text, &document, place)? else { return Ok(Present::Absent) };
    if walk.missing.is_some() {
        return Ok(Present::Absent);
    }
    let item = taken(&walk.chain, walk.chain.len() - 1);
    if item.value.value(text).as_ref() == Some(place.value) {
        Ok(Present::Same)
    } else {
        Ok(Present::Different(Problem::at(text, item.start, "")))
    }
}

/// The text with the entry, as the last one of its container, and what is needed to take it out.
///
/// # Errors
/// As [`present`]; also where the text could not be put back as it was.
pub(in crate::install) fn insert(
    text: &str,
    place: &Place<'_>,
) -> Result<(String, Trace), Problem> {
    let document = Document::parse(text)?;
    let (changed, trace) = match walk(text, &document, place)? {
        None => whole(text, place),
        Some(walk) => match walk.missing {
            None => return Err(Problem::whole("the entry is there already")),
            Some(found) => into_container(text, &document, walk.container, found, place),
        },
    };
    let restored = remove(&changed, place, &trace, false);
    let is_restored = matches!(restored, Ok(Removal::Text(restored)) if restored == text);
    if !is_restored || !matches!(present(&changed, place), Ok(Present::Same)) {
        return Err(Problem::whole("it is laid out so that an entry could not be taken out again"));
    }
    Ok((changed, trace))
}

/// The text without the entry, and without the containers that were made for it, if they are
/// otherwise empty.
///
/// # Errors
/// As [`present`]; also where nothing but the entry cannot be taken out.
pub(in crate::install) fn remove(
    text: &str,
    place: &Place<'_>,
    trace: &Trace,
    force: bool,
) -> Result<Removal, Problem> {
    let document = Document::parse(text)?;
    let Some(walk) = walk(text, &document, place)? else { return Ok(Removal::Absent) };
    if walk.missing.is_some() {
        return Ok(Removal::Absent);
    }
    let chain = &walk.chain;
    let mut at = chain.len() - 1;
    let leaf = taken(chain, at);
    let is_ours =
        leaf.value.value(text).as_ref() == Some(place.value) && !document.has_comment(&leaf.span());
    if !is_ours && !force {
        return Ok(Removal::Edited(Problem::at(text, leaf.start, "")));
    }
    let is_hollow = |at: usize| {
        let (container, _) = chain[at];
        container.items().len() == 1
            && !document.has_comment(&(container.span.start..leaf.start))
            && !document.has_comment(&(leaf.span().end..container.span.end))
    };
    let mut made = trace.made;
    while 0 < made && 0 < at && is_hollow(at) {
        at -= 1;
        made -= 1;
    }
    let as_written = made == 0;
    if trace.whole && at == 0 && as_written && is_hollow(0) {
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
            Problem::at(text, chain[at].0.span.start, "the entry cannot be taken out alone")
        })
}

/// The item that a chain takes at a container.
fn taken<'d>(chain: &[(&'d Node, usize)], at: usize) -> &'d Item {
    let (container, number) = chain[at];
    &container.items()[number]
}

/// Follows the names of a place as far as they are there; `None` in a text without a value.
fn walk<'d>(
    text: &str,
    document: &'d Document,
    place: &Place<'_>,
) -> Result<Option<Walk<'d>>, Problem> {
    let Some(root) = &document.root else { return Ok(None) };
    if !matches!(root.content, Content::Object(_)) {
        let reason = format!("the file holds {} where an object is expected", root.name());
        return Err(Problem::at(text, root.span.start, reason));
    }
    let mut walk = Walk { chain: Vec::new(), container: root, missing: None };
    for (number, name) in place.containers.iter().enumerate() {
        let Some(index) = unique(text, walk.container, name)? else {
            walk.missing = Some(number);
            return Ok(Some(walk));
        };
        let child = &walk.container.items()[index].value;
        let wants_list = place.key.is_none() && number + 1 == place.containers.len();
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
    let index = match place.key {
        Some(key) => unique(text, walk.container, key)?,
        None => walk
            .container
            .items()
            .iter()
            .position(|item| item.value.value(text).as_ref() == Some(place.value)),
    };
    match index {
        Some(index) => walk.chain.push((walk.container, index)),
        None => walk.missing = Some(place.containers.len()),
    }
    Ok(Some(walk))
}

/// The member with this name; more than one is a text that readers understand differently.
fn unique(text: &str, node: &Node, name: &str) -> Result<Option<usize>, Problem> {
    let mut found = None;
    for (number, item) in node.items().iter().enumerate() {
        if item.key.as_deref() == Some(name) && found.replace(number).is_some() {
            return Err(Problem::at(text, item.start, format!("`{name}` stands here twice")));
        }
    }
    Ok(found)
}

/// The entry within the containers that have these names.
fn nested(containers: &[String], place: &Place<'_>) -> Value {
    let leaf = match place.key {
        Some(key) => Value::Object(Map::from_iter([(key.to_owned(), place.value.clone())])),
        None => Value::Array(vec![place.value.clone()]),
    };
    containers
        .iter()
        .rev()
        .fold(leaf, |value, name| Value::Object(Map::from_iter([(name.clone(), value)])))
}

/// A text that had no value yet.
fn whole(text: &str, place: &Place<'_>) -> (String, Trace) {
    let line_end = line_end(text);
    let is_at_start = text.is_empty() || text == "\u{feff}" || text.ends_with('\n');
    let lead = if is_at_start { "" } else { line_end };
    let value = Style::whole(text).item(None, &nested(place.containers, place));
    let trace = Trace {
        lead: Some(lead.to_owned()),
        tail: Some(line_end.to_owned()),
        made: place.containers.len(),
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

/// The text with a new last item in a container, of which `found` of the named ones are there.
fn into_container(
    text: &str,
    document: &Document,
    container: &Node,
    found: usize,
    place: &Place<'_>,
) -> (String, Trace) {
    let style = Style::of(text, document, container);
    let made = place.containers.len() - found;
    let item = match place.containers.get(found) {
        Some(name) => style.item(Some(name), &nested(&place.containers[found + 1..], place)),
        None => style.item(place.key, place.value),
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

/// The end of the comments that follow a place on its line.
fn after_comments(text: &str, document: &Document, anchor: usize) -> usize {
    let mut end = anchor;
    for token in document.tokens.iter().filter(|token| anchor <= token.span.start) {
        if token.kind != Kind::Comment || text[end..token.span.start].contains('\n') {
            break;
        }
        end = token.span.end;
    }
    end
}

/// What goes with an item, in order: the blanks before it, its comma or the one before it. Without a
/// trace, no blanks.
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
    let blanks = &text[before.map_or(item.start, |token| token.span.end)..item.start];
    let lead = match trace {
        None => 0,
        Some(trace) => match &trace.lead {
            Some(lead) if blanks.ends_with(lead.as_str()) => lead.len(),
            _ => blanks.len(),
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

/// The text without these ranges, if all other pieces are as they were.
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
    let kept: Vec<&str> = kept.map(|token| &text[token.span.clone()]).collect();
    let after = tokens(&changed).ok()?;
    let after: Vec<&str> = after.iter().map(|token| &changed[token.span.clone()]).collect();
    (kept == after && Document::parse(&changed).is_ok()).then_some(changed)
}
