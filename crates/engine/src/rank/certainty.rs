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
}
