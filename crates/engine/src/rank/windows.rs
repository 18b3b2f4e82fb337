//! Evidence of windows: the share of a query that is close together in one text, its place, and
//! which of its words follow each other there. Pure.

use foldhash::HashMap;
use smallvec::SmallVec;

use super::highlight::{HighlightTerms, WordSet};
use super::passage::scan_lines;

/// Number of lines of a window: what an answer shows.
const NARROW: u32 = 5;

/// Number of lines of a wide window: a short definition, or a section.
const WIDE: u32 = 21;

/// Maximum number of lines whose tokens are compared with the query one by one. They are those with
/// the largest share; a long file has few that contain several words.
const MAX_COMPARED: usize = 48;

/// Maximum number of tokens of a query that are looked for as a run.
const MAX_SEQUENCE: usize = 64;

/// The tokens of a query in their order, to find runs of them in a text.
#[derive(Debug, Default)]
pub(crate) struct Sequence {
    /// Positions of each token.
    positions: HashMap<String, SmallVec<[usize; 2]>>,
    /// Weight of the token at each position; the sum is 1.0, or 0.0 where no token has a weight.
    weights: Vec<f32>,
}

impl Sequence {
    /// The tokens of a text. `weight` gives that of a token in lower case.
    pub(crate) fn new(text: &str, weight: impl Fn(&str) -> f32) -> Sequence {
        let mut sequence = Sequence::default();
        for token in tokens(text).take(MAX_SEQUENCE) {
            let token = token.to_lowercase();
            sequence.weights.push(weight(&token));
            sequence.positions.entry(token).or_default().push(sequence.weights.len() - 1);
        }
        let sum: f32 = sequence.weights.iter().sum();
        if sum > 0.0 {
            sequence.weights.iter_mut().for_each(|weight| *weight /= sum);
        }
        sequence
    }

    /// The weight of the heaviest run of two or more tokens of the query that are side by side in
    /// these lines, 0.0..=1.0. A run may go on in the next line.
    pub(super) fn heaviest_run<'t>(&self, lines: impl Iterator<Item = (u32, &'t str)>) -> f32 {
        let mut heaviest: f32 = 0.0;
        let mut last = 0;
        // For each position of the query, length and weight of the run that ends there.
        let mut runs: SmallVec<[(usize, usize, f32); 8]> = SmallVec::new();
        let mut folded = String::new();
        for (number, line) in lines {
            if number != last + 1 {
                runs.clear();
            }
            last = number;
            for token in tokens(line) {
                folded.clear();
                folded.push_str(token);
                folded.make_ascii_lowercase();
                let Some(positions) = self.positions.get(folded.as_str()) else {
                    runs.clear();
                    continue;
                };
                let next = positions.iter().map(|&position| {
                    let before = runs.iter().find(|(at, ..)| at + 1 == position);
                    let (length, weight) = before.map_or((0, 0.0), |run| (run.1, run.2));
                    (position, length + 1, weight + self.weights[position])
                });
                runs = next.collect();
                let long = runs.iter().filter(|(_, length, _)| *length > 1);
                heaviest = long.map(|(.., weight)| *weight).fold(heaviest, f32::max);
            }
        }
        heaviest
    }
}

/// The runs of letters and digits of a text.
fn tokens(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|token| !token.is_empty())
}

/// Share of a query that is together in one text. Shares are of the query's words, weighted by
/// their rarity, 0.0..=1.0.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct WindowEvidence {
    /// Largest share in five lines.
    pub(crate) narrow: f32,
    /// Largest share in 21 lines.
    pub(crate) wide: f32,
    /// Share in the whole text.
    pub(crate) whole: f32,
    /// Weight of the heaviest run of the query's tokens.
    pub(crate) run: f32,
}

