//! Many distinct questions for one server, and the same ones for new processes.

use std::time::Instant;

use anyhow::{Context as _, Result};
use serde_json::json;

use super::{
    Bench,
    programs::Program,
    questions,
    report::{Limit, Report, percentile},
    run::{Memory, memory},
};

/// Maximum of the median in milliseconds.
const MAX_MEDIAN: f64 = 40.0;

/// Maximum of the 99th percentile in milliseconds.
const MAX_SLOW: f64 = 120.0;

/// Maximum resident memory in megabytes.
const MAX_MEMORY: f64 = 300.0;

/// Maximum number of questions for new processes.
const MAX_PROCESSES: usize = 60;

/// Number of the slowest questions that are printed.
const SHOWN: usize = 3;

pub(super) fn run(bench: &Bench, report: &mut Report) -> Result<()> {
    let questions = questions::make(&bench.tree, bench.options.questions, bench.options.seed ^ 3);
    let served = Served::make(bench, &bench.programs.lore, &questions)?;
    let other = bench.programs.beside.as_ref();
    let other = other.map(|program| Served::make(bench, program, &questions)).transpose()?;
    let beside = |of: &dyn Fn(&Served) -> f64| other.as_ref().map(of);
    for (name, share, max) in [
        ("median", 0.5, Some(MAX_MEDIAN)),
        ("90th percentile", 0.9, None),
        ("99th percentile", 0.99, Some(MAX_SLOW)),
        ("maximum", 1.0, None),
    ] {
        let figure = move |served: &Served| percentile(&served.milliseconds, share);
        report
            .add(&format!("{} questions, {name}", questions.len()), "ms", figure(&served))
            .beside(beside(&figure));
        if let Some(max) = max {
            report.limit(Limit::Within(max));
        }
    }
    report
        .add("resident memory", "MB", served.memory.resident as f64 / 1e6)
        .beside(beside(&|served| served.memory.resident as f64 / 1e6))
        .limit(Limit::Within(MAX_MEMORY));
    report
        .add("of it allocated", "MB", served.memory.allocated as f64 / 1e6)
        .beside(beside(&|served| served.memory.allocated as f64 / 1e6));
    report
        .add("maximum resident memory", "MB", served.memory.peak as f64 / 1e6)
        .beside(beside(&|served| served.memory.peak as f64 / 1e6));
    compare(bench, report, &questions, &served)?;
    let mut slowest: Vec<_> = served.milliseconds.iter().zip(&questions).collect();
    slowest.sort_by(|left, right| right.0.total_cmp(left.0));
    for (milliseconds, question) in slowest.iter().take(SHOWN) {
        report.note(format!("{milliseconds:.0} ms: {question}"));
    }
    Ok(())
}

/// Results of a server.
struct Served {
    milliseconds: Vec<f64>,
    /// Texts of the answers, without their last lines.
    answers: Vec<String>,
    /// Memory after the last answer.
    memory: Memory,
}

impl Served {
    /// Runs all questions on one server, which has an index.
    fn make(bench: &Bench, program: &Program, questions: &[String]) -> Result<Served> {
        let tree = &bench.tree.root;
        let messages = bench.folder.join("messages");
        let server = program.serve(program.cache(tree)?, tree, &messages)?;
        wait_until_ready(&server)?;
        let (mut milliseconds, mut answers) = (Vec::new(), Vec::new());
        for question in questions {
            let started = Instant::now();
            let answer = server.call("search", &json!({"query": question}))?;
            milliseconds.push(started.elapsed().as_secs_f64() * 1e3);
            let text = answer["content"][0]["text"].as_str().context("an answer has a text")?;
            answers.push(without_receipt(text).to_owned());
        }
        let memory = memory(server.id());
        server.end()?;
        Ok(Served { milliseconds, answers, memory })
    }
}

/// Repeats a question until a server answers from the index of the whole tree.
pub(super) fn wait_until_ready(server: &crate::server::Server) -> Result<()> {
    for _ in 0..6_000 {
        let answer = server.call("search", &json!({"query": "readiness"}));
        if answer.is_ok_and(|answer| answer["structuredContent"]["fresh"] == "verified") {
            return Ok(());
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    anyhow::bail!("the server was never ready")
}

/// Compares the answers of the server with those of new processes, which print the same text: paths,
/// lines and passages. Neither contains scores.
fn compare(
    bench: &Bench,
    report: &mut Report,
    questions: &[String],
    served: &Served,
) -> Result<()> {
    let mut different = 0;
    let compared = questions.len().min(MAX_PROCESSES);
    for (question, answer) in questions.iter().zip(&served.answers).take(compared) {
        let arguments = ["search", question, "--format", "agent"];
        let ran = bench.programs.lore.run(&bench.tree.root, &arguments)?;
        let expected = without_receipt(&ran.stdout);
        if answer != expected {
            different += 1;
            let lines = answer.lines().zip(expected.lines()).find(|(left, right)| left != right);
            let (line, other) = lines.unwrap_or(("the end", "the end"));
            report.note(format!("`{question}`: {line}\n    process: {other}"));
        }
    }
    report
        .add(&format!("other hits in {compared} new processes"), "", f64::from(different))
        .limit(Limit::Correct(0.0));
    Ok(())
}

/// An answer without its last line, in which a server numbers its answers.
fn without_receipt(text: &str) -> &str {
    let text = text.trim_end();
    text.rfind("\n[").map_or(text, |at| &text[..at])
}

#[cfg(test)]
mod tests {
    use super::without_receipt;

    #[test]
    fn the_receipt_is_the_last_line_in_brackets() {
        let text = "found: a\n[b]\nc.rs:1-2\n[fresh 12ab; answer 1; hits 1-2 of 2]\n";
        assert_eq!(without_receipt(text), "found: a\n[b]\nc.rs:1-2");
        assert_eq!(without_receipt("nothing was found\n"), "nothing was found");
    }
}
