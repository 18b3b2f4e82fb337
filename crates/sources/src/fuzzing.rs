//! Private parsers of outside bytes, within reach of the fuzz targets: only with the feature
//! `fuzzing`, and no part of the interface.

use std::ops::Range;

use lore_schema::Attributes;

use crate::{
    attributes::keep,
    exports,
    front_matter::{self, Dialect},
};

/// The front matter of a page, once for each dialect: its bytes, and what becomes of its fields.
pub fn front_matter(text: &str) -> [(Range<usize>, Attributes); 2] {
    [Dialect::Yaml, Dialect::Lines].map(|dialect| {
        let front = front_matter::split(text, dialect);
        let mut attributes = Attributes::default();
        for (name, value) in front.fields.iter() {
            keep(&mut attributes, name, value);
        }
        (front.range, attributes)
    })
}

/// Whether a text is an export of a tracker.
pub fn export(text: &str) -> bool {
    exports::sniff(text).is_some()
}
