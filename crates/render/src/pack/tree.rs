//! All files that contain the words of the query, as a tree that is summarised until it fits.

use std::{collections::BTreeMap, fmt::Write as _};

use lore_console::text::{clean, cut, quoted};
use lore_engine::Holders;
use lore_schema::SourceName;

/// Maximum number of words in the heading.
const MAX_WORDS: usize = 12;

/// Maximum number of columns of a word in the heading.
const MAX_WORD_WIDTH: usize = 40;

/// Maximum number of named files per folder at each step; the others are counted. Files with the most
/// words come first, then those with the most places.
const MAX_NAMED: [usize; 6] = [24, 12, 6, 3, 1, 0];

/// Levels of folders that are shown at the first step that names no files.
const MAX_DEPTH: usize = 8;

/// A file that contains words of the query.
#[derive(Debug, Clone)]
struct File {
    name: String,
    words: u32,
    places: u64,
}

/// A folder with all files below it.
#[derive(Debug, Clone, Default)]
struct Folder {
    /// Positions in [`Tree`].
    folders: BTreeMap<String, usize>,
    files: Vec<File>,
    /// Number of files in it and below.
    total: u64,
    /// Number of places in these files.
    places: u64,
}

/// All folders; the first one is the root. A path may have thousands of names, so folders do not
/// contain each other, and nothing here calls itself: the stack of a thread would overflow.
#[derive(Debug, Clone)]
struct Tree(Vec<Folder>);

