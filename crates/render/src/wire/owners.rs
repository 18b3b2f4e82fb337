//! The wire form of the specs of a file, and of where a spec leads.

use lore_engine::{Link, Owner, OwnersAnswer};
use schemars::JsonSchema;
use serde::Serialize;

use super::SCHEMA;

/// An answer of `lore owners`.
#[derive(Serialize, JsonSchema)]
pub struct OwnersWire<'a> {
    schema: u32,
    path: &'a str,
    selector: Option<&'a str>,
    exists: bool,
    governing: Vec<OwnerWire<'a>>,
    related: Vec<OwnerWire<'a>>,
}

#[derive(Serialize, JsonSchema)]
struct OwnerWire<'a> {
    id: &'a str,
    title: &'a str,
    path: &'a str,
    description: &'a str,
    claim: &'a str,
    selectors: &'a [String],
}

/// The target of a reference.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LinkWire<'a> {
    rel: &'static str,
    id: &'a str,
    path: &'a str,
    start_line: Option<u32>,
    end_line: Option<u32>,
    found: bool,
}

/// The wire form of the specs of a file.
pub fn owners(answer: &OwnersAnswer) -> OwnersWire<'_> {
    OwnersWire {
        schema: SCHEMA,
        path: &answer.path,
        selector: answer.selector.as_deref(),
        exists: answer.exists,
        governing: answer.governing.iter().map(owner).collect(),
        related: answer.related.iter().map(owner).collect(),
    }
}

fn owner(owner: &Owner) -> OwnerWire<'_> {
    OwnerWire {
        id: &owner.id,
        title: &owner.title,
        path: &owner.path,
        description: &owner.description,
        claim: &owner.claim,
        selectors: &owner.selectors,
    }
}

/// The wire form of links.
pub fn links(links: &[Link]) -> Vec<LinkWire<'_>> {
    links
        .iter()
        .map(|link| LinkWire {
            rel: link.relation,
            id: &link.id,
            path: &link.path,
            start_line: link.start_line,
            end_line: link.end_line,
            found: link.found,
        })
        .collect()
}
