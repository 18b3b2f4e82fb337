//! Draws the state into cells.

use std::ops::Range;

use lore_console::text;
use lore_highlight::{Class, Color as HighlightColor, Span as HighlightSpan, Theme, highlight};
use ratatui::{
    Frame,
    layout::{Position, Rect},
    style::{Color, Modifier, Style},
    text::{Line, Span},
    widgets::{Block, Borders, Clear, Paragraph},
};

use crate::{Item, Report, keys, layout::Layout, preview::Preview, state::State};

/// The keys that the last line names, the most important first.
const HINTS: &[&str] = &[
    "F1 help",
    "Enter open",
    "Tab select",
    "Ctrl-r mode",
    "Ctrl-s source",
    "Ctrl-o preview",
    "Esc quit",
];

/// Columns between tab stops.
const TAB: usize = 4;

/// The colours of the screen.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Colors {
    pub(crate) theme: Theme,
}

impl Colors {
    fn style(self, class: Class) -> Style {
        let look = self.theme.look(class);
        let mut style = Style::new();
        if let Some(color) = look.color {
            style = style.fg(match color {
                HighlightColor::Ansi(number) | HighlightColor::Fixed(number) => {
                    Color::Indexed(number)
                }
            });
        }
        for (is_set, modifier) in [
            (look.bold, Modifier::BOLD),
            (look.dim, Modifier::DIM),
            (look.italic, Modifier::ITALIC),
        ] {
            if is_set {
                style = style.add_modifier(modifier);
            }
        }
        style
    }

    /// A colour of the picker itself; none without colours.
    fn accent(self, number: u8) -> Style {
        if self.theme == Theme::Plain {
            Style::new()
        } else {
            Style::new().fg(Color::Indexed(number))
        }
    }
}

/// Draws everything. The frame may begin below the first row of the screen.
pub(crate) fn draw(frame: &mut Frame<'_>, state: &State, colors: Colors) {
    let area = frame.area();
    let layout = Layout::new(area, state.is_preview_shown);
    prompt(frame, state, layout.prompt, colors);
    list(frame, state, layout.list, colors);
    if !layout.preview.is_empty() {
        preview(frame, state, layout.preview, colors);
    }
    hints(frame, state, layout.hints, colors);
    if state.is_help_shown {
        help(frame, area, colors);
    }
}

fn width(text: &str) -> usize {
    Span::raw(text).width()
}

/// The end of a text that fits into a width, after an ellipsis if it was cut.
fn end_of(text: &str, room: usize) -> String {
    if width(text) <= room {
        return text.to_owned();
    }
    let mut start = text.len();
    let mut used = 1;
    for (at, letter) in text.char_indices().rev() {
        used += width(letter.encode_utf8(&mut [0; 4]));
        if used > room {
            break;
        }
        start = at;
    }
    if room == 0 { String::new() } else { format!("…{}", &text[start..]) }
}

/// The query, and the state of the search at the right.
fn prompt(frame: &mut Frame<'_>, state: &State, area: Rect, colors: Colors) {
    let columns = usize::from(area.width);
    let status = status(state);
    let query = state.line.text();
    let has_room = columns > width(&status) + 24;
    let room = columns.saturating_sub(3 + if has_room { width(&status) + 1 } else { 0 });
    // A long query is scrolled so that its cursor is visible.
    let before = end_of(&text::clean(state.line.before()), room);
    let after = text::clean(&query[state.line.before().len()..]);
    let column = 2 + width(&before);
    let typed = Line::from(vec![
        Span::styled("> ", colors.accent(4).add_modifier(Modifier::BOLD)),
        Span::raw(before),
        Span::raw(after),
    ]);
    frame.render_widget(typed, Rect { width: area.width.min(u16(room + 3)), ..area });
    if has_room {
        let style = colors.accent(8);
        let status = Line::styled(status, style).right_aligned();
        frame.render_widget(status, area);
    }
    frame.set_cursor_position(Position::new(
        area.x + u16(column.min(columns.saturating_sub(1))),
        area.y,
    ));
}

fn u16(number: usize) -> u16 {
    u16::try_from(number).unwrap_or(u16::MAX)
}

/// Mode, source and numbers: `hybrid · all · 10/340`.
fn status(state: &State) -> String {
    let progress = match &state.report {
        Report::Opening => "opening".to_owned(),
        Report::Indexing(done, known) => format!("indexing {done}/{known}"),
        Report::Ready(_) => format!("{}/{}", state.items.len(), state.total),
    };
    let selected = match state.selected.len() {
        0 => String::new(),
        count => format!(" ({count} selected)"),
    };
    let end = if state.is_searching() { " …" } else { "  " };
    format!("{} · {} · {progress}{selected}{end}", state.mode.as_str(), state.source_name())
}

