//! `cargo xtask opensearch check`: a node of three is killed while a repository is ingested, and again while
//! questions are answered. No document may be missing, no question may fail, and no answer may change.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::Command,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;

use super::{Folder, Options, POLL, health, kill, report, start, stop};

/// Name of the checked repository, and of the one that is ingested without a failure.
const CHECKED: &str = "checked";
const EXPECTED: &str = "expected";

/// The node that is killed: not the one that `lore` asks first.
const KILLED: u16 = 2;

/// Time between the start of the ingestion and the kill.
const BEFORE_KILL: Duration = Duration::from_secs(2);

/// Default number of questions.
const QUESTIONS: usize = 1_000;

/// Port of the first node: not that of the cluster of the tests.
const PORT: u16 = 19_300;

/// Maximum time until a node that was started again has all its rows.
const MAX_RECOVERY: Duration = Duration::from_mins(5);

/// The arguments of the check.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Arguments {
    /// Number of questions.
    count: usize,
    /// Port of the first node.
    port: u16,
    /// Folder of the cluster; `None` for the usual one.
    pub(super) folder: Option<PathBuf>,
}

/// Reads the arguments.
pub(super) fn parse(words: &[String]) -> Result<Arguments> {
    let mut arguments = Arguments { count: QUESTIONS, port: PORT, folder: None };
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let value = words.next().with_context(|| format!("`{word}` needs a value"))?;
        let wrong = || format!("`{word} {value}`");
        match word.as_str() {
            "--questions" => arguments.count = value.parse().with_context(wrong)?,
            "--port" => arguments.port = value.parse().with_context(wrong)?,
            "--folder" => arguments.folder = Some(value.into()),
            _ => bail!("unknown argument `{word}`"),
        }
    }
    Ok(arguments)
}

/// Runs the check in a folder without a cluster.
pub(super) fn run(root: &Path, folder: &Folder, arguments: &Arguments) -> Result<()> {
    if folder.options()?.is_some() {
        bail!(
            "`{}` has a cluster\nhint: run `cargo xtask opensearch stop{}` first",
            folder.path().display(),
            folder.argument()
        );
    }
    let lore = crate::program(root)?;
    let work = folder.path().join("check");
    if work.exists() {
        std::fs::remove_dir_all(&work)?;
    }
    std::fs::create_dir_all(&work)?;
    // Commits of others would change the history during the check.
    let tree = work.join("tree");
    let cloned = Command::new("git").args(["clone", "--quiet"]).arg(root).arg(&tree).status()?;
    ensure!(cloned.success(), "could not clone the repository");
    let options = Options { nodes: 3, port: arguments.port, ..Options::default() };
    let check = Check { tree, folder, work: &work, lore, options };
    let result = start(folder, &check.options).and_then(|()| check.run(arguments.count));
    let stopped = stop(folder);
    std::fs::remove_dir_all(&work)?;
    result.and(stopped)
}

/// The parts of a check.
struct Check<'a> {
    /// A clone of this repository: it is ingested, and has the questions.
    tree: PathBuf,
    folder: &'a Folder,
    /// A directory for everything that `lore` writes.
    work: &'a Path,
    lore: PathBuf,
    options: Options,
}

