//! Tests of ranking beyond one file and one word: neighbours, units, quotations, words that occur in no
//! document, abbreviations, inflections, names of documents.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests make and change folders, and a failure there is a failed test"
)]

mod common;

use std::fmt::Write;

use common::{Silent, Workspace};
use lore_engine::{Engine, Extras, Hit, IndexMode, Mode, SearchRequest, SearchResponse};
use lore_schema::SourceName;

fn ask(workspace: &Workspace, mode: Mode, query: &str) -> SearchResponse {
    ask_of(SourceName::Code, workspace, mode, query)
}

fn ask_of(source: SourceName, workspace: &Workspace, mode: Mode, query: &str) -> SearchResponse {
    let extras = Extras { rewrite: true, ..Extras::default() };
    let mut request =
        SearchRequest::new(query).with_mode(mode).with_explain(true).with_extras(extras);
    request.filter.sources = vec![source];
    Engine::open(workspace.config()).unwrap().search(&request, &Silent).unwrap()
}

fn hit<'a>(response: &'a SearchResponse, path: &str) -> &'a Hit {
    let found = response.hits.iter().find(|hit| hit.path.as_deref() == Some(path));
    found.unwrap_or_else(|| panic!("{path} is not among the hits"))
}

fn part(response: &SearchResponse, path: &str, name: &str) -> f32 {
    let explanation = hit(response, path).explanation.as_ref().expect("it was requested");
    explanation.parts.iter().find(|part| part.name == name).expect("a signal").value
}

#[test]
fn neighbours_support_a_file() {
    let shop = Workspace::new(
        "//- /refund/retry.rs\npub fn retry_refund() { refund(); }\n\
         //- /refund/queue.rs\npub fn queue_refund() { refund(); }\n\
         //- /other/refund.rs\npub fn refund_once() {}\n\
         //- /other/cat.rs\npub fn cat() {}\n\
         //- /ledger/book.rs\n/// A refund.\npub struct LedgerBook;\n\
         //- /ledger/user/a.rs\nuse crate::LedgerBook;\npub fn refund_a(book: LedgerBook) {}\n\
         //- /unit/Refund.cs\npartial class Refund { void A() {} }\n\
         //- /unit/Refund.Json.cs\npartial class Refund { void RefundJson() {} }\n",
    );
    let found = ask(&shop, Mode::Lexical, "refund");
    assert!(part(&found, "refund/retry.rs", "siblings") > 0.0, "the folder is about it");
    assert!(part(&found, "other/refund.rs", "siblings") <= 0.0, "no other hit is beside it");
    assert!(part(&found, "ledger/book.rs", "users") > 0.0, "a hit uses it");
    assert!(part(&found, "ledger/user/a.rs", "users") <= 0.0, "no hit uses it");
    assert!(part(&found, "unit/Refund.cs", "unit") > 0.0, "its other part counts");
    assert!(
        part(&found, "unit/Refund.Json.cs", "unit") <= 0.0,
        "a part gets nothing from the whole"
    );
}

#[test]
fn how_questions_prefer_the_longer_implementation() {
    let file = |does: &str, functions: usize| {
        let body =
            format!("    let {does} = crane.{does}(container).unwrap_or_default();\n").repeat(40);
        let first =
            format!("/// Retries a refund at the gateway.\nfn retry_refund() {{\n{body}}}\n");
        first + &format!("fn {does}() {{\n{body}}}\n").repeat(functions)
    };
    let (short, long) = (file("lift", 0), file("haul", 20));
    let shop = Workspace::new(&format!("//- /a.rs\n{short}//- /b.rs\n{long}"));
    let order = |found: &SearchResponse| -> Vec<String> {
        found.hits.iter().filter_map(|hit| hit.path.clone()).collect()
    };
    let asked = ask(&shop, Mode::Hybrid, "how is a refund retried at the gateway");
    assert_eq!(order(&asked), ["b.rs", "a.rs"]);
    let named = ask(&shop, Mode::Hybrid, "retry a refund at the gateway");
    assert_eq!(order(&named), ["a.rs", "b.rs"]);
    // Both are compared with the median hit, which is half-way between them in this tree.
    let (longer, shorter) = (part(&asked, "b.rs", "length"), part(&asked, "a.rs", "length"));
    assert!(longer > 0.2 && (shorter + 0.5).abs() < 1e-6, "{longer} {shorter}");
    assert!(part(&named, "b.rs", "length").abs() < 1e-6);
    // The evidence of words grows with the file already.
    let words = ask(&shop, Mode::Lexical, "how is a refund retried at the gateway");
    let explanation = hit(&words, "b.rs").explanation.as_ref().unwrap();
    let length = explanation.parts.iter().find(|part| part.name == "length").unwrap();
    assert!(length.value > 0.2 && length.contribution.to_bits() == 0.0_f32.to_bits());
}

