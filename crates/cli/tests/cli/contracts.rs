//! `--as NAME` from the command line: defaults, streams and exit codes of the replaced systems.

use serde_json::Value;

use crate::workspace::Workspace;

/// Spec nodes of a bakery, two of the same name, and fillers that make words rare.
fn bakery() -> Workspace {
    let node = |title: &str, desc: &str, body: &str| {
        format!("---\ntitle: {title}\nstatus: active\ndesc: {desc}\n---\n# {title}\n\n{body}\n")
    };
    let workspace = Workspace::with(&[
        (".spec/bakery/spec.md", node("Bakery", "Bread, sold warm.", "Opens at six.").as_str()),
        (
            ".spec/bakery/oven/probe/spec.md",
            node("Oven probe", "Measures heat.", "Merging two readings.").as_str(),
        ),
        (
            ".spec/bakery/cellar/probe/spec.md",
            node("Cellar probe", "Measures damp.", "One domain of many.").as_str(),
        ),
        (".spec/bakery/keyboard-nav/spec.md", node("Keyboard nav", "Keys.", "Arrows.").as_str()),
        ("docs/adr/0001-probes.md", "# Probes\n\nStatus: accepted\n\nProbe everything.\n"),
    ]);
    for filler in ["flour", "salt", "water", "yeast", "sugar"] {
        let path = format!(".spec/bakery/{filler}/spec.md");
        workspace.write(&path, node(filler, "An ingredient.", "Bought weekly."));
    }
    workspace
}

fn ids(json: &Value) -> Vec<&str> {
    json.as_array().expect("an array").iter().filter_map(|hit| hit["id"].as_str()).collect()
}

#[test]
fn spex_prints_only_the_array_on_stdout_and_the_timing_on_stderr() {
    let workspace = bakery();
    let ran = workspace.run(&["search", "probe", "--as", "spex", "--json"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.starts_with("[\n"), "{ran:?}");
    let json = ran.json();
    assert_eq!(ids(&json), ["oven_probe", "cellar_probe"], "the shorter one comes first");
    let scores: Vec<f64> =
        json.as_array().expect("an array").iter().filter_map(|hit| hit["score"].as_f64()).collect();
    assert!(scores.windows(2).all(|pair| pair[0] >= pair[1]), "{scores:?}");
    let timing = ran.stderr.trim_end();
    let numbers = timing.strip_prefix("[spec-search] compute ").expect("the timing alone");
    let parts: Vec<&str> = numbers.split(" · ").collect();
    assert!(parts[0].trim_end_matches("ms").parse::<f64>().is_ok(), "{timing}");
    assert_eq!(parts[1], "9 nodes", "{timing}");
    assert!(parts[2].ends_with(" tokens"), "{timing}");
    assert!(!workspace.cache().exists(), "no index is kept");
}

#[test]
fn spex_answers_are_the_same_from_every_command() {
    let workspace = bakery();
    let expected = workspace.run(&["search", "probe", "--as", "spex", "--json"]).stdout;
    for words in [
        &["--as", "spex", "probe", "--json"][..],
        &["spec", "--as", "spex", "probe", "--json"],
        &["search", "probe", "--as", "spex", "--format", "json"],
        &["search", "--as", "spex", "--json", "--limit", "10", "probe"],
    ] {
        assert_eq!(workspace.run(words).stdout, expected, "{words:?}");
    }
    let output = workspace
        .command(&["search", "probe", "--as", "spex", "--json"])
        .current_dir(workspace.tree().join(".spec/bakery"))
        .output()
        .expect("the program starts");
    // Outside a repository, the directory is the tree.
    assert!(!String::from_utf8_lossy(&output.stdout).contains("/bakery/oven"));
    std::fs::create_dir(workspace.tree().join(".git")).expect("the tree is ours");
    let output = workspace
        .command(&["search", "probe", "--as", "spex", "--json"])
        .current_dir(workspace.tree().join(".spec/bakery"))
        .output()
        .expect("the program starts");
    assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
}

#[test]
fn spex_applies_the_limit_and_the_identifier_separator() {
    let workspace = bakery();
    let one = workspace.run(&["search", "probe", "--limit", "1", "--as", "spex", "--json"]);
    assert_eq!(ids(&one.json()), ["oven_probe"]);
    let none = workspace.run(&["search", "probe", "--limit", "0", "--as", "spex"]);
    assert_eq!(none.code, Some(2), "{none:?}");
    for words in [&["search", "--as", "spex"][..], &["spec"], &["spec", "--as", "spex"]] {
        let words = [words, &["oven probe", "--json", "--id-sep", "/", "--limit", "1"]].concat();
        assert_eq!(workspace.run(&words).json()[0]["id"], "oven/probe", "{words:?}");
    }
}

#[test]
fn spex_without_hits_prints_hints() {
    let workspace = bakery();
    for query in ["会话", "how does the it is", "kyeboard"] {
        let ran = workspace.run(&["search", query, "--as", "spex", "--json"]);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "[]\n"), "{ran:?}");
        assert!(ran.stderr.contains("to browse"), "{ran:?}");
        assert_eq!(ran.stderr.contains("translate"), query == "会话", "{ran:?}");
        assert_eq!(ran.stderr.contains("near: Keyboard nav"), query == "kyeboard", "{ran:?}");
    }
    let merge = workspace.run(&["search", "merge", "--as", "spex", "--json"]);
    assert_eq!(ids(&merge.json()), ["oven_probe"]);
    let main = workspace.run(&["search", "main", "--as", "spex", "--json"]);
    assert_eq!(ids(&main.json()), [""; 0], "no word begins so");
}

