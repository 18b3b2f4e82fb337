//! beads: one issue per line in `.beads/issues.jsonl` (formerly `.beads/beads.jsonl`).
//!
//! Git merges the file, so it may contain conflict markers, and the same issue twice.

use std::collections::HashMap;

use lore_schema::{Document, SkipReason};

use super::record::{
    Record, claim_paths, comments, count, first_paragraph, read_files, store_limit,
};
use crate::{
    UnitFiles,
    attributes::keep,
    store::{Listing, Reader, UnitContent},
    units::Claim,
    value::{Fields, Value},
};

pub(super) struct Beads;

impl Reader for Beads {
    fn name(&self) -> &'static str {
        "beads"
    }

    fn claim(&self, listing: &Listing<'_>) -> Vec<Claim> {
        claim_paths(listing, &[".beads/beads.jsonl", ".beads/issues.jsonl"])
    }

    fn read(&self, tree: &UnitFiles<'_>, unit: &Claim) -> UnitContent {
        let limit = self.size_limit(tree.options().max_file_size);
        read_files(tree, unit, limit, |path, text, content| parse(path, &text, content))
    }

    fn size_limit(&self, general: u64) -> u64 {
        store_limit(general)
    }
}

/// Reads a store. Of duplicate issues, the one that was updated last is kept; if equal, the later
/// one.
pub(super) fn parse(path: &str, text: &str, content: &mut UnitContent) {
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut documents: Vec<Document> = Vec::new();
    for (number, line) in (1..).zip(text.lines().map(str::trim)) {
        if line.is_empty() {
            continue;
        }
        let Ok(Value::Map(fields)) = serde_json::from_str(line) else {
            count(&mut content.skipped, SkipReason::Malformed);
            continue;
        };
        let Some(id) = fields.text(&["id"]) else {
            count(&mut content.skipped, SkipReason::Malformed);
            continue;
        };
        // Deleted issues remain as tombstones for other clones.
        let mut record = record(&id, &fields);
        record.attributes.lines = Some((number, number));
        let document = record.into_document("beads", path, format!("{path}#{id}"));
        match places.get(&id) {
            None => {
                places.insert(id, documents.len());
                documents.push(document);
            }
            Some(&place) => {
                if document.attributes.updated >= documents[place].attributes.updated {
                    documents[place] = document;
                }
            }
        }
    }
    documents.retain(|document| document.attributes.status.as_deref() != Some("tombstone"));
    content.documents.append(&mut documents);
}

/// Fields that become sections of the page instead of attributes.
const PROSE: &[(&str, &[&str])] = &[
    ("Description", &["description", "body"]),
    ("Design", &["design"]),
    ("Acceptance Criteria", &["acceptance_criteria", "acceptanceCriteria"]),
    ("Notes", &["notes"]),
    ("Close Reason", &["close_reason", "closeReason"]),
];

fn record(id: &str, fields: &Fields) -> Record {
    let mut record = Record {
        id: id.to_owned(),
        title: fields.text(&["title"]).unwrap_or_default(),
        ..Record::default()
    };
    for (heading, names) in PROSE {
        record.add_value(heading, fields.first(names));
    }
    record.attributes.description =
        fields.text(&["description", "body"]).as_deref().and_then(first_paragraph);
    record.add_section("Dependencies", &dependencies(fields.get("dependencies")));
    record.add_section("Comments", &comments(fields.get("comments")));
    for (name, value) in fields.iter() {
        let is_prose = PROSE.iter().any(|(_, names)| names.contains(&name));
        match name {
            "id" | "title" | "dependencies" | "comments" => {}
            "issue_type" => value.flatten("type", &mut record.attributes.extra),
            _ if is_prose => {}
            _ => keep(&mut record.attributes, name, value),
        }
    }
    for dependency in fields.get("dependencies").items() {
        let target = match dependency.fields() {
            Some(fields) => fields.text(&["depends_on_id", "id"]),
            None => dependency.text(),
        };
        if let Some(target) = target {
            record.add("dependency", target);
        }
    }
    record
}

fn dependencies(value: &Value) -> String {
    let line = |dependency: &Value| match dependency.fields() {
        Some(fields) => {
            let target = fields.text(&["depends_on_id", "id"])?;
            let kind = fields.text(&["type"]).unwrap_or_else(|| "blocks".to_owned());
            Some(format!("- {target} ({kind})"))
        }
        None => Some(format!("- {}", dependency.text()?)),
    };
    value.items().iter().filter_map(line).collect::<Vec<_>>().join("\n")
}