#[test]
fn agent_nouns_are_found_by_their_verb_and_excluded_by_themselves() {
    let notes = Workspace::new(
        "//- /docs/dates.md\n# Dates\n\nWe parse dates of invoices here.\n\
         //- /docs/reader.md\n# Reader\n\nThe date parser of invoices lies here.\n", // prose: data
    );
    let found = |query: &str| -> Vec<String> {
        let response = ask_of(SourceName::Docs, &notes, Mode::Lexical, query);
        let mut paths: Vec<String> = response.hits.into_iter().filter_map(|hit| hit.path).collect();
        paths.sort();
        paths
    };
    assert_eq!(found("how invoices are parsed"), ["docs/dates.md", "docs/reader.md"]);
    let reader = ask_of(SourceName::Docs, &notes, Mode::Lexical, "how dates are parsed");
    assert!(part(&reader, "docs/reader.md", "coverage") > 0.99, "the parser parses");
    assert_eq!(found("invoices -parser"), ["docs/dates.md"]);
    assert_eq!(found("invoices +parser"), ["docs/reader.md"]);
    assert_eq!(found("invoices +parse"), ["docs/dates.md"]);
    assert_eq!(found("parser"), ["docs/reader.md"]);
    let single =
        Workspace::new("//- /docs/dates.md\n# Dates\n\nWe parse dates of invoices here.\n");
    let nothing = ask_of(SourceName::Docs, &single, Mode::Lexical, "invoices +parser");
    let reasons = nothing.absence.unwrap().reasons;
    assert!(reasons.iter().any(|reason| reason.contains("`parser`")), "{reasons:?}");
}

#[test]
fn a_name_is_shown_where_its_type_is_declared() {
    let mut text = String::from("/**\n");
    for line in 0..90 {
        writeln!(text, " * Line {line} of a long remark on carts and what they hold.").unwrap();
    }
    text.push_str(" */\npublic class Cart {\n    int items;\n\n");
    for number in 0..9 {
        let arguments: Vec<String> = (0..number).map(|at| format!("int cart{at}")).collect();
        writeln!(text, "    public Cart({}) {{ this.cart(); }}\n", arguments.join(", ")).unwrap();
    }
    text.push_str("}\n");
    let workspace = Workspace::new("");
    workspace.write("Cart.java", &text);
    let found = ask(&workspace, Mode::Hybrid, "Cart");
    let shown = &found.hits[0];
    assert_eq!(shown.kind, "class");
    assert!(shown.snippet.text.contains("public class Cart {"), "{}", shown.snippet.text);
}

#[test]
fn a_quotation_without_a_match_is_searched_by_its_words() {
    let workspace = Workspace::new(
        "//- /a.rs\n/// Revert the avoided lock.\npub fn lock() {}\n\
         //- /b.rs\n/// The lock is avoided here.\npub fn avoid_lock() {}\n",
    );
    let paths = |query: &str| -> Vec<String> {
        let found = ask(&workspace, Mode::Lexical, query);
        found.hits.into_iter().filter_map(|hit| hit.path).collect()
    };
    let sentence = "please revert \"avoid the blue lock\"";
    let found = ask(&workspace, Mode::Lexical, sentence);
    assert_eq!(found.hits.len(), 2);
    assert_eq!(
        found.warnings,
        ["no searched document contains \"avoid the blue lock\"; its words are searched instead"]
    );
    // A quotation that occurs is required. A phrase alone or with an operator is not a sentence.
    assert_eq!(paths("please revert \"lock is avoided\""), ["b.rs"]);
    assert_eq!(paths("\"avoid the blue lock\""), [""; 0]);
    assert_eq!(paths("revert +lock \"avoid the blue lock\""), [""; 0]);
}

