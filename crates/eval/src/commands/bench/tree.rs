//! The files of generated trees. A file depends on the seed and on its number alone, so that a large
//! tree begins with the small one.

use std::fmt::Write as _;

use super::{
    random::Random,
    shapes::{SHAPES, Shape, fill},
    words::{Case, Topic, VERBS},
};

/// Files of one folder.
const FOLDER: u64 = 24;

/// Folders of one part of the tree.
const PART: u64 = 30;

/// Different variables, types and calls of a file, which has some eight functions.
const VARIABLES: usize = 16;
const TYPES: usize = 6;
const CALLS: usize = 12;

/// Numbers in generated code.
const NUMBERS: &[u32] =
    &[0, 1, 2, 3, 4, 8, 10, 16, 32, 64, 100, 128, 255, 256, 1_000, 1_024, 4_096];

/// Estimated bytes of generated text per chunk, to choose the number of files. Printed figures are
/// counted, not estimated.
pub(super) const BYTES_PER_CHUNK: u64 = 1_000;

/// A file.
#[derive(Debug)]
pub(super) struct File {
    /// Path from the root, with `/`.
    pub(super) path: String,
    /// Its text.
    pub(super) text: String,
}

/// Makes the files of one seed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Generator {
    /// Seed of everything generated.
    pub(super) seed: u64,
}

impl Generator {
    /// The file of a number.
    pub(super) fn file(self, number: u64) -> File {
        let folder = number / FOLDER;
        let topic = self.topic(number);
        let mut random = Random::of(self.seed, &[number, 0xF11E]);
        let writing = Writing::new(self, number, &topic, &mut random);
        let module = self.module(folder);
        let part = self.module(folder / PART + (1 << 40));
        let name = Case::Snake.join(&topic.name(writing.random, 1, 2));
        match self.shape(number) {
            Some(shape) => File {
                path: format!("{part}/{module}/{name}_{number}.{}", shape.extension),
                text: writing.code(shape),
            },
            None => File {
                path: format!("docs/{part}/{module}-{name}-{number}.md"),
                text: writing.prose(),
            },
        }
    }

    /// The words of the name of a definition of a file.
    pub(super) fn definition(self, number: u64, place: usize) -> Vec<String> {
        self.definition_about(number, place, &self.topic(number))
    }

    /// Topic of the directory of a file.
    pub(super) fn topic(self, number: u64) -> Topic {
        Topic::of(self.seed, number / FOLDER)
    }

    fn definition_about(self, number: u64, place: usize, topic: &Topic) -> Vec<String> {
        let mut random = Random::of(self.seed, &[number, place as u64, 0xDEF1]);
        let mut name = vec![(*random.pick(VERBS)).to_owned()];
        name.extend(topic.name(&mut random, 1, 3));
        name
    }

    /// Case of the names of functions in a file: that of Rust for prose.
    pub(super) fn case(self, number: u64) -> Case {
        self.shape(number).map_or(Case::Snake, |shape| shape.case)
    }

    /// Number of definitions of a file: few in most, many in some.
    pub(super) fn definitions(self, number: u64) -> usize {
        let mut random = Random::of(self.seed, &[number, 0x517E]);
        let most = *random.pick(&[6, 8, 10, 14, 30]);
        random.from(2, most)
    }

    /// The language of a file; `None` for Markdown.
    fn shape(self, number: u64) -> Option<&'static Shape> {
        let mut drawn = Random::of(self.seed, &[number, 0x1A46]).below(100);
        SHAPES.iter().find(|shape| {
            let is_it = drawn < shape.share;
            drawn = drawn.saturating_sub(shape.share);
            is_it
        })
    }

    /// The name of a folder.
    fn module(self, folder: u64) -> String {
        let topic = Topic::of(self.seed, folder);
        let mut random = Random::of(self.seed, &[folder, 0xF01D]);
        format!("{}_{}", Case::Snake.join(&topic.name(&mut random, 1, 1)), folder % (1 << 40))
    }
}

/// A file that is being written.
struct Writing<'a> {
    generator: Generator,
    number: u64,
    topic: &'a Topic,
    random: &'a mut Random,
    /// Names that the file repeats: most names in real code do repeat.
    variables: Vec<Vec<String>>,
    types: Vec<Vec<String>>,
    calls: Vec<Vec<String>>,
    /// Those of the function that is being written, by their places among the variables.
    locals: [usize; 5],
}

