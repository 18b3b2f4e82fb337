//! The built-in model: a table with a row for each token. The vector of a text is the weighted sum
//! of its tokens' rows, scaled to length 1.
//!
//! The file is little-endian:
//!
//! | Bytes | What |
//! |---|---|
//! | 8 | `LOREEMB1` |
//! | 4 each | tokens `V`, dimension `D`, maximum number of words that are read, damping of a passage's counts (0 none, 1 square root, 2 1 + ln), tables (1 or 2), bytes of the token list |
//! | 4 | `f32` weight of a word of the path |
//! | 4 | 0 |
//! | 4 `V` | `f32` scale of each row |
//! | 4 `V` | `f32` weight of each token in a question |
//! | `V D` | `i8` table, row by row |
//! | 4 `V`, `V D` | scales and table for questions, if they have their own |
//! | rest | the tokens in the order of their rows, each with a line break at its end |
//!
//! The file is not copied: rows are read in place, and a table over the tokens is built with the
//! first text.

use std::{borrow::Cow, sync::OnceLock};

use super::{
    ChunkText, EmbedError, Embedder, Fault,
    vector::{MAX_DIMENSION, dot, normalise},
    vocabulary::{MAX_TOKENS, MAX_WORD, Vocabulary},
    words::words,
};

/// The model file compiled into `lore`.
static BUILTIN: &[u8] = include_bytes!("../../model/static.bin");

/// Its `sha256sum`. A test checks it, so that no start has to hash 4 MB.
const BUILTIN_SUM: &str = include_str!("../../model/static.bin.sha256");

/// Texts and their vectors by the exporter's own encoder.
const BUILTIN_GOLDEN: &str = include_str!("../../model/golden.jsonl");

const MAGIC: &[u8; 8] = b"LOREEMB1";
const HEADER: usize = 40;

/// Number of trailing path components that count: the rest is the same for most files.
const PATH_PARTS: usize = 3;

/// A model in the file format above.
pub struct StaticEmbedder {
    bytes: Cow<'static, [u8]>,
    layout: Layout,
    fingerprint: String,
    vocabulary: OnceLock<Vocabulary>,
}

/// Fields of the header.
struct Layout {
    tokens: usize,
    dimension: usize,
    max_words: usize,
    damping: Damping,
    path_weight: f32,
    /// Offsets of the tables for passages and for questions, with the scales before each.
    chunks: Table,
    queries: Table,
    query_weights: usize,
    list: usize,
}

#[derive(Clone, Copy)]
struct Table {
    scales: usize,
    rows: usize,
}

/// Damping of a token that occurs often in a passage.
#[derive(Clone, Copy)]
enum Damping {
    None,
    SquareRoot,
    Logarithm,
}

/// Buffers of one encoding: a count for each token, and the tokens with a count above 0.
struct Scratch {
    counts: Vec<f32>,
    touched: Vec<usize>,
    pieces: Vec<usize>,
}

