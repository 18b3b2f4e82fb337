//! Proves hits: checks that a passage of the index is still on the disk. The file's stamp decides or,
//! where the stamp is not conclusive, its content. In a file that changed since it was compared, the
//! passage is located again. A passage that is gone is dropped from the answer.

use std::{
    collections::BTreeSet,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use lore_index::{Reader, StoredChunk, StoredDocument};
use lore_schema::{Chunk, ChunkKind, Document, SourceName, Symbol};
use lore_sources::Tree;

use crate::{
    EngineConfig, Parsers,
    state::{analyze::stored_chunk, chunking::chunk_document, files::UnverifiedText},
};

/// Result of proving the hits of an answer.
#[derive(Debug, Default)]
pub(crate) struct Proof {
    /// Files that changed after they were compared with the index: their new content was not searched.
    changed: Mutex<BTreeSet<String>>,
    /// True if the file of a shown hit could not be read.
    is_unchecked: AtomicBool,
}

impl Proof {
    fn changed(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.changed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Number of files that changed while the answer was made.
    pub(crate) fn changes(&self) -> u64 {
        self.changed().len() as u64
    }

    /// Returns true if a shown hit could not be checked.
    pub(crate) fn is_unchecked(&self) -> bool {
        self.is_unchecked.load(Ordering::Relaxed)
    }
}

/// A passage of a text that changed.
#[derive(Debug, PartialEq)]
pub(crate) struct MovedPassage {
    /// The text as it is now.
    pub(crate) text: String,
    /// The passage in it; `None` for the whole document.
    pub(crate) chunk: Option<StoredChunk>,
    /// The definition that was looked up.
    pub(crate) subject: Option<Symbol>,
}

/// Context for proving passages.
#[derive(Clone, Copy)]
pub(crate) struct ProofContext<'a> {
    /// The engine's settings.
    pub(crate) config: &'a EngineConfig,
    /// The files as the walk of this search listed them.
    pub(crate) tree: &'a Tree,
    /// The state that the passage comes from; `None` if it was just read from the disk.
    pub(crate) reader: Option<&'a dyn Reader>,
    /// Collects the results.
    pub(crate) proof: &'a Proof,
}

/// A passage to prove.
pub(crate) struct PassageRef<'a> {
    /// Its document.
    pub(crate) document: &'a StoredDocument,
    /// A chunk of it; `None` for all of it.
    pub(crate) chunk: Option<&'a StoredChunk>,
    /// A definition in it, if the hit is a definition.
    pub(crate) subject: Option<&'a Symbol>,
    /// Returns true if a text contains words of the query; used to locate a passage without a name.
    pub(crate) matches: &'a dyn Fn(&str) -> bool,
}

/// State of a passage on the disk.
#[derive(Debug, PartialEq)]
pub(crate) enum PassageState {
    /// Unchanged, in this text.
    AsIndexed(String),
    /// Located in a text that changed.
    Moved(Box<MovedPassage>),
    /// Unknown: the file exists and cannot be read.
    Unreadable,
    /// Gone.
    Gone,
}

impl ProofContext<'_> {
    /// Finds a passage on the disk. `read` is the text of its file, if it was read already: it may contain a
    /// secret that was added since it was indexed.
    pub(crate) fn locate(
        &self,
        passage: &PassageRef<'_>,
        read: Option<UnverifiedText>,
    ) -> PassageState {
        let path = &passage.document.path;
        // A text that was read from the file as it was listed is the text that was indexed.
        if let Some(read) = read
            && let Some(listed) = self.tree.entry(path)
            && let Some(text) = read.if_listed(listed.metadata)
            && self.config.is_unchanged(path, listed.metadata)
        {
            return PassageState::AsIndexed(text);
        }
        let text = self.config.read_text(path);
        let now = self.config.fingerprint_of(path);
        let (Some(listed), Some(now)) = (self.tree.entry(path), now) else {
            self.proof.changed().insert(path.clone());
            return PassageState::Gone;
        };
        let is_doubtful = listed.metadata == 0 && self.reader.is_some();
        let is_as_listed = listed.metadata == 0 || listed.metadata == now;
        if is_as_listed && !is_doubtful
            || self.has_indexed_content(passage.document.key.source, path)
        {
            if let Ok(text) = text {
                return PassageState::AsIndexed(text);
            }
            self.proof.is_unchecked.store(true, Ordering::Relaxed);
            return PassageState::Unreadable;
        }
        self.proof.changed().insert(path.clone());
        self.relocate(passage).unwrap_or(PassageState::Gone)
    }

    /// Returns true if the file has the content that was indexed, whatever its times are.
    fn has_indexed_content(&self, source: SourceName, path: &str) -> bool {
        let Some(reader) = self.reader else { return false };
        let now = lore_sources::current_content(self.tree, source, path);
        now.is_some_and(|(unit, content)| {
            content != 0 && reader.stamp(&unit).is_some_and(|stamp| stamp.content == content)
        })
    }

    /// Locates a passage in a file that changed.
    fn relocate(&self, passage: &PassageRef<'_>) -> Option<PassageState> {
        self.reader?;
        let document = passage.document;
        let (unit, _) =
            lore_sources::current_content(self.tree, document.key.source, &document.path)?;
        let read =
            lore_sources::read_documents(self.tree, document.key.source, &|name| name == unit);
        let now = read.ok()?.into_iter().find(|now| now.key == document.key)?;
        let (chunk, subject) = match passage.chunk {
            None => (None, None),
            Some(chunk) => {
                let parsers = &self.config.parsers;
                let (chunk, subject) =
                    find_passage(&now, chunk, passage.subject, passage.matches, parsers)?;
                (Some(chunk), subject)
            }
        };
        Some(PassageState::Moved(Box::new(MovedPassage { text: now.text, chunk, subject })))
    }
}

/// The passage of a changed document that corresponds to a chunk of an earlier state: the same
/// definition, the section under the same headings, or else the first chunk with words of the query.
fn find_passage(
    document: &Document,
    chunk: &StoredChunk,
    subject: Option<&Symbol>,
    matches: &dyn Fn(&str) -> bool,
    parsers: &Parsers,
) -> Option<(StoredChunk, Option<Symbol>)> {
    let chunked = chunk_document(document, parsers).chunked;
    if let Some(named) = subject.or(chunk.symbol.as_ref()) {
        return chunked.chunks.iter().find_map(|now| {
            let found = now.symbols.iter().find(|symbol| is_same_definition(symbol, named))?;
            Some((stored_chunk(now), subject.map(|_| found.clone())))
        });
    }
    let is_section = chunk.kind == ChunkKind::Section && !chunk.breadcrumb.is_empty();
    let found = if is_section {
        chunked.chunks.iter().find(|now| now.breadcrumb == chunk.breadcrumb)
    } else {
        let holds = |now: &&Chunk| {
            let text = document.text.get(now.span.start..now.span.end);
            text.is_some_and(matches)
        };
        chunked.chunks.iter().find(holds)
    };
    found.map(|now| (stored_chunk(now), None))
}

/// Returns true if two states of a text contain the same definition.
fn is_same_definition(left: &Symbol, right: &Symbol) -> bool {
    let identity = |symbol: &Symbol| (symbol.kind, symbol.repetition.max(1));
    left.name == right.name
        && left.container == right.container
        && identity(left) == identity(right)
}

#[cfg(test)]
mod tests;
