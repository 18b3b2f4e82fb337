//! `lore cluster` with the security plugin of OpenSearch: TLS, passwords, roles and document-level security.
//!
//! `LORE_OPENSEARCH_SECURED_URL` names a node of `cargo xtask opensearch start --security`, and
//! `LORE_OPENSEARCH_SECURITY` the folder with `ca.pem` and `credentials` that the command prints.

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{
    workspace::{Ran, Workspace},
    yaml,
};

/// Variable with the password of the user of a test.
const VARIABLE: &str = "LORE_TEST_PASSWORD";

/// Password of the users that tests create.
const PASSWORD: &str = "wombat-Ledger-4417";

/// A node with the security plugin, and an index of its own for each test.
struct Secured {
    url: String,
    authority: PathBuf,
    /// Password of `admin`.
    admin: String,
    index: String,
}

impl Secured {
    /// The node of the environment.
    #[expect(
        clippy::print_stderr,
        reason = "a test that was not run must not look like one that was"
    )]
    fn find(test: &str) -> Option<Secured> {
        let variables = ["LORE_OPENSEARCH_SECURED_URL", "LORE_OPENSEARCH_SECURITY"];
        let [Ok(url), Ok(folder)] = variables.map(std::env::var) else {
            eprintln!("NOT TESTED: `{}` names no cluster", variables[0]);
            return None;
        };
        let folder = Path::new(&folder);
        let credentials = fs::read_to_string(folder.join("credentials")).expect("the passwords");
        let admin = credentials.lines().find_map(|line| line.strip_prefix("admin:"));
        Some(Secured {
            url,
            authority: folder.join("ca.pem"),
            admin: admin.expect("a password of `admin`").to_owned(),
            index: format!("secured-{test}-{}", std::process::id()),
        })
    }

    /// Sends a request. The password is not an argument, which every user of the machine could read.
    fn send(&self, user: &str, method: &str, path: &str, body: &Value) -> Value {
        let password = if user == "admin" { &self.admin } else { PASSWORD };
        let mut curl = Command::new("curl")
            .args(["--silent", "--show-error", "--config", "-", "--request", method])
            .args(["--header", "Content-Type: application/json", "--data", &body.to_string()])
            .arg("--cacert")
            .arg(&self.authority)
            .arg(format!("{}/{path}", self.url))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("curl");
        let settings = format!("user = \"{user}:{password}\"\n");
        let mut input = curl.stdin.take().expect("an input");
        input.write_all(settings.as_bytes()).expect("the settings of curl");
        drop(input);
        let output = curl.wait_with_output().expect("curl");
        assert!(output.status.success(), "{output:?}");
        serde_json::from_slice(&output.stdout).unwrap_or(Value::Null)
    }

    /// Creates a user with one role of `deploy/opensearch/roles.yml`, for the index of this test. Returns its name.
    fn create_user(&self, role: &str, condition: Option<&Value>) -> String {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/opensearch/roles.yml");
        let roles = yaml::documents(&fs::read_to_string(file).expect("the roles")).expect("YAML");
        let mut description = roles[0][role].clone();
        for permission in description["index_permissions"].as_array_mut().expect("permissions") {
            let patterns = &mut permission["index_patterns"];
            if *patterns == json!(["lorehound", "lorehound-format-*"]) {
                *patterns = json!([self.index, format!("{}-format-*", self.index)]);
                if let Some(condition) = condition {
                    permission["dls"] = json!(condition.to_string());
                }
            }
        }
        let limited = if condition.is_some() { "-limited" } else { "" };
        let name = format!("{}-{role}{limited}", self.index);
        let answer = self.send(
            "admin",
            "PUT",
            &format!("_plugins/_security/api/roles/{name}"),
            &description,
        );
        assert_eq!(answer["status"], "CREATED", "{answer}");
        let user = json!({"password": PASSWORD, "opendistro_security_roles": [name]});
        let answer = self.send(
            "admin",
            "PUT",
            &format!("_plugins/_security/api/internalusers/{name}"),
            &user,
        );
        assert_eq!(answer["status"], "CREATED", "{answer}");
        name
    }

    /// Runs `lore` in the tree as a user. No output may contain a password.
    fn run(&self, workspace: &Workspace, user: &str, more: &str, arguments: &[&str]) -> Ran {
        let password = if user == "admin" { &self.admin } else { PASSWORD };
        self.run_with(workspace, user, password, &self.authority, more, arguments)
    }

    fn run_with(
        &self,
        workspace: &Workspace,
        user: &str,
        password: &str,
        authority: &Path,
        more: &str,
        arguments: &[&str],
    ) -> Ran {
        let settings = workspace.tree().with_file_name("lorehound.toml");
        let text = format!(
            "[cluster]\nurl = \"{}\"\nindex = \"{}\"\nuser = \"{user}\"\npassword_env = \"{VARIABLE}\"\nca = \"{}\"\n{more}",
            self.url,
            self.index,
            authority.display()
        );
        fs::write(&settings, text).expect("a file");
        let mut command = workspace.command(arguments);
        command.env("LOREHOUND_CONFIG", settings).env(VARIABLE, password);
        let ran = Ran::new(&command.output().expect("the program runs"));
        assert!(!format!("{ran:?}").contains(password), "{ran:?}");
        ran
    }

    /// Number of rows of a repository that a user can read.
    fn rows(&self, user: &str, repository: &str) -> u64 {
        self.send("admin", "POST", &format!("{}/_refresh", self.index), &json!({}));
        let query = json!({"query": {"prefix": {"key": format!("{repository}/")}}});
        let answer = self.send(user, "POST", &format!("{}/_count", self.index), &query);
        answer["count"].as_u64().unwrap_or(u64::MAX)
    }
}

