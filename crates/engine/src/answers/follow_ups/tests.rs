//! Tests of the suggested queries.

use lore_schema::SourceName;

use super::*;
use crate::Snippet;

fn hit(source: SourceName, kind: &str, title: &str, breadcrumb: &[&str]) -> Hit {
    let is_code = source == SourceName::Code;
    Hit {
        body: None,
        links: Vec::new(),
        rank: 1,
        id: format!("{source}:{title}"),
        source,
        format: "files".into(),
        kind: kind.into(),
        title: title.into(),
        path: None,
        repository: None,
        start_line: None,
        end_line: None,
        language: None,
        breadcrumb: breadcrumb.iter().map(|&name| name.to_owned()).collect(),
        signature: is_code.then(|| format!("fn {title}()")),
        doc_comment: None,
        token_count: 1,
        category: "own",
        origin: lore_schema::Trust::Own,
        status: None,
        priority: None,
        tags: Vec::new(),
        author: None,
        date: None,
        extra: Vec::new(),
        score: 0.5,
        match_type: "lexical",
        hops: 0,
        via: None,
        bm25_score: None,
        bm25_rank: None,
        semantic_score: None,
        semantic_rank: None,
        snippet: Snippet::default(),
        matches: Vec::new(),
        total_matches: 0,
        is_composed: false,
        also_found_in: Vec::new(),
        explanation: None,
    }
}

fn check(query: &str, hits: &[Hit], neighbours: &[&str], expected: &[&str]) {
    let neighbours: Vec<String> = neighbours.iter().map(|&name| name.to_owned()).collect();
    let follow_ups: Vec<String> = follow_ups(query, hits, &neighbours)
        .iter()
        .map(|follow_up| format!("{}: {}", follow_up.category.as_str(), follow_up.query))
        .collect();
    assert_eq!(follow_ups, expected, "{query}");
}

#[test]
fn every_category_appears_before_one_repeats() {
    let retry = hit(SourceName::Code, "method", "retry_refund", &["Refunds", "retry_refund"]);
    let guide = hit(SourceName::Docs, "guide", "Operations", &["Operations", "Refunds at night"]);
    check(
        "refund",
        &[retry.clone(), guide.clone()],
        &["Gateway", "Cents"],
        &[
            "callers: callers of retry_refund",
            "neighbour: Gateway",
            "container: Refunds",
            "tests: retry_refund test",
            "reasons: why retry_refund",
        ],
    );
    check("refund", &[guide], &[], &["section: Refunds at night"]);
    let test = Hit { category: "test", ..retry.clone() };
    let commit = hit(SourceName::Git, "commit", "refund: one key", &[]);
    check(
        "  REFUNDS ",
        &[test, commit],
        &["Gateway", "Cents", "gateway"],
        &["callers: callers of retry_refund", "neighbour: Gateway", "neighbour: Cents"],
    );
}

#[test]
fn an_empty_answer_has_no_follow_ups() {
    check("refund", &[], &[], &[]);
    let long = hit(SourceName::Docs, "guide", "Title", &["Title", &"x".repeat(61)]);
    check("refund", &[long], &[], &[]);
}

#[test]
fn answers_are_identified_by_query_and_hits() {
    let single = [hit(SourceName::Code, "function", "a", &[])];
    let other = [hit(SourceName::Code, "function", "b", &[])];
    assert_eq!(key(" Retry  refund", &single), key("retry REFUND ", &single));
    assert_ne!(key("retry", &single), key("retry", &other));
    assert_ne!(key("retry", &single), key("refund", &single));
    let many: Vec<Hit> =
        (0..5).map(|_| hit(SourceName::Code, "function", &"n".repeat(90), &[])).collect();
    assert_eq!(key("q", &many).chars().count(), "q|".len() + SUMMARY);
}
