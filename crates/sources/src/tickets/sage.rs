//! sage: one store in `.sage/tickets`, with an `index.json` of all tickets and a Markdown page for
//! most of them. The two may disagree, so they are read together as one unit.
//!
//! State and type come from the index; description, criteria and notes from the page. If the states
//! differ, the ticket reports that. A ticket in only one of the two is kept.

use std::collections::BTreeMap;

use lore_schema::SkipReason;

use super::record::{Record, count, first_paragraph, read_files, store_limit};
use crate::{
    UnitFiles,
    attributes::keep,
    dates,
    exports::{self, ExportFormat},
    front_matter::{self, Dialect},
    markdown,
    store::{Listing, Reader, UnitContent},
    units::Claim,
    value::{Fields, Value},
};

pub(super) struct Sage;

const FOLDER: &str = ".sage/tickets";
const INDEX: &str = ".sage/tickets/index.json";

impl Reader for Sage {
    fn name(&self) -> &'static str {
        "sage"
    }

    fn claim(&self, listing: &Listing<'_>) -> Vec<Claim> {
        // Copies of the index (`index.json.backup`) are claimed, so that no other reader takes
        // them, but are not read.
        let files: Vec<usize> = listing
            .under(FOLDER)
            .filter(|&index| {
                let path = listing.path(index);
                is_page(path) || path.starts_with(INDEX)
            })
            .collect();
        // An index that the user named is read wherever it is.
        let mut claims = listing.exports(&[ExportFormat::Sage]);
        claims.retain(|claim| !claim.files.iter().any(|file| files.contains(file)));
        if !files.is_empty() {
            claims.push(Claim { unit: FOLDER.to_owned(), files });
        }
        claims
    }

    fn read(&self, tree: &UnitFiles<'_>, unit: &Claim) -> UnitContent {
        if unit.unit != FOLDER {
            return read_files(tree, unit, exports::MAX_EXPORT_BYTES, |path, text, content| {
                parse(Some((path, &text)), &[], content);
            });
        }
        let mut content = UnitContent::default();
        let mut index = None;
        let mut pages = Vec::new();
        let limit = self.size_limit(tree.options().max_file_size);
        for &file in &unit.files {
            let path = tree.entries()[file].path.as_str();
            if path != INDEX && !is_page(path) {
                continue;
            }
            match tree.read_text_up_to(path, limit) {
                Ok(text) if path == INDEX => index = Some(text),
                Ok(text) => pages.push((path, text)),
                Err(reason) => count(&mut content.skipped, reason),
            }
        }
        parse(index.as_deref().map(|text| (INDEX, text)), &pages, &mut content);
        content
    }

    fn size_limit(&self, general: u64) -> u64 {
        store_limit(general)
    }
}

/// Returns whether a file of the store is the page of a ticket.
fn is_page(path: &str) -> bool {
    path.strip_prefix(".sage/tickets/")
        .and_then(|path| path.strip_suffix(".md"))
        .is_some_and(|name| !name.rsplit('/').next().unwrap_or(name).eq_ignore_ascii_case("readme"))
}

