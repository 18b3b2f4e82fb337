//! The keys: one table for the picker, its help, the guide and the tests.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// An action of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Action {
    Accept,
    Cancel,
    Copy,
    Edit(Edit),
    Help,
    Mode,
    Move(Move),
    Newer,
    Older,
    Preview,
    PreviewDown,
    PreviewUp,
    Quickfix,
    Reload,
    SelectDown,
    SelectUp,
    Source,
}

/// A movement in the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Move {
    Down,
    First,
    Last,
    PageDown,
    PageUp,
    Up,
}

/// An edit of the query, as in readline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Edit {
    Back,
    BackWord,
    ClearBack,
    DeleteBack,
    DeleteForward,
    DeleteWordBack,
    DeleteWordForward,
    End,
    Forward,
    ForwardWord,
    Start,
}

/// Keys with the same action.
pub(crate) struct Binding {
    /// Names such as `Ctrl-n`, separated by spaces.
    keys: &'static str,
    action: Action,
    help: &'static str,
}

/// All keys, in the order of the help.
pub(crate) const BINDINGS: &[Binding] = &[
    row("Down Ctrl-n Ctrl-j", Action::Move(Move::Down), "next item"),
    row("Up Ctrl-p Ctrl-k", Action::Move(Move::Up), "previous item"),
    row("PageDown", Action::Move(Move::PageDown), "one page down"),
    row("PageUp", Action::Move(Move::PageUp), "one page up"),
    row("Alt-<", Action::Move(Move::First), "first item"),
    row("Alt->", Action::Move(Move::Last), "last item"),
    row("Enter", Action::Accept, "open in the editor, or print"),
    row("Tab", Action::SelectDown, "select or unselect, then next item"),
    row("Shift-Tab", Action::SelectUp, "select or unselect, then previous item"),
    row("Ctrl-q", Action::Quickfix, "open selected or all items as a quickfix list, or print them"),
    row("Ctrl-y", Action::Copy, "copy path:line to the clipboard"),
    row("Ctrl-o", Action::Preview, "show or hide the preview"),
    row("Shift-Down Alt-j", Action::PreviewDown, "scroll the preview down"),
    row("Shift-Up Alt-k", Action::PreviewUp, "scroll the preview up"),
    row("Ctrl-r", Action::Mode, "next mode: hybrid, lexical, symbols, files"),
    row("Ctrl-s", Action::Source, "next source: all, then one at a time"),
    row("Ctrl-Up", Action::Older, "earlier query"),
    row("Ctrl-Down", Action::Newer, "later query"),
    row("Ctrl-l", Action::Reload, "read the tree again and redraw"),
    row("F1", Action::Help, "show or hide this help"),
    row("Esc Ctrl-c Ctrl-g", Action::Cancel, "quit"),
    row("Left Ctrl-b", Action::Edit(Edit::Back), "one character to the left"),
    row("Right Ctrl-f", Action::Edit(Edit::Forward), "one character to the right"),
    row("Alt-b", Action::Edit(Edit::BackWord), "one word to the left"),
    row("Alt-f", Action::Edit(Edit::ForwardWord), "one word to the right"),
    row("Home Ctrl-a", Action::Edit(Edit::Start), "start of the query"),
    row("End Ctrl-e", Action::Edit(Edit::End), "end of the query"),
    row("Backspace Ctrl-h", Action::Edit(Edit::DeleteBack), "delete the character to the left"),
    row(
        "Delete Ctrl-d",
        Action::Edit(Edit::DeleteForward),
        "delete the character to the right; Ctrl-d quits if the query is empty",
    ),
    row("Ctrl-w Alt-Backspace", Action::Edit(Edit::DeleteWordBack), "delete the word to the left"),
    row("Alt-d", Action::Edit(Edit::DeleteWordForward), "delete the word to the right"),
    row("Ctrl-u", Action::Edit(Edit::ClearBack), "delete everything to the left"),
];

const fn row(keys: &'static str, action: Action, help: &'static str) -> Binding {
    Binding { keys, action, help }
}

/// A row of the table of keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyRow {
    /// Names of keys, separated by spaces: `Down Ctrl-n Ctrl-j`.
    pub keys: &'static str,
    /// The effect.
    pub help: &'static str,
}

/// The table of keys, in the order of the help.
pub fn table() -> Vec<KeyRow> {
    BINDINGS.iter().map(|binding| KeyRow { keys: binding.keys, help: binding.help }).collect()
}

/// The action of a key; `None` if it has none.
pub(crate) fn action(event: &KeyEvent) -> Option<Action> {
    let name = name(event)?;
    let has = |binding: &&Binding| binding.keys.split(' ').any(|key| key == name);
    BINDINGS.iter().find(has).map(|binding| binding.action)
}

/// The name of a key, as in the table.
fn name(event: &KeyEvent) -> Option<String> {
    let code = match event.code {
        KeyCode::Backspace => "Backspace".to_owned(),
        KeyCode::Enter => "Enter".to_owned(),
        KeyCode::Left => "Left".to_owned(),
        KeyCode::Right => "Right".to_owned(),
        KeyCode::Up => "Up".to_owned(),
        KeyCode::Down => "Down".to_owned(),
        KeyCode::Home => "Home".to_owned(),
        KeyCode::End => "End".to_owned(),
        KeyCode::PageUp => "PageUp".to_owned(),
        KeyCode::PageDown => "PageDown".to_owned(),
        KeyCode::Tab => "Tab".to_owned(),
        KeyCode::BackTab => return Some("Shift-Tab".to_owned()),
        KeyCode::Delete => "Delete".to_owned(),
        KeyCode::Esc => "Esc".to_owned(),
        KeyCode::F(number) => format!("F{number}"),
        KeyCode::Char(letter) => letter.to_string(),
        _ => return None,
    };
    let mut name = String::new();
    let is_letter = matches!(event.code, KeyCode::Char(_));
    for (modifier, prefix) in [
        (KeyModifiers::CONTROL, "Ctrl-"),
        (KeyModifiers::ALT, "Alt-"),
        (KeyModifiers::SHIFT, if is_letter { "" } else { "Shift-" }),
    ] {
        if event.modifiers.contains(modifier) {
            name.push_str(prefix);
        }
    }
    name.push_str(&code);
    Some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_key_has_one_action() {
        let mut keys: Vec<&str> = BINDINGS.iter().flat_map(|row| row.keys.split(' ')).collect();
        let count = keys.len();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), count);
    }

    #[test]
    fn keys_are_named_with_their_modifiers() {
        let check = |code, modifiers, expected| {
            assert_eq!(action(&KeyEvent::new(code, modifiers)), expected, "{code:?} {modifiers:?}");
        };
        check(KeyCode::Char('n'), KeyModifiers::CONTROL, Some(Action::Move(Move::Down)));
        check(KeyCode::Char('n'), KeyModifiers::NONE, None);
        check(
            KeyCode::Char('>'),
            KeyModifiers::ALT | KeyModifiers::SHIFT,
            Some(Action::Move(Move::Last)),
        );
        check(KeyCode::BackTab, KeyModifiers::SHIFT, Some(Action::SelectUp));
        check(KeyCode::Up, KeyModifiers::CONTROL, Some(Action::Older));
        check(KeyCode::Up, KeyModifiers::SHIFT, Some(Action::PreviewUp));
        check(KeyCode::F(1), KeyModifiers::NONE, Some(Action::Help));
        check(KeyCode::Backspace, KeyModifiers::ALT, Some(Action::Edit(Edit::DeleteWordBack)));
    }
}
