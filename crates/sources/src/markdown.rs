//! The parts of Markdown that format readers need: headings, sections, and bold labels with
//! metadata. Chunking is not done here.

use std::ops::Range;

/// A line of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Line<'a> {
    /// Byte range, including the line end.
    pub range: Range<usize>,
    /// Text without trailing whitespace.
    pub text: &'a str,
    /// True if the line is inside a code fence (including the fences) or an HTML comment.
    pub verbatim: bool,
}

/// Yields the lines of a page from a byte offset on.
pub(crate) fn lines(text: &str, from: usize) -> impl Iterator<Item = Line<'_>> {
    let mut offset = from;
    let mut fence: Option<(char, usize)> = None;
    let mut comment = false;
    text[from..].split_inclusive('\n').map(move |line| {
        let range = offset..offset + line.len();
        offset = range.end;
        let content = line.trim();
        let mut verbatim = true;
        if let Some((sign, length)) = fence {
            let run = content.chars().take_while(|&character| character == sign).count();
            if run >= length && content.trim_start_matches(sign).is_empty() {
                fence = None;
            }
        } else if comment {
            comment = !content.contains("-->");
        } else if let Some(opened) = fence_start(content) {
            fence = Some(opened);
        } else if content.starts_with("<!--") {
            comment = !content.contains("-->");
        } else {
            verbatim = false;
        }
        Line { range, text: line.trim_end(), verbatim }
    })
}

fn fence_start(content: &str) -> Option<(char, usize)> {
    let sign = content.chars().next().filter(|&character| character == '`' || character == '~')?;
    let length = content.chars().take_while(|&character| character == sign).count();
    // "```code```" on one line is a span of code, not a fence.
    (length >= 3 && !(sign == '`' && content[length..].contains('`'))).then_some((sign, length))
}

/// Returns the level and the text of a heading line such as `## Text ##`.
pub(crate) fn heading(line: &str) -> Option<(usize, &str)> {
    let level = line.bytes().take_while(|&byte| byte == b'#').count();
    let rest = &line[level..];
    if !(1..=6).contains(&level) || !(rest.is_empty() || rest.starts_with([' ', '\t'])) {
        return None;
    }
    let text = rest.trim();
    let open = text.trim_end_matches('#');
    let text = if open.is_empty() || open.ends_with([' ', '\t']) { open.trim_end() } else { text };
    let text = text
        .strip_prefix("**")
        .and_then(|text| text.strip_suffix("**"))
        .filter(|text| !text.contains("**"))
        .unwrap_or(text);
    Some((level, text))
}

/// Returns the text of the first first-level heading.
pub(crate) fn first_heading(text: &str, from: usize) -> Option<&str> {
    lines(text, from)
        .filter(|line| !line.verbatim)
        .find_map(|line| heading(line.text).filter(|(level, _)| *level == 1))
        .map(|(_, title)| title)
        .filter(|title| !title.is_empty())
}

/// Returns whether a path names a Markdown file.
pub(crate) fn is_markdown(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, extension)| {
        extension.eq_ignore_ascii_case("md") || extension.eq_ignore_ascii_case("markdown")
    })
}

/// A heading and the text below it, up to the next heading of the requested levels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Section<'a> {
    /// Level of the heading; 0 for the text before the first one.
    pub level: usize,
    /// Text of the heading.
    pub title: &'a str,
    /// Text after the heading line.
    pub body: &'a str,
}

/// Splits a page at its headings down to a level. The first section is the text before them.
pub(crate) fn sections(text: &str, from: usize, deepest: usize) -> Vec<Section<'_>> {
    let mut sections = Vec::new();
    let mut open = (0, "", from);
    for line in lines(text, from).filter(|line| !line.verbatim) {
        if let Some((level, title)) = heading(line.text).filter(|(level, _)| *level <= deepest) {
            let (open_level, open_title, start) = open;
            let body = &text[start..line.range.start];
            sections.push(Section { level: open_level, title: open_title, body });
            open = (level, title, line.range.end);
        }
    }
    let (level, title, start) = open;
    sections.push(Section { level, title, body: &text[start..] });
    sections
}

