//! Tests of the classes, and the laws of spans.

use std::time::{Duration, Instant};

use lore_syntax::bombs::{BombShape, bomb, parsed_languages};
use proptest::prelude::*;

use super::*;

/// The classified parts of a text, as `class:text`, without operators and punctuation.
fn parts(language: &str, text: &str) -> Vec<String> {
    highlight(text, Some(language))
        .into_iter()
        .filter(|span| !matches!(span.class, Class::Operator | Class::Punctuation))
        .map(|span| format!("{}:{}", span.class.as_str(), &text[span.range]))
        .collect()
}

fn check(language: &str, text: &str, expected: &[&str]) {
    assert_eq!(parts(language, text), expected, "{language}: {text}");
}

#[test]
fn rust_has_lifetimes_characters_macros_and_raw_strings() {
    check(
        "rust",
        "#[test]\npub fn save<'a>(x: &'a str) -> Option<u8> { f!(\"{}\", 'x'); MAX_LEN.min(1.5e-3) } // end",
        &[
            "attribute:#[test]",
            "keyword:pub",
            "keyword:fn",
            "function:save",
            "type:str",
            "type:Option",
            "type:u8",
            "function:f",
            "string:\"{}\"",
            "string:'x'",
            "constant:MAX_LEN",
            "function:min",
            "number:1.5e-3",
            "comment:// end",
        ],
    );
    check(
        "rust",
        "r#\"a \" b\"# '\\'' '\\u{1f600}' self.items",
        &[
            "string:r#\"a \" b\"#",
            "string:'\\''",
            "string:'\\u{1f600}'",
            "keyword:self",
            "property:items",
        ],
    );
    check(
        "rust",
        "/* a\nb */ struct Refund;",
        &["comment:/* a\nb */", "keyword:struct", "type:Refund"],
    );
}

#[test]
fn other_languages_have_their_own_strings_and_words() {
    check(
        "python",
        "@cache\ndef f(x):\n    \"\"\"Doc\n    more\"\"\"\n    return None # why",
        &[
            "attribute:@cache",
            "keyword:def",
            "function:f",
            "string:\"\"\"Doc\n    more\"\"\"",
            "keyword:return",
            "constant:None",
            "comment:# why",
        ],
    );
    check(
        "javascript",
        "const a = `x ${y}\nz`; call('it\\'s')",
        &["keyword:const", "string:`x ${y}\nz`", "function:call", "string:'it\\'s'"],
    );
    check(
        "go",
        "func (s *Store) Save(b []byte) error {",
        &["keyword:func", "type:Store", "function:Save", "type:byte"],
    );
    check(
        "sql",
        "select a from B where c = 'it''s' -- all",
        &["keyword:select", "keyword:from", "keyword:where", "string:'it''s'", "comment:-- all"],
    );
    check(
        "c",
        "#include \"a.h\"\nstatic int x = 0x1F;",
        &["keyword:#include", "string:\"a.h\"", "keyword:static", "type:int", "number:0x1F"],
    );
    check(
        "bash",
        "if [ $# -gt 0 ]; then # no\n echo \"$1\"",
        &["keyword:if", "number:0", "keyword:then", "comment:# no", "string:\"$1\""],
    );
}

#[test]
fn data_has_keys() {
    check(
        "json",
        "{\"a\": [1, true, \"b\"]}",
        &["property:\"a\"", "number:1", "constant:true", "string:\"b\""],
    );
    check("yaml", "name: 'x' # c", &["property:name", "string:'x'", "comment:# c"]);
    check("toml", "a-b = \"c\"", &["property:a-b", "string:\"c\""]);
}

#[test]
fn prose_and_markup_have_their_parts() {
    check(
        "markdown",
        "# Title\nuse `x`\n```rust\nlet a = 1;\n```\n- item",
        &["heading:# Title", "string:`x`", "keyword:let", "number:1", "keyword:-"],
    );
    check(
        "html",
        "<!-- c --><a href=\"x\">text</a>",
        &["comment:<!-- c -->", "keyword:a", "property:href", "string:\"x\"", "keyword:a"],
    );
}

#[test]
fn an_open_quote_ends_with_its_line() {
    check("java", "String a = \"open\nint b;", &["type:String", "string:\"open", "type:int"]);
}

#[test]
fn spans_are_split_at_line_ends() {
    let text = "/* a\n\nb */ x";
    let lines = in_lines(text, &highlight(text, Some("c")));
    let ranges: Vec<Vec<String>> = lines
        .into_iter()
        .map(|line| line.into_iter().map(|span| format!("{:?}", span.range)).collect())
        .collect();
    assert_eq!(ranges, [vec!["0..4"], vec![], vec!["0..4"]]);
}

#[test]
fn every_theme_has_a_name_and_plain_has_no_colours() {
    for name in Theme::NAMES {
        let theme = Theme::from_name(name).expect("a theme");
        let is_colored = |class: &&Class| theme.look(**class) != Look::default();
        assert_eq!(Class::ALL.iter().filter(is_colored).count() == 0, *name == "plain", "{name}");
    }
}

fn check_laws(text: &str, spans: &[Span]) {
    let mut end = 0;
    for span in spans {
        assert!(end <= span.range.start && span.range.start < span.range.end, "{span:?}");
        assert!(text.get(span.range.clone()).is_some(), "{span:?}");
        end = span.range.end;
    }
    let lines = in_lines(text, spans);
    assert_eq!(lines.len(), text.lines().count());
    for (line, spans) in text.lines().zip(lines) {
        assert!(spans.iter().all(|span| line.get(span.range.clone()).is_some()));
    }
}

#[test]
fn crafted_texts_take_little_time() {
    // An unoptimised build is about twenty times slower.
    let most = Duration::from_millis(if cfg!(debug_assertions) { 1_500 } else { 75 });
    for (language, _) in parsed_languages() {
        for (seed, shape) in BombShape::ALL.iter().enumerate() {
            let text = bomb(language, *shape, seed as u64, 60_000, "fn main() { \"a\" }\n");
            let started = Instant::now();
            check_laws(&text, &highlight(&text, Some(language.name)));
            assert!(
                started.elapsed() < most,
                "{} {shape:?} {:?}",
                language.name,
                started.elapsed()
            );
        }
    }
}

proptest! {
    #[test]
    fn any_text_has_sorted_spans(text in "[a-z\"'`/*#{}\\[\\]<>!@=:.\\\\ \n-é漢🙂]{0,200}", at in 0..1_000_usize) {
        let language = &lore_syntax::LANGUAGES[at % lore_syntax::LANGUAGES.len()];
        check_laws(&text, &highlight(&text, Some(language.name)));
    }
}

/// A grammar that renames a token leaves a row without effect.
#[test]
fn words_that_are_not_reserved_are_tokens_of_their_grammar() {
    let mut unknown = Vec::new();
    for (name, words) in rules::NOT_RESERVED {
        let language = lore_syntax::named(name).expect("a language");
        let keywords = language.keywords();
        let missing = words.iter().filter(|word| !keywords.iter().any(|known| known == *word));
        unknown.extend(missing.map(|word| format!("{name}: {word}")));
    }
    assert_eq!(unknown, [""; 0]);
}
