//! Whether a query holds of a document in memory.

use std::cell::OnceCell;

use super::{
    folded::Folded,
    pattern::{Forms, Found, Pattern},
};
use crate::query::{
    Clock, Period, QueryError, facets,
    language::{Comparison, Expression, Test, Value},
};

/// A query, its patterns made ready.
#[derive(Debug)]
pub(crate) struct Plan {
    root: Option<Step>,
    terms: Vec<Term>,
    /// What to say about words that name nothing.
    pub(crate) unknown_fields: Vec<String>,
}

/// What is looked for in texts.
#[derive(Debug)]
pub(crate) struct Term {
    /// As typed.
    pub(crate) typed: String,
    pub(crate) pattern: Pattern,
    /// What will do, too, where plain words stand side by side: it finds, but is worth nothing.
    pub(crate) forms: Option<Forms>,
    /// Where it is looked for; everywhere if there is no name.
    pub(crate) field: Option<&'static str>,
    /// Whether it ranks: it stands in no excluded part, and is no function word beside others.
    pub(crate) ranks: bool,
    /// Whether every answer must hold it.
    pub(crate) required: bool,
}

#[derive(Debug)]
enum Step {
    All(Vec<Step>),
    Any(Vec<Step>),
    Not(Box<Step>),
    /// One of the terms.
    Term(usize),
    /// Function words.
    Always,
    /// What a document says of itself.
    Field(String, Check),
}

#[derive(Debug)]
enum Check {
    Is(Vec<Value>),
    Dates(Option<i64>, Option<i64>),
    Order(Comparison, String),
    Between(Option<String>, Option<String>),
}

/// A document, as a query sees it.
pub(crate) trait View {
    /// Whether a term, given by its position in the query, is held.
    fn holds_term(&self, index: usize, term: &Term) -> bool;

    /// The values of an attribute.
    fn values(&self, name: &str) -> Vec<&str>;

    /// A date by its name, in seconds since the epoch.
    fn date(&self, name: &str) -> Option<i64>;
}

/// Fields that are texts: their values are looked for inside them.
const TEXTS: &[(&str, &str)] =
    &[("content", "content"), ("description", "description"), ("name", "name"), ("title", "title")];

/// Fields that are dates.
const DATES: &[&str] = &["created", "updated"];

/// Whether every corpus has a field of this name.
pub(crate) fn is_common_field(name: &str) -> bool {
    facets::FIELDS.contains(&facets::canonical(name).as_str())
}

impl Plan {
    /// Makes a query ready. Words side by side are all required; function words only where there is
    /// nothing else.
    pub(crate) fn of(
        query: &str,
        expression: Option<&Expression>,
        unknown_fields: Vec<String>,
        clock: Clock,
    ) -> Result<Plan, QueryError> {
        let mut plan = Plan { root: None, terms: Vec::new(), unknown_fields };
        let mut builder = Builder { query, terms: &mut plan.terms, clock };
        plan.root = expression
            .map(|expression| {
                builder.step(
                    expression,
                    Place { positive: true, required: true, alone: true, plain: true },
                )
            })
            .transpose()?;
        Ok(plan)
    }

    /// The terms, in the order of the query.
    pub(crate) fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// Whether the query asks for nothing: quotes around nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.root.as_ref().is_none_or(Step::is_nothing)
    }

    /// Whether the query holds of a document.
    pub(crate) fn holds(&self, view: &dyn View, words: Words) -> bool {
        self.root.as_ref().is_some_and(|root| self.check(root, view, words))
    }

    fn check(&self, step: &Step, view: &dyn View, words: Words) -> bool {
        match step {
            Step::All(steps) => steps.iter().all(|step| self.check(step, view, words)),
            Step::Any(steps) => steps.iter().any(|step| self.check(step, view, words)),
            Step::Not(step) => !self.check(step, view, Words::Sought),
            Step::Always => true,
            Step::Term(index) => {
                let term = &self.terms[*index];
                match words {
                    Words::Granted if term.ranks && term.field.is_none() => true,
                    Words::Denied if term.ranks => false,
                    _ => view.holds_term(*index, term),
                }
            }
            Step::Field(name, check) => check.holds(name, view),
        }
    }
}

impl Step {
    fn is_nothing(&self) -> bool {
        match self {
            Step::Always => true,
            Step::All(steps) | Step::Any(steps) => steps.iter().all(Step::is_nothing),
            _ => false,
        }
    }
}

/// What becomes of the words that rank when a query is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Words {
    /// They are looked for.
    Sought,
    /// They are taken for granted: what the rest of the query demands.
    Granted,
    /// They are taken for missing: what holds without them.
    Denied,
}

