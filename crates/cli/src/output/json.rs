//! The wire form on standard output: one object, and nothing else.

use std::io::{self, Write};

use lore_engine::SearchResponse;

use super::{Format, Style};
use crate::wire;

/// One JSON object.
pub(super) struct Json;

impl Format for Json {
    fn name(&self) -> &'static str {
        "json"
    }

    fn write(&self, response: &SearchResponse, _: &Style, out: &mut dyn Write) -> io::Result<()> {
        wire::write(&wire::search(response), out)
    }

    fn tells_absence(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::fixture;

    fn written(response: &SearchResponse) -> String {
        let mut out = Vec::new();
        Json.write(response, &Style::plain(), &mut out).expect("a vector takes everything");
        String::from_utf8(out).expect("JSON is Unicode")
    }

    #[test]
    fn every_key_is_there() {
        insta::assert_snapshot!(written(&fixture::response()));
    }

    #[test]
    fn without_hits_the_answer_says_why() {
        insta::assert_snapshot!(written(&fixture::nothing()));
    }
}
