//! Words and texts of the changes.

/// Letters of the words. Without vowels, no word of a tree is one of them.
const LETTERS: &[u8] = b"bcdfghjklmnpqrstvwxyz";

/// Number of letters that are made from a number.
const LENGTH: u32 = 6;

/// A factor without a common divisor with the number of words, so that following words differ much.
const FACTOR: usize = 31_415_927;

/// A word that occurs nowhere else. All words have the same length.
pub(super) fn word(writer: usize, number: usize) -> String {
    let count = LETTERS.len().pow(LENGTH);
    let mut rest = number.wrapping_mul(FACTOR) % count;
    let mut word = format!("zq{}", char::from(LETTERS[writer % LETTERS.len()]));
    for _ in 0..LENGTH {
        word.push(char::from(LETTERS[rest % LETTERS.len()]));
        rest /= LETTERS.len();
    }
    word
}

/// The text of a new file.
pub(super) fn text(path: &str, word: &str) -> String {
    match extension(path) {
        "md" => format!("# Notes of {word}\n\nThis page describes {word} and its use.\n"),
        "py" => {
            format!("def turn_{word}(wheel):\n    \"\"\"Turns {word}.\"\"\"\n    return wheel\n")
        }
        "rs" => format!("/// Turns {word}.\npub fn turn_{word}(wheel: usize) {{}}\n"),
        "ts" => format!("/** Turns {word}. */\nexport function turn_{word}(wheel: number) {{}}\n"),
        _ => format!("/* Turns {word}. */\nint turn_{word}(int wheel);\n"),
    }
}

/// Lines for the end of a file.
pub(super) fn lines(path: &str, word: &str) -> String {
    match extension(path) {
        "md" | "rst" => format!("\nThe last line describes {word}.\n"),
        "py" | "rb" => format!("\n# The last line describes {word}.\n"),
        _ => format!("\n/* The last line describes {word}. */\n"),
    }
}

fn extension(path: &str) -> &str {
    path.rsplit_once('.').map_or("", |(_, extension)| extension)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{text, word};

    #[test]
    fn words_are_distinct_and_of_one_length() {
        let words: BTreeSet<String> =
            (0..4).flat_map(|writer| (0..5_000).map(move |number| word(writer, number))).collect();
        assert_eq!(words.len(), 20_000);
        assert!(words.iter().all(|word| word.len() == 9));
    }

    #[test]
    fn texts_with_words_of_one_length_have_one_length() {
        for path in ["a.md", "a.py", "a.rs", "a.ts", "a.c"] {
            assert_eq!(text(path, &word(1, 1)).len(), text(path, &word(1, 2)).len());
        }
    }
}
