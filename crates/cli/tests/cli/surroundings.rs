//! Full disks, read-only directories and wrong clocks: the answer is right, and one line reports what
//! failed.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, SystemTime},
};

use crate::workspace::{PROGRAM, Ran, Workspace};

fn small() -> Workspace {
    let workspace = Workspace::empty();
    for number in 0..40 {
        let text = format!("/// Pays part {number} back.\npub fn refund_{number}() {{}}\n");
        workspace.write(&format!("src/part_{number}.rs"), text);
    }
    workspace
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() { files.extend(files_below(&path)) } else { files.push(path) }
    }
    files.sort();
    files
}

/// Checks that the answer is right, with one warning that contains some words.
fn assert_warned(ran: &Ran, words: &str) {
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(ran.paths()[0], "src/part_7.rs", "{ran:?}");
    assert_eq!(ran.json()["receipt"]["fresh"], "verified", "{ran:?}");
    let warnings: Vec<&str> = ran.stderr.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(warnings.len(), 1, "{ran:?}");
    assert!(warnings[0].contains(words), "{ran:?}");
    assert!(!ran.stderr.contains("internal error"), "{ran:?}");
}

fn assert_right(ran: &Ran) {
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(ran.paths()[0], "src/part_7.rs", "{ran:?}");
    assert_eq!(ran.stderr, "", "{ran:?}");
}

const SEARCH: [&str; 3] = ["search", "--json", "refund_7"];

/// Runs `lore` with a file size limit, in blocks of 512 bytes.
#[cfg(unix)]
fn run_limited(workspace: &Workspace, blocks: u32, arguments: &[&str]) -> Ran {
    let shown = workspace.command(arguments);
    let mut command = Command::new("sh");
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
    command.arg("-c").arg(script).arg(PROGRAM).args(arguments).current_dir(workspace.tree());
    for (name, value) in shown.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    Ran::new(&command.output().expect("the shell starts"))
}

