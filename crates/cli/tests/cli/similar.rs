//! `lore related` and `lore exists`: output, exit codes and errors.

use std::{
    io::Write as _,
    process::{Command, Stdio},
};

use serde_json::Value;

use crate::workspace::{ENVIRONMENT, PROGRAM, Workspace};

const OVEN: &str = "\
/// Heats the oven until it is as hot as the recipe wants it.
pub fn heat_up(oven: &mut Oven, wanted: Degrees) -> Result<Minutes, OvenError> {
    let mut minutes = Minutes::ZERO;
    while oven.temperature() < wanted {
        if minutes > Minutes::LIMIT {
            return Err(OvenError::TooSlow(oven.name().to_owned()));
        }
        oven.burn_for_one_minute();
        minutes = minutes.checked_add(Minutes::ONE).ok_or(OvenError::Overflow)?;
    }
    Ok(minutes)
}
";

fn bakery() -> Workspace {
    let copy = OVEN
        .replace("heat_up", "warm")
        .replace("minutes", "spent")
        .replace("wanted", "target")
        .replace("oven:", "stove:")
        .replace("oven.", "stove.");
    let copy = format!("{copy}\npub fn bake(stove: &mut Oven) {{\n    warm(stove, HOT);\n}}\n");
    Workspace::with(&[
        ("src/oven.rs", OVEN),
        ("src/stove.rs", &copy),
        ("docs/ovens.md", "# Ovens\n\n## Heating\n\nThe oven is heated until it is hot.\n"),
    ])
}

