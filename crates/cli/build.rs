//! Makes the tables of the tokenizers' vocabularies, which the program reads where they lie.
#![allow(clippy::disallowed_methods, reason = "a build script writes what it makes")]

#[path = "src/tokens/hash.rs"]
mod hash;

use std::{env, fs, io, path::PathBuf};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/tokens/hash.rs");
    let folder = PathBuf::from(env::var_os("OUT_DIR").expect("Cargo names the folder"));
    let vocabularies = [("cl100k", bpe_openai::cl100k_base()), ("o200k", bpe_openai::o200k_base())];
    for (name, tokenizer) in vocabularies {
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
        fs::write(folder.join(format!("{name}.bytes")), &bytes)?;
        fs::write(folder.join(format!("{name}.starts")), little_endian(&starts))?;
        fs::write(folder.join(format!("{name}.slots")), little_endian(&slots))?;
    }
    Ok(())
}
