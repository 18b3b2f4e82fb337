//! Reads a document for a query: what of it stands where.

use std::{cell::RefCell, collections::HashMap, ops::Range};

use lore_schema::Document;
use regex::{Regex, RegexBuilder};

use super::scoring::best_window;
use crate::{
    EngineError, PatternKind, QueryError, SearchRequest, Syntax,
    contracts::{
        facts::Facts,
        folded::{Folded, is_word},
        pattern::Pattern,
        question,
    },
    query::{
        self, Condition, facets,
        language::{Expression, Test, Value},
    },
};

/// Characters of a snippet.
const SNIPPET: usize = 175;

/// Characters of a snippet before the match.
const BEFORE: usize = 50;

/// Lines that are told of a document.
const LINES: usize = 100;

/// Most words of a query that are told apart.
const WORDS: usize = 64;

/// A query, made ready.
pub(super) struct Query {
    kind: Kind,
    /// The words, folded, function words left out where there are others.
    words: Vec<Sought>,
    /// What must hold beside them.
    condition: Option<Condition>,
    /// What was read otherwise than it may have been meant, one line each.
    pub(super) warnings: Vec<String>,
    /// Which words of the query a word of a text is.
    known: RefCell<HashMap<String, u64>>,
}

enum Kind {
    /// Conditions alone.
    Any,
    Phrase(Pattern),
    Regex(Regex),
}

/// One word of a query.
struct Sought {
    word: String,
    /// Edits by which another word may differ.
    edits: usize,
}

/// What one document holds of the query.
#[expect(clippy::struct_excessive_bools, reason = "each is one thing that was found or not")]
pub(super) struct Reading {
    /// The query word for word, or a match of the pattern.
    pub(super) exact: bool,
    /// The query as a part of a word.
    part: bool,
    /// The title or the name of the file holds all of it.
    pub(super) in_title: bool,
    /// A heading holds all of it.
    pub(super) in_heading: bool,
    /// Words of the query in the best window.
    pub(super) near: u32,
    /// Byte of the text where the best match starts.
    at: usize,
    /// Its line, 1-based.
    pub(super) line: u32,
    /// The lines of all exact matches.
    pub(super) lines: Vec<u32>,
    is_single: bool,
}

impl Reading {
    /// Whether there is more than one word of several.
    pub(super) fn is_worth_something(&self) -> bool {
        self.exact
            || self.part
            || self.in_title
            || self.in_heading
            || 1 < self.near
            || self.is_single
    }

    /// The heading above the match; `title` for the first line and for what has no heading above.
    pub(super) fn section(&self, document: &Document) -> String {
        let text = document.text.as_str();
        let line_end = text[self.at..].find('\n').map_or(text.len(), |end| self.at + end);
        let line_start = text[..self.at].rfind('\n').map_or(0, |start| start + 1);
        let above = text[..line_end].lines().filter_map(heading).next_back();
        match above {
            Some(heading) if 0 < line_start => heading.to_owned(),
            _ => "title".to_owned(),
        }
    }
}

/// The text of a heading.
fn heading(line: &str) -> Option<&str> {
    let text = line.trim_start_matches('#');
    let level = line.len() - text.len();
    ((1..=6).contains(&level) && text.starts_with(' ')).then(|| text.trim())
}

impl Query {
    /// Makes a query ready. Words rank; phrases, fields and operators must hold.
    ///
    /// # Errors
    /// When it is blank, none of the query language, or a pattern that cannot be understood.
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
                // A text as it stands, also inside words.
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
            let parsed = question::read(documents, request)?;
            query.warnings.extend(parsed.unknown_fields.iter().map(|n| question::unknown_field(n)));
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

    /// Takes over what must hold.
    fn demand(&mut self, expression: &Expression, request: &SearchRequest) {
        let mut plan = query::Plan::new(expression, request.clock);
        self.warnings.append(&mut plan.warnings);
        let kinds = plan.kinds.iter().map(|kind| facets::value_term("kind", kind));
        let kinds = (!plan.kinds.is_empty()).then(|| Condition::Facets(kinds.collect()));
        let mut all: Vec<Condition> = plan.condition.into_iter().chain(kinds).collect();
        self.condition = if all.len() > 1 { Some(Condition::All(all)) } else { all.pop() };
    }

    /// Whether the conditions are about words: then what meets them is an answer, however little
    /// of the rest it holds.
    pub(super) fn demands_words(&self) -> bool {
        self.condition.as_ref().is_some_and(is_about_words)
    }

    /// Whether a document meets the conditions.
    pub(super) fn admits(&self, facts: &Facts<'_>) -> bool {
        self.condition.as_ref().is_none_or(|condition| facts.holds(condition))
    }

