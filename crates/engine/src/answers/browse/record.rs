//! A ticket or spec with its attributes, and its relations in both directions.

use lore_index::{Reader, StoredDocument};
use lore_schema::{Attributes, Filter, SourceName};

use crate::{
    Engine, EngineError, IndexMode, Link, Progress,
    answers::owners,
    state::{refresh, snapshot::Snapshot},
};

/// A ticket or spec.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordView {
    /// `source:locator`.
    pub id: String,
    /// Its source.
    pub source: SourceName,
    /// Its kind: `ticket`, `spec`, `decision` …
    pub kind: String,
    /// Title.
    pub title: String,
    /// Root-relative path of its file.
    pub path: String,
    /// Status, priority, tags, people, dates and all other fields.
    pub attributes: Attributes,
    /// The text, if it was composed from a record of a store; otherwise the file contains it.
    pub text: Option<String>,
    /// Other records that its fields name: field, `source:locator`, title, status.
    pub named: Vec<RelatedRecord>,
    /// Other records whose fields name this one.
    pub naming: Vec<RelatedRecord>,
    /// The files and definitions that it governs.
    pub governs: Vec<Link>,
}

/// A record that a field connects with another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelatedRecord {
    /// Name of the field: `parent`, `depends_on` …
    pub field: String,
    /// `source:locator`.
    pub id: String,
    /// Title.
    pub title: String,
    /// Status, as written.
    pub status: Option<String>,
}

impl Engine {
    /// Finds a ticket or spec by `source:locator`, by its own identifier, or by the path of its file, with the
    /// records that it is connected with; `None` if there is none.
    ///
    /// # Errors
    /// When the tree or the index cannot be read.
    pub fn record(
        &self,
        id: &str,
        progress: &dyn Progress,
    ) -> Result<Option<RecordView>, EngineError> {
        let found = self.recover(|config| {
            let sources = [SourceName::Specs, SourceName::Tickets];
            let snapshot = refresh::take(config, &sources, IndexMode::Update, progress)?;
            let documents = documents(&snapshot)?;
            let Some(document) = documents.iter().find(|document| is_named(document, id)) else {
                return Ok(None);
            };
            Ok(Some(view(document, &documents)))
        })?;
        let Some((mut record, entries)) = found else { return Ok(None) };
        if !entries.is_empty() {
            record.governs = self.follow(&entries, progress)?;
        }
        Ok(Some(record))
    }
}

/// All specs and tickets.
fn documents(snapshot: &Snapshot) -> Result<Vec<StoredDocument>, EngineError> {
    let mut documents = Vec::new();
    for source in &snapshot.sources {
        let reader: &dyn Reader = source.reader.as_ref();
        if !matches!(reader.source(), SourceName::Specs | SourceName::Tickets) {
            continue;
        }
        let listing = reader.listing(&Filter::default())?;
        let ids: Vec<_> = listing.iter().map(|listed| listed.id).collect();
        let read = reader.documents(&ids)?;
        documents.extend(read.into_iter().filter(|document| !source.is_pending(&document.path)));
    }
    Ok(documents)
}

fn is_named(document: &StoredDocument, id: &str) -> bool {
    document.key.to_string() == id
        || document.key.locator == id
        || document.attributes.id.as_deref() == Some(id)
        || document.path == id
}

/// A record without the targets of what it governs, and the entries of these.
fn view(document: &StoredDocument, all: &[StoredDocument]) -> (RecordView, Vec<String>) {
    let related = |field: &str, other: &StoredDocument| RelatedRecord {
        field: field.to_owned(),
        id: other.key.to_string(),
        title: other.title.clone(),
        status: other.attributes.status.clone(),
    };
    let names = |value: &str, other: &StoredDocument| {
        let own = other.attributes.id.as_deref();
        other.key != document.key
            && (own == Some(value) || other.key.locator == value || other.path == value)
    };
    let mut named = Vec::new();
    for (field, value) in &document.attributes.extra {
        named.extend(
            all.iter().filter(|other| names(value, other)).map(|other| related(field, other)),
        );
    }
    let own = document.attributes.id.as_deref();
    let is_own =
        |value: &str| own == Some(value) || document.key.locator == value || document.path == value;
    let mut naming = Vec::new();
    for other in all.iter().filter(|other| other.key != document.key) {
        let fields = other.attributes.extra.iter().filter(|(_, value)| is_own(value));
        naming.extend(fields.map(|(field, _)| related(field, other)));
    }
    let entries = owners::entries(&document.attributes.extra, owners::GOVERNS);
    let entries = entries.map(str::to_owned).collect();
    let record = RecordView {
        id: document.key.to_string(),
        source: document.key.source,
        kind: document.kind.clone(),
        title: document.title.clone(),
        path: document.path.clone(),
        attributes: document.attributes.clone(),
        text: document.text.clone(),
        named,
        naming,
        governs: Vec::new(),
    };
    (record, entries)
}
