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
    folders: BTreeMap<String, Folder>,
    files: Vec<File>,
    /// Number of files in it and below.
    total: u64,
    /// Number of places in these files.
    places: u64,
}

/// The files that contain the words.
#[derive(Debug, Clone, Default)]
pub(super) struct Listing {
    root: Folder,
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
            listing.root.add(&file.path, file.words, file.places);
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
        if self.root.total == 0 && self.commits == 0 {
            return format!("{}: none{}\n", self.heading, self.unseen());
        }
        let mut text = String::new();
        let last = self.steps();
        if step >= last {
            let (files, places) = (self.root.total, self.root.places + self.commits);
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
        self.root.write_lines("", named, depth, &mut text);
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

impl Folder {
    fn add(&mut self, path: &str, words: u32, places: u64) {
        self.total += 1;
        self.places += places;
        match path.split_once('/') {
            // An absolute path begins with a slash, and no folder of a tree has an empty name.
            Some((folder, rest)) if !folder.is_empty() => {
                self.folders.entry(folder.to_owned()).or_default().add(rest, words, places);
            }
            _ => self.files.push(File { name: path.to_owned(), words, places }),
        }
    }

    /// One line for the files of the root, and one for each of its folders.
    fn write_lines(&self, prefix: &str, named: usize, depth: usize, out: &mut String) {
        let files = self.files_in_words(named);
        if !files.is_empty() {
            let _ = writeln!(out, "{prefix}{}", files.join(", "));
        }
        for (name, folder) in &self.folders {
            out.push_str(&folder.in_words(&quoted(name), named, depth.saturating_sub(1)));
            out.push('\n');
        }
    }

    /// `name/a.rs 3`, `name/{a.rs 3, inner/b.rs 1}`, `name/ +4 17`.
    fn in_words(&self, name: &str, named: usize, depth: usize) -> String {
        // A folder that only contains another folder is written together with it.
        if self.files.is_empty()
            && self.folders.len() == 1
            && let Some((inner, folder)) = self.folders.iter().next()
        {
            return folder.in_words(&format!("{name}/{}", quoted(inner)), named, depth);
        }
        if depth == 0 || (named == 0 && self.folders.is_empty()) {
            return format!("{name}/ +{} {}", self.total, self.places);
        }
        let mut parts = self.files_in_words(named);
        for (inner, folder) in &self.folders {
            parts.push(folder.in_words(&quoted(inner), named, depth - 1));
        }
        match &parts[..] {
            [only] => format!("{name}/{only}"),
            parts => format!("{name}/{{{}}}", parts.join(", ")),
        }
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
