//! Users of a server with several repositories: each sees their own, and no trace of others.

use std::{
    fs,
    time::{Duration, Instant},
};

use lore_server::access::token_hash;
use serde_json::{Value, json};

use crate::{
    http::{Served, TOKEN, hello},
    workspace::Workspace,
};

/// A token of a user who may read `shop`, and one of a user who may read `shop` and `vault`.
const ANA: &str = "the token of ana, which is long";
const BEN: &str = "the token of ben, which is long";

/// A word that only the closed repository contains.
const SECRET: &str = "wombatkey";

/// A directory with the repositories `shop` and `bank`, and users.
fn shop() -> Workspace {
    let workspace = Workspace::shop();
    let users = format!(
        "[[user]]\nname = \"ana\"\ntoken_sha256 = \"{}\"\nrepositories = [\"shop\"]\n\
         [[user]]\nname = \"ben\"\ntoken_sha256 = \"{}\"\nrepositories = [\"**\"]\n",
        token_hash(ANA),
        token_hash(BEN)
    );
    let beside = workspace.tree().join("..");
    fs::write(beside.join("users.toml"), users).expect("a new file");
    fs::create_dir_all(beside.join("bank")).expect("a new folder");
    fs::write(beside.join("bank/ledger.rs"), "pub fn book() {}\n").expect("a new file");
    let list = "repositories = [\"bank\", \"shop\"]\n";
    fs::write(beside.join("lorehound.workspace.toml"), list).expect("a new file");
    workspace
}

/// The same, with the closed repository `vault`.
fn with_vault(workspace: Workspace) -> Workspace {
    let beside = workspace.tree().join("..");
    let folder = beside.join("vault/src");
    fs::create_dir_all(&folder).expect("a new folder");
    let text = format!(
        "//! Refunds of the vault: {SECRET}.\n\n/// Retries a refund with the {SECRET}.\n\
         pub fn retry_refund_{SECRET}() {{\n    crate::retry();\n}}\n"
    );
    fs::write(folder.join("refund_vault.rs"), text).expect("a new file");
    let list = "repositories = [\"bank\", \"shop\", \"vault\"]\n";
    fs::write(beside.join("lorehound.workspace.toml"), list).expect("a new file");
    workspace
}

fn serve(workspace: &Workspace, more: &[&str]) -> Served {
    let users = workspace.tree().join("../users.toml").display().to_string();
    let arguments = [&["-W", ".", "--access", &users], more].concat();
    let served = Served::start_with(workspace, Some(TOKEN), &arguments);
    // Until the indexes are complete and written.
    for _ in 0..200 {
        let (status, _, body) = served.get("/api/search?q=refund");
        let is_ready = status == 200 && !body.contains("not searched yet");
        if is_ready && served.get("/in/shop/").2.contains("search?in=tickets\">tickets") {
            return served;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("the indexes are not complete");
}

fn get(served: &Served, token: &str, path: &str) -> (u16, String) {
    let head = format!(
        "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {token}\r\n",
        served.port
    );
    let (status, _, body) = served.request(&head, "");
    (status, body)
}

/// A message of a user's session. `more` has its headers.
fn message(served: &Served, token: &str, more: &str, message: &Value) -> (u16, String, Value) {
    let head = served.head(&format!("Authorization: Bearer {token}\r\n{more}"));
    let (status, head, body) = served.request(&head, &message.to_string());
    let data = body.lines().find_map(|line| {
        let json = line.strip_prefix("data:").unwrap_or(line).trim();
        serde_json::from_str::<Value>(json).ok().filter(Value::is_object)
    });
    (status, head, data.unwrap_or_default())
}

/// Starts a session of a user, and returns the headers of its requests.
fn session(served: &Served, token: &str) -> String {
    let (status, head, _) = message(served, token, "", &hello());
    assert_eq!(status, 200, "{head}");
    let id = head
        .lines()
        .find_map(|line| line.to_lowercase().strip_prefix("mcp-session-id: ").map(str::to_owned));
    let more = format!(
        "Mcp-Session-Id: {}\r\nMCP-Protocol-Version: 2025-11-25\r\n",
        id.expect("a session")
    );
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    assert_eq!(message(served, token, &more, &initialized).0, 202);
    more
}

fn call(served: &Served, token: &str, more: &str, tool: &str, arguments: &Value) -> Value {
    let call = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call",
        "params": {"name": tool, "arguments": arguments}});
    message(served, token, more, &call).2["result"].clone()
}

