//! Generates the tables of the tokenizers: shared by `examples/token_tables.rs`, which writes them, and
//! the test that compares them with the committed files.

/// The vocabularies, by the start of their files' names.
pub(crate) const NAMES: [&str; 2] = ["cl100k", "o200k"];

/// The tables of a vocabulary, by file name: the bytes of all tokens by rank, and the length of each token
/// in one byte.
pub(crate) fn tables(name: &str) -> [(String, Vec<u8>); 2] {
    let tokenizer =
        if name == "cl100k" { bpe_openai::cl100k_base() } else { bpe_openai::o200k_base() };
    let vocabulary = &tokenizer.bpe;
    let tokens = u32::try_from(vocabulary.num_tokens()).expect("a vocabulary is small");
    let mut bytes: Vec<u8> = Vec::new();
    let mut lengths: Vec<u8> = Vec::new();
    for token in 0..tokens {
        let text = vocabulary.token_bytes(token);
        bytes.extend_from_slice(text);
        lengths.push(u8::try_from(text.len()).expect("a token has at most 128 bytes"));
    }
    [(format!("{name}.bytes.bin"), bytes), (format!("{name}.lengths.bin"), lengths)]
}
