//! Tables of queries and their trees, written in a short notation.

use proptest::prelude::*;

use super::{
    Dialect, Expression, Parsed, QueryError,
    ast::{Comparison, Test, Value},
    parse,
};

const FIELDS: &[&str] = &["created", "path", "status", "tag", "title"];

fn read(text: &str) -> Result<Parsed, QueryError> {
    parse(text, Dialect { is_field: &|name| FIELDS.contains(&name), has_not: true })
}

/// The tree with every part named, independent of the parser and the printer.
fn outline(expression: &Expression) -> String {
    let list = |parts: &[Expression]| parts.iter().map(outline).collect::<Vec<_>>().join(" ");
    match expression {
        Expression::Sequence(parts) => format!("seq[{}]", list(parts)),
        Expression::And(parts) => format!("and[{}]", list(parts)),
        Expression::Or(parts) => format!("or[{}]", list(parts)),
        Expression::Not(part) => format!("not[{}]", outline(part)),
        Expression::Required(part) => format!("must[{}]", outline(part)),
        Expression::Word(word) => word.clone(),
        Expression::Phrase(words) => format!("phrase<{words}>"),
        Expression::Prefix(start) => format!("prefix<{start}>"),
        Expression::Fuzzy { term, distance } => {
            format!("fuzzy<{term},{}>", distance.map_or("auto".into(), |edits| edits.to_string()))
        }
        Expression::Field { name, test } => format!("{name}{{{}}}", outline_of_test(test)),
    }
}

fn outline_of_test(test: &Test) -> String {
    match test {
        Test::Is(values) => {
            let outline_value = |value: &Value| match value {
                Value::Exact(text) => text.clone(),
                Value::Quoted(text) => format!("<{text}>"),
                Value::Prefix(text) => format!("prefix<{text}>"),
            };
            values.iter().map(outline_value).collect::<Vec<_>>().join("|")
        }
        Test::Compare(comparison, value) => {
            let name = match comparison {
                Comparison::Less => "below",
                Comparison::LessOrEqual => "at most",
                Comparison::Greater => "above",
                Comparison::GreaterOrEqual => "at least",
            };
            format!("{name} {value}")
        }
        Test::Between(from, to) => {
            let side = |value: &Option<String>| value.clone().unwrap_or_else(|| "open".into());
            format!("{} to {}", side(from), side(to))
        }
    }
}

fn check(text: &str, expected: &str) {
    let parsed = read(text).unwrap_or_else(|error| panic!("{text:?}: {error:?}"));
    let found = parsed.expression.as_ref().map(outline).unwrap_or_default();
    assert_eq!(found, expected, "{text:?}");
    assert_eq!(parsed.unknown_fields, [""; 0], "{text:?}");
}

#[test]
fn words_are_words() {
    check("", "");
    check("   ", "");
    check("token", "token");
    check("token  refresh", "seq[token refresh]");
    check("how do and or not work", "seq[how do and or not work]");
    check("foo() std::vec http://a.b C++ a->b", "seq[foo() std::vec http://a.b C++ a->b]");
    check("a - b --flag -- + ->", "seq[a - b --flag -- + ->]");
    check("5\" disk don't ~/x ** *.rs a~b", "seq[5\" disk don't ~/x ** *.rs a~b]");
    check("12:30 C:\\temp fix(api): typo", "seq[12:30 C:\\temp fix(api): typo]");
    check("first) second", "seq[first) second]");
    check("status: what is it?", "seq[status: what is it?]");
    check("节点 ÉTUDE 🦀", "seq[节点 ÉTUDE 🦀]");
}

#[test]
fn operators_bind_by_precedence() {
    check("a AND b", "and[a b]");
    check("a OR b AND c", "or[a and[b c]]");
    check("a AND b OR NOT c", "or[and[a b] not[c]]");
    check("(a OR b) AND c", "and[or[a b] c]");
    check("a b AND c", "and[seq[a b] c]");
    check("a AND (b AND c)", "and[a b c]");
    check("a (b c) d", "seq[a b c d]");
    check("a (b OR c)", "seq[a or[b c]]");
    check("api NOT deprecated", "seq[api not[deprecated]]");
    check("api -deprecated +rest", "seq[api not[deprecated] must[rest]]");
    check("-\"two words\" -(a OR b)", "seq[not[phrase<two words>] not[or[a b]]]");
    check("NOT NOT a", "not[not[a]]");
    check("(foo() OR bar(a))", "or[foo() bar(a)]");
}

