//! Tables of events and the state that they lead to.

use ratatui::crossterm::event::{MouseEvent, MouseEventKind};

use super::*;

fn item(name: &str) -> Item {
    Item {
        key: name.to_owned(),
        path: Some(name.to_owned()),
        place: name.to_owned(),
        line: Some(7),
        ..Item::default()
    }
}

/// A state of 80 by 24 cells that shows items.
fn state(setup: Setup, names: &[&str]) -> State {
    let (mut state, effects) = State::new(setup, (80, 24));
    assert!(matches!(effects.as_slice(), [Effect::Search(request)] if request.number == 1));
    answer(&mut state, 1, names);
    state
}

fn answer(state: &mut State, number: u64, names: &[&str]) -> Vec<Effect> {
    let items: Vec<Item> = names.iter().map(|name| item(name)).collect();
    state.on_answer(Answer { number, total: items.len() as u64, items, note: None })
}

fn multi() -> Setup {
    Setup { multi: true, ..Setup::default() }
}

/// Presses keys, named as in the table; a name of one letter types it.
fn press(state: &mut State, keys: &str) -> Vec<Effect> {
    keys.split(' ').flat_map(|name| state.on_event(&Event::Key(key(name)))).collect()
}

fn key(name: &str) -> KeyEvent {
    let mut modifiers = KeyModifiers::NONE;
    let mut rest = name;
    for (prefix, modifier) in [
        ("Ctrl-", KeyModifiers::CONTROL),
        ("Alt-", KeyModifiers::ALT),
        ("Shift-", KeyModifiers::SHIFT),
    ] {
        if let Some(after) = rest.strip_prefix(prefix) {
            modifiers |= modifier;
            rest = after;
        }
    }
    let code = match rest {
        "Tab" if modifiers.contains(KeyModifiers::SHIFT) => KeyCode::BackTab,
        "Tab" => KeyCode::Tab,
        "Enter" => KeyCode::Enter,
        "Esc" => KeyCode::Esc,
        "Up" => KeyCode::Up,
        "Down" => KeyCode::Down,
        "Left" => KeyCode::Left,
        "Right" => KeyCode::Right,
        "Home" => KeyCode::Home,
        "End" => KeyCode::End,
        "PageUp" => KeyCode::PageUp,
        "PageDown" => KeyCode::PageDown,
        "Backspace" => KeyCode::Backspace,
        "Delete" => KeyCode::Delete,
        "F1" => KeyCode::F(1),
        letter => KeyCode::Char(letter.chars().next().expect("a letter")),
    };
    KeyEvent::new(code, modifiers)
}

fn request(effects: &[Effect]) -> &Request {
    match effects {
        [Effect::Search(request), ..] => request,
        other => panic!("no search: {other:?}"),
    }
}

#[test]
fn every_key_of_the_table_has_an_effect_or_changes_the_state() {
    for row in keys::table() {
        for name in row.keys.split(' ') {
            let history = vec!["old".to_owned(), "older".to_owned()];
            let setup = Setup {
                query: "foo bar baz".to_owned(),
                history,
                sources: vec!["code".to_owned()],
                ..multi()
            };
            let mut state = state(setup, &["a", "b", "c"]);
            let document = crate::Document { text: "x\n".repeat(90), path: None, has_lines: true };
            state.on_preview(Preview::new(&item("a"), &document));
            // In the middle of everything, so that every movement is possible.
            press(&mut state, "Ctrl-Up Ctrl-Down Alt-b Down");
            state.on_preview(Preview::new(&item("b"), &document));
            press(&mut state, "Shift-Down Shift-Down");
            if name == "Ctrl-Down" {
                press(&mut state, "Ctrl-Up");
            }
            let before = format!("{state:?}");
            let effects = press(&mut state, name);
            assert!(!effects.is_empty() || format!("{state:?}") != before, "{name}");
        }
    }
}

#[test]
fn only_the_answer_to_the_newest_request_is_shown() {
    let mut state = state(multi(), &["first"]);
    assert_eq!(request(&press(&mut state, "x")).query, "x");
    assert!(state.is_searching());
    press(&mut state, "y");
    assert_eq!(answer(&mut state, 2, &["stale"]), []);
    assert_eq!(state.items[0].key, "first");
    assert!(state.is_searching());
    assert_eq!(answer(&mut state, 3, &["newest"]), [Effect::Read(item("newest"))]);
    assert_eq!(state.items[0].key, "newest");
    assert!(!state.is_searching());
}

#[test]
fn a_preview_of_another_item_is_dropped() {
    let mut state = state(multi(), &["a", "b"]);
    let document = crate::Document::default();
    state.on_preview(Preview::new(&item("b"), &document));
    assert!(state.preview.is_none());
    state.on_preview(Preview::new(&item("a"), &document));
    assert!(state.preview.is_some());
}

#[test]
fn the_cursor_stays_in_the_list() {
    let check = |keys: &str, expected: usize| {
        let mut state = state(multi(), &["a", "b", "c", "d"]);
        press(&mut state, keys);
        assert_eq!(state.cursor, expected, "{keys}");
    };
    check("Down", 1);
    check("Ctrl-n Ctrl-j Ctrl-p", 1);
    check("Up", 0);
    check("Down Down Down Down Down", 3);
    check("PageDown", 3);
    check("PageDown PageUp", 0);
    check("Alt->", 3);
    check("Alt-> Alt-<", 0);
    check("Tab Tab", 2);
    check("Down Shift-Tab", 0);
}

