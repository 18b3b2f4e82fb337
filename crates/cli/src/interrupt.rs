//! Folders that go away even when the program is asked to end in the middle of its work.

use std::{
    path::{Path, PathBuf},
    thread::{self, JoinHandle},
};

use tokio::{runtime::Builder, sync::oneshot};

/// Exit code after an interrupt, as shells have it: 128 and the number of the signal.
const INTERRUPTED: i32 = 130;

/// How often a folder is removed in which others are still writing.
const ATTEMPTS: usize = 20;

/// Removes a folder when the program is asked to end, and ends it. Hears of nothing any more once it
/// is dropped.
#[derive(Debug)]
pub(crate) struct Removal {
    dropped: Option<oneshot::Sender<()>>,
    listener: Option<JoinHandle<()>>,
}

impl Removal {
    /// Begins to listen. Where that cannot be had, an interrupt ends the program as ever.
    pub(crate) fn of(folder: &Path) -> Removal {
        let folder = folder.to_owned();
        let (sender, receiver) = oneshot::channel();
        let listener = thread::Builder::new()
            .name("interrupt".to_owned())
            .spawn(move || listen(&folder, receiver))
            .ok();
        Removal { dropped: Some(sender), listener }
    }
}

impl Drop for Removal {
    fn drop(&mut self) {
        self.dropped.take();
        if let Some(listener) = self.listener.take() {
            // A listener that panicked has nothing to say that matters now.
            let _ = listener.join();
        }
    }
}

fn listen(folder: &PathBuf, dropped: oneshot::Receiver<()>) {
    let Ok(runtime) = Builder::new_current_thread().enable_all().build() else { return };
    let is_asked = runtime.block_on(async {
        tokio::select! {
            asked = crate::mcp::asked_to_end() => asked.is_ok(),
            _ = dropped => false,
        }
    });
    if is_asked {
        // Threads at work may put another file into a folder that is just being removed.
        let removed = (0..ATTEMPTS).any(|_| std::fs::remove_dir_all(folder).is_ok());
        if !removed && folder.exists() {
            crate::report::warning(&format!("could not remove `{}`", folder.display()));
        }
        #[expect(clippy::exit, reason = "the work goes on in other threads, and nobody wants it")]
        std::process::exit(INTERRUPTED);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listener_ends_with_its_value_and_leaves_the_folder() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        drop(Removal::of(folder.path()));
        assert!(folder.path().is_dir());
    }
}
