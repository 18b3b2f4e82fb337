//! Fixture answers for the tests of the formats.

use std::collections::BTreeMap;

use lore_engine::{
    Absence, Expansion, Explanation, FilterLoss, FollowUp, FollowUpCategory, Freshness, Hit, Match,
    Part, Receipt, SearchResponse, Snippet, SourceReport, UnindexedMatch, UnindexedMatches,
    UnindexedReason,
};
use lore_schema::{SkipReason, SourceName};

/// A receipt of a search over several sources.
pub fn receipt() -> Receipt {
    let skipped = BTreeMap::from([
        (SkipReason::Binary, 12),
        (SkipReason::Ignored, 903),
        (SkipReason::TooLarge, 1),
    ]);
    Receipt {
        tree: Some("3f2a91c+2".into()),
        exhaustive: false,
        total: 41,
        matched_all: 6,
        sources: BTreeMap::from([
            (SourceName::Code, SourceReport { documents: 1_190, skipped }),
            (SourceName::Docs, SourceReport { documents: 14, ..SourceReport::default() }),
            (SourceName::Git, SourceReport { documents: 300, ..SourceReport::default() }),
            (SourceName::Tickets, SourceReport::default()),
        ]),
        expanded: vec![Expansion { word: "refund".into(), added: vec!["repay".into()] }],
        elapsed_ms: 9.4375,
        ..Receipt::new("/shop".into())
    }
}

/// A hit with required values only.
pub fn hit(rank: usize, source: SourceName, id: &str) -> Hit {
    Hit {
        rank,
        id: id.into(),
        source,
        format: "files".into(),
        kind: "file".into(),
        title: String::new(),
        path: None,
        repository: None,
        start_line: None,
        end_line: None,
        language: None,
        breadcrumb: Vec::new(),
        signature: None,
        doc_comment: None,
        token_count: 12,
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
        body: None,
        matches: Vec::new(),
        total_matches: 0,
        is_composed: false,
        also_found_in: Vec::new(),
        links: Vec::new(),
        explanation: None,
    }
}

fn code() -> Hit {
    let text = "    /// Retries a refund, at most three times.\n    \
                pub fn retry_refund(&self, id: RefundId) -> Result<(), Error> {\n\
                \t\tself.gateway.retry(id)\n";
    Hit {
        kind: "method".into(),
        title: "retry_refund".into(),
        path: Some("src/refund.rs".into()),
        repository: None,
        start_line: Some(10),
        end_line: Some(42),
        language: Some("rust".into()),
        breadcrumb: vec!["payments".into(), "Refunds".into(), "retry_refund".into()],
        signature: Some("pub fn retry_refund(&self, id: RefundId) -> Result<(), Error>".into()),
        doc_comment: Some("Retries a refund, at most three times.".into()),
        token_count: 311,
        score: 0.83,
        bm25_score: Some(0.71),
        bm25_rank: Some(2),
        semantic_score: None,
        semantic_rank: None,
        snippet: Snippet {
            text: text.into(),
            start_line: 9,
            highlights: vec![(8, 15), (18, 24), (58, 70)],
        },
        matches: vec![
            Match {
                field: "content",
                text: "    /// Retries a refund, at most three times.".into(),
                line: Some(9),
                score: 0.8,
                highlights: vec![(8, 15), (18, 24)],
            },
            Match {
                field: "content",
                text: "// refund".into(),
                line: Some(17),
                score: 0.4,
                highlights: vec![(3, 9)],
            },
        ],
        total_matches: 7,
        is_composed: false,
        also_found_in: vec!["code:vendor/refund.rs#Refunds.retry_refund".into()],
        ..hit(1, SourceName::Code, "code:src/refund.rs#Refunds.retry_refund")
    }
}

fn document() -> Hit {
    Hit {
        kind: "section".into(),
        title: "Refunds".into(),
        path: Some("docs/refunds.md".into()),
        repository: None,
        start_line: Some(3),
        end_line: Some(5),
        language: Some("markdown".into()),
        breadcrumb: vec!["Guide".into(), "Refunds".into()],
        status: Some("accepted".into()),
        tags: vec!["money".into(), "api".into()],
        score: 0.61,
        snippet: Snippet {
            text: "\nA refund is retried when the bank does not answer, and this sentence goes on \
                   for so long that it cannot be shown on one line.\n\n"
                .into(),
            start_line: 3,
            highlights: vec![(3, 9)],
        },
        total_matches: 1,
        ..hit(2, SourceName::Docs, "docs:docs/refunds.md#Refunds")
    }
}

