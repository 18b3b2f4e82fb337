//! Speed of the built-in model on given text: `cargo bench -p lorehound-text --bench embed --
//! FOLDER...`
//!
//! Cuts every text file below the directories into passages of 750 characters, encodes them on one
//! core, and prints passages a second and the start-up time.

#![expect(clippy::print_stdout, reason = "what a benchmark says")]
#![expect(clippy::disallowed_methods, reason = "the text to measure with is in files")]

use std::{
    path::{Path, PathBuf},
    time::Instant,
};

use lore_text::{ChunkText, Embedder, StaticEmbedder};

/// Characters of a passage.
const LENGTH: usize = 750;

fn main() {
    let started = Instant::now();
    let embedder = StaticEmbedder::builtin();
    let opened = started.elapsed();
    embedder.embed_query("what is first").expect("it needs nothing");
    println!("opened in {opened:.2?}, first question answered after {:.2?}", started.elapsed());

    let mut files = Vec::new();
    for folder in std::env::args().skip(1).filter(|argument| !argument.starts_with("--")) {
        read(Path::new(&folder), &mut files);
    }
    let passages: Vec<_> = files.iter().flat_map(|(path, text)| cut(path, text)).collect();
    if passages.is_empty() {
        println!("no text to measure with: name a folder");
        return;
    }
    for _ in 0..3 {
        let started = Instant::now();
        let mut sum = 0.0;
        for passages in passages.chunks(64) {
            let vectors = embedder.embed_chunks(passages).expect("it needs nothing");
            sum += vectors.iter().map(|vector| vector[0]).sum::<f32>();
        }
        let seconds = started.elapsed().as_secs_f64();
        println!(
            "{} passages in {seconds:.3} s: {:.0} a second (sum {sum:.3})",
            passages.len(),
            passages.len() as f64 / seconds,
        );
    }
    for word in ["asynchronously", "retry"] {
        let started = Instant::now();
        let nearest = embedder.nearest_words(word, 5, 0.3);
        println!("words near {word} in {:.2?}: {nearest:?}", started.elapsed());
    }
}

/// Reads the text files below a directory, sorted by path.
fn read(folder: &Path, files: &mut Vec<(String, String)>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> =
        entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            if !path.ends_with(".git") {
                read(&path, files);
            }
        } else if let Ok(text) = std::fs::read_to_string(&path) {
            files.push((path.to_string_lossy().into_owned(), text));
        }
    }
}

/// Cuts a text into passages.
fn cut<'a>(path: &'a str, text: &'a str) -> Vec<ChunkText<'a>> {
    let mut starts: Vec<_> = text.char_indices().step_by(LENGTH).map(|(at, _)| at).collect();
    starts.push(text.len());
    starts.windows(2).map(|ends| ChunkText { path, text: &text[ends[0]..ends[1]] }).collect()
}
