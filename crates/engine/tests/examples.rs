//! The examples print what their documentation states, and follow changes between two runs.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests make and change folders, and a failure there is a failed test"
)]

#[path = "../examples/custom_source.rs"]
#[expect(dead_code, reason = "`main` reads the arguments of the program")]
mod custom_source;
#[path = "../examples/index_and_ask.rs"]
#[expect(dead_code, reason = "`main` reads the arguments of the program")]
mod index_and_ask;
#[path = "../examples/own_embedder.rs"]
#[expect(dead_code, reason = "`main` reads the arguments of the program")]
mod own_embedder;

use std::{error::Error, fs, io::Write, path::Path};

use lore_schema::testing;
use tempfile::TempDir;

const SHOP: &str = "\
//- /src/refund.rs
/// Pays a customer back.
pub fn retry_refund(order: u64) -> bool {
    order > 0
}
//- /src/pool.rs
/// Keeps connections to the database.
pub struct ConnectionPool {
    size: usize,
}
";

type Example = fn(&[String], &mut dyn Write) -> Result<(), Box<dyn Error>>;

fn shop() -> TempDir {
    let folder = TempDir::new().unwrap();
    for (path, text) in testing::files(SHOP) {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

/// Returns the output of an example.
fn run(example: Example, arguments: &[&Path]) -> String {
    let arguments: Vec<String> =
        arguments.iter().map(|argument| argument.to_str().unwrap().to_owned()).collect();
    let mut output = Vec::new();
    example(&arguments, &mut output).unwrap();
    String::from_utf8(output).unwrap()
}

#[test]
fn index_and_ask_prints_places_and_the_receipt() {
    let (tree, cache) = (shop(), TempDir::new().unwrap());
    let ask =
        |question: &str| run(index_and_ask::run, &[tree.path(), Path::new(question), cache.path()]);
    assert_eq!(
        ask("retry refund"),
        "index: 2 written, 0 deleted, 0 unchanged\n\
         src/refund.rs:1-4  retry_refund\n\
         receipt: 1 of 1 documents match, 2 searched, Verified, meaning: embedded\n"
    );
    fs::write(tree.path().join("src/cash.rs"), "pub fn count_cash() {}\n").unwrap();
    let second = ask("count cash");
    assert!(second.starts_with("index: 1 written, 0 deleted, 2 unchanged\n"), "{second}");
    assert!(second.contains("\nsrc/cash.rs:1-1  count_cash\n"), "{second}");
}

#[test]
fn custom_source_follows_edits_of_its_tickets() {
    let (tree, cache, outside) = (shop(), TempDir::new().unwrap(), TempDir::new().unwrap());
    let file = outside.path().join("tickets.csv");
    fs::write(
        &file,
        "PAY-1,open,Refunds arrive twice,The customer was paid back two times.\n\
         PAY-2,closed,Slow export,It takes an hour.\n",
    )
    .unwrap();
    let ask = |question: &str| {
        let arguments = [tree.path(), &file, cache.path(), Path::new(question)];
        run(custom_source::run, &arguments)
    };
    let first = ask("refund");
    assert!(first.contains("tickets:csv#PAY-1  Refunds arrive twice (open)\n"), "{first}");
    assert!(first.contains("code:src/refund.rs#retry_refund"), "{first}");
    assert!(first.ends_with("code: 2 documents\ntickets: 2 documents\nVerified\n"), "{first}");

    fs::write(
        &file,
        "PAY-1,closed,Refunds arrive twice,The customer was paid back two times.\n\
         PAY-3,open,Refund without a receipt,The printer was out of paper.\n",
    )
    .unwrap();
    let second = ask("refund");
    assert!(second.contains("tickets:csv#PAY-1  Refunds arrive twice (closed)\n"), "{second}");
    assert!(second.contains("tickets:csv#PAY-3  Refund without a receipt (open)\n"), "{second}");
    assert!(!ask("slow export").contains("PAY-2"), "a removed ticket is gone");
}

#[test]
fn own_embedder_finds_a_misspelt_name() {
    let (tree, cache) = (shop(), TempDir::new().unwrap());
    for _ in 0..2 {
        let arguments = [tree.path(), Path::new("conection pol"), cache.path()];
        let output = run(own_embedder::run, &arguments);
        let first = output.lines().next().unwrap_or_default();
        assert!(first.ends_with("  code:src/pool.rs:1-4"), "{output}");
        assert!(output.ends_with("\nmeaning: trigrams\n"), "{output}");
    }
}
