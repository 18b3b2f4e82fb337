//! Tables of text with aligned columns.

use std::io::{self, Write};

use unicode_width::UnicodeWidthStr;

/// The alignment of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// For words.
    Left,
    /// For numbers.
    Right,
}

/// Writes rows with aligned columns, separated by two spaces. Cells must not contain control
/// characters.
pub fn write<const N: usize>(
    columns: [Align; N],
    rows: &[[String; N]],
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut widths = [0; N];
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.width());
        }
    }
    for row in rows {
        let mut line = String::new();
        for ((cell, width), align) in row.iter().zip(widths).zip(columns) {
            let padding = " ".repeat(width - cell.width());
            match align {
                Align::Left => line.extend([cell.as_str(), &padding]),
                Align::Right => line.extend([padding.as_str(), cell]),
            }
            line.push_str("  ");
        }
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned() {
        let rows = [["a".to_owned(), "10".to_owned()], ["日本".to_owned(), "9".to_owned()]];
        let mut out = Vec::new();
        write([Align::Left, Align::Right], &rows, &mut out)
            .expect("writing to a vector cannot fail");
        assert_eq!(String::from_utf8_lossy(&out), "a     10\n日本   9\n");
    }
}
