//! Tests of the built-in model against its golden file, and of the encoder against a slow reference
//! that follows the description literally.

use std::{collections::BTreeMap, fmt::Write};

use proptest::prelude::*;
use sha2::Digest;

use super::{ChunkText, Embedder, StaticEmbedder};

/// The parts of a small model.
#[derive(Clone)]
struct Parts {
    tokens: Vec<&'static str>,
    dimension: usize,
    max_words: usize,
    damping: u32,
    path_weight: f32,
    query_weights: Vec<f32>,
    /// Scales and rows, for passages and optionally for questions.
    tables: Vec<(Vec<f32>, Vec<i8>)>,
}

const TOKENS: &[&str] = &[
    "get", "http", "re", "response", "read", "reader", "er", "ing", "in", "a", "b", "ab", "abc",
    "bc", "ca", "cab", "x", "7", "42", "src", "lib", "rs", "test", "testing",
];

/// A model with pseudo-random numbers that are the same in every run.
fn parts(dimension: usize, damping: u32, n_tables: usize) -> Parts {
    let mut state = 7_u32;
    let mut next = move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    let tables = (0..n_tables)
        .map(|_| {
            let scales = TOKENS.iter().map(|_| 0.001 + f32::from(next()) / 4096.0).collect();
            let rows = (0..TOKENS.len() * dimension).map(|_| next().cast_signed()).collect();
            (scales, rows)
        })
        .collect();
    Parts {
        tokens: TOKENS.to_vec(),
        dimension,
        max_words: 30,
        damping,
        path_weight: 2.5,
        query_weights: TOKENS.iter().map(|_| 0.1 + f32::from(next()) / 64.0).collect(),
        tables,
    }
}

impl Parts {
    fn file(&self) -> Vec<u8> {
        let list: String = self.tokens.iter().flat_map(|token| [*token, "\n"]).collect();
        let mut file = b"LOREEMB1".to_vec();
        for number in [self.tokens.len(), self.dimension, self.max_words] {
            file.extend(u32::try_from(number).unwrap().to_le_bytes());
        }
        file.extend(self.damping.to_le_bytes());
        file.extend(u32::try_from(self.tables.len()).unwrap().to_le_bytes());
        file.extend(u32::try_from(list.len()).unwrap().to_le_bytes());
        file.extend(self.path_weight.to_le_bytes());
        file.extend(0_u32.to_le_bytes());
        for (number, (scales, rows)) in self.tables.iter().enumerate() {
            file.extend(scales.iter().flat_map(|scale| scale.to_le_bytes()));
            if number == 0 {
                file.extend(self.query_weights.iter().flat_map(|weight| weight.to_le_bytes()));
            }
            file.extend(rows.iter().map(|value| value.cast_unsigned()));
        }
        file.extend(list.as_bytes());
        file
    }

    fn open(&self) -> StaticEmbedder {
        StaticEmbedder::open(self.file()).unwrap()
    }

    fn counts(&self, text: &str) -> BTreeMap<usize, f64> {
        let mut counts = BTreeMap::new();
        for word in slow_words(text).iter().take(self.max_words) {
            let pieces = self.pieces(&word.to_lowercase());
            for piece in &pieces {
                *counts.entry(*piece).or_default() += 1.0 / (pieces.len() as f64).sqrt();
            }
        }
        counts
    }

