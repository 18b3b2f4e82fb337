//! Vectors of documents and of questions: who makes them, and of what text.

mod missing;

use std::sync::Arc;

use lore_index::{DenseQuery, DocumentSet, DocumentVectors, Reader};
use lore_schema::{Category, Chunk, Chunked, Document};
use lore_text::{ChunkText, EmbedError, Embedder, Fault, StaticEmbedder};

pub(crate) use self::missing::{Failure, embed_missing};
use crate::{Embedding, EngineError, Mode, rank::CHUNKS_FETCHED, state::analyze::searchable};

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

/// Whether an embedder is the model inside the program.
pub(crate) fn is_built_in(embedder: &dyn Embedder) -> bool {
    embedder.fingerprint() == StaticEmbedder::builtin().fingerprint()
}

/// Why something has no vectors, and what helps.
pub(crate) fn told(error: &EmbedError) -> String {
    let hint = error.hint.as_ref().map(|hint| format!(" ({hint})")).unwrap_or_default();
    format!("{}{hint}", error.reason)
}

/// The vectors of a document by every embedder that is fast enough to wait for. Of one that does not
/// answer, they are left for later.
pub(crate) fn vectors_of(
    document: &Document,
    chunked: &Chunked,
    category: Category,
    embedding: &Embedding,
) -> Vec<DocumentVectors> {
    let passages = Passages::of(document, &chunked.chunks, category);
    let embedders = embedding.embedders().into_iter();
    let answer = |embedder: &dyn Embedder| passages.embed(embedder).ok();
    embedders.filter(Embedder::is_fast).filter_map(answer).collect()
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

    /// The vectors of the passages by one embedder. A passage that it refuses has none.
    fn embed(&self, embedder: &dyn Embedder) -> Result<DocumentVectors, EmbedError> {
        let texts: Vec<ChunkText<'_>> = self.chunk_texts().collect();
        let chunks = match ask(embedder, &texts) {
            Err(error) if error.at_fault == Fault::Text => {
                ask_for_halves(embedder, &texts, error, &mut Refusals::default())?
            }
            answer => answer?,
        };
        Ok(document_vectors(&Arc::from(embedder.fingerprint()), chunks))
    }
}

/// Makes the vector of something by an embedder.
type Embed<'a> = dyn Fn(&dyn Embedder) -> Result<Vec<f32>, EmbedError> + 'a;

/// Passages that an embedder refuses.
#[derive(Debug, Default)]
pub(crate) struct Refusals {
    /// How many.
    pub(crate) passages: u64,
    /// Why the first one.
    pub(crate) first: Option<EmbedError>,
}