impl StaticEmbedder {
    /// The model compiled into `lore`.
    pub fn builtin() -> &'static Self {
        static EMBEDDER: OnceLock<StaticEmbedder> = OnceLock::new();
        EMBEDDER.get_or_init(|| {
            let fingerprint = Self::builtin_sha256().chars().take(16).collect();
            Self::with_fingerprint(Cow::Borrowed(BUILTIN), fingerprint)
                .expect("a test opens the built-in model")
        })
    }

    /// The SHA-256 of the built-in file, in hexadecimal digits.
    pub fn builtin_sha256() -> &'static str {
        BUILTIN_SUM.split_whitespace().next().unwrap_or_default()
    }

    /// Texts with the first numbers of their vectors, to 1e-4, by the encoder that the model was
    /// trained with: one JSON object `{kind: query|chunk, text, path, v}` a line.
    pub fn builtin_golden() -> &'static str {
        BUILTIN_GOLDEN
    }

    /// Reads a model. Its fingerprint is a hash of all bytes.
    ///
    /// # Errors
    /// If the bytes are not a complete model file with finite numbers.
    pub fn open(bytes: impl Into<Cow<'static, [u8]>>) -> Result<Self, EmbedError> {
        let bytes = bytes.into();
        let fingerprint = format!("{:016x}", xxhash_rust::xxh3::xxh3_64(&bytes));
        Self::with_fingerprint(bytes, fingerprint)
    }

    fn with_fingerprint(
        bytes: Cow<'static, [u8]>,
        fingerprint: String,
    ) -> Result<Self, EmbedError> {
        let layout = Layout::read(&bytes).map_err(|reason| EmbedError {
            reason: format!("could not read a model of {} bytes: {reason}", bytes.len()),
            hint: None,
            at_fault: Fault::Embedder,
        })?;
        Ok(Self { bytes, layout, fingerprint, vocabulary: OnceLock::new() })
    }

    /// Number of dimensions of a vector.
    pub fn dimension(&self) -> usize {
        self.layout.dimension
    }

    /// Number of tokens in the vocabulary.
    pub fn tokens(&self) -> usize {
        self.layout.tokens
    }

    /// The file, as opened.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns true if a folded word is a token of its own, rather than a sum of pieces that may be
    /// unrelated to it.
    pub fn knows_word(&self, word: &str) -> bool {
        let mut pieces = Vec::new();
        if word.len() <= MAX_WORD {
            self.vocabulary().pieces(self.list(), word.as_bytes(), &mut pieces);
        }
        matches!(pieces[..], [only] if self.vocabulary().token(self.list(), only) == word.as_bytes())
    }

    /// The words of the vocabulary with the highest similarity to a word, highest first, each with
    /// its cosine.
    ///
    /// Only words of three or more letters, without the word itself; at most `n` and none below
    /// `min_similarity`. A word outside of the vocabulary counts as the sum of its pieces. Reads
    /// every row: about a millisecond.
    pub fn nearest_words(&self, word: &str, n: usize, min_similarity: f32) -> Vec<(String, f32)> {
        let mut scratch = self.scratch();
        self.count(words(word), 1.0, &mut scratch);
        let wanted = self.take_sum(self.layout.queries, |_, count| count, &mut scratch);
        if wanted.iter().all(|value| *value == 0.0) {
            return Vec::new();
        }
        let word = word.to_ascii_lowercase();
        let (mut nearest, mut decoded) = (Vec::new(), Vec::new());
        for number in 0..self.layout.tokens {
            let token = self.vocabulary().token(self.list(), number);
            if token.len() < 3
                || !token.iter().all(u8::is_ascii_lowercase)
                || token == word.as_bytes()
            {
                continue;
            }
            let cosine = cosine(&wanted, self.row(self.layout.chunks, number), &mut decoded);
            if min_similarity <= cosine {
                nearest.push((cosine, number));
            }
        }
        nearest.sort_by(|left, right| right.0.total_cmp(&left.0).then(left.1.cmp(&right.1)));
        nearest.truncate(n);
        let name = |number| {
            String::from_utf8_lossy(self.vocabulary().token(self.list(), number)).into_owned()
        };
        nearest.into_iter().map(|(cosine, number)| (name(number), cosine)).collect()
    }

    fn query(&self, query: &str, scratch: &mut Scratch) -> Vec<f32> {
        let layout = &self.layout;
        self.count(words(query), 1.0, scratch);
        let weigh = |number, count| self.number(layout.query_weights, number) * count;
        self.take_sum(layout.queries, weigh, scratch)
    }

    fn chunk(&self, chunk: &ChunkText<'_>, scratch: &mut Scratch) -> Vec<f32> {
        self.count(words(chunk.text), 1.0, scratch);
        for number in &scratch.touched {
            let count = &mut scratch.counts[*number];
            *count = match self.layout.damping {
                Damping::None => *count,
                Damping::SquareRoot => count.sqrt(),
                Damping::Logarithm => 1.0 + count.ln(),
            };
        }
        self.count(distinct_words(path_words(chunk.path)), self.layout.path_weight, scratch);
        self.take_sum(self.layout.chunks, |_, count| count, scratch)
    }

    fn scratch(&self) -> Scratch {
        Scratch { counts: vec![0.0; self.layout.tokens], touched: Vec::new(), pieces: Vec::new() }
    }

    /// Adds `weight` for each word to the counts; each of the `k` pieces of a word counts
    /// 1/sqrt(k).
    fn count<'t>(&self, words: impl Iterator<Item = &'t [u8]>, weight: f32, scratch: &mut Scratch) {
        let (vocabulary, list) = (self.vocabulary(), self.list());
        let mut lower = [0; MAX_WORD];
        for word in words.take(self.layout.max_words) {
            let Some(lower) = lower.get_mut(..word.len()) else { continue };
            lower.copy_from_slice(word);
            lower.make_ascii_lowercase();
            vocabulary.pieces(list, lower, &mut scratch.pieces);
            let weight = match scratch.pieces.len() {
                1 => weight,
                n_pieces => weight / (n_pieces as f32).sqrt(),
            };
            for number in &scratch.pieces {
                let count = &mut scratch.counts[*number];
                if *count == 0.0 {
                    scratch.touched.push(*number);
                }
                *count += weight;
            }
        }
    }

    /// The weighted sum of the counted rows, scaled to length 1; resets the counts to 0.
    fn take_sum(
        &self,
        table: Table,
        weigh: impl Fn(usize, f32) -> f32,
        scratch: &mut Scratch,
    ) -> Vec<f32> {
        let mut sum = vec![0.0; self.layout.dimension];
        // In the order of the rows, so that the sum does not depend on the order of the words. A
        // token whose count returned to 0 in between is listed twice.
        scratch.touched.sort_unstable();
        scratch.touched.dedup();
        for number in scratch.touched.drain(..) {
            let count = std::mem::take(&mut scratch.counts[number]);
            let weight = weigh(number, count) * self.number(table.scales, number);
            for (value, byte) in sum.iter_mut().zip(self.row(table, number)) {
                *value += weight * f32::from(byte.cast_signed());
            }
        }
        normalise(&mut sum);
        sum
    }

    fn vocabulary(&self) -> &Vocabulary {
        self.vocabulary.get_or_init(|| Vocabulary::new(self.list()))
    }

    fn list(&self) -> &[u8] {
        &self.bytes[self.layout.list..]
    }

    fn row(&self, table: Table, number: usize) -> &[u8] {
        let start = table.rows + number * self.layout.dimension;
        &self.bytes[start..start + self.layout.dimension]
    }

    /// The `number`th `f32` at an offset of the file.
    fn number(&self, at: usize, number: usize) -> f32 {
        float(&self.bytes[at + 4 * number..])
    }
}

