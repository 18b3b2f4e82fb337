//! `lore eval`: gates, runs and messages about missing files.

use std::fs;

use crate::workspace::{Ran, Workspace};

const QUERIES: &str = r#"
{"id": "q1", "repo": "shop", "query": "refund a payment", "relevant": ["src/refund.rs"], "category": "code"}
{"id": "q2", "repo": "shop", "query": "idempotency key decision", "relevant": [".spec/none.md"], "category": "decision"}
{"id": "q3", "repo": "shop", "query": "qwertyuiop", "relevant": []}
"#;

struct Measuring {
    workspace: Workspace,
    folder: tempfile::TempDir,
}

impl Measuring {
    fn start() -> Measuring {
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs::write(folder.path().join("queries.jsonl"), QUERIES).expect("written");
        Measuring { workspace: Workspace::shop(), folder }
    }

    fn file(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    fn run(&self, more: &[&str]) -> Ran {
        let queries = self.file("queries.jsonl");
        let tree = self.workspace.tree().display().to_string();
        let mut arguments = vec!["eval", &queries, "--root", &tree, "--in", "code,specs"];
        arguments.extend(more);
        self.workspace.run(&arguments)
    }
}

#[test]
fn golden_files_act_as_gates() {
    let measuring = Measuring::start();
    let expected = measuring.file("expected.csv");
    let missing = measuring.run(&["--expected", &expected]);
    assert_eq!(missing.code, Some(2), "{missing:?}");
    let written = measuring.run(&["--expected", &expected, "--update"]);
    assert_eq!(written.code, Some(0), "{written:?}");
    let same = measuring.run(&["--expected", &expected]);
    assert_eq!(same.code, Some(0), "{same:?}");
    assert!(same.stdout.contains("empty answers: 1 of 1 query"), "{same:?}");

    let text = fs::read_to_string(&expected).expect("read");
    assert!(text.contains("\nq2,,0.0000,0.0000\n"), "{text}");
    fs::write(&expected, text.replace("q2,,", "q2,1,")).expect("written");
    let differs = measuring.run(&["--expected", &expected]);
    assert_eq!(differs.code, Some(1), "{differs:?}");
    assert!(differs.stderr.contains("q2\n  - rank    1"), "{differs:?}");
    assert!(differs.stderr.contains("\n  + rank none"), "{differs:?}");
}

#[test]
fn minimum_scores_act_as_gates() {
    let measuring = Measuring::start();
    let check = |minimum: &str, code: i32| {
        let ran = measuring.run(&["--min", minimum]);
        assert_eq!(ran.code, Some(code), "{ran:?}");
    };
    check("Success@10=0.5", 0);
    check("Success@10=0.51", 1);
    check("Success@10", 2);
    check("MAP=0.5", 2);
}

#[test]
fn runs_are_written_and_compared() {
    let measuring = Measuring::start();
    for name in ["run.jsonl", "lore.run"] {
        let run = measuring.file(name);
        let written = measuring.run(&["--run-out", &run, "--per", "category"]);
        assert_eq!(written.code, Some(0), "{written:?}");
        let compared = measuring.run(&["--compare", &run]);
        assert!(compared.stdout.contains("0 better, 0 worse, 2 equal"), "{compared:?}");
        let judged = measuring.run(&["--run", &run, "--per", "category"]);
        let of_queries = |ran: &Ran| {
            ran.stdout
                .lines()
                .filter(|line| !line.contains("nothing"))
                .collect::<Vec<_>>()
                .join("\n")
        };
        assert_eq!(of_queries(&judged), of_queries(&written));
    }
}

#[test]
fn queries_of_only_one_run_are_skipped() {
    let measuring = Measuring::start();
    let before = measuring.file("before.jsonl");
    // Only the second query, whose right file is missing.
    assert_eq!(measuring.run(&["--query", "q2", "--run-out", &before]).code, Some(0));
    let ran = measuring.run(&["--compare", &before]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.contains("0 better, 0 worse, 1 equal"), "{ran:?}");
    assert!(ran.stderr.contains("2 queries are not in both runs, and skipped"), "{ran:?}");
}

#[test]
fn a_run_is_compared_with_the_file_that_it_replaces() {
    let measuring = Measuring::start();
    let run = measuring.file("run.jsonl");
    assert_eq!(measuring.run(&["--run-out", &run]).code, Some(0));
    // The earlier run found nothing.
    let old = r#"{"id": "q1", "repo": "shop", "query": "refund a payment", "results": []}"#;
    fs::write(&run, old).expect("written");
    let ran = measuring.run(&["--run-out", &run, "--compare", &run]);
    assert!(ran.stdout.contains("1 better, 0 worse, 0 equal"), "{ran:?}");
    assert_ne!(fs::read_to_string(&run).expect("read"), old);

    // Unreadable files are reported before any search or write.
    let (missing, after) = (measuring.file("missing.jsonl"), measuring.file("after.jsonl"));
    let ran = measuring.run(&["--run-out", &after, "--compare", &missing]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.starts_with("lore: could not read `"), "{ran:?}");
    assert!(!std::path::Path::new(&after).exists());
}

#[test]
fn runs_without_common_queries_are_rejected() {
    let measuring = Measuring::start();
    let row = |id: &str| {
        format!(r#"{{"id": "{id}", "query": "a", "results": [], "right": [{{"name": "a.rs"}}]}}"#)
    };
    let (before, after) = (measuring.file("before.jsonl"), measuring.file("after.jsonl"));
    fs::write(&before, row("a")).expect("written");
    fs::write(&after, row("b")).expect("written");
    let ran = measuring.workspace.run(&["eval", "compare", &before, &after]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{ran:?}");
    let expected = format!("`{before}` and `{after}` have no judged query in common");
    assert!(ran.stderr.contains(&expected), "{ran:?}");
    let ran = measuring.run(&["--compare", &before, "--run-out", &after]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{ran:?}");
    let expected = format!("`{before}` and `{}`", measuring.file("queries.jsonl"));
    assert!(ran.stderr.contains(&expected), "{ran:?}");
    assert_eq!(fs::read_to_string(&after).expect("read"), row("b"));
}

#[test]
fn a_comparison_names_the_signals_that_changed_each_query() {
    let measuring = Measuring::start();
    let file = |name: &str| measuring.file(name);
    let (with, without, trec) = (file("with.jsonl"), file("without.jsonl"), file("with.run"));
    let wrote = |run: &str, more: &[&str]| {
        let ran = measuring.run(&[&["--run-out", run], more].concat());
        assert_eq!(ran.code, Some(0), "{ran:?}");
    };
    fs::write(
        file("queries.jsonl"),
        r#"{"id": "q1", "repo": "shop", "query": "idempotency key", "relevant": ["src/gateway.rs"]}"#,
    )
    .expect("written");
    wrote(&with, &[]);
    wrote(&trec, &[]);
    // With this weight, names of definitions decide the order.
    fs::write(
        measuring.workspace.tree().join("lorehound.toml"),
        "[ranking.weights]\nnames = 90.0\n",
    )
    .expect("written");
    wrote(&without, &[]);
    let compare =
        |arguments: &[&str]| measuring.workspace.run(&[&["eval", "compare"], arguments].concat());
    // Only the two runs exist.
    let queries = fs::read(file("queries.jsonl")).expect("read");
    fs::remove_file(file("queries.jsonl")).expect("removed");
    let ran = compare(&[&with, &without]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.contains("q1  idempotency key\n      src/gateway.rs  rank "), "{ran:?}");
    assert!(ran.stdout.contains(": names "), "{ran:?}");
    assert!(ran.stdout.contains("signals behind the moves"), "{ran:?}");
    let ran = compare(&[&with, &with, "--measure", "RR"]);
    assert!(ran.stdout.contains("RR, before, after, gain"), "{ran:?}");
    assert!(ran.stdout.contains("0 better, 0 worse, 1 equal"), "{ran:?}");
    // A run of another system has neither labels nor parts; the other run has labels.
    let ran = compare(&[&trec, &without]);
    assert!(ran.stdout.contains("src/gateway.rs  rank "), "{ran:?}");
    assert!(!ran.stdout.contains("what moved"), "{ran:?}");
    let ran = compare(&[&trec, &trec]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("hint: name the queries with `--collection FILE`"), "{ran:?}");
    fs::write(file("queries.jsonl"), queries).expect("written");
    let ran = compare(&[&trec, &trec, "--collection", &file("queries.jsonl")]);
    assert!(ran.stdout.contains("0 better, 0 worse, 1 equal"), "{ran:?}");
    let ran = compare(&[&with, "/no/such/run.jsonl"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("`/no/such/run.jsonl`"), "{ran:?}");
}

#[test]
fn a_single_query_is_shown_with_score_parts() {
    let measuring = Measuring::start();
    let signals = measuring.file("signals.jsonl");
    let shown = measuring.run(&["--query", "q1", "--dump-signals", &signals]);
    assert_eq!(shown.code, Some(0), "{shown:?}");
    assert!(shown.stdout.contains("src/refund.rs"), "{shown:?}");
    assert!(shown.stdout.contains(" x +"), "{shown:?}");
    let line = fs::read_to_string(signals).expect("read");
    let line: serde_json::Value = serde_json::from_str(&line).expect("JSON");
    let candidates = line["candidates"].as_array().expect("an array");
    assert!(candidates.iter().any(|candidate| candidate["relevant"] == 1), "{line}");
    assert!(candidates.iter().all(|candidate| candidate["signals"].is_object()), "{line}");
}

#[test]
fn spec_queries_are_measured_with_the_spec_ranking() {
    let measuring = Measuring::start();
    fs::write(
        measuring.file("queries.jsonl"),
        r#"{"repo": "shop", "query": "refunds", "relevant": [".spec/shop/refunds/spec.md"], "first": ".spec/shop/refunds/spec.md"}"#,
    )
    .expect("written");
    let ran = measuring.run(&["--spec", "--min", "RR@10=1"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.contains("required result first: 1 of 1"), "{ran:?}");
}

#[test]
fn missing_files_are_named() {
    let workspace = Workspace::shop();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let queries = folder.path().join("queries.jsonl");
    fs::write(&queries, QUERIES).expect("written");
    let queries = queries.display().to_string();
    let ran = workspace.run(&["eval", &queries]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("hint: name its folder with `--root shop=DIR`"), "{ran:?}");
    let ran = workspace.run(&["eval", &queries, "--repository", "absent"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    let ran = workspace.run(&["eval", "/no/such/collection"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("`/no/such/collection`"), "{ran:?}");
}

#[test]
fn a_failed_run_keeps_the_old_dump() {
    let measuring = Measuring::start();
    let (queries, dump) = (measuring.file("queries.jsonl"), measuring.file("dump.jsonl"));
    fs::write(&dump, "old").expect("written");
    let ran = measuring.workspace.run(&["eval", &queries, "--dump-signals", &dump]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert_eq!(fs::read_to_string(&dump).expect("read"), "old");
    assert_eq!(measuring.run(&["--dump-signals", &dump]).code, Some(0));
    assert_eq!(fs::read_to_string(&dump).expect("read").lines().count(), 3);
}

#[test]
fn questions_about_the_graph_are_measured() {
    let workspace = Workspace::shop();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let questions = folder.path().join("questions.jsonl");
    let answer = |line: u32, symbol: &str| serde_json::json!({"path": "src/refund.rs", "symbol": symbol, "line": line, "how": "same-file"});
    let question = |id: &str, answers: Vec<serde_json::Value>| {
        serde_json::json!({
            "id": id, "repository": "shop", "language": "rust", "relation": "callers",
            "question": "callers of retry_refund",
            "target": {"path": "src/refund.rs", "symbol": "Refunds.retry_refund"},
            "answers": answers,
        })
        .to_string()
    };
    let run = |more: &[&str]| {
        let tree = workspace.tree().display().to_string();
        let folder = folder.path().display().to_string();
        workspace.run(&[&["eval", &folder, "--root", &tree], more].concat())
    };
    fs::write(&questions, question("right", vec![answer(32, "Refunds.refund")])).expect("written");
    let ran = run(&["--min", "precision=1", "--min", "recall-all=1", "--per", "language"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.contains("1/1    1.0000"), "{ran:?}");

    let missing = vec![answer(32, "Refunds.refund"), answer(99, "Refunds.absent")];
    fs::write(&questions, question("half", missing)).expect("written");
    let ran = run(&["--min", "recall=0.9", "--query", "half"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stderr.contains("recall is 0.5000, below 0.9"), "{ran:?}");
    assert!(ran.stdout.contains("missing  src/refund.rs:99  Refunds.absent"), "{ran:?}");

    assert_eq!(run(&["--min", "MAP=1"]).code, Some(2));
    assert_eq!(run(&["--measure", "RR"]).code, Some(2));
    assert_eq!(run(&["--repository", "absent"]).code, Some(2));
    fs::write(&questions, question("odd", Vec::new()).replace("callers\"", "siblings\""))
        .expect("written");
    let ran = run(&[]);
    assert!(ran.stderr.contains("there is no relation `siblings`"), "{ran:?}");
}

#[test]
fn answers_for_agents_are_measured() {
    let measuring = Measuring::start();
    let part = measuring.run(&["--in", "examples"]);
    assert_eq!(part.code, Some(2), "sources are judged as a whole: {part:?}");
    let ran = measuring.run(&["--tokens"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let row = |name: &str| -> Vec<f64> {
        let line = ran.stdout.lines().find(|line| line.trim_start().starts_with(name));
        let line = line.unwrap_or_else(|| panic!("no {name}: {ran:?}"));
        let figures = line.trim_start()[name.len()..].split_whitespace();
        figures.map(|figure| figure.parse().expect("a figure")).collect()
    };
    assert!(ran.stdout.contains("2 judged queries in 1 repository, answers of default size"));
    // The first query is answered; the second one cannot be, and counts the whole budget.
    let [queries, mean, median, recall, whole] = row("code")[..] else { panic!("{ran:?}") };
    assert_eq!((queries, recall), (1.0, 1.0));
    assert!(10.0 < mean && mean < 500.0 && mean <= whole && whole <= 500.0, "{ran:?}");
    assert!((mean - median).abs() < 0.01);
    let missed = row("decision");
    assert_eq!(missed[..4], [1.0, 2_000.0, 2_000.0, 0.0]);
    let all = row("mean over queries");
    assert!((all[1] - f64::midpoint(mean, 2_000.0)).abs() < 0.1 && (all[3] - 0.5).abs() < 0.001);

    let ran = measuring.run(&["--tokens=300"]);
    assert!(ran.stdout.contains("at most 300 tokens") && ran.stdout.contains(" 300.0 "), "{ran:?}");
    assert_eq!(measuring.run(&["--tokens=9000"]).code, Some(2));
    assert_eq!(measuring.run(&["--tokens", "--spec"]).code, Some(2));
}
