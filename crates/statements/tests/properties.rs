//! Any text can be read, and positions fit the text.

use lore_statements::{Kind, TextFormat, anchors, definition, naming, read, split};
use proptest::prelude::*;

/// Text with markup, so that all parsers are reached.
fn rubbish() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        "\\PC{0,12}",
        "[`\\[\\]()#|<>\"'=~*_./:$%{}\\-\n ]{1,8}",
        Just("`src/é.rs`".to_owned()),
        Just("```toml\n".to_owned()),
        Just("[a](b/ü.md#c)".to_owned()),
        Just("<!-- lore-drift: ignore -->\n".to_owned()),
        Just("--flag-näme".to_owned()),
        Just("\"\"\"".to_owned()),
        Just("/* // # --[[".to_owned()),
        Just("error `fails to open %20 the file`".to_owned()),
        Just("Rust >= 1.7".to_owned()),
        Just("f(a, b: c) <img src=\"".to_owned()),
    ];
    prop::collection::vec(part, 0..20).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn statements_are_parts_of_the_text(text in rubbish()) {
        for format in [TextFormat::Markdown, TextFormat::Plain, TextFormat::Comment] {
            for statement in read(&text, format) {
                prop_assert_eq!(text.get(statement.range.clone()), Some(statement.text.as_str()));
                prop_assert!(!statement.names.is_empty());
                prop_assert!(statement.line >= 1 && statement.line <= text.split('\n').count());
                prop_assert!(Kind::ALL.contains(&statement.kind));
            }
        }
    }

    #[test]
    fn parts_of_a_source_file_keep_its_length(text in rubbish()) {
        for path in ["a.rs", "a.py", "a.sh", "a.lua", "a.hs", "a.html", "a.vim", "a.unknown"] {
            let parts = split(path, &text);
            prop_assert_eq!(parts.code.len(), text.len());
            prop_assert!(parts.comments.is_empty() || parts.comments.len() == text.len());
            prop_assert_eq!(parts.code.matches('\n').count(), text.matches('\n').count());
        }
    }

    #[test]
    fn names_and_lines_of_any_text_are_compared(text in rubbish(), name in "[a-zé_\\-]{1,6}") {
        let _ = definition::is_definition(&text, &name);
        let _ = definition::replacement(&text, &name, &name);
        let _ = definition::parameters(&text, &name);
        let _ = anchors::anchors(&text);
        let _ = naming::forms(&text);
        let _ = naming::is_near(&text, &name);
    }
}
