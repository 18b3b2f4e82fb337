//! Kiro: `.kiro/specs/<feature>/{requirements,design,tasks}.md`, and the steering pages that
//! accompany every task.

use lore_schema::Document;

use super::page::{Page, kind_of, read_pages, stem};
use crate::{
    UnitFiles,
    front_matter::Dialect,
    markdown::is_markdown,
    store::{Listing, Reader, UnitContent},
    units::Claim,
};

pub(super) struct Kiro;

impl Reader for Kiro {
    fn name(&self) -> &'static str {
        "kiro"
    }

    fn claim(&self, listing: &Listing<'_>) -> Vec<Claim> {
        let specs = listing.under(".kiro/specs");
        let steering = listing.under(".kiro/steering");
        specs
            .chain(steering)
            .filter(|&index| is_markdown(listing.path(index)))
            .map(|index| Claim::file(listing, index))
            .collect()
    }

    fn read(&self, tree: &UnitFiles<'_>, unit: &Claim) -> UnitContent {
        read_pages(tree, unit, document)
    }
}

/// Reads a page.
pub(super) fn document(path: &str, text: String) -> Document {
    let mut page = Page::new(path, text, Dialect::Yaml);
    let heading = page.stated_title.take().or_else(|| page.heading().map(str::to_owned));
    let Some(inner) = path.strip_prefix(".kiro/specs/") else {
        let id = stem(path).to_owned();
        let title = heading.unwrap_or_else(|| id.clone());
        return page.into_document("kiro", "steering", id, title);
    };
    let (feature, part) = inner.split_once('/').unwrap_or((stem(inner), "requirements.md"));
    let part = part.rsplit_once('.').map_or(part, |(part, _)| part);
    // Headings of these pages state their kind ("Requirements Document"), not the feature.
    let title = format!("{feature}: {}", heading.as_deref().unwrap_or(part));
    let id = if part == "requirements" {
        feature.to_owned()
    } else {
        page.add("parent", feature);
        format!("{feature}/{part}")
    };
    page.into_document("kiro", kind_of(path).unwrap_or("spec"), id, title)
}
