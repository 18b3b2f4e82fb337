//! Scan of the custom sources of a built-in source: the end of the scan of that source
//! (`file_source.rs`). Each record is a unit with one document.

use std::ops::ControlFlow;

use lore_schema::{
    Attributes, Change, DocKey, Document, SkipCounts, SkipReason, SourceName, Stamp, TextOrigin,
    Unit,
};

use crate::{
    Secrets,
    custom::{CustomEntry, CustomSource},
    error::SourceError,
    fingerprint::Hasher,
    source::IndexState,
    tree::Tree,
};

/// Maximum length of the identifier of a record, in bytes.
const MAX_ID_LEN: usize = 200;

/// Emits one change per record of the custom sources of a built-in source. Returns
/// [`ControlFlow::Break`] if `emit` did.
///
/// # Errors
/// If a source cannot list its records, or its listing is invalid.
pub(crate) fn scan(
    tree: &Tree,
    source: SourceName,
    known: &dyn IndexState,
    emit: &mut dyn FnMut(Change) -> ControlFlow<()>,
) -> Result<ControlFlow<()>, SourceError> {
    for custom in tree.options().custom.of(source) {
        for entry in listed(custom, tree)? {
            let unit = Unit { source, name: unit_name(custom, &entry.id) };
            let stamp = stamp_of(custom, &entry);
            let change = if known.stamp(&unit.name) == Some(stamp) {
                Change::Unchanged(unit)
            } else {
                replace(custom, tree, unit, stamp, &entry.id)
            };
            if emit(change).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
    }
    Ok(ControlFlow::Continue(()))
}

/// Reads the records of the custom sources of a built-in source whose units are wanted, in the
/// order of the unit names.
///
/// # Errors
/// As [`scan`].
pub(crate) fn read(
    tree: &Tree,
    source: SourceName,
    wanted: &dyn Fn(&str) -> bool,
) -> Result<Vec<Document>, SourceError> {
    let mut documents = Vec::new();
    for custom in tree.options().custom.of(source) {
        for entry in listed(custom, tree)? {
            if wanted(&unit_name(custom, &entry.id)) {
                // Nothing counts what is skipped here.
                documents.extend(document(custom, tree, source, &entry.id).ok().flatten());
            }
        }
    }
    Ok(documents)
}

/// Lists the records of a source by identifier.
fn listed(custom: &dyn CustomSource, tree: &Tree) -> Result<Vec<CustomEntry>, SourceError> {
    let error = |reason: String| SourceError::Custom { name: custom.name().to_owned(), reason };
    let mut entries = custom.list(tree.root()).map_err(|failure| error(failure.to_string()))?;
    entries.sort_unstable();
    for entry in &entries {
        let is_valid =
            (1..=MAX_ID_LEN).contains(&entry.id.len()) && !entry.id.chars().any(char::is_control);
        if !is_valid {
            return Err(error(format!(
                "the identifier {:?} is empty, longer than {MAX_ID_LEN} bytes, or has control \
                 characters",
                entry.id
            )));
        }
    }
    if let Some(pair) = entries.windows(2).find(|pair| pair[0].id == pair[1].id) {
        return Err(error(format!("the identifier `{}` is listed twice", pair[0].id)));
    }
    Ok(entries)
}

/// Name of the unit of a record. No path of a file has two slashes at its start.
fn unit_name(custom: &dyn CustomSource, id: &str) -> String {
    format!("//{}#{id}", custom.name())
}

fn stamp_of(custom: &dyn CustomSource, entry: &CustomEntry) -> Stamp {
    let mut hasher = Hasher::default();
    hasher.number(custom.fingerprint());
    hasher.number(entry.version);
    // Never the mark of an unstable file.
    let hash = hasher.finish();
    Stamp { metadata: hash, content: hash }
}

fn replace(custom: &dyn CustomSource, tree: &Tree, unit: Unit, stamp: Stamp, id: &str) -> Change {
    let mut skipped = SkipCounts::new();
    let (stamp, documents) = match document(custom, tree, unit.source, id) {
        Ok(Some(document)) => (stamp, vec![document]),
        // It is read again by the next scan that lists it.
        Ok(None) => (Stamp::default(), Vec::new()),
        Err(reason) => {
            skipped.insert(reason, 1);
            let is_final = reason != SkipReason::Unreadable;
            (if is_final { stamp } else { Stamp::default() }, Vec::new())
        }
    };
    Change::Replace { unit, stamp, documents, skipped }
}

/// Reads a record, or returns the reason why it is skipped.
fn document(
    custom: &dyn CustomSource,
    tree: &Tree,
    source: SourceName,
    id: &str,
) -> Result<Option<Document>, SkipReason> {
    let read = custom.read(tree.root(), id).map_err(|_| SkipReason::Unreadable)?;
    let Some(read) = read else { return Ok(None) };
    if read.text.len() as u64 > tree.options().max_file_size {
        return Err(SkipReason::TooLarge);
    }
    if read.text.trim().is_empty() && read.title.trim().is_empty() {
        return Err(SkipReason::Empty);
    }
    let secrets = tree.options().secrets;
    Ok(Some(Document {
        key: DocKey { source, locator: format!("{}#{id}", custom.name()) },
        path: String::new(),
        format: custom.name(),
        kind: read.kind,
        title: secrets.apply(read.title.split_whitespace().collect::<Vec<_>>().join(" ")),
        text: secrets.apply(read.text),
        origin: TextOrigin::Composed,
        metadata: Vec::new(),
        attributes: without_secrets(read.attributes, secrets),
        trust: read.trust,
    }))
}

/// Removes secrets from the texts of attributes.
fn without_secrets(attributes: Attributes, secrets: Secrets) -> Attributes {
    let clean = |text: Option<String>| text.map(|text| secrets.apply(text));
    let Attributes {
        id,
        status,
        priority,
        tags,
        assignee,
        author,
        description,
        created,
        updated,
        lines: _,
        extra,
    } = attributes;
    Attributes {
        id: clean(id),
        status: clean(status),
        priority: clean(priority),
        tags: tags.into_iter().map(|tag| secrets.apply(tag)).collect(),
        assignee: clean(assignee),
        author: clean(author),
        description: clean(description),
        created,
        updated,
        lines: None,
        extra: extra.into_iter().map(|(name, value)| (name, secrets.apply(value))).collect(),
    }
}

#[cfg(test)]
mod tests;
