//! Compares the encoder with an independent TOON parser.

use proptest::{collection::vec, prelude::*};
use serde_json::json;
use toon_format::decode_strict;

use super::*;
use crate::output::{fixture, json::Json, written};

#[test]
fn every_shape_of_the_specification() {
    let cases = [
        (json!({}), ""),
        (json!([]), "[0]:"),
        (json!("a b"), "a b"),
        (json!({"a": 1, "b": {"c": null, "d": {}}}), "a: 1\nb:\n  c: null\n  d:"),
        (json!({"tags": ["x", "y,z", 3, true]}), "tags[4]: x,\"y,z\",3,true"),
        (
            json!({"hits": [{"id": 1, "name": "Ada"}, {"name": "", "id": 2}]}),
            "hits[2]{id,name}:\n  1,Ada\n  2,\"\"",
        ),
        (
            json!({"hits": [{"id": 1, "tags": []}, {}, 7, [1, 2], [[{"a": 1}]]]}),
            "hits[5]:\n  - id: 1\n    tags[0]:\n  -\n  - 7\n  - [2]: 1,2\n  \
             - [1]:\n    - [1]:\n      - a: 1",
        ),
        (
            json!([{"rows": [{"a": 1}, {"a": 2}], "more": {"b": [[]]}}]),
            "[1]:\n  - rows[2]{a}:\n      1\n      2\n    more:\n      b[1]:\n        - [0]:",
        ),
        (json!([{"a": 1}]), "[1]{a}:\n  1"),
        (json!({"a-b": 1, "": 2, "a.b": 3, "1": [4]}), "\"a-b\": 1\n\"\": 2\na.b: 3\n\"1\"[1]: 4"),
    ];
    for (value, text) in cases {
        assert_eq!(encode(&value), text);
        assert_reads_back(&value);
    }
}

#[test]
fn ambiguous_texts_are_quoted() {
    let quoted = [
        "", " a", "a ", "true", "null", "42", "-3.5", "05", "1e-6", "+1", ".5", "-", "- a", "#a",
        "a:b", "a\"b", "a\\b", "[a", "a}", "a,b", "\u{a0}a", "1_000", "0x10",
    ];
    for text in quoted {
        assert!(encode(&json!(text)).starts_with('"'), "{text}");
        assert_reads_back(&json!({ "a": text, "b": [text, 1], text: 2 }));
    }
    for text in ["True", "a b", "a-b", "日本語", "🦀", "e\u{301}", "3f2a91c", "1.2.3 b", "a#b"]
    {
        assert_eq!(encode(&json!(text)), text);
    }
    assert_eq!(encode(&json!("a\n\t\r\u{1b}\u{9b}\u{202e}b")), r#""a\n\t\r\u001b\u009b\u202eb""#);
    assert_eq!(encode(&json!("a\u{200b}b\u{feff}\u{e0041}")), r#""a\u200bb\ufeff\ufffd""#);
}

#[test]
fn numbers_are_canonical() {
    let numbers = json!([1.0, -0.0, 1.50, 0.000_001, 1e20, 1e-7, -2.5e30, u64::MAX, i64::MIN]);
    assert_eq!(
        encode(&numbers),
        "[9]: 1,0,1.5,0.000001,100000000000000000000,1e-7,-2.5e+30,18446744073709551615,\
         -9223372036854775808"
    );
}

#[test]
fn an_answer_equals_the_json_answer() {
    for response in
        [fixture::response(), fixture::nothing(), fixture::explained(), fixture::hostile()]
    {
        let toon = written(&Toon, &response, &Style::plain());
        let json: Value =
            serde_json::from_str(&written(&Json, &response, &Style::plain())).expect("JSON");
        assert_eq!(read(toon.trim_end_matches('\n')), plain(&json));
    }
}

#[test]
fn a_whole_answer() {
    insta::assert_snapshot!(written(&Toon, &fixture::response(), &Style::plain()));
}

/// Decodes a document with the independent parser.
fn read(toon: &str) -> Value {
    let value: Value = decode_strict(toon).unwrap_or_else(|error| panic!("{error}\n{toon}"));
    plain(&value)
}

/// The value with whole numbers as integers, because TOON does not distinguish `1.0` from `1`.
fn plain(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(plain).collect(),
        Value::Object(fields) => {
            Value::Object(fields.iter().map(|(name, value)| (name.clone(), plain(value))).collect())
        }
        Value::Number(number) if number.is_f64() => {
            number_text(number).parse().map_or_else(|_| value.clone(), Value::Number)
        }
        other => other.clone(),
    }
}

fn assert_reads_back(value: &Value) {
    assert_eq!(read(&encode(value)), plain(value), "{}", encode(value));
}

/// Texts that are difficult for parsers, and arbitrary ones.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        r#"[-#:,"\\\[\]{} \n\t\r|a0e.+_é🦀]{0,8}"#,
        "[+-]?[0-9]{1,3}(\\.[0-9]{1,2})?(e[+-]?[0-9])?",
        "true|false|null|- a|\\[1\\]:|a: b|a\\[2\\]\\{b\\}:",
        any::<String>(),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let primitive = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(|number| json!(number)),
        (-1e12..1e12_f64).prop_map(|number| json!(number)),
        text().prop_map(Value::String),
    ];
    let table =
        (vec(text(), 1..4), vec(vec(primitive.clone(), 4), 1..4)).prop_map(|(keys, rows)| {
            let row = |cells: Vec<Value>| {
                Value::Object(keys.iter().cloned().zip(cells).collect::<Map<String, Value>>())
            };
            Value::Array(rows.into_iter().map(row).collect())
        });
    prop_oneof![4 => primitive, 1 => table].prop_recursive(4, 40, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::Array),
            vec((text(), inner), 0..4)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn any_value_reads_back(value in value()) {
        assert_reads_back(&value);
    }
}
