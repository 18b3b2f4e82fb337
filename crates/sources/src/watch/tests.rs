//! Tests that watch real folders. They wait for expected events, not for fixed times.

use std::fs;

use super::*;
use crate::WalkOptions;

const LONG: Duration = Duration::from_secs(20);
const QUIET: Duration = Duration::from_millis(20);

struct Watched {
    folder: tempfile::TempDir,
    watcher: Watcher,
    stop: StopSignal,
}

impl Watched {
    fn new(files: &[(&str, &str)]) -> Watched {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let root = folder.path().canonicalize().unwrap();
        let stop = StopSignal::default();
        let watcher = Watcher::new(&root, Some(&root.join("own")), &stop);
        let mut watched = Watched { folder, watcher, stop };
        watched.update();
        watched
    }

    fn update(&mut self) -> bool {
        let options = WalkOptions {
            secrets: crate::Secrets::Redacted,
            at: None,
            hidden: true,
            max_file_size: 1 << 20,
            threads: 1,
            commits: Some(0),
            older_commits: false,
            exports: Vec::new(),
            custom: crate::CustomSources::none(),
        };
        let tree = Tree::walk(self.folder.path(), &options).unwrap();
        self.watcher.update(&tree)
    }

    /// Waits for the wake that an action causes.
    fn wakes(&self, action: impl FnOnce(&Path)) -> bool {
        action(self.folder.path());
        let now = Instant::now();
        self.watcher.wait(now + LONG, now, QUIET, LONG) == WakeReason::Changed
    }

    /// Runs an action that must not wake the watcher, then one that must: exactly one wake follows,
    /// and no event of the first was recorded before.
    fn sleeps(&self, action: impl FnOnce(&Path)) -> bool {
        action(self.folder.path());
        // Events of one watcher arrive in order: those before the marker belong to the action.
        fs::write(self.folder.path().join("mark"), "x").unwrap();
        let now = Instant::now();
        let woken = self.watcher.wait(now + LONG, now, QUIET, LONG) == WakeReason::Changed;
        let heard = self.watcher.shared.state().gone.clone();
        woken && heard.is_empty()
    }
}

#[test]
fn edits_moves_and_new_folders_wake_the_watcher() {
    let mut watched = Watched::new(&[("src/a.rs", "fn a() {}"), (".gitignore", "target/\n")]);
    assert!(watched.watcher.is_complete(), "{:?}", watched.watcher);
    assert!(watched.wakes(|root| fs::write(root.join("src/a.rs"), "fn b() {}").unwrap()));
    assert!(
        watched.wakes(|root| fs::rename(root.join("src/a.rs"), root.join("src/b.rs")).unwrap())
    );
    assert!(watched.wakes(|root| fs::create_dir_all(root.join("new/deep")).unwrap()));
    assert!(watched.update(), "new folders are watched from now on");
    assert!(watched.wakes(|root| fs::write(root.join("new/deep/c.rs"), "fn c() {}").unwrap()));
    assert!(watched.wakes(|root| fs::remove_file(root.join("src/b.rs")).unwrap()));
    // A new folder of the same name is another folder.
    assert!(watched.wakes(|root| {
        fs::rename(root.join("new"), root.join("old")).unwrap();
        fs::create_dir_all(root.join("new/deep")).unwrap();
    }));
    assert!(watched.update());
    assert!(watched.wakes(|root| fs::write(root.join("new/deep/d.rs"), "fn d() {}").unwrap()));
    assert!(watched.wakes(|root| fs::write(root.join("old/deep/c.rs"), "fn e() {}").unwrap()));
}

#[test]
fn only_branch_changes_in_the_git_folder_wake_the_watcher() {
    let watched = Watched::new(&[
        ("a.rs", "fn a() {}"),
        (".git/HEAD", "ref: refs/heads/main\n"),
        (".git/refs/heads/main", "0\n"),
        (".git/objects/aa/bb", "0\n"),
    ]);
    assert!(watched.wakes(|root| {
        fs::write(root.join(".git/HEAD.lock"), "ref: refs/heads/side\n").unwrap();
        fs::rename(root.join(".git/HEAD.lock"), root.join(".git/HEAD")).unwrap();
    }));
    assert!(watched.wakes(|root| fs::write(root.join(".git/refs/heads/main"), "1\n").unwrap()));
    watched.watcher.shared.state().gone.clear();
    assert!(watched.sleeps(|root| {
        fs::write(root.join(".git/index.lock"), "0").unwrap();
        fs::remove_file(root.join(".git/index.lock")).unwrap();
        fs::write(root.join(".git/objects/aa/cc"), "0").unwrap();
    }));
}

#[test]
fn skipped_files_do_not_wake_the_watcher() {
    let watched = Watched::new(&[
        ("a.rs", "fn a() {}"),
        (".gitignore", "target/\n*.log\n"),
        (".git/HEAD", "ref: refs/heads/main\n"),
        ("target/out.txt", "0"),
        ("run.log", "0"),
        ("own/index", "0"),
    ]);
    assert!(watched.sleeps(|root| {
        fs::write(root.join("target/out.txt"), "1").unwrap();
        fs::remove_file(root.join("run.log")).unwrap();
        fs::remove_file(root.join("own/index")).unwrap();
        fs::read(root.join("a.rs")).unwrap();
    }));
}

#[test]
fn many_events_are_one_wake_and_a_stop_ends_waiting() {
    let watched = Watched::new(&[("a.rs", "fn a() {}")]);
    assert!(watched.wakes(|root| {
        for number in 0..500 {
            fs::write(root.join("a.rs"), format!("fn a{number}() {{}}")).unwrap();
        }
    }));
    assert!(watched.watcher.shared.state().gone.is_empty());
    watched.watcher.shared.overflow();
    let now = Instant::now();
    assert_eq!(watched.watcher.wait(now + LONG, now, QUIET, LONG), WakeReason::Overflowed);
    watched.stop.stop();
    assert_eq!(watched.watcher.wait(now + LONG, now, QUIET, LONG), WakeReason::Stopped);
    assert!(watched.stop.is_stopped());
}
