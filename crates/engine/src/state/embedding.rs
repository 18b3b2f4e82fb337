//! Vectors of documents and queries: which embedder computes them, and from which text.

mod missing;

use std::sync::Arc;

use lore_index::{DenseQuery, DocumentSet, DocumentVectors, Reader};
use lore_schema::{Category, Chunk, Chunked, Document};
use lore_text::{ChunkText, EmbedError, Embedder, Fault, StaticEmbedder};

pub(crate) use self::missing::{Failure, embed_missing};
use crate::{Embedding, EngineError, Mode, query::CHUNKS_FETCHED, state::analyze::searchable};

impl Embedding {
    /// Returns the embedder with this fingerprint.
    pub(crate) fn embedder(&self, fingerprint: &str) -> Option<&dyn Embedder> {
        self.embedders().into_iter().find(|embedder| embedder.fingerprint() == fingerprint)
    }

    /// Returns the embedders, the built-in model first.
    pub(crate) fn embedders(&self) -> Vec<&dyn Embedder> {
        match self {
            Embedding::Off => Vec::new(),
            Embedding::Embedded => vec![StaticEmbedder::builtin()],
            Embedding::Other(other) => vec![StaticEmbedder::builtin(), other.as_ref()],
        }
    }
}

/// Returns true if documents of a category get vectors. Data and generated files contain nothing that
/// a query in words would be about.
fn is_embedded(category: Category) -> bool {
    !matches!(category, Category::Data | Category::Generated | Category::Lock | Category::Minified)
}

/// Returns true if an embedder is the built-in model.
pub(crate) fn is_built_in(embedder: &dyn Embedder) -> bool {
    embedder.fingerprint() == StaticEmbedder::builtin().fingerprint()
}

/// The reason why something has no vectors, with a hint.
pub(crate) fn error_text(error: &EmbedError) -> String {
    let hint = error.hint.as_ref().map(|hint| format!(" ({hint})")).unwrap_or_default();
    format!("{}{hint}", error.reason)
}

/// Computes the vectors of a document with every embedder that is fast enough to wait for. If an
/// embedder does not respond, its vectors are left for later.
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

/// Texts of a document that are embedded.
struct Passages {
    /// Its path, or its title if it has no path.
    path: String,
    /// One text per chunk: the names of the enclosing definitions or headings, and its text without
    /// metadata. Empty if documents of its category are not embedded.
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

    /// Computes the vectors of the passages with one embedder. A passage that it rejects has none.
    fn embed(&self, embedder: &dyn Embedder) -> Result<DocumentVectors, EmbedError> {
        let texts: Vec<ChunkText<'_>> = self.chunk_texts().collect();
        let chunks = match embed_texts(embedder, &texts) {
            Err(error) if error.at_fault == Fault::Text => {
                embed_halves(embedder, &texts, error, &mut Refusals::default())?
            }
            answer => answer?,
        };
        Ok(document_vectors(&Arc::from(embedder.fingerprint()), chunks))
    }
}

/// Computes one vector with an embedder.
type Embed<'a> = dyn Fn(&dyn Embedder) -> Result<Vec<f32>, EmbedError> + 'a;

/// Passages that an embedder rejected.
#[derive(Debug, Default)]
pub(crate) struct Refusals {
    /// Their number.
    pub(crate) passages: u64,
    /// The error of the first one.
    pub(crate) first: Option<EmbedError>,
}

/// Embeds texts, and checks that there are as many vectors.
fn embed_texts(
    embedder: &dyn Embedder,
    texts: &[ChunkText<'_>],
) -> Result<Vec<Vec<f32>>, EmbedError> {
    if texts.is_empty() {
        return Ok(Vec::new());
    }
    let vectors = embedder.embed_chunks(texts)?;
    if vectors.len() != texts.len() {
        let reason = format!("returned {} vectors for {} texts", vectors.len(), texts.len());
        return Err(EmbedError { reason, hint: None, at_fault: Fault::Embedder });
    }
    Ok(vectors)
}

/// Embeds texts that were rejected together: splits them in halves until the rejected texts are found.
/// Those have no vector.
fn embed_halves(
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
        vectors.extend(match embed_texts(embedder, half) {
            Err(error) if error.at_fault == Fault::Text => {
                embed_halves(embedder, half, error, refusals)?
            }
            answer => answer?,
        });
    }
    Ok(vectors)
}

