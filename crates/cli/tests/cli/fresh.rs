//! Answers after changes that are easily missed: of settings, of a root that is a link, of sources
//! that the request excludes, and of files that could not be read for a moment.

use std::{
    fs,
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

use serde_json::json;

use crate::{
    server::Server,
    workspace::{PROGRAM, Ran, Workspace},
};

/// Waits until a server finds a word or no longer finds it. Its answers after a change of the
/// settings may be "not ready" while the new index is built.
fn assert_found(server: &mut Server, word: &str, is_found: bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        let answer = server.call("search", &json!({"query": word, "match": "literal"}));
        if let Ok(answer) = &answer {
            let hits = answer["structuredContent"]["hits"].as_array().map_or(0, Vec::len);
            assert_eq!(hits > 0, is_found, "{word}: {answer}");
            return;
        }
        assert!(Instant::now() < deadline, "{word}: {answer:?}");
    }
}

#[test]
fn a_server_follows_the_settings_file() {
    let workspace = Workspace::empty();
    workspace.write("a.md", "wombat1\n");
    workspace.write(".b.md", "zebra\n");
    let mut server =
        Server::start(Path::new(PROGRAM), &workspace.tree(), &workspace.cache()).expect("a server");
    assert_found(&mut server, "zebra", true);
    let settings = workspace.tree().join("lorehound.toml");
    fs::write(&settings, "[index]\nhidden = false\n").expect("a new file");
    assert_found(&mut server, "zebra", false);
    fs::write(&settings, "[index]\nhidden = \"a\"\n").expect("it is ours");
    let failed = server.call("search", &json!({"query": "zebra"}));
    assert!(failed.is_err_and(|error| error.to_string().contains("index.hidden")));
    fs::remove_file(&settings).expect("it is ours");
    assert_found(&mut server, "zebra", true);
    server.end().expect("it ends");
}

#[cfg(unix)]
#[test]
fn a_server_follows_a_root_that_is_a_link() {
    use std::os::unix::fs::symlink;

    let workspace = Workspace::empty();
    workspace.write("one/a.md", "wombat1 first\n");
    workspace.write("two/a.md", "wombat1 second\n");
    let link = workspace.tree().join("link");
    symlink("one", &link).expect("a new link");
    let mut server =
        Server::start(Path::new(PROGRAM), &link, &workspace.cache()).expect("a server");
    assert_found(&mut server, "first", true);
    fs::remove_file(&link).expect("it is ours");
    symlink("two", &link).expect("a new link");
    assert_found(&mut server, "second", true);
    assert_found(&mut server, "first", false);
    server.end().expect("it ends");
}

#[test]
fn the_counts_of_an_empty_answer_are_current() {
    let workspace = Workspace::with(&[("src/a.rs", "fn a() {}\n"), ("docs/a.md", "quokka\n")]);
    assert_eq!(workspace.run(&["quokka", "--json"]).paths(), ["docs/a.md"]);
    let search = ["quokka", "--in", "code", "--json"];
    let removed = |ran: &Ran| ran.json()["absence"]["filters"][0]["removed"].as_u64();
    let ran = workspace.run(&search);
    assert_eq!(removed(&ran), Some(1), "{ran:?}");
    workspace.write("docs/a.md", "wombat\n");
    let ran = workspace.run(&search);
    assert_eq!(removed(&ran), None, "{ran:?}");
    workspace.write("docs/b.md", "quokka\n");
    workspace.write("docs/c.md", "quokka\n");
    let ran = workspace.run(&search);
    assert_eq!(removed(&ran), Some(2), "{ran:?}");
}

/// Runs `lore` with at most this many open files.
#[cfg(unix)]
fn run_with_few_files(workspace: &Workspace, files: u32, arguments: &[&str]) -> Ran {
    let shown = workspace.command(arguments);
    let mut command = Command::new("sh");
    let script = format!("ulimit -n {files}; exec \"$0\" \"$@\"");
    command.arg("-c").arg(script).arg(PROGRAM).args(arguments).current_dir(workspace.tree());
    for (name, value) in shown.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    Ran::new(&command.output().expect("a shell"))
}

/// A run with few open files may find nothing, and may fail. The next one finds everything.
#[cfg(unix)]
#[test]
fn files_that_could_not_be_read_for_a_moment_are_read_again() {
    for files in 12..24 {
        let workspace = Workspace::empty();
        for number in 0..40 {
            workspace.write(&format!("src/a{number}.rs"), format!("fn quokka_{number}() {{}}\n"));
        }
        let search = ["quokka", "--limit", "100", "--json"];
        run_with_few_files(&workspace, files, &search);
        let ran = workspace.run(&search);
        assert_eq!(ran.paths().len(), 40, "after at most {files} open files: {ran:?}");
    }
}
