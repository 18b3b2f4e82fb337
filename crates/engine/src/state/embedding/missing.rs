//! Embeds what an index holds already: after a change of the model, and by embedders that are too
//! slow to wait for while documents are indexed.
//!
//! The lexical index is not touched: each step commits vectors alone, so that whoever is killed in
//! between goes on from there. Others may commit at any time; vectors of a text that changed since
//! it was read are thrown away.

use std::{
    collections::{HashMap, HashSet},
    ops::ControlFlow,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use lore_index::{DocumentId, DocumentVectors, IndexError, Reader, Store, Writer};
use lore_schema::{Change, Document, Stamp};
use lore_sources::{IndexState, Source, SourceError, Tree};
use lore_text::{ChunkText, EmbedError, Embedder, Fault};

use super::{Passages, Refusals, ask, ask_for_halves, document_vectors};
use crate::{Progress, state::ingest::cut};

/// How long an embedder works before its vectors are committed.
const STEP: Duration = Duration::from_secs(30);

/// Passages that are handed to an embedder together.
const BATCH: usize = 256;

/// The pauses before further tries while somebody else writes: a commit of vectors is short.
const PAUSES: [Duration; 4] = [
    Duration::from_millis(50),
    Duration::from_millis(100),
    Duration::from_millis(200),
    Duration::from_millis(400),
];

/// How embedding ended.
#[derive(Debug, Default)]
pub(crate) struct Embedded {
    /// Documents that were embedded.
    pub(crate) documents: u64,
    /// Passages that the embedder refuses, which have no vectors.
    pub(crate) refusals: Refusals,
    /// Why it stopped before the end.
    pub(crate) failure: Option<Failure>,
}

/// Why embedding stops.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The embedder does not answer.
    Embedder(EmbedError),
    /// The index cannot be read or written.
    Index(IndexError),
    /// The texts cannot be read.
    Source(SourceError),
}

impl From<EmbedError> for Failure {
    fn from(error: EmbedError) -> Failure {
        Failure::Embedder(error)
    }
}

impl From<IndexError> for Failure {
    fn from(error: IndexError) -> Failure {
        Failure::Index(error)
    }
}

impl From<SourceError> for Failure {
    fn from(error: SourceError) -> Failure {
        Failure::Source(error)
    }
}

/// Nothing is known: every unit is read.
struct Nothing;

impl IndexState for Nothing {
    fn stamp(&self, _: &str) -> Option<Stamp> {
        None
    }

    fn cursor(&self) -> Option<&str> {
        None
    }
}

/// Embeds whatever a source's index holds without vectors of this embedder, as far as the disk still
/// says the same. Of `keep`, the vectors stay; those of other models are dropped.
pub(crate) fn embed_missing(
    source: &dyn Source,
    tree: &Tree,
    store: &dyn Store,
    embedder: &dyn Embedder,
    keep: &[&str],
    progress: &dyn Progress,
) -> Embedded {
    let mut work = match Work::new(store, embedder, keep) {
        Ok(work) => work,
        Err(error) => return Embedded { failure: Some(error.into()), ..Embedded::default() },
    };
    if let Err(failure) = work.run(source, tree, progress) {
        // What is done is kept, as far as that is possible; the first failure is the one to tell.
        let _ = work.commit();
        work.embedded.failure = Some(failure);
    }
    work.embedded
}

/// A document that was read.
struct Taken {
    /// The unit that yields it.
    unit: String,
    /// What the unit looked like.
    stamp: Stamp,
    /// Its name.
    key: String,
}

/// Documents on their way to vectors.
struct Work<'a> {
    store: &'a dyn Store,
    reader: Box<dyn Reader>,
    embedder: &'a dyn Embedder,
    /// Models whose vectors are kept.
    keep: &'a [&'a str],
    /// Documents without vectors, by key.
    wanted: HashMap<String, DocumentId>,
    /// Documents that wait for the embedder.
    queue: Vec<(Taken, Passages)>,
    /// Passages that wait.
    queued: usize,
    /// Vectors that are not committed yet.
    done: Vec<(Taken, DocumentVectors)>,
    /// Keys of documents that changed since they were indexed, or since they were read.
    changed: HashSet<String>,
    /// Whether somebody else committed meanwhile.
    is_moved: bool,
    /// When the last commit was.
    since: Instant,
    embedded: Embedded,
}

