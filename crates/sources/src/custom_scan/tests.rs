//! Scans of custom sources: which records are read, skipped and rejected.

use std::{
    collections::BTreeMap,
    path::Path,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
};

use super::*;
use crate::{
    CustomDocument, CustomError, CustomSources, SOURCES, Scan, WalkOptions, fixture, read_documents,
};

/// Records in memory: identifier to version and text; no text for one that cannot be read.
#[derive(Default)]
struct Notes {
    records: Mutex<Vec<(&'static str, u64, Option<String>)>>,
    fingerprint: AtomicU64,
}

impl CustomSource for Arc<Notes> {
    fn name(&self) -> &'static str {
        "notes"
    }

    fn fingerprint(&self) -> u64 {
        self.fingerprint.load(Ordering::Relaxed)
    }

    fn list(&self, _: &Path) -> Result<Vec<CustomEntry>, CustomError> {
        let records = self.records.lock().unwrap();
        if records.is_empty() {
            return Err("the shelf is empty".into());
        }
        let entry = |(id, version, _): &(&str, u64, _)| CustomEntry {
            id: (*id).to_owned(),
            version: *version,
        };
        Ok(records.iter().map(entry).collect())
    }

    fn read(&self, _: &Path, id: &str) -> Result<Option<CustomDocument>, CustomError> {
        let records = self.records.lock().unwrap();
        let text = records.iter().find(|record| record.0 == id).and_then(|record| record.2.clone());
        match text.as_deref() {
            None => Err("the page is torn".into()),
            Some("gone") => Ok(None),
            Some(text) => Ok(Some(CustomDocument::new("A\nnote", text))),
        }
    }
}

/// The stamps of an index.
#[derive(Default)]
struct Stamps(BTreeMap<String, Stamp>);

impl IndexState for Stamps {
    fn stamp(&self, unit: &str) -> Option<Stamp> {
        self.0.get(unit).copied()
    }

    fn cursor(&self) -> Option<&str> {
        None
    }
}

struct Shelf {
    folder: tempfile::TempDir,
    notes: Arc<Notes>,
    stamps: Stamps,
}

