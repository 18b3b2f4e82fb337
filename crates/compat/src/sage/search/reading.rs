//! Matches a query against a document and records where.

use std::{cell::RefCell, collections::HashMap, ops::Range};

use lore_engine::{
    Clock, EngineError, PatternKind, QueryError, SearchRequest, Syntax,
    documents::{
        Condition, Expression, Test, Value, condition_of, field_name, is_stop_word, parse_query,
        same_stem,
    },
};
use lore_schema::Document;
use regex::{Regex, RegexBuilder};

use super::{headings::headings, scoring::best_window};
use crate::documents::{Facts, Folded, Pattern, PatternMatch, is_word, unknown_field};

/// Characters of a snippet.
const SNIPPET: usize = 175;

/// Characters of a snippet before the match.
const BEFORE: usize = 50;

/// Maximum number of reported lines per document.
const LINES: usize = 100;

/// Maximum number of distinct query words: one bit each.
const WORDS: usize = 64;

/// A compiled query.
pub(super) struct Query {
    kind: Kind,
    /// The folded words, without function words if there are others.
    words: Vec<QueryWord>,
    /// The conditions that hits must meet.
    condition: Option<Condition>,
    /// Parts of the query that may have been misread, one line each.
    pub(super) warnings: Vec<String>,
    /// For words of texts, the query words that they match.
    known: RefCell<HashMap<String, u64>>,
}

enum Kind {
    /// Conditions alone.
    Any,
    Phrase(Pattern),
    Regex(Regex),
}

/// One word of a query.
struct QueryWord {
    word: String,
    /// Maximum number of edits of a matching word.
    edits: usize,
}

/// The matches of the query in one document.
#[expect(clippy::struct_excessive_bools, reason = "each is an independent kind of match")]
pub(super) struct Reading {
    /// The literal query, or a match of the pattern.
    pub(super) exact: bool,
    /// The query inside a longer word.
    part: bool,
    /// The title or the name of the file contains all of it.
    pub(super) in_title: bool,
    /// A heading contains all of it.
    pub(super) in_heading: bool,
    /// Words of the query in the best window.
    pub(super) near: u32,
    /// Start of the best match, in bytes of the text.
    at: usize,
    /// Its line, 1-based.
    pub(super) line: u32,
    /// The lines of all exact matches.
    pub(super) lines: Vec<u32>,
    /// Number of words that match each query word, in the order of the query.
    pub(super) counts: Vec<u32>,
    /// Number of words of the text.
    pub(super) length: usize,
    is_single: bool,
}

impl Reading {
    /// Returns true unless only one of several words matches.
    pub(super) fn is_relevant(&self) -> bool {
        self.exact
            || self.part
            || self.in_title
            || self.in_heading
            || 1 < self.near
            || self.is_single
    }

    /// The heading above the match; `title` for the first line and if there is no heading above.
    pub(super) fn section(&self, document: &Document) -> String {
        let text = document.text.as_str();
        let is_first_line = !text[..self.at].contains('\n');
        let all = headings(document);
        match all.iter().rfind(|heading| heading.start <= self.at) {
            Some(heading) if !is_first_line => heading.text.to_owned(),
            _ => "title".to_owned(),
        }
    }
}

