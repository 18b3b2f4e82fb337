//! The parts of the screen, by its size.

use ratatui::layout::{Position, Rect};

/// Minimum width of a screen with the preview beside the list.
const MIN_WIDTH_BESIDE: u16 = 100;

/// Minimum height of a screen with the preview below the list.
const MIN_HEIGHT_BELOW: u16 = 14;

/// Minimum height of a screen with a line of hints.
const MIN_HEIGHT_HINTS: u16 = 8;

/// The parts of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Layout {
    pub(crate) prompt: Rect,
    pub(crate) list: Rect,
    /// The preview with its border; empty if it is not shown.
    pub(crate) preview: Rect,
    pub(crate) hints: Rect,
}

impl Layout {
    /// The layout within an area.
    pub(crate) fn new(area: Rect, has_preview: bool) -> Layout {
        let row = |y: u16, height: u16| Rect::new(area.x, area.y + y, area.width, height);
        let hints = u16::from(area.height >= MIN_HEIGHT_HINTS);
        let body = row(1.min(area.height), area.height.saturating_sub(1 + hints));
        let (list, preview) = if !has_preview {
            (body, Rect::default())
        } else if area.width >= MIN_WIDTH_BESIDE {
            let width = area.width * 45 / 100;
            let preview = Rect { x: body.x + width, width: body.width - width, ..body };
            (Rect { width, ..body }, preview)
        } else if area.height >= MIN_HEIGHT_BELOW {
            let height = body.height * 2 / 5;
            let preview = Rect { y: body.y + height, height: body.height - height, ..body };
            (Rect { height, ..body }, preview)
        } else {
            (body, Rect::default())
        };
        Layout {
            prompt: row(0, 1.min(area.height)),
            list,
            preview,
            hints: row(area.height - hints, hints),
        }
    }

    /// Returns true if the preview contains a cell.
    pub(crate) fn preview_contains(&self, column: u16, row: u16) -> bool {
        self.preview.contains(Position::new(column, row))
    }

    /// Number of lines of text that the preview shows.
    pub(crate) fn preview_text_height(&self) -> u16 {
        self.preview.height.saturating_sub(u16::from(self.preview.x == 0) + 1)
    }
}
