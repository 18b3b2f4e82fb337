//! Output formats, budgets, context lines and positions.

use serde_json::Value;

use crate::workspace::{Ran, Workspace};

const QUERY: &[&str] = &["refund", "timeout", "--in", "code,docs,specs,tickets"];

fn run(workspace: &Workspace, more: &[&str]) -> Ran {
    workspace.run(&[QUERY, more].concat())
}

/// The answer without the parts that differ between runs.
fn without_time(mut answer: Value) -> Value {
    answer["receipt"]["elapsedMs"] = Value::Null;
    answer
}

#[test]
fn json_jsonl_and_toon_have_the_same_content() {
    let workspace = Workspace::shop();
    let json = without_time(run(&workspace, &["--json"]).json());
    assert!(json["results"].as_array().is_some_and(|results| results.len() > 4));

    let ran = run(&workspace, &["--format", "jsonl"]);
    let mut lines: Vec<Value> = ran
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).expect("each line is JSON"))
        .collect();
    let mut last = lines.pop().expect("there is a last line");
    last["results"] = Value::Array(lines);
    assert_eq!(without_time(last), json);

    let ran = run(&workspace, &["--format", "toon"]);
    let toon: Value = toon_format::decode_strict(&ran.stdout).expect("TOON");
    // TOON does not distinguish `1.0` from `1`.
    let same_numbers = without_time(toon).to_string();
    assert_eq!(same_numbers, without_time(json).to_string().replace(":1.0,", ":1,"));
}

#[test]
fn only_human_formats_group_hits() {
    let workspace = Workspace::shop();
    for format in ["json", "jsonl", "toon", "paths"] {
        let written = |flag| {
            let ran = run(&workspace, &["--format", format, flag]);
            let is_time = |line: &str| line.contains("elapsedMs");
            let lines: Vec<String> =
                ran.stdout.lines().filter(|line| !is_time(line)).map(str::to_owned).collect();
            assert!(lines.len() > 4, "{ran:?}");
            lines
        };
        assert_eq!(written("--group"), written("--no-group"), "{format}");
    }
    for (format, heading) in [("human", "code ("), ("markdown", "## code (")] {
        let has_heading = |flag| {
            let ran = run(&workspace, &["--format", format, flag]);
            ran.stdout.lines().any(|line| line.starts_with(heading))
        };
        assert!(has_heading("--group") && !has_heading("--no-group"), "{format}");
    }
}

#[test]
fn output_never_exceeds_its_budget() {
    let workspace = Workspace::shop();
    for format in ["human", "json", "jsonl", "markdown", "paths", "toon"] {
        let mut before = 0;
        for tokens in [1_usize, 60, 200, 700, 2_000, 8_000] {
            let ran = run(&workspace, &["--format", format, "--budget", &tokens.to_string()]);
            let used = bpe_openai::o200k_base().count(ran.stdout.as_str());
            assert!(used <= tokens, "{format}: {used} of {tokens}");
            if ran.code == Some(2) {
                assert_eq!(ran.stdout, "");
                assert!(ran.stderr.contains("is too small: the smallest answer as"), "{ran:?}");
                assert!(ran.stderr.contains("hint: use a larger budget"), "{ran:?}");
                assert!(tokens < 700, "{format} takes too much");
                continue;
            }
            assert_eq!(ran.code, Some(0), "{ran:?}");
            // Two runs may differ in the digits of their time.
            assert!(used + 10 >= before, "{format}: more room, less text");
            before = used;
        }
    }
}

