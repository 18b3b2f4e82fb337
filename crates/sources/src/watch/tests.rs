//! Tests that watch real folders. They wait for expected events, not for fixed times.

use std::fs;

use super::*;

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
        watcher.begin();
        for path in ["", "src", "own"] {
            if root.join(path).is_dir() {
                watcher.watch(path);
            }
        }
        watcher.end();
        assert!(watcher.is_complete(), "{watcher:?}");
        Watched { folder, watcher, stop }
    }

    /// Waits for the wake that an action causes.
    fn wakes(&self, action: impl FnOnce(&Path)) -> bool {
        action(self.folder.path());
        let now = Instant::now();
        self.watcher.wait(now + LONG, now, QUIET, LONG) == WakeReason::Changed
    }

    /// Runs an action that must not wake the watcher. The queue is in order: what it caused was
    /// read before an event that follows.
    fn sleeps(&self, action: impl FnOnce(&Path)) -> bool {
        action(self.folder.path());
        let _ = self.watcher.take();
        self.watcher.shared.state().events.is_none()
    }
}

#[test]
fn changes_of_files_and_branches_wake_the_watcher() {
    let watched = Watched::new(&[
        ("src/a.rs", "fn a() {}"),
        (".git/HEAD", "ref: refs/heads/main\n"),
        (".git/refs/heads/main", "0\n"),
        (".git/objects/aa/bb", "0\n"),
        ("own/index", "0"),
    ]);
    assert!(watched.wakes(|root| fs::write(root.join("src/a.rs"), "fn b() {}").unwrap()));
    assert!(watched.wakes(|root| fs::create_dir_all(root.join("new/deep")).unwrap()));
    assert!(watched.wakes(|root| {
        fs::write(root.join(".git/HEAD.lock"), "ref: refs/heads/side\n").unwrap();
        fs::rename(root.join(".git/HEAD.lock"), root.join(".git/HEAD")).unwrap();
    }));
    assert!(watched.wakes(|root| fs::write(root.join(".git/refs/heads/main"), "1\n").unwrap()));
}

#[cfg(target_os = "linux")]
#[test]
fn reading_and_the_folders_of_git_and_of_the_caller_do_not_wake_the_watcher() {
    let watched = Watched::new(&[
        ("src/a.rs", "fn a() {}"),
        (".git/HEAD", "ref: refs/heads/main\n"),
        (".git/objects/aa/bb", "0\n"),
        ("own/index", "0"),
    ]);
    assert!(watched.sleeps(|root| {
        fs::write(root.join(".git/index.lock"), "0").unwrap();
        fs::remove_file(root.join(".git/index.lock")).unwrap();
        fs::write(root.join(".git/objects/aa/cc"), "0").unwrap();
        fs::write(root.join("own/index"), "1").unwrap();
        fs::read(root.join("src/a.rs")).unwrap();
        fs::read_dir(root.join("src")).unwrap().for_each(drop);
    }));
}

#[cfg(target_os = "linux")]
#[test]
fn every_change_is_reported_at_once() {
    let watched = Watched::new(&[("src/a.rs", "fn a() {}")]);
    let _ = watched.watcher.take();
    for number in 0..2_000 {
        let (folder, name) = (watched.folder.path().join("src"), format!("{}.rs", number % 7));
        let event = match number % 4 {
            0 => fs::write(folder.join(&name), "x").map(|()| NameEvent::Content),
            1 => fs::write(folder.join(&name), "y").map(|()| NameEvent::Content),
            2 => fs::write(folder.join("other"), "z")
                .and_then(|()| fs::rename(folder.join("other"), folder.join(&name)))
                .map(|()| NameEvent::Name),
            _ => fs::create_dir_all(folder.join(format!("d{number}"))).map(|()| NameEvent::Name),
        };
        let name = if number % 4 == 3 { format!("d{number}") } else { name };
        let reported = watched.watcher.take();
        let seen = reported.folders["src"].names[&name];
        assert!(event.unwrap() <= seen, "{number} {seen:?}");
    }
}

#[test]
fn many_events_are_one_wake_and_a_stop_ends_waiting() {
    let watched = Watched::new(&[("a.rs", "fn a() {}")]);
    assert!(watched.wakes(|root| {
        for number in 0..500 {
            fs::write(root.join("a.rs"), format!("fn a{number}() {{}}")).unwrap();
        }
    }));
    watched.watcher.shared.state().note_loss();
    let now = Instant::now();
    assert_eq!(watched.watcher.wait(now + LONG, now, QUIET, LONG), WakeReason::Overflowed);
    assert!(watched.watcher.take().is_lost);
    watched.stop.stop();
    assert_eq!(watched.watcher.wait(now + LONG, now, QUIET, LONG), WakeReason::Stopped);
    assert!(watched.stop.is_stopped());
}
