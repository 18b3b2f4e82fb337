//! Tests of the bytes of parsers' results.

use lore_schema::{
    Attributes, Conformance, ConformanceKind, DocKey, Document, Import, Reference, ReferenceKind,
    SourceName, SymbolKind, TextOrigin, Trust, Visibility,
};
use proptest::prelude::*;

use super::Parsed;
use crate::{
    chunk, chunk_with, named,
    outline::{Definition, Outline},
    parse,
};

/// A text of 40 lines of 8 bytes.
fn text() -> String {
    "abc def\n".repeat(40)
}

fn document(text: &str) -> Document {
    Document {
        key: DocKey { source: SourceName::Code, locator: "a.rs".to_owned() },
        path: "a.rs".to_owned(),
        format: "files",
        kind: "file",
        title: String::new(),
        text: text.to_owned(),
        origin: TextOrigin::File,
        metadata: Vec::new(),
        attributes: Attributes::default(),
        trust: Trust::Own,
    }
}

/// A word, empty or with characters of several bytes.
fn word() -> impl Strategy<Value = String> {
    "\\PC{0,8}"
}

fn conformance() -> impl Strategy<Value = Conformance> {
    let kind = prop::sample::select(ConformanceKind::ALL);
    (kind, word(), prop::option::of(word())).prop_map(|(kind, name, qualifier)| Conformance {
        kind,
        name,
        qualifier,
    })
}

/// Definitions whose positions are valid in [`text`].
fn definitions() -> impl Strategy<Value = Vec<Definition>> {
    let visibility =
        prop::sample::select(vec![Visibility::Public, Visibility::Private, Visibility::Unknown]);
    let words = (word(), word(), prop::option::of(word()), prop::option::of(word()));
    let place = (0_usize..40, 0_usize..40, 0_usize..=20, 0_usize..=20);
    let kind = prop::sample::select(SymbolKind::ALL);
    let conformances = prop::collection::vec(conformance(), 0..3);
    let parent = (any::<bool>(), any::<prop::sample::Index>());
    let each = (words, place, kind, visibility, conformances, parent);
    prop::collection::vec(each, 0..6).prop_map(|mut all| {
        all.sort_by_key(|(_, place, ..)| place.0);
        let definition = |(index, each): (usize, _)| {
            let (words, place, kind, visibility, conformances, parent) = each;
            let (name, signature, receiver, doc_comment): (String, String, _, _) = words;
            let (anchor_line, name_line, start, length): (usize, usize, usize, usize) = place;
            let (nested, parent): (bool, prop::sample::Index) = parent;
            Definition {
                name,
                kind,
                visibility,
                receiver,
                name_line,
                anchor: anchor_line * 8,
                lines: start..start + length,
                signature,
                doc_comment,
                parent: (nested && index > 0).then(|| parent.index(index)),
                depth: name_line,
                conformances,
            }
        };
        all.into_iter().enumerate().map(definition).collect()
    })
}

fn outlines() -> impl Strategy<Value = Outline> {
    let kind = prop::sample::select(ReferenceKind::ALL);
    let within = any::<Option<prop::sample::Index>>();
    let reference = (kind, word(), prop::option::of(word()), any::<u32>(), within);
    let import =
        (word(), prop::option::of(word()), prop::option::of(word()), any::<bool>(), any::<u32>())
            .prop_map(|(module, name, alias, reexported, line)| Import {
                module,
                name,
                alias,
                reexported,
                line,
            });
    (
        definitions(),
        prop::collection::btree_set(0_usize..=320, 0..8),
        prop::collection::vec(reference, 0..4),
        prop::collection::vec(import, 0..3),
        any::<bool>(),
    )
        .prop_map(|(definitions, bounds, references, imports, has_errors)| {
            let bounds: Vec<usize> = bounds.into_iter().collect();
            let count = definitions.len();
            let reference = |(kind, name, qualifier, line, within): (_, _, _, _, Option<_>)| {
                let within = within.filter(|_| count > 0).map(|at: prop::sample::Index| {
                    u32::try_from(at.index(count)).expect("there are few")
                });
                Reference { kind, name, qualifier, line, within }
            };
            Outline {
                definitions,
                comments: bounds.chunks_exact(2).map(|pair| pair[0]..pair[1]).collect(),
                references: references.into_iter().map(reference).collect(),
                imports,
                has_errors,
            }
        })
}

proptest! {
    #[test]
    fn results_round_trip(outline in outlines()) {
        let parsed = Parsed::new(outline);
        let bytes = parsed.encode(b"head".to_vec());
        prop_assert_eq!(&bytes[..4], b"head");
        prop_assert_eq!(Parsed::decode(&bytes[4..], &text()), Some(parsed));
    }

    #[test]
    fn damaged_bytes_are_refused_or_harmless(
        outline in outlines(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        length in any::<prop::sample::Index>(),
    ) {
        let mut bytes = Parsed::new(outline).encode(Vec::new());
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        bytes.truncate(length.index(bytes.len() + 1));
        // Cutting must not panic.
        let document = document(&text());
        chunk_with(&document, |_, text| Parsed::decode(&bytes, text));
    }
}

#[test]
fn cutting_from_bytes_equals_cutting_directly() {
    let text = include_str!("../lib.rs");
    let document = document(text);
    let parsed = parse(named("rust").expect("a language"), text).expect("it is parsed");
    let bytes = parsed.encode(Vec::new());
    let cut = chunk_with(&document, |_, text| Parsed::decode(&bytes, text));
    assert_eq!(cut, chunk(&document));
    assert!(!cut.fell_back);
}

#[test]
fn positions_outside_the_text_are_refused() {
    let valid = Outline { comments: vec![0..3, 4..7], ..Outline::default() };
    assert!(Parsed::decode(&Parsed::new(valid.clone()).encode(Vec::new()), "abc def").is_some());
    assert!(Parsed::decode(&Parsed::new(valid).encode(Vec::new()), "abc de").is_none());
    let overlapping = Outline { comments: vec![0..3, 2..7], ..Outline::default() };
    assert!(Parsed::decode(&Parsed::new(overlapping).encode(Vec::new()), "abc def").is_none());
    let inside = Outline { comments: Vec::from([0..1, 1..2]), ..Outline::default() };
    assert!(Parsed::decode(&Parsed::new(inside).encode(Vec::new()), "é").is_none());
}
