//! The formats in which an answer is written. One file and one row each.

mod human;
mod json;
mod paths;
pub(crate) mod style;
pub(crate) mod text;

use std::io::{self, Write};

use lore_engine::SearchResponse;

pub(crate) use self::human::{absence, count, plural, skipped};
use self::style::Style;

/// A way to write an answer.
pub(crate) trait Format: Sync {
    /// The name that users type.
    fn name(&self) -> &'static str;

    /// Writes the whole answer, hits best first. Nothing in it may steer a terminal, whatever the
    /// searched files hold.
    fn write(
        &self,
        response: &SearchResponse,
        style: &Style,
        out: &mut dyn Write,
    ) -> io::Result<()>;

    /// Whether the answer itself says why there is no hit.
    fn tells_absence(&self) -> bool {
        false
    }
}

/// Every format, in the order of the names.
pub(crate) static FORMATS: &[&dyn Format] = &[&human::Human, &json::Json, &paths::Paths];

/// The format with this name, if there is one.
pub(crate) fn format(name: &str) -> Option<&'static dyn Format> {
    FORMATS.iter().copied().find(|format| format.name() == name)
}

/// The names of the formats.
pub(crate) fn names() -> Vec<&'static str> {
    FORMATS.iter().map(|format| format.name()).collect()
}

#[cfg(test)]
mod fixture;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_sorted() {
        assert!(names().is_sorted_by(|left, right| left < right));
    }

    #[test]
    fn no_format_lets_a_file_steer_the_terminal() {
        let response = fixture::hostile();
        for format in FORMATS {
            let mut out = Vec::new();
            format.write(&response, &Style::plain(), &mut out).expect("a vector takes everything");
            let text = String::from_utf8(out).expect("output is Unicode");
            let steering = text.chars().find(|character| {
                (character.is_control() && *character != '\n') || text::is_reordering(*character)
            });
            assert_eq!(steering, None, "{}: {text:?}", format.name());
        }
    }
}