#[test]
fn words_without_a_document_are_rewritten() {
    let workspace = Workspace::new(
        "//- /secret.rs\n/// Reads the password of a shop.\npub fn read_password() {}\n\
         //- /cart.rs\n/// Reads the cart of a shop.\npub fn read_cart() {}\n",
    );
    let found = ask(&workspace, Mode::Hybrid, "read credentials");
    let expanded = &found.receipt.expanded;
    let added: Vec<(&str, &[String])> =
        expanded.iter().map(|word| (word.word.as_str(), word.added.as_slice())).collect();
    assert_eq!(added, [("credentials", &["password".to_owned()][..])]);
    assert_eq!(found.hits[0].path.as_deref(), Some("secret.rs"));
    // A word without similar words is not rewritten. A query in which no word occurs has no answer. Added
    // words do not count as words of the query.
    assert!(ask(&workspace, Mode::Hybrid, "read penguins").receipt.expanded.is_empty());
    assert!(ask(&workspace, Mode::Hybrid, "credentials penguins").hits.is_empty());
    assert_eq!(found.receipt.matched_all, 0, "no document contains the word itself");
    // No rewriting in lexical mode, of one-word queries, or of words that occur.
    assert!(ask(&workspace, Mode::Lexical, "read credentials").receipt.expanded.is_empty());
    assert!(ask(&workspace, Mode::Hybrid, "credentials").receipt.expanded.is_empty());
    assert!(ask(&workspace, Mode::Hybrid, "read cart").receipt.expanded.is_empty());
}

#[test]
fn abbreviations_are_learned_from_files_with_both_forms() {
    let workspace = Workspace::new(
        "//- /open.rs\npub struct WebSocketOpener;\npub fn open(ws: u8) {}\n\
         //- /close.rs\npub struct WebSocketCloser;\npub fn close(ws: u8) {}\n\
         //- /reset.rs\npub struct WebSocketReset;\npub fn reset(ws: u8) {}\n\
         //- /frame.rs\n/// Reads from a web socket.\npub struct WebSocketFrame;\n\
         //- /gadget.rs\npub struct Gadget;\npub fn feed(gadget: Gadget) {}\n\
         //- /a.rs\npub struct A;\n//- /b.rs\npub struct B;\n//- /c.rs\npub struct C;\n\
         //- /d.rs\npub struct D;\n//- /e.rs\npub struct E;\n",
    );
    let found = ask(&workspace, Mode::Lexical, "gadget ws");
    let added: Vec<(&str, Vec<&str>)> = found
        .receipt
        .expanded
        .iter()
        .map(|word| (word.word.as_str(), word.added.iter().map(String::as_str).collect()))
        .collect();
    assert_eq!(added, [("ws", vec!["websocket"])]);
    assert_eq!(found.receipt.matched_all, 0);
    // After the files that use both, a file about the whole name without its abbreviation ranks high.
    let frame = ask(&workspace, Mode::Lexical, "read ws");
    assert!(hit(&frame, "frame.rs").rank <= 3, "{:?}", frame.hits.len());
}

#[test]
fn quotations_are_not_query_language() {
    let workspace =
        Workspace::new("//- /a.rs\n/// A refund for a cart.\npub fn refund_cart() {}\n");
    for sentence in [
        "why does it log \"unexpected ( here\" for a refund",
        "why does it log \"foo: bar OR\" for a refund",
        "why does it log \"refund NOT cart\" for a refund",
        "why does it log \"lang:python zork path:nowhere\" for a refund",
        "why does it log \"fo~ o~9 AND\" for a refund",
    ] {
        let found = ask(&workspace, Mode::Lexical, sentence);
        assert_eq!(found.hits.len(), 1, "{sentence}");
    }
}

