//! `--format agent`: answers for agents.

use std::{fmt::Write as _, fs};

use crate::workspace::{Ran, Workspace};

fn ask(workspace: &Workspace, more: &[&str]) -> Ran {
    workspace.run(&[&["search", "refund", "timeout", "--format", "agent"], more].concat())
}

fn tokens(text: &str) -> usize {
    bpe_openai::o200k_base().count(text)
}

/// The locations in an answer, without the list of files.
fn places(text: &str) -> Vec<String> {
    let hits = text.split("\nevery file with the words").next().unwrap_or_default();
    let is_place = |line: &&str| {
        let place = line.split(' ').next().unwrap_or_default();
        let lines = place.rsplit_once(':').map(|(_, lines)| lines.split('-'));
        place.contains('.')
            && lines.is_some_and(|mut lines| lines.all(|line| line.parse::<u32>().is_ok()))
    };
    hits.lines().filter(is_place).map(str::to_owned).collect()
}

#[test]
fn answers_are_deterministic_and_within_the_budget() {
    let workspace = Workspace::shop();
    let first = ask(&workspace, &[]);
    assert_eq!((first.code, first.stderr.as_str()), (Some(0), ""), "{first:?}");
    assert_eq!(first.stdout, ask(&workspace, &[]).stdout);
    for budget in [120, 300, 700, 2_000, 8_000] {
        let ran = ask(&workspace, &["--budget", &budget.to_string()]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert!(tokens(&ran.stdout) <= budget, "{budget}: {}", ran.stdout);
    }
    let small = ask(&workspace, &["--budget", "9"]);
    assert_eq!((small.code, small.stdout.as_str()), (Some(2), ""), "{small:?}");
    assert!(small.stderr.contains("hint: raise the budget"), "{small:?}");
    let large = ask(&workspace, &["--budget", "8001"]);
    assert_eq!((large.code, large.stdout.as_str()), (Some(2), ""), "{large:?}");
    assert!(
        large.stderr.contains("hint: use a smaller budget, for example `--budget 8000`"),
        "{large:?}"
    );
}

#[test]
fn every_file_that_contains_the_words_is_listed() {
    let workspace = Workspace::shop();
    let ran = ask(&workspace, &["--in", "code", "--limit", "1", "--budget", "8000", "--all"]);
    let (_, list) = ran.stdout.split_once("every file with the words").expect("a list");
    for file in ["gateway.rs 1", "ledger.rs 1", "lib.rs 1", "tests/refund.rs 1", "report.py 1"] {
        assert!(list.contains(file), "{file} is not in {list}");
    }
    assert_eq!(places(&ran.stdout).len(), 1, "{}", ran.stdout);
}

#[test]
fn a_cursor_continues_and_a_stale_one_is_reported() {
    let workspace = Workspace::shop();
    let all = places(&ask(&workspace, &["--budget", "8000"]).stdout);
    assert!(all.len() > 5, "{all:?}");
    let mut seen = Vec::new();
    let mut cursor: Option<String> = None;
    let mut last = None;
    for _ in 0..20 {
        let mut more = vec!["--budget", "250"];
        if let Some(cursor) = &cursor {
            more.extend(["--cursor", cursor.as_str()]);
        }
        let ran = ask(&workspace, &more);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert!(!ran.stdout.contains("another question"), "{}", ran.stdout);
        seen.extend(places(&ran.stdout));
        last = cursor.or(last);
        cursor = ran
            .stdout
            .rsplit_once("next: cursor ")
            .map(|(_, rest)| rest.trim_end().trim_end_matches(']').to_owned());
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(seen, all, "each once, in the same order");

    let cursor = last.expect("there were pages");
    let first = workspace.tree().join("src/refund.rs");
    let text = fs::read_to_string(&first).expect("a fixture");
    fs::write(&first, text.replace("refund", "repay")).expect("written");
    let ran = ask(&workspace, &["--budget", "250", "--cursor", &cursor]);
    assert!(ran.stdout.starts_with("the cursor is of another query"), "{}", ran.stdout);

    let ran = workspace.run(&["search", "refund", "--cursor", &cursor]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("hint: add `--format agent`"), "{ran:?}");
}

#[test]
fn an_empty_answer_is_reported_on_stdout() {
    let workspace = Workspace::shop();
    let ran = workspace.run(&["search", "qwertyuiop", "--format", "agent"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stdout.starts_with("nothing found: "), "{}", ran.stdout);
    assert!(ran.stdout.contains("(qwertyuiop 0), passages a file: none\n[fresh"), "{}", ran.stdout);
}

#[test]
fn patterns_list_every_matching_file() {
    let workspace = Workspace::shop();
    let ran = workspace.run(&["search", "fn \\w+", "--regex", "--format", "agent", "--limit", "2"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.contains("lines a file:"), "{}", ran.stdout);
    assert!(ran.stdout.contains("gateway.rs"), "{}", ran.stdout);
}

#[test]
fn only_a_definition_that_is_shown_is_called_the_only_one() {
    let mut other = String::new();
    for number in 0..80 {
        let _ = writeln!(other, "    basket_{number} = 'basket of basket {number}'");
    }
    let class = format!(
        "class Basket:\n    \"\"\"A basket. The basket has a basket.\"\"\"\n{other}\n    def collect(self):\n        return 1\n"
    );
    let workspace = Workspace::with(&[("shop/basket.py", &class)]);
    for name in ["collect", "Basket.collect", "Basket"] {
        let ran = workspace.run(&[name, "--format", "agent"]);
        let is_called = ran.stdout.starts_with("found, the only definition");
        let bare = name.rsplit('.').next().unwrap_or(name);
        let head = if bare == "Basket" { "class Basket:" } else { "def collect(self):" };
        assert!(!is_called || ran.stdout.contains(head), "{name}: {ran:?}");
        assert!(is_called || bare != name, "{name}: {ran:?}");
    }
}
