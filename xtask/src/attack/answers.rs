//! Answers of `lore`, in a form that two runs can be compared by.

use std::{collections::BTreeSet, path::Path, time::Duration};

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use super::{Attack, children::Job};

/// Time limit of a run.
const MAX_TIME: Duration = Duration::from_mins(1);

/// Maximum memory of a run, in bytes.
const MAX_MEMORY: u64 = 1 << 30;

/// Number of decimals of a score that are compared.
const SCORE: f64 = 1e4;

/// Runs `lore`, which must end by itself within bounds: with a code of its own and no internal error.
pub(super) fn run(
    attack: &Attack,
    arguments: &[&str],
    tree: &Path,
    folder: &Path,
    cache: &Path,
) -> Result<(i32, String, String)> {
    let job = Job { program: &attack.program, arguments, tree, folder, cache, limit: MAX_TIME };
    let ran = job.run()?;
    let shown = || format!("`lore {}`", arguments.join(" "));
    if ran.is_hanging {
        bail!("{} does not end", shown());
    }
    let is_internal = ran.stderr.contains("internal error") || ran.stderr.contains("panicked at");
    let code = ran.code.filter(|code| (0..=2).contains(code) && !is_internal);
    let Some(code) = code else {
        bail!("{} ended with {:?}: {}", shown(), ran.code, ran.stderr);
    };
    if MAX_MEMORY < ran.peak_memory {
        bail!("{} took {} MB", shown(), ran.peak_memory >> 20);
    }
    Ok((code, ran.stdout, ran.stderr))
}

/// The parts of an answer that depend on the tree alone.
#[derive(Debug, PartialEq)]
pub(super) struct Answer {
    code: i32,
    /// Hits without their scores, in groups of equal scores, best first.
    hits: Vec<BTreeSet<String>>,
    total: Value,
    reasons: Value,
}

/// Runs a query with `--json`, and returns its answer.
pub(super) fn ask(
    attack: &Attack,
    arguments: &[&str],
    tree: &Path,
    folder: &Path,
    cache: &Path,
) -> Result<Answer> {
    let words = [arguments, &["--json"]].concat();
    let (code, stdout, stderr) = run(attack, &words, tree, folder, cache)?;
    if code == 2 {
        bail!("`lore {}` failed: {stderr}", words.join(" "));
    }
    let json: Value = serde_json::from_str(&stdout)
        .with_context(|| format!("`lore {}` wrote no JSON: {stdout}", words.join(" ")))?;
    let mut hits: Vec<BTreeSet<String>> = Vec::new();
    let mut last = None;
    for hit in json["results"].as_array().context("no results")? {
        let score = hit["score"].as_f64().context("no score")?;
        let rounded = (score * SCORE).round();
        if last.is_none_or(|last: f64| 1.0 < (last - rounded).abs()) {
            hits.push(BTreeSet::new());
        }
        last = Some(rounded);
        let fields = ["id", "path", "title", "startLine", "endLine", "snippet", "author", "date"];
        let fields = fields.map(|name| hit[name].to_string());
        hits.last_mut().context("a group")?.insert(fields.join(" "));
    }
    Ok(Answer {
        code,
        hits,
        total: json["receipt"]["total"].clone(),
        reasons: json["absence"]["reasons"].clone(),
    })
}