    fn pieces(&self, word: &str) -> Vec<usize> {
        let find = |text: &str| self.tokens.iter().position(|token| *token == text);
        if word.len() > 40 {
            return Vec::new();
        }
        if let Some(whole) = find(word) {
            return vec![whole];
        }
        if word.starts_with(|letter: char| letter.is_ascii_digit()) {
            return Vec::new();
        }
        let (mut pieces, mut at) = (Vec::new(), 0);
        'word: while at < word.len() {
            for end in (at + 2..=word.len()).rev() {
                if let Some(piece) = find(&word[at..end]) {
                    pieces.push(piece);
                    at = end;
                    continue 'word;
                }
            }
            at += 1;
        }
        pieces
    }

    fn pool(
        &self,
        weights: &BTreeMap<usize, f64>,
        (scales, rows): &(Vec<f32>, Vec<i8>),
    ) -> Vec<f64> {
        let mut sum = vec![0.0; self.dimension];
        for (token, weight) in weights {
            for (at, value) in sum.iter_mut().enumerate() {
                let number = f64::from(rows[token * self.dimension + at]);
                *value += weight * f64::from(scales[*token]) * number;
            }
        }
        let length = sum.iter().map(|value| value * value).sum::<f64>().sqrt();
        if length > 0.0 {
            for value in &mut sum {
                *value /= length;
            }
        }
        sum
    }

    fn slow_query(&self, query: &str) -> Vec<f64> {
        let mut weights = self.counts(query);
        for (token, weight) in &mut weights {
            *weight *= f64::from(self.query_weights[*token]);
        }
        self.pool(&weights, self.tables.last().unwrap())
    }

    fn slow_chunk(&self, chunk: &ChunkText<'_>) -> Vec<f64> {
        let mut weights = self.counts(chunk.text);
        for weight in weights.values_mut() {
            *weight = match self.damping {
                0 => *weight,
                1 => weight.sqrt(),
                _ => 1.0 + weight.ln(),
            };
        }
        let parts: Vec<_> = chunk.path.split('/').collect();
        let mut path = parts[parts.len().saturating_sub(3)..].join("/");
        if let Some(dot) = path.rfind('.')
            && !path[dot + 1..].is_empty()
            && path[dot + 1..].chars().all(|letter| letter.is_alphanumeric() || letter == '_')
        {
            path.truncate(dot);
        }
        let mut distinct = Vec::new();
        for word in slow_words(&path) {
            let word = word.to_ascii_lowercase();
            if !distinct.contains(&word) {
                distinct.push(word);
            }
        }
        for (token, count) in self.counts(&distinct.join(" ")) {
            *weights.entry(token).or_default() += f64::from(self.path_weight) * count;
        }
        self.pool(&weights, &self.tables[0])
    }
}

/// `[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+`, tried at each position in turn.
fn slow_words(text: &str) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    let is = |at: usize, class: fn(&char) -> bool| letters.get(at).is_some_and(class);
    let end = |mut at: usize, class: fn(&char) -> bool| {
        while is(at, class) {
            at += 1;
        }
        at
    };
    let (upper, lower) = (char::is_ascii_uppercase, char::is_ascii_lowercase);
    let (mut found, mut at) = (Vec::new(), 0);
    while at < letters.len() {
        let acronym =
            (at + 1..=end(at, upper)).rev().find(|&to| is(to, upper) && is(to + 1, lower));
        let capital = usize::from(is(at, upper));
        let word = end(at + capital, lower);
        let to = if let Some(to) = acronym {
            to
        } else if word > at + capital {
            word
        } else if end(at, upper) > at {
            end(at, upper)
        } else {
            end(at, char::is_ascii_digit)
        };
        if to == at {
            at += 1;
        } else {
            found.push(letters[at..to].iter().collect());
            at = to;
        }
    }
    found
}

/// Largest difference of two vectors in one dimension.
fn difference(left: &[f32], right: &[f64]) -> f64 {
    assert_eq!(left.len(), right.len());
    left.iter().zip(right).map(|(left, right)| (f64::from(*left) - right).abs()).fold(0.0, f64::max)
}

/// Checks that a vector has length 1 or is all zeros.
fn check_length(vector: &[f32]) {
    let length = vector.iter().map(|value| f64::from(*value).powi(2)).sum::<f64>().sqrt();
    assert!((length - 1.0).abs() < 1e-5 || vector.iter().all(|value| *value == 0.0), "{length}");
}

fn encode(embedder: &StaticEmbedder, path: &str, text: &str) -> Vec<f32> {
    embedder.embed_chunks(&[ChunkText { path, text }]).unwrap().remove(0)
}

