//! The words of a question and its shape. Pure: knows no index.

use std::{borrow::Cow, collections::BTreeMap};

use lore_text::{Form, Relation, analyzer};

use super::{
    conventions::{commit_type, ticket_letters},
    files::named_files,
    intent::{Tests, asks_of_definitions, said_of_tests},
};

/// What kind of question it is. It moves weights, and says which words count as those of the question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// One name, possibly qualified: `retry_refund`, `Foo::bar`, `pool`.
    Symbol,
    /// Several words.
    Natural,
}

impl Shape {
    /// Which words count as those of the question: who names something means that, who tells of
    /// something also what does it.
    pub(crate) fn relation(self) -> Relation {
        match self {
            Shape::Symbol => Relation::Inflection,
            Shape::Natural => Relation::Root,
        }
    }
}

/// How a word of the query is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum WordForm {
    /// A word or a part of an identifier, with its inflections.
    Part,
    /// An identifier of several parts, as one term.
    Whole,
    /// Two neighbouring words written as one identifier.
    Joined,
    /// The start of a word.
    Prefix,
    /// A word that may differ by so many edits.
    Fuzzy(usize),
}

/// One word.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Word {
    /// The folded term.
    pub(crate) term: String,
    /// How it is looked for.
    pub(crate) form: WordForm,
    /// The name as typed, where the word may be the name of a definition.
    pub(crate) name: Option<String>,
    /// Share of a full word that it counts for, 0.0..=1.0.
    pub(crate) weight: f32,
}

/// A question, cut into words.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Query {
    /// The words without repetition, in the order of the text.
    pub(crate) words: Vec<Word>,
    /// What kind of question it is.
    pub(crate) shape: Shape,
    /// The question as typed, without blanks around it.
    pub(crate) text: String,
    /// For a qualified name, the folded name of what holds it: `joinhandle` in
    /// `JoinHandle::abort`.
    pub(crate) qualifier: Option<String>,
    /// Folded words that count as further forms of the word at this position.
    pub(crate) added: BTreeMap<usize, Vec<String>>,
    /// How many of the words, at their end, the program has added to those of the question.
    pub(crate) rewritten: usize,
    /// The type of a commit that stands in front of the question, which is no word of it: `fix`.
    pub(crate) commit_type: Option<String>,
    /// Names of files that stand in it, each as far as it was typed: `utils.go`, `api/mod.rs`.
    pub(crate) files: Vec<String>,
    /// What it says of tests.
    pub(crate) tests: Tests,
    /// Number of tokens that were left out since the question is too long.
    pub(crate) dropped: usize,
}

impl Word {
    /// Whether it was asked for: parts of identifiers and joined neighbours are ways to find a
    /// word, not words that were asked for.
    pub(crate) fn is_asked(&self) -> bool {
        self.form != WordForm::Joined && self.weight >= 1.0
    }
}

impl Query {
    /// The words that a document must hold to hold "all words".
    pub(crate) fn asked(&self) -> impl Iterator<Item = (usize, &Word)> {
        self.words.iter().enumerate().filter(|(_, word)| word.is_asked())
    }

    /// How many words are those of the question; those that follow were added.
    pub(crate) fn typed(&self) -> usize {
        self.words.len() - self.rewritten
    }

    /// Whether the question says one of these folded words, be it as the type of a commit.
    pub(crate) fn says(&self, is_word: impl Fn(&str) -> bool) -> bool {
        self.words[..self.typed()].iter().any(|word| is_word(&word.term))
            || self.commit_type.as_deref().is_some_and(is_word)
    }

    /// The text whose meaning is asked for: without the type of a commit and the letters of a
    /// ticket's number, which would draw it towards whatever is called so.
    pub(crate) fn meant(&self) -> Cow<'_, str> {
        let cut = commit_type(&self.text).or_else(|| ticket_letters(&self.text));
        match cut {
            Some(cut) => {
                Cow::Owned(format!("{} {}", &self.text[..cut.start], &self.text[cut.end..]))
            }
            None => Cow::Borrowed(&self.text),
        }
    }

    /// Identifiers of several parts that are all that was asked for: a document without them is no
    /// answer.
    pub(crate) fn sought_names(&self) -> impl Iterator<Item = usize> {
        let names = if self.shape == Shape::Symbol { &self.words[..] } else { &[] };
        names.iter().enumerate().filter(|(_, word)| word.form == WordForm::Whole).map(|(at, _)| at)
    }
}

/// Most tokens of a question that are looked at. Forty words are a long question; a pasted page is
/// not one.
pub(super) const MOST_TOKENS: usize = 400;

/// Weight of the parts of an identifier beside the identifier itself: they help to find its
/// relatives and must not flood it (a published factor for partial camel-case matches).
const PART_OF_WHOLE: f32 = 0.3;

/// A token of the question.
struct Piece {
    term: String,
    start: usize,
    end: usize,
    whole: bool,
}