/// A text without what differs between two runs: times and sizes of indexes.
fn comparable(text: &str) -> String {
    let patterns = [
        r#""elapsed_?[mM]s": ?[0-9.]+"#,
        r"[0-9]+ ms",
        r"[0-9]+ (second|minute|hour)s? ago",
        r#""diskBytes": ?[0-9]+"#,
        r"[0-9.]+ (k|M)?B\b",
        // What was looked at beside the index depends on time.
        r#"(: |,")ignored files, deleted files and other branches were checked only in part[^\\"]*"?"#,
    ];
    patterns.iter().fold(text.to_owned(), |text, pattern| {
        regex::Regex::new(pattern).expect("a pattern").replace_all(&text, "…").into_owned()
    })
}

/// Addresses of every route, with words of the closed repository where there is a text.
fn addresses() -> Vec<String> {
    let word = format!("retry_refund_{SECRET}");
    let mut all: Vec<String> = [
        "/",
        "/help",
        "/search",
        "/robots.txt",
        "/api/openapi.json",
        "/in/shop/",
        "/in/shop/tree/",
        "/in/shop/tree/src",
        "/in/shop/status",
        "/in/shop/help",
        "/in/shop/find",
        "/in/shop/history/src/refund.rs",
        "/in/shop/commit/HEAD",
        "/in/shop/api/status",
        "/in/shop/file/src/refund.rs",
        "/in/shop/raw/logo.png",
        "/in/vault/",
        "/in/vault/tree/",
        "/in/vault/status",
        "/in/vault/file/src/refund_vault.rs",
        "/in/vault/raw/src/refund_vault.rs",
        "/in/vault/history/src/refund_vault.rs",
        "/in/vault/commit/HEAD",
        "/in/vault/find",
        "/in/shop%2F..%2Fvault/",
        "/in/..%2Fvault/",
        "/in/shop/file/../vault/src/refund_vault.rs",
        "/in/shop/file/..%2Fvault%2Fsrc%2Frefund_vault.rs",
        "/in//",
        "/in",
    ]
    .map(str::to_owned)
    .to_vec();
    for query in ["refund", SECRET, &word, "retry a refund"] {
        let query = query.replace(' ', "+");
        for route in ["/search", "/api/search"] {
            for more in ["", "&repo=shop", "&repo=vault", "&repo=*", "&match=literal", "&page=2"] {
                all.push(format!("{route}?q={query}{more}"));
            }
        }
        for name in ["shop", "vault"] {
            for route in [
                "search?q",
                "api/search?q",
                "api/suggest?q",
                "api/files?q",
                "symbol?id",
                "api/symbols?q",
                "api/graph?id",
                "api/record?id",
                "find?path",
                "why?target",
                "api/why?target",
                "record?id",
            ] {
                all.push(format!("/in/{name}/{route}={query}"));
            }
        }
    }
    all
}

/// Calls of every tool, with words of the closed repository where there is a text.
fn calls() -> Vec<(&'static str, Value)> {
    let word = format!("retry_refund_{SECRET}");
    vec![
        ("search", json!({"query": "refund"})),
        ("search", json!({"query": SECRET})),
        ("search", json!({"query": SECRET, "root": "vault"})),
        ("search", json!({"query": SECRET, "match": "literal"})),
        ("search", json!({"query": "refund", "all": true})),
        ("read", json!({"target": "vault/src/refund_vault.rs"})),
        ("read", json!({"target": "../vault/src/refund_vault.rs"})),
        ("read", json!({"target": word})),
        ("trace", json!({"target": word})),
        ("trace", json!({"target": "retry", "root": "vault"})),
        ("trace", json!({"target": "vault/src/refund_vault.rs", "relation": "history"})),
        ("context", json!({"task": format!("change the {SECRET} of a refund")})),
        ("status", json!({})),
    ]
}

/// Everything that the user of one repository gets.
fn answers(served: &Served) -> Vec<(String, u16, String)> {
    let mut answers = Vec::new();
    for address in addresses() {
        let (status, body) = get(served, ANA, &address);
        answers.push((address, status, comparable(&body)));
    }
    let more = session(served, ANA);
    for (tool, arguments) in calls() {
        let text = call(served, ANA, &more, tool, &arguments).to_string();
        answers.push((format!("{tool} {arguments}"), 0, comparable(&text)));
    }
    answers
}