#[test]
fn the_list_scrolls_with_the_cursor_and_the_size() {
    let names: Vec<String> = (0..100).map(|number| number.to_string()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut state = state(multi(), &names);
    press(&mut state, "Ctrl-o Alt->");
    assert_eq!((state.cursor, state.top), (99, 78));
    state.on_event(&Event::Resize(20, 5));
    assert_eq!((state.cursor, state.top), (99, 96));
    state.on_event(&Event::Resize(0, 0));
    press(&mut state, "Up PageUp Alt-<");
    assert_eq!((state.cursor, state.top), (0, 0));
}

#[test]
fn items_are_selected_and_chosen_in_order() {
    let check = |setup: Setup, keys: &str, expected: &[&str]| {
        let mut state = state(setup, &["a", "b", "c"]);
        press(&mut state, keys);
        let chosen: Vec<String> = state.chosen().into_iter().map(|item| item.key).collect();
        assert_eq!(chosen, expected, "{keys}");
    };
    check(multi(), "Down", &["b"]);
    check(multi(), "Tab Tab", &["a", "b"]);
    check(multi(), "Down Tab Up Up Tab", &["b", "a"]);
    check(multi(), "Tab Up Tab", &["b"]);
    check(Setup::default(), "Tab Down", &["c"]);
}

#[test]
fn selected_items_survive_another_query() {
    let mut state = state(multi(), &["a", "b"]);
    press(&mut state, "Tab x");
    answer(&mut state, 2, &["c"]);
    assert_eq!(state.chosen(), [item("a")]);
    assert!(!state.is_selected(&item("c")));
}

#[test]
fn modes_and_sources_are_cycled_and_searched() {
    let setup = Setup { sources: vec!["code".to_owned(), "docs".to_owned()], ..multi() };
    let mut state = state(setup, &["a"]);
    let modes: Vec<Mode> = (0..5).map(|_| request(&press(&mut state, "Ctrl-r")).mode).collect();
    assert_eq!(modes, [Mode::Lexical, Mode::Symbols, Mode::Files, Mode::Hybrid, Mode::Lexical]);
    let sources: Vec<Option<String>> =
        (0..3).map(|_| request(&press(&mut state, "Ctrl-s")).source.clone()).collect();
    assert_eq!(sources, [Some("code".to_owned()), Some("docs".to_owned()), None]);
}

#[test]
fn the_history_is_recalled_and_the_typed_query_kept() {
    let history = vec!["first".to_owned(), "second".to_owned()];
    let mut state = state(Setup { history, ..multi() }, &[]);
    press(&mut state, "n e w");
    let check = |state: &mut State, keys: &str, expected: &str| {
        press(state, keys);
        assert_eq!(state.line.text(), expected, "{keys}");
    };
    check(&mut state, "Ctrl-Up", "second");
    check(&mut state, "Ctrl-Up", "first");
    check(&mut state, "Ctrl-Up", "first");
    check(&mut state, "Ctrl-Down", "second");
    check(&mut state, "Ctrl-Down", "new");
    check(&mut state, "Ctrl-Down", "new");
}

#[test]
fn keys_leave_the_picker_with_their_outcome() {
    let check = |query: &str, keys: &str, expected: Option<Outcome>| {
        let mut state = state(Setup { query: query.to_owned(), ..multi() }, &["a"]);
        let effects = press(&mut state, keys);
        let left = effects.iter().find_map(|effect| match effect {
            Effect::Leave(outcome) => Some(*outcome),
            _ => None,
        });
        assert_eq!(left, expected, "{query:?} {keys}");
    };
    check("", "Enter", Some(Outcome::Accepted));
    check("", "Ctrl-q", Some(Outcome::Quickfix));
    for key in ["Esc", "Ctrl-c", "Ctrl-g", "Ctrl-d"] {
        check("", key, Some(Outcome::Cancelled));
    }
    check("a", "Ctrl-d", None);
    check("a", "F1 Esc", None);
    check("a", "F1 Ctrl-c", Some(Outcome::Cancelled));
    check("a", "F1 Esc Esc", Some(Outcome::Cancelled));
}

#[test]
fn places_are_copied() {
    let mut state = state(multi(), &["a", "b"]);
    assert_eq!(press(&mut state, "Ctrl-y"), [Effect::Copy("a:7".to_owned())]);
    assert_eq!(state.note.as_deref(), Some("copied a:7"));
    press(&mut state, "Tab Tab");
    assert_eq!(press(&mut state, "Ctrl-y"), [Effect::Copy("a:7\nb:7".to_owned())]);
    assert_eq!(press(&mut super::tests::state(multi(), &[]), "Ctrl-y"), []);
}

#[test]
fn a_paste_is_one_edit() {
    let mut state = state(multi(), &["a"]);
    let effects = state.on_event(&Event::Paste("kind:function\nsave".to_owned()));
    assert_eq!(request(&effects).query, "kind:function save");
}

#[test]
fn a_click_moves_and_a_second_one_chooses() {
    let mut state = state(multi(), &["a", "b", "c"]);
    let click = |column, row| {
        let kind = MouseEventKind::Down(MouseButton::Left);
        Event::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE })
    };
    assert_eq!(state.on_event(&click(5, 2)), [Effect::Read(item("b"))]);
    assert_eq!(state.on_event(&click(5, 2)), [Effect::Leave(Outcome::Accepted)]);
    assert_eq!(state.on_event(&click(5, 0)), [], "the query");
    assert_eq!(state.on_event(&click(5, 8)), [], "below the items");
    let wheel = Event::Mouse(MouseEvent {
        kind: MouseEventKind::ScrollDown,
        column: 5,
        row: 2,
        modifiers: KeyModifiers::NONE,
    });
    state.on_event(&wheel);
    assert_eq!(state.cursor, 2);
}
