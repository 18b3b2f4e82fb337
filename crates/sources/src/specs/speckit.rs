//! GitHub Spec Kit: `specs/NNN-name/{spec,plan,research,data-model,tasks,…}.md`, the constitution
//! under `.specify/memory`, and the forks that keep their specs under `.specify/specs`.
//!
//! Pages have their metadata in lines of bold labels below the heading. The templates under
//! `.specify/templates` contain placeholders and belong to the docs.

use lore_schema::Document;

use super::page::{Page, is_numbered, kind_of, read_pages, stem};
use crate::{
    UnitFiles,
    front_matter::Dialect,
    markdown::is_markdown,
    store::{Listing, Reader, UnitContent},
    units::Claim,
};

pub(super) struct SpecKit;

/// Labels below the heading that do not correspond to an attribute.
const LABELS: &[&str] = &["branch", "feature branch", "feature id", "機能ブランチ", "ブランチ"];

impl Reader for SpecKit {
    fn name(&self) -> &'static str {
        "spec-kit"
    }

    fn claim(&self, listing: &Listing<'_>) -> Vec<Claim> {
        let memory = listing.under(".specify/memory");
        let own = listing.under(".specify/specs");
        let shared = listing.under("specs").filter(|&index| {
            feature(listing.path(index)).is_some_and(|(folder, _, _)| {
                let has = |name: &str| listing.has(&format!("{folder}/{name}"));
                // A folder with a README and without a spec belongs to lean-spec.
                has("spec.md") || (has("plan.md") && !has("README.md"))
            })
        });
        memory
            .chain(own)
            .chain(shared)
            .filter(|&index| is_markdown(listing.path(index)))
            .map(|index| Claim::file(listing, index))
            .collect()
    }

    fn read(&self, tree: &UnitFiles<'_>, unit: &Claim) -> UnitContent {
        read_pages(tree, unit, document)
    }
}

/// Returns the folder of a page's feature, the name of the feature, and the page's path in the
/// folder.
fn feature(path: &str) -> Option<(&str, &str, &str)> {
    let mut offset = 0;
    let mut below_specs = false;
    for part in path.split('/') {
        let end = offset + part.len();
        if end == path.len() {
            return None;
        }
        if below_specs && is_numbered(part) {
            return Some((&path[..end], part, &path[end + 1..]));
        }
        below_specs |= part == "specs";
        offset = end + 1;
    }
    None
}

/// Reads a page.
pub(super) fn document(path: &str, text: String) -> Document {
    let mut page = Page::new(path, text, Dialect::Yaml);
    page.take_labels(LABELS);
    let heading = page.stated_title.take().or_else(|| page.heading().map(str::to_owned));
    if path.starts_with(".specify/memory/") {
        let title = heading.unwrap_or_else(|| stem(path).to_owned());
        return page.into_document("spec-kit", "steering", stem(path).to_owned(), title);
    }
    let (kind, id) = match feature(path) {
        Some((_, name, "spec.md")) => ("spec", name.to_owned()),
        Some((_, name, inner)) => {
            page.add("parent", name);
            let part = inner.rsplit_once('.').map_or(inner, |(part, _)| part);
            let kind = if inner.starts_with("checklists/") {
                "tasks"
            } else {
                kind_of(path).unwrap_or("spec")
            };
            (kind, format!("{name}/{part}"))
        }
        None => ("spec", stem(path).to_owned()),
    };
    let title = heading.as_deref().map_or(id.as_str(), without_generic_words).to_owned();
    page.into_document("spec-kit", kind, id, title)
}

/// Removes the words that the template of a spec puts before a heading.
fn without_generic_words(heading: &str) -> &str {
    ["Feature Specification:", "Feature Spec:", "Specification:", "機能仕様書:"]
        .iter()
        .find_map(|words| heading.strip_prefix(words))
        .map(str::trim)
        .filter(|rest| !rest.is_empty())
        .unwrap_or(heading)
}
