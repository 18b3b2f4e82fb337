//! Embeds documents that are in the index without vectors: after a change of the model, and with
//! embedders that are too slow to wait for during indexing.
//!
//! The lexical index is not changed: each step commits only vectors, so that an interrupted run
//! continues from the last step. Other processes may commit at any time; vectors of a text that changed
//! since it was read are discarded.

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

use super::{Passages, Refusals, document_vectors, embed_halves, embed_texts};
use crate::{Parsers, Phase, Progress, state::chunking::chunk_indexed};

/// Time between commits of vectors.
const COMMIT_INTERVAL: Duration = Duration::from_secs(8);

/// Number of passages that are sent to an embedder together.
const BATCH: usize = 256;

/// Pauses before further attempts while another process writes: a commit of vectors is short.
const PAUSES: [Duration; 4] = [
    Duration::from_millis(50),
    Duration::from_millis(100),
    Duration::from_millis(200),
    Duration::from_millis(400),
];

/// Result of embedding.
#[derive(Debug, Default)]
pub(crate) struct Embedded {
    /// Number of documents that were embedded.
    pub(crate) documents: u64,
    /// Passages that the embedder rejected, which have no vectors.
    pub(crate) refusals: Refusals,
    /// The reason why it stopped early.
    pub(crate) failure: Option<Failure>,
}

/// The reason why embedding stopped.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The embedder does not respond.
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

/// A state without units, so that every unit is read.
struct NoUnits;

impl IndexState for NoUnits {
    fn stamp(&self, _: &str) -> Option<Stamp> {
        None
    }

    fn cursor(&self) -> Option<&str> {
        None
    }
}

/// Embeds the documents of a source's index that have no vectors of this embedder, if the files still
/// have the content that was indexed. Vectors of the models in `keep` stay; others are dropped.
pub(crate) fn embed_missing(
    source: &dyn Source,
    tree: &Tree,
    store: &dyn Store,
    embedder: &dyn Embedder,
    keep: &[&str],
    parsers: &Parsers,
    progress: &dyn Progress,
) -> Embedded {
    let mut work = match Work::new(store, embedder, keep, parsers) {
        Ok(work) => work,
        Err(error) => return Embedded { failure: Some(error.into()), ..Embedded::default() },
    };
    if let Err(failure) = work.run(source, tree, progress) {
        // Finished work is kept if possible; the first failure is the one that is reported.
        let _ = work.commit();
        work.embedded.failure = Some(failure);
    }
    work.embedded
}

/// A document to embed.
struct QueuedDocument {
    /// The unit that yields it.
    unit: String,
    /// Stamp of the unit when it was read.
    stamp: Stamp,
    /// Key of the document.
    key: String,
}

/// A document without vectors.
struct MissingDocument {
    id: DocumentId,
    /// True if its parser gave up or ended.
    fell_back: bool,
}

/// State of the embedding run.
struct Work<'a> {
    store: &'a dyn Store,
    reader: Box<dyn Reader>,
    embedder: &'a dyn Embedder,
    /// Models whose vectors are kept.
    keep: &'a [&'a str],
    parsers: &'a Parsers,
    /// Documents without vectors, by key.
    missing: HashMap<String, MissingDocument>,
    /// Documents that wait for the embedder.
    queue: Vec<(QueuedDocument, Passages)>,
    /// Number of passages that wait.
    waiting_passages: usize,
    /// Vectors that are not committed yet.
    done: Vec<(QueuedDocument, DocumentVectors)>,
    /// Keys of documents that changed since they were indexed, or since they were read.
    changed: HashSet<String>,
    /// True if another process committed meanwhile.
    others_committed: bool,
    /// Time of the last commit.
    since: Instant,
    embedded: Embedded,
}

