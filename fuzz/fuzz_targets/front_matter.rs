//! Any page, in both dialects of front matter: the head is a prefix that ends with a line.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for (range, attributes) in lore_sources::fuzzing::front_matter(text) {
        assert_eq!(range.start, 0);
        let head = text.get(range.clone()).expect("the head ends on a character boundary");
        assert!(head.is_empty() || head.starts_with("---"), "{head:?}");
        assert!(head.ends_with('\n') || range.end == text.len() || head.is_empty(), "{head:?}");
        assert!(!head.is_empty() || attributes == lore_schema::Attributes::default());
    }
});
