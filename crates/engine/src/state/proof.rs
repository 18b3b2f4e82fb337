//! Whether a passage that the index names still stands on the disk: the file's stamp tells, and where
//! that leaves doubt, its content. In a file that changed since it was compared, the passage is looked
//! for again; what is gone is no hit.

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
    EngineConfig,
    rank::HighlightTerms,
    state::{analyze::stored_chunk, files::Unchecked, ingest::cut},
};

/// What was found when the hits of an answer were proved.
#[derive(Debug, Default)]
pub(crate) struct Proof {
    /// Files that changed after they were compared with the index: what they hold now was not searched.
    changed: Mutex<BTreeSet<String>>,
    /// Whether the file of a hit that is shown could not be read.
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

    /// Whether a hit is shown that could not be checked.
    pub(crate) fn is_unchecked(&self) -> bool {
        self.is_unchecked.load(Ordering::Relaxed)
    }
}

/// A passage of a text that changed.
#[derive(Debug, PartialEq)]
pub(crate) struct Moved {
    /// The text as it is now.
    pub(crate) text: String,
    /// The passage in it; `None` for the whole document.
    pub(crate) chunk: Option<StoredChunk>,
    /// The definition that was sought.
    pub(crate) subject: Option<Symbol>,
}

/// Against what a passage is proved.
#[derive(Clone, Copy)]
pub(crate) struct ProofContext<'a> {
    /// The engine's settings.
    pub(crate) config: &'a EngineConfig,
    /// The files as the walk of this search saw them.
    pub(crate) tree: &'a Tree,
    /// The state that the passage comes from; `None` if it was read from the disk a moment ago.
    pub(crate) reader: Option<&'a dyn Reader>,
    /// Where it is noted what was found.
    pub(crate) proof: &'a Proof,
}

/// A passage that is looked for on the disk.
pub(crate) struct Sought<'a> {
    /// Its document.
    pub(crate) document: &'a StoredDocument,
    /// A chunk of it; `None` for all of it.
    pub(crate) chunk: Option<&'a StoredChunk>,
    /// A definition in it, if one is meant.
    pub(crate) subject: Option<&'a Symbol>,
    /// The words that a passage without a name is found by.
    pub(crate) terms: &'a HighlightTerms,
}

/// Where a passage stands.
#[derive(Debug, PartialEq)]
pub(crate) enum Standing {
    /// Where the index says, in this text.
    AsIndexed(String),
    /// In a text that changed.
    Elsewhere(Box<Moved>),
    /// Nobody can tell: the file is there and cannot be read.
    Unreadable,
    /// Nowhere.
    Gone,
}

impl ProofContext<'_> {
    /// Finds a passage on the disk. `read` is the text of its file, if it was read already: it may hold a
    /// secret that came into it since it was indexed.
    pub(crate) fn find(&self, sought: &Sought<'_>, read: Option<Unchecked>) -> Standing {
        let path = &sought.document.path;
        // What was read from the file as it had been listed is what was indexed; and it still is.
        if let Some(read) = read
            && let Some(listed) = self.tree.entry(path)
            && let Some(text) = read.if_listed(listed.metadata)
            && self.config.is_still(path, listed.metadata)
        {
            return Standing::AsIndexed(text);
        }
        let text = self.config.read_text(path);
        let now = self.config.fingerprint_of(path);
        let (Some(listed), Some(now)) = (self.tree.entry(path), now) else {
            self.proof.changed().insert(path.clone());
            return Standing::Gone;
        };
        let is_doubtful = listed.metadata == 0 && self.reader.is_some();
        let is_as_listed = listed.metadata == 0 || listed.metadata == now;
        if is_as_listed && !is_doubtful || self.holds_the_same(sought.document.key.source, path) {
            if let Ok(text) = text {
                return Standing::AsIndexed(text);
            }
            self.proof.is_unchecked.store(true, Ordering::Relaxed);
            return Standing::Unreadable;
        }
        self.proof.changed().insert(path.clone());
        self.find_again(sought).unwrap_or(Standing::Gone)
    }

    /// Whether the file has the content that was indexed, whatever its times are.
    fn holds_the_same(&self, source: SourceName, path: &str) -> bool {
        let Some(reader) = self.reader else { return false };
        let now = lore_sources::current_content(self.tree, source, path);
        now.is_some_and(|(unit, content)| {
            content != 0 && reader.stamp(&unit).is_some_and(|stamp| stamp.content == content)
        })
    }

    /// Looks for a passage in a file that changed.
    fn find_again(&self, sought: &Sought<'_>) -> Option<Standing> {
        self.reader?;
        let document = sought.document;
        let (unit, _) =
            lore_sources::current_content(self.tree, document.key.source, &document.path)?;
        let read =
            lore_sources::read_documents(self.tree, document.key.source, &|name| name == unit);
        let now = read.ok()?.into_iter().find(|now| now.key == document.key)?;
        let (chunk, subject) = match sought.chunk {
            None => (None, None),
            Some(chunk) => {
                let (chunk, subject) = passage(&now, chunk, sought.subject, sought.terms)?;
                (Some(chunk), subject)
            }
        };
        Some(Standing::Elsewhere(Box::new(Moved { text: now.text, chunk, subject })))
    }
}

/// The passage of a document that a chunk of an earlier state has become: the same definition, the
/// section under the same headings, or else the first lines with words of the question.
fn passage(
    document: &Document,
    chunk: &StoredChunk,
    subject: Option<&Symbol>,
    terms: &HighlightTerms,
) -> Option<(StoredChunk, Option<Symbol>)> {
    let (chunked, _) = cut(document);
    if let Some(named) = subject.or(chunk.symbol.as_ref()) {
        return chunked.chunks.iter().find_map(|now| {
            let found = now.symbols.iter().find(|symbol| is_the_same(symbol, named))?;
            Some((stored_chunk(now), subject.map(|_| found.clone())))
        });
    }
    let is_section = chunk.kind == ChunkKind::Section && !chunk.breadcrumb.is_empty();
    let found = if is_section {
        chunked.chunks.iter().find(|now| now.breadcrumb == chunk.breadcrumb)
    } else {
        let holds = |now: &&Chunk| {
            let text = document.text.get(now.span.start..now.span.end);
            text.is_some_and(|text| terms.highlight(text).is_some())
        };
        chunked.chunks.iter().find(holds)
    };
    found.map(|now| (stored_chunk(now), None))
}

/// Whether two states of a text mean the same definition.
fn is_the_same(left: &Symbol, right: &Symbol) -> bool {
    let identity = |symbol: &Symbol| (symbol.kind, symbol.repetition.max(1));
    left.name == right.name
        && left.container == right.container
        && identity(left) == identity(right)
}

#[cfg(test)]
mod tests;
