//! Backlog.md: one Markdown file per task in `backlog/{tasks,completed,drafts,archive}`.
//!
//! Numbers repeat between these folders, so the path is the key. The tool's documents and
//! milestones are docs, its decisions are decision records.

use std::ops::Range;

use lore_schema::{Attributes, DocKey, Document, SourceName, TextOrigin, Trust};

use super::record::read_files;
use crate::{
    UnitFiles,
    attributes::{keep, mark_archived},
    front_matter::{self, Dialect},
    markdown,
    store::{Listing, Reader, UnitContent},
    units::Claim,
};

pub(super) struct Backlog;

/// Folders of the tool.
const FOLDERS: &[&str] = &["backlog", ".backlog"];

impl Reader for Backlog {
    fn name(&self) -> &'static str {
        "backlog"
    }

    fn claim(&self, listing: &Listing<'_>) -> Vec<Claim> {
        let mut claims = Vec::new();
        for folder in FOLDERS {
            let configured = ["config.yml", "config.yaml"]
                .iter()
                .any(|file| listing.has(&format!("{folder}/{file}")));
            for index in listing.under(folder) {
                if let Some(page_path) = PagePath::of(listing.path(index))
                    && (configured || id_of(page_path.name).is_some())
                {
                    claims.push(Claim::file(listing, index));
                }
            }
        }
        claims
    }

    fn read(&self, tree: &UnitFiles<'_>, unit: &Claim) -> UnitContent {
        let limit = self.size_limit(tree.options().max_file_size);
        read_files(tree, unit, limit, |path, text, content| {
            content.documents.push(parse(path, text));
        })
    }
}

/// Parts of the path of a task.
#[derive(Debug, PartialEq, Eq)]
struct PagePath<'a> {
    /// File name without the extension.
    name: &'a str,
    archived: bool,
    draft: bool,
}

impl PagePath<'_> {
    fn of(path: &str) -> Option<PagePath<'_>> {
        let (_, inner) = path.split_once('/')?;
        let (folder, file) = inner.rsplit_once('/')?;
        let name = file.strip_suffix(".md").filter(|name| !name.eq_ignore_ascii_case("readme"))?;
        let (archived, draft) = match folder {
            "tasks" => (false, false),
            "drafts" => (false, true),
            "completed" | "archive" | "archive/tasks" | "archive/completed" => (true, false),
            "archive/drafts" => (true, true),
            _ => return None,
        };
        Some(PagePath { name, archived, draft })
    }
}

/// Returns the identifier at the start of a file name: `task-68` of `task-68 - Some-title`.
fn id_of(name: &str) -> Option<&str> {
    let id = name.split(' ').next().unwrap_or(name);
    let (prefix, number) = id.rsplit_once('-')?;
    let is_prefix = !prefix.is_empty()
        && prefix.chars().all(|character| character.is_alphanumeric() || character == '-');
    let is_number = number.starts_with(|character: char| character.is_ascii_digit())
        && number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    (is_prefix && is_number).then_some(id)
}

/// Reads a task.
pub(super) fn parse(path: &str, text: String) -> Document {
    let front = front_matter::split(&text, Dialect::Yaml);
    let mut attributes = Attributes::default();
    let mut title = None;
    for (name, value) in front.fields.iter() {
        match name {
            "title" => title = value.text(),
            "dependencies" => value.flatten("dependency", &mut attributes.extra),
            "parent_task_id" => value.flatten("parent", &mut attributes.extra),
            _ => keep(&mut attributes, name, value),
        }
    }
    let page_path = PagePath::of(path);
    let name = page_path.as_ref().map_or("", |page_path| page_path.name);
    if attributes.id.is_none() {
        attributes.id = id_of(name).map(str::to_owned);
    }
    if page_path.as_ref().is_some_and(|page_path| page_path.draft) {
        attributes.extra.push(("draft".to_owned(), "true".to_owned()));
    }
    if page_path.as_ref().is_some_and(|page_path| page_path.archived) {
        mark_archived(&mut attributes);
    }
    let title = title
        .or_else(|| {
            let heading = markdown::first_heading(&text, front.range.end)?;
            // The older form of the heading is `task-1 - Title`.
            let id = id_of(heading).unwrap_or_default();
            Some(heading[id.len()..].trim_start_matches([' ', '-']).to_owned())
        })
        .filter(|title| !title.is_empty())
        .or_else(|| attributes.id.clone())
        .unwrap_or_else(|| name.to_owned());
    let head = (!front.fields.is_empty()).then(|| front.range.clone());
    let metadata = head.into_iter().chain(marker_lines(&text, front.range.end)).collect();
    Document {
        key: DocKey { source: SourceName::Tickets, locator: path.to_owned() },
        path: path.to_owned(),
        format: "backlog",
        kind: "ticket",
        title,
        text,
        origin: TextOrigin::File,
        metadata,
        attributes,
        trust: Trust::Own,
    }
}

/// Returns the lines that end the tool's sections: `<!-- SECTION:PLAN:END -->`. Those that begin one
/// are part of the text: as metadata, they would separate each heading from its section.
fn marker_lines(text: &str, from: usize) -> Vec<Range<usize>> {
    markdown::lines(text, from)
        .filter(|line| {
            line.text
                .trim()
                .strip_prefix("<!--")
                .and_then(|line| line.strip_suffix("-->"))
                .is_some_and(|mark| mark.trim().ends_with(":END"))
        })
        .map(|line| line.range)
        .collect()
}
