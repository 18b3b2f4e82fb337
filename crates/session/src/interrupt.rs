//! Requests to end the process: Ctrl-C, and on Unix also `SIGTERM`.
//!
//! A [`Listener`] runs a function on such a request, and [`Removal`] uses one to delete a temporary
//! folder before the process exits. A [`StopFlag`] is checked by work that can end early.

use std::{
    io,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

/// Exit code after an interrupt, by the convention of shells: 128 plus the number of the signal.
const INTERRUPTED: i32 = 130;

/// Maximum number of attempts to remove a folder that other threads still write to.
const MAX_ATTEMPTS: usize = 20;

/// Time that a folder must stay absent to count as removed: a thread that is just creating a file in
/// it can create the folder again.
const SETTLE_TIME: Duration = Duration::from_millis(20);

/// A thread that waits for a request to end the process. It ends when this value is dropped.
#[derive(Debug)]
pub struct Listener {
    signals: signals::Handle,
    thread: Option<JoinHandle<()>>,
}

impl Listener {
    /// Starts to listen. On the first request, `on_request` runs on the listener's thread.
    ///
    /// # Errors
    /// When the system refuses the signal handler or the thread; a request then ends the process as
    /// if there were no listener.
    pub fn start(on_request: impl FnOnce() + Send + 'static) -> io::Result<Listener> {
        let mut on_request = Some(on_request);
        Listener::start_repeated(move || {
            if let Some(on_request) = on_request.take() {
                on_request();
            }
        })
    }

    /// Starts to listen. On each request, `on_request` runs on the listener's thread.
    fn start_repeated(mut on_request: impl FnMut() + Send + 'static) -> io::Result<Listener> {
        let (mut requests, signals) = signals::listen()?;
        let thread = thread::Builder::new().name("signals".to_owned()).spawn(move || {
            while requests.wait() {
                on_request();
            }
        })?;
        Ok(Listener { signals, thread: Some(thread) })
    }
}

/// A flag that the first request to end the process sets, so that work can be kept. The second request
/// ends the process at once.
#[derive(Debug)]
pub struct StopFlag {
    is_set: Arc<AtomicBool>,
    /// `None` where the system gave no listener: a request then ends the process.
    _listener: Option<Listener>,
}

impl StopFlag {
    /// Starts to listen. On the first request, `on_request` runs on the listener's thread.
    pub fn start(on_request: impl Fn() + Send + 'static) -> StopFlag {
        let is_set = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&is_set);
        let listener = Listener::start_repeated(move || {
            if flag.swap(true, Ordering::Relaxed) {
                // The user does not want to wait for the work.
                std::process::exit(INTERRUPTED);
            }
            on_request();
        });
        StopFlag { is_set, _listener: listener.ok() }
    }

    /// Returns true after a request.
    pub fn is_set(&self) -> bool {
        self.is_set.load(Ordering::Relaxed)
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.signals.close();
        if let Some(thread) = self.thread.take() {
            // A panic of the listener has been reported by its thread, and changes nothing here.
            let _ = thread.join();
        }
    }
}

/// Waiting on Unix: the handler wakes a blocked thread through a pipe.
#[cfg(unix)]
mod signals {
    use std::io;

    pub(super) use signal_hook::iterator::Handle;
    use signal_hook::{
        consts::{SIGINT, SIGTERM},
        iterator::Signals,
    };

    pub(super) struct Requests(Signals);

    pub(super) fn listen() -> io::Result<(Requests, Handle)> {
        let signals = Signals::new([SIGINT, SIGTERM])?;
        let handle = signals.handle();
        Ok((Requests(signals), handle))
    }

    impl Requests {
        /// Blocks until a request arrives; false if the handle is closed first.
        pub(super) fn wait(&mut self) -> bool {
            self.0.forever().next().is_some()
        }
    }
}

