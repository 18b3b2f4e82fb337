//! Recorded searches: one line of JSON each, in a private file of the user.
//!
//! Recorded only if the user enables it. Each line is appended in one write, so that concurrent
//! searches do not mix theirs. The size is bounded: a full file is renamed and becomes the older half.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use lore_engine::PrivateFolder;
use lore_render::wire::PastQuery;
use serde::{Deserialize, Serialize};

/// Size in bytes at which the file becomes the older half: some five thousand searches.
const MAX_BYTES: u64 = 1 << 20;

/// Maximum number of characters of a recorded query.
const MAX_QUERY_LEN: usize = 1_000;

/// The current file, and the older half.
const NAMES: [&str; 2] = ["history.jsonl", "history.older.jsonl"];

/// An empty file that is locked during a rotation. It is never deleted: otherwise two processes could
/// lock two files of this name.
const LOCK: &str = "history.lock";

/// One search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Entry {
    /// Time of the search, RFC 3339 in UTC.
    pub(crate) time: String,
    /// The tree that was searched.
    pub(crate) root: String,
    /// The query, as typed.
    pub(crate) query: String,
    /// Number of shown hits.
    pub(crate) hits: u64,
    /// Number of matching documents.
    pub(crate) total: u64,
    /// Time to the answer, in milliseconds.
    pub(crate) elapsed_ms: f64,
}

/// The history in a directory.
#[derive(Debug, Clone)]
pub(crate) struct History {
    folder: PrivateFolder,
}

impl History {
    /// The history in this directory.
    pub(crate) fn new(folder: &Path) -> History {
        History { folder: PrivateFolder::new(folder) }
    }

