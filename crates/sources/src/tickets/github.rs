//! Issues and pull requests of GitHub, exported by `gh issue list --json …` or returned by the API:
//! a list, several lists, or one object per line.

use super::export::ExportReader;
use super::json::read_records;
use super::record::{Export, Record, comments, first_paragraph, named, names};
use crate::{
    attributes::keep,
    exports::ExportFormat,
    markdown,
    store::UnitContent,
    value::{Fields, Value},
};

const FORMAT: &str = "github";

pub(super) static GITHUB: ExportReader =
    ExportReader { name: FORMAT, formats: &[ExportFormat::GitHub], parse };

/// Reads an export.
pub(super) fn parse(path: &str, text: &str, content: &mut UnitContent) {
    let mut export = Export::new(FORMAT, path);
    read_records(text, content, |fields, lines, _| {
        let url = fields.text(&["url", "html_url"]).filter(|url| url.contains("://"));
        let from_url = || Some(url.as_deref()?.rsplit('/').next()?.to_owned());
        let Some(id) = fields.text(&["number"]).or_else(from_url).filter(|id| !id.is_empty())
        else {
            return false;
        };
        // Issues of several repositories share numbers, but have different URLs.
        let name = match url.as_deref().and_then(repository) {
            Some(repository) => format!("{repository}/{id}"),
            None => id.clone(),
        };
        let mut record = record(id, &fields);
        record.attributes.lines = lines;
        export.add(&name, record);
        true
    });
    export.finish(content);
}

/// Returns the owner and name in the URL of an issue: `owner/name` of
/// `https://github.com/owner/name/issues/7`.
fn repository(url: &str) -> Option<&str> {
    let (_, path) = url.split_once("://")?.1.split_once('/')?;
    let path = path.strip_prefix("repos/").unwrap_or(path);
    let end = path.match_indices('/').nth(1)?.0;
    Some(&path[..end])
}

/// Fields that are read separately, or are irrelevant to the issue.
const HANDLED_FIELDS: &[&str] = &[
    "assignee",
    "assignees",
    "author",
    "author_association",
    "body",
    "comments",
    "id",
    "labels",
    "milestone",
    "node_id",
    "number",
    "reactionGroups",
    "reactions",
    "repository",
    "title",
    "url",
    "user",
];

fn record(id: String, fields: &Fields) -> Record {
    let title = fields.text(&["title"]).unwrap_or_default();
    let mut record = Record { id, title, ..Record::default() };
    if let Value::Text(body) = fields.get("body") {
        let body = without_empty_answers(body);
        record.attributes.description = first_paragraph(&body);
        record.add_section("Description", &body);
    }
    if !fields.get("comments").items().iter().all(|comment| comment.fields().is_none()) {
        record.add_section("Comments", &comments(fields.get("comments")));
    }
    let author = named(fields.first(&["author", "user"]));
    let people = names(fields.first(&["assignees", "assignee"]));
    for (name, value) in [
        ("labels", names(fields.get("labels"))),
        ("author", author.map_or(Value::Null, Value::Text)),
        ("assignees", people),
        ("milestone", named(fields.get("milestone")).map_or(Value::Null, Value::Text)),
        ("repository", named(fields.get("repository")).map_or(Value::Null, Value::Text)),
        (
            "url",
            Value::List(fields.text(&["html_url", "url"]).map(Value::Text).into_iter().collect()),
        ),
    ] {
        keep(&mut record.attributes, name, &value);
    }
    for (name, value) in fields.iter() {
        match name {
            "pull_request" if !value.is_empty() => record.add("type", "pull request"),
            "isPullRequest" => {
                if value.text().as_deref() == Some("true") {
                    record.add("type", "pull request");
                }
            }
            _ if HANDLED_FIELDS.contains(&name) || name.ends_with("_url") => {}
            _ => match named(value) {
                Some(text) if value.fields().is_some() => record.add(name, text),
                _ => keep(&mut record.attributes, name, value),
            },
        }
    }
    record
}

/// Text of a form for an unanswered question.
const NO_ANSWER: &str = "_No response_";

/// Removes the unanswered questions of a form from a text.
fn without_empty_answers(body: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    for line in markdown::lines(body, 0) {
        if line.verbatim || line.text.trim() != NO_ANSWER {
            kept.push(line.text);
            continue;
        }
        while kept.last().is_some_and(|line| line.is_empty()) {
            kept.pop();
        }
        if kept.last().is_some_and(|line| markdown::heading(line).is_some()) {
            kept.pop();
        }
    }
    kept.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unanswered_questions_are_removed_with_their_headings() {
        for (body, expected) in [
            (
                "### What\r\n\r\nIt fails.\r\n\r\n### Logs\r\n\r\n_No response_\r\n",
                "### What\n\nIt fails.\n",
            ),
            ("### A\n_No response_\n### B\n\n_No response_", ""),
            ("Text\n\n_No response_\n", "Text"),
            ("```\n_No response_\n```", "```\n_No response_\n```"),
            ("see _No response_ here", "see _No response_ here"),
        ] {
            assert_eq!(without_empty_answers(body), expected, "{body}");
        }
    }

    #[test]
    fn repositories_are_read_from_urls() {
        for (url, expected) in [
            ("https://github.com/owner/name/issues/7", Some("owner/name")),
            ("https://api.github.com/repos/owner/name/issues/7", Some("owner/name")),
            ("https://github.com/owner", None),
            ("https://", None),
            ("", None),
        ] {
            assert_eq!(repository(url), expected, "{url}");
        }
    }
}