impl Layout {
    /// Reads the header and checks that the file is complete.
    fn read(bytes: &[u8]) -> Result<Self, String> {
        let header = bytes.get(..HEADER).ok_or("it ends within the header")?;
        if !header.starts_with(MAGIC) {
            return Err("it does not begin with LOREEMB1".to_owned());
        }
        let field = |number: usize| {
            let at = MAGIC.len() + 4 * number;
            u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]])
        };
        let size = |name: &str, number: usize, max: usize| match field(number) as usize {
            0 => Err(format!("its {name} is 0")),
            value if max < value => Err(format!("its {name} is {value}, more than {max}")),
            value => Ok(value),
        };
        let tokens = size("number of tokens", 0, MAX_TOKENS)?;
        let dimension = size("dimension", 1, MAX_DIMENSION)?;
        let max_words = size("number of words", 2, usize::MAX)?;
        let damping = match field(3) {
            0 => Damping::None,
            1 => Damping::SquareRoot,
            2 => Damping::Logarithm,
            other => return Err(format!("its damping {other} is unknown")),
        };
        let n_tables = match field(4) {
            n_tables @ (1 | 2) => n_tables,
            other => return Err(format!("it has {other} tables, not 1 or 2")),
        };
        let list_length = field(5) as usize;
        let path_weight = float(&header[MAGIC.len() + 24..]);
        if !path_weight.is_finite() {
            return Err("its weight of paths is not a number".to_owned());
        }
        if field(7) != 0 {
            return Err("it is of a newer version".to_owned());
        }

        // At most 2^20 tokens of 2^12 dimensions: no overflow, and a 32-bit machine fails the
        // length check.
        let (floats, rows) = (4 * tokens as u64, tokens as u64 * dimension as u64);
        let own_queries = if n_tables == 2 { floats + rows } else { 0 };
        let expected = HEADER as u64 + 2 * floats + rows + own_queries + list_length as u64;
        if bytes.len() as u64 != expected {
            return Err(format!("the header requires {expected} bytes"));
        }
        let (floats, rows) = (4 * tokens, tokens * dimension);
        let chunks = Table { scales: HEADER, rows: HEADER + 2 * floats };
        let end = chunks.rows + rows;
        let queries =
            if n_tables == 2 { Table { scales: end, rows: end + floats } } else { chunks };
        let list = bytes.len() - list_length;

        let numbers = |at: usize| bytes[at..at + floats].chunks_exact(4).map(float);
        if !numbers(chunks.scales).chain(numbers(queries.scales)).all(f32::is_finite) {
            return Err("the scale of a row is not a number".to_owned());
        }
        let query_weights = chunks.scales + floats;
        if !numbers(query_weights).all(f32::is_finite) {
            return Err("the weight of a token is not a number".to_owned());
        }
        #[expect(clippy::naive_bytecount, reason = "once a start, and vectorised as it is")]
        let listed = bytes[list..].iter().filter(|byte| **byte == b'\n').count();
        if listed != tokens || bytes.last() != Some(&b'\n') {
            return Err(format!("its list has {listed} tokens, not {tokens}"));
        }
        Ok(Self {
            tokens,
            dimension,
            max_words,
            damping,
            path_weight,
            chunks,
            queries,
            query_weights,
            list,
        })
    }
}

