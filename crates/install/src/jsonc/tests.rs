//! Inserting and removing entries changes no other byte.

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::{Present, Removal, Target, Trace};

fn servers() -> Vec<String> {
    vec!["mcpServers".to_owned()]
}

fn entry() -> Value {
    json!({ "command": "lore", "args": ["mcp"] })
}

fn put(text: &str, containers: &[String], key: Option<&str>) -> Result<(String, Trace), Problem> {
    insert(text, &Target { containers, key, value: &entry() })
}

/// Checks the text with the entry, and that removing the entry restores the first text.
fn check(before: &str, after: &str) {
    let (changed, trace) = put(before, &servers(), Some("lore")).expect("it can be inserted");
    assert_eq!(changed, after);
    let value = entry();
    let containers = servers();
    let target = Target { containers: &containers, key: Some("lore"), value: &value };
    assert_eq!(present(&changed, &target), Ok(Present::Same));
    assert_eq!(remove(&changed, &target, &trace, false), Ok(Removal::Text(before.to_owned())));
    assert!(insert(&changed, &target).is_err(), "it exists already");
}

#[test]
fn the_first_server_adds_the_containers() {
    let whole = "{\n  \"mcpServers\": {\n    \"lore\": {\n      \"command\": \"lore\",\n      \"args\": [\"mcp\"]\n    }\n  }\n}\n";
    check("", whole);
    check("\u{feff}", &format!("\u{feff}{whole}"));
    check("// mine\n", &format!("// mine\n{whole}"));
    check("// mine", &format!("// mine\n{whole}"));
    check("{}", whole.trim_end());
    check("{}\n", whole);
    check("{\n}\n", whole);
    check(
        "{\n\t\"theme\": \"dark\"\n}",
        "{\n\t\"theme\": \"dark\",\n\t\"mcpServers\": {\n\t\t\"lore\": {\n\t\t\t\"command\": \"lore\",\n\t\t\t\"args\": [\"mcp\"]\n\t\t}\n\t}\n}",
    );
}

#[test]
fn other_servers_stay_and_their_layout_is_used() {
    check(
        "{\n    \"mcpServers\": {\n        \"files\": {\"command\": \"files\"}\n    }\n}\n",
        "{\n    \"mcpServers\": {\n        \"files\": {\"command\": \"files\"},\n        \"lore\": {\n            \"command\": \"lore\",\n            \"args\": [\"mcp\"]\n        }\n    }\n}\n",
    );
    // Windows line ends, a trailing comma, and comments that belong to the entry before.
    check(
        "{\r\n  // all\r\n  \"mcpServers\": {\r\n    \"a\": 1, // the first\r\n    // \"b\": 2\r\n  },\r\n}\r\n",
        "{\r\n  // all\r\n  \"mcpServers\": {\r\n    \"a\": 1, // the first\r\n    \"lore\": {\r\n      \"command\": \"lore\",\r\n      \"args\": [\"mcp\"]\r\n    },\r\n    // \"b\": 2\r\n  },\r\n}\r\n",
    );
    check(
        "{\n  \"mcpServers\": {\n    \"a\": 1 /* one */ // first\n  }\n}",
        "{\n  \"mcpServers\": {\n    \"a\": 1, /* one */ // first\n    \"lore\": {\n      \"command\": \"lore\",\n      \"args\": [\"mcp\"]\n    }\n  }\n}",
    );
    check(
        "{\"mcpServers\":{\"a\":1}}",
        "{\"mcpServers\":{\"a\":1,\"lore\":{\"command\":\"lore\",\"args\":[\"mcp\"]}}}",
    );
    check(
        "{\"mcpServers\": {}, \"n\": 1e5}",
        "{\"mcpServers\": {\"lore\": {\"command\": \"lore\", \"args\": [\"mcp\"]}}, \"n\": 1e5}",
    );
    check(
        "{\n  \"mcpServers\": { // none yet\n  }\n}",
        "{\n  \"mcpServers\": { // none yet\n    \"lore\": {\n      \"command\": \"lore\",\n      \"args\": [\"mcp\"]\n    }\n  }\n}",
    );
    check(
        "{\n  \"mcpServers\": {}\n}",
        "{\n  \"mcpServers\": {\n    \"lore\": {\n      \"command\": \"lore\",\n      \"args\": [\"mcp\"]\n    }\n  }\n}",
    );
}

