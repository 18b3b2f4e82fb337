//! Keys of data: a few of them are searched for, thousands of them are the data itself.

use super::capture::CapturedDefinition;
use crate::limits::MAX_KEYS;

/// Drops the keys of every object that has more than [`MAX_KEYS`] of them, with the keys nested in
/// those. The definitions are sorted by their names.
pub(super) fn drop_key_tables(definitions: &mut Vec<CapturedDefinition>) {
    if definitions.iter().filter(|found| found.is_key).count() <= MAX_KEYS {
        return;
    }
    let mut parents: Vec<Option<usize>> = Vec::with_capacity(definitions.len());
    // Number of keys directly in each definition, and in the text.
    let mut counts = vec![0_usize; definitions.len()];
    let mut outermost = 0;
    let mut open: Vec<usize> = Vec::new();
    for (index, found) in definitions.iter().enumerate() {
        while open.last().is_some_and(|last| definitions[*last].range.end <= found.range.start) {
            open.pop();
        }
        let parent = open.last().copied();
        if found.is_key {
            *parent.map_or(&mut outermost, |parent| &mut counts[parent]) += 1;
        }
        parents.push(parent);
        open.push(index);
    }
    let mut kept: Vec<bool> = Vec::with_capacity(definitions.len());
    for (found, parent) in definitions.iter().zip(&parents) {
        let siblings = parent.map_or(outermost, |parent| counts[parent]);
        kept.push(
            !found.is_key || (siblings <= MAX_KEYS && parent.is_none_or(|parent| kept[parent])),
        );
    }
    let mut index = 0;
    definitions.retain(|_| {
        index += 1;
        kept[index - 1]
    });
}

#[cfg(test)]
mod tests {
    use lore_schema::SymbolKind;

    use super::{super::capture::Part, *};

    /// A key for each byte of a range.
    fn keys(range: std::ops::Range<usize>) -> impl Iterator<Item = CapturedDefinition> {
        range.map(|start| found(start, start + 1, true))
    }

    fn found(start: usize, end: usize, is_key: bool) -> CapturedDefinition {
        CapturedDefinition {
            kind: SymbolKind::Field,
            range: start..end,
            name: start..start + 1,
            body: None,
            receiver: None,
            part: Part::Whole,
            is_key,
            pattern: 0,
        }
    }

    fn remaining(definitions: impl Iterator<Item = CapturedDefinition>) -> usize {
        let mut definitions = definitions.collect();
        drop_key_tables(&mut definitions);
        definitions.len()
    }

    #[test]
    fn an_object_with_many_keys_has_none() {
        assert_eq!(remaining(keys(0..MAX_KEYS)), MAX_KEYS);
        assert_eq!(remaining(keys(0..MAX_KEYS + 1)), 0);
    }

    #[test]
    fn what_holds_many_keys_stays() {
        let object = [found(0, 500, true)].into_iter().chain(keys(1..400));
        assert_eq!(remaining(object.chain(keys(500..510))), 11);
        let table = [found(0, 500, false)].into_iter().chain(keys(1..400));
        assert_eq!(remaining(table), 1);
    }

    #[test]
    fn keys_of_what_is_dropped_are_dropped() {
        let objects = (0..=MAX_KEYS).flat_map(|index| {
            [found(index * 10, index * 10 + 9, true)]
                .into_iter()
                .chain(keys(index * 10 + 1..index * 10 + 3))
        });
        assert_eq!(remaining(objects), 0);
    }
}
