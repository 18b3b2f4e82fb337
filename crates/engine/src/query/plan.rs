//! What a query asks for: words that rank, and conditions that must hold. Pure.

use lore_schema::{SourceName, SymbolKind};

use super::{
    Clock, Period, Query, Word, WordForm, facets,
    language::{Comparison, Expression, Test, Value},
    words,
};

/// What must hold of a document.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Condition {
    /// All of them.
    All(Vec<Condition>),
    /// One of them.
    Any(Vec<Condition>),
    /// Not this.
    Not(Box<Condition>),
    /// It holds the words of a text, each in one of its forms, in the content alone or anywhere.
    Words {
        /// The text.
        text: String,
        /// Whether only the content counts.
        content: bool,
    },
    /// It holds a word that starts so.
    Prefix(String),
    /// It holds a word that differs by at most so many edits.
    Fuzzy(String, usize),
    /// It holds the words side by side.
    Phrase(String),
    /// It says of itself: one of these terms of the field of facets.
    Facets(Vec<String>),
    /// It says of itself something that starts so.
    FacetPrefix(String),
    /// A value that it says of itself lies between.
    FacetRange(String, Range),
    /// A value that it says of itself holds the words side by side.
    FacetPhrase(String, String),
    /// It was last changed between.
    Updated(Range),
    /// Its path matches one of these globs or holds one of these texts.
    Path(Vec<String>),
    /// It is of this source.
    Source(SourceName),
}

/// The values between two others.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Range {
    /// Whether values are kept as seconds since the epoch.
    pub(crate) seconds: bool,
    /// Dates, in seconds since the epoch: from, and the first one that is too late.
    pub(crate) dates: Option<(Option<i64>, Option<i64>)>,
    /// As typed: from and to, and whether these count.
    pub(crate) from: Option<(String, bool)>,
    /// The upper end.
    pub(crate) to: Option<(String, bool)>,
}

impl Range {
    /// Whether a value as it is kept lies in it: by date where both are dates, by number where both
    /// are numbers, otherwise by letters.
    pub(crate) fn holds(&self, value: &str) -> bool {
        if let Some(dates) = self.dates {
            if self.seconds {
                return value.parse().is_ok_and(|date| Range::holds_date(dates, date));
            }
            // The value tells whether `2025` is a year or a number.
            let is_number = value.parse::<f64>().is_ok();
            let date = Period::parse(value, Clock::default()).filter(|_| !is_number);
            if let Some(date) = date {
                return Range::holds_date(dates, date.start);
            }
        }
        let order = |end: &str| match (value.parse::<f64>(), end.parse::<f64>()) {
            (Ok(left), Ok(right)) => left.total_cmp(&right),
            _ => value.cmp(end),
        };
        self.from.as_ref().is_none_or(|(end, included)| {
            let order = order(&facets::normal(end));
            order.is_gt() || (*included && order.is_eq())
        }) && self.to.as_ref().is_none_or(|(end, included)| {
            let order = order(&facets::normal(end));
            order.is_lt() || (*included && order.is_eq())
        })
    }

    /// Whether a date lies in it.
    pub(crate) fn holds_date(dates: (Option<i64>, Option<i64>), date: i64) -> bool {
        dates.0.is_none_or(|from| date >= from) && dates.1.is_none_or(|to| date < to)
    }
}

/// What a query asks for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Plan {
    /// The words that rank; empty for a query of conditions alone.
    pub(crate) query: Query,
    /// What must hold.
    pub(crate) condition: Option<Condition>,
    /// Kinds of definitions or documents that are all that is asked for.
    pub(crate) kinds: Vec<String>,
    /// The phrases that must hold.
    pub(crate) phrases: Vec<String>,
    /// Whether it is nothing but words.
    pub(crate) plain: bool,
    /// Whether it may be a sentence that cites something: words and phrases, at least
    /// [`WORDS_OF_A_SENTENCE`] of the former.
    pub(crate) cites: bool,
    /// What was read otherwise than it may have been meant, one line each.
    pub(crate) warnings: Vec<String>,
}

impl Plan {
    /// A text whose words alone are asked for.
    pub(crate) fn of_words(text: &str) -> Plan {
        Plan {
            query: words::parse(text),
            condition: None,
            kinds: Vec::new(),
            phrases: Vec::new(),
            plain: true,
            cites: false,
            warnings: Vec::new(),
        }
    }

    /// Plans a tree.
    pub(crate) fn new(expression: &Expression, clock: Clock) -> Plan {
        let mut planner = Planner { clock, warnings: Vec::new() };
        let mut kinds = Vec::new();
        let condition = planner.side_by_side(expression, &mut kinds);
        let mut wanted = Wanted::default();
        wanted.collect(expression);
        let mut query = words::parse(&wanted.text.join(" "));
        for word in wanted.words {
            if !query.words.contains(&word) {
                query.words.push(word);
            }
        }
        Plan {
            query,
            condition,
            kinds,
            phrases: wanted.phrases,
            plain: expression.is_plain(),
            cites: cites(expression),
            warnings: planner.warnings,
        }
    }
}

