//! Headings and fenced blocks of Markdown.

use std::ops::Range;

use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use crate::{
    line_table::LineTable,
    outline::collapsed,
    prose::{Heading, Skeleton},
};

/// Maximum length of a heading's title in characters.
const MAX_TITLE_LEN: usize = 200;

/// Finds the headings outside of lists and quotes, and the fenced blocks.
pub(crate) fn skeleton(text: &str, lines: &LineTable, metadata: &[Range<usize>]) -> Skeleton {
    let start = front_matter(text, metadata);
    let mut skeleton = Skeleton::default();
    let mut depth = 0_usize;
    let mut title: Option<String> = None;
    let parser = Parser::new_ext(&text[start..], Options::ENABLE_HEADING_ATTRIBUTES);
    for (event, range) in parser.into_offset_iter() {
        let range = range.start + start..range.end + start;
        match event {
            Event::Start(Tag::Heading { .. }) if depth == 0 => {
                title = Some(String::new());
                depth += 1;
            }
            Event::End(TagEnd::Heading(level)) => {
                depth = depth.saturating_sub(1);
                if let Some(title) = title.take() {
                    let title = collapsed(&title, MAX_TITLE_LEN);
                    let line = lines.line_of(range.start);
                    skeleton.headings.push(Heading { line, level: number(level), title });
                }
            }
            Event::Start(tag) => {
                if matches!(tag, Tag::CodeBlock(_)) && !range.is_empty() {
                    skeleton.blocks.push(lines.line_of(range.start)..lines.line_after(&range));
                }
                depth += 1;
            }
            Event::End(_) => depth = depth.saturating_sub(1),
            Event::Text(part) | Event::Code(part) => add(&mut title, &part),
            Event::SoftBreak | Event::HardBreak => add(&mut title, &CowStr::Borrowed(" ")),
            _ => {}
        }
    }
    // Metadata is not content, so it has no headings.
    skeleton.headings.retain(|heading| {
        let start = lines.start(heading.line);
        !metadata.iter().any(|range| range.contains(&start))
    });
    skeleton
}

fn add(title: &mut Option<String>, part: &CowStr<'_>) {
    if let Some(title) = title {
        title.push_str(part);
    }
}

fn number(level: HeadingLevel) -> usize {
    level as usize
}

/// Start of the content after front matter, listed as metadata or not. The last line of front
/// matter would otherwise turn the line above into a heading.
fn front_matter(text: &str, metadata: &[Range<usize>]) -> usize {
    let leading = text.len() - text.trim_start_matches(['\u{feff}', '\n', '\r', ' ']).len();
    if let Some(first) = metadata.first().filter(|range| range.start <= leading) {
        return text.floor_char_boundary(first.end);
    }
    let content = &text[leading..];
    let Some(fence) = ["---", "+++"].into_iter().find(|fence| content.starts_with(fence)) else {
        return 0;
    };
    let mut offset = leading;
    for (index, line) in content.split_inclusive('\n').enumerate() {
        offset += line.len();
        if index == 0 && line.trim_end() != fence {
            return 0;
        }
        if index > 0 && line.trim_end() == fence {
            return offset;
        }
        // A thematic break at the top of a text is followed by prose.
        let is_data = line.trim().is_empty()
            || line.starts_with([' ', '\t', '-', '#', ']', '}'])
            || line.contains([':', '=']);
        if index > 0 && !is_data {
            return 0;
        }
    }
    0
}
