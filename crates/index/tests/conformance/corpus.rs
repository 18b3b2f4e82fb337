//! Small documents for tests.

use std::{
    collections::BTreeMap,
    fmt::Debug,
    hash::{DefaultHasher, Hash as _, Hasher as _},
};

use lore_index::{
    IndexError, IndexedChunk, IndexedDocument, Reader, Store, StoredChunk, StoredDocument, Terms,
    UnitUpdate, Writer,
};
use lore_schema::{
    Attributes, Category, ChunkKind, DocKey, Field, Outline, SkipCounts, SourceName, Span, Stamp,
    Symbol, SymbolKind, Trust, Visibility,
};
use proptest::prelude::*;

/// A document before analysis: fields as words separated by spaces.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Page {
    pub(crate) locator: String,
    pub(crate) path: String,
    pub(crate) kind: String,
    pub(crate) language: Option<String>,
    pub(crate) category: Category,
    pub(crate) updated: Option<i64>,
    /// Words of the fields of documents.
    pub(crate) fields: Vec<(Field, String)>,
    pub(crate) chunks: Vec<Piece>,
    pub(crate) outline: Option<Outline>,
}

/// A chunk before analysis.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Piece {
    pub(crate) symbol: Option<SymbolKind>,
    /// Words of the fields of chunks.
    pub(crate) fields: Vec<(Field, String)>,
}

impl Page {
    /// A file with a title and one chunk per body.
    pub(crate) fn new(path: &str, title: &str, bodies: &[&str]) -> Page {
        Page {
            locator: path.to_owned(),
            path: path.to_owned(),
            kind: "file".to_owned(),
            language: Some("rust".to_owned()),
            category: Category::Own,
            updated: None,
            fields: vec![(Field::Title, title.to_owned())],
            chunks: bodies
                .iter()
                .map(|body| Piece { symbol: None, fields: vec![(Field::Body, (*body).to_owned())] })
                .collect(),
            outline: None,
        }
    }

    fn stored(&self) -> StoredDocument {
        StoredDocument {
            key: DocKey { source: SourceName::Code, locator: self.locator.clone() },
            path: self.path.clone(),
            format: "files".to_owned(),
            kind: self.kind.clone(),
            title: format!("title of {}", self.locator),
            language: self.language.clone(),
            category: self.category,
            attributes: Attributes { updated: self.updated, ..Attributes::default() },
            trust: Trust::Own,
            text: None,
            bytes: 100,
            fell_back: false,
            names: vec!["name".to_owned()],
            outer_names: 1,
        }
    }

    /// Text of the file.
    pub(crate) fn text(&self) -> String {
        let bodies = self.chunks.iter().flat_map(|piece| &piece.fields);
        bodies.map(|(_, text)| text.as_str()).collect::<Vec<_>>().join("\n")
    }

    pub(crate) fn indexed(&self) -> IndexedDocument {
        IndexedDocument {
            stored: self.stored(),
            terms: analysed(&self.fields),
            chunks: (0_u32..)
                .zip(&self.chunks)
                .map(|(ordinal, piece)| IndexedChunk {
                    stored: piece.stored(ordinal),
                    terms: analysed(&piece.fields),
                })
                .collect(),
            vectors: Vec::new(),
            outline: self.outline.clone(),
            text: Some(self.text()),
        }
    }
}

impl Piece {
    fn stored(&self, ordinal: u32) -> StoredChunk {
        let symbol = self.symbol.map(|kind| Symbol {
            name: format!("symbol{ordinal}"),
            kind,
            visibility: Visibility::Public,
            container: None,
            line: ordinal + 1,
            start_line: ordinal + 1,
            end_line: ordinal + 1,
            repetition: 1,
            signature: String::new(),
            doc_comment: None,
            conformances: Vec::new(),
        });
        StoredChunk {
            ordinal,
            span: Span {
                start: ordinal as usize * 10,
                end: ordinal as usize * 10 + 9,
                start_line: ordinal + 1,
                end_line: ordinal + 1,
            },
            kind: ChunkKind::Definition,
            symbols: symbol.iter().cloned().collect(),
            symbol,
            breadcrumb: vec!["outer".to_owned()],
            comments: Vec::new(),
        }
    }
}

/// The words of a text.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace()
}

fn analysed(fields: &[(Field, String)]) -> Vec<(Field, Terms)> {
    fields
        .iter()
        .map(|(field, text)| {
            let mut terms = Terms::default();
            words(text).for_each(|word| terms.push(word));
            (*field, terms)
        })
        .collect()
}

/// A unit with documents.
pub(crate) fn unit(name: &str, stamp: u64, pages: &[Page]) -> UnitUpdate {
    UnitUpdate {
        name: name.to_owned(),
        stamp: Stamp { metadata: stamp, content: stamp },
        skipped: SkipCounts::new(),
        documents: pages.iter().map(Page::indexed).collect(),
    }
}

/// A unit that left an index: its name and content hash, with its documents.
pub(crate) type Shelf<D> = BTreeMap<(String, u64), Vec<D>>;

/// A hash of documents, as the content of their unit.
pub(crate) fn content_of(documents: &impl Debug) -> u64 {
    let mut hasher = DefaultHasher::new();
    format!("{documents:?}").hash(&mut hasher);
    hasher.finish()
}

/// Notes that a unit of the base leaves it.
pub(crate) fn shelve<D: Clone>(
    shelf: &mut Shelf<D>,
    base: &dyn Reader,
    name: &str,
    documents: &BTreeMap<String, Vec<D>>,
) {
    if let (Some(stamp), Some(documents)) = (base.stamp(name), documents.get(name)) {
        shelf.insert((name.to_owned(), stamp.content), documents.clone());
    }
}

/// Restores a unit from one of its earlier contents, if the writer can. Returns its documents.
pub(crate) fn restore<D: Clone>(
    shelf: &Shelf<D>,
    base: &dyn Reader,
    writer: &dyn Writer,
    name: &str,
    index: prop::sample::Index,
) -> Result<Option<Vec<D>>, IndexError> {
    let is_restorable =
        |(unit, content): &&(String, u64)| unit == name && base.can_restore(unit, *content);
    let contents: Vec<&(String, u64)> = shelf.keys().filter(is_restorable).collect();
    if contents.is_empty() {
        return Ok(None);
    }
    let key = index.get(&contents);
    let is_restored = writer.restore(name, Stamp { metadata: 2, content: key.1 })?;
    Ok(is_restored.then(|| shelf[*key].clone()))
}

/// Commits changes on top of the last commit.
pub(crate) fn commit(
    store: &dyn Store,
    cursor: &str,
    change: impl FnOnce(&dyn Writer) -> Result<(), IndexError>,
) -> Box<dyn Reader> {
    let base = store.reader().expect("a reader");
    let writer = store.writer(base.version()).expect("a writer");
    change(&*writer).expect("a change");
    writer.commit(cursor).expect("a commit");
    store.reader().expect("a reader")
}
