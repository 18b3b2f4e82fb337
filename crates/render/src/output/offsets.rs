//! The units of positions in texts.

/// The unit of positions in texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Offsets {
    /// Bytes of UTF-8.
    Byte,
    /// Unicode scalar values.
    #[default]
    Char,
    /// Code units of UTF-16, as in JavaScript and Java.
    Utf16,
}

impl Offsets {
    /// The names that users type.
    pub const NAMES: [&'static str; 3] = ["byte", "char", "utf16"];

    /// The unit with this name, if it exists.
    pub fn from_name(name: &str) -> Option<Offsets> {
        [Offsets::Byte, Offsets::Char, Offsets::Utf16]
            .into_iter()
            .find(|offsets| offsets.as_str() == name)
    }

    /// The name that users type.
    pub fn as_str(self) -> &'static str {
        match self {
            Offsets::Byte => "byte",
            Offsets::Char => "char",
            Offsets::Utf16 => "utf16",
        }
    }

    /// Converts ranges of scalar values of a text to ranges of this unit. Positions after the end of
    /// the text become its end.
    pub fn ranges(self, text: &str, ranges: &[(usize, usize)]) -> Vec<(usize, usize)> {
        if self == Offsets::Char || text.is_ascii() {
            return ranges.to_vec();
        }
        let unit = |character: char| match self {
            Offsets::Byte => character.len_utf8(),
            Offsets::Char => 1,
            Offsets::Utf16 => character.len_utf16(),
        };
        // The positions before each character and after the last one.
        let mut positions = vec![0];
        let mut position = 0;
        for character in text.chars() {
            position += unit(character);
            positions.push(position);
        }
        let place = |scalar: usize| positions.get(scalar).copied().unwrap_or(position);
        ranges.iter().map(|&(start, end)| (place(start), place(end))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, char: (usize, usize), utf16: (usize, usize), byte: (usize, usize)) {
        assert_eq!(Offsets::Char.ranges(text, &[char]), [char]);
        assert_eq!(Offsets::Utf16.ranges(text, &[char]), [utf16]);
        assert_eq!(Offsets::Byte.ranges(text, &[char]), [byte]);
    }

    #[test]
    fn ranges_are_converted_to_each_unit() {
        check("a retry", (2, 7), (2, 7), (2, 7));
        // Two bytes each.
        check("ÉTUDE é", (0, 5), (0, 5), (0, 6));
        check("İ retry", (2, 7), (2, 7), (3, 8));
        // Three bytes each.
        check("再試行 retry", (4, 9), (4, 9), (10, 15));
        // A base and a combining acute accent, which has two bytes.
        check("e\u{301}tude retry", (7, 12), (7, 12), (8, 13));
        // Four bytes, two units of UTF-16.
        check("🦀 retry 🦀", (2, 7), (3, 8), (5, 10));
        // Seven scalar values that look like one: four of them with four bytes, three joiners.
        check("👩‍👩‍👧‍👦retry", (7, 12), (11, 16), (25, 30));
        assert_eq!(Offsets::Utf16.ranges("🦀", &[(0, 9)]), [(0, 2)]);
        assert_eq!(Offsets::Byte.ranges("", &[]), []);
    }
}
