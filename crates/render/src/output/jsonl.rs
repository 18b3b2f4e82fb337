//! The JSON Lines format: one object per result, then one for the rest of the answer.

use std::io::{self, Write};

use serde_json::Value;

use super::{Answer, Format, Style};
use crate::wire;

/// The results of the JSON format, one per line. The last line has the other keys, receipt first.
pub(super) struct JsonLines;

impl Format for JsonLines {
    fn name(&self) -> &'static str {
        "jsonl"
    }

    fn write(&self, answer: &Answer<'_>, _: &Style, out: &mut dyn Write) -> io::Result<()> {
        write(wire::search(answer), "results", out)
    }

    fn explains_absence(&self) -> bool {
        true
    }
}

/// Writes each item of a list of an object on a line, and the rest of the object on the last one, the
/// receipt first.
pub(super) fn write(object: Value, list: &str, out: &mut dyn Write) -> io::Result<()> {
    let Value::Object(mut rest) = object else { return Ok(()) };
    if let Some(Value::Array(items)) = rest.shift_remove(list) {
        for item in &items {
            wire::write_line(item, out)?;
        }
    }
    if let Some(receipt) = rest.shift_remove("receipt") {
        rest.shift_insert(0, "receipt".into(), receipt);
    }
    wire::write_line(&Value::Object(rest), out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::{fixture, json::Json, written};

    #[test]
    fn lines_are_the_results_of_json_and_the_rest() {
        for response in [fixture::response(), fixture::nothing(), fixture::hostile()] {
            let lines = written(&JsonLines, &response, &Style::plain());
            let mut lines: Vec<Value> =
                lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
            let mut last = lines.pop().expect("there is a last line");
            let first_key = last.as_object().and_then(|rest| rest.keys().next());
            assert_eq!(first_key.map(String::as_str), Some("receipt"));
            last["results"] = Value::Array(lines);
            let json: Value =
                serde_json::from_str(&written(&Json, &response, &Style::plain())).expect("JSON");
            assert_eq!(last, json);
        }
    }
}
