//! Texts that were already sent in a session, which later answers refer to instead of repeating them.

use std::{
    collections::BTreeMap,
    hash::{DefaultHasher, Hash, Hasher},
};

use lore_engine::Hit;

/// Maximum number of remembered texts. Beyond it, texts of the oldest answers are forgotten, which only
/// costs tokens.
const MAX_TEXTS: usize = 2_000;

/// The texts sent in one session. Sessions never share a memory.
#[derive(Debug, Clone, Default)]
pub struct Memory {
    /// Number of answers so far.
    answers: u32,
    /// The answer that contains each text, by the hash of the text.
    texts: BTreeMap<u64, u32>,
    /// For each span, the hash of its whole text and the answer that showed it last.
    spans: BTreeMap<String, (u64, u32)>,
}

/// The memory's information on a hit that is about to be sent.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Known {
    /// The answer that contains exactly this text.
    pub(super) given: Option<u32>,
    /// The answer that contains the span with an older text.
    pub(super) changed: Option<u32>,
    /// Hash of the shown text.
    text: u64,
}

impl Memory {
    /// The number of the next answer, from 1.
    pub(super) fn next_answer(&self) -> u32 {
        self.answers + 1
    }

    /// Looks up a hit of which `text` would be shown.
    pub(super) fn known(&self, hit: &Hit, text: &str) -> Known {
        let text = hash_of(&(path_of(hit), text));
        let given = self.texts.get(&text).copied();
        let changed = match (given, self.spans.get(&hit.id)) {
            (None, Some((before, answer))) if *before != whole(hit) => Some(*answer),
            _ => None,
        };
        Known { given, changed, text }
    }

    /// Number of remembered texts and spans.
    #[cfg(test)]
    pub(super) fn size(&self) -> usize {
        self.texts.len() + self.spans.len()
    }

    /// Records an answer with these hits.
    pub(super) fn note(&mut self, sent: &[(&Hit, &Known)]) {
        self.answers += 1;
        for (hit, known) in sent {
            // References always name the answer that contains the text.
            let answer = known.given.unwrap_or(self.answers);
            self.texts.insert(known.text, answer);
            self.spans.insert(hit.id.clone(), (whole(hit), answer));
        }
        forget(&mut self.texts, |answer| *answer);
        forget(&mut self.spans, |(_, answer)| *answer);
    }
}

/// Forgets the oldest answers until at most [`MAX_TEXTS`] entries are left.
fn forget<K: Ord, V>(known: &mut BTreeMap<K, V>, answer_of: impl Fn(&V) -> u32) {
    while known.len() > MAX_TEXTS {
        let Some(oldest) = known.values().map(&answer_of).min() else { return };
        known.retain(|_, value| answer_of(value) != oldest);
    }
}

/// Hash of the whole text of a hit.
fn whole(hit: &Hit) -> u64 {
    hash_of(&(path_of(hit), &hit.body.as_ref().unwrap_or(&hit.snippet).text))
}

/// The path of a hit. It is part of the hash, because two files may contain the same text.
fn path_of(hit: &Hit) -> &str {
    hit.path.as_deref().unwrap_or(&hit.id)
}

fn hash_of(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
