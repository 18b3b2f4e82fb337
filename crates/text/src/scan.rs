//! The scanner below every analyzer: finds words and identifiers and cuts them into parts.
//!
//! An identifier is a run of letters, digits and underscores. It is cut at underscores, between
//! lower and upper case, before the last capital of an acronym that a word follows, and between
//! letters and digits. The plural of an acronym at the end of a name (`URLs`) is the acronym as a part
//! and all of it as a whole. CJK text has no spaces: each character is a part, each adjacent pair a whole.

use crate::{Form, Token, fold::fold_into};

/// Longest identifier, in bytes, that is a word to anybody; longer runs are encoded data.
const LONGEST_RUN: usize = 100;

/// What a character is to the scanner.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Lower,
    Upper,
    Digit,
    Underscore,
    Cjk,
    Mark,
    Other,
}

/// What each ASCII character is: nearly all of a text is ASCII.
const ASCII: [Class; 128] = {
    let mut classes = [Class::Other; 128];
    let mut byte = 0_u8;
    while byte < 128 {
        classes[byte as usize] = match byte {
            b'a'..=b'z' => Class::Lower,
            b'A'..=b'Z' => Class::Upper,
            b'0'..=b'9' => Class::Digit,
            b'_' => Class::Underscore,
            _ => Class::Other,
        };
        byte += 1;
    }
    classes
};

fn class_of(character: char) -> Class {
    if let Some(class) = ASCII.get(character as usize) {
        return *class;
    }
    match character {
        _ if is_cjk(character) => Class::Cjk,
        _ if unicode_normalization::char::is_combining_mark(character) => Class::Mark,
        _ if character.is_uppercase() => Class::Upper,
        _ if character.is_alphabetic() => Class::Lower,
        _ if character.is_numeric() => Class::Digit,
        _ => Class::Other,
    }
}

/// Han, kana and Hangul: scripts whose words are not set apart by spaces, or whose words carry
/// particles.
pub fn is_cjk(character: char) -> bool {
    matches!(u32::from(character),
        0x3040..=0x30FF | 0x31F0..=0x31FF | 0x3400..=0x4DBF | 0x4E00..=0x9FFF
        | 0xAC00..=0xD7AF | 0xF900..=0xFAFF | 0xFF66..=0xFF9F | 0x2_0000..=0x3_134F)
}

/// Pushes the tokens of `text`.
pub(crate) fn scan(text: &str, sink: &mut dyn FnMut(Token<'_>)) {
    let mut scanner = Scanner { text, folded: String::new(), parts: Vec::new() };
    if text.is_ascii() {
        scanner.ascii(sink);
        return;
    }
    let mut run_start = None;
    let mut cjk_before: Option<usize> = None;
    for (offset, character) in text.char_indices() {
        let class = class_of(character);
        match class {
            Class::Other | Class::Cjk => {
                if let Some(start) = run_start.take() {
                    scanner.run(start, offset, sink);
                }
            }
            // A mark belongs to the letter before it; alone it is nothing.
            Class::Mark if run_start.is_none() => {}
            _ => {
                run_start.get_or_insert(offset);
            }
        }
        if class == Class::Cjk {
            let end = offset + character.len_utf8();
            scanner.term(offset, end, Form::Part, sink);
            if let Some(before) = cjk_before {
                scanner.term(before, end, Form::Whole, sink);
            }
            cjk_before = Some(offset);
        } else {
            cjk_before = None;
        }
    }
    if let Some(start) = run_start {
        scanner.run(start, text.len(), sink);
    }
}

/// Byte ranges of a part, the one without the ending of a plural.
struct Part {
    start: usize,
    end: usize,
    end_of_plural: usize,
}

struct Scanner<'t> {
    text: &'t str,
    /// Scratch for the folded term.
    folded: String,
    /// Scratch for the parts of one identifier.
    parts: Vec<Part>,
}