    /// Reads a document; `None` if it holds nothing of the query.
    pub(super) fn read(&self, document: &Document) -> Option<Reading> {
        let text = document.text.as_str();
        let folded = Folded::of(text);
        let (exact, parts) = match &self.kind {
            Kind::Any => (Vec::new(), Vec::new()),
            Kind::Regex(regex) => (
                regex
                    .find_iter(text)
                    .filter(|one| !one.is_empty())
                    .map(|one| one.range())
                    .collect(),
                Vec::new(),
            ),
            Kind::Phrase(pattern) => {
                let found = pattern.find(folded.as_str());
                let original = |range: &Range<usize>| folded.original(range, text);
                let (exact, parts): (Vec<_>, Vec<_>) = found.into_iter().partition(|one| one.exact);
                let of = |found: Vec<crate::contracts::pattern::Found>| -> Vec<Range<usize>> {
                    found.iter().map(|one| original(&one.range)).collect()
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
                pattern.find(Folded::of(name).as_str()).iter().any(|one| one.exact)
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
        // Words that stand together say more than a part of one.
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
            is_single: self.words.len() < 2,
        })
    }

    /// Whether a heading holds the pattern, or every word.
    fn is_in_heading(&self, document: &Document) -> bool {
        document.text.lines().filter_map(heading).any(|heading| self.is_all_in(heading))
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

    /// Which words of the query a word is or, from three letters, holds; beside other words, another
    /// form of one will do.
    fn bits(&self, word: &str) -> u64 {
        if let Some(bits) = self.known.borrow().get(word) {
            return *bits;
        }
        let mut bits = 0;
        for (index, Sought { word: wanted, edits }) in self.words.iter().enumerate() {
            let is_same = word == wanted
                || (2 < wanted.chars().count() && word.contains(wanted.as_str()))
                || (1 < self.words.len() && lore_text::same_stem(word, wanted))
                || (0 < *edits && strsim::levenshtein(word, wanted) <= *edits);
            bits |= u64::from(is_same) << index;
        }
        self.known.borrow_mut().insert(word.to_owned(), bits);
        bits
    }

    /// What surrounds the match on one line, and where the query stands in it.
    pub(super) fn snippet(
        &self,
        document: &Document,
        reading: &Reading,
    ) -> (String, Vec<(usize, usize)>) {
        let text = document.text.as_str();
        // Blanks are collapsed, so that more of the text fits.
        let one_line = |part: &str| part.split_whitespace().collect::<Vec<_>>().join(" ");
        // What a page says about itself is no context.
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

/// Whether a condition demands words.
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

/// The words of a text, each once, function words left out where there are others; with the edits
/// that are allowed to those that are named with some.
fn words(text: &str, edits: &[(String, usize)]) -> Vec<Sought> {
    let folded = Folded::of(text);
    let mut words: Vec<Sought> = Vec::new();
    for (_, word) in runs(folded.as_str()) {
        if words.len() < WORDS && !words.iter().any(|known| known.word == word) {
            let of_word = edits.iter().find(|(known, _)| known == word);
            let edits = of_word.map_or(0, |(_, edits)| *edits);
            words.push(Sought { word: word.to_owned(), edits });
        }
    }
    if words.iter().any(|one| !lore_text::is_stop_word(&one.word)) {
        words.retain(|one| !lore_text::is_stop_word(&one.word));
    }
    words
}

/// The texts that are looked for, in the order of the query, and the edits that words allow.
fn wanted(expression: &Expression, text: &mut Vec<String>, edits: &mut Vec<(String, usize)>) {
    match expression {
        Expression::Sequence(parts) | Expression::And(parts) | Expression::Or(parts) => {
            for part in parts {
                wanted(part, text, edits);
            }
        }
        Expression::Required(part) => wanted(part, text, edits),
        Expression::Word(one) | Expression::Phrase(one) | Expression::Prefix(one) => {
            text.push(one.clone());
        }
        Expression::Fuzzy { term, .. } => {
            let required = Expression::Required(Box::new(expression.clone()));
            let plan = query::Plan::new(&required, query::Clock::default());
            if let Some(Condition::Fuzzy(folded, count)) = plan.condition {
                edits.push((folded, count));
            }
            text.push(term.clone());
        }
        Expression::Field { name, test: Test::Is(values) }
            if matches!(
                facets::canonical(name).as_str(),
                "content" | "description" | "name" | "title"
            ) =>
        {
            text.extend(values.iter().map(|value| {
                let (Value::Exact(one) | Value::Quoted(one) | Value::Prefix(one)) = value;
                one.clone()
            }));
        }
        Expression::Field { .. } | Expression::Not(_) => {}
    }
}

/// What a document is called: its title, and the name of its file where that says something.
fn names(document: &Document) -> Vec<&str> {
    let file = document.path.rsplit('/').next().unwrap_or_default();
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    [document.title.as_str(), stem].into_iter().filter(|name| !name.is_empty()).collect()
}

/// The words of a folded text with their offsets.
fn runs(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let base = text.as_ptr() as usize;
    text.split(|one: char| !is_word(one) || one == '_')
        .filter(|word| !word.is_empty())
        .map(move |word| (word.as_ptr() as usize - base, word))
}

fn invalid(pattern: &str, error: &regex::Error) -> EngineError {
    let message = error.to_string();
    let reason = message.lines().last().unwrap_or_default().trim_start_matches("error: ");
    EngineError::Query(Box::new(QueryError {
        query: pattern.to_owned(),
        message: format!("it is no regular expression: {reason}"),
        span: 0..pattern.len(),
        hint: "put a `\\` before a sign that is meant literally, or leave `--regex` out",
    }))
}
