//! Pasted text: tracebacks, log lines, messages and sentences with the signs of the query language.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests make folders, and a failure there is a failed test"
)]

mod common;

use common::{Silent, Workspace};
use lore_engine::{Engine, Mode, SearchRequest, SearchResponse};

const SHOP: &str = "\
//- /shop/refund.py
import logging


def retry(order):
    for attempt in range(3):
        logging.warning(\"attempt %d of order %s failed\", attempt, order)
        pay(order)


def pay(order):
    if order.total < 0:
        raise ValueError(f\"the total of {order.id} is negative\")
//- /shop/orders.py
from shop.refund import retry


def close(order):
    retry(order)
//- /shop/cart.py
\"\"\"The total of a cart is never negative. An order that failed is retried: attempt, total, order.\"\"\"


def total(cart):
    return sum(cart)
//- /web/src/Cart.java
package com.shop.web;

public class Cart {
    void add(String item) {
        throw new IllegalStateException(\"full\");
    }
}
//- /web/cart.js
export function add(cart, item) {
  throw new Error(`cart ${cart.id} has no room for ${item}`);
}
//- /core/src/stock.rs
pub fn take(item: &str) -> usize {
    panic!(\"no stock of {item} in any of the warehouses\")
}
//- /core/stock.go
package core

func Take(item string) {
	panic(\"gone\")
}
";

fn search(workspace: &Workspace, query: &str) -> SearchResponse {
    let request = SearchRequest::new(query).with_mode(Mode::Lexical).with_explain(true);
    Engine::open(workspace.config()).unwrap().search(&request, &Silent).unwrap()
}

/// The path of the first hit, and the shown lines.
fn first(response: &SearchResponse) -> (String, String) {
    let hit = response.hits.first().expect("a hit");
    (hit.path.clone().unwrap_or_default(), hit.snippet.text.clone())
}

#[test]
fn the_innermost_frame_of_a_stack_comes_first_at_its_line() {
    let shop = Workspace::new(SHOP);
    for (log, path, line) in [
        (
            "Traceback (most recent call last):\n  File \"/srv/app/shop/orders.py\", line 5, in close\n    \
             retry(order)\n  File \"/srv/app/shop/refund.py\", line 12, in pay\n    raise ValueError(m)\n\
             ValueError: bad\n",
            "shop/refund.py",
            "raise ValueError",
        ),
        (
            "Exception in thread \"main\" java.lang.IllegalStateException: x\n\
             \tat com.shop.web.Cart.add(Cart.java:5)\n",
            "web/src/Cart.java",
            "IllegalStateException(\"full\")",
        ),
        (
            "thread 'main' panicked at core/src/stock.rs:2:5:\nexplicit panic\n",
            "core/src/stock.rs",
            "panic!",
        ),
        (
            "Error: x\n    at add (/home/ann/web/cart.js:2:9)\n    at main (node:internal/x:1:1)\n",
            "web/cart.js",
            "throw new Error",
        ),
        (
            "panic: x\n\ngoroutine 1 [running]:\ncore.Take(...)\n\t/go/core/stock.go:4 +0x1d\n",
            "core/stock.go",
            "panic(",
        ),
        ("it fails in shop/refund.py:7 for me", "shop/refund.py", "pay(order)"),
    ] {
        let found = search(&shop, log);
        let (found, shown) = first(&found);
        assert_eq!(found, path, "{log}");
        assert!(shown.contains(line), "{log}: {shown}");
    }
}

#[test]
fn a_message_finds_its_format_string() {
    let shop = Workspace::new(SHOP);
    for (message, path, line) in [
        ("ERROR: the total of order-7 is negative", "shop/refund.py", "is negative"),
        (
            "2026-01-31 10:20:30 WARNING attempt 2 of order total failed",
            "shop/refund.py",
            "attempt %d",
        ),
        ("error: cart total-9 has no room for (negative: total) -x", "web/cart.js", "has no room"),
        (
            "[ERROR] no stock of \"cart\" in any of the warehouses",
            "core/src/stock.rs",
            "no stock of",
        ),
    ] {
        let found = search(&shop, message);
        let (found, shown) = first(&found);
        assert_eq!(found, path, "{message}");
        assert!(shown.contains(line), "{message}: {shown}");
    }
}

#[test]
fn a_sentence_with_operators_is_also_searched_as_text() {
    let shop = Workspace::new(SHOP);
    // As query language, each would require a word that the format string does not contain.
    for sentence in [
        "no stock of \"total\" in any of the warehouses",
        "no stock of (cart) in any of the warehouses",
        "no stock of +order in any of the warehouses",
    ] {
        let found = search(&shop, sentence);
        let paths: Vec<_> = found.hits.iter().filter_map(|hit| hit.path.as_deref()).collect();
        assert!(paths.contains(&"core/src/stock.rs"), "{sentence}: {paths:?}");
    }
    // With fewer words, or an operator that no sentence has, it is a query.
    for query in ["stock of \"negative\"", "no stock of any warehouses AND \"negative\""] {
        let found = search(&shop, query);
        assert!(found.hits.iter().all(|hit| hit.path.as_deref() != Some("core/src/stock.rs")));
    }
}

#[test]
fn the_score_of_a_long_text_is_the_sum_of_its_parts() {
    let shop = Workspace::new(SHOP);
    let issue = "Refunds are retried too often\n\nThe `retry` function of an order calls `pay` again.\n\n\
        ```python\nretry(order)\n```\n";
    let found = search(&shop, issue);
    assert_eq!(first(&found).0, "shop/refund.py");
    let mut before = 1.0;
    for (at, hit) in found.hits.iter().enumerate() {
        assert_eq!(hit.rank, at + 1);
        assert!(hit.score <= before, "hits are in the order of their scores");
        before = hit.score;
        let explanation = hit.explanation.as_ref().unwrap();
        let names: Vec<_> = explanation.parts.iter().map(|part| part.name).collect();
        for name in ["whole", "title", "prose", "identifiers", "code", "frame", "message"] {
            assert!(names.contains(&name), "{name} is not in {names:?}");
        }
    }
    assert_eq!(found.query, issue);
}

#[test]
fn filters_hold_for_frames_and_messages() {
    let shop = Workspace::new(SHOP);
    let mut request = SearchRequest::new(
        "ERROR: the total of order-7 is negative\nat shop/refund.py:12\nin shop/cart.py:5\n",
    );
    request.filter.paths = vec!["shop/cart.py".to_owned()];
    let found = Engine::open(shop.config()).unwrap().search(&request, &Silent).unwrap();
    let paths: Vec<_> = found.hits.iter().filter_map(|hit| hit.path.as_deref()).collect();
    assert_eq!(paths, ["shop/cart.py"]);
}
