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
