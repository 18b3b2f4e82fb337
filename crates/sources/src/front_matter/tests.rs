//! Malformed front matter in all its forms.

use proptest::prelude::*;

use super::*;

/// The fields of a page, one per line, and the rest of the page.
fn check(text: &str, dialect: Dialect) -> (String, &str) {
    let front = split(text, dialect);
    let mut pairs = Vec::new();
    for (name, value) in front.fields.iter() {
        if value.is_empty() {
            pairs.push((name.to_owned(), "~".to_owned()));
        }
        value.flatten(name, &mut pairs);
    }
    let fields = pairs.iter().map(|(name, text)| format!("{name}={text}")).collect::<Vec<_>>();
    (fields.join("\n"), &text[front.range.end..])
}

#[track_caller]
fn check_yaml(text: &str, fields: &[&str], body: &str) {
    assert_eq!(check(text, Dialect::Yaml), (fields.join("\n"), body), "{text:?}");
}

#[track_caller]
fn check_lines(text: &str, fields: &[&str], body: &str) {
    assert_eq!(check(text, Dialect::Lines), (fields.join("\n"), body), "{text:?}");
}

#[test]
fn scalars_are_kept_as_written() {
    check_yaml(
        "---\nid: 007\nversion: 1.10\nday: 2025-11-05\nyes: true\nnone: null\nnothing:\nquoted: '1'\n---\nbody\n",
        &[
            "id=007",
            "version=1.10",
            "day=2025-11-05",
            "yes=true",
            "none=~",
            "nothing=~",
            "quoted=1",
        ],
        "body\n",
    );
}

#[test]
fn lists_and_maps() {
    check_yaml(
        "---\ntags: [a, \"b, c\"]\ndeps:\n- 1-x\n- 2-y\nlog:\n- to: open\n  at: now\nmore:\n  owner: me\n---\n",
        &["tags=a", "tags=b, c", "deps=1-x", "deps=2-y", "log=to: open, at: now", "more.owner=me"],
        "",
    );
}

#[test]
fn invalid_yaml_is_parsed_line_by_line() {
    check_yaml(
        "---\ntitle: One: two\ndesc: `a` is b\ntags: [a, 'b']\nlist:\n  - x: y: z\n  - 'q'\n# remark\nfolded: >\n  one\n  two\n---\nbody",
        &[
            "title=One: two",
            "desc=`a` is b",
            "tags=a",
            "tags=b",
            "list=x: y: z",
            "list=q",
            "folded=one two",
        ],
        "body",
    );
}

#[test]
fn lines_are_taken_verbatim() {
    check_lines(
        "---\ntitle: spec-search\ndesc: \"Quoted\" — {id,title}: [[a]] `b`\nhue: 200\ncode:\n  - src/a.ts#run\n  - src/b/*\nempty:\n---\n# T\n",
        &[
            "title=spec-search",
            "desc=\"Quoted\" — {id,title}: [[a]] `b`",
            "hue=200",
            "code=src/a.ts#run",
            "code=src/b/*",
            "empty=~",
        ],
        "# T\n",
    );
}

#[test]
fn carriage_returns() {
    let text = "---\r\nstatus: planned\r\ntags:\r\n- a\r\n- b\r\n---\r\n# T\r\n";
    check_yaml(text, &["status=planned", "tags=a", "tags=b"], "# T\r\n");
    check_lines(text, &["status=planned", "tags=a", "tags=b"], "# T\r\n");
}

#[test]
fn pages_without_front_matter() {
    for text in [
        "",
        "# T\n",
        "\n---\na: b\n---\n",
        "---\n",
        "---",
        "---\nstatus: open\n\nThe fence is never closed.\n",
        "---\n\nA rule, some words,\n\n---\n\nand another rule.\n",
        "---\nhttps://example.org\n---\n",
        "--- title\na: b\n---\n",
    ] {
        check_yaml(text, &[], text);
        check_lines(text, &[], text);
    }
}

#[test]
fn fences_in_the_body_are_kept() {
    check_yaml(
        "---\na: b\n---\ntext\n\n---\n\nc: d\n---\n",
        &["a=b"],
        "text\n\n---\n\nc: d\n---\n",
    );
    check_yaml("---\na: b\n...\n---\n", &["a=b"], "---\n");
    check_yaml("---\n---\ntext\n", &[], "text\n");
    check_yaml("--- \n# only a remark\n---\t\ntext\n", &[], "text\n");
}

#[test]
fn hostile_yaml_is_cheap() {
    // Aliases may expand exponentially, deep lists may overflow the stack.
    check_yaml("---\na: &x [1]\nb: *x\n---\n", &["a=&x [1]", "b=*x"], "");
    let deep = format!("---\na: {}\n---\n", "[".repeat(50_000));
    assert_eq!(split(&deep, Dialect::Yaml).range, 0..deep.len());
    let nested = format!("---\na: {}{}\n---\nb", "[".repeat(1_000), "]".repeat(1_000));
    assert_eq!(&nested[split(&nested, Dialect::Yaml).range.end..], "b");
    let huge = format!("---\n{}---\nbody", "key: value: with colons\n".repeat(50_000));
    let front = split(&huge, Dialect::Yaml);
    assert_eq!(front.fields.text(&["key"]).as_deref(), Some("value: with colons"));
    assert_eq!(&huge[front.range.end..], "body");
}

proptest! {
    #[test]
    fn any_text_is_split_on_a_line(text in text(), lines in any::<bool>()) {
        let front = split(&text, if lines { Dialect::Lines } else { Dialect::Yaml });
        prop_assert_eq!(front.range.start, 0);
        let end = front.range.end;
        prop_assert!(text.is_char_boundary(end));
        prop_assert!(end == 0 || end == text.len() || text.as_bytes()[end - 1] == b'\n');
    }
}

/// Texts made of the elements of front matter, and of arbitrary characters.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("---".to_owned()),
        Just("\n".to_owned()),
        Just("\r\n".to_owned()),
        Just("- ".to_owned()),
        Just(": ".to_owned()),
        Just("[".to_owned()),
        Just("]".to_owned()),
        Just("{".to_owned()),
        Just("|".to_owned()),
        Just("  ".to_owned()),
        Just("'".to_owned()),
        Just("&a *a".to_owned()),
        Just("# ".to_owned()),
        Just("!!x ".to_owned()),
        Just("\\\"".to_owned()),
        Just("key".to_owned()),
        ".{0,6}",
    ];
    let head = prop_oneof![Just("---\n".to_owned()), Just(String::new())];
    (head, prop::collection::vec(piece, 0..40), prop_oneof![Just("\n---\n"), Just("")])
        .prop_map(|(head, pieces, end)| format!("{head}{}{end}", pieces.concat()))
}
