//! Sets of words by field, for the dictionary.

use std::collections::{BTreeMap, HashSet};

use lore_schema::Field;

/// Words by field.
#[derive(Debug, Default)]
pub(super) struct Words(BTreeMap<Field, HashSet<String>>);

impl Words {
    pub(super) fn insert(&mut self, field: Field, word: &str) {
        let words = self.0.entry(field).or_default();
        // Most words of a text are there already.
        if !words.contains(word) {
            words.insert(word.to_owned());
        }
    }

    /// Adds all words of another set.
    pub(super) fn absorb(&mut self, other: Words) {
        for (field, words) in other.0 {
            self.0.entry(field).or_default().extend(words);
        }
    }

    /// The words of a field, in byte order.
    pub(super) fn sorted(&self, field: Field) -> Vec<&str> {
        let words = self.0.get(&field).into_iter().flatten().map(String::as_str);
        let mut words: Vec<&str> = words.collect();
        words.sort_unstable();
        words
    }
}
