//! Fitting weights from dumps and from searches: output and errors.

use std::{fmt::Write, fs};

use lore_engine::ScoreCurve;

use crate::workspace::{Ran, Workspace};

/// A dump in which `title` is higher for right results, in each of four repositories. `comments` is
/// lower for them.
fn dump() -> String {
    let mut text = String::new();
    for number in 0..8 {
        let candidate = |path: &str, relevant: u8, title: f64, comments: f64| {
            format!(
                r#"{{"path":"{path}","id":"{path}","relevant":{relevant},"score":1.0,"signals":{{"title":{title},"comments":{comments}}}}}"#
            )
        };
        let wrong = candidate("wrong.rs", 0, 0.4, 0.9);
        let right = candidate("right.rs", 1, 0.6, 0.1);
        writeln!(
            text,
            r#"{{"id":"q{number}","repo":"r{}","query":"a","category":"","targets":1,"candidates":[{wrong},{right}]}}"#,
            number % 4
        )
        .expect("a text takes everything");
    }
    text
}

#[test]
fn weights_are_fitted_to_a_dump() {
    let workspace = Workspace::shop();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("rows.jsonl");
    fs::write(&path, dump()).expect("written");
    let path = path.display().to_string();
    let ran = workspace.run(&["eval", "fit", &path, "--penalty", "0.001"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let figures = |name: &str| -> Vec<f64> {
        let line = ran.stdout.lines().find(|line| line.trim_start().starts_with(name));
        let words = line.expect("a line").split_whitespace().skip(1);
        words.map(|word| word.parse().expect("a number")).collect()
    };
    // Before: every right result at rank 2. After: at rank 1, also on held-out queries.
    assert_eq!(figures("rows"), [8.0, 1.0, 0.6309, 1.0, 1.0]);
    let (title, comments) = (figures("title"), figures("comments"));
    assert!(title[0] < title[1], "{ran:?}");
    assert!(comments[1] < comments[0], "{ran:?}");
    let again = workspace.run(&["eval", "fit", "--signals", &path, "--penalty", "0.001"]);
    assert_eq!(again.stdout, ran.stdout);

    let block = workspace.run(&["eval", "fit", &path, "--penalty", "0.001", "--toml"]);
    let settings: toml::Table = block.stdout.parse().expect("TOML");
    let weights = settings["ranking"]["weights"].as_table().expect("a table");
    assert_eq!(weights.keys().collect::<Vec<_>>(), ["comments", "title"]);
    assert_eq!(weights["title"].as_float(), Some(title[1]));
}

#[test]
fn a_collection_without_a_vote_does_not_change_the_fit() {
    let workspace = Workspace::shop();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let [rows, guard] = ["rows.jsonl", "guard.jsonl"].map(|name| folder.path().join(name));
    fs::write(&rows, dump()).expect("written");
    // Here the other result is right.
    let turned = dump().replace(r#""relevant":1"#, r#""relevant":2"#);
    let turned = turned.replace(r#""relevant":0"#, r#""relevant":1"#);
    fs::write(&guard, turned.replace(r#""relevant":2"#, r#""relevant":0"#)).expect("written");
    let [rows, guard] = [rows, guard].map(|path| path.display().to_string());
    let weights = |arguments: &[&str]| {
        let ran = workspace.run(&[&["eval", "fit", &rows, "--toml"], arguments].concat());
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let lines = ran.stdout.lines().filter(|line| !line.starts_with('#'));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let alone = weights(&[]);
    assert_eq!(weights(&["--guard", &guard, "--vote", "0"]), alone);
    assert_ne!(weights(&["--guard", &guard, "--vote", "3"]), alone);
}

#[test]
fn collections_without_a_dump_are_searched() {
    let workspace = Workspace::shop();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let queries = folder.path().join("queries.jsonl");
    let row = r#"{"id": "q1", "repo": "shop", "query": "refund a payment", "relevant": ["src/refund.rs"]}"#;
    fs::write(&queries, row).expect("written");
    let queries = queries.display().to_string();
    let tree = workspace.tree().display().to_string();
    let asked = ["eval", "fit", &queries, "--root", &tree, "--in", "code"];
    let ran = workspace.run(&asked);
    assert_eq!(ran.code, Some(0), "{ran:?}");

    // A dump of the same query gives the same result.
    let dump = folder.path().join("signals.jsonl").display().to_string();
    let dumped = workspace.run(&[
        "eval",
        &queries,
        "--root",
        &tree,
        "--in",
        "code",
        "--limit",
        "150",
        "--dump-signals",
        &dump,
    ]);
    assert_eq!(dumped.code, Some(0), "{dumped:?}");
    let of_dump = workspace.run(&["eval", "fit", &dump]);
    assert_eq!(of_dump.stdout.replace("signals", "queries"), ran.stdout);
}

#[test]
fn invalid_collections_are_named() {
    let workspace = Workspace::shop();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let check = |content: &str, arguments: &[&str], expected: &str| {
        let path = folder.path().join("a.jsonl");
        fs::write(&path, content).expect("written");
        let path = path.display().to_string();
        let ran = workspace.run(&[&["eval", "fit", &path], arguments].concat());
        assert_eq!(ran.code, Some(2), "{ran:?}");
        assert!(ran.stderr.contains(expected), "{ran:?}");
    };
    let empty = r#"{"id":"q","repo":"r","query":"a","category":"","targets":0,"candidates":[]}"#;
    check(empty, &[], "holds no judged query");
    check(&format!("{empty}\n{{\"candidates\": 3}}\n"), &[], "line 2");
    check(empty, &["--folds", "1"], "--folds");
    check(empty, &["--temperature", "0"], "not from 0.001 to 1000");
    check(empty, &["--penalty=-1"], "not from 0 to 1000000");
    check("", &[], "--dump-signals FILE");
    let cut = dump().replacen(r#""candidates""#, "\n", 1);
    check(&cut, &[], "line 1: EOF while parsing");
    let huge = dump().replace(r#""targets":1"#, r#""targets":9000000000000000000"#);
    check(&huge, &[], "line 1: 9000000000000000000 targets");
    check(&dump(), &["--measure", "MAP"], "there is no measure `MAP`");
    let nothing = workspace.run(&["eval", "fit"]);
    assert_eq!(nothing.code, Some(2), "{nothing:?}");
    assert!(nothing.stderr.contains("COLLECTION"), "{nothing:?}");
}

/// A list with one collection to search and one dump.
fn list(folder: &tempfile::TempDir) -> String {
    let row = r#"{"id": "q1", "repo": "shop", "query": "refund a payment", "relevant": ["src/refund.rs"]}"#;
    fs::write(folder.path().join("queries.jsonl"), row).expect("written");
    fs::write(folder.path().join("rows.jsonl"), dump()).expect("written");
    let list = folder.path().join("list.toml");
    let text = "[[collection]]\nname = \"shop\"\nabout = \"payments\"\npath = \"queries.jsonl\"\n\
                root = \"{tree}\"\nsources = [\"code\"]\nmeasures = [\"RR@10\", \"R@10\"]\n\
                [[collection]]\nname = \"dump\"\npath = \"rows.jsonl\"\nvote = 1\n";
    fs::write(&list, text).expect("written");
    list.display().to_string()
}

#[test]
fn ablation_removes_one_signal_at_a_time() {
    let workspace = Workspace::shop();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let list = list(&folder);
    let unset = workspace.run(&["eval", "ablate", "--config", &list]);
    assert_eq!(unset.code, Some(2), "{unset:?}");
    assert!(unset.stderr.contains("give them with `--set tree=DIR`"), "{unset:?}");

    let tree = format!("tree={}", workspace.tree().display());
    let ablate = ["eval", "ablate", "--config", &list, "--set", &tree];
    let ran = workspace.run(&ablate);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    // The file exists in every mode, and a dump cannot be searched in any.
    let row = |beginning: &str| {
        let line = ran.stdout.lines().find(|line| line.starts_with(beginning));
        line.unwrap_or_else(|| panic!("no {beginning}: {ran:?}")).to_owned()
    };
    assert!(row("| payments | 1 | RR@10 / R@10 |").contains(" / 1.000 |"), "{ran:?}");
    assert_eq!(row("| dump |"), "| dump | 8 | nDCG@10 | - | - | - |");
    // Without the misleading signal, all are at rank 1: 1 - 1 / log2(3).
    assert!(row("| all signals |").ends_with("| 0.6309 |"), "{ran:?}");
    assert!(row("| `comments` |").ends_with("| +0.3691 |"), "{ran:?}");
    assert!(row("| `vendored` |").ends_with("| 0 |"), "{ran:?}");

    let page = folder.path().join("page.md");
    let write = |text: &str| {
        fs::write(&page, text).expect("written");
        let page = page.display().to_string();
        workspace.run(&[&ablate[..], &["--write", &page]].concat())
    };
    // Reported before any search: the message starts with the reason.
    let refused = write("no place");
    assert_eq!(refused.code, Some(2), "{refused:?}");
    let reason = format!("lore: `{}` has no place for the tables", page.display());
    assert!(refused.stderr.starts_with(&reason), "{refused:?}");
    let refused = write("<!-- generated: signals -->\nobsolete\n");
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stderr.starts_with("lore: could not understand `"), "{refused:?}");
    assert!(refused.stderr.contains("line 1: "), "{refused:?}");
    let written = write("<!-- generated: signals -->\nobsolete\n<!-- end of signals -->\nrest\n");
    assert_eq!(written.code, Some(0), "{written:?}");
    assert_eq!(written.stdout, "");
    let text = fs::read_to_string(&page).expect("read");
    assert!(text.contains("| `comments` |") && text.ends_with("signals -->\nrest\n"), "{text}");
    assert!(!text.contains("obsolete"), "{text}");
}

#[test]
fn invalid_ablations_are_named() {
    let workspace = Workspace::shop();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let check = |arguments: &[&str], expected: &str, hint: &str| {
        let ran = workspace.run(&[&["eval", "ablate"], arguments].concat());
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{ran:?}");
        assert!(ran.stderr.starts_with(&format!("lore: {expected}")), "{ran:?}");
        assert!(ran.stderr.contains(&format!("\nhint: {hint}")), "{ran:?}");
    };
    let list = path("list.toml");
    let listed = |text: &str, expected: &str, hint: &str| {
        fs::write(&list, text).expect("written");
        check(&["--config", &list], expected, hint);
    };
    check(
        &[],
        "no list of collections is named",
        "name one: `lore eval ablate --config LIST.toml`",
    );
    listed("", &format!("`{list}` lists no collection"), "write `[[collection]]` into it");
    check(
        &["--config", &list, "-C", "/no/such/folder"],
        "`-C` does not go with",
        "the list contains",
    );
    let row = |more: &str| format!("[[collection]]\nname = \"a\"\npath = \"a.jsonl\"\n{more}\n");
    let at = |reason: &str| format!("could not understand `{list}`, line 4: {reason}");
    let measures = "the measures are nDCG@10, ";
    listed(&row("measures = [\"MAP\"]"), &at("there is no measure `MAP`"), measures);
    listed(
        &row("sources = [\"attic\"]"),
        &at("there is no source `attic`"),
        "the sources are code",
    );
    // A dump and a collection without judged queries.
    let unjudged = format!("`{}` holds no judged query", path("a.jsonl"));
    for rows in [
        r#"{"id":"q","repo":"r","query":"a","category":"","targets":0,"candidates":[]}"#,
        r#"{"id":"q","repo":"shop","query":"refund","relevant":[]}"#,
    ] {
        fs::write(path("a.jsonl"), rows).expect("written");
        let root = format!("root = {:?}", workspace.tree().display().to_string());
        listed(&row(&root), &unjudged, "a query needs at least one right result");
    }
    let ran = workspace.run(&["eval", "ablate", "--config", &list, "--set", "tree"]);
    assert!(ran.stderr.contains("`--set trees=$HOME/code`"), "{ran:?}");
}

#[test]
fn the_ablation_table_ignores_configured_weights() {
    let workspace = Workspace::shop();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let list = list(&folder);
    let tree = format!("tree={}", workspace.tree().display());
    let queries = folder.path().join("queries.jsonl").display().to_string();
    let root = workspace.tree().display().to_string();
    let ablate = ["eval", "ablate", "--config", &list, "--set", &tree];
    let fit = ["eval", "fit", &queries, "--root", &root];
    let measure = ["eval", &queries, "--root", &root, "--measure", "RR@10"];
    // Outside the tree, so that they are not searched themselves.
    let settings = folder.path().join("settings.toml");
    let output = || {
        [&ablate[..], &fit, &measure].map(|arguments| {
            let mut command = workspace.command(arguments);
            command.env("LOREHOUND_CONFIG", &settings);
            let ran = Ran::new(&command.output().expect("the program starts"));
            assert_eq!(ran.code, Some(0), "{ran:?}");
            ran.stdout
        })
    };
    fs::write(&settings, "").expect("written");
    let before = output();
    // With these weights, the right file is not first.
    fs::write(&settings, "[ranking.weights]\nnames = 0\nsource-path = -90\n").expect("written");
    let after = output();
    assert_eq!(before[..2], after[..2]);
    // A searched collection is measured with the weights in effect.
    assert_ne!(before[2], after[2]);
}

#[test]
fn a_list_selects_the_collections_to_fit() {
    let workspace = Workspace::shop();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let list = list(&folder);
    let tree = format!("tree={}", workspace.tree().display());
    let ran = workspace.run(&["eval", "fit", "--config", &list, "--set", &tree, "--toml"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    // Only the second collection has a vote.
    let comments: Vec<&str> = ran.stdout.lines().filter(|line| line.starts_with('#')).collect();
    assert_eq!(comments.len(), 1, "{ran:?}");
    assert!(comments[0].starts_with("# dump: nDCG@10 0.6309"), "{ran:?}");
}

#[test]
fn a_dump_reproduces_the_order() {
    let workspace = Workspace::shop();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let rows: Vec<String> = [
        ("refund a payment", "src/refund.rs"),
        ("amounts in cents", "src/refund.rs"),
        // By its raw score, it would rank below a pattern.
        ("what the gateway answers", "docs/operations.md"),
    ]
    .iter()
    .enumerate()
    .map(|(number, (text, relevant))| {
        format!(
            r#"{{"id": "q{number}", "repo": "shop", "query": "{text}", "relevant": ["{relevant}"]}}"#
        )
    })
    .collect();
    fs::write(path("queries.jsonl"), rows.join("\n")).expect("written");
    let tree = workspace.tree().display().to_string();
    let (queries, dump) = (path("queries.jsonl"), path("dump.jsonl"));
    let ran = workspace.run(&[
        "eval",
        &queries,
        "--root",
        &tree,
        "--limit",
        "150",
        "--dump-signals",
        &dump,
    ]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    check_scores(&fs::read_to_string(&dump).expect("read"));

    // The score before a fit is that of the search itself.
    let fitted = workspace.run(&["eval", "fit", &dump]);
    let figure = |text: &str, start: &str, at: usize| {
        let line = text.lines().find(|line| line.trim_start().starts_with(start));
        let line = line.unwrap_or_else(|| panic!("no {start}: {text}"));
        line.split_whitespace().nth(at).expect("a figure").to_owned()
    };
    let judged = workspace.run(&[
        "eval",
        &queries,
        "--root",
        &tree,
        "--limit",
        "150",
        "--measure",
        "nDCG@10",
    ]);
    assert_eq!(figure(&fitted.stdout, "dump", 3), figure(&judged.stdout, "mean", 4));
}

/// Checks that the signals of each candidate add up to its score, and that the curves of the sources
/// give the order of the search.
fn check_scores(dump: &str) {
    let weights = lore_engine::signal_weights(&lore_engine::RankingConfig::default());
    let mut factors = 0;
    for line in dump.lines() {
        let query: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let candidates = query["candidates"].as_array().expect("an array");
        assert!(candidates.len() > 3, "{line}");
        let mut above: Option<(bool, f64)> = None;
        for candidate in candidates {
            let source = candidate["source"].as_str().expect("a source");
            let signals = weights.iter().map(|weight| {
                let value = candidate["signals"][weight.name].as_f64().expect("a value");
                let factor = query["factors"][source][weight.name].as_f64();
                factors += usize::from(factor.is_some());
                value * factor.unwrap_or(1.0) * f64::from(weight.built_in)
            });
            let sum = signals.sum::<f64>() + candidate["fixed"].as_f64().expect("a number");
            let score = candidate["score"].as_f64().expect("a score");
            assert!((sum - score).abs() < 1e-3, "{sum} is not {score}: {candidate}");
            // By the curves of their sources, they are in the order of the search.
            let number = |name: &str| query["curves"][source][name].to_string().parse::<f32>().ok();
            let common = ScoreCurve::COMMON;
            let curve = ScoreCurve {
                steepness: number("steepness").unwrap_or(common.steepness),
                middle: number("middle").unwrap_or(common.middle),
                most: number("most").unwrap_or(common.most),
            };
            let is_exact = candidate["exact"].as_bool().expect("a flag");
            let sum = curve.common_sum(score);
            if let Some((above_is_exact, above_sum)) = above {
                assert!(is_exact <= above_is_exact, "{line}");
                assert!(is_exact != above_is_exact || sum < above_sum + 1e-3, "{candidate}");
            }
            above = Some((is_exact, sum));
        }
    }
    assert!(factors > 0, "the vector has less weight in prose");
}
