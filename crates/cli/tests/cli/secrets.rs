//! No output shows a secret, whatever the query.

use crate::workspace::{Ran, Workspace};

/// An invented token, assembled here so that secret scanners do not report this file.
fn token() -> String {
    format!("gh{}{}", "p_", "x9Kd2Lm8Qw4Rt6Yz1Bv3Nc5Hj7Gf0SaPeUiO")
}

fn password() -> String {
    ["n3v3r", "Say", "m1nd"].concat()
}

fn key_line() -> String {
    "MIIEpAIBAAKCAQEAx7Kd2Lm8Qw4Rt6Yz1Bv3Nc5Hj7Gf0SaPeUiOx7Kd2Lm8Qw4R".to_owned()
}

fn leaky() -> Workspace {
    let workspace = Workspace::empty();
    let (token, password, line) = (token(), password(), key_line());
    let pem = format!("-----{} PRIVATE KEY-----", "BEGIN");
    let end = pem.replace("BEGIN", "END");
    workspace.write(
        "src/gateway.rs",
        format!(
            "/// Opens the gateway with {token}.\npub fn open_gateway(key: &str) {{\n    let token = \
             \"{token}\"; // gateway\n    connect(\"postgres://app:{password}@db/gateway\");\n}}\n"
        ),
    );
    workspace.write("keys/gateway.pem", format!("{pem}\n{line}\n{line}\n{line}\n{end}\n"));
    workspace
        .write("docs/gateway.md", format!("# Gateway {token}\n\nThe gateway wants {token}.\n"));
    workspace.write(
        "specs/gateway/spec.md",
        format!("---\ntitle: Gateway {token}\nstatus: planned\n---\n# Gateway\n\nUses {token}.\n"),
    );
    workspace.write(
        ".beads/issues.jsonl",
        format!(
            "{{\"id\":\"pay-1\",\"title\":\"Gateway {token}\",\"status\":\"open\",\"description\":\
             \"gateway with {token}\"}}\n"
        ),
    );
    let date = "2025-01-16T08:15:00Z";
    workspace.git(date, &["init", "--quiet", "--initial-branch=main"]);
    workspace.git(date, &["add", "."]);
    workspace.git(date, &["commit", "--quiet", "-m", &format!("gateway: use {token}")]);
    workspace
}

fn assert_clean(arguments: &[&str], ran: &Ran) {
    for secret in [token(), password(), key_line()] {
        assert!(!ran.stdout.contains(&secret) && !ran.stderr.contains(&secret), "{arguments:?}");
        // Nor a part of it, as the analyzer would split it.
        let part = &secret[4..12].to_lowercase();
        assert!(!ran.stdout.to_lowercase().contains(part), "{arguments:?}: {}", ran.stdout);
    }
}

