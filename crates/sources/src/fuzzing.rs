//! Parsers of untrusted bytes for the fuzz targets. Only with the feature `fuzzing`; not part of
//! the public API.

use std::ops::Range;

use lore_schema::Attributes;

use crate::{
    attributes::keep,
    exports,
    front_matter::{self, Dialect},
};

/// Parses the front matter of a page in each dialect, and returns its byte range and attributes.
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

/// Returns whether a text is recognized as an export of a tracker.
pub fn export(text: &str) -> bool {
    exports::sniff(text).is_some()
}
