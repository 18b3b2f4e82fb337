//! The audit log: one line of JSON for each request, in a file.
//!
//! **Invariant:** a line is written before the answer to its request ends, and none is dropped. If it cannot be
//! written, the server warns once and continues.

use std::{
    fs::{File, OpenOptions},
    io::Write as _,
    path::{Path, PathBuf},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use lore_console::report::{self, UsageError};

use super::log::json_line;
use crate::requests::FinishedRequest;

/// The file of the audit log.
#[derive(Debug)]
pub(super) struct Audit {
    path: PathBuf,
    file: Mutex<File>,
    has_failed: AtomicBool,
}

impl Audit {
    /// Opens a file, to which lines are appended. A new file can be read by its owner only.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub(super) fn open(path: &Path) -> Result<Audit, UsageError> {
        let mut options = OpenOptions::new();
        options.create(true).append(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(path).map_err(|error| {
            let shown = path.display();
            UsageError::new(format!("could not open the audit log `{shown}`: {error}"))
                .hint("name a file in a directory that this user may write")
        })?;
        Ok(Audit {
            path: path.to_owned(),
            file: Mutex::new(file),
            has_failed: AtomicBool::new(false),
        })
    }

    /// Writes the line of a request.
    pub(super) fn write(&self, request: &FinishedRequest) {
        let line = json_line(request) + "\n";
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        // One call, so that several servers can append to one file.
        if let Err(error) = file.write_all(line.as_bytes())
            && !self.has_failed.swap(true, Ordering::Relaxed)
        {
            let shown = self.path.display();
            report::warning(&format!("could not write the audit log `{shown}`: {error}"));
        }
    }
}