impl Query {
    /// Compiles a query. Words rank; phrases, fields and operators are conditions.
    ///
    /// # Errors
    /// If it is blank, has a syntax error, or is an invalid pattern.
    pub(super) fn of(
        documents: &[Document],
        request: &SearchRequest,
    ) -> Result<Query, EngineError> {
        let typed = request.query.trim();
        if typed.is_empty() {
            return Err(EngineError::EmptyQuery);
        }
        let mut query = Query {
            kind: Kind::Any,
            words: Vec::new(),
            condition: None,
            warnings: Vec::new(),
            known: RefCell::default(),
        };
        let mut text = vec![typed.to_owned()];
        let mut edits = Vec::new();
        if let Some(kind) = request.pattern {
            let expression = match kind {
                // Literal text, also inside words.
                PatternKind::Literal => regex::escape(typed),
                PatternKind::Regex => typed.to_owned(),
            };
            let regex = RegexBuilder::new(&expression)
                .case_insensitive(!request.case_sensitive)
                .multi_line(true)
                .build()
                .map_err(|error| invalid(typed, &error))?;
            query.kind = Kind::Regex(regex);
        } else if request.syntax != Syntax::Raw {
            let parsed = parse_query(documents, request)?;
            query.warnings.extend(parsed.unknown_fields.iter().map(|n| unknown_field(n)));
            match &parsed.expression {
                Some(expression) if expression.is_plain() => {}
                Some(expression) => {
                    text.clear();
                    query.demand(expression, request);
                    wanted(expression, &mut text, &mut edits);
                }
                None => return Err(EngineError::EmptyQuery),
            }
        }
        let text = text.join(" ");
        query.words = words(&text, &edits);
        if !matches!(query.kind, Kind::Regex(_)) {
            match Pattern::phrase(&text) {
                Some(pattern) => query.kind = Kind::Phrase(pattern),
                None if query.condition.is_some() => {}
                None => return Err(EngineError::EmptyQuery),
            }
        }
        Ok(query)
    }

    /// Sets the conditions.
    fn demand(&mut self, expression: &Expression, request: &SearchRequest) {
        let (condition, mut warnings) = condition_of(expression, request.clock);
        self.warnings.append(&mut warnings);
        self.condition = condition;
    }

    /// Returns true if the conditions require words: documents that meet them are hits then, however
    /// few of the other words they contain.
    pub(super) fn demands_words(&self) -> bool {
        self.condition.as_ref().is_some_and(is_about_words)
    }

    /// Returns true if a document meets the conditions.
    pub(super) fn admits(&self, facts: &Facts<'_>) -> bool {
        self.condition.as_ref().is_none_or(|condition| facts.holds(condition))
    }

    /// Matches a document; `None` if it contains nothing of the query.
    pub(super) fn read(&self, document: &Document) -> Option<Reading> {
        let text = document.text.as_str();
        let folded = Folded::of(text);
        let (exact, parts) = match &self.kind {
            Kind::Any => (Vec::new(), Vec::new()),
            Kind::Regex(regex) => (
                regex
                    .find_iter(text)
                    .filter(|found| !found.is_empty())
                    .map(|found| found.range())
                    .collect(),
                Vec::new(),
            ),
            Kind::Phrase(pattern) => {
                let found = pattern.find(folded.as_str());
                let original = |range: &Range<usize>| folded.original(range, text);
                let (exact, parts): (Vec<_>, Vec<_>) =
                    found.into_iter().partition(|found| found.exact);
                let of = |found: Vec<PatternMatch>| -> Vec<Range<usize>> {
                    found.iter().map(|found| original(&found.range)).collect()
                };
                (of(exact), of(parts))
            }
        };
        let is_regex = matches!(self.kind, Kind::Regex(_));
        let names = names(document);
        let is_named = names.iter().any(|name| match &self.kind {
            Kind::Any => false,
            Kind::Regex(regex) => regex.is_match(name),
            Kind::Phrase(pattern) => {
                pattern.find(Folded::of(name).as_str()).iter().any(|found| found.exact)
            }
        });
        let words: Vec<(u64, usize)> = if is_regex {
            Vec::new()
        } else {
            runs(folded.as_str()).map(|(offset, word)| (self.bits(word), offset)).collect()
        };
        let held = words.iter().fold(0, |all, (bits, _)| all | bits);
        let (near, offset) = best_window(&words);
        let is_exact = !exact.is_empty() || is_named;
        let is_listed = matches!(self.kind, Kind::Any) || self.demands_words();
        if !is_listed && !is_exact && parts.is_empty() && held == 0 {
            return None;
        }
        // Several words close together are stronger evidence than a part of one.
        let literal = exact.first().or(parts.first().filter(|_| near < 2));
        let at = literal.map_or_else(
            || folded.original(&(offset..offset), text).start,
            |range: &Range<usize>| range.start,
        );
        let line_of = |offset: usize| {
            let breaks = text[..offset].bytes().filter(|byte| *byte == b'\n').count();
            u32::try_from(breaks + 1).unwrap_or(u32::MAX)
        };
        let mut lines: Vec<u32> = Vec::new();
        for range in exact.iter().take(LINES) {
            let line = line_of(range.start);
            if lines.last() != Some(&line) {
                lines.push(line);
            }
        }
        Some(Reading {
            exact: is_exact,
            part: !parts.is_empty(),
            in_title: is_named || names.iter().any(|name| self.is_all_in(name)),
            in_heading: self.is_in_heading(document),
            near,
            at,
            line: line_of(at),
            lines,
            counts: self.counts(&words),
            length: words.len(),
            is_single: self.words.len() < 2,
        })
    }

