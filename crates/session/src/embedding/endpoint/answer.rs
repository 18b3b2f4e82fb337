//! Reads the response of an embedding server, and validates all of it.

use std::fmt;

use base64::{Engine as _, engine::general_purpose::STANDARD_PAD_INDIFFERENT};
use serde::{
    Deserialize, Deserializer,
    de::{Error, SeqAccess, Visitor},
};
use serde_json::Value;

/// Most dimensions of a vector.
pub(super) const MAX_DIMENSIONS: usize = 4096;

/// The answer to a request, as far as it is read.
#[derive(Deserialize)]
struct Answer {
    data: Option<Vec<Row>>,
}

#[derive(Deserialize)]
struct Row {
    /// Index of its text, from 0; without it the order of the rows counts.
    index: Option<usize>,
    embedding: Numbers,
}

/// A vector, sent as a list of numbers or as base64 of little-endian floats.
struct Numbers(Vec<f32>);

impl<'de> Deserialize<'de> for Numbers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Numbers, D::Error> {
        deserializer.deserialize_any(NumbersVisitor)
    }
}

struct NumbersVisitor;

impl<'de> Visitor<'de> for NumbersVisitor {
    type Value = Numbers;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "a list of at most {MAX_DIMENSIONS} numbers, or base64")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut numbers: A) -> Result<Numbers, A::Error> {
        let mut vector = Vec::new();
        while let Some(number) = numbers.next_element()? {
            if vector.len() == MAX_DIMENSIONS {
                return Err(too_long());
            }
            vector.push(number);
        }
        Ok(Numbers(vector))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Numbers, E> {
        let bytes = STANDARD_PAD_INDIFFERENT
            .decode(text)
            .map_err(|error| E::custom(format!("a vector is not valid base64: {error}")))?;
        let (numbers, rest) = bytes.as_chunks::<4>();
        if !rest.is_empty() {
            return Err(E::custom("a base64 vector ends inside a number"));
        }
        if numbers.len() > MAX_DIMENSIONS {
            return Err(too_long());
        }
        Ok(Numbers(numbers.iter().copied().map(f32::from_le_bytes).collect()))
    }
}

fn too_long<E: Error>() -> E {
    E::custom(format!("a vector has more than {MAX_DIMENSIONS} numbers"))
}

/// The vectors of this number of texts, in their order, each of length 1 or all zeros, and all of
/// one dimension.
///
/// # Errors
/// What is wrong with the answer. Words of the server may be in it.
pub(super) fn vectors(body: &[u8], texts: usize) -> Result<Vec<Vec<f32>>, String> {
    let answer: Answer = serde_json::from_slice(body)
        .map_err(|error| format!("the answer has an unexpected format: {error}"))?;
    let Some(rows) = answer.data else {
        return Err(match said(body) {
            Some(message) => format!("the answer has no `data`: {message}"),
            None => "the answer has no `data`".to_owned(),
        });
    };
    if rows.len() != texts {
        return Err(format!("the answer has {} vectors for {texts} texts", rows.len()));
    }
    let mut vectors: Vec<Option<Vec<f32>>> = vec![None; texts];
    let mut dimensions = None;
    for (position, Row { index, embedding: Numbers(mut vector) }) in rows.into_iter().enumerate() {
        let index = index.unwrap_or(position);
        let place = vectors.get_mut(index).ok_or_else(|| {
            format!("a vector has the index {index}, and {texts} texts were sent")
        })?;
        if vector.is_empty() {
            return Err("a vector is empty".to_owned());
        }
        let first = *dimensions.get_or_insert(vector.len());
        if first != vector.len() {
            return Err(format!("the vectors have {first} and {} dimensions", vector.len()));
        }
        normalise(&mut vector)?;
        if place.replace(vector).is_some() {
            return Err(format!("two vectors have the index {index}"));
        }
    }
    // As many as there are places, and no two in one.
    Ok(vectors.into_iter().flatten().collect())
}

/// Makes the length 1; zeros stay.
fn normalise(vector: &mut [f32]) -> Result<(), String> {
    if !vector.iter().all(|number| number.is_finite()) {
        return Err("a vector has a number that is not finite".to_owned());
    }
    // The square of the largest float is a double.
    let length = vector.iter().map(|&number| f64::from(number).powi(2)).sum::<f64>().sqrt();
    if length > 0.0 {
        for number in vector {
            #[expect(clippy::cast_possible_truncation, reason = "a quotient of at most 1")]
            let quotient = (f64::from(*number) / length) as f32;
            *number = quotient;
        }
    }
    Ok(())
}

