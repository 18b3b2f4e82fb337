//! `OpenSpec`: current specs by capability, and changes that propose, design and amend them.
//!
//! `openspec/specs/<capability>/spec.md`, `openspec/changes/<change>/{proposal,design,tasks}.md`,
//! `openspec/changes/<change>/specs/<capability>/spec.md` (a delta), and the same again below
//! `openspec/changes/archive/[YYYY-MM-DD-]<change>`. There is no front matter.

use lore_schema::Document;

use super::page::{Page, kind_of, read_pages, stem};
use crate::{
    UnitFiles, dates,
    front_matter::Dialect,
    markdown::is_markdown,
    store::{Listing, Reader, UnitContent},
    units::Claim,
};

pub(super) struct OpenSpec;

const FOLDER: &str = "openspec";

impl Reader for OpenSpec {
    fn name(&self) -> &'static str {
        "openspec"
    }

    fn claim(&self, listing: &Listing<'_>) -> Vec<Claim> {
        listing
            .under(FOLDER)
            .filter(|&index| {
                let path = listing.path(index);
                is_markdown(path) && PagePath::of(path).is_some()
            })
            .map(|index| Claim::file(listing, index))
            .collect()
    }

    fn read(&self, tree: &UnitFiles<'_>, unit: &Claim) -> UnitContent {
        read_pages(tree, unit, document)
    }
}

/// Parts of the path of a page.
#[derive(Debug, PartialEq, Eq)]
enum PagePath<'a> {
    /// `project.md`: the conventions for every spec.
    Project,
    /// A current spec.
    Capability { name: &'a str, inner: &'a str },
    /// A page of a change; `inner` is its path in the change's folder.
    Change { name: &'a str, inner: &'a str, archived: bool },
}

impl PagePath<'_> {
    fn of(path: &str) -> Option<PagePath<'_>> {
        let path = path.strip_prefix("openspec/")?;
        if path == "project.md" {
            return Some(PagePath::Project);
        }
        if let Some(path) = path.strip_prefix("specs/") {
            // Capabilities may be nested: the name is the folder's whole path.
            let (name, inner) = path.rsplit_once('/').unwrap_or((path, ""));
            return Some(PagePath::Capability { name, inner });
        }
        let path = path.strip_prefix("changes/")?;
        let (path, archived) = match path.strip_prefix("archive/") {
            Some(path) => (path, true),
            None => (path, false),
        };
        let (name, inner) = path.split_once('/')?;
        Some(PagePath::Change { name, inner, archived })
    }
}

/// Reads a page.
pub(super) fn document(path: &str, text: String) -> Document {
    let mut page = Page::new(path, text, Dialect::Yaml);
    let heading = page.stated_title.take().or_else(|| page.heading().map(str::to_owned));
    let (kind, id, title) = match PagePath::of(path) {
        None | Some(PagePath::Project) => {
            ("steering", "project".to_owned(), heading.unwrap_or_else(|| "project".to_owned()))
        }
        Some(PagePath::Capability { name, inner: "spec.md" }) => {
            let heading =
                heading.as_deref().map(without_generic_words).filter(|text| !text.is_empty());
            ("spec", name.to_owned(), heading.unwrap_or(name).to_owned())
        }
        Some(PagePath::Capability { name, inner }) => {
            let name = if inner.is_empty() { stem(name) } else { name };
            let kind = kind_of(path).unwrap_or("spec");
            let id =
                if inner.is_empty() { name.to_owned() } else { format!("{name}/{}", stem(inner)) };
            (kind, id, heading.unwrap_or_else(|| name.to_owned()))
        }
        Some(PagePath::Change { name, inner, archived }) => {
            let (day, change) = without_day(name);
            if let Some(day) = day {
                page.attributes.created = Some(day);
            }
            page.add("change", change);
            if archived {
                page.mark_archived();
            }
            let capability = inner.strip_prefix("specs/").and_then(|path| path.rsplit_once('/'));
            if let Some((capability, _)) = capability {
                page.add("capability", capability);
                let title = format!("{change}: {capability}");
                ("delta", format!("{change}/{capability}"), title)
            } else if inner == "proposal.md" {
                let heading = heading.as_deref().map(without_generic_words);
                let title = heading.filter(|text| !text.is_empty()).unwrap_or(change);
                ("proposal", change.to_owned(), title.to_owned())
            } else {
                let part = inner.rsplit_once('.').map_or(inner, |(part, _)| part);
                let kind = kind_of(path).unwrap_or("proposal");
                let title = format!("{change}: {}", heading.as_deref().unwrap_or(part));
                (kind, format!("{change}/{part}"), title)
            }
        }
    };
    page.into_document("openspec", kind, id, title)
}

/// Removes the words that every page of a kind has from a heading.
fn without_generic_words(heading: &str) -> &str {
    let heading = ["Change Proposal:", "Change:", "Proposal:", "Spec:", "Specification:"]
        .iter()
        .find_map(|words| heading.strip_prefix(words))
        .unwrap_or(heading);
    heading.strip_suffix(" Specification").unwrap_or(heading).trim()
}

/// Returns the day at the start of the folder name of an archived change, in seconds since the
/// epoch, and the name of the change.
fn without_day(name: &str) -> (Option<i64>, &str) {
    match name.split_at_checked(11) {
        Some((day, change)) if day.ends_with('-') && !change.is_empty() => {
            match dates::parse(&day[..10]) {
                Some(seconds) => (Some(seconds), change),
                None => (None, name),
            }
        }
        _ => (None, name),
    }
}
