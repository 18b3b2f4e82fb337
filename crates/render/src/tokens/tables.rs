//! Generates the tables of the tokenizers: shared by `examples/token_tables.rs`, which writes them, and
//! the test that compares them with the committed files.

use super::hash;

/// The vocabularies, by the start of their files' names.
pub(crate) const NAMES: [&str; 2] = ["cl100k", "o200k"];

/// The tables of a vocabulary, by file name. Numbers are little-endian and have four bytes.
pub(crate) fn tables(name: &str) -> [(String, Vec<u8>); 3] {
    let tokenizer =
        if name == "cl100k" { bpe_openai::cl100k_base() } else { bpe_openai::o200k_base() };
    let vocabulary = &tokenizer.bpe;
    let tokens = u32::try_from(vocabulary.num_tokens()).expect("a vocabulary is small");
    let mut bytes: Vec<u8> = Vec::new();
    let mut starts: Vec<u32> = vec![0];
    let mut slots = vec![hash::FREE; (tokens as usize * 2).next_power_of_two()];
    for token in 0..tokens {
        let text = vocabulary.token_bytes(token);
        bytes.extend_from_slice(text);
        starts.push(u32::try_from(bytes.len()).expect("a vocabulary is small"));
        let free = hash::slots(text, slots.len()).find(|slot| slots[*slot] == hash::FREE);
        slots[free.expect("half of the slots are free")] = token;
    }
    let little_endian =
        |numbers: &[u32]| -> Vec<u8> { numbers.iter().flat_map(|n| n.to_le_bytes()).collect() };
    [
        (format!("{name}.bytes.bin"), bytes),
        (format!("{name}.starts.bin"), little_endian(&starts)),
        (format!("{name}.slots.bin"), little_endian(&slots)),
    ]
}
