//! Detects copies of text, also with renamed variables. Pure.
//!
//! Code is read as punctuation, keywords and names. Names of variables and of definitions are all
//! treated as equal, because a copy renames them. Names of called functions, members and types are
//! not: code that calls something else does something else. Comments, whitespace and the content of
//! strings are ignored. Prose is read as words.

use std::collections::{HashMap, HashSet};

use lore_text::{Form, analyzer};
use xxhash_rust::xxh3::xxh3_64;

/// Tokens per shingle of code.
const TOKENS: usize = 6;

/// Words per shingle of prose: enough that common phrases do not match.
const WORDS: usize = 4;

/// Minimum number of shingles to tell a copy from chance: about three lines of code.
pub(crate) const MIN_SHINGLES: usize = 20;

/// Maximum number of bytes of a text that are read.
const MAX_BYTES: usize = 64 << 10;

/// Keywords of statements in any language. A copy keeps them.
const KEYWORDS: &[&str] = &[
    "and",
    "as",
    "async",
    "await",
    "begin",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "def",
    "defer",
    "del",
    "do",
    "elif",
    "else",
    "elsif",
    "end",
    "ensure",
    "enum",
    "except",
    "export",
    "extends",
    "extern",
    "false",
    "final",
    "finally",
    "fn",
    "for",
    "foreach",
    "from",
    "fun",
    "func",
    "function",
    "go",
    "goto",
    "guard",
    "if",
    "impl",
    "implements",
    "import",
    "in",
    "instanceof",
    "interface",
    "is",
    "lambda",
    "let",
    "loop",
    "match",
    "mod",
    "module",
    "move",
    "mut",
    "namespace",
    "new",
    "nil",
    "none",
    "not",
    "null",
    "object",
    "of",
    "or",
    "package",
    "pass",
    "private",
    "protected",
    "protocol",
    "pub",
    "public",
    "raise",
    "ref",
    "rescue",
    "return",
    "select",
    "self",
    "static",
    "struct",
    "super",
    "switch",
    "then",
    "this",
    "throw",
    "throws",
    "trait",
    "true",
    "try",
    "type",
    "typeof",
    "undefined",
    "unless",
    "unsafe",
    "until",
    "use",
    "val",
    "var",
    "void",
    "when",
    "where",
    "while",
    "with",
    "yield",
];

/// Keywords before the name of a definition.
const DEFINING: &[&str] = &[
    "class",
    "const",
    "def",
    "enum",
    "fn",
    "fun",
    "func",
    "function",
    "interface",
    "let",
    "mod",
    "module",
    "namespace",
    "protocol",
    "static",
    "struct",
    "trait",
    "type",
    "val",
    "var",
];

/// Fingerprint of a text for detecting copies.
#[derive(Debug, Clone, Default)]
pub(crate) struct Fingerprint {
    shingles: HashSet<u64>,
    /// Number of occurrences of each line with a word.
    lines: HashMap<u64, usize>,
}

impl Fingerprint {
    /// Fingerprints a text, as code or as prose.
    pub(crate) fn new(text: &str, is_code: bool) -> Fingerprint {
        let text = &text[..text.floor_char_boundary(MAX_BYTES.min(text.len()))];
        let (tokens, size) = if is_code { (tokens(text), TOKENS) } else { (words(text), WORDS) };
        let mut lines: HashMap<u64, usize> = HashMap::new();
        for line in tokens.chunk_by(|left, right| left.line == right.line) {
            // Lines of punctuation alone occur everywhere.
            if line.iter().any(|token| token.is_word) {
                *lines.entry(joined(line)).or_default() += 1;
            }
        }
        Fingerprint { shingles: tokens.windows(size).map(joined).collect(), lines }
    }

    /// Returns true if the text is long enough to tell a copy from chance.
    pub(crate) fn is_distinctive(&self) -> bool {
        self.shingles.len() >= MIN_SHINGLES
    }

    /// Returns the share of this text that another one contains, 0.0..=1.0.
    pub(crate) fn held_by(&self, other: &Fingerprint) -> f32 {
        share(self.shared(other), self.shingles.len())
    }

    /// Returns the share of the longer text that the other one contains, 0.0..=1.0.
    pub(crate) fn overlap(&self, other: &Fingerprint) -> f32 {
        share(self.shared(other), self.shingles.len().max(other.shingles.len()))
    }

    /// Returns the share of this text's lines that another one contains, 0.0..=1.0. Lines without a
    /// word do not count.
    pub(crate) fn lines_in(&self, other: &Fingerprint) -> f32 {
        let in_other = |(line, count): (&u64, &usize)| {
            other.lines.get(line).copied().unwrap_or_default().min(*count)
        };
        share(self.lines.iter().map(in_other).sum(), self.lines.values().sum())
    }

    fn shared(&self, other: &Fingerprint) -> usize {
        self.shingles.intersection(&other.shingles).count()
    }
}

fn share(part: usize, whole: usize) -> f32 {
    if whole == 0 { 0.0 } else { part as f32 / whole as f32 }
}

