//! The context of a match: a window inside its paragraph that starts with a sentence if one starts
//! nearby.

use std::ops::Range;

/// Characters on either side of the middle of a match.
const CONTEXT: usize = 80;

/// Maximum distance, in characters, to move an edge of the window to the start or end of a sentence.
const NEAR: usize = 20;

/// Replaces omitted text.
const ELLIPSIS: &str = "...";

/// A piece of a text on one line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Snippet {
    pub(super) text: String,
    /// Characters of `text`, end exclusive, in order, apart from each other.
    pub(super) highlights: Vec<(usize, usize)>,
    /// Bytes of the original that are shown.
    pub(super) shown: Range<usize>,
}

/// The context of one match, with all other matches in it. `marks` are bytes of the text in
/// ascending order; `hidden` is never shown.
pub(super) fn around(
    text: &str,
    found: &Range<usize>,
    marks: &[Range<usize>],
    hidden: &[Range<usize>],
) -> Snippet {
    let paragraph = paragraph(text, found, hidden);
    let middle = found.start + (found.end - found.start) / 2;
    let middle = text.floor_char_boundary(middle);
    let start = back(text, paragraph.start, middle, CONTEXT).min(found.start);
    let end = forth(text, paragraph.end, middle, CONTEXT).max(found.end);
    let start = sentence_start(text, &paragraph, start, found.start);
    let end = sentence_end(text, &paragraph, end, found.end);
    line(text, start..end, &paragraph, marks)
}

/// A short text completely, or the context of the first match of a long text.
pub(super) fn whole(text: &str, marks: &[Range<usize>]) -> Snippet {
    if text.chars().count() <= 2 * CONTEXT {
        return line(text, 0..text.len(), &(0..text.len()), marks);
    }
    let first = marks.first().cloned().unwrap_or(0..0);
    around(text, &first, marks, &[])
}

/// The block without blank lines around a range.
fn paragraph(text: &str, found: &Range<usize>, hidden: &[Range<usize>]) -> Range<usize> {
    let before = &text[..found.start];
    let mut start = 0;
    let mut line_end = before.len();
    for line in before.rsplit('\n') {
        let line_start = line_end - line.len();
        let is_first = line_end == before.len();
        let is_hidden = hidden.iter().any(|range| range.contains(&line_start));
        if !is_first && (line.trim().is_empty() || is_hidden) {
            start = line_end + 1;
            break;
        }
        if line_start == 0 {
            break;
        }
        line_end = line_start - 1;
    }
    let mut end = text.len();
    let mut offset = found.end;
    for (index, line) in text[found.end..].split_inclusive('\n').enumerate() {
        let is_hidden = hidden.iter().any(|range| range.contains(&offset));
        if index > 0 && (line.trim().is_empty() || is_hidden) {
            end = offset;
            break;
        }
        offset += line.len();
    }
    start.min(found.start)..end.max(found.end)
}

fn back(text: &str, least: usize, from: usize, characters: usize) -> usize {
    let before = text.get(least..from).unwrap_or_default();
    before.char_indices().rev().take(characters).last().map_or(from, |(offset, _)| least + offset)
}

fn forth(text: &str, most: usize, from: usize, characters: usize) -> usize {
    let after = text.get(from..most).unwrap_or_default();
    after.char_indices().nth(characters).map_or(most.max(from), |(offset, _)| from + offset)
}

/// The offsets in a range behind which a sentence starts.
fn boundaries(text: &str, range: Range<usize>) -> Vec<usize> {
    let part = text.get(range.clone()).unwrap_or_default();
    let mut found = Vec::new();
    let mut characters = part.char_indices().peekable();
    while let Some((offset, character)) = characters.next() {
        let end = range.start + offset + character.len_utf8();
        let followed = characters.peek().is_none_or(|(_, next)| next.is_whitespace());
        if matches!(character, '。' | '！' | '？')
            || (matches!(character, '.' | '!' | '?') && followed)
        {
            found.push(end);
        }
    }
    found
}

/// The start of the window, moved to the start of a nearby sentence.
fn sentence_start(text: &str, paragraph: &Range<usize>, start: usize, most: usize) -> usize {
    let earliest = back(text, paragraph.start, start, NEAR);
    if earliest == paragraph.start {
        return paragraph.start;
    }
    let latest = forth(text, most, start, NEAR).min(most);
    let near = boundaries(text, earliest..latest);
    near.into_iter()
        .map(|end| end + (text[end..].len() - text[end..].trim_start().len()))
        .filter(|candidate| *candidate <= most)
        .min_by_key(|candidate| candidate.abs_diff(start))
        .unwrap_or(start)
}

fn sentence_end(text: &str, paragraph: &Range<usize>, end: usize, least: usize) -> usize {
    let latest = forth(text, paragraph.end, end, NEAR);
    if latest == paragraph.end {
        return paragraph.end;
    }
    let earliest = back(text, least, end, NEAR).max(least);
    boundaries(text, earliest..latest)
        .into_iter()
        .min_by_key(|candidate| candidate.abs_diff(end))
        .unwrap_or(end)
}