#[test]
fn the_form_that_was_typed_counts_most_in_prose() {
    let workspace = Workspace::new(
        "//- /docs/lessons.md\n# Lessons\n\nWhat was learned of it.\n\
         //- /docs/primer.md\n# Primer\n\nWhat was learning of it.\n\
         //- /docs/notes.md\n# Notes\n\nAll URLs of it, and userIDs.\n",
    );
    let evidence = |query: &str, path: &str| {
        let found = ask_of(SourceName::Docs, &workspace, Mode::Lexical, query);
        part(&found, path, "chunks")
    };
    let (typed, other) = ("docs/lessons.md", "docs/primer.md");
    assert!(evidence("was learned", other) < 0.8 * evidence("was learned", typed));
    // If no document contains the typed form, the other forms count in full.
    assert!(evidence("was learned", other) < evidence("was learns", other));
}

#[test]
fn plurals_of_acronyms_are_found_by_their_singular() {
    let workspace = Workspace::new(
        "//- /docs/notes.md\n# Notes\n\nAll URLs of it, userIDs and LLMs.\n\
         //- /docs/other.md\n# Other\n\nAn URL, an ID and an LLM.\n\
         //- /a.rs\npub struct TestPOJOAsArray;\n",
    );
    for query in ["url", "urls", "URLs", "id", "the IDs", "llm", "LLMs", "LLM of it"] {
        let found = ask_of(SourceName::Docs, &workspace, Mode::Lexical, query);
        let mut paths: Vec<&str> =
            found.hits.iter().filter_map(|hit| hit.path.as_deref()).collect();
        paths.sort_unstable();
        assert_eq!(paths, ["docs/notes.md", "docs/other.md"], "{query}");
    }
    let of_name = ask(&workspace, Mode::Lexical, "pojo as array");
    assert_eq!(of_name.hits[0].path.as_deref(), Some("a.rs"));
}

#[test]
fn irregular_inflections_match() {
    let workspace = Workspace::new(
        "//- /a.rs\n/// How it was sent and written.\npub fn one() {}\n\
         //- /b.rs\n/// Writing by sending.\npub fn two() {}\n",
    );
    for query in ["send and write", "it wrote and sends", "written or sent", "use writing"] {
        let found = ask(&workspace, Mode::Lexical, query);
        assert_eq!(found.hits.len(), 2, "{query}");
    }
}

#[test]
fn a_spec_is_named_after_its_folder() {
    let workspace = Workspace::new("");
    let folders = ["node-graph", "keyboard-graph", "ledger", "refund", "gateway", "queue"];
    for folder in folders {
        let text = "---\ntitle: a\n---\nWhat a node does.\n";
        workspace.write(&format!(".spec/shop/{folder}/spec.md"), text);
    }
    let found = ask_of(SourceName::Specs, &workspace, Mode::Lexical, "keyboard of a node");
    let share =
        |folder: &str| part(&found, &format!(".spec/shop/{folder}/spec.md"), "stem-coverage");
    assert!((share("keyboard-graph") - 0.5).abs() < 1e-6, "one of two words, and the rarest");
    assert!(share("node-graph") < 0.5 * share("keyboard-graph"), "every spec is about nodes");
    assert!(share("ledger") <= 0.0);
}

#[test]
fn the_name_of_a_document_is_matched_by_its_parts() {
    let workspace = Workspace::new(
        "//- /docs/retry-refund.md\n# A\n\nWhat `retry_refund` does.\n\
         //- /docs/websocket.md\n# B\n\nA web socket.\n\
         //- /docs/zebra/index.md\n# D\n\nAn animal.\n\
         //- /index.md\n# C\n\nAn index.\n",
    );
    for (query, path) in [
        ("retry_refund", "docs/retry-refund.md"),
        ("web socket", "docs/websocket.md"),
        ("zebra of it", "docs/zebra/index.md"),
        // At the root there is no folder to take the name from.
        ("the index", "index.md"),
    ] {
        let found = ask_of(SourceName::Docs, &workspace, Mode::Lexical, query);
        assert!(part(&found, path, "stem-coverage") > 0.4, "{query}");
    }
}

