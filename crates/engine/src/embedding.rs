//! Vectors of documents and of questions: who makes them, and of what text.

mod missing;

use std::sync::Arc;

use lore_index::{DenseQuery, DocumentSet, DocumentVectors};
use lore_schema::{Category, Chunk, Chunked, Document};
use lore_text::{ChunkText, EmbedError, Embedder, StaticEmbedder};

pub(crate) use self::missing::embed_missing;
use crate::{
    Embedding, EngineError, Mode, analyze::searchable, rank::CHUNKS_FETCHED, snapshot::OpenSource,
};

impl Embedding {
    /// Who makes vectors of a fingerprint.
    pub(crate) fn embedder(&self, fingerprint: &str) -> Option<&dyn Embedder> {
        self.embedders().into_iter().find(|embedder| embedder.fingerprint() == fingerprint)
    }

    /// Who makes vectors, the model inside the program first.
    pub(crate) fn embedders(&self) -> Vec<&dyn Embedder> {
        match self {
            Embedding::Off => Vec::new(),
            Embedding::Embedded => vec![StaticEmbedder::builtin()],
            Embedding::Other(other) => vec![StaticEmbedder::builtin(), other.as_ref()],
        }
    }
}

/// Whether documents of a category have vectors: what programs wrote for programs says nothing that
/// somebody would ask for in words.
fn is_embedded(category: Category) -> bool {
    !matches!(category, Category::Data | Category::Generated | Category::Lock | Category::Minified)
}

/// The vectors of a document by every embedder that is fast enough to wait for. What one of them
/// cannot embed is left for later.
pub(crate) fn vectors_of(
    document: &Document,
    chunked: &Chunked,
    category: Category,
    embedding: &Embedding,
) -> Vec<DocumentVectors> {
    let passages = Passages::of(document, &chunked.chunks, category);
    let fast = embedding.embedders().into_iter().filter(|embedder| embedder.is_fast());
    fast.filter_map(|embedder| passages.embed(embedder).ok()).collect()
}

/// What is embedded of a document.
struct Passages {
    /// Its path; of what has none, its title.
    path: String,
    /// One text a chunk: the names of what encloses it, and what it says without metadata. None, if
    /// the document is of a category that is not embedded.
    texts: Vec<String>,
}

impl Passages {
    fn of(document: &Document, chunks: &[Chunk], category: Category) -> Passages {
        let path = if document.path.is_empty() { &document.title } else { &document.path };
        let text_of = |chunk: &Chunk| {
            let mut text = chunk.breadcrumb.join(" ");
            text.push('\n');
            for range in searchable(chunk.span.start..chunk.span.end, &document.metadata) {
                text.push_str(&document.text[range]);
            }
            text
        };
        let texts =
            if is_embedded(category) { chunks.iter().map(text_of).collect() } else { Vec::new() };
        Passages { path: path.clone(), texts }
    }

    fn chunk_texts(&self) -> impl Iterator<Item = ChunkText<'_>> {
        self.texts.iter().map(|text| ChunkText { path: &self.path, text })
    }

    /// The vectors of the passages by one embedder.
    fn embed(&self, embedder: &dyn Embedder) -> Result<DocumentVectors, EmbedError> {
        let texts: Vec<ChunkText<'_>> = self.chunk_texts().collect();
        let chunks = if texts.is_empty() { Vec::new() } else { embedder.embed_chunks(&texts)? };
        Ok(DocumentVectors { model: Arc::from(embedder.fingerprint()), chunks })
    }
}

/// Makes the vector of something by an embedder.
type Embed<'a> = dyn Fn(&dyn Embedder) -> Result<Vec<f32>, EmbedError> + 'a;

/// The question as a vector, or why there is none.
#[derive(Debug, Default)]
pub(crate) struct Meaning {
    /// What the chunks are compared with; `None` where words alone decide.
    pub(crate) query: Option<DenseQuery>,
    /// What the receipt calls it: `off`, or the name of the embedder.
    pub(crate) name: String,
    /// Whether the model inside the program compares it.
    pub(crate) is_built_in: bool,
    /// Why the embedder that was asked for takes no part.
    pub(crate) fallback: Option<String>,
}

impl Meaning {
    /// No part of an answer.
    pub(crate) fn off() -> Meaning {
        Meaning { query: None, name: "off".to_owned(), is_built_in: false, fallback: None }
    }

    /// Whether the embedder knows nothing of the question.
    pub(crate) fn is_blank(&self) -> bool {
        let is_zero = |value: &f32| value.abs() <= 0.0;
        self.query.as_ref().is_some_and(|query| query.vector.iter().all(is_zero))
    }

    /// The vector of a question's text, by the embedder of the settings if every document of the
    /// sources has its vectors and it can answer, by the model inside the program otherwise.
    pub(crate) fn of(
        text: &str,
        mode: Mode,
        embedding: &Embedding,
        sources: &[OpenSource],
    ) -> Result<Meaning, EngineError> {
        if mode == Mode::Lexical || text.trim().is_empty() {
            return Ok(Meaning::off());
        }
        Meaning::by(embedding, sources, &|embedder| embedder.embed_query(text))
    }

    /// The same for a passage, which is compared with others of its kind.
    pub(crate) fn of_passage(
        passage: ChunkText<'_>,
        embedding: &Embedding,
        sources: &[OpenSource],
    ) -> Result<Meaning, EngineError> {
        Meaning::by(embedding, sources, &|embedder| {
            Ok(embedder.embed_chunks(&[passage])?.pop().unwrap_or_default())
        })
    }

    fn by(
        embedding: &Embedding,
        sources: &[OpenSource],
        embed: &Embed<'_>,
    ) -> Result<Meaning, EngineError> {
        let mut meaning = Meaning::off();
        for embedder in embedding.embedders().into_iter().rev() {
            let mut missing = 0;
            for source in sources {
                missing += source.reader.vector_counts(embedder.fingerprint())?.missing;
            }
            let is_built_in = embedder.fingerprint() == StaticEmbedder::builtin().fingerprint();
            if missing > 0 && !is_built_in {
                meaning.fallback = Some(format!(
                    "`{}` has not embedded {missing} documents yet; `lore index` does",
                    embedder.name()
                ));
                continue;
            }
            match embed(embedder) {
                Ok(vector) => {
                    meaning.name = embedder.name().to_owned();
                    meaning.is_built_in = is_built_in;
                    meaning.query = Some(DenseQuery {
                        model: Arc::from(embedder.fingerprint()),
                        vector,
                        chunks_per_document: CHUNKS_FETCHED,
                        least: None,
                        within: DocumentSet::all(),
                    });
                    return Ok(meaning);
                }
                Err(error) => {
                    let hint = error.hint.map(|hint| format!(" ({hint})")).unwrap_or_default();
                    meaning.fallback = Some(format!("{}{hint}", error.reason));
                }
            }
        }
        Ok(meaning)
    }
}