/// Reads a store: the path and the text of its index, and the paths and texts of its pages, in order.
pub(super) fn parse(
    index: Option<(&str, &str)>,
    pages: &[(&str, String)],
    content: &mut UnitContent,
) {
    let (index_path, index) = index.map_or((INDEX, None), |(path, text)| (path, Some(text)));
    let pages: Vec<Page<'_>> = pages.iter().map(|(path, text)| Page::new(path, text)).collect();
    // The file name identifies the ticket; the number in the page counts if no file has that name.
    let mut by_id: BTreeMap<&str, usize> = BTreeMap::new();
    for (place, page) in pages.iter().enumerate() {
        by_id.insert(page.stem(), place);
    }
    for (place, page) in pages.iter().enumerate() {
        if let Some(id) = &page.id {
            by_id.entry(id).or_insert(place);
        }
    }
    let mut taken = vec![false; pages.len()];
    for (id, fields) in index_records(index, content) {
        let page = by_id.get(id.as_str()).copied().filter(|&place| !taken[place]);
        if let Some(place) = page {
            taken[place] = true;
        }
        let page = page.map(|place| &pages[place]);
        let (path, locator) = match page {
            Some(page) => (page.path, page.path.to_owned()),
            None => (index_path, format!("{index_path}#{id}")),
        };
        content.documents.push(join(id, Some(&fields), page).into_document("sage", path, locator));
    }
    for page in pages.iter().zip(&taken).filter(|(_, taken)| !**taken).map(|(page, _)| page) {
        // A second page of the same ticket is named after its file.
        let own = page
            .id
            .as_deref()
            .filter(|id| by_id.get(id).is_some_and(|&place| pages[place].path == page.path));
        let id = own.unwrap_or(page.stem()).to_owned();
        let document =
            join(id, None, Some(page)).into_document("sage", page.path, page.path.to_owned());
        content.documents.push(document);
    }
}

/// Returns the tickets of the index with their identifiers. Of duplicates, the one that was updated
/// last is kept; if equal, the later one.
fn index_records(text: Option<&str>, content: &mut UnitContent) -> Vec<(String, Fields)> {
    let Some(text) = text else { return Vec::new() };
    let root: Value = serde_json::from_str(text).unwrap_or(Value::Null);
    let store = root.fields().map_or(&root, |fields| fields.get("tickets"));
    let tickets: Vec<(Option<String>, Value)> = match store {
        Value::List(tickets) => tickets.iter().map(|ticket| (None, ticket.clone())).collect(),
        Value::Map(tickets) => {
            tickets.iter().map(|(id, ticket)| (Some(id.to_owned()), ticket.clone())).collect()
        }
        // Not JSON, or of another shape: the number of tickets is unknown.
        Value::Null | Value::Text(_) => {
            count(&mut content.skipped, SkipReason::Malformed);
            return Vec::new();
        }
    };
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let mut records: Vec<(String, Fields)> = Vec::new();
    for (name, ticket) in tickets {
        let Value::Map(fields) = ticket else {
            count(&mut content.skipped, SkipReason::Malformed);
            continue;
        };
        let Some(id) = fields.text(&["id"]).or(name) else {
            count(&mut content.skipped, SkipReason::Malformed);
            continue;
        };
        match places.get(&id) {
            None => {
                places.insert(id.clone(), records.len());
                records.push((id, fields));
            }
            Some(&place) => {
                let updated =
                    |fields: &Fields| fields.text(UPDATED).as_deref().and_then(dates::parse);
                if updated(&fields) >= updated(&records[place].1) {
                    records[place].1 = fields;
                }
            }
        }
    }
    records
}

const UPDATED: &[&str] = &["updated", "updated_at", "updatedAt"];

/// Page of a ticket.
#[derive(Debug)]
struct Page<'a> {
    path: &'a str,
    id: Option<String>,
    title: Option<String>,
    /// Fields of its bold labels, front matter and footer.
    fields: Fields,
    /// Heading and text of each section that is not empty.
    sections: Vec<(&'a str, String)>,
}

/// Placeholder texts of a missing description.
const PLACEHOLDERS: &[&str] =
    &["No description provided.", "No description provided", "None", "TBD"];

