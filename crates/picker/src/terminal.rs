//! The terminal: opened beside the standard streams, set, and restored in every case.
//!
//! Everything is drawn on `/dev/tty`, so that standard output is free for the choice.

use std::{
    fs::{File, OpenOptions},
    io::{self, BufWriter, Write},
    panic,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use ratatui::{
    Terminal, TerminalOptions, Viewport,
    backend::{Backend, CrosstermBackend, WindowSize},
    buffer::Cell,
    crossterm::{
        cursor::{MoveTo, Show},
        event::{
            self, DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste,
            EnableMouseCapture,
        },
        execute,
        terminal::{self, Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen},
    },
    layout::{Position, Rect, Size},
};

use crate::{
    draw::{Colors, draw},
    state::State,
};

/// Height of the picker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Height {
    /// Number of rows.
    Rows(u16),
    /// Percent of the rows of the screen, 1..=100.
    Percent(u16),
}

impl Height {
    /// Reads `20` or `40%`; `None` for anything else.
    pub fn parse(text: &str) -> Option<Height> {
        match text.strip_suffix('%') {
            Some(percent) => {
                percent.parse().ok().filter(|n| (1..=100).contains(n)).map(Height::Percent)
            }
            None => text.parse().ok().filter(|rows| *rows > 0).map(Height::Rows),
        }
    }

    /// Number of rows on a screen.
    fn rows(self, screen: u16) -> u16 {
        let rows = match self {
            Height::Rows(rows) => u32::from(rows),
            Height::Percent(percent) => u32::from(screen) * u32::from(percent) / 100,
        };
        u16::try_from(rows).unwrap_or(u16::MAX).max(MIN_ROWS).min(screen)
    }
}

/// Minimum number of rows: the query and two items.
const MIN_ROWS: u16 = 3;

/// The changes to the terminal that are undone at the end.
struct Restore {
    tty: File,
    /// First row of the picker; `None` for the whole screen.
    top: Option<u16>,
}

static RESTORE: Mutex<Option<Restore>> = Mutex::new(None);

fn restore_state() -> MutexGuard<'static, Option<Restore>> {
    RESTORE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Restores the terminal, once. Errors are ignored: the terminal may be gone.
fn restore() {
    let Some(Restore { mut tty, top }) = restore_state().take() else { return };
    let _ = execute!(tty, DisableBracketedPaste, DisableMouseCapture);
    let _ = if let Some(top) = top {
        execute!(tty, MoveTo(0, top), Clear(ClearType::FromCursorDown), Show)
    } else {
        execute!(tty, LeaveAlternateScreen, Show)
    };
    let _ = terminal::disable_raw_mode();
}

/// Cells on the terminal, in place of standard output.
struct Cells {
    inner: CrosstermBackend<BufWriter<File>>,
    /// The last position of the cursor: crossterm would query it on standard output.
    cursor: Position,
}

impl Backend for Cells {
    type Error = io::Error;

