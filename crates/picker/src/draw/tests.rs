//! Screens of several sizes.

use ratatui::{Terminal, backend::TestBackend};

use super::*;
use crate::{Answer, Document, state::Setup};

fn shown(state: &State, (columns, rows): (u16, u16)) -> Vec<String> {
    let mut terminal = Terminal::new(TestBackend::new(columns, rows)).expect("a test backend");
    let colors = Colors { theme: Theme::Ansi };
    terminal.draw(|frame| draw(frame, state, colors)).expect("it is drawn");
    let buffer = terminal.backend().buffer();
    let row = |y| -> String {
        let mut text = String::new();
        let mut x = 0;
        while x < columns {
            let symbol = buffer[(x, y)].symbol();
            text.push_str(symbol);
            x += u16(width(symbol).max(1));
        }
        text.trim_end().to_owned()
    };
    (0..rows).map(row).collect()
}

fn item(path: &str, line: u32, text: &str) -> Item {
    Item {
        key: format!("{path}:{line}"),
        path: Some(path.to_owned()),
        line: Some(line),
        place: path.to_owned(),
        label: "function save".to_owned(),
        text: text.to_owned(),
        text_marks: vec![3..7; 1],
        language: Some("rust".to_owned()),
        answer: line..line + 1,
        ..Item::default()
    }
}

fn sample(query: &str, size: (u16, u16)) -> State {
    let (mut state, _) =
        State::new(Setup { query: query.to_owned(), multi: true, ..Setup::default() }, size);
    let items = vec![
        item("src/refund.rs", 3, "fn save() {}"),
        item("docs/a-long-folder-name/with-another/file.md", 12, "漢字 save the tab\there"),
    ];
    state.on_report(Report::Ready(10));
    state.on_answer(Answer { number: 1, items, total: 40, note: None });
    let document = Document {
        text: "use a;\n\nfn save() {}\n\u{1b}[31mred\u{7}".to_owned(),
        path: Some("src/refund.rs".to_owned()),
        has_lines: true,
    };
    let item = state.items[0].clone();
    state.on_preview(Preview::new(&item, &document));
    state
}

#[test]
fn a_wide_screen_has_the_preview_beside_the_list() {
    let size = (100, 9);
    let lines = shown(&sample("save", size), size);
    assert_eq!(
        lines,
        [
            "> save                                                                         hybrid · all · 2/40",
            "▌ src/refund.rs:3 fn save() {}               │ src/refund.rs:3  function save",
            "  …her/file.md:12 漢字 save the tab   here   │ 1 use a;",
            "                                             │ 2",
            "                                             │▌3 fn save() {}",
            "                                             │ 4 ␛[31mred␇",
            "                                             │",
            "                                             │",
            "  F1 help  Enter open  Tab select  Ctrl-r mode  Ctrl-s source  Ctrl-o preview  Esc quit",
        ]
    );
}

#[test]
fn a_narrow_screen_has_it_below() {
    let size = (60, 14);
    let lines = shown(&sample("save", size), size);
    assert_eq!(lines[0], "> save                                 hybrid · all · 2/40");
    assert!(lines[1].starts_with("▌ src/refund.rs:3"), "{lines:#?}");
    assert!(lines[5].starts_with("────"), "{lines:#?}");
    assert_eq!(lines[6], " src/refund.rs:3  function save");
    assert_eq!(lines[9], "▌3 fn save() {}");
}

#[test]
fn a_tiny_screen_has_the_query_and_the_list() {
    let size = (20, 5);
    let lines = shown(&sample("a long query with many words", size), size);
    assert_eq!(lines[0], "> … with many words");
    assert!(lines[1].starts_with("▌ …"), "{lines:#?}");
    for size in [(1, 1), (2, 2), (3, 1), (10, 3), (300, 2), (5, 40), (101, 1)] {
        let mut state = sample("漢字", size);
        shown(&state, size);
        state.is_help_shown = true;
        shown(&state, size);
        state.on_answer(Answer { number: 1, ..Answer::default() });
        shown(&state, size);
    }
}

#[test]
fn a_list_without_items_says_why() {
    let (mut state, _) = State::new(Setup::default(), (60, 5));
    let first = |state: &State| shown(state, (60, 5))[1].clone();
    assert_eq!(first(&state), "The tree is opened.");
    state.on_report(Report::Indexing(10, 40));
    assert_eq!(first(&state), "The index is built. Answers appear when it is ready.");
    assert!(shown(&state, (60, 5))[0].contains("indexing 10/40"));
    state.on_report(Report::Ready(1));
    assert_eq!(first(&state), "");
    state.on_answer(Answer { number: 1, ..Answer::default() });
    assert!(first(&state).starts_with("Type words"), "{}", first(&state));
}

#[test]
fn the_help_lists_every_key() {
    for size in [(120, 40), (100, 20)] {
        let mut state = sample("", size);
        state.is_help_shown = true;
        let screen = shown(&state, size).join("\n");
        for row in keys::table() {
            assert!(screen.contains(&shown_keys(row.keys)), "{size:?}: {}", row.keys);
        }
    }
}

#[test]
fn plain_screens_have_no_colours() {
    let size = (100, 9);
    let mut terminal = Terminal::new(TestBackend::new(size.0, size.1)).expect("a test backend");
    let state = sample("save", size);
    let colors = Colors { theme: Theme::Plain };
    terminal.draw(|frame| draw(frame, &state, colors)).expect("it is drawn");
    let buffer = terminal.backend().buffer();
    assert!(buffer.content().iter().all(|cell| cell.fg == Color::Reset && cell.bg == Color::Reset));
}

#[test]
fn long_names_are_cut_at_their_start() {
    assert_eq!(end_of("src/a.rs", 8), "src/a.rs");
    assert_eq!(end_of("src/a.rs", 5), "…a.rs");
    assert_eq!(end_of("漢字", 3), "…字");
    assert_eq!(end_of("漢字", 2), "…");
    assert_eq!(end_of("ab", 0), "");
}
