//! Searches the files of a folder that no index contains.

use std::{collections::VecDeque, fs, io::Read};

use super::{
    search::{UnindexedReason, UnindexedSearch},
    words,
};
use crate::{paths::file_name, rules, text::BINARY_PROBE, tree::Tree};

/// Maximum number of bytes that are read of one file.
const MAX_FILE_BYTES: u64 = 8 << 20;

/// Searches the listed files that are not indexed, then ignored content: first single files, then
/// folders, and last the folders that other programs fill.
pub(super) fn search(
    tree: &Tree,
    is_searched: &dyn Fn(&str) -> bool,
    search: &mut UnindexedSearch<'_>,
) {
    let root = tree.canonical_root();
    let is_past = !tree.is_on_disk();
    let mut content = Vec::new();
    for entry in tree.entries().iter().filter(|entry| entry.size > 0) {
        if is_searched(&entry.path) {
            continue;
        }
        if !search.has_budget() {
            return;
        }
        let too_large = entry.size > tree.options().max_file_size;
        let reason = if too_large { UnindexedReason::TooLarge } else { UnindexedReason::Binary };
        if search.has_enough(|other| *other == reason) {
            continue;
        }
        let is_read = if is_past {
            content = tree.read_bytes(&entry.path, MAX_FILE_BYTES).unwrap_or_default();
            !content.is_empty()
        } else {
            read(tree, &entry.path, false, &mut content, search)
        };
        if is_read && (too_large || words::is_binary(&content)) {
            search.read(&entry.path, &content, &reason);
        }
    }
    // Files that a rule excludes from a commit are not on disk, or are another version there.
    if is_past {
        return;
    }
    let (folders, files): (Vec<&String>, Vec<&String>) =
        tree.ignored().iter().partition(|path| path.ends_with('/'));
    for path in files {
        if !search_ignored(tree, path, &mut content, search) {
            return;
        }
    }
    let is_foreign = |folder: &&String| rules::is_cache(file_name(folder.trim_end_matches('/')));
    let (foreign, own): (Vec<&String>, Vec<&String>) = folders.into_iter().partition(is_foreign);
    // Breadth first: files deep in a build folder are the least useful.
    let mut waiting: VecDeque<String> = own.into_iter().chain(foreign).cloned().collect();
    while let Some(folder) = waiting.pop_front() {
        if !search.has_budget() {
            return;
        }
        let Ok(listing) = fs::read_dir(root.join(&folder)) else { continue };
        let mut names: Vec<(String, bool)> = listing
            .filter_map(Result::ok)
            .filter_map(|item| {
                let kind = item.file_type().ok().filter(|kind| kind.is_dir() || kind.is_file())?;
                Some((item.file_name().into_string().ok()?, kind.is_dir()))
            })
            .collect();
        names.sort_unstable();
        for (name, is_folder) in names {
            let path = format!("{folder}{name}");
            // A folder inside an ignored folder may be a store that is indexed.
            if is_folder && !rules::is_version_control(&name) && !rules::is_store("", &name) {
                waiting.push_back(format!("{path}/"));
            } else if !is_folder && !search_ignored(tree, &path, &mut content, search) {
                return;
            }
        }
    }
}

/// Searches an ignored file; `false` if the search should end. Binary files are generated from
/// others, and are skipped.
fn search_ignored(
    tree: &Tree,
    path: &str,
    content: &mut Vec<u8>,
    search: &mut UnindexedSearch<'_>,
) -> bool {
    if search.has_enough(|other| *other == UnindexedReason::Ignored) || !search.has_budget() {
        return false;
    }
    if !rules::is_foreign_index(path) && read(tree, path, true, content, search) {
        search.read(path, content, &UnindexedReason::Ignored);
    }
    true
}

/// Reads a file within the bounds. `false` if there is nothing to search: it is not a file, cannot
/// be read, or is not text although only text is wanted.
fn read(
    tree: &Tree,
    path: &str,
    only_text: bool,
    content: &mut Vec<u8>,
    search: &mut UnindexedSearch<'_>,
) -> bool {
    // What a link leads to is searched at its own place.
    let place = tree.canonical_root().join(path);
    let Ok(metadata) = place.symlink_metadata() else { return false };
    if !metadata.is_file() {
        return false;
    }
    let Ok(mut file) = tree.open_file(path, u64::MAX) else { return false };
    content.clear();
    let head = file.by_ref().take(BINARY_PROBE as u64).read_to_end(content);
    if head.is_err() || (only_text && words::is_binary(content)) {
        return false;
    }
    let max = MAX_FILE_BYTES.min(search.bytes_left());
    if metadata.len() > max {
        search.mark_incomplete();
    }
    file.take(max.saturating_sub(content.len() as u64)).read_to_end(content).is_ok()
}