/// Names of the repositories that `lore cluster status` lists.
fn listed(ran: &Ran) -> Vec<String> {
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let status = ran.json();
    let repositories = status["repositories"].as_array().into_iter().flatten();
    repositories.filter_map(|it| it["name"].as_str().map(str::to_owned)).collect()
}

const IN_STORE: &str = "repository = \"store\"\n[index]\nbackend = \"opensearch\"\n";

#[test]
fn wrong_passwords_and_authorities_have_a_hint() {
    let Some(node) = Secured::find("trust") else { return };
    let workspace = Workspace::with(&[("a.md", "# wombat\n")]);
    let ran = node.run(&workspace, "admin", "", &["cluster", "status"]);
    assert!(ran.stdout.contains("no index; `lore cluster init` creates one"), "{ran:?}");
    let status = ["cluster", "status"];
    let ran = node.run_with(&workspace, "admin", "wrong-Secret-1", &node.authority, "", &status);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("does not accept the user or the secret"), "{ran:?}");
    assert!(ran.stderr.contains("hint: check `cluster.user`"), "{ran:?}");
    // Another certificate than that of the authority. It is not tried again.
    let other = node.authority.with_file_name("admin.pem");
    let began = Instant::now();
    let ran = node.run_with(&workspace, "admin", &node.admin, &other, "", &status);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("certificate"), "{ran:?}");
    assert!(
        ran.stderr.contains("hint: name the certificate of the cluster's authority"),
        "{ran:?}"
    );
    assert!(began.elapsed() < Duration::from_secs(4), "{:?}", began.elapsed());
    // The plugin of OpenSearch 3.4 has no API keys: a key is refused like a wrong password.
    let settings = workspace.tree().with_file_name("lorehound.toml");
    let text = format!(
        "[cluster]\nurl = \"{}\"\nkey_env = \"{VARIABLE}\"\nca = \"{}\"\n",
        node.url,
        node.authority.display()
    );
    fs::write(&settings, text).expect("a file");
    let mut command = workspace.command(&status);
    command.env("LOREHOUND_CONFIG", settings).env(VARIABLE, PASSWORD);
    let ran = Ran::new(&command.output().expect("the program runs"));
    assert!(ran.stderr.contains("does not accept the user or the secret"), "{ran:?}");
    assert!(!format!("{ran:?}").contains(PASSWORD), "{ran:?}");
}

