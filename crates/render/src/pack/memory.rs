//! What a session was given already: a text that it has is named, not sent again.

use std::{
    collections::BTreeMap,
    hash::{DefaultHasher, Hash, Hasher},
};

use lore_engine::Hit;

/// Most texts that are remembered; of more, those of the oldest answers are forgotten, which costs
/// tokens and nothing else.
const MOST_TEXTS: usize = 2_000;

/// What one session was given. Belongs to one session: what another one has seen is nothing to it.
#[derive(Debug, Clone, Default)]
pub struct Memory {
    /// Answers that were given.
    answers: u32,
    /// Of each text, told by its hash, the answer that had it.
    texts: BTreeMap<u64, u32>,
    /// Of each span, the hash of all of its text and the answer that showed it last.
    spans: BTreeMap<String, (u64, u32)>,
}

/// What is known of a hit that is about to be sent.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Known {
    /// The answer that has just this text.
    pub(super) given: Option<u32>,
    /// The answer that had the span when it was another one.
    pub(super) changed: Option<u32>,
    /// Hash of the text that is shown.
    text: u64,
}

impl Memory {
    /// The number of the answer that is being made, from 1.
    pub(super) fn next_answer(&self) -> u32 {
        self.answers + 1
    }

    /// What is known of a hit of which this text would be shown.
    pub(super) fn known(&self, hit: &Hit, text: &str) -> Known {
        let text = hash_of(&(path_of(hit), text));
        let given = self.texts.get(&text).copied();
        let changed = match (given, self.spans.get(&hit.id)) {
            (None, Some((before, answer))) if *before != whole(hit) => Some(*answer),
            _ => None,
        };
        Known { given, changed, text }
    }

    /// Texts and spans that are remembered.
    #[cfg(test)]
    pub(super) fn size(&self) -> usize {
        self.texts.len() + self.spans.len()
    }

    /// Notes an answer with these hits.
    pub(super) fn note(&mut self, sent: &[(&Hit, &Known)]) {
        self.answers += 1;
        for (hit, known) in sent {
            // The answer that has the text stays the one to look into.
            let answer = known.given.unwrap_or(self.answers);
            self.texts.insert(known.text, answer);
            self.spans.insert(hit.id.clone(), (whole(hit), answer));
        }
        forget(&mut self.texts, |answer| *answer);
        forget(&mut self.spans, |(_, answer)| *answer);
    }
}

/// Forgets the oldest answers until no more than [`MOST_TEXTS`] are left.
fn forget<K: Ord, V>(known: &mut BTreeMap<K, V>, answer_of: impl Fn(&V) -> u32) {
    while known.len() > MOST_TEXTS {
        let Some(oldest) = known.values().map(&answer_of).min() else { return };
        known.retain(|_, value| answer_of(value) != oldest);
    }
}

/// Hash of all of a hit's text.
fn whole(hit: &Hit) -> u64 {
    hash_of(&(path_of(hit), &hit.body.as_ref().unwrap_or(&hit.snippet).text))
}

/// Where a text stands; two files may hold the same one.
fn path_of(hit: &Hit) -> &str {
    hit.path.as_deref().unwrap_or(&hit.id)
}

fn hash_of(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
