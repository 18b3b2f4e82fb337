//! Scans of files as a tree changes.

use std::{
    fs,
    time::{Duration, UNIX_EPOCH},
};

use lore_schema::TextOrigin;

use super::*;
use crate::{
    WalkOptions,
    fixture::{Folder, Memory, options, paths, set_modified},
    formats::{CODE, FILE_SOURCES},
};

#[test]
fn unchanged_trees_are_not_read_again() {
    let folder = Folder::of("//- /a.rs\na\n//- /b.rs\nb\n");
    let mut memory = Memory::default();
    let tree = folder.walk_settled();
    assert_eq!(memory.scan(SourceName::Code, &tree), ["replace a.rs", "replace b.rs"]);
    assert!(memory.stamps.values().all(|stamp| stamp.metadata != UNSTABLE));
    let tree = folder.walk();
    // Unreadable content does not matter if it is not read.
    fs::remove_file(folder.join("a.rs")).unwrap();
    assert_eq!(memory.scan(SourceName::Code, &tree), ["same a.rs", "same b.rs"]);
}

#[test]
fn every_kind_of_change_is_detected() {
    let folder =
        Folder::of("//- /edit.rs\none\n//- /gone.rs\ng\n//- /old.rs\no\n//- /touch.rs\nt\n");
    let mut memory = Memory::default();
    memory.scan(SourceName::Code, &folder.walk_settled());

    // An edit of equal size whose modification time is restored.
    let edited = folder.join("edit.rs");
    let before = fs::metadata(&edited).unwrap().modified().unwrap();
    fs::write(&edited, "two\n").unwrap();
    set_modified(&edited, before);
    fs::remove_file(folder.join("gone.rs")).unwrap();
    fs::rename(folder.join("old.rs"), folder.join("renamed.rs")).unwrap();
    set_modified(&folder.join("touch.rs"), UNIX_EPOCH + Duration::from_secs(1_000));
    folder.write("new.rs", "n");
    assert_eq!(
        memory.scan(SourceName::Code, &folder.walk_settled()),
        [
            "replace edit.rs",
            "replace new.rs",
            "replace renamed.rs",
            "restamp touch.rs",
            "gone gone.rs",
            "gone old.rs",
        ]
    );
    assert_eq!(memory.documents["edit.rs"][0].text, "two\n");

    folder.write(".gitignore", "edit.rs\n");
    let log = memory.scan(SourceName::Code, &folder.walk_settled());
    assert_eq!(
        log,
        ["replace .gitignore", "same new.rs", "same renamed.rs", "same touch.rs", "gone edit.rs"]
    );
}

#[test]
fn fresh_files_are_compared_by_content_until_their_times_can_be_trusted() {
    let folder = Folder::of("//- /a.rs\none\n");
    let mut memory = Memory::default();
    assert_eq!(memory.scan(SourceName::Code, &folder.walk()), ["replace a.rs"]);
    assert_eq!(memory.stamps["a.rs"].metadata, UNSTABLE);
    assert_eq!(memory.scan(SourceName::Code, &folder.walk()), ["same a.rs"]);
    fs::write(folder.join("a.rs"), "two\n").unwrap();
    assert_eq!(memory.scan(SourceName::Code, &folder.walk()), ["replace a.rs"]);
    assert_eq!(memory.scan(SourceName::Code, &folder.walk_settled()), ["restamp a.rs"]);
    assert_eq!(memory.scan(SourceName::Code, &folder.walk()), ["same a.rs"]);
}

#[test]
fn a_file_that_changes_between_walk_and_scan_is_read_again_next_time() {
    let folder = Folder::of("//- /a.rs\none\n");
    let mut memory = Memory::default();
    let tree = folder.walk_settled();
    fs::write(folder.join("a.rs"), "two\n").unwrap();
    assert_eq!(memory.scan(SourceName::Code, &tree), ["replace a.rs"]);
    assert_eq!(memory.stamps["a.rs"], Stamp::default());
    assert_eq!(memory.scan(SourceName::Code, &folder.walk_settled()), ["replace a.rs"]);
    assert_eq!(memory.scan(SourceName::Code, &folder.walk()), ["same a.rs"]);
}

