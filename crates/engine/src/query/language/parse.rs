//! From typed text to a tree.
//!
//! Questions in plain words must never trip over the language: operators are upper case, signs
//! count only where a word starts, and what is no field is text.

use std::ops::Range;

use super::ast::{Comparison, Expression, Test, Value, starts_word};

/// What differs between dialects of the language.
#[derive(Clone, Copy)]
pub(crate) struct Dialect<'a> {
    /// Whether a lower-case name is a field.
    pub(crate) is_field: &'a dyn Fn(&str) -> bool,
    /// Whether `NOT` is an operator rather than a word.
    pub(crate) not: bool,
}

/// What parsing gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Parsed {
    /// The tree; `None` when nothing was asked.
    pub(crate) expression: Option<Expression>,
    /// Names that look like fields and are none, as typed: they were read as text.
    pub(crate) unknown_fields: Vec<String>,
}

/// Why a query cannot be understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryError {
    /// The query, as typed.
    pub query: String,
    /// What is wrong, without a final dot.
    pub message: String,
    /// The bytes of the query that are wrong; empty at its end for something that is missing.
    pub span: Range<usize>,
    /// What to do about it.
    pub hint: &'static str,
}

/// Deepest nesting of parentheses and signs.
const DEEPEST: usize = 64;

/// Most edits of a word.
const MOST_EDITS: u8 = 3;

/// Parses a query.
pub(crate) fn parse(text: &str, dialect: Dialect<'_>) -> Result<Parsed, QueryError> {
    let mut parser = Parser { text, at: 0, open: 0, level: 0, dialect, unknown: Vec::new() };
    let mut parts = Vec::new();
    parser.skip_blanks();
    while parser.at < text.len() {
        parts.push(parser.any_of()?);
        parser.skip_blanks();
    }
    Ok(Parsed { expression: sequence(parts), unknown_fields: parser.unknown })
}

/// What stands between two parts.
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
    /// Next byte.
    at: usize,
    /// Open parentheses.
    open: usize,
    /// Open parentheses and signs.
    level: usize,
    dialect: Dialect<'a>,
    unknown: Vec<String>,
}

/// Parts side by side: sequences in sequences are one, and a part alone is itself.
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

    fn skip_blanks(&mut self) {
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

    /// The operator that comes next, if one does.
    fn operator(&self) -> Option<Operator> {
        let rest = self.rest();
        let end = rest.find(|c: char| c.is_whitespace() || matches!(c, '(' | ')'));
        let word = &rest[..end.unwrap_or(rest.len())];
        match word {
            "AND" => Some(Operator::And),
            "OR" => Some(Operator::Or),
            "NOT" if self.dialect.not => Some(Operator::Not),
            _ => None,
        }
    }

    /// Whether the group that is open ends here.
    fn is_at_end(&self) -> bool {
        self.at == self.text.len() || (self.open > 0 && self.rest().starts_with(')'))
    }

    /// `a AND b OR c`
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

    /// `a b AND c`
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

    /// Takes an operator between two parts; an error if nothing follows it.
    fn take_operator(&mut self, wanted: Operator) -> Result<bool, QueryError> {
        self.skip_blanks();
        if self.operator() != Some(wanted) {
            return Ok(false);
        }
        let span = self.at..self.at + wanted.name().len();
        self.at = span.end;
        self.skip_blanks();
        if self.is_at_end() {
            return self.error(
                span,
                format!("the query ends with the operator `{}`", wanted.name()),
                IN_QUOTES,
            );
        }
        Ok(true)
    }

    /// `a b c`
    fn side_by_side(&mut self) -> Result<Expression, QueryError> {
        let mut parts = Vec::new();
        loop {
            self.skip_blanks();
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
            None => {
                self.error(self.at..self.at, "nothing stands between the parentheses", IN_QUOTES)
            }
        }
    }

    /// One part with the signs before it.
    fn part(&mut self) -> Result<Expression, QueryError> {
        let start = self.at;
        if self.operator() == Some(Operator::Not) {
            self.at += Operator::Not.name().len();
            self.skip_blanks();
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
        if self.level >= DEEPEST {
            let message = format!("the query is nested deeper than {DEEPEST} levels");
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
        self.skip_blanks();
        self.open -= 1;
        if !self.rest().starts_with(')') {
            let message = "expected a closing parenthesis for this one";
            return self.error(start..start + 1, message, IN_QUOTES);
        }
        self.at += 1;
        Ok(inner)
    }

    /// The text in quotes, a backslash before a quote or a backslash left out.
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

    /// Everything up to white space, or up to the parenthesis that ends the group.
    fn word(&mut self) -> Result<Expression, QueryError> {
        let start = self.at;
        if let Some(field) = self.field()? {
            return Ok(field);
        }
        self.at = start;
        let word = self.bare(|_| false);
        self.shaped(word, start)
    }

    /// Takes a bare word, up to white space, an unmatched closing parenthesis or what `ends` says.
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

    /// A word with what its end says.
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
                    Ok(edits) if edits <= MOST_EDITS => Some(edits),
                    _ => {
                        let span = start + term.len()..start + word.len();
                        let message = format!("a word may have at most {MOST_EDITS} edits");
                        return self.error(span, message, "write `word~` or `word~2`");
                    }
                },
            };
            return Ok(Expression::Fuzzy { term: term.to_owned(), distance });
        }
        Ok(Expression::Word(word.to_owned()))
    }

    /// `name:value`; `None` when it is something else.
    fn field(&mut self) -> Result<Option<Expression>, QueryError> {
        let start = self.at;
        let Some((typed, rest)) = self.rest().split_once(':') else { return Ok(None) };
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        let starts_well = typed.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        // `a::b` is a path, `http://…` an address, `C:\…` a file, `12:30` a time.
        let is_other = typed.len() < 2 || rest.starts_with([':', '\\']) || rest.starts_with("//");
        if is_other || !starts_well || !typed.chars().all(is_name) {
            return Ok(None);
        }
        let name = typed.to_lowercase();
        let blank = rest.is_empty()
            || rest.starts_with(char::is_whitespace)
            || (self.open > 0 && rest.starts_with(')'));
        if !(self.dialect.is_field)(&name) {
            // `note: …` is prose, `host:8080` an address, `main.rs:42` a place.
            let is_number = rest.starts_with(|c: char| c.is_ascii_digit());
            if !blank && !is_number && !self.unknown.iter().any(|known| known == typed) {
                self.unknown.push(typed.to_owned());
            }
            return Ok(None);
        }
        self.at += typed.len() + 1;
        if blank {
            self.skip_blanks();
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

    /// One end of a range, or what is compared with.
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

/// Parts, with those that are lists of the same kind opened up.
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

/// Fields whose values are texts or paths, in which two dots are two dots.
fn is_text(name: &str) -> bool {
    matches!(name, "body" | "content" | "desc" | "description" | "name" | "path" | "title")
}

/// Letters, digits and the joints of names: what may have a `*` or `~` at its end. One letter or
/// digit at least, so that `~` and `**` are text.
fn is_plain(word: &str) -> bool {
    word.chars().any(char::is_alphanumeric)
        && word.chars().all(|c| {
            c.is_alphanumeric()
                || matches!(c, '_' | '-' | '.' | '\'' | '@')
                || ('\u{300}'..='\u{36f}').contains(&c)
        })
}

const IN_QUOTES: &str =
    "put it in quotes to search for it, or add `--raw` to switch the query language off";
