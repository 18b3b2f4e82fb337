//! Screens of several sizes, while they change and while keys arrive fast.

use std::{
    thread,
    time::{Duration, Instant},
};

use crate::{
    tmux::{Terminal, is_answered, is_installed},
    workspace::Workspace,
};

/// Characters that the fast test types, each once.
const ALPHABET: &str = "abcdefghijklmnopqrstuvwxyz0123456789";

/// Time between two of 60 keystrokes a second.
const KEY_INTERVAL: Duration = Duration::from_micros(16_667);

/// The numbers of the status line: listed and found items.
fn numbers(screen: &[String]) -> Option<(usize, usize)> {
    let (listed, found) = screen.first()?.rsplit(" · ").next()?.trim().split_once('/')?;
    Some((listed.parse().ok()?, found.parse().ok()?))
}

#[test]
fn no_stale_answer_is_shown_at_60_keystrokes_a_second() {
    if !is_installed() {
        return;
    }
    // A query of the first n letters matches all but the shortest n - 1 names.
    let workspace = Workspace::empty();
    for length in 1..=ALPHABET.len() {
        workspace.write(&ALPHABET[..length], "text\n");
    }
    let terminal = Terminal::pick(&workspace, (100, 24), "--mode files");
    terminal.wait_for_query("");
    let check_frame = || {
        let screen = terminal.screen();
        let Some(query) = screen[0].strip_prefix("> ").and_then(|row| row.split(' ').next()) else {
            panic!("no query: {screen:#?}");
        };
        if is_answered(&screen, query) {
            let expected = ALPHABET.len() - query.len().saturating_sub(1);
            assert_eq!(numbers(&screen), Some((expected, expected)), "{screen:#?}");
        }
    };
    let mut due = Instant::now();
    let mut keys = 0;
    let mut press = |key: &str| {
        terminal.press(key);
        keys += 1;
        if keys % 4 == 0 {
            check_frame();
        }
        due += KEY_INTERVAL;
        thread::sleep(due.saturating_duration_since(Instant::now()));
    };
    for letter in ALPHABET.chars() {
        press(&letter.to_string());
    }
    for _ in 3..ALPHABET.len() {
        press("Backspace");
    }
    let screen = terminal.wait_for_query("abc");
    assert_eq!(numbers(&screen), Some((34, 34)), "{screen:#?}");
}

#[test]
fn a_screen_that_changes_its_size_is_drawn_again() {
    if !is_installed() {
        return;
    }
    let workspace = Workspace::shop();
    let terminal = Terminal::pick(&workspace, (120, 40), "refund");
    let screen = terminal.wait("a preview beside the list", |screen| {
        is_answered(screen, "refund") && screen.iter().any(|row| row.contains("│▌"))
    });
    assert!(screen[1].starts_with("▌ "), "{screen:#?}");
    for (columns, rows) in [(80_u16, 24_u16), (60, 20), (20, 5), (12, 3), (120, 40)] {
        let (width, height) = (columns.to_string(), rows.to_string());
        terminal.tmux(&["resize-window", "-x", &width, "-y", &height]);
        terminal.press("Down");
        terminal.press("Up");
        let screen = terminal.wait("the new size", |screen| {
            screen.len() <= usize::from(rows)
                && screen.first().is_some_and(|row| row.starts_with("> "))
                && screen.get(1).is_some_and(|row| row.starts_with('▌'))
        });
        assert!(
            screen.iter().all(|row| row.chars().count() <= usize::from(columns)),
            "{screen:#?}"
        );
    }
    terminal.press("Esc");
    assert_eq!(terminal.exit_code(), 130);
}

#[test]
fn a_part_of_the_screen_leaves_the_rest_as_it_is() {
    if !is_installed() {
        return;
    }
    let workspace = Workspace::shop();
    let command = "echo before; \"$LORE\" pick --height 8 --print; echo after $?; sleep 600";
    let terminal = Terminal::shell(&workspace, (80, 24), command);
    let below = |screen: &[String]| screen.get(1..).map(<[String]>::to_vec).unwrap_or_default();
    terminal.wait("the picker below the first row", |screen| is_answered(&below(screen), ""));
    terminal.type_text("ledger");
    let screen = terminal.wait("an answer", |screen| is_answered(&below(screen), "ledger"));
    assert_eq!(screen[0], "before");
    assert!(screen.iter().skip(9).all(String::is_empty), "{screen:#?}");
    terminal.press("Enter");
    let screen =
        terminal.wait("the end", |screen| screen.iter().any(|row| row.starts_with("after")));
    assert_eq!(screen[0], "before");
    assert!(screen[1].contains("ledger"), "{screen:#?}");
    assert_eq!(screen[2], "after 0");
}

#[test]
fn an_empty_tree_and_wide_characters_are_shown() {
    if !is_installed() {
        return;
    }
    let workspace = Workspace::empty();
    let terminal = Terminal::pick(&workspace, (60, 10), "");
    terminal.wait("nothing to list", |screen| screen[0].contains("0/0"));
    terminal.type_text("nothing");
    terminal.wait("no match", |screen| screen[1].contains("Nothing matches."));
    terminal.press("Enter");
    assert_eq!(terminal.exit_code(), 1);
    drop(terminal);
    workspace.write("漢字/目录.md", "# 返金\n\n返金を再試行する 🙂\n");
    let terminal = Terminal::pick(&workspace, (40, 10), "--mode files 漢");
    let screen = terminal
        .wait("a wide name", |screen| screen.iter().any(|row| row.contains("漢字/目录.md")));
    assert!(screen[0].starts_with("> 漢"), "{screen:#?}");
}