#[test]
fn a_user_sees_no_trace_of_a_closed_repository() {
    let workspace = shop();
    let expected = answers(&serve(&workspace, &[]));
    let workspace = with_vault(workspace);
    let served = serve(&workspace, &[]);
    for (found, expected) in answers(&served).into_iter().zip(expected) {
        assert!(found == expected, "{}: {} {}\n\n{}", found.0, found.1, found.2, expected.2);
    }
    let (_, all) = get(&served, BEN, &format!("/api/search?q={SECRET}"));
    assert!(all.contains("refund_vault.rs"), "the other user finds it: {all}");
    assert_eq!(get(&served, BEN, "/in/vault/file/src/refund_vault.rs").0, 200);
    let all = call(&served, BEN, &session(&served, BEN), "search", &json!({"query": SECRET}));
    assert!(all.to_string().contains("refund_vault.rs"), "{all}");
}

#[test]
fn a_session_and_the_metrics_are_not_those_of_another_user() {
    let workspace = with_vault(shop());
    let served = serve(&workspace, &[]);
    let of_ben = session(&served, BEN);
    let list = json!({"jsonrpc": "2.0", "id": 3, "method": "tools/list"});
    assert_eq!(message(&served, BEN, &of_ben, &list).0, 200);
    for other in [ANA, TOKEN] {
        assert_eq!(message(&served, other, &of_ben, &list).0, 404);
    }
    assert_eq!(message(&served, "the token of another server", &of_ben, &list).0, 401);
    assert_eq!(get(&served, ANA, "/metrics").0, 401);
    assert_eq!(get(&served, BEN, "/metrics").0, 401);
    assert_eq!(served.get("/metrics").0, 200);
    assert_eq!(get(&served, "none", "/healthz"), (200, "ok\n".to_owned()));
}

#[test]
fn a_refusal_takes_as_long_as_an_absence() {
    let workspace = with_vault(shop());
    let served = serve(&workspace, &[]);
    let time = |path: &str| {
        let started = Instant::now();
        assert_eq!(get(&served, ANA, path).0, 404);
        started.elapsed()
    };
    for route in ["", "file/src/refund_vault.rs", "api/search?q=refund", "api/suggest?q=re"] {
        // In turn, so that what else the machine does affects both; and the fastest, which it does not.
        let (mut closed, mut absent) = (Duration::MAX, Duration::MAX);
        for _ in 0..60 {
            closed = closed.min(time(&format!("/in/vault/{route}")));
            absent = absent.min(time(&format!("/in/other/{route}")));
        }
        let noise = closed.max(absent) / 2 + Duration::from_millis(1);
        assert!(closed.abs_diff(absent) < noise, "{route}: {closed:?} and {absent:?}");
    }
}

#[test]
fn the_audit_log_names_users_and_repositories_and_no_query() {
    let workspace = with_vault(shop());
    let path = workspace.tree().join("../audit.jsonl");
    let shown = path.display().to_string();
    let served = serve(&workspace, &["--audit", &shown]);
    get(&served, ANA, &format!("/api/search?q={SECRET}"));
    get(&served, BEN, &format!("/api/search?q={SECRET}"));
    get(&served, ANA, "/in/vault/");
    get(&served, BEN, "/in/vault/raw/logo.png");
    get(&served, "the token of another server", "/");
    let more = session(&served, BEN);
    call(&served, BEN, &more, "search", &json!({"query": SECRET}));
    drop(served);
    let text = fs::read_to_string(&path).expect("a log");
    assert!(!text.contains(SECRET) && !text.contains(ANA), "{text}");
    let lines: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let has = |user: &str, route: &str, status: u64, trees: &Value| {
        lines.iter().any(|line| {
            line["user"] == user && line["route"] == route && line["status"] == status && {
                let mut read: Vec<&str> = line["trees"]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .filter_map(Value::as_str)
                    .collect();
                read.sort_unstable();
                json!(read) == *trees
            }
        })
    };
    assert!(has("ana", "/api/search", 200, &json!(["shop"])), "{text}");
    assert!(has("ben", "/api/search", 200, &json!(["bank", "shop", "vault"])), "{text}");
    assert!(has("ana", "/in/{name}", 404, &json!([])), "{text}");
    assert!(has("ben", "/in/{name}/raw/{*path}", 404, &json!(["vault"])), "{text}");
    assert!(lines.iter().any(|line| line["status"] == 401 && line["user"].is_null()), "{text}");
    assert!(lines.iter().any(|line| line["user"] == "ben" && line["tool"] == "search"), "{text}");
    let served = serve(&workspace, &["--audit", &shown, "--audit-queries"]);
    get(&served, BEN, &format!("/api/search?q={SECRET}"));
    drop(served);
    let longer = fs::read_to_string(&path).expect("a log");
    assert!(longer.starts_with(&text) && longer.contains(SECRET), "lines are appended: {longer}");
}