impl Shelf {
    fn new(records: &[(&'static str, u64, Option<&str>)]) -> Shelf {
        let shelf = Shelf {
            folder: tempfile::tempdir().unwrap(),
            notes: Arc::default(),
            stamps: Stamps::default(),
        };
        shelf.put(records);
        shelf
    }

    fn put(&self, records: &[(&'static str, u64, Option<&str>)]) {
        *self.notes.records.lock().unwrap() = records
            .iter()
            .map(|(id, version, text)| (*id, *version, text.map(str::to_owned)))
            .collect();
    }

    fn walk(&self) -> Tree {
        let custom = CustomSources::none().with(Arc::clone(&self.notes));
        Tree::walk(self.folder.path(), &WalkOptions { custom, ..fixture::options() }).unwrap()
    }

    /// Scans, and returns one line per change.
    fn scan(&mut self) -> Result<Vec<String>, SourceError> {
        let docs = SOURCES.iter().find(|source| source.name() == SourceName::Docs).unwrap();
        let mut lines = Vec::new();
        let mut stamps = BTreeMap::new();
        let scan = docs.scan(&self.walk(), &self.stamps, &mut |change| {
            lines.push(match &change {
                Change::Replace { unit, documents, skipped, stamp } => {
                    stamps.insert(unit.name.clone(), *stamp);
                    let texts: Vec<&str> =
                        documents.iter().map(|document| document.text.as_str()).collect();
                    format!("{} {texts:?} {skipped:?}", unit.name)
                }
                Change::Unchanged(unit) => format!("{} unchanged", unit.name),
                other => format!("{other:?}"),
            });
            ControlFlow::Continue(())
        })?;
        assert!(matches!(scan, Scan::Complete(_)));
        self.stamps.0.extend(stamps);
        Ok(lines)
    }
}

#[test]
fn records_are_read_when_their_version_changes() {
    let mut shelf = Shelf::new(&[("b", 1, Some("two")), ("a", 1, Some("one"))]);
    assert_eq!(shelf.scan().unwrap(), [r#"//notes#a ["one"] {}"#, r#"//notes#b ["two"] {}"#]);
    assert_eq!(shelf.scan().unwrap(), ["//notes#a unchanged", "//notes#b unchanged"]);
    shelf.put(&[("b", 2, Some("three")), ("a", 1, Some("one"))]);
    assert_eq!(shelf.scan().unwrap(), ["//notes#a unchanged", r#"//notes#b ["three"] {}"#]);
    shelf.put(&[("a", 1, Some("one"))]);
    assert_eq!(shelf.scan().unwrap(), ["//notes#a unchanged"], "the scan is complete without it");
    shelf.notes.fingerprint.store(7, Ordering::Relaxed);
    assert_eq!(shelf.scan().unwrap(), [r#"//notes#a ["one"] {}"#], "the conversion changed");
}

#[test]
fn unreadable_and_removed_records_are_read_again_and_empty_ones_are_not() {
    let mut shelf =
        Shelf::new(&[("empty", 1, Some("  ")), ("gone", 1, Some("gone")), ("torn", 1, None)]);
    // The title is never empty here.
    let first =
        ["//notes#empty [\"  \"] {}", "//notes#gone [] {}", "//notes#torn [] {Unreadable: 1}"];
    assert_eq!(shelf.scan().unwrap(), first);
    let second =
        ["//notes#empty unchanged", "//notes#gone [] {}", "//notes#torn [] {Unreadable: 1}"];
    assert_eq!(shelf.scan().unwrap(), second);
}

#[test]
fn large_records_are_skipped_and_secrets_removed() {
    let token = format!("ghp_{}", "R4nd0mT0k3nXyZ9q7W2eB8uLpKsJdHfGvCmNq");
    let large = "x".repeat(2 << 20);
    let mut shelf = Shelf::new(&[("large", 1, Some(&large)), ("key", 1, Some(&token))]);
    let lines = shelf.scan().unwrap();
    assert!(!lines[0].contains(&token), "{}", lines[0]);
    assert_eq!(lines[1], "//notes#large [] {TooLarge: 1}");
    assert_eq!(shelf.scan().unwrap()[1], "//notes#large unchanged");
}

#[test]
fn documents_are_named_after_source_and_record() {
    let shelf = Shelf::new(&[("a", 1, Some("one")), ("b", 1, Some("two"))]);
    let read =
        read_documents(&shelf.walk(), SourceName::Docs, &|unit| unit == "//notes#b").unwrap();
    assert_eq!(read.len(), 1);
    let document = &read[0];
    assert_eq!(document.key.to_string(), "docs:notes#b");
    assert_eq!((document.title.as_str(), document.text.as_str()), ("A note", "two"));
    assert_eq!((document.format, document.kind, document.path.as_str()), ("notes", "page", ""));
}

#[test]
fn invalid_listings_are_errors() {
    for (records, reason) in [
        (&[][..], "the shelf is empty"),
        (&[("a", 1, Some("one")), ("a", 2, Some("two"))], "the identifier `a` is listed twice"),
        (&[("", 1, Some("one"))], "the identifier \"\" is empty"),
        (&[("a\nb", 1, Some("one"))], "the identifier \"a\\nb\" is empty, longer"),
    ] {
        let error = Shelf::new(records).scan().unwrap_err().to_string();
        assert!(error.starts_with("could not read the source `notes`: "), "{error}");
        assert!(error.contains(reason), "{error}");
    }
}

/// A source with this name and place.
struct Named(&'static str, SourceName);

impl CustomSource for Named {
    fn name(&self) -> &'static str {
        self.0
    }

    fn belongs_to(&self) -> SourceName {
        self.1
    }

    fn list(&self, _: &Path) -> Result<Vec<CustomEntry>, CustomError> {
        Ok(Vec::new())
    }

    fn read(&self, _: &Path, _: &str) -> Result<Option<CustomDocument>, CustomError> {
        Ok(None)
    }
}

#[test]
fn names_and_places_are_checked() {
    let docs = |name| Named(name, SourceName::Docs);
    assert_eq!(CustomSources::none().with(docs("a")).with(docs("b-2")).check(), Ok(()));
    for (sources, reason) in [
        (CustomSources::none().with(docs("")), "a name has 1 to 40"),
        (CustomSources::none().with(docs("a/b")), "a name has 1 to 40"),
        (CustomSources::none().with(docs("a")).with(docs("a")), "another source has the same"),
        (CustomSources::none().with(Named("a", SourceName::Git)), "it belongs to `git`, not to"),
    ] {
        let (_, found) = sources.check().unwrap_err();
        assert!(found.starts_with(reason), "{found}");
    }
    let both = CustomSources::none().with(docs("b")).with(docs("a"));
    assert_eq!(both.names_in(SourceName::Docs), ["a", "b"]);
    assert_eq!(both.names_in(SourceName::Tickets), [""; 0]);
    assert_eq!(format!("{both:?}"), r#"["b", "a"]"#);
}
