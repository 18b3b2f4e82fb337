//! Task Master: `.taskmaster/tasks/tasks.json`, formerly `tasks/tasks.json`. Tasks are grouped by
//! tag, in the older form ungrouped; a subtask is a separate ticket.

use std::collections::{BTreeMap, HashMap};

use lore_schema::SkipReason;

use super::record::{Record, claim_paths, count, first_paragraph, read_files, store_limit};
use crate::{
    UnitFiles,
    attributes::keep,
    records::{RecordLines, object_lines},
    store::{Listing, Reader, UnitContent},
    units::Claim,
    value::{Fields, Value},
};

pub(super) struct TaskMaster;

const STORE: &str = ".taskmaster/tasks/tasks.json";
const OLD_STORE: &str = "tasks/tasks.json";

/// Maximum size of a file at the old path in bytes: its shape is checked on every search.
const MAX_PEEKED_BYTES: u64 = 4 << 20;

impl Reader for TaskMaster {
    fn name(&self) -> &'static str {
        "taskmaster"
    }

    fn claim(&self, listing: &Listing<'_>) -> Vec<Claim> {
        let mut claims = claim_paths(listing, &[STORE]);
        // Many programs use the old path: only files with the right shape count.
        if let Some(index) = listing.find(OLD_STORE)
            && listing.peek(index, MAX_PEEKED_BYTES).is_some_and(|text| is_store(&text))
        {
            claims.push(Claim::file(listing, index));
        }
        claims
    }

    fn peeks(&self, path: &str) -> bool {
        path == OLD_STORE
    }

    fn read(&self, tree: &UnitFiles<'_>, unit: &Claim) -> UnitContent {
        let limit = self.size_limit(tree.options().max_file_size);
        read_files(tree, unit, limit, |path, text, content| parse(path, &text, content))
    }

    fn size_limit(&self, general: u64) -> u64 {
        store_limit(general)
    }
}

/// Returns whether a text has the shape of a store: a list of tasks, most of them with a number, a
/// title and a status, under `tasks` or under the `tasks` of a tag.
fn is_store(text: &str) -> bool {
    let Ok(Value::Map(root)) = serde_json::from_str(text) else { return false };
    let of_tags = root.iter().filter_map(|(_, tag)| Some(tag.fields()?.get("tasks")));
    let tasks = [root.get("tasks")].into_iter().chain(of_tags).flat_map(|tasks| match tasks {
        Value::List(tasks) => tasks.as_slice(),
        _ => &[],
    });
    let is_task = |task: &&Value| {
        task.fields().is_some_and(|fields| {
            let has = |name: &&str| matches!(fields.get(name), Value::Text(_));
            ["id", "title", "status"].iter().all(has)
        })
    };
    let (ours, others): (Vec<&Value>, Vec<&Value>) = tasks.partition(is_task);
    !ours.is_empty() && ours.len() >= others.len()
}

/// Reads a store.
pub(super) fn parse(path: &str, text: &str, content: &mut UnitContent) {
    let Ok(Value::Map(root)) = serde_json::from_str(text) else {
        count(&mut content.skipped, SkipReason::Malformed);
        return;
    };
    let lines = object_lines(text);
    let mut store = Store { path, keys: BTreeMap::new(), lines, content };
    let tags = root.iter().filter_map(|(tag, value)| Some((tag, value.fields()?.get("tasks"))));
    let mut found = false;
    for (tag, tasks) in [(None, root.get("tasks"))]
        .into_iter()
        .chain(tags.map(|(tag, tasks)| (Some(tag), tasks)))
        .filter(|(_, tasks)| **tasks != Value::Null)
    {
        found = true;
        let list = tag.map_or_else(|| "tasks".to_owned(), |tag| format!("{tag}/tasks"));
        store.add_tasks(tag, None, tasks, &list);
    }
    if !found {
        count(&mut store.content.skipped, SkipReason::Malformed);
    }
}

struct Store<'a> {
    path: &'a str,
    /// Assigned keys, with the number of the last repetition of each.
    keys: BTreeMap<String, usize>,
    /// Lines of the objects of the file, by the path to each.
    lines: HashMap<String, RecordLines>,
    content: &'a mut UnitContent,
}

impl Store<'_> {
    /// Adds the tasks of a list, whose path in the file is `list`.
    fn add_tasks(&mut self, tag: Option<&str>, parent: Option<&str>, tasks: &Value, list: &str) {
        let Value::List(tasks) = tasks else {
            if !tasks.is_empty() {
                count(&mut self.content.skipped, SkipReason::Malformed);
            }
            return;
        };
        for (position, task) in tasks.iter().enumerate() {
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
            let mut record = record(&id, tag, parent, fields);
            let place = format!("{list}/{position}");
            record.attributes.lines = self.lines.get(&place).copied();
            self.content.documents.push(record.into_document("taskmaster", self.path, locator));
            let subtasks = format!("{place}/subtasks");
            self.add_tasks(tag, Some(&id), fields.get("subtasks"), &subtasks);
        }
    }

    /// Returns a unique key: neither a repeated number nor a number that looks like a repetition
    /// may hide a task.
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

/// Fields that become sections of the page instead of attributes.
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

/// Removes the tags `<info added on TIME>` and `</info added on TIME>` around later additions from
/// a text.
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
