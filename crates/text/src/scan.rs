//! The scanner of all analyzers: finds words and identifiers and splits them into parts.
//!
//! An identifier is a run of letters, digits and underscores. It is split at underscores, between
//! lower and upper case, before the last letter of an acronym that precedes a word, and between
//! letters and digits. The plural of an acronym at the end of a name (`URLs`) is the acronym as a
//! part and the plural as a whole. CJK text has no spaces: each character is a part, each adjacent
//! pair a whole.

use crate::{Form, Token, fold::fold_into};

/// Maximum length of an identifier in bytes; longer runs are encoded data.
const MAX_RUN_LEN: usize = 100;

/// Class of a character in the scanner.
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

/// Class of each ASCII character: nearly all text is ASCII.
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

/// Returns true for Han, kana and Hangul: scripts without spaces between words, or with particles
/// attached to words.
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
            // A mark belongs to the letter before it; alone it is skipped.
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

/// Byte ranges of a part, and of the part without a plural ending.
struct Part {
    start: usize,
    end: usize,
    end_of_plural: usize,
}

struct Scanner<'t> {
    text: &'t str,
    /// Buffer for the folded term.
    folded: String,
    /// Buffer for the parts of one identifier.
    parts: Vec<Part>,
}

impl Scanner<'_> {
    /// Pushes the tokens of ASCII text, which contains only runs and separators.
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
        if end - start > MAX_RUN_LEN {
            return;
        }
        self.split(start, end);
        for index in 0..self.parts.len() {
            let Part { start, end, .. } = self.parts[index];
            self.term(start, end, Form::Part, sink);
        }
        // The whole is the parts without separators, so that `retry_refund`, `retryRefund` and
        // `RetryRefund` are one term. A single part that is not a plural is its own whole.
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
        let mut upper_case_run = 0;
        let mut characters = run.char_indices();
        while let Some((offset, character)) = characters.next() {
            let class = class_of(character);
            if class == Class::Mark {
                continue;
            }
            let mut rest = characters.clone().map(|(_, next)| next);
            if character == 's'
                && upper_case_run >= 2
                && !is_letter(rest.clone().next())
                && let Some(from) = part_start.take()
            {
                let (from, to) = (start + from, start + offset);
                self.parts.push(Part { start: from, end: to, end_of_plural: to + 1 });
                (before, upper_case_run) = (class, 0);
                continue;
            }
            let cut = match (before, class) {
                (_, Class::Underscore) => {
                    if let Some(from) = part_start.take() {
                        self.push(start + from, start + offset);
                    }
                    (before, upper_case_run) = (class, 0);
                    continue;
                }
                (Class::Lower | Class::Digit, Class::Upper)
                | (Class::Digit, Class::Lower)
                | (Class::Lower | Class::Upper, Class::Digit) => true,
                // The last upper-case letter of an acronym starts the following word, unless that
                // is only a plural ending.
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
            upper_case_run = if class == Class::Upper { upper_case_run + 1 } else { 0 };
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
    character
        .is_some_and(|letter| matches!(class_of(letter), Class::Lower | Class::Upper | Class::Mark))
}
