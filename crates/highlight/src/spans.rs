//! Classified ranges of a text.

use std::ops::Range;

/// Class of a part of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// An annotation, decorator or attribute of a definition.
    Attribute,
    /// A comment.
    Comment,
    /// A constant: `true`, `null`, `MAX_SIZE`.
    Constant,
    /// The name of a function, method or macro.
    Function,
    /// A heading of prose.
    Heading,
    /// A word that the language reserves, or the name of an element.
    Keyword,
    /// A number.
    Number,
    /// An operator.
    Operator,
    /// A field, a key of data or an attribute of an element.
    Property,
    /// Brackets and separators.
    Punctuation,
    /// A string, or code in prose.
    String,
    /// The name of a type.
    Type,
}

impl Class {
    /// All classes, sorted by name.
    pub const ALL: &'static [Class] = &[
        Class::Attribute,
        Class::Comment,
        Class::Constant,
        Class::Function,
        Class::Heading,
        Class::Keyword,
        Class::Number,
        Class::Operator,
        Class::Property,
        Class::Punctuation,
        Class::String,
        Class::Type,
    ];

    /// The name, for style sheets.
    pub fn as_str(self) -> &'static str {
        match self {
            Class::Attribute => "attribute",
            Class::Comment => "comment",
            Class::Constant => "constant",
            Class::Function => "function",
            Class::Heading => "heading",
            Class::Keyword => "keyword",
            Class::Number => "number",
            Class::Operator => "operator",
            Class::Property => "property",
            Class::Punctuation => "punctuation",
            Class::String => "string",
            Class::Type => "type",
        }
    }
}

/// A part of a text with its class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// Range in bytes, at character boundaries, not empty.
    pub range: Range<usize>,
    /// The class.
    pub class: Class,
}

/// Splits the spans of a text at its line ends. Returns the spans of each line of [`str::lines`], with
/// ranges in the line.
pub fn in_lines(text: &str, spans: &[Span]) -> Vec<Vec<Span>> {
    let mut lines = Vec::new();
    let mut start = 0;
    let mut rest = spans;
    for line in text.split_inclusive('\n') {
        let next = start + line.len();
        let end = start + line.trim_end_matches('\n').trim_end_matches('\r').len();
        let mut inside = Vec::new();
        while let Some(span) = rest.first() {
            if span.range.start >= next {
                break;
            }
            let range = span.range.start.max(start)..span.range.end.min(end);
            if range.start < range.end {
                inside.push(Span { range: range.start - start..range.end - start, ..*span });
            }
            if span.range.end > next {
                break;
            }
            rest = &rest[1..];
        }
        lines.push(inside);
        start = next;
    }
    lines
}

/// Collects spans in order.
#[derive(Debug, Default)]
pub(crate) struct Spans(Vec<Span>);

impl Spans {
    /// Adds a span; one of the same class that touches the last one extends it.
    pub(crate) fn push(&mut self, range: Range<usize>, class: Class) {
        if range.is_empty() {
            return;
        }
        match self.0.last_mut() {
            Some(last) if last.class == class && last.range.end == range.start => {
                last.range.end = range.end;
            }
            _ => self.0.push(Span { range, class }),
        }
    }

    /// Adds the spans of a part that begins at an offset.
    pub(crate) fn extend(&mut self, offset: usize, spans: Vec<Span>) {
        for Span { range, class } in spans {
            self.push(range.start + offset..range.end + offset, class);
        }
    }

    pub(crate) fn into_vec(self) -> Vec<Span> {
        self.0
    }
}
