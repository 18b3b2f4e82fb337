//! Writes texts made to break parsers: `bombs FOLDER SEED SIZE NUMBER`.
//!
//! `SIZE` is in bytes. Each file has a random language with a grammar and a random shape, and is named
//! after both and its own seed. The valid texts of the mutated ones are the fixtures of this crate.
#![expect(clippy::disallowed_methods, reason = "an example writes files by itself")]

use std::{env, fs, path::Path};

use lore_syntax::bombs::{BombShape, Random, bomb, parsed_languages};

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [folder, seed, size, count] = arguments.as_slice() else {
        panic!("usage: bombs FOLDER SEED SIZE NUMBER");
    };
    let size = usize::try_from(number(size)).expect("a size in memory");
    let languages: Vec<_> = parsed_languages().collect();
    let mut random = Random::new(number(seed));
    for _ in 0..number(count) {
        let (language, name) = random.pick(&languages);
        let shape = *random.pick(BombShape::ALL);
        let seed = random.next();
        let text = bomb(language, shape, seed, size, &fixture(language.name));
        let extension = name.rsplit('.').next().unwrap_or_default();
        let file = format!("{}-{}-{seed:x}.{extension}", language.name, shape.as_str());
        fs::write(Path::new(folder).join(file), text).expect("the folder can be written");
    }
}

fn number(word: &str) -> u64 {
    word.parse().expect("a number")
}

/// The fixture of a language: its file name starts with the name of the language.
fn fixture(language: &str) -> String {
    let stem = language.replace('-', "_").replace("c++", "cpp").replace("c#", "csharp");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let entries = fs::read_dir(folder).expect("the fixtures");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    let is_named = |path: &&std::path::PathBuf| {
        path.file_stem().is_some_and(|found| found.to_string_lossy() == stem)
    };
    paths
        .iter()
        .find(is_named)
        .map_or_else(String::new, |path| fs::read_to_string(path).expect("a text"))
}
