//! Splits a text into segments: prose, code spans, lines of fences, and targets of links.
//!
//! A light reader of Markdown, line by line. It also reads spans in double backticks and literal
//! blocks of reStructuredText. Wrong markup yields other segments, never an error.

use crate::statement::{Place, TextFormat};

/// A part of a line.
#[derive(Debug, Clone)]
pub(crate) struct Segment<'a> {
    pub(crate) text: &'a str,
    /// Byte offset in the whole text.
    pub(crate) start: usize,
    /// 0-based line.
    pub(crate) line: usize,
    pub(crate) place: Place,
    /// Language of the fence, lower case; empty elsewhere and if unknown.
    pub(crate) language: &'a str,
    pub(crate) in_table: bool,
    /// The whole line.
    pub(crate) whole: &'a str,
    pub(crate) format: TextFormat,
}

/// An open fence.
struct Fence<'a> {
    mark: u8,
    length: usize,
    language: &'a str,
    /// True if only the lines after a prompt are commands; the others are output.
    has_prompts: bool,
}

/// An indented block of reStructuredText.
struct Literal<'a> {
    indent: usize,
    language: &'a str,
    has_prompts: bool,
}

/// Start of a command in a session.
const PROMPT: &str = "$ ";

/// Roles of reStructuredText and `MyST` whose content is a label.
const LABEL_ROLES: &[&str] =
    &["doc", "ref", "term", "pep", "rfc", "issue", "pr", "user", "cve", "numref"];

/// Returns the segments of a text in order.
pub(crate) fn segments(text: &str, format: TextFormat) -> Vec<Segment<'_>> {
    let mut found = Vec::new();
    let mut fence: Option<Fence<'_>> = None;
    let mut literal: Option<Literal<'_>> = None;
    let mut in_comment = false;
    let mut start = 0;
    for (line, whole) in text.split_inclusive('\n').enumerate() {
        let content = whole.trim_end_matches(['\n', '\r']);
        let segment = |text, at: usize, place| Segment {
            text,
            start: start + at,
            line,
            place,
            language: "",
            in_table: format != TextFormat::Plain && content.trim_start().starts_with('|'),
            whole: content,
            format,
        };
        let rest = text.get(start + whole.len()..).unwrap_or_default();
        let indent = content.len() - content.trim_start().len();
        literal = literal.filter(|open| content.trim().is_empty() || indent > open.indent);
        let is_output =
            |has_prompts: bool| has_prompts && !content.trim_start().starts_with(PROMPT);
        if let Some(open) = &fence {
            if closes(content, open) {
                fence = None;
            } else if !is_output(open.has_prompts) {
                let code = Segment {
                    language: open.language,
                    in_table: false,
                    ..segment(content, 0, Place::Fence)
                };
                found.push(code);
            }
        } else if let Some(open) = &literal {
            if !is_output(open.has_prompts) && !content.trim_start().starts_with(':') {
                let place = Place::Fence;
                found.push(Segment { language: open.language, ..segment(content, 0, place) });
            }
        } else if let Some(mut open) = opened(content) {
            let mut inner = rest.lines().take_while(|line| !closes(line, &open));
            open.has_prompts = inner.any(|line| line.trim_start().starts_with(PROMPT));
            fence = Some(open);
        } else if in_comment {
            in_comment = !content.contains("-->");
        } else {
            let visible = match content.find("<!--") {
                Some(at) if format != TextFormat::Comment => {
                    in_comment = !content[at..].contains("-->");
                    &content[..at]
                }
                _ => content,
            };
            inline(visible, &segment, &mut found);
            if format == TextFormat::Plain {
                literal = literal_after(content, rest);
            }
        }
        start += whole.len();
    }
    found
}