fn list(frame: &mut Frame<'_>, state: &State, area: Rect, colors: Colors) {
    if state.items.is_empty() {
        let message = empty_message(state);
        let lines: Vec<Line<'_>> =
            message.iter().map(|line| Line::styled(line.as_str(), colors.accent(8))).collect();
        frame
            .render_widget(Paragraph::new(lines).wrap(ratatui::widgets::Wrap { trim: true }), area);
        return;
    }
    let columns = usize::from(area.width);
    let places = state.items.iter().map(|item| width(&item.location())).max().unwrap_or(0);
    let most =
        if state.items.iter().all(|item| item.text.is_empty()) { columns } else { columns * 2 / 5 };
    let room = places.min(most.saturating_sub(3)).max(1);
    let visible = state.items.iter().enumerate().skip(state.top).take(usize::from(area.height));
    for ((index, item), y) in visible.zip(area.y..) {
        let row = row(item, state, index, (columns, room), colors);
        frame.render_widget(row, Rect { y, height: 1, ..area });
    }
}

/// Text for a list without items.
fn empty_message(state: &State) -> Vec<String> {
    let message = match &state.report {
        Report::Opening => vec!["  The tree is opened.".to_owned()],
        Report::Indexing(..) => {
            vec!["  The index is built. Answers appear when it is ready.".to_owned()]
        }
        Report::Ready(_) if state.is_searching() => Vec::new(),
        Report::Ready(_) if state.line.text().trim().is_empty() => {
            vec!["  Type words, a question or a filter such as kind:function.".to_owned()]
        }
        Report::Ready(_) => vec!["  Nothing matches.".to_owned()],
    };
    message
        .into_iter()
        .chain(state.note.iter().map(|note| format!("  {}", text::clean(note))))
        .collect()
}

/// A row of the list: marks, place and text.
fn row<'a>(
    item: &'a Item,
    state: &State,
    index: usize,
    (columns, room): (usize, usize),
    colors: Colors,
) -> Line<'a> {
    let is_current = index == state.cursor;
    let base = if is_current { Style::new().add_modifier(Modifier::BOLD) } else { Style::new() };
    let pointer = if is_current { "▌" } else { " " };
    let mark = if state.is_selected(item) { "●" } else { " " };
    let mut spans =
        vec![Span::styled(pointer, colors.accent(5)), Span::styled(mark, colors.accent(3))];
    let place = text::clean(&item.location());
    let shown = end_of(&place, room);
    let padding = room.saturating_sub(width(&shown));
    let cut = place.chars().count() - shown.chars().count().min(place.chars().count());
    let line_start = item.place.chars().count();
    for (position, letter) in shown.chars().enumerate() {
        let original = position + cut;
        let is_match = letter != '…'
            && item.place_marks.binary_search(&u32::try_from(original).unwrap_or(u32::MAX)).is_ok();
        let mut style = if original >= line_start && item.line.is_some() {
            colors.accent(8)
        } else {
            colors.accent(6)
        };
        if item.text.is_empty() {
            style = Style::new();
        }
        if is_match {
            style = style.patch(matched(colors));
        }
        spans.push(Span::styled(letter.to_string(), style.patch(base)));
    }
    if !item.text.is_empty() {
        spans.push(Span::raw(" ".repeat(padding + 1)));
        let classes = highlight(&item.text, item.language.as_deref());
        let left = columns.saturating_sub(room + 3);
        spans.extend(code(&item.text, &classes, &item.text_marks, left, base, colors));
    }
    Line::from(spans)
}

fn matched(colors: Colors) -> Style {
    colors.accent(3).add_modifier(Modifier::BOLD | Modifier::UNDERLINED)
}

/// One line of a file, safe to print and cut to a width. `marks` are ranges of character positions.
fn code<'a>(
    line: &str,
    classes: &[HighlightSpan],
    marks: &[Range<usize>],
    columns: usize,
    base: Style,
    colors: Colors,
) -> Vec<Span<'a>> {
    let mut spans: Vec<Span<'a>> = Vec::new();
    let mut used = 0;
    let mut run = String::new();
    let mut run_style = base;
    let mut class_at = 0;
    let clean = text::clean_code(line);
    for ((position, (offset, _)), letter) in line.char_indices().enumerate().zip(clean.chars()) {
        while classes.get(class_at).is_some_and(|span| span.range.end <= offset) {
            class_at += 1;
        }
        let class = classes.get(class_at).filter(|span| span.range.contains(&offset));
        let mut style = class.map_or(base, |span| base.patch(colors.style(span.class)));
        if marks.iter().any(|range| range.contains(&position)) {
            style = style.patch(matched(colors));
        }
        let cells = if letter == '\t' { " ".repeat(TAB - used % TAB) } else { letter.to_string() };
        let cell_width = width(&cells);
        let is_cut = used + cell_width
            > columns.saturating_sub(usize::from(offset + letter.len_utf8() < line.len()));
        if style != run_style || is_cut {
            spans.push(Span::styled(std::mem::take(&mut run), run_style));
            run_style = style;
        }
        if is_cut {
            spans.push(Span::styled("…", base));
            return spans;
        }
        run.push_str(&cells);
        used += cell_width;
    }
    spans.push(Span::styled(run, run_style));
    spans
}

