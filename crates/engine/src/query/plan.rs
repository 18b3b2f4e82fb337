//! Plans a query: the words that rank, and the conditions that must hold. Pure.

use lore_schema::{SourceName, SymbolKind};

use super::{
    Clock, Period, Query, Word, WordForm, facets,
    language::{Comparison, Expression, Test, Value},
    words,
};

/// A condition on a document.
#[derive(Debug, Clone, PartialEq)]
pub enum Condition {
    /// All of these hold.
    All(Vec<Condition>),
    /// One of these holds.
    Any(Vec<Condition>),
    /// This does not hold.
    Not(Box<Condition>),
    /// It contains the words of a text, each in one of its forms.
    Words {
        /// The text.
        text: String,
        /// True if only the content counts, and not path, title and names.
        content: bool,
    },
    /// It contains a word with this prefix.
    Prefix(String),
    /// It contains a word that differs by at most this number of edits.
    Fuzzy(String, usize),
    /// It contains these words side by side.
    Phrase(String),
    /// It has one of these terms in the field of facets.
    Facets(Vec<String>),
    /// It has a facet term with this prefix.
    FacetPrefix(String),
    /// It has a facet value in this range.
    FacetRange(String, Range),
    /// It has a facet value that contains these words side by side.
    FacetPhrase(String, String),
    /// It was last changed in this range.
    Updated(Range),
    /// Its path matches one of these globs or contains one of these texts.
    Path(Vec<String>),
    /// It belongs to this source.
    Source(SourceName),
}

/// A range of values.
#[derive(Debug, Clone, PartialEq)]
pub struct Range {
    /// True if values are stored as seconds since the epoch.
    pub(crate) seconds: bool,
    /// Dates in seconds since the epoch: the first one, and the first one after the range.
    pub(crate) dates: Option<(Option<i64>, Option<i64>)>,
    /// Lower end as typed, and whether it is included.
    pub(crate) from: Option<(String, bool)>,
    /// Upper end as typed, and whether it is included.
    pub(crate) to: Option<(String, bool)>,
}

impl Range {
    /// Returns true if the range contains a stored value: compared by date if both are dates, by number if
    /// both are numbers, and as text otherwise.
    pub fn holds(&self, value: &str) -> bool {
        if let Some(dates) = self.dates {
            if self.seconds {
                return value.parse().is_ok_and(|date| Range::holds_date(dates, date));
            }
            // The value decides whether `2025` is a year or a number.
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

    /// Returns true if a date is in the range.
    pub fn contains_date(&self, date: i64) -> bool {
        Range::holds_date(self.dates.unwrap_or_default(), date)
    }

    /// Returns true if the range contains a date.
    pub(crate) fn holds_date(dates: (Option<i64>, Option<i64>), date: i64) -> bool {
        dates.0.is_none_or(|from| date >= from) && dates.1.is_none_or(|to| date < to)
    }
}

/// The plan of a query.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Plan {
    /// The words that rank; empty for a query with conditions only.
    pub(crate) query: Query,
    /// The condition on documents.
    pub(crate) condition: Option<Condition>,
    /// Kinds of definitions or documents, if the query requests nothing else.
    pub(crate) kinds: Vec<String>,
    /// The required phrases.
    pub(crate) phrases: Vec<String>,
    /// True if the query consists of words only.
    pub(crate) plain: bool,
    /// True if the query may be a sentence with a quotation: words and phrases, with at least
    /// [`MIN_WORDS_OF_SENTENCE`] words.
    pub(crate) is_quoting: bool,
    /// Parts that may not have been read as intended, one line each.
    pub(crate) warnings: Vec<String>,
}

impl Plan {
    /// Plans a text as words only.
    pub(crate) fn of_words(text: &str) -> Plan {
        Plan {
            query: words::parse(text),
            condition: None,
            kinds: Vec::new(),
            phrases: Vec::new(),
            plain: true,
            is_quoting: false,
            warnings: Vec::new(),
        }
    }

