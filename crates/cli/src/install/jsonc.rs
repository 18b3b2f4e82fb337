//! JSON with comments and trailing commas, read with the place of every byte.
//!
//! Configurations of editors are such texts. What is read here is never written again from the
//! tree: an edit takes the text and puts bytes in or out (`edit.rs`), so that comments, spacing, the
//! order of keys and repeated keys stay as they are.

mod edit;
mod style;

use std::ops::Range;

use serde_json::{Map, Value};

pub(super) use self::edit::{insert, present, remove};
use super::Problem;

/// Values that nest deeper are refused: the reader calls itself for each.
const DEEPEST: usize = 200;

/// What a piece of a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// One of `{}[],:`.
    Mark(u8),
    /// A text in quotes.
    Text,
    /// A number, `true`, `false` or `null`.
    Word,
    /// `// …` without its line end, or `/* … */`.
    Comment,
}

/// A piece of a text; what lies between two of them is blank.
#[derive(Debug, Clone)]
struct Token {
    kind: Kind,
    span: Range<usize>,
}

/// A value and where it stands.
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

/// A member of an object or a value of a list.
#[derive(Debug, Clone)]
struct Item {
    /// `None` in a list.
    key: Option<String>,
    /// Where the key starts, or the value in a list.
    start: usize,
    value: Node,
    /// The comma behind it.
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

    /// What a message calls it.
    fn name(&self) -> &'static str {
        match self.content {
            Content::Object(_) => "an object",
            Content::Array(_) => "a list",
            Content::Scalar => "a single value",
        }
    }

    /// The value, without where it stands; `None` for numbers that have no place in memory.
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

/// A text that was read.
struct Document {
    tokens: Vec<Token>,
    /// The one value; `None` where there are only blanks and comments.
    root: Option<Node>,
}

impl Document {
    /// Reads a text.
    fn parse(text: &str) -> Result<Document, Problem> {
        let tokens = tokens(text)?;
        let mut reader = Reader { text, tokens: &tokens, at: 0 };
        let root = match reader.peek() {
            None => None,
            Some(_) => Some(reader.value(0)?),
        };
        if let Some(token) = reader.peek() {
            return Err(Problem::at(
                text,
                token.span.start,
                "there is more after the end of the value",
            ));
        }
        Ok(Document { tokens, root })
    }

    /// Whether a comment stands in this range.
    fn has_comment(&self, range: &Range<usize>) -> bool {
        self.tokens.iter().any(|token| {
            token.kind == Kind::Comment
                && range.start <= token.span.start
                && token.span.end <= range.end
        })
    }
}

/// Cuts a text into its pieces.
fn tokens(text: &str) -> Result<Vec<Token>, Problem> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    // A byte order mark may start a file.
    let mut at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    while let Some(byte) = bytes.get(at) {
        let (kind, end) = match byte {
            b' ' | b'\t' | b'\r' | b'\n' => {
                at += 1;
                continue;
            }
            b'{' | b'}' | b'[' | b']' | b',' | b':' => (Kind::Mark(*byte), at + 1),
            b'"' => (Kind::Text, end_of_text(text, at)?),
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                let rest = &text[at..];
                let line = rest.find(['\n', '\r']).unwrap_or(rest.len());
                (Kind::Comment, at + line)
            }
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                let Some(length) = text[at + 2..].find("*/") else {
                    return Err(Problem::at(text, at, "this comment has no end"));
                };
                (Kind::Comment, at + 2 + length + 2)
            }
            _ => {
                let rest = &text[at..];
                let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
                let length = rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
                let word = &rest[..length];
                if !(matches!(word, "true" | "false" | "null") || is_number(word)) {
                    return Err(Problem::at(
                        text,
                        at,
                        "a value or a name in quotes should stand here",
                    ));
                }
                (Kind::Word, at + length)
            }
        };
        tokens.push(Token { kind, span: at..end });
        at = end;
    }
    Ok(tokens)
}

