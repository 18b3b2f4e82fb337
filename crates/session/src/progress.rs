//! Progress of long work, on standard error.

mod work;

use std::{
    collections::BTreeSet,
    sync::{Mutex, OnceLock, PoisonError},
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use lore_console::report;
use lore_engine::{Phase, Progress};
use lore_schema::SourceName;
use lore_settings::terminal::Terminal;

use self::work::Work;
use crate::interrupt::StopFlag;

/// Work that is finished sooner shows no bar: it would only flicker.
const DELAY: Duration = Duration::from_millis(300);

/// Draws a bar on a terminal, and prints notes anywhere.
pub struct Reporter {
    terminal: bool,
    started: Instant,
    bar: OnceLock<ProgressBar>,
    work: Mutex<Work>,
    /// Printed notes: each is printed once.
    notes: Mutex<BTreeSet<String>>,
    /// Set by Ctrl-C, where the work may end early.
    stop: Option<StopFlag>,
}

impl Reporter {
    /// Starts to watch.
    pub fn start(terminal: Terminal) -> Reporter {
        Reporter {
            terminal: terminal.messages,
            started: Instant::now(),
            bar: OnceLock::new(),
            work: Mutex::default(),
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
        let (finished, total) = work.files();
        if 0 < total && bar.length() != Some(total) {
            bar.set_length(total);
            bar.set_style(style("{spinner} [{bar:16}] {wide_msg}"));
        }
        bar.set_position(finished);
        bar.set_message(work.line());
    }
}

impl Progress for Reporter {
    fn phase(&self, phase: Phase) {
        let mut work = self.work.lock().unwrap_or_else(PoisonError::into_inner);
        work.note(phase, self.started.elapsed());
        if self.terminal && self.started.elapsed() >= DELAY {
            self.draw(&work);
        }
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
        let read = |finished| Phase::Read { source: SourceName::Code, finished, total: Some(9) };
        reporter.phase(read(0));
        assert_eq!(reporter.waiting_files(), 9);
        reporter.phase(read(5));
        assert_eq!(reporter.waiting_files(), 4);
        assert!(reporter.bar.get().is_none());
        reporter.finish();
    }
}