impl<'a> Page<'a> {
    /// Reads a page. Three forms are in use: `# ID: Title` with labels below it or in a section
    /// `Metadata`, and `# Title` with the number among the labels.
    fn new(path: &'a str, text: &'a str) -> Page<'a> {
        let front = front_matter::split(text, Dialect::Yaml);
        let mut page =
            Page { path, id: None, title: None, fields: front.fields, sections: Vec::new() };
        for section in markdown::sections(text, front.range.end, 2) {
            if section.level == 1 && page.title.is_none() {
                let (id, title) = split_heading(section.title);
                page.id = id.map(str::to_owned);
                page.title = Some(title.to_owned());
            }
            let is_head = section.level <= 1 || section.title.eq_ignore_ascii_case("metadata");
            let body = page.take_fields(section.body, is_head);
            if body.is_empty() || PLACEHOLDERS.contains(&body.as_str()) {
                continue;
            }
            page.sections.push((if is_head { "Description" } else { section.title }, body));
        }
        if let Some(id) = page.fields.text(&["ID", "id", "Ticket ID", "Ticket"]) {
            page.id = Some(id.trim_matches('`').to_owned());
        }
        page
    }

    /// Returns the name of the file without its extension.
    fn stem(&self) -> &'a str {
        let name = self.path.rsplit('/').next().unwrap_or(self.path);
        name.strip_suffix(".md").unwrap_or(name)
    }

    /// Reads the labelled lines (in the head) and the footer's dates of a section, and returns the
    /// rest.
    fn take_fields(&mut self, body: &str, is_head: bool) -> String {
        let mut kept: Vec<&str> = Vec::new();
        for line in markdown::lines(body, 0) {
            let labels =
                if is_head && !line.verbatim { markdown::labels(line.text) } else { Vec::new() };
            if !labels.is_empty() {
                for (name, value) in labels {
                    self.fields.push(name.to_owned(), Value::of_text(value));
                }
            } else if let Some((name, value)) = footer(line.text) {
                self.fields.push(name.to_owned(), Value::of_text(value));
            } else {
                kept.push(line.text);
            }
        }
        // Only the horizontal rules around the footer are left.
        while kept.last().is_some_and(|line| line.is_empty() || *line == "---") {
            kept.pop();
        }
        kept.join("\n").trim().to_owned()
    }

    /// Returns the text of the first section with one of these headings.
    fn section(&self, headings: &[&str]) -> Option<&str> {
        self.sections
            .iter()
            .find(|(heading, _)| headings.iter().any(|known| known.eq_ignore_ascii_case(heading)))
            .map(|(_, body)| body.as_str())
    }
}

/// Parses a line of the footer: `*Created: 2025-09-27T00:00:00Z*`.
fn footer(line: &str) -> Option<(&str, &str)> {
    let line = line.trim().strip_prefix('*')?.strip_suffix('*')?;
    let (name, value) = line.split_once(':')?;
    ["Created", "Updated"].contains(&name).then_some((name, value.trim()))
}

/// Splits a heading such as `CACHE-017: Warm it up` into the identifier, if any, and the title.
fn split_heading(heading: &str) -> (Option<&str>, &str) {
    let Some((id, title)) = heading.split_once(':') else { return (None, heading) };
    let is_id = id.contains('-')
        && id.bytes().any(|byte| byte.is_ascii_digit())
        && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_');
    if is_id { (Some(id), title.trim()) } else { (None, heading) }
}

/// Sections of a ticket: heading, names in the index, further headings on the page.
const SECTIONS: &[(&str, &[&str], &[&str])] = &[
    ("Description", &["description"], &[]),
    ("Acceptance Criteria", &["acceptanceCriteria", "acceptance_criteria"], &[]),
    ("Notes", &["notes"], &["Note"]),
    ("Dependencies", &["dependencies"], &[]),
    ("Target Files", &["targetFiles", "target_files"], &[]),
    ("Tasks", &["tasks"], &["Subtasks"]),
    ("Context", &["context"], &[]),
    ("Deferred", &["deferred_reason", "deferReason"], &["Deferral Reason"]),
    ("Outcome", &["outcome"], &[]),
];

