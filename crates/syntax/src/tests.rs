//! Snapshots of fixtures, and the laws of chunks over any text in any language.

use std::{collections::BTreeSet, fmt::Write as _, ops::Range};

use lore_schema::{Attributes, Chunked, DocKey, Document, SourceName, TextOrigin, Trust};
use proptest::prelude::*;

use crate::{
    LANGUAGES, chunk, detect, finder,
    language::{Language, Structure},
    line_table::LineTable,
    outline::Outline,
    tree,
};

fn document(path: &str, text: &str) -> Document {
    Document {
        key: DocKey { source: SourceName::Code, locator: path.to_owned() },
        path: path.to_owned(),
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

/// All fixtures: file name and text, sorted by name.
#[expect(clippy::disallowed_methods, reason = "a new fixture is one new file, and no row")]
fn fixtures() -> Vec<(String, String)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures");
    let mut fixtures: Vec<(String, String)> = std::fs::read_dir(folder)
        .expect("the folder of fixtures")
        .map(|entry| {
            let entry = entry.expect("an entry");
            let text = std::fs::read_to_string(entry.path()).expect("a text");
            (entry.file_name().into_string().expect("a plain name"), text)
        })
        .collect();
    fixtures.sort();
    fixtures
}

/// A path that is detected as a language.
fn path_of(language: &Language) -> String {
    match (language.name, language.extensions, language.file_names) {
        ("objective-c", ..) => "a.mm".to_owned(),
        (_, [extension, ..], _) => format!("a.{extension}"),
        (_, [], [name, ..]) => (*name).to_owned(),
        (name, [], []) => panic!("{name} is never recognised"),
    }
}

/// The first law of chunks that is broken, if any.
fn broken_law(document: &Document, chunked: &Chunked) -> Option<String> {
    let text = &document.text;
    let is_metadata = |byte: usize| document.metadata.iter().any(|range| range.contains(&byte));
    let line_of = |byte: usize| text[..text.floor_char_boundary(byte)].matches('\n').count();
    let mut covered: Vec<Range<usize>> = Vec::new();
    for (index, chunk) in chunked.chunks.iter().enumerate() {
        let span = chunk.span;
        let Some(content) = text.get(span.start..span.end) else {
            return Some(format!("{span:?} is not on character boundaries"));
        };
        if chunk.ordinal as usize != index {
            return Some(format!("ordinal {} at {index}", chunk.ordinal));
        }
        if content.trim().is_empty() {
            return Some(format!("{span:?} is blank"));
        }
        if covered.last().is_some_and(|last| last.end > span.start) {
            return Some(format!("{span:?} overlaps or is out of order"));
        }
        if (span.start..span.end).any(is_metadata) {
            return Some(format!("{span:?} contains metadata"));
        }
        let lines = (line_of(span.start) + 1, line_of(span.end - 1) + 1);
        if lines != (span.start_line as usize, span.end_line as usize) {
            return Some(format!("{span:?} has the lines {lines:?}"));
        }
        let mut end = span.start;
        for comment in &chunk.comments {
            if comment.start < end || comment.is_empty() || comment.end > span.end {
                return Some(format!("comment {comment:?} in {span:?}"));
            }
            if text.get(comment.clone()).is_none() {
                return Some(format!("comment {comment:?} is not on character boundaries"));
            }
            end = comment.end;
        }
        if chunk.symbol.as_ref().is_some_and(|symbol| !chunk.symbols.contains(symbol)) {
            return Some(format!("{:?} is not among the symbols", chunk.symbol));
        }
        covered.push(span.start..span.end);
    }
    let lost = text.char_indices().find(|(byte, letter)| {
        !letter.is_whitespace()
            && !is_metadata(*byte)
            && !covered.iter().any(|range| range.contains(byte))
    });
    lost.map(|(byte, letter)| format!("{letter:?} at {byte} is in no chunk"))
}

/// Writes the imports and references of an outline, one a line.
fn list_uses(outline: &Outline, listing: &mut String) {
    for import in &outline.imports {
        writeln!(
            listing,
            "import {} {} as {}{}",
            import.module,
            import.name.as_deref().unwrap_or("-"),
            import.alias.as_deref().unwrap_or("-"),
            if import.reexported { ", for others" } else { "" },
        )
        .expect("a string accepts all");
    }
    for reference in &outline.references {
        let within = reference.within.map(|index| &outline.definitions[index as usize].name);
        writeln!(
            listing,
            "{}: {} {}{} in {}",
            reference.line,
            reference.kind.as_str(),
            reference.qualifier.as_ref().map(|path| format!("({path}) ")).unwrap_or_default(),
            reference.name,
            within.map_or("-", String::as_str),
        )
        .expect("a string accepts all");
    }
    if outline.has_errors {
        listing.push_str("has errors\n");
    }
    listing.push('\n');
}

#[test]
fn fixtures_match_their_snapshots() {
    for (name, text) in &fixtures() {
        let mut listing = String::new();
        let language = detect(name, text).expect("a known language");
        if let Structure::Grammar(grammar) = language.structure {
            let lines = LineTable::new(text);
            let outline = tree::outline(text, &lines, grammar).expect("a fixture parses");
            for (definition, symbol) in outline.definitions.iter().zip(outline.symbols()) {
                writeln!(
                    listing,
                    "{}{} {} [{}] {:?} {}-{}: {}",
                    "  ".repeat(definition.depth),
                    symbol.kind.as_str(),
                    symbol.name,
                    symbol.container.unwrap_or_default(),
                    symbol.visibility,
                    definition.lines.start + 1,
                    definition.lines.end,
                    definition.signature,
                )
                .expect("a string accepts all");
                for of in &definition.conformances {
                    writeln!(
                        listing,
                        "{}  {} {}",
                        "  ".repeat(definition.depth),
                        of.kind.as_str(),
                        of.name
                    )
                    .expect("a string accepts all");
                }
                if let Some(doc) = &definition.doc_comment {
                    writeln!(listing, "{}  {doc:?}", "  ".repeat(definition.depth))
                        .expect("a string accepts all");
                }
            }
            listing.push('\n');
            list_uses(&outline, &mut listing);
        }
        let document = document(name, text);
        let chunked = chunk(&document);
        assert_eq!(broken_law(&document, &chunked), None, "{name}");
        assert_eq!(chunked.language, Some(language.name));
        for chunk in chunked.chunks {
            let symbols: Vec<String> = chunk
                .symbols
                .iter()
                .map(|symbol| format!("{} {}:{}", symbol.kind.as_str(), symbol.name, symbol.line))
                .collect();
            let comments: usize = chunk.comments.iter().map(Range::len).sum();
            writeln!(
                listing,
                "{}-{} {} {} bytes, {} of comments\n  about: {}\n  within: {}\n  signature: {}\n  doc: {}\n  symbols: {}",
                chunk.span.start_line,
                chunk.span.end_line,
                chunk.kind.as_str(),
                chunk.span.len(),
                comments,
                chunk.symbol.as_ref().map_or("-", |symbol| symbol.name.as_str()),
                chunk.breadcrumb.join(" > "),
                chunk.symbol.as_ref().map_or("-", |symbol| symbol.signature.as_str()),
                chunk
                    .symbol
                    .as_ref()
                    .and_then(|symbol| symbol.doc_comment.as_deref()?.lines().next())
                    .unwrap_or("-"),
                symbols.join(", "),
            )
            .expect("a string accepts all");
        }
        insta::with_settings!({
            snapshot_path => "../tests/snapshots",
            prepend_module_to_snapshot => false,
            omit_expression => true,
        }, {
            insta::assert_snapshot!(name.as_str(), listing);
        });
    }
}

#[test]
fn every_grammar_has_a_fixture() {
    for language in LANGUAGES {
        if let Structure::Grammar(_) = language.structure {
            let found = fixtures().iter().any(|(name, text)| {
                detect(name, text).is_some_and(|detected| detected.name == language.name)
            });
            assert!(found, "{}", language.name);
        }
    }
}

#[test]
fn line_ends_do_not_change_names() {
    for (name, text) in &fixtures() {
        let names = |text: &str| {
            let chunks = chunk(&document(name, text)).chunks;
            let symbols = chunks.into_iter().flat_map(|chunk| chunk.symbols);
            symbols.map(|symbol| (symbol.name, symbol.line)).collect::<BTreeSet<_>>()
        };
        assert_eq!(names(text), names(&text.replace('\n', "\r\n")), "{name} with CRLF");
        assert_eq!(names(text), names(text.trim_end()), "{name} without its last line end");
    }
}

#[test]
fn large_definitions_are_cut_and_keep_their_name() {
    let mut text = String::from("impl Thing {\n    /// Works.\n    fn work(&self) {\n");
    for number in 0..200 {
        writeln!(text, "        let value_{number} = self.step({number});")
            .expect("a string accepts all");
    }
    text.push_str("    }\n\n    fn rest(&self) {}\n}\n");
    let chunked = chunk(&document("a.rs", &text));
    assert!(chunked.chunks.len() > 5);
    let (last, parts) = chunked.chunks.split_last().expect("chunks");
    for part in &parts[1..] {
        assert_eq!(part.symbol.as_ref().map(|symbol| symbol.name.as_str()), Some("work"));
        assert_eq!(part.breadcrumb, ["Thing"]);
        assert!(part.span.len() <= 1_500);
    }
    assert_eq!(last.symbols.last().map(|symbol| symbol.name.as_str()), Some("rest"));
}

#[test]
fn no_chunk_contains_metadata() {
    let text = "---\ntitle: x\n---\n# Title\nstatus: open\n\nText.\n";
    let mut document = document("a.md", text);
    document.metadata = vec![0..17, 25..38];
    let chunked = chunk(&document);
    assert_eq!(broken_law(&document, &chunked), None);
    let pieces: Vec<&str> =
        chunked.chunks.iter().map(|chunk| &text[chunk.span.start..chunk.span.end]).collect();
    assert_eq!(pieces, ["# Title", "Text."]);
    assert_eq!(chunked.chunks[1].breadcrumb, ["Title"]);
}

#[test]
fn composed_text_is_prose_under_any_file_name() {
    let mut document = document("tickets/index.json", "# A ticket\n\nclass Foo\n");
    document.origin = TextOrigin::Composed;
    let chunked = chunk(&document);
    assert_eq!(chunked.language, None);
    assert_eq!(chunked.chunks[0].breadcrumb, ["A ticket"]);
    document.path = String::new();
    assert_eq!(chunk(&document).chunks.len(), 1);
}

#[test]
fn blank_texts_have_no_chunks() {
    for language in LANGUAGES {
        for text in
            ["", " ", "\n\n", "\r\n\t\u{c}\u{a0}\n", "\u{feff}".trim_start_matches('\u{feff}')]
        {
            let chunked = chunk(&document(&path_of(language), text));
            assert_eq!(chunked.chunks, [], "{}: {text:?}", language.name);
        }
    }
}

/// Hostile texts cost bounded time and stack. The sizes are small enough for a slow build; the test
/// checks that nothing overflows, loops or is lost.
#[test]
fn hostile_texts_cost_bounded_work() {
    let nested = |open: &str, close: &str, count: usize| open.repeat(count) + &close.repeat(count);
    let texts = [
        nested("(", ")", 4_000),
        nested("{", "}", 4_000),
        nested("[", "", 4_000),
        nested("fn a() {", "}", 800),
        nested("function a() {\n", "}\n", 800),
        nested("class A {\n", "}\n", 800),
        nested("> ", "", 5_000),
        nested("- ", "", 2_000),
        "def a():\n ".repeat(2_000),
        "<".repeat(4_000),
        "/*".repeat(4_000),
        "\"".repeat(4_001),
        "a".repeat(20_000),
        "é ".repeat(4_000),
        "\0".repeat(4_000),
        "#define A(\n".repeat(1_000),
        "//x\n".repeat(1_500) + &"int f(){} ".repeat(300),
    ];
    for language in LANGUAGES {
        for text in &texts {
            let document = document(&path_of(language), text);
            let chunked = chunk(&document);
            assert_eq!(broken_law(&document, &chunked), None, "{}: {:.20}", language.name, text);
        }
    }
}

/// Fragments that texts of many languages consist of.
const FRAGMENTS: &[&str] = &[
    "\n",
    "\r\n",
    " ",
    "    ",
    "\t",
    "\u{c}",
    "\0",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ";",
    ":",
    ",",
    "\"",
    "'",
    "`",
    "#",
    "//",
    "/*",
    "*/",
    "///",
    "\"\"\"",
    "--",
    "<!--",
    "-->",
    "```\n",
    "~~~\n",
    "---\n",
    "===\n",
    "# ",
    "## ",
    "* ",
    "> ",
    "fn ",
    "pub ",
    "def ",
    "class ",
    "struct ",
    "enum ",
    "impl ",
    "function ",
    "func ",
    "const ",
    "static ",
    "type ",
    "import ",
    "export ",
    "return ",
    "if ",
    "else ",
    "=> ",
    "-> ",
    "= ",
    ":: ",
    "foo",
    "Bar",
    "_x",
    "é",
    "漢字",
    "🦀",
    "\u{a0}",
    "\u{2028}",
    "1",
    "0x",
    "@a\n",
    "#[a]\n",
    "#define A 1\n",
    "template <",
    "namespace a {\n",
    "macro_rules! m {\n",
    "\\",
];

fn any_text() -> impl Strategy<Value = String> {
    let fragments = prop::collection::vec(prop::sample::select(FRAGMENTS), 0..200);
    let shuffled = (prop::sample::select(fixtures()), any::<usize>(), 1..6_usize).prop_map(
        |((_, text), seed, stride)| {
            // Lines of a fixture, some dropped and some doubled.
            let mut kept = String::new();
            for (index, line) in text.split_inclusive('\n').enumerate() {
                let bits = seed >> (index % 61);
                for _ in 0..(bits % (stride + 1)).min(2) {
                    kept.push_str(line);
                }
            }
            kept
        },
    );
    prop_oneof![
        fragments.prop_map(|fragments| fragments.concat()),
        shuffled,
        "\\PC{0,400}",
        any::<String>(),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn chunk_laws_hold_for_any_text(
        text in any_text(),
        language in prop::sample::select(LANGUAGES.iter().collect::<Vec<_>>()),
        repeats in prop_oneof![Just(1_usize), Just(30)],
        cuts in prop::collection::vec((any::<prop::sample::Index>(), 0..3_usize), 0..3),
    ) {
        let mut document = document(&path_of(language), &text.repeat(repeats));
        let lines = LineTable::new(&document.text);
        let mut metadata: Vec<Range<usize>> = Vec::new();
        for (index, length) in cuts {
            let start = index.index(lines.count().max(1));
            let range = lines.bytes(&(start..start + length));
            if metadata.iter().all(|other| other.end <= range.start || range.end <= other.start) {
                metadata.push(range);
            }
        }
        metadata.sort_by_key(|range| range.start);
        document.metadata = metadata;
        let chunked = chunk(&document);
        prop_assert_eq!(broken_law(&document, &chunked), None);
        prop_assert_eq!(&chunk(&document), &chunked);
        crate::categorize(&document.path, &document.text);
    }

    #[test]
    fn keywords_are_found_in_any_text(text in any_text()) {
        let lines = LineTable::new(&text);
        for language in LANGUAGES {
            if let Structure::Lines(shapes) = language.structure {
                let outline = finder::outline(&text, &lines, shapes, Vec::new());
                prop_assert!(outline.definitions.is_sorted_by_key(|found| found.anchor));
            }
        }
    }
}
