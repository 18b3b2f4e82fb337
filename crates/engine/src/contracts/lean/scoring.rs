//! The published rule of scores: weights of fields and three factors.
//!
//! A mention is worth the weight of its field, twice that where it is a whole word, one and a half
//! times where it stands early, and all mentions of one word in one field share the factor
//! `min(1, 3 / mentions)`, so that more than three are worth no more than three. Taken literally,
//! the last factor makes a poor fourth mention cost more than it brings. What counts here is
//! therefore the best that the rule makes of any of the mentions, which is the sum of the best
//! three: the same for mentions that are alike, and never less for more of them.

/// A field of a spec.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LeanField {
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
    /// Every field, the weightiest first.
    pub const ALL: &'static [LeanField] = &[
        LeanField::Title,
        LeanField::Name,
        LeanField::Tags,
        LeanField::Description,
        LeanField::Content,
    ];

    /// The name in answers.
    pub fn as_str(self) -> &'static str {
        match self {
            LeanField::Title => "title",
            LeanField::Name => "name",
            LeanField::Tags => "tags",
            LeanField::Description => "description",
            LeanField::Content => "content",
        }
    }

    /// What a mention is worth.
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

/// From points to the scale that is shown, whose top is [`TOP`].
const SCALE: f64 = 10.0;

/// The highest score that is shown.
const TOP: f64 = 100.0;

/// What archived specs keep of their score.
pub(super) const ARCHIVED: f64 = 0.9;

/// The score of a spec in which nothing was looked for.
pub(super) const NEUTRAL: f64 = 50.0;

/// One mention of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mention {
    /// Whether it is a whole word.
    pub(super) exact: bool,
    /// Whether it stands early in its field.
    pub(super) early: bool,
}

impl Mention {
    fn factor(self) -> f64 {
        (if self.exact { EXACT } else { 1.0 }) * (if self.early { EARLY } else { 1.0 })
    }

    /// The score of the mention alone, 0..=100, among so many of its word in its field.
    pub(super) fn score(self, field: LeanField, mentions: usize) -> f64 {
        let share = (MENTIONS as f64 / mentions.max(1) as f64).min(1.0);
        shown(field.weight() * self.factor() * share * SCALE)
    }
}

/// What the mentions of one word in one field are worth, on the scale of scores, without its top.
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

/// A score on the scale that is shown: never above 100.
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
    fn single_mentions_are_worth_what_the_rule_says() {
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
    fn many_mentions_share_what_three_are_worth() {
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
        fn more_evidence_is_never_worth_less(
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
