//! The line that is shown below a hit: a window of the prose around the first word that matches.

use super::words::{Matching, Terms, visit_words};

/// Maximum length of the window in characters, without the marks of cut sides.
const WINDOW: usize = 140;

/// Characters of the window before the matched word: a third.
const BEFORE: usize = WINDOW / 3;

/// A window on one line, whitespace collapsed, `…` on sides that are cut. Where only the name
/// matches: the beginning of the description, or of the body if there is none.
pub(super) fn snippet(description: &str, body: &str, terms: &Terms) -> String {
    let text = collapse(&[description, body]);
    match first_match(&text, terms) {
        Some(offset) => {
            let start = text[..offset].char_indices().rev().nth(BEFORE - 1);
            window(&text, start.map_or(0, |(start, _)| start))
        }
        None if description.trim().is_empty() => window(&text, 0),
        None => window(&collapse(&[description]), 0),
    }
}

/// Start of the first word that a term matches. A word that is only the start of a term (`set` for
/// `settings`) counts if there is no better one.
fn first_match(text: &str, terms: &Terms) -> Option<usize> {
    let mut forward = None;
    let mut reverse = None;
    visit_words(text, |offset, word| {
        if forward.is_some() {
            return;
        }
        if terms.matching(word, Matching::Forward).next().is_some() {
            forward = Some(offset);
        } else if reverse.is_none() && terms.matching(word, Matching::BothWays).next().is_some() {
            reverse = Some(offset);
        }
    });
    forward.or(reverse)
}

/// The texts on one line, one space wherever there was whitespace.
fn collapse(texts: &[&str]) -> String {
    let mut collapsed = String::with_capacity(texts.iter().map(|text| text.len() + 1).sum());
    for word in texts.iter().flat_map(|text| text.split_whitespace()) {
        if !collapsed.is_empty() {
            collapsed.push(' ');
        }
        collapsed.push_str(word);
    }
    collapsed
}

/// The window of a line that starts at a byte offset.
fn window(text: &str, start: usize) -> String {
    let end = text[start..].char_indices().nth(WINDOW).map_or(text.len(), |(end, _)| start + end);
    let left = if 0 < start { "…" } else { "" };
    let right = if end < text.len() { "…" } else { "" };
    format!("{left}{}{right}", text[start..end].trim())
}
