//! The comparison of a server that saw all changes with an index that is made of the final tree.

use std::{collections::BTreeMap, path::Path};

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use super::super::{
    Bench,
    programs::Program,
    questions,
    report::{Limit, Report},
    served::wait_until_ready,
};
use crate::server::Server;

/// Number of questions for both servers.
const QUESTIONS: usize = 50;

/// Number of questions for new processes with both indexes, whose scores are compared.
const SCORED: usize = 10;

/// Maximum difference of two equal scores.
const MAX_DIFFERENCE: f64 = 1e-6;

/// Compares the answers of a server, and of processes with its index, with those of a new index.
pub(super) fn run(bench: &Bench, report: &mut Report, server: &Server) -> Result<()> {
    let tree = &bench.tree.root;
    let program = &bench.programs.lore;
    let (kept, new) = (program.cache(tree)?, bench.folder.join("cache-new"));
    program.run_in(&new, tree, &["index"])?;
    let other = program.serve(&new, tree, &bench.folder.join("messages-new"))?;
    wait_until_ready(&other)?;
    let questions = questions::make(&bench.tree, QUESTIONS, bench.options.seed ^ 4);
    let mut different = 0.0;
    for question in &questions {
        let [left, right] = [hits(server, question)?, hits(&other, question)?];
        if left != right {
            different += 1.0;
            report.note(format!("`{question}`: {}", difference(&left, &right)));
        }
    }
    other.end()?;
    report
        .add(&format!("other hits than a new index, {} questions", questions.len()), "", different)
        .limit(Limit::Correct(0.0));
    let mut scored = 0.0;
    for question in questions.iter().take(SCORED) {
        let [left, right] =
            [scores(program, kept, tree, question)?, scores(program, &new, tree, question)?];
        if !are_equal(&left, &right) {
            scored += 1.0;
            report.note(format!("`{question}` in a process: {left:?}\n    new: {right:?}"));
        }
    }
    report
        .add(&format!("other scores in {SCORED} processes"), "", scored)
        .limit(Limit::Correct(0.0));
    let [left, right] = [listing(program, kept, tree)?, listing(program, &new, tree)?];
    let only = |of: &BTreeMap<String, u64>, other: &BTreeMap<String, u64>| {
        let paths = of.iter().filter(|(path, count)| other.get(*path) != Some(count));
        paths.map(|(path, _)| path.clone()).collect::<Vec<_>>()
    };
    let (extra, lacking) = (only(&left, &right), only(&right, &left));
    for (name, paths) in [("only in the kept index", &extra), ("only in the new one", &lacking)] {
        if !paths.is_empty() {
            report.note(format!("{name}: {:?}", &paths[..paths.len().min(5)]));
        }
    }
    report
        .add(
            &format!("files that differ from a new index of {}", right.len()),
            "",
            extra.len().max(lacking.len()) as f64,
        )
        .limit(Limit::Correct(0.0));
    std::fs::remove_dir_all(&new)?;
    Ok(())
}

/// The hits of a question: identifiers, lines and texts.
fn hits(server: &Server, question: &str) -> Result<Vec<String>> {
    let arguments = json!({"query": question, "in": ["code", "docs"], "limit": 10});
    let answer = server.call("search", &arguments)?;
    let hits = answer["structuredContent"]["hits"].as_array().context("an answer has hits")?;
    let fields = ["id", "path", "startLine", "endLine", "text"];
    Ok(hits.iter().map(|hit| fields.map(|name| hit[name].to_string()).join(" ")).collect())
}

/// The first hit of two lists that differs.
fn difference(left: &[String], right: &[String]) -> String {
    let length = left.len().max(right.len());
    let at = (0..length).find(|at| left.get(*at) != right.get(*at)).unwrap_or(length);
    let shown = |list: &[String]| {
        list.get(at).map_or("nothing".to_owned(), |hit| hit.chars().take(120).collect())
    };
    format!("hit {}: {}\n    new: {}", at + 1, shown(left), shown(right))
}

/// Identifiers and scores of a process.
fn scores(
    program: &Program,
    cache: &Path,
    tree: &Path,
    question: &str,
) -> Result<Vec<(String, f64)>> {
    let arguments = ["search", question, "--in", "code", "--in", "docs", "--format", "json"];
    let answer = program.run_in(cache, tree, &arguments)?.json()?;
    let hits = answer["results"].as_array().context("an answer has results")?;
    let score = |hit: &Value| Some((hit["id"].as_str()?.to_owned(), hit["score"].as_f64()?));
    Ok(hits.iter().filter_map(score).collect())
}

fn are_equal(left: &[(String, f64)], right: &[(String, f64)]) -> bool {
    left.len() == right.len()
        && left
            .iter()
            .zip(right)
            .all(|(left, right)| left.0 == right.0 && (left.1 - right.1).abs() < MAX_DIFFERENCE)
}

/// Files of an index, with their numbers of documents.
pub(super) fn listing(
    program: &Program,
    cache: &Path,
    tree: &Path,
) -> Result<BTreeMap<String, u64>> {
    let arguments =
        ["search", "--in", "code", "--in", "docs", "--limit", "100000", "--format", "json"];
    let answer = program.run_in(cache, tree, &arguments)?.json()?;
    let mut paths = BTreeMap::new();
    for hit in answer["results"].as_array().context("an answer has results")? {
        if let Some(path) = hit["path"].as_str() {
            *paths.entry(path.to_owned()).or_insert(0) += 1;
        }
    }
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::{are_equal, difference};

    #[test]
    fn scores_are_equal_up_to_rounding() {
        let list = |score: f64| vec![("code:a.rs#a".to_owned(), score)];
        assert!(are_equal(&list(0.5), &list(0.500_000_01)));
        assert!(!are_equal(&list(0.5), &list(0.501)));
        assert!(!are_equal(&list(0.5), &[]));
    }

    #[test]
    fn the_first_difference_is_shown() {
        let [left, right] = [["a", "b"], ["a", "c"]].map(|list| list.map(str::to_owned));
        assert_eq!(difference(&left, &right), "hit 2: b\n    new: c");
        assert_eq!(difference(&left[..1], &left), "hit 2: nothing\n    new: b");
    }
}