fn opened(line: &str) -> Option<Fence<'_>> {
    let trimmed = line.trim_start_matches([' ', '\t', '>', '*', '-']);
    let mark = *trimmed.as_bytes().first().filter(|byte| matches!(byte, b'`' | b'~'))?;
    let length = trimmed.bytes().take_while(|byte| *byte == mark).count();
    let info = trimmed[length..].trim();
    if length < 3 || info.contains('`') {
        return None;
    }
    let language = info.split(|c: char| !(c.is_alphanumeric() || "+#-_".contains(c))).next();
    Some(Fence { mark, length, language: language.unwrap_or_default(), has_prompts: false })
}

/// The literal block that a line of reStructuredText opens.
fn literal_after<'a>(line: &'a str, rest: &str) -> Option<Literal<'a>> {
    let trimmed = line.trim();
    let indent = line.len() - line.trim_start().len();
    let language = ["code-block::", "code::", "sourcecode::", "prompt::", "parsed-literal::"]
        .iter()
        .find_map(|name| trimmed.strip_prefix(".. ")?.strip_prefix(name));
    let is_paragraph = trimmed.ends_with("::") && !trimmed.starts_with("..");
    let language = language.map(str::trim).or(is_paragraph.then_some(""))?;
    let inner = rest
        .lines()
        .take_while(|line| line.trim().is_empty() || line.len() - line.trim_start().len() > indent);
    let mut inner = inner.map(str::trim_start);
    Some(Literal { indent, language, has_prompts: inner.any(|line| line.starts_with(PROMPT)) })
}

/// Returns true if a text ends with a role whose content is a label: `:doc:`, `{ref}`.
fn is_label(before: &str) -> bool {
    let Some(rest) = before.strip_suffix([':', '}']) else { return false };
    let name = rest.rsplit([':', '{']).next().unwrap_or_default();
    LABEL_ROLES.contains(&name)
}

fn closes(line: &str, fence: &Fence<'_>) -> bool {
    let trimmed = line.trim_start_matches([' ', '\t', '>', '*']).trim_end();
    trimmed.len() >= fence.length && trimmed.bytes().all(|byte| byte == fence.mark)
}

/// Splits a line into prose, spans and targets of links.
fn inline<'a>(
    line: &'a str,
    segment: &dyn Fn(&'a str, usize, Place) -> Segment<'a>,
    found: &mut Vec<Segment<'a>>,
) {
    let bytes = line.as_bytes();
    let mut prose = 0;
    let mut at = 0;
    if let Some((target, from)) = reference(line) {
        found.push(segment(target, from, Place::Link));
        return;
    }
    while at < bytes.len() {
        let found_part = match bytes[at] {
            b'`' => span(line, at).map(|(from, to, next)| (from..to, Place::Span, next)),
            b']' if bytes.get(at + 1) == Some(&b'(') => {
                target(line, at + 2).map(|(from, to, next)| (from..to, Place::Link, next))
            }
            b'=' => attribute(line, at).map(|(from, to)| (from..to, Place::Link, to + 1)),
            _ => None,
        };
        let Some((inner, place, next)) = found_part else {
            // A run of backticks without an end is text.
            let run = bytes[at..].iter().take_while(|byte| **byte == b'`').count();
            at += run.max(1);
            continue;
        };
        if prose < at {
            found.push(segment(&line[prose..at], prose, Place::Prose));
        }
        if !(place == Place::Span && is_label(&line[..at])) {
            found.push(segment(&line[inner.clone()], inner.start, place));
        }
        prose = next;
        at = next;
    }
    if prose < line.len() {
        found.push(segment(&line[prose..], prose, Place::Prose));
    }
}

/// The target of a line `[label]: target`, and its offset.
fn reference(line: &str) -> Option<(&str, usize)> {
    let trimmed = line.trim_start();
    let label = trimmed.strip_prefix('[').filter(|rest| !rest.starts_with('^'))?;
    let (_, rest) = label.split_once("]:")?;
    let target = rest.split_whitespace().next()?.trim_matches(['<', '>', '`']);
    let from = target.as_ptr() as usize - line.as_ptr() as usize;
    Some((target, from))
}

