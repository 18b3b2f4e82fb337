//! JSON with comments and trailing commas, read with the span of every token.
//!
//! `jsonc-parser` parses the text. Its syntax tree can be edited and written too, but it chooses the
//! whitespace itself, so that removing an entry could not restore the file byte for byte. Edits are
//! therefore cut into the text (`edit.rs`): comments, spacing, the order of keys and repeated keys
//! stay as they are.

mod edit;
mod style;

use std::{borrow::Cow, ops::Range};

use jsonc_parser::{
    CollectOptions, CommentCollectionStrategy, ParseOptions, ParseStringErrorKind, Scanner,
    ScannerOptions,
    ast::{self, ObjectPropName},
    common::Ranged as _,
    errors::{ParseError, ParseErrorKind},
    parse_to_ast,
    tokens::Token as ParsedToken,
};
use serde_json::{Map, Value};

pub(super) use self::edit::{insert, present, remove};
use super::Problem;

/// The syntax that agents accept: JSON, comments and trailing commas.
const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_loose_object_property_names: false,
    allow_trailing_commas: true,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// A token or a comment; only whitespace is between two of them.
#[derive(Debug, Clone)]
struct Token {
    is_comment: bool,
    span: Range<usize>,
}

/// A value and its span.
#[derive(Debug, Clone)]
struct Node {
    span: Range<usize>,
    content: Content,
}

#[derive(Debug, Clone)]
enum Content {
    Object(Vec<Item>),
    Array(Vec<Item>),
    Scalar,
}

/// A member of an object or an element of a list.
#[derive(Debug, Clone)]
struct Item {
    /// `None` in a list.
    key: Option<String>,
    /// The start of the key, or of the value in a list.
    start: usize,
    value: Node,
    /// The offset of the comma after it.
    comma: Option<usize>,
}

impl Item {
    fn span(&self) -> Range<usize> {
        self.start..self.value.span.end
    }
}

impl Node {
    fn items(&self) -> &[Item] {
        match &self.content {
            Content::Object(items) | Content::Array(items) => items,
            Content::Scalar => &[],
        }
    }

    /// Name of its type in a message.
    fn name(&self) -> &'static str {
        match self.content {
            Content::Object(_) => "an object",
            Content::Array(_) => "a list",
            Content::Scalar => "a single value",
        }
    }

    /// The value without spans; `None` if a number is out of range.
    fn value(&self, text: &str) -> Option<Value> {
        match &self.content {
            Content::Object(items) => {
                let mut map = Map::new();
                for item in items {
                    map.insert(item.key.clone()?, item.value.value(text)?);
                }
                Some(Value::Object(map))
            }
            Content::Array(items) => items
                .iter()
                .map(|item| item.value.value(text))
                .collect::<Option<_>>()
                .map(Value::Array),
            Content::Scalar => serde_json::from_str(&text[self.span.clone()]).ok(),
        }
    }
}

/// A parsed text.
struct Document {
    tokens: Vec<Token>,
    /// The value; `None` in a text of whitespace and comments.
    root: Option<Node>,
}

impl Document {
    /// Parses a text.
    fn parse(text: &str) -> Result<Document, Problem> {
        let shift = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let readable = without_surrogates(&text[shift..]);
        let collect =
            CollectOptions { comments: CommentCollectionStrategy::AsTokens, tokens: true };
        let parsed = parse_to_ast(&readable, &collect, &OPTIONS)
            .map_err(|error| problem(text, shift, &error))?;
        let mut tokens = Vec::new();
        let mut end = shift;
        for parsed in parsed.tokens.unwrap_or_default() {
            let span = shift + parsed.range.start..shift + parsed.range.end;
            check_whitespace(text, end..span.start)?;
            if matches!(parsed.token, ParsedToken::String(_)) {
                check_string(text, span.clone())?;
            }
            end = span.end;
            let is_comment =
                matches!(parsed.token, ParsedToken::CommentLine(_) | ParsedToken::CommentBlock(_));
            tokens.push(Token { is_comment, span });
        }
        check_whitespace(text, end..text.len())?;
        let builder = NodeBuilder { text, tokens: &tokens, shift };
        let root = parsed.value.as_ref().map(|value| builder.node(value));
        Ok(Document { tokens, root })
    }

    /// Reports whether a comment is in this range.
    fn has_comment(&self, range: &Range<usize>) -> bool {
        self.tokens.iter().any(|token| {
            token.is_comment && range.start <= token.span.start && token.span.end <= range.end
        })
    }
}

