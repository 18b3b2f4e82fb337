//! Code as HTML: lines with the colours of their language, marks at the words of a query, and links at names.

use std::{fmt::Write as _, ops::Range};

use lore_highlight::{Class, Span};
use maud::{Markup, PreEscaped};

/// Text with its characters escaped.
pub(crate) fn escape(text: &str, out: &mut String) {
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // Control characters are shown as symbols, and those that reorder text as their code.
            '\u{0}'..='\u{8}' | '\u{b}'..='\u{c}' | '\u{e}'..='\u{1f}' | '\u{7f}'..='\u{9f}' => {
                out.push('\u{fffd}');
            }
            _ if lore_console::text::is_reordering(character) => {
                let _ = write!(out, "<span class=\"ctl\">U+{:04X}</span>", u32::from(character));
            }
            _ => out.push(character),
        }
    }
}

/// Short names of classes in the style sheet. Brackets and operators have the colour of the text: most of
/// the size of a page would be their elements.
fn name(class: Class) -> Option<&'static str> {
    Some(match class {
        Class::Attribute => "a",
        Class::Comment => "c",
        Class::Constant => "k",
        Class::Function => "f",
        Class::Heading => "h",
        Class::Keyword => "w",
        Class::Number => "n",
        Class::Property => "p",
        Class::String => "s",
        Class::Type => "t",
        Class::Operator | Class::Punctuation => return None,
    })
}

/// Address of a name in a line, given by its byte column.
pub(crate) type LinkOf<'a> = &'a dyn Fn(usize, &str) -> Option<String>;

/// Writes a line. `spans` and `marks` are byte ranges in it, sorted and disjoint.
pub(crate) fn line(
    text: &str,
    spans: &[Span],
    marks: &[Range<usize>],
    link_of: Option<LinkOf<'_>>,
    out: &mut String,
) {
    let (mut spans, mut marks) = (spans.iter().peekable(), marks.iter().peekable());
    let mut start = 0;
    while start < text.len() {
        while spans.next_if(|span| span.range.end <= start).is_some() {}
        while marks.next_if(|mark| mark.end <= start).is_some() {}
        let (mut end, mut class, mut is_marked) = (text.len(), None, false);
        if let Some(span) = spans.peek() {
            let is_inside = span.range.start <= start;
            class = is_inside.then_some(span.class);
            end = end.min(if is_inside { span.range.end } else { span.range.start });
        }
        if let Some(mark) = marks.peek() {
            is_marked = mark.start <= start;
            end = end.min(if is_marked { mark.end } else { mark.start });
        }
        // A range of another text could end inside a character.
        let end = text.ceil_char_boundary(end);
        let piece = &text[start..end];
        let is_name = matches!(class, Some(Class::Function | Class::Type));
        let link = link_of.filter(|_| is_name).and_then(|link_of| link_of(start, piece));
        if is_marked {
            out.push_str("<mark>");
        }
        let class = class.and_then(name);
        match (&link, class) {
            (Some(link), class) => {
                out.push_str("<a class=\"");
                out.push_str(class.unwrap_or_default());
                out.push_str("\" href=\"");
                escape(link, out);
                out.push_str("\">");
            }
            (None, Some(class)) => {
                out.push_str("<i class=");
                out.push_str(class);
                out.push('>');
            }
            (None, None) => {}
        }
        escape(piece, out);
        match (&link, class) {
            (Some(_), _) => out.push_str("</a>"),
            (None, Some(_)) => out.push_str("</i>"),
            (None, None) => {}
        }
        if is_marked {
            out.push_str("</mark>");
        }
        start = end;
    }
}

/// A passage of code with line numbers that link to its file. `marks` are ranges of characters in the text.
pub(crate) fn passage(
    text: &str,
    language: Option<&str>,
    first: u32,
    marks: &[(usize, usize)],
    address: &dyn Fn(u32) -> String,
) -> Markup {
    let spans = lore_highlight::highlight(text, language);
    let lines = lore_highlight::in_lines(text, &spans);
    let marks = byte_ranges(text, marks);
    let mut out = String::with_capacity(text.len() * 2 + 128);
    out.push_str("<pre class=passage tabindex=0>");
    let (mut number, mut start) = (first, 0);
    for (index, whole) in text.split_inclusive('\n').enumerate() {
        let content = whole.trim_end_matches('\n').trim_end_matches('\r');
        let end = start + content.len();
        let inside: Vec<Range<usize>> = marks
            .iter()
            .filter(|mark| mark.start < end && start < mark.end)
            .map(|mark| mark.start.max(start) - start..mark.end.min(end) - start)
            .collect();
        out.push_str("<a class=no tabindex=-1 href=\"");
        escape(&address(number), &mut out);
        out.push_str("\">");
        out.push_str(&number.to_string());
        out.push_str("</a>");
        let spans = lines.get(index).map(Vec::as_slice).unwrap_or_default();
        line(content, spans, &inside, None, &mut out);
        out.push('\n');
        start += whole.len();
        number += 1;
    }
    out.push_str("</pre>");
    PreEscaped(out)
}

/// A text with marks, on one line.
pub(crate) fn marked(text: &str, marks: &[(usize, usize)]) -> Markup {
    let mut out = String::new();
    line(text, &[], &byte_ranges(text, marks), None, &mut out);
    PreEscaped(out)
}

/// Converts ranges of characters to ranges of bytes.
fn byte_ranges(text: &str, marks: &[(usize, usize)]) -> Vec<Range<usize>> {
    if marks.is_empty() {
        return Vec::new();
    }
    let offsets: Vec<usize> =
        text.char_indices().map(|(at, _)| at).chain(std::iter::once(text.len())).collect();
    let byte = |at: usize| offsets.get(at).copied().unwrap_or(text.len());
    marks.iter().map(|(start, end)| byte(*start)..byte(*end)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_and_colours_overlap() {
        let text = "let größe = \"a<b\";";
        let spans = lore_highlight::highlight(text, Some("rust"));
        let mut out = String::new();
        line(text, &spans, &byte_ranges(text, &[(4, 9)]), None, &mut out);
        assert_eq!(
            out,
            "<i class=w>let</i> <mark>größe</mark> = <i class=s>&quot;a&lt;b&quot;</i>;"
        );
    }

    #[test]
    fn nothing_of_a_text_is_markup() {
        let text = "</pre><script>alert(1)</script>\u{202e}\u{1b}[31m";
        let page = passage(text, None, 1, &[], &|_| "\"><b>".to_owned()).into_string();
        assert!(!page.contains("<script") && !page.contains("\"><b>"), "{page}");
        assert!(!page.contains('\u{1b}') && !page.contains('\u{202e}'), "{page}");
    }

    #[test]
    fn lines_have_numbers() {
        let page = passage("a\nb\n", None, 7, &[(2, 3)], &|line| format!("#L{line}"));
        assert_eq!(
            page.into_string(),
            "<pre class=passage tabindex=0><a class=no tabindex=-1 href=\"#L7\">7</a>a\n\
             <a class=no tabindex=-1 href=\"#L8\">8</a><mark>b</mark>\n</pre>"
        );
    }
}
