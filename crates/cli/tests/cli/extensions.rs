//! Additions to a search: expansions, follow-up queries, and the user's own programs.

use serde_json::json;

use crate::workspace::Workspace;

/// One file with a word, and one with another word of its group.
fn workspace() -> Workspace {
    Workspace::with(&[
        ("docs/a.md", "# First\n\nHow customers delete a record here.\n"),
        ("docs/b.md", "# Second\n\nHow customers purge a record here.\n"),
        (
            "src/store.rs",
            "use crate::check::check_record;\npub struct Store;\nimpl Store {\n    /// Saves.\n    pub fn save_record(&self) { check_record() }\n}\n",
        ),
        ("src/check.rs", "/// Is it whole?\npub fn check_record() {}\n"),
        ("src/lib.rs", "mod check;\nmod store;\n"),
    ])
}

#[test]
fn expansions_are_opt_in_and_rank_lower() {
    let workspace = workspace();
    assert_eq!(workspace.run(&["purge", "--json"]).paths(), ["docs/b.md"]);
    assert_eq!(workspace.run(&["purge", "--json"]).json()["receipt"]["expanded"], json!([]));
    let ran = workspace.run(&["purge", "--expand", "--json"]);
    assert_eq!(ran.paths(), ["docs/b.md", "docs/a.md"]);
    let expanded = &ran.json()["receipt"]["expanded"];
    assert_eq!(
        *expanded,
        json!([{ "word": "purge", "added": ["delete", "remove", "erase", "discard"] }])
    );
    let human = workspace.run(&["purge", "--expand"]);
    assert!(
        human.stderr.contains("`purge` also finds delete, remove, erase, discard"),
        "{human:?}"
    );
    // Additional words never remove hits.
    let plain = workspace.run(&["delete record", "--json"]).paths();
    let more = workspace.run(&["delete record", "--expand", "--json"]).paths();
    assert!(plain.iter().all(|path| more.contains(path)), "{plain:?} in {more:?}");
    // An answer is still empty if the expansions do not occur either.
    let ran = workspace.run(&["terminate", "--expand"]);
    assert_eq!(ran.code, Some(1));
}

#[test]
fn follow_ups_are_opt_in() {
    let workspace = workspace();
    let ran = workspace.run(&["save_record", "--json"]);
    assert_eq!(ran.json()["followUps"], json!([]));
    let ran = workspace.run(&["save_record", "--json", "--follow-ups"]);
    assert_eq!(
        ran.json()["followUps"],
        json!([
            { "query": "callers of save_record", "category": "callers" },
            { "query": "check_record", "category": "neighbour" },
            { "query": "Store", "category": "container" },
            { "query": "save_record test", "category": "tests" },
            { "query": "why save_record", "category": "reasons" },
        ])
    );
    let human = workspace.run(&["save_record", "--follow-ups"]);
    assert!(human.stdout.ends_with("  why save_record\n"), "{human:?}");
    assert!(!workspace.run(&["save_record"]).stdout.contains("suggested queries"));
}

#[test]
fn a_project_cannot_name_a_program() {
    let workspace = workspace();
    for key in ["expand-cmd", "rerank-cmd"] {
        workspace.write("lorehound.toml", format!("[search]\n{key} = \"touch evil\"\n"));
        let ran = workspace.run(&["purge"]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert!(ran.stderr.contains("warning: ignored the setting `search."), "{ran:?}");
        assert!(ran.stderr.contains("the authors of the repository wrote the project's"));
        assert!(!workspace.tree().join("evil").exists());
    }
}

#[cfg(unix)]
mod programs {
    use super::*;
    use crate::workspace::Ran;

    /// Runs a search with a program that is a script.
    fn with(workspace: &Workspace, flag: &str, script: &str, arguments: &[&str]) -> Ran {
        let script = format!("/bin/sh -c '{script}'");
        workspace.run(&[&["--json", flag, script.as_str()], arguments].concat())
    }

    #[test]
    fn a_program_adds_words_to_the_query() {
        let workspace = workspace();
        // The program receives the query and its words.
        let script = r#"grep -q "\"words\"" && echo "{\"add\": {\"erase\": [\"purge\"]}}""#;
        let ran = with(&workspace, "--expand-cmd", script, &["erase"]);
        assert_eq!(ran.paths(), ["docs/b.md"], "{ran:?}");
        assert_eq!(ran.json()["warnings"], json!([]));
        assert_eq!(
            ran.json()["receipt"]["expanded"],
            json!([{ "word": "erase", "added": ["purge"] }])
        );
        for script in ["echo garbage", "exit 1", "echo {}", r#"echo "{\"add\":{\"x\":[]}}""#] {
            let ran = with(&workspace, "--expand-cmd", script, &["purge"]);
            assert_eq!(ran.paths(), ["docs/b.md"], "{script}");
            let warnings = ran.json()["warnings"].to_string();
            assert!(warnings.contains("program of `search.expand-cmd` failed"), "{warnings}");
        }
    }

    #[test]
    fn a_program_reorders_hits_but_cannot_add_any() {
        let workspace = workspace();
        let plain = workspace.run(&["customers", "record", "--in", "docs", "--json"]);
        let ids: Vec<String> = plain.json()["results"]
            .as_array()
            .expect("an array")
            .iter()
            .filter_map(|hit| hit["id"].as_str().map(str::to_owned))
            .collect();
        assert_eq!(ids.len(), 2, "{plain:?}");
        let reordered = |order: &str| {
            let script = format!(r#"echo "{{\"order\": [{}]}}""#, order.replace('"', r#"\""#));
            with(&workspace, "--rerank-cmd", &script, &["customers", "record", "--in", "docs"])
        };
        let ran = reordered(&format!(r#""{}""#, ids[1]));
        let results = ran.json()["results"].clone();
        assert_eq!(results[0]["id"], json!(ids[1]), "{ran:?}");
        assert_eq!(results[1]["id"], json!(ids[0]));
        assert_eq!((&results[0]["rank"], &results[1]["rank"]), (&json!(1), &json!(2)));
        assert_eq!(ran.json()["warnings"], json!([]));
        for order in [r#""code:src/store.rs""#.to_owned(), format!(r#""{0}", "{0}""#, ids[1])] {
            let ran = reordered(&order);
            assert_eq!(ran.paths(), plain.paths(), "{order}");
            let warnings = ran.json()["warnings"].to_string();
            assert!(warnings.contains("the order is unchanged"), "{warnings}");
        }
    }

    #[test]
    fn a_slow_program_is_stopped() {
        let workspace = workspace();
        let ran = workspace
            .command(&[
                "purge",
                "--json",
                "--rerank-cmd",
                "/bin/sleep 60",
                "--expand-cmd",
                "sleep 60",
            ])
            .env("LOREHOUND_SEARCH_COMMAND_TIMEOUT", "30")
            .output()
            .expect("it starts");
        let text = String::from_utf8_lossy(&ran.stdout);
        assert!(text.contains("docs/b.md"), "{text}");
        assert!(text.contains("it took longer than 30 ms"), "{text}");
    }
}
