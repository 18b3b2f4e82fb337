//! Any question: words are not empty, distinct, and spelled as typed; the query language parses its
//! own printed form to the same query; also dates.

#![no_main]

use std::collections::HashSet;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let words = lore_engine::fuzzing::parse_query(text);
    let mut seen = HashSet::new();
    for (term, name, weight) in &words {
        assert!(!term.is_empty() && !term.contains('\0'), "{term:?}");
        assert!(seen.insert(term), "{term:?} is there twice");
        assert!(*weight > 0.0 && *weight <= 1.0, "{term:?} has the weight {weight}");
        if let Some(name) = name {
            assert!(!name.is_empty() && text.contains(name.as_str()), "{name:?}");
        }
    }
    if let Some((printed, same)) = lore_engine::fuzzing::read_query(text) {
        assert!(same, "printed as {printed:?}");
    }
    assert_ne!(lore_engine::fuzzing::read_date(text), Some(false));
});