/// Replaces the escapes of surrogates by others of the same length: the parser refuses half of a
/// pair, which is legal JSON and may be in a file that only has to be kept.
fn without_surrogates(text: &str) -> Cow<'_, str> {
    let mut readable = Cow::Borrowed(text);
    for (at, _) in text.match_indices("\\u") {
        let digits = at + 2..at + 6;
        let unit = text.get(digits.clone()).and_then(|unit| u16::from_str_radix(unit, 16).ok());
        if unit.is_some_and(|unit| (0xd800..=0xdfff).contains(&unit)) {
            readable.to_mut().replace_range(digits, "0041");
        }
    }
    readable
}

/// Refuses control characters in a string, which the parser accepts.
fn check_string(text: &str, span: Range<usize>) -> Result<(), Problem> {
    match text[span.clone()].bytes().position(|byte| byte < 0x20) {
        None => Ok(()),
        Some(at) if matches!(text.as_bytes()[span.start + at], b'\n' | b'\r') => {
            Err(Problem::at(text, span.start, "this string has no closing quote"))
        }
        Some(at) => Err(Problem::at(text, span.start + at, "a control character in a string")),
    }
}

/// Refuses whitespace that JSON does not have, which the parser accepts.
fn check_whitespace(text: &str, gap: Range<usize>) -> Result<(), Problem> {
    match text[gap.clone()].find(|c| !matches!(c, ' ' | '\t' | '\r' | '\n')) {
        None => Ok(()),
        Some(at) => Err(Problem::at(text, gap.start + at, "expected a value or a name in quotes")),
    }
}

/// Describes an error of the parser.
fn problem(text: &str, shift: usize, error: &ParseError) -> Problem {
    use ParseErrorKind as Kind;

    let start = shift + error.range().start;
    let (at, reason) = match error.kind() {
        // The parser reports the end of the value before.
        Kind::ExpectedComma => (next_token(text, start), "expected a comma"),
        // The parser points to the opening bracket.
        Kind::UnterminatedObject => (text.len(), "expected a comma or `}`"),
        Kind::UnterminatedArray => (text.len(), "expected a comma or `]`"),
        Kind::ExpectedColonAfterObjectKey => (start, "expected a colon"),
        Kind::ExpectedStringObjectProperty | Kind::UnexpectedTokenInObject => {
            (start, "expected a name in quotes or `}`")
        }
        Kind::MultipleRootJsonValues => (start, "expected nothing after the value"),
        Kind::NestingDepthExceeded => (start, "values are nested too deeply here"),
        Kind::UnterminatedCommentBlock => (start, "this comment has no end"),
        Kind::String(ParseStringErrorKind::UnterminatedStringLiteral) => {
            (start, "this string has no closing quote")
        }
        Kind::String(_) => (start, "invalid escape in a string"),
        _ => (start, "expected a value"),
    };
    Problem::at(text, at, reason)
}

/// The start of the first token at or after an offset that is not a comment.
fn next_token(text: &str, start: usize) -> usize {
    let mut scanner = Scanner::new(&text[start..], &ScannerOptions::default());
    while let Ok(Some(ParsedToken::CommentLine(_) | ParsedToken::CommentBlock(_))) = scanner.scan()
    {
    }
    start + scanner.token_start()
}

/// Makes nodes of the parser's tree.
struct NodeBuilder<'a> {
    text: &'a str,
    tokens: &'a [Token],
    /// The length of the byte order mark, which the parser does not see.
    shift: usize,
}

impl NodeBuilder<'_> {
    fn node(&self, value: &ast::Value<'_>) -> Node {
        let content = match value {
            ast::Value::Object(object) => {
                let member = |property: &ast::ObjectProp<'_>| {
                    self.item(Some(&property.name), &property.value)
                };
                Content::Object(object.properties.iter().map(member).collect())
            }
            ast::Value::Array(array) => {
                Content::Array(array.elements.iter().map(|value| self.item(None, value)).collect())
            }
            _ => Content::Scalar,
        };
        Node { span: self.span(value.range()), content }
    }

    fn item(&self, name: Option<&ObjectPropName<'_>>, value: &ast::Value<'_>) -> Item {
        let value = self.node(value);
        let name = name.map(|name| self.span(name.range()));
        let key = name.clone().map(|name| {
            let written = &self.text[name];
            // A name with half of a surrogate pair is not a string. It is only kept, never compared.
            serde_json::from_str(written).unwrap_or_else(|_| written.to_owned())
        });
        let start = name.map_or(value.span.start, |name| name.start);
        let next = self.tokens.partition_point(|token| token.span.start < value.span.end);
        let comma = self.tokens[next..]
            .iter()
            .find(|token| !token.is_comment)
            .map(|token| token.span.start)
            .filter(|start| self.text[*start..].starts_with(','));
        Item { key, start, value, comma }
    }

    fn span(&self, range: jsonc_parser::common::Range) -> Range<usize> {
        self.shift + range.start..self.shift + range.end
    }
}

#[cfg(test)]
mod tests;
