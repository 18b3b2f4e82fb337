//! The arguments of a call, checked against the schema that clients were shown.
//!
//! Reads the part of JSON Schema that the tools use: objects, arrays, texts, numbers, switches,
//! alternatives and bounds. An error names the expected value.

use lore_console::names::did_you_mean;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::failure::Failure;

/// Arguments that fit their schema. An argument that is null counts as missing.
#[derive(Debug, Default)]
pub struct Arguments(Map<String, Value>);

impl Arguments {
    /// Checks arguments against their schema.
    pub fn read(schema: &Value, given: Option<Map<String, Value>>) -> Result<Arguments, Failure> {
        let mut given = given.unwrap_or_default();
        given.retain(|_, value| !value.is_null());
        let properties = schema["properties"].as_object();
        let names: Vec<&str> =
            properties.map(|all| all.keys().map(String::as_str).collect()).unwrap_or_default();
        for (name, value) in &given {
            let Some(expected) = properties.and_then(|all| all.get(name)) else {
                let near = did_you_mean(name, &names);
                return Err(Failure::new(format!("there is no argument `{name}`{near}"))
                    .remedy(format!("the arguments are {}", names.join(", "))));
            };
            check(expected, value, name).map_err(Failure::new)?;
        }
        for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            if !given.contains_key(name) {
                return Err(Failure::new(format!("the argument `{name}` is missing")).remedy(
                    properties
                        .and_then(|all| all.get(name)?["description"].as_str())
                        .unwrap_or_default(),
                ));
            }
        }
        Ok(Arguments(given))
    }

    /// Converts the arguments to the type that the schema was derived from.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, Failure> {
        serde_json::from_value(Value::Object(self.0.clone()))
            .map_err(|error| Failure::new(format!("could not read the arguments: {error}")))
    }

    /// A text.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name)?.as_str()
    }

    /// A text, or several.
    pub fn texts(&self, name: &str) -> Vec<String> {
        match self.0.get(name) {
            Some(Value::String(one)) => vec![one.clone()],
            Some(Value::Array(many)) => {
                many.iter().filter_map(Value::as_str).map(str::to_owned).collect()
            }
            _ => Vec::new(),
        }
    }

    /// A whole number.
    pub fn number(&self, name: &str) -> Option<usize> {
        usize::try_from(self.0.get(name)?.as_u64()?).ok()
    }

    /// A number that may have a fraction.
    pub fn fraction(&self, name: &str) -> Option<f64> {
        self.0.get(name)?.as_f64()
    }

    /// A switch; false if it is missing.
    pub fn switch(&self, name: &str) -> bool {
        self.0.get(name).and_then(Value::as_bool).unwrap_or_default()
    }

    /// Returns all arguments, to identify the answer that a cursor belongs to.
    pub fn all(&self) -> &Map<String, Value> {
        &self.0
    }
}

/// Checks a value against a schema; the error is the expected value and its place.
pub fn check(schema: &Value, value: &Value, place: &str) -> Result<(), String> {
    if let Some(alternatives) = schema["anyOf"].as_array() {
        let fits = |schema: &Value| check(schema, value, place);
        let mut failed = Err(format!("`{place}` fits nothing"));
        for alternative in alternatives {
            failed = fits(alternative);
            if failed.is_ok() {
                return Ok(());
            }
        }
        return failed;
    }
    let types: Vec<&str> = match &schema["type"] {
        Value::String(one) => vec![one],
        Value::Array(many) => many.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    if !types.is_empty() && !types.iter().any(|name| is_of(name, value)) {
        return Err(format!("`{place}` must be {}, but is {value}", in_words(&types)));
    }
    if let Some(values) = schema["enum"].as_array()
        && !values.contains(value)
    {
        let values: Vec<String> = values.iter().map(Value::to_string).collect();
        return Err(format!("`{place}` must be one of {}, but is {value}", values.join(", ")));
    }
    if let Some(number) = value.as_f64() {
        if schema["minimum"].as_f64().is_some_and(|least| number < least) {
            return Err(format!(
                "`{place}` must be at least {}, but is {value}",
                schema["minimum"]
            ));
        }
        if schema["maximum"].as_f64().is_some_and(|most| most < number) {
            return Err(format!("`{place}` must be at most {}, but is {value}", schema["maximum"]));
        }
    }
    if let Some(items) = value.as_array() {
        for (position, item) in items.iter().enumerate() {
            check(&schema["items"], item, &format!("{place}[{position}]"))?;
        }
    }
    if let (Some(fields), Some(properties)) = (value.as_object(), schema["properties"].as_object())
    {
        for (name, field) in fields {
            match properties.get(name) {
                Some(expected) => check(expected, field, &format!("{place}.{name}"))?,
                None if schema["additionalProperties"] == Value::Bool(false) => {
                    return Err(format!("`{place}` has no field `{name}`"));
                }
                None => {}
            }
        }
        for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            if !fields.contains_key(name) {
                return Err(format!("`{place}` lacks the field `{name}`"));
            }
        }
    }
    Ok(())
}

fn is_of(name: &str, value: &Value) -> bool {
    match name {
        "array" => value.is_array(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "null" => value.is_null(),
        "number" => value.is_number(),
        "object" => value.is_object(),
        _ => value.is_string(),
    }
}

/// Names of types as a sentence has them.
fn in_words(types: &[&str]) -> String {
    let words: Vec<&str> = types
        .iter()
        .map(|name| match *name {
            "array" => "a list",
            "boolean" => "true or false",
            "integer" => "a whole number",
            "null" => "null",
            "number" => "a number",
            "object" => "an object",
            _ => "a text",
        })
        .collect();
    words.join(" or ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(given: &Value) -> Result<Arguments, String> {
        let schema = json!({
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "What to look for"},
                "in": {"anyOf": [
                    {"type": "string", "enum": ["code", "docs"]},
                    {"type": "array", "items": {"type": "string", "enum": ["code", "docs"]}},
                ]},
                "limit": {"type": "integer", "minimum": 1, "maximum": 50},
            },
            "required": ["query"],
            "additionalProperties": false,
        });
        let given = given.as_object().cloned();
        Arguments::read(&schema, given).map_err(|failure| failure.text())
    }

    #[test]
    fn what_fits_is_read() {
        let read = read(&json!({"query": "a", "in": ["code"], "limit": null})).expect("it fits");
        assert_eq!(read.text("query"), Some("a"));
        assert_eq!(read.texts("in"), ["code"]);
        assert_eq!(read.number("limit"), None);
    }

    #[test]
    fn errors_name_the_expected_value() {
        let check = |given: Value, expected: &str| {
            let error = read(&given).expect_err("it does not fit");
            assert!(error.starts_with(expected), "{given}: {error}");
        };
        check(json!({}), "the argument `query` is missing\nWhat to look for");
        check(json!({"query": 7}), "`query` must be a text, but is 7");
        check(json!({"query": "a", "limit": 0}), "`limit` must be at least 1, but is 0");
        check(json!({"query": "a", "limit": 51}), "`limit` must be at most 50, but is 51");
        check(json!({"query": "a", "limit": 1.5}), "`limit` must be a whole number, but is 1.5");
        check(json!({"query": "a", "in": ["coat"]}), "`in[0]` must be one of \"code\", \"docs\"");
        check(
            json!({"quary": "a"}),
            "there is no argument `quary`; did you mean `query`?\nthe arguments are",
        );
    }
}