#[test]
fn flags_of_other_contracts_are_rejected() {
    let workspace = bakery();
    for (words, message) in [
        (&["search", "x", "--id-sep", "/"][..], "`--id-sep` is only for `--as spex`"),
        (&["search", "x", "--as", "spex", "-k", "class"], "`-k` is only for `--as semtree`"),
        (&["search", "x", "--multi-hop"], "`--multi-hop` is only for `--as swift`"),
        (&["search", "x", "--as", "lean", "--alpha", "0.5"], "`--as lean`"),
        (&["search", "x", "-n", "3"], "`-n` is only for `--as semtree` and `--as swift`"),
        (&["search", "x", "--as", "swift", "--semantic-weight", "1.5"], "not a number from 0 to 1"),
        (&["search", "x", "--as", "spex", "--in", "code"], "`--as spex` has no filters"),
        (&["search", "x", "--as", "spex", "--lang", "rust"], "`--as spex` has no filters"),
        (
            &["search", "x", "--as", "spex", "--format", "toon"],
            "there is no format `toon` under `--as spex`",
        ),
        (
            &["search", "x", "--as", "semtree", "-k", "clas"],
            "there is no kind `clas` under `--as semtree`",
        ),
        (&["search", "x", "--as", "spex", "--hops", "1"], "`--as spex` has no filters"),
        (&["search", "x", "--as", "spex", "--tag", "a"], "`--as spex` has no filters"),
        (&["search", "x", "--as", "semtree", "--explain"], "does not support parts of scores"),
        (&["search", "x", "--as", "spex", "--regex"], "`--as spex` does not support patterns"),
        (&["search", "x", "--as", "swift", "-0"], "`--null` is only valid with `--format paths`"),
        (&["symbol", "x", "--as", "spex"], "`--as spex` does not list definitions"),
        (&["search", "", "--as", "swift"], "the query is empty"),
    ] {
        let ran = workspace.run(words);
        assert_eq!(ran.code, Some(2), "{words:?}: {ran:?}");
        assert!(ran.stderr.contains(message), "{words:?}: {ran:?}");
        assert!(ran.stdout.is_empty(), "{words:?}: {ran:?}");
    }
}

/// Logins in Swift, with a test.
fn logins() -> Workspace {
    Workspace::with(&[
        (
            "Sources/Login.swift",
            "/// Checks credentials of a user.\npublic struct Login {\n    /// Opens the door.\n    \
             public func open() -> Bool { true }\n}\n",
        ),
        ("Tests/LoginTests.swift", "func testLogin() {\n    Login().open()\n}\n"),
        ("web/login.ts", "export function login(): void {}\n"),
        ("README.md", "# Doors\n\n## Login\n\nHow a login opens the door.\n"),
    ])
}

#[test]
fn swift_writes_compact_output_without_a_terminal() {
    let workspace = logins();
    let toon = workspace.run(&["search", "--as", "swift", "Login"]);
    assert_eq!(toon.code, Some(0), "{toon:?}");
    assert!(toon.stdout.starts_with("search{q,n,ms}:\n  \"Login\",3,"), "{toon:?}");
    let json = workspace.run(&["search", "--as", "swift", "Login", "--json"]);
    assert_eq!(json.json()["resultCount"], 3);
    let same = workspace.run(&["search", "--as", "swift", "Login", "--format", "json"]);
    assert_eq!(same.paths(), json.paths());
    let by_words =
        workspace.run(&["search", "--as", "swift", "Login", "--json", "--semantic-weight", "0"]);
    let best = &by_words.json()["results"][0];
    assert_eq!(best["path"], "Sources/Login.swift");
    assert_eq!(best["signature"], "public struct Login");
    assert_eq!(best["docComment"], "Checks credentials of a user.");
    for hit in json.json()["results"].as_array().expect("an array") {
        let score = hit["score"].as_f64().expect("a number");
        let percent = hit["relevancePercent"].as_u64().expect("a number");
        assert!((0.0..=1.0).contains(&score) && percent <= 100, "{hit}");
        assert!(hit["language"].is_string(), "{hit}");
    }
}

