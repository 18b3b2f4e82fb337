//! Reads the records of a JSON export one by one.

use lore_schema::SkipReason;

use crate::{
    records::{LineCounter, RecordLines, parse, records},
    store::UnitContent,
    value::Fields,
};

/// Reads every record with its lines in the text. Invalid records, and records for which `take` returns false, are counted as
/// malformed.
pub(super) fn read_records(
    text: &str,
    content: &mut UnitContent,
    mut take: impl FnMut(Fields, Option<RecordLines>, &mut UnitContent) -> bool,
) {
    let mut counter = LineCounter::new(text);
    let records = records(text);
    let mut malformed = records.strays;
    for record in &records.texts {
        if let Some(fields) = parse(record) {
            malformed += u64::from(!take(fields, counter.lines_of(record), content));
            continue;
        }
        // A truncated line includes the lines after it: try each line separately.
        let (mut found, mut lost) = (0_u64, 0);
        for line in record.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let is_taken =
                parse(line).is_some_and(|fields| take(fields, counter.lines_of(line), content));
            found += u64::from(is_taken);
            lost += u64::from(!is_taken);
        }
        malformed += if found == 0 { 1 } else { lost };
    }
    if malformed != 0 {
        *content.skipped.entry(SkipReason::Malformed).or_default() += malformed;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_record_does_not_affect_others() {
        let deep = format!("{}{}", "[".repeat(5_000), "]".repeat(5_000));
        let cases = [
            ("{\"n\":1}\n{\"n\":2,\n{\"n\":3}\n".to_owned(), vec!["1", "3"], 1),
            ("[{\"n\":1},{\"n\":},{\"n\":3}]".to_owned(), vec!["1", "3"], 1),
            ("{\"n\":1}\n{\"n\":\"cut o\n{\"n\":3}\n".to_owned(), vec!["1", "3"], 1),
            (format!("[{{\"n\":1}},{{\"n\":2,\"d\":{deep}}},{{\"n\":3}}]"), vec!["1", "3"], 1),
            ("[{\"n\":1},\n{\"x\":2}, 7]".to_owned(), vec!["1"], 2),
        ];
        for (text, expected, malformed) in cases {
            let mut content = UnitContent::default();
            let mut numbers = Vec::new();
            read_records(&text, &mut content, |fields, _, _| {
                let number = fields.text(&["n"]);
                numbers.extend(number.clone());
                number.is_some()
            });
            let start = &text[..text.len().min(60)];
            assert_eq!(numbers, expected, "{start}");
            assert_eq!(content.skipped.get(&SkipReason::Malformed), Some(&malformed), "{start}");
        }
    }
}
