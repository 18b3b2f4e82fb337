//! Tests of small models against the Python package, and of broken files.
//!
//! `tests/fixtures/model2vec/make.py` generated the models and the expectations.

use std::path::Path;

use super::{ChunkText, Embedder, Model2VecEmbedder, Model2VecFiles};

/// The models, named after tokenizer and number format.
const MODELS: &[&str] = &["wordpiece-f32", "bpe-f16", "unigram-i8", "shared-f64"];

fn read(path: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/model2vec");
    #[expect(clippy::disallowed_methods, reason = "the models lie in files")]
    std::fs::read(folder.join(path)).unwrap()
}

fn files(model: &str) -> Model2VecFiles {
    Model2VecFiles {
        tensors: read(&format!("{model}/model.safetensors")),
        tokenizer: read(&format!("{model}/tokenizer.json")),
        config: read(&format!("{model}/config.json")),
    }
}

fn open(model: &str) -> Model2VecEmbedder {
    Model2VecEmbedder::open(model, files(model)).unwrap()
}

fn reason(files: Model2VecFiles) -> String {
    let error = Model2VecEmbedder::open("it", files).map(|_| ()).unwrap_err();
    assert!(error.hint.is_some());
    error.reason
}

/// A tensor file with one row for each token of a model, plus others.
fn tensors(parts: &[(&str, &str, &[usize], &[u8])]) -> Vec<u8> {
    let (mut header, mut data) = (serde_json::Map::new(), Vec::new());
    for (name, kind, shape, bytes) in parts {
        let offsets = [data.len(), data.len() + bytes.len()];
        let info = serde_json::json!({"dtype": kind, "shape": shape, "data_offsets": offsets});
        header.insert((*name).to_owned(), info);
        data.extend(*bytes);
    }
    let header = serde_json::to_vec(&header).unwrap();
    [&(header.len() as u64).to_le_bytes()[..], &header, &data].concat()
}

#[test]
fn fifty_texts_match_the_python_package() {
    let expected = String::from_utf8(read("expected.jsonl")).unwrap();
    for name in MODELS {
        let embedder = open(name);
        assert_eq!((embedder.name(), embedder.dimension()), (*name, 24));
        let (mut rows, mut zeros) = (0, 0);
        for line in expected.lines() {
            let row: serde_json::Value = serde_json::from_str(line).unwrap();
            let text = row["text"].as_str().unwrap();
            let vector = embedder.embed_query(text).unwrap();
            let values = row[name].as_array().unwrap();
            assert_eq!(vector.len(), values.len());
            for (value, expected) in vector.iter().zip(values) {
                let difference = f64::from(*value) - expected.as_f64().unwrap();
                assert!(difference.abs() < 1e-4, "{name}, {text:?}: {difference}");
            }
            let chunk = ChunkText { path: "", text };
            assert_eq!(embedder.embed_chunks(&[chunk]).unwrap(), std::slice::from_ref(&vector));
            rows += 1;
            zeros += usize::from(vector.iter().all(|value| *value == 0.0));
        }
        assert_eq!(rows, 50);
        assert!((1..12).contains(&zeros), "{name}: {zeros} texts without a vector");
    }
}

#[test]
fn a_path_is_the_first_line_of_a_passage() {
    let embedder = open("wordpiece-f32");
    let chunk = ChunkText { path: "docs/index.md", text: "what is searched" };
    assert_eq!(
        embedder.embed_chunks(&[chunk]).unwrap()[0],
        embedder.embed_query("docs/index.md\nwhat is searched").unwrap()
    );
}

#[test]
fn each_file_changes_the_fingerprint() {
    let fingerprint = |files| Model2VecEmbedder::open("", files).unwrap().fingerprint().to_owned();
    let first = fingerprint(files("bpe-f16"));
    assert_eq!(first, fingerprint(files("bpe-f16")));
    let mut changed = vec![first];
    for change in [
        |files: &mut Model2VecFiles| *files.tensors.last_mut().unwrap() ^= 1,
        |files: &mut Model2VecFiles| files.tokenizer.push(b' '),
        |files: &mut Model2VecFiles| files.config.push(b' '),
    ] {
        let mut files = files("bpe-f16");
        change(&mut files);
        changed.push(fingerprint(files));
    }
    changed.sort();
    changed.dedup();
    assert_eq!(changed.len(), 4);
}

