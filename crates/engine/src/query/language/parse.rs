//! Parses typed text to a syntax tree.
//!
//! Plain questions must never be misread: operators are upper case, signs count only at the start of
//! a word, and text that is not a field is text.

use std::ops::Range;

use super::ast::{Comparison, Expression, Test, Value, starts_word};

/// Differences between dialects of the language.
#[derive(Clone, Copy)]
pub(crate) struct Dialect<'a> {
    /// Returns true if a lower-case name is a field.
    pub(crate) is_field: &'a dyn Fn(&str) -> bool,
    /// True if `NOT` is an operator rather than a word.
    pub(crate) has_not: bool,
}

/// Result of parsing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parsed {
    /// The tree; `None` for an empty query.
    pub expression: Option<Expression>,
    /// Names that look like fields and are not, as typed: they were read as text.
    pub unknown_fields: Vec<String>,
}

/// An error in a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryError {
    /// The query, as typed.
    pub query: String,
    /// Description of the error, without a full stop.
    pub message: String,
    /// The bytes of the query that are wrong; empty at its end if something is missing.
    pub span: Range<usize>,
    /// Suggested correction.
    pub hint: &'static str,
}

/// Maximum nesting of parentheses and signs.
const MAX_DEPTH: usize = 64;

/// Maximum number of edits of a word.
const MAX_EDITS: u8 = 3;

/// Parses a query.
pub(crate) fn parse(text: &str, dialect: Dialect<'_>) -> Result<Parsed, QueryError> {
    let mut parser = Parser { text, at: 0, open: 0, level: 0, dialect, unknown: Vec::new() };
    let mut parts = Vec::new();
    parser.skip_whitespace();
    while parser.at < text.len() {
        parts.push(parser.any_of()?);
        parser.skip_whitespace();
    }
    Ok(Parsed { expression: sequence(parts), unknown_fields: parser.unknown })
}

/// An operator between two parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    And,
    Or,
    Not,
}

impl Operator {
    fn name(self) -> &'static str {
        match self {
            Operator::And => "AND",
            Operator::Or => "OR",
            Operator::Not => "NOT",
        }
    }
}

struct Parser<'a> {
    text: &'a str,
    /// Offset of the next byte.
    at: usize,
    /// Number of open parentheses.
    open: usize,
    /// Number of open parentheses and signs.
    level: usize,
    dialect: Dialect<'a>,
    unknown: Vec<String>,
}

/// Joins parts side by side: nested sequences are flattened, and a single part stays itself.
fn sequence(parts: Vec<Expression>) -> Option<Expression> {
    let mut flat = Vec::with_capacity(parts.len());
    for part in parts {
        match part {
            Expression::Sequence(inner) => flat.extend(inner),
            other => flat.push(other),
        }
    }
    joined(flat, Expression::Sequence)
}

