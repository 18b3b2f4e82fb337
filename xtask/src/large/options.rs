//! Arguments of `cargo xtask large-tree`.

use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};

/// Default number of questions for a server.
const QUESTIONS: usize = 300;

/// Default number of changes.
const CHANGES: usize = 10_000;

/// Origin of the tree.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// A git repository to copy.
    Folder(PathBuf),
    /// A generated tree of this many files.
    Made(usize),
}

/// Arguments of the command.
#[derive(Debug)]
pub(super) struct Options {
    pub(super) source: Source,
    /// Program under test; `LORE` or the release build if it is missing.
    pub(super) lore: Option<PathBuf>,
    /// Program to compare with.
    pub(super) beside: Option<PathBuf>,
    /// Parts to run; all if empty.
    parts: Vec<String>,
    pub(super) questions: usize,
    pub(super) changes: usize,
    pub(super) seed: u64,
    /// Folder of the run, which must not exist.
    pub(super) folder: Option<PathBuf>,
    /// File for the figures.
    pub(super) json: Option<PathBuf>,
    /// True if the folder of the run is not removed.
    pub(super) keep: bool,
    /// True if the command fails at a wrong answer or lost work.
    pub(super) check: bool,
    /// True if the command fails at a time or a size above its limit.
    pub(super) check_times: bool,
}

impl Options {
    /// Parses the arguments; `parts` are the names of all parts.
    pub(super) fn parse(words: &[String], parts: &[&str]) -> Result<Options> {
        let mut source = None;
        let mut options = Options {
            source: Source::Made(0),
            lore: None,
            beside: None,
            parts: Vec::new(),
            questions: QUESTIONS,
            changes: CHANGES,
            seed: 1,
            folder: None,
            json: None,
            keep: false,
            check: false,
            check_times: false,
        };
        let mut words = words.iter().map(String::as_str);
        while let Some(word) = words.next() {
            let flag = match word {
                "--keep" => &mut options.keep,
                "--check" => &mut options.check,
                "--check-times" => &mut options.check_times,
                _ => {
                    let value = words.next().with_context(|| format!("`{word}` needs a value"))?;
                    match word {
                        "--tree" => source = Some(Source::Folder(value.into())),
                        "--made" => source = Some(Source::Made(number(word, value)?)),
                        "--lore" => options.lore = Some(value.into()),
                        "--beside" => options.beside = Some(value.into()),
                        "--only" => options.parts = names(value, parts)?,
                        "--questions" => options.questions = number(word, value)?,
                        "--changes" => options.changes = number(word, value)?,
                        "--seed" => options.seed = value.parse().context("`--seed`")?,
                        "--folder" => options.folder = Some(value.into()),
                        "--json" => options.json = Some(value.into()),
                        _ => bail!("unknown argument `{word}`"),
                    }
                    continue;
                }
            };
            *flag = true;
        }
        options.source = source.context("`--tree DIR` or `--made N` is needed")?;
        Ok(options)
    }

    /// Returns true if the part runs.
    pub(super) fn includes(&self, part: &str) -> bool {
        self.parts.is_empty() || self.parts.iter().any(|name| name == part)
    }
}

/// A number above zero.
fn number(word: &str, value: &str) -> Result<usize> {
    let number = value.parse().with_context(|| format!("`{word} {value}`"))?;
    if number == 0 {
        bail!("`{word}` must be above 0");
    }
    Ok(number)
}

/// Names of parts, separated by commas.
fn names(value: &str, parts: &[&str]) -> Result<Vec<String>> {
    let names: Vec<String> = value.split(',').map(str::to_owned).collect();
    if let Some(name) = names.iter().find(|name| !parts.contains(&name.as_str())) {
        bail!("unknown part `{name}`; the parts are: {}", parts.join(", "));
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::{Options, Source};

    fn parse(line: &str) -> anyhow::Result<Options> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        Options::parse(&words, &["index", "fresh", "kill"])
    }

    #[test]
    fn options_select_the_tree_and_the_parts() {
        let options =
            parse("--made 20000 --only index,fresh,kill --changes 600 --check --json figures.json")
                .unwrap();
        assert_eq!(options.source, Source::Made(20_000));
        assert_eq!((options.changes, options.questions, options.seed), (600, 300, 1));
        assert!(options.includes("kill") && options.check && !options.check_times);
        assert!(!parse("--tree . --only fresh").unwrap().includes("index"));
        assert!(parse("--tree .").unwrap().includes("index"));
    }

    #[test]
    fn wrong_arguments_are_errors() {
        for line in
            ["", "--made", "--made 0", "--made x", "--made 5 --only nothing", "--made 5 -x y"]
        {
            assert!(parse(line).is_err(), "{line:?}");
        }
    }
}