    /// The number of words that match each query word.
    fn counts(&self, words: &[(u64, usize)]) -> Vec<u32> {
        let mut counts = vec![0; self.words.len()];
        for (bits, _) in words.iter().filter(|(bits, _)| *bits != 0) {
            for (index, count) in counts.iter_mut().enumerate() {
                *count += u32::from(bits >> index & 1 == 1);
            }
        }
        counts
    }

    /// Returns true if a heading contains the pattern, or every word.
    fn is_in_heading(&self, document: &Document) -> bool {
        headings(document).iter().any(|heading| self.is_all_in(heading.text))
    }

    fn is_all_in(&self, name: &str) -> bool {
        match &self.kind {
            Kind::Any => false,
            Kind::Regex(regex) => regex.is_match(name),
            Kind::Phrase(_) => {
                let folded = Folded::of(name);
                let held = runs(folded.as_str()).fold(0, |all, (_, word)| all | self.bits(word));
                !self.words.is_empty() && held.count_ones() as usize == self.words.len()
            }
        }
    }

    /// The query words that a word equals or, from three characters, contains. In a query of several
    /// words, other forms of a word match too.
    fn bits(&self, word: &str) -> u64 {
        if let Some(bits) = self.known.borrow().get(word) {
            return *bits;
        }
        let mut bits = 0;
        for (index, QueryWord { word: wanted, edits }) in self.words.iter().enumerate() {
            let is_same = word == wanted
                || (2 < wanted.chars().count() && word.contains(wanted.as_str()))
                || (1 < self.words.len() && same_stem(word, wanted))
                || (0 < *edits && strsim::levenshtein(word, wanted) <= *edits);
            bits |= u64::from(is_same) << index;
        }
        self.known.borrow_mut().insert(word.to_owned(), bits);
        bits
    }

    /// The context of the match on one line, and the ranges in it that match.
    pub(super) fn snippet(
        &self,
        document: &Document,
        reading: &Reading,
    ) -> (String, Vec<(usize, usize)>) {
        let text = document.text.as_str();
        // Whitespace is collapsed, so that more of the text fits.
        let one_line = |part: &str| part.split_whitespace().collect::<Vec<_>>().join(" ");
        // Metadata of a page is no context.
        let metadata = document.metadata.iter().map(|range| range.end);
        let start = metadata.filter(|end| *end <= reading.at).max().unwrap_or(0);
        let before = one_line(&text[start..reading.at]);
        let after = one_line(&text[reading.at..]);
        let glue = text[..reading.at].ends_with(char::is_whitespace) && !before.is_empty();
        let rest = SNIPPET.saturating_sub(after.chars().count());
        let keep = BEFORE.max(rest).min(before.chars().count());
        let skipped = before.chars().count() - keep;
        let mut head: String = before.chars().skip(skipped).collect();
        if skipped > 0
            && let Some(blank) = head.find(' ')
        {
            head.drain(..=blank);
        }
        let mut snippet = String::new();
        if skipped > 0 {
            snippet.push_str("...");
        }
        snippet.push_str(&head);
        if glue && !head.is_empty() {
            snippet.push(' ');
        }
        let room = SNIPPET.saturating_sub(snippet.chars().count());
        snippet.extend(after.chars().take(room));
        if room < after.chars().count() {
            snippet.push_str("...");
        }
        let highlights = self.highlights(&snippet);
        (snippet, highlights)
    }

