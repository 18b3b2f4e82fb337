//! Statements of short texts.

use super::*;

fn read_all(text: &str) -> Vec<(Kind, String)> {
    let found = read(text, TextFormat::Markdown);
    found.into_iter().map(|statement| (statement.kind, statement.text)).collect()
}

fn has(text: &str, kind: Kind, wanted: &str) -> bool {
    let found = read_all(text);
    found.iter().any(|(other, text)| *other == kind && text == wanted)
}

#[test]
fn every_kind_is_found() {
    for (text, kind, wanted) in [
        ("See [a](../docs/a.md#b).", Kind::Link, "../docs/a.md#b"),
        ("In `src/main.rs:10` it", Kind::Path, "src/main.rs"),
        ("Edit src/engine/parse.rs first", Kind::Path, "src/engine/parse.rs"),
        ("Call `save(path, text)`", Kind::Signature, "save(path, text)"),
        ("Pass `--dry-run=yes`", Kind::Flag, "--dry-run"),
        ("Set LORE_CACHE_DIR", Kind::Environment, "LORE_CACHE_DIR"),
        ("Needs at least Rust 1.75", Kind::Version, "Rust 1.75"),
        (
            "It fails with the error `cannot open the old index: x`",
            Kind::Message,
            "cannot open the old index: x",
        ),
        ("```toml\nmax-size = 3\n```", Kind::Key, "max-size"),
        ("The `Disk::save` method", Kind::Symbol, "Disk::save"),
        ("The saveAll function", Kind::Symbol, "saveAll"),
    ] {
        assert!(has(text, kind, wanted), "{wanted}: {:?}", read_all(text));
    }
}

#[test]
fn external_things_are_not_paths() {
    for text in [
        "https://example.com/a/b.html",
        "[a](https://b.c/d)",
        "and/or",
        "`https://x.y/z.md`",
        "a `<dir>/b/*.rs`",
    ] {
        let paths = read_all(text);
        assert!(
            !paths.iter().any(|(kind, _)| matches!(kind, Kind::Path | Kind::Link)),
            "{text}: {paths:?}"
        );
    }
}

#[test]
fn positions_are_those_of_the_text() {
    let text = "é\n\n| a | `Disk` |\n";
    let found = read(text, TextFormat::Markdown);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((found[0].line, &text[found[0].range.clone()]), (3, "Disk"));
    assert!(found[0].in_table);
}

#[test]
fn suppressed_lines_have_no_statements() {
    assert!(read_all("<!-- lore-drift: ignore -->\nThe `Disk` type").is_empty());
    assert!(read_all("`Disk`\n\n<!-- lore-drift: ignore-file -->").is_empty());
}