impl Check<'_> {
    fn run(&self, count: usize) -> Result<()> {
        self.write_settings()?;
        self.call(CHECKED, &["cluster", "init", "--shards", "3", "--replicas", "1"])?;
        self.while_killing(BEFORE_KILL, || {
            self.call(CHECKED, &["cluster", "ingest", "--as", CHECKED]).map(drop)
        })?;
        start(self.folder, &self.options)?;
        self.wait_for_copies()?;
        self.call(EXPECTED, &["cluster", "ingest", "--as", EXPECTED])?;
        self.compare_rows()?;
        self.wait_for_copies()?;

        let collection = self.questions(count)?;
        let began = Instant::now();
        let before = self.answers(&collection, "before")?;
        // The caches of the nodes are full now, so that the second time is shorter.
        let pause = began.elapsed() / 4;
        let after = self.while_killing(pause, || self.answers(&collection, "after"))?;
        ensure!(before.len() == count, "{} of {count} questions were answered", before.len());
        let differing: Vec<&String> = before
            .iter()
            .filter(|(id, answer)| after.get(*id) != Some(answer))
            .map(|it| it.0)
            .collect();
        ensure!(
            differing.is_empty(),
            "{} of {count} answers changed when a node was killed: {differing:?}",
            differing.len()
        );
        report(&format!(
            "{count} questions have the same answers before and after a node was killed"
        ));
        Ok(())
    }

    /// Writes the settings of `lore`: all nodes, the one that is killed first.
    fn write_settings(&self) -> Result<()> {
        let mut numbers: Vec<u16> = self.options.numbers().collect();
        numbers.sort_by_key(|number| *number != KILLED);
        let urls: Vec<String> = numbers.iter().map(|number| self.options.url(*number)).collect();
        let settings = format!(
            "[cluster]\nurl = \"{}\"\nindex = \"check\"\n[index]\nbackend = \"opensearch\"\n",
            urls.join(",")
        );
        std::fs::write(self.settings(), settings).context("could not write the settings")
    }

    fn settings(&self) -> PathBuf {
        self.work.join("settings.toml")
    }

    /// Calls `lore` for a name of the repository, and returns its output.
    fn call(&self, repository: &str, words: &[&str]) -> Result<Vec<u8>> {
        let mut command = Command::new(&self.lore);
        command
            .args(words)
            .current_dir(&self.tree)
            .env("LOREHOUND_CONFIG", self.settings())
            .env("LOREHOUND_CACHE_DIR", self.work.join("cache"))
            .env("LOREHOUND_CLUSTER_REPOSITORY", repository);
        let output = command.output().context("could not start `lore`")?;
        if !output.status.success() {
            let message = String::from_utf8_lossy(&output.stderr);
            bail!("`lore {}` failed: {}\n{message}", words.join(" "), output.status);
        }
        Ok(output.stdout)
    }

    /// Does something while a node is killed.
    fn while_killing<T: Send>(
        &self,
        pause: Duration,
        action: impl FnOnce() -> Result<T> + Send,
    ) -> Result<T> {
        thread::scope(|scope| {
            let action = scope.spawn(action);
            thread::sleep(pause);
            let is_early = !action.is_finished();
            kill(self.folder, KILLED)?;
            let result = action.join().map_err(|_| anyhow::anyhow!("a thread panicked"))??;
            ensure!(is_early, "everything was done before the node was killed");
            Ok(result)
        })
    }

    /// Waits until every shard has all its copies.
    fn wait_for_copies(&self) -> Result<()> {
        let began = Instant::now();
        while health(self.folder, &self.options, 1)?.is_none_or(|health| health.status != "green") {
            ensure!(began.elapsed() < MAX_RECOVERY, "the cluster did not become green");
            thread::sleep(POLL);
        }
        Ok(())
    }

    /// Fails unless both repositories have the same number of documents and passages.
    fn compare_rows(&self) -> Result<()> {
        let output = self.call(CHECKED, &["cluster", "status", "--json"])?;
        let status: Value = serde_json::from_slice(&output).context("the status is no JSON")?;
        let repositories = status["repositories"].as_array().context("no repositories")?;
        let of = |name: &str| {
            let repository = repositories.iter().find(|repository| repository["name"] == name);
            repository.map(|repository| repository["sources"].clone())
        };
        let (checked, expected) = (of(CHECKED), of(EXPECTED));
        ensure!(expected.is_some(), "the status has no repository `{EXPECTED}`");
        ensure!(
            without_generation(checked.as_ref()) == without_generation(expected.as_ref()),
            "a killed node lost rows: {checked:?} instead of {expected:?}"
        );
        report("all documents and passages were ingested while a node was killed");
        Ok(())
    }

    /// Writes a collection with this number of questions.
    fn questions(&self, count: usize) -> Result<PathBuf> {
        let path = self.tree.join("eval/collections/ask-lorehound/lorehound.jsonl");
        let text = std::fs::read_to_string(path).context("could not read the questions")?;
        let questions: Vec<Value> =
            text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
        let mut lines = String::new();
        for (number, question) in questions.iter().cycle().take(count).enumerate() {
            let mut question = question.clone();
            question["id"] = format!("q{number}").into();
            lines += &question.to_string();
            lines.push('\n');
        }
        let path = self.work.join("questions.jsonl");
        std::fs::write(&path, lines)?;
        Ok(path)
    }

    /// Answers all questions in one process. Returns the results by the identifier of the question.
    fn answers(&self, collection: &Path, name: &str) -> Result<BTreeMap<String, Value>> {
        let run = self.work.join(format!("{name}.jsonl"));
        let (collection, run_text) = (collection.display().to_string(), run.display().to_string());
        self.call(CHECKED, &["eval", &collection, "--root", ".", "--run-out", &run_text])?;
        let mut answers = BTreeMap::new();
        for line in std::fs::read_to_string(&run)?.lines() {
            let answer: Value = serde_json::from_str(line)?;
            let id = answer["id"].as_str().context("an answer has no identifier")?;
            answers.insert(id.to_owned(), answer["results"].clone());
        }
        Ok(answers)
    }
}

/// The counts of a repository without the numbers of its commits, which may differ after a failure.
fn without_generation(sources: Option<&Value>) -> Option<Vec<Value>> {
    let sources = sources?.as_array()?;
    let counts = sources.iter().map(|source| {
        let mut source = source.clone();
        if let Some(source) = source.as_object_mut() {
            source.remove("generation");
        }
        source
    });
    Some(counts.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_optional() {
        let parsed =
            |line: &str| parse(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
        let usual = Arguments { count: QUESTIONS, port: PORT, folder: None };
        assert_eq!(parsed("").unwrap(), usual);
        let given = Arguments { count: 40, port: 20_000, folder: Some("f".into()) };
        assert_eq!(parsed("--questions 40 --folder f --port 20000").unwrap(), given);
        for line in ["--questions many", "--questions", "--other 1"] {
            assert!(parsed(line).is_err(), "{line}");
        }
    }
}
