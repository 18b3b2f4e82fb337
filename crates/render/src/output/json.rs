//! The JSON format: the wire form as one object.

use std::io::{self, Write};

use super::{Answer, Format, Style};
use crate::wire;

/// One JSON object.
pub(super) struct Json;

impl Format for Json {
    fn name(&self) -> &'static str {
        "json"
    }

    fn write(&self, answer: &Answer<'_>, _: &Style, out: &mut dyn Write) -> io::Result<()> {
        let value = wire::search(answer);
        // Indentation would use tokens of the budget.
        if answer.budget_report.is_some() {
            wire::write_line(&value, out)
        } else {
            wire::write(&value, out)
        }
    }

    fn explains_absence(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::{fixture, written};

    #[test]
    fn every_key_is_there() {
        insta::assert_snapshot!(written(&Json, &fixture::response(), &Style::plain()));
    }

    #[test]
    fn an_answer_without_hits_contains_the_reasons() {
        insta::assert_snapshot!(written(&Json, &fixture::nothing(), &Style::plain()));
    }
}
