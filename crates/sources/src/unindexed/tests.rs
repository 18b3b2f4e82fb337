//! Content that no index contains.

use std::time::Duration;

use super::*;
use crate::fixture::{Folder, options};

/// Creates a tree with skipped, deleted and moved files, and another branch.
fn tree() -> Folder {
    let folder = Folder::of(
        "//- /.gitignore\nbuild/\n*.log\nnode_modules/\n\
         //- /src/kept.rs\nfn kept() {}\n\
         //- /src/old.rs\n//! Gone.\nfn chargebackRetry() {}\n\
         //- /src/moved.rs\nfn wanderer() {}\n",
    );
    folder.git("", &["init", "-q", "-b", "main"]);
    folder.git("", &["add", "-A"]);
    folder.git_on("", 1, &["commit", "-q", "-m", "first"]);
    folder.git("", &["branch", "same"]);
    folder.git("", &["checkout", "-q", "-b", "feature"]);
    folder.write("src/new.rs", "\n\nfn dispute() {}\n");
    folder.git("", &["add", "-A"]);
    folder.git_on("", 2, &["commit", "-q", "-m", "on a branch"]);
    folder.git("", &["checkout", "-q", "main"]);
    std::fs::remove_file(folder.join("src/old.rs")).unwrap();
    folder.git("", &["mv", "src/moved.rs", "src/place.rs"]);
    folder.git("", &["add", "-A"]);
    folder.git_on("", 3, &["commit", "-q", "-m", "delete"]);
    folder.write("build/out.txt", "\nan escheat, generated\n");
    folder.write("debug.log", "escheat\n");
    folder.write("build/out.o", b"\0\0escheat\0");
    folder.write("node_modules/left/index.js", "// garnish\n");
    folder.write("logo.png", b"\x89PNG\0\0 lien \0");
    folder.write("big.sql", format!("{}\nlevy\n", "x".repeat(1 << 20)));
    folder
}

const ALL: UnindexedBounds =
    UnindexedBounds { time: Duration::from_mins(1), bytes: 1 << 30, commits: 1_000, branches: 100 };

fn look(folder: &Folder, path: &str, word: &str, bounds: &UnindexedBounds) -> UnindexedMatches {
    let tree = Tree::walk(&folder.join(path), &options()).unwrap();
    search_unindexed(&tree, &[word], &|path| path.starts_with("src/"), bounds)
}

fn check(folder: &Folder, word: &str, expected: &[&str]) {
    let elsewhere = look(folder, "", word, &ALL);
    let seen: Vec<String> = elsewhere
        .matches
        .iter()
        .map(|found| {
            let kind = match &found.reason {
                UnindexedReason::Ignored => "ignored".to_owned(),
                UnindexedReason::TooLarge => "large".to_owned(),
                UnindexedReason::Binary => "binary".to_owned(),
                UnindexedReason::Deleted { commit } => format!("deleted {}", commit.len()),
                UnindexedReason::Branch { name } => format!("branch {name}"),
            };
            let line = found.line.map_or_else(String::new, |line| format!(":{line}"));
            format!("{kind} {}{line}", found.path)
        })
        .collect();
    assert_eq!(seen, expected, "{word}");
    assert!(elsewhere.complete, "{word}: {elsewhere:?}");
}

#[test]
fn every_kind_of_unindexed_content_is_searched() {
    let folder = tree();
    check(&folder, "Escheat", &["ignored build/out.txt:2", "ignored debug.log:1"]);
    check(&folder, "garnish", &["ignored node_modules/left/index.js:1"]);
    check(&folder, "levy", &["large big.sql:2"]);
    check(&folder, "lien", &["binary logo.png"]);
    check(&folder, "dispute", &["branch feature src/new.rs:3"]);
    // The branch that still contains it comes first, and its content is not reported twice.
    check(&folder, "chargeback", &["branch feature src/old.rs:2"]);
    folder.git("", &["branch", "-q", "-D", "feature", "same"]);
    check(&folder, "chargeback", &["deleted 40 src/old.rs:2"]);
    // Moved files are not deleted, and indexed files are not searched.
    check(&folder, "wanderer", &[]);
    check(&folder, "kept", &[]);
}

#[test]
fn paths_are_relative_to_the_searched_folder() {
    let folder = tree();
    let elsewhere = look(&folder, "src", "dispute", &ALL);
    assert_eq!(elsewhere.matches.len(), 1);
    assert_eq!(elsewhere.matches[0].path, "new.rs");
    assert_eq!(look(&folder, "src", "escheat", &ALL).matches, []);
}

#[test]
fn bounds_are_kept_and_reported() {
    let folder = tree();
    let none = UnindexedBounds { bytes: 0, ..ALL };
    let elsewhere = look(&folder, "", "escheat", &none);
    assert_eq!((elsewhere.matches.len(), elsewhere.files, elsewhere.complete), (0, 0, false));
    let no_time = UnindexedBounds { time: Duration::ZERO, ..ALL };
    assert!(!look(&folder, "", "escheat", &no_time).complete);
    let no_branch = UnindexedBounds { branches: 0, ..ALL };
    let elsewhere = look(&folder, "", "dispute", &no_branch);
    assert_eq!((elsewhere.matches.len(), elsewhere.complete), (0, false));
    // Outside git there is nothing to search, so the result is complete.
    let plain = Folder::of("//- /a.rs\nfn a() {}\n");
    let elsewhere = look(&plain, "", "escheat", &ALL);
    assert_eq!(elsewhere, UnindexedMatches { complete: true, ..UnindexedMatches::default() });
}
