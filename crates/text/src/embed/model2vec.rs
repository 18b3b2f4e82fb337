//! Models in the `Model2Vec` format: a tokenizer, and a vector for each of its tokens.
//!
//! The vector of a text is the sum of its tokens' vectors, scaled to length 1; the unknown token
//! does not count. The setting `normalize` of a model makes no difference: vectors are compared by
//! their angle.

use std::{
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind},
};

use serde_json::value::RawValue;
use tokenizers::{ModelWrapper, Tokenizer};
use xxhash_rust::xxh3::Xxh3;

use super::{
    ChunkText, EmbedError, Embedder, Fault,
    tensor::{Tensor, Tensors},
    vector::{MAX_DIMENSION, normalise},
};

/// Number of tokens that are read if the model's settings do not set it.
const MAX_TOKENS: usize = 512;

/// Name of the vector table, and its name in `sentence-transformers`.
const VECTORS: [&str; 2] = ["embeddings", "embedding.weight"];

/// The files of a model.
pub struct Model2VecFiles {
    /// `model.safetensors`.
    pub tensors: Vec<u8>,
    /// `tokenizer.json`.
    pub tokenizer: Vec<u8>,
    /// `config.json`.
    pub config: Vec<u8>,
}

impl Model2VecFiles {
    /// The fingerprint of the model in these files: a hash of their contents, 16 hexadecimal
    /// digits. Takes as long as reading the files, far less than parsing them.
    pub fn fingerprint(&self) -> String {
        let mut hasher = Xxh3::new();
        for file in [&self.tensors, &self.tokenizer, &self.config] {
            hasher.update(&(file.len() as u64).to_le_bytes());
            hasher.update(file);
        }
        format!("{:016x}", hasher.digest())
    }
}

/// Limit on the text that is read.
#[derive(Clone, Copy)]
struct Limit {
    /// Characters that are tokenised: those of as many tokens of median length.
    characters: usize,
    tokens: usize,
}

/// A model in the format of `Model2Vec`.
pub struct Model2VecEmbedder {
    name: String,
    fingerprint: String,
    tokenizer: Tokenizer,
    unknown: Option<u32>,
    limit: Option<Limit>,
    file: Vec<u8>,
    vectors: Tensor,
    dimension: usize,
    /// The row of each token, if several tokens share one.
    rows: Option<Vec<usize>>,
    /// The weight of each token.
    weights: Option<Vec<f32>>,
}

impl Model2VecEmbedder {
    /// Reads a model; `name` is its name in answers.
    ///
    /// # Errors
    /// If a file has another format than its name implies, or the files do not belong together. The
    /// reason starts with the name of the file.
    pub fn open(name: &str, files: Model2VecFiles) -> Result<Self, EmbedError> {
        let fingerprint = files.fingerprint();
        let max_tokens = max_tokens(&files.config).map_err(in_file("config.json"))?;
        let (tokenizer, unknown) =
            read_tokenizer(&files.tokenizer).map_err(in_file("tokenizer.json"))?;
        let n_tokens = tokenizer.get_vocab_size(true);
        let limit = max_tokens.map(|tokens| Limit {
            characters: tokens.saturating_mul(median_length(&tokenizer)),
            tokens,
        });
        let file = files.tensors;
        let table = Table::read(&file, n_tokens).map_err(in_file("model.safetensors"))?;
        Ok(Self {
            name: name.to_owned(),
            fingerprint,
            tokenizer,
            unknown,
            limit,
            file,
            dimension: table.dimension,
            vectors: table.vectors,
            rows: table.rows,
            weights: table.weights,
        })
    }

    /// Number of dimensions of a vector.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// Number of tokens in the vocabulary.
    pub fn tokens(&self) -> usize {
        self.tokenizer.get_vocab_size(true)
    }

    fn embed(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        let failed = |reason: String| EmbedError {
            reason: format!("could not embed a text with the model `{}`: {reason}", self.name),
            hint: Some("run `lore model verify` to see whether the model is whole".to_owned()),
            at_fault: Fault::Text,
        };
        let (text, max_tokens) = match self.limit {
            Some(limit) => (beginning(text, limit.characters), limit.tokens),
            None => (text, usize::MAX),
        };
        let encoding = guarded(|| self.tokenizer.encode_fast(text, false)).map_err(failed)?;
        let mut sum = vec![0.0; self.dimension];
        let tokens = encoding.get_ids().iter().take(max_tokens);
        for &token in tokens.filter(|token| Some(**token) != self.unknown) {
            let number = token as usize;
            let row = match &self.rows {
                Some(rows) => rows.get(number).copied(),
                None => Some(number).filter(|row| *row < self.vectors.shape[0]),
            };
            let weight = match &self.weights {
                Some(weights) => weights.get(number).copied(),
                None => Some(1.0),
            };
            let (Some(row), Some(weight)) = (row, weight) else {
                return Err(failed(format!("it has no vector for the token {token}")));
            };
            self.vectors.add_row(&self.file, row, weight, &mut sum);
        }
        normalise(&mut sum);
        Ok(sum)
    }
}

impl Embedder for Model2VecEmbedder {
    fn name(&self) -> &str {
        &self.name
    }

    fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    fn is_fast(&self) -> bool {
        true
    }

    fn embed_query(&self, query: &str) -> Result<Vec<f32>, EmbedError> {
        self.embed(query)
    }

