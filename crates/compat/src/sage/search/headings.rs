//! The headings of a page: lines that start with `#`, and underlined paragraphs.

use std::ops::Range;

use lore_schema::Document;

/// Maximum indentation of a heading, in spaces; further lines are code.
const INDENT: usize = 3;

/// A heading of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Heading<'a> {
    /// Start of its first line, in bytes of the text.
    pub(super) start: usize,
    /// Its text; of an underlined paragraph of several lines, all lines.
    pub(super) text: &'a str,
}

/// Returns the headings of a document in order. Metadata, fenced code and comments have none.
pub(super) fn headings(document: &Document) -> Vec<Heading<'_>> {
    let text = document.text.as_str();
    let mut all = Vec::new();
    let mut reader = Reader::default();
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let range = offset..offset + line.len();
        offset = range.end;
        if document.metadata.iter().any(|skipped| skipped.contains(&range.start)) {
            reader = Reader::default();
        } else if let Some((start, end)) = reader.read(line, &range) {
            let start_line = text[start..end].trim();
            let text = atx(start_line).unwrap_or(start_line);
            all.push(Heading { start, text });
        }
    }
    all
}

/// The state of the lines read so far.
#[derive(Default)]
struct Reader {
    /// The sign and the length of the fence that is open.
    fence: Option<(char, usize)>,
    /// True inside a comment of several lines.
    comment: bool,
    /// The paragraph above, which an underline makes a heading.
    paragraph: Option<Range<usize>>,
    /// True in a list, a quote, a table or indented code, up to the next empty line.
    block: bool,
}

impl Reader {
    /// Reads the next line; returns the start and the end of the heading that it completes.
    fn read(&mut self, line: &str, range: &Range<usize>) -> Option<(usize, usize)> {
        let content = line.trim();
        if self.is_verbatim(content) || content.is_empty() {
            self.paragraph = None;
            self.block = false;
            return None;
        }
        let is_indented = INDENT < line.len() - line.trim_start_matches(' ').len();
        if !is_indented && atx(content).is_some() {
            self.paragraph = None;
            self.block = false;
            return Some((range.start, range.end));
        }
        if !is_indented && is_underline(content) {
            let paragraph = self.paragraph.take();
            return paragraph.map(|paragraph| (paragraph.start, paragraph.end));
        }
        match &mut self.paragraph {
            Some(paragraph) => paragraph.end = range.end,
            None if self.block || is_indented || starts_block(content) => self.block = true,
            None => self.paragraph = Some(range.clone()),
        }
        None
    }

    /// Returns true for a line of fenced code or of a comment, its first and last line included.
    fn is_verbatim(&mut self, content: &str) -> bool {
        if let Some((sign, length)) = self.fence {
            let rest = content.trim_start_matches(sign);
            if rest.is_empty() && length <= content.chars().count() {
                self.fence = None;
            }
            return true;
        }
        if self.comment || content.starts_with("<!--") {
            self.comment = !content.contains("-->");
            return true;
        }
        self.fence = fence(content);
        self.fence.is_some()
    }
}

/// The text of a heading that starts with `#`.
fn atx(line: &str) -> Option<&str> {
    let text = line.trim_start_matches('#');
    let level = line.len() - text.len();
    ((1..=6).contains(&level) && text.starts_with([' ', '\t'])).then(|| text.trim())
}

/// The sign and the length of a fence that opens.
fn fence(content: &str) -> Option<(char, usize)> {
    let sign = content.chars().next().filter(|sign| matches!(sign, '`' | '~'))?;
    let rest = content.trim_start_matches(sign);
    let length = content.len() - rest.len();
    // A code span on one line is no fence.
    (2 < length && !(sign == '`' && rest.contains('`'))).then_some((sign, length))
}

fn is_underline(content: &str) -> bool {
    ['=', '-'].iter().any(|sign| content.chars().all(|character| character == *sign))
}

/// Returns true for the first line of a list, a quote, a table or a block of HTML.
fn starts_block(content: &str) -> bool {
    let after_digits = content.trim_start_matches(|character: char| character.is_ascii_digit());
    let is_numbered = after_digits.len() < content.len()
        && (after_digits.starts_with(". ") || after_digits.starts_with(") "));
    is_numbered
        || content.starts_with(['>', '|', '<'])
        || ["- ", "* ", "+ "].iter().any(|marker| content.starts_with(marker))
}
