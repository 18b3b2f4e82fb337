//! Evaluation of a query on a document in memory.

use std::cell::OnceCell;

use lore_engine::{
    Clock,
    documents::{Condition, Expression, Test, Value, condition_of, field_name, is_stop_word},
};

use super::{
    facts::Facts,
    folded::Folded,
    pattern::{Forms, Pattern, PatternMatch},
};

/// A query with its patterns compiled.
#[derive(Debug)]
pub(crate) struct Plan {
    root: Option<Step>,
    terms: Vec<Term>,
    /// Parts of the query that may have been misread, one line each.
    pub(crate) warnings: Vec<String>,
}

/// A word, phrase or prefix to find in texts.
#[derive(Debug)]
pub(crate) struct Term {
    /// As typed.
    pub(crate) typed: String,
    pub(crate) pattern: Pattern,
    /// Other forms of a plain word.
    pub(crate) forms: Option<Forms>,
    /// The field to search; all fields if `None`.
    pub(crate) field: Option<&'static str>,
    /// True if it ranks: it is in no excluded part, and is no function word beside others.
    pub(crate) ranks: bool,
    /// True if every hit must contain it.
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
    /// A condition on the metadata of a document.
    Condition(Condition),
}

/// A document, as a query sees it.
pub(crate) trait View {
    /// Returns true if the document contains a term, given with its position in the query.
    fn holds_term(&self, index: usize, term: &Term) -> bool;

    /// Its metadata.
    fn facts(&self) -> &Facts<'_>;
}

/// Fields that are texts: their values may be anywhere in them.
const TEXTS: &[(&str, &str)] =
    &[("content", "content"), ("description", "description"), ("name", "name"), ("title", "title")];

impl Plan {
    /// Compiles a query. Words side by side are all required; function words only if there are no
    /// other words.
    pub(crate) fn of(expression: Option<&Expression>, clock: Clock) -> Plan {
        let mut builder = Builder { terms: Vec::new(), warnings: Vec::new(), clock };
        let position = Position { positive: true, required: true, alone: true, plain: true };
        let root = expression.map(|expression| builder.step(expression, position));
        Plan { root, terms: builder.terms, warnings: builder.warnings }
    }

    /// The terms, in the order of the query.
    pub(crate) fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// Returns true if the query contains nothing to find, such as empty quotes.
    pub(crate) fn is_empty(&self) -> bool {
        self.root.as_ref().is_none_or(Step::is_nothing)
    }

    /// Returns true if a document matches the query.
    pub(crate) fn holds(&self, view: &dyn View, words: Words) -> bool {
        self.root.as_ref().is_some_and(|root| self.check(root, view, words))
    }

    fn check(&self, step: &Step, view: &dyn View, words: Words) -> bool {
        match step {
            Step::All(steps) => steps.iter().all(|step| self.check(step, view, words)),
            Step::Any(steps) => steps.iter().any(|step| self.check(step, view, words)),
            Step::Not(step) => !self.check(step, view, Words::Searched),
            Step::Always => true,
            Step::Term(index) => {
                let term = &self.terms[*index];
                match words {
                    Words::Present if term.ranks && term.field.is_none() => true,
                    Words::Absent if term.ranks => false,
                    _ => view.holds_term(*index, term),
                }
            }
            Step::Condition(condition) => view.facts().holds(condition),
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

/// Treatment of the words that rank when a query is evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Words {
    /// They are searched in the document.
    Searched,
    /// They count as present, to test the rest of the query.
    Present,
    /// They count as missing, to test whether the query matches without them.
    Absent,
}

/// The position of a part in a query.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an independent property of the position"
)]
#[derive(Clone, Copy)]
struct Position {
    /// In no excluded part.
    positive: bool,
    /// In no alternative.
    required: bool,
    /// Beside no other word.
    alone: bool,
    /// Under no operator.
    plain: bool,
}

struct Builder {
    terms: Vec<Term>,
    warnings: Vec<String>,
    clock: Clock,
}

