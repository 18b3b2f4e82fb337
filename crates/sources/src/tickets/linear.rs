//! Issues of Linear, exported as a table.

use lore_schema::SkipReason;

use super::export::ExportReader;
use super::record::{Export, Record, count, first_paragraph};
use crate::{
    attributes::keep,
    exports::ExportFormat,
    store::UnitContent,
    table::Table,
    value::{Fields, split_labels},
};

const FORMAT: &str = "linear";

pub(super) static LINEAR: ExportReader =
    ExportReader { name: FORMAT, formats: &[ExportFormat::Linear], parse };

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

/// Columns whose cells name other issues, and the resulting attributes.
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
