//! What a question asks of definitions, beside its words: who implements something, or a definition
//! by its kind.

use lore_text::same_stem;

use super::Query;

/// What a question asks of definitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Intent {
    /// It asks who implements, extends or derives what it names.
    pub(crate) implementers: bool,
    /// It asks for an interface, trait or protocol.
    pub(crate) interface: bool,
}

/// Words, by stem, that ask who implements something.
const IMPLEMENTERS: &[&str] = &[
    "adopt",
    "conform",
    "conformance",
    "extend",
    "implement",
    "implementation",
    "implementer",
    "implementor",
    "inherit",
    "subclass",
    "subtype",
];

/// Words, by stem, for what is implemented.
const INTERFACES: &[&str] = &["interface", "protocol", "trait"];

/// Whether a folded word asks for definitions by what they are or implement.
pub(super) fn asks_of_definitions(term: &str) -> bool {
    IMPLEMENTERS.iter().chain(INTERFACES).any(|one| *one == term || same_stem(one, term))
}

/// Reads what a question asks. Without a name in it, it asks nothing of definitions.
pub(crate) fn intent(query: &Query) -> Intent {
    let names = query.words.iter().any(|word| word.name.is_some());
    let says = |words: &[&str]| {
        query
            .words
            .iter()
            .filter(|word| word.is_asked() && word.name.is_none())
            .any(|word| words.iter().any(|one| *one == word.term || same_stem(one, &word.term)))
    };
    Intent { implementers: names && says(IMPLEMENTERS), interface: names && says(INTERFACES) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::parse;

    fn check(text: &str, implementers: bool, interface: bool) {
        assert_eq!(intent(&parse(text)), Intent { implementers, interface }, "{text}");
    }

    #[test]
    fn intents() {
        check("what implements ChunkStore", true, false);
        check("implements Codable", true, false);
        check("Comparable implementation", true, false);
        check("Implement a retry", false, false);
        check("which classes extend BaseStore", true, false);
        check("ChunkStore protocol", false, true);
        check("how are refunds implemented", false, false);
        check("ChunkStore", false, false);
        check("what is a ChunkStore", false, false);
    }
}