/// Vectors as the index stores them. If no passage has a vector, the document counts as embedded.
fn document_vectors(model: &Arc<str>, mut chunks: Vec<Vec<f32>>) -> DocumentVectors {
    if chunks.iter().all(Vec::is_empty) {
        chunks.clear();
    }
    DocumentVectors { model: Arc::clone(model), chunks }
}

/// Minimum share of the documents that must have vectors of the configured embedder, so that it is used
/// for a search. With fewer, most passages of similar vector would not be found.
const MIN_EMBEDDED_SHARE: f64 = 0.9;

/// The query as a vector, or the reason why there is none.
#[derive(Debug, Clone, Default)]
pub(crate) struct QueryVector {
    /// The vector to compare chunks with; `None` if only words are searched.
    pub(crate) query: Option<DenseQuery>,
    /// Name in the receipt: `off`, or the name of the embedder.
    pub(crate) name: String,
    /// True if the built-in model computed it.
    pub(crate) is_built_in: bool,
    /// Reason why the configured embedder is not used.
    pub(crate) fallback: Option<String>,
    /// Note on the documents that have no vectors, if there are some.
    pub(crate) missing: Option<String>,
}

impl QueryVector {
    /// A query without a vector.
    pub(crate) fn off() -> QueryVector {
        let name = "off".to_owned();
        QueryVector { query: None, name, is_built_in: false, fallback: None, missing: None }
    }

    /// Returns true if the embedder has no vector for any word of the query.
    pub(crate) fn is_blank(&self) -> bool {
        let is_zero = |value: &f32| value.abs() <= 0.0;
        self.query.as_ref().is_some_and(|query| query.vector.iter().all(is_zero))
    }

    /// Embeds the text of a query. Uses the configured embedder if nearly every document of the sources
    /// has its vectors and it responds, and the built-in model otherwise.
    pub(crate) fn of(
        text: &str,
        mode: Mode,
        embedding: &Embedding,
        readers: &[&dyn Reader],
    ) -> Result<QueryVector, EngineError> {
        if mode == Mode::Lexical || text.trim().is_empty() {
            return Ok(QueryVector::off());
        }
        // Secrets pasted into a query are removed before it is embedded or sent to a server.
        let text = lore_sources::redact(text.to_owned());
        QueryVector::embed_with_any(embedding, readers, &|embedder| embedder.embed_query(&text))
    }

    /// Embeds a passage, to compare it with other passages.
    pub(crate) fn of_passage(
        passage: ChunkText<'_>,
        embedding: &Embedding,
        readers: &[&dyn Reader],
    ) -> Result<QueryVector, EngineError> {
        let text = lore_sources::redact(passage.text.to_owned());
        let passage = ChunkText { text: &text, ..passage };
        QueryVector::embed_with_any(embedding, readers, &|embedder| {
            Ok(embedder.embed_chunks(&[passage])?.pop().unwrap_or_default())
        })
    }

    fn embed_with_any(
        embedding: &Embedding,
        readers: &[&dyn Reader],
        embed: &Embed<'_>,
    ) -> Result<QueryVector, EngineError> {
        let mut vector = QueryVector::off();
        for embedder in embedding.embedders().into_iter().rev() {
            match QueryVector::embed_with(embedder, readers, embed)? {
                Ok((query, missing)) => {
                    embedder.name().clone_into(&mut vector.name);
                    vector.is_built_in = is_built_in(embedder);
                    vector.query = Some(query);
                    vector.missing = missing;
                    return Ok(vector);
                }
                Err(reason) => vector.fallback = Some(reason),
            }
        }
        Ok(vector)
    }

    /// Embeds with one embedder. Returns the query and a note on documents without vectors, or the reason
    /// why the embedder is not used.
    fn embed_with(
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
        let is_enough = missing == 0 || embedded as f64 >= MIN_EMBEDDED_SHARE * all as f64;
        // There is no fallback for the built-in model.
        if !is_enough && !is_built_in(embedder) {
            let documents = if missing == 1 { "document" } else { "documents" };
            return Ok(Err(format!(
                "`{name}` has not embedded {missing} {documents} yet; run `lore index` to do it"
            )));
        }
        let vector = match embed(embedder) {
            Ok(vector) => vector,
            Err(error) => return Ok(Err(error_text(&error))),
        };
        let dimensions = counts.iter().find_map(|count| count.dimensions);
        if let Some(dimensions) = dimensions.filter(|stored| *stored as usize != vector.len()) {
            return Ok(Err(format!(
                "`{name}` computes vectors of {} dimensions, but those of the index have \
                 {dimensions}; run `lore index --rebuild` to compute them again",
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