#[test]
fn swift_accepts_the_flags_of_its_system() {
    let workspace = logins();
    let paths = |words: &[&str]| {
        let words = [&["search", "Login", "--as", "swift", "--json"], words].concat();
        workspace.run(&words).paths()
    };
    // With the published weights, the file with the fewest other words is nearest.
    assert_eq!(paths(&["-l", "1"]), ["web/login.ts"]);
    assert_eq!(paths(&["-l", "1", "--semantic-weight", "0.1"]), ["Sources/Login.swift"]);
    assert_eq!(paths(&["--extensions", "ts"]), ["web/login.ts"]);
    assert_eq!(paths(&["--path-filter", "Tests/**"]), ["Tests/LoginTests.swift"]);
    assert_eq!(paths(&["--extensions", "swift", "--exclude", "Tests"]), ["Sources/Login.swift"]);
    assert_eq!(paths(&["-p", "web"]), ["login.ts"]);
    let ran = workspace.run(&[
        "search",
        "Login",
        "--as",
        "swift",
        "--json",
        "--semantic-weight",
        "0.7",
        "-c",
        "x.toml",
        "--expand-query",
        "--synthesize",
    ]);
    assert_eq!(ran.json()["resultCount"], 3, "{ran:?}");
    for flag in ["--config", "--expand-query", "--synthesize"] {
        assert!(ran.stderr.contains(&format!("`{flag}`")), "{flag}: {ran:?}");
    }
    let none = workspace.run(&["search", "zzyzx", "--as", "swift", "--json"]);
    assert_eq!((none.code, &none.json()["results"]), (Some(1), &Value::Array(Vec::new())));
    assert!(none.stderr.contains("nothing found for `zzyzx`"), "{none:?}");
    // No character is an error or an operator.
    for query in ["?*+^(){}[]|\\:~\"", "(", "NOT", "zz AND", "x:(", "-"] {
        for system in ["swift", "semtree"] {
            let ran = workspace.run(&["search", "--as", system, "--json", "--", query]);
            assert_eq!(ran.code, Some(1), "{query}: {ran:?}");
        }
    }
    assert_eq!(paths(&["--literal", "--extensions", "ts"]), ["web/login.ts"]);
    assert_eq!(paths(&["--literal", "--case-sensitive", "--extensions", "ts"]), [""; 0]);
    assert_eq!(paths(&["-l", "1", "--", "("]), ["web/login.ts"]);
}

#[test]
fn swift_searches_documentation_in_its_own_format() {
    let workspace = logins();
    let ran = workspace.run(&["search", "--as", "swift", "--in", "docs", "opens the door"]);
    assert!(ran.stdout.starts_with("docs_search{q,n}:\n  \"opens the door\",1\n"), "{ran:?}");
    assert!(ran.stdout.contains("snippets[1]{r,rel,p,l,k,bc,lang,tok}:"), "{ran:?}");
    assert!(ran.stdout.contains("content[1]:\n  ---\n"), "{ran:?}");
    // Specs are documentation, too.
    let spec = "# Window\n\n## Requirement: Panes\n\nA pane shuts the window.\n";
    workspace.write("openspec/specs/window/spec.md", spec);
    let ran = workspace.run(&["search", "--as", "swift", "--in", "docs", "pane shuts the window"]);
    assert!(ran.stdout.contains("openspec/specs/window/spec.md"), "{ran:?}");
}

#[test]
fn swift_shows_its_own_kinds() {
    let workspace = Workspace::with(&[(
        "Sources/Store.swift",
        "/// Keeps chunks.\npublic protocol ChunkStore {\n    func keep()\n}\n\n\
         /// Keeps chunks in memory.\npublic actor MemoryStore {\n    func keep() {}\n}\n",
    )]);
    let kinds = |query: &str, kind: &str| -> Vec<String> {
        let ran = workspace.run(&["search", query, "--as", "swift", "--kind", kind, "--json"]);
        let json = ran.json();
        let hits = json["results"].as_array().cloned().unwrap_or_default();
        hits.iter().filter_map(|hit| hit["kind"].as_str().map(str::to_owned)).collect()
    };
    assert_eq!(kinds("ChunkStore", "protocol"), ["protocol"]);
    assert_eq!(kinds("MemoryStore", "actor"), ["actor"]);
    assert_eq!(kinds("ChunkStore", "extension"), [""; 0]);
}

