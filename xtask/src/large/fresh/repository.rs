//! Changes that git makes: another branch and back, and changes put aside and taken back.

use std::{
    fs::{self, File},
    io::Write as _,
    path::Path,
};

use anyhow::Result;

use super::{super::tree::git, texts, writer::Writer};

/// Branch that is checked out during the changes.
const BRANCH: &str = "large-fresh";

/// Branch that differs in some files.
const OTHER: &str = "large-fresh-other";

/// Folder that only these changes use.
const FOLDER: &str = "lt-branch";

/// Number of files that each branch has.
const FILES: usize = 24;

/// Numbers that make the words of the branches, as if two more writers made them.
const BASE_WORDS: usize = 17;
const OTHER_WORDS: usize = 18;

/// Makes the branches. Files with an even number differ; a third of the others is on one branch only.
pub(super) fn prepare(root: &Path, writers: usize) -> Result<()> {
    git(root, &["checkout", "--quiet", "-B", BRANCH])?;
    fs::create_dir_all(root.join(FOLDER))?;
    for number in 0..FILES {
        write(root, number, BASE_WORDS)?;
    }
    for writer in 0..writers {
        fs::write(root.join(stash_path(writer)), "# Notes\n\nThese notes are put aside.\n")?;
    }
    git(root, &["add", "--force", FOLDER])?;
    git(root, &["commit", "--quiet", "--message", "notes: add notes"])?;
    git(root, &["checkout", "--quiet", "-B", OTHER])?;
    for number in (0..FILES).step_by(2) {
        write(root, number, OTHER_WORDS)?;
    }
    for number in (1..FILES).step_by(6) {
        fs::remove_file(root.join(path(number)))?;
    }
    write(root, FILES, OTHER_WORDS)?;
    git(root, &["add", "--force", "--all", FOLDER])?;
    git(root, &["commit", "--quiet", "--message", "notes: change notes"])?;
    git(root, &["checkout", "--quiet", BRANCH])
}

/// Removes the branches after the tree has left them.
pub(super) fn remove(root: &Path) -> Result<()> {
    git(root, &["branch", "--quiet", "-D", BRANCH, OTHER])
}

fn path(number: usize) -> String {
    format!("{FOLDER}/note{number}.md")
}

fn stash_path(writer: usize) -> String {
    format!("{FOLDER}/stash{writer}.md")
}

fn write(root: &Path, number: usize, words: usize) -> Result<()> {
    let path = path(number);
    Ok(fs::write(root.join(&path), texts::text(&path, &texts::word(words, number)))?)
}

/// Switches to the other branch and back.
pub(super) fn checkout(writer: &mut Writer<'_>) -> Result<usize> {
    let changed = path(writer.random.below(FILES / 2) * 2);
    let number: usize = changed.trim_matches(|letter: char| !letter.is_ascii_digit()).parse()?;
    let removed = writer.random.below(FILES / 6) * 6 + 1;
    let (base, other) = (texts::word(BASE_WORDS, number), texts::word(OTHER_WORDS, number));
    let (gone, added) = (texts::word(BASE_WORDS, removed), texts::word(OTHER_WORDS, FILES));
    let shared = writer.shared;
    let _guard = shared.git.lock().expect("no thread panics while it has the lock");
    git(shared.root, &["checkout", "--quiet", OTHER])?;
    writer.check(&other, &[&changed]);
    writer.check(&base, &[]);
    writer.check(&gone, &[]);
    writer.check(&added, &[&path(FILES)]);
    git(shared.root, &["checkout", "--quiet", BRANCH])?;
    writer.check(&base, &[&changed]);
    writer.check(&other, &[]);
    writer.check(&gone, &[&path(removed)]);
    writer.check(&added, &[]);
    Ok(2)
}

/// Changes a tracked file, puts the change aside, takes it back, and discards it.
pub(super) fn stash(writer: &mut Writer<'_>) -> Result<usize> {
    let path = stash_path(writer.number);
    let word = writer.word();
    let shared = writer.shared;
    let _guard = shared.git.lock().expect("no thread panics while it has the lock");
    let mut file = File::options().append(true).open(writer.on_disk(&path))?;
    file.write_all(texts::lines(&path, &word).as_bytes())?;
    drop(file);
    writer.check(&word, &[&path]);
    git(shared.root, &["stash", "push", "--quiet", "--", &path])?;
    writer.check(&word, &[]);
    git(shared.root, &["stash", "pop", "--quiet"])?;
    writer.check(&word, &[&path]);
    git(shared.root, &["checkout", "--quiet", "--", &path])?;
    writer.check(&word, &[]);
    Ok(4)
}
