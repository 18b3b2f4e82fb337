//! Issues of spexcode: single files in `.spec/.issues`, next to the tree of nodes.

use lore_schema::{Attributes, DocKey, Document, SourceName, TextOrigin, Trust};

use super::record::read_files;
use crate::{
    UnitFiles,
    attributes::keep,
    front_matter::{self, Dialect},
    markdown::{self, is_markdown},
    store::{Listing, Reader, UnitContent},
    units::Claim,
    value::split_labels,
};

pub(super) struct SpexIssues;

impl Reader for SpexIssues {
    fn name(&self) -> &'static str {
        "spex-issues"
    }

    fn claim(&self, listing: &Listing<'_>) -> Vec<Claim> {
        listing
            .under(".spec/.issues")
            .filter(|&index| is_markdown(listing.path(index)))
            .map(|index| Claim::file(listing, index))
            .collect()
    }

    fn read(&self, tree: &UnitFiles<'_>, unit: &Claim) -> UnitContent {
        let limit = self.size_limit(tree.options().max_file_size);
        read_files(tree, unit, limit, |path, text, content| {
            content.documents.push(parse(path, text));
        })
    }
}

/// Reads an issue.
pub(super) fn parse(path: &str, text: String) -> Document {
    let front = front_matter::split(&text, Dialect::Lines);
    let name = path.rsplit('/').next().unwrap_or(path);
    let name = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let mut attributes = Attributes { id: Some(name.to_owned()), ..Attributes::default() };
    let mut concern = None;
    for (field, value) in front.fields.iter() {
        match field {
            "concern" => concern = value.text(),
            "nodes" => {
                let nodes = value.texts();
                let nodes = nodes.iter().flat_map(|text| split_labels(text));
                attributes.extra.extend(nodes.map(|node| ("node".to_owned(), node)));
            }
            _ => keep(&mut attributes, field, value),
        }
    }
    let title = concern
        .or_else(|| markdown::first_heading(&text, front.range.end).map(str::to_owned))
        .unwrap_or_else(|| name.to_owned());
    let metadata = if front.fields.is_empty() { Vec::new() } else { vec![front.range] };
    Document {
        key: DocKey { source: SourceName::Tickets, locator: path.to_owned() },
        path: path.to_owned(),
        format: "spex-issues",
        kind: "ticket",
        title,
        text,
        origin: TextOrigin::File,
        metadata,
        attributes,
        trust: Trust::Own,
    }
}
