//! The kinds of definitions under the names of swift-index.

use lore_schema::SymbolKind;

/// The language whose kinds have other names.
const SWIFT: &str = "swift";

const ACTOR: &str = "actor";
const EXTENSION: &str = "extension";
const PROTOCOL: &str = "protocol";

/// Returns the kind of a definition under the name of swift-index. Definitions of other languages
/// than Swift keep their kind.
pub(crate) fn published<'a>(
    kind: &'a str,
    language: Option<&str>,
    signature: Option<&str>,
) -> &'a str {
    if language != Some(SWIFT) {
        return kind;
    }
    match SymbolKind::from_name(kind) {
        Some(SymbolKind::Interface) => PROTOCOL,
        Some(SymbolKind::Impl) => EXTENSION,
        Some(SymbolKind::Class) if signature.is_some_and(is_actor) => ACTOR,
        _ => kind,
    }
}

/// Returns true if the keyword of a declaration is `actor`.
fn is_actor(signature: &str) -> bool {
    let head = signature.split(['{', ':', '<', '(']).next().unwrap_or_default();
    let mut words = head.split_whitespace().rev();
    // The name is the last word.
    words.next().is_some() && words.next() == Some(ACTOR)
}

/// Returns the kind that a requested kind is stored as.
pub(crate) fn stored(requested: &str) -> &str {
    match requested {
        ACTOR => SymbolKind::Class.as_str(),
        EXTENSION => SymbolKind::Impl.as_str(),
        PROTOCOL => SymbolKind::Interface.as_str(),
        kind => kind,
    }
}

/// Returns true if a definition with these names of its kind has one of the requested kinds.
pub(crate) fn is_requested(requested: &[String], published: &str, stored_kind: &str) -> bool {
    let is_one = |kind: &String| {
        kind == published || kind == stored_kind || (kind != ACTOR && stored(kind) == stored_kind)
    };
    requested.is_empty() || requested.iter().any(is_one)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_have_the_names_of_swift() {
        let check = |kind, language, signature, expected| {
            assert_eq!(published(kind, Some(language), Some(signature)), expected, "{signature}");
        };
        check("interface", "swift", "public protocol ChunkStore: Sendable", "protocol");
        check("impl", "swift", "extension ChunkStore", "extension");
        check("class", "swift", "public actor GRDBChunkStore: ChunkStore", "actor");
        check("class", "swift", "final class actor", "class");
        check("class", "swift", "actor Cache<Key: Hashable>", "actor");
        check("class", "swift", "class Actor: actor", "class");
        check("struct", "swift", "struct Chunk", "struct");
        check("interface", "go", "type Store interface", "interface");
        check("impl", "rust", "impl Store for Disk", "impl");
    }

    #[test]
    fn both_names_of_a_kind_can_be_requested() {
        let check = |requested: &str, published, stored, expected| {
            let requested = [requested.to_owned()];
            assert_eq!(is_requested(&requested, published, stored), expected, "{requested:?}");
        };
        check("protocol", "protocol", "interface", true);
        check("interface", "protocol", "interface", true);
        check("protocol", "interface", "interface", true);
        check("extension", "extension", "impl", true);
        check("class", "actor", "class", true);
        check("actor", "actor", "class", true);
        check("actor", "class", "class", false);
        assert!(is_requested(&[], "class", "class"));
    }
}
