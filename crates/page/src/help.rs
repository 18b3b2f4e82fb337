//! The page about keys, filters and addresses.

use std::sync::Arc;

use maud::{Markup, html};

use crate::{
    layout::{self, Frame},
    links,
    site::Site,
};

/// The keys of the script.
const KEYS: &[(&str, &str)] = &[
    ("/", "go to the search"),
    ("j  k", "next and previous result"),
    ("Enter", "open the result"),
    ("t", "find a file by its name"),
    ("y", "change the address to one that keeps its commit"),
    ("?", "this help"),
    ("Escape", "close a box, or leave the search"),
];

/// Forms of queries.
const QUERIES: &[(&str, &str)] = &[
    ("retry a refund", "a question or words"),
    ("Refunds.retry", "a name"),
    ("\"idempotency key\"", "words in this order"),
    ("refund -test", "without a word"),
    ("refund OR repay", "either of them"),
    ("author:ada refund", "a field of commits, tickets and specs"),
    ("retry_re*", "every ending"),
];

/// The whole page.
pub(crate) fn page(site: &Arc<Site>) -> Markup {
    page_of(&Frame::new(site, "Help"))
}

/// The page with a frame.
pub(crate) fn page_of(frame: &Frame) -> Markup {
    let body = html! {
        h1 { "Help" }
        section {
            h2 { "Keys" }
            table.help { tbody { @for (keys, meaning) in KEYS { tr { th scope="row" { kbd { (keys) } } td { (meaning) } } } } }
            p.note { "Keys need JavaScript; everything else works without it." }
        }
        section {
            h2 { "Queries" }
            table.help { tbody { @for (query, meaning) in QUERIES { tr { th scope="row" { code { (query) } } td { (meaning) } } } } }
        }
        section {
            h2 { "In code" }
            p { "Click a name to see its definition and its uses. Click the number of a line for an address of that line; hold Shift for several." }
        }
        section {
            h2 { "For programs" }
            p { "Every page has the same answer as JSON below " code { "/api/" } "; " a href=(links::to("/api/openapi.json")) { "its description" } " lists the addresses. Send the token as " code { "Authorization: Bearer TOKEN" } "." }
        }
    };
    layout::page(frame, &body)
}
