//! Embeds what an index holds already: after a change of the model, and by embedders that are too
//! slow to wait for while documents are indexed.
//!
//! The lexical index is not touched: each step commits vectors alone, so that whoever is killed in
//! between goes on from there.

use std::{
    collections::HashMap,
    ops::ControlFlow,
    sync::Arc,
    time::{Duration, Instant},
};

use lore_index::{DocumentId, DocumentVectors, IndexError, Reader, Store};
use lore_schema::{Change, Document};
use lore_sources::{Known, Source, Tree};
use lore_text::{ChunkText, EmbedError, Embedder};

use super::Passages;
use crate::{EngineError, Progress, ingest::cut};

/// How long an embedder works before its vectors are committed.
const STEP: Duration = Duration::from_secs(30);

/// Passages that are handed to an embedder together.
const BATCH: usize = 256;

/// How embedding ended.
#[derive(Debug, Default)]
pub(crate) struct Embedded {
    /// Documents that were embedded.
    pub(crate) documents: u64,
    /// Why it stopped before the end.
    pub(crate) stopped: Option<String>,
}

/// Nothing is known: every unit is read.
struct Nothing;

impl Known for Nothing {
    fn stamp(&self, _: &str) -> Option<lore_schema::Stamp> {
        None
    }

    fn cursor(&self) -> Option<&str> {
        None
    }
}

/// Embeds whatever a source's index holds without vectors of this embedder, as far as the disk still
/// says the same.
pub(crate) fn embed_missing(
    source: &dyn Source,
    tree: &Tree,
    store: &dyn Store,
    embedder: &dyn Embedder,
    keep: &[&str],
    progress: &dyn Progress,
) -> Result<Embedded, EngineError> {
    let reader = store.reader()?;
    let mut work = Work {
        wanted: wanted(reader.as_ref(), embedder)?,
        reader,
        store,
        embedder,
        keep,
        queue: Vec::new(),
        queued: 0,
        done: Vec::new(),
        since: Instant::now(),
        embedded: Embedded::default(),
        failure: None,
    };
    if work.wanted.is_empty() {
        return Ok(Embedded::default());
    }
    let known = work.wanted.len() as u64;
    source.scan(tree, &Nothing, &mut |change| {
        let Change::Replace { unit, stamp, documents, .. } = change else {
            return ControlFlow::Continue(());
        };
        // What changed since is embedded when it is indexed.
        if work.reader.stamp(&unit.name) != Some(stamp) {
            return ControlFlow::Continue(());
        }
        for document in documents {
            if let Err(failure) = work.take(&document) {
                work.failure = Some(failure);
                return ControlFlow::Break(());
            }
        }
        let done = work.embedded.documents + work.done.len() as u64;
        progress.advance(source.name(), done, known);
        ControlFlow::Continue(())
    })?;
    if work.failure.is_none()
        && let Err(error) = work.embed()
    {
        work.failure = Some(Failure::Embedder(error));
    }
    match work.failure.take() {
        Some(Failure::Index(error)) => return Err(error.into()),
        Some(Failure::Embedder(error)) => {
            let hint = error.hint.map(|hint| format!(" ({hint})")).unwrap_or_default();
            work.embedded.stopped = Some(format!("{}{hint}", error.reason));
        }
        None => {}
    }
    work.commit()?;
    Ok(work.embedded)
}

/// Why embedding stops.
enum Failure {
    Embedder(EmbedError),
    Index(IndexError),
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
    queue: Vec<(String, Passages)>,
    /// Passages that wait.
    queued: usize,
    /// Vectors that are not committed yet.
    done: Vec<(String, DocumentVectors)>,
    /// When the last commit was.
    since: Instant,
    embedded: Embedded,
    failure: Option<Failure>,
}

impl Work<'_> {
    /// Takes one document, if it is wanted.
    fn take(&mut self, document: &Document) -> Result<(), Failure> {
        let key = document.key.to_string();
        if !self.wanted.contains_key(&key) {
            return Ok(());
        }
        let (chunked, category) = cut(document);
        let passages = Passages::of(document, &chunked.chunks, category);
        self.queued += passages.texts.len();
        self.queue.push((key, passages));
        if self.queued >= BATCH {
            self.embed().map_err(Failure::Embedder)?;
        }
        if self.since.elapsed() > STEP {
            self.commit().map_err(Failure::Index)?;
        }
        Ok(())
    }

    /// Embeds the documents that wait.
    fn embed(&mut self) -> Result<(), EmbedError> {
        let queue = std::mem::take(&mut self.queue);
        self.queued = 0;
        let texts: Vec<ChunkText<'_>> =
            queue.iter().flat_map(|(_, passages)| passages.chunk_texts()).collect();
        let vectors =
            if texts.is_empty() { Vec::new() } else { self.embedder.embed_chunks(&texts)? };
        let mut vectors = vectors.into_iter();
        let model: Arc<str> = Arc::from(self.embedder.fingerprint());
        for (key, passages) in &queue {
            let chunks = vectors.by_ref().take(passages.texts.len()).collect();
            let vectors = DocumentVectors { model: Arc::clone(&model), chunks };
            self.done.push((key.clone(), vectors));
        }
        Ok(())
    }

    /// Commits what is done, on top of whatever others committed meanwhile.
    fn commit(&mut self) -> Result<(), IndexError> {
        self.since = Instant::now();
        if self.done.is_empty() {
            return Ok(());
        }
        if !is_current(self.reader.as_ref(), self.store)? {
            self.reader = self.store.reader()?;
            self.wanted = wanted(self.reader.as_ref(), self.embedder)?;
        }
        let writer = self.store.writer(self.reader.as_ref())?;
        for (key, vectors) in std::mem::take(&mut self.done) {
            if let Some(id) = self.wanted.remove(&key) {
                writer.embed(id, vectors)?;
                self.embedded.documents += 1;
            }
        }
        writer.keep_models(self.keep)?;
        let cursor = self.reader.cursor().unwrap_or_default().to_owned();
        writer.commit(&cursor)?;
        self.reader = self.store.reader()?;
        self.wanted = wanted(self.reader.as_ref(), self.embedder)?;
        Ok(())
    }
}

/// Whether nobody committed since a reader was opened.
fn is_current(reader: &dyn Reader, store: &dyn Store) -> Result<bool, IndexError> {
    Ok(store.reader()?.generation() == reader.generation())
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
