//! Sets of documents of one reader.

use crate::DocumentId;

/// A set of documents of one reader: a list, or the complement of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentSet {
    /// Document numbers, ascending, distinct.
    numbers: Vec<u64>,
    /// True if the numbers are those that are not in the set.
    complement: bool,
}

impl Default for DocumentSet {
    fn default() -> DocumentSet {
        DocumentSet::all()
    }
}

impl DocumentSet {
    /// Returns the set of all documents.
    pub fn all() -> DocumentSet {
        DocumentSet { numbers: Vec::new(), complement: true }
    }

    /// Returns the empty set.
    pub fn none() -> DocumentSet {
        DocumentSet { numbers: Vec::new(), complement: false }
    }

    /// Returns the set of these documents, given in any order.
    pub fn of(documents: impl IntoIterator<Item = DocumentId>) -> DocumentSet {
        let mut numbers: Vec<u64> = documents.into_iter().map(|id| id.number).collect();
        numbers.sort_unstable();
        numbers.dedup();
        DocumentSet { numbers, complement: false }
    }

    /// Returns the complement.
    #[must_use]
    pub fn inverted(mut self) -> DocumentSet {
        self.complement = !self.complement;
        self
    }

    /// Returns the intersection.
    #[must_use]
    pub fn and(&self, other: &DocumentSet) -> DocumentSet {
        match (self.complement, other.complement) {
            (false, _) => self.filtered(|number| other.contains_number(number), false),
            (true, false) => other.filtered(|number| self.contains_number(number), false),
            (true, true) => self.merged(other, true),
        }
    }

    /// Returns the union.
    #[must_use]
    pub fn or(&self, other: &DocumentSet) -> DocumentSet {
        match (self.complement, other.complement) {
            (false, false) => self.merged(other, false),
            (true, _) => self.filtered(|number| !other.contains_number(number), true),
            (false, true) => other.filtered(|number| !self.contains_number(number), true),
        }
    }

    /// Returns true if the document is in the set.
    pub fn contains(&self, document: DocumentId) -> bool {
        self.contains_number(document.number)
    }

    /// Returns true if the set has every document.
    pub fn is_all(&self) -> bool {
        self.complement && self.numbers.is_empty()
    }

    /// Returns true if the set is known to be empty.
    pub fn is_none(&self) -> bool {
        !self.complement && self.numbers.is_empty()
    }

    pub(crate) fn contains_number(&self, number: u64) -> bool {
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
        fn operations_match_those_of_sets(left in sets(), right in sets()) {
            for number in 0..10 {
                let (in_left, in_right) = (left.contains(id(number)), right.contains(id(number)));
                prop_assert_eq!(left.and(&right).contains(id(number)), in_left && in_right);
                prop_assert_eq!(left.or(&right).contains(id(number)), in_left || in_right);
                prop_assert_eq!(left.clone().inverted().contains(id(number)), !in_left);
            }
        }
    }
}
