//! The printed and opened choices, and the exit codes.

use std::process::Command;

use crate::{
    tmux::{Terminal, is_installed},
    workspace::{ENVIRONMENT, PROGRAM, Workspace},
};

const SIZE: (u16, u16) = (100, 20);

/// Runs `lore pick` with its output in a file, types a query, presses keys. Returns output and exit code.
fn printed(workspace: &Workspace, arguments: &str, query: &str, keys: &str) -> (String, i32) {
    let command = format!("\"$LORE\" pick {arguments} > ../out; echo $? > ../code; sleep 600");
    let terminal = Terminal::shell(workspace, SIZE, &command);
    terminal.wait_for_query("");
    terminal.type_text(query);
    terminal.wait_for_query(query);
    for key in keys.split(' ') {
        terminal.press(key);
    }
    let code = terminal.exit_code();
    (std::fs::read_to_string(terminal.file("out")).expect("it was created"), code)
}

#[test]
fn the_choice_is_printed_into_a_pipe_with_the_exit_codes_of_fzf() {
    if !is_installed() {
        return;
    }
    let workspace = Workspace::shop();
    let check = |arguments: &str, query: &str, keys: &str, expected: (&str, i32)| {
        let (text, code) = printed(&workspace, arguments, query, keys);
        assert_eq!((text.as_str(), code), expected, "{arguments} {query} {keys}");
    };
    check("--mode files", "ledger.rs", "Enter", ("src/ledger.rs\n", 0));
    check("--mode files --print0", "srcrs", "Tab Tab Enter", ("src/lib.rs\0src/ledger.rs\0", 0));
    check("--mode files --print-query", "ledger.rs", "Enter", ("ledger.rs\nsrc/ledger.rs\n", 0));
    check("--mode files --print-query", "zzzz", "Enter", ("zzzz\n", 1));
    check("--mode symbols", "retry_refund", "Enter", ("src/refund.rs:37\n", 0));
    check("--mode symbols --no-line", "retry_refund", "Enter", ("src/refund.rs\n", 0));
    check("--mode files", "ledger.rs", "Esc", ("", 130));
    check(
        "--mode symbols --no-multi",
        "retry_refund",
        "Ctrl-q",
        (
            "src/refund.rs:37:4:fn retry_refund(&self, payment: &Payment, amount: Cents) -> Result<(), RefundError>\n",
            0,
        ),
    );
}

#[test]
fn filters_of_the_query_language_and_unfinished_words_are_searched() {
    if !is_installed() {
        return;
    }
    let workspace = Workspace::shop();
    let terminal = Terminal::pick(&workspace, SIZE, "--mode lexical");
    terminal.wait_for_query("");
    for (query, expected) in [
        ("refund path:src", "refund.rs"),
        ("kind:ticket refund", "PAY-00"),
        ("idempot", "idempot"),
        ("\"refund", "refund"),
    ] {
        terminal.press("Ctrl-u");
        terminal.type_text(query);
        let screen = terminal.wait_for_query(query);
        let rows = screen[1..10].iter().filter(|row| row.contains(expected)).count();
        assert!(rows > 0, "{query} {expected}: {screen:#?}");
    }
}

#[test]
fn several_places_are_opened_and_the_terminal_is_restored() {
    if !is_installed() {
        return;
    }
    let workspace = Workspace::shop();
    let terminal = Terminal::shell(
        &workspace,
        SIZE,
        "echo before; \"$LORE\" pick --mode files; echo after $?; sleep 600",
    );
    terminal.wait_for_query("");
    terminal.type_text("srcrs");
    terminal.wait_for_query("srcrs");
    for key in ["Tab", "Tab", "Enter"] {
        terminal.press(key);
    }
    assert_eq!(terminal.read("edited"), "src/lib.rs\nsrc/ledger.rs\n");
    let screen = terminal.wait("the end", |screen| screen.iter().any(|row| row == "after 0"));
    assert_eq!(&screen[..2], ["before", "after 0"]);
}

#[test]
fn a_process_without_a_terminal_fails_with_a_hint() {
    let workspace = Workspace::shop();
    let ran = Command::new("setsid")
        .args(["--wait", PROGRAM, "pick", "refund"])
        .current_dir(workspace.tree())
        .env("LOREHOUND_CACHE_DIR", workspace.cache())
        .envs(ENVIRONMENT.iter().copied())
        .output();
    let Ok(output) = ran else {
        eprintln!("NOT CHECKED: lore pick without a terminal. setsid is not installed.");
        return;
    };
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.starts_with("lore: could not open the terminal for `lore pick`"), "{message}");
    assert!(message.contains("hint: search without a terminal: `lore search QUERY`"), "{message}");
    assert!(output.stdout.is_empty());
}

#[test]
fn signals_end_the_picker_and_restore_the_terminal() {
    if !is_installed() {
        return;
    }
    let workspace = Workspace::shop();
    for signal in ["-TERM", "-HUP", "-INT"] {
        let terminal = Terminal::pick(&workspace, SIZE, "refund");
        terminal.wait_for_query("refund");
        let pid = terminal.read("pid");
        let killed =
            Command::new("kill").args([signal, pid.trim()]).status().expect("kill is there");
        assert!(killed.success());
        assert_eq!(terminal.exit_code(), 130, "{signal}");
        assert_eq!(
            terminal.tmux(&["display-message", "-p", "#{alternate_on}"]).trim(),
            "0",
            "{signal}"
        );
    }
}

#[test]
fn the_key_bindings_insert_paths_into_the_command_line() {
    if !is_installed() {
        return;
    }
    let workspace = Workspace::shop();
    let command = "PATH=\"$(dirname \"$LORE\"):$PATH\" PS1='$ ' exec bash --norc --noprofile";
    let terminal = Terminal::shell(&workspace, SIZE, command);
    terminal.wait("a prompt", |screen| screen[0] == "$");
    terminal.type_text("eval \"$(lore completions bash --keys)\"; clear\n");
    terminal.wait("a prompt", |screen| screen[0] == "$");
    terminal.type_text("wc -l ");
    terminal.press("Ctrl-x");
    terminal.press("Ctrl-f");
    terminal.wait("the picker", |screen| screen.iter().any(|row| row.contains("hybrid · all")));
    terminal.type_text("path:ledger.rs");
    terminal.wait("the file", |screen| screen.iter().any(|row| row.starts_with("▌ src/ledger.rs")));
    terminal.press("Enter");
    terminal.wait("the path", |screen| screen.iter().any(|row| row == "$ wc -l src/ledger.rs"));
}

#[test]
fn the_key_bindings_are_valid_in_their_shells() {
    let workspace = Workspace::empty();
    for shell in ["bash", "fish", "zsh"] {
        let ran = workspace.run(&["completions", shell, "--keys"]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        workspace.write("keys", ran.stdout);
        let checked = Command::new(shell).arg("-n").arg(workspace.tree().join("keys")).output();
        match checked {
            Ok(output) => assert!(output.status.success(), "{shell}: {output:?}"),
            Err(_) => {
                eprintln!("NOT CHECKED: the key bindings of {shell}, which is not installed.");
            }
        }
    }
    let ran = workspace.run(&["completions", "elvish", "--keys"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
}
