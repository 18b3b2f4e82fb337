//! Issues of Linear, exported as a table.

use lore_schema::SkipReason;

use super::record::{Export, Record, count, first_paragraph, read_files};
use crate::{
    Tree,
    attributes::keep,
    exports::{self, ExportFormat},
    store::{Claim, Listing, Reader, UnitContent},
    table::Table,
    value::{Fields, split_labels},
};

pub(super) struct Linear;

const FORMAT: &str = "linear";

impl Reader for Linear {
    fn name(&self) -> &'static str {
        FORMAT
    }

    fn claim(&self, listing: &Listing<'_>) -> Vec<Claim> {
        listing.exports(&[ExportFormat::Linear])
    }

    fn read(&self, tree: &Tree, unit: &Claim) -> UnitContent {
        read_files(tree, unit, exports::LARGEST, |path, text, content| parse(path, &text, content))
    }

    fn size_limit(&self, _: u64) -> u64 {
        exports::LARGEST
    }
}

/// Reads an export.
pub(super) fn parse(path: &str, text: &str, content: &mut UnitContent) {
    let mut export = Export::new(FORMAT, path);
    for fields in Table::of(text).iter().flat_map(Table::rows) {
        match fields.text(&["ID", "Id", "id"]) {
            Some(id) => export.add(&id.clone(), record(id, &fields)),
            None => count(&mut content.skipped, SkipReason::Malformed),
        }
    }
    export.finish(content);
}

/// Columns whose cells name other issues, and what the names become.
const LINKS: &[(&str, &str)] = &[
    ("parent issue", "parent"),
    ("blocked by", "dependency"),
    ("blocks", "blocks"),
    ("duplicate of", "duplicateOf"),
    ("related to", "relatedTo"),
];

fn record(id: String, fields: &Fields) -> Record {
    let mut record = Record { id, ..Record::default() };
    for (column, value) in fields.iter() {
        let name = column.to_lowercase();
        match name.as_str() {
            "id" => {}
            "title" => record.title = value.text().unwrap_or_default(),
            "description" => {
                let text = value.text().unwrap_or_default();
                record.attributes.description = first_paragraph(&text);
                record.add_section("Description", &text);
            }
            name => match LINKS.iter().find(|(link, _)| *link == name) {
                Some((_, link)) => {
                    for target in split_labels(&value.text().unwrap_or_default()) {
                        record.add(link, target);
                    }
                }
                None => keep(&mut record.attributes, column, value),
            },
        }
    }
    record
}
