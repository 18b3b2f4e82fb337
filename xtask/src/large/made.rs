//! A generated tree: source files in five languages, the same for a seed on every machine.

use std::{fmt::Write as _, fs, path::Path};

use anyhow::{Context as _, Result};

use super::tree::git;
use crate::random::Random;

/// Maximum number of files of a folder.
const PER_FOLDER: usize = 48;

/// Folders of the innermost level of a folder of the middle level.
const PER_MIDDLE: usize = 4;

/// Folders of the innermost level of a folder at the top: 1,344 files, which is 7 % of 20,000.
const PER_TOP: usize = 28;

/// Number of different words in texts.
const VOCABULARY: usize = 3_000;

/// Extensions, with weights.
const EXTENSIONS: &[&str] = &["rs", "c", "py", "ts", "md", "rs", "c", "py", "ts", "c"];

/// Minimum size of a file in bytes. Sizes above it are distributed unevenly, up to six times as much.
const MIN_SIZE: usize = 2_000;

/// Writes the tree as a repository with one commit.
pub(super) fn make(tree: &Path, files: usize, seed: u64) -> Result<()> {
    for number in 0..files {
        let path = tree.join(path(number));
        let folder = path.parent().context("a file has a folder")?;
        if number.is_multiple_of(PER_FOLDER) {
            fs::create_dir_all(folder)?;
        }
        fs::write(path, text(number, seed))?;
    }
    git(tree, &["init", "--quiet", "--initial-branch", "main"])?;
    git(tree, &["add", "--all"])?;
    git(tree, &["commit", "--quiet", "--message", "tree: add all files"])
}

/// The path of a file.
fn path(number: usize) -> String {
    let folder = number / PER_FOLDER;
    let extension = EXTENSIONS[number % EXTENSIONS.len()];
    let (top, middle) = (folder / PER_TOP, folder % PER_TOP / PER_MIDDLE);
    format!(
        "{}/{}_{middle}/{}_{folder}/{}_{}.{extension}",
        word(top * 31 + 7),
        word(top * 17 + middle),
        word(folder * 13 + 5),
        word(number * 7 + 1),
        word(number / 3 + 11),
    )
}

/// A made word. Numbers below `VOCABULARY` give different words.
fn word(number: usize) -> String {
    const FIRST: &[&str] = &[
        "bri", "cor", "del", "fin", "gra", "hol", "jun", "kel", "lam", "mag", "nav", "ost", "per",
        "quil", "ran",
    ];
    const SECOND: &[&str] = &["da", "le", "mi", "no", "pu", "ri", "so", "ta", "ve", "zu"];
    const THIRD: &[&str] = &[
        "bel", "cet", "dim", "fol", "gan", "her", "kit", "lon", "mus", "nep", "pal", "ret", "sil",
        "ton", "var", "wick", "xen", "yan", "zim", "lar",
    ];
    let number = number % VOCABULARY;
    let first = FIRST[number % FIRST.len()];
    let second = SECOND[number / FIRST.len() % SECOND.len()];
    let third = THIRD[number / (FIRST.len() * SECOND.len()) % THIRD.len()];
    format!("{first}{second}{third}")
}

/// A word of a text: low numbers are frequent, as in real texts.
fn common_word(random: &mut Random) -> String {
    let bound = random.below(VOCABULARY) + 1;
    let bound = random.below(bound) + 1;
    word(random.below(bound))
}

/// The text of a file. The names that it defines occur in no other file as definitions.
fn text(number: usize, seed: u64) -> String {
    let mut random = Random::new(seed ^ (number as u64).wrapping_mul(0x2545_f491_4f6c_dd1d));
    let bound = random.below(10_000) + 1;
    let size = MIN_SIZE + random.below(bound);
    let extension = EXTENSIONS[number % EXTENSIONS.len()];
    let mut text = String::with_capacity(size + 600);
    let mut function = 0;
    while text.len() < size {
        add_function(&mut text, &mut random, extension, number, function);
        function += 1;
    }
    text
}

