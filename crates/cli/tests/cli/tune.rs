//! `lore tune`: weights are shown, applied and reset, and rejected if the gain may be chance.

use std::{
    fmt::Write,
    fs,
    path::{Path, PathBuf},
};

use crate::workspace::{Ran, Workspace};

/// A dump of commits in which `title` is higher and `comments` lower for right results, except for some
/// of every ten.
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

    /// Runs `lore` with its own settings.
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

    /// Origin of the weight of comments.
    fn origin(&self, tree: &Path) -> Option<String> {
        let ran = self.run(&["config", "--json", "-C", &tree.display().to_string()]);
        let settings = ran.json()["settings"].as_array().expect("an array").clone();
        let of_comments = |row: &&serde_json::Value| row["key"] == "ranking.weights.comments";
        let setting = settings.iter().find(of_comments)?;
        setting["origin"].as_str().map(str::to_owned)
    }
}

#[test]
fn tuned_weights_are_shown_applied_and_reset() {
    let tuning = Tuning::start(&dump(40, 0));
    let tree = tuning.workspace.tree();
    let shown = tuning.tune(&[]);
    assert_eq!(shown.code, Some(0), "{shown:?}");
    assert!(shown.stdout.contains("40 better, 0 worse, 0 equal"), "{shown:?}");
    assert!(shown.stdout.ends_with("a gain above chance\n"), "{shown:?}");
    assert_eq!(tuning.files(), Vec::<PathBuf>::new(), "nothing is written without --apply");
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
    // A search uses the tuned weights.
    let weight = || {
        let found = tuning.run(&["search", "refund", "--explain", "--json", "--in", "code"]);
        let json = found.json().to_string();
        let part = json.split(r#""name":"comments""#).nth(1).expect("a part").to_owned();
        part.split_once(r#""weight":"#).expect("a weight").1.chars().take(4).collect::<String>()
    };
    let tuned_weight = weight();
    // Other trees and other users keep the built-in weights.
    assert_eq!(tuning.origin(tuning.folder.path()), None);
    assert!(!tuning.workspace.run(&["status"]).stdout.contains("tuned"));
    // A second run starts from the weights without tuning.
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
fn insignificant_results_need_force() {
    let tuning = Tuning::start(&dump(40, 5));
    let refused = tuning.tune(&["--apply"]);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(refused.stdout.ends_with("no gain above chance\n"), "{refused:?}");
    let signals = tuning.folder.path().join("signals.jsonl").display().to_string();
    let command = ["tune", "--signals", &signals, "--apply", "--force"];
    assert_eq!(pasted(&refused.stderr, "lore tune"), command);
    assert!(tuning.files().is_empty());
    let forced = tuning.tune(&["--apply", "--force"]);
    assert_eq!(forced.code, Some(0), "{forced:?}");
    assert_eq!(tuning.files().len(), 1);
}

#[test]
fn unknown_tuned_weights_are_ignored() {
    let tuning = Tuning::start(&dump(40, 0));
    assert_eq!(tuning.tune(&["--apply"]).code, Some(0));
    let file = &tuning.files()[0];
    let text = fs::read_to_string(file).expect("read");
    fs::write(file, format!("{text}no-such-signal = 1.5\n[search]\nlimit = 3\n")).expect("written");
    let found = tuning.run(&["search", "refund"]);
    assert_eq!(found.code, Some(0), "{found:?}");
    for key in ["ranking.weights.no-such-signal", "search.limit"] {
        assert!(found.stderr.contains(&format!("ignored `{key}`")), "{found:?}");
    }
    fs::write(file, "[ranking.weights]\ncomments = \"much\"\n").expect("written");
    let broken = tuning.run(&["search", "refund"]);
    assert_eq!(broken.code, Some(2), "{broken:?}");
    assert!(broken.stderr.contains(&file.display().to_string()), "{broken:?}");
}

#[test]
fn tuning_searches_the_history_and_leaves_no_files() {
    let tuning = Tuning::start("");
    // Its commits only add files, so none of them can find an existing file.
    let short = tuning.run(&["tune"]);
    assert_eq!(short.code, Some(2), "{short:?}");
    assert!(short.stderr.contains("no commit of this history is suitable as a query"), "{short:?}");

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
    assert!(!workspace.cache().exists(), "the earlier trees have a separate index");
}

#[test]
fn obstacles_are_named() {
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

/// The `lore` command in a hint, split as a shell does: the last text in backquotes that contains
/// `lore`.
fn pasted(stderr: &str, command: &str) -> Vec<String> {
    let start = stderr.find(&format!("`{command}")).unwrap_or_else(|| panic!("{stderr}")) + 1;
    let text = stderr[start..].split('`').next().expect("its end");
    assert!(!text.contains('\''), "no word of the test needs quotes: {text}");
    text.split(' ').skip(1).map(str::to_owned).collect()
}

#[test]
fn a_broken_file_can_be_reset() {
    let tuning = Tuning::start(&dump(40, 0));
    let tree = tuning.workspace.tree();
    for broken in ["[ranking.weights]\ncomments = \"much\"\n", "no TOML", "unknown = 1\n"] {
        assert_eq!(tuning.tune(&["--apply"]).code, Some(0));
        fs::write(&tuning.files()[0], broken).expect("written");
        let search = tuning.run(&["search", "refund"]);
        assert_eq!(search.code, Some(2), "{search:?}");
        assert!(search.stderr.contains("hint: delete the tuned weights"), "{search:?}");
        let command = pasted(&search.stderr, "lore tune");
        assert_eq!(command, ["tune", "--reset"]);
        // Outside the tree, the hint names it.
        let mut elsewhere = tuning.workspace.command(&["search", "refund", "-C"]);
        elsewhere
            .arg(&tree)
            .current_dir(tuning.folder.path())
            .env("LOREHOUND_CONFIG", tuning.folder.path().join("lorehound.toml"));
        let elsewhere = Ran::new(&elsewhere.output().expect("the program starts"));
        let command = pasted(&elsewhere.stderr, "lore tune");
        assert_eq!(command[..2], ["tune", "-C"], "{elsewhere:?}");

        let command: Vec<&str> = command.iter().map(String::as_str).collect();
        let reset = tuning.run(&command);
        assert_eq!(reset.code, Some(0), "{reset:?}");
        assert!(tuning.files().is_empty());
        assert_eq!(tuning.run(&["search", "refund"]).code, Some(0));
    }
    // Other invalid settings files do not prevent it.
    assert_eq!(tuning.tune(&["--apply"]).code, Some(0));
    fs::write(tuning.folder.path().join("lorehound.toml"), "no TOML").expect("written");
    let reset = tuning.run(&["tune", "--reset"]);
    assert_eq!((reset.code, tuning.files().len()), (Some(0), 0), "{reset:?}");
}

#[test]
fn the_dump_of_another_repository_is_not_applied() {
    let tuning = Tuning::start(&dump(40, 0).replace(r#""repo":"shop""#, r#""repo":"bakery""#));
    let refused = tuning.tune(&["--apply"]);
    assert_eq!((refused.code, tuning.files().len()), (Some(2), 0), "{refused:?}");
    assert!(refused.stderr.contains("repository `shop`; they are of `bakery`"), "{refused:?}");
    assert_eq!(tuning.tune(&[]).code, Some(0), "it may be looked at");
    let forced = pasted(&refused.stderr, "lore tune");
    let forced: Vec<&str> = forced.iter().map(String::as_str).collect();
    assert_eq!(tuning.run(&forced).code, Some(0), "{forced:?}");
    assert_eq!(tuning.files().len(), 1);
}

#[test]
fn hints_repeat_the_typed_arguments() {
    let tuning = Tuning::start(&dump(40, 0));
    let tree = tuning.workspace.tree().display().to_string();
    let signals = tuning.folder.path().join("signals.jsonl").display().to_string();
    let shown = tuning.tune(&["-C", &tree]);
    let apply = ["tune", "-C", &tree, "--signals", &signals, "--apply"];
    assert_eq!(pasted(&shown.stderr, "lore tune"), apply);
    let applied = tuning.run(&apply);
    assert_eq!(pasted(&applied.stderr, "lore tune"), ["tune", "-C", &tree, "--reset"]);

    let write = ["eval", "--self", "-C", &tree, "--limit", "150", "--dump-signals", "history.sig"];
    let mut unusable = vec![
        ("{}\n".to_owned(), "line 1: missing field `id`"),
        (String::new(), "line 1: the file ends before the first query"),
        (dump(40, 0).replace(r#""targets":1"#, r#""targets":0"#), "no query has a right result"),
    ];
    unusable[2].0 = unusable[2].0.replace(r#""relevant":1"#, r#""relevant":0"#);
    unusable.push((dump(2, 0).replacen("1.0", "NaN", 1), "line 1: "));
    for (text, expected) in unusable {
        fs::write(&signals, text).expect("written");
        let ran = tuning.tune(&["-C", &tree]);
        assert_eq!(ran.code, Some(2), "{ran:?}");
        assert!(ran.stderr.contains(expected), "{ran:?}");
        assert_eq!(pasted(&ran.stderr, "lore eval"), write, "{ran:?}");
    }
}

#[test]
fn invalid_arguments_are_rejected() {
    let tuning = Tuning::start(&dump(40, 0));
    let signals = tuning.folder.path().join("signals.jsonl").display().to_string();
    let cases = [&["--cache-dir", "elsewhere"][..], &["--no-write"], &["--tickets", "export.json"]];
    for flags in cases {
        let ran = tuning.tune(&[flags, &["--apply"]].concat());
        assert_eq!((ran.code, tuning.files().len()), (Some(2), 0), "{ran:?}");
        let expected = format!("`{}` does not go with `lore tune`", flags[0]);
        assert!(ran.stderr.contains(&expected), "{ran:?}");
        let without = pasted(ran.stderr.split_once("hint: ").expect("a hint").1, "lore tune");
        assert_eq!(without, ["tune", "--signals", &signals, "--apply"]);
        let of_history = tuning.run(&[&["eval", "--self"], flags].concat());
        assert!(of_history.stderr.contains("leave it out: `lore eval --self`"), "{of_history:?}");
    }
}

#[test]
fn unknown_signals_of_a_dump_are_reported() {
    let tuning = Tuning::start(&dump(40, 0).replace(r#""comments":"#, r#""obsolete":"#));
    let ran = tuning.tune(&[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(
        ran.stderr.contains("signals that this version does not have; ignored: obsolete"),
        "{ran:?}"
    );
}