#[test]
fn invalid_users_are_rejected_at_startup() {
    let workspace = Workspace::shop();
    let users = workspace.tree().join("../users.toml");
    let shown = users.display().to_string();
    fs::write(&users, "[[user]]\nname = \"ana\"\nrepositories = []\n").expect("a new file");
    for (arguments, expected) in [
        (&["serve", "--access", "no/such"][..], "could not read the users in `no/such`"),
        (&["serve", "--access", &shown], "needs `token_sha256` or `token_env`"),
        (&["serve", "--public-url", "lore.example.com"], "could not use the public address"),
        (&["serve", "--audit", "no/such/file"], "could not open the audit log"),
        (&["serve", "--audit-queries"], "--audit"),
    ] {
        let ran = workspace.run(arguments);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{ran:?}");
        assert!(ran.stderr.contains(expected), "{ran:?}");
    }
}

#[test]
fn access_follows_the_names_of_the_whole_workspace() {
    let workspace = Workspace::shop();
    let beside = workspace.tree().join("..");
    for (path, text) in [
        ("a/web/one.rs", "pub fn wombat_one() {}\n"),
        ("b/web/two.rs", "pub fn wombat_two() {}\n"),
        ("lorehound.workspace.toml", "repositories = [\"a/web\", \"b/web\"]\n"),
        (
            "users.toml",
            &format!(
                "[[user]]\nname = \"ana\"\ntoken_sha256 = \"{}\"\nrepositories = [\"web\", \"a/*\"]\n",
                token_hash(ANA)
            ),
        ),
    ] {
        fs::create_dir_all(beside.join(path).parent().expect("a folder")).expect("a new folder");
        fs::write(beside.join(path), text).expect("a new file");
    }
    let users = beside.join("users.toml").display().to_string();
    let served = Served::start_with(&workspace, Some(TOKEN), &["-W", ".", "--access", &users]);
    let is_open = |name: &str| get(&served, ANA, &format!("/in/{name}/")).0 == 200;
    assert_eq!(["a%2Fweb", "b%2Fweb", "web"].map(is_open), [true, false, false]);
    // The other one does not get its name: `web`, which the user may read.
    fs::remove_dir_all(beside.join("a")).expect("a folder");
    assert_eq!(["a%2Fweb", "b%2Fweb", "web"].map(is_open), [false, false, false]);
}

