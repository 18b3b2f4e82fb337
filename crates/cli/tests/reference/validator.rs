//! Validation of JSON against a schema, as far as the schemas of outputs need it.
//!
//! Stricter than JSON Schema: a key that the schema does not list is a fault, so that no output has an
//! undocumented key. A schema with an unknown keyword fails, too.

use serde_json::{Map, Value};

/// Keywords that describe, and those that `check` handles.
const KEYWORDS: &[&str] = &[
    "$defs",
    "$id",
    "$ref",
    "$schema",
    "additionalProperties",
    "anyOf",
    "description",
    "enum",
    "items",
    "maxItems",
    "minItems",
    "minimum",
    "prefixItems",
    "properties",
    "required",
    "title",
    "type",
];

/// Faults of a value, each with its place.
pub(crate) fn faults(root: &Value, value: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    check(root, root, value, "", &mut faults);
    faults
}

/// The schema that a reference names, or the schema itself.
pub(crate) fn resolved<'a>(root: &'a Value, schema: &'a Value) -> &'a Value {
    match schema["$ref"].as_str() {
        Some(reference) => {
            let pointer = reference.strip_prefix('#').expect("a reference in the same file");
            root.pointer(pointer).unwrap_or_else(|| panic!("no {reference}"))
        }
        None => schema,
    }
}

fn check(root: &Value, schema: &Value, value: &Value, at: &str, faults: &mut Vec<String>) {
    let Some(fields) = schema.as_object() else {
        // `true` accepts everything.
        assert_eq!(schema, &Value::Bool(true), "{at}");
        return;
    };
    for key in fields.keys() {
        assert!(KEYWORDS.contains(&key.as_str()), "{at}: the keyword {key}");
    }
    if schema.get("$ref").is_some() {
        return check(root, resolved(root, schema), value, at, faults);
    }
    if let Some(choices) = schema["anyOf"].as_array() {
        let all: Vec<Vec<String>> = choices
            .iter()
            .map(|choice| {
                let mut faults = Vec::new();
                check(root, choice, value, at, &mut faults);
                faults
            })
            .collect();
        if !all.iter().any(Vec::is_empty) {
            faults.extend(all.into_iter().flatten());
        }
    }
    if let Some(values) = schema["enum"].as_array()
        && !values.contains(value)
    {
        faults.push(format!("{at}: {value} is not one of {values:?}"));
    }
    let names: Vec<&str> = match &schema["type"] {
        Value::String(name) => vec![name],
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    if !names.is_empty() && !names.iter().any(|name| has_type(value, name)) {
        faults.push(format!("{at}: {value} is not {names:?}"));
    }
    if let (Some(minimum), Some(number)) = (schema["minimum"].as_f64(), value.as_f64())
        && number < minimum
    {
        faults.push(format!("{at}: {number} is below {minimum}"));
    }
    match value {
        Value::Object(keys) => check_object(root, schema, keys, at, faults),
        Value::Array(items) => {
            let first = schema["prefixItems"].as_array().map_or(&[][..], Vec::as_slice);
            for (index, item) in items.iter().enumerate() {
                let at = format!("{at}[{index}]");
                if let Some(of) = first.get(index).or_else(|| schema.get("items")) {
                    check(root, of, item, &at, faults);
                }
            }
        }
        _ => {}
    }
}

fn check_object(
    root: &Value,
    schema: &Value,
    keys: &Map<String, Value>,
    at: &str,
    faults: &mut Vec<String>,
) {
    for key in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if !keys.contains_key(key) {
            faults.push(format!("{at}: has no {key}"));
        }
    }
    let has_keys = schema.get("properties").or_else(|| schema.get("additionalProperties"));
    for (key, value) in keys.iter().filter(|_| has_keys.is_some()) {
        let at = format!("{at}.{key}");
        let of = schema["properties"].get(key).or_else(|| schema.get("additionalProperties"));
        match of {
            Some(of) => check(root, of, value, &at, faults),
            None => faults.push(format!("{at}: is not in the schema")),
        }
    }
}

fn has_type(value: &Value, name: &str) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => false,
    }
}

#[test]
fn faults_of_every_kind_are_reported() {
    let schema = serde_json::json!({
        "type": "object",
        "required": ["a"],
        "properties": {
            "a": { "type": "integer", "minimum": 0 },
            "b": { "anyOf": [{ "$ref": "#/$defs/B" }, { "type": "null" }] },
            "c": { "enum": ["x"] },
            "d": { "type": "object", "additionalProperties": { "type": "array", "items": { "type": "string" } } },
        },
        "$defs": { "B": { "type": "object", "properties": { "e": { "type": ["boolean", "null"] } } } },
    });
    let count = |value: Value| faults(&schema, &value).len();
    let valid = serde_json::json!({ "a": 1, "b": { "e": null }, "c": "x", "d": { "k": ["v"] } });
    assert_eq!(faults(&schema, &valid), [""; 0]);
    assert_eq!(count(serde_json::json!({ "a": 1, "b": null })), 0);
    assert_eq!(count(serde_json::json!({})), 1);
    assert_eq!(count(serde_json::json!({ "a": -1 })), 1);
    assert_eq!(count(serde_json::json!({ "a": "1" })), 1);
    assert_eq!(count(serde_json::json!({ "a": 1, "f": 1 })), 1);
    assert_eq!(count(serde_json::json!({ "a": 1, "b": { "e": 1 } })), 2);
    assert_eq!(count(serde_json::json!({ "a": 1, "c": "y" })), 1);
    assert_eq!(count(serde_json::json!({ "a": 1, "d": { "k": [1] } })), 1);
}