impl<'a> Work<'a> {
    fn new(
        store: &'a dyn Store,
        embedder: &'a dyn Embedder,
        keep: &'a [&'a str],
    ) -> Result<Work<'a>, IndexError> {
        let reader = store.reader()?;
        Ok(Work {
            wanted: wanted(reader.as_ref(), embedder)?,
            reader,
            store,
            embedder,
            keep,
            queue: Vec::new(),
            queued: 0,
            done: Vec::new(),
            changed: HashSet::new(),
            is_moved: false,
            since: Instant::now(),
            embedded: Embedded::default(),
        })
    }

    /// Reads the source from its beginning to its end.
    fn run(
        &mut self,
        source: &dyn Source,
        tree: &Tree,
        progress: &dyn Progress,
    ) -> Result<(), Failure> {
        if self.wanted.is_empty() {
            return Ok(());
        }
        // An index that nobody may write is not worth the work.
        drop(self.writer()?);
        let known = self.wanted.len() as u64;
        let mut failure = None;
        source.scan(tree, &Nothing, &mut |change| {
            let Change::Replace { unit, stamp, documents, .. } = change else {
                return ControlFlow::Continue(());
            };
            if let Err(error) = self.take_unit(&unit.name, stamp, &documents) {
                failure = Some(error);
                return ControlFlow::Break(());
            }
            let done = self.embedded.documents + self.done.len() as u64;
            progress.advance(source.name(), done, known);
            ControlFlow::Continue(())
        })?;
        if let Some(failure) = failure {
            return Err(failure);
        }
        self.embed()?;
        self.commit()?;
        Ok(self.give_up_the_rest()?)
    }

    fn take_unit(
        &mut self,
        unit: &str,
        stamp: Stamp,
        documents: &[Document],
    ) -> Result<(), Failure> {
        // What changed since is embedded when it is indexed.
        if !says(self.reader.as_ref(), unit, stamp) {
            self.changed.extend(documents.iter().map(|document| document.key.to_string()));
            return Ok(());
        }
        for document in documents {
            let key = document.key.to_string();
            if self.wanted.contains_key(&key) {
                self.take(Taken { unit: unit.to_owned(), stamp, key }, document)?;
            }
        }
        Ok(())
    }

    fn take(&mut self, taken: Taken, document: &Document) -> Result<(), Failure> {
        let (chunked, category) = cut(document);
        let passages = Passages::of(document, &chunked.chunks, category);
        self.queued += passages.texts.len();
        self.queue.push((taken, passages));
        if self.queued >= BATCH {
            self.embed()?;
        }
        if self.since.elapsed() > STEP {
            match self.commit() {
                // The vectors wait for the next step.
                Ok(()) | Err(IndexError::Busy { .. } | IndexError::Moved { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Embeds the documents that wait.
    fn embed(&mut self) -> Result<(), EmbedError> {
        let queue = std::mem::take(&mut self.queue);
        self.queued = 0;
        let texts: Vec<ChunkText<'_>> =
            queue.iter().flat_map(|(_, passages)| passages.chunk_texts()).collect();
        let mut vectors = self.vectors(&texts)?.into_iter();
        let model: Arc<str> = Arc::from(self.embedder.fingerprint());
        for (taken, passages) in queue {
            let chunks = vectors.by_ref().take(passages.texts.len()).collect();
            self.done.push((taken, document_vectors(&model, chunks)));
        }
        Ok(())
    }

    /// Vectors of texts; none for those that the embedder refuses.
    fn vectors(&mut self, texts: &[ChunkText<'_>]) -> Result<Vec<Vec<f32>>, EmbedError> {
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        match ask(self.embedder, texts) {
            // Whoever refuses even one word refuses everything.
            Err(error) if error.at_fault == Fault::Text => {
                if self.embedder.embed_query("text").is_err() {
                    return Err(error);
                }
                ask_for_halves(self.embedder, texts, error, &mut self.embedded.refusals)
            }
            answer => answer,
        }
    }

    /// Commits what is done, on top of whatever others committed meanwhile.
    ///
    /// # Errors
    /// If somebody else writes all the time; then what is done is still there.
    fn commit(&mut self) -> Result<(), IndexError> {
        self.since = Instant::now();
        if self.done.is_empty() {
            return Ok(());
        }
        let writer = self.writer()?;
        let mut documents = 0;
        for (taken, vectors) in std::mem::take(&mut self.done) {
            if !says(self.reader.as_ref(), &taken.unit, taken.stamp) {
                self.changed.insert(taken.key);
            } else if let Some(id) = self.wanted.remove(&taken.key) {
                writer.embed(id, vectors)?;
                documents += 1;
            }
        }
        self.publish(writer)?;
        self.embedded.documents += documents;
        Ok(())
    }

    /// Notes what the source does not yield any more as looked at, so that it is not looked for
    /// again and again.
    fn give_up_the_rest(&mut self) -> Result<(), IndexError> {
        self.wanted.retain(|key, _| !self.changed.contains(key));
        // What others committed was perhaps not there yet when the source was read.
        if self.is_moved || self.wanted.is_empty() {
            return Ok(());
        }
        let writer = self.writer()?;
        if self.is_moved {
            return Ok(());
        }
        let model: Arc<str> = Arc::from(self.embedder.fingerprint());
        let rest: Vec<DocumentId> = std::mem::take(&mut self.wanted).into_values().collect();
        for id in rest {
            writer.embed(id, document_vectors(&model, Vec::new()))?;
        }
        self.publish(writer)
    }

    /// A writer on the last state, which the reader is then, too. While somebody else writes, it
    /// waits a little.
    fn writer(&mut self) -> Result<Box<dyn Writer>, IndexError> {
        if self.store.reader()?.generation() != self.reader.generation() {
            self.is_moved = true;
            self.reopen()?;
        }
        let mut pauses = PAUSES.into_iter();
        loop {
            let error = match self.store.writer(self.reader.version()) {
                Err(error @ (IndexError::Busy { .. } | IndexError::Moved { .. })) => error,
                other => return other,
            };
            let Some(pause) = pauses.next() else { return Err(error) };
            thread::sleep(pause);
            self.is_moved = true;
            self.reopen()?;
        }
    }

    fn publish(&mut self, writer: Box<dyn Writer>) -> Result<(), IndexError> {
        writer.keep_models(self.keep)?;
        let cursor = self.reader.cursor().unwrap_or_default().to_owned();
        writer.commit(&cursor)?;
        self.reopen()
    }

    fn reopen(&mut self) -> Result<(), IndexError> {
        self.reader = self.store.reader()?;
        self.wanted = wanted(self.reader.as_ref(), self.embedder)?;
        Ok(())
    }
}

/// Whether the index has what a unit held at this stamp. One of which nothing is known has no
/// content in its stamp.
fn says(reader: &dyn Reader, unit: &str, stamp: Stamp) -> bool {
    stamp.content != 0 && reader.stamp(unit).is_some_and(|held| held.content == stamp.content)
}

/// Documents without vectors of an embedder, by key.
fn wanted(
    reader: &dyn Reader,
    embedder: &dyn Embedder,
) -> Result<HashMap<String, DocumentId>, IndexError> {
    let ids = reader.unembedded(embedder.fingerprint(), usize::MAX)?;
    let documents = reader.documents(&ids)?;
    let keys = documents.into_iter().map(|document| document.key.to_string());
    Ok(keys.zip(ids).collect())
}

#[cfg(test)]
mod tests;