/// The end of a text in quotes that starts here.
fn end_of_text(text: &str, start: usize) -> Result<usize, Problem> {
    let bytes = text.as_bytes();
    let mut at = start + 1;
    loop {
        match bytes.get(at) {
            Some(b'"') => return Ok(at + 1),
            Some(b'\\') => {
                let length = match bytes.get(at + 1) {
                    Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => 2,
                    Some(b'u')
                        if bytes
                            .get(at + 2..at + 6)
                            .is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit)) =>
                    {
                        6
                    }
                    _ => return Err(Problem::at(text, at, "this escape does not exist in JSON")),
                };
                at += length;
            }
            None | Some(b'\n' | b'\r') => {
                return Err(Problem::at(text, start, "this text has no closing quote"));
            }
            Some(byte) if *byte < 0x20 => {
                return Err(Problem::at(text, at, "a control character stands in a text"));
            }
            Some(_) => at += 1,
        }
    }
}

/// Whether a word is a number as JSON writes it.
fn is_number(word: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let unsigned = word.strip_prefix('-').unwrap_or(word);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    digits(whole)
        && (whole.len() == 1 || !whole.starts_with('0'))
        && fraction.is_none_or(digits)
        && exponent.is_none_or(|text| digits(text.strip_prefix(['+', '-']).unwrap_or(text)))
}

/// Reads values from pieces.
struct Reader<'a> {
    text: &'a str,
    tokens: &'a [Token],
    at: usize,
}

impl<'a> Reader<'a> {
    /// The next piece that is no comment.
    fn peek(&mut self) -> Option<&'a Token> {
        while self.tokens.get(self.at).is_some_and(|token| token.kind == Kind::Comment) {
            self.at += 1;
        }
        self.tokens.get(self.at)
    }

    /// Takes a piece of this kind, or says what is missing.
    fn expect(&mut self, kind: Kind, missing: &str) -> Result<Range<usize>, Problem> {
        match self.peek() {
            Some(token) if token.kind == kind => {
                self.at += 1;
                Ok(token.span.clone())
            }
            Some(token) => Err(Problem::at(self.text, token.span.start, missing)),
            None => Err(Problem::at(self.text, self.text.len(), missing)),
        }
    }

    fn value(&mut self, depth: usize) -> Result<Node, Problem> {
        let Some(token) = self.peek() else {
            return Err(Problem::at(self.text, self.text.len(), "a value is missing"));
        };
        if depth == DEEPEST {
            return Err(Problem::at(self.text, token.span.start, "values nest too deep here"));
        }
        self.at += 1;
        let start = token.span.start;
        match token.kind {
            Kind::Text | Kind::Word => {
                Ok(Node { span: token.span.clone(), content: Content::Scalar })
            }
            Kind::Mark(b'{') => {
                let (items, end) = self.items(b'}', depth)?;
                Ok(Node { span: start..end, content: Content::Object(items) })
            }
            Kind::Mark(b'[') => {
                let (items, end) = self.items(b']', depth)?;
                Ok(Node { span: start..end, content: Content::Array(items) })
            }
            Kind::Mark(_) | Kind::Comment => {
                Err(Problem::at(self.text, start, "a value should stand here"))
            }
        }
    }

    /// The items up to the closing mark, and the end of that.
    fn items(&mut self, close: u8, depth: usize) -> Result<(Vec<Item>, usize), Problem> {
        let mut items: Vec<Item> = Vec::new();
        loop {
            match self.peek() {
                Some(token) if token.kind == Kind::Mark(close) => {
                    self.at += 1;
                    return Ok((items, token.span.end));
                }
                _ if items.last().is_some_and(|item| item.comma.is_none()) => {
                    let missing = if close == b'}' {
                        "a comma or `}` should stand here"
                    } else {
                        "a comma or `]` should stand here"
                    };
                    let at = self.peek().map_or(self.text.len(), |token| token.span.start);
                    return Err(Problem::at(self.text, at, missing));
                }
                _ => {}
            }
            let mut key = None;
            let mut start = None;
            if close == b'}' {
                let name = self.expect(Kind::Text, "a name in quotes or `}` should stand here")?;
                // A half of a surrogate pair is no text; such a name is only kept.
                let written = &self.text[name.clone()];
                key = Some(serde_json::from_str(written).unwrap_or_else(|_| written.to_owned()));
                start = Some(name.start);
                self.expect(Kind::Mark(b':'), "a colon should stand here")?;
            }
            let value = self.value(depth + 1)?;
            let comma = match self.peek() {
                Some(token) if token.kind == Kind::Mark(b',') => {
                    self.at += 1;
                    Some(token.span.start)
                }
                _ => None,
            };
            items.push(Item { key, start: start.unwrap_or(value.span.start), value, comma });
        }
    }
}

#[cfg(test)]
mod tests;