impl<'a> Work<'a> {
    fn new(
        store: &'a dyn Store,
        embedder: &'a dyn Embedder,
        keep: &'a [&'a str],
        parsers: &'a Parsers,
    ) -> Result<Work<'a>, IndexError> {
        let reader = store.reader()?;
        Ok(Work {
            missing: missing(reader.as_ref(), embedder)?,
            reader,
            store,
            embedder,
            keep,
            parsers,
            queue: Vec::new(),
            waiting_passages: 0,
            done: Vec::new(),
            changed: HashSet::new(),
            others_committed: false,
            since: Instant::now(),
            embedded: Embedded::default(),
        })
    }

    /// Reads the whole source and embeds its documents.
    fn run(
        &mut self,
        source: &dyn Source,
        tree: &Tree,
        progress: &dyn Progress,
    ) -> Result<(), Failure> {
        if self.missing.is_empty() {
            return Ok(());
        }
        // Fail early if the index cannot be written.
        drop(self.writer()?);
        let known = self.missing.len() as u64;
        let (mut failure, mut is_stopped) = (None, false);
        source.scan(tree, &NoUnits, &mut |change| {
            let Change::Replace { unit, stamp, documents, .. } = change else {
                return ControlFlow::Continue(());
            };
            if let Err(error) = self.add_unit(&unit.name, stamp, &documents) {
                failure = Some(error);
                return ControlFlow::Break(());
            }
            let done = self.embedded.documents + self.done.len() as u64;
            progress.advance(source.name(), done, known);
            let source = source.name();
            progress.phase(Phase::Embed { source, finished: done, total: known });
            is_stopped = progress.is_stopped();
            if is_stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        if let Some(failure) = failure {
            return Err(failure);
        }
        if is_stopped {
            // Passages that wait for the embedder are embedded by the next run.
            return Ok(self.commit()?);
        }
        self.embed()?;
        self.commit()?;
        Ok(self.mark_rest_as_embedded()?)
    }

    fn add_unit(
        &mut self,
        unit: &str,
        stamp: Stamp,
        documents: &[Document],
    ) -> Result<(), Failure> {
        // A changed unit is embedded when it is indexed.
        if !is_indexed(self.reader.as_ref(), unit, stamp) {
            self.changed.extend(documents.iter().map(|document| document.key.to_string()));
            return Ok(());
        }
        for document in documents {
            let key = document.key.to_string();
            if let Some(missing) = self.missing.get(&key) {
                let chunked = chunk_indexed(document, missing.fell_back, self.parsers);
                let passages = Passages::of(document, &chunked.chunked.chunks, chunked.category);
                self.add(QueuedDocument { unit: unit.to_owned(), stamp, key }, passages)?;
            }
        }
        Ok(())
    }

    fn add(&mut self, queued: QueuedDocument, passages: Passages) -> Result<(), Failure> {
        self.waiting_passages += passages.texts.len();
        self.queue.push((queued, passages));
        if self.waiting_passages >= BATCH {
            self.embed()?;
        }
        if self.since.elapsed() > COMMIT_INTERVAL {
            match self.commit() {
                // The vectors wait for the next step.
                Ok(()) | Err(IndexError::Busy { .. } | IndexError::Moved { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Embeds the waiting documents.
    fn embed(&mut self) -> Result<(), EmbedError> {
        let queue = std::mem::take(&mut self.queue);
        self.waiting_passages = 0;
        let texts: Vec<ChunkText<'_>> =
            queue.iter().flat_map(|(_, passages)| passages.chunk_texts()).collect();
        let mut vectors = self.vectors(&texts)?.into_iter();
        let model: Arc<str> = Arc::from(self.embedder.fingerprint());
        for (queued, passages) in queue {
            let chunks = vectors.by_ref().take(passages.texts.len()).collect();
            self.done.push((queued, document_vectors(&model, chunks)));
        }
        Ok(())
    }

    /// Embeds texts; a text that the embedder rejects gets no vector.
    fn vectors(&mut self, texts: &[ChunkText<'_>]) -> Result<Vec<Vec<f32>>, EmbedError> {
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        match embed_texts(self.embedder, texts) {
            // An embedder that rejects even one short word is broken, not the text.
            Err(error) if error.at_fault == Fault::Text => {
                if self.embedder.embed_query("text").is_err() {
                    return Err(error);
                }
                embed_halves(self.embedder, texts, error, &mut self.embedded.refusals)
            }
            answer => answer,
        }
    }

    /// Commits finished vectors, on top of what other processes committed meanwhile.
    ///
    /// # Errors
    /// If another process keeps writing; the finished vectors are kept for the next attempt.
    fn commit(&mut self) -> Result<(), IndexError> {
        self.since = Instant::now();
        if self.done.is_empty() {
            return Ok(());
        }
        let writer = self.writer()?;
        let mut documents = 0;
        for (queued, vectors) in std::mem::take(&mut self.done) {
            if !is_indexed(self.reader.as_ref(), &queued.unit, queued.stamp) {
                self.changed.insert(queued.key);
            } else if let Some(missing) = self.missing.remove(&queued.key) {
                writer.embed(missing.id, vectors)?;
                documents += 1;
            }
        }
        self.publish(writer)?;
        self.embedded.documents += documents;
        Ok(())
    }

    /// Marks documents that the source no longer yields as embedded, so that they are not looked for
    /// again.
    fn mark_rest_as_embedded(&mut self) -> Result<(), IndexError> {
        self.missing.retain(|key, _| !self.changed.contains(key));
        // Documents committed by other processes may not have existed yet when the source was read.
        if self.others_committed || self.missing.is_empty() {
            return Ok(());
        }
        let writer = self.writer()?;
        if self.others_committed {
            return Ok(());
        }
        let model: Arc<str> = Arc::from(self.embedder.fingerprint());
        let rest: Vec<MissingDocument> = std::mem::take(&mut self.missing).into_values().collect();
        for missing in rest {
            writer.embed(missing.id, document_vectors(&model, Vec::new()))?;
        }
        self.publish(writer)
    }

    /// Returns a writer on the last state, and reopens the reader at it. Waits a little while another
    /// process writes.
    fn writer(&mut self) -> Result<Box<dyn Writer>, IndexError> {
        if self.store.reader()?.generation() != self.reader.generation() {
            self.others_committed = true;
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
            self.others_committed = true;
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
        self.missing = missing(self.reader.as_ref(), self.embedder)?;
        Ok(())
    }
}

/// Returns true if the index contains the content of a unit at this stamp. An unknown content has 0 in
/// its stamp.
fn is_indexed(reader: &dyn Reader, unit: &str, stamp: Stamp) -> bool {
    stamp.content != 0 && reader.stamp(unit).is_some_and(|held| held.content == stamp.content)
}

/// Documents without vectors of an embedder, by key.
fn missing(
    reader: &dyn Reader,
    embedder: &dyn Embedder,
) -> Result<HashMap<String, MissingDocument>, IndexError> {
    let ids = reader.unembedded(embedder.fingerprint(), usize::MAX)?;
    let documents = reader.documents(&ids)?.into_iter().zip(ids);
    let missing = documents.map(|(document, id)| {
        (document.key.to_string(), MissingDocument { id, fell_back: document.fell_back })
    });
    Ok(missing.collect())
}

#[cfg(test)]
mod tests;
