//! JSON Schemas of wire types and of arguments, derived from the types themselves.

use schemars::{
    JsonSchema, Schema,
    generate::{SchemaGenerator, SchemaSettings},
    transform::{Transform, transform_subschemas},
};
use serde_json::Value;

/// Returns the schema of an answer. It has no descriptions: a client receives it in every session.
pub fn answer_schema<T: JsonSchema>() -> Value {
    let settings = settings().for_serialize().with_transform(OnlyShape);
    SchemaGenerator::new(settings).into_root_schema_for::<T>().to_value()
}

/// Returns the schema of the arguments of a call. An argument may be omitted, but not be null.
pub fn arguments_schema<T: JsonSchema>() -> Value {
    let settings = settings().for_deserialize().with_transform(Plain);
    SchemaGenerator::new(settings).into_root_schema_for::<T>().to_value()
}

/// Returns the schema of an output, for its readers: with descriptions and with the names of its parts.
///
/// It accepts keys that a later version adds.
pub fn output_schema<T: JsonSchema>() -> Value {
    let settings = settings().for_serialize().with_transform(Published);
    let settings = settings.with(|settings| settings.inline_subschemas = false);
    let mut schema = SchemaGenerator::new(settings).into_root_schema_for::<T>().to_value();
    let names = schema["$defs"].as_object().map(|parts| parts.keys().cloned().collect::<Vec<_>>());
    if let Some(fields) = schema.as_object_mut() {
        fields.remove("title");
    }
    for name in names.into_iter().flatten() {
        rename(&mut schema, &name, name.trim_end_matches("Wire"));
    }
    schema
}

/// Renames a part of a schema, and the references to it.
fn rename(schema: &mut Value, from: &str, to: &str) {
    match schema {
        Value::Object(fields) => {
            for (key, value) in fields.iter_mut() {
                match value {
                    Value::Object(parts) if key == "$defs" => {
                        let renamed = std::mem::take(parts).into_iter();
                        *parts = renamed
                            .map(|(name, part)| {
                                (if name == from { to.to_owned() } else { name }, part)
                            })
                            .collect();
                    }
                    Value::String(reference) if key == "$ref" => {
                        if *reference == format!("#/$defs/{from}") {
                            *reference = format!("#/$defs/{to}");
                        }
                        continue;
                    }
                    _ => {}
                }
                rename(value, from, to);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| rename(item, from, to)),
        _ => {}
    }
}

fn settings() -> SchemaSettings {
    SchemaSettings::draft2020_12().with(|settings| {
        settings.meta_schema = None;
        settings.inline_subschemas = true;
    })
}

/// Removes everything but names, types, required fields and enumerations.
#[derive(Debug, Clone)]
struct OnlyShape;

impl Transform for OnlyShape {
    fn transform(&mut self, schema: &mut Schema) {
        // Bounds and formats of integers state the type in Rust.
        for key in ["title", "description", "format", "minimum", "maximum"] {
            schema.remove(key);
        }
        transform_subschemas(self, schema);
    }
}

/// Removes names and integer formats of Rust, and the ban on further keys.
#[derive(Debug, Clone)]
struct Published;

impl Transform for Published {
    fn transform(&mut self, schema: &mut Schema) {
        for key in ["title", "format", "maximum"] {
            schema.remove(key);
        }
        if schema.get("additionalProperties") == Some(&Value::Bool(false)) {
            schema.remove("additionalProperties");
        }
        // The lines of the description are those of the source text.
        if let Some(text) = schema.get("description").and_then(Value::as_str) {
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            schema.insert("description".to_owned(), text.into());
        }
        transform_subschemas(self, schema);
    }
}

/// Removes names and integer formats of Rust, and null as a value.
#[derive(Debug, Clone)]
struct Plain;

impl Transform for Plain {
    fn transform(&mut self, schema: &mut Schema) {
        for key in ["title", "format"] {
            schema.remove(key);
        }
        let value = schema.get("type").and_then(|kinds| {
            let kinds: Vec<&Value> =
                kinds.as_array()?.iter().filter(|kind| *kind != "null").collect();
            (kinds.len() == 1).then(|| kinds[0].clone())
        });
        if let Some(value) = value {
            schema.insert("type".to_owned(), value);
        }
        // An optional enumeration is a choice between the enumeration and null.
        let choice = schema.get("anyOf").and_then(|choices| {
            let choices: Vec<&Value> =
                choices.as_array()?.iter().filter(|choice| choice["type"] != "null").collect();
            (choices.len() == 1).then(|| choices[0].clone())
        });
        if let Some(Value::Object(choice)) = choice {
            schema.remove("anyOf");
            for (key, value) in choice {
                schema.insert(key, value);
            }
        }
        transform_subschemas(self, schema);
    }
}
