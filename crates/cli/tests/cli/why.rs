//! `lore why`: from a line to its commits, and from those to tickets, decisions, specs and tests.

use serde_json::Value;

use crate::workspace::Workspace;

/// The kinds, identifiers and evidence of the hops of an answer.
fn hops(json: &Value) -> Vec<String> {
    let hops = json["hops"].as_array().expect("an array");
    let text = |hop: &Value, key: &str| hop[key].as_str().unwrap_or_default().to_owned();
    hops.iter()
        .map(|hop| {
            let from = hop["from"].as_u64().map_or_else(String::new, |at| format!(" from {at}"));
            let name = match text(hop, "kind").as_str() {
                "commit" => text(hop, "title"),
                _ => text(hop, "id"),
            };
            format!("{} {name} ({}){from}", text(hop, "kind"), text(hop, "evidence"))
        })
        .collect()
}

/// A repository with one commit for each set of files and message.
fn history(commits: &[(&str, &[(&str, &str)])]) -> Workspace {
    let workspace = Workspace::empty();
    for (number, (message, files)) in commits.iter().enumerate() {
        for (path, text) in *files {
            workspace.write(path, text);
        }
        let date = format!("2025-01-{:02}T09:00:00Z", number + 1);
        if number == 0 {
            workspace.git(&date, &["init", "--quiet", "--initial-branch=main"]);
        }
        workspace.git(&date, &["add", "-A"]);
        workspace.git(&date, &["commit", "--quiet", "-m", message]);
    }
    workspace
}

const PAY: &str = "def pay(amount):\n    check(amount)\n    send(amount)\n    return amount\n";

#[test]
fn a_line_leads_to_commits_and_what_they_cite() {
    let workspace = history(&[
        ("Pay (#3)\n\nThe shop needs payments. Fixes #1.", &[("src/pay.py", PAY)]),
        (
            "SHOP-7: check first\n\nImplements ADR-0002.",
            &[
                ("src/pay.py", &PAY.replace("check(amount)", "check(amount, limit)")),
                ("docs/adr/0002-check-amounts.md", "# 2. Check amounts\n\nStatus: Accepted\n"),
                (
                    ".sage/tickets/SHOP-7.md",
                    "# SHOP-7: Check amounts\n\n**State:** COMPLETED\n\n## Description\n\nCheck them.\n",
                ),
                (".sage/tickets/index.json", "{\"tickets\": []}"),
            ],
        ),
        (
            "Add tests",
            &[("tests/test_pay.py", "from src.pay import pay\n\ndef test_pay():\n    pay(1)\n")],
        ),
    ]);
    let json = workspace.run(&["why", "src/pay.py:2", "--json"]).json();
    let found = hops(&json);
    for expected in [
        "commit SHOP-7: check first (last changed these lines)",
        "ticket tickets:.sage/tickets/SHOP-7.md (cites SHOP-7) from 0",
        "decision specs:docs/adr/0002-check-amounts.md (implements ADR-0002) from 0",
        "test code:tests/test_pay.py#test_pay (uses it in line 4)",
    ] {
        assert!(found.iter().any(|hop| hop == expected), "{expected}: {found:#?}");
    }
    let at = found.iter().position(|hop| hop == "commit Pay (#3) (wrote these lines)");
    let at = at.unwrap_or_else(|| panic!("{found:#?}"));
    for expected in
        [format!("pull-request #3 (cites #3) from {at}"), format!("ticket #1 (fixes #1) from {at}")]
    {
        assert!(found.contains(&expected), "{expected}: {found:#?}");
    }
    let origin = &json["hops"][at];
    assert_eq!(origin["quote"], "The shop needs payments.");
    assert_eq!(origin["date"], "2025-01-01T09:00:00Z");
}

