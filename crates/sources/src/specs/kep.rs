//! Enhancement proposals of Kubernetes: a folder with a `README.md` and its metadata in `kep.yaml`.

use lore_schema::{Attributes, DocKey, Document, SourceName, TextOrigin, Trust};

use super::page::is_among_tests;
use crate::{
    UnitFiles,
    attributes::keep,
    front_matter, markdown,
    store::{Listing, Reader, UnitContent},
    units::Claim,
    value::{Fields, Value},
};

pub(super) struct Kep;

/// Name of the file with the metadata of a proposal.
const METADATA: &str = "kep.yaml";

impl Reader for Kep {
    fn name(&self) -> &'static str {
        "kep"
    }

    fn claim(&self, listing: &Listing<'_>) -> Vec<Claim> {
        let claim = |index: usize| {
            let folder = listing.path(index).strip_suffix(METADATA)?;
            // The folder that is copied for a new proposal has `NNNN` in place of the number.
            let is_template = folder.split('/').any(|part| part.starts_with("NNNN"));
            let page = listing.find(&format!("{folder}README.md"))?;
            (folder.ends_with('/') && !is_template && !is_among_tests(folder))
                .then(|| Claim { unit: folder.to_owned(), files: vec![index, page] })
        };
        (0..listing.entries().len()).filter_map(claim).collect()
    }

    fn read(&self, tree: &UnitFiles<'_>, unit: &Claim) -> UnitContent {
        let mut content = UnitContent::default();
        let mut metadata = None;
        let mut page = None;
        for &index in &unit.files {
            let path = &tree.entries()[index].path;
            match tree.read_text(path) {
                Ok(text) if path.ends_with(METADATA) => metadata = Some((path.as_str(), text)),
                Ok(text) => page = Some((path.as_str(), text)),
                Err(reason) => *content.skipped.entry(reason).or_default() += 1,
            }
        }
        content.documents = documents(metadata, page);
        content
    }
}

/// Converts the two files of a proposal to documents. Both have the attributes; the page has the
/// identifier.
pub(super) fn documents(
    metadata: Option<(&str, String)>,
    page: Option<(&str, String)>,
) -> Vec<Document> {
    let fields =
        metadata.as_ref().map_or_else(Fields::default, |(_, text)| front_matter::fields(text));
    let path = [page.as_ref(), metadata.as_ref()].into_iter().flatten().next();
    let folder = path.and_then(|(path, _)| path.rsplit('/').nth(1)).unwrap_or_default();
    let digits = folder.bytes().take_while(u8::is_ascii_digit).count();
    let number = fields.text(&["kep-number"]).unwrap_or_else(|| folder[..digits].to_owned());
    let number = number.trim_start_matches('0');
    let id = if number.is_empty() { folder.to_owned() } else { format!("KEP-{number}") };
    let heading = page.as_ref().and_then(|(_, text)| markdown::first_heading(text, 0));
    let title = fields
        .text(&["title"])
        .or_else(|| heading.map(str::to_owned))
        .unwrap_or_else(|| id.clone());
    let attributes = attributes(&fields);
    let page = page.map(|(path, text)| {
        let attributes = Attributes { id: Some(id.clone()), ..attributes.clone() };
        document(path, "kep", title.clone(), text, attributes)
    });
    let metadata = metadata.map(|(path, text)| {
        let id = Some(format!("{id}/{METADATA}"));
        document(path, "metadata", title.clone(), text, Attributes { id, ..attributes.clone() })
    });
    page.into_iter().chain(metadata).collect()
}

/// Returns the attributes in the metadata of a proposal.
fn attributes(fields: &Fields) -> Attributes {
    let mut attributes = Attributes::default();
    for (name, value) in fields.iter() {
        match name {
            "title" | "kep-number" => {}
            "authors" => keep(&mut attributes, "author", value),
            "owning-sig" => keep(&mut attributes, "tags", value),
            "creation-date" => keep(&mut attributes, "created", value),
            "last-updated" => keep(&mut attributes, "updated", value),
            "superseded-by" => {
                for by in value.texts() {
                    attributes.extra.push(("supersededBy".to_owned(), by));
                }
            }
            "feature-gates" => {
                for gate in value.items() {
                    let name = match gate {
                        Value::Map(gate) => gate.text(&["name"]),
                        gate => gate.text(),
                    };
                    attributes.extra.extend(name.map(|name| ("feature-gate".to_owned(), name)));
                }
            }
            _ => keep(&mut attributes, name, value),
        }
    }
    attributes
}

fn document(
    path: &str,
    kind: &'static str,
    title: String,
    text: String,
    attributes: Attributes,
) -> Document {
    Document {
        key: DocKey { source: SourceName::Specs, locator: path.to_owned() },
        path: path.to_owned(),
        format: "kep",
        kind,
        title,
        text,
        origin: TextOrigin::File,
        metadata: Vec::new(),
        attributes,
        trust: Trust::Own,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const METADATA_TEXT: &str = "title: Smaller Carts\nkep-number: 412\nauthors:\n  - \"@ann\"\nowning-sig: sig-shop\nstatus: implementable\ncreation-date: 2024-05-01\nfeature-gates:\n  - name: SmallCarts\n    components:\n      - cashier\n";

    #[test]
    fn both_files_have_the_attributes_and_the_page_has_the_identifier() {
        let folder = "keps/sig-shop/412-smaller-carts";
        let (yaml, readme) = (format!("{folder}/kep.yaml"), format!("{folder}/README.md"));
        let found = documents(
            Some((&yaml, METADATA_TEXT.to_owned())),
            Some((&readme, "# KEP-412: Smaller Carts\n\n## Summary\n\nText.\n".to_owned())),
        );
        let facts: Vec<_> = found
            .iter()
            .map(|document| {
                let attributes = &document.attributes;
                let (id, status) = (attributes.id.as_deref(), attributes.status.as_deref());
                (document.path.as_str(), document.kind, document.title.as_str(), id, status)
            })
            .collect();
        let status = Some("implementable");
        assert_eq!(
            facts,
            [
                (readme.as_str(), "kep", "Smaller Carts", Some("KEP-412"), status),
                (yaml.as_str(), "metadata", "Smaller Carts", Some("KEP-412/kep.yaml"), status),
            ]
        );
        let attributes = &found[0].attributes;
        assert_eq!(attributes.author.as_deref(), Some("@ann"));
        assert!(attributes.created.is_some());
        assert!(attributes.extra.contains(&("feature-gate".to_owned(), "SmallCarts".to_owned())));
    }

    #[test]
    fn the_folder_supplies_a_missing_number() {
        for (folder, expected) in
            [("0007-old", "KEP-7"), ("412-carts", "KEP-412"), ("carts", "carts")]
        {
            let path = format!("keps/{folder}/README.md");
            let found = documents(None, Some((&path, "Text\n".to_owned())));
            assert_eq!(found[0].attributes.id.as_deref(), Some(expected), "{folder}");
        }
    }
}