    fn draw<'a, I>(&mut self, content: I) -> io::Result<()>
    where
        I: Iterator<Item = (u16, u16, &'a Cell)>,
    {
        self.inner.draw(content)
    }

    fn hide_cursor(&mut self) -> io::Result<()> {
        self.inner.hide_cursor()
    }

    fn show_cursor(&mut self) -> io::Result<()> {
        self.inner.show_cursor()
    }

    fn get_cursor_position(&mut self) -> io::Result<Position> {
        Ok(self.cursor)
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> io::Result<()> {
        self.cursor = position.into();
        self.inner.set_cursor_position(self.cursor)
    }

    fn clear(&mut self) -> io::Result<()> {
        self.inner.clear()
    }

    fn clear_region(&mut self, region: ratatui::backend::ClearType) -> io::Result<()> {
        self.inner.clear_region(region)
    }

    fn size(&self) -> io::Result<Size> {
        self.inner.size()
    }

    fn window_size(&mut self) -> io::Result<WindowSize> {
        self.inner.window_size()
    }

    fn flush(&mut self) -> io::Result<()> {
        Backend::flush(&mut self.inner)
    }
}

/// The terminal while the picker is shown. Dropping it restores the terminal.
pub(crate) struct Screen {
    terminal: Terminal<Cells>,
    tty: File,
    height: Option<Height>,
    /// Area of the picker on the screen.
    area: Rect,
    /// Set by a signal that ends the process.
    is_ended: Arc<AtomicBool>,
    #[cfg(unix)]
    signals: signal_hook::iterator::Handle,
    /// Characters that were typed before the picker could read them.
    pub(crate) typed_ahead: String,
}

impl Screen {
    /// Opens and sets the terminal.
    ///
    /// # Errors
    /// When the process has no terminal.
    pub(crate) fn open(height: Option<Height>, mouse: bool) -> io::Result<Screen> {
        Screen::try_open(height, mouse).inspect_err(|_| restore())
    }

    fn try_open(height: Option<Height>, mouse: bool) -> io::Result<Screen> {
        let mut tty = open_tty()?;
        let (columns, rows) = terminal::size()?;
        terminal::enable_raw_mode()?;
        *restore_state() = Some(Restore { tty: tty.try_clone()?, top: None });
        let mut typed_ahead = String::new();
        let height = height.filter(|height| cfg!(unix) && height.rows(rows) < rows);
        let area = match height {
            None => {
                execute!(tty, EnterAlternateScreen)?;
                Rect::new(0, 0, columns, rows)
            }
            Some(height) => {
                let wanted = height.rows(rows);
                let row = cursor_row(&mut tty, &mut typed_ahead)?.min(rows.saturating_sub(1));
                let y = row.min(rows - wanted);
                // Makes room below the cursor.
                tty.write_all("\n".repeat(usize::from(wanted - 1)).as_bytes())?;
                if let Some(restore) = restore_state().as_mut() {
                    restore.top = Some(y);
                }
                Rect::new(0, y, columns, wanted)
            }
        };
        if mouse {
            execute!(tty, EnableMouseCapture)?;
        }
        execute!(tty, EnableBracketedPaste)?;
        let inner = CrosstermBackend::new(BufWriter::new(tty.try_clone()?));
        let backend = Cells { inner, cursor: area.as_position() };
        let options = TerminalOptions { viewport: Viewport::Fixed(area) };
        let mut terminal = Terminal::with_options(backend, options)?;
        terminal.clear()?;
        let is_ended = Arc::new(AtomicBool::new(false));
        restore_before_panics();
        Ok(Screen {
            terminal,
            tty,
            height,
            area,
            #[cfg(unix)]
            signals: listen(&is_ended)?,
            is_ended,
            typed_ahead,
        })
    }

    /// Columns and rows of the picker.
    pub(crate) fn size(&self) -> (u16, u16) {
        (self.area.width, self.area.height)
    }

    /// First row of the picker on the screen.
    pub(crate) fn top(&self) -> u16 {
        self.area.y
    }

    /// Returns true once a signal ended the process.
    pub(crate) fn is_ended(&self) -> bool {
        self.is_ended.load(Ordering::Relaxed)
    }

    /// Waits for an event. Returns false if there is none after a time, or the terminal is gone.
    pub(crate) fn has_event(&self, time: Duration) -> io::Result<bool> {
        // crossterm does not notice that a terminal is gone: it would read its end forever.
        #[cfg(unix)]
        {
            use rustix::event::{PollFd, PollFlags, Timespec, poll};

            let timeout = Timespec { tv_sec: 0, tv_nsec: time.subsec_nanos().into() };
            let mut polled = [PollFd::new(&self.tty, PollFlags::IN)];
            let waited = poll(&mut polled, Some(&timeout));
            if polled[0].revents().intersects(PollFlags::HUP | PollFlags::ERR) {
                self.is_ended.store(true, Ordering::Relaxed);
                return Ok(false);
            }
            match waited {
                // A signal may be a new size.
                Ok(_) | Err(rustix::io::Errno::INTR) => event::poll(Duration::ZERO),
                Err(error) => Err(error.into()),
            }
        }
        #[cfg(not(unix))]
        event::poll(time)
    }

    /// Adapts to a new size of the screen. Returns the size of the picker.
    pub(crate) fn resize(&mut self, columns: u16, rows: u16) -> io::Result<(u16, u16)> {
        let height = self.height.map_or(rows, |height| height.rows(rows));
        self.area = Rect::new(0, self.area.y.min(rows - height), columns, height);
        if let (Some(restore), Some(_)) = (restore_state().as_mut(), self.height) {
            restore.top = Some(self.area.y);
        }
        self.terminal.resize(self.area)?;
        Ok(self.size())
    }

    /// Draws the state. Only cells that changed are written, at once.
    pub(crate) fn draw(&mut self, state: &State, colors: Colors) -> io::Result<()> {
        self.terminal.draw(|frame| draw(frame, state, colors))?;
        Ok(())
    }

    /// Lets the next frame write every cell.
    pub(crate) fn clear(&mut self) -> io::Result<()> {
        self.terminal.clear()
    }

    /// Puts a text into the clipboard, by the terminal (OSC 52).
    pub(crate) fn copy(&mut self, text: &str) -> io::Result<()> {
        write!(self.tty, "\u{1b}]52;c;{}\u{7}", base64(text.as_bytes()))?;
        self.tty.flush()
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        #[cfg(unix)]
        self.signals.close();
        restore();
    }
}

#[cfg(unix)]
fn open_tty() -> io::Result<File> {
    OpenOptions::new().read(true).write(true).open("/dev/tty")
}

#[cfg(not(unix))]
fn open_tty() -> io::Result<File> {
    OpenOptions::new().read(true).write(true).open("CONOUT$")
}

/// Time that the picker has to end after a signal. It may wait for input of a terminal that is gone.
#[cfg(unix)]
const END_TIME: Duration = Duration::from_secs(1);

/// Exit code after an interrupt, by the convention of shells.
#[cfg(unix)]
const INTERRUPTED: i32 = 130;

/// Sets a flag on the signals that end a process, in place of ending it.
#[cfg(unix)]
fn listen(flag: &Arc<AtomicBool>) -> io::Result<signal_hook::iterator::Handle> {
    use signal_hook::{
        consts::{SIGHUP, SIGINT, SIGTERM},
        iterator::Signals,
    };

    let mut signals = Signals::new([SIGHUP, SIGINT, SIGTERM])?;
    let (handle, flag) = (signals.handle(), Arc::clone(flag));
    let closed = signals.handle();
    thread::Builder::new().name("signals".to_owned()).spawn(move || {
        if signals.forever().next().is_none() {
            return;
        }
        flag.store(true, Ordering::Relaxed);
        thread::sleep(END_TIME);
        if !closed.is_closed() {
            restore();
            #[expect(
                clippy::exit,
                reason = "the thread of the picker waits for a terminal that is gone"
            )]
            std::process::exit(INTERRUPTED);
        }
    })?;
    Ok(handle)
}

