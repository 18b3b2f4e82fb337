//! Code and data: comments, strings, numbers, names and operators, token by token.

use lore_syntax::{CommentSigns, Language};

use crate::{
    rules::{CONSTANTS, DEFINES_FUNCTION, DEFINES_TYPE, NOT_RESERVED, OWN, Rules, TYPES},
    spans::{Class, Span, Spans},
};

/// Maximum length in bytes of a string of several lines. A quote without a closing one in this distance
/// ends with its line, so that it does not colour the rest of the text.
const MAX_STRING_LEN: usize = 4_000;

/// Maximum length in bytes of an attribute in brackets. Each open one is scanned this far.
const MAX_ATTRIBUTE_LEN: usize = 300;

/// Maximum number of bytes of a character in single quotes: `'\u{10ffff}'`.
const MAX_CHAR_LEN: usize = 12;

/// Classifies the tokens of a text.
pub(crate) fn scan(text: &str, language: &Language) -> Vec<Span> {
    let not_reserved = NOT_RESERVED.iter().find(|(name, _)| *name == language.name);
    let mut scanner = Scanner {
        text,
        bytes: text.as_bytes(),
        at: 0,
        signs: language.comment_signs(),
        keywords: language.keywords(),
        not_reserved: not_reserved.map_or(&[], |(_, words)| words),
        rules: Rules::of(language),
        unclosed: vec![false; language.comment_signs().block.len()],
        previous: Previous::Start,
        spans: Spans::default(),
    };
    while scanner.at < scanner.bytes.len() {
        scanner.step();
    }
    scanner.spans.into_vec()
}

/// The token before the current one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Previous {
    Start,
    /// A dot or an arrow, before a member.
    Member,
    /// A word that defines a function.
    DefinesFunction,
    /// A word that defines a type.
    DefinesType,
    Other,
}

struct Scanner<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    signs: &'a CommentSigns,
    keywords: &'a [String],
    not_reserved: &'a [&'a str],
    rules: Rules,
    /// Block comments of this kind are not closed in the rest of the text.
    unclosed: Vec<bool>,
    previous: Previous,
    spans: Spans,
}