/// Definitions about signing in.
fn accounts() -> Workspace {
    Workspace::with(&[
        (
            "src/auth.py",
            "def authenticate_user(name):\n    \"\"\"Compare credentials with the vault.\"\"\"\n    \
             return True\n\n\nclass AuthToken:\n    \"\"\"A signed token.\"\"\"\n\n    \
             def refresh(self):\n        \"\"\"Ask for new credentials.\"\"\"\n", // prose: data
        ),
        ("src/auth_views/page.py", "def login_view():\n    pass\n"),
        ("src/utils.py", "def hash_password(word):\n    \"\"\"Scramble a word.\"\"\"\n"),
    ])
}

fn rows(json: &Value) -> Vec<(&str, &str)> {
    let rows = json.as_array().expect("an array").iter();
    rows.filter_map(|row| Some((row["name"].as_str()?, row["match_source"].as_str()?))).collect()
}

#[test]
fn semtree_groups_hits_by_score_band() {
    let workspace = accounts();
    let ask = |query: &str, more: &[&str]| {
        let words = [&["search", "--as", "semtree", "--format", "mcp", query], more].concat();
        workspace.run(&words).json()
    };
    assert_eq!(rows(&ask("authenticate_user", &[]))[0], ("authenticate_user", "exact"));
    assert_eq!(rows(&ask("hash_password", &[]))[0], ("hash_password", "exact"));
    let by_words = ask("credentials", &[]);
    let mut found = rows(&by_words);
    found.sort_unstable();
    assert_eq!(found, [("authenticate_user", "fts"), ("refresh", "fts")]);
    assert_eq!(rows(&ask("hash_", &[]))[0].0, "hash_password");
    assert!(!rows(&ask("auth.py-token", &[])).is_empty());
    assert_eq!(rows(&ask("auth", &["-n", "1"])).len(), 1);
    assert_eq!(rows(&ask("auth", &["-k", "class"])), [("AuthToken", "fts")]);
    let scores: Vec<f64> = ask("AuthToken credentials", &[])
        .as_array()
        .expect("an array")
        .iter()
        .filter_map(|row| row["score"].as_f64())
        .collect();
    assert!(2 <= scores.len() && scores.windows(2).all(|pair| pair[0] >= pair[1]), "{scores:?}");
    workspace.write("deploy.yaml", "credentials: vault\n");
    assert_eq!(rows(&ask("credentials", &[])), rows(&by_words), "keys of data are no definitions");
    // Without the preference, an exact name is found by its words.
    let words = ask("authenticate_user", &["--no-prefer-exact"]);
    assert_eq!(rows(&words)[0], ("authenticate_user", "fts"));
    let meaning = ["search", "--as", "semtree", "check a password", "--mode", "semantic"];
    assert_ne!(workspace.run(&meaning).code, Some(2), "without a model, words decide");
    let none = workspace.run(&["search", "--as", "semtree", "xyzzy_42", "--json"]);
    assert_eq!((none.code, none.stdout.as_str()), (Some(1), "[]\n"));
}

#[test]
fn words_that_name_many_definitions_are_no_names_of_semtree() {
    let mut files: Vec<(String, String)> = (0..4)
        .map(|number| (format!("m{number}.py"), format!("settings = load({number})\n")))
        .collect();
    files
        .push(("jobs.py".into(), "class JobPriority:\n    \"\"\"Settings of jobs.\"\"\"\n".into()));
    let files: Vec<(&str, &str)> =
        files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let workspace = Workspace::with(&files);
    let ask = |query: &str| {
        let words = ["search", "--as", "semtree", "--format", "mcp", query];
        workspace.run(&words).json()
    };
    assert_eq!(rows(&ask("settings priority"))[0], ("JobPriority", "fts"));
    assert_eq!(rows(&ask("JobPriority settings"))[0], ("JobPriority", "exact"));
    assert_eq!(rows(&ask("settings"))[0], ("settings", "exact"));
}

#[test]
fn semtree_lists_files_by_path_fragment() {
    let workspace = accounts();
    let list = |fragment: &str| {
        let ran = workspace.run(&["file", fragment, "--as", "semtree", "--json"]);
        let json = ran.json();
        let rows = json.as_array().expect("an array").iter();
        rows.map(|row| format!("{} {}", row["name"].as_str().unwrap_or("?"), row["score"]))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        list("auth"),
        ["authenticate_user 2.0", "AuthToken 2.0", "refresh 2.0", "login_view 2.0"]
    );
    assert_eq!(list("auth_"), ["login_view 2.0"], "`_` is no wildcard");
    assert_eq!(list("a%h"), [""; 0], "`%` is no wildcard");
    let named = workspace.run(&["symbol", "AuthToken", "--as", "semtree", "--json"]);
    assert_eq!(named.json()[0]["name"], "AuthToken");
    assert_eq!(named.json()[0]["score"], 10.0);
}
