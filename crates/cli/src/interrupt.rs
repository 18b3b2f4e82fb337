//! Folders that go away even when the program is asked to end in the middle of its work.

use std::{
    path::Path,
    sync::mpsc,
    thread::{self, JoinHandle},
    time::Duration,
};

use tokio::{runtime::Builder, sync::oneshot};

/// Exit code after an interrupt, as shells have it: 128 and the number of the signal.
const INTERRUPTED: i32 = 130;

/// How often a folder is removed in which others are still writing.
const ATTEMPTS: usize = 20;

/// How long a folder must stay away to be gone: a thread that was just making a file in it may have
/// made it again.
const SETTLED: Duration = Duration::from_millis(20);

/// Removes a folder when the program is asked to end, and ends it. Hears of nothing any more once it
/// is dropped.
#[derive(Debug)]
pub(crate) struct Removal {
    dropped: Option<oneshot::Sender<()>>,
    listener: Option<JoinHandle<()>>,
}

impl Removal {
    /// Listens from the moment it is there. Where that cannot be had, an interrupt ends the program
    /// as ever.
    pub(crate) fn of(folder: &Path) -> Removal {
        let folder = folder.to_owned();
        let (sender, receiver) = oneshot::channel();
        let (listens, is_listening) = mpsc::channel();
        let listener = thread::Builder::new()
            .name("interrupt".to_owned())
            .spawn(move || listen(&folder, receiver, &listens))
            .ok();
        // A listener that could not begin has dropped its end.
        let _ = is_listening.recv();
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

fn listen(folder: &Path, dropped: oneshot::Receiver<()>, listens: &mpsc::Sender<()>) {
    let Ok(runtime) = Builder::new_current_thread().enable_all().build() else { return };
    let is_asked = runtime.block_on(async {
        let Ok(asked) = crate::mcp::asked_to_end() else { return false };
        // Nobody waits any more where this is not received.
        let _ = listens.send(());
        tokio::select! {
            () = asked => true,
            _ = dropped => false,
        }
    });
    if is_asked {
        if !(0..ATTEMPTS).any(|_| is_gone(folder)) {
            crate::report::warning(&format!("could not remove `{}`", folder.display()));
        }
        #[expect(clippy::exit, reason = "the work goes on in other threads, and nobody wants it")]
        std::process::exit(INTERRUPTED);
    }
}

/// Removes a folder. False where a thread at work put something into it meanwhile.
fn is_gone(folder: &Path) -> bool {
    // What could not be removed is still there.
    let _ = std::fs::remove_dir_all(folder);
    if folder.exists() {
        return false;
    }
    thread::sleep(SETTLED);
    !folder.exists()
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

    #[test]
    fn what_is_not_there_is_gone() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        std::fs::write(folder.path().join("file"), "text").expect("a file");
        assert!(is_gone(folder.path()));
        assert!(is_gone(folder.path()));
    }
}
