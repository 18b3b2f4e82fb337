//! Inserts a block of instructions between markers at the end of a Markdown text, and removes it
//! again. No other byte changes.

use std::ops::Range;

use super::{Present, Problem, Removal, Trace, line_end};

/// The first line of the block.
const START: &str = "<!-- lore:start -->";

/// The last line of the block.
const END: &str = "<!-- lore:end -->";

/// Reports whether the block is in the text. `body` is the text between the markers, with
/// `\n` line ends.
///
/// # Errors
/// If the markers are damaged: one without the other, or several blocks.
pub(super) fn present(text: &str, body: &str) -> Result<Present, Problem> {
    Ok(match find(text)? {
        None => Present::Absent,
        Some(span) if is_same(&text[span.clone()], body) => Present::Same,
        Some(span) => Present::Different(Problem::at(text, span.start, "")),
    })
}

/// The text with the block at its end, and the trace that removes it. An empty text gets `header`
/// first.
///
/// # Errors
/// As [`present`].
pub(super) fn insert(text: &str, header: &str, body: &str) -> Result<(String, Trace), Problem> {
    if find(text)?.is_some() {
        return Err(Problem::whole("the instructions exist already"));
    }
    let end = line_end(text);
    let lead = match text.trim_start_matches('\u{feff}') {
        "" => header.replace('\n', end),
        text if text.ends_with("\n\n") || text.ends_with("\n\r\n") => String::new(),
        text if text.ends_with('\n') => end.to_owned(),
        _ => end.repeat(2),
    };
    let changed = [text, &lead, &written(body, end), end].concat();
    let trace = Trace { lead: Some(lead), tail: Some(end.to_owned()), ..Trace::default() };
    match remove(&changed, body, &trace, false) {
        Ok(Removal::Text(restored)) if restored == text => Ok((changed, trace)),
        _ => {
            Err(Problem::whole("the block could not be removed again from a text with this layout"))
        }
    }
}

/// The text without the block.
///
/// # Errors
/// As [`present`].
pub(super) fn remove(
    text: &str,
    body: &str,
    trace: &Trace,
    force: bool,
) -> Result<Removal, Problem> {
    let Some(span) = find(text)? else { return Ok(Removal::Absent) };
    if !force && !is_same(&text[span.clone()], body) {
        return Ok(Removal::Edited(Problem::at(text, span.start, "")));
    }
    let before = &text[..span.start];
    let after = &text[span.end..];
    let after = match &trace.tail {
        Some(tail) => after.strip_prefix(tail.as_str()).unwrap_or(after),
        None => after.strip_prefix("\r\n").or(after.strip_prefix('\n')).unwrap_or(after),
    };
    let close = before.strip_suffix(trace.lead.as_deref().unwrap_or_default()).unwrap_or(before);
    // The text after the block must not be joined to a line before it.
    let is_joined = !after.is_empty() && !close.is_empty() && !close.ends_with('\n');
    Ok(Removal::Text([if is_joined { before } else { close }, after].concat()))
}

/// The block as [`insert`] writes it.
fn written(body: &str, line_end: &str) -> String {
    format!("{START}\n{body}\n{END}").replace('\n', line_end)
}

/// Returns true if the block is as [`insert`] writes it, with any line ends.
fn is_same(block: &str, body: &str) -> bool {
    block.replace("\r\n", "\n") == written(body, "\n")
}

/// Finds the block with its markers.
fn find(text: &str) -> Result<Option<Range<usize>>, Problem> {
    let mut block: Option<Range<usize>> = None;
    let mut open = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let indent = line.len() - line.trim_start_matches(['\u{feff}', ' ', '\t']).len();
        let start = at + indent;
        match line.trim_start_matches('\u{feff}').trim() {
            START if open.is_some() => {
                return Err(Problem::at(text, start, format!("a second `{START}` before `{END}`")));
            }
            START if block.is_some() => {
                return Err(Problem::at(text, start, "a second block of lore starts here"));
            }
            START => open = Some(start),
            END => match open.take() {
                Some(open) => block = Some(open..start + END.len()),
                None => {
                    return Err(Problem::at(text, start, format!("`{END}` without `{START}`")));
                }
            },
            _ => {}
        }
        at += line.len();
    }
    match open {
        Some(open) => Err(Problem::at(text, open, format!("`{START}` without `{END}`"))),
        None => Ok(block),
    }
}

#[cfg(test)]
mod tests;
