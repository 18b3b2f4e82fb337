//! A ticket that is composed from the record of a store: a small Markdown page with one section for
//! each thing that the record says in prose.

use lore_schema::{
    Attributes, DocKey, Document, SkipCounts, SkipReason, SourceName, TextOrigin, Trust,
};

use crate::{
    Tree,
    store::{Claim, Listing, UnitContent},
    value::Value,
};

/// A ticket that is being composed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Record {
    pub id: String,
    pub title: String,
    /// Heading and text of each section, in the order of the page.
    pub sections: Vec<(String, String)>,
    pub attributes: Attributes,
}

impl Record {
    /// Adds a section, unless there is nothing to say.
    pub(super) fn add_section(&mut self, heading: &str, body: &str) {
        let body = body.trim();
        if !body.is_empty() {
            self.sections.push((heading.to_owned(), body.to_owned()));
        }
    }

    /// Adds a section from a value: a text as it is, a list as bullets, a map as labelled bullets.
    pub(super) fn add_value(&mut self, heading: &str, value: &Value) {
        self.add_section(heading, &prose(value));
    }

    /// Adds an attribute that no field of the vocabulary holds.
    pub(super) fn add(&mut self, name: &str, value: impl Into<String>) {
        self.attributes.extra.push((name.to_owned(), value.into()));
    }

    /// The document: its text is the page, which the index stores.
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

/// A value as Markdown.
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

/// The first paragraph of a text, on one line.
pub(super) fn first_paragraph(text: &str) -> Option<String> {
    let paragraph: Vec<&str> = text
        .lines()
        .map(str::trim)
        .skip_while(|line| line.is_empty() || line.starts_with(['#', '<']))
        .take_while(|line| !line.is_empty())
        .collect();
    (!paragraph.is_empty()).then(|| paragraph.join(" "))
}

/// Counts one more of what was left out.
pub(super) fn count(skipped: &mut SkipCounts, reason: SkipReason) {
    *skipped.entry(reason).or_default() += 1;
}

/// Claims those of some paths that exist, each as a unit of its own.
pub(super) fn claim_paths(listing: &Listing<'_>, paths: &[&str]) -> Vec<Claim> {
    paths
        .iter()
        .filter_map(|path| listing.find(path))
        .map(|index| Claim::file(listing, index))
        .collect()
}

/// Reads the files of a unit one by one, up to a size in bytes, counting those that cannot be read.
pub(super) fn read_files(
    tree: &Tree,
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

/// The limit, in bytes, on the size of a file that holds all the records of a store: the general
/// one is made for files that hold one thing.
pub(super) fn store_limit(general: u64) -> u64 {
    general.max(64 << 20)
}
