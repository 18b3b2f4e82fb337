//! Tuning to a repository: shown, applied, taken back, and refused where it may be chance.

use std::{
    fmt::Write,
    fs,
    path::{Path, PathBuf},
};

use crate::workspace::{Ran, Workspace};

/// A dump of commits in which `title` is higher for what is right, and `comments` point the other way,
/// except for some in every ten.
fn dump(commits: usize, misleading: usize) -> String {
    let mut text = String::new();
    for number in 0..commits {
        let candidate = |path: &str, relevant: bool, title: f64, comments: f64| {
            format!(
                r#"{{"path":"{path}","relevant":{},"score":1.0,"signals":{{"title":{title},"comments":{comments}}}}}"#,
                u8::from(relevant)
            )
        };
        let is_misleading = number % 10 < misleading;
        let wrong = candidate("wrong.rs", is_misleading, 0.4, 0.6);
        let right = candidate("right.rs", !is_misleading, 0.6, 0.4);
        writeln!(
            text,
            r#"{{"id":"{number:04}","repo":"shop","targets":1,"candidates":[{wrong},{right}]}}"#
        )
        .expect("a text takes everything");
    }
    text
}

struct Tuning {
    workspace: Workspace,
    folder: tempfile::TempDir,
}

impl Tuning {
    fn start(dump: &str) -> Tuning {
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs::write(folder.path().join("signals.jsonl"), dump).expect("written");
        fs::write(folder.path().join("lorehound.toml"), "# mine\n[search]\nlimit = 7\n")
            .expect("written");
        Tuning { workspace: Workspace::shop(), folder }
    }

    /// Runs the program with settings of its own.
    fn run(&self, arguments: &[&str]) -> Ran {
        let mut command = self.workspace.command(arguments);
        command.env("LOREHOUND_CONFIG", self.folder.path().join("lorehound.toml"));
        Ran::new(&command.output().expect("the program starts"))
    }

    fn tune(&self, more: &[&str]) -> Ran {
        let signals = self.folder.path().join("signals.jsonl").display().to_string();
        self.run(&[&["tune", "--signals", &signals], more].concat())
    }

    /// The files of tuned weights.
    fn files(&self) -> Vec<PathBuf> {
        let Ok(folder) = fs::read_dir(self.folder.path().join("tuned")) else { return Vec::new() };
        folder.map(|entry| entry.expect("an entry").path()).collect()
    }

    /// Where the weight of comments comes from.
    fn origin(&self, tree: &Path) -> Option<String> {
        let ran = self.run(&["config", "--json", "-C", &tree.display().to_string()]);
        let settings = ran.json()["settings"].as_array().expect("an array").clone();
        let of_comments = |one: &&serde_json::Value| one["key"] == "ranking.weights.comments";
        let setting = settings.iter().find(of_comments)?;
        setting["origin"].as_str().map(str::to_owned)
    }
}

