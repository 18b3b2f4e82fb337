//! Tests of searches from a failure log, over a tree with a history and tickets.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests make and change folders, and a failure there is a failed test"
)]

mod common;

use std::process::Command;

use lore_engine::{Engine, EngineError, FailureRequest, Hit, SearchRequest, SearchResponse};
use lore_schema::SourceName;

use common::{Silent, Workspace};

const SHOP: &str = "\
//- /shop/refund.py
def share(total, parts):
    return total // parts


def retry(order):
    return share(order.total, order.parts)
//- /shop/ledger.py
def post(entry):
    return entry


def total(entries):
    return sum(entry.cents for entry in entries)
//- /tools/report/store.py
def lease():
    return 1
//- /tools/audit/store.py
def lease():
    return 2
//- /tests/test_refund.py
from shop.refund import retry


def test_retry():
    retry(None)
//- /.sage/tickets/index.json
{\"version\": \"1.0\", \"tickets\": [{\"id\": \"PAY-7\", \"title\": \"Division by zero in a refund\", \
\"type\": \"bug\", \"state\": \"COMPLETED\", \"description\": \"An order without parts.\"}]}
";

const TRACEBACK: &str = "\
Traceback (most recent call last):
  File \"/srv/app/shop/refund.py\", line 6, in retry
    return share(order.total, order.parts)
  File \"/srv/app/shop/refund.py\", line 2, in share
    return total // parts
ZeroDivisionError: integer division or modulo by zero
";

impl Workspace {
    fn git(&self, arguments: &[&str]) {
        let status = Command::new("git")
            .args(["-c", "user.name=Ann", "-c", "user.email=ann@example.com"])
            .args(arguments)
            .current_dir(self.tree.path())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_AUTHOR_DATE", "2026-01-31T10:20:30Z")
            .env("GIT_COMMITTER_DATE", "2026-01-31T10:20:30Z")
            .status()
            .unwrap();
        assert!(status.success(), "{arguments:?}");
    }

    /// Creates two commits: the second one wrote the line that divides.
    fn with_history() -> Workspace {
        let shop = Workspace::new(&SHOP.replace("total // parts", "total / parts"));
        shop.git(&["init", "-q"]);
        shop.git(&["add", "-A"]);
        shop.git(&["commit", "-q", "-m", "Share orders"]);
        shop.write(
            "shop/refund.py",
            "def share(total, parts):\n    return total // parts\n\n\ndef retry(order):\n    \
             return share(order.total, order.parts)\n",
        );
        shop.git(&["commit", "-q", "-am", "Whole cents alone"]);
        shop
    }

    fn failure(&self, log: &str, change: impl FnOnce(&mut SearchRequest)) -> SearchResponse {
        let mut search = SearchRequest::new("").with_limit(20);
        change(&mut search);
        let request = FailureRequest { log: log.to_owned(), skipped_bytes: 0, search };
        Engine::open(self.config()).unwrap().failure(&request, &Silent).unwrap()
    }
}

/// Formats the type, the id or title, and the reason of hits found through frames.
fn describe(response: &SearchResponse) -> Vec<String> {
    let described = |hit: &Hit| {
        let name = if hit.source == SourceName::Git { &hit.title } else { &hit.id };
        hit.via.as_ref().map(|via| format!("{} {name} | {via}", hit.match_type))
    };
    response.hits.iter().filter_map(described).collect()
}

#[test]
fn frames_come_first_with_tests_commits_and_tickets() {
    let shop = Workspace::with_history();
    let response = shop.failure(TRACEBACK, |_| {});
    let message = "ZeroDivisionError: integer division or modulo by zero";
    let mut described = describe(&response);
    assert_eq!(
        described.drain(..2).collect::<Vec<_>>(),
        [
            format!("frame code:shop/refund.py#share | frame 1 of 2: {message}"),
            format!("frame code:shop/refund.py#retry | frame 2 of 2: {message}"),
        ]
    );
    described.sort();
    assert_eq!(
        described,
        [
            "covering-test code:tests/test_refund.py#test_retry | tests retry (frame 2)",
            "line-history Share orders | wrote shop/refund.py:6 (frame 2)",
            "line-history Whole cents alone | wrote shop/refund.py:2 (frame 1)",
        ]
    );
    let first = &response.hits[0];
    assert_eq!((first.start_line, first.end_line), (Some(1), Some(2)));
    assert_eq!(first.snippet.text, "def share(total, parts):\n    return total // parts");
    assert_eq!(
        first.snippet.highlights,
        [(29, 50)],
        "the line of the frame, without its indentation"
    );
    let tickets: Vec<&Hit> =
        response.hits.iter().filter(|hit| hit.source == SourceName::Tickets).collect();
    assert!(tickets.iter().any(|hit| hit.id.contains("PAY-7")), "{tickets:?}");
    let report = response.receipt.failure.unwrap();
    assert_eq!((report.in_tree, report.outside, report.unresolved, report.relocated), (2, 0, 0, 0));
    let ids: std::collections::HashSet<&String> = response.hits.iter().map(|hit| &hit.id).collect();
    assert_eq!(ids.len(), response.hits.len(), "each hit once");
}

#[test]
fn a_name_without_a_position_has_not_moved() {
    let shop = Workspace::new(SHOP);
    let log = "\
thread 'main' panicked at src/none.rs:1:1:
nothing to share
stack backtrace:
   0: rust_begin_unwind
   1: refund::share
";
    let response = shop.failure(log, |_| {});
    let report = response.receipt.failure.clone().unwrap();
    assert_eq!(response.hits[0].id, "code:shop/refund.py#share");
    assert_eq!((report.in_tree, report.relocated), (1, 0), "{report:?}");
    assert!(!response.hits[0].via.as_deref().unwrap().contains("was "), "{response:?}");
}

#[test]
fn moved_code_is_found_and_reported() {
    let shop = Workspace::new(SHOP);
    let log = "\
Traceback (most recent call last):
  File \"/usr/lib/python3.11/runpy.py\", line 196, in _run_module_as_main
    return _run_code(code)
  File \"/srv/app/shop/ledger.py\", line 2, in total
    return sum(entry.cents for entry in entries)
  File \"/srv/old/store.py\", line 2, in lease
    return 1
  File \"/srv/app/shop/ledger.py\", line 400, in <module>
    boom()
ValueError: no entries
";
    let response = shop.failure(log, |_| {});
    let report = response.receipt.failure.clone().unwrap();
    assert_eq!((report.in_tree, report.outside, report.unresolved, report.relocated), (1, 1, 2, 1));
    assert_eq!(report.moved[0].from, "/srv/app/shop/ledger.py:2 total");
    assert_eq!(report.moved[0].to, "shop/ledger.py:5");
    let places: Vec<&str> =
        report.undecided.iter().map(|undecided| undecided.place.as_str()).collect();
    assert_eq!(places, ["/srv/app/shop/ledger.py:400 <module>", "/srv/old/store.py:2 lease"]);
    assert_eq!(report.undecided[0].candidates, ["shop/ledger.py"]);
    assert_eq!(report.undecided[1].candidates, ["tools/audit/store.py", "tools/report/store.py"]);
    assert_eq!(response.hits[0].id, "code:shop/ledger.py#total");
    let via = response.hits[0].via.as_deref().unwrap();
    assert_eq!(via, "frame 3 of 4: ValueError: no entries; was /srv/app/shop/ledger.py:2 total");
    assert!(response.warnings.iter().any(|line| line.contains("shop/ledger.py:5")));
}

#[test]
fn filters_limits_and_words_are_respected() {
    let shop = Workspace::with_history();
    let in_git = shop.failure(TRACEBACK, |search| search.filter.sources = vec![SourceName::Git]);
    assert!(!in_git.hits.is_empty());
    assert!(in_git.hits.iter().all(|hit| hit.source == SourceName::Git), "{in_git:?}");
    let in_tests = shop.failure(TRACEBACK, |search| search.filter.paths = vec!["tests".to_owned()]);
    let paths: Vec<_> = in_tests.hits.iter().filter_map(|hit| hit.path.as_deref()).collect();
    assert!(!paths.is_empty() && paths.iter().all(|path| path.starts_with("tests/")), "{paths:?}");
    let two = shop.failure(TRACEBACK, |search| search.limit = 2);
    assert_eq!(two.hits.len(), 2);
    assert_eq!(two.hits[0].id, "code:shop/refund.py#share", "the failing point is always shown");
    let with_words = shop.failure(TRACEBACK, |search| search.query = "post entry".to_owned());
    assert!(with_words.query.starts_with("post entry"), "{}", with_words.query);
    assert!(with_words.hits.iter().any(|hit| hit.path.as_deref() == Some("shop/ledger.py")));
}

#[test]
fn unrecognised_logs_are_searched_by_their_rarest_words() {
    let shop = Workspace::new(SHOP);
    let response = shop.failure("xyzzy said something about the cents of a ledger", |_| {});
    let report = response.receipt.failure.as_ref().unwrap();
    assert!(report.failures.is_empty());
    assert!(report.words.contains("cents") && !report.words.contains("xyzzy"), "{}", report.words);
    assert_eq!(response.hits[0].path.as_deref(), Some("shop/ledger.py"));
    assert!(response.warnings.iter().any(|line| line.contains("rarest words")));
    let unknown = shop.failure("xyzzy plugh", |_| {});
    assert!(unknown.hits.is_empty() && unknown.absence.is_some());
    let blank = FailureRequest {
        log: " \n".to_owned(),
        skipped_bytes: 0,
        search: SearchRequest::new("share"),
    };
    let engine = Engine::open(shop.config()).unwrap();
    assert!(matches!(engine.failure(&blank, &Silent), Err(EngineError::EmptyQuery)));
}
