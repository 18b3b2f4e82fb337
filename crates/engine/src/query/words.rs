//! The words of a query and its shape. Pure: uses no index.

use std::{borrow::Cow, collections::BTreeMap};

use lore_index::StoredDocument;
use lore_text::{Form, Relation, analyzer};

use super::{
    conventions::{commit_type, ticket_letters},
    files::named_files,
    intent::{Tests, requests_definitions, test_mention},
    records::{RecordReference, record_references},
};

/// Shape of a query. It selects weights, and decides which forms of a word are related.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// One name, possibly qualified: `retry_refund`, `Foo::bar`, `pool`.
    Symbol,
    /// Several words.
    Natural,
}

impl Shape {
    /// Relation of words in this shape: a name matches only itself, words in a sentence also match
    /// agent nouns and verbs.
    pub(crate) fn relation(self) -> Relation {
        match self {
            Shape::Symbol => Relation::Inflection,
            Shape::Natural => Relation::Root,
        }
    }
}

/// Form in which a word of the query is looked up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum WordForm {
    /// A word or a part of an identifier, with its inflections.
    Part,
    /// An identifier of several parts, as one term.
    Whole,
    /// Two adjacent words written as one identifier.
    Joined,
    /// A prefix.
    Prefix,
    /// A word with at most this number of edits.
    Fuzzy(usize),
}

/// A word of a query.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Word {
    /// The folded term.
    pub(crate) term: String,
    /// Form in which it is looked up.
    pub(crate) form: WordForm,
    /// The name as typed, if the word may be the name of a definition.
    pub(crate) name: Option<String>,
    /// Its weight as a share of a full word, 0.0..=1.0.
    pub(crate) weight: f32,
}

/// A query, split into words.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Query {
    /// The words without repetition, in the order of the text.
    pub(crate) words: Vec<Word>,
    /// The shape of the query.
    pub(crate) shape: Shape,
    /// The query as typed, without surrounding whitespace.
    pub(crate) text: String,
    /// For a qualified name, the folded name of its container: `joinhandle` in `JoinHandle::abort`.
    pub(crate) qualifier: Option<String>,
    /// Folded words that count as further forms of the word at this position.
    pub(crate) added: BTreeMap<usize, Vec<String>>,
    /// Number of words, at the end, that the user's rewriting program has added.
    pub(crate) rewritten: usize,
    /// Type of a commit in front of the query, which is not one of its words: `fix`.
    pub(crate) commit_type: Option<String>,
    /// File names in the query, as typed: `utils.go`, `api/mod.rs`.
    pub(crate) files: Vec<String>,
    /// The records that the query names by their numbers.
    pub(crate) records: Vec<RecordReference>,
    /// Mention of tests in the query.
    pub(crate) tests: Tests,
    /// Number of tokens that were dropped because the query is too long.
    pub(crate) dropped: usize,
}

impl Word {
    /// Returns true if the word itself was requested: parts of identifiers and joined neighbours only help
    /// to find a word.
    pub(crate) fn is_required(&self) -> bool {
        self.form != WordForm::Joined && self.weight >= 1.0
    }
}

impl Query {
    /// The words that a document must contain to contain "all words".
    pub(crate) fn required_words(&self) -> impl Iterator<Item = (usize, &Word)> {
        self.words.iter().enumerate().filter(|(_, word)| word.is_required())
    }

    /// Returns true if the query names this document by its number.
    pub(crate) fn names_record(&self, document: &StoredDocument) -> bool {
        self.records.iter().any(|record| record.names(document))
    }

    /// Number of words in the query itself; those that follow were added.
    pub(crate) fn typed(&self) -> usize {
        self.words.len() - self.rewritten
    }

    /// Returns true if the query contains one of these folded words, also as the type of a commit.
    pub(crate) fn contains_word(&self, is_word: impl Fn(&str) -> bool) -> bool {
        self.words[..self.typed()].iter().any(|word| is_word(&word.term))
            || self.commit_type.as_deref().is_some_and(is_word)
    }

    /// The text to embed: without the type of a commit and the letters of a ticket number, which would
    /// move the vector towards everything with that name.
    pub(crate) fn text_to_embed(&self) -> Cow<'_, str> {
        let cut = commit_type(&self.text).or_else(|| ticket_letters(&self.text));
        match cut {
            Some(cut) => {
                Cow::Owned(format!("{} {}", &self.text[..cut.start], &self.text[cut.end..]))
            }
            None => Cow::Borrowed(&self.text),
        }
    }

    /// Identifiers of several parts, if the query consists of nothing else: a document without them is not
    /// an answer.
    pub(crate) fn required_names(&self) -> impl Iterator<Item = usize> {
        let names = if self.shape == Shape::Symbol { &self.words[..] } else { &[] };
        names.iter().enumerate().filter(|(_, word)| word.form == WordForm::Whole).map(|(at, _)| at)
    }
}