#[test]
fn other_content_keeps_its_spelling() {
    // Repeated keys, escapes, half of a surrogate pair, large numbers.
    let text = "{\"a\": 1, \"a\": 2, \"\\u006dine\": \"\\ud800\", \"n\": 1.50e+400, \"mcpServers\": {\"x\": -0}}";
    let (changed, _) = put(text, &servers(), Some("lore")).expect("it can be inserted");
    let tail = "{\"x\": -0, \"lore\": {\"command\": \"lore\", \"args\": [\"mcp\"]}}}";
    assert_eq!(changed, text.replace("{\"x\": -0}}", tail));
    // A key may be spelled with escapes.
    let escaped = "{\"mcp\\u0053ervers\": {}}";
    let (changed, _) = put(escaped, &servers(), Some("lore")).expect("it can be inserted");
    assert!(changed.starts_with("{\"mcp\\u0053ervers\": {\"lore\""), "{changed}");
}

#[test]
fn deep_texts_are_parsed_and_deeper_ones_refused() {
    let nested = |depth: usize| {
        format!("{{\"a\": {}1{}, \"mcpServers\": {{}}}}", "[".repeat(depth), "]".repeat(depth))
    };
    assert!(put(&nested(150), &servers(), Some("lore")).is_ok());
    let refused = put(&nested(100_000), &servers(), Some("lore")).expect_err("too deep");
    assert_eq!(refused.reason, "values are nested too deeply here");
}

#[test]
fn invalid_texts_are_refused_with_line_and_column() {
    let refused = |text: &str, line: usize, column: usize, reason: &str| {
        let problem = put(text, &servers(), Some("lore")).expect_err(text);
        assert_eq!(problem.position, Some((line, column)), "{text}: {}", problem.reason);
        assert_eq!(problem.reason, reason, "{text}");
    };
    refused("{\n  \"a\": 1\n  \"b\": 2\n}", 3, 3, "expected a comma");
    refused("{\n  \"a\": [1 2]\n}", 2, 11, "expected a comma");
    refused("{\"a\": }", 1, 7, "expected a value");
    refused("{\"a\" 1}", 1, 6, "expected a colon");
    refused("{a: 1}", 1, 2, "expected a name in quotes or `}`");
    refused("{\"a\": 01}", 1, 8, "expected a comma");
    refused("{\"a\": \"b}", 1, 7, "this string has no closing quote");
    refused("{\"a\": \"\\x\"}", 1, 8, "invalid escape in a string");
    refused("{\"a\": \"\tb\"}", 1, 8, "a control character in a string");
    refused("{\"ä\": 1} {}", 1, 10, "expected nothing after the value");
    refused("{ /* a", 1, 3, "this comment has no end");
    refused("{\"a\": 1", 1, 8, "expected a comma or `}`");
    refused("{,}", 1, 2, "expected a name in quotes or `}`");
    refused("[1]", 1, 1, "the file contains a list where an object is expected");
    refused("{\"mcpServers\": []}", 1, 16, "`mcpServers` is a list where an object is expected");
    refused(
        "{\"mcpServers\": 1}",
        1,
        16,
        "`mcpServers` is a single value where an object is expected",
    );
    refused("{\"mcpServers\": {}, \"mcpServers\": {}}", 1, 20, "`mcpServers` occurs twice");
    refused("{\"a\": \"b\n\"}", 1, 7, "this string has no closing quote");
    refused("{\"a\":\u{a0}1}", 1, 6, "expected a value or a name in quotes");
    refused("{\"a\": 0x1}", 1, 7, "expected a value");
    refused("{\"a\": '1'}", 1, 7, "expected a value");
    refused("\u{feff}{\"a\" 1}", 1, 6, "expected a colon");
}

#[test]
fn later_edits_of_the_user_stay() {
    let before = "{\n  \"mcpServers\": {\n    \"a\": 1\n  }\n}\n";
    let (changed, trace) = put(before, &servers(), Some("lore")).expect("it can be inserted");
    let value = entry();
    let containers = servers();
    let target = Target { containers: &containers, key: Some("lore"), value: &value };
    let check = |now: &str, after: &str| {
        assert_eq!(
            remove(now, &target, &trace, false),
            Ok(Removal::Text(after.to_owned())),
            "{now}"
        );
    };
    let more = changed.replace("    }\n  }", "    },\n    \"b\": 2 // new\n  }");
    check(&more, "{\n  \"mcpServers\": {\n    \"a\": 1,\n    \"b\": 2 // new\n  }\n}\n");
    let less = changed.replace("    \"a\": 1,\n", "");
    check(&less, "{\n  \"mcpServers\": {\n  }\n}\n");
    // Reformatted, and a comment before.
    check(
        "{\"mcpServers\":{\"a\":1,/* lore */\"lore\":{\"args\":[\"mcp\"],\"command\":\"lore\"}}}",
        "{\"mcpServers\":{\"a\":1/* lore */}}",
    );
    // Removing the whitespace would join the comment's line with the next one.
    check(
        "{\"mcpServers\":{ // all\n\"lore\":{\"command\":\"lore\",\"args\":[\"mcp\"]}, \"b\": 2}}",
        "{\"mcpServers\":{ // all\n \"b\": 2}}",
    );
    check(
        "{\"mcpServers\": {\"lore\": {\"command\": \"lore\", \"args\": [\"mcp\"],}}}",
        "{\"mcpServers\": {}}",
    );
    assert_eq!(remove("{\"mcpServers\": {}}", &target, &trace, false), Ok(Removal::Absent));
    assert_eq!(remove("", &target, &trace, false), Ok(Removal::Absent));
    assert!(remove("{\"mcpServers\": ", &target, &trace, false).is_err());
}

