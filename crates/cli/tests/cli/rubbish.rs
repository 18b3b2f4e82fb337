//! Invalid input gives a clear message or a counted skip: never a panic, and never silence.

use std::{fs, path::Path, process::Stdio};

use crate::workspace::{Ran, Workspace};

/// Two files, one of which matches.
fn small() -> Workspace {
    Workspace::with(&[
        ("src/refund.rs", "/// Pays money back.\npub fn refund() {}\n"),
        ("docs/guide.md", "# Guide\n\nHow to pay.\n"),
    ])
}

/// Checks that `lore` answered without a complaint.
fn assert_found(ran: &Ran) {
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(ran.paths(), ["src/refund.rs"], "{ran:?}");
}

/// Checks that `lore` reported the problem and did not crash.
fn assert_refused(ran: &Ran, message: &str) {
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.starts_with("lore: ") && ran.stderr.contains(message), "{ran:?}");
    assert!(!ran.stderr.contains("internal error"), "{ran:?}");
    assert_eq!(ran.stdout, "", "{ran:?}");
}

fn files_below(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() { files.extend(files_below(&path)) } else { files.push(path) }
    }
    files.sort();
    files
}

#[test]
fn queries_without_words() {
    let workspace = small();
    assert_refused(&workspace.run(&[""]), "the query is empty");
    assert_refused(&workspace.run(&["search", " \t "]), "the query is empty");
    assert_refused(&workspace.run(&["spec", ""]), "the query is empty");
    assert_refused(&workspace.run(&["symbol", ""]), "the name is empty");
    assert_refused(&workspace.run(&["file", " "]), "the path is empty");
    assert_refused(&workspace.run(&["research", "", " "]), "the question is empty");
    let ran = workspace.run(&["?!", "--json"]);
    assert!(matches!(ran.code, Some(1 | 2)), "{ran:?}");
}

#[test]
fn invalid_names_and_questions() {
    let workspace = small();
    let long = "x".repeat(100_000);
    let names =
        [".", "::", "#", "a#", "#b", "..#..", "()", "\u{0}\u{1b}[2J", "🦀", "*", "../..", &long];
    for name in names {
        // Arguments cannot contain NUL.
        let name = name.replace('\0', "");
        for command in ["symbol", "file"] {
            let ran = workspace.run(&[command, "--", &name]);
            assert!(matches!(ran.code, Some(0 | 1)), "{command} {name}: {ran:?}");
            assert!(!ran.stderr.contains("internal error"), "{ran:?}");
            assert!(!ran.stdout.contains('\x1b') && !ran.stderr.contains('\x1b'), "{ran:?}");
        }
        for system in ["semtree", "spex", "swift"] {
            let ran = workspace.run(&["search", "--as", system, "--", &name]);
            assert!(matches!(ran.code, Some(0 | 1)), "{system} {name}: {ran:?}");
            assert!(!ran.stdout.contains('\x1b') && !ran.stderr.contains('\x1b'), "{ran:?}");
        }
        let drift = workspace.run(&["drift", "--", &name]);
        assert!(!drift.stderr.contains("internal error"), "{drift:?}");
        let owners = workspace.run(&["owners", "--", &name]);
        assert!(matches!(owners.code, Some(1 | 2)), "{name}: {owners:?}");
        assert!(!owners.stderr.contains("internal error"), "{owners:?}");
        for relation in ["callers of", "path from refund to", "dependencies of", "related to"] {
            let ran = workspace.run(&["research", "--", &format!("{relation} {name}")]);
            assert!(ran.code.is_some_and(|code| code <= 2), "{relation} {name}: {ran:?}");
            assert!(!ran.stderr.contains("internal error"), "{ran:?}");
            assert!(!ran.stdout.contains('\x1b') && !ran.stderr.contains('\x1b'), "{ran:?}");
        }
    }
}

#[cfg(unix)]
#[test]
fn a_query_that_is_not_unicode() {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt};

    let workspace = small();
    let query = OsStr::from_bytes(b"re\xfffund");
    assert_refused(&workspace.run(&[query]), "UTF-8");
    assert_refused(&workspace.run(&[OsStr::new("spec"), query]), "UTF-8");
}