    /// Plans a parsed query.
    pub(crate) fn new(expression: &Expression, clock: Clock) -> Plan {
        let mut planner = Planner { clock, warnings: Vec::new() };
        let mut kinds = Vec::new();
        let condition = planner.side_by_side(expression, &mut kinds);
        let mut positive = PositiveWords::default();
        positive.collect(expression);
        let mut query = words::parse(&positive.text.join(" "));
        for word in positive.words {
            if !query.words.contains(&word) {
                query.words.push(word);
            }
        }
        Plan {
            query,
            condition,
            kinds,
            phrases: positive.phrases,
            plain: expression.is_plain(),
            is_quoting: is_quoting(expression),
            warnings: planner.warnings,
        }
    }
}

/// Minimum number of words outside of quotation marks in a sentence with a quotation.
const MIN_WORDS_OF_SENTENCE: usize = 2;

/// Returns true if a query consists of words and phrases side by side, with enough words for a sentence.
fn is_quoting(expression: &Expression) -> bool {
    let Expression::Sequence(parts) = expression else { return false };
    let words = parts.iter().filter(|part| matches!(part, Expression::Word(_))).count();
    let phrases = parts.iter().filter(|part| matches!(part, Expression::Phrase(_))).count();
    phrases > 0 && words >= MIN_WORDS_OF_SENTENCE && words + phrases == parts.len()
}

/// Minimum number of words beside the operators of a query that may be a pasted sentence.
const MIN_WORDS_OF_AMBIGUOUS: usize = 4;

/// Returns true if a query with operators may be a sentence that was pasted: words side by side with
/// phrases, words in parentheses or a `+` before a word, and nothing that is query language alone.
pub(crate) fn is_ambiguous(expression: &Expression) -> bool {
    let Expression::Sequence(parts) = expression else { return false };
    let is_text = |part: &Expression| match part {
        Expression::Word(_) | Expression::Phrase(_) => true,
        Expression::Required(part) => matches!(**part, Expression::Word(_)),
        Expression::Sequence(parts) => {
            parts.iter().all(|part| matches!(part, Expression::Word(_) | Expression::Phrase(_)))
        }
        _ => false,
    };
    let words = parts.iter().filter(|part| matches!(part, Expression::Word(_))).count();
    (MIN_WORDS_OF_AMBIGUOUS..parts.len()).contains(&words) && parts.iter().all(is_text)
}

/// The words of a query that are not negated.
#[derive(Default)]
struct PositiveWords {
    text: Vec<String>,
    words: Vec<Word>,
    phrases: Vec<String>,
}

impl PositiveWords {
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

/// Fields whose values are also words that rank.
fn is_text(name: &str) -> bool {
    matches!(name, "content" | "description" | "name" | "title")
}

/// Maximum number of edits of a word: as typed, otherwise one for up to four letters and two for more.
pub(crate) fn edits(term: &str, distance: Option<u8>) -> usize {
    distance.map_or(if term.chars().count() <= 4 { 1 } else { 2 }, usize::from)
}

struct Planner {
    clock: Clock,
    warnings: Vec<String>,
}

impl Planner {
    /// Condition of parts side by side: words and their variants only rank.
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
                // A query for a kind of definition returns such definitions, not their files.
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

    /// Condition of a required part; `None` if it has no words.
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
            Expression::Word(text) => {
                has_words(text).then(|| Condition::Words { text: text.clone(), content: false })
            }
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
                            SourceName::ALL.iter().map(|source| source.as_str()).collect();
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
            // A tag matches as a whole: `auth` does not match `auth-server`.
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
                from.flatten().map(|period| if with_from { period.start } else { period.end }),
                to.flatten().map(|period| if with_to { period.end } else { period.start }),
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

/// Returns true if a text contains a word.
fn has_words(text: &str) -> bool {
    !facets::words_of(text).is_empty()
}

/// The kind that a word names.
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