/// The error message of a server, in the known shapes; `None` if there is none
/// that is for reading.
pub(super) fn said(body: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(body);
    let text = text.trim();
    let Ok(value) = serde_json::from_str::<Value>(text) else {
        // A page of HTML is not useful on one line.
        return (!text.is_empty() && !text.starts_with(['<', '{', '['])).then(|| text.to_owned());
    };
    let found = [
        value.pointer("/error/message"),
        value.pointer("/error"),
        value.pointer("/message"),
        value.pointer("/detail/0/msg"),
        value.pointer("/detail"),
    ];
    let found = found.into_iter().flatten().find_map(Value::as_str);
    found.or(value.as_str()).map(str::to_owned).filter(|message| !message.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(body: &str, texts: usize, expected: &[&[f32]]) {
        let found =
            vectors(body.as_bytes(), texts).unwrap_or_else(|error| panic!("{body}: {error}"));
        assert_eq!(found.len(), expected.len(), "{body}");
        for (found, expected) in found.iter().zip(expected) {
            assert_eq!(found.len(), expected.len(), "{body}");
            let near = found.iter().zip(*expected).all(|(left, right)| (left - right).abs() < 1e-6);
            assert!(near, "{body}: {found:?}");
        }
    }

    fn refused(body: &str, texts: usize, expected: &str) {
        let error = vectors(body.as_bytes(), texts).expect_err(body);
        assert!(error.contains(expected), "{body}: {error}");
    }

    #[test]
    fn vectors_come_in_the_order_of_their_texts() {
        let ordered = r#"{"object": "list", "data": [{"object": "embedding", "index": 0,
            "embedding": [3, 4.0]}, {"index": 1, "embedding": [0, -2e0]}], "model": "m"}"#;
        check(ordered, 2, &[&[0.6, 0.8], &[0.0, -1.0]]);
        let reversed =
            r#"{"data": [{"index": 1, "embedding": [0, 5]}, {"index": 0, "embedding": [7, 0]}]}"#;
        check(reversed, 2, &[&[1.0, 0.0], &[0.0, 1.0]]);
        check(
            r#"{"data": [{"embedding": [2, 0]}, {"embedding": [0, 2]}]}"#,
            2,
            &[&[1.0, 0.0], &[0.0, 1.0]],
        );
        check(r#"{"data": [{"index": 0, "embedding": [0, 0]}]}"#, 1, &[&[0.0, 0.0]]);
        check(r#"{"data": []}"#, 0, &[]);
    }

    #[test]
    fn large_and_small_numbers_keep_their_direction() {
        check(r#"{"data": [{"embedding": [3e38, 3e38]}]}"#, 1, &[&[0.707_106_77, 0.707_106_77]]);
        check(r#"{"data": [{"embedding": [3e-40, 4e-40]}]}"#, 1, &[&[0.6, 0.8]]);
    }

    #[test]
    fn base64_is_little_endian_floats() {
        // 3.0 is 00 00 40 40 and 4.0 is 00 00 80 40.
        check(r#"{"data": [{"index": 0, "embedding": "AABAQAAAgEA="}]}"#, 1, &[&[0.6, 0.8]]);
        check(r#"{"data": [{"index": 0, "embedding": "AABAQAAAgEA"}]}"#, 1, &[&[0.6, 0.8]]);
        refused(r#"{"data": [{"embedding": "AABAQAAA"}]}"#, 1, "ends inside a number");
        refused(r#"{"data": [{"embedding": "no base64!"}]}"#, 1, "not valid base64");
        // 00 00 c0 7f is no number.
        refused(r#"{"data": [{"embedding": "AADAfw=="}]}"#, 1, "not finite");
        let long = STANDARD_PAD_INDIFFERENT.encode(vec![1; 4 * (MAX_DIMENSIONS + 1)]);
        refused(&format!(r#"{{"data": [{{"embedding": "{long}"}}]}}"#), 1, "more than 4096");
    }

    #[test]
    fn nonsense_is_refused() {
        let one =
            |embedding: &str| format!(r#"{{"data": [{{"index": 0, "embedding": {embedding}}}]}}"#);
        refused(&one("[1]"), 2, "1 vectors for 2 texts");
        refused(&one("[]"), 1, "empty");
        refused(&one("[NaN]"), 1, "an unexpected format");
        refused(&one("[1, null]"), 1, "an unexpected format");
        refused(&one("[1e39]"), 1, "an unexpected format");
        refused(&one("[1e999]"), 1, "an unexpected format");
        refused(&one("{}"), 1, "an unexpected format");
        refused(&one(&format!("[1{}]", ",1".repeat(MAX_DIMENSIONS))), 1, "more than 4096");
        check(
            &one(&format!("[1{}]", ",0".repeat(MAX_DIMENSIONS - 1))),
            1,
            &[&{
                let mut vector = [0.0; MAX_DIMENSIONS];
                vector[0] = 1.0;
                vector
            }],
        );
        let two = |left: &str, right: &str| format!(r#"{{"data": [{left}, {right}]}}"#);
        let row = r#"{"index": 0, "embedding": [1]}"#;
        refused(&two(row, row), 2, "two vectors have the index 0");
        refused(&two(row, r#"{"index": 2, "embedding": [1]}"#), 2, "index 2");
        refused(&two(row, r#"{"index": -1, "embedding": [1]}"#), 2, "an unexpected format");
        refused(&two(row, r#"{"index": 1, "embedding": [1, 2]}"#), 2, "1 and 2 dimensions");
        refused(r#"{"data": 3}"#, 1, "an unexpected format");
        refused("", 1, "an unexpected format");
        refused("<html>", 1, "an unexpected format");
        refused(r#"{"error": "no such model"}"#, 1, "no `data`: no such model");
        refused("{}", 1, "no `data`");
        refused(&"[".repeat(100_000), 1, "an unexpected format");
    }

    #[test]
    fn servers_are_quoted() {
        let check = |body: &str, expected: Option<&str>| {
            assert_eq!(said(body.as_bytes()).as_deref(), expected, "{body}");
        };
        check(r#"{"error": {"message": "bad key", "type": "auth"}}"#, Some("bad key"));
        check(r#"{"error": "model not found"}"#, Some("model not found"));
        check(r#"{"object": "error", "message": "too long"}"#, Some("too long"));
        check(r#"{"detail": "Not Found"}"#, Some("Not Found"));
        check(
            r#"{"detail": [{"loc": ["body"], "msg": "field required"}]}"#,
            Some("field required"),
        );
        check("upstream is gone\n", Some("upstream is gone"));
        check("<html><h1>502</h1></html>", None);
        check(r#"{"error": {"message": ""}}"#, None);
        check(r#"{"cut": "in the mid"#, None);
        check("", None);
    }
}