fn joined(
    mut parts: Vec<Expression>,
    join: impl FnOnce(Vec<Expression>) -> Expression,
) -> Option<Expression> {
    if parts.len() > 1 { Some(join(parts)) } else { parts.pop() }
}

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn skip_whitespace(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    fn error<T>(
        &self,
        span: Range<usize>,
        message: impl Into<String>,
        hint: &'static str,
    ) -> Result<T, QueryError> {
        let query = self.text.to_owned();
        Err(QueryError { query, message: message.into(), span, hint })
    }

    /// The next operator, if there is one.
    fn operator(&self) -> Option<Operator> {
        let rest = self.rest();
        let end = rest.find(|c: char| c.is_whitespace() || matches!(c, '(' | ')'));
        let word = &rest[..end.unwrap_or(rest.len())];
        match word {
            "AND" => Some(Operator::And),
            "OR" => Some(Operator::Or),
            "NOT" if self.dialect.has_not => Some(Operator::Not),
            _ => None,
        }
    }

    /// Returns true if the open group ends here.
    fn is_at_end(&self) -> bool {
        self.at == self.text.len() || (self.open > 0 && self.rest().starts_with(')'))
    }

    /// Parses `a AND b OR c`.
    fn any_of(&mut self) -> Result<Expression, QueryError> {
        let mut parts = vec![self.all_of()?];
        while self.take_operator(Operator::Or)? {
            parts.push(self.all_of()?);
        }
        let flat = flatten(parts, |part| match part {
            Expression::Or(inner) => Ok(inner),
            other => Err(other),
        });
        Ok(joined(flat, Expression::Or).expect("there is at least one part"))
    }

    /// Parses `a b AND c`.
    fn all_of(&mut self) -> Result<Expression, QueryError> {
        let mut parts = vec![self.side_by_side()?];
        while self.take_operator(Operator::And)? {
            parts.push(self.side_by_side()?);
        }
        let flat = flatten(parts, |part| match part {
            Expression::And(inner) => Ok(inner),
            other => Err(other),
        });
        Ok(joined(flat, Expression::And).expect("there is at least one part"))
    }

    /// Consumes an operator between two parts; an error if nothing follows it.
    fn take_operator(&mut self, wanted: Operator) -> Result<bool, QueryError> {
        self.skip_whitespace();
        if self.operator() != Some(wanted) {
            return Ok(false);
        }
        let span = self.at..self.at + wanted.name().len();
        self.at = span.end;
        self.skip_whitespace();
        if self.is_at_end() {
            return self.error(
                span,
                format!("the query ends with the operator `{}`", wanted.name()),
                IN_QUOTES,
            );
        }
        Ok(true)
    }

    /// Parses `a b c`.
    fn side_by_side(&mut self) -> Result<Expression, QueryError> {
        let mut parts = Vec::new();
        loop {
            self.skip_whitespace();
            if self.is_at_end() {
                break;
            }
            match self.operator() {
                Some(Operator::And | Operator::Or) if !parts.is_empty() => break,
                Some(operator @ (Operator::And | Operator::Or)) => {
                    let span = self.at..self.at + operator.name().len();
                    let message = format!("unexpected operator `{}`", operator.name());
                    return self.error(span, message, IN_QUOTES);
                }
                _ => parts.push(self.part()?),
            }
        }
        match sequence(parts) {
            Some(expression) => Ok(expression),
            None => self.error(self.at..self.at, "the parentheses are empty", IN_QUOTES),
        }
    }

    /// Parses one part with its signs.
    fn part(&mut self) -> Result<Expression, QueryError> {
        let start = self.at;
        if self.operator() == Some(Operator::Not) {
            self.at += Operator::Not.name().len();
            self.skip_whitespace();
            if self.is_at_end() || matches!(self.operator(), Some(Operator::And | Operator::Or)) {
                let message = "the operator `NOT` has nothing to exclude";
                return self.error(start..start + 3, message, IN_QUOTES);
            }
            return Ok(Expression::Not(Box::new(self.nested(Parser::part)?)));
        }
        let sign = self.peek().filter(|c| matches!(c, '+' | '-'));
        if let Some(sign) = sign
            && starts_word(&self.rest()[1..])
        {
            self.at += 1;
            let part = Box::new(self.nested(Parser::primary)?);
            return Ok(match sign {
                '-' => Expression::Not(part),
                _ => Expression::Required(part),
            });
        }
        self.primary()
    }

    fn nested<T>(
        &mut self,
        read: impl FnOnce(&mut Parser<'a>) -> Result<T, QueryError>,
    ) -> Result<T, QueryError> {
        if self.level >= MAX_DEPTH {
            let message = format!("the query is nested deeper than {MAX_DEPTH} levels");
            let hint = "write it with fewer parentheses";
            return self.error(self.at..self.text.len(), message, hint);
        }
        self.level += 1;
        let part = read(self);
        self.level -= 1;
        part
    }

    fn primary(&mut self) -> Result<Expression, QueryError> {
        match self.peek() {
            Some('(') => self.group(),
            Some('"') => Ok(Expression::Phrase(self.quoted()?)),
            _ => self.word(),
        }
    }

    fn group(&mut self) -> Result<Expression, QueryError> {
        let start = self.at;
        self.at += 1;
        self.open += 1;
        let inner = self.nested(Parser::any_of)?;
        self.skip_whitespace();
        self.open -= 1;
        if !self.rest().starts_with(')') {
            let message = "missing closing parenthesis";
            return self.error(start..start + 1, message, IN_QUOTES);
        }
        self.at += 1;
        Ok(inner)
    }

    /// Parses a quoted text. A backslash escapes a quote or a backslash.
    fn quoted(&mut self) -> Result<String, QueryError> {
        let open = self.at;
        let mut text = String::new();
        let mut characters = self.rest().char_indices().skip(1);
        while let Some((offset, character)) = characters.next() {
            match character {
                '"' => {
                    self.at = open + offset + 1;
                    return Ok(text);
                }
                '\\' => match characters.next() {
                    Some((_, escaped @ ('"' | '\\'))) => text.push(escaped),
                    Some((_, other)) => text.extend(['\\', other]),
                    None => break,
                },
                other => text.push(other),
            }
        }
        let message = "unterminated quote in the query";
        self.error(
            open..open + 1,
            message,
            "end the phrase with `\"`, or add `--raw` to search for the quote",
        )
    }

    /// Parses a word: up to whitespace, or to the parenthesis that ends the group.
    fn word(&mut self) -> Result<Expression, QueryError> {
        let start = self.at;
        if let Some(field) = self.field()? {
            return Ok(field);
        }
        self.at = start;
        let word = self.bare(|_| false);
        self.shaped(word, start)
    }

    /// Consumes a bare word, up to whitespace, an unmatched closing parenthesis or a character for which
    /// `ends` returns true.
    fn bare(&mut self, mut ends: impl FnMut(char) -> bool) -> &'a str {
        let rest = self.rest();
        let mut open = 0_usize;
        let mut end = rest.len();
        for (offset, character) in rest.char_indices() {
            if character.is_whitespace() || ends(character) {
                end = offset;
                break;
            }
            match character {
                '(' => open += 1,
                ')' if open > 0 => open -= 1,
                ')' if self.open > 0 => {
                    end = offset;
                    break;
                }
                _ => {}
            }
        }
        self.at += end;
        &rest[..end]
    }

    /// Converts a word, with the operator at its end, to an expression.
    fn shaped(&self, word: &str, start: usize) -> Result<Expression, QueryError> {
        if let Some(stem) = word.strip_suffix('*').filter(|stem| is_plain(stem)) {
            return Ok(Expression::Prefix(stem.to_owned()));
        }
        if let Some((term, edits)) = word.rsplit_once('~')
            && is_plain(term)
            && edits.bytes().all(|byte| byte.is_ascii_digit())
        {
            let distance = match edits {
                "" => None,
                _ => match edits.parse::<u8>() {
                    Ok(edits) if edits <= MAX_EDITS => Some(edits),
                    _ => {
                        let span = start + term.len()..start + word.len();
                        let message = format!("a word may have at most {MAX_EDITS} edits");
                        return self.error(span, message, "write `word~` or `word~2`");
                    }
                },
            };
            return Ok(Expression::Fuzzy { term: term.to_owned(), distance });
        }
        Ok(Expression::Word(word.to_owned()))
    }

    /// Parses `name:value`; `None` if the text is not a field.
    fn field(&mut self) -> Result<Option<Expression>, QueryError> {
        let start = self.at;
        let Some((typed, rest)) = self.rest().split_once(':') else { return Ok(None) };
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        let starts_well = typed.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        // `a::b` is a path, `http://…` a URL, `C:\…` a file, `12:30` a time.
        let is_other = typed.len() < 2 || rest.starts_with([':', '\\']) || rest.starts_with("//");
        if is_other || !starts_well || !typed.chars().all(is_name) {
            return Ok(None);
        }
        let name = typed.to_lowercase();
        let blank = rest.is_empty()
            || rest.starts_with(char::is_whitespace)
            || (self.open > 0 && rest.starts_with(')'));
        if !(self.dialect.is_field)(&name) {
            // `note: …` is prose, `host:8080` an address, `main.rs:42` a line of a file.
            let is_number = rest.starts_with(|c: char| c.is_ascii_digit());
            if !blank && !is_number && !self.unknown.iter().any(|known| known == typed) {
                self.unknown.push(typed.to_owned());
            }
            return Ok(None);
        }
        self.at += typed.len() + 1;
        if blank {
            self.skip_whitespace();
            // `status: what does it mean?` and `note: NOT a bug` are prose, too; alone it is a field
            // without a value.
            let more = matches!(self.operator(), None | Some(Operator::Not));
            if !self.is_at_end() && more {
                return Ok(None);
            }
            let message = format!("missing value for field `{typed}:`");
            let hint = "write the value right after the colon, as in `status:planned`";
            return self.error(start..start + typed.len() + 1, message, hint);
        }
        let test = self.test(typed, start)?;
        Ok(Some(Expression::Field { name, test }))
    }

    fn test(&mut self, name: &str, start: usize) -> Result<Test, QueryError> {
        for (sign, comparison) in Comparison::ALL {
            if self.rest().starts_with(sign) {
                self.at += sign.len();
                let value = self.bound()?;
                return match value {
                    Some(value) => Ok(Test::Compare(comparison, value)),
                    None => self.missing(name, start),
                };
            }
        }
        if let Some(rest) = self.rest().strip_prefix('=') {
            if rest.is_empty() || rest.starts_with(char::is_whitespace) {
                return self.missing(name, start);
            }
            self.at += 1;
        }
        let before = self.at;
        let from = self.bound()?;
        if !is_text(&name.to_lowercase()) && self.rest().starts_with("..") {
            self.at += 2;
            let to = self.bound()?;
            if from.is_none() && to.is_none() {
                return self.missing(name, start);
            }
            return Ok(Test::Between(from, to));
        }
        self.at = before;
        let mut values = Vec::new();
        loop {
            if self.rest().starts_with('"') {
                values.push(Value::Quoted(self.quoted()?));
            } else {
                // A comma in the braces of a glob is part of it.
                let mut braces = 0_i32;
                let word = self.bare(|c| {
                    braces += i32::from(c == '{') - i32::from(c == '}');
                    c == ',' && braces <= 0
                });
                match word.strip_suffix('*') {
                    Some(stem) if is_plain(stem) => values.push(Value::Prefix(stem.to_owned())),
                    _ if !word.is_empty() => values.push(Value::Exact(word.to_owned())),
                    _ => {}
                }
            }
            if !self.rest().starts_with(',') {
                break;
            }
            self.at += 1;
        }
        if values.is_empty() { self.missing(name, start) } else { Ok(Test::Is(values)) }
    }

    fn missing<T>(&self, name: &str, start: usize) -> Result<T, QueryError> {
        let message = format!("missing value for field `{name}:`");
        let hint = "write the value right after the colon, as in `status:planned`";
        self.error(start..self.at, message, hint)
    }

    /// Parses one end of a range, or the value of a comparison.
    fn bound(&mut self) -> Result<Option<String>, QueryError> {
        if self.rest().starts_with('"') {
            return self.quoted().map(Some);
        }
        let rest = self.rest();
        let word = {
            let at = self.at;
            let word = self.bare(|_| false);
            let end = word.find("..").unwrap_or(word.len());
            self.at = at + end;
            &rest[..end]
        };
        Ok((!word.is_empty()).then(|| word.to_owned()))
    }
}

/// Flattens nested lists of the same kind.
fn flatten(
    parts: Vec<Expression>,
    open: impl Fn(Expression) -> Result<Vec<Expression>, Expression>,
) -> Vec<Expression> {
    let mut flat = Vec::with_capacity(parts.len());
    for part in parts {
        match open(part) {
            Ok(inner) => flat.extend(inner),
            Err(part) => flat.push(part),
        }
    }
    flat
}

/// Fields whose values are texts or paths, in which two dots are not a range.
fn is_text(name: &str) -> bool {
    matches!(name, "body" | "content" | "desc" | "description" | "name" | "path" | "title")
}

/// Returns true for letters, digits and name separators, which may end in `*` or `~`. At least one
/// letter or digit is required, so that `~` and `**` are text.
fn is_plain(word: &str) -> bool {
    word.chars().any(char::is_alphanumeric)
        && word.chars().all(|c| {
            c.is_alphanumeric()
                || matches!(c, '_' | '-' | '.' | '\'' | '@')
                || ('\u{300}'..='\u{36f}').contains(&c)
        })
}

const IN_QUOTES: &str =
    "put it in quotes to search for it, or add `--raw` to disable the query language";