#[test]
fn reverted_and_repeated_changes_are_linked() {
    let workspace = history(&[("Pay", &[("src/pay.py", PAY)])]);
    workspace.write("src/pay.py", PAY.replace("send(amount)", "send(amount, fast=True)"));
    workspace.git("2025-02-01T09:00:00Z", &["commit", "--quiet", "-am", "Send fast"]);
    workspace.git("2025-02-02T09:00:00Z", &["revert", "--no-edit", "HEAD"]);
    workspace.write("src/pay.py", PAY.replace("send(amount)", "send(amount, fast=True)"));
    workspace.git("2025-02-03T09:00:00Z", &["commit", "--quiet", "-am", "Reapply \"Send fast\""]);
    let found = hops(&workspace.run(&["why", "src/pay.py:3", "--json"]).json());
    assert!(
        found.contains(&"commit Reapply \"Send fast\" (last changed these lines)".to_owned()),
        "{found:#?}"
    );
    let first = found.iter().position(|hop| hop.starts_with("commit Send fast (")).expect("a hop");
    let revert = format!("commit Revert \"Send fast\" (reverted by it) from {first}");
    let linked = found.contains(&revert) || found[first].contains("reverts it");
    assert!(linked, "{found:#?}");
}

#[test]
fn ignored_and_formatting_commits_are_skipped() {
    let workspace = history(&[("Pay", &[("src/pay.py", PAY)])]);
    let wrapped = PAY.replace("send(amount)", "send(\n        amount,\n    )");
    workspace.write("src/pay.py", &wrapped);
    workspace.git("2025-02-01T09:00:00Z", &["commit", "--quiet", "-am", "Wrap lines"]);
    workspace.write("src/pay.py", wrapped.replace("return amount", "return  (amount)"));
    workspace.git("2025-02-02T09:00:00Z", &["commit", "--quiet", "-am", "Brackets"]);
    let last = workspace.run(&["expand", "src/pay.py#pay", "--history", "--json"]).json();
    let hash = last["changes"][0]["hash"].as_str().expect("a hash").to_owned();
    let all = hops(&workspace.run(&["why", "src/pay.py#pay", "--json"]).json());
    assert!(all.iter().any(|hop| hop.starts_with("commit Brackets")), "{all:#?}");
    assert!(!all.iter().any(|hop| hop.contains("Wrap lines")), "{all:#?}");
    workspace.write(".git-blame-ignore-revs", format!("# layout\n{}\n", hash.trim()));
    let found = hops(&workspace.run(&["why", "src/pay.py#pay", "--json"]).json());
    assert!(found.contains(&"commit Pay (wrote these lines)".to_owned()), "{found:#?}");
    assert!(!found.iter().any(|hop| hop.contains("Brackets")), "{found:#?}");
}

#[test]
fn the_pull_request_of_a_merged_commit_is_found() {
    let workspace = history(&[("Pay", &[("src/pay.py", PAY)])]);
    let git = |day: u32, arguments: &[&str]| {
        workspace.git(&format!("2025-03-{day:02}T09:00:00Z"), arguments);
    };
    git(1, &["checkout", "--quiet", "-b", "side"]);
    workspace.write("src/pay.py", PAY.replace("check(amount)", "check(amount, 5)"));
    git(2, &["commit", "--quiet", "-am", "Check more"]);
    git(2, &["checkout", "--quiet", "main"]);
    let message = "Merge pull request #12 from ann/side\n\nCheck amounts before payments";
    git(3, &["merge", "--quiet", "--no-ff", "-m", message, "side"]);
    let json = workspace.run(&["why", "src/pay.py:2", "--json"]).json();
    let found = hops(&json);
    let hop = found.iter().position(|hop| hop.starts_with("pull-request #12 (merged by "));
    let hop = hop.unwrap_or_else(|| panic!("{found:#?}"));
    assert_eq!(json["hops"][hop]["title"], "Check amounts before payments");
    let cited = hops(&workspace.run(&["why", "#12", "--json"]).json());
    assert!(cited.iter().any(|hop| hop.contains("Merge pull request #12")), "{cited:#?}");
}

#[test]
fn a_question_is_a_search() {
    let workspace = Workspace::shop();
    let ran = workspace.run(&["why", "is", "a", "refund", "retried", "--format", "paths"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.contains("src/refund.rs"), "{ran:?}");
    let ran = workspace.run(&["why", "no_such_name"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("could not find `no_such_name`"), "{ran:?}");
}

#[test]
fn the_text_for_agents_fits_into_its_budget() {
    let workspace = Workspace::shop();
    let whole = workspace.run(&["why", "Refunds.refund", "--format", "agent"]);
    assert!(whole.stdout.len() < 3_200, "{whole:?}");
    let short = workspace.run(&["why", "Refunds.refund", "--format", "agent", "--budget", "80"]);
    assert!(short.stdout.contains("more hop"), "{short:?}");
    assert!(short.stdout.len() < whole.stdout.len(), "{short:?}");
}
