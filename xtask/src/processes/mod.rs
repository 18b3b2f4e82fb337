//! Stress test of many processes over one changing repository: readers, writers and a server. No
//! answer may show text that no file contained while it was made, none may fail, and whenever the
//! tree is at rest the index must equal a new one.

mod tree;

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};

use self::tree::{STILL, Tree, random, size_of};
use crate::server::Server;

/// Amount of load. The test suite of `lore` uses less of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Load {
    /// Total duration.
    pub(crate) duration: Duration,
    /// Time during which files change before the index is compared.
    pub(crate) round: Duration,
    /// Number of threads that run one searching process after another.
    pub(crate) readers: usize,
    /// The same for indexing processes; every second one searches and may write.
    pub(crate) writers: usize,
    /// Pause between two changes.
    pub(crate) pause: Duration,
}

/// Maximum number of failures in the report.
const MAX_SHOWN: usize = 20;

/// Differences of scores below this are rounding.
const ROUNDING: f64 = 1e-6;

/// Maximum growth of the number of cache files over the first round: a factor, and a number to add.
const MAX_GROWTH: u64 = 3;
const MARGIN: u64 = 60;

/// Messages that must not appear while other processes search or index.
const FORBIDDEN_MESSAGES: [&str; 6] =
    ["another process", "lock", "damaged", "panicked", "could not", "rebuilt"];

/// Runs the processes in a new directory, and returns a summary.
pub(crate) fn soak(program: &Path, folder: &Path, load: Load) -> Result<String> {
    let tree = Mutex::new(Tree::new(folder.join("tree"))?);
    let tree_folder = folder.join("tree");
    let place = Place { program, tree: &tree_folder, cache: folder.join("cache") };
    let server = Mutex::new(Server::start(program, place.tree, &place.cache)?);
    let findings = Mutex::new(Findings::default());
    let ends = Instant::now() + load.duration;
    let mut rounds = 0_u64;
    let mut first_files = None;
    while Instant::now() < ends {
        rounds += 1;
        let answers = Mutex::new(Vec::new());
        let is_over = AtomicBool::new(false);
        let round_ends = ends.min(Instant::now() + load.round);
        thread::scope(|scope| {
            let worker = |number: usize| Worker {
                place: &place,
                tree: &tree,
                findings: &findings,
                answers: &answers,
                is_over: &is_over,
                seed: (number as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ rounds,
            };
            for number in 0..load.readers {
                let worker = worker(number);
                scope.spawn(|| worker.read());
            }
            for number in 0..load.writers {
                let worker = worker(load.readers + number);
                scope.spawn(move || worker.write(number));
            }
            let server = &server;
            let worker = worker(load.readers + load.writers);
            scope.spawn(move || worker.ask(server));
            while Instant::now() < round_ends {
                let changed = tree.lock().expect("no thread panics while it has the lock").change();
                if let Err(error) = changed {
                    fail(&findings, format!("the tree: {error:#}"));
                }
                thread::sleep(load.pause);
            }
            is_over.store(true, Ordering::Relaxed);
        });
        let answers = answers.into_inner().expect("the workers are done");
        let tree = tree.lock().expect("no thread panics while it has the lock");
        for answer in &answers {
            answer.check(&tree, &findings);
        }
        let mut findings = findings.lock().expect("no thread panics while it has the lock");
        findings.compare(&place, &tree, rounds)?;
        let (files, bytes) = size_of(&place.cache);
        let first = *first_files.get_or_insert(files);
        if files > first * MAX_GROWTH + MARGIN {
            findings.failures.push(format!("{files} files in the cache after {first}"));
        }
        findings.cache = (files, bytes);
    }
    let server = server.into_inner().expect("the workers are done");
    let mut findings = findings.into_inner().expect("the workers are done");
    if let Err(error) = server.end() {
        findings.failures.push(format!("{error:#}"));
    }
    let tree = tree.into_inner().expect("the workers are done");
    findings.report(&tree, rounds)
}

/// The program, the tree and the cache directory.
struct Place<'a> {
    program: &'a Path,
    tree: &'a Path,
    cache: PathBuf,
}

/// Result of a process.
struct Ran {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Place<'_> {
    fn run(&self, words: &[&str], cache: &Path) -> Result<Ran> {
        let ran = Command::new(self.program)
            .args(words)
            .arg("-C")
            .arg(self.tree)
            .arg("--cache-dir")
            .arg(cache)
            .current_dir(self.tree)
            .env("LOREHOUND_CONFIG", "")
            .stdin(Stdio::null())
            .output()
            .with_context(|| format!("could not start `{}`", self.program.display()))?;
        Ok(Ran {
            code: ran.status.code(),
            stdout: String::from_utf8_lossy(&ran.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&ran.stderr).into_owned(),
        })
    }
}

