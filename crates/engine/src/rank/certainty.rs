//! Judges a whole answer: whether any of its candidates contains enough of the query to answer it.
//! Pure.

/// The best evidence of the first ten hits of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct AnswerEvidence {
    /// Largest share of the query in five lines, 0.0..=1.0.
    pub(crate) narrow: f32,
    /// Largest share of the query in 21 lines, 0.0..=1.0.
    pub(crate) wide: f32,
    /// Largest product of the first share and the similarity of the same document, 0.0..=1.0.
    pub(crate) meaning: f32,
}

/// Share of the query in five lines that is always enough.
const ENOUGH: f32 = 0.9;

/// Weights of a logistic regression, fitted to 642 natural questions with an answer and 52 without
/// one, over 33 repositories, with the two kinds weighted equally. The threshold is part of the
/// intercept. On repositories outside of the fit it recognises .65 of the questions without an answer
/// and flags .04 of the others.
const INTERCEPT: f32 = 5.17;
const SCORE: f32 = 1.13;
const WORDS: f32 = 0.38;
const WIDE: f32 = 2.0;
const MEANING: f32 = 5.7;

impl AnswerEvidence {
    /// Adds the evidence of one hit.
    pub(crate) fn add(&mut self, narrow: f32, wide: f32, meaning: f32) {
        self.narrow = self.narrow.max(narrow);
        self.wide = self.wide.max(wide);
        self.meaning = self.meaning.max(meaning);
    }

    /// Returns whether an answer to a query of `words` words, separated by whitespace, whose first hit
    /// has this score, contains too little of the query.
    ///
    /// A longer query says more about what is wanted, so that fewer of its words are enough.
    pub(crate) fn is_weak(self, score: f32, words: usize) -> bool {
        let score = score.clamp(1e-6, 1.0 - 1e-6);
        let odds = (score / (1.0 - score)).ln();
        self.narrow < ENOUGH
            && SCORE * odds + WORDS * words as f32 + WIDE * self.wide + MEANING * self.meaning
                < INTERCEPT
    }
}

/// Evidence that the first hits of an answer show the right lines.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct FirstEvidence {
    /// Scores of the first, third and fourth hit, 0.0..=1.0; 0.05 for those that do not exist.
    pub(crate) scores: [f32; 3],
    /// Number of words of the query, separated by whitespace.
    pub(crate) words: usize,
    /// Length of the first hit's document: the logarithm of its number of lines, 0.0..=1.0.
    pub(crate) lines: f32,
    /// Share of the query in five lines of the first hit.
    pub(crate) window: f32,
    /// Weight of the longest run of the query's words in the first hit.
    pub(crate) run: f32,
    /// The same in the first three hits.
    pub(crate) longest_run: f32,
    /// Largest similarity among the first three hits.
    pub(crate) nearest: f32,
    /// Share of the query in the path of the first hit.
    pub(crate) path: f32,
}

impl FirstEvidence {
    /// Estimates the probability that one of the first three hits shows the right lines, 0.0..=1.0.
    ///
    /// A logistic regression with hinges, fitted to 642 natural questions with an answer and 52
    /// without one, over 33 repositories. On repositories outside of the fit, .86 of the answers
    /// with a probability of .73 or more are right; they are .30 of all.
    pub(crate) fn probability(&self) -> f32 {
        let odds = |score: f32| {
            let score = score.clamp(1e-6, 1.0 - 1e-6);
            (score / (1.0 - score)).ln()
        };
        let above = |value: f32, level: f32| (value - level).max(0.0);
        let [first, third, fourth] = self.scores.map(odds);
        let words = self.words as f32;
        let sum = 0.235 + 0.457 * first + 0.294 * above(first, 1.0)
            - 0.263 * above(first - fourth, 1.0)
            - 0.208 * third
            - 0.081 * words
            + 0.1 * above(words, 10.0)
            - 4.99 * above(self.lines, 0.5)
            + 8.145 * above(self.lines, 0.7)
            + 0.895 * self.window
            + 0.748 * self.run
            - 2.699 * above(self.run, 0.3)
            + 0.553 * self.longest_run
            + 4.693 * above(self.nearest, 0.6)
            - 1.391 * self.path;
        1.0 / (1.0 + (-sum).exp())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn little_evidence_is_weak() {
        for (narrow, nearest, score, words, expected) in [
            (0.4, 0.3, 0.5, 4, true),
            // All words in five lines.
            (0.95, 0.1, 0.5, 4, false),
            // A high score.
            (0.4, 0.3, 0.97, 4, false),
            // Many words.
            (0.4, 0.3, 0.5, 12, false),
            // Similar in meaning.
            (0.6, 0.8, 0.5, 4, false),
            (0.0, 0.0, 0.0, 0, true),
        ] {
            let mut evidence = AnswerEvidence::default();
            evidence.add(narrow, narrow, narrow * nearest);
            assert_eq!(
                evidence.is_weak(score, words),
                expected,
                "{narrow} {nearest} {score} {words}"
            );
        }
    }

    #[test]
    fn more_evidence_is_surer() {
        let little =
            FirstEvidence { scores: [0.5, 0.5, 0.5], words: 9, ..FirstEvidence::default() };
        let much = FirstEvidence { scores: [0.95, 0.5, 0.5], window: 0.9, nearest: 0.7, ..little };
        let long = FirstEvidence { lines: 0.7, ..much };
        assert!(much.probability() > 0.8, "{}", much.probability());
        assert!(little.probability() < 0.5, "{}", little.probability());
        // The lines of a long document are chosen among more.
        assert!(long.probability() < much.probability());
    }
}