/// Text with many words in the small model's vocabulary, whole and in pieces, and any other text.
fn text() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "get",
        "HTTP",
        "Response",
        "re",
        "Reader",
        "abc",
        "AB",
        "ab",
        "c",
        "x",
        "7",
        "42",
        "123",
        " ",
        "_",
        ".",
        "/",
        "ñ",
        "日",
        "ing",
        "Testing",
        "zz",
        "\n",
        "anotherwordthatismuchlongerthanfortyletters",
    ]);
    prop_oneof![
        prop::collection::vec(pieces, 0..60).prop_map(|pieces| pieces.concat()),
        any::<String>(),
    ]
}

#[test]
fn built_in_model_matches_its_exporter() {
    let embedder = StaticEmbedder::builtin();
    let golden = StaticEmbedder::builtin_golden();
    let mut kinds = BTreeMap::<String, usize>::new();
    for line in golden.lines() {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        let (text, path) = (row["text"].as_str().unwrap(), row["path"].as_str().unwrap());
        let kind = row["kind"].as_str().unwrap();
        let vector = match kind {
            "query" => embedder.embed_query(text).unwrap(),
            "chunk" => encode(embedder, path, text),
            other => panic!("{other}"),
        };
        assert_eq!(vector.len(), embedder.dimension());
        check_length(&vector);
        let expected: Vec<_> =
            row["v"].as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect();
        assert!(expected.len() >= 8);
        let difference = difference(&vector[..expected.len()], &expected);
        assert!(difference < 1e-4, "{difference}: {line}");
        *kinds.entry(kind.to_owned()).or_default() += 1;
    }
    assert!(kinds["query"] >= 15 && kinds["chunk"] >= 15, "{kinds:?}");
}

#[test]
fn checksum_of_the_built_in_model_is_correct() {
    let bytes = StaticEmbedder::builtin().bytes();
    let sum = sha2::Sha256::digest(bytes).iter().fold(String::new(), |mut sum, byte| {
        write!(sum, "{byte:02x}").unwrap();
        sum
    });
    assert_eq!(
        StaticEmbedder::builtin_sha256(),
        sum,
        "run `sha256sum static.bin > static.bin.sha256`"
    );
    assert_eq!(StaticEmbedder::builtin().fingerprint(), &sum[..16]);
    assert!(bytes.len() < 10_000_000, "it is in every program that is built");
}

#[test]
fn built_in_model_finds_similar_words() {
    let embedder = StaticEmbedder::builtin();
    let nearest = embedder.nearest_words("delete", 20, 0.2);
    let words: Vec<_> = nearest.iter().map(|(word, _)| word.as_str()).collect();
    assert!(words.contains(&"remove"), "{words:?}");
    assert!(!words.contains(&"delete"));
    assert!(nearest.is_sorted_by(|left, right| left.1 >= right.1));
    assert!(nearest.iter().all(|(word, cosine)| {
        word.len() >= 3 && word.bytes().all(|byte| byte.is_ascii_lowercase()) && *cosine >= 0.2
    }));
    assert_eq!(embedder.nearest_words("delete", 3, 0.2), nearest[..3]);
    assert_eq!(embedder.nearest_words("", 3, -1.0), []);
    assert_eq!(embedder.nearest_words("日本", 3, -1.0), []);
}

#[test]
fn questions_use_their_own_table() {
    let two = parts(8, 1, 2);
    let mut one = two.clone();
    one.tables.truncate(1);
    assert_eq!(encode(&one.open(), "", "get"), encode(&two.open(), "", "get"));
    assert_ne!(one.open().embed_query("get"), two.open().embed_query("get"));
}

/// A title of megabytes counts up to its 256th word, and no further.
#[test]
fn long_names_are_cut() {
    let embedder = StaticEmbedder::builtin();
    let name = |count: usize| (0..count).map(|n| format!("w{n}x ")).collect::<Vec<_>>().concat();
    // `w7x` is three words.
    let [whole, longer, shorter] =
        [name(256), name(300_000), name(10)].map(|name| encode(embedder, &name, "pays money back"));
    assert_eq!(whole, longer);
    assert_ne!(whole, shorter);
}

