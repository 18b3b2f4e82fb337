//! Compares watched trees with walks after many kinds of changes.

use std::{fmt::Write as _, fs, os::unix::fs::symlink, path::Path};

use super::*;
use crate::{
    fixture::{Folder, options},
    rules,
};

/// A watched tree, compared with walks.
struct Watched {
    folder: Folder,
    live: LiveTree,
}

impl Watched {
    fn new(folder: Folder) -> Watched {
        let live = LiveTree::new(folder.path(), &options(), None, &StopSignal::default()).unwrap();
        Watched { folder, live }
    }

    /// Compares the tree with a walk, and returns its basis.
    fn compare(&self, step: &str) -> TreeCheck {
        let (live, check) = self.live.current().unwrap().expect("events are a proof here");
        let walked = self.folder.walk();
        let files = |tree: &Tree| -> Vec<_> {
            (0..tree.entries().len())
                .map(|index| {
                    let file = tree.listed_at(index);
                    // A stamp that is not stable yet may be so a moment later.
                    (file.entry.path, file.entry.size, file.version, file.ignored, file.is_shared)
                })
                .collect()
        };
        assert_eq!(files(&live), files(&walked), "{step}");
        assert_eq!(live.skipped(), walked.skipped(), "{step}");
        assert_eq!(live.ignored(), walked.ignored(), "{step}");
        assert_eq!(live.oversized_ignore_files(), walked.oversized_ignore_files(), "{step}");
        check
    }

    /// Asserts that the change was found by events, except where it takes a walk.
    fn check(&self, step: &str, expected: TreeCheck) {
        assert_eq!(self.compare(step), expected, "{step}");
        assert_eq!(self.compare(step), TreeCheck::Watched, "{step}, again");
    }
}

fn remove(path: &Path) {
    let is_folder = path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir());
    let _ = if is_folder { fs::remove_dir_all(path) } else { fs::remove_file(path) };
}

#[test]
fn changes_are_found_by_events() {
    let watched = Watched::new(Folder::of(
        "//- /src/a.rs\nfn a() {}\n//- /src/deep/b.rs\nfn b() {}\n//- /.gitignore\n*.log\nout/\n",
    ));
    let at = |path: &str| watched.folder.join(path);
    let write = |path: &str| watched.folder.write(path, format!("{path}\n"));
    assert_eq!(watched.compare("first"), TreeCheck::Walked);
    // The rules of git may have been written a moment before.
    watched.compare("second");
    let steps: &[(&str, &dyn Fn())] = &[
        ("edit", &|| write("src/a.rs")),
        ("new file", &|| write("src/c.rs")),
        ("replaced by rename", &|| {
            write("src/c.tmp");
            fs::rename(at("src/c.tmp"), at("src/c.rs")).unwrap();
        }),
        ("deleted", &|| fs::remove_file(at("src/c.rs")).unwrap()),
        ("new folders", &|| write("new/one/two/three.rs")),
        ("in a new folder", &|| write("new/one/two/four.rs")),
        ("moved folder", &|| fs::rename(at("new"), at("moved")).unwrap()),
        ("in a moved folder", &|| write("moved/one/two/three.rs")),
        ("moved twice, and its old name again", &|| {
            fs::rename(at("moved"), at("src/again")).unwrap();
            fs::rename(at("src/again"), at("last")).unwrap();
            write("moved/one/five.rs");
        }),
        ("in both", &|| {
            write("moved/one/five.rs");
            write("last/one/two/three.rs");
        }),
        ("ignored file", &|| write("src/x.log")),
        ("ignored folder", &|| write("out/x.rs")),
        ("rules in a folder", &|| fs::write(at("last/.gitignore"), "two/\n").unwrap()),
        ("rules in a folder removed", &|| fs::remove_file(at("last/.gitignore")).unwrap()),
        ("cache", &|| {
            let mark = [rules::CACHE_TAG, b"\n"].concat();
            fs::write(at("last/one/CACHEDIR.TAG"), mark).unwrap();
        }),
        ("in a cache", &|| write("last/one/x.rs")),
        ("no cache", &|| fs::remove_file(at("last/one/CACHEDIR.TAG")).unwrap()),
        ("file becomes folder", &|| {
            fs::remove_file(at("src/a.rs")).unwrap();
            write("src/a.rs/b.rs");
        }),
        ("folder becomes file", &|| {
            fs::remove_dir_all(at("src/a.rs")).unwrap();
            write("src/a.rs");
        }),
        ("link to a listed file", &|| symlink("a.rs", at("src/link.rs")).unwrap()),
        ("link to nothing", &|| symlink("nothing.rs", at("src/lost.rs")).unwrap()),
        ("its target", &|| write("src/nothing.rs")),
        ("link to an ignored file", &|| symlink("../out/x.rs", at("src/seen.rs")).unwrap()),
        ("that file", &|| fs::write(at("out/x.rs"), "a longer text\n").unwrap()),
        ("that file is gone", &|| fs::remove_file(at("out/x.rs")).unwrap()),
        ("folder removed", &|| fs::remove_dir_all(at("src/deep")).unwrap()),
        ("hidden", &|| write(".hidden/x.md")),
    ];
    for (step, act) in steps {
        act();
        watched.check(step, TreeCheck::Watched);
    }
    write("src/a.rs");
    fs::hard_link(at("src/a.rs"), at("src/other.rs")).unwrap();
    watched.check("hard link", TreeCheck::Walked);
    fs::write(at("src/other.rs"), "under its other name\n").unwrap();
    watched.check("written under another name", TreeCheck::Watched);
    fs::write(at(".gitignore"), "*.txt\n").unwrap();
    watched.check("rules of the root", TreeCheck::Walked);
    watched.live.check();
    watched.check("required", TreeCheck::Walked);
    watched.live.watcher.shared_loss();
    watched.check("overflow", TreeCheck::Walked);
}