fn preview(frame: &mut Frame<'_>, state: &State, area: Rect, colors: Colors) {
    let is_below = area.x == frame.area().x;
    let block = Block::new()
        .borders(if is_below { Borders::TOP } else { Borders::LEFT })
        .border_style(colors.accent(8));
    let inner = block.inner(area);
    frame.render_widget(block, area);
    let Some(preview) = &state.preview else { return };
    let title = text::cut(&text::clean(&preview.title), usize::from(inner.width.saturating_sub(1)));
    let style = Style::new().add_modifier(Modifier::BOLD);
    frame.render_widget(
        Line::styled(format!(" {title}"), style),
        Rect { height: inner.height.min(1), ..inner },
    );
    let height = usize::from(inner.height.saturating_sub(1));
    let top = preview.top(height, state.scrolled);
    let digits = preview.lines.len().max(1).ilog10() as usize + 1;
    for (index, y) in (top..preview.lines.len().min(top + height)).zip(inner.y + 1..) {
        let line = preview_line(preview, index, digits, usize::from(inner.width), colors);
        frame.render_widget(line, Rect { y, height: 1, ..inner });
    }
}

fn preview_line<'a>(
    preview: &Preview,
    index: usize,
    digits: usize,
    columns: usize,
    colors: Colors,
) -> Line<'a> {
    let number = u32::try_from(index + 1).unwrap_or(u32::MAX);
    let is_answer = preview.answer.contains(&number);
    let mut spans = vec![Span::styled(if is_answer { "▌" } else { " " }, colors.accent(3))];
    let mut used = 1;
    if preview.has_numbers {
        let style = if is_answer { colors.accent(3) } else { colors.accent(8) };
        spans.push(Span::styled(format!("{number:>digits$} "), style));
        used += digits + 1;
    }
    let (line, classes) = &preview.lines[index];
    let marks: Vec<Range<usize>> = preview
        .marks
        .iter()
        .filter(|(marked, _)| *marked == number)
        .map(|(_, range)| range.clone())
        .collect();
    spans.extend(code(line, classes, &marks, columns.saturating_sub(used), Style::new(), colors));
    Line::from(spans)
}

fn hints(frame: &mut Frame<'_>, state: &State, area: Rect, colors: Colors) {
    let style = colors.accent(8);
    let mut line = String::new();
    if let Some(note) = &state.note {
        line = text::cut(&format!(" {}", text::clean(note)), usize::from(area.width));
    } else {
        for hint in HINTS {
            if width(&line) + width(hint) + 3 > usize::from(area.width) {
                break;
            }
            line.push_str("  ");
            line.push_str(hint);
        }
    }
    frame.render_widget(Line::styled(line, style), area);
}

/// The table of keys over everything else, in two columns if it does not fit into one.
fn help(frame: &mut Frame<'_>, area: Rect, colors: Colors) {
    let rows = keys::table();
    frame.render_widget(Clear, area);
    let block =
        Block::bordered().title(" Keys: press any to close ").border_style(colors.accent(8));
    let inner = block.inner(area);
    frame.render_widget(block, area);
    let height = usize::from(inner.height).max(1);
    let key_width = rows.iter().map(|row| width(&shown_keys(row.keys))).max().unwrap_or(0) + 2;
    let parts = rows.len().div_ceil(height).min(2);
    let columns = usize::from(inner.width) / parts.max(1);
    let per_part = rows.len().div_ceil(parts.max(1)).min(height);
    for (index, row) in rows.iter().enumerate().take(per_part * parts) {
        let (part, y) = (index / per_part, index % per_part);
        let keys = format!(" {}", shown_keys(row.keys));
        let padding = (key_width + 1).saturating_sub(width(&keys));
        let room = columns.saturating_sub(key_width + 2);
        let line = Line::from(vec![
            Span::styled(text::cut(&keys, columns), colors.accent(6)),
            Span::raw(" ".repeat(padding)),
            Span::raw(text::cut(row.help, room)),
        ]);
        let x = inner.x + u16(part * columns);
        frame.render_widget(line, Rect { x, y: inner.y + u16(y), width: u16(columns), height: 1 });
    }
}

fn shown_keys(keys: &str) -> String {
    keys.replace(' ', ", ")
}

#[cfg(test)]
mod tests;