/// Runs `lore exists -` with a text on standard input: exit code and standard output.
fn exists_on_input(
    workspace: &Workspace,
    text: &[u8],
    arguments: &[&str],
) -> (Option<i32>, String) {
    let mut child = Command::new(PROGRAM)
        .args(["exists", "-"])
        .args(arguments)
        .arg("-C")
        .arg(workspace.tree())
        .arg("--cache-dir")
        .arg(workspace.cache())
        .envs(ENVIRONMENT.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    child.stdin.take().expect("a pipe").write_all(text).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn every_format_lists_passages_similar_to_a_line() {
    let workspace = bakery();
    let ran = workspace.run(&["related", "src/oven.rs:4", "--json"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let json = ran.json();
    assert_eq!(json["schema"], 1);
    let subject = &json["subject"];
    assert_eq!(subject["id"], "code:src/oven.rs#heat_up");
    assert_eq!((&subject["startLine"], &subject["endLine"]), (&1.into(), &12.into()));
    let first = &json["results"][0];
    assert_eq!(first["id"], "code:src/stove.rs#warm");
    assert_eq!(first["matchType"], "near-clone");
    assert_eq!(first["score"], first["semanticScore"]);
    assert_eq!(json["receipt"]["semantic"], "embedded");
    assert_eq!(json["receipt"]["fresh"], "verified");

    let ran = workspace.run(&["related", "code:src/oven.rs#heat_up"]);
    assert!(ran.stdout.starts_with("like heat_up (function)  src/oven.rs:1-12\n\n"), "{ran:?}");
    assert!(ran.stdout.contains("warm (function)"), "{ran:?}");
    assert!(ran.stdout.contains("near-clone 0."), "{ran:?}");
    let ran = workspace.run(&["related", "src/oven.rs:4", "--in", "code", "--format", "paths"]);
    assert_eq!(ran.stdout, "src/stove.rs\n", "{ran:?}");
    for format in ["jsonl", "markdown", "toon"] {
        let ran = workspace.run(&["related", "src/oven.rs:4", "--format", format]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert!(ran.stdout.contains("src/stove.rs"), "{ran:?}");
    }
    let heating = ["related", "docs/ovens.md#Heating", "--json", "--min-similarity", "0.1"];
    let ran = workspace.run(&[&heating[..], &["--kind", "function"]].concat());
    assert!(ran.paths().contains(&"src/oven.rs".to_owned()), "{ran:?}");
}

#[test]
fn a_missing_passage_is_an_error_with_similar_names() {
    let workspace = bakery();
    let check = |passage: &str, expected: &str| {
        let ran = workspace.run(&["related", passage]);
        assert_eq!(ran.code, Some(2), "{ran:?}");
        assert!(ran.stdout.is_empty(), "{ran:?}");
        assert!(ran.stderr.contains(expected), "{passage}: {ran:?}");
        assert!(ran.stderr.contains("\nhint: "), "{ran:?}");
    };
    check("src/ovens.rs:3", "hint: similar names: `src/oven.rs`");
    check("src/oven.rs:400", "the file has lines 1 to 12");
    check("src/oven.rs#heat_ups", "hint: similar names: `code:src/oven.rs#heat_up`");
    check("git:0123456789", "`git` has no document with that name");
    check("../oven.rs:3", "it is outside the tree");
    check("", "it is empty");
}

#[test]
fn no_similar_passage_exits_one_with_reasons() {
    let workspace = bakery();
    let arguments = ["related", "src/oven.rs:4", "--exclude", "src/stove.rs", "--in", "code"];
    let ran = workspace.run(&arguments);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stderr.contains("nothing else meets the filter"), "{ran:?}");
    let ran = workspace.run(&[&arguments[..], &["--json"]].concat());
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.json()["absence"].is_object(), "{ran:?}");
}

#[test]
fn the_first_line_states_whether_pasted_code_exists() {
    let workspace = bakery();
    let pasted = OVEN.replace("minutes", "n").replace("wanted", "t").replace("heat_up", "preheat");
    let (code, out) = exists_on_input(&workspace, pasted.as_bytes(), &[]);
    assert_eq!(code, Some(0), "{out}");
    assert!(out.starts_with("yes: 2 near clones in 2 files"), "{out}");
    assert!(out.contains("\nNear clones\n"), "{out}");
    assert!(out.contains("% of the code, "), "{out}");

    let (code, out) = exists_on_input(&workspace, pasted.as_bytes(), &["--json", "--limit", "1"]);
    assert_eq!(code, Some(0), "{out}");
    let json: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!((&json["asked"], &json["verdict"]), (&"code".into(), &"yes".into()));
    assert_eq!((&json["cloneCount"], &json["cloneFiles"]), (&2.into(), &2.into()));
    assert_eq!(json["clones"].as_array().map(Vec::len), Some(1));
    assert!(json["clones"][0]["commonLines"].as_f64().is_some_and(|share| share > 0.6), "{json}");
    assert!(json["summary"].as_str().is_some_and(|text| text.starts_with("yes: ")), "{json}");

    // Bytes that are not text, and no bytes at all.
    let (code, _) = exists_on_input(&workspace, &[0xff, 0x00, 0xfe, b'\n'], &[]);
    assert_eq!(code, Some(2));
    let (code, _) = exists_on_input(&workspace, b" \n", &[]);
    assert_eq!(code, Some(2));
}

#[test]
fn a_description_finds_helpers_with_their_uses() {
    let workspace = bakery();
    let ran = workspace.run(&["exists", "heat", "an", "oven", "--json", "--path", "src/stove.rs"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let json = ran.json();
    assert_eq!(json["asked"], "intent");
    let helper = &json["helpers"][0];
    assert_eq!(helper["id"], "code:src/stove.rs#warm", "{ran:?}");
    assert_eq!(helper["usage"], serde_json::json!({"uses": 1, "files": 1, "perhaps": 0}));

    let ran = workspace.run(&["exists", "publish a podcast episode"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stdout.starts_with("no: nothing like it"), "{ran:?}");
    assert!(
        ran.stderr.contains("no function, method, type or macro matches these words"),
        "{ran:?}"
    );
    let ran = workspace.run(&["exists", "podcast", "--code", "--json"]);
    assert_eq!((ran.code, &ran.json()["asked"]), (Some(1), &"code".into()), "{ran:?}");
    assert_eq!(workspace.run(&["exists", ""]).code, Some(2));
    assert_eq!(workspace.run(&["exists", "x", "--code", "--intent"]).code, Some(2));
}