#[test]
fn no_command_and_no_format_shows_a_secret() {
    let workspace = leaky();
    let searches: &[&[&str]] = &[
        &["gateway"],
        &["gateway", "--json"],
        &["gateway", "--format", "jsonl"],
        &["gateway", "--format", "toon"],
        &["gateway", "--format", "markdown"],
        &["gateway", "--format", "agent"],
        &["gateway", "--json", "--budget", "2000"],
        &["gateway", "--explain", "--follow-ups", "--json"],
        &["gateway", "--in", "git", "--json"],
        &["gateway", "--in", "tickets,specs,docs", "--json"],
        &["private key", "--json", "--context", "20"],
        &["--regex", "gateway|MII|app:", "--json", "--context", "5"],
        &["--regex", "MII", "--format", "agent"],
        &["--literal", "token", "--json"],
        &["--regex", "gateway", "--in", "git", "--json"],
        &["search", "gateway", "--as", "lean", "--json"],
        &["search", "gateway", "--as", "sage", "--json"],
        &["search", "gateway", "--as", "spex"],
        &["search", "gateway", "--as", "swift", "--json"],
        &["search", "gateway", "--as", "semtree", "--json"],
        &["spec", "gateway", "--json"],
        &["symbol", "open_gateway", "--json"],
        &["file", "gateway", "--json"],
        &["research", "related to open_gateway", "--json"],
        &["context", "fix the gateway token"],
        &["context", "pay-1", "--level", "3"],
        &["related", "src/gateway.rs:3", "--json"],
        &["exists", "open gateway with token", "--json"],
        &["suggest", "gateway"],
        &["suggest", "x9"],
        &["suggest", "gh"],
        &["symbol", "x9kd2", "--json"],
        &["x9kd2", "--json"],
        &["status"],
        &["sources"],
    ];
    for arguments in searches {
        let ran = workspace.run(arguments);
        assert!(ran.code.is_some_and(|code| code <= 1), "{arguments:?}: {ran:?}");
        assert_clean(arguments, &ran);
    }
    let hit = workspace.run(&["open_gateway", "--json", "--in", "code"]).json();
    let text = hit["results"][0].to_string();
    assert!(text.contains("[redacted:github-token]"), "{text}");
    // Line numbers refer to the file, and highlights to the shown text.
    let ran = workspace.run(&["--regex", "// gateway", "--json"]).json();
    let found = &ran["results"][0]["matches"][0];
    assert_eq!(found["lineNumber"], 3);
    assert_eq!(found["text"], "    let token = \"[redacted:github-token]\"; // gateway");
    assert_eq!(found["highlights"].to_string(), "[[43,53]]");
}

#[test]
fn secrets_are_counted_and_shown_on_request() {
    let workspace = leaky();
    assert_eq!(workspace.run(&["index"]).code, Some(0));
    let status = workspace.run(&["status"]);
    assert!(status.stdout.contains("redacted: github-token "), "{status:?}");
    assert!(status.stdout.contains("private-key 1 in 1 document"), "{status:?}");
    let json = workspace.run(&["status", "--json"]).json();
    let code = &json["sources"]["code"]["secrets"];
    assert_eq!(code["github-token"].to_string(), r#"{"documents":1,"secrets":2}"#);
    assert_eq!(code["url-password"].to_string(), r#"{"documents":1,"secrets":1}"#);
    let ran = workspace.run(&["secret:private-key", "--json"]);
    assert_eq!(ran.paths(), ["keys/gateway.pem"], "{ran:?}");
}

#[test]
fn only_the_user_can_disable_redaction() {
    let workspace = leaky();
    let shows = |ran: &Ran| ran.stdout.contains(&token());
    let search = ["open_gateway", "--json", "--in", "code"];
    assert!(!shows(&workspace.run(&search)));
    let mut own = workspace.command(&search);
    own.env("LOREHOUND_PRIVACY_REDACT", "false");
    assert!(shows(&Ran::new(&own.output().expect("it starts"))));
    // The two settings have separate indexes.
    assert!(!shows(&workspace.run(&search)));
    workspace.write("lorehound.toml", "[privacy]\nredact = false\n");
    let ran = workspace.run(&search);
    assert!(!shows(&ran), "{ran:?}");
    assert!(ran.stderr.contains("ignored the setting `privacy.redact`"), "{ran:?}");
}

#[test]
fn the_index_contains_no_secret() {
    let workspace = leaky();
    assert_eq!(workspace.run(&["index"]).code, Some(0));
    let mut folders = vec![workspace.cache()];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("it is ours").flatten() {
            if entry.path().is_dir() {
                folders.push(entry.path());
                continue;
            }
            let bytes = std::fs::read(entry.path()).expect("it is ours");
            files += 1;
            for secret in [token(), token().to_lowercase(), password(), key_line()] {
                let is_there =
                    bytes.windows(secret.len()).any(|window| window == secret.as_bytes());
                assert!(!is_there, "{}", entry.path().display());
            }
        }
    }
    assert!(files > 0);
}