/// Returns the labelled values of a line such as `> **Status**: Done · **Tags**: a, b` or
/// `**State:** OPEN`, as pairs of name and value. Empty unless the line starts with a label.
pub(crate) fn labels(line: &str) -> Vec<(&str, &str)> {
    let line =
        line.trim_start_matches(|character: char| character.is_whitespace() || character == '>');
    let line = line.strip_prefix("- ").or_else(|| line.strip_prefix("* ")).unwrap_or(line).trim();
    let mut found: Vec<(&str, usize, usize)> = Vec::new();
    let mut at = 0;
    while let Some(open) = line[at..].find("**").map(|position| at + position) {
        let Some(close) = line[open + 2..].find("**").map(|position| open + 2 + position) else {
            break;
        };
        let (name, after) = (line[open + 2..close].trim(), close + 2);
        if let Some(name) = name.strip_suffix(COLONS) {
            found.push((name.trim(), open, after));
            at = after;
        } else if line[after..].trim_start().starts_with(COLONS) && !name.is_empty() {
            let colon = after + line[after..].find(COLONS).unwrap_or(0);
            let width = line[colon..].chars().next().map_or(0, char::len_utf8);
            found.push((name, open, colon + width));
            at = colon + width;
        } else {
            // Bold words inside a value.
            at = after;
        }
    }
    if found.first().is_none_or(|(_, open, _)| *open != 0) {
        return Vec::new();
    }
    let ends = found.iter().skip(1).map(|(_, open, _)| *open).chain([line.len()]);
    found
        .iter()
        .zip(ends)
        .map(|((name, _, start), end)| (*name, value(&line[*start..end])))
        .collect()
}

const COLONS: [char; 2] = [':', '\u{ff1a}'];

/// Removes the separators around a value. A wrongly decoded middle dot ends in the two characters
/// "Â·".
fn value(text: &str) -> &str {
    text.trim_matches(|character: char| {
        character.is_whitespace() || matches!(character, '·' | '|' | '•' | 'Â' | '\\')
    })
}

/// Removes the symbol before a value: `✅ Complete` becomes `Complete`, also if the symbol was
/// decoded wrongly (`âœ… Complete`).
pub(crate) fn without_sign(value: &str) -> &str {
    match value.split_once(char::is_whitespace) {
        Some((sign, rest))
            if !sign.chars().any(|character| character.is_ascii_alphanumeric())
                && rest.contains(|character: char| character.is_alphanumeric()) =>
        {
            rest.trim()
        }
        _ => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings() {
        for (line, expected) in [
            ("# Title", Some((1, "Title"))),
            ("## Two ##", Some((2, "Two"))),
            ("# C#", Some((1, "C#"))),
            ("# **Bold**", Some((1, "Bold"))),
            ("#tag", None),
            ("####### seven", None),
            ("#", Some((1, ""))),
            ("text", None),
        ] {
            assert_eq!(heading(line), expected, "{line}");
        }
    }

    #[test]
    fn code_and_comments_have_no_headings() {
        let text = "<!--\n# not\n-->\n```sh\n# not\n~~~\n```\n```inline``` x\n# Yes\n~~~\n# not\n";
        assert_eq!(first_heading(text, 0), Some("Yes"));
        assert_eq!(sections(text, 0, 6).len(), 2);
    }

    #[test]
    fn labels_of_a_line() {
        for (line, expected) in [
            (
                "> **Status**: ✅ Complete · **Priority**: High · **Tags**: a, b  ",
                vec![("Status", "✅ Complete"), ("Priority", "High"), ("Tags", "a, b")],
            ),
            (
                "> **Status**: âœ… Done Â· **Priority**: Low",
                vec![("Status", "âœ… Done"), ("Priority", "Low")],
            ),
            ("**State:** OPEN", vec![("State", "OPEN")]),
            ("- **Owner**: **me** and you", vec![("Owner", "**me** and you")]),
            ("**状態**：草稿", vec![("状態", "草稿")]),
            ("**Empty**:", vec![("Empty", "")]),
            ("some **Bold**: text", vec![]),
            ("**Bold** text", vec![]),
            ("**", vec![]),
            ("****", vec![]),
            ("**:**", vec![("", "")]),
        ] {
            assert_eq!(labels(line), expected, "{line}");
        }
    }

    #[test]
    fn symbols_before_values_are_removed() {
        for (value, expected) in [
            ("✅ Complete", "Complete"),
            ("âœ… Complete", "Complete"),
            ("In progress", "In progress"),
            ("ドラフト", "ドラフト"),
            ("- -", "- -"),
        ] {
            assert_eq!(without_sign(value), expected);
        }
    }
}
