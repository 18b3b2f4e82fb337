//! A temporary tree to search, with its own cache.

use std::{
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use serde_json::Value;
use tempfile::TempDir;

/// Path of the `lore` binary under test.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_lore");

/// Environment of the tested processes: no settings, no time zone, no git configuration.
pub(crate) const ENVIRONMENT: &[(&str, &str)] = &[
    ("LOREHOUND_CONFIG", ""),
    ("TZ", "UTC"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_CONFIG_SYSTEM", "/dev/null"),
];

/// A tree and a cache.
pub(crate) struct Workspace {
    folder: TempDir,
}

/// Exit code and output of a run.
#[derive(Debug)]
pub(crate) struct Ran {
    /// Exit code; `None` after a signal.
    pub(crate) code: Option<i32>,
    /// Standard output.
    pub(crate) stdout: String,
    /// Standard error.
    pub(crate) stderr: String,
}

impl Ran {
    pub(crate) fn new(output: &Output) -> Ran {
        Ran {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Standard output as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("no JSON: {error}\n{self:?}"))
    }

    /// The paths of the results in standard output.
    pub(crate) fn paths(&self) -> Vec<String> {
        let json = self.json();
        let results = json["results"].as_array().expect("an array of results");
        results.iter().filter_map(|hit| hit["path"].as_str().map(str::to_owned)).collect()
    }
}

impl Workspace {
    /// An empty tree.
    pub(crate) fn empty() -> Workspace {
        let workspace = Workspace { folder: TempDir::new().expect("a temporary folder") };
        fs::create_dir(workspace.tree()).expect("a new folder");
        workspace
    }

    /// A tree from a fixture string: `//- /path` starts a file.
    pub(crate) fn with(files: &[(&str, &str)]) -> Workspace {
        let workspace = Workspace::empty();
        for (path, text) in files {
            workspace.write(path, text);
        }
        workspace
    }

    /// The shop of the guide, with three commits.
    pub(crate) fn shop() -> Workspace {
        let workspace = Workspace::empty();
        let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/shop");
        copy(&fixture, &workspace.tree());
        let commits: [(&str, &str, &[&str]); 3] = [
            (
                "2024-11-05T09:00:00Z",
                "Take payments in whole cents",
                &["src/lib.rs", "src/payment.rs", "docs/adr/0001-amounts-in-cents.md"],
            ),
            (
                "2024-12-14T17:30:00Z",
                "refund: use one idempotency key for all attempts\n\nThe gateway made a new key for \
                 each attempt, so that a late answer\npaid the customer twice.",
                &["src/refund.rs", "src/gateway.rs", "tests/refund.rs"],
            ),
            (
                "2025-01-16T08:15:00Z",
                "Add the settlement report and the guide for operations",
                &["."],
            ),
        ];
        workspace.git(commits[0].0, &["init", "--quiet", "--initial-branch=main"]);
        for (date, message, paths) in commits {
            workspace.git(date, &[&["add", "--"], paths].concat());
            workspace.git(date, &["commit", "--quiet", "-m", message]);
        }
        workspace
    }

    /// The tree.
    pub(crate) fn tree(&self) -> PathBuf {
        self.folder.path().join("shop")
    }

    /// The cache.
    pub(crate) fn cache(&self) -> PathBuf {
        self.folder.path().join("cache")
    }

    /// Writes a file of the tree.
    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.tree().join(path);
        fs::create_dir_all(path.parent().expect("a file has a folder")).expect("a new folder");
        fs::write(path, text).expect("a new file");
    }

    /// A command that runs `lore` in the tree.
    pub(crate) fn command<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Command {
        let mut command = Command::new(PROGRAM);
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("LOREHOUND_") {
                command.env_remove(name);
            }
        }
        command
            .args(arguments)
            .current_dir(self.tree())
            .env("LOREHOUND_CACHE_DIR", self.cache())
            .envs(ENVIRONMENT.iter().copied())
            .stdin(Stdio::null());
        command
    }

    /// Runs `lore` in the tree.
    pub(crate) fn run<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Ran {
        Ran::new(&self.command(arguments).output().expect("the program starts"))
    }

    /// Runs git in the tree at a given date.
    pub(crate) fn git(&self, date: &str, arguments: &[&str]) {
        Workspace::git_in(&self.tree(), date, arguments);
    }

    /// Runs git in a directory at a given date.
    pub(crate) fn git_in(folder: &Path, date: &str, arguments: &[&str]) {
        let status = Command::new("git")
            .args(["-c", "user.name=Ada Lovelace", "-c", "user.email=ada@example.com"])
            .args(arguments)
            .current_dir(folder)
            .envs(ENVIRONMENT.iter().copied())
            .env("GIT_AUTHOR_DATE", date)
            .env("GIT_COMMITTER_DATE", date)
            .status()
            .expect("git is there");
        assert!(status.success(), "git {arguments:?}");
    }
}

/// Copies a directory.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a new folder");
    for entry in fs::read_dir(from).expect("the fixture is there") {
        let entry = entry.expect("the fixture can be listed");
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("the fixture can be read");
        }
    }
}
