//! Searches by meaning with an embedder of this program instead of the built-in model:
//!
//! ```sh
//! cargo run -p lorehound-engine --example own_embedder -- DIRECTORY QUESTION [CACHE]
//! ```
//!
//! The embedder counts groups of three characters, so that a misspelt word is near the right one. A
//! real one would call a model.

use std::{error::Error, io::Write, sync::Arc};

use lore_engine::{
    CachePlace, ChunkText, EmbedError, Embedder, Embedding, Engine, EngineConfig, Mode,
    SearchRequest, content_version,
};

/// Number of values of a vector.
const DIMENSIONS: usize = 512;

/// A vector of the counts of hashed groups of three characters.
struct Trigrams;

impl Trigrams {
    fn vector(text: &str) -> Vec<f32> {
        let characters: Vec<char> = text
            .chars()
            .flat_map(char::to_lowercase)
            .map(|character| if character.is_alphanumeric() { character } else { ' ' })
            .collect();
        let mut vector = vec![0.0; DIMENSIONS];
        for group in characters.windows(3).filter(|group| !group.contains(&' ')) {
            let hash = content_version(group.iter().collect::<String>());
            let index = usize::try_from(hash % DIMENSIONS as u64).unwrap_or_default();
            vector[index] += 1.0;
        }
        // The engine compares directions: vectors have the length 1, or are all zeros.
        let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
        if length > 0.0 {
            for value in &mut vector {
                *value /= length;
            }
        }
        vector
    }
}

impl Embedder for Trigrams {
    fn name(&self) -> &'static str {
        "trigrams"
    }

    // Change it with every change of the vectors: the engine never compares vectors of different
    // fingerprints, and `Engine::index` embeds the documents again.
    fn fingerprint(&self) -> &'static str {
        "trigrams-512-1"
    }

    // A search embeds new passages itself. Return false for a model that takes longer than about a
    // millisecond for a passage: `Engine::index` then computes its vectors.
    fn is_fast(&self) -> bool {
        true
    }

    fn embed_query(&self, query: &str) -> Result<Vec<f32>, EmbedError> {
        Ok(Trigrams::vector(query))
    }

    fn embed_chunks(&self, chunks: &[ChunkText<'_>]) -> Result<Vec<Vec<f32>>, EmbedError> {
        Ok(chunks.iter().map(|chunk| Trigrams::vector(chunk.text)).collect())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    run(&arguments, &mut std::io::stdout())
}

/// Runs the example. Tests call it, too.
pub(crate) fn run(arguments: &[String], output: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let [directory, question, cache @ ..] = arguments else {
        return Err("usage: own_embedder DIRECTORY QUESTION [CACHE]".into());
    };
    let mut config = EngineConfig::new(directory);
    config.embedding = Embedding::Other(Arc::new(Trigrams));
    if let Some(cache) = cache.first() {
        config.cache = CachePlace::Folder(cache.into());
    }
    let engine = Engine::open(config)?;
    // Embeds documents that an earlier run indexed without this embedder.
    engine.index(lore_engine::IndexMode::Update, &())?;
    let request = SearchRequest::new(question).with_mode(Mode::Semantic).with_limit(3);
    let response = engine.search(&request, &())?;
    for hit in &response.hits {
        let similarity = hit.semantic_score.unwrap_or_default();
        writeln!(output, "{similarity:.2}  {}", hit.id)?;
    }
    writeln!(output, "meaning: {}", response.receipt.semantic)?;
    if let Some(reason) = &response.receipt.semantic_fallback {
        writeln!(output, "the embedder was not used: {reason}")?;
    }
    Ok(())
}