#[test]
fn skipped_files_are_counted_once_and_not_read_again() {
    let folder = Folder::of("//- /a.rs\nfn a() {}\n");
    folder.write("b.bin", b"\x00\x01\x02");
    folder.write("c.rs", " \n");
    folder.write("d.json", "x".repeat(100));
    let walk = |max_file_size| {
        std::thread::sleep(Duration::from_millis(60));
        Tree::walk(folder.path(), &WalkOptions { max_file_size, ..options() }).unwrap()
    };
    let mut memory = Memory::default();
    let log = memory.scan(SourceName::Code, &walk(50));
    assert_eq!(log, ["replace a.rs", "replace b.bin", "replace c.rs", "replace d.json"]);
    assert_eq!(memory.all().len(), 1);
    let expected = SkipCounts::from([
        (SkipReason::Binary, 1),
        (SkipReason::Empty, 1),
        (SkipReason::TooLarge, 1),
    ]);
    assert_eq!(memory.skipped, expected);
    let log = memory.scan(SourceName::Code, &walk(50));
    assert_eq!(log, ["same a.rs", "same b.bin", "same c.rs", "same d.json"]);
    // A higher limit accepts the large file.
    let log = memory.scan(SourceName::Code, &walk(100));
    assert_eq!(log, ["same a.rs", "same b.bin", "same c.rs", "replace d.json"]);
    assert_eq!(memory.all().len(), 2);
}

#[test]
fn every_file_belongs_to_one_source() {
    let folder = Folder::of(
        "//- /.sage/agent/examples/a.py\n# Retries twice. Always.\n//- /.sage/agent/templates/t.md\nt\n//- /.sage/agent/tasks/plan.md\np\n//- /.sage/patterns/anti/b.py\nx = 1\n//- /AGENTS.md\na\n//- /README.md\n---\ntitle: From the head\ntags: [a, b]\nstatus: live\n---\n# Title\n//- /examples/e.rs\n//! Shows e.\n//- /examples/e.log\nl\n//- /examples/e.md\n# E\n//- /snippets/s.rs\ns\n//- /src/lib.rs\n//! The library.\n//- /docs/adr/0001-a.md\n# 1. A\n//- /.gitignore\n.sage/\nAGENTS.md\n*.log\n//- /.sage/cache.db\nx\n",
    );
    let tree = folder.walk();
    let mut owners = Vec::new();
    for source in FILE_SOURCES {
        for unit in crate::claims::of(&tree).of(source.name) {
            for &index in &unit.claim.files {
                owners.push(format!("{} {}", tree.entries()[index].path, source.name));
            }
        }
    }
    owners.sort();
    assert_eq!(
        owners,
        [
            ".gitignore code",
            ".sage/agent/examples/a.py patterns",
            ".sage/agent/tasks/plan.md docs",
            ".sage/agent/templates/t.md docs",
            ".sage/patterns/anti/b.py patterns",
            "AGENTS.md docs",
            "README.md docs",
            "docs/adr/0001-a.md specs",
            "examples/e.md docs",
            "examples/e.rs code",
            "snippets/s.rs code",
            "src/lib.rs code",
        ]
    );
    // The ignored file that no store reader claims is not read.
    assert!(paths(&tree).contains(&".sage/cache.db"));

    let mut memory = Memory::default();
    memory.scan(SourceName::Docs, &tree);
    let readme = &memory.documents["README.md"][0];
    assert_eq!(readme.title, "From the head");
    assert_eq!(readme.attributes.tags, ["a", "b"]);
    assert_eq!(readme.attributes.status.as_deref(), Some("live"));
    assert_eq!(&readme.text[readme.metadata[0].end..], "# Title\n");
    assert_eq!((readme.kind, readme.format, readme.origin), ("file", "files", TextOrigin::File));
    let extra = |name: &str| memory.documents[name][0].attributes.extra.clone();
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert_eq!(extra(".sage/agent/templates/t.md"), [pair("agent", "templates")]);
    assert_eq!(extra(".sage/agent/tasks/plan.md"), [pair("agent", "true")]);
    assert_eq!(extra("AGENTS.md"), []);

    let mut memory = Memory::default();
    memory.scan(SourceName::Patterns, &tree);
    let extra = |name: &str| memory.documents[name][0].attributes.extra.clone();
    assert_eq!(extra(".sage/agent/examples/a.py"), [pair("useCase", "Retries twice.")]);
    assert_eq!(extra(".sage/patterns/anti/b.py"), [pair("pattern", "anti")]);
    assert_eq!(memory.all()[0].key.to_string(), "patterns:.sage/agent/examples/a.py");
    assert_eq!(memory.all()[0].kind, "pattern");
}

