//! The published formula of two lists, and how the hybrid score follows it.

use lore_schema::SourceName;

use super::*;

/// A document's rank and score in a list; `None` if the list does not contain it.
type Place = Option<(usize, f32)>;

/// The published part of one list in a document's score: rank and score.
fn part(fusion: &Fusion, weight: f32, rank: Option<usize>, score: f32) -> f32 {
    let place = rank.map_or(0.0, |rank| 1.0 / (fusion.rrf_k + rank as f32));
    weight * (fusion.alpha * place + (1.0 - fusion.alpha) * score)
}

/// The published score of a document in two lists.
fn fused(fusion: &Fusion, words: Place, meaning: Place) -> f32 {
    let of_list = |weight, place: Place| match place {
        Some((rank, score)) => part(fusion, weight, Some(rank), score),
        None => part(fusion, weight, None, 0.0),
    };
    of_list(fusion.bm25_weight, words) + of_list(fusion.semantic_weight, meaning)
}

#[test]
fn the_published_formula_gives_the_published_values() {
    let fusion = Fusion::PUBLISHED;
    // 0.7 x (0.7 / 61 + 0.3 x 0.8) and 0.3 x (0.7 / 63 + 0.3 x 0.5).
    assert!((part(&fusion, 0.7, Some(1), 0.8) - 0.176_032_8).abs() < 1e-6);
    assert!((part(&fusion, 0.3, Some(3), 0.5) - 0.048_333_3).abs() < 1e-6);
    // With nothing but places, the sum of 1 / (k + rank).
    let places = Fusion { semantic_weight: 1.0, bm25_weight: 1.0, rrf_k: 60.0, alpha: 1.0 };
    let both = fused(&places, Some((1, 0.2)), Some((2, 0.9)));
    assert!((both - (1.0 / 61.0 + 1.0 / 62.0)).abs() < 1e-7);
}

#[test]
fn fusion_keeps_both_lists_and_ranks_common_documents_first() {
    for fusion in [Fusion::PUBLISHED, Fusion::default()] {
        let even = Fusion { semantic_weight: 0.5, bm25_weight: 0.5, ..fusion };
        // Words find A, B, C; meaning finds C, D, E; with equal scores.
        let scores = [
            fused(&even, Some((1, 0.6)), None),
            fused(&even, Some((2, 0.6)), None),
            fused(&even, Some((3, 0.6)), Some((1, 0.6))),
            fused(&even, None, Some((2, 0.6))),
            fused(&even, None, Some((3, 0.6))),
        ];
        assert!(scores.iter().all(|score| *score > 0.0));
        let best = scores.iter().copied().fold(0.0, f32::max);
        assert!((best - scores[2]).abs() < f32::EPSILON, "{scores:?}");
    }
}

#[test]
fn a_far_better_score_outweighs_a_weak_one_at_the_same_rank() {
    // The best of its list by words with 0.99, the best by meaning with 0.6.
    let fusion = Fusion::default();
    let by_words = fused(&fusion, Some((1, 0.99)), None);
    let by_meaning = fused(&fusion, None, Some((1, 0.6)));
    assert!(by_words > 2.0 * by_meaning, "{by_words} {by_meaning}");
    // So it is with equal weights: the scores are absolute, not shares of the list's best.
    let even = Fusion { semantic_weight: 0.5, bm25_weight: 0.5, ..Fusion::PUBLISHED };
    let by_words = fused(&even, Some((1, 0.99)), None);
    let by_meaning = fused(&even, None, Some((1, 0.6)));
    assert!(by_words > 1.3 * by_meaning, "{by_words} {by_meaning}");
}

fn code(fusion: Fusion) -> Balance {
    Balance::hybrid(fusion, SourceName::Code)
}

/// The score of a document whose signals of words sum up to `words` and those of meaning to
/// `meaning`, with its places.
fn score(balance: &Balance, words: (f32, Option<usize>), meaning: (f32, Option<usize>)) -> f32 {
    let mut explanation = Explanation { parts: Vec::new() };
    for (side, value) in [(Side::Words, words.0), (Side::Meaning, meaning.0)] {
        let weight = balance.of_scores(side);
        let contribution = value * weight;
        explanation.parts.push(Part { name: "signals", value, weight, contribution });
    }
    balance.complete(&mut explanation, words.1, meaning.1);
    explanation.parts.retain(|part| part.name != "meaning-level");
    explanation.sum()
}