/// A part of a line that is not written yet.
enum Part<'a> {
    /// A folder with its name, and how many levels below it are shown.
    Folder(&'a Folder, String, usize),
    Text(&'static str),
}

/// The files that contain the words.
#[derive(Debug, Clone, Default)]
pub(super) struct Listing {
    tree: Tree,
    heading: String,
    /// Number of places in commits, which have no path.
    commits: u64,
    unseen: u64,
}

impl Listing {
    /// The files as a tree.
    pub(super) fn new(holders: &Holders) -> Listing {
        let mut listing = Listing { unseen: holders.unseen, ..Listing::default() };
        if holders.words.is_empty() {
            return listing;
        }
        for file in &holders.files {
            if file.path.is_empty() {
                if file.source == SourceName::Git {
                    listing.commits += file.places;
                }
                continue;
            }
            listing.tree.add(&file.path, file.words, file.places);
        }
        let words = holders.words.iter().take(MAX_WORDS);
        let words: Vec<String> =
            words.map(|held| format!("{} {}", short(&held.word), held.documents)).collect();
        let more = if holders.words.len() > MAX_WORDS { ", …" } else { "" };
        listing.heading = format!(
            "every file with the words ({}{more}), {}s a file",
            words.join(", "),
            holders.unit
        );
        listing
    }

    /// The last step of [`Listing::write`], which gives the shortest text.
    pub(super) fn steps(&self) -> usize {
        if self.heading.is_empty() { 0 } else { MAX_NAMED.len() + MAX_DEPTH + 1 }
    }

    /// Writes the tree. Step 0 names every file. With each step, fewer files per folder are named,
    /// then deep folders are merged, and the last step is one line. Files that are not named are
    /// counted. The text is empty if the query has no words.
    pub(super) fn write(&self, step: usize) -> String {
        if self.heading.is_empty() {
            return String::new();
        }
        if self.tree.root().total == 0 && self.commits == 0 {
            return format!("{}: none{}\n", self.heading, self.unseen());
        }
        let mut text = String::new();
        let last = self.steps();
        if step >= last {
            let (files, places) = (self.tree.root().total, self.tree.root().places + self.commits);
            return format!("{}: {files} files, {places}{}\n", self.heading, self.unseen());
        }
        text.push_str(&self.heading);
        text.push_str(&self.unseen());
        if step > 0 {
            text.push_str("; summed up as `+files places` where there is no room");
        }
        text.push_str(":\n");
        let named =
            if step == 0 { usize::MAX } else { MAX_NAMED[(step - 1).min(MAX_NAMED.len() - 1)] };
        let depth = if step <= MAX_NAMED.len() { usize::MAX } else { last - step };
        self.tree.write_lines(named, depth, &mut text);
        if self.commits > 0 {
            let _ = writeln!(text, "commits {}", self.commits);
        }
        text
    }

    fn unseen(&self) -> String {
        match self.unseen {
            0 => String::new(),
            unseen => format!(", {unseen} files not searched"),
        }
    }
}

/// A word for the heading.
fn short(word: &str) -> String {
    cut(&clean(word), MAX_WORD_WIDTH)
}

impl Default for Tree {
    fn default() -> Tree {
        Tree(vec![Folder::default()])
    }
}

impl Tree {
    fn root(&self) -> &Folder {
        &self.0[0]
    }

    fn add(&mut self, path: &str, words: u32, places: u64) {
        let (mut at, mut rest) = (0, path);
        loop {
            let new = self.0.len();
            let folder = &mut self.0[at];
            folder.total += 1;
            folder.places += places;
            match rest.split_once('/') {
                // An absolute path begins with a slash, and no folder of a tree has an empty name.
                Some((name, inside)) if !name.is_empty() => {
                    at = *folder.folders.entry(name.to_owned()).or_insert(new);
                    rest = inside;
                    if at == new {
                        self.0.push(Folder::default());
                    }
                }
                _ => break,
            }
        }
        self.0[at].files.push(File { name: rest.to_owned(), words, places });
    }

    /// One line for the files of the root, and one for each of its folders.
    fn write_lines(&self, named: usize, depth: usize, out: &mut String) {
        let root = self.root();
        let files = root.files_in_words(named);
        if !files.is_empty() {
            let _ = writeln!(out, "{}", files.join(", "));
        }
        for (name, at) in &root.folders {
            self.write_line(&self.0[*at], quoted(name), named, depth.saturating_sub(1), out);
            out.push('\n');
        }
    }

    /// `name/a.rs 3`, `name/{a.rs 3, inner/b.rs 1}`, `name/ +4 17`.
    fn write_line(&self, top: &Folder, name: String, named: usize, depth: usize, out: &mut String) {
        let mut rest = vec![Part::Folder(top, name, depth)];
        while let Some(next) = rest.pop() {
            let (mut folder, name, depth) = match next {
                Part::Folder(folder, name, depth) => (folder, name, depth),
                Part::Text(text) => {
                    out.push_str(text);
                    continue;
                }
            };
            out.push_str(&name);
            // A folder that only contains another folder is written together with it.
            while let Some((inner, at)) = folder.only_folder() {
                let _ = write!(out, "/{}", quoted(inner));
                folder = &self.0[at];
            }
            if depth == 0 || (named == 0 && folder.folders.is_empty()) {
                let _ = write!(out, "/ +{} {}", folder.total, folder.places);
                continue;
            }
            let files = folder.files_in_words(named);
            let is_single = files.len() + folder.folders.len() == 1;
            out.push_str(if is_single { "/" } else { "/{" });
            out.push_str(&files.join(", "));
            if !is_single {
                rest.push(Part::Text("}"));
            }
            // What is pushed last is written first.
            for (position, (inner, at)) in folder.folders.iter().enumerate().rev() {
                rest.push(Part::Folder(&self.0[*at], quoted(inner), depth - 1));
                if position > 0 || !files.is_empty() {
                    rest.push(Part::Text(", "));
                }
            }
        }
    }
}

impl Folder {
    /// The name and the position of the folder, if it is the only content.
    fn only_folder(&self) -> Option<(&str, usize)> {
        if !self.files.is_empty() || self.folders.len() != 1 {
            return None;
        }
        self.folders.iter().next().map(|(name, at)| (name.as_str(), *at))
    }

    /// The files directly in the folder, at most `named` of them, and the number of the others.
    fn files_in_words(&self, named: usize) -> Vec<String> {
        let mut order: Vec<usize> = (0..self.files.len()).collect();
        order.sort_by_key(|at| {
            let file = &self.files[*at];
            (std::cmp::Reverse((file.words, file.places)), *at)
        });
        let mut shown = vec![false; self.files.len()];
        for at in order.into_iter().take(named) {
            shown[at] = true;
        }
        let mut parts = Vec::new();
        let (mut rest, mut places) = (0, 0);
        for (file, shown) in self.files.iter().zip(shown) {
            if shown {
                parts.push(format!("{} {}", quoted(&file.name), file.places));
            } else {
                rest += 1;
                places += file.places;
            }
        }
        if rest > 0 {
            parts.push(format!("+{rest} {places}"));
        }
        parts
    }
}