/// A sentence of made words.
fn sentence(random: &mut Random) -> String {
    let count = random.below(8) + 5;
    let words: Vec<String> = (0..count).map(|_| common_word(random)).collect();
    words.join(" ")
}

/// Appends a definition, or a section of a page.
fn add_function(
    text: &mut String,
    random: &mut Random,
    extension: &str,
    number: usize,
    function: usize,
) {
    let name = name(number, function);
    let called = name_called(random, number);
    let (comment, note) = (sentence(random), sentence(random));
    let [one, two, three] = [(); 3].map(|()| common_word(random));
    let size = random.below(900);
    let _ = match extension {
        "rs" => write!(
            text,
            "/// {comment}.\npub fn {name}({one}: usize, {two}: &str) -> Option<usize> {{\n    // {note}\n    let {three} = {called}({one}, {two})?;\n    if {three} > {size} {{\n        return None;\n    }}\n    Some({three} + {two}.len())\n}}\n\n"
        ),
        "c" => write!(
            text,
            "/* {comment} */\nint {name}(struct {one} *{two}, int {three})\n{{\n\t/* {note} */\n\tif (!{two} || {three} > {size})\n\t\treturn -1;\n\t{two}->{three} = {called}({two}, {three});\n\treturn {two}->{three};\n}}\n\n"
        ),
        "py" => write!(
            text,
            "def {name}({one}, {two}={size}):\n    \"\"\"{comment}.\"\"\"\n    # {note}\n    {three} = {called}({one}, {two})\n    if {three} is None:\n        raise ValueError(\"{one} {two}\")\n    return {three}\n\n\n"
        ),
        "ts" => write!(
            text,
            "/** {comment}. */\nexport function {name}({one}: number, {two}: string): number {{\n  // {note}\n  const {three} = {called}({one}, {two});\n  return {three} > {size} ? {three} : {two}.length;\n}}\n\n"
        ),
        _ => write!(
            text,
            "## {name}\n\n{comment}.\n{note}, with `{called}` and {one}.\n\n- {two}: {size}\n- {three}: {}\n\n",
            sentence(random)
        ),
    };
}

/// The name of a definition.
fn name(number: usize, function: usize) -> String {
    format!("{}_{}_{number}_{function}", word(number * 7 + 1), word(number + function * 89))
}

/// The name of a definition of a file nearby.
fn name_called(random: &mut Random, number: usize) -> String {
    let step = (random.below(8) + 1) * EXTENSIONS.len();
    name(number.saturating_sub(step), random.below(4))
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::{VOCABULARY, path, text, word};

    #[test]
    fn words_and_paths_are_distinct() {
        let words: BTreeSet<String> = (0..VOCABULARY).map(word).collect();
        assert_eq!(words.len(), VOCABULARY);
        let paths: BTreeSet<String> = (0..20_000).map(path).collect();
        assert_eq!(paths.len(), 20_000);
        let mut folders = BTreeMap::new();
        for path in &paths {
            let (folder, _) = path.rsplit_once('/').unwrap();
            *folders.entry(folder).or_insert(0) += 1;
        }
        assert!(folders.values().all(|files| *files <= 60));
    }

    #[test]
    fn texts_depend_on_the_seed_alone() {
        assert_eq!(text(17, 1), text(17, 1));
        assert_ne!(text(17, 1), text(17, 2));
        assert_ne!(text(17, 1), text(27, 1));
        let sizes: Vec<usize> = (0..500).map(|number| text(number, 1).len()).collect();
        assert!(sizes.iter().all(|size| (2_000..13_000).contains(size)));
    }

    #[test]
    fn definitions_are_distinct() {
        let mut names = BTreeSet::new();
        for number in (1..3_000).step_by(10) {
            for line in text(number, 1).lines().filter(|line| line.starts_with("int ")) {
                assert!(names.insert(line.split('(').next().unwrap().to_owned()), "{line}");
            }
        }
        assert!(300 < names.len());
    }
}
