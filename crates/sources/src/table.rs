//! Tables of comma-separated values: exports of issue trackers, opened and saved again by
//! spreadsheets, so that the comma may be a semicolon or a tab.

use crate::value::{Fields, Value};

/// What may stand between two cells.
const SEPARATORS: &[u8] = b",;\t";

/// A table with its first row as the names of its columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Table<'a> {
    text: &'a str,
    separator: u8,
    /// Names of the columns in order, without the white space around them. They may repeat.
    pub(crate) columns: Vec<String>,
}

impl<'a> Table<'a> {
    /// Reads the first row of a text, with the separator that makes the most columns of it; `None`
    /// where there is one column only.
    pub(crate) fn of(text: &'a str) -> Option<Table<'a>> {
        // Spreadsheets note the separator on a line of its own.
        let text = match text.split_once('\n') {
            Some((first, rest)) if first.trim_end().len() == 5 && first.starts_with("sep=") => rest,
            _ => text,
        };
        SEPARATORS
            .iter()
            .filter_map(|&separator| {
                let columns = rows(text, separator).next()?;
                Some(Table { text, separator, columns })
            })
            .rev()
            .max_by_key(|table| table.columns.len())
            .filter(|table| table.columns.len() > 1)
    }

    /// Whether there is a column of each of these names, in any case of letters.
    pub(crate) fn has(&self, names: &[&str]) -> bool {
        names.iter().all(|name| self.columns.iter().any(|column| column.eq_ignore_ascii_case(name)))
    }

    /// The rows below the first one: the cells that say something, by the names of their columns.
    /// Rows without any are left out, and so are cells beyond the last column.
    pub(crate) fn rows(&self) -> impl Iterator<Item = Fields> + use<'a, '_> {
        rows(self.text, self.separator).skip(1).filter_map(|cells| {
            let mut fields = Fields::default();
            for (column, cell) in self.columns.iter().zip(cells) {
                if !cell.is_empty() {
                    fields.push(column.clone(), Value::Text(cell));
                }
            }
            (!fields.is_empty()).then_some(fields)
        })
    }
}

/// Every row of a text as cells without the white space around them.
fn rows(text: &str, separator: u8) -> impl Iterator<Item = Vec<String>> + use<'_> {
    csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(separator)
        .from_reader(text.as_bytes())
        .into_records()
        // A text that was decoded is valid, and rows may have any length: nothing is left to fail.
        .map_while(Result::ok)
        .map(|row| row.iter().map(|cell| cell.trim().to_owned()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Option<Vec<String>> {
        let table = Table::of(text)?;
        Some(table.rows().map(|fields| Value::Map(fields).text().unwrap_or_default()).collect())
    }

    #[test]
    fn tables_of_every_kind() {
        for (text, expected) in [
            ("A,B\n1,2\n", Some(vec!["A: 1, B: 2"])),
            ("A;B\r\n1;\"x;y\"\r\n", Some(vec!["A: 1, B: x;y"])),
            ("sep=;\r\nA;B\r\n1;2\r\n", Some(vec!["A: 1, B: 2"])),
            ("A\tB\n1\t2", Some(vec!["A: 1, B: 2"])),
            (
                "\"A\",\"B\"\n\"one \"\"two\"\"\nthree\",2\n",
                Some(vec!["A: one \"two\"\nthree, B: 2"]),
            ),
            // Columns repeat, rows are too short, too long and empty.
            (
                "L,L,A\nx,y,1\nz\n,,\n\n1,2,3,4\n",
                Some(vec!["L: x, L: y, A: 1", "L: z", "L: 1, L: 2, A: 3"]),
            ),
            // A quote that is never closed takes the rest, and loses none of it.
            ("A,B\n1,\"open\n2,3\n", Some(vec!["A: 1, B: open\n2,3"])),
            ("A,B\n", Some(vec![])),
            ("only one column\nx\n", None),
            ("", None),
        ] {
            let expected =
                expected.map(|rows| rows.into_iter().map(str::to_owned).collect::<Vec<_>>());
            assert_eq!(shown(text), expected, "{text}");
        }
    }

    #[test]
    fn columns_are_found_in_any_case() {
        let table = Table::of("Issue Key, Summary \nA-1,x\n").expect("a table");
        assert!(table.has(&["issue key", "SUMMARY"]));
        assert!(!table.has(&["Issue key", "Title"]));
    }
}