#[cfg(unix)]
#[test]
fn writes_beyond_the_file_size_limit() {
    let workspace = small();
    for blocks in [0, 1, 2, 4, 8] {
        assert_warned(&run_limited(&workspace, blocks, &SEARCH), "could not write the index");
        let ran = run_limited(&workspace, blocks, &["index"]);
        assert_eq!(ran.code, Some(2), "{blocks} blocks: {ran:?}");
        assert!(ran.stderr.starts_with("lore: could not write the index"), "{ran:?}");
    }
    let ran = workspace.run(&["doctor"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_right(&workspace.run(&SEARCH));

    // The existing index stays intact when the next update does not fit.
    workspace.write("src/late.rs", "/// Comes late.\npub fn latecomer() {}\n");
    for blocks in [0, 1, 2] {
        let ran = run_limited(&workspace, blocks, &["search", "--json", "latecomer"]);
        assert_eq!(ran.paths()[0], "src/late.rs", "{ran:?}");
        assert!(ran.stderr.lines().count() <= 1, "{ran:?}");
        let ran = workspace.run(&["doctor"]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
    }
    assert_right(&workspace.run(&SEARCH));
    assert_eq!(workspace.run(&["search", "--json", "latecomer"]).paths()[0], "src/late.rs");
}

#[test]
fn a_cache_that_is_a_file() {
    let workspace = small();
    fs::write(workspace.cache(), "no folder").expect("writes");
    assert_warned(&workspace.run(&SEARCH), "could not write the index");
    let ran = workspace.run(&["index"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.starts_with("lore: "), "{ran:?}");
    assert_eq!(fs::read_to_string(workspace.cache()).expect("reads"), "no folder");
    assert_eq!(workspace.run(&["doctor"]).code, Some(1));
}

/// A directory that no user can write to, not even root.
#[cfg(target_os = "linux")]
#[test]
fn a_cache_and_a_home_that_cannot_be_written() {
    let workspace = small();
    let mut command = workspace.command(&SEARCH);
    command.env("LOREHOUND_CACHE_DIR", "/proc/lorehound");
    assert_warned(&Ran::new(&command.output().expect("starts")), "could not write the index");

    let mut command = workspace.command(&SEARCH);
    command
        .env_remove("LOREHOUND_CACHE_DIR")
        .env_remove("XDG_CACHE_HOME")
        .env("HOME", "/proc/none");
    assert_warned(&Ran::new(&command.output().expect("starts")), "could not write the index");
}

#[cfg(unix)]
#[test]
fn nothing_is_written_into_the_tree() {
    use std::os::unix::fs::PermissionsExt as _;

    let workspace = small();
    let before = files_below(&workspace.tree());
    let folders = [workspace.tree(), workspace.tree().join("src")];
    let permit = |mode: u32| {
        for folder in &folders {
            fs::set_permissions(folder, fs::Permissions::from_mode(mode)).expect("permits");
        }
    };
    permit(0o555);
    let ran = workspace.run(&SEARCH);
    permit(0o755);
    assert_right(&ran);
    assert_eq!(files_below(&workspace.tree()), before);
}

/// Writes a file and sets its modification time.
fn write_at(workspace: &Workspace, path: &str, text: &str, time: SystemTime) {
    workspace.write(path, text);
    let file = fs::File::options().append(true).open(workspace.tree().join(path)).expect("opens");
    file.set_modified(time).expect("touches");
}

#[test]
fn clocks_that_go_backwards_or_stop() {
    let workspace = small();
    assert_right(&workspace.run(&SEARCH));
    let now = SystemTime::now();
    let times = [
        ("now", now),
        ("in thirty years", now + Duration::from_hours(30 * 365 * 24)),
        ("before the index", now - Duration::from_hours(1)),
        ("at the beginning of time", SystemTime::UNIX_EPOCH),
        ("once more at the beginning", SystemTime::UNIX_EPOCH),
        ("back to now", now),
    ];
    let mut last = None;
    for (number, (name, time)) in times.into_iter().enumerate() {
        // All files have the same length.
        let word = format!("zebra{}", char::from(b'a' + u8::try_from(number).expect("few")));
        let text = format!("/// Speaks of {word}.\npub fn said() {{}}\n");
        write_at(&workspace, "src/clock.rs", &text, time);
        let ran = workspace.run(&["search", "--json", "--in", "code", &word]);
        assert_eq!(ran.code, Some(0), "{name}: {ran:?}");
        assert_eq!(ran.paths()[0], "src/clock.rs", "{name}: {ran:?}");
        if let Some(last) = last.replace(word) {
            let ran = workspace.run(&["search", "--json", "--in", "code", "--literal", &last]);
            assert_eq!(ran.code, Some(1), "{name}: {ran:?}");
            let ran =
                workspace.run(&["search", "--json", "--in", "code", "--mode", "lexical", &last]);
            assert!(!ran.stdout.contains(&format!("Speaks of {last}")), "{name}: {ran:?}");
        }
    }
}

/// Immediate edits of the same length, with the same modification time.
#[test]
fn edits_with_the_same_time_and_length() {
    let workspace = small();
    let time = SystemTime::now();
    for round in 0..12_u8 {
        let word = format!("gnu{}", char::from(b'a' + round));
        let text = format!("/// Speaks of {word}.\npub fn said() {{}}\n");
        write_at(&workspace, "src/granule.rs", &text, time);
        let ran = workspace.run(&["search", "--json", "--in", "code", &word]);
        assert_eq!(ran.paths()[0], "src/granule.rs", "{word}: {ran:?}");
        assert!(ran.stdout.contains(&format!("Speaks of {word}")), "{word}: {ran:?}");
    }
}

/// Another version writes to its own directory below that of the repository.
#[test]
fn an_index_of_another_version_is_kept() {
    let workspace = small();
    assert_right(&workspace.run(&SEARCH));
    let only = |folder: &Path| {
        let mut entries = fs::read_dir(folder).expect("a folder");
        let entry = entries.next().expect("an entry").expect("an entry").path();
        assert!(entries.next().is_none(), "{}", folder.display());
        entry
    };
    let repository = only(&workspace.cache());
    let view = only(&repository);
    let other = repository.join("0123456789abcdef").join("code");
    fs::create_dir_all(&other).expect("creates");
    let mut count = 0;
    for file in files_below(&view.join("code")) {
        let bytes = fs::read(&file).expect("reads");
        let newer =
            String::from_utf8_lossy(&bytes).replace("lorehound index ", "lorehound index 9");
        let is_list = file.ends_with("meta.json");
        count += usize::from(is_list);
        let bytes = if is_list { newer.into_bytes() } else { bytes };
        fs::write(other.join(file.file_name().expect("a name")), bytes).expect("writes");
    }
    assert_eq!(count, 1);
    let read = |file: PathBuf| (fs::read(&file).expect("reads"), file);
    let before: Vec<_> = files_below(&other).into_iter().map(read).collect();
    for arguments in [&SEARCH[..], &["index", "--rebuild"], &["doctor"], &["status"], &SEARCH[..]] {
        let ran = workspace.run(arguments);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert!(!ran.stderr.contains("version"), "{ran:?}");
    }
    let after: Vec<_> = files_below(&other).into_iter().map(read).collect();
    assert_eq!(before, after);
}
