//! The age of a document that names code, at the hits of a search.

use crate::workspace::Workspace;

#[test]
fn a_document_says_by_how_many_commits_its_code_is_newer() {
    let workspace = Workspace::with(&[
        ("src/oven.rs", "pub fn preheat_oven() {}\n"),
        ("docs/oven.md", "# The oven\n\nCall `preheat_oven` before the loaf goes in.\n"),
        ("docs/loaf.md", "# The loaf\n\nA loaf rests before it goes in.\n"),
    ]);
    let commit = |day: u32, message: &str| {
        let date = format!("2025-01-{day:02}T00:00:00Z");
        workspace.git(&date, &["add", "-A"]);
        workspace.git(&date, &["commit", "--quiet", "-m", message]);
    };
    workspace.git("2025-01-01T00:00:00Z", &["init", "--quiet", "--initial-branch=main"]);
    commit(1, "Add the oven");
    let age = || {
        let answer = workspace.run(&["the loaf goes in", "--json"]).json();
        let hits = answer["results"].as_array().expect("results").clone();
        let extra = hits.iter().flat_map(|hit| hit["extra"].as_array().expect("a list"));
        let lines = extra.filter(|pair| pair["name"] == "older_than_code");
        lines.map(|pair| pair["value"].as_str().expect("a text").to_owned()).collect::<Vec<_>>()
    };
    for day in 2..4 {
        workspace.write("src/oven.rs", format!("pub fn preheat_oven() {{ {day}; }}\n"));
        commit(day, "Change the oven");
    }
    assert_eq!(age(), [""; 0]);
    workspace.write("src/oven.rs", "pub fn preheat_oven() { 4; }\n");
    commit(4, "Change the oven");
    assert_eq!(age(), ["by 3 commits: src/oven.rs"]);
    let shown = workspace.run(&["the loaf goes in"]).stdout;
    assert!(shown.contains("older than its code by 3 commits: src/oven.rs"), "{shown}");
    workspace.write("docs/oven.md", "# The oven\n\nCall `preheat_oven`, then the loaf goes in.\n");
    commit(5, "Describe the oven again");
    assert_eq!(age(), [""; 0]);
}
