//! Messages on standard error, in the form of ripgrep: `rg: PATH: reason`.

use std::{
    fmt::Display,
    io::{self, Write as _},
    sync::atomic::{AtomicBool, Ordering},
};

/// Writes messages, and records whether any was an error.
#[derive(Debug)]
pub(crate) struct Messages {
    shown: bool,
    ignore_shown: bool,
    failed: AtomicBool,
}

impl Messages {
    /// `shown` is false with `--no-messages`, `ignore_shown` with `--no-ignore-messages`.
    pub(crate) fn new(shown: bool, ignore_shown: bool) -> Messages {
        Messages { shown, ignore_shown: shown && ignore_shown, failed: AtomicBool::new(false) }
    }

    /// Reports an error that does not stop the search. The exit code is then 2.
    pub(crate) fn error(&self, message: impl Display) {
        self.failed.store(true, Ordering::Relaxed);
        self.warning(message);
    }

    /// Reports a problem that does not change the exit code.
    pub(crate) fn warning(&self, message: impl Display) {
        if self.shown {
            write(message);
        }
    }

    /// Reports an error in an ignore file.
    pub(crate) fn ignore_file(&self, message: impl Display) {
        if self.ignore_shown {
            write(message);
        }
    }

    /// Returns true after an error.
    pub(crate) fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }
}

/// Writes one message whatever the flags are. The lock on standard output keeps it out of the
/// middle of a line.
pub(crate) fn write(message: impl Display) {
    let _output = io::stdout().lock();
    let _ = writeln!(io::stderr().lock(), "rg: {message}");
}
