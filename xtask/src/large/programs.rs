//! The programs of a run, each with a cache of its own.

use std::{
    cell::OnceCell,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Duration,
};

use anyhow::{Context as _, Result};

use super::{
    options::Options,
    run::{Job, Ran, disk_size},
};
use crate::{environment::set_environment, server::Server};

/// Time after which an answer of a server counts as lost. Older programs walk a large tree for each.
const ANSWER_TIMEOUT: Duration = Duration::from_mins(2);

/// First index of a program.
pub(super) struct FirstIndex {
    pub(super) ran: Ran,
    /// Bytes on disk.
    pub(super) disk: u64,
}

/// A program with its cache.
pub(super) struct Program {
    pub(super) path: PathBuf,
    /// Version as it prints it.
    pub(super) version: String,
    cache: PathBuf,
    first: OnceCell<FirstIndex>,
}

impl Program {
    fn new(path: &Path, cache: PathBuf) -> Result<Program> {
        let path = std::path::absolute(path)?;
        let ran = Command::new(&path)
            .arg("--version")
            .output()
            .with_context(|| format!("could not start `{}`", path.display()))?;
        let version = String::from_utf8_lossy(&ran.stdout).trim().to_owned();
        Ok(Program { path, version, cache, first: OnceCell::new() })
    }

    /// The first index of the tree, which is made by the first caller. The cache then contains it.
    pub(super) fn first_index(&self, tree: &Path) -> Result<&FirstIndex> {
        if self.first.get().is_none() {
            let ran = self.run_in(&self.cache, tree, &["index"])?;
            let first = FirstIndex { ran, disk: disk_size(&self.cache)? };
            let _ = self.first.set(first);
        }
        self.first.get().context("the index was just made")
    }

    /// Runs the program with an index of the tree.
    pub(super) fn run(&self, tree: &Path, arguments: &[&str]) -> Result<Ran> {
        self.first_index(tree)?;
        self.run_in(&self.cache, tree, arguments)
    }

    /// Runs the program with another cache.
    pub(super) fn run_in(&self, cache: &Path, tree: &Path, arguments: &[&str]) -> Result<Ran> {
        Job { program: &self.path, arguments, tree, cache }.run()
    }

    /// A job with another cache.
    pub(super) fn job<'a>(
        &'a self,
        cache: &'a Path,
        tree: &'a Path,
        arguments: &'a [&'a str],
    ) -> Job<'a> {
        Job { program: &self.path, arguments, tree, cache }
    }

    /// The cache, with an index of the tree.
    pub(super) fn cache(&self, tree: &Path) -> Result<&Path> {
        self.first_index(tree)?;
        Ok(&self.cache)
    }

    /// Starts a server. `messages` receives its standard error.
    pub(super) fn serve(&self, cache: &Path, tree: &Path, messages: &Path) -> Result<Server> {
        let mut command = Command::new(&self.path);
        Program::connect(&mut command, cache, tree, messages)
    }

    /// Starts a server by a command that ends with the program, to which the arguments are added.
    pub(super) fn connect(
        command: &mut Command,
        cache: &Path,
        tree: &Path,
        messages: &Path,
    ) -> Result<Server> {
        let messages = std::fs::File::create(messages)?;
        command.args(["mcp", "--no-dedup"]).current_dir(tree).stderr(Stdio::from(messages));
        set_environment(command, cache);
        Server::connect(command, ANSWER_TIMEOUT)
    }
}

/// The program under test, and the one to compare with.
pub(super) struct Programs {
    pub(super) lore: Program,
    pub(super) beside: Option<Program>,
}

impl Programs {
    /// Finds the programs: by argument, then by `LORE`, then the release build.
    pub(super) fn new(root: &Path, options: &Options, folder: &Path) -> Result<Programs> {
        let path = options.lore.clone().unwrap_or_else(|| {
            let target = std::env::var_os("CARGO_TARGET_DIR")
                .map_or_else(|| root.join("target"), |target| root.join(target));
            std::env::var_os("LORE").map_or_else(|| target.join("release/lore"), PathBuf::from)
        });
        let beside = options.beside.as_deref();
        Ok(Programs {
            lore: Program::new(&path, folder.join("cache"))?,
            beside: beside
                .map(|path| Program::new(path, folder.join("cache-beside")))
                .transpose()?,
        })
    }

    /// All programs, the one under test first.
    pub(super) fn all(&self) -> impl Iterator<Item = &Program> {
        std::iter::once(&self.lore).chain(&self.beside)
    }
}
