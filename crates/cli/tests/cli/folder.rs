//! A directory as the last word of `lore index` and of a search.

use crate::workspace::{Ran, Workspace};

fn paths(ran: &Ran) -> Vec<String> {
    assert_eq!(ran.code, Some(0), "{ran:?}");
    ran.stdout.lines().map(str::to_owned).collect()
}

fn search(workspace: &Workspace, words: &[&str]) -> Ran {
    workspace.run(&[&["--format", "paths", "--in", "code,docs"], words].concat())
}

#[test]
fn a_path_in_the_tree_restricts_the_search() {
    let workspace = Workspace::shop();
    let within = paths(&search(&workspace, &["refund", "--path", "src/**"]));
    assert!(within.iter().all(|path| path.starts_with("src/")));
    for folder in ["src/", "./src", "docs/../src"] {
        let ran = search(&workspace, &["refund", folder]);
        assert_eq!(paths(&ran), within, "{folder}");
        assert_eq!(ran.stderr, "", "{folder}");
    }
    let everywhere = paths(&search(&workspace, &["refund"]));
    assert_eq!(paths(&search(&workspace, &["refund", "."])), everywhere);
    let ran = workspace.run(&["search", "refund", "./src", "--format", "paths", "--in", "code"]);
    assert!(paths(&ran).iter().all(|path| path.starts_with("src/")));
}

#[test]
fn a_path_outside_the_tree_is_searched_instead() {
    let workspace = Workspace::shop();
    let other = workspace.tree().with_file_name("other");
    std::fs::create_dir(&other).expect("a new directory");
    std::fs::write(other.join("quay.rs"), "pub fn moor_at_quay() {}\n").expect("a new file");
    let ran = search(&workspace, &["moor_at_quay", "../other"]);
    assert_eq!(paths(&ran), ["quay.rs"]);
    let ran = workspace.run(&["index", "../other", "--json"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(ran.json()["sources"]["code"]["unchanged"], 1, "{ran:?}");
}

#[test]
fn a_name_that_may_be_a_word_stays_one_with_a_hint() {
    let workspace = Workspace::shop();
    for words in [&["refund", "src"][..], &["src"], &["src/"]] {
        let ran = search(&workspace, words);
        let rest = words[..words.len() - 1].join(" ");
        let gap = if rest.is_empty() { "" } else { " " };
        let command = format!("run `lore{gap}{rest} --path 'src/**'`");
        assert!(ran.stderr.contains(&command), "{words:?}: {ran:?}");
    }
    // The command of the hint works.
    let ran = workspace.run(&["--path", "src/**", "--format", "paths"]);
    assert!(!paths(&ran).is_empty());
    // With a place, there is no doubt about the words.
    for words in [&["refund", "src", "--path", "docs"][..], &["refund", "src/", "-C", "."]] {
        assert!(!search(&workspace, words).stderr.contains("is searched as a word"), "{words:?}");
    }
}

#[test]
fn an_index_of_a_directory_takes_it_as_the_root() {
    let workspace = Workspace::shop();
    let ran = workspace.run(&["index", "src", "--json"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let same = workspace.run(&["index", "-C", "src", "--json"]);
    assert_eq!(ran.json()["root"], same.json()["root"]);
    let ran = workspace.run(&["index", "missing"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("could not open the tree `missing`"), "{ran:?}");
    let ran = workspace.run(&["index", "src", "-C", "docs"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
}
