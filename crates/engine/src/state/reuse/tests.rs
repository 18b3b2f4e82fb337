//! The chunks of a known content equal those of a parse, in every language.
#![expect(clippy::disallowed_methods, reason = "tests read fixtures")]

use std::{fs, path::Path};

use lore_index::{IndexLocation, Reader, UnitUpdate, default_backend};
use lore_schema::{Attributes, DocKey, Document, SkipCounts, SourceName, Stamp, TextOrigin, Trust};

use super::known_chunks;
use crate::{
    Parsers,
    state::{analyze::analyze, chunking::chunk_document},
};

fn document(path: &str, text: &str) -> Document {
    Document {
        key: DocKey { source: SourceName::Code, locator: path.to_owned() },
        path: path.to_owned(),
        format: "files",
        kind: "file",
        title: path.rsplit('/').next().unwrap().to_owned(),
        text: text.to_owned(),
        origin: TextOrigin::File,
        metadata: Vec::new(),
        attributes: Attributes::default(),
        trust: Trust::Own,
    }
}

/// An index of documents, whose content hashes are their positions after 0.
fn index_of(documents: &[Document]) -> Box<dyn Reader> {
    let backend = default_backend();
    let store = backend.open(SourceName::Code, &IndexLocation::Memory, "test").unwrap();
    let writer = store.writer(store.reader().unwrap().version()).unwrap();
    for (content, document) in (1..).zip(documents) {
        let cut = chunk_document(document, &Parsers::in_process());
        let update = UnitUpdate {
            name: document.path.clone(),
            stamp: Stamp { metadata: 1, content },
            skipped: SkipCounts::new(),
            documents: vec![analyze(document.clone(), cut, Vec::new(), false)],
        };
        writer.replace(update).unwrap();
    }
    writer.commit("").unwrap();
    store.reader().unwrap()
}

/// Texts of all languages: the fixtures, their halves, with other line ends, and with errors.
fn texts() -> Vec<(String, String)> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../syntax/tests/fixtures");
    let mut texts = Vec::new();
    for entry in fs::read_dir(fixtures).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let text = fs::read_to_string(&path).unwrap();
        let half = text.char_indices().nth(text.chars().count() / 2).unwrap().0;
        texts.push((format!("half_{name}"), text[half..].to_owned()));
        texts.push((format!("ends_{name}"), text.replace('\n', "\r\n")));
        texts.push((format!("errors_{name}"), ")}] (((\n".to_owned()));
        texts.push((name, text));
    }
    texts
}

#[test]
fn chunks_of_a_known_content_equal_those_of_a_parse() {
    let texts = texts();
    let before: Vec<Document> =
        texts.iter().map(|(name, text)| document(&format!("src/{name}"), text)).collect();
    let reader = index_of(&before);
    let mut known = 0;
    for (content, (name, text)) in (1..).zip(&texts) {
        for path in [format!("tests/other/{name}"), format!("vendor/new_{name}")] {
            let renamed = document(&path, text);
            let parsed = chunk_document(&renamed, &Parsers::in_process());
            let Some(found) = known_chunks(&*reader, &renamed, content) else { continue };
            known += 1;
            assert_eq!(found.category, parsed.category, "{path}");
            let (found, parsed) = (
                analyze(renamed.clone(), found, Vec::new(), false),
                analyze(renamed, parsed, Vec::new(), false),
            );
            assert_eq!(found, parsed, "{path}");
        }
    }
    assert!(known > 100 && known > texts.len(), "{known} of {}", 2 * texts.len());
}

#[test]
fn chunks_of_another_language_or_kind_are_not_used() {
    let text = "int main() { return 0; }\n";
    let reader = index_of(&[document("src/main.c", text)]);
    let is_known = |document: &Document| known_chunks(&*reader, document, 1).is_some();
    let same = document("lib/other.c", text);
    assert!(is_known(&same));
    assert!(!is_known(&document("lib/main.java", text)), "another language");
    assert!(!is_known(&document("lib/main.h", text)), "another extension");
    assert!(!is_known(&Document { kind: "spec", ..same.clone() }));
    assert!(!is_known(&Document { format: "spex", ..same.clone() }));
    assert!(!is_known(&Document { metadata: std::iter::once(0..3).collect(), ..same.clone() }));
    assert!(!is_known(&Document { origin: TextOrigin::Composed, ..same.clone() }));
    assert!(!is_known(&document("lib/other.c", "int main() {}\n")), "another length");
    assert!(known_chunks(&*reader, &same, 0).is_none(), "no hash");
    assert!(known_chunks(&*reader, &same, 2).is_none(), "an unknown content");
}
