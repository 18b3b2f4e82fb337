//! lean-spec: numbered folders below `specs`, each with a `README.md` and optional sub-specs.
//!
//! Three layouts are in use: `specs/20251031/001-name.md`, `specs/NNN-name/README.md`, and the same
//! below `specs/archived`. Most pages repeat their front matter in a line of bold labels.

use lore_schema::Document;

use super::page::{Page, is_numbered, kind_of, read_pages, stem};
use crate::{
    UnitFiles,
    front_matter::Dialect,
    markdown::is_markdown,
    store::{Listing, Reader, UnitContent},
    units::Claim,
};

pub(super) struct LeanSpec;

/// Labels of the line below the heading that do not correspond to an attribute.
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
        // The folder is configurable, but claims are decided from paths alone. If the tool is set
        // up and the default folder has no specs, a folder of this name at any depth counts.
        let configured =
            [".lean-spec/config.json", ".lspec/config.json"].iter().any(|path| listing.has(path));
        if configured { claims_under(listing, "", true) } else { Vec::new() }
    }

    fn read(&self, tree: &UnitFiles<'_>, unit: &Claim) -> UnitContent {
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
                && PagePath::of(path).is_some_and(|page_path| match page_path.layout {
                    Layout::Flat => true,
                    // A folder of GitHub Spec Kit has a `spec.md` instead.
                    Layout::Folder => {
                        listing.has(&format!("{}/README.md", page_path.folder))
                            && !listing.has(&format!("{}/spec.md", page_path.folder))
                    }
                })
        })
        .map(|index| Claim::file(listing, index))
        .collect()
}

#[derive(Debug, PartialEq, Eq)]
enum Layout {
    /// One file per spec, in a folder named after a day.
    Flat,
    /// One folder per spec.
    Folder,
}

/// Parts of the path of a page.
#[derive(Debug, PartialEq, Eq)]
struct PagePath<'a> {
    layout: Layout,
    /// Identifier of the spec.
    spec: &'a str,
    /// Path of the spec's folder.
    folder: &'a str,
    /// Path of the page in that folder, without its extension; empty for the spec itself.
    inner: &'a str,
    archived: bool,
}

impl PagePath<'_> {
    fn of(path: &str) -> Option<PagePath<'_>> {
        let mut offset = 0;
        let mut below_specs = false;
        let mut archived = false;
        let mut day = false;
        for part in path.split('/') {
            let end = offset + part.len();
            if end == path.len() {
                let spec = stem(path);
                return (day && is_numbered(spec)).then_some(PagePath {
                    layout: Layout::Flat,
                    spec,
                    folder: &path[..offset],
                    inner: "",
                    archived,
                });
            }
            if below_specs && is_numbered(part) {
                let inner = &path[end + 1..];
                let inner = inner.rsplit_once('.').map_or(inner, |(stem, _)| stem);
                return Some(PagePath {
                    layout: Layout::Folder,
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
    let (id, kind, parent, in_archive) = match PagePath::of(path) {
        None => (stem(path).to_owned(), "spec", None, false),
        Some(page_path) if page_path.inner.is_empty() => {
            (page_path.spec.to_owned(), "spec", None, page_path.archived)
        }
        Some(page_path) => (
            format!("{}/{}", page_path.spec, page_path.inner),
            kind_of(path).unwrap_or("spec"),
            Some(page_path.spec.to_owned()),
            page_path.archived,
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