/// Finds the windows of a text that contain most of a query.
pub(crate) fn window_evidence(
    text: &str,
    terms: &HighlightTerms,
    sequence: &Sequence,
) -> WindowEvidence {
    #[expect(clippy::reversed_empty_ranges, reason = "no line is wanted but those that match")]
    let nothing = 1..=0;
    let (_, matching) = scan_lines(text, nothing, terms);
    let mut whole = WordSet::default();
    for (_, words, _) in &matching {
        whole.add(words);
    }
    let lines: Vec<(u32, &WordSet)> =
        matching.iter().map(|(number, words, _)| (*number, words)).collect();
    let mut compared: Vec<(u32, f32, &str)> = matching
        .iter()
        .filter(|(_, words, _)| words.len() > 1)
        .map(|(number, words, line)| (*number, terms.share(words), *line))
        .collect();
    if compared.len() > MAX_COMPARED {
        compared.sort_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
        compared.truncate(MAX_COMPARED);
        compared.sort_by_key(|line| line.0);
    }
    WindowEvidence {
        narrow: largest_share(&lines, NARROW, terms),
        wide: largest_share(&lines, WIDE, terms),
        whole: terms.share(&whole),
        run: sequence.heaviest_run(compared.iter().map(|(number, _, line)| (*number, *line))),
    }
}

/// The largest share of the query in `length` lines. A window with the largest share may start at a
/// line that contains a word, so that only these are tried.
fn largest_share(lines: &[(u32, &WordSet)], length: u32, terms: &HighlightTerms) -> f32 {
    let mut largest: f32 = 0.0;
    let mut counts: SmallVec<[u32; 32]> = SmallVec::new();
    let (mut share, mut end) = (0.0, 0);
    for (first, words) in lines {
        while end < lines.len() && lines[end].0 < first + length {
            for word in lines[end].1.iter() {
                if counts.len() <= word {
                    counts.resize(word + 1, 0);
                }
                counts[word] += 1;
                if counts[word] == 1 {
                    share += terms.share_of(word);
                }
            }
            end += 1;
        }
        largest = largest.max(share);
        for word in words.iter() {
            counts[word] -= 1;
            if counts[word] == 0 {
                share -= terms.share_of(word);
            }
        }
    }
    largest.clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn terms(words: &[&str]) -> HighlightTerms {
        let terms = words.iter().enumerate().map(|(index, word)| ((*word).to_owned(), Some(index)));
        HighlightTerms::new(terms.collect(), vec![1.0 / words.len() as f32; words.len()])
    }

    fn evidence(text: &str, query: &str) -> WindowEvidence {
        let words: Vec<&str> = query.split(' ').collect();
        window_evidence(text, &terms(&words), &Sequence::new(query, |_| 1.0))
    }

    #[test]
    fn words_count_where_they_are_together() {
        let far = format!("retry\n{}refund\n", "\n".repeat(6));
        let close = evidence("retry\n\nrefund\n", "retry refund");
        assert_eq!((close.narrow, close.wide, close.whole), (1.0, 1.0, 1.0));
        let apart = evidence(&far, "retry refund");
        assert_eq!((apart.narrow, apart.wide, apart.whole), (0.5, 1.0, 1.0));
        let none = evidence("nothing of it\n", "retry refund");
        assert_eq!(none, WindowEvidence::default());
    }

    #[test]
    fn runs_are_consecutive_in_the_query_and_in_the_text() {
        for (text, expected) in [
            ("retry the refund\n", 0.0),
            ("refund retry\n", 0.0),
            ("a RETRY_refund() b\n", 2.0 / 3.0),
            ("retry refund now\n", 1.0),
            ("x retry refund\nnow y\n", 2.0 / 3.0),
            ("x now retry\nrefund now y\n", 1.0),
        ] {
            let found = evidence(text, "retry refund now").run;
            assert!((found - expected).abs() < 1e-6, "{text:?}: {found}");
        }
    }

    proptest! {
        /// The sliding window finds the same share as trying every window.
        #[test]
        fn sliding_equals_trying_every_window(lines in prop::collection::vec("(a|b|c|d| ){0,3}", 0..40)) {
            let text = lines.join("\n");
            let words = ["aa", "bb", "cc", "dd"];
            let text = text.replace('a', " aa ").replace('b', " bb ").replace('c', " cc ").replace('d', " dd ");
            let found = window_evidence(&text, &terms(&words), &Sequence::default());
            let all: Vec<&str> = text.lines().collect();
            let best = (0..all.len()).map(|start| {
                let window = all[start..all.len().min(start + NARROW as usize)].join(" ");
                words.iter().filter(|word| window.contains(**word)).count() as f32 / 4.0
            });
            let best = best.fold(0.0, f32::max);
            prop_assert!((found.narrow - best).abs() < 1e-5);
            prop_assert!(found.narrow <= found.wide + 1e-5 && found.wide <= found.whole + 1e-5);
        }
    }
}
