//! Progress of long work, on standard error.
//!
//! A walk finds the work while it is done, so that its total is not known before the end. Only the
//! finished part is shown.

use std::{
    collections::BTreeSet,
    fmt::Write,
    sync::{
        Mutex, OnceLock,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use lore_console::report;
use lore_engine::Progress;
use lore_render::output;
use lore_schema::SourceName;
use lore_settings::terminal::Terminal;

/// Work that is finished sooner shows no bar: it would only flicker.
const DELAY: Duration = Duration::from_millis(300);

/// Draws a bar on a terminal, and prints notes anywhere.
pub struct Reporter {
    terminal: bool,
    started: Instant,
    bar: OnceLock<ProgressBar>,
    /// Finished units of each source, in the order of [`SourceName::ALL`].
    counts: [AtomicU64; SourceName::ALL.len()],
    /// Printed notes: each is printed once.
    notes: Mutex<BTreeSet<String>>,
}

impl Reporter {
    /// Starts to watch.
    pub fn start(terminal: Terminal) -> Reporter {
        Reporter {
            terminal: terminal.messages,
            started: Instant::now(),
            bar: OnceLock::new(),
            counts: Default::default(),
            notes: Mutex::default(),
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

    /// Prints a warning, unless the same was said before.
    pub fn warn(&self, message: &str) {
        self.say(message, report::warning);
    }

    fn say(&self, message: &str, print: impl Fn(&str)) {
        let is_new = match self.notes.lock() {
            Ok(mut notes) => notes.insert(message.to_owned()),
            // A thread that panicked while it printed is no reason to be silent.
            Err(_) => true,
        };
        if !is_new {
            return;
        }
        match self.bar.get() {
            Some(bar) => bar.suspend(|| print(message)),
            None => print(message),
        }
    }

    fn draw(&self) {
        let bar = self.bar.get_or_init(new_bar);
        let mut done = 0;
        let mut names = String::new();
        for (source, count) in SourceName::ALL.iter().zip(&self.counts) {
            let of_source = count.load(Ordering::Relaxed);
            if of_source == 0 {
                continue;
            }
            done += of_source;
            let _ = write!(names, "{source} {}  ", output::count(of_source));
        }
        bar.set_position(done);
        bar.set_message(names);
    }
}

impl Progress for Reporter {
    fn advance(&self, source: SourceName, done: u64, _: u64) {
        let position = SourceName::ALL.iter().position(|name| *name == source);
        if let Some(count) = position.and_then(|position| self.counts.get(position)) {
            // Threads report out of order, so that the largest number holds.
            count.fetch_max(done, Ordering::Relaxed);
        }
        if self.terminal && self.started.elapsed() >= DELAY {
            self.draw();
        }
    }

    fn note(&self, message: &str) {
        self.say(message, report::note);
    }
}

fn new_bar() -> ProgressBar {
    let style = ProgressStyle::with_template("{spinner} indexing: {human_pos} done  {wide_msg}")
        .unwrap_or_else(|_| ProgressStyle::default_spinner());
    // Ten times a second: enough for an eye, and no work for the terminal.
    let target = ProgressDrawTarget::stderr_with_hz(10);
    ProgressBar::with_draw_target(None, target).with_style(style)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_do_not_run_back_and_nothing_is_drawn_without_a_terminal() {
        let reporter = Reporter::start(Terminal { output: false, messages: false, width: 80 });
        reporter.advance(SourceName::Git, 5, 10);
        reporter.advance(SourceName::Git, 4, 12);
        let git =
            SourceName::ALL.iter().position(|name| *name == SourceName::Git).expect("a source");
        assert_eq!(reporter.counts[git].load(Ordering::Relaxed), 5);
        assert!(reporter.bar.get().is_none());
        reporter.finish();
    }
}
