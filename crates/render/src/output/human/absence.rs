//! The lines that explain an answer without hits.

use lore_console::{dates, text};
use lore_engine::{Absence, FilterLoss};

use super::numbers::count;

/// Maximum number of columns of a name in a list; longer names are cut.
const MAX_NAME_WIDTH: usize = 100;

/// Maximum number of columns of a similar name: several of them share a line.
const MAX_NEAR_WIDTH: usize = 60;

/// A similar name as it is shown, with an ellipsis if it was cut.
pub(crate) fn near(name: &str) -> String {
    text::cut(&text::clean(name), MAX_NEAR_WIDTH)
}

/// The reasons why there is no hit, and similar names.
pub fn absence(query: &str, absence: &Absence) -> Vec<String> {
    let whole_query = text::clean(query);
    let query = text::cut(&whole_query, MAX_NAME_WIDTH);
    let mut lines = vec![if query.trim().is_empty() {
        "nothing found".to_owned()
    } else {
        format!("nothing found for `{query}`")
    }];
    lines.extend(absence.reasons.iter().map(|reason| format!("  {reason}")));
    let losses: Vec<String> = absence
        .filters
        .iter()
        .filter(|loss| loss.removed > 0)
        .map(|filter| loss(&whole_query, filter))
        .collect();
    if !losses.is_empty() {
        // A query without words selects every document that passes the filters.
        let of = if lore_engine::expandable_words(&whole_query).is_empty() {
            "of the documents"
        } else {
            "of the documents that contain a word"
        };
        lines.push(format!("  {of}, {}", losses.join(", ")));
    }
    if !absence.nearest.is_empty() {
        let nearest: Vec<String> =
            absence.nearest.iter().map(|name| format!("`{}`", near(name))).collect();
        lines.push(format!("  near: {}", nearest.join(", ")));
    }
    lines
}

/// Filters that a query can also contain as fields, with the names of the fields.
const FIELDS: &[(&str, &[&str])] = &[
    ("in", &["source"]),
    ("kind", &["kind", "type"]),
    ("lang", &["lang", "language"]),
    ("path", &["path"]),
];

/// The field of a filter in the query, as typed.
fn field<'a>(query: &'a str, name: &str) -> Option<&'a str> {
    let (_, names) = FIELDS.iter().find(|(filter, _)| *filter == name)?;
    query.split_whitespace().find_map(|word| {
        let (field, _) = word.trim_start_matches(['(', '+', '-']).split_once(':')?;
        names.contains(&field.to_lowercase().as_str()).then_some(field)
    })
}

/// The number of documents that a filter removes by itself, in words.
fn loss(query: &str, loss: &FilterLoss) -> String {
    let values: Vec<String> = match loss.name {
        "since" | "until" => {
            let seconds = loss.values.iter().filter_map(|value| value.parse().ok());
            seconds.filter_map(dates::day).collect()
        }
        _ => loss.values.iter().map(|value| text::clean(value)).collect(),
    };
    if loss.name == "query" {
        return format!("the conditions of the query removed {}", count(loss.removed));
    }
    let values = text::cut(&values.join(","), MAX_NAME_WIDTH);
    let filter = match field(query, loss.name) {
        Some(field) => format!("{field}:{values}"),
        None => format!("--{} {values}", loss.name),
    };
    format!("`{filter}` removed {}", count(loss.removed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_similar_name_is_cut() {
        let nearest = vec!["refund".to_owned(), "x".repeat(200)];
        let lines = absence("refunt", &Absence { nearest, ..Absence::default() });
        let expected = format!("  near: `refund`, `{}…`", "x".repeat(59));
        assert_eq!(lines.last(), Some(&expected));
    }
}