#[test]
fn tuned_weights_are_shown_applied_and_taken_back() {
    let tuning = Tuning::start(&dump(40, 0));
    let tree = tuning.workspace.tree();
    let shown = tuning.tune(&[]);
    assert_eq!(shown.code, Some(0), "{shown:?}");
    assert!(shown.stdout.contains("40 better, 0 worse, 0 equal"), "{shown:?}");
    assert!(shown.stdout.ends_with("a gain above chance\n"), "{shown:?}");
    assert_eq!(tuning.files(), Vec::<PathBuf>::new(), "nothing is written unless it is asked for");
    assert_eq!(tuning.origin(&tree), None);

    let applied = tuning.tune(&["--apply"]);
    assert_eq!((applied.code, &applied.stdout), (Some(0), &shown.stdout), "{applied:?}");
    let files = tuning.files();
    assert_eq!(files.len(), 1);
    let text = fs::read_to_string(&files[0]).expect("read");
    assert!(text.starts_with("# Weights for `") && text.contains("\ncomments = "), "{text}");
    assert_eq!(tuning.origin(&tree).as_deref(), Some("tuned"));
    let status = tuning.run(&["status"]);
    assert!(status.stdout.contains("\ntuned  "), "{status:?}");
    // A search ranks by them.
    let weight = || {
        let found = tuning.run(&["search", "refund", "--explain", "--json", "--in", "code"]);
        let json = found.json().to_string();
        let part = json.split(r#""name":"comments""#).nth(1).expect("a part").to_owned();
        part.split_once(r#""weight":"#).expect("a weight").1.chars().take(4).collect::<String>()
    };
    let tuned_weight = weight();
    // Another tree, and whoever has other settings, keeps the built-in ones.
    assert_eq!(tuning.origin(tuning.folder.path()), None);
    assert!(!tuning.workspace.run(&["status"]).stdout.contains("tuned"));
    // Again, it starts from what would hold without.
    let again = tuning.tune(&[]);
    assert_eq!(again.stdout, shown.stdout);
    assert!(again.stderr.contains("tuned earlier are in force"), "{again:?}");

    let reset = tuning.run(&["tune", "--reset"]);
    assert_eq!(reset.code, Some(0), "{reset:?}");
    assert!(!tuning.folder.path().join("tuned").exists());
    assert_eq!(tuning.origin(&tree), None);
    assert_ne!(weight(), tuned_weight);
    let mine = fs::read_to_string(tuning.folder.path().join("lorehound.toml")).expect("read");
    assert_eq!(mine, "# mine\n[search]\nlimit = 7\n");
    let nothing = tuning.run(&["tune", "--reset"]);
    assert_eq!(nothing.code, Some(0), "{nothing:?}");
    assert!(nothing.stderr.contains("no weights are tuned"), "{nothing:?}");
}

#[test]
fn chance_is_refused_unless_it_is_forced() {
    let tuning = Tuning::start(&dump(40, 5));
    let refused = tuning.tune(&["--apply"]);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(refused.stdout.ends_with("no gain above chance\n"), "{refused:?}");
    assert!(refused.stderr.contains("lore tune --apply --force"), "{refused:?}");
    assert!(tuning.files().is_empty());
    let forced = tuning.tune(&["--apply", "--force"]);
    assert_eq!(forced.code, Some(0), "{forced:?}");
    assert_eq!(tuning.files().len(), 1);
}

#[test]
fn weights_of_another_version_cost_no_search() {
    let tuning = Tuning::start(&dump(40, 0));
    assert_eq!(tuning.tune(&["--apply"]).code, Some(0));
    let file = &tuning.files()[0];
    let text = fs::read_to_string(file).expect("read");
    fs::write(file, format!("{text}no-such-signal = 1.5\n[search]\nlimit = 3\n")).expect("written");
    let found = tuning.run(&["search", "refund"]);
    assert_eq!(found.code, Some(0), "{found:?}");
    for key in ["ranking.weights.no-such-signal", "search.limit"] {
        assert!(found.stderr.contains(&format!("left out `{key}`")), "{found:?}");
    }
    fs::write(file, "[ranking.weights]\ncomments = \"much\"\n").expect("written");
    let broken = tuning.run(&["search", "refund"]);
    assert_eq!(broken.code, Some(2), "{broken:?}");
    assert!(broken.stderr.contains(&file.display().to_string()), "{broken:?}");
}

#[test]
fn the_history_is_asked_and_nothing_is_left_behind() {
    let tuning = Tuning::start("");
    // Its commits only add files, so that none asks for one that was there.
    let short = tuning.run(&["tune"]);
    assert_eq!(short.code, Some(2), "{short:?}");
    assert!(short.stderr.contains("no commit of this history asks for something"), "{short:?}");

    let workspace = &tuning.workspace;
    for (path, subject) in [
        ("src/refund.rs", "Refund a customer in whole cents"),
        ("src/gateway.rs", "Retry the gateway when it is late"),
        ("docs/operations.md", "Tell who is on call at night"),
    ] {
        let text = fs::read_to_string(workspace.tree().join(path)).unwrap_or_default();
        workspace.write(path, format!("{text}\n// changed\n"));
        workspace.git("2025-02-01T08:00:00Z", &["add", "--all"]);
        workspace.git("2025-02-01T08:00:00Z", &["commit", "--quiet", "-m", subject]);
    }
    let commits = tuning.run(&["tune", "--commits", "2"]);
    assert_eq!(commits.code, Some(0), "{commits:?}");
    let row = commits.stdout.lines().find(|line| line.starts_with("  shop ")).expect("a row");
    assert_eq!(row.split_whitespace().nth(1), Some("2"), "{commits:?}");
    assert!(tuning.files().is_empty());
    assert!(!workspace.tree().join("lorehound.toml").exists());
    assert!(!workspace.cache().exists(), "the past has an index of its own");
}

#[test]
fn what_stands_in_the_way_is_named() {
    let tuning = Tuning::start("{}\n");
    let no_dump = tuning.tune(&[]);
    assert_eq!(no_dump.code, Some(2), "{no_dump:?}");
    assert!(no_dump.stderr.contains("is no dump of signals"), "{no_dump:?}");
    let no_place = tuning.workspace.run(&["tune", "--reset"]);
    assert_eq!(no_place.code, Some(2), "{no_place:?}");
    assert!(no_place.stderr.contains("LOREHOUND_CONFIG"), "{no_place:?}");
    for wrong in [&["tune", "--force"][..], &["tune", "--reset", "--apply"]] {
        assert_eq!(tuning.run(wrong).code, Some(2), "{wrong:?}");
    }
}