fn commit() -> Hit {
    Hit {
        format: "git".into(),
        kind: "commit".into(),
        title: "refund: retry on a closed connection".into(),
        author: Some("Ada Lovelace <ada@example.com>".into()),
        date: Some(1_738_281_600),
        extra: vec![("file".into(), "src/refund.rs".into())],
        score: 0.55,
        snippet: Snippet {
            text: "refund: retry on a closed connection".into(),
            start_line: 1,
            highlights: vec![(0, 6), (8, 13)],
        },
        total_matches: 1,
        ..hit(3, SourceName::Git, "git:3f2a91c0d4e5f60718293a4b5c6d7e8f90a1b2c3")
    }
}

fn second_code() -> Hit {
    Hit {
        kind: "file".into(),
        title: "src/retry.rs".into(),
        path: Some("src/retry.rs".into()),
        repository: None,
        start_line: Some(1),
        end_line: Some(1),
        category: "test",
        match_type: "multi-hop",
        hops: 1,
        via: Some("src/refund.rs#Refunds.retry_refund".into()),
        snippet: Snippet { text: "mod refund;".into(), start_line: 1, highlights: vec![(4, 10)] },
        ..hit(4, SourceName::Code, "code:src/retry.rs:1-1")
    }
}

/// Four hits of three sources.
pub fn response() -> SearchResponse {
    SearchResponse {
        query: "retry refund".into(),
        hits: vec![code(), document(), commit(), second_code()],
        receipt: receipt(),
        absence: None,
        holders: None,
        facets: None,
        follow_ups: vec![FollowUp {
            query: "callers of retry_refund".into(),
            category: FollowUpCategory::Callers,
        }],
        warnings: vec!["the index was damaged and has been rebuilt".into()],
    }
}

/// One hit with its explanation.
pub fn explained() -> SearchResponse {
    let part =
        |name, value: f32, weight: f32| Part { name, value, weight, contribution: value * weight };
    let parts =
        vec![part("lexical", 0.71, 2.0), part("definition", 1.0, 0.5), part("test", 0.0, -0.5)];
    let hit = Hit { explanation: Some(Explanation { parts }), ..second_code() };
    SearchResponse { hits: vec![hit], ..response() }
}

/// No hit.
pub fn nothing() -> SearchResponse {
    SearchResponse {
        query: "refnd".into(),
        hits: Vec::new(),
        receipt: Receipt { exhaustive: true, total: 0, matched_all: 0, ..receipt() },
        absence: Some(Absence {
            reasons: vec!["no document contains `refnd`".into()],
            nearest: vec!["refund".into(), "Refunds".into()],
            unknown_words: vec!["refnd".into()],
            filters: vec![FilterLoss { name: "lang", values: vec!["rust".into()], removed: 12 }],
            elsewhere: Some(UnindexedMatches {
                matches: vec![UnindexedMatch {
                    reason: UnindexedReason::Branch { name: "feature".into() },
                    path: "src/refnd.rs".into(),
                    line: Some(3),
                    word: "refnd".into(),
                }],
                files: 4,
                commits: 3,
                branches: 1,
                complete: true,
            }),
        }),
        follow_ups: Vec::new(),
        holders: None,
        facets: None,
        warnings: Vec::new(),
    }
}

/// Hits whose texts all contain control sequences for a terminal.
pub fn hostile() -> SearchResponse {
    const EVIL: &str = "a\x1b[2J\x1b]0;title\x07\u{9b}31m\u{202e}b\r\x08";
    let evil = || EVIL.to_owned();
    let place = Match {
        field: "content",
        text: evil(),
        line: Some(99),
        score: 1.0,
        highlights: vec![(0, 1)],
    };
    let hit = Hit {
        format: evil(),
        kind: evil(),
        title: evil(),
        path: Some(evil()),
        repository: None,
        start_line: Some(1),
        language: Some(evil()),
        breadcrumb: vec![evil()],
        signature: Some(evil()),
        doc_comment: Some(evil()),
        status: Some(evil()),
        priority: Some(evil()),
        tags: vec![evil()],
        author: Some(evil()),
        date: Some(i64::MAX),
        extra: vec![(evil(), evil())],
        score: f32::NAN,
        snippet: Snippet {
            text: format!("{EVIL}\n{EVIL}"),
            start_line: 1,
            highlights: vec![(0, 9), (500, 600)],
        },
        matches: vec![place],
        total_matches: 1,
        is_composed: false,
        also_found_in: vec![evil()],
        hops: 1,
        via: Some(evil()),
        ..hit(1, SourceName::Tickets, EVIL)
    };
    let commit = Hit { path: None, start_line: None, ..hit.clone() };
    SearchResponse {
        query: evil(),
        hits: vec![hit, commit],
        receipt: Receipt {
            root: EVIL.into(),
            tree: Some(evil()),
            fresh: Freshness::Partial(3),
            ..receipt()
        },
        absence: None,
        follow_ups: vec![FollowUp { query: evil(), category: FollowUpCategory::Section }],
        holders: None,
        facets: None,
        warnings: vec![evil()],
    }
}
