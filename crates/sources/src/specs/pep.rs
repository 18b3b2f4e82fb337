//! Enhancement proposals of Python: `pep-NNNN.rst` at any depth, with a header like that of a mail.

use lore_schema::Document;

use super::page::{Page, is_among_tests, read_pages};
use crate::{
    UnitFiles,
    attributes::keep,
    front_matter::Dialect,
    store::{Listing, Reader, UnitContent},
    units::Claim,
    value::Value,
};

pub(super) struct Pep;

impl Reader for Pep {
    fn name(&self) -> &'static str {
        "pep"
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

/// Returns the number in the name of a proposal, without leading zeros.
fn number(path: &str) -> Option<&str> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let (digits, extension) = name.strip_prefix("pep-")?.split_once('.')?;
    let is_proposal = (3..=5).contains(&digits.len())
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && matches!(extension, "rst" | "txt" | "md");
    let number = digits.trim_start_matches('0');
    (is_proposal && !number.is_empty() && !is_among_tests(path)).then_some(number)
}

/// Reads a page.
pub(super) fn document(path: &str, text: String) -> Document {
    let mut page = Page::new(path, text, Dialect::Yaml);
    take_header(&mut page);
    let id = format!("PEP-{}", number(path).unwrap_or_default());
    let title = page.stated_title.take().unwrap_or_else(|| id.clone());
    page.into_document("pep", "pep", id, title)
}

/// Reads the fields above the first blank line. Indented lines continue the field above.
fn take_header(page: &mut Page) {
    let mut fields: Vec<(String, String)> = Vec::new();
    let mut end = page.body;
    for line in page.text[page.body..].split_inclusive('\n') {
        let content = line.trim_end();
        if content.is_empty() {
            break;
        }
        match (content.split_once(':'), fields.last_mut()) {
            (_, Some((_, value))) if content.starts_with([' ', '\t']) => {
                value.push(' ');
                value.push_str(content.trim());
            }
            (Some((name, value)), _) if is_name(name) => {
                fields.push((name.to_owned(), value.trim().to_owned()));
            }
            // A page without a header starts with its text.
            _ => return,
        }
        end += line.len();
    }
    if end > page.body {
        page.metadata.push(page.body..end);
        page.body = end;
    }
    for (name, value) in fields {
        match name.as_str() {
            "PEP" => {}
            "Title" => page.stated_title = Some(value),
            "Superseded-By" => page.add("supersededBy", value),
            _ => keep(&mut page.attributes, &name, &Value::of_text(&value)),
        }
    }
}

/// Returns whether a text is the name of a field.
fn is_name(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_uppercase())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_from_names() {
        for (path, expected) in [
            ("peps/pep-0487.rst", Some("487")),
            ("pep-8102.txt", Some("8102")),
            ("pep-0000.rst", None),
            ("pep-12.rst", None),
            ("pep-0487.py", None),
            ("pep-0487/image.svg", None),
            ("step-0487.rst", None),
            ("tool/tests/pep-0487.rst", None),
        ] {
            assert_eq!(number(path), expected, "{path}");
        }
    }

    #[test]
    fn the_header_is_metadata() {
        let header = "PEP: 412\nTitle: Smaller carts\nAuthor: Ann <ann@shop.example>,\n        Ben\nStatus: Final\nSuperseded-By: 500\n";
        let text = format!("{header}\n\nAbstract\n========\n\nText: more.\n");
        let found = document("peps/pep-0412.rst", text);
        let attributes = &found.attributes;
        assert_eq!(attributes.id.as_deref(), Some("PEP-412"));
        assert_eq!(found.title, "Smaller carts");
        assert_eq!(attributes.status.as_deref(), Some("Final"));
        assert_eq!(attributes.author.as_deref(), Some("Ann <ann@shop.example>, Ben"));
        assert!(attributes.extra.contains(&("supersededBy".to_owned(), "500".to_owned())));
        assert_eq!(found.metadata.len(), 1);
        assert_eq!(found.metadata[0], 0..header.len());
    }

    #[test]
    fn a_page_without_a_header_has_no_metadata() {
        let found = document("pep-0412.rst", "Carts\n=====\n\nText: more.\n".to_owned());
        assert_eq!((found.title.as_str(), found.metadata.len()), ("PEP-412", 0));
    }
}
