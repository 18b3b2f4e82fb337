//! Tests of the query language and the filters over the index of a small project. Each row is a query
//! and exactly the files that it must find.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests make folders, and a failure there is a failed test"
)]

use std::{collections::BTreeSet, fs};

use lore_engine::{
    Archived, AttributeFilter, CachePlace, Clock, Embedding, Engine, EngineConfig, EngineError,
    Overlays, Parsers, Progress, RankingConfig, SearchRequest, Syntax,
};
use lore_schema::{Filter, SourceName, testing};
use tempfile::TempDir;

struct Silent;

impl Progress for Silent {
    fn advance(&self, _: SourceName, _: u64, _: u64) {}
    fn note(&self, _: &str) {}
}

const PROJECT: &str = "\
//- /.lean-spec/config.json
{}
//- /specs/001-login/README.md
---
status: in-progress
created: 2025-03-01
priority: high
tags: [auth, api]
assignee: Ada Lovelace
epic: Door
due: 2025-06-15
points: 5
---
# Login with a token

A session starts with a token refresh. The old flow is deprecated.
//- /specs/002-report/README.md
---
status: planned
created: 2025-04-15
priority: low
tags: [auth-server]
assignee: grace
points: 13
---
# Monthly report

The report lists every session of a month.
//- /specs/archived/003-search/README.md
---
status: complete
created: 2024-12-31
tags: [api]
---
# Search in the ledger

Finds an entry by its amount, and refreshes the token of the page.
//- /src/session.rs
/// Starts a session.
pub fn start_session(token: &str) -> bool {
    !token.is_empty()
}
//- /docs/guide.md
# Guide

How to keep a session: a token, a refresh, and patience. It is not hard and costs little.
";

