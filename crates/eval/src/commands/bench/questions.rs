//! Queries for generated trees: names, words of names, and sentences about them. They match files of
//! the smallest tree, so every size gets the same queries.

use super::{random::Random, tree::Generator, words::Case};

/// Number of queries of a run.
pub(super) const QUESTIONS: u64 = 90;

/// Number of files that queries match; the smallest tree has more.
const FILES: u64 = 50;

/// The queries of a seed.
pub(super) fn questions(generator: Generator) -> Vec<String> {
    (0..QUESTIONS).map(|number| question(generator, number)).collect()
}

fn question(generator: Generator, number: u64) -> String {
    let mut random = Random::of(generator.seed, &[number, 0xA5C]);
    let file = random.next() % FILES;
    let place = random.below(generator.definitions(file));
    let words = generator.definition(file, place);
    let topic = generator.topic(file);
    match number % 3 {
        0 => generator.case(file).join(&words),
        1 => format!("{} {}", words[1..].join(" "), topic.word(&mut random)),
        _ => format!(
            "where does {} {} the {}",
            Case::Snake.join(&topic.name(&mut random, 1, 1)),
            words[0],
            words[1..].join(" ")
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_names_words_and_sentences() {
        let asked = questions(Generator { seed: 1 });
        assert_eq!(asked, questions(Generator { seed: 1 }));
        assert_eq!(asked.len() as u64, QUESTIONS);
        let sentences = asked.iter().filter(|asked| asked.starts_with("where does ")).count();
        assert_eq!(sentences, 30);
        assert!(asked.iter().filter(|asked| !asked.contains(' ')).count() >= 30);
    }
}
