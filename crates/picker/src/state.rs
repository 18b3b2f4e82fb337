//! The state of the picker: a function of events to a new state and effects.
//!
//! **Invariant:** pure: no terminal, no clock, no threads.

use ratatui::{
    crossterm::event::{
        Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEventKind,
    },
    layout::Rect,
};

use crate::{
    Answer, Item, Mode, Outcome, Report, Request,
    keys::{self, Action, Edit, Move},
    layout::Layout,
    line::Line,
    preview::Preview,
};

/// Number of items that the mouse wheel moves.
const WHEEL: isize = 3;

/// Something to do after an event.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Effect {
    /// Answer the request; older ones are no longer wanted.
    Search(Request),
    /// Read the text behind the item.
    Read(Item),
    /// Put a text into the clipboard.
    Copy(String),
    /// Draw every cell again.
    Redraw,
    /// Leave the picker.
    Leave(Outcome),
}

/// Choices before the picker starts.
#[derive(Debug, Clone, Default)]
pub(crate) struct Setup {
    pub(crate) query: String,
    pub(crate) mode: Mode,
    /// Names of the sources that can be chosen.
    pub(crate) sources: Vec<String>,
    /// Name of the source that is searched first.
    pub(crate) source: Option<String>,
    /// Earlier queries, oldest first.
    pub(crate) history: Vec<String>,
    /// True if several items can be selected.
    pub(crate) multi: bool,
}

/// Everything that is shown.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is an independent switch")]
pub(crate) struct State {
    pub(crate) line: Line,
    pub(crate) mode: Mode,
    sources: Vec<String>,
    /// Position among the sources; `None` for all.
    source: Option<usize>,
    pub(crate) multi: bool,
    /// The newest request.
    newest: u64,
    /// The request whose answer is shown.
    answered: u64,
    pub(crate) items: Vec<Item>,
    pub(crate) total: u64,
    pub(crate) note: Option<String>,
    pub(crate) report: Report,
    /// Position of the current item.
    pub(crate) cursor: usize,
    /// Position of the first visible item.
    pub(crate) top: usize,
    /// Selected items, in the order of their selection.
    pub(crate) selected: Vec<Item>,
    pub(crate) is_preview_shown: bool,
    pub(crate) preview: Option<Preview>,
    /// Lines by which the preview is scrolled.
    pub(crate) scrolled: isize,
    pub(crate) is_help_shown: bool,
    history: Vec<String>,
    /// Position in the history; its length for the query that is typed now.
    past: usize,
    /// The query that is typed now, while an earlier one is shown.
    typed: String,
    /// Size of the screen.
    pub(crate) size: (u16, u16),
    is_reload_wanted: bool,
}

impl State {
    /// The state before the first event, and the first request.
    pub(crate) fn new(setup: Setup, size: (u16, u16)) -> (State, Vec<Effect>) {
        let source =
            setup.source.and_then(|name| setup.sources.iter().position(|known| *known == name));
        let mut state = State {
            line: Line::new(&setup.query),
            mode: setup.mode,
            sources: setup.sources,
            source,
            multi: setup.multi,
            newest: 0,
            answered: 0,
            items: Vec::new(),
            total: 0,
            note: None,
            report: Report::default(),
            cursor: 0,
            top: 0,
            selected: Vec::new(),
            is_preview_shown: true,
            preview: None,
            scrolled: 0,
            is_help_shown: false,
            past: setup.history.len(),
            history: setup.history,
            typed: String::new(),
            size,
            is_reload_wanted: false,
        };
        let effects = state.search();
        (state, effects)
    }

    /// Name of the source that is searched; `all` for all.
    pub(crate) fn source_name(&self) -> &str {
        self.source.map_or("all", |at| &self.sources[at])
    }

    /// Returns true if the answer to the newest request is not there yet.
    pub(crate) fn is_searching(&self) -> bool {
        self.answered != self.newest
    }

    /// The item at the cursor.
    pub(crate) fn current(&self) -> Option<&Item> {
        self.items.get(self.cursor)
    }

    /// The parts of the screen.
    fn layout(&self) -> Layout {
        Layout::new(Rect::new(0, 0, self.size.0, self.size.1), self.is_preview_shown)
    }

    /// Returns true if the item is selected.
    pub(crate) fn is_selected(&self, item: &Item) -> bool {
        self.selected.iter().any(|selected| selected.key == item.key)
    }