impl Builder {
    fn step(&mut self, expression: &Expression, position: Position) -> Step {
        match expression {
            Expression::Sequence(parts) | Expression::And(parts) => {
                let is_sequence = matches!(expression, Expression::Sequence(_));
                let has_other = parts.iter().any(|part| !is_function_word(part));
                let plain = position.plain && is_sequence;
                let position = Position { alone: !(is_sequence && has_other), plain, ..position };
                Step::All(parts.iter().map(|part| self.step(part, position)).collect())
            }
            Expression::Or(parts) => {
                let position = Position { required: false, alone: true, plain: false, ..position };
                Step::Any(parts.iter().map(|part| self.step(part, position)).collect())
            }
            Expression::Not(part) => {
                let position = Position {
                    positive: !position.positive,
                    required: false,
                    alone: true,
                    plain: false,
                };
                Step::Not(Box::new(self.step(part, position)))
            }
            Expression::Required(part) => {
                self.step(part, Position { alone: true, plain: false, ..position })
            }
            Expression::Word(word) => {
                if !position.alone && is_function_word(expression) {
                    return Step::Always;
                }
                // Punctuation at the end of a sentence is no part of its last word.
                let trimmed = word.trim_matches(|character| {
                    matches!(character, '?' | '!' | ',' | ';' | '\'' | '"')
                });
                let trimmed = trimmed.trim_end_matches(['.', ':']);
                let text = if trimmed.is_empty() { word } else { trimmed };
                self.term(word, Pattern::part(text), None, position)
            }
            Expression::Phrase(words) => self.term(words, Pattern::phrase(words), None, position),
            Expression::Prefix(start) => self.term(start, Pattern::prefix(start), None, position),
            Expression::Fuzzy { term, .. } => match self.condition(expression) {
                Some(Condition::Fuzzy(_, edits)) => {
                    self.term(term, Pattern::fuzzy(term, edits), None, position)
                }
                _ => Step::Always,
            },
            Expression::Field { name, test } => self.field(expression, (name, test), position),
        }
    }

    /// The condition that a part makes, as the engine reads it.
    fn condition(&mut self, part: &Expression) -> Option<Condition> {
        let required = Expression::Required(Box::new(part.clone()));
        let (condition, mut warnings) = condition_of(&required, self.clock);
        self.warnings.append(&mut warnings);
        condition
    }

    fn term(
        &mut self,
        typed: &str,
        pattern: Option<Pattern>,
        field: Option<&'static str>,
        position: Position,
    ) -> Step {
        // Empty quotes.
        let Some(pattern) = pattern else { return Step::Always };
        let Position { positive, required, .. } = position;
        let same = |term: &Term| {
            term.pattern.is_same(&pattern) && term.field == field && term.ranks == positive
        };
        // Repeating a word adds nothing.
        if let Some(known) = self.terms.iter().position(same) {
            self.terms[known].required |= required;
            return Step::Term(known);
        }
        let forms = if position.plain && field.is_none() && matches!(pattern, Pattern::Part(..)) {
            Forms::of(typed)
        } else {
            None
        };
        let typed = typed.to_owned();
        self.terms.push(Term { typed, pattern, forms, field, ranks: positive, required });
        Step::Term(self.terms.len() - 1)
    }

    fn field(
        &mut self,
        expression: &Expression,
        (name, test): (&str, &Test),
        position: Position,
    ) -> Step {
        let name = field_name(name);
        let text = TEXTS.iter().find(|(known, _)| *known == name).map(|(_, field)| *field);
        let (Some(field), Test::Is(values)) = (text, test) else {
            return self.condition(expression).map_or(Step::Always, Step::Condition);
        };
        let position =
            if values.len() > 1 { Position { required: false, ..position } } else { position };
        let steps = values.iter().map(|value| match value {
            Value::Exact(text) => self.term(text, Pattern::part(text), Some(field), position),
            Value::Quoted(text) => self.term(text, Pattern::phrase(text), Some(field), position),
            Value::Prefix(text) => self.term(text, Pattern::prefix(text), Some(field), position),
        });
        Step::Any(steps.collect())
    }
}

/// Returns true if a part of a query is a function word.
fn is_function_word(part: &Expression) -> bool {
    matches!(part, Expression::Word(word) if is_stop_word(Folded::of(word).as_str()))
}

/// Matches of each term in one text, found on first use.
#[derive(Debug)]
pub(crate) struct Places {
    found: Vec<OnceCell<Vec<PatternMatch>>>,
}

impl Places {
    /// An empty value for the given number of terms.
    pub(crate) fn new(terms: usize) -> Places {
        Places { found: (0..terms).map(|_| OnceCell::new()).collect() }
    }

    /// Matches of a term in the text, which must be the same in every call.
    pub(crate) fn of(
        &self,
        term: usize,
        look: impl FnOnce() -> Vec<PatternMatch>,
    ) -> &[PatternMatch] {
        self.found[term].get_or_init(look)
    }
}
