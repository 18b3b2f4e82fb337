//! The next answer of a new process after a large change: a renamed folder, new times of all files,
//! and another branch.

use std::{fs, io::Write as _, path::Path, time::SystemTime};

use anyhow::{Context as _, Result};

use super::{
    Bench, questions,
    report::{Limit, Report},
    tree::{self, BRANCH, git},
};

/// Maximum share of the files in the renamed folder.
const SHARE: f64 = 0.07;

/// Maximum number of files that differ between the branches; a tenth of smaller trees.
const MAX_BRANCH_FILES: usize = 10_000;

/// Maximum seconds until an answer after a rename, its undoing and new times.
const MAX_SECONDS: f64 = 2.5;

/// Maximum seconds until an answer after the return to a branch.
const MAX_RETURN_SECONDS: f64 = 3.0;

/// Name of the other branch.
const OTHER_BRANCH: &str = "large-other";

pub(super) fn run(bench: &Bench, report: &mut Report) -> Result<()> {
    let (folder, count) = tree::folder_with_share(&bench.tree.files, SHARE)
        .context("no folder has few enough files")?;
    let probe = Probe::find(bench, &folder).context("the folder has no unique identifier")?;
    let steps = Steps { bench, probe: &probe, wrong: std::cell::Cell::new(0) };
    let root = &bench.tree.root;
    let (there, renamed) = (root.join(&folder), root.join(format!("{folder}-renamed")));
    for program in bench.programs.all() {
        program.run(root, &["index"])?;
    }
    let moved = format!("{folder}-renamed{}", &probe.path[folder.len()..]);

    fs::rename(&there, &renamed)?;
    steps.measure(report, &format!("answer after {count} files were renamed"), &moved)?;
    report.limit(Limit::Within(MAX_SECONDS));
    fs::rename(&renamed, &there)?;
    steps.measure(report, "answer after that was undone", &probe.path)?;
    report.limit(Limit::Within(MAX_SECONDS));

    let now = SystemTime::now();
    for file in &bench.tree.files {
        let path = root.join(file);
        if path.symlink_metadata()?.is_file() {
            fs::File::options().write(true).open(&path)?.set_modified(now)?;
        }
    }
    steps.measure(report, "answer after all files were touched", &probe.path)?;
    report.limit(Limit::Within(MAX_SECONDS));

    let changed = make_branch(bench)?;
    for program in bench.programs.all() {
        program.run(root, &["index"])?;
    }
    git(root, &["checkout", "--quiet", OTHER_BRANCH])?;
    let name = format!("answer after a switch that changed {changed} files");
    steps.measure(report, &name, &probe.path)?;
    git(root, &["checkout", "--quiet", BRANCH])?;
    steps.measure(report, "answer after the way back", &probe.path)?;
    report.limit(Limit::Within(MAX_RETURN_SECONDS));
    report.add("wrong answers", "", f64::from(steps.wrong.get())).limit(Limit::Correct(0.0));
    bench.tree.reset()?;
    git(root, &["branch", "--quiet", "-D", OTHER_BRANCH])
}

/// An identifier that one file contains.
struct Probe {
    word: String,
    path: String,
}

impl Probe {
    /// Finds an identifier of a file in the folder that the program finds in this file only.
    fn find(bench: &Bench, folder: &str) -> Option<Probe> {
        let inside = format!("{folder}/");
        let files = bench.tree.sources();
        let files = files.into_iter().filter(|file| file.starts_with(&inside));
        for file in files.take(200) {
            let text = fs::read_to_string(bench.tree.root.join(file)).unwrap_or_default();
            for word in questions::identifiers(&text).into_iter().rev().take(3) {
                // A search without a hit fails.
                if holders(bench, word).is_ok_and(|paths| paths == [file]) {
                    return Some(Probe { word: word.to_owned(), path: file.to_owned() });
                }
            }
        }
        None
    }
}

/// Files that contain a word, as an exhaustive search lists them.
fn holders(bench: &Bench, word: &str) -> Result<Vec<String>> {
    let arguments = ["search", "--literal", word, "--case-sensitive", "--format", "json"];
    let answer = bench.programs.lore.run(&bench.tree.root, &arguments)?.json()?;
    let hits = answer["results"].as_array().context("an answer has results")?;
    Ok(hits.iter().filter_map(|hit| hit["path"].as_str()).map(str::to_owned).collect())
}

/// The measurements after each change.
struct Steps<'a> {
    bench: &'a Bench,
    probe: &'a Probe,
    /// Number of answers of the program under test without the right path.
    wrong: std::cell::Cell<u32>,
}

impl Steps<'_> {
    /// Measures the next answer of each program. The first one must contain the probe at this path.
    fn measure(&self, report: &mut Report, name: &str, path: &str) -> Result<()> {
        let arguments = ["search", &self.probe.word, "--format", "json"];
        let mut seconds = Vec::new();
        for (number, program) in self.bench.programs.all().enumerate() {
            let ran = program.run(&self.bench.tree.root, &arguments)?;
            seconds.push(ran.answer);
            let answer = ran.json()?;
            let hits = answer["results"].as_array().context("an answer has results")?;
            let is_found = hits.iter().any(|hit| hit["path"] == path);
            let is_stale = path != self.probe.path
                && hits.iter().any(|hit| hit["path"] == self.probe.path.as_str());
            if number == 0 && (!is_found || is_stale) {
                self.wrong.set(self.wrong.get() + 1);
                report.note(format!("{name}: `{}` was not found in {path}", self.probe.word));
            }
            if number == 0 && ran.answer + 0.05 < ran.seconds {
                report.note(format!("{name}: the process ended after {:.2} s", ran.seconds));
            }
        }
        report.add(name, "s", seconds[0]).beside(seconds.get(1).copied());
        Ok(())
    }
}

/// Commits a change of many files to another branch, and returns to the first one.
fn make_branch(bench: &Bench) -> Result<usize> {
    let root = &bench.tree.root;
    git(root, &["checkout", "--quiet", "-B", OTHER_BRANCH])?;
    let files = bench.tree.sources();
    let count = MAX_BRANCH_FILES.min(bench.tree.files.len() / 10).max(1);
    let step = (files.len() / count).max(1);
    let mut changed = 0;
    for file in files.iter().step_by(step).take(count) {
        append(&root.join(file), "\n// One more line on the other branch.\n")?;
        changed += 1;
    }
    git(root, &["commit", "--quiet", "--all", "--message", "tree: change many files"])?;
    git(root, &["checkout", "--quiet", BRANCH])?;
    Ok(changed)
}

fn append(path: &Path, text: &str) -> Result<()> {
    let mut file = fs::File::options()
        .append(true)
        .open(path)
        .with_context(|| format!("could not open `{}`", path.display()))?;
    Ok(file.write_all(text.as_bytes())?)
}
