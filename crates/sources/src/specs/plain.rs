//! Plain Markdown specs in common folders: `docs/{breakdown,features,research,
//! requirements,rfcs,specs}`, `docs/prd*.md` and `PRPs`. Claims last, so that more specific formats
//! have precedence.

use lore_schema::Document;

use super::page::{Page, kind_of, read_pages, stem};
use crate::{
    UnitFiles,
    front_matter::Dialect,
    markdown::is_markdown,
    store::{Listing, Reader, UnitContent},
    units::Claim,
};

pub(super) struct Plain;

/// A folder with specs.
struct Folder {
    path: &'static str,
    /// Prefix of identifiers: the same feature often has a page in several of the folders.
    prefix: &'static str,
    /// Kind of pages whose file name does not determine it.
    kind: &'static str,
}

const FOLDERS: &[Folder] = &[
    Folder { path: "PRPs", prefix: "PRPs/", kind: "requirements" },
    Folder { path: "docs/breakdown", prefix: "breakdown/", kind: "plan" },
    Folder { path: "docs/features", prefix: "features/", kind: "spec" },
    Folder { path: "docs/requirements", prefix: "requirements/", kind: "requirements" },
    Folder { path: "docs/research", prefix: "research/", kind: "research" },
    Folder { path: "docs/rfcs", prefix: "rfcs/", kind: "rfc" },
    Folder { path: "docs/specs", prefix: "", kind: "spec" },
];

/// Single files `docs/prd*`.
const LOOSE: Folder = Folder { path: "docs", prefix: "", kind: "requirements" };

/// Labels below the heading that do not correspond to an attribute.
const LABELS: &[&str] =
    &["component", "deciders", "feature", "spec version", "target", "type", "version"];

impl Reader for Plain {
    fn name(&self) -> &'static str {
        "plain"
    }

    fn claim(&self, listing: &Listing<'_>) -> Vec<Claim> {
        let in_folders = FOLDERS.iter().flat_map(|folder| listing.under(folder.path));
        let requirements =
            listing.under("docs").filter(|&index| is_requirements(listing.path(index)));
        in_folders
            .chain(requirements)
            .filter(|&index| is_markdown(listing.path(index)))
            .map(|index| Claim::file(listing, index))
            .collect()
    }

    fn read(&self, tree: &UnitFiles<'_>, unit: &Claim) -> UnitContent {
        read_pages(tree, unit, document)
    }
}

/// Returns whether a file is `docs/prd*`, ignoring case.
fn is_requirements(path: &str) -> bool {
    let name = path.strip_prefix("docs/").unwrap_or(path);
    !name.contains('/') && name.get(..3).is_some_and(|start| start.eq_ignore_ascii_case("prd"))
}

/// Reads a page.
pub(super) fn document(path: &str, text: String) -> Document {
    let mut page = Page::new(path, text, Dialect::Yaml);
    page.take_labels(LABELS);
    let heading = page.stated_title.take().or_else(|| page.heading().map(str::to_owned));
    let inside = |folder: &Folder| path.strip_prefix(folder.path)?.strip_prefix('/');
    let (folder, inner) = FOLDERS
        .iter()
        .find_map(|folder| Some((folder, inside(folder)?)))
        .unwrap_or((&LOOSE, path.rsplit('/').next().unwrap_or(path)));
    let (parent, file) = match inner.rsplit_once('/') {
        Some((parent, file)) => (Some(parent), stem(file)),
        None => (None, stem(inner)),
    };
    let name = match (parent, file) {
        (Some(parent), "spec" | "README" | "index") => parent.to_owned(),
        (Some(parent), file) => {
            page.add("parent", parent);
            format!("{parent}/{file}")
        }
        (None, file) => file.to_owned(),
    };
    let id = format!("{}{name}", folder.prefix);
    let kind = match (kind_of(path), file) {
        (Some(kind), _) => kind,
        (None, "spec") => "spec",
        _ => folder.kind,
    };
    let title = heading.unwrap_or_else(|| id.clone());
    page.into_document("plain", kind, id, title)
}
