//! Agent OS: the product in `.agent-os/product`, and one folder per feature in
//! `.agent-os/specs/YYYY-MM-DD-name`, with its parts in `sub-specs` or `planning`. Newer versions
//! omit the dot, and have `standards` as a third folder.
//!
//! Pages have their metadata in quoted lines below the heading: `> Status: Planning`. Instructions
//! to agents belong to the docs.

use lore_schema::Document;

use super::page::{Page, kind_of, read_pages, stem};
use crate::{
    UnitFiles,
    attributes::keep,
    dates,
    front_matter::Dialect,
    markdown::{self, is_markdown},
    store::{Listing, Reader, UnitContent},
    units::Claim,
    value::Value,
};

pub(super) struct AgentOs;

const FOLDERS: &[&str] = &[".agent-os", "agent-os"];

/// Subfolders with pages of this format.
const PARTS: &[&str] = &["product", "recaps", "specs", "standards"];

impl Reader for AgentOs {
    fn name(&self) -> &'static str {
        "agent-os"
    }

    fn claim(&self, listing: &Listing<'_>) -> Vec<Claim> {
        let folders = FOLDERS.iter().filter(|folder| {
            // Without a dot the name is ambiguous: it counts only with a product or a dated spec.
            folder.starts_with('.')
                || listing.has(&format!("{folder}/product/mission.md"))
                || listing.under(&format!("{folder}/specs")).any(|index| {
                    PagePath::of(listing.path(index)).is_some_and(|path| path.day.is_some())
                })
        });
        folders
            .flat_map(|folder| {
                PARTS.iter().flat_map(move |part| listing.under(&format!("{folder}/{part}")))
            })
            .filter(|&index| is_markdown(listing.path(index)))
            .map(|index| Claim::file(listing, index))
            .collect()
    }

    fn read(&self, tree: &UnitFiles<'_>, unit: &Claim) -> UnitContent {
        read_pages(tree, unit, document)
    }
}

/// Parts of the path of a feature's page.
struct PagePath<'a> {
    /// Day at the start of the folder name, in seconds since the epoch.
    day: Option<i64>,
    /// Name of the feature.
    name: &'a str,
    /// Path of the page in the folder, without its extension.
    inner: &'a str,
}

impl PagePath<'_> {
    fn of(path: &str) -> Option<PagePath<'_>> {
        let (folder, inner) = path.split_once("agent-os/specs/")?.1.split_once('/')?;
        let (day, name) = match folder.split_at_checked(11) {
            Some((day, name)) if day.ends_with('-') && !name.is_empty() => {
                dates::parse(&day[..10]).map_or((None, folder), |seconds| (Some(seconds), name))
            }
            _ => (None, folder),
        };
        let inner = inner.rsplit_once('.').map_or(inner, |(inner, _)| inner);
        Some(PagePath { day, name, inner })
    }
}

/// Generic headings, which every page of a kind has.
const GENERIC: &[&str] = &[
    "api specification",
    "database schema",
    "spec requirements document",
    "spec summary (lite)",
    "spec tasks",
    "specification",
    "technical specification",
    "tests specification",
];

/// Reads a page.
pub(super) fn document(path: &str, text: String) -> Document {
    let mut page = Page::new(path, text, Dialect::Yaml);
    page.take_labels(&["spec", "version"]);
    let stated = take_quoted_fields(&mut page);
    let heading = page.stated_title.take().or_else(|| page.heading().map(str::to_owned));
    let Some(PagePath { day, name, inner }) = PagePath::of(path) else {
        let (_, inner) = path.split_once("agent-os/").unwrap_or(("", path));
        let inner = inner.rsplit_once('.').map_or(inner, |(inner, _)| inner);
        let kind = match (inner.split('/').next(), stem(path)) {
            (_, "roadmap") => "plan",
            (_, "decisions") => "decision",
            (Some("recaps"), _) => "report",
            _ => "steering",
        };
        let id = inner.to_owned();
        let title = heading.unwrap_or_else(|| stem(path).to_owned());
        return page.into_document("agent-os", kind, id, title);
    };
    page.attributes.created = page.attributes.created.or(day);
    let is_spec = matches!(inner, "spec" | "srd");
    let id = if is_spec {
        name.to_owned()
    } else {
        page.add("parent", name);
        let part = inner.strip_prefix("sub-specs/").or_else(|| inner.strip_prefix("planning/"));
        format!("{name}/{}", part.unwrap_or(inner))
    };
    // A generic heading is often followed by the name of the feature.
    let own = heading
        .as_deref()
        .filter(|heading| !GENERIC.iter().any(|generic| heading.eq_ignore_ascii_case(generic)));
    let title = match (is_spec, own, stated) {
        (true, _, Some(stated)) => stated,
        (true, Some(own), None) => own.to_owned(),
        (true, None, None) => name.to_owned(),
        (false, own, _) => format!("{name}: {}", own.or(heading.as_deref()).unwrap_or(stem(path))),
    };
    let kind = match stem(path) {
        "technical-spec" | "database-schema" | "api-spec" => "design",
        "requirements" => "requirements",
        _ => kind_of(path).unwrap_or("spec"),
    };
    page.into_document("agent-os", kind, id, title)
}

/// Reads the quoted lines above the first section as metadata, and returns the name of the spec
/// that they state.
fn take_quoted_fields(page: &mut Page) -> Option<String> {
    let mut found: Vec<(String, String)> = Vec::new();
    for line in markdown::lines(&page.text, page.body).filter(|line| !line.verbatim) {
        if markdown::heading(line.text).is_some_and(|(level, _)| level >= 2) {
            break;
        }
        let field = line.text.trim().strip_prefix('>').and_then(|text| text.split_once(':'));
        let Some((name, value)) = field else { continue };
        let (name, value) = (name.trim(), value.trim());
        let is_name = !name.is_empty()
            && name.len() <= 40
            && name
                .chars()
                .all(|character| character.is_alphanumeric() || " -_".contains(character));
        if is_name && !value.is_empty() && !page.metadata.contains(&line.range) {
            found.push((name.to_owned(), value.to_owned()));
            page.metadata.push(line.range);
        }
    }
    let mut stated = None;
    for (name, value) in found {
        if name.eq_ignore_ascii_case("spec") {
            // Some pages state the folder here instead of the feature.
            stated = Some(value).filter(|name| name.contains(char::is_whitespace)).or(stated);
        } else {
            keep(&mut page.attributes, &name, &Value::of_text(markdown::without_sign(&value)));
        }
    }
    stated
}