/// Maximum number of tokens of a query that are read. Forty words are a long query; a pasted page
/// is not one.
pub(super) const MAX_TOKENS: usize = 400;

/// Weight of the parts of an identifier, relative to the identifier: they help to find its relatives
/// and must not outnumber it (a published factor for partial camel-case matches).
const PART_OF_WHOLE: f32 = 0.3;

/// A token of the query.
struct Piece {
    term: String,
    start: usize,
    end: usize,
    whole: bool,
}

fn covers(outer: &Piece, inner: &Piece) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// Splits a query into words. Empty if it contains none.
pub(crate) fn parse(text: &str) -> Query {
    let (mut pieces, dropped) = tokenize(text);
    plurals_as_parts(text, &mut pieces);
    let shape = shape(text, &pieces);
    // In `Store implementations` and `what is a Store`, an upper-case letter makes a word a name.
    // Elsewhere such a word is mostly the project's own name, which carries no information.
    let upper_case_is_name =
        is_what_is(text) || pieces.iter().any(|piece| requests_definitions(&piece.term));
    let commit_type = commit_type(text).unwrap_or_default();
    pieces.retain(|piece| piece.start >= commit_type.end);
    let mut words: Vec<Word> = Vec::new();
    add_pieces(text, &pieces, shape, upper_case_is_name, &mut words);
    add_joined(text, &pieces, &mut words);
    let mut query = Query {
        qualifier: qualifier(text, &words),
        words,
        shape,
        text: text.trim().to_owned(),
        added: BTreeMap::new(),
        rewritten: 0,
        commit_type: (!commit_type.is_empty()).then(|| text[commit_type].to_owned()),
        files: named_files(text),
        records: record_references(text),
        tests: Tests::NotMentioned,
        dropped,
    };
    query.tests = test_mention(&query);
    query
}

/// Splits a query into tokens. Returns the first [`MAX_TOKENS`], and the number of the others.
fn tokenize(text: &str) -> (Vec<Piece>, usize) {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut dropped = 0;
    analyzer("prose").analyze(text, &mut |token| {
        if pieces.len() == MAX_TOKENS {
            dropped += 1;
            return;
        }
        pieces.push(Piece {
            term: token.term.to_owned(),
            start: token.start,
            end: token.end,
            whole: token.form == Form::Whole,
        });
    });
    (pieces, dropped)
}

/// Returns the shape of a query: one run of characters or a qualified name is a symbol.
fn shape(text: &str, pieces: &[Piece]) -> Shape {
    let runs = pieces.iter().filter(|piece| piece.whole || !is_inside_whole(piece, pieces));
    if runs.count() == 1 || is_qualified_name(text) { Shape::Symbol } else { Shape::Natural }
}

/// Returns true if a token is a part of an identifier.
fn is_inside_whole(piece: &Piece, pieces: &[Piece]) -> bool {
    pieces.iter().any(|other| other.whole && covers(other, piece))
}

/// Adds a word for each token.
fn add_pieces(
    text: &str,
    pieces: &[Piece],
    shape: Shape,
    upper_case_is_name: bool,
    words: &mut Vec<Word>,
) {
    let ticket = ticket_letters(text).unwrap_or_default();
    for piece in pieces {
        let inside_whole = !piece.whole && is_inside_whole(piece, pieces);
        let raw = &text[piece.start..piece.end];
        let is_name = !inside_whole
            && raw.is_ascii()
            && (piece.whole
                || shape == Shape::Symbol
                || looks_like_a_name(text, piece.start, piece.end)
                || (upper_case_is_name && raw.starts_with(char::is_uppercase)));
        let is_partial = inside_whole || ticket.contains(&piece.start);
        push(
            words,
            Word {
                term: piece.term.clone(),
                form: if piece.whole { WordForm::Whole } else { WordForm::Part },
                name: is_name.then(|| name_as_typed(text, piece.start, piece.end)),
                weight: if is_partial { PART_OF_WHOLE } else { 1.0 },
            },
        );
    }
}

/// Adds each pair of adjacent words as one identifier.
fn add_joined(text: &str, pieces: &[Piece], words: &mut Vec<Word>) {
    for pair in pieces.windows(2) {
        let between = &text[pair[0].end.min(pair[1].start)..pair[1].start];
        if !pair[0].whole
            && !pair[1].whole
            && between.chars().all(|c| c == ' ' || c == '-')
            && !between.is_empty()
        {
            push(
                words,
                Word {
                    term: format!("{}{}", pair[0].term, pair[1].term),
                    form: WordForm::Joined,
                    name: None,
                    weight: PART_OF_WHOLE,
                },
            );
        }
    }
}

/// Returns the folded name of the container in a qualified name.
fn qualifier(text: &str, words: &[Word]) -> Option<String> {
    if !is_qualified_name(text) {
        return None;
    }
    let names: Vec<&Word> = words.iter().filter(|word| word.name.is_some()).collect();
    names.len().checked_sub(2).map(|at| names[at].term.clone())
}