#[test]
fn an_entry_that_the_user_changed_is_kept() {
    let value = entry();
    let containers = servers();
    let target = Target { containers: &containers, key: Some("lore"), value: &value };
    let trace = Trace::default();
    for edited in [
        "{\"mcpServers\": {\"lore\": {\"command\": \"/opt/lore\", \"args\": [\"mcp\"]}}}",
        "{\"mcpServers\": {\"lore\": {\"command\": \"lore\", \"args\": [\"mcp\"], \"env\": {}}}}",
        "{\"mcpServers\": {\"lore\": {\"command\": \"lore\", /* mine */ \"args\": [\"mcp\"]}}}",
    ] {
        let removal = remove(edited, &target, &trace, false);
        assert!(matches!(removal, Ok(Removal::Edited(_))), "{edited}: {removal:?}");
        let forced = remove(edited, &target, &trace, true);
        assert_eq!(forced, Ok(Removal::Text("{\"mcpServers\": {}}".to_owned())));
    }
}

#[test]
fn added_containers_are_removed_unless_they_are_used() {
    let (changed, trace) =
        put("{\n  \"a\": 1\n}\n", &servers(), Some("lore")).expect("it can be inserted");
    let value = entry();
    let containers = servers();
    let target = Target { containers: &containers, key: Some("lore"), value: &value };
    let used = changed.replace("    }\n  }\n", "    },\n    \"mine\": {}\n  }\n");
    let Ok(Removal::Text(left)) = remove(&used, &target, &trace, false) else { panic!("{used}") };
    assert_eq!(left, "{\n  \"a\": 1,\n  \"mcpServers\": {\n    \"mine\": {}\n  }\n}\n");
    let noted = changed.replace("\"mcpServers\": {", "\"mcpServers\": { // mine");
    let Ok(Removal::Text(left)) = remove(&noted, &target, &trace, false) else { panic!("{noted}") };
    assert_eq!(left, "{\n  \"a\": 1,\n  \"mcpServers\": { // mine\n  }\n}\n");
}

#[test]
fn elements_of_lists() {
    let containers = vec!["hooks".to_owned(), "SessionStart".to_owned()];
    let value = json!({ "hooks": [{ "type": "command" }] });
    let target = Target { containers: &containers, key: None, value: &value };
    let check = |before: &str, after: &str| {
        let (changed, trace) = insert(before, &target).expect("it can be inserted");
        assert_eq!(changed, after);
        assert_eq!(remove(&changed, &target, &trace, false), Ok(Removal::Text(before.to_owned())));
    };
    check(
        "{\n  \"hooks\": {\n    \"SessionStart\": [\n      {\"hooks\": []}\n    ]\n  }\n}\n",
        "{\n  \"hooks\": {\n    \"SessionStart\": [\n      {\"hooks\": []},\n      {\n        \"hooks\": [\n          {\n            \"type\": \"command\"\n          }\n        ]\n      }\n    ]\n  }\n}\n",
    );
    check(
        "{\"hooks\": {\"Stop\": []}}",
        "{\"hooks\": {\"Stop\": [], \"SessionStart\": [{\"hooks\": [{\"type\": \"command\"}]}]}}",
    );
    check(
        "{\"hooks\":{\"SessionStart\":[1]}}",
        "{\"hooks\":{\"SessionStart\":[1, {\"hooks\": [{\"type\": \"command\"}]}]}}",
    );
    let refused = insert("{\"hooks\": {\"SessionStart\": {}}}", &target).expect_err("not a list");
    assert_eq!(refused.reason, "`SessionStart` is an object where a list is expected");
}

