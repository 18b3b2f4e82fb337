//! Folded text for comparison, with a map back to offsets in the original.

use std::ops::Range;

use lore_engine::documents::{fold, is_cjk};

/// A text folded character by character, with the origin of each.
#[derive(Debug, Clone, Default)]
pub(crate) struct Folded {
    text: String,
    /// Offset in the folded text, offset in the original one: wherever the distance between the two
    /// changes. Both columns ascend.
    shifts: Vec<(usize, usize)>,
}

impl Folded {
    /// Folds a text.
    pub(crate) fn of(original: &str) -> Folded {
        if original.is_ascii() {
            return Folded { text: original.to_ascii_lowercase(), shifts: Vec::new() };
        }
        let mut folded = Folded { text: String::with_capacity(original.len()), shifts: Vec::new() };
        let mut rest = original;
        let mut offset = 0;
        while !rest.is_empty() {
            let plain = rest.bytes().position(|byte| !byte.is_ascii()).unwrap_or(rest.len());
            let start = folded.text.len();
            folded.text.push_str(&rest[..plain]);
            folded.text[start..].make_ascii_lowercase();
            offset += plain;
            rest = &rest[plain..];
            while let Some(character) =
                rest.chars().next().filter(|character| !character.is_ascii())
            {
                folded.push(character, offset);
                offset += character.len_utf8();
                rest = &rest[character.len_utf8()..];
            }
        }
        folded
    }

    fn push(&mut self, character: char, offset: usize) {
        let start = self.text.len();
        if is_stable(character) {
            self.text.push(character);
            return;
        }
        self.text.push_str(&fold(character.encode_utf8(&mut [0; 4])));
        if self.text.len() - start != character.len_utf8() {
            self.shifts.push((start, offset));
            self.shifts.push((self.text.len(), offset + character.len_utf8()));
        }
    }

    /// The folded text.
    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// The bytes of the original text that a range of the folded one comes from: whole characters,
    /// with the marks that follow the last of them.
    pub(crate) fn original(&self, range: &Range<usize>, original: &str) -> Range<usize> {
        let start = original.floor_char_boundary(self.offset(range.start));
        let end = original.ceil_char_boundary(self.offset(range.end));
        start..end.max(start)
    }

    fn offset(&self, folded: usize) -> usize {
        let after = self.shifts.partition_point(|(known, _)| *known <= folded);
        let (from, to) = after.checked_sub(1).map_or((0, 0), |last| self.shifts[last]);
        let offset = to + (folded - from);
        // Inside a character that became longer.
        self.shifts.get(after).map_or(offset, |(_, next)| offset.min(*next))
    }
}

/// Returns true for common characters that folding does not change; a shortcut, not complete.
fn is_stable(character: char) -> bool {
    matches!(u32::from(character),
        0x00B7 | 0x2012..=0x2022 | 0x2190..=0x21FF | 0x2500..=0x27BF | 0x3001..=0x3002
        | 0x3400..=0x9FFF | 0xAC00..=0xD7A3 | 0xFE0F | 0x1_F300..=0x1_FAFF)
}

/// Returns true if a character is part of a word of several characters. Characters of scripts
/// without spaces are words themselves.
pub(crate) fn is_word(character: char) -> bool {
    (character.is_alphanumeric() || character == '_') && !is_cjk(character)
}

/// Returns true if a range of a text starts and ends at word boundaries.
pub(crate) fn is_whole_word(text: &str, range: &Range<usize>) -> bool {
    let ends = |outside: Option<char>, inside: Option<char>| {
        !(outside.is_some_and(is_word) && inside.is_some_and(is_word))
    };
    let found = &text[range.clone()];
    ends(text[..range.start].chars().next_back(), found.chars().next())
        && ends(text[range.end..].chars().next(), found.chars().next_back())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slices(text: &str, needle: &str) -> Vec<String> {
        let folded = Folded::of(text);
        let needle = Folded::of(needle);
        folded
            .as_str()
            .match_indices(needle.as_str())
            .map(|(start, found)| {
                text[folded.original(&(start..start + found.len()), text)].to_owned()
            })
            .collect()
    }

    #[test]
    fn ranges_map_back_to_the_original() {
        assert_eq!(slices("Été, ÉTÉ, ete", "été"), ["Été", "ÉTÉ", "ete"]);
        assert_eq!(slices("İstanbul istanbul", "istanbul"), ["İstanbul", "istanbul"]);
        assert_eq!(slices("İİİ token", "TOKEN"), ["token"]);
        assert_eq!(slices("🚀🚀 token 日本語 token", "token"), ["token", "token"]);
        assert_eq!(slices("日本語の仕様", "本語"), ["本語"]);
        assert_eq!(slices("Straße und STRASSE", "strasse"), ["Straße", "STRASSE"]);
        assert_eq!(slices("Maße", "mas"), ["Maß"], "never half a character");
        assert_eq!(slices("cafe\u{301} x", "café"), ["cafe\u{301}"]);
        assert_eq!(slices("plain Text", "text"), ["Text"]);
    }

    #[test]
    fn word_boundaries_depend_on_the_script() {
        let check = |text: &str, found: &str, expected: bool| {
            let start = text.find(found).expect("it is there");
            assert_eq!(is_whole_word(text, &(start..start + found.len())), expected, "{text}");
        };
        check("an api key", "api", true);
        check("apiary", "api", false);
        check("über", "ber", false);
        check("use C++ here", "C++", true);
        check("snake_case", "case", false);
        check("日本語の仕様", "仕様", true);
        check("v2-api.", "api", true);
    }
}