#[test]
fn answers_do_not_depend_on_the_order_in_which_files_were_indexed() {
    // One file in eight contains a possible long form of an abbreviation, which is too few unless
    // only the first files are examined, and more files use a name than are counted.
    let text = |number: usize| {
        let name = if number % 8 == 1 { "web_socket" } else { "plain" };
        let words = if number < 20 { "a ws of the ledger" } else { "ws" };
        format!(
            "/// Opens {words}.\npub fn {name}_{number}(book: LedgerBook) {{ ledger_entry(); }}\n"
        )
    };
    let long_first = (1..96).step_by(8).chain((0..96).filter(|number| number % 8 != 1));
    let responses = [(0..96).collect::<Vec<_>>(), long_first.collect()].map(|numbers| {
        let workspace =
            Workspace::new("//- /ledger.rs\npub struct LedgerBook;\npub fn ledger_entry() {}\n");
        // The long form is rare elsewhere.
        for number in 0..200 {
            workspace.write(&format!("other/g{number}.rs"), "pub fn other() {}\n");
        }
        for numbers in numbers.chunks(48) {
            for number in numbers {
                workspace.write(&format!("f{number:02}.rs"), &text(*number));
            }
            let engine = Engine::open(workspace.config()).unwrap();
            engine.index(IndexMode::Update, &Silent).unwrap();
        }
        ["open a ws of the ledger", "ledger book", "ledger entry"].map(|query| {
            let found = ask(&workspace, Mode::Hybrid, query);
            let hits = found.hits.iter().map(|hit| {
                let parts = hit.explanation.as_ref().expect("it was requested").parts.clone();
                (hit.id.clone(), parts)
            });
            (hits.collect::<Vec<_>>(), found.receipt.expanded.clone())
        })
    });
    assert_eq!(
        responses[0][0].1,
        [],
        "few of the users have the long form, whichever are examined"
    );
    for (once, later) in responses[0].iter().zip(&responses[1]) {
        assert!(!once.0.is_empty());
        assert_eq!(once, later);
    }
}

#[test]
fn the_only_definition_of_a_name_is_shown() {
    let filler =
        "    /// Keeps the result of the task.\n    pub fn keep_result(&self) {}\n".repeat(60);
    let tasks = Workspace::new(&format!(
        "//- /result.rs\n/// A result of AsyncResult collect.\npub struct AsyncResult;\n\
         impl AsyncResult {{\n{filler}    /// Collects all results.\n    pub fn collect(&self) {{}}\n}}\n\
         //- /notes.md\n# AsyncResult.collect\n\nAsyncResult.collect and AsyncResult.collect.\n"
    ));
    let first = |query: &str, kinds: &[&str]| {
        let mut request = SearchRequest::new(query);
        request.extras = Extras { rewrite: true, judge: true, ..Extras::default() };
        request.filter.kinds = kinds.iter().map(ToString::to_string).collect();
        let found = Engine::open(tasks.config()).unwrap().search(&request, &Silent).unwrap();
        let confidence = found.receipt.confidence.expect("it was requested");
        (found.hits[0].id.clone(), found.hits[0].doc_comment.clone(), confidence.complete)
    };
    let (id, comment, complete) = first("AsyncResult.collect", &[]);
    assert_eq!(id, "code:result.rs#AsyncResult.collect");
    assert_eq!(comment.as_deref(), Some("Collects all results."));
    assert_eq!(complete.as_deref(), Some("the only definition of this name"));
    let (id, _, complete) = first("AsyncResult.colect", &[]);
    assert_eq!(id, "code:result.rs#AsyncResult.collect");
    assert_eq!(complete.as_deref(), Some("the only definition of `AsyncResult.collect`"));
    let (id, ..) = first("AsyncResult.collect", &["struct"]);
    assert_eq!(id, "code:result.rs#AsyncResult", "a condition on the kind holds");
}
