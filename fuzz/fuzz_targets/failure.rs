//! Any log: reading never panics, lines and columns are counted from 1, and colours change nothing.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let plain = lore_engine::read_failures(text);
    for failure in &plain.failures {
        assert!(failure.count > 0);
        for frame in failure.all_frames() {
            assert_ne!(frame.line, Some(0));
            assert_ne!(frame.column, Some(0));
            assert!(!frame.path.contains('\n'));
        }
        assert!(failure.causes.iter().all(|cause| cause.causes.is_empty()));
    }
    // The visible text is the same in any colour. Escapes in the text itself swallow the following
    // characters, and very long lines are cut elsewhere.
    if !text.contains(['\u{1b}', '\u{9b}', '\r']) && text.lines().all(|line| line.len() < 1_000) {
        let coloured: Vec<String> =
            text.split('\n').map(|line| format!("\u{1b}[1;31m{line}\u{1b}[0m")).collect();
        assert_eq!(lore_engine::read_failures(&coloured.join("\n")), plain);
    }
});
