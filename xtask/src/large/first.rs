//! The first answer in an empty cache, of a new server and of a new process.

use std::{
    path::Path,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Result, bail};
use serde_json::json;

use super::{
    Bench,
    programs::Program,
    questions,
    report::{Limit, Report},
};

/// Maximum seconds until the first answer.
const MAX_SECONDS: f64 = 2.0;

/// Pause before a question is repeated.
const PAUSE: Duration = Duration::from_millis(50);

/// Maximum time until the answer from the whole index.
const MAX_INDEX: Duration = Duration::from_mins(30);

pub(super) fn run(bench: &Bench, report: &mut Report) -> Result<()> {
    let question = questions::make(&bench.tree, 1, bench.options.seed);
    let Some(question) = question.first() else { bail!("the tree has no names for a question") };
    let mut served = Vec::new();
    let mut processes = Vec::new();
    for program in bench.programs.all() {
        served.push(serve(bench, program, question)?);
        processes.push(search(bench, program, question)?);
    }
    let figure = |at: usize, of: fn(&First) -> f64| served.get(at).map(of);
    report
        .add("first answer of a new server", "s", served[0].any)
        .beside(figure(1, |first| first.any))
        .limit(Limit::Within(MAX_SECONDS));
    report
        .add("first answer of it from the whole tree", "s", served[0].whole)
        .beside(figure(1, |first| first.whole));
    report
        .add("first answer of a new process", "s", processes[0].any)
        .beside(processes.get(1).map(|first| first.any))
        .limit(Limit::Within(MAX_SECONDS));
    report
        .add("complete answer of new processes", "s", processes[0].whole)
        .beside(processes.get(1).map(|first| first.whole));
    Ok(())
}

/// Seconds from the start of a program.
struct First {
    /// Until the first answer, which may be of a part of the tree.
    any: f64,
    /// Until the answer of the whole tree.
    whole: f64,
}

/// Starts a server with an empty cache, and repeats a question.
fn serve(bench: &Bench, program: &Program, question: &str) -> Result<First> {
    let cache = empty(bench)?;
    let started = Instant::now();
    let server = program.serve(&cache, &bench.tree.root, &bench.folder.join("messages"))?;
    let mut any = None;
    let whole = loop {
        let answer = server.call("search", &json!({"query": question}));
        let seconds = started.elapsed().as_secs_f64();
        if let Ok(answer) = answer {
            any = any.or(Some(seconds));
            if answer["structuredContent"]["fresh"] == "verified" {
                break seconds;
            }
        } else if MAX_INDEX < started.elapsed() {
            bail!("a new server did not answer in {} s", MAX_INDEX.as_secs());
        }
        thread::sleep(PAUSE);
    };
    server.end()?;
    std::fs::remove_dir_all(&cache)?;
    Ok(First { any: any.unwrap_or(whole), whole })
}

/// Runs one question with an empty cache, and waits for its complete answer.
fn search(bench: &Bench, program: &Program, question: &str) -> Result<First> {
    let cache = empty(bench)?;
    let ran = program.run_in(&cache, &bench.tree.root, &["search", question, "--json"])?;
    let mut whole = ran.seconds;
    let answer: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap_or_default();
    if !answer["receipt"]["preliminary"].is_null() {
        // Another process builds the index.
        let wait = ["search", question, "--wait"];
        whole += program.run_in(&cache, &bench.tree.root, &wait)?.seconds;
    }
    std::fs::remove_dir_all(&cache)?;
    Ok(First { any: ran.first, whole })
}

/// An empty folder for a cache.
fn empty(bench: &Bench) -> Result<std::path::PathBuf> {
    let cache = bench.folder.join("cache-empty");
    remove(&cache)?;
    std::fs::create_dir(&cache)?;
    Ok(cache)
}

/// Removes a folder that may be missing.
fn remove(folder: &Path) -> Result<()> {
    if folder.exists() {
        std::fs::remove_dir_all(folder)?;
    }
    Ok(())
}
