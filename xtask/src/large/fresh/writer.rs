//! A writer: it changes its own part of the tree, and checks the answers after each change.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    sync::{Mutex, atomic::AtomicUsize},
};

use anyhow::{Context as _, Result};

use super::{checks::Checker, texts};
use crate::random::Random;

/// Extensions of new files.
const EXTENSIONS: &[&str] = &["md", "rs", "c", "py", "ts"];

/// Number of folders for new files.
const FOLDERS: usize = 6;

/// A file with words that the writer added.
pub(super) struct OwnFile {
    /// Path from the root.
    pub(super) path: String,
    pub(super) words: Vec<String>,
}

/// Things that all writers share.
pub(super) struct Shared<'a> {
    pub(super) root: &'a Path,
    /// Folder outside of the tree, on the same file system.
    pub(super) aside: &'a Path,
    /// Held while git changes the tree: it fails if another git does.
    pub(super) git: Mutex<()>,
    /// Changes left to make.
    pub(super) left: AtomicUsize,
}

/// A writer.
pub(super) struct Writer<'a> {
    pub(super) number: usize,
    pub(super) random: Random,
    pub(super) shared: &'a Shared<'a>,
    pub(super) checker: Checker<'a>,
    /// Folders without folders inside, which only this writer changes.
    pub(super) folders: Vec<String>,
    /// Files of the tree in such folders, without a change so far.
    pub(super) tree_files: Vec<String>,
    pub(super) own: Vec<OwnFile>,
    /// A file that stays open for appending, with its path.
    pub(super) open: Option<(File, String)>,
    /// Number of words made.
    words: usize,
    /// Name of the change.
    pub(super) change: &'static str,
}

impl<'a> Writer<'a> {
    pub(super) fn new(
        number: usize,
        seed: u64,
        shared: &'a Shared<'a>,
        checker: Checker<'a>,
        files: Vec<String>,
    ) -> Writer<'a> {
        let mut folders: Vec<String> =
            files.iter().filter_map(|file| Some(file.rsplit_once('/')?.0.to_owned())).collect();
        folders.dedup();
        Writer {
            number,
            random: Random::new(seed.wrapping_mul(7) + number as u64),
            shared,
            checker,
            folders,
            tree_files: files,
            own: Vec::new(),
            open: None,
            words: 0,
            change: "",
        }
    }

    /// The path on disk.
    pub(super) fn on_disk(&self, path: &str) -> PathBuf {
        self.shared.root.join(path)
    }

    /// A new word.
    pub(super) fn word(&mut self) -> String {
        self.words += 1;
        texts::word(self.number, self.words)
    }

    /// The folder in which only this writer makes files.
    pub(super) fn home(&self) -> String {
        format!("lt-writer{}", self.number)
    }

    /// A path for a new file: in a folder of the writer, or in one of the tree.
    pub(super) fn new_path(&mut self) -> String {
        self.words += 1;
        let folder = if self.folders.is_empty() || self.random.one_in(2) {
            format!("{}/d{}", self.home(), self.random.below(FOLDERS))
        } else {
            self.random.pick(&self.folders).clone()
        };
        let extension = self.random.pick(EXTENSIONS);
        format!("{folder}/new{}_{}.{extension}", self.number, self.words)
    }

    /// A path for a new folder.
    pub(super) fn new_folder(&mut self) -> String {
        self.words += 1;
        format!("{}/f{}", self.home(), self.words)
    }

    /// Writes a new file with a word.
    pub(super) fn write_new(&mut self, path: &str) -> Result<String> {
        let word = self.word();
        let on_disk = self.on_disk(path);
        fs::create_dir_all(on_disk.parent().context("a file has a folder")?)?;
        fs::write(on_disk, texts::text(path, &word))?;
        self.own.push(OwnFile { path: path.to_owned(), words: vec![word.clone()] });
        Ok(word)
    }

    /// A file to change, as an index of `own`: a changed one, one of the tree, or a new one.
    pub(super) fn pick(&mut self) -> Result<usize> {
        if !self.tree_files.is_empty() && self.random.one_in(3) {
            let at = self.random.below(self.tree_files.len());
            let path = self.tree_files.swap_remove(at);
            self.own.push(OwnFile { path, words: Vec::new() });
            return Ok(self.own.len() - 1);
        }
        if self.own.is_empty() {
            let path = self.new_path();
            self.write_new(&path)?;
        }
        Ok(self.random.below(self.own.len()))
    }

    /// A file with a word, as an index of `own`.
    pub(super) fn pick_with_word(&mut self) -> Result<usize> {
        let with_word: Vec<usize> =
            (0..self.own.len()).filter(|at| !self.own[*at].words.is_empty()).collect();
        if with_word.is_empty() {
            let path = self.new_path();
            self.write_new(&path)?;
            return Ok(self.own.len() - 1);
        }
        Ok(*self.random.pick(&with_word))
    }

    /// Removes a file from `own`, and closes it.
    pub(super) fn take(&mut self, at: usize) -> OwnFile {
        let file = self.own.swap_remove(at);
        self.close(&file.path);
        file
    }

    /// Closes a file.
    pub(super) fn close(&mut self, path: &str) {
        if self.open.as_ref().is_some_and(|(_, open)| open == path) {
            self.open = None;
        }
    }

    /// Checks where a word is found.
    pub(super) fn check(&self, word: &str, holders: &[&str]) {
        self.checker.check(self.change, word, holders);
    }

    /// Changes the paths below a folder that was moved.
    pub(super) fn follow(&mut self, from: &str, to: &str) {
        let inside = format!("{from}/");
        let moved = |path: &mut String| {
            if let Some(rest) = path.strip_prefix(&inside) {
                *path = format!("{to}/{rest}");
            } else if path == from {
                to.clone_into(path);
            }
        };
        self.own.iter_mut().for_each(|file| moved(&mut file.path));
        self.tree_files.iter_mut().for_each(moved);
        self.folders.iter_mut().for_each(moved);
        if let Some((_, path)) = &mut self.open {
            moved(path);
        }
    }
}