/// Returns the distinct names in code, in text order. Copies are looked up by them.
pub(crate) fn names(text: &str) -> Vec<&str> {
    let text = &text[..text.floor_char_boundary(MAX_BYTES.min(text.len()))];
    let mut seen = HashSet::new();
    let mut names = Vec::new();
    read(text, &mut |piece| {
        if let Piece::Name { text, .. } = piece
            && KEYWORDS.binary_search(&text).is_err()
            && seen.insert(text)
        {
            names.push(text);
        }
    });
    names
}

/// A token of code or prose with its line.
#[derive(Debug, Clone, Copy)]
struct Token {
    line: u32,
    hash: u64,
    is_word: bool,
}

fn joined(tokens: &[Token]) -> u64 {
    tokens.iter().fold(0, |sum: u64, token| {
        sum.rotate_left(23).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ token.hash
    })
}

/// Splits prose into words.
fn words(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let (mut line, mut counted) = (1, 0);
    analyzer("code").analyze(text, &mut |token| {
        if token.form == Form::Part {
            let between = text.get(counted..token.start).unwrap_or_default();
            line += u32::try_from(between.matches('\n').count()).unwrap_or(0);
            counted = counted.max(token.start);
            tokens.push(Token { line, hash: xxh3_64(token.term.as_bytes()), is_word: true });
        }
    });
    tokens
}

/// A piece of code.
enum Piece<'a> {
    /// A name or keyword with the punctuation before it and the character after it on its line.
    Name { text: &'a str, line: u32, after_sign: Option<char>, next: Option<char> },
    /// A number or a string.
    Literal { line: u32 },
    /// Any other character.
    Sign { sign: char, line: u32 },
}

/// Splits code into tokens; all variables and defined names become equal.
fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut is_defining = false;
    read(text, &mut |piece| match piece {
        Piece::Name { text, line, after_sign, next } => {
            let is_keyword = KEYWORDS.binary_search(&text).is_ok();
            let is_type = text.starts_with(char::is_uppercase);
            let is_kept = is_keyword
                || (!is_defining
                    && (is_type
                        || matches!(next, Some('(' | '!'))
                        || matches!(after_sign, Some('.' | ':' | '>'))));
            let hash = if is_kept { xxh3_64(text.as_bytes()) } else { 1 };
            // `let mut total`: the name is still to come.
            is_defining = DEFINING.binary_search(&text).is_ok() || (is_defining && text == "mut");
            tokens.push(Token { line, hash, is_word: true });
        }
        Piece::Literal { line } => tokens.push(Token { line, hash: 2, is_word: true }),
        // Trailing commas and semicolons are a matter of style.
        Piece::Sign { sign: ',' | ';', .. } => {}
        Piece::Sign { sign, line } => {
            is_defining = false;
            tokens.push(Token { line, hash: 3 + u64::from(sign), is_word: false });
        }
    });
    tokens
}

/// Iterates over code without comments and whitespace.
fn read<'a>(text: &'a str, sink: &mut dyn FnMut(Piece<'a>)) {
    let mut at = 0;
    let mut line = 1;
    let mut starts_line = true;
    let mut last_sign = None;
    while let Some(sign) = text[at..].chars().next() {
        let rest = &text[at..];
        if sign.is_whitespace() {
            if sign == '\n' {
                line += 1;
                starts_line = true;
            }
            at += sign.len_utf8();
            continue;
        }
        let before = text[..at].chars().next_back();
        if let Some(length) = comment(rest, starts_line, before) {
            line += breaks(&rest[..length]);
            at += length;
            continue;
        }
        starts_line = false;
        if sign.is_alphabetic() || sign == '_' {
            let length = run(rest, |c| c.is_alphanumeric() || c == '_');
            let next = rest[length..].chars().next();
            sink(Piece::Name { text: &rest[..length], line, after_sign: last_sign, next });
            last_sign = None;
            at += length;
        } else if sign.is_ascii_digit() {
            sink(Piece::Literal { line });
            last_sign = None;
            at += run(rest, |c| c.is_alphanumeric() || c == '_');
        } else if let Some(length) = string(rest, before) {
            sink(Piece::Literal { line });
            line += breaks(&rest[..length]);
            last_sign = None;
            at += length;
        } else {
            sink(Piece::Sign { sign, line });
            last_sign = Some(sign);
            at += sign.len_utf8();
        }
    }
}

fn breaks(text: &str) -> u32 {
    u32::try_from(text.matches('\n').count()).unwrap_or(u32::MAX)
}

/// Returns the length in bytes of the leading run of matching characters.
fn run(text: &str, belongs: impl Fn(char) -> bool) -> usize {
    text.find(|c| !belongs(c)).unwrap_or(text.len())
}