#[test]
fn phrases_prefixes_and_typing_errors() {
    check("\"token refresh\" flow", "seq[phrase<token refresh> flow]");
    check(r#""say \"hi\" \\ \n""#, r#"phrase<say "hi" \ \n>"#);
    check(
        "auth* authetication~ term~2 teh~0",
        "seq[prefix<auth> fuzzy<authetication,auto> fuzzy<term,2> fuzzy<teh,0>]",
    );
    check("foo-bar~", "fuzzy<foo-bar,auto>");
}

#[test]
fn fields() {
    check("tag:api status:in-progress oauth", "seq[tag{api} status{in-progress} oauth]");
    check("Status:planned", "status{planned}");
    check("tag:auth*,\"a b\",c", "tag{prefix<auth>|<a b>|c}");
    check("created:>2025-11-01", "created{above 2025-11-01}");
    check(
        "created:>=2025 created:<2025-10 created:<=\"7 days ago\"",
        "seq[created{at least 2025} created{below 2025-10} created{at most 7 days ago}]",
    );
    check("created:2025-10-01..2025-11-01", "created{2025-10-01 to 2025-11-01}");
    check("created:..2025 created:2024..", "seq[created{open to 2025} created{2024 to open}]");
    check("path:/src", "path{/src}");
    check("path:src/{a,b}/**/*.rs,docs", "path{src/{a,b}/**/*.rs|docs}");
    check("-tag:x (tag:a OR tag:b)", "seq[not[tag{x}] or[tag{a} tag{b}]]");
    check("tag:=>x", "tag{>x}");
    check("path:../x title:refund...", "seq[path{../x} title{refund...}]");
    check("host:8080 main.rs:42", "seq[host:8080 main.rs:42]");
}

#[test]
fn unknown_fields_are_text() {
    let parsed = read("foo:bar Foo:x see: tag:a foo:b").expect("understood");
    assert_eq!(outline(&parsed.expression.expect("words")), "seq[foo:bar Foo:x see: tag{a} foo:b]");
    assert_eq!(parsed.unknown_fields, ["foo", "Foo"]);
}

#[test]
fn not_may_be_a_word() {
    let parsed = parse("do NOT panic -now", Dialect { is_field: &|_| false, has_not: false });
    let tree = parsed.expect("understood").expression.expect("words");
    assert_eq!(outline(&tree), "seq[do NOT panic not[now]]");
}

#[test]
fn errors_have_a_position() {
    let check = |text: &str, message: &str, at: &str| {
        let error = read(text).expect_err(text);
        assert_eq!(error.message, message, "{text:?}");
        assert_eq!(&text[error.span.clone()], at, "{text:?} at {:?}", error.span);
    };
    check("auth AND", "the query ends with the operator `AND`", "AND");
    check("(a OR ) b", "the query ends with the operator `OR`", "OR");
    check("AND", "unexpected operator `AND`", "AND");
    check("a OR AND b", "unexpected operator `AND`", "AND");
    check("a NOT", "the operator `NOT` has nothing to exclude", "NOT");
    check("tag:", "missing value for field `tag:`", "tag:");
    check("a Tag: AND b", "missing value for field `Tag:`", "Tag:");
    check("tag:>", "missing value for field `tag:`", "tag:>");
    check("created:..", "missing value for field `created:`", "created:..");
    check("a \"open", "unterminated quote in the query", "\"");
    check("(api", "missing closing parenthesis", "(");
    check("()", "the parentheses are empty", "");
    check("word~7", "a word may have at most 3 edits", "~7");
}

#[test]
fn deep_queries_are_rejected() {
    for text in ["(".repeat(100_000), "NOT ".repeat(100_000) + "a", "-(".repeat(100_000)] {
        let error = read(&text).expect_err("too deep");
        assert_eq!(error.message, "the query is nested deeper than 64 levels");
    }
}

/// Tokens with a meaning for the parser, so that random queries are not only words.
fn queries() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("AND".to_owned()),
        Just("OR".to_owned()),
        Just("NOT".to_owned()),
        Just("(".to_owned()),
        Just(")".to_owned()),
        Just("\"".to_owned()),
        Just("\\".to_owned()),
        Just("+".to_owned()),
        Just("-".to_owned()),
        Just("~".to_owned()),
        Just("*".to_owned()),
        Just("tag:".to_owned()),
        Just("created:>=".to_owned()),
        Just("path:".to_owned()),
        Just("..".to_owned()),
        Just(",".to_owned()),
        Just("=".to_owned()),
        Just("{".to_owned()),
        Just(" ".to_owned()),
        Just(" ".to_owned()),
        "[a-c]{1,3}",
        "\\PC{1,2}",
    ];
    proptest::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

#[test]
fn printing_keeps_rare_shapes() {
    for text in ["tag: NOT a", "tag: -(\\)", "(tag: -a) OR b", "tag:=:..\\"] {
        let tree = read(text).expect(text).expression.expect(text);
        let again = read(&tree.to_string()).map(|parsed| parsed.expression);
        assert_eq!(again, Ok(Some(tree)), "{text:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_096, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn printing_and_parsing_agree(text in queries()) {
        let Ok(parsed) = read(&text) else { return Ok(()) };
        let Some(tree) = parsed.expression else { return Ok(()) };
        let printed = tree.to_string();
        let again = read(&printed);
        prop_assert_eq!(again.map(|parsed| parsed.expression), Ok(Some(tree)), "printed {:?}", printed);
    }

    #[test]
    fn error_positions_are_in_the_text(text in queries()) {
        if let Err(error) = read(&text) {
            prop_assert!(text.get(error.span).is_some());
        }
    }
}