/// The vectors of texts, as many as these.
fn ask(embedder: &dyn Embedder, texts: &[ChunkText<'_>]) -> Result<Vec<Vec<f32>>, EmbedError> {
    if texts.is_empty() {
        return Ok(Vec::new());
    }
    let vectors = embedder.embed_chunks(texts)?;
    if vectors.len() != texts.len() {
        let reason = format!("{} vectors came back for {} texts", vectors.len(), texts.len());
        return Err(EmbedError { reason, hint: None, at_fault: Fault::Embedder });
    }
    Ok(vectors)
}

/// The vectors of texts that are refused together: of halves, and of halves of these, until the ones
/// at fault are found. Those have no vector.
fn ask_for_halves(
    embedder: &dyn Embedder,
    texts: &[ChunkText<'_>],
    refusal: EmbedError,
    refusals: &mut Refusals,
) -> Result<Vec<Vec<f32>>, EmbedError> {
    if texts.len() < 2 {
        refusals.passages += texts.len() as u64;
        refusals.first.get_or_insert(refusal);
        return Ok(vec![Vec::new(); texts.len()]);
    }
    let (left, right) = texts.split_at(texts.len() / 2);
    let mut vectors = Vec::with_capacity(texts.len());
    for half in [left, right] {
        vectors.extend(match ask(embedder, half) {
            Err(error) if error.at_fault == Fault::Text => {
                ask_for_halves(embedder, half, error, refusals)?
            }
            answer => answer?,
        });
    }
    Ok(vectors)
}

/// What the index keeps of a document. If no passage has a vector, the document counts as looked at.
fn document_vectors(model: &Arc<str>, mut chunks: Vec<Vec<f32>>) -> DocumentVectors {
    if chunks.iter().all(Vec::is_empty) {
        chunks.clear();
    }
    DocumentVectors { model: Arc::clone(model), chunks }
}

/// Least part of the documents that must have vectors of the embedder of the settings, so that it
/// takes part in a search. Below, most of what is near in meaning would not be found.
const LEAST_EMBEDDED: f64 = 0.9;

/// The question as a vector, or why there is none.
#[derive(Debug, Clone, Default)]
pub(crate) struct QueryVector {
    /// What the chunks are compared with; `None` where words alone decide.
    pub(crate) query: Option<DenseQuery>,
    /// What the receipt calls it: `off`, or the name of the embedder.
    pub(crate) name: String,
    /// Whether the model inside the program compares it.
    pub(crate) is_built_in: bool,
    /// Why the embedder that was asked for takes no part.
    pub(crate) fallback: Option<String>,
    /// Which documents it does not find, if some have no vectors.
    pub(crate) missing: Option<String>,
}

impl QueryVector {
    /// No part of an answer.
    pub(crate) fn off() -> QueryVector {
        let name = "off".to_owned();
        QueryVector { query: None, name, is_built_in: false, fallback: None, missing: None }
    }

    /// Whether the embedder knows nothing of the question.
    pub(crate) fn is_blank(&self) -> bool {
        let is_zero = |value: &f32| value.abs() <= 0.0;
        self.query.as_ref().is_some_and(|query| query.vector.iter().all(is_zero))
    }

    /// The vector of a question's text, by the embedder of the settings if nearly every document of
    /// the sources has its vectors and it can answer, by the model inside the program otherwise.
    pub(crate) fn of(
        text: &str,
        mode: Mode,
        embedding: &Embedding,
        readers: &[&dyn Reader],
    ) -> Result<QueryVector, EngineError> {
        if mode == Mode::Lexical || text.trim().is_empty() {
            return Ok(QueryVector::off());
        }
        // What a question pastes along goes into no vector, and to no server.
        let text = lore_sources::redact(text.to_owned());
        QueryVector::by(embedding, readers, &|embedder| embedder.embed_query(&text))
    }

    /// The same for a passage, which is compared with others of its kind.
    pub(crate) fn of_passage(
        passage: ChunkText<'_>,
        embedding: &Embedding,
        readers: &[&dyn Reader],
    ) -> Result<QueryVector, EngineError> {
        let text = lore_sources::redact(passage.text.to_owned());
        let passage = ChunkText { text: &text, ..passage };
        QueryVector::by(embedding, readers, &|embedder| {
            Ok(embedder.embed_chunks(&[passage])?.pop().unwrap_or_default())
        })
    }

    fn by(
        embedding: &Embedding,
        readers: &[&dyn Reader],
        embed: &Embed<'_>,
    ) -> Result<QueryVector, EngineError> {
        let mut meaning = QueryVector::off();
        for embedder in embedding.embedders().into_iter().rev() {
            match QueryVector::by_one(embedder, readers, embed)? {
                Ok((query, missing)) => {
                    embedder.name().clone_into(&mut meaning.name);
                    meaning.is_built_in = is_built_in(embedder);
                    meaning.query = Some(query);
                    meaning.missing = missing;
                    return Ok(meaning);
                }
                Err(reason) => meaning.fallback = Some(reason),
            }
        }
        Ok(meaning)
    }

    /// The vector by one embedder and what it does not find, or why it takes no part.
    fn by_one(
        embedder: &dyn Embedder,
        readers: &[&dyn Reader],
        embed: &Embed<'_>,
    ) -> Result<Result<(DenseQuery, Option<String>), String>, EngineError> {
        let model = embedder.fingerprint();
        let counts = readers.iter().map(|reader| reader.vector_counts(model));
        let counts = counts.collect::<Result<Vec<_>, _>>()?;
        let missing: u64 = counts.iter().map(|count| count.missing).sum();
        let embedded: u64 = counts.iter().map(|count| count.documents).sum();
        let all = missing + embedded;
        let name = embedder.name();
        #[expect(clippy::cast_precision_loss, reason = "a share of documents")]
        let is_enough = missing == 0 || embedded as f64 >= LEAST_EMBEDDED * all as f64;
        // Nothing takes the place of the model inside the program.
        if !is_enough && !is_built_in(embedder) {
            let documents = if missing == 1 { "document" } else { "documents" };
            return Ok(Err(format!(
                "`{name}` has not embedded {missing} {documents} yet; `lore index` does"
            )));
        }
        let vector = match embed(embedder) {
            Ok(vector) => vector,
            Err(error) => return Ok(Err(told(&error))),
        };
        let dimensions = counts.iter().find_map(|count| count.dimensions);
        if let Some(dimensions) = dimensions.filter(|held| *held as usize != vector.len()) {
            return Ok(Err(format!(
                "`{name}` makes vectors of {} dimensions, and those of the index have {dimensions}; \
                 `lore index --rebuild` makes them anew",
                vector.len()
            )));
        }
        let missing = (missing > 0).then(|| {
            let have = if missing == 1 { "has" } else { "have" };
            format!("{missing} of {all} documents {have} no vectors of `{name}` yet")
        });
        let query = DenseQuery {
            model: Arc::from(model),
            vector,
            chunks_per_document: CHUNKS_FETCHED,
            min_similarity: None,
            within: DocumentSet::all(),
            threads: 1,
        };
        Ok(Ok((query, missing)))
    }
}