/// Words outside of its quotation marks from which on a query may be a sentence.
const WORDS_OF_A_SENTENCE: usize = 2;

/// Whether a tree is words and phrases side by side, with words enough for a sentence.
fn cites(expression: &Expression) -> bool {
    let Expression::Sequence(parts) = expression else { return false };
    let words = parts.iter().filter(|part| matches!(part, Expression::Word(_))).count();
    let phrases = parts.iter().filter(|part| matches!(part, Expression::Phrase(_))).count();
    phrases > 0 && words >= WORDS_OF_A_SENTENCE && words + phrases == parts.len()
}

/// The positive words of a tree.
#[derive(Default)]
struct Wanted {
    text: Vec<String>,
    words: Vec<Word>,
    phrases: Vec<String>,
}

impl Wanted {
    fn collect(&mut self, expression: &Expression) {
        let extended =
            |term: &str, form| Word { term: lore_text::fold(term), form, name: None, weight: 1.0 };
        match expression {
            Expression::Sequence(parts) | Expression::And(parts) | Expression::Or(parts) => {
                for part in parts {
                    self.collect(part);
                }
            }
            Expression::Required(part) => self.collect(part),
            Expression::Word(word) => self.text.push(word.clone()),
            Expression::Phrase(phrase) => {
                self.text.push(phrase.clone());
                self.phrases.push(phrase.clone());
            }
            Expression::Prefix(start) => self.words.push(extended(start, WordForm::Prefix)),
            Expression::Fuzzy { term, distance } => {
                let edits = edits(term, *distance);
                self.words.push(extended(term, WordForm::Fuzzy(edits)));
            }
            Expression::Field { name, test: Test::Is(values) }
                if is_text(&facets::canonical(name)) =>
            {
                for value in values {
                    match value {
                        Value::Exact(text) | Value::Quoted(text) => self.text.push(text.clone()),
                        Value::Prefix(text) => self.words.push(extended(text, WordForm::Prefix)),
                    }
                }
            }
            Expression::Field { .. } | Expression::Not(_) => {}
        }
    }
}

/// Fields whose values are words that rank, too.
fn is_text(name: &str) -> bool {
    matches!(name, "content" | "description" | "name" | "title")
}

/// Edits of a word: as asked, otherwise one for up to four letters and two for more.
pub(crate) fn edits(term: &str, distance: Option<u8>) -> usize {
    distance.map_or(if term.chars().count() <= 4 { 1 } else { 2 }, usize::from)
}

struct Planner {
    clock: Clock,
    warnings: Vec<String>,
}

impl Planner {
    /// What must hold of parts side by side: words and their kin only rank.
    fn side_by_side(
        &mut self,
        expression: &Expression,
        kinds: &mut Vec<String>,
    ) -> Option<Condition> {
        let parts = match expression {
            Expression::Sequence(parts) => parts.as_slice(),
            other => std::slice::from_ref(other),
        };
        let mut conditions = Vec::new();
        for part in parts {
            match part {
                Expression::Word(_) | Expression::Prefix(_) | Expression::Fuzzy { .. } => {}
                // Who asks for a kind of definition is shown such definitions, not their files.
                Expression::Field { name, test: Test::Is(values) }
                    if facets::canonical(name) == "kind"
                        && kinds.is_empty()
                        && all_exact(values) =>
                {
                    kinds.extend(values.iter().map(|value| kind_of(text_of(value))));
                }
                other => conditions.extend(self.required(other)),
            }
        }
        all(conditions)
    }

    /// What must hold of a part that is required; `None` if it says nothing.
    fn required(&mut self, expression: &Expression) -> Option<Condition> {
        match expression {
            Expression::Sequence(parts) | Expression::And(parts) => {
                all(parts.iter().filter_map(|part| self.required(part)).collect())
            }
            Expression::Or(parts) => {
                let mut any: Vec<_> = parts.iter().filter_map(|part| self.required(part)).collect();
                if any.len() > 1 { Some(Condition::Any(any)) } else { any.pop() }
            }
            Expression::Not(part) => self.required(part).map(|part| Condition::Not(Box::new(part))),
            Expression::Required(part) => self.required(part),
            Expression::Word(text) => says_something(text)
                .then(|| Condition::Words { text: text.clone(), content: false }),
            Expression::Phrase(text) => {
                (!text.trim().is_empty()).then(|| Condition::Phrase(text.clone()))
            }
            Expression::Prefix(start) => Some(Condition::Prefix(lore_text::fold(start))),
            Expression::Fuzzy { term, distance } => {
                Some(Condition::Fuzzy(lore_text::fold(term), edits(term, *distance)))
            }
            Expression::Field { name, test } => self.field(&facets::canonical(name), test),
        }
    }