/// A range of a text on one line, whitespace as single spaces, cut edges marked.
fn line(text: &str, range: Range<usize>, whole: &Range<usize>, marks: &[Range<usize>]) -> Snippet {
    let mut written = String::new();
    let mut length = 0;
    // For each character of the range: its bytes and its position in the output.
    let mut places: Vec<(Range<usize>, usize)> = Vec::new();
    if !text[whole.start..range.start].trim().is_empty() {
        written.push_str(ELLIPSIS);
        length += ELLIPSIS.len();
    }
    let mut blank = true;
    let trimmed_end = range.start + text[range.clone()].trim_end().len();
    for (offset, character) in text[range.start..trimmed_end].char_indices() {
        let bytes = range.start + offset..range.start + offset + character.len_utf8();
        let is_blank = character.is_whitespace() || character.is_control();
        if is_blank && blank {
            continue;
        }
        blank = is_blank;
        places.push((bytes, length));
        written.push(if is_blank { ' ' } else { character });
        length += 1;
    }
    if !text[trimmed_end.max(range.start)..whole.end.max(trimmed_end)].trim().is_empty() {
        written.push_str(ELLIPSIS);
    }
    let mut highlights: Vec<(usize, usize)> = Vec::new();
    for mark in marks {
        let first = places.partition_point(|(bytes, _)| bytes.end <= mark.start);
        let after = places.partition_point(|(bytes, _)| bytes.start < mark.end);
        if after <= first || mark.start < range.start || range.end < mark.end {
            continue;
        }
        let (start, end) = (places[first].1, places[after - 1].1 + 1);
        match highlights.last_mut() {
            Some(last) if start <= last.1 => last.1 = last.1.max(end),
            _ => highlights.push((start, end)),
        }
    }
    Snippet { text: written, highlights, shown: range }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks(text: &str, words: &[&str]) -> Vec<Range<usize>> {
        let mut marks: Vec<Range<usize>> = words
            .iter()
            .flat_map(|word| text.match_indices(word).map(|(at, word)| at..at + word.len()))
            .collect();
        marks.sort_by_key(|mark| mark.start);
        marks
    }

    fn slices(snippet: &Snippet) -> Vec<String> {
        let characters: Vec<char> = snippet.text.chars().collect();
        snippet.highlights.iter().map(|&(from, to)| characters[from..to].iter().collect()).collect()
    }

    #[test]
    fn a_window_stays_in_its_paragraph() {
        let text = "# Head\n\nA token here.\nAnd there.\n\nElsewhere a token.\n";
        let marks = marks(text, &["token"]);
        let snippet = around(text, &marks[0], &marks, &[]);
        assert_eq!(snippet.text, "A token here. And there.");
        assert_eq!(slices(&snippet), ["token"]);
    }

    #[test]
    fn long_paragraphs_are_cut_at_nearby_sentences() {
        let filler = "Nothing to see in this sentence at all, it only takes room on the line. ";
        let text = format!("{filler}{filler}The token is here. {filler}{filler}");
        let marks = marks(&text, &["token"]);
        let snippet = around(&text, &marks[0], &marks, &[]);
        assert!(snippet.text.starts_with("...Nothing to see"), "{}", snippet.text);
        assert!(snippet.text.ends_with("on the line...."), "{}", snippet.text);
        assert!(snippet.text.chars().count() <= 160 + 2 * NEAR + 6);
        assert_eq!(slices(&snippet), ["token"]);
    }

    #[test]
    fn without_sentences_eighty_characters_stand_on_either_side() {
        let text = format!("{} token {}", "x".repeat(300), "y".repeat(300));
        let marks = marks(&text, &["token"]);
        let snippet = around(&text, &marks[0], &marks, &[]);
        assert_eq!(snippet.text.chars().count(), 160 + 6);
        assert_eq!(slices(&snippet), ["token"]);
    }

    #[test]
    fn highlights_count_characters() {
        for text in ["🚀🚀 the İ token", "日本語の token です", "a\n\n  b\n c   token"] {
            let marks = marks(text, &["token"]);
            assert_eq!(slices(&around(text, &marks[0], &marks, &[])), ["token"], "{text}");
        }
        let text = "token refresh";
        let both = [0..5, 0..13];
        assert_eq!(slices(&whole(text, &both)), ["token refresh"], "overlapping ranges are merged");
    }

    #[test]
    fn hidden_lines_are_not_shown() {
        let text = "> **Status**: planned\nThe token.\n";
        let marks = marks(text, &["token"]);
        let hidden = Range { start: 0, end: 22 };
        let snippet = around(text, &marks[0], &marks, std::slice::from_ref(&hidden));
        assert_eq!(snippet.text, "The token.");
    }
}
