//! Hostile queries: each run ends by itself, with a code of its own and without an internal error.

use anyhow::Result;

use super::{
    Attack, answers,
    rounds::{Round, repeat},
    trees,
};
use crate::random::Random;

/// Queries of a round.
const QUERIES: usize = 25;

/// Maximum length of a query, in bytes: the system accepts no longer argument.
const MAX_BYTES: usize = 100_000;

/// Pieces that mean something in queries.
const PIECES: &[&str] = &[
    "(",
    ")",
    "((",
    "))",
    "\"",
    "'",
    "*",
    "~",
    "~1",
    "~9",
    "^2",
    "^",
    "+",
    "-",
    "--",
    "!",
    "&&",
    "||",
    "AND",
    "OR",
    "NOT",
    "NEAR",
    "TO",
    "[",
    "]",
    "{",
    "}",
    ":",
    "path:",
    "kind:",
    "lang:",
    "tag:",
    "source:",
    "since:",
    "until:",
    "after:2020",
    "date:[",
    "[1 TO 2]",
    "{a TO *}",
    "\\",
    "/",
    "//",
    "/a+/",
    "(?i)",
    "(a{1000}){1000}",
    "[^",
    "$",
    "%",
    "%00",
    "git:",
    "code:a.rs#b",
    "a.rs:10",
    "a.rs:10:5",
    ":0",
    "#",
    "@",
    "<",
    ">",
    "=",
    "`",
    "\n",
    "\r\n",
    "\t",
    "\u{200b}",
    "\u{202e}",
    "\u{feff}",
    "\u{301}",
    "é",
    "é",
    "ß",
    "𝒳",
    "日本",
    "İ",
    "0",
    "99999999999999999999",
    "-1",
    "1e400",
    "NaN",
    "Error: at line 3",
    "Traceback (most recent call last):",
    "  File \"src/a.rs\", line 3, in berth",
    "at berth (src/e.ts:1:2)",
    "thread 'main' panics at",
    "```",
    "fn ",
    "class ",
    "=>",
    "::",
    "->",
    "|",
    ";",
    ",",
    "...",
    "…",
];

/// Commands that take a query, and how they take it.
const COMMANDS: &[&[&str]] = &[
    &["search"],
    &["search", "--json"],
    &["search", "--format", "agent"],
    &["search", "--format", "toon", "--explain"],
    &["search", "--raw"],
    &["search", "--literal"],
    &["search", "--regex"],
    &["search", "--in", "git,code", "--hops", "2"],
    &["search", "--expand"],
    &["symbol"],
    &["research"],
    &["exists", "--intent"],
    &["exists", "--code"],
    &["related"],
    &["context"],
    &["classify"],
    &["suggest"],
    &["file"],
];

/// Runs rounds until the time is over.
pub(super) fn run(attack: &Attack) -> Result<String> {
    repeat(attack, |round| {
        let [tree, cache] = ["tree", "cache"].map(|name| round.folder(name));
        let (tree, cache) = (tree?, cache?);
        trees::fill(&mut round.random, &tree)?;
        if round.random.one_in(2) {
            trees::commit_all(&tree, "start of the harbour")?;
        }
        for _ in 0..QUERIES {
            attempt(round, &tree, &cache)?;
        }
        Ok(())
    })
}

fn attempt(round: &mut Round<'_>, tree: &std::path::Path, cache: &std::path::Path) -> Result<()> {
    let command = *round.random.pick(COMMANDS);
    let query = query(&mut round.random);
    let words = [command, &["--", &query]].concat();
    let end = query.floor_char_boundary(2_000);
    round.step(format!("{} -- {:?} of {} bytes", command.join(" "), &query[..end], query.len()));
    answers::run(round.attack, &words, tree, &round.folder, cache)?;
    Ok(())
}

/// A random query: some pieces, or one of them many times.
fn query(random: &mut Random) -> String {
    let mut query = String::new();
    let piece = |random: &mut Random| {
        if random.one_in(3) { *random.pick(trees::WORDS) } else { *random.pick(PIECES) }
    };
    match random.below(6) {
        0 => {
            let pair = [piece(random), piece(random)].concat();
            let times = 1 << random.below(16);
            query.push_str(&pair.repeat(times.min(MAX_BYTES / pair.len().max(1))));
        }
        1 => {
            let open = *random.pick(&["(", "[", "{", "\"", "NOT ", "-", "path:("]);
            let times = 1 << random.below(15);
            query.push_str(&open.repeat(times));
            query.push_str("berth");
        }
        _ => {
            for _ in 0..=random.below(30) {
                query.push_str(piece(random));
                if random.one_in(2) {
                    query.push(' ');
                }
            }
        }
    }
    query.truncate(query.floor_char_boundary(MAX_BYTES));
    // An argument cannot contain it.
    query.replace('\0', "")
}
