//! `lore cluster`, with a real cluster if `LORE_OPENSEARCH_URL` names one.

use std::fs;

use crate::workspace::{Ran, Workspace};

/// Runs with settings of its own.
fn run(workspace: &Workspace, arguments: &[&str]) -> Ran {
    let mut command = workspace.command(arguments);
    command.env("LOREHOUND_CONFIG", workspace.tree().with_file_name("lorehound.toml"));
    Ran::new(&command.output().expect("the program runs"))
}

fn settings(workspace: &Workspace, text: &str) {
    fs::write(workspace.tree().with_file_name("lorehound.toml"), text).expect("a file");
}

#[test]
fn a_cluster_must_be_named_and_answer() {
    let workspace = Workspace::with(&[("a.md", "# wombat\n")]);
    settings(&workspace, "");
    let ran = run(&workspace, &["cluster", "status"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("no cluster is named"), "{ran:?}");
    assert!(ran.stderr.contains("lore config set cluster.url"), "{ran:?}");
    settings(&workspace, "[index]\nbackend = \"opensearch\"\n");
    let ran = run(&workspace, &["wombat"]);
    assert!(ran.stderr.contains("no cluster is named"), "{ran:?}");
    let ran = run(&workspace, &["cluster", "status", "--cluster", "ftp://localhost"]);
    assert!(ran.stderr.contains("starts neither with `http://`"), "{ran:?}");
}

#[test]
fn secrets_stay_in_their_variables() {
    let workspace = Workspace::with(&[("a.md", "# wombat\n")]);
    settings(
        &workspace,
        "[cluster]\nurl = \"http://search.example.com:9200\"\nuser = \"ada\"\npassword_env = \"LORE_TEST_SECRET\"\n",
    );
    let ran = run(&workspace, &["cluster", "status"]);
    assert!(ran.stderr.contains("`LORE_TEST_SECRET`, which is not set"), "{ran:?}");
    let mut command = workspace.command(&["cluster", "status"]);
    command
        .env("LOREHOUND_CONFIG", workspace.tree().with_file_name("lorehound.toml"))
        .env("LORE_TEST_SECRET", "Quokka77");
    let ran = Ran::new(&command.output().expect("the program runs"));
    assert!(ran.stderr.contains("would be sent without encryption"), "{ran:?}");
    assert!(!format!("{ran:?}").contains("Quokka77"), "{ran:?}");
}

#[test]
fn a_project_cannot_name_a_cluster() {
    let workspace = Workspace::with(&[("a.md", "# wombat\n")]);
    workspace.write(
        "lorehound.toml",
        "[cluster]\nurl = \"http://127.0.0.1:1\"\n\n[index]\nbackend = \"opensearch\"\n",
    );
    settings(&workspace, "");
    let ran = run(&workspace, &["wombat", "--format", "paths"]);
    assert_eq!(ran.stdout, "a.md\n", "{ran:?}");
    assert!(ran.stderr.contains("cluster.url"), "{ran:?}");
}

#[test]
fn a_repository_is_ingested_searched_and_forgotten() {
    let Ok(node) = std::env::var("LORE_OPENSEARCH_URL") else {
        eprintln!("NOT TESTED: `LORE_OPENSEARCH_URL` names no cluster");
        return;
    };
    let workspace = Workspace::shop();
    let index = format!("cli-{}", std::process::id());
    let text = format!("[cluster]\nurl = \"{node}\"\nindex = \"{index}\"\n");
    settings(&workspace, &text);
    let ran = run(&workspace, &["cluster", "status"]);
    assert!(ran.stdout.contains("no index; `lore cluster init` creates one"), "{ran:?}");
    let ran = run(&workspace, &["cluster", "init", "--replicas", "0"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let ran = run(&workspace, &["cluster", "ingest", "--as", "store", "--json"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.json()["sources"].to_string().contains("\"code\""), "{ran:?}");
    let ran = run(&workspace, &["cluster", "status", "--json"]);
    let status = ran.json();
    assert_eq!(status["repositories"][0]["name"], "store", "{ran:?}");
    assert_eq!(status["repositories"][0]["sources"][0]["name"], "code", "{ran:?}");
    let local = run(&workspace, &["refund timeout", "--format", "paths"]);
    settings(
        &workspace,
        &format!("{text}repository = \"store\"\n[index]\nbackend = \"opensearch\"\n"),
    );
    let remote = run(&workspace, &["refund timeout", "--format", "paths"]);
    assert_eq!((remote.code, &remote.stdout), (Some(0), &local.stdout), "{remote:?}");
    // Another machine, without the files.
    let other = Workspace::empty();
    settings(&other, &format!("[cluster]\nindex = \"{index}\"\n"));
    let prefixed: Vec<String> = local.stdout.lines().map(|path| format!("store/{path}")).collect();
    let ran = run(&other, &["search", "--cluster", &node, "refund timeout", "--format", "paths"]);
    assert_eq!(ran.stdout.lines().collect::<Vec<_>>(), prefixed, "{ran:?}");
    let ran = run(&other, &["search", "--cluster", &node, "--regex", "fn retry_\\w+", "--json"]);
    assert_eq!(ran.json()["results"][0]["repository"], "store", "{ran:?}");
    assert!(ran.json()["receipt"]["fresh"].as_str().is_some_and(|it| it.starts_with("ingested(")));
    let ran = run(&other, &["symbol", "--cluster", &node, "retry_refund", "--format", "json"]);
    assert!(ran.stdout.contains("store/src/refund.rs"), "{ran:?}");
    let ran = run(&other, &["search", "--cluster", &node, "--repo", "other*", "refund"]);
    assert!(ran.stderr.contains("no repository matches `other*`"), "{ran:?}");
    let ran = run(&other, &["search", "--cluster", &node, "-C", ".", "refund"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    let ran = run(&other, &["search", "--cluster", &node, "--at", "HEAD", "refund"]);
    assert!(ran.stderr.contains("`--at` works in one repository"), "{ran:?}");
    let ran = run(&workspace, &["cluster", "ingest", "--as", "../store"]);
    assert!(ran.stderr.contains("is no name of a repository"), "{ran:?}");
    let ran = run(&workspace, &["cluster", "forget", "store"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let ran = run(&workspace, &["cluster", "forget", "store"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("the cluster has no repository `store`"), "{ran:?}");
}