/// Where a part of a query stands.
#[expect(clippy::struct_excessive_bools, reason = "each is one thing that a place is or is not")]
#[derive(Clone, Copy)]
struct Place {
    /// In no excluded part.
    positive: bool,
    /// In no alternative.
    required: bool,
    /// Beside no other word.
    alone: bool,
    /// Under no operator.
    plain: bool,
}

struct Builder<'a> {
    query: &'a str,
    terms: &'a mut Vec<Term>,
    clock: Clock,
}

impl Builder<'_> {
    fn step(&mut self, expression: &Expression, place: Place) -> Result<Step, QueryError> {
        Ok(match expression {
            Expression::Sequence(parts) | Expression::And(parts) => {
                let is_sequence = matches!(expression, Expression::Sequence(_));
                let has_other = parts.iter().any(|part| !is_function_word(part));
                let plain = place.plain && is_sequence;
                let place = Place { alone: !(is_sequence && has_other), plain, ..place };
                let steps = parts.iter().map(|part| self.step(part, place));
                Step::All(steps.collect::<Result<_, _>>()?)
            }
            Expression::Or(parts) => {
                let place = Place { required: false, alone: true, plain: false, ..place };
                Step::Any(
                    parts.iter().map(|part| self.step(part, place)).collect::<Result<_, _>>()?,
                )
            }
            Expression::Not(part) => {
                let place =
                    Place { positive: !place.positive, required: false, alone: true, plain: false };
                Step::Not(Box::new(self.step(part, place)?))
            }
            Expression::Required(part) => {
                self.step(part, Place { alone: true, plain: false, ..place })?
            }
            Expression::Word(word) => {
                if !place.alone && is_function_word(expression) {
                    return Ok(Step::Always);
                }
                // What ends a sentence does not belong to its last word.
                let trimmed =
                    word.trim_matches(|one| matches!(one, '?' | '!' | ',' | ';' | '\'' | '"'));
                let trimmed = trimmed.trim_end_matches(['.', ':']);
                let text = if trimmed.is_empty() { word } else { trimmed };
                self.term(word, Pattern::part(text), None, place)
            }
            Expression::Phrase(words) => self.term(words, Pattern::phrase(words), None, place),
            Expression::Prefix(start) => self.term(start, Pattern::prefix(start), None, place),
            Expression::Fuzzy { term, distance } => {
                self.term(term, Pattern::fuzzy(term, *distance), None, place)
            }
            Expression::Field { name, test } => self.field(name, test, place)?,
        })
    }

    fn term(
        &mut self,
        typed: &str,
        pattern: Option<Pattern>,
        field: Option<&'static str>,
        place: Place,
    ) -> Step {
        // Quotes around nothing.
        let Some(pattern) = pattern else { return Step::Always };
        let Place { positive, required, .. } = place;
        let same = |term: &Term| {
            term.pattern.is_same(&pattern) && term.field == field && term.ranks == positive
        };
        // A word that is repeated says nothing more.
        if let Some(known) = self.terms.iter().position(same) {
            self.terms[known].required |= required;
            return Step::Term(known);
        }
        let forms = if place.plain && field.is_none() && matches!(pattern, Pattern::Part(..)) {
            Forms::of(typed)
        } else {
            None
        };
        let typed = typed.to_owned();
        self.terms.push(Term { typed, pattern, forms, field, ranks: positive, required });
        Step::Term(self.terms.len() - 1)
    }

    fn field(&mut self, name: &str, test: &Test, place: Place) -> Result<Step, QueryError> {
        let name = facets::canonical(name);
        let name = name.as_str();
        let text = TEXTS.iter().find(|(known, _)| *known == name).map(|(_, field)| *field);
        if let (Some(field), Test::Is(values)) = (text, test) {
            let place = if values.len() > 1 { Place { required: false, ..place } } else { place };
            let steps = values
                .iter()
                .map(|value| match value {
                    Value::Exact(text) => self.term(text, Pattern::part(text), Some(field), place),
                    Value::Quoted(text) => {
                        self.term(text, Pattern::phrase(text), Some(field), place)
                    }
                    Value::Prefix(text) => {
                        self.term(text, Pattern::prefix(text), Some(field), place)
                    }
                })
                .collect();
            return Ok(Step::Any(steps));
        }
        let check = if DATES.contains(&name) {
            self.dates(name, test)?
        } else {
            match test {
                Test::Is(values) => Check::Is(values.clone()),
                Test::Compare(comparison, value) => Check::Order(*comparison, value.clone()),
                Test::Between(from, to) => Check::Between(from.clone(), to.clone()),
            }
        };
        Ok(Step::Field(name.to_owned(), check))
    }

    /// First second and the second after the last one that a date may have.
    fn dates(&self, name: &str, test: &Test) -> Result<Check, QueryError> {
        let period = |text: &str| {
            Period::parse(text, self.clock).ok_or_else(|| QueryError {
                message: format!("could not understand the date `{text}` of `{name}:`"),
                span: {
                    let start = self.query.find(text).unwrap_or_default();
                    start..start + text.len().min(self.query.len() - start)
                },
                query: self.query.to_owned(),
                hint: "write 2025-01-31, 2025-01, 2025 or \"7 days ago\"",
            })
        };
        Ok(match test {
            Test::Compare(Comparison::Less, date) => Check::Dates(None, Some(period(date)?.start)),
            Test::Compare(Comparison::LessOrEqual, date) => {
                Check::Dates(None, Some(period(date)?.end))
            }
            Test::Compare(Comparison::Greater, date) => Check::Dates(Some(period(date)?.end), None),
            Test::Compare(Comparison::GreaterOrEqual, date) => {
                Check::Dates(Some(period(date)?.start), None)
            }
            Test::Between(from, to) => Check::Dates(
                from.as_deref().map(period).transpose()?.map(|period| period.start),
                to.as_deref().map(period).transpose()?.map(|period| period.end),
            ),
            Test::Is(values) => {
                let mut periods = Vec::new();
                for value in values {
                    let (Value::Exact(text) | Value::Quoted(text) | Value::Prefix(text)) = value;
                    periods.push(period(text)?);
                }
                let start = periods.iter().map(|period| period.start).min();
                let end = periods.iter().map(|period| period.end).max();
                Check::Dates(start, end)
            }
        })
    }
}

