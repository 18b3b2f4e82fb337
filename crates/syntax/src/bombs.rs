//! Texts made to break parsers, for tests and `cargo xtask attack bombs`.
//!
//! **Invariant:** the same arguments give the same text on every machine.

use crate::{LANGUAGES, Language, language::Structure};

/// Names, literals and whitespace that are added to the tokens of each grammar.
const COMMON: &[&str] =
    &["a", "b", "x", "1", "0x", "\"a\"", "'a'", "\"", "'", " ", "\n", "\n  ", "\t"];

/// Maximum number of tokens that are repeated together.
const MAX_UNIT: u64 = 5;

/// Maximum number of tokens before the first repetition.
const MAX_HEAD: u64 = 3;

/// Average distance of changes in a mutated text, in bytes.
const MUTATION_DISTANCE: u64 = 200;

/// The construction of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BombShape {
    /// A few tokens, repeated.
    Repeated,
    /// Tokens that open something, then as many that may close it.
    Nested,
    /// Lines of tokens, each indented by one column more than the last one, up to a maximum.
    Indented,
    /// Tokens in random order.
    Random,
    /// A valid text with random parts deleted, doubled and replaced by tokens.
    Mutated,
}

impl BombShape {
    /// All shapes.
    pub const ALL: &'static [BombShape] = &[
        BombShape::Repeated,
        BombShape::Nested,
        BombShape::Indented,
        BombShape::Random,
        BombShape::Mutated,
    ];

    /// The name in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            BombShape::Repeated => "repeated",
            BombShape::Nested => "nested",
            BombShape::Indented => "indented",
            BombShape::Random => "random",
            BombShape::Mutated => "mutated",
        }
    }
}

/// The languages that are parsed, each with a file name that selects it.
pub fn parsed_languages() -> impl Iterator<Item = (&'static Language, String)> {
    LANGUAGES.iter().filter(|language| matches!(language.structure, Structure::Grammar(_))).map(
        |language| {
            let name = match (language.name, language.extensions, language.file_names) {
                // `.m` is only recognised by its content.
                ("objective-c", ..) => "a.mm".to_owned(),
                (_, [extension, ..], _) => format!("a.{extension}"),
                (_, [], names) => names.first().copied().unwrap_or_default().to_owned(),
            };
            (language, name)
        },
    )
}

/// Makes a text of about `size` bytes in the tokens of a language. `sample` is a valid text of it.
pub fn bomb(language: &Language, shape: BombShape, seed: u64, size: usize, sample: &str) -> String {
    let tokens = tokens(language);
    let tokens: Vec<&str> = tokens.iter().map(String::as_str).collect();
    let mut random = Random(seed);
    let mut text = match shape {
        BombShape::Repeated => repeated(&tokens, size, &mut random),
        BombShape::Nested => nested(&tokens, size, &mut random),
        BombShape::Indented => indented(&tokens, size, &mut random),
        BombShape::Random => words(&tokens, size, &mut random),
        BombShape::Mutated => mutated(&tokens, size, sample, &mut random),
    };
    text.truncate(text.floor_char_boundary(size));
    text
}

/// The tokens of a grammar that are written as they are named, and common ones.
fn tokens(language: &Language) -> Vec<String> {
    let mut tokens: Vec<String> = COMMON.iter().map(ToString::to_string).collect();
    if let Structure::Grammar(grammar) = language.structure {
        let grammar = grammar.language();
        for id in (0..grammar.node_kind_count()).filter_map(|id| u16::try_from(id).ok()) {
            if grammar.node_kind_is_visible(id) && !grammar.node_kind_is_named(id) {
                tokens.extend(grammar.node_kind_for_id(id).map(str::to_owned));
            }
        }
    }
    tokens.sort_unstable();
    tokens.dedup();
    tokens.retain(|token| !token.is_empty());
    tokens
}

/// A few tokens, joined by nothing or by whitespace.
fn unit(tokens: &[&str], most: u64, random: &mut Random) -> String {
    let separator = *random.pick(&["", "", " ", "\n"]);
    let count = 1 + random.below(most);
    let mut unit = String::new();
    for _ in 0..count {
        unit.push_str(random.pick::<&str>(tokens));
        unit.push_str(separator);
    }
    unit
}

fn repeated(tokens: &[&str], size: usize, random: &mut Random) -> String {
    let head = if random.below(2) == 0 { String::new() } else { unit(tokens, MAX_HEAD, random) };
    let unit = unit(tokens, MAX_UNIT, random);
    head + &unit.repeat(size / unit.len() + 1)
}

fn nested(tokens: &[&str], size: usize, random: &mut Random) -> String {
    let [open, middle, close] = [(); 3].map(|()| unit(tokens, MAX_UNIT, random));
    let depth = size / (open.len() + close.len());
    open.repeat(depth) + &middle + &close.repeat(depth)
}

fn indented(tokens: &[&str], size: usize, random: &mut Random) -> String {
    let unit = unit(tokens, MAX_UNIT, random).replace('\n', " ");
    let most = 1 + random.below(240);
    let mut text = String::new();
    let mut column = 0;
    while text.len() < size {
        text.extend(std::iter::repeat_n(' ', usize::try_from(column % most).unwrap_or(0)));
        text.push_str(&unit);
        text.push('\n');
        column += 1;
    }
    text
}

fn words(tokens: &[&str], size: usize, random: &mut Random) -> String {
    let separator = *random.pick(&["", " ", "\n"]);
    // Few different tokens reach deeper states than all of them.
    let alphabet: Vec<&str> = match random.below(3) {
        0 => tokens.to_vec(),
        _ => (0..2 + random.below(8)).map(|_| *random.pick(tokens)).collect(),
    };
    let mut text = String::new();
    while text.len() < size {
        text.push_str(random.pick::<&str>(&alphabet));
        text.push_str(separator);
    }
    text
}

fn mutated(tokens: &[&str], size: usize, sample: &str, random: &mut Random) -> String {
    let mut text = String::new();
    let mut at = 0;
    while text.len() < size && !sample.is_empty() {
        let length = usize::try_from(1 + random.below(2 * MUTATION_DISTANCE)).unwrap_or(1);
        let start = sample.floor_char_boundary(at % sample.len());
        let end = sample.floor_char_boundary((start + length).min(sample.len()));
        let part = &sample[start..end];
        match random.below(4) {
            0 => {}
            1 => {
                text.push_str(part);
                text.push_str(part);
            }
            2 => text.push_str(&unit(tokens, MAX_UNIT, random)),
            _ => text.push_str(part),
        }
        at = start + length;
    }
    text
}

/// Pseudorandom numbers: splitmix64.
#[derive(Debug)]
pub struct Random(u64);

impl Random {
    /// The numbers of a seed.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// The next number.
    #[expect(clippy::should_implement_trait, reason = "the numbers have no end")]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`, which is not 0.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    /// An element of a list that is not empty.
    pub fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        let at = self.below(list.len() as u64);
        &list[usize::try_from(at).expect("below the length of the list")]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect;

    #[test]
    fn bombs_are_repeatable_and_in_their_language() {
        for (language, name) in parsed_languages() {
            for shape in BombShape::ALL {
                let make = |seed| bomb(language, *shape, seed, 2_000, "fn main() {}\n");
                let text = make(1);
                assert_eq!(text, make(1));
                assert_ne!(text, make(2), "{} {shape:?}", language.name);
                assert!(text.len() <= 2_000 && 1_000 < text.len(), "{} {shape:?}", language.name);
                let detected = detect(&name, &text).map(|detected| detected.name);
                assert_eq!(detected, Some(language.name));
            }
        }
    }
}