/// Returns the length in bytes of the comment that starts here, in the syntax of any language.
fn comment(rest: &str, starts_line: bool, before: Option<char>) -> Option<usize> {
    let to_end = rest.find('\n').unwrap_or(rest.len());
    if let Some(inside) = rest.strip_prefix("/*") {
        return Some(inside.find("*/").map_or(rest.len(), |end| end + 4));
    }
    let blank_before = starts_line || before.is_some_and(char::is_whitespace);
    let is_blank = |at: usize| rest[at..].chars().next().is_none_or(char::is_whitespace);
    let is_comment = (blank_before && rest.starts_with("//"))
        || (blank_before && rest.starts_with('#') && is_blank(1))
        || (starts_line && rest.starts_with("#!") && !rest.starts_with("#!["))
        || (starts_line && rest.starts_with("--") && is_blank(2))
        || (starts_line && rest.starts_with('*') && is_blank(1));
    is_comment.then_some(to_end)
}

/// Returns the length in bytes of the string that starts here and ends on its line; a triple-quoted
/// string may end anywhere.
fn string(rest: &str, before: Option<char>) -> Option<usize> {
    for quotes in ["\"\"\"", "'''"] {
        if let Some(inside) = rest.strip_prefix(quotes) {
            return Some(inside.find(quotes).map_or(rest.len(), |end| end + 6));
        }
    }
    let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'))?;
    // `&'a str` starts no string.
    if quote == '\'' && before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '&' | '<')) {
        return None;
    }
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            '\n' => return None,
            '<' | '>' | '&' if quote == '\'' => return None,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TOTAL: &str = "\
/// Computes the price of an order.
pub fn total(order: &Order, rates: &Rates) -> Result<Cents, Error> {
    let mut sum = Cents::ZERO;
    for line in &order.lines {
        if line.quantity == 0 {
            return Err(Error::Empty(line.sku.clone()));
        }
        let price = rates.price_of(&line.sku)?;
        sum = sum.checked_add(price.times(line.quantity)).ok_or(Error::Overflow)?;
    }
    Ok(sum)
}
";

    fn code(text: &str) -> Fingerprint {
        Fingerprint::new(text, true)
    }

    #[test]
    fn keywords_are_sorted() {
        assert!(KEYWORDS.is_sorted_by(|left, right| left < right));
        assert!(DEFINING.is_sorted_by(|left, right| left < right));
    }

    #[test]
    fn renamed_variables_comments_and_layout_are_ignored() {
        let renamed = TOTAL
            .replace("Computes the price of an order", "Adds it all up, line by line")
            .replace("sum", "amount")
            .replace("line in", "item in")
            .replace("line.", "item.")
            .replace("pub fn total", "pub fn price_of_cart")
            .replace("order", "cart")
            .replace("    ", "\t");
        let (original, copy) = (code(TOTAL), code(&renamed));
        // `order.lines` is now a member of a different object; everything else is equal.
        assert!(original.overlap(&copy) > 0.99, "{}", original.overlap(&copy));
        assert!(original.lines_in(&copy) > 0.99);
        assert!(original.is_distinctive());
    }

    #[test]
    fn code_with_other_calls_is_not_a_copy() {
        let other = TOTAL
            .replace("price_of", "weight_of")
            .replace("checked_add", "max")
            .replace("times", "limited_to")
            .replace("Cents", "Grams")
            .replace("quantity", "boxes")
            .replace("Overflow", "TooHeavy")
            .replace("sku", "label");
        let overlap = code(TOTAL).overlap(&code(&other));
        assert!(overlap < 0.5, "{overlap}");
    }

    #[test]
    fn a_part_is_contained_in_the_whole() {
        let part: String = TOTAL.split_inclusive('\n').skip(3).take(6).collect();
        let (part, whole) = (code(&part), code(TOTAL));
        assert!(part.held_by(&whole) > 0.99, "{}", part.held_by(&whole));
        assert!(part.overlap(&whole) < 0.8);
        assert_eq!(part.lines_in(&whole).to_bits(), 1.0_f32.to_bits());
        assert!(whole.lines_in(&part) < 0.7);
    }

    #[test]
    fn names_exclude_comments_and_strings() {
        let text = "// not_this\nlet total = rates.price_of('sku', \"nor this\"); # nor that\n";
        assert_eq!(names(text), ["total", "rates", "price_of"]);
        assert_eq!(names("fn f<'a>(x: &'a str) {}"), ["f", "a", "x", "str"]);
        assert_eq!(names("\"\"\"words\nof text\"\"\"\nafter()"), ["after"]);
    }

    #[test]
    fn prose_is_compared_by_words() {
        let text = "A refund that is larger than the payment is refused, and the answer names the \
            payment and the amount that is left of it. Nothing is booked in the meantime by a clerk.";
        let copy = text.replace(". ", ".\n\n").replace("A refund", "Any refund");
        let (original, other) = (Fingerprint::new(text, false), Fingerprint::new(&copy, false));
        assert!(original.is_distinctive() && original.overlap(&other) > 0.9);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_text_can_be_read(text in "\\PC*|[a-z'\"`/*#\\\\\n -]{0,80}", is_code: bool) {
            let print = Fingerprint::new(&text, is_code);
            let own = print.overlap(&print);
            prop_assert!(own.to_bits() == 1.0_f32.to_bits() || print.shingles.is_empty());
            let _ = names(&text);
        }
    }
}
