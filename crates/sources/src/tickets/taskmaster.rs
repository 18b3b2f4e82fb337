//! Task Master: `.taskmaster/tasks/tasks.json`, earlier `tasks/tasks.json`. Tasks lie under the
//! names of tags, in the older shape under no name; a subtask is a ticket of its own.

use std::collections::BTreeMap;

use lore_schema::SkipReason;

use super::record::{Record, claim_paths, count, first_paragraph, read_files, store_limit};
use crate::{
    Tree,
    attributes::keep,
    store::{Claim, Listing, Reader, UnitContent},
    value::{Fields, Value},
};

pub(super) struct TaskMaster;

const STORE: &str = ".taskmaster/tasks/tasks.json";
const OLD_STORE: &str = "tasks/tasks.json";

impl Reader for TaskMaster {
    fn name(&self) -> &'static str {
        "taskmaster"
    }

    fn claim(&self, listing: &Listing<'_>) -> Vec<Claim> {
        let mut claims = claim_paths(listing, &[STORE]);
        // Other programs use the old path, too: it counts only beside this one's other files.
        let is_ours = || {
            listing.has(".taskmasterconfig")
                || listing.under("tasks").any(|index| is_task_page(listing.path(index)))
        };
        if listing.has(OLD_STORE) && is_ours() {
            claims.append(&mut claim_paths(listing, &[OLD_STORE]));
        }
        claims
    }

    fn read(&self, tree: &Tree, unit: &Claim) -> UnitContent {
        let limit = self.size_limit(tree.options().max_file_size);
        read_files(tree, unit, limit, |path, text, content| parse(path, &text, content))
    }

    fn size_limit(&self, general: u64) -> u64 {
        store_limit(general)
    }
}

/// Whether a file is one of the pages that the program writes for each task: `task_001.txt`.
fn is_task_page(path: &str) -> bool {
    path.strip_prefix("tasks/task_").and_then(|name| name.strip_suffix(".txt")).is_some_and(
        |number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()),
    )
}

/// Reads a store.
pub(super) fn parse(path: &str, text: &str, content: &mut UnitContent) {
    let Ok(Value::Map(root)) = serde_json::from_str(text) else {
        count(&mut content.skipped, SkipReason::Malformed);
        return;
    };
    let mut store = Store { path, keys: BTreeMap::new(), content };
    let tags = root.iter().filter_map(|(tag, value)| Some((tag, value.fields()?.get("tasks"))));
    let mut found = false;
    for (tag, tasks) in [(None, root.get("tasks"))]
        .into_iter()
        .chain(tags.map(|(tag, tasks)| (Some(tag), tasks)))
        .filter(|(_, tasks)| **tasks != Value::Null)
    {
        found = true;
        store.add_tasks(tag, None, tasks);
    }
    if !found {
        count(&mut store.content.skipped, SkipReason::Malformed);
    }
}

struct Store<'a> {
    path: &'a str,
    /// Every key that was given out, with the number of its last repetition.
    keys: BTreeMap<String, usize>,
    content: &'a mut UnitContent,
}

impl Store<'_> {
    fn add_tasks(&mut self, tag: Option<&str>, parent: Option<&str>, tasks: &Value) {
        let Value::List(tasks) = tasks else {
            if !tasks.is_empty() {
                count(&mut self.content.skipped, SkipReason::Malformed);
            }
            return;
        };
        for task in tasks {
            let Some((fields, id)) =
                task.fields().and_then(|fields| Some((fields, fields.text(&["id"])?)))
            else {
                count(&mut self.content.skipped, SkipReason::Malformed);
                continue;
            };
            // Newer files may repeat the parent in the number of a subtask.
            let id = match parent {
                Some(parent) if !id.starts_with(&format!("{parent}.")) => format!("{parent}.{id}"),
                _ => id,
            };
            let name = tag.map_or_else(|| id.clone(), |tag| format!("{tag}/{id}"));
            let key = self.key(&name);
            let locator = format!("{}#{key}", self.path);
            let record = record(&id, tag, parent, fields);
            self.content.documents.push(record.into_document("taskmaster", self.path, locator));
            self.add_tasks(tag, Some(&id), fields.get("subtasks"));
        }
    }

    /// A key that no other task has: neither the same number twice may hide a task nor a number
    /// that looks like the repetition of another one.
    fn key(&mut self, name: &str) -> String {
        let Some(mut times) = self.keys.get(name).copied() else {
            self.keys.insert(name.to_owned(), 1);
            return name.to_owned();
        };
        loop {
            times += 1;
            let key = format!("{name}~{times}");
            if !self.keys.contains_key(&key) {
                self.keys.insert(name.to_owned(), times);
                self.keys.insert(key.clone(), 1);
                return key;
            }
        }
    }
}

/// What goes into sections of the page instead of attributes.
const PROSE: &[(&str, &str)] =
    &[("Description", "description"), ("Details", "details"), ("Test Strategy", "testStrategy")];

fn record(id: &str, tag: Option<&str>, parent: Option<&str>, fields: &Fields) -> Record {
    let mut record = Record {
        id: id.to_owned(),
        title: fields.text(&["title"]).unwrap_or_default(),
        ..Record::default()
    };
    for (heading, name) in PROSE {
        match fields.get(name) {
            Value::Text(text) => record.add_section(heading, &without_wrappers(text)),
            value => record.add_value(heading, value),
        }
    }
    record.attributes.description =
        fields.text(&["description"]).as_deref().and_then(first_paragraph);
    record.add_value("Dependencies", &Value::List(fields.get("dependencies").items().to_vec()));
    let subtasks: Vec<String> = fields
        .get("subtasks")
        .items()
        .iter()
        .filter_map(|subtask| subtask.fields()?.text(&["title"]))
        .map(|title| format!("- {title}"))
        .collect();
    record.add_section("Subtasks", &subtasks.join("\n"));
    for (name, value) in [("tag", tag), ("parent", parent)] {
        if let Some(value) = value {
            record.add(name, value);
        }
    }
    for (name, value) in fields.iter() {
        match name {
            "id" | "title" | "subtasks" => {}
            "dependencies" => value.flatten("dependency", &mut record.attributes.extra),
            _ if PROSE.iter().any(|(_, prose)| *prose == name) => {}
            _ => keep(&mut record.attributes, name, value),
        }
    }
    record
}

/// A text without the tags `<info added on TIME>` and `</info added on TIME>` around what was
/// added later.
fn without_wrappers(text: &str) -> String {
    let mut rest = text;
    let mut kept = String::with_capacity(text.len());
    while let Some(start) = rest.find('<') {
        let (before, tag) = rest.split_at(start);
        kept.push_str(before);
        rest = tag;
        if tag.starts_with("<info added on") || tag.starts_with("</info added on") {
            let Some(end) = tag.find('>') else { break };
            rest = &tag[end + 1..];
        } else {
            kept.push('<');
            rest = &rest[1..];
        }
    }
    kept.push_str(rest);
    kept
}
