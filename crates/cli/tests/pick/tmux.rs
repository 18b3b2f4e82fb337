//! A picker in a terminal of tmux, with a server of its own.

use std::{
    fs,
    path::PathBuf,
    process::{Command, Stdio},
    sync::atomic::{AtomicU32, Ordering},
    thread,
    time::{Duration, Instant},
};

use crate::workspace::{ENVIRONMENT, PROGRAM, Workspace};

/// Maximum time until a screen has an expected content: machines of tests are slow.
const TIMEOUT: Duration = Duration::from_mins(1);

/// Returns true if tmux is installed. Says so if it is not.
pub(crate) fn is_installed() -> bool {
    let ran = Command::new("tmux").arg("-V").stdout(Stdio::null()).stderr(Stdio::null()).status();
    let is_installed = ran.is_ok_and(|status| status.success());
    if !is_installed {
        eprintln!("NOT CHECKED: lore pick. tmux is not installed on this machine.");
    }
    is_installed
}

/// A terminal that runs a command.
pub(crate) struct Terminal<'w> {
    workspace: &'w Workspace,
    /// Name of the server: one that ends may still accept commands.
    server: String,
}

/// The clipboard of programs is that of tmux, and Esc is a key at once.
const OPTIONS: &str = "\
set-option -g set-clipboard on
set-option -g status off
set-option -s escape-time 0
";

/// Number of terminals that were started.
static STARTED: AtomicU32 = AtomicU32::new(0);

impl<'w> Terminal<'w> {
    /// Runs `lore pick` with arguments, as the only program of a terminal.
    pub(crate) fn pick(
        workspace: &'w Workspace,
        size: (u16, u16),
        arguments: &str,
    ) -> Terminal<'w> {
        let own = format!("sh -c 'echo $$ > ../pid; exec \"$LORE\" pick {arguments}'");
        Terminal::shell(workspace, size, &format!("{own}; echo $? > ../code; sleep 600"))
    }

    /// Runs a shell command, in which `$LORE` is the program, in a terminal of some columns and rows.
    pub(crate) fn shell(
        workspace: &'w Workspace,
        (columns, rows): (u16, u16),
        command: &str,
    ) -> Terminal<'w> {
        let server = format!("lore-{}", STARTED.fetch_add(1, Ordering::Relaxed));
        let terminal = Terminal { workspace, server };
        let variables: Vec<String> =
            ENVIRONMENT.iter().map(|(name, value)| format!("{name}='{value}'")).collect();
        let variables = variables.join(" ");
        let script = format!(
            "unset NO_COLOR VISUAL; export {variables} LORE='{PROGRAM}' LOREHOUND_CACHE_DIR='{}' EDITOR='{}' \
             LC_ALL=C.UTF-8; {command}",
            workspace.cache().display(),
            terminal.file("vim").display(),
        );
        // The editor of the tests has the name of one that takes lines. It writes its arguments.
        let editor =
            format!("#!/bin/sh\nprintf '%s\\n' \"$@\" > '{}'\n", terminal.file("edited").display());
        fs::write(terminal.file("vim"), editor).expect("the folder is ours");
        let status = Command::new("chmod").arg("+x").arg(terminal.file("vim")).status();
        assert!(status.expect("chmod is there").success());
        let (columns, rows) = (columns.to_string(), rows.to_string());
        let tree = workspace.tree().display().to_string();
        fs::write(terminal.file("tmux.conf"), OPTIONS).expect("the folder is ours");
        for name in ["code", "edited", "out"] {
            // Of an earlier terminal, if there was one.
            let _ = fs::remove_file(terminal.file(name));
        }
        terminal.tmux(&["new-session", "-d", "-x", &columns, "-y", &rows, "-c", &tree, &script]);
        terminal
    }

    /// A file beside the tree.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.workspace.tree().with_file_name(name)
    }

    /// Content of a file beside the tree, once it exists and is complete.
    pub(crate) fn read(&self, name: &str) -> String {
        let started = Instant::now();
        loop {
            let text = fs::read_to_string(self.file(name)).unwrap_or_default();
            if text.ends_with(['\n', '\0']) {
                return text;
            }
            assert!(started.elapsed() < TIMEOUT, "no `{name}`\n{}", self.screen().join("\n"));
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Runs a command of tmux. Returns its output.
    pub(crate) fn tmux(&self, arguments: &[&str]) -> String {
        let output = Command::new("tmux")
            .args(["-L", &self.server, "-f"])
            .arg(self.file("tmux.conf"))
            .args(arguments)
            .env("TMUX_TMPDIR", self.workspace.cache().parent().expect("a folder"))
            .env_remove("TMUX")
            .env("LC_ALL", "C.UTF-8")
            .env("TERM", "xterm-256color")
            .output()
            .expect("tmux starts");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Presses a key, named as in the table of the picker.
    pub(crate) fn press(&self, key: &str) {
        self.tmux(&["send-keys", &tmux_key(key)]);
    }

    /// Types text.
    pub(crate) fn type_text(&self, text: &str) {
        self.tmux(&["send-keys", "-l", text]);
    }

    /// The rows of the screen, without spaces at their ends.
    pub(crate) fn screen(&self) -> Vec<String> {
        self.tmux(&["capture-pane", "-p"]).lines().map(|line| line.trim_end().to_owned()).collect()
    }

    /// Waits until the screen has an expected content. Returns it.
    pub(crate) fn wait(&self, what: &str, is_expected: impl Fn(&[String]) -> bool) -> Vec<String> {
        let started = Instant::now();
        loop {
            let screen = self.screen();
            if is_expected(&screen) {
                return screen;
            }
            assert!(started.elapsed() < TIMEOUT, "{what}: {screen:#?}");
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Waits until the query is shown and answered. Returns the screen.
    pub(crate) fn wait_for_query(&self, query: &str) -> Vec<String> {
        self.wait(query, |screen| is_answered(screen, query))
    }

    /// Waits for the end of the program, which writes its exit code. Returns the code.
    pub(crate) fn exit_code(&self) -> i32 {
        self.read("code").trim().parse().expect("a number")
    }
}

impl Drop for Terminal<'_> {
    fn drop(&mut self) {
        self.tmux(&["kill-server"]);
    }
}

/// Returns true if the first row has the query and the numbers of its answer.
pub(crate) fn is_answered(screen: &[String], query: &str) -> bool {
    let Some(row) = screen.first().and_then(|row| row.strip_prefix(format!("> {query}").as_str()))
    else {
        return false;
    };
    let is_status = |rest: &str| rest.starts_with("  ") || rest.is_empty();
    is_status(row)
        && row.contains(" · ")
        && row.contains('/')
        && !row.ends_with('…')
        && !row.contains("indexing")
}

/// Position of the current item among the visible ones, from 0.
pub(crate) fn current(screen: &[String]) -> Option<usize> {
    screen.iter().skip(1).position(|row| row.starts_with('▌'))
}

/// The name of a key in tmux.
fn tmux_key(key: &str) -> String {
    key.replace("Ctrl-", "C-")
        .replace("Alt-", "M-")
        .replace("Shift-Tab", "BTab")
        .replace("Shift-", "S-")
        .replace("Backspace", "BSpace")
        .replace("Delete", "DC")
        .replace("PageUp", "PPage")
        .replace("PageDown", "NPage")
        .replace("Esc", "Escape")
}
