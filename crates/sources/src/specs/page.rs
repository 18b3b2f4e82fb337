//! A Markdown page of a spec format: front matter, a heading, and lines of bold labels.

use std::ops::Range;

use lore_schema::{Attributes, DocKey, Document, SourceName, TextOrigin, Trust};

use crate::{
    UnitFiles,
    attributes::{Assigned, assign, keep, mark_archived},
    front_matter::{self, Dialect, FrontMatter},
    markdown,
    store::UnitContent,
    units::Claim,
    value::Value,
};

/// A page while it is converted to a document.
#[derive(Debug)]
pub(super) struct Page {
    pub path: String,
    pub text: String,
    /// Offset of the text after the front matter.
    pub body: usize,
    /// Title in the front matter.
    pub stated_title: Option<String>,
    /// Attributes that the page states.
    pub attributes: Attributes,
    /// Ranges of metadata, unsorted.
    pub metadata: Vec<Range<usize>>,
}

impl Page {
    /// Parses the front matter of a page.
    pub(super) fn new(path: &str, text: String, dialect: Dialect) -> Page {
        let FrontMatter { range, fields } = front_matter::split(&text, dialect);
        let mut attributes = Attributes::default();
        let mut stated_title = None;
        for (name, value) in fields.iter() {
            if name.eq_ignore_ascii_case("title") {
                stated_title = value.text();
            } else {
                keep(&mut attributes, name, value);
            }
        }
        let body = range.end;
        let metadata = if range.is_empty() { Vec::new() } else { vec![range] };
        Page { path: path.to_owned(), text, body, stated_title, attributes, metadata }
    }

    /// Returns the first heading of the page.
    pub(super) fn heading(&self) -> Option<&str> {
        markdown::first_heading(&self.text, self.body)
    }

    /// Marks the lines of bold labels above the first section as metadata if a label is known or is
    /// one of `more`, and stores their values. Front matter has precedence; unknown labels become
    /// extra attributes.
    pub(super) fn take_labels(&mut self, more: &[&str]) {
        let mut found: Vec<(String, String)> = Vec::new();
        for line in markdown::lines(&self.text, self.body) {
            if line.verbatim {
                continue;
            }
            if markdown::heading(line.text).is_some_and(|(level, _)| level >= 2) {
                break;
            }
            let labels = markdown::labels(line.text);
            let is_known = |name: &str| {
                more.iter().any(|known| known.eq_ignore_ascii_case(name))
                    || assign(&mut Attributes::default(), name, &Value::of_text("x"))
                        != Assigned::Unknown
            };
            if labels.iter().any(|(name, _)| is_known(name) && !is_prose(name)) {
                found.extend(
                    labels.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())),
                );
                self.metadata.push(line.range);
            }
        }
        for (name, value) in found {
            let value = Value::of_text(markdown::without_sign(&value));
            if assign(&mut self.attributes, &name, &value) == Assigned::Unknown {
                value.flatten(&name, &mut self.attributes.extra);
            }
        }
    }

    /// Adds an extra attribute.
    pub(super) fn add(&mut self, name: &str, value: impl Into<String>) {
        self.attributes.extra.push((name.to_owned(), value.into()));
    }

    /// Marks the page as archived.
    pub(super) fn mark_archived(&mut self) {
        mark_archived(&mut self.attributes);
    }

    /// Converts the page to a document with the identifier of the format. A different identifier in
    /// the front matter is kept as an extra attribute.
    pub(super) fn into_document(
        mut self,
        format: &'static str,
        kind: &'static str,
        id: String,
        title: String,
    ) -> Document {
        let stated = self.attributes.id.replace(id);
        if let Some(stated) = stated.filter(|stated| self.attributes.id.as_ref() != Some(stated)) {
            self.add("id", stated);
        }
        self.metadata.sort_by_key(|range| range.start);
        Document {
            key: DocKey { source: SourceName::Specs, locator: self.path.clone() },
            path: self.path,
            format,
            kind,
            title,
            text: self.text,
            origin: TextOrigin::File,
            metadata: self.metadata,
            attributes: self.attributes,
            trust: Trust::Own,
        }
    }
}

/// Returns whether a label introduces content rather than metadata.
fn is_prose(name: &str) -> bool {
    ["description", "summary", "id"].iter().any(|prose| prose.eq_ignore_ascii_case(name))
}

/// Reads the files of a unit one by one, and counts those that cannot be read.
pub(super) fn read_pages(
    tree: &UnitFiles<'_>,
    unit: &Claim,
    mut document: impl FnMut(&str, String) -> Document,
) -> UnitContent {
    let mut content = UnitContent::default();
    for &index in &unit.files {
        let path = &tree.entries()[index].path;
        match tree.read_text(path) {
            Ok(text) => content.documents.push(document(path, text)),
            Err(reason) => *content.skipped.entry(reason).or_default() += 1,
        }
    }
    content
}

/// Returns whether a path leads through a folder of tests. Proposals there are input of the tests.
pub(super) fn is_among_tests(path: &str) -> bool {
    path.split('/').any(|part| matches!(part, "fixtures" | "test" | "testdata" | "tests"))
}

/// Returns the name of a file without folder and extension.
pub(super) fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// Returns the kind of a document in a spec's folder, by its file name; `None` for the spec itself
/// and for files with other names.
pub(super) fn kind_of(path: &str) -> Option<&'static str> {
    Some(match stem(path).to_ascii_lowercase().as_str() {
        "plan" | "implementation" | "implementation-plan" | "roadmap" => "plan",
        "tasks" | "task" | "todo" | "checklist" => "tasks",
        "design" | "architecture" | "data-model" => "design",
        "research" | "analysis" => "research",
        "proposal" => "proposal",
        "testing" | "tests" | "test-plan" | "acceptance" => "tests",
        "quickstart" => "guide",
        _ => return None,
    })
}

/// Returns whether a name consists of a number of at least three digits, a dash and a name.
pub(super) fn is_numbered(name: &str) -> bool {
    let digits = name.bytes().take_while(u8::is_ascii_digit).count();
    digits >= 3 && name[digits..].starts_with('-') && name.len() > digits + 1
}
