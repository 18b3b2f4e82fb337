//! Sources of documents that the embedding program implements, for records that are not files of
//! the tree.
//!
//! A custom source belongs to one of the built-in sources, in whose index its documents are stored.
//! `custom_scan.rs` reads its records.

use std::{collections::HashSet, fmt, path::Path, sync::Arc};

use lore_schema::{Attributes, SourceName, Trust};

use crate::fingerprint::Hasher;

/// Maximum length of the name of a custom source, in bytes.
const MAX_NAME_LEN: usize = 40;

/// The built-in sources that custom sources may belong to: those whose documents are prose.
const HOSTS: &[SourceName] = &[SourceName::Docs, SourceName::Tickets];

/// An error of a custom source. Any error type converts to it with `?`.
pub type CustomError = Box<dyn std::error::Error + Send + Sync>;

/// A source of documents that are not files of the tree: tickets of a database, pages of a wiki,
/// texts in memory.
///
/// Every search calls [`CustomSource::list`] and compares the versions with those in the index. It
/// calls [`CustomSource::read`] only for records that are new or whose version changed, and removes
/// records that are no longer listed. So an answer is as fresh as the listing.
///
/// The methods are called from the thread of the search. Searches in several threads call them at
/// the same time.
pub trait CustomSource: Send + Sync {
    /// Name of the source: 1 to 40 lower-case ASCII letters, digits and `-`, unique within an
    /// engine. It is the format of the documents and the start of their identifiers:
    /// `docs:wiki#42`. No file at the root of the tree should have this name.
    fn name(&self) -> &'static str;

    /// The built-in source that the documents belong to: [`SourceName::Docs`] for pages, which is
    /// the default, or [`SourceName::Tickets`] for records with a state. Filters on sources and the
    /// receipt count the documents there.
    fn belongs_to(&self) -> SourceName {
        SourceName::Docs
    }

    /// Version of the conversion from records to documents. Return another number after a change
    /// of [`CustomSource::read`]: all records are then read again.
    fn fingerprint(&self) -> u64 {
        0
    }

    /// Lists all records, in any order. `root` is the root of the tree.
    ///
    /// # Errors
    /// If the records cannot be listed. The search then fails, because its answer could be stale.
    fn list(&self, root: &Path) -> Result<Vec<CustomEntry>, CustomError>;

    /// Reads one record; `None` if it was removed since the listing. If it changed since, return the
    /// new content: the next search lists its new version and reads it again.
    ///
    /// # Errors
    /// If the record cannot be read. It is then counted as unreadable, and read again by the next
    /// search.
    fn read(&self, root: &Path, id: &str) -> Result<Option<CustomDocument>, CustomError>;
}

/// A record in the listing of a custom source.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CustomEntry {
    /// Identifier, unique within the source: 1 to 200 bytes without control characters. It must not
    /// change when the content does.
    pub id: String,
    /// Version of the content: a revision number, or a hash by [`content_version`]. Equal versions
    /// mean equal content.
    pub version: u64,
}

/// Returns a version for a content: a 64-bit hash that is the same in every process.
pub fn content_version(content: impl AsRef<[u8]>) -> u64 {
    let mut hasher = Hasher::default();
    hasher.bytes(content.as_ref());
    hasher.finish()
}

/// A document of a custom source. Start from [`CustomDocument::new`] and set further fields.
///
/// Secrets are removed from all of its texts, unless the engine shows secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CustomDocument {
    /// Title for display, on one line.
    pub title: String,
    /// The text, as Markdown or plain text. Headings divide it into passages.
    pub text: String,
    /// Kind, for filters: `page`, `ticket` …
    pub kind: &'static str,
    /// Attributes: identifier, state, tags, dates and others. `lines` is ignored.
    pub attributes: Attributes,
    /// Trust in the authors.
    pub trust: Trust,
}

impl CustomDocument {
    /// A document of the kind `page`, without attributes, written by the authors of the tree.
    pub fn new(title: impl Into<String>, text: impl Into<String>) -> CustomDocument {
        CustomDocument {
            title: title.into(),
            text: text.into(),
            kind: "page",
            attributes: Attributes::default(),
            trust: Trust::Own,
        }
    }
}

/// The custom sources of an engine. Clones share them.
#[derive(Clone, Default)]
pub struct CustomSources(Vec<Arc<dyn CustomSource>>);

impl CustomSources {
    /// No custom sources.
    pub fn none() -> CustomSources {
        CustomSources::default()
    }

    /// Adds a source.
    #[must_use]
    pub fn with(mut self, source: impl CustomSource + 'static) -> CustomSources {
        self.0.push(Arc::new(source));
        self
    }

    /// Returns the names of the sources that belong to a built-in source, sorted.
    pub fn names_in(&self, source: SourceName) -> Vec<&'static str> {
        let mut names: Vec<_> = self.of(source).map(CustomSource::name).collect();
        names.sort_unstable();
        names
    }

    /// Returns the name of the first source that cannot be used, and the reason.
    ///
    /// # Errors
    /// If a name is invalid or used twice, or a source belongs to a built-in source that takes no
    /// custom sources.
    pub fn check(&self) -> Result<(), (&'static str, String)> {
        let mut names = HashSet::new();
        for source in &self.0 {
            let name = source.name();
            let is_allowed =
                |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
            if name.is_empty() || name.len() > MAX_NAME_LEN || !name.bytes().all(is_allowed) {
                let reason = format!(
                    "a name has 1 to {MAX_NAME_LEN} lower-case letters, digits and hyphens"
                );
                return Err((name, reason));
            }
            if !names.insert(name) {
                return Err((name, "another source has the same name".to_owned()));
            }
            if !HOSTS.contains(&source.belongs_to()) {
                let hosts: Vec<&str> = HOSTS.iter().map(|host| host.as_str()).collect();
                let reason = format!(
                    "it belongs to `{}`, not to {}",
                    source.belongs_to(),
                    hosts.join(" or ")
                );
                return Err((name, reason));
            }
        }
        Ok(())
    }

    /// Returns true if a built-in source has custom sources.
    pub(crate) fn has(&self, source: SourceName) -> bool {
        self.of(source).next().is_some()
    }

    /// Returns the sources that belong to a built-in source, in the order in which they were added.
    pub(crate) fn of(&self, source: SourceName) -> impl Iterator<Item = &dyn CustomSource> {
        self.0.iter().map(AsRef::as_ref).filter(move |custom| custom.belongs_to() == source)
    }

    /// Name, built-in source and version of each.
    fn identity(&self) -> Vec<(&'static str, SourceName, u64)> {
        let of = |source: &Arc<dyn CustomSource>| {
            (source.name(), source.belongs_to(), source.fingerprint())
        };
        self.0.iter().map(of).collect()
    }
}

impl FromIterator<Arc<dyn CustomSource>> for CustomSources {
    fn from_iter<I: IntoIterator<Item = Arc<dyn CustomSource>>>(sources: I) -> CustomSources {
        CustomSources(sources.into_iter().collect())
    }
}

impl fmt::Debug for CustomSources {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.0.iter().map(|source| source.name())).finish()
    }
}

impl PartialEq for CustomSources {
    fn eq(&self, other: &CustomSources) -> bool {
        self.identity() == other.identity()
    }
}

impl Eq for CustomSources {}