#[test]
fn roles_of_the_deployment_have_the_permissions_that_their_commands_need() {
    let Some(node) = Secured::find("roles") else { return };
    let [setup, ingest, search] = ["lorehound_setup", "lorehound_ingest", "lorehound_search"]
        .map(|role| node.create_user(role, None));
    let workspace = Workspace::shop();
    let run = |user: &str, more: &str, arguments: &[&str]| {
        let ran = node.run(&workspace, user, more, arguments);
        assert_eq!(ran.code, Some(0), "{user}: {arguments:?}: {ran:?}");
        assert!(!ran.stderr.contains("warning"), "{user}: {arguments:?}: {ran:?}");
        ran
    };
    run(&setup, "", &["cluster", "init", "--replicas", "0"]);
    run(&setup, "", &["cluster", "init"]);
    assert_eq!(listed(&run(&setup, "", &["cluster", "status", "--json"])), [""; 0]);
    run(&ingest, "", &["cluster", "ingest", "--as", "store"]);
    run(&ingest, "", &["cluster", "ingest", "--as", "other"]);
    workspace.write("docs/new.md", "# The wombat ledger\n");
    run(&ingest, "", &["cluster", "ingest", "--as", "store"]);
    run(&ingest, "", &["cluster", "ingest", "--as", "store", "--rebuild"]);
    let status = ["cluster", "status", "--json"];
    assert_eq!(listed(&run(&ingest, "", &status)), ["other", "store"]);
    assert_eq!(listed(&run(&search, "", &status)), ["other", "store"]);
    let question = ["refund timeout", "--format", "paths"];
    let expected = run("admin", IN_STORE, &question);
    assert_eq!(run(&search, IN_STORE, &question).stdout, expected.stdout);
    let ran = run(&search, IN_STORE, &["doctor"]);
    assert!(ran.stdout.contains("the index of `code` is sound"), "{ran:?}");
    // Points in time are closed, not left to end by themselves.
    let stats = node.send("admin", "GET", "_nodes/stats/indices/search", &json!({}));
    let nodes = stats["nodes"].as_object().into_iter().flat_map(|nodes| nodes.values());
    let open: u64 =
        nodes.filter_map(|it| it["indices"]["search"]["point_in_time_current"].as_u64()).sum();
    assert!(open < 100, "{open} open points in time");

    let ran = node.run(&workspace, &search, "", &["cluster", "ingest", "--as", "third"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("no permissions for [indices:data/write/index]"), "{ran:?}");
    assert!(ran.stderr.contains("hint: give the user a role with this permission"), "{ran:?}");
    let ran = node.run(&workspace, &search, "", &["cluster", "forget", "other"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    run(&ingest, "", &["cluster", "forget", "other"]);
    assert_eq!(listed(&run(&search, "", &status)), ["store"]);
    // The cluster deletes the rows after its answer; a state without rows stays for each source.
    let ends = Instant::now() + Duration::from_secs(30);
    while node.rows("admin", "other") > 10 {
        assert!(Instant::now() < ends, "{} rows", node.rows("admin", "other"));
        thread::sleep(Duration::from_millis(300));
    }
    node.send("admin", "DELETE", &format!("{}-format-2", node.index), &json!({}));
}

#[test]
fn document_level_security_limits_a_user_to_repositories() {
    let Some(node) = Secured::find("limits") else { return };
    let condition = json!({"prefix": {"key": "store/"}});
    let search = node.create_user("lorehound_search", Some(&condition));
    let ingest = node.create_user("lorehound_ingest", None);
    let store = Workspace::shop();
    let other = Workspace::with(&[("a.md", "# wombat\n\nA refund of the wombat ledger.\n")]);
    for (workspace, arguments) in [
        (&store, &["cluster", "init", "--replicas", "0"]),
        (&store, &["cluster", "ingest", "--as", "store"]),
        (&other, &["cluster", "ingest", "--as", "other"]),
    ] {
        let ran = node.run(workspace, "admin", "", arguments);
        assert_eq!(ran.code, Some(0), "{ran:?}");
    }
    let status = ["cluster", "status", "--json"];
    assert_eq!(listed(&node.run(&store, "admin", "", &status)), ["other", "store"]);
    assert_eq!(listed(&node.run(&store, &search, "", &status)), ["store"]);
    assert_eq!(node.rows(&search, "other"), 0);
    assert_eq!(node.rows(&search, "store"), node.rows("admin", "store"));
    // The plugin loses the names of the parts of a query, and changes scores: answers must be the same.
    let questions: [&[&str]; 5] = [
        &["refund timeout", "--format", "paths"],
        &["where is a refund retried", "--format", "paths"],
        &["refund", "--mode", "lexical", "--format", "paths"],
        &["money back after a late answer", "--mode", "semantic", "--format", "paths"],
        &["refund timeout", "--kind", "function", "--in", "code", "--format", "paths"],
    ];
    for question in questions {
        let expected = node.run(&store, "admin", IN_STORE, question);
        assert!(!expected.stdout.is_empty(), "{question:?}: {expected:?}");
        let ran = node.run(&store, &search, IN_STORE, question);
        assert_eq!(
            (ran.code, &ran.stdout),
            (expected.code, &expected.stdout),
            "{question:?}: {ran:?}"
        );
        assert!(!ran.stderr.contains("warning"), "{question:?}: {ran:?}");
    }
    // A limited user must not write: it would not see what it replaces.
    let ran = node.run(&other, &search, "", &["cluster", "ingest", "--as", "other"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    let ran = node.run(&other, &ingest, "", &["cluster", "ingest", "--as", "other"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    node.send("admin", "DELETE", &format!("{}-format-2", node.index), &json!({}));
}

#[test]
fn a_snapshot_restores_the_answers() {
    let Some(node) = Secured::find("snapshot") else { return };
    let workspace = Workspace::shop();
    let run = |arguments: &[&str]| {
        let ran = node.run(&workspace, "admin", IN_STORE, arguments);
        assert_eq!(ran.code, Some(0), "{arguments:?}: {ran:?}");
        ran.stdout
    };
    run(&["cluster", "init", "--replicas", "0"]);
    run(&["cluster", "ingest", "--as", "store"]);
    let question = ["refund timeout", "--format", "json"];
    let hits = |answer: &str| {
        let answer: Value = serde_json::from_str(answer).expect("an answer");
        answer["results"].clone()
    };
    let before = hits(&run(&question));
    let index = format!("{}-format-2", node.index);
    let repository = format!("_snapshot/{}", node.index);
    let place = json!({"type": "fs", "settings": {"location": node.index}});
    let answer = node.send("admin", "PUT", &repository, &place);
    assert_eq!(answer["acknowledged"], true, "{answer}");
    let description = json!({"indices": index, "include_global_state": false});
    let path = format!("{repository}/first?wait_for_completion=true");
    let answer = node.send("admin", "PUT", &path, &description);
    assert_eq!(answer["snapshot"]["state"], "SUCCESS", "{answer}");
    node.send("admin", "DELETE", &index, &json!({}));
    let ran = node.run(&workspace, "admin", "", &["cluster", "status"]);
    assert!(ran.stdout.contains("no index"), "{ran:?}");
    let path = format!("{repository}/first/_restore?wait_for_completion=true");
    let answer = node.send("admin", "POST", &path, &json!({"indices": index}));
    assert_eq!(answer["snapshot"]["shards"]["failed"], 0, "{answer}");
    assert_eq!(
        listed(&node.run(&workspace, "admin", "", &["cluster", "status", "--json"])),
        ["store"]
    );
    assert_eq!(hits(&run(&question)), before);
    node.send("admin", "DELETE", &index, &json!({}));
    node.send("admin", "DELETE", &format!("{repository}/first"), &json!({}));
    node.send("admin", "DELETE", &repository, &json!({}));
}