    fn embed_chunks(&self, chunks: &[ChunkText<'_>]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let embed = |chunk: &ChunkText<'_>| match chunk.path {
            "" => self.embed(chunk.text),
            // These models do not treat paths separately; the path is a part of the text.
            path => self.embed(&format!("{path}\n{}", chunk.text)),
        };
        chunks.iter().map(embed).collect()
    }
}

/// The contents of the tensor file.
struct Table {
    vectors: Tensor,
    dimension: usize,
    rows: Option<Vec<usize>>,
    weights: Option<Vec<f32>>,
}

impl Table {
    fn read(file: &[u8], n_tokens: usize) -> Result<Self, String> {
        let tensors = Tensors::read(file)?;
        let [name, other] = VECTORS;
        let vectors = match tensors.get(name)? {
            Some(vectors) => vectors,
            None => tensors.get(other)?.ok_or_else(|| format!("it has no tensor `{name}`"))?,
        };
        let &[n_rows, dimension] = vectors.shape.as_slice() else {
            return Err(format!("`{name}` is not a table: its sizes are {:?}", vectors.shape));
        };
        if dimension == 0 || MAX_DIMENSION < dimension {
            return Err(format!(
                "its vectors have {dimension} numbers, not from 1 to {MAX_DIMENSION}"
            ));
        }
        let as_many = |name: &str, tensor: Tensor| match tensor.shape.as_slice() {
            [length] if n_tokens <= *length => Ok(tensor),
            shape => Err(format!("`{name}` has the sizes {shape:?} for {n_tokens} tokens")),
        };
        let rows = match tensors.get("mapping")? {
            Some(tensor) => {
                let rows = as_many("mapping", tensor)?.places(file);
                let rows = rows.filter(|rows| rows.iter().all(|row| *row < n_rows));
                Some(rows.ok_or_else(|| format!("`mapping` leaves the {n_rows} vectors"))?)
            }
            None if n_rows == n_tokens => None,
            None => return Err(format!("it has {n_rows} vectors for {n_tokens} tokens")),
        };
        let weights = match tensors.get("weights")? {
            Some(tensor) => Some(as_many("weights", tensor)?.numbers(file)),
            None => None,
        };
        Ok(Self { vectors, dimension, rows, weights })
    }
}

/// The tokenizer without its own truncation, and the number of its unknown token.
fn read_tokenizer(file: &[u8]) -> Result<(Tokenizer, Option<u32>), String> {
    // The library panics at some texts that are not JSON.
    let parts: BTreeMap<String, &RawValue> =
        serde_json::from_slice(file).map_err(|error| error.to_string())?;
    let mut tokenizer = guarded(|| Tokenizer::from_bytes(file))?;
    // Truncation is done by `Limit`, and nothing is padded.
    tokenizer.with_truncation(None).map_err(|error| error.to_string())?;
    tokenizer.with_padding(None);
    let unknown = match tokenizer.get_model() {
        ModelWrapper::WordPiece(model) => tokenizer.token_to_id(&model.unk_token),
        ModelWrapper::WordLevel(model) => tokenizer.token_to_id(&model.unk_token),
        ModelWrapper::BPE(model) => {
            model.unk_token.as_ref().and_then(|name| tokenizer.token_to_id(name))
        }
        ModelWrapper::Unigram(_) => {
            let model = parts.get("model").map_or("", |model| model.get());
            let model: serde_json::Value =
                serde_json::from_str(model).map_err(|error| error.to_string())?;
            model["unk_id"].as_u64().and_then(|number| number.try_into().ok())
        }
    };
    if let ModelWrapper::BPE(model) = tokenizer.get_model()
        && model.dropout.is_some()
    {
        // Random dropping of merges is for training.
        let mut model = model.clone();
        model.dropout = None;
        tokenizer.with_model(model);
    }
    Ok((tokenizer, unknown))
}

/// The result of a library call; a panic becomes an error as well.
fn guarded<T, E: ToString>(ask: impl FnOnce() -> Result<T, E>) -> Result<T, String> {
    match catch_unwind(AssertUnwindSafe(ask)) {
        Ok(answer) => answer.map_err(|error| error.to_string()),
        Err(_) => Err("the tokenizer panicked".to_owned()),
    }
}

/// The median of the tokens' lengths, in whole characters.
fn median_length(tokenizer: &Tokenizer) -> usize {
    let mut lengths: Vec<_> =
        tokenizer.get_vocab(true).keys().map(|token| token.chars().count()).collect();
    lengths.sort_unstable();
    match lengths.as_slice() {
        [] => 0,
        lengths => lengths[(lengths.len() - 1) / 2].midpoint(lengths[lengths.len() / 2]),
    }
}

/// The first characters of a text.
fn beginning(text: &str, characters: usize) -> &str {
    text.char_indices().nth(characters).map_or(text, |(end, _)| &text[..end])
}

/// Maximum number of tokens of a text that count.
fn max_tokens(config: &[u8]) -> Result<Option<usize>, String> {
    let config: serde_json::Map<String, serde_json::Value> =
        serde_json::from_slice(config).map_err(|error| error.to_string())?;
    match config.get("max_length") {
        None => Ok(Some(MAX_TOKENS)),
        Some(serde_json::Value::Null) => Ok(None),
        Some(value) => match value.as_u64().and_then(|value| value.try_into().ok()) {
            Some(value) => Ok(Some(value)),
            None => Err(format!("`max_length` is {value}, which is not a number of tokens")),
        },
    }
}

/// Adds the name of the file to an error.
fn in_file(name: &'static str) -> impl Fn(String) -> EmbedError {
    move |reason| EmbedError {
        reason: format!("`{name}`: {reason}"),
        hint: Some(
            "a model has `model.safetensors`, `tokenizer.json` and `config.json`, as Model2Vec \
             saves them; download it again"
                .to_owned(),
        ),
        at_fault: Fault::Embedder,
    }
}

#[cfg(test)]
mod tests;
