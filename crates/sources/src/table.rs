//! Tables of comma-separated values in exports of issue trackers. Spreadsheets may have replaced
//! the comma by a semicolon or a tab.

use crate::value::{Fields, Value};

/// Possible separators of cells.
const SEPARATORS: &[u8] = b",;\t";

/// A table whose first row names its columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Table<'a> {
    text: &'a str,
    separator: u8,
    /// Trimmed names of the columns in order. They may repeat.
    pub(crate) columns: Vec<String>,
}

impl<'a> Table<'a> {
    /// Reads the first row of a text, with the separator that yields the most columns; `None` if
    /// there is only one column.
    pub(crate) fn of(text: &'a str) -> Option<Table<'a>> {
        // Spreadsheets may state the separator in a line before the table.
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

    /// Returns whether there is a column with each of these names, ignoring case.
    pub(crate) fn has(&self, names: &[&str]) -> bool {
        names.iter().all(|name| self.columns.iter().any(|column| column.eq_ignore_ascii_case(name)))
    }

    /// Yields the rows after the first one: non-empty cells by column name. Skips empty rows and
    /// cells beyond the last column.
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

/// Yields every row of a text as trimmed cells.
fn rows(text: &str, separator: u8) -> impl Iterator<Item = Vec<String>> + use<'_> {
    csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(separator)
        .from_reader(text.as_bytes())
        .into_records()
        // Decoded text is valid UTF-8 and rows may have any length: reading cannot fail.
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
            // Repeated columns, and rows that are too short, too long or empty.
            (
                "L,L,A\nx,y,1\nz\n,,\n\n1,2,3,4\n",
                Some(vec!["L: x, L: y, A: 1", "L: z", "L: 1, L: 2, A: 3"]),
            ),
            // An unclosed quote includes the rest of the text.
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
    fn columns_are_found_ignoring_case() {
        let table = Table::of("Issue Key, Summary \nA-1,x\n").expect("a table");
        assert!(table.has(&["issue key", "SUMMARY"]));
        assert!(!table.has(&["Issue key", "Title"]));
    }
}
