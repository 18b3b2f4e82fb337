//! The table of contents, from the index of all pages: a heading is a part, a link is a chapter.

use std::{fmt::Write as _, path::Path};

use crate::pages;

/// A heading of the index with the pages below it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub title: String,
    pub pages: Vec<Page>,
}

/// A page of the book.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Page {
    pub title: String,
    /// Path from the root of the repository.
    pub path: String,
}

/// The parts of the index, in its order.
pub(super) fn parts(index: &str) -> Vec<Part> {
    let folder = Path::new(pages::INDEX).parent().unwrap_or(Path::new(""));
    let mut parts: Vec<Part> = Vec::new();
    for line in index.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            parts.push(Part { title: title.to_owned(), pages: Vec::new() });
        }
        let Some(part) = parts.last_mut().filter(|_| line.starts_with("- ")) else { continue };
        for (number, piece) in line.split('[').skip(1).enumerate() {
            let Some((title, rest)) = piece.split_once("](") else { continue };
            let target = rest.split(')').next().unwrap_or_default();
            if pages::has_markdown_extension(Path::new(target)) && !target.contains("://") {
                // Later links of a line are words in its sentence.
                let title = if number == 0 { title.to_owned() } else { capitalised(title) };
                part.pages.push(Page { title, path: pages::resolve(folder, target) });
            }
        }
    }
    parts
}

/// The text of `SUMMARY.md`.
pub(super) fn render(parts: &[Part]) -> String {
    let mut text =
        format!("# Summary\n\n[Lorehound]({})\n\n[All pages]({})\n", super::START, pages::INDEX);
    for part in parts {
        let _ = write!(text, "\n# {}\n\n", part.title);
        for page in &part.pages {
            let _ = writeln!(text, "- [{}]({})", page.title, page.path);
        }
    }
    text
}

/// A title with an upper-case first character.
fn capitalised(title: &str) -> String {
    let mut characters = title.chars();
    characters
        .next()
        .map(|first| first.to_uppercase().chain(characters).collect())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_below_headings_are_chapters() {
        let index = "# All\n\n[no part](x.md)\n\n## Start\n\n- [ripgrep](rg.md): flags\n\
                     ## Change\n\n- [Storage](../design/0001.md), [graph](../design/0003.md): notes\n\
                     - [elsewhere](https://example.com/a.md)\n";
        let summary = render(&parts(index));
        let expected = "# Summary\n\n[Lorehound](README.md)\n\n[All pages](docs/guide/index.md)\n\
                        \n# Start\n\n- [ripgrep](docs/guide/rg.md)\n\
                        \n# Change\n\n- [Storage](docs/design/0001.md)\n- [Graph](docs/design/0003.md)\n";
        assert_eq!(summary, expected);
    }
}
