//! Every key of the table, pressed.

use std::collections::BTreeSet;

use crate::{
    tmux::{Terminal, current, is_installed},
    workspace::Workspace,
};

/// A screen whose list is shorter than its items, with the preview below.
const SIZE: (u16, u16) = (80, 24);

/// The query that each test begins with.
const QUERY: &str = "refund payment";

/// A picker in the shop, with one recorded query.
struct Session<'w> {
    terminal: Terminal<'w>,
}

impl Session<'_> {
    /// Brings the picker back to the first item of the answer to [`QUERY`].
    fn reset(&self) {
        self.terminal.press("Ctrl-e");
        self.terminal.press("Ctrl-u");
        self.terminal.wait_for_query("");
        self.terminal.type_text(QUERY);
        let screen = self.terminal.wait_for_query(QUERY);
        assert_eq!(current(&screen), Some(0), "{screen:#?}");
    }

    fn press(&self, keys: &str) {
        for key in keys.split_whitespace() {
            self.terminal.press(key);
        }
    }

    /// Checks that keys move to an item.
    fn moves(&self, keys: &str, expected: usize) {
        self.reset();
        self.press(keys);
        self.terminal.wait(keys, |screen| current(screen) == Some(expected));
    }

    /// Checks the query after keys and an `x`.
    fn edits(&self, keys: &str, expected: &str) {
        self.reset();
        self.press(keys);
        self.terminal.type_text("x");
        self.terminal.wait_for_query(expected);
    }

    /// Checks that the screen contains a text after keys.
    fn shows(&self, keys: &str, expected: &str) {
        self.press(keys);
        self.terminal.wait(keys, |screen| screen.iter().any(|row| row.contains(expected)));
    }
}