#[test]
fn the_number_of_tokens_is_limited_by_the_settings() {
    let with = |config: &str| {
        let config = config.as_bytes().to_vec();
        Model2VecEmbedder::open("", Model2VecFiles { config, ..files("wordpiece-f32") }).unwrap()
    };
    let (short, long) = ("the index ".repeat(2), "the index ".repeat(2) + "is not what it was");
    let two = with(r#"{"max_length": 4}"#);
    let all = with(r#"{"max_length": null}"#);
    let default = with("{}");
    assert_eq!(two.embed_query(&short), two.embed_query(&long));
    assert_ne!(all.embed_query(&short), all.embed_query(&long));
    let longer = "the index ".repeat(400) + &long;
    assert_ne!(default.embed_query(&longer), all.embed_query(&longer));
}

#[test]
fn vectors_of_many_dimensions() {
    let n_tokens = open("bpe-f16").tokens();
    for (dimension, fits) in [(4096, true), (4097, false)] {
        let bytes = vec![1; n_tokens * dimension];
        let tensors = tensors(&[("embedding.weight", "I8", &[n_tokens, dimension], &bytes)]);
        let files = Model2VecFiles { tensors, ..files("bpe-f16") };
        if fits {
            let vector = Model2VecEmbedder::open("", files).unwrap().embed_query("hello").unwrap();
            assert_eq!(vector.len(), dimension);
            assert!(vector.iter().all(|value| (value - 1.0 / 64.0).abs() < 1e-6));
        } else {
            assert!(reason(files).contains("4097 numbers, not from 1 to 4096"));
        }
    }
}

#[test]
fn errors_name_the_broken_file_and_the_reason() {
    let n_tokens = open("bpe-f16").tokens();
    let bytes = vec![0; 8 * n_tokens];
    let table = ("embeddings", "I8", &[n_tokens, 2][..], &bytes[..2 * n_tokens]);
    let long = |values: &[i64]| -> Vec<u8> {
        let tokens = values.iter().cycle().take(n_tokens);
        tokens.flat_map(|value| value.to_le_bytes()).collect()
    };
    let (wrong, negative) = (long(&[0, n_tokens.try_into().unwrap()]), long(&[-1]));
    for (parts, expected) in [
        (vec![("vectors", "I8", &[4][..], &bytes[..4])], "it has no tensor `embeddings`"),
        (vec![("embeddings", "I8", &[4], &bytes[..4])], "is not a table: its sizes are [4]"),
        (vec![("embeddings", "U8", &[2, 2], &bytes[..4])], "contains numbers of the type U8"),
        (vec![("embeddings", "I8", &[2, 2], &bytes[..4])], "it has 2 vectors for 300 tokens"),
        (vec![("embeddings", "I8", &[n_tokens, 0], &[])], "have 0 numbers"),
        (vec![table, ("weights", "I8", &[2], &bytes[..2])], "`weights` has the sizes [2]"),
        (vec![table, ("mapping", "I64", &[1], &bytes[..8])], "`mapping` has the sizes [1]"),
        (vec![table, ("mapping", "I64", &[n_tokens], &wrong)], "leaves the 300 vectors"),
        (vec![table, ("mapping", "I64", &[n_tokens], &negative)], "leaves the 300 vectors"),
        (vec![table, ("mapping", "F32", &[n_tokens], &bytes[..4 * n_tokens])], "leaves the"),
    ] {
        let reason = reason(Model2VecFiles { tensors: tensors(&parts), ..files("bpe-f16") });
        assert!(reason.starts_with("`model.safetensors`: "), "{reason}");
        assert!(reason.contains(expected), "{reason}, not {expected}");
    }
    for (config, expected) in [
        ("[]", "invalid type: sequence"),
        ("", "EOF"),
        (r#"{"max_length": "many"}"#, "`max_length` is \"many\""),
        (r#"{"max_length": -1}"#, "`max_length` is -1"),
    ] {
        let config = config.as_bytes().to_vec();
        let reason = reason(Model2VecFiles { config, ..files("bpe-f16") });
        assert!(reason.starts_with("`config.json`: "), "{reason}");
        assert!(reason.contains(expected), "{reason}, not {expected}");
    }
    let tokenizer = b"{}".to_vec();
    let reason = reason(Model2VecFiles { tokenizer, ..files("bpe-f16") });
    assert!(reason.starts_with("`tokenizer.json`: "), "{reason}");
}

/// Cuts and changes every file at many places: an error or a model that works, never a panic.
#[test]
fn any_damage_is_an_error_or_a_model() {
    let mut state = 1_u32;
    let mut next = move |below: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as usize % below
    };
    let (mut opened, mut refused) = (0, 0);
    for name in MODELS {
        for round in 0..120 {
            let mut files = files(name);
            let file = match round % 3 {
                0 => &mut files.tensors,
                1 => &mut files.tokenizer,
                _ => &mut files.config,
            };
            if round % 4 == 0 {
                file.truncate(next(file.len()));
            } else {
                for _ in 0..=next(4) {
                    // Headers are short and the important part of the file.
                    let below = if next(2) == 0 { file.len().min(300) } else { file.len() };
                    let at = next(below);
                    file[at] = b"0912-\"{}[],:.eE \x00\xff"[next(18)];
                }
            }
            match Model2VecEmbedder::open(name, files) {
                Ok(embedder) => {
                    opened += 1;
                    for text in ["", "the index of naïve 日本語 texts", "[UNK]\u{0} x"] {
                        if let Ok(vector) = embedder.embed_query(text) {
                            assert_eq!(vector.len(), embedder.dimension());
                            assert!(vector.iter().all(|value| value.is_finite()));
                        }
                    }
                }
                Err(error) => {
                    refused += 1;
                    assert!(error.reason.starts_with('`'), "{error}");
                }
            }
        }
    }
    assert!(opened > 50 && refused > 50, "{opened} opened, {refused} refused");
}
