//! Small trees and repositories for tests, and an in-memory index state.

use std::{
    collections::BTreeMap,
    fs,
    ops::ControlFlow,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, SystemTime},
};

use lore_schema::{Change, Document, SkipCounts, SourceName, Stamp};

use crate::{IndexState, SOURCES, Scan, ScanReport, SourceError, Tree, WalkOptions};

/// A folder that is deleted at the end of the test.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }

    /// Creates a folder with the files of a fixture.
    pub(crate) fn of(fixture: &str) -> Folder {
        let folder = Folder::new();
        for (path, text) in lore_schema::testing::files(fixture) {
            folder.write(path, text);
        }
        folder
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn join(&self, path: &str) -> PathBuf {
        self.path().join(path)
    }

    /// Writes a file and its parent folders.
    pub(crate) fn write(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let path = self.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
    }

    /// Runs git in a subfolder, without system and user configuration and with fixed dates.
    pub(crate) fn git(&self, folder: &str, arguments: &[&str]) -> String {
        self.git_on(folder, 0, arguments)
    }

    /// Like [`Folder::git`], on a given day after the start of test time.
    pub(crate) fn git_on(&self, folder: &str, day: u64, arguments: &[&str]) -> String {
        let date = format!("{} +0000", 1_600_000_000 + day * 86_400);
        let output = Command::new("git")
            .arg("-c")
            .arg("protocol.file.allow=always")
            .args(arguments)
            .current_dir(self.join(folder))
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_SYSTEM", "/dev/null")
            .env("GIT_AUTHOR_NAME", "Ann Author")
            .env("GIT_AUTHOR_EMAIL", "ann@example.org")
            .env("GIT_COMMITTER_NAME", "Carl Committer")
            .env("GIT_COMMITTER_EMAIL", "carl@example.org")
            .env("GIT_AUTHOR_DATE", &date)
            .env("GIT_COMMITTER_DATE", &date)
            .env_remove("GIT_DIR")
            .env_remove("GIT_WORK_TREE")
            .env_remove("GIT_INDEX_FILE")
            .output()
            .expect("git can be run");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {arguments:?}: {errors}");
        String::from_utf8(output.stdout).unwrap()
    }

    pub(crate) fn walk(&self) -> Tree {
        Tree::walk(self.path(), &options()).unwrap()
    }

    /// Walks after a pause that is long enough for all file times to be trusted.
    pub(crate) fn walk_settled(&self) -> Tree {
        std::thread::sleep(Duration::from_millis(60));
        self.walk()
    }
}

/// The options of most tests.
pub(crate) fn options() -> WalkOptions {
    WalkOptions {
        secrets: crate::Secrets::Redacted,
        hidden: true,
        max_file_size: 1 << 20,
        threads: 2,
        commits: Some(1_000),
        older_commits: false,
        exports: Vec::new(),
        custom: crate::CustomSources::none(),
        at: None,
        stored: None,
    }
}

/// The paths of a tree.
pub(crate) fn paths(tree: &Tree) -> Vec<&str> {
    tree.entries().iter().map(|entry| entry.path.as_str()).collect()
}

/// Sets the modification time of a file.
pub(crate) fn set_modified(path: &Path, time: SystemTime) {
    fs::File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
}

/// State that an index stores for one source.
#[derive(Default)]
pub(crate) struct Memory {
    pub(crate) stamps: BTreeMap<String, Stamp>,
    pub(crate) documents: BTreeMap<String, Vec<Document>>,
    pub(crate) skipped: SkipCounts,
    pub(crate) report: ScanReport,
}

impl IndexState for Memory {
    fn stamp(&self, unit: &str) -> Option<Stamp> {
        self.stamps.get(unit).copied()
    }

    fn cursor(&self) -> Option<&str> {
        Some(self.report.cursor.as_str()).filter(|cursor| !cursor.is_empty())
    }
}

impl Memory {
    /// Scans and applies the changes, as the engine does. Returns each change as a word and the
    /// unit, in order; units that were not reported are `gone`.
    pub(crate) fn scan(&mut self, source: SourceName, tree: &Tree) -> Vec<String> {
        self.try_scan(source, tree).unwrap()
    }

    pub(crate) fn try_scan(
        &mut self,
        source: SourceName,
        tree: &Tree,
    ) -> Result<Vec<String>, SourceError> {
        let source = SOURCES.iter().find(|known| known.name() == source).unwrap();
        let mut changes = Vec::new();
        let scan = source.scan(tree, self, &mut |change| {
            changes.push(change);
            ControlFlow::Continue(())
        })?;
        let mut log = Vec::new();
        let mut seen = Vec::new();
        self.skipped.clear();
        for change in changes {
            let (word, unit, stamp) = match change {
                Change::Replace { unit, stamp, documents, skipped } => {
                    self.documents.insert(unit.name.clone(), documents);
                    crate::listing::add_counts(&mut self.skipped, &skipped);
                    ("replace", unit, Some(stamp))
                }
                Change::Restore { unit, stamp } => ("restore", unit, Some(stamp)),
                Change::Restamp { unit, stamp } => ("restamp", unit, Some(stamp)),
                Change::Unchanged(unit) => ("same", unit, None),
                Change::Delete(unit) => {
                    self.stamps.remove(&unit.name);
                    self.documents.remove(&unit.name);
                    ("delete", unit, None)
                }
            };
            if let Some(stamp) = stamp {
                self.stamps.insert(unit.name.clone(), stamp);
            }
            log.push(format!("{word} {}", unit.name));
            seen.push(unit.name);
        }
        match scan {
            Scan::Complete(report) => {
                self.report = report;
                let gone: Vec<String> =
                    self.stamps.keys().filter(|name| !seen.contains(name)).cloned().collect();
                for name in gone {
                    self.stamps.remove(&name);
                    self.documents.remove(&name);
                    log.push(format!("gone {name}"));
                }
            }
            Scan::Delta(report) => self.report = report,
        }
        Ok(log)
    }

    /// Every document, in the order of the units.
    pub(crate) fn all(&self) -> Vec<&Document> {
        self.documents.values().flatten().collect()
    }
}