#[test]
fn a_query_of_a_hundred_kilobytes() {
    let workspace = small();
    let ran = workspace.run(&["--json", &"refund the money ".repeat(6_000)]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_eq!(ran.paths()[0], "src/refund.rs");
    // A single unknown word: nothing is found, or it is not a word.
    let ran = workspace.run(&["--json", &"x".repeat(100_000)]);
    assert!(matches!(ran.code, Some(1 | 2)), "{}", ran.stderr);
    let operators = "( \" + - ~ * : > AND OR NOT ".repeat(2_000);
    let ran = workspace.run(&["--json", "--", &operators]);
    assert!(ran.code.is_some_and(|code| code <= 2), "{}", ran.stderr);
    assert!(!ran.stderr.contains("internal error"), "{}", ran.stderr);
}

#[test]
fn invalid_arguments() {
    let workspace = small();
    let check =
        |arguments: &[&str], message: &str| assert_refused(&workspace.run(arguments), message);
    check(&["refund", "--limit", "0"], "0 is not in 1..");
    check(&["spec", "refund", "--limit", "0"], "0 is not in 1..");
    check(&["refund", "--limit", "many"], "invalid value 'many'");
    check(&["refund", "--hops", "6"], "6 is not in 0..=5");
    check(&["symbol", "refund", "--limit", "0"], "0 is not in 1..");
    check(&["symbol", "refund", "payment"], "unexpected argument 'payment'");
    check(&["symbol"], "required arguments were not provided");
    check(&["file", "src", "--in", "git"], "unexpected argument '--in'");
    check(&["file", "src", "--path", "src/["], "could not understand the glob `src/[`");
    check(&["research", "callers of refund", "--depth", "0"], "0 is not in 1..=10");
    check(&["research", "callers of refund", "--depth", "11"], "11 is not in 1..=10");
    check(&["research", "callers of refund", "--format", "xml"], "invalid value 'xml'");
    check(&["research", "siblings of refund"], "could not understand the question");
    check(&["research", "refund"], "`refund` is only a name");
    check(&["research", "refund", "--focus", "wisdom"], "invalid value 'wisdom'");
    check(&["refund", "--in", "svn"], "there is no source `svn`");
    check(&["refund", "--format", "xml"], "invalid value 'xml'");
    check(&["refund", "--mode", "psychic"], "there is no mode `psychic`");
    check(&["refund", "--since", "soon"], "could not understand the date `soon`");
    check(&["refund", "--path", "src/["], "could not understand the glob `src/[`");
    check(&["refund", "--path", "../other"], "it is outside the tree");
    check(&["refund", "-C", "nowhere"], "there is no such directory");
    check(&["refund", "-C", "src/refund.rs"], "it is not a directory");
    check(&["refund", "-0"], "`--null` is only valid with `--format paths`");
    check(&["refund", "--colour"], "unexpected argument '--colour'");
    check(&["config", "search.limt"], "there is no setting `search.limt`");
    check(&["status", "of", "refunds"], "unexpected argument 'of'");
}

#[test]
fn invalid_settings() {
    let workspace = small();
    let check = |text: &str, message: &str| {
        workspace.write("lorehound.toml", text);
        assert_refused(&workspace.run(&["refund"]), message);
    };
    check("[search]\nlimt = 3\n", "line 2: there is no setting `search.limt`");
    check("[search]\nlimit = \"3\"\n", "line 2: expected a whole number");
    check("search\n", "line 1: ");
    workspace.write("lorehound.toml", b"\xff\xfe");
    assert_refused(&workspace.run(&["refund"]), "could not read the settings file");
    workspace.write("lorehound.toml", "[cache]\ndir = \"/nowhere/evil\"\n");
    let ran = workspace.run(&["--json", "refund"]);
    assert_found(&ran);
    assert!(ran.stderr.contains("warning: ignored the setting `cache.dir`"), "{ran:?}");
    assert!(!Path::new("/nowhere").exists());
}

#[test]
fn a_cache_that_cannot_be_used() {
    let workspace = small();
    workspace.write("a_file", "not a folder");
    let file = workspace.tree().join("a_file");
    let below = file.join("cache");
    for cache in [&file, &below] {
        let mut command = workspace.command(&["--json", "refund", "--exclude", "a_file"]);
        let output = command.env("LOREHOUND_CACHE_DIR", cache).output().expect("it starts");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{stderr}");
        assert!(String::from_utf8_lossy(&output.stdout).contains("src/refund.rs"));
        assert!(stderr.contains("in memory"), "a warning: {stderr}");
    }
}

#[cfg(unix)]
#[test]
fn a_cache_without_permissions() {
    use std::os::unix::fs::PermissionsExt;

    let workspace = small();
    for mode in [0o555, 0o000] {
        fs::create_dir_all(workspace.cache()).expect("a new folder");
        let permissions = |mode| fs::Permissions::from_mode(mode);
        fs::set_permissions(workspace.cache(), permissions(mode)).expect("it is ours");
        assert_found(&workspace.run(&["--json", "refund"]));
        fs::set_permissions(workspace.cache(), permissions(0o755)).expect("it is ours");
    }
    // An existing index that becomes unreadable.
    assert_found(&workspace.run(&["--json", "refund"]));
    for mode in [0o555, 0o000] {
        for file in files_below(&workspace.cache()) {
            fs::set_permissions(file, fs::Permissions::from_mode(mode)).expect("it is ours");
        }
        assert_found(&workspace.run(&["--json", "refund"]));
    }
}

#[test]
fn a_cache_with_flipped_bytes() {
    let workspace = small();
    let spoil = |change: &dyn Fn(&mut Vec<u8>)| {
        assert_eq!(workspace.run(&["index", "--rebuild"]).code, Some(0));
        let files = files_below(&workspace.cache());
        assert!(!files.is_empty());
        for file in files {
            let Ok(mut bytes) = fs::read(&file) else { continue };
            change(&mut bytes);
            // Hard links share a file, so one write changes all of them.
            fs::write(&file, bytes).expect("the cache is ours");
        }
        let ran = workspace.run(&["--json", "refund"]);
        assert_found(&ran);
        assert!(!ran.stderr.contains("internal error"), "{ran:?}");
        // The index is repaired, not only tolerated.
        let ran = workspace.run(&["--json", "refund"]);
        assert_found(&ran);
    };
    spoil(&|bytes| bytes.iter_mut().step_by(7).for_each(|byte| *byte ^= 0x55));
    spoil(&|bytes| bytes.iter_mut().skip(11).step_by(101).for_each(|byte| *byte ^= 0x01));
    spoil(&|bytes| bytes.iter_mut().rev().take(4).for_each(|byte| *byte ^= 0xff));
    spoil(&|bytes| bytes.truncate(bytes.len() / 2));
    spoil(&Vec::clear);
    spoil(&|bytes| bytes.fill(0));
}

#[test]
fn a_cache_that_lost_files() {
    let workspace = small();
    assert_found(&workspace.run(&["--json", "refund"]));
    let count = files_below(&workspace.cache()).len();
    for position in 0..count {
        let files = files_below(&workspace.cache());
        let Some(file) = files.get(position) else { break };
        fs::remove_file(file).expect("the cache is ours");
        let ran = workspace.run(&["--json", "refund"]);
        assert_found(&ran);
    }
}

#[test]
fn a_reader_that_closes_the_pipe() {
    let workspace = small();
    let commands: [&[&str]; 9] = [
        &["symbol", "refund"],
        &["file", "refund"],
        &["research", "dependencies", "--format", "dot"],
        &["refund"],
        &["refund", "--json"],
        &["spec", "refund", "--json"],
        &["sources"],
        &["completions", "bash"],
        &["--help"],
    ];
    for arguments in commands {
        let mut child = workspace
            .command(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("it ends");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {stderr}");
        assert!(!stderr.contains("pipe"), "{arguments:?}: {stderr}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written() {
    let workspace = small();
    let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("Linux has it");
    let output = workspace.command(&["refund"]).stdout(full).output().expect("it starts");
    assert_eq!(output.status.code(), Some(2));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("could not write the output"), "{stderr}");
}

#[test]
fn broken_ticket_stores() {
    let workspace = small();
    workspace.write(".sage/tickets/index.json", "{\"tickets\": [{\"id\": \"PAY-1\", ");
    workspace.write(".sage/tickets/PAY-2.md", "# PAY-2: Refund stuck\n\n**State:** COMPLETED\n");
    workspace.write(
        ".beads/issues.jsonl",
        "{\"id\":\"shop-1\",\"title\":\"Refund report\",\"status\":\"open\"}\n\
         <<<<<<< ours\n{\"id\":\"shop-2\",\"title\":\"Refund log\",\"status\":\"open\"}\n=======\n\
         {\"id\":\"shop-3\",\"title\":\"Refund mail\",\"status\":\"open\"}\n>>>>>>> theirs\nnonsense\n",
    );
    let ran = workspace.run(&["--json", "refund", "--in", "tickets"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let titles: Vec<String> = ran.json()["results"]
        .as_array()
        .expect("an array")
        .iter()
        .map(|hit| hit["title"].as_str().unwrap_or_default().to_owned())
        .collect();
    for title in ["Refund stuck", "Refund report", "Refund log", "Refund mail"] {
        assert!(titles.iter().any(|found| found.contains(title)), "{title} in {titles:?}");
    }
    let doctor = workspace.run(&["doctor"]);
    assert_eq!(doctor.code, Some(1), "{doctor:?}");
    let problem = "1 part of `.sage/tickets` could not be read; check its JSON";
    assert!(doctor.stdout.contains(problem), "{doctor:?}");
    let sage = workspace.run(&["search", "refund", "--as", "sage"]);
    assert!(sage.stderr.contains(problem) && sage.stdout.contains("PAY-2"), "{sage:?}");
    let skipped = ran.json()["receipt"]["sources"]["tickets"]["skipped"]["malformed"].clone();
    assert!(skipped.as_u64().is_some_and(|count| count >= 1), "{ran:?}");
}

#[test]
fn a_tree_without_files() {
    let workspace = Workspace::empty();
    let ran = workspace.run(&["--json", "refund"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert_eq!(ran.json()["results"].as_array().map(Vec::len), Some(0));
    let ran = workspace.run(&["refund"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stderr.contains("there are no documents to search"), "{ran:?}");
    for command in ["index", "status", "sources", "doctor", "config"] {
        let ran = workspace.run(&[command]);
        assert_eq!(ran.code, Some(0), "{command}: {ran:?}");
    }
    let ran = workspace.run(&["spec", "refund", "--json"]);
    assert_eq!((ran.code, ran.stdout.trim()), (Some(0), "[]"), "{ran:?}");
}

#[cfg(unix)]
#[test]
fn a_path_with_a_newline() {
    let workspace = small();
    workspace.write("src/re\nfund\x1b[31m.rs", "pub fn reimburse() {}\n");
    let ran = workspace.run(&["--json", "reimburse"]);
    assert_eq!(ran.paths(), ["src/re\nfund\x1b[31m.rs"], "{ran:?}");
    let ran = workspace.run(&["--format", "paths", "reimburse"]);
    assert_eq!(ran.stdout, "\"src/re\\nfund\\033[31m.rs\"\n");
    let ran = workspace.run(&["--format", "paths", "-0", "reimburse"]);
    assert_eq!(ran.stdout, "src/re\nfund\x1b[31m.rs\0");
    let ran = workspace.run(&["reimburse"]);
    assert!(!ran.stdout.contains('\x1b'), "{ran:?}");
}

#[test]
fn files_that_are_not_text() {
    let workspace = small();
    workspace.write("blob.bin", b"refund\0\x01\x02");
    workspace.write("latin.txt", b"refund f\xfcr alle\n");
    workspace.write("empty.txt", "");
    workspace.write("dos.txt", "\u{feff}first\r\nthe refund\r\n");
    let ran = workspace.run(&["--json", "refund"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let mut paths = ran.paths();
    paths.sort();
    assert_eq!(paths, ["dos.txt", "latin.txt", "src/refund.rs"], "{ran:?}");
    let json = ran.json();
    let skipped = |reason: &str| -> u64 {
        let sources = json["receipt"]["sources"].as_object().expect("an object");
        sources.values().filter_map(|source| source["skipped"][reason].as_u64()).sum()
    };
    assert_eq!((skipped("binary"), skipped("empty")), (1, 1), "{ran:?}");
    let hit =
        json["results"].as_array().expect("an array").iter().find(|hit| hit["path"] == "dos.txt");
    assert_eq!(hit.expect("it was found")["matches"][0]["lineNumber"], 2);
}