impl<'a> Writing<'a> {
    fn new(
        generator: Generator,
        number: u64,
        topic: &'a Topic,
        random: &'a mut Random,
    ) -> Writing<'a> {
        let mut names =
            |count: usize| (0..count).map(|_| topic.name(random, 1, 2)).collect::<Vec<_>>();
        let (variables, types) = (names(VARIABLES), names(TYPES));
        let calls = Vec::with_capacity(CALLS);
        let mut writing =
            Writing { generator, number, topic, random, variables, types, calls, locals: [0; 5] };
        writing.calls = (0..CALLS).map(|_| writing.called()).collect();
        writing
    }

    fn code(mut self, shape: &Shape) -> String {
        let mut text = String::new();
        if shape.extension == "go" {
            text.push_str("package app\n\n");
        }
        for _ in 0..self.random.from(2, 8) {
            self.line(&mut text, "", shape, shape.import, &[]);
        }
        text.push('\n');
        let definitions = self.generator.definitions(self.number);
        let mut place = 0;
        while place < definitions {
            // Some functions are members of a type.
            let together = self.random.from(1, 8).min(definitions - place);
            let kind = self.topic.name(self.random, 1, 2);
            if !shape.kind.is_empty() {
                self.line(&mut text, "", shape, shape.kind, &kind);
                text.push('\n');
            }
            let (head, tail) = shape.members;
            if !head.is_empty() {
                self.line(&mut text, "", shape, head, &kind);
            }
            for _ in 0..together {
                self.function(&mut text, shape, place, &kind);
                place += 1;
            }
            text.push_str(tail);
            text.push_str(if tail.is_empty() { "" } else { "\n\n" });
        }
        text
    }

    fn function(&mut self, text: &mut String, shape: &Shape, place: usize, kind: &[String]) {
        let name = self.generator.definition_about(self.number, place, self.topic);
        let (before, each, after) = shape.comment;
        if self.random.chance(70) {
            for line in [before, each, after] {
                if line == each {
                    for _ in 0..self.random.from(1, 3) {
                        let sentence = self.topic.sentence(self.random);
                        let _ = writeln!(text, "{}{each}{sentence}.", shape.indent);
                    }
                } else if !line.is_empty() {
                    let _ = writeln!(text, "{}{line}", shape.indent);
                }
            }
        }
        self.locals = self.locals.map(|_| self.random.below(VARIABLES));
        let open = fill(shape.open, |place| (place == 'n').then(|| shape.case.join(&name)));
        self.line(text, shape.indent, shape, &open, kind);
        for _ in 0..self.random.from(3, 24) {
            let statement = *self.random.pick(shape.statements);
            self.line(text, shape.indent, shape, statement, kind);
        }
        self.line(text, shape.indent, shape, shape.close, kind);
        text.push('\n');
    }

    /// Writes the lines of a pattern.
    fn line(
        &mut self,
        text: &mut String,
        indent: &str,
        shape: &Shape,
        pattern: &str,
        kind: &[String],
    ) {
        let filled = fill(pattern, |place| self.value(place, shape, kind));
        for line in filled.lines() {
            let _ = writeln!(text, "{indent}{line}");
        }
    }

    fn value(&mut self, place: char, shape: &Shape, kind: &[String]) -> Option<String> {
        Some(match place {
            'T' if !kind.is_empty() => Case::Pascal.join(kind),
            'T' | 'U' => Case::Pascal.join(self.random.pick::<Vec<String>>(&self.types)),
            'a' | 'b' | 'c' => {
                let place = *self.random.pick(&self.locals);
                shape.case.join(&self.variables[place])
            }
            'n' => shape.case.join(&self.topic.name(self.random, 2, 3)),
            'f' => shape.case.join(self.random.pick::<Vec<String>>(&self.calls)),
            'm' => {
                let folders = self.number / FOLDER + 1;
                let folder = self.random.next() % folders;
                self.generator.module(folder)
            }
            's' => self.topic.sentence(self.random),
            'd' => self.random.pick(NUMBERS).to_string(),
            _ => return None,
        })
    }

    /// A called function: of the same file, of the same directory, or one that is called from
    /// everywhere.
    fn called(&mut self) -> Vec<String> {
        let start = self.number - self.number % FOLDER;
        let number = match self.random.below(100) {
            0..50 => self.number,
            50..75 => start + self.random.next() % (self.number - start + 1),
            // The first files contain the functions with the most callers.
            _ => {
                let share = self.random.share();
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "not negative and not above the number"
                )]
                let number = (self.number as f64 * share.powi(4)) as u64;
                number
            }
        };
        let place = self.random.below(self.generator.definitions(number));
        if number / FOLDER == self.number / FOLDER {
            return self.generator.definition_about(number, place, self.topic);
        }
        self.generator.definition(number, place)
    }

    fn prose(mut self) -> String {
        let mut text = String::new();
        let title = self.topic.name(self.random, 2, 4).join(" ");
        let _ = writeln!(text, "# {}\n", super::words::capital(&title));
        for _ in 0..self.random.from(2, 12) {
            let heading = self.topic.name(self.random, 1, 4).join(" ");
            let _ = writeln!(text, "## {}\n", super::words::capital(&heading));
            for _ in 0..self.random.from(1, 4) {
                for _ in 0..self.random.from(2, 6) {
                    let _ = write!(text, "{}", self.topic.sentence(self.random));
                    if self.random.chance(25) {
                        let _ = write!(text, ", see `{}`", Case::Snake.join(&self.called()));
                    }
                    text.push_str(". ");
                }
                text.push_str("\n\n");
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    #[test]
    fn a_file_depends_on_seed_and_number_alone_and_paths_differ() {
        let generator = Generator { seed: 1 };
        assert_eq!(generator.file(17).text, Generator { seed: 1 }.file(17).text);
        assert_ne!(generator.file(17).text, Generator { seed: 2 }.file(17).text);
        let paths: BTreeSet<String> = (0..500).map(|number| generator.file(number).path).collect();
        assert_eq!(paths.len(), 500);
        assert!(paths.iter().all(|path| path.is_ascii() && !path.starts_with('/')), "{paths:?}");
    }

    #[test]
    fn every_language_occurs_and_files_contain_their_definitions() {
        let generator = Generator { seed: 1 };
        let mut endings = BTreeMap::new();
        for number in 0..300 {
            let file = generator.file(number);
            let ending = file.path.rsplit_once('.').map_or("", |(_, ending)| ending).to_owned();
            if ending != "md" {
                let name = generator.case(number).join(&generator.definition(number, 1));
                assert!(file.text.contains(&name), "{name} is not in {}", file.path);
            }
            *endings.entry(ending).or_insert(0) += 1;
        }
        assert_eq!(endings.len(), SHAPES.len() + 1, "{endings:?}");
    }
}
