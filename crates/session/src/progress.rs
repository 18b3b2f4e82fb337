//! Progress of long work, on standard error: a bar, or lines of JSON.

mod work;

use std::{
    collections::BTreeSet,
    sync::{Mutex, OnceLock, PoisonError},
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use lore_console::report;
use lore_engine::{Phase, Progress};
use lore_render::wire::ProgressWire;
use lore_schema::SourceName;
use lore_settings::terminal::Terminal;

pub use self::work::{Work, time};
use crate::interrupt::StopFlag;

/// Work that is finished sooner shows no bar: it would only flicker.
const DELAY: Duration = Duration::from_millis(300);

/// Minimum time between two lines of JSON of the same phase.
const LINE_INTERVAL: Duration = Duration::from_millis(500);

/// Minimum age of a run whose totals are computed for a bar: shorter ones show none.
const MIN_AGE_FOR_TOTALS: Duration = Duration::from_millis(200);

/// Draws a bar on a terminal, or writes lines of JSON, and prints notes anywhere.
pub struct Reporter {
    terminal: bool,
    started: Instant,
    bar: OnceLock<ProgressBar>,
    work: Mutex<Work>,
    /// The last line of JSON: its phase, its source and its time. `None` if there are no lines.
    last_line: Option<Mutex<LastLine>>,
    /// Printed notes: each is printed once.
    notes: Mutex<BTreeSet<String>>,
    /// Set by Ctrl-C, where the work may end early.
    stop: Option<StopFlag>,
}

/// Phase and source of a line of JSON, and its time since the start.
type LastLine = (&'static str, Option<&'static str>, Duration);

impl Reporter {
    /// Starts to watch.
    pub fn start(terminal: Terminal) -> Reporter {
        Reporter {
            terminal: terminal.messages,
            started: Instant::now(),
            bar: OnceLock::new(),
            work: Mutex::default(),
            last_line: None,
            notes: Mutex::default(),
            stop: None,
        }
    }

    /// Ends the work early on Ctrl-C, so that what is done is kept.
    #[must_use]
    pub fn stop_on_interrupt(mut self) -> Reporter {
        self.stop = Some(StopFlag::start(|| {
            report::note(
                "stopping: what is read so far is written; press Ctrl-C again to quit at once",
            );
        }));
        self
    }

    /// Shows no progress.
    #[must_use]
    pub fn without_bar(mut self) -> Reporter {
        self.terminal = false;
        self
    }

    /// Writes lines of JSON instead of the bar.
    #[must_use]
    pub fn with_lines(mut self) -> Reporter {
        self.terminal = false;
        self.last_line = Some(Mutex::default());
        self
    }

    /// Writes the last line of JSON, if there are lines.
    pub fn end_lines(&self, phase: &'static str) {
        if self.last_line.is_some() {
            let work = self.work.lock().unwrap_or_else(PoisonError::into_inner);
            let wire = ProgressWire { phase, source: None, ..work.wire(self.started.elapsed()) };
            report::plain_line(&wire.line());
        }
    }

    /// Writes a line of JSON if the phase is new or the last line is old enough.
    fn write_line(&self, work: &Work, last: &Mutex<LastLine>) {
        let now = self.started.elapsed();
        let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
        let wire = work.wire(now);
        let is_new = (last.0, last.1) != (wire.phase, wire.source);
        if is_new || last.2 + LINE_INTERVAL <= now {
            *last = (wire.phase, wire.source, now);
            report::plain_line(&wire.line());
        }
    }

    /// Takes the bar away. Output may be written now.
    pub fn finish(&self) {
        if let Some(bar) = self.bar.get() {
            bar.finish_and_clear();
        }
    }

    /// Time since the start.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Time of the run so far, without that for older commits.
    pub fn reading_time(&self) -> Duration {
        let work = self.work.lock().unwrap_or_else(PoisonError::into_inner);
        work.read_until().unwrap_or_else(|| self.started.elapsed())
    }

    /// Number of files that are not read yet, as far as it is known.
    pub fn waiting_files(&self) -> u64 {
        self.work.lock().unwrap_or_else(PoisonError::into_inner).waiting()
    }

    /// Prints a warning, unless the same was said before.
    pub fn warn(&self, message: &str) {
        self.say(message, report::warning);
    }

    /// Prints lines without a label, above the bar.
    pub fn print(&self, lines: &str) {
        self.above(|| report::styled_lines(lines));
    }

    fn say(&self, message: &str, print: impl Fn(&str)) {
        let is_new = match self.notes.lock() {
            Ok(mut notes) => notes.insert(message.to_owned()),
            // A thread that panicked while it printed is no reason to be silent.
            Err(_) => true,
        };
        if is_new {
            self.above(|| print(message));
        }
    }

    fn above(&self, print: impl Fn()) {
        match self.bar.get() {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
    }

    fn draw(&self, work: &Work) {
        let bar = self.bar.get_or_init(new_bar);
        match work.bar() {
            Some((finished, total)) => {
                if bar.length() != Some(total) {
                    bar.set_length(total);
                    bar.set_style(style("{spinner} [{bar:16}] {wide_msg}"));
                }
                bar.set_position(finished);
            }
            None if bar.length().is_some() => {
                bar.unset_length();
                bar.set_style(style("{spinner} {wide_msg}"));
            }
            None => {}
        }
        bar.set_message(work.line());
    }
}

impl Progress for Reporter {
    fn phase(&self, phase: Phase) {
        let mut work = self.work.lock().unwrap_or_else(PoisonError::into_inner);
        work.note(phase, self.started.elapsed());
        if let Some(last) = &self.last_line {
            self.write_line(&work, last);
        }
        if self.terminal && self.started.elapsed() >= DELAY {
            self.draw(&work);
        }
    }

    fn wants_totals(&self) -> bool {
        self.last_line.is_some() || self.terminal && self.started.elapsed() >= MIN_AGE_FOR_TOTALS
    }

    fn advance(&self, _: SourceName, _: u64, _: u64) {}

    fn is_stopped(&self) -> bool {
        self.stop.as_ref().is_some_and(StopFlag::is_set)
    }

    fn note(&self, message: &str) {
        self.say(message, report::note);
    }
}

fn new_bar() -> ProgressBar {
    // Ten times a second: enough for an eye, and no work for the terminal.
    let target = ProgressDrawTarget::stderr_with_hz(10);
    ProgressBar::with_draw_target(None, target).with_style(style("{spinner} {wide_msg}"))
}

fn style(template: &str) -> ProgressStyle {
    let style = ProgressStyle::with_template(template);
    style.unwrap_or_else(|_| ProgressStyle::default_spinner()).progress_chars("=> ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_drawn_without_a_terminal() {
        let reporter = Reporter::start(Terminal { output: false, messages: false, width: 80 });
        let work = |units| lore_engine::Workload { units, bytes: units * 100 };
        let total = Some(work(9));
        let read = |units| Phase::Read { source: SourceName::Code, finished: work(units), total };
        reporter.phase(read(0));
        assert_eq!(reporter.waiting_files(), 9);
        reporter.phase(read(5));
        assert_eq!(reporter.waiting_files(), 4);
        assert!(reporter.bar.get().is_none());
        reporter.finish();
    }
}
