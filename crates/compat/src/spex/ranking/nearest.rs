//! Names that are near to a query that finds nothing. Never part of the ranking.

use super::{
    Node,
    words::{Terms, visit_words},
};

/// Most titles that are named.
const COUNT: usize = 3;

/// Least similarity of two words.
const SIMILARITY: f64 = 0.5;

/// Longest word that is compared, in characters: no word is longer, and the work is quadratic.
const LONGEST: usize = 64;

/// Up to three titles of which some word is similar to some word of the query, nearest first.
/// Single Chinese and Japanese characters are near to nothing.
pub(super) fn nearest_titles(nodes: &[Node], terms: &Terms) -> Vec<String> {
    let queried: Vec<Vec<char>> = terms
        .iter()
        .filter(|term| !term.is_character())
        .map(|term| term.text.chars().take(LONGEST).collect())
        .collect();
    let mut near: Vec<(f64, &Node)> = nodes
        .iter()
        .filter_map(|node| {
            let mut best = 0.0_f64;
            for name in [&node.title, &node.id] {
                visit_words(name, |_, word| {
                    let word: Vec<char> = word.chars().take(LONGEST).collect();
                    for query in &queried {
                        best = best.max(similarity(query, &word));
                    }
                });
            }
            (SIMILARITY <= best).then_some((best, node))
        })
        .collect();
    near.sort_by(|(left_similarity, left), (right_similarity, right)| {
        right_similarity
            .total_cmp(left_similarity)
            .then_with(|| left.id.chars().count().cmp(&right.id.chars().count()))
            .then_with(|| left.id.cmp(&right.id))
    });
    let mut titles: Vec<String> = Vec::new();
    for (_, node) in near {
        if titles.len() == COUNT {
            break;
        }
        if !titles.contains(&node.title) {
            titles.push(node.title.clone());
        }
    }
    titles
}

/// 1.0 for equal words, down to 0.0: the edit distance as a share of the longer word.
fn similarity(left: &[char], right: &[char]) -> f64 {
    let longer = left.len().max(right.len());
    if longer == 0 { 0.0 } else { 1.0 - distance(left, right) as f64 / longer as f64 }
}

/// Levenshtein distance.
fn distance(left: &[char], right: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (above, character) in left.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = above + 1;
        for (column, other) in right.iter().enumerate() {
            let replaced = diagonal + usize::from(character != other);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        let check = |left: &str, right: &str, expected: usize| {
            let left: Vec<char> = left.chars().collect();
            let right: Vec<char> = right.chars().collect();
            assert_eq!(distance(&left, &right), expected);
            assert_eq!(distance(&right, &left), expected);
        };
        check("", "", 0);
        check("abc", "", 3);
        check("kitten", "sitting", 3);
        check("kyeboard", "keyboard", 2);
    }
}
