//! Measures the speed of parsing and chunking the files of a directory: `throughput FOLDER
//! [ROUNDS]`.
//!
//! Runs on one thread. Each figure is the best of the rounds (default: 3). Files are read
//! beforehand.
#![expect(clippy::print_stdout, reason = "an example reports on stdout")]
#![expect(clippy::disallowed_methods, reason = "an example reads files by itself")]

use std::{collections::BTreeMap, env, fs, path::Path, time::Instant};

use lore_schema::{Attributes, DocKey, Document, SourceName, TextOrigin, Trust};
use tree_sitter::{Language, Parser};

fn main() {
    let mut arguments = env::args().skip(1);
    let folder = arguments.next().unwrap_or_else(|| ".".to_owned());
    let rounds = arguments.next().and_then(|rounds| rounds.parse().ok()).unwrap_or(3_usize);
    let mut documents: BTreeMap<&'static str, Vec<Document>> = BTreeMap::new();
    read(Path::new(&folder), &mut documents);
    println!(
        "{:<14}{:>7}{:>10}{:>12}{:>12}{:>9}",
        "", "files", "MB", "parse MB/s", "chunk MB/s", "chunks"
    );
    for (name, documents) in &documents {
        let bytes: usize = documents.iter().map(|document| document.text.len()).sum();
        let mut chunks = 0;
        let chunking = best(rounds, || {
            chunks =
                documents.iter().map(|document| lore_syntax::chunk(document).chunks.len()).sum();
        });
        let parsing = grammar(name).map(|grammar| {
            let mut parser = Parser::new();
            parser.set_language(&grammar).expect("the grammar fits the parser");
            best(rounds, || {
                for document in documents {
                    parser.parse(&document.text, None);
                }
            })
        });
        let rate = |seconds: f64| bytes as f64 / 1e6 / seconds;
        println!(
            "{name:<14}{:>7}{:>10.2}{:>12}{:>12.1}{chunks:>9}",
            documents.len(),
            bytes as f64 / 1e6,
            parsing.map_or_else(|| "-".to_owned(), |seconds| format!("{:.1}", rate(seconds))),
            rate(chunking),
        );
    }
}

/// Seconds of the fastest round.
fn best(rounds: usize, mut work: impl FnMut()) -> f64 {
    let times = (0..rounds.max(1)).map(|_| {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64()
    });
    times.fold(f64::INFINITY, f64::min)
}

/// The grammar of a language, to measure the parser alone.
fn grammar(name: &str) -> Option<Language> {
    Some(match name {
        "c" => tree_sitter_c::LANGUAGE.into(),
        "c++" => tree_sitter_cpp::LANGUAGE.into(),
        "go" => tree_sitter_go::LANGUAGE.into(),
        "java" => tree_sitter_java::LANGUAGE.into(),
        "javascript" => tree_sitter_javascript::LANGUAGE.into(),
        "python" => tree_sitter_python::LANGUAGE.into(),
        "rust" => tree_sitter_rust::LANGUAGE.into(),
        "tsx" => tree_sitter_typescript::LANGUAGE_TSX.into(),
        "typescript" => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
        _ => return None,
    })
}

/// Reads all texts in known languages below a directory.
fn read(folder: &Path, documents: &mut BTreeMap<&'static str, Vec<Document>>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_symlink() {
            continue;
        }
        if path.is_dir() {
            read(&path, documents);
            continue;
        }
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let path = path.to_string_lossy().into_owned();
        let Some(language) = lore_syntax::detect(&path, &text) else { continue };
        documents.entry(language.name).or_default().push(Document {
            key: DocKey { source: SourceName::Code, locator: path.clone() },
            path,
            format: "files",
            kind: "file",
            title: String::new(),
            text,
            origin: TextOrigin::File,
            metadata: Vec::new(),
            attributes: Attributes::default(),
            trust: Trust::Own,
        });
    }
}
