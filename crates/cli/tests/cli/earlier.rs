//! `--at`: the tree of a commit in every reading command, and errors with hints.

use crate::workspace::Workspace;

/// A shop that renamed its only function and moved its spec.
fn shop() -> Workspace {
    let workspace = Workspace::with(&[
        ("src/refund.rs", "/// Pays a customer back.\npub fn give_back(order: u64) {}\n"),
        ("src/main.rs", "fn main() {\n    give_back(1);\n}\n"),
        ("specs/001-refunds/README.md", "# Refunds\n\nA customer is paid back once.\n"),
    ]);
    let commit = |date: &str, message: &str| {
        workspace.git(date, &["add", "--all"]);
        workspace.git(date, &["commit", "--quiet", "-m", message]);
    };
    workspace.git("2024-11-05T09:00:00Z", &["init", "--quiet", "--initial-branch=main"]);
    commit("2024-11-05T09:00:00Z", "Open the shop");
    workspace.git("2024-11-05T09:00:00Z", &["tag", "opening"]);
    workspace
        .write("src/refund.rs", "/// Pays a customer back.\npub fn reimburse(order: u64) {}\n");
    workspace.write("src/main.rs", "fn main() {\n    reimburse(1);\n}\n");
    workspace.write("specs/001-refunds/README.md", "# Reimbursements\n\nOnce for each order.\n");
    commit("2025-01-15T11:00:00Z", "Say it in other words");
    workspace.write("src/refund.rs", "pub fn uncommitted(order: u64) {}\n");
    workspace
}

#[test]
fn every_reading_command_supports_at() {
    let shop = shop();
    for revision in ["opening", "HEAD~1", "main~1", "2024-11-05", "2024-12-24", "2024-11"] {
        let found = shop.run(&["give_back", "--in", "code", "--json", "--at", revision]);
        assert_eq!(found.code, Some(0), "{revision}: {}", found.stderr);
        let answer = found.json();
        assert_eq!(answer["results"][0]["path"], "src/refund.rs", "{revision}");
        assert_eq!(answer["receipt"]["fresh"], "verified");
        let tree = answer["receipt"]["tree"].as_str().expect("a commit");
        assert_eq!(tree.len(), 8, "{tree}");
    }
    let now = shop.run(&["uncommitted", "--in", "code", "--json"]).json();
    assert!(now["receipt"]["tree"].as_str().expect("a commit").ends_with("+1"), "{now}");
    for (words, expected) in [
        (vec!["symbol", "give_back"], "give_back"),
        (vec!["file", "refund.rs"], "give_back"),
        (vec!["research", "callers of give_back"], "src/main.rs"),
        (vec!["spec", "customer"], "Refunds"),
        (vec!["search", "--literal", "give_back"], "src/main.rs"),
        (vec!["search", "--regex", "give_b.ck"], "src/main.rs"),
        (vec!["context", "explain give_back"], "give_back"),
        (vec!["related", "src/refund.rs#give_back"], ""),
    ] {
        let mut typed = words.clone();
        typed.extend(["--at", "opening"]);
        let ran = shop.run(&typed);
        assert_ne!(ran.code, Some(2), "{typed:?}: {}", ran.stderr);
        assert!(ran.stdout.contains(expected), "{typed:?}: {}", ran.stdout);
        assert!(!ran.stdout.contains("reimburse"), "{typed:?}: {}", ran.stdout);
    }
    let none = shop.run(&["symbol", "uncommitted", "--at", "HEAD"]);
    assert_eq!(none.code, Some(1), "{}", none.stdout);
}

#[test]
fn an_unknown_revision_is_rejected_with_a_hint() {
    let shop = shop();
    for (revision, message) in [
        ("openning", "similar names: `opening`"),
        ("no-such-branch-at-all", "name a commit, branch, tag or date"),
        ("2024-11-04", "the history of HEAD starts later"),
        ("HEAD~5", "there is no commit, branch or tag of this name, and it is not a date"),
    ] {
        let ran = shop.run(&["refund", "--at", revision]);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{revision}");
        assert!(ran.stderr.contains(message), "{revision}: {}", ran.stderr);
    }
    let ran = shop.run(&["refund", "--as", "lean", "--at", "HEAD"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("remove `--at` or `--as`"), "{}", ran.stderr);
    let outside = Workspace::with(&[("a.md", "# A\n")]);
    let ran = outside.run(&["a", "--at", "HEAD"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("not in a git repository"), "{}", ran.stderr);
}
