//! Cuts prose at headings, long sections at paragraphs, and joins tiny ones.

use std::ops::Range;

use crate::{
    language::Prose,
    limits::{MAX_NESTING, MAX_SECTION, MIN_SECTION, TARGET},
    line_table::LineTable,
    lines, markdown,
};

/// Cost of a cut inside a fenced block: more than any distance.
const IN_BLOCK: f32 = 6.0;

/// A heading.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Heading {
    /// Its first line, from 0.
    pub(crate) line: usize,
    /// Depth, from 1.
    pub(crate) level: usize,
    /// Its text.
    pub(crate) title: String,
}

/// Structure of a prose text, found before it is cut.
#[derive(Debug, Default)]
pub(crate) struct Skeleton {
    /// Headings in text order.
    pub(crate) headings: Vec<Heading>,
    /// Lines of blocks that should not be cut, in text order: fenced code, listings.
    pub(crate) blocks: Vec<Range<usize>>,
}

/// A range of lines under a heading that becomes one chunk.
#[derive(Debug)]
pub(crate) struct Section {
    /// The lines, from 0.
    pub(crate) lines: Range<usize>,
    /// The enclosing headings, outermost first, and its own.
    pub(crate) breadcrumb: Vec<String>,
    level: usize,
}

/// Cuts all lines of a text into sections, in order and without gaps.
pub(crate) fn sections(
    text: &str,
    lines: &LineTable,
    prose: Prose,
    metadata: &[Range<usize>],
) -> Vec<Section> {
    let skeleton = match prose {
        Prose::Asciidoc => marked(text, lines, '=', &["----", "....", "++++", "////"]),
        Prose::Markdown => markdown::skeleton(text, lines, metadata),
        Prose::Org => marked(text, lines, '*', &[]),
        Prose::Plain => Skeleton::default(),
        Prose::Rst => underlined(text, lines),
    };
    let whole = join(text, lines, by_heading(lines, skeleton.headings));
    let mut sections = Vec::with_capacity(whole.len());
    for section in whole {
        if lines.size(&section.lines) <= MAX_SECTION {
            sections.push(section);
            continue;
        }
        let preference = |line: usize| {
            let next = skeleton.blocks.partition_point(|block| block.end <= line);
            let inside = skeleton.blocks.get(next).is_some_and(|block| block.start < line);
            lines::preference(text, lines, line) - if inside { IN_BLOCK } else { 0.0 }
        };
        for part in lines::split(lines, section.lines.clone(), TARGET, preference) {
            let breadcrumb = section.breadcrumb.clone();
            sections.push(Section { lines: part, breadcrumb, level: section.level });
        }
    }
    sections
}

/// Makes one section for each heading, and one for the text before the first.
fn by_heading(lines: &LineTable, headings: Vec<Heading>) -> Vec<Section> {
    let first = headings.first().map_or(lines.count(), |heading| heading.line);
    let mut sections = vec![Section { lines: 0..first, breadcrumb: Vec::new(), level: 0 }];
    let mut path: Vec<(usize, String)> = Vec::new();
    let mut headings = headings.into_iter().peekable();
    while let Some(heading) = headings.next() {
        let end = headings.peek().map_or(lines.count(), |next| next.line);
        while path.last().is_some_and(|(level, _)| *level >= heading.level) {
            path.pop();
        }
        path.push((heading.level, heading.title));
        let names = path.iter().map(|(_, title)| title.clone()).filter(|title| !title.is_empty());
        sections.push(Section {
            lines: heading.line..end,
            breadcrumb: names.take(MAX_NESTING).collect(),
            level: heading.level,
        });
    }
    sections.retain(|section| !section.lines.is_empty());
    sections
}

/// Joins a tiny section with its first subsection, and tiny neighbours with each other.
fn join(text: &str, lines: &LineTable, sections: Vec<Section>) -> Vec<Section> {
    let is_tiny = |section: &Section| text[lines.bytes(&section.lines)].trim().len() < MIN_SECTION;
    let mut joined: Vec<Section> = Vec::with_capacity(sections.len());
    for section in sections {
        if let Some(last) = joined.last_mut()
            && is_tiny(last)
            && lines.size(&last.lines) + lines.size(&section.lines) <= MAX_SECTION
        {
            if section.level > last.level {
                *last = Section { lines: last.lines.start..section.lines.end, ..section };
                continue;
            }
            if section.level == last.level && is_tiny(&section) {
                last.lines.end = section.lines.end;
                continue;
            }
        }
        joined.push(section);
    }
    joined
}

/// Finds headings that start with a repeated sign: `== Heading`.
fn marked(text: &str, lines: &LineTable, sign: char, fences: &[&str]) -> Skeleton {
    let mut skeleton = Skeleton::default();
    let mut fence: Option<(&str, usize)> = None;
    for line in 0..lines.count() {
        let content = lines.text(text, line).trim_end();
        match fence {
            Some((open, start)) => {
                if content == open {
                    skeleton.blocks.push(start..line + 1);
                    fence = None;
                }
                continue;
            }
            None if fences.contains(&content) => {
                fence = Some((content, line));
                continue;
            }
            None => {}
        }
        let title = content.trim_start_matches(sign);
        let level = content.len() - title.len();
        if let Some(title) = title.strip_prefix(' ')
            && (1..=MAX_NESTING).contains(&level)
            && !title.trim().is_empty()
        {
            skeleton.headings.push(Heading { line, level, title: title.trim().to_owned() });
        }
    }
    skeleton
}

/// Finds titles with a line of punctuation below, and possibly above, as in reStructuredText. The
/// level of a style is set by the order of first appearance.
fn underlined(text: &str, lines: &LineTable) -> Skeleton {
    let mut skeleton = Skeleton::default();
    let mut styles: Vec<(char, bool)> = Vec::new();
    let mut line = 1;
    while line < lines.count() {
        let title = lines.text(text, line - 1).trim_end();
        let mark = rule(lines.text(text, line));
        let over = line >= 2 && mark.is_some() && rule(lines.text(text, line - 2)) == mark;
        let indented = title.starts_with(char::is_whitespace) && !over;
        line += 1;
        let Some((sign, length)) = mark else { continue };
        if title.trim().is_empty()
            || indented
            || rule(title).is_some()
            || length < title.chars().count().min(4)
        {
            continue;
        }
        let style = (sign, over);
        let level = styles.iter().position(|known| *known == style).unwrap_or_else(|| {
            styles.push(style);
            styles.len() - 1
        });
        skeleton.headings.push(Heading {
            line: line - 2 - usize::from(over),
            level: level + 1,
            title: title.trim().to_owned(),
        });
        line += 1;
    }
    skeleton
}

/// The sign and the length of a line that repeats one punctuation sign at least three times.
fn rule(line: &str) -> Option<(char, usize)> {
    let line = line.trim_end();
    let sign = line.chars().next().filter(char::is_ascii_punctuation)?;
    (line.len() >= 3 && line.chars().all(|letter| letter == sign)).then_some((sign, line.len()))
}

#[cfg(test)]
mod tests;
