//! Any bytes as a model file: an error, or a model that encodes any text into finite numbers.
//!
//! The first byte sets the share of the rest that is the text.

#![no_main]

use libfuzzer_sys::fuzz_target;
use lore_text::{ChunkText, Embedder, StaticEmbedder};

fuzz_target!(|bytes: &[u8]| {
    let Some((length, rest)) = bytes.split_first() else { return };
    let (text, file) = rest.split_at(usize::from(*length).min(rest.len()));
    let text = String::from_utf8_lossy(text);
    let Ok(embedder) = StaticEmbedder::open(file.to_vec()) else { return };
    let query = embedder.embed_query(&text).expect("it needs nothing");
    let chunk = ChunkText { path: &text, text: &text };
    let chunks = embedder.embed_chunks(&[chunk]).expect("it needs nothing");
    for vector in chunks.iter().chain([&query]) {
        assert_eq!(vector.len(), embedder.dimension());
        assert!(vector.iter().all(|value| value.is_finite()));
    }
    embedder.nearest_words(&text, 3, 0.5);
});