impl Scanner<'_> {
    /// Classifies one token, at least one character.
    fn step(&mut self) {
        let byte = self.bytes[self.at];
        if byte.is_ascii_whitespace() {
            self.at += 1;
            return;
        }
        if let Some(end) = self.comment_end() {
            self.emit(end, Class::Comment);
            return;
        }
        if self.rules.directives && byte == b'#' && self.is_line_start() {
            let end = self.word_end(self.at + 1);
            self.emit(end, Class::Keyword);
            return;
        }
        if let Some(end) = self.attribute_end() {
            self.emit(end, Class::Attribute);
            return;
        }
        if let Some(end) = self.string_end() {
            let class = if self.is_key(end) { Class::Property } else { Class::String };
            self.emit(end, class);
            self.previous = Previous::Other;
            return;
        }
        if byte.is_ascii_digit() {
            let end = self.number_end();
            self.emit(end, Class::Number);
            self.previous = Previous::Other;
            return;
        }
        let end = self.word_end(self.at);
        if end > self.at {
            self.word(end);
        } else {
            self.sign();
        }
    }

    fn emit(&mut self, end: usize, class: Class) {
        let end = self.text.ceil_char_boundary(end.min(self.bytes.len())).max(self.at + 1);
        self.spans.push(self.at..end, class);
        self.at = end;
    }

    fn rest(&self) -> &[u8] {
        &self.bytes[self.at..]
    }

    fn is_line_start(&self) -> bool {
        let line = self.bytes[..self.at].iter().rev().take_while(|byte| **byte != b'\n');
        line.take(32).all(u8::is_ascii_whitespace)
    }

    fn line_end(&self, from: usize) -> usize {
        let rest = &self.bytes[from.min(self.bytes.len())..];
        from + rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len())
    }

    /// The end of a comment that starts here.
    fn comment_end(&mut self) -> Option<usize> {
        let before = self.at.checked_sub(1).map(|at| self.bytes[at]);
        for (index, (open, close)) in self.signs.block.iter().enumerate() {
            if self.rest().starts_with(open.as_bytes()) && !self.unclosed[index] {
                let content = self.at + open.len();
                let Some(length) = self.text.get(content..).and_then(|rest| rest.find(close))
                else {
                    self.unclosed[index] = true;
                    continue;
                };
                return Some(content + length + close.len());
            }
        }
        // `$#`, `a#b` and `http://` are no comments.
        let may_begin = before.is_none_or(|byte| {
            byte.is_ascii_whitespace()
                || matches!(byte, b';' | b',' | b')' | b'}' | b'{' | b'(' | b'>')
        });
        let is_comment = |sign: &&str| {
            let is_word_like = sign.starts_with(['#', '%', ';', '"']);
            self.rest().starts_with(sign.as_bytes())
                && (may_begin || !is_word_like && before != Some(b':'))
        };
        self.signs.line.iter().any(is_comment).then(|| self.line_end(self.at))
    }

    /// The end of an attribute that starts here: `#[…]`, `@name`.
    fn attribute_end(&self) -> Option<usize> {
        let rest = self.rest();
        if self.rules.macros && (rest.starts_with(b"#[") || rest.starts_with(b"#![")) {
            let mut depth = 0_usize;
            for (index, byte) in rest.iter().enumerate().take(MAX_ATTRIBUTE_LEN) {
                match byte {
                    b'[' => depth += 1,
                    b']' if depth <= 1 => return Some(self.at + index + 1),
                    b']' => depth -= 1,
                    _ => {}
                }
            }
            return None;
        }
        let before = self.at.checked_sub(1).map(|at| self.bytes[at]);
        let may_begin = before.is_none_or(|byte| byte.is_ascii_whitespace() || byte == b'(');
        if rest[0] != b'@' || !may_begin {
            return None;
        }
        let mut end = self.word_end(self.at + 1);
        while self.bytes.get(end) == Some(&b'.') && self.word_end(end + 1) > end + 1 {
            end = self.word_end(end + 1);
        }
        (end > self.at + 1).then_some(end)
    }

    /// The end of a string or character that starts here.
    fn string_end(&self) -> Option<usize> {
        let rest = self.rest();
        let quote = rest[0];
        if self.rules.raw_strings
            && let Some(end) = self.raw_string_end()
        {
            return Some(end);
        }
        if self.rules.triple_quotes
            && matches!(quote, b'"' | b'\'')
            && rest.starts_with(&[quote; 3])
        {
            let close = [quote; 3];
            let content = self.text.get(self.at + 3..)?;
            let close = std::str::from_utf8(&close).ok()?;
            return Some(content.find(close).map_or(self.bytes.len(), |end| self.at + end + 6));
        }
        if self.rules.backticks && quote == b'`' {
            let end = self.quoted_end(quote, MAX_STRING_LEN * 4);
            return Some(end.unwrap_or_else(|| self.line_end(self.at)));
        }
        if quote == b'\'' && self.rules.char_quotes {
            return self.char_end();
        }
        let is_quote = self.signs.quotes.contains(&quote)
            || (quote == b'"' && !self.signs.line.contains(&"\""))
            || (quote == b'\'' && self.rules.keys);
        let after_name = quote == b'\'' && self.at > 0 && is_name_byte(self.bytes[self.at - 1]);
        if !is_quote || after_name {
            return None;
        }
        let line_end = self.line_end(self.at);
        let limit = if self.rules.long_strings { MAX_STRING_LEN } else { line_end - self.at };
        Some(self.quoted_end(quote, limit).unwrap_or(line_end))
    }

    /// The end after the closing quote, within a number of bytes.
    fn quoted_end(&self, quote: u8, limit: usize) -> Option<usize> {
        let mut at = self.at + 1;
        let end = self.bytes.len().min(self.at.saturating_add(limit));
        while at < end {
            match self.bytes[at] {
                b'\\' if !self.rules.doubled_quotes => at += 2,
                byte if byte == quote => return Some(at + 1),
                _ => at += 1,
            }
        }
        None
    }

    /// `r"…"`, `br#"…"#`.
    fn raw_string_end(&self) -> Option<usize> {
        let rest = self.rest();
        let prefix =
            [&b"br"[..], b"cr", b"r"].into_iter().find(|prefix| rest.starts_with(prefix))?;
        if self.at > 0 && is_name_byte(self.bytes[self.at - 1]) {
            return None;
        }
        let hashes = rest[prefix.len()..].iter().take_while(|byte| **byte == b'#').take(16).count();
        let content = prefix.len() + hashes + 1;
        if rest.get(content - 1) != Some(&b'"') {
            return None;
        }
        let close = format!("\"{}", "#".repeat(hashes));
        let text = self.text.get(self.at + content..)?;
        Some(
            text.find(&close).map_or(self.bytes.len(), |end| self.at + content + end + close.len()),
        )
    }

    /// The end of a character in single quotes; `None` for a lifetime, a type variable or an apostrophe.
    fn char_end(&self) -> Option<usize> {
        if self.at > 0 && is_name_byte(self.bytes[self.at - 1]) {
            return None;
        }
        let content = self.text.get(self.at + 1..)?;
        let first = content.chars().next().filter(|first| !matches!(first, '\'' | '\n'))?;
        if first == '\\' {
            let near = &content.as_bytes()[..content.len().min(MAX_CHAR_LEN)];
            let end = near.iter().skip(2).position(|byte| *byte == b'\'')?;
            return Some(self.at + 1 + 2 + end + 1);
        }
        let end = first.len_utf8();
        (content.as_bytes().get(end) == Some(&b'\'')).then_some(self.at + 1 + end + 1)
    }

    fn number_end(&self) -> usize {
        let mut end = self.at + 1;
        while let Some(byte) = self.bytes.get(end) {
            let is_part = byte.is_ascii_alphanumeric() || *byte == b'_';
            let is_point = *byte == b'.' && self.bytes.get(end + 1).is_some_and(u8::is_ascii_digit);
            let is_sign = matches!(byte, b'+' | b'-') && matches!(self.bytes[end - 1], b'e' | b'E');
            if !is_part && !is_point && !is_sign {
                break;
            }
            end += 1;
        }
        end
    }

    /// The end of a name that starts at an offset; the offset itself if there is none.
    fn word_end(&self, from: usize) -> usize {
        let Some(rest) = self.text.get(from..) else { return from };
        let is_part = |(index, letter): (usize, char)| {
            letter.is_alphanumeric()
                || matches!(letter, '_' | '$')
                || (index > 0 && letter == '-' && self.rules.dashes)
        };
        let rest = rest.char_indices().find(|part| !is_part(*part));
        rest.map_or(self.bytes.len(), |(length, _)| from + length)
    }

    /// Classifies a name.
    fn word(&mut self, end: usize) {
        let word = &self.text[self.at..end];
        let previous = std::mem::replace(&mut self.previous, Previous::Other);
        let class = self.class_of(word, end, previous);
        if class == Some(Class::Keyword) {
            if DEFINES_FUNCTION.contains(&word) {
                self.previous = Previous::DefinesFunction;
            } else if DEFINES_TYPE.contains(&word) {
                self.previous = Previous::DefinesType;
            }
        }
        match class {
            Some(class) => self.emit(end, class),
            None => self.at = end,
        }
    }

    fn class_of(&self, word: &str, end: usize, previous: Previous) -> Option<Class> {
        let is_call = self.is_call(end);
        if previous == Previous::Member {
            let is_type = is_type_name(word) && self.rules.upper_types;
            return Some(match (is_call, is_type) {
                (true, _) => Class::Function,
                (false, true) => Class::Type,
                (false, false) if word == "await" => Class::Keyword,
                (false, false) => Class::Property,
            });
        }
        if previous == Previous::DefinesFunction {
            return Some(Class::Function);
        }
        if self.is_key(end) {
            return Some(Class::Property);
        }
        if CONSTANTS.contains(&word) {
            return Some(Class::Constant);
        }
        if TYPES.contains(&word) {
            return Some(Class::Type);
        }
        if self.is_reserved(word) || OWN.contains(&word) {
            return Some(Class::Keyword);
        }
        if previous == Previous::DefinesType {
            return Some(Class::Type);
        }
        if is_constant_name(word) && self.rules.upper_types {
            return Some(Class::Constant);
        }
        if is_call && !(is_type_name(word) && self.rules.upper_types && self.rules.macros) {
            return Some(Class::Function);
        }
        (is_type_name(word) && self.rules.upper_types).then_some(Class::Type)
    }

    fn is_reserved(&self, word: &str) -> bool {
        let find =
            |word: &str| self.keywords.binary_search_by(|known| known.as_str().cmp(word)).is_ok();
        let is_known = find(word)
            || (self.rules.any_case && (find(&word.to_lowercase()) || find(&word.to_uppercase())));
        is_known && !self.not_reserved.contains(&word)
    }

    /// Returns true for a name before a call or a macro.
    fn is_call(&self, end: usize) -> bool {
        match self.bytes.get(end) {
            Some(b'(') => true,
            Some(b'!') if self.rules.macros => {
                matches!(self.bytes.get(end + 1), Some(b'(' | b'[' | b'{' | b' '))
                    && self.bytes.get(end + 2) != Some(&b'=')
            }
            _ => false,
        }
    }

    /// Returns true for a token before `:` or `=` in a language of data.
    fn is_key(&self, end: usize) -> bool {
        if !self.rules.keys {
            return false;
        }
        let after = self.bytes[end.min(self.bytes.len())..].iter().take(64);
        matches!(after.clone().find(|byte| !matches!(byte, b' ' | b'\t')), Some(b':' | b'='))
    }

    /// Classifies a sign.
    fn sign(&mut self) {
        let byte = self.bytes[self.at];
        let next = self.bytes.get(self.at + 1);
        self.previous = match byte {
            b'.' if next != Some(&b'.') => Previous::Member,
            b'>' if self.at > 0 && self.bytes[self.at - 1] == b'-' && self.rules.directives => {
                Previous::Member
            }
            // `function* name`, `type (A)`.
            b'*' | b'(' => self.previous,
            _ => Previous::Other,
        };
        if byte == b'(' && self.previous == Previous::DefinesFunction {
            self.previous = Previous::Other;
        }
        let class = match byte {
            b'(' | b')' | b'[' | b']' | b'{' | b'}' | b',' | b';' => Some(Class::Punctuation),
            b'+' | b'-' | b'*' | b'/' | b'%' | b'=' | b'<' | b'>' | b'!' | b'&' | b'|' | b'^'
            | b'~' | b'?' => Some(Class::Operator),
            _ => None,
        };
        match class {
            Some(class) => self.emit(self.at + 1, class),
            None => self.at = self.text.ceil_char_boundary(self.at + 1),
        }
    }
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// `MAX_SIZE`, `PI`.
fn is_constant_name(word: &str) -> bool {
    word.len() > 1
        && word.starts_with(|first: char| first.is_ascii_uppercase())
        && word
            .chars()
            .all(|letter| letter.is_ascii_uppercase() || letter.is_ascii_digit() || letter == '_')
}

/// `Refund`, `T`.
fn is_type_name(word: &str) -> bool {
    word.starts_with(char::is_uppercase)
}
