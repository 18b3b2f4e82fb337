//! Stress test of many servers over the worktrees of one repository while files change: no answer
//! may be stale, wrong or lost, and none may mention a lock.

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::Mutex,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};

use crate::server::Server;

/// Number of worktrees of the repository.
const WORKTREES: usize = 4;

/// Number of servers of each worktree.
const SERVERS: usize = 2;

/// Number of files that never change.
const STILL: usize = 300;

/// Number of rounds between commits.
const ROUNDS_PER_COMMIT: u64 = 5;

/// Number of rounds between deletions.
const ROUNDS_PER_DELETION: u64 = 7;

/// Maximum number of failures in the report.
const MAX_SHOWN: usize = 20;

/// Runs the test for some minutes.
pub(crate) fn run(root: &Path, minutes: f64) -> Result<()> {
    let program = super::program(root)?;
    let folder = std::env::temp_dir().join(format!("lore-soak-{}", std::process::id()));
    let outcome = soak(&program, &folder, minutes);
    std::fs::remove_dir_all(&folder).ok();
    outcome
}

fn soak(program: &Path, folder: &Path, minutes: f64) -> Result<()> {
    let trees = worktrees(folder)?;
    let cache = folder.join("cache");
    // The servers of one worktree are adjacent.
    let mut servers = Vec::new();
    for tree in &trees {
        for _ in 0..SERVERS {
            servers.push(Mutex::new(Server::start(program, tree, &cache)?));
        }
    }
    let ends = Instant::now() + Duration::from_secs_f64(minutes * 60.0);
    let findings = Mutex::new(Findings::default());
    thread::scope(|scope| {
        for worker in 0..servers.len() {
            let (servers, trees, findings) = (&servers, &trees, &findings);
            scope.spawn(move || {
                let mut work = Work { worker, servers, trees, findings, held: None };
                let mut round = 0;
                while Instant::now() < ends {
                    round += 1;
                    if let Err(error) = work.round(round) {
                        work.fail(&format!("{error:#}"));
                    }
                }
            });
        }
    });
    for server in servers {
        let server = server.into_inner().expect("the workers are done");
        if let Err(error) = server.end() {
            findings.lock().expect("the workers are done").failures.push(format!("{error:#}"));
        }
    }
    findings.into_inner().expect("the workers are done").report()
}

/// Results of a run.
#[derive(Default)]
struct Findings {
    milliseconds: Vec<f64>,
    partial: u64,
    edits: u64,
    commits: u64,
    failures: Vec<String>,
}

impl Findings {
    fn report(mut self) -> Result<()> {
        self.milliseconds.sort_by(f64::total_cmp);
        let last = self.milliseconds.len().saturating_sub(1);
        let at = |share: usize| self.milliseconds.get(last * share / 100).copied().unwrap_or(0.0);
        println!(
            "{} answers of {} servers over {WORKTREES} worktrees, {} edits, {} commits: {:.0} ms at the \
             median, {:.0} at the 99th percentile, {:.0} at most; {} said that they were partial",
            self.milliseconds.len(),
            WORKTREES * SERVERS,
            self.edits,
            self.commits,
            at(50),
            at(99),
            at(100),
            self.partial,
        );
        for failure in self.failures.iter().take(MAX_SHOWN) {
            println!("{failure}");
        }
        if self.milliseconds.is_empty() || !self.failures.is_empty() {
            bail!("{} wrong, stale or lost answers", self.failures.len());
        }
        Ok(())
    }
}

/// A worker that edits its own file and searches for it on every server.
struct Work<'a> {
    worker: usize,
    servers: &'a [Mutex<Server>],
    trees: &'a [PathBuf],
    findings: &'a Mutex<Findings>,
    /// The word in its file.
    held: Option<String>,
}