/// Whether a part of a query is a word that says nothing beside others.
fn is_function_word(part: &Expression) -> bool {
    matches!(part, Expression::Word(word) if lore_text::is_stop_word(Folded::of(word).as_str()))
}

impl Check {
    fn holds(&self, name: &str, view: &dyn View) -> bool {
        match self {
            Check::Dates(from, to) => view.date(name).is_some_and(|date| {
                from.is_none_or(|from| from <= date) && to.is_none_or(|to| date < to)
            }),
            Check::Is(wanted) => {
                let values = view.values(name);
                wanted.iter().any(|wanted| values.iter().any(|value| is_value(name, value, wanted)))
            }
            Check::Order(comparison, bound) => view.values(name).iter().any(|value| {
                let order = compare(value, bound);
                match comparison {
                    Comparison::Less => order.is_lt(),
                    Comparison::LessOrEqual => order.is_le(),
                    Comparison::Greater => order.is_gt(),
                    Comparison::GreaterOrEqual => order.is_ge(),
                }
            }),
            Check::Between(from, to) => view.values(name).iter().any(|value| {
                from.as_deref().is_none_or(|from| compare(value, from).is_ge())
                    && to.as_deref().is_none_or(|to| compare(value, to).is_le())
            }),
        }
    }
}

fn is_value(name: &str, value: &str, wanted: &Value) -> bool {
    let value = facets::normal(value);
    match wanted {
        Value::Prefix(start) => value.starts_with(&facets::normal(start)),
        Value::Exact(wanted) | Value::Quoted(wanted) => {
            let wanted = facets::normal(wanted);
            match name {
                "path" => value.contains(&wanted),
                // The number alone is enough: `id:042`.
                "id" => {
                    let is_number =
                        !wanted.is_empty() && wanted.bytes().all(|b| b.is_ascii_digit());
                    let rest = value.strip_prefix(&wanted);
                    value == wanted || (is_number && rest.is_some_and(|rest| rest.starts_with('-')))
                }
                _ => value == wanted,
            }
        }
    }
}

/// Compares as numbers where both are, otherwise as texts.
fn compare(left: &str, right: &str) -> std::cmp::Ordering {
    match (left.trim().parse::<f64>(), right.trim().parse::<f64>()) {
        (Ok(left), Ok(right)) => left.total_cmp(&right),
        _ => Folded::of(left).as_str().cmp(Folded::of(right).as_str()),
    }
}

/// What is found of each term in one text, looked up when it is asked for.
#[derive(Debug)]
pub(crate) struct Places {
    found: Vec<OnceCell<Vec<Found>>>,
}

impl Places {
    /// Nothing looked up yet, for so many terms.
    pub(crate) fn new(terms: usize) -> Places {
        Places { found: (0..terms).map(|_| OnceCell::new()).collect() }
    }

    /// Where a term is found in the text, which is always the same one.
    pub(crate) fn of(&self, term: usize, look: impl FnOnce() -> Vec<Found>) -> &[Found] {
        self.found[term].get_or_init(look)
    }
}