#[test]
fn broken_files_are_refused() {
    let parts = parts(3, 1, 2);
    let file = parts.file();
    assert!(StaticEmbedder::open(file.clone()).is_ok());
    let reason = |file: Vec<u8>| StaticEmbedder::open(file).map(|_| ()).unwrap_err().reason;
    for length in 0..file.len() {
        reason(file[..length].to_vec());
    }
    for (at, value, expected) in [
        (0, 0x5858_5858, "does not begin with LOREEMB1"),
        (8, 0, "its number of tokens is 0"),
        (8, u32::MAX, "more than"),
        (12, 0, "its dimension is 0"),
        (12, 5000, "its dimension is 5000, more than 4096"),
        (20, 3, "its damping 3 is unknown"),
        (24, 0, "it has 0 tables, not 1 or 2"),
        (24, 1, "the header requires"),
        (28, u32::MAX, "the header requires"),
        (32, f32::NAN.to_bits(), "its weight of paths is not a number"),
        (36, 1, "of a newer version"),
        (40, f32::INFINITY.to_bits(), "the scale of a row is not a number"),
        (40 + 4 * TOKENS.len(), f32::NAN.to_bits(), "the weight of a token is not a number"),
    ] {
        let mut file = file.clone();
        file[at..at + 4].copy_from_slice(&value.to_le_bytes());
        let reason = reason(file);
        assert!(reason.contains(expected), "{reason}, not {expected}");
    }
    let mut joined = file.clone();
    *joined.last_mut().unwrap() = b'x';
    assert!(reason(joined).contains("tokens, not"));
}

proptest! {
    #[test]
    fn same_vectors_as_the_slow_encoder(
        query in text(),
        path in text(),
        damping in 0_u32..3,
        n_tables in 1_usize..3,
        dimension in prop::sample::select(vec![1_usize, 7, 16, 33]),
    ) {
        let parts = parts(dimension, damping, n_tables);
        let embedder = parts.open();
        let vector = embedder.embed_query(&query).unwrap();
        check_length(&vector);
        prop_assert!(difference(&vector, &parts.slow_query(&query)) < 1e-4);
        let chunk = ChunkText { path: &path, text: &query };
        let vector = encode(&embedder, &path, &query);
        check_length(&vector);
        prop_assert!(difference(&vector, &parts.slow_chunk(&chunk)) < 1e-4);
    }

    #[test]
    fn vectors_do_not_depend_on_their_neighbours(texts in prop::collection::vec(text(), 0..6)) {
        let embedder = parts(16, 1, 1).open();
        let chunks: Vec<_> =
            texts.iter().map(|text| ChunkText { path: "src/lib.rs", text }).collect();
        let together = embedder.embed_chunks(&chunks).unwrap();
        prop_assert_eq!(together.len(), texts.len());
        for (chunk, vector) in chunks.iter().zip(&together) {
            prop_assert_eq!(&encode(&embedder, chunk.path, chunk.text), vector);
        }
    }

    #[test]
    fn order_of_words_does_not_matter(
        words in prop::collection::vec(prop::sample::select(TOKENS.to_vec()), 0..20),
        seed in any::<u64>(),
    ) {
        let embedder = parts(16, 2, 1).open();
        let mut shuffled = words.clone();
        shuffled.sort_by_key(|word| {
            word.bytes().fold(seed, |hash, byte| hash.rotate_left(9) ^ u64::from(byte))
        });
        let (left, right) = (words.join(" "), shuffled.join("-"));
        prop_assert_eq!(embedder.embed_query(&left), embedder.embed_query(&right));
        prop_assert_eq!(encode(&embedder, "", &left), encode(&embedder, "", &right));
    }

    #[test]
    fn any_bytes_are_a_model_or_an_error(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        query in text(),
    ) {
        let mut file = parts(5, 1, 1).file();
        for (at, byte) in changes {
            let at = at.index(file.len());
            file[at] = byte;
        }
        if let Ok(embedder) = StaticEmbedder::open(file) {
            let vector = embedder.embed_query(&query).unwrap();
            prop_assert!(vector.iter().all(|value| value.is_finite()));
            embedder.nearest_words("get", 3, -1.0);
        }
    }
}