    fn highlights(&self, snippet: &str) -> Vec<(usize, usize)> {
        let folded = Folded::of(snippet);
        let mut ranges: Vec<Range<usize>> = match &self.kind {
            Kind::Any => Vec::new(),
            Kind::Regex(regex) => regex.find_iter(snippet).map(|found| found.range()).collect(),
            Kind::Phrase(pattern) => pattern
                .find(folded.as_str())
                .into_iter()
                .map(|found| folded.original(&found.range, snippet))
                .collect(),
        };
        if ranges.is_empty() {
            ranges = runs(folded.as_str())
                .filter(|(_, word)| self.bits(word) != 0)
                .map(|(offset, word)| folded.original(&(offset..offset + word.len()), snippet))
                .collect();
        }
        let count = |end: usize| snippet[..end].chars().count();
        ranges
            .into_iter()
            .filter(|range| !range.is_empty())
            .map(|range| (count(range.start), count(range.end)))
            .collect()
    }
}

/// Returns true if a condition requires words.
fn is_about_words(condition: &Condition) -> bool {
    match condition {
        Condition::All(parts) | Condition::Any(parts) => parts.iter().any(is_about_words),
        Condition::Words { .. }
        | Condition::Prefix(_)
        | Condition::Fuzzy(..)
        | Condition::Phrase(_) => true,
        _ => false,
    }
}

/// The distinct words of a text, without function words if there are others, each with the number of
/// edits that `edits` allows.
fn words(text: &str, edits: &[(String, usize)]) -> Vec<QueryWord> {
    let folded = Folded::of(text);
    let mut words: Vec<QueryWord> = Vec::new();
    for (_, word) in runs(folded.as_str()) {
        if words.len() < WORDS && !words.iter().any(|known| known.word == word) {
            let of_word = edits.iter().find(|(known, _)| known == word);
            let edits = of_word.map_or(0, |(_, edits)| *edits);
            words.push(QueryWord { word: word.to_owned(), edits });
        }
    }
    if words.iter().any(|known| !is_stop_word(&known.word)) {
        words.retain(|known| !is_stop_word(&known.word));
    }
    words
}

/// Collects the texts to find, in the order of the query, and the edits that words allow.
fn wanted(expression: &Expression, text: &mut Vec<String>, edits: &mut Vec<(String, usize)>) {
    match expression {
        Expression::Sequence(parts) | Expression::And(parts) | Expression::Or(parts) => {
            for part in parts {
                wanted(part, text, edits);
            }
        }
        Expression::Required(part) => wanted(part, text, edits),
        Expression::Word(value) | Expression::Phrase(value) | Expression::Prefix(value) => {
            text.push(value.clone());
        }
        Expression::Fuzzy { term, .. } => {
            let required = Expression::Required(Box::new(expression.clone()));
            let (condition, _) = condition_of(&required, Clock::default());
            if let Some(Condition::Fuzzy(folded, count)) = condition {
                edits.push((folded, count));
            }
            text.push(term.clone());
        }
        Expression::Field { name, test: Test::Is(values) }
            if matches!(
                field_name(name).as_str(),
                "content" | "description" | "name" | "title"
            ) =>
        {
            text.extend(values.iter().map(|value| {
                let (Value::Exact(text) | Value::Quoted(text) | Value::Prefix(text)) = value;
                text.clone()
            }));
        }
        Expression::Field { .. } | Expression::Not(_) => {}
    }
}

/// The names of a document: its title, and the name of its file.
fn names(document: &Document) -> Vec<&str> {
    let file = document.path.rsplit('/').next().unwrap_or_default();
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    [document.title.as_str(), stem].into_iter().filter(|name| !name.is_empty()).collect()
}

/// The words of a folded text with their offsets.
fn runs(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let base = text.as_ptr() as usize;
    text.split(|character: char| !is_word(character) || character == '_')
        .filter(|word| !word.is_empty())
        .map(move |word| (word.as_ptr() as usize - base, word))
}

fn invalid(pattern: &str, error: &regex::Error) -> EngineError {
    let message = error.to_string();
    let reason = message.lines().last().unwrap_or_default().trim_start_matches("error: ");
    EngineError::Query(Box::new(QueryError {
        query: pattern.to_owned(),
        message: format!("invalid regular expression: {reason}"),
        span: 0..pattern.len(),
        hint: "put a `\\` before a special character to match it literally, or remove `--regex`",
    }))
}
