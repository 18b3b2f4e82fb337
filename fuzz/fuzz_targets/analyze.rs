//! Every analyzer over any text: tokens are inside the text, on character boundaries.

#![no_main]

use libfuzzer_sys::fuzz_target;
use lore_text::{ANALYZERS, Relation, same_stem};

fuzz_target!(|text: &str| {
    for analyzer in ANALYZERS {
        analyzer.analyze(text, &mut |token| {
            let piece = text.get(token.start..token.end);
            assert!(piece.is_some_and(|piece| !piece.is_empty()), "{}: {token:?}", analyzer.name());
            assert!(!token.term.is_empty(), "{}: {token:?}", analyzer.name());
            // The separator of terms of a field in an index.
            assert!(!token.term.contains('\0'), "{}: {token:?}", analyzer.name());
            for relation in [Relation::Inflection, Relation::Root] {
                let stem = relation.stem(token.term);
                let prefixes = relation.prefixes(token.term);
                let starts = |prefix: &String| token.term.starts_with(prefix.as_str());
                assert!(prefixes.is_empty() || prefixes.iter().any(starts), "{token:?} {stem}");
            }
            assert!(same_stem(token.term, token.term));
        });
    }
});