/// Treats plurals of acronyms as words, not as names of several parts: `URLs` matches each `URL`.
fn plurals_as_parts(text: &str, pieces: &mut Vec<Piece>) {
    let plurals: Vec<(usize, usize)> = pieces
        .iter()
        .filter(|piece| !piece.whole && text[piece.end..].starts_with('s'))
        .map(|piece| (piece.start, piece.end + 1))
        .collect();
    let is_plural = |start: usize, end: usize| plurals.contains(&(start, end));
    pieces.retain(|piece| !piece.whole || !is_plural(piece.start, piece.end));
    for part in pieces.iter_mut().filter(|piece| is_plural(piece.start, piece.end + 1)) {
        part.end += 1;
    }
}

/// Adds a word, or raises the weight of an equal one.
fn push(words: &mut Vec<Word>, word: Word) {
    match words.iter_mut().find(|other| other.term == word.term) {
        Some(other) => {
            if word.weight > other.weight {
                other.weight = word.weight;
                other.form = word.form;
            }
            if other.name.is_none() {
                other.name = word.name;
            }
        }
        None => words.push(word),
    }
}

/// Returns true for `a::b`, `a.b`, `a->b`, `a#b`, `name()`: no whitespace, only name characters and
/// separators.
fn is_qualified_name(text: &str) -> bool {
    let text = text.trim();
    !text.is_empty()
        && text.chars().all(|c| {
            c.is_alphanumeric()
                || matches!(c, '_' | ':' | '.' | '-' | '>' | '#' | '(' | ')' | '$' | '?' | '!')
        })
        && text.contains([':', '.', '#', '(', '>'])
}

/// Returns true if a call's parentheses or a path separator follow, or if a dot precedes:
/// `response.redirect`.
fn looks_like_a_name(text: &str, start: usize, end: usize) -> bool {
    let before = text[..start].strip_suffix('.').or_else(|| text[..start].strip_suffix("::"));
    text[end..].starts_with("()")
        || text[end..].starts_with("::")
        || before.is_some_and(|container| container.ends_with(char::is_alphabetic))
}

/// Returns true for `What is …`.
fn is_what_is(text: &str) -> bool {
    let mut words = text.split_whitespace().map(str::to_ascii_lowercase);
    words.next().is_some_and(|first| matches!(first.as_str(), "what" | "what's"))
        && words.next().is_some_and(|second| matches!(second.as_str(), "is" | "are" | "a"))
}

/// The identifier with its surrounding underscores.
fn name_as_typed(text: &str, start: usize, end: usize) -> String {
    let before = text[..start].len() - text[..start].trim_end_matches('_').len();
    let after = text[end..].len() - text[end..].trim_start_matches('_').len();
    text[start - before..end + after].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, shape: Shape, expected: &str) {
        let query = parse(text);
        let words: Vec<String> = query
            .words
            .iter()
            .map(|word| {
                let sign = match word.form {
                    WordForm::Part => "",
                    WordForm::Whole => "=",
                    WordForm::Joined => "+",
                    WordForm::Prefix => "*",
                    WordForm::Fuzzy(_) => "~",
                };
                let name = word.name.as_deref().map(|n| format!("({n})")).unwrap_or_default();
                format!("{sign}{}{name}@{}", word.term, word.weight)
            })
            .collect();
        assert_eq!(words.join(" "), expected, "{text:?}");
        assert_eq!(query.shape, shape, "{text:?}");
    }

    #[test]
    fn words_of_questions() {
        check("connection pool", Shape::Natural, "connection@1 pool@1 +connectionpool@0.3");
        check("pool", Shape::Symbol, "pool(pool)@1");
        check(
            "where is getUser called",
            Shape::Natural,
            "get@0.3 user@0.3 =getuser(getUser)@1 called@1",
        );
        check("_private", Shape::Symbol, "private(_private)@1");
        check(
            "how response.redirect works",
            Shape::Natural,
            "response@1 redirect(redirect)@1 works@1 +redirectworks@0.3",
        );
        check("Foo::bar()", Shape::Symbol, "foo(Foo)@1 bar(bar)@1");
        check("fix(cart): retry it", Shape::Natural, "cart@1 retry@1");
        check("SHOP-12 retry", Shape::Natural, "shop@0.3 12@1 retry@1 +shop12@0.3 +12retry@0.3");
        check("parse URLs", Shape::Natural, "parse@1 url@1 +parseurl@0.3");
        check("URLs", Shape::Symbol, "url(URLs)@1");
        check("call toJson", Shape::Natural, "call@1 json@0.3 =tojson(toJson)@1");
        check("userIDs", Shape::Symbol, "user@0.3 id@0.3 =userids(userIDs)@1");
        check("retry retry", Shape::Natural, "retry@1 +retryretry@0.3");
        check("!!! ---", Shape::Natural, "");
    }
}