/// Merges the index entry and the page of one ticket.
fn join(id: String, index: Option<&Fields>, page: Option<&Page<'_>>) -> Record {
    let nothing = Fields::default();
    let index = index.unwrap_or(&nothing);
    let title = index.text(&["title"]).or_else(|| page.and_then(|page| page.title.clone()));
    let mut record = Record { id, title: title.unwrap_or_default(), ..Record::default() };
    for (heading, names, more) in SECTIONS {
        let headings: Vec<&str> = [*heading].into_iter().chain(more.iter().copied()).collect();
        let value = index.first(names);
        match page.and_then(|page| page.section(&headings)) {
            Some(text) if *heading == "Dependencies" => {
                // The page has explanations, the index has all of them.
                let missing = value.texts().into_iter().filter(|id| !text.contains(id.as_str()));
                let bullets = missing.map(|id| format!("- {id}"));
                let lines: Vec<String> = [text.to_owned()].into_iter().chain(bullets).collect();
                record.add_section(heading, &lines.join("\n"));
            }
            Some(text) => record.add_section(heading, text),
            None if value.text().is_some_and(|text| PLACEHOLDERS.contains(&text.as_str())) => {}
            None => record.add_value(heading, value),
        }
    }
    if let Some(page) = page {
        let known = |heading: &str| {
            SECTIONS.iter().any(|(name, _, more)| {
                [*name].iter().chain(*more).any(|known| known.eq_ignore_ascii_case(heading))
            })
        };
        let mut first_description = true;
        for (heading, body) in &page.sections {
            // Text before the first heading may exist in addition to such a section.
            let again = heading.eq_ignore_ascii_case("description") && !first_description;
            first_description &= !heading.eq_ignore_ascii_case("description");
            if !known(heading) || again {
                record.add_section(heading, body);
            }
        }
    }
    let description = record.sections.iter().find(|(heading, _)| heading == "Description");
    record.attributes.description = description.and_then(|(_, body)| first_paragraph(body));
    take_attributes(&mut record, index, page);
    record
}

/// Returns whether a field is a section or the name of the ticket.
fn is_prose(name: &str) -> bool {
    ["id", "title"].contains(&name) || SECTIONS.iter().any(|(_, names, _)| names.contains(&name))
}

fn take_attributes(record: &mut Record, index: &Fields, page: Option<&Page<'_>>) {
    let page_fields = page.map(|page| &page.fields);
    let page_state =
        page_fields.and_then(|fields| fields.text(&["State", "Status", "state", "status"]));
    let state = index.text(&["state", "status"]);
    if let (Some(state), Some(page_state)) = (&state, &page_state)
        && plain(state) != plain(page_state)
    {
        record.add("stateConflict", format!("index {state}, file {page_state}"));
    }
    record.attributes.status = state.or(page_state);
    for dependency in index.get("dependencies").texts() {
        record.add("dependency", dependency);
    }
    for (name, value) in index.iter().filter(|(name, _)| !is_prose(name)) {
        match (name, value) {
            ("state" | "status", value) if value.text() == record.attributes.status => {}
            ("github", Value::Map(fields)) => {
                for (name, value) in fields.iter() {
                    match name {
                        "labels" => keep(&mut record.attributes, "labels", value),
                        "assignees" => keep(&mut record.attributes, "assignee", value),
                        _ => value.flatten(&format!("github.{name}"), &mut record.attributes.extra),
                    }
                }
            }
            _ => keep(&mut record.attributes, name, value),
        }
    }
    // Fields that only the page has.
    let in_index: Vec<String> = index.iter().map(|(name, _)| plain(name)).collect();
    for (name, value) in page_fields.into_iter().flat_map(Fields::iter) {
        let name = plain(name);
        let is_known = in_index.contains(&name)
            || ["id", "ticketid", "ticket", "title", "state", "status"].contains(&name.as_str());
        if !is_known && !value.is_empty() {
            keep(&mut record.attributes, &name, value);
        }
    }
}

/// Folds case and separators of a name or a state: `In Progress` and `IN_PROGRESS` are equal.
fn plain(text: &str) -> String {
    markdown::without_sign(text)
        .chars()
        .filter(|character| character.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}