/// The content of a code span that starts at `at`, and the offset behind it.
fn span(line: &str, at: usize) -> Option<(usize, usize, usize)> {
    let bytes = line.as_bytes();
    let ticks = bytes[at..].iter().take_while(|byte| **byte == b'`').count();
    let from = at + ticks;
    let mut end = from;
    while end < bytes.len() {
        if bytes[end] != b'`' {
            end += 1;
            continue;
        }
        let run = bytes[end..].iter().take_while(|byte| **byte == b'`').count();
        if run == ticks {
            return Some((from, end, end + run));
        }
        end += run;
    }
    None
}

/// The target of an inline link that starts at `from`, and the offset behind it.
fn target(line: &str, from: usize) -> Option<(usize, usize, usize)> {
    let mut depth = 0_usize;
    for (offset, byte) in line.as_bytes()[from..].iter().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' if depth == 0 => {
                let inner = &line[from..from + offset];
                let lead = inner.len() - inner.trim_start().len();
                let length = match inner.trim_start().strip_prefix('<') {
                    Some(rest) => return angle(from + lead + 1, rest, from + offset + 1),
                    None => inner.trim_start().find(char::is_whitespace),
                };
                let to = length.map_or(from + inner.trim_end().len(), |end| from + lead + end);
                return Some((from + lead, to.max(from + lead), from + offset + 1));
            }
            b')' => depth -= 1,
            _ => {}
        }
    }
    None
}

fn angle(from: usize, rest: &str, next: usize) -> Option<(usize, usize, usize)> {
    let end = rest.find('>')?;
    Some((from, from + end, next))
}

/// The value of an HTML attribute `href` or `src` whose `=` is at `at`.
fn attribute(line: &str, at: usize) -> Option<(usize, usize)> {
    let name = &line[..at];
    let quote = *line.as_bytes().get(at + 1).filter(|byte| matches!(byte, b'"' | b'\''))?;
    let is_link = [" href", " src"].iter().any(|wanted| name.ends_with(wanted));
    if !is_link || !name.contains('<') {
        return None;
    }
    let end = line[at + 2..].find(char::from(quote))?;
    Some((at + 2, at + 2 + end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> Vec<(Place, String)> {
        let all = segments(text, TextFormat::Markdown);
        all.into_iter().map(|part| (part.place, part.text.to_owned())).collect()
    }

    #[test]
    fn spans_links_and_fences_are_separated() {
        let text = "See `a b` in [x](y.md \"t\").\n```rust\nlet a;\n```\n[z]: ../z.md\n";
        assert_eq!(
            parts(text),
            [
                (Place::Prose, "See ".to_owned()),
                (Place::Span, "a b".to_owned()),
                (Place::Prose, " in [x".to_owned()),
                (Place::Link, "y.md".to_owned()),
                (Place::Prose, ".".to_owned()),
                (Place::Fence, "let a;".to_owned()),
                (Place::Link, "../z.md".to_owned()),
            ]
        );
    }

    #[test]
    fn output_and_labels_are_skipped() {
        let text = "```console\n$ run a\nout b\n```\nSee {doc}`c`.\n";
        let places = parts(text);
        assert!(places.contains(&(Place::Fence, "$ run a".to_owned())), "{places:?}");
        assert!(!places.iter().any(|(_, text)| text.contains("out") || text == "c"), "{places:?}");
        let all = segments("Like this::\n\n    run(d)\n\nend", TextFormat::Plain);
        assert!(all.iter().any(|part| part.place == Place::Fence && part.text.contains("run(d)")));
    }

    #[test]
    fn html_links_and_comments_are_recognised() {
        let text = "<img src=\"a.png\"> b\n<!-- c\nd\n--> e\nf `";
        let places = parts(text);
        assert!(places.contains(&(Place::Link, "a.png".to_owned())), "{places:?}");
        assert!(!places.iter().any(|(_, text)| text.contains('d')), "{places:?}");
    }
}