impl Work<'_> {
    fn round(&mut self, round: u64) -> Result<()> {
        let tree = &self.trees[self.worker / SERVERS];
        let path = format!("src/work_{}.rs", self.worker);
        let file = tree.join(&path);
        let gone = self.held.take();
        if round.is_multiple_of(ROUNDS_PER_DELETION) {
            std::fs::remove_file(&file).ok();
        } else {
            let word = format!("quokka{}x{round}", self.worker);
            std::fs::write(
                &file,
                format!("/// Describes {word}.\npub fn describe_{word}() {{}}\n"),
            )?;
            self.held = Some(word);
        }
        self.findings.lock().expect("no thread panics while it has the lock").edits += 1;
        if round.is_multiple_of(ROUNDS_PER_COMMIT) {
            // Another worker may be committing; the next commit includes this change.
            let added = git(tree, &["add", "--all"]).is_ok();
            if added && git(tree, &["commit", "--quiet", "--message", "work"]).is_ok() {
                self.findings.lock().expect("no thread panics while it has the lock").commits += 1;
            }
        }
        // Both servers of this worktree find it at once, and no other server ever does.
        let beside = self.worker / SERVERS * SERVERS;
        for server in beside..beside + SERVERS {
            if let Some(word) = &self.held {
                let paths = self.ask(server, word)?;
                if paths != [path.clone()] {
                    self.fail(&format!("server {server}: `{word}` was found in {paths:?}"));
                }
            }
            if let Some(word) = &gone {
                let paths = self.ask(server, word)?;
                if !paths.is_empty() {
                    self.fail(&format!("server {server}: deleted `{word}` found in {paths:?}"));
                }
            }
        }
        let elsewhere = (beside + SERVERS + usize::try_from(round)? % SERVERS) % self.servers.len();
        if let Some(word) = &self.held {
            let paths = self.ask(elsewhere, word)?;
            if !paths.is_empty() {
                self.fail(&format!(
                    "server {elsewhere}: `{word}` of another worktree in {paths:?}"
                ));
            }
        }
        let still = format!("wombat{}", usize::try_from(round)? * 7 % STILL);
        let paths = self.ask(beside, &still)?;
        if paths.len() != 1 {
            self.fail(&format!("server {beside}: `{still}` was found in {paths:?}"));
        }
        Ok(())
    }

    /// The files that contain a word, according to a server. Commits are excluded: they may mention
    /// deleted text.
    fn ask(&self, server: usize, word: &str) -> Result<Vec<String>> {
        let asked = self.servers[server].lock().expect("no thread panics while it has the lock");
        let started = Instant::now();
        let arguments = json!({"query": word, "in": ["code"], "limit": 5});
        let result =
            asked.call("search", &arguments).with_context(|| format!("server {server}"))?;
        drop(asked);
        let mut findings = self.findings.lock().expect("no thread panics while it has the lock");
        findings.milliseconds.push(started.elapsed().as_secs_f64() * 1e3);
        let answer = &result["structuredContent"];
        findings.partial += u64::from(answer["fresh"] != "verified");
        let hits = answer["hits"].as_array().context("an answer has hits")?;
        // A hit by vector similarity alone does not contain the word.
        let holds = |hit: &&Value| hit["text"].as_str().is_some_and(|text| text.contains(word));
        Ok(hits
            .iter()
            .filter(holds)
            .filter_map(|hit| hit["path"].as_str())
            .map(str::to_owned)
            .collect())
    }

    fn fail(&self, what: &str) {
        let mut findings = self.findings.lock().expect("no thread panics while it has the lock");
        findings.failures.push(format!("worker {}: {what}", self.worker));
    }
}

/// A repository and its worktrees, the first of which is the repository itself.
fn worktrees(folder: &Path) -> Result<Vec<PathBuf>> {
    let main = folder.join("tree0");
    std::fs::create_dir_all(main.join("src"))?;
    for number in 0..STILL {
        let mut text = format!("/// Returns wombat{number}.\npub fn report_{number}() {{\n");
        for line in 0..20 {
            let _ = writeln!(text, "    step_{line}({number});");
        }
        text.push_str("}\n");
        std::fs::write(main.join(format!("src/still_{number}.rs")), text)?;
    }
    git(&main, &["init", "--quiet", "--initial-branch", "main"])?;
    git(&main, &["add", "--all"])?;
    git(&main, &["commit", "--quiet", "--message", "start"])?;
    let mut trees = vec![main.clone()];
    for number in 1..WORKTREES {
        let tree = folder.join(format!("tree{number}"));
        let shown = tree.display().to_string();
        git(&main, &["worktree", "add", "--quiet", "-b", &format!("branch{number}"), &shown])?;
        trees.push(tree);
    }
    Ok(trees)
}

fn git(tree: &Path, words: &[&str]) -> Result<()> {
    let ran = Command::new("git")
        .arg("-C")
        .arg(tree)
        .args(["-c", "user.name=Soak", "-c", "user.email=soak@example.org"])
        .args(words)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()?;
    if !ran.success() {
        bail!("git {words:?} failed");
    }
    Ok(())
}