fn project() -> (TempDir, Engine) {
    let folder = TempDir::new().unwrap();
    for (path, text) in testing::files(PROJECT) {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let engine = open(&folder);
    (folder, engine)
}

fn open(folder: &TempDir) -> Engine {
    Engine::open(EngineConfig {
        root: folder.path().to_owned(),
        at: None,
        stored: None,
        backend: lore_engine::default_backend(),
        cache: CachePlace::Memory,
        write: true,
        hidden: true,
        max_file_size: 1 << 20,
        commits: Some(100),
        custom: lore_engine::CustomSources::none(),
        threads: 2,
        secrets: lore_engine::Secrets::Redacted,
        exports: Vec::new(),
        ranking: RankingConfig::default(),
        embedding: Embedding::Embedded,
        parsers: Parsers::in_process(),
        overlays: Overlays::default(),
        limits: lore_engine::Limits::none(),
        commit_interval: EngineConfig::COMMIT_INTERVAL,
    })
    .unwrap()
}

/// 2025-05-01T00:00:00Z.
const NOW: i64 = 1_746_057_600;

fn request(query: &str) -> SearchRequest {
    SearchRequest::new(query).with_clock(Clock { now: NOW, offset: 0 }).with_limit(50)
}

/// Returns a letter for each file found: `l`ogin, `r`eport, `s`earch, `c`ode, `g`uide, and the settings of
/// the specs.
fn letters(engine: &Engine, request: &SearchRequest) -> (String, Vec<String>) {
    let response = engine.search(request, &Silent).unwrap();
    let letter = |path: &str| match path {
        "specs/001-login/README.md" => 'l',
        "specs/002-report/README.md" => 'r',
        "specs/archived/003-search/README.md" => 's',
        "src/session.rs" => 'c',
        "docs/guide.md" => 'g',
        ".lean-spec/config.json" => 'j',
        other => panic!("{other} is no answer"),
    };
    let found: BTreeSet<char> =
        response.hits.iter().filter_map(|hit| hit.path.as_deref()).map(letter).collect();
    (found.into_iter().collect(), response.warnings)
}

#[test]
fn queries_find_exactly_their_files() {
    let (_folder, engine) = project();
    let rows: &[(&str, &str)] = &[
        // Words rank, operators filter.
        ("session", "cglr"),
        ("session deprecated", "cglr"),
        ("session AND token", "cgl"),
        ("session AND NOT token", "r"),
        ("session -token", "r"),
        ("+token month", "cgls"),
        ("ledger OR month", "rs"),
        ("(ledger OR deprecated) AND token", "ls"),
        ("ledger OR session AND deprecated", "ls"),
        ("NOT session", "js"),
        ("hard and not soft", "g"),
        // Phrases.
        ("\"token refresh\"", "l"),
        ("\"a session\"", "cgl"),
        ("\"oken refresh\"", ""),
        ("\"token refresh\" OR \"an entry\"", "ls"),
        // Prefixes and typos.
        ("patien*", "g"),
        ("deprcated", ""),
        ("deprcated~", "l"),
        ("ledgr~1", "s"),
        ("ledr~1", ""),
        ("ledgre~2", "s"),
        // Fields.
        ("status:in-progress", "l"),
        ("status:in_progress,planned", "lr"),
        ("state:IN-PROGRESS", "l"),
        ("tag:auth", "l"),
        ("tag:auth*", "lr"),
        ("tag:api -status:complete", "l"),
        ("priority:high OR priority:low", "lr"),
        ("assignee:ada", "l"),
        ("assignee:\"ada lovelace\"", "l"),
        ("assignee:love", ""),
        ("epic:door", "l"),
        ("title:token", "l"),
        ("title:\"a token\"", "l"),
        ("name:report", "r"),
        ("content:token", "cgls"),
        ("content:Monthly", "r"),
        ("path:specs", "lrs"),
        ("path:*.rs", "c"),
        ("path:docs/**,src/**", "cg"),
        ("source:docs token", "g"),
        ("lang:rust", "c"),
        ("lang:rs token", "c"),
        ("kind:function", "c"),
        ("kind:fn token", "c"),
        ("kind:fn OR kind:ticket", "c"),
        ("kind:spec token", "ls"),
        // Ranges.
        ("created:2025", "lr"),
        ("created:>2025-03-01", "r"),
        ("created:>=2025-03-01", "lr"),
        ("created:<2025", "s"),
        ("created:<=2025-03", "ls"),
        ("created:>2025-03", "r"),
        ("created:2024-12-31..2025-03-01", "ls"),
        ("created:..2024", "s"),
        ("created:>\"7 weeks ago\"", "r"),
        ("due:2025", "l"),
        ("due:<=2025", "l"),
        ("due:>2025", ""),
        ("due:2025-06..2025-07", "l"),
        ("points:>5", "r"),
        ("points:>=5 points:<13", "l"),
        ("points:5..13", "lr"),
    ];
    for (query, expected) in rows {
        let (found, warnings) = letters(&engine, &request(query));
        assert_eq!(found, *expected, "{query}");
        assert_eq!(warnings, [""; 0], "{query}");
    }
}

#[test]
fn unknown_fields_are_text() {
    let (_folder, engine) = project();
    let (found, warnings) = letters(&engine, &request("colour:patience"));
    assert_eq!(found, "g");
    assert_eq!(warnings.len(), 1);
    assert!(warnings[0].contains("`colour:`"), "{warnings:?}");
    let (_, warnings) = letters(&engine, &request("created:soon session"));
    assert!(warnings[0].contains("could not understand the date `soon`"), "{warnings:?}");
}

#[test]
fn the_query_language_can_be_disabled() {
    let (_folder, engine) = project();
    let raw = request("\"ledger AND (").with_syntax(Syntax::Raw);
    assert_eq!(letters(&engine, &raw).0, "s");
    let error = engine.search(&request("ledger AND"), &Silent).unwrap_err();
    assert!(matches!(error, EngineError::Query(_)), "{error}");
    let word = request("ledger NOT month").with_syntax(Syntax::WithoutNot);
    assert_eq!(letters(&engine, &word).0, "grs");
}

#[test]
fn ill_formed_and_pasted_text_is_searched_as_text() {
    let (_folder, engine) = project();
    let (found, warnings) = letters(&engine, &request("\"ledger AND ("));
    assert_eq!(found, "s");
    assert!(warnings[0].contains("searched as text"), "{warnings:?}");
    assert_eq!(letters(&engine, &request("month) ledger (amount")).0, "rs");
    for pasted in [
        "ledger\nAND (status:",
        "2026-01-31 10:20:30 ERROR \"ledger\" -x",
        "ledger[\"a\"] = {status:",
        "ledger --status -m \"",
    ] {
        let (found, warnings) = letters(&engine, &request(pasted));
        assert!(found.contains('s'), "{pasted:?} finds {found}");
        assert_eq!(warnings, [""; 0], "{pasted:?}");
    }
}

#[test]
fn filters_restrict_and_change_no_score() {
    let (_folder, engine) = project();
    let texts = |values: &[&str]| values.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let filter = |change: &dyn Fn(&mut AttributeFilter)| {
        let mut attributes = AttributeFilter::default();
        change(&mut attributes);
        letters(&engine, &request("").with_attributes(attributes)).0
    };
    assert_eq!(filter(&|filter| filter.statuses = texts(&["Planned", "complete"])), "rs");
    assert_eq!(filter(&|filter| filter.tags = texts(&["auth*"])), "lr");
    assert_eq!(filter(&|filter| filter.priorities = texts(&["HIGH"])), "l");
    assert_eq!(filter(&|filter| filter.assignees = texts(&["Grace"])), "r");
    assert_eq!(filter(&|filter| filter.authors = texts(&["nobody"])), ""); // prose: data
    let points = |value: &str| ("points".to_owned(), value.to_owned());
    assert_eq!(filter(&|filter| filter.fields = vec![points("5"), points("13")]), "lr");
    assert_eq!(
        filter(&|filter| filter.fields = vec![points("5"), ("epic".to_owned(), "door".to_owned())]),
        "l"
    );
    assert_eq!(filter(&|filter| filter.archived = Archived::Only), "s");
    let archived = |archived| {
        let attributes = AttributeFilter { archived, ..AttributeFilter::default() };
        request("token").with_attributes(attributes)
    };
    assert_eq!(letters(&engine, &archived(Archived::Include)).0, "cgls");
    assert_eq!(letters(&engine, &archived(Archived::Exclude)).0, "cgl");

    let dated = |since, until| {
        let sources = vec![SourceName::Specs];
        let filter = Filter { sources, since, until, ..Filter::default() };
        letters(&engine, &request("").with_filter(filter)).0
    };
    // 2025-03-01 and the day after.
    assert_eq!(dated(Some(1_740_787_200), None), "lr");
    assert_eq!(dated(None, Some(1_740_873_600)), "ls");
    assert_eq!(dated(Some(1_740_787_200), Some(1_740_873_600)), "l");

    let score = |request: &SearchRequest| {
        let response = engine.search(request, &Silent).unwrap();
        response.hits.iter().find(|hit| hit.id.contains("001")).unwrap().score
    };
    let whole = score(&request("token refresh"));
    let attributes = AttributeFilter { tags: texts(&["api"]), ..AttributeFilter::default() };
    let filtered = score(&request("token refresh").with_attributes(attributes));
    assert!((whole - filtered).abs() < 1e-6);
    let few = request("token refresh").with_min_score(whole);
    assert!(letters(&engine, &few).0.contains('l'));
    assert!(letters(&engine, &few).0.len() < 4);
}

#[test]
fn conditions_alone_list_the_newest_first() {
    let (_folder, engine) = project();
    let response = engine.search(&request("path:specs"), &Silent).unwrap();
    let ids: Vec<&str> = response.hits.iter().map(|hit| hit.id.as_str()).collect();
    let order: Vec<usize> = ["002", "001", "003"]
        .iter()
        .map(|number| ids.iter().position(|id| id.contains(number)).unwrap())
        .collect();
    assert!(order.is_sorted(), "{ids:?}");
    assert_eq!(response.receipt.total, 3);
    assert!(response.receipt.exhaustive);
}

#[test]
fn a_long_question_works() {
    let (_folder, engine) = project();
    // prose: data begins
    let question = "I would like to know how one can keep a session going for a long time with a \
        token and a refresh when everything around it is slow and nobody has any patience left";
    // prose: data ends
    let response = engine.search(&request(question), &Silent).unwrap();
    assert_eq!(response.warnings, [""; 0]);
    let found = |path: &str| response.hits.iter().any(|hit| hit.path.as_deref() == Some(path));
    assert!(found("docs/guide.md") && found("src/session.rs"));
}

#[test]
fn conditions_match_every_word_with_a_prefix() {
    let (folder, engine) = project();
    let many: Vec<String> = (0..1_000).map(|number| format!("s{number:03}x")).collect();
    fs::write(folder.path().join("docs/many.md"), many.join(" ")).unwrap();
    fs::write(folder.path().join("docs/guide.md"), "zebra szzz").unwrap();
    assert_eq!(letters(&engine, &request("zebra AND s*")).0, "g");
    assert_eq!(letters(&engine, &request("zebra NOT s*")).0, "");
    assert_eq!(letters(&engine, &request("zebra AND szzy~1")).0, "g");
}

#[test]
fn hops_meet_the_conditions_too() {
    let folder = TempDir::new().unwrap();
    let write = |path: &str, text: &str| fs::write(folder.path().join(path), text).unwrap();
    write(
        "main.rs",
        "use crate::other::pay_back;\n/// The refund flow.\npub fn refund_flow() {\n    pay_back();\n}\n",
    );
    write("other.rs", "/// Gives money.\npub fn pay_back() {}\n");
    let engine = open(&folder);
    let paths = |query: &str, min_score: f32| {
        let request = request(query).with_hops(1).with_min_score(min_score);
        let response = engine.search(&request, &Silent).unwrap();
        let ids: BTreeSet<&String> = response.hits.iter().map(|hit| &hit.id).collect();
        assert_eq!(ids.len(), response.hits.len(), "each once");
        response.hits.iter().filter_map(|hit| hit.path.clone()).collect::<Vec<_>>()
    };
    assert_eq!(paths("refund_flow", 0.0), ["main.rs", "other.rs"]);
    assert_eq!(paths("refund_flow path:main.rs", 0.0), ["main.rs"]);
    let best = engine.search(&request("refund_flow"), &Silent).unwrap().hits[0].score;
    assert_eq!(paths("refund_flow", best), ["main.rs"]);
}

#[test]
fn symbols_that_are_no_words_are_searched_literally() {
    let (folder, engine) = project();
    fs::write(folder.path().join("docs/guide.md"), "Deploy \u{1f980} now").unwrap();
    assert_eq!(letters(&engine, &request("\u{1f980}")).0, "g");
    let error = engine.search(&request("!!!"), &Silent).unwrap_err();
    assert!(matches!(error, EngineError::EmptyQuery), "{error}");
}

#[test]
fn a_quoted_sentence_comes_first_and_a_title_before_a_few_quoted_words() {
    let folder = TempDir::new().unwrap();
    let exact = "the keys of a session are kept in the vault for a day and a night at most";
    fs::write(folder.path().join("a.md"), format!("# Notes\n\nBy the way, {exact}.\n")).unwrap();
    let words = "# Session keys\n\nsession keys vault day night kept most session keys vault\n";
    fs::write(folder.path().join("session-keys-vault.md"), words).unwrap();
    let engine = open(&folder);
    let response = engine.search(&request(exact), &Silent).unwrap();
    assert_eq!(response.hits[0].path.as_deref(), Some("a.md"));
    assert_eq!(response.hits[0].match_type, "exact");
    // A few words in a text are less than a document that is named after them.
    let response = engine.search(&request("keys of a session"), &Silent).unwrap();
    assert_eq!(response.hits[0].path.as_deref(), Some("session-keys-vault.md"));
    assert_eq!(response.hits[1].match_type, "exact");
}

#[test]
fn the_same_text_is_one_hit() {
    let folder = TempDir::new().unwrap();
    // prose: data begins
    let text = "A refund that is larger than the payment is refused, and the answer names the \
        payment and the amount that is left of it, so that nobody has to ask the bank.";
    // prose: data ends
    fs::create_dir_all(folder.path().join("docs/specs")).unwrap();
    fs::write(folder.path().join("docs/specs/refunds.md"), format!("# Refunds\n\n{text}\n"))
        .unwrap();
    fs::write(folder.path().join("docs/copy.md"), format!("# Copy\n\n{text}\n")).unwrap();
    let engine = open(&folder);
    let response = engine.search(&request("refund larger than the payment"), &Silent).unwrap();
    assert_eq!(response.hits.len(), 1, "{:?}", response.hits);
    assert_eq!(response.hits[0].also_found_in.len(), 1);
    assert!(response.receipt.exhaustive, "both are reported");
}

#[test]
fn copies_of_code_are_one_hit() {
    let folder = TempDir::new().unwrap();
    let code = |limit: &str| {
        format!(
            "/// Refunds a payment unless the refund is larger than what is left of the payment.\n\
             pub fn refund(payment: &Payment, amount: u64) -> Result<Refund, Refused> {{\n    \
             let left = payment.amount - payment.refunded;\n    \
             if amount > {limit} {{\n        return Err(Refused {{ payment: payment.id, left }});\n    \
             }}\n    Ok(Refund::of(payment, amount))\n}}\n"
        )
    };
    for (name, limit) in [("a.rs", "left"), ("b.rs", "left"), ("c.rs", "payment.left()")] {
        fs::write(folder.path().join(name), code(limit)).unwrap();
    }
    let engine = open(&folder);
    // For words, the index shows which passages may be copies; for a declaration that was looked up, only
    // the texts do.
    for query in ["refund larger than payment", "refund"] {
        let response = engine.search(&request(query), &Silent).unwrap();
        let shown: Vec<usize> = response.hits.iter().map(|hit| hit.also_found_in.len()).collect();
        assert_eq!(shown.iter().sum::<usize>(), 1, "{query}: {:?}", response.hits);
        assert_eq!(shown.len(), 2, "{query}: {:?}", response.hits);
    }
}
