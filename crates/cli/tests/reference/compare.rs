//! Comparison of the schemas of two versions: a later one may only add.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::validator::resolved;

/// Promises of an earlier schema that a later one breaks, each with its place.
pub(crate) fn broken(old: &Value, new: &Value) -> Vec<String> {
    let mut broken = Vec::new();
    compare((old, old), (new, new), "", &mut BTreeSet::new(), &mut broken);
    broken
}

/// A schema with the file that contains it.
type Part<'a> = (&'a Value, &'a Value);

fn compare(
    (old_root, old): Part<'_>,
    (new_root, new): Part<'_>,
    at: &str,
    seen: &mut BTreeSet<String>,
    broken: &mut Vec<String>,
) {
    // Schemas of nested failures contain themselves.
    if let Some(reference) = old["$ref"].as_str()
        && !seen.insert(format!("{reference} {}", new["$ref"]))
    {
        return;
    }
    let (old_forms, new_forms) = (forms(old_root, old), forms(new_root, new));
    let (old_types, new_types) = (types(&old_forms), types(&new_forms));
    if old_types != new_types {
        broken.push(format!("{at}: the types {old_types:?} are now {new_types:?}"));
        return;
    }
    let of_kind = |forms: &[&Value], key: &str| -> Vec<Value> {
        forms.iter().filter_map(|form| form.get(key)).cloned().collect()
    };
    for key in ["items", "additionalProperties"] {
        for (old, new) in of_kind(&old_forms, key).iter().zip(&of_kind(&new_forms, key)) {
            compare((old_root, old), (new_root, new), &format!("{at}[]"), seen, broken);
        }
    }
    let values = |forms: &[&Value]| -> Vec<Value> {
        let lists = forms.iter().filter_map(|form| form["enum"].as_array());
        lists.flatten().cloned().collect()
    };
    let new_values = values(&new_forms);
    for value in values(&old_forms) {
        if !new_values.is_empty() && !new_values.contains(&value) {
            broken.push(format!("{at}: the value {value} is missing"));
        }
    }
    let objects = |forms: &[&Value]| -> Vec<Value> {
        forms
            .iter()
            .filter(|form| form["properties"].is_object())
            .map(|form| (*form).clone())
            .collect()
    };
    let new_objects = objects(&new_forms);
    for (index, old) in objects(&old_forms).iter().enumerate() {
        let Some(new) = new_objects.get(index) else {
            broken.push(format!("{at}: an alternative is missing"));
            continue;
        };
        for (key, property) in old["properties"].as_object().into_iter().flatten() {
            let at = format!("{at}.{key}");
            match new["properties"].get(key) {
                Some(now) => compare((old_root, property), (new_root, now), &at, seen, broken),
                None => broken.push(format!("{at}: is missing")),
            }
        }
        for key in old["required"].as_array().into_iter().flatten() {
            if !new["required"].as_array().is_some_and(|required| required.contains(key)) {
                broken.push(format!("{at}: {key} is no longer required"));
            }
        }
    }
}

/// The alternatives of a schema, without references.
fn forms<'a>(root: &'a Value, schema: &'a Value) -> Vec<&'a Value> {
    let schema = resolved(root, schema);
    match schema["anyOf"].as_array() {
        Some(choices) => choices.iter().flat_map(|choice| forms(root, choice)).collect(),
        None => vec![schema],
    }
}

/// The names of the types of all alternatives.
fn types(forms: &[&Value]) -> BTreeSet<String> {
    let names = |form: &&Value| -> Vec<String> {
        match &form["type"] {
            Value::String(name) => vec![name.clone()],
            Value::Array(names) => {
                names.iter().filter_map(Value::as_str).map(str::to_owned).collect()
            }
            _ if form["properties"].is_object() => vec!["object".to_owned()],
            _ => Vec::new(),
        }
    };
    forms.iter().flat_map(names).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_additions_are_compatible() {
        let old = json!({
            "type": "object",
            "required": ["a", "b"],
            "properties": {
                "a": { "type": ["string", "null"] },
                "b": { "type": "array", "items": { "$ref": "#/$defs/B" } },
            },
            "$defs": { "B": {
                "type": "object",
                "required": ["c"],
                "properties": { "c": { "type": "integer" }, "d": { "enum": ["x", "y"] } },
            } },
        });
        assert_eq!(broken(&old, &old), [""; 0]);
        let changed = |change: &dyn Fn(&mut Value)| {
            let mut new = old.clone();
            change(&mut new);
            broken(&old, &new)
        };
        let added = changed(&|new| {
            new["properties"]["e"] = json!({ "type": "string" });
            new["required"] = json!(["a", "b", "e"]);
            new["$defs"]["B"]["properties"]["d"] = json!({ "enum": ["x", "y", "z"] });
        });
        assert_eq!(added, [""; 0]);
        let removed = changed(&|new| {
            new["properties"].as_object_mut().unwrap().remove("a");
        });
        assert_eq!(removed, [".a: is missing"]);
        let nested = changed(&|new| {
            new["$defs"]["B"]["properties"].as_object_mut().unwrap().remove("c");
        });
        assert_eq!(nested, [".b[].c: is missing"]);
        let narrowed = changed(&|new| new["properties"]["a"] = json!({ "type": "string" }));
        assert_eq!(narrowed.len(), 1, "{narrowed:?}");
        let widened =
            changed(&|new| new["$defs"]["B"]["properties"]["c"]["type"] = json!("number"));
        assert_eq!(widened.len(), 1, "{widened:?}");
        let optional = changed(&|new| new["required"] = json!(["b"]));
        assert_eq!(optional, [": \"a\" is no longer required"]);
        let value = changed(&|new| new["$defs"]["B"]["properties"]["d"] = json!({ "enum": ["x"] }));
        assert_eq!(value, [".b[].d: the value \"y\" is missing"]);
        let renamed = changed(&|new| {
            let part = new["$defs"]["B"].take();
            new["$defs"] = json!({ "C": part });
            new["properties"]["b"]["items"] = json!({ "$ref": "#/$defs/C" });
        });
        assert_eq!(renamed, [""; 0]);
    }
}