#[test]
fn every_key_does_what_the_table_says() {
    if !is_installed() {
        return;
    }
    let workspace = Workspace::shop();
    let recorded = workspace.run(&["search", "--history", "ledger"]);
    assert_eq!(recorded.code, Some(0), "{recorded:?}");
    let session = Session { terminal: Terminal::pick(&workspace, SIZE, "--history") };
    session.terminal.wait_for_query("");
    let mut pressed = BTreeSet::new();
    let mut check = |keys: &str, check: &dyn Fn(&str)| {
        for key in keys.split(' ') {
            check(key);
            pressed.insert(key.to_owned());
        }
    };
    check("Down Ctrl-n Ctrl-j", &|key| session.moves(key, 1));
    check("Up Ctrl-p Ctrl-k", &|key| session.moves(&format!("Down Down {key}"), 1));
    check("PageDown", &|key| session.moves(key, 7));
    check("PageUp", &|key| session.moves(&format!("Down {key}"), 0));
    check("Alt->", &|key| session.moves(key, 7));
    check("Alt-<", &|key| session.moves(&format!("Down Down {key}"), 0));
    check("Tab Shift-Tab", &|key| {
        session.reset();
        session.shows(key, "(1 selected)");
        session.press(if key == "Tab" { "Up" } else { "" });
        session.press(key);
        session.terminal.wait(key, |screen| !screen[0].contains("selected"));
    });
    check("Ctrl-y", &|key| {
        session.reset();
        session.shows(key, "copied src/refund.rs:");
        session
            .terminal
            .wait(key, |_| session.terminal.tmux(&["show-buffer"]).starts_with("src/refund.rs:"));
    });
    check("Ctrl-o", &|key| {
        session.reset();
        session.press(key);
        session.terminal.wait(key, |screen| !screen.iter().any(|row| row.starts_with("───")));
        session.shows(key, "───");
    });
    check("Shift-Down Alt-j", &|key| {
        session.reset();
        let first = first_line(&session);
        session.press(key);
        session.terminal.wait(key, |screen| line_number(screen) == Some(first + 1));
    });
    check("Shift-Up Alt-k", &|key| {
        session.reset();
        let first = first_line(&session);
        session.press(key);
        session.terminal.wait(key, |screen| line_number(screen) == Some(first - 1));
    });
    check("Ctrl-r", &|key| {
        session.reset();
        for mode in ["lexical", "symbols", "files", "hybrid"] {
            session.shows(key, &format!("{mode} · all"));
        }
    });
    check("Ctrl-s", &|key| {
        session.reset();
        for source in ["code", "docs", "git", "patterns", "specs", "tickets", "all"] {
            session.shows(key, &format!("hybrid · {source}"));
        }
    });
    check("Ctrl-Up", &|key| {
        session.reset();
        session.press(key);
        session.terminal.wait_for_query("ledger");
    });
    check("Ctrl-Down", &|key| {
        session.reset();
        session.press(&format!("Ctrl-Up {key}"));
        session.terminal.wait_for_query(QUERY);
    });
    check("Ctrl-l", &|key| {
        session.reset();
        workspace.write(
            "src/later.rs",
            "/// Refund payment refund payment later.\npub fn refund_payment() {}\n",
        );
        session.shows(key, "src/later.rs");
    });
    check("F1", &|key| {
        session.shows(key, "Keys: press any to close");
        session.press(key);
        session.terminal.wait(key, |screen| !screen[0].contains("Keys"));
    });
    check("Left Ctrl-b", &|key| session.edits(key, "refund paymenxt"));
    check("Right Ctrl-f", &|key| session.edits(&format!("Home {key}"), "rxefund payment"));
    check("Alt-b", &|key| session.edits(key, "refund xpayment"));
    check("Alt-f", &|key| session.edits(&format!("Home {key}"), "refundx payment"));
    check("Home Ctrl-a", &|key| session.edits(key, "xrefund payment"));
    check("End Ctrl-e", &|key| session.edits(&format!("Home {key}"), "refund paymentx"));
    check("Backspace Ctrl-h", &|key| session.edits(key, "refund paymenx"));
    check("Delete Ctrl-d", &|key| session.edits(&format!("Home {key}"), "xefund payment"));
    check("Ctrl-w Alt-Backspace", &|key| session.edits(key, "refund x"));
    check("Alt-d", &|key| session.edits(&format!("Home {key}"), "x payment"));
    check("Ctrl-u", &|key| session.edits(key, "x"));
    drop(session);
    check("Enter Ctrl-q", &|key| {
        let terminal = Terminal::pick(&workspace, SIZE, "--mode symbols retry_refund");
        terminal.wait_for_query("retry_refund");
        terminal.press(key);
        assert_eq!(terminal.exit_code(), 0, "{key}");
        let arguments = terminal.read("edited");
        let expected = if key == "Enter" { "+37\nsrc/refund.rs\n" } else { "-q\n" };
        assert!(arguments.starts_with(expected), "{key}: {arguments}");
    });
    check("Esc Ctrl-c Ctrl-g", &|key| {
        let terminal = Terminal::pick(&workspace, SIZE, "refund");
        terminal.wait_for_query("refund");
        terminal.press(key);
        assert_eq!(terminal.exit_code(), 130, "{key}");
    });
    let table = lore_picker::table();
    let all: BTreeSet<String> =
        table.iter().flat_map(|row| row.keys.split(' ')).map(str::to_owned).collect();
    assert_eq!(pressed, all);
}

/// Number of the first line of the preview.
fn line_number(screen: &[String]) -> Option<u32> {
    let border = screen.iter().position(|row| row.starts_with("───"))?;
    let row = screen.get(border + 2)?.trim_start_matches(['▌', ' ']);
    row.split(' ').next()?.parse().ok()
}

/// The same, once the preview of the first item of the answer to [`QUERY`] is shown.
fn first_line(session: &Session<'_>) -> u32 {
    let screen = session.terminal.wait("a preview", |screen| {
        line_number(screen).is_some_and(|number| number > 1)
            && screen.iter().any(|row| row.starts_with(" src/refund.rs:"))
    });
    line_number(&screen).expect("a number")
}

#[test]
fn the_guide_has_the_table_of_keys() {
    let guide = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guide/pick.md");
    let guide = std::fs::read_to_string(guide).expect("the page is there");
    for row in lore_picker::table() {
        let keys: Vec<String> = row.keys.split(' ').map(|key| format!("`{key}`")).collect();
        let expected = format!("| {} | {} |", keys.join(", "), row.help);
        assert!(guide.contains(&expected), "{expected}");
    }
}
