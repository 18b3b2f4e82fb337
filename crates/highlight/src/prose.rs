//! Prose: headings, code, quotations and lists of Markdown.

use crate::{
    highlight,
    spans::{Class, Span, Spans},
};

/// Classifies the parts of a Markdown text. Fenced code has the classes of its language.
pub(crate) fn markdown(text: &str) -> Vec<Span> {
    let mut spans = Spans::default();
    let mut start = 0;
    let mut fence: Option<Fence> = None;
    for line in text.split_inclusive('\n') {
        let content = line.trim_end();
        let trimmed = content.trim_start();
        let indent = content.len() - trimmed.len();
        let sign = ["```", "~~~"].into_iter().find(|sign| trimmed.starts_with(sign));
        match (&fence, sign) {
            (None, Some(sign)) => {
                spans.push(start + indent..start + content.len(), Class::Punctuation);
                let language =
                    trimmed[sign.len()..].split([' ', ',', '{']).next().unwrap_or_default();
                let language = language.trim_start_matches('`').to_owned();
                fence = Some(Fence { sign, language, start: start + line.len() });
            }
            (Some(open), Some(sign)) if open.sign == sign => {
                code(text, open, start, &mut spans);
                spans.push(start + indent..start + content.len(), Class::Punctuation);
                fence = None;
            }
            (Some(_), _) => {}
            (None, None) => line_of_prose(content, trimmed, start, &mut spans),
        }
        start += line.len();
    }
    if let Some(open) = fence {
        code(text, &open, text.len(), &mut spans);
    }
    spans.into_vec()
}

/// Classifies the headings of other prose: lines that start with the signs of `AsciiDoc` or Org.
pub(crate) fn plain(text: &str) -> Vec<Span> {
    let mut spans = Spans::default();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let signs = line.len() - line.trim_start_matches(['=', '*']).len();
        if signs > 0 && line[signs..].starts_with(' ') {
            spans.push(start..start + line.trim_end().len(), Class::Heading);
        }
        start += line.len();
    }
    spans.into_vec()
}

/// An open fence.
struct Fence {
    sign: &'static str,
    language: String,
    /// Offset of the code.
    start: usize,
}

fn code(text: &str, fence: &Fence, end: usize, spans: &mut Spans) {
    let Some(code) = text.get(fence.start..end) else { return };
    // A fence in fenced Markdown does not nest.
    let language = Some(fence.language.as_str()).filter(|name| !matches!(*name, "md" | "markdown"));
    spans.extend(fence.start, highlight(code, language));
}

fn line_of_prose(content: &str, trimmed: &str, start: usize, spans: &mut Spans) {
    let indent = content.len() - trimmed.len();
    let heading = trimmed.len() - trimmed.trim_start_matches('#').len();
    if (1..=6).contains(&heading) && trimmed[heading..].starts_with(' ') {
        spans.push(start..start + content.len(), Class::Heading);
        return;
    }
    if trimmed.starts_with("> ") {
        spans.push(start + indent..start + indent + 1, Class::Punctuation);
    } else if trimmed.starts_with("- ") || trimmed.starts_with("* ") || trimmed.starts_with("+ ") {
        spans.push(start + indent..start + indent + 1, Class::Keyword);
    }
    inline_code(content, start, spans);
}

/// Code between equal runs of backticks on one line.
fn inline_code(content: &str, start: usize, spans: &mut Spans) {
    let mut at = 0;
    while let Some(found) = content[at..].find('`') {
        let open = at + found;
        let run = content[open..].len() - content[open..].trim_start_matches('`').len();
        let sign = &content[open..open + run];
        let Some(length) = content[open + run..].find(sign) else { return };
        at = open + run + length + run;
        spans.push(start + open..start + at, Class::String);
    }
}