#[test]
fn repositories_are_followed() {
    let folder = Folder::of("//- /a.rs\nfn a() {}\n//- /.gitignore\n*.log\n//- /x.log\nx\n");
    folder.git("", &["init", "-q"]);
    folder.git("", &["add", "-A"]);
    folder.git("", &["commit", "-qm", "one"]);
    let watched = Watched::new(folder);
    let folder = &watched.folder;
    watched.compare("first");
    std::thread::sleep(Duration::from_millis(60));
    watched.compare("second");
    watched.compare("third");
    folder.git("", &["add", "-f", "x.log"]);
    watched.compare("an ignored file is tracked");
    folder.git("", &["rm", "-q", "--cached", "x.log"]);
    watched.compare("it is not");
    folder.write("sub/b.rs", "fn b() {}\n");
    folder.write("sub/out/c.rs", "fn c() {}\n");
    folder.git("sub", &["init", "-q"]);
    watched.compare("a repository inside");
    std::thread::sleep(Duration::from_millis(60));
    watched.compare("settled");
    folder.write("sub/.git/info/exclude", "out/\n");
    watched.compare("its own rules");
    folder.git("", &["checkout", "-qb", "side"]);
    folder.write("a.rs", "fn other() {}\n");
    folder.git("", &["commit", "-qam", "two"]);
    watched.compare("a commit");
    folder.git("", &["checkout", "-q", "-"]);
    watched.compare("a branch");
    folder.write("a.rs", "fn changed() {}\n");
    folder.git("", &["stash", "-q"]);
    watched.compare("a stash");
    fs::remove_dir_all(folder.join(".git")).unwrap();
    watched.compare("no repository");
}

/// The seeds to try: a few, or those of `LORE_SEEDS`, as `first-last`.
fn seeds() -> std::ops::RangeInclusive<u64> {
    let given = std::env::var("LORE_SEEDS").ok();
    let range = given.as_deref().and_then(|text| text.split_once('-'));
    range.map_or(1..=6, |(first, last)| first.parse().unwrap()..=last.parse().unwrap())
}

#[test]
fn random_changes_are_found() {
    const NAMES: [&str; 12] = [
        "a.rs",
        "b.md",
        "c.log",
        "d",
        "e",
        "f.txt",
        ".gitignore",
        ".ignore",
        "specs",
        "out",
        "node_modules",
        "g.rs",
    ];
    for seed in seeds() {
        let mut random = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mut next = |below: usize| {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            usize::try_from(random % below as u64).unwrap()
        };
        let watched = Watched::new(Folder::of("//- /a.rs\nfn a() {}\n"));
        watched.folder.git("", &["init", "-q"]);
        watched.compare("first");
        for step in 0..120 {
            let mut log = String::new();
            for _ in 0..=next(3) {
                let path = |next: &mut dyn FnMut(usize) -> usize| {
                    let names: Vec<&str> = (0..=next(3)).map(|_| NAMES[next(12)]).collect();
                    names.join("/")
                };
                let (one, two) = (path(&mut next), path(&mut next));
                let (from, to) = (watched.folder.join(&one), watched.folder.join(&two));
                let what = next(9);
                let _ = write!(log, "{what} {one} {two}; ");
                let parent = |path: &Path| drop(fs::create_dir_all(path.parent().unwrap()));
                match what {
                    0 | 1 => {
                        parent(&from);
                        let _ = fs::write(&from, format!("*.log\n!a.rs\nf*\nstep {step}\n"));
                    }
                    2 => remove(&from),
                    3 => {
                        parent(&to);
                        let _ = fs::rename(&from, &to);
                    }
                    4 => {
                        parent(&from);
                        let target = ["..", "a.rs", "../out/a.rs", "d/specs"][next(4)];
                        let _ = symlink(target, &from);
                    }
                    5 => {
                        parent(&to);
                        let saved = watched.folder.join("saved.tmp");
                        let _ = fs::copy(&from, &saved).and_then(|_| fs::rename(&saved, &to));
                    }
                    6 => drop(fs::create_dir_all(&from)),
                    7 => {
                        use std::io::Write as _;
                        if let Ok(mut file) = fs::File::options().append(true).open(&from) {
                            let _ = writeln!(file, "more {step}");
                        }
                    }
                    _ => {
                        let mut arguments = vec!["add", "-f", "--ignore-errors"];
                        arguments.push(if next(2) == 0 { "." } else { "*.log" });
                        let _ = std::process::Command::new("git")
                            .args(arguments)
                            .current_dir(watched.folder.path())
                            .output();
                    }
                }
            }
            watched.compare(&format!("seed {seed}, step {step}: {log}"));
        }
    }
}
