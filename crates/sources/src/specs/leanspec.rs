//! lean-spec: numbered folders below `specs`, each with a `README.md` and sub-specs beside it.
//!
//! Three layouts have been in use: `specs/20251031/001-name.md`, `specs/NNN-name/README.md`, and the
//! same below `specs/archived`. Most pages repeat their front matter in a line of bold labels.

use lore_schema::Document;

use super::page::{Page, is_numbered, kind_of, read_pages, stem};
use crate::{
    Tree,
    front_matter::Dialect,
    markdown::is_markdown,
    store::{Listing, Reader, UnitContent},
    units::Claim,
};

pub(super) struct LeanSpec;

/// Labels of the line below the heading that no attribute stands for.
const LABELS: &[&str] =
    &["completed", "depends on", "parent", "spec", "team", "token budget", "version"];

impl Reader for LeanSpec {
    fn name(&self) -> &'static str {
        "lean-spec"
    }

    fn claim(&self, listing: &Listing<'_>) -> Vec<Claim> {
        let claims = claims_under(listing, "specs", false);
        if !claims.is_empty() {
            return claims;
        }
        // The folder is a setting. Claims are decided from the paths alone, so where the tool is
        // set up, and the usual folder has nothing, a folder of this name counts wherever it lies.
        let configured =
            [".lean-spec/config.json", ".lspec/config.json"].iter().any(|path| listing.has(path));
        if configured { claims_under(listing, "", true) } else { Vec::new() }
    }

    fn read(&self, tree: &Tree, unit: &Claim) -> UnitContent {
        read_pages(tree, unit, document)
    }
}

fn claims_under(listing: &Listing<'_>, folder: &str, elsewhere: bool) -> Vec<Claim> {
    listing
        .under(folder)
        .filter(|&index| {
            let path = listing.path(index);
            let hidden =
                || path.split('/').any(|part| part.starts_with('.') || part == "node_modules");
            is_markdown(path)
                && !(elsewhere && hidden())
                && Place::of(path).is_some_and(|place| match place.kind {
                    PlaceKind::Flat => true,
                    // A folder of GitHub Spec Kit has a `spec.md` instead.
                    PlaceKind::Folder => {
                        listing.has(&format!("{}/README.md", place.folder))
                            && !listing.has(&format!("{}/spec.md", place.folder))
                    }
                })
        })
        .map(|index| Claim::file(listing, index))
        .collect()
}

#[derive(Debug, PartialEq, Eq)]
enum PlaceKind {
    /// One file a spec, in a folder named after a day.
    Flat,
    /// One folder a spec.
    Folder,
}

/// Where a page belongs.
#[derive(Debug, PartialEq, Eq)]
struct Place<'a> {
    kind: PlaceKind,
    /// Identifier of the spec.
    spec: &'a str,
    /// Path of the spec's folder.
    folder: &'a str,
    /// The page's path inside that folder, without its extension; empty for the spec itself.
    inner: &'a str,
    archived: bool,
}

impl Place<'_> {
    fn of(path: &str) -> Option<Place<'_>> {
        let mut offset = 0;
        let mut below_specs = false;
        let mut archived = false;
        let mut day = false;
        for part in path.split('/') {
            let end = offset + part.len();
            if end == path.len() {
                let spec = stem(path);
                return (day && is_numbered(spec)).then_some(Place {
                    kind: PlaceKind::Flat,
                    spec,
                    folder: &path[..offset],
                    inner: "",
                    archived,
                });
            }
            if below_specs && is_numbered(part) {
                let inner = &path[end + 1..];
                let inner = inner.rsplit_once('.').map_or(inner, |(stem, _)| stem);
                return Some(Place {
                    kind: PlaceKind::Folder,
                    spec: part,
                    folder: &path[..end],
                    inner: if inner == "README" { "" } else { inner },
                    archived,
                });
            }
            archived |= below_specs && matches!(part, "archived" | "archive");
            day = below_specs && part.len() == 8 && part.bytes().all(|byte| byte.is_ascii_digit());
            below_specs |= part == "specs";
            offset = end + 1;
        }
        None
    }
}

/// Reads a page.
pub(super) fn document(path: &str, text: String) -> Document {
    let mut page = Page::new(path, text, Dialect::Yaml);
    page.take_labels(LABELS);
    let heading = page.heading().map(str::to_owned);
    let title = page.stated_title.take().or(heading);
    let (id, kind, parent, in_archive) = match Place::of(path) {
        None => (stem(path).to_owned(), "spec", None, false),
        Some(place) if place.inner.is_empty() => {
            (place.spec.to_owned(), "spec", None, place.archived)
        }
        Some(place) => (
            format!("{}/{}", place.spec, place.inner),
            kind_of(path).unwrap_or("spec"),
            Some(place.spec.to_owned()),
            place.archived,
        ),
    };
    if let Some(parent) = parent {
        page.add("parent", parent);
    }
    let archived_status = page
        .attributes
        .status
        .as_deref()
        .is_some_and(|status| status.eq_ignore_ascii_case("archived"));
    if in_archive || archived_status {
        page.mark_archived();
    }
    let superseded =
        page.attributes.extra.iter().find(|(name, _)| name.replace('_', "-") == "superseded-by");
    if let Some((_, by)) = superseded.cloned() {
        page.add("supersededBy", by);
    }
    let title = title.unwrap_or_else(|| id.clone());
    page.into_document("lean-spec", kind, id, title)
}