/// A worker that starts processes one after another.
struct Worker<'a> {
    place: &'a Place<'a>,
    tree: &'a Mutex<Tree>,
    findings: &'a Mutex<Findings>,
    answers: &'a Mutex<Vec<Shown>>,
    is_over: &'a AtomicBool,
    seed: u64,
}

impl Worker<'_> {
    fn goes_on(&self) -> bool {
        !self.is_over.load(Ordering::Relaxed)
    }

    fn random(&mut self) -> usize {
        self.seed = random(self.seed);
        usize::try_from(self.seed >> 33).unwrap_or(0)
    }

    /// A question, and the path of the file that must be among its hits.
    fn question(&mut self) -> (String, Option<String>) {
        let random = self.random();
        match random % 4 {
            0 => {
                let number = random / 4 % STILL;
                (format!("wombat{number}"), Some(format!("src/still_{number}.rs")))
            }
            1 => (format!("wheel of part {}", random / 4 % 100), None),
            _ => (
                self.tree.lock().expect("no thread panics while it has the lock").word(random / 4),
                None,
            ),
        }
    }

    fn read(mut self) {
        while self.goes_on() {
            let (query, wanted) = self.question();
            let mut words = vec!["search", "--json", "--in", "code", &query];
            if self.random().is_multiple_of(4) {
                words.insert(1, "--no-write");
            }
            if self.random().is_multiple_of(8) {
                words.insert(1, "--literal");
            }
            self.search(&words, wanted);
        }
    }

    fn write(mut self, number: usize) {
        while self.goes_on() {
            if number.is_multiple_of(2) {
                self.index();
            } else {
                let (query, wanted) = self.question();
                self.search(&["search", "--json", &query], wanted);
            }
        }
    }

    fn index(&mut self) {
        let mode = if self.random().is_multiple_of(20) { "--rebuild" } else { "--update" };
        let ran = self.run(&["index", mode]);
        if let Some(ran) = ran
            && ran.code != Some(0)
        {
            fail(self.findings, format!("index {mode}: {:?} {}", ran.code, ran.stderr));
        }
        self.findings.lock().expect("no thread panics while it has the lock").indexed += 1;
    }

    /// Runs the program; a forbidden message counts as a failure.
    fn run(&self, words: &[&str]) -> Option<Ran> {
        match self.place.run(words, &self.place.cache) {
            Ok(ran) => {
                let said = ran.stderr.to_lowercase();
                if FORBIDDEN_MESSAGES.iter().any(|complaint| said.contains(complaint)) {
                    fail(self.findings, format!("{words:?} said: {}", ran.stderr));
                }
                Some(ran)
            }
            Err(error) => {
                fail(self.findings, format!("{error:#}"));
                None
            }
        }
    }

    fn search(&self, words: &[&str], wanted: Option<String>) {
        let began = Instant::now();
        let Some(ran) = self.run(words) else { return };
        let time = (began, Instant::now());
        match serde_json::from_str(&ran.stdout) {
            Ok(answer) if matches!(ran.code, Some(0 | 1)) => {
                self.note(Shown { asked: words.join(" "), answer, time, wanted });
            }
            _ => fail(self.findings, format!("{words:?}: {:?} {}", ran.code, ran.stderr)),
        }
    }

    fn ask(mut self, server: &Mutex<Server>) {
        while self.goes_on() {
            let (query, wanted) = self.question();
            let began = Instant::now();
            let asked = json!({"query": query, "in": ["code"]});
            let answered = server
                .lock()
                .expect("no thread panics while it has the lock")
                .call("search", &asked);
            let time = (began, Instant::now());
            match answered {
                Ok(mut answered) => {
                    let answer = answered["structuredContent"].take();
                    self.note(Shown { asked: format!("server: {query}"), answer, time, wanted });
                }
                Err(error) => fail(self.findings, format!("server: {error:#}")),
            }
        }
    }

    fn note(&self, shown: Shown) {
        self.answers.lock().expect("no thread panics while it has the lock").push(shown);
    }
}

/// An answer that is checked at the end of the round.
struct Shown {
    asked: String,
    answer: Value,
    time: (Instant, Instant),
    /// A file that never changes and contains the query.
    wanted: Option<String>,
}

