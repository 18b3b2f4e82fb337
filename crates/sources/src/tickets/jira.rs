//! Issues of Jira, exported as a table or returned by its API as JSON.
//!
//! A table repeats a column for each value (`Labels`, `Comment`, `Sprint`), and has long texts in
//! Jira's markup; JSON has them as trees of the Atlassian Document Format.

use lore_schema::SkipReason;

use super::{
    adf,
    export::ExportReader,
    json::read_records,
    record::{Export, Record, comment_of, count, first_paragraph, named, names},
};
use crate::{
    attributes::keep,
    exports::ExportFormat,
    store::UnitContent,
    table::Table,
    value::{Fields, Value},
};

const FORMAT: &str = "jira";

pub(super) static JIRA: ExportReader = ExportReader {
    name: FORMAT,
    formats: &[ExportFormat::JiraTable, ExportFormat::JiraJson],
    parse,
};

/// Reads an export of either form.
pub(super) fn parse(path: &str, text: &str, content: &mut UnitContent) {
    let mut export = Export::new(FORMAT, path);
    if text.trim_start().starts_with(['[', '{']) {
        read_records(text, content, |fields, lines, _| match fields.text(&["key"]) {
            Some(key) => {
                let mut record = of_json(key.clone(), &fields);
                record.attributes.lines = lines;
                export.add(&key, record);
                true
            }
            None => false,
        });
    } else {
        for fields in Table::of(text).iter().flat_map(Table::rows) {
            let is_key = |name: &&str| name.eq_ignore_ascii_case("issue key");
            let key = fields.iter().map(|(name, _)| name).find(is_key);
            match key.and_then(|name| fields.text(&[name])) {
                Some(key) => export.add(&key.clone(), of_row(key, &fields)),
                None => count(&mut content.skipped, SkipReason::Malformed),
            }
        }
    }
    export.finish(content);
}

/// Columns that repeat a more readable one.
const HANDLED_COLUMNS: &[&str] = &[
    "assignee id",
    "creator id",
    "issue id",
    "issue key",
    "reporter id",
    "status category changed",
];

fn of_row(key: String, fields: &Fields) -> Record {
    let mut record = Record { id: key, ..Record::default() };
    let mut comments: Vec<String> = Vec::new();
    let mut creator = None;
    for (column, value) in fields.iter() {
        let Some(text) = value.text() else { continue };
        let name = column.to_lowercase();
        match name.as_str() {
            "summary" => record.title = text,
            "description" => {
                let text = adf::of_markup(&text);
                record.attributes.description = first_paragraph(&text);
                record.add_section("Description", &text);
            }
            "environment" => record.add_section("Environment", &adf::of_markup(&text)),
            "comment" | "comments" => comments.push(comment_cell(&text)),
            "creator" => creator = Some(value),
            "issue type" => record.add("type", text),
            "parent" | "parent key" => record.add("parent", text),
            name if HANDLED_COLUMNS.contains(&name) => {}
            name => match linked(name) {
                Some(link) => record.add(link, text),
                None => keep(&mut record.attributes, column, value),
            },
        }
    }
    // The reporter is the author, even if another user created the issue.
    if let Some(creator) = creator.filter(|_| record.attributes.author.is_none()) {
        keep(&mut record.attributes, "creator", creator);
    }
    record.add_section("Comments", &comments.join("\n\n"));
    record
}

/// Returns the meaning of a column of links, such as `inward issue link (blocks)`: an issue depends
/// on the issues that block it.
fn linked(column: &str) -> Option<&'static str> {
    let (direction, kind) = column.strip_suffix(')')?.split_once(" issue link (")?;
    Some(match (direction, kind) {
        ("inward", "blocks") => "dependency",
        ("outward", "blocks") => "blocks",
        ("inward" | "outward", "duplicate") => "duplicateOf",
        ("inward" | "outward", _) => "relatedTo",
        _ => return None,
    })
}

