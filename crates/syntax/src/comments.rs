//! Comments: their signs, and their ranges in a text without a grammar.

use std::ops::Range;

/// Syntax of comments and of the strings that may contain comment signs.
#[derive(Debug, Clone, Copy)]
pub struct CommentSigns {
    /// Signs that make the rest of the line a comment.
    pub line: &'static [&'static str],
    /// Signs around a comment: opening, closing.
    pub block: &'static [(&'static str, &'static str)],
    /// Quotes of strings that end on the same line, with `\` as escape.
    pub quotes: &'static [u8],
}

/// Signs that open a comment, longest first.
const OPENING: &[&str] = &[
    "/**/", "///", "//!", "/**", "/*!", "//", "/*", "<!--", "--[[", "{-|", "{-", "-- |", "---",
    "--", "(**", "(*", ";;;", ";;", ";", "%%%", "%%", "%", "#|", "#'", "#=", "##", "#", "=head1",
    "=head2", "=head3", "=item", "=over", "=back", "=cut",
];

/// Signs that close a comment.
const CLOSING: &[&str] = &["**/", "*/", "-->", "]]", "-}", "*)", "|#", "=#"];

/// Attributes that contain a documentation string.
const ATTRIBUTES: &[&str] = &["@doc ", "@typedoc ", "@moduledoc "];

/// Quotes around documentation strings, longest first.
const QUOTES: &[&str] = &["\"\"\"", "'''", "\"", "'"];

/// Returns true for a comment that is marked as documentation.
pub(crate) fn is_documentation(comment: &str) -> bool {
    (comment.starts_with("///") && !comment.starts_with("////"))
        || (comment.starts_with("/**") && !comment.starts_with("/**/"))
        || comment.starts_with("/*!")
        || comment.starts_with("//!")
        || comment.starts_with("-- |")
        || comment.starts_with("=head2")
        || comment.starts_with("=item")
        || ATTRIBUTES.iter().any(|attribute| comment.starts_with(attribute))
}

/// The text of a comment or documentation string without its signs and indentation; at most about
/// `limit` bytes.
pub(crate) fn strip(comment: &str, limit: usize) -> String {
    let trimmed = comment.trim();
    let (content, is_block) = match documentation_string(trimmed) {
        Some(content) => (content, false),
        None => (trimmed, trimmed.starts_with("/*") || trimmed.starts_with("(*")),
    };
    let is_string = content.len() != trimmed.len();
    let mut stripped = String::new();
    for (index, line) in content.lines().enumerate() {
        if stripped.len() > limit {
            break;
        }
        let mut line = line.trim();
        if !is_string {
            if index == 0 || !is_block {
                line = OPENING.iter().find_map(|sign| line.strip_prefix(sign)).unwrap_or(line);
            }
            line = CLOSING.iter().find_map(|sign| line.strip_suffix(sign)).unwrap_or(line);
            if is_block && index > 0 {
                line = line.strip_prefix('*').unwrap_or(line);
            }
        }
        if index > 0 {
            stripped.push('\n');
        }
        stripped.push_str(line.trim());
    }
    let end = stripped.floor_char_boundary(limit);
    stripped[..end].trim().to_owned()
}

/// The text between the quotes of a documentation string; `None` for other text.
fn documentation_string(text: &str) -> Option<&str> {
    let text = ATTRIBUTES.iter().find_map(|attribute| text.strip_prefix(attribute)).unwrap_or(text);
    let text = text.trim_start_matches("~S").trim_start_matches("~s");
    let unprefixed = text.trim_start_matches(['r', 'R', 'u', 'U', 'b', 'B', 'f', 'F']);
    QUOTES.iter().find_map(|quote| {
        unprefixed.strip_prefix(quote).map(|rest| rest.strip_suffix(quote).unwrap_or(rest))
    })
}

/// Sorts ranges and joins those that overlap.
pub(crate) fn ordered(ranges: impl Iterator<Item = Range<usize>>) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = ranges.filter(|range| !range.is_empty()).collect();
    ranges.sort_by_key(|range| (range.start, range.end));
    let mut apart: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match apart.last_mut() {
            Some(last) if range.start < last.end => last.end = last.end.max(range.end),
            _ => apart.push(range),
        }
    }
    apart
}

