//! Sets of documents of one reader.

use crate::DocumentId;

/// Documents of one reader, named one by one or as all but some.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentSet {
    /// Numbers, ascending, each once.
    numbers: Vec<u64>,
    /// Whether the numbers are those that are not in the set.
    complement: bool,
}

impl Default for DocumentSet {
    fn default() -> DocumentSet {
        DocumentSet::all()
    }
}

impl DocumentSet {
    /// Every document.
    pub fn all() -> DocumentSet {
        DocumentSet { numbers: Vec::new(), complement: true }
    }

    /// No document.
    pub fn none() -> DocumentSet {
        DocumentSet { numbers: Vec::new(), complement: false }
    }

    /// These documents, in any order.
    pub fn of(documents: impl IntoIterator<Item = DocumentId>) -> DocumentSet {
        let mut numbers: Vec<u64> = documents.into_iter().map(|id| id.number).collect();
        numbers.sort_unstable();
        numbers.dedup();
        DocumentSet { numbers, complement: false }
    }

    /// All others.
    #[must_use]
    pub fn inverted(mut self) -> DocumentSet {
        self.complement = !self.complement;
        self
    }

    /// Those that are in both.
    #[must_use]
    pub fn and(&self, other: &DocumentSet) -> DocumentSet {
        match (self.complement, other.complement) {
            (false, _) => self.filtered(|number| other.holds(number), false),
            (true, false) => other.filtered(|number| self.holds(number), false),
            (true, true) => self.merged(other, true),
        }
    }

    /// Those that are in one of both.
    #[must_use]
    pub fn or(&self, other: &DocumentSet) -> DocumentSet {
        match (self.complement, other.complement) {
            (false, false) => self.merged(other, false),
            (true, _) => self.filtered(|number| !other.holds(number), true),
            (false, true) => other.filtered(|number| !self.holds(number), true),
        }
    }

    /// Whether a document is in it.
    pub fn contains(&self, document: DocumentId) -> bool {
        self.holds(document.number)
    }

    /// Whether it lets every document pass.
    pub fn is_all(&self) -> bool {
        self.complement && self.numbers.is_empty()
    }

    /// Whether it surely lets none pass.
    pub fn is_none(&self) -> bool {
        !self.complement && self.numbers.is_empty()
    }

    pub(crate) fn holds(&self, number: u64) -> bool {
        self.numbers.binary_search(&number).is_ok() != self.complement
    }

    fn filtered(&self, keep: impl Fn(u64) -> bool, complement: bool) -> DocumentSet {
        let numbers = self.numbers.iter().copied().filter(|number| keep(*number)).collect();
        DocumentSet { numbers, complement }
    }

    fn merged(&self, other: &DocumentSet, complement: bool) -> DocumentSet {
        let mut numbers = [self.numbers.as_slice(), &other.numbers].concat();
        numbers.sort_unstable();
        numbers.dedup();
        DocumentSet { numbers, complement }
    }
}

#[cfg(test)]
mod tests {
    use lore_schema::SourceName;
    use proptest::prelude::*;

    use super::*;

    fn id(number: u64) -> DocumentId {
        DocumentId { source: SourceName::Code, number }
    }

    fn sets() -> impl Strategy<Value = DocumentSet> {
        (proptest::collection::vec(0_u64..8, 0..8), any::<bool>()).prop_map(
            |(numbers, inverted)| {
                let set = DocumentSet::of(numbers.into_iter().map(id));
                if inverted { set.inverted() } else { set }
            },
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn operations_are_those_of_sets(left in sets(), right in sets()) {
            for number in 0..10 {
                let (in_left, in_right) = (left.contains(id(number)), right.contains(id(number)));
                prop_assert_eq!(left.and(&right).contains(id(number)), in_left && in_right);
                prop_assert_eq!(left.or(&right).contains(id(number)), in_left || in_right);
                prop_assert_eq!(left.clone().inverted().contains(id(number)), !in_left);
            }
        }
    }
}
