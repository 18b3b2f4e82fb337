//! Merges the lists of several sources, so that a strong hit of a sparse source is shown.

use std::cmp::Ordering;

use lore_schema::SourceName;

/// A ranked document, with the fields that merging lists needs.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Ranked<T> {
    /// Its source.
    pub(crate) source: SourceName,
    /// True if it contains the query word by word.
    pub(crate) exact: bool,
    /// Score, 0.0..=1.0, comparable between sources: each has a calibration curve of its own.
    pub(crate) score: f32,
    /// Share of the query's weighted idf that it contains, 0.0..=1.0.
    pub(crate) coverage: f32,
    /// Its key, the last tie-break.
    pub(crate) key: String,
    /// Further data of the document.
    pub(crate) payload: T,
}

/// Minimum share of the query that a hit must contain to be promoted for its source.
const STRONG_COVERAGE: f32 = 0.6;

/// Minimum share of the best hit's score that a hit must reach to be promoted for its source.
const STRONG_SCORE: f32 = 0.6;

/// Number of places per promoted hit.
const PLACES_PER: usize = 5;

/// Merges ranked documents, best first, and cuts after `limit`.
///
/// The order is that of the scores; ties go to the shorter, then the smaller key. If the best hit of a source is strong but beyond the limit, it replaces the weakest
/// hit of a source that has several.
pub(crate) fn interleave<T>(mut all: Vec<Ranked<T>>, limit: usize) -> Vec<Ranked<T>> {
    all.sort_by(by_rank);
    let Some(best) = all.first().map(|ranked| ranked.score) else { return all };
    let mut rest = all.split_off(limit.min(all.len()));
    let mut promoted: Vec<Ranked<T>> = Vec::new();
    let places = limit.div_ceil(PLACES_PER);
    for source in SourceName::ALL {
        let shown = all.iter().chain(&promoted).any(|ranked| ranked.source == *source);
        let Some(at) = rest.iter().position(|ranked| ranked.source == *source) else { continue };
        let strong = rest[at].coverage >= STRONG_COVERAGE && rest[at].score >= STRONG_SCORE * best;
        if !shown && strong && promoted.len() < places {
            promoted.push(rest.remove(at));
        }
    }
    for ranked in promoted {
        let crowded = all
            .iter()
            .rposition(|weak| all.iter().filter(|other| other.source == weak.source).count() > 1);
        if let Some(at) = crowded {
            all.remove(at);
            let place = all.partition_point(|other| other.score >= ranked.score);
            all.insert(place, ranked);
        }
    }
    all
}

/// Orders exact hits first, then as [`by_rank`]: the order in which candidates are read.
pub(crate) fn exact_first<T>(left: &Ranked<T>, right: &Ranked<T>) -> Ordering {
    right.exact.cmp(&left.exact).then_with(|| by_rank(left, right))
}

/// Orders by descending score; ties go to the shorter, then the smaller key.
pub(crate) fn by_rank<T>(left: &Ranked<T>, right: &Ranked<T>) -> Ordering {
    right
        .score
        .total_cmp(&left.score)
        .then_with(|| left.key.len().cmp(&right.key.len()))
        .then_with(|| left.key.cmp(&right.key))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(rows: &[(SourceName, f32, f32)], limit: usize, expected: &str) {
        let all = rows
            .iter()
            .enumerate()
            .map(|(index, (source, score, coverage))| Ranked {
                source: *source,
                exact: false,
                score: *score,
                coverage: *coverage,
                key: format!("{index:02}"),
                payload: (),
            })
            .collect();
        let shown: Vec<String> = interleave(all, limit)
            .iter()
            .map(|ranked| format!("{}{}", ranked.source, ranked.key))
            .collect();
        assert_eq!(shown.join(" "), expected);
    }

    #[test]
    fn a_strong_hit_of_a_sparse_source_shows() {
        use SourceName::{Code, Specs, Tickets};
        let rows = [(Code, 0.9, 1.0), (Code, 0.8, 1.0), (Code, 0.7, 1.0), (Specs, 0.6, 1.0)];
        check(&rows, 3, "code00 code01 specs03");
        let weak = [(Code, 0.9, 1.0), (Code, 0.8, 1.0), (Code, 0.7, 1.0), (Specs, 0.6, 0.2)];
        check(&weak, 3, "code00 code01 code02");
        let faint = [(Code, 0.9, 1.0), (Code, 0.8, 1.0), (Tickets, 0.2, 1.0)];
        check(&faint, 2, "code00 code01");
        check(&rows[..1], 3, "code00");
        check(&[], 3, "");
    }
}