#[test]
fn plain_files_have_only_stated_dates() {
    let folder = Folder::of(
        "//- /a.rs\na\n//- /dated.md\n---\ndate: 2025-11-13\nupdated: 2025-11-14\n---\nd\n//- /.sage/patterns/good/e.rs\ne\n//- /plain.md\np\n",
    );
    let tree = folder.walk();
    let mut dates = Vec::new();
    for source in [SourceName::Code, SourceName::Docs, SourceName::Patterns] {
        let mut memory = Memory::default();
        memory.scan(source, &tree);
        for document in memory.all() {
            let attributes = &document.attributes;
            dates.push((document.path.clone(), attributes.created, attributes.updated));
        }
    }
    let expected = [
        ("a.rs", None, None),
        ("dated.md", Some(1_762_992_000), Some(1_763_078_400)),
        ("plain.md", None, None),
        (".sage/patterns/good/e.rs", None, None),
    ];
    assert_eq!(dates, expected.map(|(path, created, updated)| (path.to_owned(), created, updated)));
}

#[test]
fn interrupted_scans_report_a_delta() {
    let folder = Folder::of("//- /a.rs\na\n//- /b.rs\nb\n");
    let mut seen = 0;
    let scan = CODE.scan(&folder.walk(), &Memory::default(), &mut |_| {
        seen += 1;
        ControlFlow::Break(())
    });
    assert!(matches!(scan, Ok(Scan::Delta(_))));
    assert_eq!(seen, 1);
}

/// A folder with so many files that threads read them ahead, some of them large.
fn many_files() -> (Folder, Vec<String>) {
    let folder = Folder::of("//- /a.rs\na\n");
    let names: Vec<String> = (0..700).map(|number| format!("many/{number:03}.rs")).collect();
    for (number, name) in names.iter().enumerate() {
        let length = if number % 97 == 0 { 300_000 } else { number };
        folder.write(name, format!("// {name} {}\n", "x".repeat(length)));
    }
    (folder, names)
}

#[test]
fn units_that_are_read_ahead_are_reported_in_order() {
    let (folder, names) = many_files();
    let mut memory = Memory::default();
    let mut expected = vec!["replace a.rs".to_owned()];
    expected.extend(names.iter().map(|name| format!("replace {name}")));
    assert_eq!(memory.scan(SourceName::Code, &folder.walk_settled()), expected);
    for name in &names {
        assert!(memory.documents[name][0].text.contains(name));
    }
    for (number, name) in names.iter().enumerate().filter(|(number, _)| number % 3 > 0) {
        let seconds = 1_000 + u64::try_from(number).expect("small");
        set_modified(&folder.join(name), UNIX_EPOCH + Duration::from_secs(seconds));
    }
    folder.write("many/650.rs", "new\n");
    let log = memory.scan(SourceName::Code, &folder.walk_settled());
    let word = |number: usize| match number % 3 {
        _ if number == 650 => "replace",
        0 => "same",
        _ => "restamp",
    };
    let mut expected = vec!["same a.rs".to_owned()];
    expected.extend(names.iter().enumerate().map(|(at, name)| format!("{} {name}", word(at))));
    assert_eq!(log, expected);
}

#[test]
fn a_scan_that_reads_ahead_can_be_interrupted() {
    let (folder, names) = many_files();
    for last in [1, 100, names.len()] {
        let mut seen = Vec::new();
        let scan = CODE.scan(&folder.walk(), &Memory::default(), &mut |change| {
            seen.push(change);
            if seen.len() < last { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        assert!(matches!(scan, Ok(Scan::Delta(_))));
        assert_eq!(seen.len(), last);
    }
}

#[test]
fn code_reports_the_files_that_the_walk_skipped() {
    let folder = Folder::of("//- /.gitignore\n*.log\n//- /a.log\na\n//- /b.md\nb\n");
    let tree = folder.walk();
    let mut memory = Memory::default();
    memory.scan(SourceName::Code, &tree);
    assert_eq!(memory.report.skipped, SkipCounts::from([(SkipReason::Ignored, 1)]));
    assert_eq!(memory.report.formats, [FormatCount { format: "files", units: 1 }]);
    memory.scan(SourceName::Docs, &tree);
    assert!(memory.report.skipped.is_empty());
}