/// Parses a comment of a table: `04/Mar/25 4:31 PM;author;text`.
fn comment_cell(cell: &str) -> String {
    let mut parts = cell.splitn(3, ';');
    match (parts.next(), parts.next(), parts.next()) {
        (Some(date), Some(author), Some(text)) if crate::dates::parse(date).is_some() => {
            comment_of(&format!("{author} {date}"), "", &adf::of_markup(text))
        }
        _ => adf::of_markup(cell),
    }
}

/// Fields of the API that are read separately, or are irrelevant to the issue.
const HANDLED_FIELDS: &[&str] = &[
    "aggregateprogress",
    "attachment",
    "avatarUrls",
    "comment",
    "creator",
    "description",
    "environment",
    "issuelinks",
    "issuerestriction",
    "parent",
    "progress",
    "statusCategory",
    "statuscategorychangedate",
    "subtasks",
    "summary",
    "votes",
    "watches",
    "worklog",
    "workratio",
];

fn of_json(key: String, issue: &Fields) -> Record {
    let nothing = Fields::default();
    let fields = issue.get("fields").fields().unwrap_or(&nothing);
    let title = fields.text(&["summary"]).unwrap_or_default();
    let mut record = Record { id: key, title, ..Record::default() };
    let description = adf::text_of(fields.get("description"));
    record.attributes.description = first_paragraph(&description);
    record.add_section("Description", &description);
    record.add_section("Environment", &adf::text_of(fields.get("environment")));
    for subtask in fields.get("subtasks").items().iter().filter_map(Value::fields) {
        record.attributes.extra.extend(subtask.text(&["key"]).map(|key| ("child".to_owned(), key)));
    }
    let author = named(fields.first(&["reporter", "creator"]));
    keep(&mut record.attributes, "author", &author.map_or(Value::Null, Value::Text));
    if let Some(parent) = fields.get("parent").fields().and_then(|parent| parent.text(&["key"])) {
        record.add("parent", parent);
    }
    for link in fields.get("issuelinks").items().iter().filter_map(Value::fields) {
        let kind = link.get("type").fields().and_then(|kind| kind.text(&["name"]));
        let kind = kind.unwrap_or_default().to_lowercase();
        for (side, direction) in [("inwardIssue", "inward"), ("outwardIssue", "outward")] {
            let target = link.get(side).fields().and_then(|issue| issue.text(&["key"]));
            let meaning = linked(&format!("{direction} issue link ({kind})"));
            if let (Some(target), Some(meaning)) = (target, meaning) {
                record.add(meaning, target);
            }
        }
    }
    let mut later: Vec<(String, String)> = Vec::new();
    for (name, value) in fields.iter() {
        match name {
            "issuetype" => {
                record.attributes.extra.extend(named(value).map(|name| ("type".into(), name)));
            }
            "reporter" => {}
            _ if HANDLED_FIELDS.contains(&name) => {}
            _ if adf::is_document(value) => later.push((name.to_owned(), adf::text_of(value))),
            _ => {
                let value = match value {
                    Value::List(_) => names(value),
                    value => named(value).map_or(Value::Null, Value::Text),
                };
                keep(&mut record.attributes, name, &value);
            }
        }
    }
    for (name, text) in later {
        // The names of custom fields are in the issue, if anywhere.
        let heading = issue.get("names").fields().and_then(|names| names.text(&[&name]));
        record.add_section(&heading.unwrap_or(name), &text);
    }
    record.add_section("Comments", &comments(fields.get("comment")));
    record
}

fn comments(value: &Value) -> String {
    let list = value.fields().map_or(value, |fields| fields.get("comments"));
    let comment = |comment: &Fields| {
        let text = adf::text_of(comment.get("body"));
        let author = named(comment.get("author")).unwrap_or_default();
        let date = comment.text(&["created"]).unwrap_or_default();
        (!text.is_empty()).then(|| comment_of(&author, &date, &text))
    };
    let comments: Vec<String> =
        list.items().iter().filter_map(Value::fields).filter_map(comment).collect();
    comments.join("\n\n")
}