/// Finds comments by their signs. A sign counts outside of strings, at the start of a line, after
/// whitespace and after punctuation. A block comment that is never closed does not count.
pub(crate) fn scan(text: &str, signs: &CommentSigns) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut interesting = [false; 256];
    let first_bytes = signs.line.iter().chain(signs.block.iter().map(|(open, _)| open));
    for byte in
        first_bytes.filter_map(|sign| sign.bytes().next()).chain(signs.quotes.iter().copied())
    {
        interesting[usize::from(byte)] = true;
    }
    let mut unclosed = vec![false; signs.block.len()];
    let mut comments = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if !interesting[usize::from(bytes[at])] {
            at += 1;
            continue;
        }
        let rest = &bytes[at..];
        let may_begin = at == 0
            || bytes[at - 1].is_ascii_whitespace()
            || matches!(bytes[at - 1], b';' | b',' | b')' | b'}' | b'>');
        let block = signs
            .block
            .iter()
            .position(|(open, _)| may_begin && rest.starts_with(open.as_bytes()))
            .filter(|index| !unclosed[*index]);
        if let Some(index) = block {
            let (open, close) = signs.block[index];
            // The signs are ASCII, so these are character boundaries.
            if let Some(length) = text[at + open.len()..].find(close) {
                let end = at + open.len() + length + close.len();
                comments.push(at..end);
                at = end;
                continue;
            }
            unclosed[index] = true;
        }
        if may_begin && signs.line.iter().any(|sign| rest.starts_with(sign.as_bytes())) {
            let length = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
            comments.push(at..at + length);
            at += length;
        } else if signs.quotes.contains(&bytes[at]) {
            at = after_string(bytes, at);
        } else {
            at += 1;
        }
    }
    comments
}

/// The byte after a string that starts here and ends on the same line; otherwise after the quote.
fn after_string(bytes: &[u8], start: usize) -> usize {
    let quote = bytes[start];
    let mut at = start + 1;
    while at < bytes.len() && bytes[at] != b'\n' {
        match bytes[at] {
            b'\\' => at += 1,
            byte if byte == quote => return at + 1,
            _ => {}
        }
        at += 1;
    }
    start + 1
}

#[cfg(test)]
mod tests {
    use super::{ordered, scan, strip};
    use crate::named;

    #[test]
    fn strips_signs() {
        let cases = [
            ("/// One.", "One."),
            ("// # Heading", "# Heading"),
            ("/** One.\n  * Two.\n  */", "One.\nTwo."),
            ("/* a */", "a"),
            ("# text", "text"),
            ("-- | Doc", "Doc"),
            ("\"\"\"One.\n\n    Two.\n    \"\"\"", "One.\n\nTwo."),
            ("r'''x'''", "x"),
            ("@doc \"One.\"", "One."),
            ("@doc ~S\"\"\"\nOne.\n\"\"\"", "One."),
            ("/**/", ""),
            ("", ""),
        ];
        for (comment, expected) in cases {
            assert_eq!(strip(comment, 100), expected, "{comment}");
        }
        assert_eq!(strip("// äöü", 5), "äö");
    }

    #[test]
    fn joins_overlapping_ranges() {
        let ranges = [4..6, 0..2, 5..9, 9..10, 3..3];
        assert_eq!(ordered(ranges.into_iter()), [0..2, 4..9, 9..10]);
    }

    #[test]
    fn scans_by_language() {
        let check = |language: &str, text: &str, expected: &[&str]| {
            let signs = &named(language).expect("a known language").comments;
            let found: Vec<&str> =
                scan(text, signs).into_iter().map(|range| &text[range]).collect();
            assert_eq!(found, expected, "{language}: {text}");
        };
        check("kotlin", "a() // b\n/* c\n d */ e", &["// b", "/* c\n d */"]);
        check("kotlin", "val u = \"http://x // y\" // z", &["// z"]);
        check("bash", "echo $# ${#a} # c\n#d", &["# c", "#d"]);
        check("lua", "x = 1 -- a\n--[[ b\n c ]] y", &["-- a", "--[[ b\n c ]]"]);
        check("sql", "select 1; -- it's\nselect '--'", &["-- it's"]);
        check("css", "a { } /* never closed", &[]);
        check("haskell", "{- a\n-}\nf x = x --b", &["{- a\n-}", "--b"]);
        check("html", "<p><!-- é --></p>", &["<!-- é -->"]);
        check("json", "{\"a\": \"// b\"}", &[]);
    }
}