#[test]
fn users_and_repositories_inside_each_other_are_rejected() {
    let workspace = shop();
    let beside = workspace.tree().join("..");
    let list = "repositories = [\"bank\", \"shop\", \"shop/src\"]\n";
    fs::write(beside.join("lorehound.workspace.toml"), list).expect("a new file");
    let users = beside.join("users.toml").display().to_string();
    let ran = workspace.run(&["serve", "-W", ".", "--access", &users]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{ran:?}");
    assert!(ran.stderr.contains("the repository `shop` contains `shop/src`"), "{ran:?}");
    let served = serve(&workspace, &["--repo", "shop", "--repo", "bank"]);
    assert_eq!(get(&served, ANA, "/in/shop/").0, 200);
}

#[test]
fn a_search_over_several_repositories_rejects_what_it_ignored() {
    let workspace = shop();
    let served = serve(&workspace, &[]);
    for (address, expected) in [
        ("/search?q=refund&at=HEAD", "no parameter `at`"),
        ("/api/search?q=refund&at=HEAD", "no parameter `at`"),
        ("/api/search?q=refund&colour=red", "`/api/search` has no parameter `colour`"),
    ] {
        let (status, _, body) = served.get(address);
        assert_eq!(status, 400, "{address}: {body}");
        assert!(body.contains(expected), "{body}");
    }
    assert_eq!(served.get("/api/search?q=refund&repo=shop&in=code").0, 200);
}

#[test]
fn a_new_token_opens_the_server() {
    let workspace = shop();
    let ran = workspace.run(&["access", "token", "cid", "--repo", "sh*"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let (token, table) = ran.stdout.split_once("\n\n").expect("a token and a table");
    assert!(!table.contains(token) && table.contains("name = \"cid\""), "{ran:?}");
    fs::write(workspace.tree().join("../users.toml"), table).expect("a new file");
    let served = serve(&workspace, &[]);
    assert_eq!(get(&served, token, "/in/shop/").0, 200);
    assert_eq!(get(&served, ANA, "/in/shop/").0, 401);
    let refused = workspace.run(&["access", "token", "--repo", "["]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
}

/// A workspace whose settings name the cluster of the tests, and an index of its own.
fn cluster_settings(node: &str, workspace: &Workspace) -> String {
    let settings = workspace.tree().with_file_name("lorehound.toml");
    let index = format!("access-{}", std::process::id());
    fs::write(&settings, format!("[cluster]\nurl = \"{node}\"\nindex = \"{index}\"\n"))
        .expect("a file");
    settings.display().to_string()
}

#[test]
fn a_team_reads_a_cluster_without_clones() {
    let Ok(node) = std::env::var("LORE_OPENSEARCH_URL") else {
        eprintln!("NOT TESTED: `LORE_OPENSEARCH_URL` names no cluster");
        return;
    };
    let workspace = with_vault(shop());
    let settings = cluster_settings(&node, &workspace);
    let run = |arguments: &[&str]| {
        let mut command = workspace.command(arguments);
        command.env("LOREHOUND_CONFIG", &settings);
        let ran = command.output().expect("the program runs");
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    };
    run(&["cluster", "init", "--replicas", "0"]);
    let beside = workspace.tree().join("..").canonicalize().expect("a folder");
    // More than answer a question.
    for number in 0..9 {
        let folder = beside.join(format!("many{number}"));
        fs::create_dir_all(&folder).expect("a new folder");
        let text = format!("/// Common words of numbat{number}.\npub fn numbat{number}() {{}}\n");
        fs::write(folder.join("a.rs"), text).expect("a new file");
    }
    for name in fs::read_dir(&beside).expect("a folder") {
        let name = name.expect("an entry").file_name().into_string().expect("text");
        if ["shop", "vault"].contains(&name.as_str()) || name.starts_with("many") {
            let tree = beside.join(&name).display().to_string();
            run(&["cluster", "ingest", "-C", &tree, "--as", &name]);
        }
    }
    // The server is on another machine.
    let other = Workspace::empty();
    let users = beside.join("users.toml").display().to_string();
    let settings = cluster_settings(&node, &other);
    let arguments = ["--cluster", &node, "--access", &users];
    let served = Served::start_with_settings(&other, TOKEN, &arguments, &settings);
    for address in addresses() {
        let (status, body) = get(&served, ANA, &address);
        assert!(status < 500, "{address}: {body}");
        assert!(!body.contains("Refunds of the vault"), "{address}: {body}");
        assert!(!address.starts_with("/in/vault/") || status == 404, "{address}: {body}");
    }
    let of_ana = session(&served, ANA);
    for (tool, arguments) in calls() {
        let found = call(&served, ANA, &of_ana, tool, &arguments).to_string();
        assert!(!found.contains("Refunds of the vault"), "{tool} {arguments}: {found}");
    }
    let found = call(&served, ANA, &of_ana, "search", &json!({"query": "retry a refund"}));
    assert_eq!(found["structuredContent"]["hits"][0]["path"], "src/refund.rs", "{found}");
    let found = call(&served, ANA, &of_ana, "read", &json!({"target": "src/refund.rs:1-5"}));
    assert_eq!(found["isError"], false, "{found}");

    // Eleven repositories: those with the words are searched.
    let of_ben = session(&served, BEN);
    let found = call(&served, BEN, &of_ben, "search", &json!({"query": SECRET}));
    assert_eq!(
        found["structuredContent"]["hits"][0]["path"], "vault/src/refund_vault.rs",
        "{found}"
    );
    let target = json!({"target": "vault/src/refund_vault.rs"});
    let found = call(&served, BEN, &of_ben, "read", &target).to_string();
    assert!(found.contains("Retries a refund"), "{found}");
    let found = call(&served, BEN, &of_ben, "search", &json!({"query": "numbat7"}));
    assert_eq!(found["structuredContent"]["hits"][0]["path"], "many7/a.rs", "{found}");
    let (_, body) = get(&served, BEN, "/api/search?q=common+words");
    assert!(body.contains("of 11 repositories are searched"), "{body}");
    let (status, body) = get(&served, BEN, "/in/many3/file/a.rs");
    assert!(status == 200 && body.contains("numbat3"), "{body}");
    run(&["cluster", "forget", "many3"]);
    std::thread::sleep(Duration::from_secs(6));
    assert_eq!(get(&served, BEN, "/in/many3/file/a.rs").0, 404);
}