/// Whitespace and comments between two tokens.
fn gap() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => Just(String::new()),
        3 => Just(" ".to_owned()),
        3 => Just("\n".to_owned()),
        2 => Just("\n    ".to_owned()),
        2 => Just("\r\n\t".to_owned()),
        1 => Just("/* { \" */".to_owned()),
        1 => Just("// , } lore\n".to_owned()),
        1 => Just("\r".to_owned()),
    ];
    prop::collection::vec(piece, 0..3).prop_map(|pieces| pieces.concat())
}

fn scalar() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("1".to_owned()),
        Just("-0.5e+3".to_owned()),
        Just("null".to_owned()),
        Just("\"\\u00e4 \\\" // {\"".to_owned()),
        Just("\"\"".to_owned()),
    ]
}

/// Any value in any layout.
fn value() -> impl Strategy<Value = String> {
    scalar().prop_recursive(3, 24, 4, |inner| {
        prop_oneof![container(inner.clone(), false, '[', ']'), container(inner, true, '{', '}'),]
    })
}

fn container(
    inner: impl Strategy<Value = String> + 'static,
    is_object: bool,
    open: char,
    close: char,
) -> impl Strategy<Value = String> {
    let key = prop_oneof![Just("a"), Just("b"), Just("lo\\u0072e "), Just("mcp")];
    let item = (gap(), key, gap(), gap(), inner, gap()).prop_map(
        move |(before, key, left, right, value, behind)| {
            if is_object {
                format!("{before}\"{key}\"{left}:{right}{value}{behind}")
            } else {
                format!("{before}{value}{behind}")
            }
        },
    );
    (prop::collection::vec(item, 0..4), any::<bool>(), gap()).prop_map(
        move |(items, trailing, last)| {
            let comma = if trailing && !items.is_empty() { "," } else { "" };
            format!("{open}{}{comma}{last}{close}", items.join(","))
        },
    )
}

/// A document, with or without the container of servers.
fn document() -> impl Strategy<Value = String> {
    let members = || container(value(), true, '{', '}');
    let neighbours = || prop::collection::vec((gap(), value(), gap()), 0..3);
    let with_servers = (neighbours(), gap(), members(), gap(), neighbours(), gap()).prop_map(
        |(left, before, servers, behind, right, last)| {
            let member = |(before, value, behind): (String, String, String)| {
                format!("{before}\"other\":{value}{behind}")
            };
            let own = format!("{before}\"mcpServers\":{servers}{behind}");
            let left = left.into_iter().map(member);
            let right = right.into_iter().map(member);
            let all: Vec<String> = left.chain([own]).chain(right).collect();
            format!("{{{}{last}}}", all.join(","))
        },
    );
    let mark = prop_oneof![3 => Just(""), 1 => Just("\u{feff}")];
    (mark, gap(), prop_oneof![members(), with_servers], gap())
        .prop_map(|(mark, before, root, behind)| format!("{mark}{before}{root}{behind}"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn removing_an_inserted_entry_restores_the_text(text in document()) {
        prop_assert!(Document::parse(&text).is_ok(), "the test writes JSON: {text:?}");
        let value = entry();
        let containers = servers();
        let target = Target { containers: &containers, key: Some("lore"), value: &value };
        match insert(&text, &target) {
            Ok((changed, trace)) => {
                prop_assert_eq!(present(&changed, &target), Ok(Present::Same));
                prop_assert_eq!(
                    remove(&changed, &target, &trace, false),
                    Ok(Removal::Text(text.clone()))
                );
                // Without a trace, only whitespace may differ, and added containers may stay.
                let Ok(Removal::Text(rest)) = remove(&changed, &target, &Trace::default(), false)
                else { return Err(TestCaseError::fail("it exists")) };
                prop_assert_eq!(present(&rest, &target), Ok(Present::Absent));
            }
            // Only behind a line that ends in a bare carriage return, no entry can be inserted.
            Err(problem) => {
                let bare = text.replace("\r\n", "\n");
                prop_assert!(bare.contains('\r'), "{text:?}: {problem:?}");
            }
        }
    }

    #[test]
    fn random_text_is_refused_without_a_panic(text in "[\\{\\}\\[\\],:\"/\\*a1 \\n\\\\ä-]{0,40}") {
        let value = entry();
        let containers = servers();
        let target = Target { containers: &containers, key: Some("lore"), value: &value };
        if let Ok((changed, trace)) = insert(&text, &target) {
            prop_assert_eq!(remove(&changed, &target, &trace, false), Ok(Removal::Text(text)));
        }
    }
}