impl Shown {
    fn check(&self, tree: &Tree, findings: &Mutex<Findings>) {
        let no_hits = Vec::new();
        // The program and the server use different field names.
        let hits = self.answer["results"].as_array().or_else(|| self.answer["hits"].as_array());
        let hits = hits.unwrap_or(&no_hits);
        let fresh = self.answer["receipt"]["fresh"].as_str().or(self.answer["fresh"].as_str());
        let mut counts = findings.lock().expect("no thread panics while it has the lock");
        counts.milliseconds.push((self.time.1 - self.time.0).as_secs_f64() * 1e3);
        counts.partial += u64::from(fresh != Some("verified"));
        let mut wrong = Vec::new();
        for hit in hits {
            let Some(path) = hit["path"].as_str().filter(|path| path.starts_with("src/")) else {
                continue;
            };
            let number = |name: &str| usize::try_from(hit[name].as_u64()?).ok();
            let first = number("snippetStartLine").or_else(|| number("start_line"));
            let text = hit["snippet"].as_str().or_else(|| hit["text"].as_str());
            if let (Some(first), Some(text)) = (first, text) {
                counts.hits += 1;
                if !tree.held(path, first, text, self.time) {
                    wrong.push(format!(
                        "{}: `{path}` never contained line {first}: {text}",
                        self.asked
                    ));
                }
            }
        }
        if let Some(wanted) = &self.wanted
            && !hits.iter().any(|hit| hit["path"] == wanted.as_str())
        {
            wrong.push(format!("{}: `{wanted}` is missing, fresh {fresh:?}", self.asked));
        }
        counts.failures.extend(wrong);
    }
}

/// Results of a run.
#[derive(Default)]
struct Findings {
    milliseconds: Vec<f64>,
    hits: u64,
    partial: u64,
    indexed: u64,
    compared: u64,
    /// Number of files and bytes of the cache.
    cache: (u64, u64),
    failures: Vec<String>,
}

impl Findings {
    /// Compares the index with a new one. The tree is at rest.
    fn compare(&mut self, place: &Place<'_>, tree: &Tree, round: u64) -> Result<()> {
        let fresh = place.cache.with_extension(format!("fresh-{round}"));
        let mut queries = vec!["turn wheel part".to_owned(), "wombat7".to_owned()];
        queries.extend((0..5).map(|random| tree.word(random * 7)));
        for query in &queries {
            for mode in ["hybrid", "lexical"] {
                let words = ["search", "--json", "--limit", "40", "--mode", mode, query];
                let ran = place.run(&words, &place.cache)?;
                let expected = ranks(&place.run(&words, &fresh)?);
                let found = ranks(&ran);
                self.compared += 1;
                if !matches!(ran.code, Some(0 | 1)) || !are_equal(&found, &expected) {
                    let [found, expected] = [found, expected]
                        .map(|ranks| ranks.into_iter().take(8).collect::<Vec<_>>());
                    self.failures.push(format!(
                        "round {round}, {words:?}: {:?} {}\n{found:?}\ninstead of\n{expected:?}",
                        ran.code, ran.stderr
                    ));
                }
            }
        }
        let doctor = place.run(&["doctor"], &place.cache)?;
        if doctor.stdout.contains("problem") {
            self.failures.push(format!("round {round}: {}", doctor.stdout));
        }
        std::fs::remove_dir_all(&fresh).ok();
        Ok(())
    }

    fn report(mut self, tree: &Tree, rounds: u64) -> Result<String> {
        if self.milliseconds.is_empty() || !self.failures.is_empty() {
            let shown: Vec<&str> =
                self.failures.iter().take(MAX_SHOWN).map(String::as_str).collect();
            bail!(
                "{} failures over {} answers, {:?}\n{}",
                self.failures.len(),
                self.milliseconds.len(),
                tree.changes,
                shown.join("\n")
            );
        }
        self.milliseconds.sort_by(f64::total_cmp);
        let last = self.milliseconds.len() - 1;
        let at = |share: usize| self.milliseconds[last * share / 100];
        let changes: Vec<String> =
            tree.changes.iter().map(|(what, count)| format!("{count} {what}")).collect();
        Ok(format!(
            "{rounds} rounds, {} answers with {} hits, each of which was on disk while it was made; \
             {} of them said that they were partial; {} runs of `lore index`; {}; {} comparisons with \
             a new index were equal; {:.0} ms an answer at the median, {:.0} at the 99th percentile; \
             {} files and {:.1} MB in the cache at the end",
            self.milliseconds.len(),
            self.hits,
            self.partial,
            self.indexed,
            changes.join(", "),
            self.compared,
            at(50),
            at(99),
            self.cache.0,
            self.cache.1 as f64 / 1e6,
        ))
    }
}

fn fail(findings: &Mutex<Findings>, what: String) {
    findings.lock().expect("no thread panics while it has the lock").failures.push(what);
}

/// Identifiers and scores, in order.
fn ranks(ran: &Ran) -> Vec<(String, f64)> {
    let answer: Value = serde_json::from_str(&ran.stdout).unwrap_or_default();
    let hits = answer["results"].as_array().cloned().unwrap_or_default();
    let rank = |hit: &Value| {
        Some((hit["id"].as_str()?.to_owned(), hit["score"].as_f64().unwrap_or_default()))
    };
    hits.iter().filter_map(rank).collect()
}

fn are_equal(left: &[(String, f64)], right: &[(String, f64)]) -> bool {
    left.len() == right.len()
        && left
            .iter()
            .zip(right)
            .all(|(left, right)| left.0 == right.0 && (left.1 - right.1).abs() <= ROUNDING)
}
