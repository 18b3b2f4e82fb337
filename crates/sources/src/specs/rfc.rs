//! Numbered proposals in a folder for them: `text/NNNN-name.md`, as the repository of Rust's RFCs
//! has them, and `rfcs/NNNN-name.md`.

use lore_schema::Document;

use super::page::{Page, read_pages, stem};
use crate::{
    UnitFiles,
    front_matter::Dialect,
    markdown::{self, is_markdown},
    store::{Listing, Reader, UnitContent},
    units::Claim,
    value::Value,
};

pub(super) struct Rfc;

/// Names of folders with proposals.
const FOLDERS: &[&str] = &["rfc", "rfcs", "text"];

/// Number of digits in the name of a proposal.
const DIGITS: usize = 4;

/// Headings that start a section of every proposal, in lower case.
const SECTIONS: &[&str] = &["abstract", "introduction", "motivation", "summary", "tl;dr"];

impl Reader for Rfc {
    fn name(&self) -> &'static str {
        "rfc"
    }

    fn claim(&self, listing: &Listing<'_>) -> Vec<Claim> {
        (0..listing.entries().len())
            .filter(|&index| number(listing.path(index)).is_some())
            .map(|index| Claim::file(listing, index))
            .collect()
    }

    fn read(&self, tree: &UnitFiles<'_>, unit: &Claim) -> UnitContent {
        read_pages(tree, unit, document)
    }
}

/// Returns the number of a proposal, with leading zeros. The template has the number 0.
fn number(path: &str) -> Option<&str> {
    let (folder, name) = path.rsplit_once('/')?;
    let folder = folder.rsplit('/').next().unwrap_or(folder);
    let digits = name.bytes().take_while(u8::is_ascii_digit).count();
    let is_proposal = FOLDERS.contains(&folder)
        && digits == DIGITS
        && name[digits..].starts_with('-')
        && is_markdown(name);
    let number = &name[..digits];
    (is_proposal && !number.trim_matches('0').is_empty()).then_some(number)
}

/// Reads a page.
pub(super) fn document(path: &str, text: String) -> Document {
    let mut page = Page::new(path, text, Dialect::Yaml);
    page.take_labels(&[]);
    take_list(&mut page);
    let name = stem(path);
    let id = format!("RFC-{}", number(path).unwrap_or_default().trim_start_matches('0'));
    let is_title = |heading: &&str| {
        !SECTIONS.contains(&heading.trim_end_matches(':').to_ascii_lowercase().as_str())
    };
    let title = page
        .stated_title
        .take()
        .or_else(|| page.heading().filter(is_title).map(str::to_owned))
        .unwrap_or_else(|| {
            let name = name.get(DIGITS + 1..).filter(|name| !name.is_empty()).unwrap_or(name);
            name.replace(['-', '_'], " ")
        });
    page.into_document("rfc", "rfc", id, title)
}

/// Reads the list of fields at the top: `- Start Date: 2020-01-02`.
fn take_list(page: &mut Page) {
    let mut found: Vec<(String, String)> = Vec::new();
    for line in markdown::lines(&page.text, page.body).filter(|line| !line.verbatim) {
        if line.text.is_empty() {
            continue;
        }
        let item = line.text.strip_prefix("- ").or_else(|| line.text.strip_prefix("* "));
        let Some((name, value)) = item.and_then(|item| item.split_once(':')) else { break };
        if !name.chars().all(|letter| letter.is_alphanumeric() || letter == ' ') {
            break;
        }
        page.metadata.push(line.range);
        found.push((name.trim().to_owned(), value.trim().to_owned()));
    }
    for (name, value) in found {
        let name = match name.to_ascii_lowercase().as_str() {
            "start date" => "created".to_owned(),
            _ => name,
        };
        crate::attributes::keep(&mut page.attributes, &name, &Value::of_text(&value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_from_paths() {
        for (path, expected) in [
            ("text/0412-small-carts.md", Some("0412")),
            ("docs/rfcs/2094-x.md", Some("2094")),
            ("text/0000-template.md", None),
            ("text/412-x.md", None),
            ("text/20240101-x.md", None),
            ("posts/2024-plans.md", None),
            ("text/0412-small-carts.txt", None),
            ("0412-small-carts.md", None),
        ] {
            assert_eq!(number(path), expected, "{path}");
        }
    }

    #[test]
    fn the_list_at_the_top_is_metadata() {
        let list = "- Feature Name: small_carts\n- Start Date: 2020-01-02\n- RFC PR: [a#1](https://shop.example/1)\n";
        let text = format!("{list}\n# Summary\n[summary]: #summary\n\n- Item: kept.\n");
        let found = document("text/0412-small-carts.md", text);
        assert_eq!(found.attributes.id.as_deref(), Some("RFC-412"));
        assert_eq!(found.title, "small carts");
        assert!(found.attributes.created.is_some());
        let covered: usize = found.metadata.iter().map(std::ops::Range::len).sum();
        assert_eq!(covered, list.len());
        let titled = document("rfcs/0007-x.md", "# RFC: Carts\n\nText.\n".to_owned());
        assert_eq!(titled.title, "RFC: Carts");
    }
}
