//! `lore agent-hook`: suggests `lore` once per session to an agent that is about to search with a
//! shell command.
//!
//! Reads the event that Claude Code passes to a `PreToolUse` hook. Every problem is silent: a hook must
//! not disturb the agent.

use std::{
    fmt::Write as _,
    fs,
    io::{self, Read as _},
    path::Path,
};

use lore_console::report::Status;
use lore_session::write_output;
use lore_settings::{env_vars, whole_file::write_whole};
use serde::Deserialize;
use sha2::{Digest as _, Sha256};

/// Maximum length of an event in bytes. A longer one is ignored.
const MAX_EVENT: u64 = 1 << 20;

/// Maximum number of sessions that are remembered.
const MAX_SESSIONS: usize = 200;

/// The suggestion.
const TEXT: &str = "`lore rg` takes the flags of `rg` and prints the same lines; `lore rg --ranked` also \
    lists the most relevant matches first. For a question instead of a pattern, run \
    `lore \"QUESTION\"`. For an exact name, `rg` is fine.";

/// The event of a hook, as far as it is used.
#[derive(Debug, Deserialize)]
struct Event {
    session_id: String,
    tool_input: ToolInput,
}

#[derive(Debug, Deserialize)]
struct ToolInput {
    command: String,
}

/// Reads the event and writes the suggestion, if there is one.
pub(super) fn run() -> Status {
    let mut text = Vec::new();
    let is_read = io::stdin().lock().take(MAX_EVENT).read_to_end(&mut text).is_ok();
    let event = serde_json::from_slice(&text).ok().filter(|_| is_read);
    let folder = lore_settings::state_folder(&env_vars::from_process);
    if let (Some(event), Some(folder)) = (event, folder)
        && is_suggested(&event, &folder)
    {
        let answer = serde_json::json!({
            "hookSpecificOutput": { "hookEventName": "PreToolUse", "additionalContext": TEXT },
        });
        let _ = write_output(|out| writeln!(out, "{answer}"));
    }
    Status::Success
}

/// Returns true for the first search of a session, and remembers the session.
fn is_suggested(event: &Event, folder: &Path) -> bool {
    if !is_search(&event.tool_input.command) {
        return false;
    }
    let path = folder.join("agent-hook");
    let known = fs::read_to_string(&path).unwrap_or_default();
    let digest = Sha256::digest(&event.session_id);
    let session = digest.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    });
    if known.lines().any(|line| line == session) {
        return false;
    }
    let kept = known.lines().count().saturating_sub(MAX_SESSIONS - 1);
    let mut sessions: Vec<&str> = known.lines().skip(kept).collect();
    sessions.push(&session);
    let text = sessions.join("\n") + "\n";
    // A session that cannot be remembered would be interrupted each time.
    fs::create_dir_all(folder).and_then(|()| write_whole(&path, text.as_bytes())).is_ok()
}

/// Returns true if a shell command searches files: `rg`, `git grep`, or `grep -r`. The end of a pipe
/// searches the output of another command.
fn is_search(command: &str) -> bool {
    let mut is_piped = false;
    let mut start = 0;
    let mut commands = Vec::new();
    for (at, c) in command.char_indices().filter(|(_, c)| matches!(c, ';' | '|' | '&' | '\n')) {
        let is_double = command[at + c.len_utf8()..].starts_with(c) || command[..at].ends_with(c);
        commands.push((is_piped, &command[start..at]));
        is_piped = c == '|' && !is_double;
        start = at + c.len_utf8();
    }
    commands.push((is_piped, &command[start..]));
    commands.into_iter().any(|(is_piped, command)| !is_piped && searches(command))
}

/// Returns true if one simple command searches files.
fn searches(command: &str) -> bool {
    let mut words = command.split_whitespace().skip_while(|word| {
        let is_assignment = word.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        });
        is_assignment || matches!(*word, "time" | "sudo" | "command")
    });
    let Some(program) = words.next() else { return false };
    let is_recursive = |word: &str| match word.strip_prefix("--") {
        Some(name) => name == "recursive" || name == "dereference-recursive",
        None => word.strip_prefix('-').is_some_and(|letters| letters.contains(['r', 'R'])),
    };
    match program.rsplit('/').next().unwrap_or_default() {
        "rg" | "ag" | "ack" => true,
        "grep" | "egrep" | "fgrep" => words.any(is_recursive),
        "git" => words.next() == Some("grep"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches_of_files_are_recognised() {
        for command in [
            "rg foo src",
            "cd crates && rg -n foo",
            "LC_ALL=C grep -rn foo .",
            "grep --recursive foo",
            "ls; /usr/bin/rg foo | head",
            "git grep foo",
            "test -e x || rg foo",
        ] {
            assert!(is_search(command), "{command}");
        }
        for command in [
            "grep foo file",
            "cat log | grep -r foo",
            "cargo test | rg failed",
            "lore rg foo",
            "ls",
            "",
        ] {
            assert!(!is_search(command), "{command}");
        }
    }
}
