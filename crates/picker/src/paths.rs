//! Paths that match what was typed: the characters in their order, as in fzf.

use nucleo_matcher::{
    Config, Matcher, Utf32Str,
    pattern::{CaseMatching, Normalization, Pattern},
};

/// Matches paths. It keeps its memory from one query to the next.
pub struct PathMatcher {
    matcher: Matcher,
}

impl Default for PathMatcher {
    fn default() -> PathMatcher {
        PathMatcher { matcher: Matcher::new(Config::DEFAULT.match_paths()) }
    }
}

impl PathMatcher {
    /// The paths that match, best first: index and score. An empty query matches all, in their order. Stops and returns
    /// `None` once `is_stale` returns true.
    pub fn matches(
        &mut self,
        query: &str,
        paths: &[String],
        is_stale: &dyn Fn() -> bool,
    ) -> Option<Vec<(usize, u32)>> {
        if query.is_empty() {
            return Some((0..paths.len()).map(|index| (index, 0)).collect());
        }
        let pattern = Pattern::parse(query, CaseMatching::Smart, Normalization::Smart);
        let mut buffer = Vec::new();
        let mut found = Vec::new();
        for (index, path) in paths.iter().enumerate() {
            if index % 4_096 == 0 && is_stale() {
                return None;
            }
            let score = pattern.score(Utf32Str::new(path, &mut buffer), &mut self.matcher);
            found.extend(score.map(|score| (index, score)));
        }
        // Shorter paths first: they contain less beside the match.
        found
            .sort_by_key(|(index, score)| (std::cmp::Reverse(*score), paths[*index].len(), *index));
        Some(found)
    }

    /// The positions of the characters of a path that match, sorted.
    pub fn positions(&mut self, query: &str, path: &str) -> Vec<u32> {
        let pattern = Pattern::parse(query, CaseMatching::Smart, Normalization::Smart);
        let mut buffer = Vec::new();
        let mut positions = Vec::new();
        pattern.indices(Utf32Str::new(path, &mut buffer), &mut self.matcher, &mut positions);
        positions.sort_unstable();
        positions.dedup();
        positions
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_match_in_their_order_and_names_first() {
        let paths =
            ["src/refunds/mod.rs", "docs/refund.md", "src/refund.rs", "x.rs"].map(str::to_owned);
        let mut matcher = PathMatcher::default();
        let mut found = |query: &str| -> Vec<&str> {
            let found = matcher.matches(query, &paths, &|| false).expect("it is not stale");
            found.into_iter().map(|(index, _)| paths[index].as_str()).collect()
        };
        assert_eq!(found("refrs")[0], "src/refund.rs");
        assert_eq!(found("refund !docs .rs$"), ["src/refund.rs", "src/refunds/mod.rs"]);
        assert_eq!(found(""), paths);
        assert!(found("zzz").is_empty());
        assert_eq!(matcher.positions("xr", "x.rs"), [0, 2]);
        assert_eq!(matcher.matches("a", &paths, &|| true), None);
    }
}