/// Restores the terminal before the message of a panic of this thread. Panics of other threads are not
/// printed: the search catches those that it expects, and the picker reports the others when it ends.
fn restore_before_panics() {
    let own = thread::current().id();
    let previous = panic::take_hook();
    panic::set_hook(Box::new(move |panicked| {
        let is_shown = restore_state().is_some();
        if thread::current().id() == own {
            restore();
        } else if is_shown {
            return;
        }
        previous(panicked);
    }));
}

/// The row of the cursor, from 0, by the reply of the terminal. Other characters that arrive meanwhile were
/// typed by the user. Without a reply, the last row.
#[cfg(unix)]
fn cursor_row(tty: &mut File, typed: &mut String) -> io::Result<u16> {
    use std::io::Read as _;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    /// Maximum time that a terminal takes to reply, in nanoseconds.
    const REPLY_TIME: i64 = 300_000_000;

    tty.write_all(b"\x1b[6n")?;
    tty.flush()?;
    let mut reply = Vec::new();
    loop {
        let timeout = Timespec { tv_sec: 0, tv_nsec: REPLY_TIME };
        let mut polled = [PollFd::new(tty, PollFlags::IN)];
        match poll(&mut polled, Some(&timeout)) {
            Ok(0) => return Ok(u16::MAX),
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => continue,
            Err(error) => return Err(error.into()),
        }
        let mut bytes = [0; 256];
        let count = tty.read(&mut bytes)?;
        if count == 0 {
            return Ok(u16::MAX);
        }
        reply.extend_from_slice(&bytes[..count]);
        if let Some((row, rest)) = parse_reply(&reply) {
            typed.extend(rest.chars().filter(|letter| !letter.is_control()));
            return Ok(row);
        }
    }
}

#[cfg(not(unix))]
fn cursor_row(_: &mut File, _: &mut String) -> io::Result<u16> {
    Ok(u16::MAX)
}

/// Finds `ESC [ row ; column R`. Returns the row, from 0, and all other text.
#[cfg(unix)]
fn parse_reply(reply: &[u8]) -> Option<(u16, String)> {
    let text = String::from_utf8_lossy(reply);
    for (start, _) in text.match_indices("\u{1b}[") {
        let Some((numbers, rest)) = text[start + 2..].split_once('R') else { continue };
        let Some((row, column)) = numbers.split_once(';') else { continue };
        if let (Ok(row), Ok(_)) = (row.parse::<u16>(), column.parse::<u16>()) {
            return Some((row.saturating_sub(1), format!("{}{rest}", &text[..start])));
        }
    }
    None
}

/// The text in base 64, as OSC 52 requires.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |at: usize| u32::from(group.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for digit in 0..4 {
            let value = (bits >> (18 - 6 * digit)) & 63;
            let is_filler = digit > group.len();
            text.push(if is_filler { '=' } else { char::from(DIGITS[value as usize]) });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heights_are_rows_or_percent_of_the_screen() {
        assert_eq!(Height::parse("20"), Some(Height::Rows(20)));
        assert_eq!(Height::parse("40%"), Some(Height::Percent(40)));
        for text in ["", "0", "0%", "101%", "-3", "x", "%"] {
            assert_eq!(Height::parse(text), None, "{text}");
        }
        assert_eq!(Height::Percent(40).rows(50), 20);
        assert_eq!(Height::Percent(1).rows(50), 3);
        assert_eq!(Height::Rows(80).rows(24), 24);
        assert_eq!(Height::Rows(1).rows(2), 2);
    }

    #[test]
    fn texts_for_the_clipboard_are_in_base_64() {
        for (text, expected) in
            [("", ""), ("a", "YQ=="), ("ab", "YWI="), ("abc", "YWJj"), ("é:1", "w6k6MQ==")]
        {
            assert_eq!(base64(text.as_bytes()), expected, "{text}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn the_reply_about_the_cursor_is_separated_from_what_was_typed() {
        assert_eq!(parse_reply(b"\x1b[12;1R"), Some((11, String::new())));
        assert_eq!(parse_reply(b"ab\x1b[A\x1b[3;40Rc"), Some((2, "ab\u{1b}[Ac".to_owned())));
        assert_eq!(parse_reply(b"\x1b[12;"), None);
        assert_eq!(parse_reply(b"R"), None);
    }
}