/// Waiting on other systems, where a handler can only set a flag.
#[cfg(not(unix))]
mod signals {
    use std::{
        io,
        sync::{
            Arc,
            atomic::{AtomicBool, Ordering},
        },
        thread,
        time::Duration,
    };

    use signal_hook::{SigId, consts::SIGINT, flag, low_level};

    /// Time between two looks at the flag: short for a person who presses Ctrl-C.
    const POLL_INTERVAL: Duration = Duration::from_millis(50);

    pub(super) struct Requests {
        is_requested: Arc<AtomicBool>,
        is_closed: Arc<AtomicBool>,
    }

    #[derive(Debug)]
    pub(super) struct Handle {
        id: SigId,
        is_closed: Arc<AtomicBool>,
    }

    pub(super) fn listen() -> io::Result<(Requests, Handle)> {
        let is_requested = Arc::new(AtomicBool::new(false));
        let is_closed = Arc::new(AtomicBool::new(false));
        let id = flag::register(SIGINT, Arc::clone(&is_requested))?;
        let handle = Handle { id, is_closed: Arc::clone(&is_closed) };
        Ok((Requests { is_requested, is_closed }, handle))
    }

    impl Requests {
        /// Blocks until a request arrives; false if the handle is closed first.
        pub(super) fn wait(&mut self) -> bool {
            loop {
                if self.is_requested.swap(false, Ordering::SeqCst) {
                    return true;
                }
                if self.is_closed.load(Ordering::SeqCst) {
                    return false;
                }
                thread::sleep(POLL_INTERVAL);
            }
        }
    }

    impl Handle {
        pub(super) fn close(&self) {
            self.is_closed.store(true, Ordering::SeqCst);
            low_level::unregister(self.id);
        }
    }
}

/// Removes a folder and exits when the process receives a signal to end. Dropping this value cancels that.
#[derive(Debug)]
pub struct Removal {
    /// `None` where the system gave no listener: an interrupt then leaves the folder behind.
    _listener: Option<Listener>,
}

impl Removal {
    /// Guards `folder` from now on.
    pub fn of(folder: &Path) -> Removal {
        let folder = folder.to_owned();
        Removal { _listener: Listener::start(move || remove_and_exit(&folder)).ok() }
    }
}

fn remove_and_exit(folder: &Path) {
    if !(0..MAX_ATTEMPTS).any(|_| is_removed(folder)) {
        lore_console::report::warning(&format!("could not remove `{}`", folder.display()));
    }
    #[expect(clippy::exit, reason = "other threads still work, and their results are not wanted")]
    std::process::exit(INTERRUPTED);
}

/// Tries to remove a folder. Returns false where another thread wrote to it meanwhile.
fn is_removed(folder: &Path) -> bool {
    // A failure shows below: the folder still exists.
    let _ = std::fs::remove_dir_all(folder);
    if folder.exists() {
        return false;
    }
    thread::sleep(SETTLE_TIME);
    !folder.exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dropping_a_removal_ends_its_thread_and_keeps_the_folder() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        drop(Removal::of(folder.path()));
        assert!(folder.path().is_dir());
    }

    #[test]
    fn removing_a_missing_folder_succeeds() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        std::fs::write(folder.path().join("file"), "text").expect("a file");
        assert!(is_removed(folder.path()));
        assert!(is_removed(folder.path()));
    }

    #[cfg(unix)]
    #[test]
    fn a_listener_runs_its_function_once_on_a_signal() {
        let (sender, receiver) = std::sync::mpsc::channel();
        let listener = Listener::start(move || sender.send(()).expect("the test waits"));
        let listener = listener.expect("a listener");
        for _ in 0..2 {
            signal_hook::low_level::raise(signal_hook::consts::SIGTERM).expect("a signal");
        }
        assert_eq!(receiver.recv_timeout(Duration::from_secs(10)), Ok(()));
        drop(listener);
        assert!(receiver.recv().is_err(), "the function ran once");
    }
}
