//! The page of the reference about JSON outputs.

use std::{collections::BTreeMap, fmt::Write as _};

use lore_render::wire::SCHEMA;
use serde_json::{Map, Value};

use super::{
    markdown::{anchor, cell, codes, head},
    outputs::OUTPUTS,
};

/// Heading of the parts that several outputs contain.
const SHARED: &str = "Shared objects";

/// The page.
pub(crate) fn page() -> String {
    let mut page = head("JSON");
    let _ = writeln!(
        page,
        "Every JSON output, with its keys. Each has a schema in the form of JSON Schema 2020-12; \
         [Output](../guide/output.md#schemas) in the guide shows how to use one.\n\n\
         ## Compatibility\n\n\
         - The form of the JSON has the version {SCHEMA}. It is the key `schema` of most outputs, and part of \
         the `$id` of each schema: `urn:lorehound:json:{SCHEMA}:search`.\n\
         - Within a version, keys are only added. A key keeps its name, its type and its meaning, and a key \
         that is always present stays so. Ignore keys that you do not use.\n\
         - Texts for people, such as `warnings` and `reasons`, may change at any time. Lists of names, such as \
         kinds and languages, may get further values.\n\
         - A new version of the form comes only with a new major version of `lore`.\n\n\
         These outputs have other forms, which are not listed here: `--as SYSTEM` ([Answers of other \
         systems](../guide/contracts.md)), `lore rg --json` (that of ripgrep), `lore drift --format sarif` (SARIF \
         2.1.0), `lore lsp` (the Language Server Protocol), and the addresses below `/api/` of `lore serve`, \
         which `/api/openapi.json` describes.\n\n\
         In the tables, \"optional\" marks a key that may be absent; all others are always present.\n"
    );
    page.push_str("| Output | Content | Written by |\n|---|---|---|\n");
    for output in OUTPUTS {
        let _ = writeln!(
            page,
            "| [{}](#{}) | {} | {} |",
            output.name,
            anchor(output.name),
            output.about,
            written_by(output.commands)
        );
    }
    let shared = shared();
    for output in OUTPUTS {
        let schema = output.schema();
        let file = output.file();
        let _ = writeln!(
            page,
            "\n## {}\n\n{}. Written by: {}. Schema: [`{file}`](schemas/{file}).\n",
            output.name,
            output.about,
            written_by(output.commands)
        );
        write_alternatives(&schema, &mut page);
        for (name, part) in parts(&schema).filter(|(name, _)| !shared.contains_key(*name)) {
            let _ = writeln!(page, "\nAn object `{name}`:\n");
            write_object(part, &mut page);
        }
    }
    let _ = writeln!(page, "\n## {SHARED}\n\nSeveral outputs contain these.");
    for (name, part) in shared {
        let _ = writeln!(page, "\n### {name}\n");
        write_object(&part, &mut page);
    }
    page
}

fn written_by(commands: &[&str]) -> String {
    let form = |command: &&str| match command.split_once(" (") {
        _ if !command.starts_with("lore") => (*command).to_owned(),
        Some((command, note)) => format!("`{command}` ({note}"),
        None => format!("`{command}`"),
    };
    commands.iter().map(form).collect::<Vec<_>>().join(", ")
}

/// The parts of a schema that have names.
fn parts(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    schema["$defs"].as_object().into_iter().flat_map(Map::iter)
}

/// The parts that several outputs contain with the same form.
fn shared() -> BTreeMap<String, Value> {
    let mut counts: BTreeMap<String, (usize, Value)> = BTreeMap::new();
    for output in OUTPUTS {
        for (name, part) in parts(&output.schema()) {
            let (count, first) = counts.entry(name.clone()).or_insert_with(|| (0, part.clone()));
            *count += usize::from(first == part);
        }
    }
    let shared = counts.into_iter().filter(|(_, (count, _))| 1 < *count);
    shared.map(|(name, (_, part))| (name, part)).collect()
}

/// Writes the keys of an object, of the items of an array, or of each alternative.
fn write_alternatives(schema: &Value, page: &mut String) {
    if let Some(alternatives) = schema["anyOf"].as_array() {
        for (index, alternative) in alternatives.iter().enumerate() {
            if index > 0 {
                page.push_str("\nThe last line:\n\n");
            }
            write_alternatives(alternative, page);
        }
        return;
    }
    if schema["properties"].is_object() {
        write_object(schema, page);
    } else {
        let _ = writeln!(page, "{}.", upper_first(&kind(schema)));
    }
}

fn write_object(schema: &Value, page: &mut String) {
    let required = schema["required"].as_array();
    let is_required =
        |name: &str| required.is_some_and(|required| required.iter().any(|key| key == name));
    page.push_str("| Key | Type | Meaning |\n|---|---|---|\n");
    for (name, property) in schema["properties"].as_object().into_iter().flat_map(Map::iter) {
        let optional = if is_required(name) { "" } else { ", optional" };
        let about = property["description"].as_str().unwrap_or_default();
        let about = about.split_whitespace().collect::<Vec<_>>().join(" ");
        let _ = writeln!(page, "| `{name}` | {}{optional} | {} |", kind(property), cell(&about));
    }
}

/// The type of a value, in words.
fn kind(schema: &Value) -> String {
    if let Some(reference) = schema["$ref"].as_str() {
        let name = reference.rsplit('/').next().unwrap_or(reference);
        return if shared().contains_key(name) {
            format!("[{name}](#{})", anchor(name))
        } else {
            format!("`{name}`")
        };
    }
    if let Some(values) = schema["enum"].as_array() {
        return codes(values.iter().filter_map(Value::as_str));
    }
    if let Some(choices) = schema["anyOf"].as_array() {
        let mut kinds: Vec<String> = choices.iter().map(kind).collect();
        kinds.dedup();
        return kinds.join(" or ");
    }
    let name = |name: &str| match name {
        "array" if schema["items"].is_object() => format!("array of {}", kind(&schema["items"])),
        "array" => "array".to_owned(),
        "object" if schema["additionalProperties"].is_object() => {
            format!("object: name to {}", kind(&schema["additionalProperties"]))
        }
        name => name.to_owned(),
    };
    match &schema["type"] {
        Value::String(text) => name(text),
        Value::Array(names) => {
            names.iter().filter_map(Value::as_str).map(name).collect::<Vec<_>>().join(" or ")
        }
        _ => "value".to_owned(),
    }
}

fn upper_first(text: &str) -> String {
    let mut characters = text.chars();
    characters
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}