impl Scanner<'_> {
    /// Pushes the tokens of a text of ASCII alone, in which only runs and what parts them occur.
    fn ascii(&mut self, sink: &mut dyn FnMut(Token<'_>)) {
        let is_run = |byte: &u8| ASCII[usize::from(*byte)] != Class::Other;
        let bytes = self.text.as_bytes();
        let mut start = bytes.iter().position(is_run);
        while let Some(from) = start {
            let length = bytes[from..].iter().position(|byte| !is_run(byte));
            let end = length.map_or(bytes.len(), |length| from + length);
            self.run(from, end, sink);
            start = bytes[end..].iter().position(is_run).map(|gap| end + gap);
        }
    }

    fn term(&mut self, start: usize, end: usize, form: Form, sink: &mut dyn FnMut(Token<'_>)) {
        self.folded.clear();
        fold_into(&self.text[start..end], &mut self.folded);
        if !self.folded.is_empty() {
            sink(Token { term: &self.folded, start, end, form });
        }
    }

    fn run(&mut self, start: usize, end: usize, sink: &mut dyn FnMut(Token<'_>)) {
        if end - start > LONGEST_RUN {
            return;
        }
        self.split(start, end);
        for index in 0..self.parts.len() {
            let Part { start, end, .. } = self.parts[index];
            self.term(start, end, Form::Part, sink);
        }
        // The whole is the parts without what joins them, so that `retry_refund`, `retryRefund` and
        // `RetryRefund` are one term. A single part that is no plural is its own whole.
        let is_plural = |part: &Part| part.end != part.end_of_plural;
        if self.parts.len() > 1 || self.parts.iter().any(is_plural) {
            self.folded.clear();
            for part in &self.parts {
                fold_into(&self.text[part.start..part.end_of_plural], &mut self.folded);
            }
            sink(Token { term: &self.folded, start, end, form: Form::Whole });
        }
    }

    /// Fills `parts` with the parts of the run.
    fn split(&mut self, start: usize, end: usize) {
        self.parts.clear();
        let run = &self.text[start..end];
        if run.bytes().all(|byte| byte.is_ascii_lowercase()) {
            self.push(start, end);
            return;
        }
        let mut part_start: Option<usize> = None;
        let mut before = Class::Underscore;
        let mut capitals = 0;
        let mut characters = run.char_indices();
        while let Some((offset, character)) = characters.next() {
            let class = class_of(character);
            if class == Class::Mark {
                continue;
            }
            let mut rest = characters.clone().map(|(_, next)| next);
            if character == 's'
                && capitals >= 2
                && !is_letter(rest.clone().next())
                && let Some(from) = part_start.take()
            {
                let (from, to) = (start + from, start + offset);
                self.parts.push(Part { start: from, end: to, end_of_plural: to + 1 });
                (before, capitals) = (class, 0);
                continue;
            }
            let cut = match (before, class) {
                (_, Class::Underscore) => {
                    if let Some(from) = part_start.take() {
                        self.push(start + from, start + offset);
                    }
                    (before, capitals) = (class, 0);
                    continue;
                }
                (Class::Lower | Class::Digit, Class::Upper)
                | (Class::Digit, Class::Lower)
                | (Class::Lower | Class::Upper, Class::Digit) => true,
                // The last capital of an acronym starts the word that follows it, unless that is
                // no more than the ending of a plural.
                (Class::Upper, Class::Upper) => {
                    let next = rest.next();
                    next.is_some_and(|next| class_of(next) == Class::Lower)
                        && (next != Some('s') || is_letter(rest.next()))
                }
                _ => false,
            };
            if cut && let Some(from) = part_start.replace(offset) {
                self.push(start + from, start + offset);
            }
            part_start.get_or_insert(offset);
            capitals = if class == Class::Upper { capitals + 1 } else { 0 };
            before = class;
        }
        if let Some(from) = part_start {
            self.push(start + from, end);
        }
    }

    fn push(&mut self, start: usize, end: usize) {
        self.parts.push(Part { start, end, end_of_plural: end });
    }
}

fn is_letter(character: Option<char>) -> bool {
    character.is_some_and(|one| matches!(class_of(one), Class::Lower | Class::Upper | Class::Mark))
}