    fn field(&mut self, name: &str, test: &Test) -> Option<Condition> {
        let values = match test {
            Test::Is(values) => values,
            Test::Compare(comparison, value) => {
                let value = Some(value.as_str());
                return Some(match comparison {
                    Comparison::Less => self.range(name, None, value, (true, false)),
                    Comparison::LessOrEqual => self.range(name, None, value, (true, true)),
                    Comparison::Greater => self.range(name, value, None, (false, true)),
                    Comparison::GreaterOrEqual => self.range(name, value, None, (true, true)),
                });
            }
            Test::Between(from, to) => {
                return Some(self.range(name, from.as_deref(), to.as_deref(), (true, true)));
            }
        };
        if name == "path" {
            return Some(Condition::Path(values.iter().map(path_pattern).collect()));
        }
        any(values.iter().map(|value| self.is(name, value)).collect())
    }

    fn is(&mut self, name: &str, value: &Value) -> Condition {
        let text = text_of(value);
        match (name, value) {
            ("source", _) => {
                let known = SourceName::from_name(&lore_text::fold(text));
                known.map_or_else(
                    || {
                        let names: Vec<_> =
                            SourceName::ALL.iter().map(|one| one.as_str()).collect();
                        self.warnings.push(format!(
                            "there is no source `{text}`; the sources are {}",
                            names.join(", ")
                        ));
                        Condition::Any(Vec::new())
                    },
                    Condition::Source,
                )
            }
            ("content", Value::Quoted(phrase)) => Condition::Phrase(phrase.clone()),
            ("content", Value::Prefix(start)) => Condition::Prefix(lore_text::fold(start)),
            ("content", Value::Exact(text)) => {
                Condition::Words { text: text.clone(), content: true }
            }
            ("created" | "updated", _) => self.range(name, Some(text), Some(text), (true, true)),
            (_, Value::Prefix(start)) => {
                let start = facets::value_term(name, start);
                Condition::FacetPrefix(start)
            }
            (_, Value::Quoted(phrase)) => {
                let whole = Condition::Facets(vec![facets::value_term(name, phrase)]);
                Condition::Any(vec![
                    whole,
                    Condition::FacetPhrase(name.to_owned(), facets::normal(phrase)),
                ])
            }
            // A tag is the whole tag: `auth` is not `auth-server`.
            ("format" | "kind" | "lang" | "priority" | "status" | "tag", Value::Exact(text)) => {
                let text = match name {
                    "kind" => kind_of(text),
                    "lang" => lore_syntax::named(text)
                        .map_or_else(|| text.clone(), |language| language.name.to_owned()),
                    _ => text.clone(),
                };
                Condition::Facets(vec![facets::value_term(name, &text)])
            }
            (_, Value::Exact(text)) => {
                let whole = Condition::Facets(vec![facets::value_term(name, text)]);
                let words = facets::words_of(text);
                let words = words
                    .iter()
                    .map(|word| Condition::Facets(vec![facets::word_term(name, word)]))
                    .collect();
                match all(words) {
                    Some(words) => Condition::Any(vec![whole, words]),
                    None => whole,
                }
            }
        }
    }

    fn range(
        &mut self,
        name: &str,
        from: Option<&str>,
        to: Option<&str>,
        (with_from, with_to): (bool, bool),
    ) -> Condition {
        let period = |text: Option<&str>| text.map(|text| Period::parse(text, self.clock));
        let dates = match (period(from), period(to)) {
            (Some(None), _) | (_, Some(None)) | (None, None) => None,
            (from, to) => Some((
                from.flatten().map(|one| if with_from { one.start } else { one.end }),
                to.flatten().map(|one| if with_to { one.end } else { one.start }),
            )),
        };
        if dates.is_none() && matches!(name, "created" | "updated") {
            let mut typed: Vec<&str> = from.into_iter().chain(to).collect();
            typed.dedup();
            self.warnings.push(format!("could not understand the date `{}`", typed.join("..")));
            return Condition::Any(Vec::new());
        }
        let range = Range {
            seconds: matches!(name, "created" | "updated"),
            dates,
            from: from.map(|text| (text.to_owned(), with_from)),
            to: to.map(|text| (text.to_owned(), with_to)),
        };
        if name == "updated" {
            Condition::Updated(range)
        } else {
            Condition::FacetRange(name.to_owned(), range)
        }
    }
}

/// Whether a text holds a word.
fn says_something(text: &str) -> bool {
    !facets::words_of(text).is_empty()
}

/// The kind that a word means.
fn kind_of(word: &str) -> String {
    let word = word.to_lowercase();
    SymbolKind::of_word(&word).map_or(word, str::to_owned)
}

fn all_exact(values: &[Value]) -> bool {
    values.iter().all(|value| matches!(value, Value::Exact(_)))
}

fn text_of(value: &Value) -> &str {
    match value {
        Value::Exact(text) | Value::Quoted(text) | Value::Prefix(text) => text,
    }
}

/// A glob, or a part of a path.
fn path_pattern(value: &Value) -> String {
    match value {
        Value::Exact(text) | Value::Quoted(text) => text.clone(),
        Value::Prefix(start) => format!("{start}*"),
    }
}

fn all(mut conditions: Vec<Condition>) -> Option<Condition> {
    if conditions.len() > 1 { Some(Condition::All(conditions)) } else { conditions.pop() }
}

fn any(mut conditions: Vec<Condition>) -> Option<Condition> {
    if conditions.len() > 1 { Some(Condition::Any(conditions)) } else { conditions.pop() }
}
