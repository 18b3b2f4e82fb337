//! Whether a query holds of a document in memory.

use std::cell::OnceCell;

use super::{
    facts::Facts,
    folded::Folded,
    pattern::{Forms, Found, Pattern},
};
use crate::query::{
    self, Clock, Condition, facets,
    language::{Expression, Test, Value},
};

/// A query, its patterns made ready.
#[derive(Debug)]
pub(crate) struct Plan {
    root: Option<Step>,
    terms: Vec<Term>,
    /// What was read otherwise than it may have been meant, one line each.
    pub(crate) warnings: Vec<String>,
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
    Condition(Condition),
}

/// A document, as a query sees it.
pub(crate) trait View {
    /// Whether a term, given by its position in the query, is held.
    fn holds_term(&self, index: usize, term: &Term) -> bool;

    /// What it says of itself.
    fn facts(&self) -> &Facts<'_>;
}

/// Fields that are texts: their values are looked for inside them.
const TEXTS: &[(&str, &str)] =
    &[("content", "content"), ("description", "description"), ("name", "name"), ("title", "title")];

impl Plan {
    /// Makes a query ready. Words side by side are all required; function words only where there is
    /// nothing else.
    pub(crate) fn of(expression: Option<&Expression>, clock: Clock) -> Plan {
        let mut builder = Builder { terms: Vec::new(), warnings: Vec::new(), clock };
        let place = Place { positive: true, required: true, alone: true, plain: true };
        let root = expression.map(|expression| builder.step(expression, place));
        Plan { root, terms: builder.terms, warnings: builder.warnings }
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

struct Builder {
    terms: Vec<Term>,
    warnings: Vec<String>,
    clock: Clock,
}

impl Builder {
    fn step(&mut self, expression: &Expression, place: Place) -> Step {
        match expression {
            Expression::Sequence(parts) | Expression::And(parts) => {
                let is_sequence = matches!(expression, Expression::Sequence(_));
                let has_other = parts.iter().any(|part| !is_function_word(part));
                let plain = place.plain && is_sequence;
                let place = Place { alone: !(is_sequence && has_other), plain, ..place };
                Step::All(parts.iter().map(|part| self.step(part, place)).collect())
            }
            Expression::Or(parts) => {
                let place = Place { required: false, alone: true, plain: false, ..place };
                Step::Any(parts.iter().map(|part| self.step(part, place)).collect())
            }
            Expression::Not(part) => {
                let place =
                    Place { positive: !place.positive, required: false, alone: true, plain: false };
                Step::Not(Box::new(self.step(part, place)))
            }
            Expression::Required(part) => {
                self.step(part, Place { alone: true, plain: false, ..place })
            }
            Expression::Word(word) => {
                if !place.alone && is_function_word(expression) {
                    return Step::Always;
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
            Expression::Fuzzy { term, .. } => match self.condition(expression) {
                Some(Condition::Fuzzy(_, edits)) => {
                    self.term(term, Pattern::fuzzy(term, edits), None, place)
                }
                _ => Step::Always,
            },
            Expression::Field { name, test } => self.field(expression, (name, test), place),
        }
    }

    /// What a part demands, as the engine reads it.
    fn condition(&mut self, part: &Expression) -> Option<Condition> {
        let required = Expression::Required(Box::new(part.clone()));
        let mut plan = query::Plan::new(&required, self.clock);
        self.warnings.append(&mut plan.warnings);
        plan.condition
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

    fn field(
        &mut self,
        expression: &Expression,
        (name, test): (&str, &Test),
        place: Place,
    ) -> Step {
        let name = facets::canonical(name);
        let text = TEXTS.iter().find(|(known, _)| *known == name).map(|(_, field)| *field);
        let (Some(field), Test::Is(values)) = (text, test) else {
            return self.condition(expression).map_or(Step::Always, Step::Condition);
        };
        let place = if values.len() > 1 { Place { required: false, ..place } } else { place };
        let steps = values.iter().map(|value| match value {
            Value::Exact(text) => self.term(text, Pattern::part(text), Some(field), place),
            Value::Quoted(text) => self.term(text, Pattern::phrase(text), Some(field), place),
            Value::Prefix(text) => self.term(text, Pattern::prefix(text), Some(field), place),
        });
        Step::Any(steps.collect())
    }
}

/// Whether a part of a query is a word that says nothing beside others.
fn is_function_word(part: &Expression) -> bool {
    matches!(part, Expression::Word(word) if lore_text::is_stop_word(Folded::of(word).as_str()))
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