fn covers(outer: &Piece, inner: &Piece) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// Cuts a question into words. Empty when it holds none.
pub(crate) fn parse(text: &str) -> Query {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut dropped = 0;
    analyzer("prose").analyze(text, &mut |token| {
        if pieces.len() == MOST_TOKENS {
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
    plurals_as_parts(text, &mut pieces);
    let runs = pieces.iter().filter(|piece| {
        piece.whole || !pieces.iter().any(|other| other.whole && covers(other, piece))
    });
    let shape =
        if runs.count() == 1 || is_qualified_name(text) { Shape::Symbol } else { Shape::Natural };
    // `Store implementations`, `what is a Store`: a capital makes a name of a word there; elsewhere
    // it is the project's own name more often than not, which tells nothing.
    let asks_of_definitions =
        is_what_is(text) || pieces.iter().any(|piece| asks_of_definitions(&piece.term));
    let commit_type = commit_type(text).unwrap_or_default();
    let ticket = ticket_letters(text).unwrap_or_default();
    pieces.retain(|piece| piece.start >= commit_type.end);
    let mut words: Vec<Word> = Vec::new();
    for piece in &pieces {
        let inside_whole =
            !piece.whole && pieces.iter().any(|other| other.whole && covers(other, piece));
        let raw = &text[piece.start..piece.end];
        let is_name = !inside_whole
            && raw.is_ascii()
            && (piece.whole
                || shape == Shape::Symbol
                || looks_like_a_name(text, piece.start, piece.end)
                || (asks_of_definitions && raw.starts_with(char::is_uppercase)));
        push(
            &mut words,
            Word {
                term: piece.term.clone(),
                form: if piece.whole { WordForm::Whole } else { WordForm::Part },
                name: is_name.then(|| name_as_typed(text, piece.start, piece.end)),
                weight: if inside_whole || ticket.contains(&piece.start) {
                    PART_OF_WHOLE
                } else {
                    1.0
                },
            },
        );
    }
    for pair in pieces.windows(2) {
        let between = &text[pair[0].end.min(pair[1].start)..pair[1].start];
        if !pair[0].whole
            && !pair[1].whole
            && between.chars().all(|c| c == ' ' || c == '-')
            && !between.is_empty()
        {
            push(
                &mut words,
                Word {
                    term: format!("{}{}", pair[0].term, pair[1].term),
                    form: WordForm::Joined,
                    name: None,
                    weight: PART_OF_WHOLE,
                },
            );
        }
    }
    let qualifier = if is_qualified_name(text) {
        let names: Vec<&Word> = words.iter().filter(|word| word.name.is_some()).collect();
        names.len().checked_sub(2).map(|at| names[at].term.clone())
    } else {
        None
    };
    let mut query = Query {
        words,
        shape,
        text: text.trim().to_owned(),
        qualifier,
        added: BTreeMap::new(),
        rewritten: 0,
        commit_type: (!commit_type.is_empty()).then(|| text[commit_type].to_owned()),
        files: named_files(text),
        tests: Tests::Unsaid,
        dropped,
    };
    query.tests = said_of_tests(&query);
    query
}

/// Takes plurals of acronyms as the words that they are, and not as names of several parts: who asks
/// for `URLs` asks for each `URL`.
fn plurals_as_parts(text: &str, pieces: &mut Vec<Piece>) {
    let plurals: Vec<(usize, usize)> = pieces
        .iter()
        .filter(|one| !one.whole && text[one.end..].starts_with('s'))
        .map(|one| (one.start, one.end + 1))
        .collect();
    let is_plural = |start: usize, end: usize| plurals.contains(&(start, end));
    pieces.retain(|one| !one.whole || !is_plural(one.start, one.end));
    for part in pieces.iter_mut().filter(|one| is_plural(one.start, one.end + 1)) {
        part.end += 1;
    }
}

/// Adds a word, or lifts the one that is there already.
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

/// `a::b`, `a.b`, `a->b`, `a#b`, `name()`: no white space, only name characters and joints.
fn is_qualified_name(text: &str) -> bool {
    let text = text.trim();
    !text.is_empty()
        && text.chars().all(|c| {
            c.is_alphanumeric()
                || matches!(c, '_' | ':' | '.' | '-' | '>' | '#' | '(' | ')' | '$' | '?' | '!')
        })
        && text.contains([':', '.', '#', '(', '>'])
}

/// Whether a call's parentheses or a path joint follow, or a dot joins it to what holds it:
/// `response.redirect`.
fn looks_like_a_name(text: &str, start: usize, end: usize) -> bool {
    let before = text[..start].strip_suffix('.').or_else(|| text[..start].strip_suffix("::"));
    text[end..].starts_with("()")
        || text[end..].starts_with("::")
        || before.is_some_and(|holder| holder.ends_with(char::is_alphabetic))
}

/// `What is …`.
fn is_what_is(text: &str) -> bool {
    let mut words = text.split_whitespace().map(str::to_ascii_lowercase);
    words.next().is_some_and(|first| matches!(first.as_str(), "what" | "what's"))
        && words.next().is_some_and(|second| matches!(second.as_str(), "is" | "are" | "a"))
}

/// The identifier with the underscores around it.
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
