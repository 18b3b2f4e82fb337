//! Patterns over fixture folders.

use std::fs;

use proptest::prelude::*;

use super::*;
use crate::fixture::{Folder, options};

fn run(folder: &Folder, pattern: &Pattern) -> GrepResults {
    let tree = Tree::walk(&folder.join("."), &options()).unwrap();
    grep(&tree, pattern, 2, 5, &FileFilter::Paths(&|_| true))
}

fn found(folder: &Folder, text: &str, literal: bool) -> Vec<String> {
    let pattern = Pattern::new(text, literal, false).unwrap();
    let lines = |file: &FileMatches| {
        let lines: Vec<String> = file
            .lines
            .iter()
            .map(|line| {
                let marks: Vec<&str> =
                    line.ranges.iter().map(|range| &line.text[range.clone()]).collect();
                format!("{}:{}", line.number, marks.join("|"))
            })
            .collect();
        format!("{} {}", file.path, lines.join(" "))
    };
    run(folder, &pattern).files.iter().map(lines).collect()
}

#[test]
fn every_text_file_is_searched() {
    let folder = Folder::of(
        "//- /a.rs\nfn step() {}\n// Step 1 and step 2\n//- /docs/b.md\nÉTUDE 🦀 étude\n\
         //- /min.js\nvar a=1;\n",
    );
    fs::write(folder.join("old.txt"), b"caf\xE9 step\r\n").unwrap();
    fs::write(folder.join("wide.txt"), b"\xFF\xFEs\0t\0e\0p\0\n\0").unwrap();
    fs::write(folder.join("bin.dat"), b"step\0step").unwrap();
    fs::write(folder.join("long.js"), format!("{}step{}", "x".repeat(9_000), "y".repeat(9_000)))
        .unwrap();
    assert_eq!(
        found(&folder, "step", true),
        ["a.rs 1:step 2:Step|step", "long.js 1:step", "old.txt 1:step", "wide.txt 1:step"]
    );
    assert_eq!(found(&folder, r"step \d", false), ["a.rs 2:Step 1|step 2"]);
    assert_eq!(found(&folder, "étude", true), ["docs/b.md 1:ÉTUDE|étude"]);
    assert_eq!(found(&folder, "🦀", true), ["docs/b.md 1:🦀"]);
    assert_eq!(found(&folder, "{}\n//", true), ["a.rs 1:{}\n//"]);
    assert_eq!(found(&folder, r"\bvar a=1;$", false), ["min.js 1:var a=1;"]);
    let pattern = Pattern::new("Step", true, true).unwrap();
    assert_eq!(run(&folder, &pattern).files.len(), 1);
    let skipped: Vec<_> = run(&folder, &pattern)
        .sources
        .into_iter()
        .filter(|(_, _, skipped)| !skipped.is_empty())
        .map(|(name, _, skipped)| (name, skipped))
        .collect();
    assert_eq!(skipped, [(SourceName::Code, SkipCounts::from([(SkipReason::Binary, 1)]))]);
}

#[test]
fn files_are_selected_by_source_and_path() {
    let folder = Folder::of("//- /a.rs\nstep\n//- /docs/b.md\nstep\n");
    let tree = Tree::walk(&folder.join("."), &options()).unwrap();
    let pattern = Pattern::new("step", true, false).unwrap();
    let paths = |admit: &FileFilter<'_>| -> Vec<(SourceName, String)> {
        let files = grep(&tree, &pattern, 2, 5, admit).files;
        files.into_iter().map(|file| (file.source, file.path)).collect()
    };
    let code = (SourceName::Code, "a.rs".to_owned());
    let docs = (SourceName::Docs, "docs/b.md".to_owned());
    assert_eq!(paths(&FileFilter::Paths(&|_| true)), [code.clone(), docs.clone()]);
    assert_eq!(paths(&FileFilter::Paths(&|path| path == "a.rs")), [code]);
    assert_eq!(paths(&FileFilter::Sources(&|source, _| source == SourceName::Docs)), [docs]);
}

#[test]
fn invalid_expressions_report_the_position() {
    let error = |text: &str| Pattern::new(text, false, false).unwrap_err();
    assert_eq!(
        error("ab["),
        PatternError { message: "unclosed character class".into(), span: 2..3 }
    );
    assert_eq!(error("(a").span, 0..1);
    assert!(Pattern::new("ab[", true, false).is_ok());
    assert!(!error("a{1000}{1000}{1000}").message.is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// Any substring of a text file is found.
    #[test]
    fn no_substring_is_missed(
        texts in prop::collection::vec("[a-cé 节\n.*(\\[]{1,40}", 1..6),
        needle in "[a-cé 节.*(\\[]{1,3}",
    ) {
        let folder = Folder::of("//- /keep.md\n-\n");
        for (index, text) in texts.iter().enumerate() {
            fs::write(folder.join(&format!("{index}.txt")), text).unwrap();
        }
        let pattern = Pattern::new(&needle, true, true).unwrap();
        let files: Vec<String> =
            run(&folder, &pattern).files.into_iter().map(|file| file.path).collect();
        let expected: Vec<String> = texts
            .iter()
            .enumerate()
            .filter(|(_, text)| text.contains(&needle))
            .map(|(index, _)| format!("{index}.txt"))
            .collect();
        prop_assert_eq!(files, expected);
    }
}