    /// Path of the current file.
    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join(NAMES[0])
    }

    /// Records a search.
    pub(crate) fn append(&self, mut entry: Entry) -> io::Result<()> {
        if let Some((end, _)) = entry.query.char_indices().nth(MAX_QUERY_LEN) {
            entry.query.truncate(end);
        }
        let mut line = serde_json::to_vec(&entry)?;
        line.push(b'\n');
        if self.is_full() {
            self.rotate()?;
        }
        self.folder.append(NAMES[0], &line)
    }

    /// Makes the full file the older half, unless another process just did or is about to.
    fn rotate(&self) -> io::Result<()> {
        let lock = self.folder.try_lock(LOCK)?;
        if lock.is_some() && self.is_full() {
            // A process that has the file open now writes to the older half.
            fs::rename(self.path(), self.folder.path().join(NAMES[1]))?;
        }
        Ok(())
    }

    fn is_full(&self) -> bool {
        self.folder.size(NAMES[0]) >= MAX_BYTES
    }

    /// The recorded searches, oldest first. Invalid lines are skipped.
    ///
    /// # Errors
    /// If a file cannot be read, is not a regular file, or is in a folder that another user owns or
    /// may write to.
    pub(crate) fn entries(&self) -> io::Result<Vec<Entry>> {
        let mut entries = Vec::new();
        for name in NAMES.iter().rev() {
            // Twice the maximum: the last line may exceed it, and so may lines written during a
            // rotation.
            let Some(bytes) = self.folder.read(name, MAX_BYTES * 2)? else { continue };
            let lines = bytes.split(|byte| *byte == b'\n');
            entries.extend(lines.filter_map(|line| serde_json::from_slice(line).ok()));
        }
        Ok(entries)
    }

    /// Deletes all records. Returns false if there were none.
    pub(crate) fn clear(&self) -> io::Result<bool> {
        let mut any = false;
        for name in NAMES {
            match fs::remove_file(self.folder.path().join(name)) {
                Ok(()) => any = true,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Ok(any)
    }
}

/// Groups equal queries, the most recent first. Letter case and whitespace are ignored.
pub(crate) fn by_query(entries: &[Entry]) -> Vec<PastQuery> {
    let key = |entry: &Entry| {
        let words: Vec<&str> = entry.query.split_whitespace().collect();
        (entry.root.clone(), words.join(" ").to_lowercase())
    };
    let mut groups: std::collections::BTreeMap<_, Vec<&Entry>> = std::collections::BTreeMap::new();
    for entry in entries {
        groups.entry(key(entry)).or_default().push(entry);
    }
    let mut asked: Vec<PastQuery> =
        groups.into_values().filter_map(|group| summary(&group)).collect();
    asked.sort_by(|left, right| {
        right.last_time.cmp(&left.last_time).then_with(|| left.query.cmp(&right.query))
    });
    asked
}

/// The summary of equal queries, sorted from oldest to latest.
fn summary(group: &[&Entry]) -> Option<PastQuery> {
    let last = group.last()?;
    let mut times: Vec<f64> = group.iter().map(|entry| entry.elapsed_ms).collect();
    times.sort_by(f64::total_cmp);
    Some(PastQuery {
        query: last.query.clone(),
        root: last.root.clone(),
        times: group.len() as u64,
        times_without_hits: group.iter().filter(|entry| entry.hits == 0).count() as u64,
        last_time: last.time.clone(),
        last_hits: last.hits,
        median_ms: times[times.len() / 2],
        slowest_ms: *times.last()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(minute: u32, query: &str, hits: u64, elapsed_ms: f64) -> Entry {
        Entry {
            time: format!("2025-03-01T10:{minute:02}:00Z"),
            root: "/shop".into(),
            query: query.into(),
            hits,
            total: hits,
            elapsed_ms,
        }
    }

    fn recorded(history: &History) -> Vec<Entry> {
        history.entries().expect("the files are ours")
    }

    #[test]
    fn searches_are_recorded_in_order_and_can_be_deleted() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let history = History::new(&folder.path().join("lorehound"));
        assert_eq!(recorded(&history), []);
        assert!(!history.clear().expect("there is nothing"));
        history.append(entry(1, "refund\nretry", 3, 4.0)).expect("written");
        fs::write(
            history.path(),
            [fs::read(history.path()).expect("it is there"), b"{half".to_vec()].concat(),
        )
        .expect("the folder is ours");
        history.append(entry(2, "joined with the incomplete line", 0, 1.0)).expect("written");
        history.append(entry(3, &"x".repeat(5_000), 0, 2.0)).expect("written");
        let entries = recorded(&history);
        assert_eq!(entries.len(), 2, "{entries:?}");
        assert_eq!(entries[0].query, "refund\nretry");
        assert_eq!(entries[1].query.len(), MAX_QUERY_LEN);
        assert!(history.clear().expect("deleted"));
        assert_eq!(recorded(&history), []);
        assert!(!history.path().exists());
    }

    #[test]
    fn the_size_of_the_files_is_bounded() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let history = History::new(folder.path());
        history.append(entry(1, "first", 1, 1.0)).expect("written");
        let line = fs::read(history.path()).expect("it is there");
        let lines = usize::try_from(MAX_BYTES).expect("it fits") / line.len() + 1;
        for turn in 0..3 {
            fs::write(history.path(), line.repeat(lines)).expect("the folder is ours");
            history.append(entry(2, "next", 1, 1.0)).expect("written");
            let files = fs::read_dir(folder.path()).expect("it is there").count();
            assert_eq!(files, NAMES.len() + 1, "and the lock");
            assert_eq!(recorded(&history).len(), lines + 1, "{turn}");
            assert_eq!(recorded(&history).last().map(|last| last.query.as_str()), Some("next"));
        }
    }

    #[test]
    fn concurrent_searches_rotate_a_full_file_once() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let history = History::new(folder.path());
        history.append(entry(1, "first", 1, 1.0)).expect("written");
        let line = fs::read(history.path()).expect("it is there");
        let lines = usize::try_from(MAX_BYTES).expect("it fits") / line.len() + 1;
        for _ in 0..20 {
            fs::write(history.path(), line.repeat(lines)).expect("the folder is ours");
            std::thread::scope(|scope| {
                for _ in 0..4 {
                    let history = history.clone();
                    scope.spawn(move || {
                        history.append(entry(2, "next", 1, 1.0)).expect("written");
                    });
                }
            });
            assert_eq!(recorded(&history).len(), lines + 4);
        }
    }

    #[test]
    fn lines_of_concurrent_searches_do_not_mix() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let history = History::new(folder.path());
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let history = history.clone();
                scope.spawn(move || {
                    for turn in 0..50 {
                        let query = format!("{thread} {turn} {}", "x".repeat(500));
                        history.append(entry(1, &query, 1, 1.0)).expect("written");
                    }
                });
            }
        });
        assert_eq!(recorded(&history).len(), 200);
    }

    #[test]
    fn equal_queries_are_grouped() {
        let entries = [
            entry(1, "refund", 3, 4.0),
            entry(2, "chargeback", 0, 9.0),
            entry(3, " Refund ", 0, 2.0),
            entry(4, "refund", 5, 30.0),
            Entry { root: "/other".into(), ..entry(0, "refund", 1, 1.0) },
        ];
        let asked = by_query(&entries);
        let lines: Vec<String> = asked
            .iter()
            .map(|query| {
                format!(
                    "{} {} {}/{} {} {} {}",
                    query.root,
                    query.query,
                    query.times_without_hits,
                    query.times,
                    query.last_hits,
                    query.median_ms,
                    query.slowest_ms
                )
            })
            .collect();
        assert_eq!(
            lines,
            ["/shop refund 1/3 5 4 30", "/shop chargeback 1/1 0 9 9", "/other refund 0/1 1 1 1"]
        );
    }
}