    /// The selected items, or the one at the cursor.
    pub(crate) fn chosen(&self) -> Vec<Item> {
        if self.selected.is_empty() {
            self.current().cloned().into_iter().collect()
        } else {
            self.selected.clone()
        }
    }

    /// Applies an event of the terminal.
    pub(crate) fn on_event(&mut self, event: &Event) -> Vec<Effect> {
        match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => self.on_key(key),
            Event::Paste(text) => {
                self.line.insert(text);
                self.edited()
            }
            Event::Resize(width, height) => {
                self.size = (*width, *height);
                self.show_cursor();
                Vec::new()
            }
            Event::Mouse(mouse) => {
                let in_preview = self.layout().preview_contains(mouse.column, mouse.row);
                match mouse.kind {
                    MouseEventKind::ScrollDown if in_preview => self.scroll(WHEEL),
                    MouseEventKind::ScrollUp if in_preview => self.scroll(-WHEEL),
                    MouseEventKind::ScrollDown => self.move_by(WHEEL),
                    MouseEventKind::ScrollUp => self.move_by(-WHEEL),
                    MouseEventKind::Down(MouseButton::Left) => self.click(mouse.column, mouse.row),
                    _ => Vec::new(),
                }
            }
            _ => Vec::new(),
        }
    }

    /// Applies an answer. One to an older request changes nothing.
    pub(crate) fn on_answer(&mut self, answer: Answer) -> Vec<Effect> {
        if answer.number != self.newest {
            return Vec::new();
        }
        self.answered = answer.number;
        self.items = answer.items;
        self.total = answer.total;
        self.note = answer.note;
        self.cursor = 0;
        self.top = 0;
        self.read()
    }

    /// Applies the text behind an item, unless another item is current now.
    pub(crate) fn on_preview(&mut self, preview: Preview) {
        if self.current().is_some_and(|item| item.key == preview.key) {
            self.preview = Some(preview);
        }
    }

    /// Applies the state of the search.
    pub(crate) fn on_report(&mut self, report: Report) {
        self.report = report;
    }

    fn on_key(&mut self, key: &KeyEvent) -> Vec<Effect> {
        let action = keys::action(key);
        if self.is_help_shown {
            self.is_help_shown = false;
            let is_exit = *key == KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
            return if is_exit { vec![Effect::Leave(Outcome::Cancelled)] } else { Vec::new() };
        }
        if let Some(action) = action {
            return self.act(action);
        }
        let is_plain = (key.modifiers - KeyModifiers::SHIFT).is_empty()
            // AltGr on some keyboards.
            || key.modifiers.contains(KeyModifiers::CONTROL | KeyModifiers::ALT);
        match key.code {
            KeyCode::Char(letter) if is_plain => {
                self.line.insert(letter.encode_utf8(&mut [0; 4]));
                self.edited()
            }
            _ => Vec::new(),
        }
    }

    fn act(&mut self, action: Action) -> Vec<Effect> {
        match action {
            Action::Accept => vec![Effect::Leave(Outcome::Accepted)],
            Action::Cancel => vec![Effect::Leave(Outcome::Cancelled)],
            Action::Quickfix => vec![Effect::Leave(Outcome::Quickfix)],
            Action::Copy => self.copy(),
            Action::Edit(Edit::DeleteForward) if self.line.text().is_empty() => {
                vec![Effect::Leave(Outcome::Cancelled)]
            }
            Action::Edit(edit) => {
                let before = self.line.text().to_owned();
                self.line.edit(edit);
                if self.line.text() == before { Vec::new() } else { self.edited() }
            }
            Action::Help => {
                self.is_help_shown = true;
                Vec::new()
            }
            Action::Mode => {
                self.mode = self.mode.next();
                self.search()
            }
            Action::Source => {
                self.source = match self.source {
                    None if self.sources.is_empty() => None,
                    None => Some(0),
                    Some(at) => (at + 1 < self.sources.len()).then_some(at + 1),
                };
                self.search()
            }
            Action::Move(direction) => self.go(direction),
            Action::Older => self.recall(-1),
            Action::Newer => self.recall(1),
            Action::Preview => {
                self.is_preview_shown = !self.is_preview_shown;
                self.show_cursor();
                self.read()
            }
            Action::PreviewDown => self.scroll(1),
            Action::PreviewUp => self.scroll(-1),
            Action::Reload => {
                self.is_reload_wanted = true;
                let mut effects = self.search();
                effects.push(Effect::Redraw);
                effects
            }
            Action::SelectDown => self.select(1),
            Action::SelectUp => self.select(-1),
        }
    }

    /// Requests an answer to the query as it is now.
    fn search(&mut self) -> Vec<Effect> {
        self.newest += 1;
        vec![Effect::Search(Request {
            number: self.newest,
            query: self.line.text().to_owned(),
            mode: self.mode,
            source: self.source.map(|at| self.sources[at].clone()),
            reload: std::mem::take(&mut self.is_reload_wanted),
        })]
    }

    fn edited(&mut self) -> Vec<Effect> {
        self.past = self.history.len();
        self.search()
    }

    /// Shows an earlier or later query of the history.
    fn recall(&mut self, step: isize) -> Vec<Effect> {
        let next = self.past.saturating_add_signed(step).min(self.history.len());
        if next == self.past {
            return Vec::new();
        }
        if self.past == self.history.len() {
            self.line.text().clone_into(&mut self.typed);
        }
        self.past = next;
        self.line = Line::new(self.history.get(next).unwrap_or(&self.typed));
        self.search()
    }

    fn go(&mut self, direction: Move) -> Vec<Effect> {
        let page = isize::try_from(self.layout().list.height.max(1)).unwrap_or(1);
        match direction {
            Move::Down => self.move_by(1),
            Move::Up => self.move_by(-1),
            Move::PageDown => self.move_by(page),
            Move::PageUp => self.move_by(-page),
            Move::First => self.move_by(isize::MIN),
            Move::Last => self.move_by(isize::MAX),
        }
    }

    fn move_by(&mut self, step: isize) -> Vec<Effect> {
        let last = self.items.len().saturating_sub(1);
        self.move_to(self.cursor.saturating_add_signed(step).min(last))
    }

    fn move_to(&mut self, cursor: usize) -> Vec<Effect> {
        let is_moved = cursor != self.cursor;
        self.cursor = cursor;
        self.show_cursor();
        if is_moved { self.read() } else { Vec::new() }
    }

    /// Scrolls the list so that the cursor is visible.
    fn show_cursor(&mut self) {
        let height = usize::from(self.layout().list.height.max(1));
        self.top = self.top.min(self.cursor).max((self.cursor + 1).saturating_sub(height));
    }

    fn select(&mut self, step: isize) -> Vec<Effect> {
        let Some(item) = self.current().cloned() else { return Vec::new() };
        if self.is_selected(&item) {
            self.selected.retain(|selected| selected.key != item.key);
        } else if self.multi {
            self.selected.push(item);
        }
        self.move_by(step)
    }

    fn click(&mut self, column: u16, row: u16) -> Vec<Effect> {
        let list = self.layout().list;
        let is_inside =
            (list.x..list.right()).contains(&column) && (list.y..list.bottom()).contains(&row);
        let index = self.top + usize::from(row.saturating_sub(list.y));
        if !is_inside || index >= self.items.len() {
            return Vec::new();
        }
        if index == self.cursor {
            return vec![Effect::Leave(Outcome::Accepted)];
        }
        self.move_to(index)
    }

    fn scroll(&mut self, step: isize) -> Vec<Effect> {
        let height = usize::from(self.layout().preview_text_height());
        if let Some(preview) = &self.preview {
            let scrolled = self.scrolled.saturating_add(step);
            if preview.top(height, scrolled) != preview.top(height, self.scrolled) {
                self.scrolled = scrolled;
            }
        }
        Vec::new()
    }

    /// Requests the text behind the current item, if it is shown.
    fn read(&mut self) -> Vec<Effect> {
        self.scrolled = 0;
        match self.current() {
            Some(item) if self.is_preview_shown => vec![Effect::Read(item.clone())],
            _ => {
                self.preview = None;
                Vec::new()
            }
        }
    }

    fn copy(&mut self) -> Vec<Effect> {
        let places: Vec<String> = self.chosen().iter().map(Item::location).collect();
        if places.is_empty() {
            return Vec::new();
        }
        self.note = Some(match places.as_slice() {
            [place] => format!("copied {place}"),
            places => format!("copied {} places", places.len()),
        });
        vec![Effect::Copy(places.join("\n"))]
    }
}

#[cfg(test)]
mod tests;
