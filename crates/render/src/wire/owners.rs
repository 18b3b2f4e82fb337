//! The wire form of the specs of a file, and of where a spec leads.

use lore_engine::{Link, Owner, OwnersAnswer};
use schemars::JsonSchema;
use serde::Serialize;

use super::SCHEMA;

/// An answer of `lore owners`.
#[derive(Serialize, JsonSchema)]
pub struct OwnersWire<'a> {
    /// Version of the form of this object: 1. It increases when a key changes its meaning or is
    /// removed.
    schema: u32,
    /// The file or directory.
    path: &'a str,
    /// Part of the file; null for all of it.
    selector: Option<&'a str>,
    /// True if the file exists.
    exists: bool,
    /// Specs that govern it.
    governing: Vec<OwnerWire<'a>>,
    /// Specs that name it as related.
    related: Vec<OwnerWire<'a>>,
}

#[derive(Serialize, JsonSchema)]
struct OwnerWire<'a> {
    /// Identifier, which other commands accept.
    id: &'a str,
    /// Title or name.
    title: &'a str,
    /// Path of the spec.
    path: &'a str,
    /// Description of the spec.
    description: &'a str,
    /// Entry of the spec that names the file.
    claim: &'a str,
    /// Parts of the file that the entry names.
    selectors: &'a [String],
}

/// The target of a reference.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LinkWire<'a> {
    /// Kind of the reference.
    rel: &'static str,
    /// Identifier, which other commands accept.
    id: &'a str,
    /// Path from the root, with `/` between names.
    path: &'a str,
    /// First line, from 1.
    start_line: Option<u32>,
    /// Last line, from 1, included.
    end_line: Option<u32>,
    /// True if the target exists.
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