#[test]
fn the_hybrid_score_is_the_published_formula() {
    // Signals of words come to 14 at best, those of meaning to 6: shares of these are the scores.
    for fusion in [Fusion::PUBLISHED, Fusion { alpha: 0.3, ..Fusion::PUBLISHED }, Fusion::default()]
    {
        for (words, meaning) in
            [(Some((1, 0.8)), Some((3, 0.5))), (Some((2, 0.4)), None), (None, Some((1, 0.9)))]
        {
            let signals = |place: Place, best: f32| {
                place.map_or((0.0, None), |(rank, share)| (best * share, Some(rank)))
            };
            let found = score(&code(fusion), signals(words, 14.0), signals(meaning, 6.0));
            let expected = MAX_LIST_SCORE * fused(&fusion, words, meaning) / (1.0 - fusion.alpha);
            assert!((found - expected).abs() < 1e-4, "{found} {expected}");
        }
    }
}

#[test]
fn the_balance_follows_the_weights() {
    let fitted = Fusion::default();
    for side in [Side::Words, Side::Meaning, Side::Document] {
        assert!((code(fitted).of_scores(side) - 1.0).abs() < 1e-6);
    }
    let heavy = Fusion { semantic_weight: 0.9, bm25_weight: 0.1, ..fitted };
    assert!(code(heavy).of_scores(Side::Meaning) > 1.0);
    assert!(code(heavy).of_scores(Side::Words) < 1.0);
    // A weight of 0 equals the balance of words alone.
    let without = Fusion { semantic_weight: 0.0, bm25_weight: 1.0, ..fitted };
    assert_eq!(code(without), Balance::of_words());
    for side in [Side::Words, Side::Document] {
        assert!((Balance::of_words().of_scores(side) - 1.0).abs() < 1e-6);
    }
    assert!(!code(without).has_meaning() && code(fitted).has_meaning());
    assert!(Balance::of_words().of_scores(Side::Meaning).abs() < 1e-6);
}

#[test]
fn similarity_counts_less_in_prose() {
    let meaning = |fusion, source| Balance::hybrid(fusion, source).of_scores(Side::Meaning);
    let fitted = Fusion::default();
    let docs = SourceName::Docs;
    assert!(meaning(fitted, docs) < meaning(fitted, SourceName::Code));
    assert!(meaning(fitted, docs) > 0.0);
    // Weights that were chosen hold everywhere.
    let chosen = Fusion::PUBLISHED;
    let apart = meaning(chosen, docs) - meaning(chosen, SourceName::Code);
    assert!(apart.abs() < f32::EPSILON);
}

#[test]
fn ranks_count_in_proportion_to_alpha() {
    let sum = |fusion: Fusion, words, meaning| {
        let mut explanation = Explanation { parts: Vec::new() };
        code(fusion).complete(&mut explanation, words, meaning);
        explanation.parts.retain(|part| part.name != "meaning-level");
        explanation.sum()
    };
    assert!(sum(Fusion::default(), Some(1), Some(1)).abs() < 1e-6);
    let published = Fusion::PUBLISHED;
    assert!(sum(published, Some(1), Some(1)) > sum(published, Some(2), Some(1)));
    assert!(sum(published, Some(9), Some(1)) > sum(published, None, Some(1)));
    assert!(sum(published, None, None).abs() < 1e-6);
}

#[test]
fn scores_of_sources_stay_comparable() {
    let fitted = Fusion::default();
    let median = |source| {
        let balance = Balance::hybrid(fitted, source);
        let mut explanation = Explanation { parts: Vec::new() };
        balance.complete(&mut explanation, None, None);
        explanation.sum() + LEVEL * balance.of_scores(Side::Meaning)
    };
    // The similarity of a median hit lifts no source above another.
    assert!(median(SourceName::Code).abs() < 1e-5);
    assert!(median(SourceName::Docs).abs() < 1e-5);
}