impl Embedder for StaticEmbedder {
    fn name(&self) -> &'static str {
        "embedded"
    }

    fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    fn is_fast(&self) -> bool {
        true
    }

    fn embed_query(&self, query: &str) -> Result<Vec<f32>, EmbedError> {
        Ok(self.query(query, &mut self.scratch()))
    }

    fn embed_chunks(&self, chunks: &[ChunkText<'_>]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut scratch = self.scratch();
        Ok(chunks.iter().map(|chunk| self.chunk(chunk, &mut scratch)).collect())
    }
}

/// The last components of a path, without the extension.
fn path_words(path: &str) -> &str {
    let start = path.rmatch_indices('/').nth(PATH_PARTS - 1).map_or(0, |(at, _)| at + 1);
    let path = &path[start..];
    match path.rsplit_once('.') {
        Some((stem, ending))
            if !ending.is_empty()
                && ending.chars().all(|letter| letter.is_alphanumeric() || letter == '_') =>
        {
            stem
        }
        _ => path,
    }
}

/// Maximum number of words of a path. The name of a commit or a ticket may be a text of megabytes,
/// and is counted again for each of its chunks.
const MAX_PATH_WORDS: usize = 256;

/// The distinct words of a path: `render/render.go` adds nothing to `render.go`.
fn distinct_words(path: &str) -> impl Iterator<Item = &[u8]> {
    let mut distinct: Vec<&[u8]> = Vec::new();
    for word in words(path).take(MAX_PATH_WORDS) {
        if !distinct.iter().any(|other| other.eq_ignore_ascii_case(word)) {
            distinct.push(word);
        }
    }
    distinct.into_iter()
}

/// The cosine of a vector of length 1 and a row; 0 if the row is all zeros.
fn cosine(vector: &[f32], row: &[u8], decoded: &mut Vec<f32>) -> f32 {
    decoded.clear();
    decoded.extend(row.iter().map(|byte| f32::from(byte.cast_signed())));
    let length = dot(decoded, decoded).sqrt();
    if 0.0 < length { dot(vector, decoded) / length } else { 0.0 }
}

/// The `f32` at the start of the bytes; 0 if they are too few.
fn float(bytes: &[u8]) -> f32 {
    bytes.first_chunk().map_or(0.0, |bytes| f32::from_le_bytes(*bytes))
}

#[cfg(test)]
mod tests;
