//! The order of hits with equal points: BM25 over the documents that are searched.
//!
//! The published points are coarse: a question often gives a dozen documents the same number.
//!
//! **Invariant:** pure.

use super::reading::Reading;

/// Saturation of repeated words, and weight of the length of a document: the usual values of BM25.
const K1: f64 = 1.2;
const B: f64 = 0.75;

/// Statistics of the documents that contain a word of the query.
pub(super) struct Relevance {
    /// The idf of each query word.
    idf: Vec<f64>,
    /// Mean number of words of a document.
    mean_length: f64,
}

impl Relevance {
    /// Computes the statistics. `documents` is the number of documents, with those that contain no word.
    pub(super) fn of<'a>(
        documents: usize,
        readings: impl Iterator<Item = &'a Reading>,
    ) -> Relevance {
        let mut frequencies: Vec<u32> = Vec::new();
        let (mut number, mut length) = (0.0, 0.0);
        for reading in readings {
            frequencies.resize(reading.counts.len(), 0);
            for (frequency, count) in frequencies.iter_mut().zip(&reading.counts) {
                *frequency += u32::from(0 < *count);
            }
            number += 1.0;
            length += as_float(reading.length);
        }
        let documents = as_float(documents);
        let idf = |frequency: u32| {
            let frequency = f64::from(frequency);
            (1.0 + (documents - frequency).max(0.0) / (frequency + 0.5)).ln()
        };
        let mean_length = if number == 0.0 { 1.0 } else { (length / number).max(1.0) };
        Relevance { idf: frequencies.into_iter().map(idf).collect(), mean_length }
    }

    /// Returns the BM25 score of a document, at least 0.
    pub(super) fn score(&self, reading: &Reading) -> f64 {
        let norm = K1 * (1.0 - B + B * as_float(reading.length) / self.mean_length);
        let words = self.idf.iter().zip(&reading.counts);
        words
            .map(|(idf, count)| {
                let count = f64::from(*count);
                idf * count * (K1 + 1.0) / (count + norm)
            })
            .sum()
    }
}

fn as_float(number: usize) -> f64 {
    f64::from(u32::try_from(number).unwrap_or(u32::MAX))
}