#[test]
fn the_suggested_larger_budget_works() {
    let workspace = Workspace::shop();
    for format in ["human", "json", "toon"] {
        let ran = run(&workspace, &["--format", format, "--budget", "3"]);
        assert_eq!(ran.code, Some(2), "{ran:?}");
        let (_, rest) = ran.stderr.split_once("--budget ").expect("there is a hint");
        let tokens: String = rest.chars().take_while(char::is_ascii_digit).collect();
        let ran = run(&workspace, &["--format", format, "--budget", &tokens]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
    }
}

#[test]
fn a_budget_counts_tokens_of_the_chosen_tokenizer() {
    let workspace = Workspace::shop();
    for (name, count) in [
        ("cl100k", (|text| bpe_openai::cl100k_base().count(text)) as fn(&str) -> usize),
        ("o200k", |text| bpe_openai::o200k_base().count(text)),
    ] {
        let ran = run(&workspace, &["--json", "--budget", "4000", "--tokenizer", name]);
        let budget = &ran.json()["receipt"]["budget"];
        assert_eq!(budget["tokenizer"], name);
        assert_eq!(budget["used"], count(&ran.stdout), "{name}");
    }
    let ran = run(&workspace, &["--tokenizer", "cl100k"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("--budget"), "{ran:?}");
    // `paths` prints only paths, so dropped hits are reported on standard error.
    let ran = run(&workspace, &["--format", "paths", "--budget", "20"]);
    assert!(ran.stderr.contains("not all hits fit into 20 tokens"), "{ran:?}");
}

#[test]
fn a_large_budget_shows_whole_hits_and_counts_them() {
    let workspace = Workspace::shop();
    let ran = workspace.run(&["retry_refund", "--in", "code", "--json", "--budget", "9000"]);
    let json = ran.json();
    let hit = &json["results"][0];
    assert_eq!(hit["degraded"], "body");
    let text = hit["snippet"].as_str().expect("a text");
    let lines = hit["endLine"].as_u64().expect("a line") - hit["startLine"].as_u64().expect("one");
    assert_eq!(text.lines().count() as u64, lines + 1);
    assert_eq!(hit["snippetStartLine"], hit["startLine"]);
    assert_eq!(hit["tokenCount"], bpe_openai::o200k_base().count(text));
}

#[test]
fn passages_have_the_requested_length() {
    let workspace = Workspace::with(&[(
        "notes.txt",
        "one\ntwo\nthree\nfour\nfive retry\nsix\nseven\neight\nnine\nten\neleven\ntwelve\n",
    )]);
    let passage = |flags: &[&str]| {
        let ran = workspace.run(&[&["retry", "--json"], flags].concat());
        let hit = ran.json()["results"][0].clone();
        let text = hit["snippet"].as_str().expect("a text").to_owned();
        (text, hit["snippetStartLine"].as_u64().expect("a line"), hit["id"].clone())
    };
    let (text, start, id) = passage(&["--snippet", "1"]);
    assert_eq!((text.as_str(), start), ("five retry", 5));
    let (text, start, same) = passage(&["--snippet", "1", "--context", "2"]);
    assert_eq!((text.as_str(), start), ("three\nfour\nfive retry\nsix\nseven", 3));
    assert_eq!(same, id);
    let (text, start, _) = passage(&["--snippet", "1", "--context", "100"]);
    assert_eq!((text.lines().count(), start), (12, 1));
    let (text, ..) = passage(&["--snippet", "12"]);
    assert_eq!(text.lines().count(), 12);
    let flags = ["--literal", "--snippet", "2", "--context", "1"];
    let (text, start, _) = passage(&flags);
    assert_eq!((text.as_str(), start), ("four\nfive retry\nsix\nseven", 4));
    let ran = workspace.run(&[&["retry", "--json", "--budget", "2000"], &flags[..]].concat());
    let hit = &ran.json()["results"][0];
    assert_eq!(hit["snippet"], text.as_str());
    assert_eq!(hit["tokenCount"], bpe_openai::o200k_base().count(text.as_str()));
    assert_eq!(workspace.run(&["retry", "--snippet", "0"]).code, Some(2));
}

#[test]
fn positions_are_right_in_every_unit() {
    let line = "🦀 e\u{301}tude 再試行 İ ÉTUDE 👩‍👩‍👧‍👦 e\u{301} Retry, retry";
    let workspace = Workspace::with(&[("notes.txt", &format!("one\n\n{line}\n"))]);
    for (query, expected) in [
        ("retry", vec!["Retry", "retry"]),
        ("étude", vec!["e\u{301}tude", "ÉTUDE"]),
        ("再試行", vec!["再試行"]),
    ] {
        for unit in ["char", "utf16", "byte"] {
            let ran = workspace.run(&[query, "--json", "--offsets", unit]);
            let json = ran.json();
            assert_eq!(json["receipt"]["offsets"], unit);
            let place = &json["results"][0]["matches"][0];
            assert_eq!(place["lineNumber"], 3, "{ran:?}");
            let text = place["text"].as_str().expect("a text");
            let found: Vec<String> = place["highlights"]
                .as_array()
                .expect("an array")
                .iter()
                .map(|range| {
                    let end = |at: usize| {
                        usize::try_from(range[at].as_u64().expect("a position")).expect("small")
                    };
                    cut(text, unit, end(0), end(1))
                })
                .collect();
            assert_eq!(found, expected, "{query} in {unit}");
        }
    }
    assert_eq!(workspace.run(&["retry", "--offsets", "word"]).code, Some(2));
}

/// The part of a text between two positions.
fn cut(text: &str, unit: &str, start: usize, end: usize) -> String {
    match unit {
        "char" => text.chars().skip(start).take(end - start).collect(),
        "byte" => text[start..end].to_owned(),
        _ => {
            let units: Vec<u16> = text.encode_utf16().collect();
            String::from_utf16(&units[start..end]).expect("no half of a pair")
        }
    }
}

#[test]
fn every_format_is_valid_without_hits() {
    let workspace = Workspace::shop();
    for format in ["human", "json", "jsonl", "markdown", "paths", "toon"] {
        let ran = workspace.run(&["chargeback", "--in", "code", "--format", format]);
        assert_eq!(ran.code, Some(1), "{ran:?}");
        match format {
            // Without results, the only line of `jsonl` is still an object.
            "json" | "jsonl" => assert!(ran.json()["absence"]["reasons"][0].is_string()),
            "toon" => {
                let toon: Value = toon_format::decode_strict(&ran.stdout).expect("TOON");
                assert!(toon["absence"]["reasons"][0].is_string());
            }
            "paths" => assert_eq!(ran.stdout, ""),
            _ => assert!(ran.stdout.starts_with("0 of 8 documents match"), "{ran:?}"),
        }
    }
}

#[test]
fn the_paths_of_a_pattern_are_listed_completely() {
    let workspace = Workspace::empty();
    for number in 0..15 {
        workspace.write(&format!("a{number}.md"), "quokka\n");
    }
    for pattern in [["--literal", "quokka"], ["--regex", "quok+a"]] {
        let ran = workspace.run(&[&pattern[..], &["--format", "paths"]].concat());
        assert_eq!(ran.stdout.lines().count(), 15, "{ran:?}");
        let ran = workspace.run(&[&pattern[..], &["--format", "paths", "--limit", "3"]].concat());
        assert_eq!(ran.stdout.lines().count(), 3, "{ran:?}");
    }
}

#[test]
fn an_unknown_format_names_those_of_the_help() {
    let workspace = Workspace::empty();
    let ran = workspace.run(&["search", "quokka", "--format", "xml"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    let listed = "agent, grep, human, json, jsonl, markdown, paths, toon, vimgrep]";
    assert!(ran.stderr.contains(listed), "{ran:?}");
    let help = workspace.run(&["search", "--help"]);
    let named = "agent, grep, human, json, jsonl, markdown, paths, toon or vimgrep";
    assert!(help.stdout.contains(named), "{help:?}");
}
