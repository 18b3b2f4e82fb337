//! A ticket that is composed from a record: a small Markdown page with one section per text field.

use std::collections::HashMap;

use lore_schema::{
    Attributes, DocKey, Document, SkipCounts, SkipReason, SourceName, TextOrigin, Trust,
};

use crate::{
    UnitFiles, dates,
    store::{Listing, UnitContent},
    units::Claim,
    value::Value,
};

/// A ticket while it is composed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Record {
    pub id: String,
    pub title: String,
    /// Heading and text of each section, in the order of the page.
    pub sections: Vec<(String, String)>,
    pub attributes: Attributes,
}

impl Record {
    /// Adds a section unless it is empty.
    pub(super) fn add_section(&mut self, heading: &str, body: &str) {
        let body = body.trim();
        if !body.is_empty() {
            self.sections.push((heading.to_owned(), body.to_owned()));
        }
    }

    /// Adds a section from a value: a text unchanged, a list as bullets, a map as labelled bullets.
    pub(super) fn add_value(&mut self, heading: &str, value: &Value) {
        self.add_section(heading, &prose(value));
    }

    /// Adds an extra attribute.
    pub(super) fn add(&mut self, name: &str, value: impl Into<String>) {
        self.attributes.extra.push((name.to_owned(), value.into()));
    }

    /// Converts the record to a document whose text is the page. The index stores the text.
    pub(super) fn into_document(
        self,
        format: &'static str,
        path: &str,
        locator: String,
    ) -> Document {
        let mut text = match (self.id.is_empty(), self.title.is_empty()) {
            (false, false) => format!("# {}: {}\n", self.id, self.title),
            _ => format!("# {}{}\n", self.id, self.title),
        };
        for (heading, body) in &self.sections {
            text.push_str("\n## ");
            text.push_str(heading);
            text.push_str("\n\n");
            text.push_str(body);
            text.push('\n');
        }
        let title = if self.title.is_empty() { self.id.clone() } else { self.title };
        let mut attributes = self.attributes;
        attributes.id = Some(self.id).filter(|id| !id.is_empty());
        Document {
            key: DocKey { source: SourceName::Tickets, locator },
            path: path.to_owned(),
            format,
            kind: "ticket",
            title,
            text,
            origin: TextOrigin::Composed,
            metadata: Vec::new(),
            attributes,
            trust: Trust::Own,
        }
    }
}

/// Formats a value as Markdown.
fn prose(value: &Value) -> String {
    match value {
        Value::Text(text) => text.clone(),
        Value::Map(fields) => fields
            .iter()
            .filter_map(|(name, value)| Some(format!("- {name}: {}", value.text()?)))
            .collect::<Vec<_>>()
            .join("\n"),
        value => {
            value.texts().iter().map(|text| format!("- {text}")).collect::<Vec<_>>().join("\n")
        }
    }
}

/// Fields with the name of an object, in order of preference.
const NAMES: &[&str] =
    &["displayName", "login", "nameWithOwner", "name", "title", "value", "key", "emailAddress"];

/// Returns the name of a person, a label or a milestone: a text, or the name field of an object.
pub(super) fn named(value: &Value) -> Option<String> {
    match value {
        Value::Map(fields) => fields.text(NAMES),
        value => value.text(),
    }
}

/// Returns the names of the items of a list, also if an API wraps the list in an object.
pub(super) fn names(value: &Value) -> Value {
    let list = value.fields().map_or(value, |fields| fields.get("nodes"));
    let items = if list.is_empty() { value.items() } else { list.items() };
    Value::List(items.iter().filter_map(named).map(Value::Text).collect())
}

/// Formats comments as paragraphs, each below its author and day.
pub(super) fn comments(value: &Value) -> String {
    let entry = |comment: &Value| match comment.fields() {
        Some(fields) => {
            let text = fields.text(&["text", "body"])?;
            let author = named(fields.first(&["author", "user"])).unwrap_or_default();
            let date = fields.text(&["created_at", "createdAt", "created"]);
            Some(comment_of(&author, date.as_deref().unwrap_or_default(), &text))
        }
        None => comment.text(),
    };
    value.items().iter().filter_map(entry).collect::<Vec<_>>().join("\n\n")
}

/// Formats a comment below its author and day, as far as known.
pub(super) fn comment_of(author: &str, date: &str, text: &str) -> String {
    let day = dates::parse(date).and_then(|_| date.get(..10)).unwrap_or_default();
    match format!("{author} {day}").trim() {
        "" => text.to_owned(),
        head => format!("**{head}**\n\n{text}"),
    }
}

/// Returns the first paragraph of a text as one line.
pub(super) fn first_paragraph(text: &str) -> Option<String> {
    let paragraph: Vec<&str> = text
        .lines()
        .map(str::trim)
        .skip_while(|line| line.is_empty() || line.starts_with(['#', '<']))
        .take_while(|line| !line.is_empty())
        .collect();
    (!paragraph.is_empty()).then(|| paragraph.join(" "))
}

/// Tickets of an export. An export may be merged from several: of duplicate tickets, the one that
/// was updated last is kept; if equal, the later one.
#[derive(Debug)]
pub(super) struct Export<'a> {
    format: &'static str,
    path: &'a str,
    /// Index of the document of each locator.
    places: HashMap<String, usize>,
    documents: Vec<Document>,
}

impl<'a> Export<'a> {
    pub(super) fn new(format: &'static str, path: &'a str) -> Export<'a> {
        Export { format, path, places: HashMap::new(), documents: Vec::new() }
    }

    /// Adds a ticket under a name that is unique in the file.
    pub(super) fn add(&mut self, name: &str, record: Record) {
        let locator = format!("{}#{name}", self.path);
        let mut document = record.into_document(self.format, self.path, locator.clone());
        document.trust = Trust::Outside;
        match self.places.get(&locator) {
            None => {
                self.places.insert(locator, self.documents.len());
                self.documents.push(document);
            }
            Some(&place) => {
                if document.attributes.updated >= self.documents[place].attributes.updated {
                    self.documents[place] = document;
                }
            }
        }
    }

    /// Adds the tickets to the content.
    pub(super) fn finish(self, content: &mut UnitContent) {
        content.documents.extend(self.documents);
    }
}

/// Increments the number of skipped items with a reason.
pub(super) fn count(skipped: &mut SkipCounts, reason: SkipReason) {
    *skipped.entry(reason).or_default() += 1;
}

/// Claims the existing files among some paths, each as its own unit.
pub(super) fn claim_paths(listing: &Listing<'_>, paths: &[&str]) -> Vec<Claim> {
    paths
        .iter()
        .filter_map(|path| listing.find(path))
        .map(|index| Claim::file(listing, index))
        .collect()
}

/// Reads the files of a unit one by one, up to a size in bytes, and counts those that cannot be
/// read.
pub(super) fn read_files(
    tree: &UnitFiles<'_>,
    unit: &Claim,
    limit: u64,
    mut read: impl FnMut(&str, String, &mut UnitContent),
) -> UnitContent {
    let mut content = UnitContent::default();
    for &index in &unit.files {
        let path = &tree.entries()[index].path;
        match tree.read_text_up_to(path, limit) {
            Ok(text) => read(path, text, &mut content),
            Err(reason) => count(&mut content.skipped, reason),
        }
    }
    content
}

/// Returns the maximum size in bytes of a file with all records of a store: the general limit is
/// meant for files with one document.
pub(super) fn store_limit(general: u64) -> u64 {
    general.max(64 << 20)
}
