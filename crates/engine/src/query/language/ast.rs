//! The syntax tree of a query, and how it is printed. Parsing a printed tree gives the same tree.

use std::fmt::{self, Display, Formatter, Write as _};

/// A query or a part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expression {
    /// At least two parts side by side: words rank, everything else must hold. Inside an operator
    /// every part must hold.
    Sequence(Vec<Expression>),
    /// At least two parts, all of which must hold.
    And(Vec<Expression>),
    /// At least two parts, one of which must hold.
    Or(Vec<Expression>),
    /// A part that must not hold.
    Not(Box<Expression>),
    /// A part that must hold: `+word`.
    Required(Box<Expression>),
    /// A word as typed, with punctuation.
    Word(String),
    /// Words side by side, without the quotes.
    Phrase(String),
    /// A prefix: `prefix*`.
    Prefix(String),
    /// A word with typing errors: `term~`, `term~2`.
    Fuzzy {
        /// The word.
        term: String,
        /// Maximum number of edits; `None` to derive it from the length.
        distance: Option<u8>,
    },
    /// A condition on a field: `name:value`.
    Field {
        /// The name, lower case.
        name: String,
        /// The test of the field's values.
        test: Test,
    },
}

/// A test of a field's values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Test {
    /// Equal to one of these values, at least one.
    Is(Vec<Value>),
    /// Less or greater than a value.
    Compare(Comparison, String),
    /// In a range that includes both ends; `None` is open.
    Between(Option<String>, Option<String>),
}

/// A value of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// A literal value.
    Exact(String),
    /// A quoted value: the words side by side.
    Quoted(String),
    /// A prefix: `auth*`.
    Prefix(String),
}

/// A comparison operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

impl Comparison {
    /// Every comparison, longer operators first.
    pub(super) const ALL: [(&'static str, Comparison); 4] = [
        ("<=", Comparison::LessOrEqual),
        (">=", Comparison::GreaterOrEqual),
        ("<", Comparison::Less),
        (">", Comparison::Greater),
    ];

    fn sign(self) -> &'static str {
        Comparison::ALL.iter().find(|(_, one)| *one == self).map_or("", |(sign, _)| sign)
    }
}

impl Expression {
    /// Returns true if the query consists of words only.
    pub fn is_plain(&self) -> bool {
        match self {
            Expression::Word(_) => true,
            Expression::Sequence(parts) => parts.iter().all(Expression::is_plain),
            _ => false,
        }
    }

    /// Precedence: a part with lower precedence than its parent needs parentheses.
    fn tightness(&self) -> u8 {
        match self {
            Expression::Or(_) => 0,
            Expression::And(_) => 1,
            Expression::Sequence(_) => 2,
            Expression::Not(_) | Expression::Required(_) => 3,
            _ => 4,
        }
    }

    /// Returns true if a sign may directly precede it.
    fn takes_sign(&self) -> bool {
        match self {
            Expression::Word(text) | Expression::Prefix(text) => starts_word(text),
            Expression::Fuzzy { term, .. } => starts_word(term),
            Expression::Not(_) | Expression::Required(_) => false,
            _ => true,
        }
    }

    fn write_inside(&self, least: u8, out: &mut Formatter<'_>) -> fmt::Result {
        if self.tightness() < least {
            self.write_in_parentheses(out)
        } else {
            write!(out, "{self}")
        }
    }

    fn write_in_parentheses(&self, out: &mut Formatter<'_>) -> fmt::Result {
        let text = self.to_string();
        // A word such as `call(` would include the closing parenthesis.
        let open = text.split_whitespace().next_back().is_some_and(|last| last.contains('('));
        write!(out, "({text}{})", if open { " " } else { "" })
    }
}

impl Display for Expression {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        let list = |out: &mut Formatter<'_>, parts: &[Expression], between: &str, least| {
            for (index, part) in parts.iter().enumerate() {
                if index > 0 {
                    out.write_str(between)?;
                }
                part.write_inside(least, out)?;
            }
            Ok(())
        };
        match self {
            Expression::Sequence(parts) => list(out, parts, " ", 3),
            Expression::And(parts) => list(out, parts, " AND ", 2),
            Expression::Or(parts) => list(out, parts, " OR ", 1),
            Expression::Not(part) => {
                // `NOT` may also be a word, so the sign is preferred where possible.
                out.write_str(if part.takes_sign() { "-" } else { "NOT " })?;
                part.write_inside(3, out)
            }
            Expression::Required(part) => {
                out.write_char('+')?;
                if part.takes_sign() {
                    part.write_inside(4, out)
                } else {
                    part.write_in_parentheses(out)
                }
            }
            Expression::Word(word) => out.write_str(word),
            Expression::Phrase(words) => quoted(words, out),
            Expression::Prefix(start) => write!(out, "{start}*"),
            Expression::Fuzzy { term, distance: None } => write!(out, "{term}~"),
            Expression::Fuzzy { term, distance: Some(distance) } => {
                write!(out, "{term}~{distance}")
            }
            Expression::Field { name, test } => write!(out, "{name}:{test}"),
        }
    }
}

impl Display for Test {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Test::Is(values) => {
                for (index, value) in values.iter().enumerate() {
                    if index > 0 {
                        out.write_char(',')?;
                    } else if matches!(value, Value::Exact(text) if text.starts_with(['<', '>', '=', ':', '/', '\\']))
                    {
                        out.write_char('=')?;
                    }
                    match value {
                        Value::Exact(text) => out.write_str(text)?,
                        Value::Quoted(text) => quoted(text, out)?,
                        Value::Prefix(text) => write!(out, "{text}*")?,
                    }
                }
                Ok(())
            }
            Test::Compare(comparison, value) => {
                out.write_str(comparison.sign())?;
                bound(value, out)
            }
            Test::Between(from, to) => {
                from.iter().try_for_each(|value| bound(value, out))?;
                out.write_str("..")?;
                to.iter().try_for_each(|value| bound(value, out))
            }
        }
    }
}

/// Returns true if a sign before this text is parsed as a sign.
pub(super) fn starts_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '"' | '('))
}

/// A value of a range, in quotes if necessary.
fn bound(value: &str, out: &mut Formatter<'_>) -> fmt::Result {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | ':' | '+');
    // After the colon of the field, another one would make it a path such as `a::b`.
    let needs = value.is_empty() || value.starts_with(':') || !value.chars().all(plain);
    if needs { quoted(value, out) } else { out.write_str(value) }
}

fn quoted(text: &str, out: &mut Formatter<'_>) -> fmt::Result {
    out.write_char('"')?;
    for character in text.chars() {
        if matches!(character, '"' | '\\') {
            out.write_char('\\')?;
        }
        out.write_char(character)?;
    }
    out.write_char('"')
}
