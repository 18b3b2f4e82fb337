//! The formats of `grep` and of `rg --vimgrep`, for the error lists of editors and for `fzf`.

use std::io::{self, Write};

use lore_console::text;

use super::{Answer, Format, Style, human};

/// One line per hit: path, line and text.
pub(super) struct Grep;

/// One line per hit: path, line, column and text. The column is a byte offset, from 1.
pub(super) struct VimGrep;

impl Format for Grep {
    fn name(&self) -> &'static str {
        "grep"
    }

    fn write(&self, answer: &Answer<'_>, _: &Style, out: &mut dyn Write) -> io::Result<()> {
        write(answer, false, out)
    }
}

impl Format for VimGrep {
    fn name(&self) -> &'static str {
        "vimgrep"
    }

    fn write(&self, answer: &Answer<'_>, _: &Style, out: &mut dyn Write) -> io::Result<()> {
        write(answer, true, out)
    }
}

/// Writes the hits that are in a file; a commit is not.
fn write(answer: &Answer<'_>, has_columns: bool, out: &mut dyn Write) -> io::Result<()> {
    for hit in &answer.response.hits {
        let Some(path) = &hit.path else { continue };
        let (line, column, text) = human::line_to_open(hit).unwrap_or((1, 1, &hit.title));
        let column = if has_columns { format!("{column}:") } else { String::new() };
        writeln!(out, "{}:{line}:{column}{}", text::quoted(path), text::clean(text))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::{fixture, written};

    #[test]
    fn each_hit_in_a_file_is_a_line() {
        let response = fixture::response();
        assert_eq!(
            written(&Grep, &response, &Style::plain()),
            "src/refund.rs:9:    /// Retries a refund, at most three times.\n\
             docs/refunds.md:4:A refund is retried when the bank does not answer, and this sentence goes \
             on for so long that it cannot be shown on one line.\n\
             src/retry.rs:1:mod refund;\n"
        );
        let text = written(&VimGrep, &response, &Style::plain());
        let places: Vec<&str> = text.lines().filter_map(|line| line.get(..20)).collect();
        assert_eq!(
            places,
            ["src/refund.rs:9:9:  ", "docs/refunds.md:4:3:", "src/retry.rs:1:5:mod"]
        );
    }
}
