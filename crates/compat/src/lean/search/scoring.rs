//! The published rule of scores: weights of fields and three factors.
//!
//! A mention scores the weight of its field. The factors:
//!
//! - 2 for a whole word
//! - 1.5 near the start of the field
//! - `min(1, 3 / mentions)` for all mentions of one word in one field, so that more than three score
//!   no more than three
//!
//! Applied literally, the last factor makes a weak fourth mention lower the score. This module takes
//! the best score that the rule gives to any subset of the mentions: the sum of the best three. It
//! is the same for equal mentions, and more mentions never lower it.

/// A field of a spec.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum LeanField {
    /// The title.
    Title,
    /// The name: that of its folder.
    Name,
    /// The tags.
    Tags,
    /// The description, or the first paragraph.
    Description,
    /// The text.
    Content,
}

impl LeanField {
    /// Every field, by descending weight.
    pub(crate) const ALL: &'static [LeanField] = &[
        LeanField::Title,
        LeanField::Name,
        LeanField::Tags,
        LeanField::Description,
        LeanField::Content,
    ];

    /// The name in answers.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            LeanField::Title => "title",
            LeanField::Name => "name",
            LeanField::Tags => "tags",
            LeanField::Description => "description",
            LeanField::Content => "content",
        }
    }

    /// Score of one mention.
    pub(crate) fn weight(self) -> f64 {
        match self {
            LeanField::Title => 10.0,
            LeanField::Name => 8.0,
            LeanField::Tags => 7.0,
            LeanField::Description => 5.0,
            LeanField::Content => 1.0,
        }
    }
}

/// Factor of a whole word.
const EXACT: f64 = 2.0;

/// Factor of a mention that starts before [`EARLY_CHARACTERS`].
const EARLY: f64 = 1.5;

/// Characters at the start of a field that are early.
pub(crate) const EARLY_CHARACTERS: usize = 100;

/// Mentions above which each counts less.
const MENTIONS: usize = 3;

/// Factor from points to the displayed scale, whose maximum is [`TOP`].
const SCALE: f64 = 10.0;

/// The maximum displayed score.
const TOP: f64 = 100.0;

/// Factor of archived specs.
pub(super) const ARCHIVED: f64 = 0.9;

/// Score of a spec for a query without ranking words.
pub(super) const NEUTRAL: f64 = 50.0;

/// One mention of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mention {
    /// True for a whole word.
    pub(super) exact: bool,
    /// True near the start of its field.
    pub(super) early: bool,
}

impl Mention {
    fn factor(self) -> f64 {
        (if self.exact { EXACT } else { 1.0 }) * (if self.early { EARLY } else { 1.0 })
    }

    /// Score of this mention alone, 0..=100; `mentions` is the number of mentions of its word in its
    /// field.
    pub(super) fn score(self, field: LeanField, mentions: usize) -> f64 {
        let share = (MENTIONS as f64 / mentions.max(1) as f64).min(1.0);
        shown(field.weight() * self.factor() * share * SCALE)
    }
}

/// Score of the mentions of one word in one field, before the cut at the maximum.
pub(super) fn field_score(field: LeanField, mentions: impl Iterator<Item = Mention>) -> f64 {
    let mut best = [0.0_f64; MENTIONS];
    for mention in mentions {
        let mut value = mention.factor();
        for kept in &mut best {
            if *kept < value {
                std::mem::swap(kept, &mut value);
            }
        }
    }
    field.weight() * best.iter().sum::<f64>() * SCALE
}

/// A score on the displayed scale, at most 100.
pub(super) fn shown(score: f64) -> f64 {
    score.min(TOP)
}

/// A score as a whole number, 0..=100.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it is between 0 and 100"
)]
pub(super) fn rounded(score: f64) -> u8 {
    shown(score).max(0.0).round() as u8
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const PLAIN: Mention = Mention { exact: false, early: false };
    const BEST: Mention = Mention { exact: true, early: true };

    fn near(left: f64, right: f64) -> bool {
        (left - right).abs() < 1e-9
    }

    #[test]
    fn single_mentions_score_by_the_rule() {
        let score = |field, mention| field_score(field, std::iter::once(mention));
        assert!(near(score(LeanField::Title, PLAIN), 100.0));
        assert!(near(score(LeanField::Name, PLAIN), 80.0));
        assert!(near(score(LeanField::Tags, PLAIN), 70.0));
        assert!(near(score(LeanField::Description, PLAIN), 50.0));
        assert!(near(score(LeanField::Content, PLAIN), 10.0));
        let exact = Mention { exact: true, early: false };
        assert!(near(score(LeanField::Content, exact), 20.0));
        assert!(near(score(LeanField::Content, Mention { exact: false, early: true }), 15.0));
        assert!(near(score(LeanField::Content, BEST), 30.0));
    }

    #[test]
    fn many_mentions_score_like_three() {
        assert!(near(PLAIN.score(LeanField::Content, 1), 10.0));
        assert!(near(PLAIN.score(LeanField::Content, 3), 10.0));
        assert!(near(PLAIN.score(LeanField::Content, 6), 5.0));
        assert!(near(BEST.score(LeanField::Title, 1), 100.0), "the top of the scale");
        let alike = |count| field_score(LeanField::Content, std::iter::repeat_n(PLAIN, count));
        assert!(near(alike(2), 20.0));
        assert!(near(alike(3), 30.0));
        assert!(near(alike(30), 30.0));
    }

    proptest! {
        #[test]
        fn more_evidence_never_scores_less(
            mentions in prop::collection::vec((any::<bool>(), any::<bool>()), 0..12),
            more in (any::<bool>(), any::<bool>()),
            place in 0_usize..12,
            field in 0_usize..5,
        ) {
            let field = LeanField::ALL[field];
            let score = |mentions: &[(bool, bool)]| {
                let of = |&(exact, early): &(bool, bool)| Mention { exact, early };
                field_score(field, mentions.iter().map(of))
            };
            let before = score(&mentions);
            let mut grown = mentions.clone();
            grown.insert(place.min(grown.len()), more);
            prop_assert!(before <= score(&grown));
            // A mention that becomes better never makes the whole worse either.
            for index in 0..mentions.len() {
                let mut better = mentions.clone();
                better[index] = (true, better[index].1);
                prop_assert!(before <= score(&better));
                better[index].1 = true;
                prop_assert!(before <= score(&better));
            }
        }
    }
}
