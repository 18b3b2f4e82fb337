//! Tests of reading a tree while another process changes what its names are.

use std::{
    fs,
    os::unix::fs::symlink,
    path::Path,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread,
    time::{Duration, Instant},
};

use rustix::fs::{CWD, FileType, Mode, mknodat};

use crate::{FileFilter, Pattern, Secrets, fixture::Folder, grep, read_text};

/// Text outside the tree.
const OUTSIDE: &str = "zirconium quokka\n";

/// Changes names of a tree while `read` is called again and again, for half a second. `read`
/// returns what it read.
fn race(swap: impl Fn() + Sync, read: impl Fn() -> Vec<String>) {
    let is_over = AtomicBool::new(false);
    let swaps = AtomicU64::new(0);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                swap();
                swaps.fetch_add(1, Ordering::Relaxed);
            }
        });
        let started = Instant::now();
        let mut seen = 0;
        let mut leaks = 0;
        while started.elapsed() < Duration::from_millis(500) {
            for text in read() {
                seen += u64::from(text.contains("inside"));
                leaks += u64::from(text.contains("zirconium"));
            }
        }
        is_over.store(true, Ordering::Relaxed);
        assert_eq!(leaks, 0, "of {seen} texts, with {} swaps", swaps.load(Ordering::Relaxed));
        assert!(seen > 0 && swaps.load(Ordering::Relaxed) > 0);
    });
}

/// Replaces a name by another one in one step, and back.
fn exchange(folder: &Path, name: &str, other: &str) {
    let at = |name: &str| folder.join(name);
    for (from, to) in [(name, "spare"), (other, name), (name, other), ("spare", name)] {
        fs::rename(at(from), at(to)).unwrap();
    }
}

/// A tree with a file and a folder, each with a double that is a link to outside.
fn tree() -> (Folder, std::path::PathBuf) {
    let folder = Folder::new();
    folder.write("outside/a.txt", OUTSIDE);
    folder.write("root/inner/a.txt", "inside\n");
    folder.write("root/b.txt", "inside\n");
    symlink("../outside", folder.join("root/link")).unwrap();
    symlink("../outside/a.txt", folder.join("root/c.txt")).unwrap();
    let root = folder.join("root").canonicalize().unwrap();
    (folder, root)
}

#[test]
fn swapped_links_lead_no_reader_outside() {
    let (_folder, root) = tree();
    let swap = || {
        exchange(&root, "inner", "link");
        exchange(&root, "b.txt", "c.txt");
    };
    let read = |path| read_text(&root, path, 99, Secrets::Shown).unwrap_or_default();
    race(swap, || vec![read("inner/a.txt"), read("b.txt")]);
}

#[test]
fn swapped_links_lead_no_search_outside() {
    let (_folder, root) = tree();
    let swap = || {
        exchange(&root, "inner", "link");
        exchange(&root, "b.txt", "c.txt");
    };
    let pattern = Pattern::new("inside|zirconium", false, true).unwrap();
    let options = crate::fixture::options();
    let filter = FileFilter::Paths(&|_| true);
    race(swap, || {
        let tree = crate::Tree::walk(&root, &options).unwrap();
        let found = grep(&tree, &pattern, 1, 1, &filter);
        found.files.into_iter().flat_map(|file| file.lines).map(|line| line.text).collect()
    });
}

#[test]
fn a_file_that_becomes_a_pipe_does_not_block() {
    let (_folder, root) = tree();
    mknodat(CWD, root.join("pipe"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    let pattern = Pattern::new("inside", false, true).unwrap();
    let options = crate::fixture::options();
    let filter = FileFilter::Paths(&|_| true);
    race(
        || exchange(&root, "b.txt", "pipe"),
        || {
            let tree = crate::Tree::walk(&root, &options).unwrap();
            let read = read_text(&root, "b.txt", 99, Secrets::Shown).unwrap_or_default();
            let _ = grep(&tree, &pattern, 1, 1, &filter);
            vec![read, tree.read_text("b.txt").unwrap_or_default()]
        },
    );
}
