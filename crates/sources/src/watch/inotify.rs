//! Watches of Linux: one per folder, all with one queue of events.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    ffi::CStr,
    io,
    mem::MaybeUninit,
    ops::Bound,
    os::fd::{AsFd, OwnedFd},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock},
    thread::{self, JoinHandle},
};

use rustix::{
    event::{EventfdFlags, PollFd, PollFlags, eventfd, poll},
    fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags},
    io::Errno,
};

use super::{GitFolders, NameEvent, Shared, State, canonical_or_same};

/// True if events are in the queue before the call that causes them returns.
pub(super) const IS_PROMPT: bool = true;

/// Bytes of events that one call reads.
const BUFFER_BYTES: usize = 64 << 10;

/// Events that can change what a walk finds. Reading a file causes none of them.
const EVENTS: WatchFlags = WatchFlags::ATTRIB
    .union(WatchFlags::CLOSE_WRITE)
    .union(WatchFlags::CREATE)
    .union(WatchFlags::DELETE)
    .union(WatchFlags::DELETE_SELF)
    .union(WatchFlags::MODIFY)
    .union(WatchFlags::MOVED_FROM)
    .union(WatchFlags::MOVED_TO)
    .union(WatchFlags::MOVE_SELF)
    .union(WatchFlags::ONLYDIR)
    .union(WatchFlags::DONT_FOLLOW);

/// Events after which a name may be another thing.
const NAME_EVENTS: ReadFlags = ReadFlags::CREATE
    .union(ReadFlags::DELETE)
    .union(ReadFlags::MOVED_FROM)
    .union(ReadFlags::MOVED_TO);

/// The watches of a tree.
pub(super) struct Watches {
    inner: Arc<Inner>,
    thread: Option<JoinHandle<()>>,
    /// Ends the thread when it is written to.
    end: Arc<OwnedFd>,
}

struct Inner {
    queue: OwnedFd,
    root: PathBuf,
    /// Folder that the caller writes itself.
    excluded: Option<PathBuf>,
    git: GitFolders,
    folders: Mutex<Folders>,
    /// Root-relative paths that the last listing skipped; folders end with `/`.
    skipped: RwLock<HashSet<String>>,
}

/// The watched folders. Locked while a watch is added, so that its events find it.
#[derive(Default)]
struct Folders {
    places: HashMap<i32, Place>,
    /// Watches of the folders of the tree, with the number of the last walk that listed them.
    watches: BTreeMap<String, (i32, u64)>,
    walk: u64,
}

enum Place {
    /// Root-relative path without a final `/`.
    Tree(String),
    /// Absolute path of a folder of git.
    Git(PathBuf),
}

impl Watches {
    /// Starts without any folder of the tree.
    pub(super) fn start(
        root: &Path,
        excluded: Option<&Path>,
        git: GitFolders,
        shared: Arc<Shared>,
    ) -> Result<Watches, String> {
        let queue = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).map_err(reason)?;
        let end = Arc::new(eventfd(0, EventfdFlags::CLOEXEC).map_err(reason)?);
        let inner = Arc::new(Inner {
            queue,
            root: root.to_owned(),
            excluded: excluded.map(canonical_or_same),
            git,
            folders: Mutex::default(),
            skipped: RwLock::default(),
        });
        let mut watches = Watches { inner: Arc::clone(&inner), thread: None, end };
        let end = Arc::clone(&watches.end);
        let thread = thread::Builder::new()
            .name("watch".to_owned())
            .spawn(move || inner.run(&shared, &end))
            .map_err(|error| error.to_string())?;
        watches.thread = Some(thread);
        Ok(watches)
    }

    /// Begins a walk that watches every folder of the tree.
    pub(super) fn begin(&self) {
        let mut folders = self.inner.folders();
        folders.walk += 1;
        for path in self.inner.git.watched() {
            // The standing of git is compared at each question: its events only wake.
            if let Ok(watch) = inotify::add_watch(&self.inner.queue, &path, EVENTS) {
                folders.places.entry(watch).or_insert(Place::Git(path));
            }
        }
    }

    /// Ends a walk: folders that it did not list are no longer watched.
    pub(super) fn end(&self) {
        let mut folders = self.inner.folders();
        let walk = folders.walk;
        let old: Vec<String> = folders
            .watches
            .iter()
            .filter(|(_, (_, listed))| *listed != walk)
            .map(|(path, _)| path.clone())
            .collect();
        for path in old {
            self.inner.remove(&mut folders, &path);
        }
    }

    /// Watches a folder of the tree, given by its root-relative path.
    pub(super) fn watch(&self, folder: &str) -> Result<(), String> {
        let mut folders = self.inner.folders();
        let path = self.inner.root.join(folder);
        let watch = match inotify::add_watch(&self.inner.queue, &path, EVENTS) {
            Ok(watch) => watch,
            // It was removed, or cannot be read: the events of its parent show when that changes.
            Err(Errno::NOENT | Errno::NOTDIR | Errno::ACCESS | Errno::NAMETOOLONG) => return Ok(()),
            Err(error) => return Err(reason(error)),
        };
        let walk = folders.walk;
        folders.watches.insert(folder.to_owned(), (watch, walk));
        if let Some(Place::Tree(old)) = folders.places.insert(watch, Place::Tree(folder.to_owned()))
            && old != folder
        {
            // The same folder under its old path.
            folders.watches.remove(&old);
        }
        Ok(())
    }

    /// Forgets a folder and everything below it.
    pub(super) fn forget(&self, folder: &str) {
        let mut folders = self.inner.folders();
        let inside = format!("{folder}/");
        let below = (Bound::Included(inside.clone()), Bound::Unbounded);
        let mut gone: Vec<String> = folders
            .watches
            .range::<String, _>(below)
            .take_while(|(path, _)| path.starts_with(&inside))
            .map(|(path, _)| path.clone())
            .collect();
        gone.push(folder.to_owned());
        for path in gone {
            self.inner.remove(&mut folders, &path);
        }
    }

    /// Sets the paths that the last listing skipped.
    pub(super) fn set_skipped(&self, paths: &[String]) {
        let mut skipped = self.inner.skipped.write().unwrap_or_else(PoisonError::into_inner);
        *skipped = paths.iter().cloned().collect();
    }

    /// Moves all events from the queue into the state.
    pub(super) fn drain(&self, state: &mut State) {
        self.inner.drain(state);
    }
}

impl Drop for Watches {
    fn drop(&mut self) {
        let _ = rustix::io::write(&*self.end, &1_u64.to_ne_bytes());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Inner {
    fn folders(&self) -> MutexGuard<'_, Folders> {
        self.folders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn remove(&self, folders: &mut Folders, path: &str) {
        let Some((watch, _)) = folders.watches.remove(path) else { return };
        // A removed folder is no longer watched anyway.
        let _ = inotify::remove_watch(&self.queue, watch);
        folders.places.remove(&watch);
    }

    /// Empties the queue whenever there are events, until the end is signalled.
    fn run(&self, shared: &Shared, end: &OwnedFd) {
        loop {
            let mut sources =
                [PollFd::new(&self.queue, PollFlags::IN), PollFd::new(end, PollFlags::IN)];
            match poll(&mut sources, None) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(_) => return,
            }
            if !sources[1].revents().is_empty() {
                return;
            }
            let mut state = shared.state();
            let before = (state.events, state.overflowed);
            self.drain(&mut state);
            if (state.events, state.overflowed) != before {
                drop(state);
                shared.changed.notify_all();
            }
        }
    }

    fn drain(&self, state: &mut State) {
        let mut buffer = vec![MaybeUninit::uninit(); BUFFER_BYTES];
        let mut folders = self.folders();
        let mut events = Reader::new(self.queue.as_fd(), &mut buffer);
        loop {
            match events.next() {
                Ok(event) => {
                    let name = event.file_name().map(CStr::to_bytes);
                    self.note(event.wd(), event.events(), name, &mut folders, state);
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return,
                Err(_) => {
                    state.note_loss();
                    return;
                }
            }
        }
    }

    /// Returns whether a change of a name cannot change an answer.
    fn is_skipped(&self, folder: &str, name: &str) -> bool {
        let path = self.root.join(folder).join(name);
        if self.excluded.as_ref().is_some_and(|excluded| path.starts_with(excluded)) {
            return true;
        }
        let slash = if folder.is_empty() { "" } else { "/" };
        let inner = format!("{folder}{slash}{name}");
        let skipped = self.skipped.read().unwrap_or_else(PoisonError::into_inner);
        skipped.contains(&inner) || skipped.contains(&format!("{inner}/"))
    }

    /// Notes one event.
    fn note(
        &self,
        watch: i32,
        flags: ReadFlags,
        name: Option<&[u8]>,
        folders: &mut Folders,
        state: &mut State,
    ) {
        if flags.intersects(ReadFlags::QUEUE_OVERFLOW | ReadFlags::UNMOUNT) {
            state.note_loss();
            return;
        }
        if flags.contains(ReadFlags::IGNORED) {
            if let Some(Place::Tree(path)) = folders.places.remove(&watch)
                && folders.watches.get(&path).is_some_and(|(current, _)| *current == watch)
            {
                folders.watches.remove(&path);
            }
            return;
        }
        let name = name.filter(|name| !name.is_empty()).map(std::str::from_utf8);
        match folders.places.get(&watch) {
            None => {}
            Some(Place::Git(folder)) => {
                let name = name.and_then(Result::ok).unwrap_or_default();
                if self.git.concerns(&folder.join(name)) == Some(true) {
                    state.note_event();
                }
            }
            Some(Place::Tree(folder)) => {
                let is_own = flags.intersects(ReadFlags::DELETE_SELF | ReadFlags::MOVE_SELF);
                // Events of other folders about themselves are also events of their parents.
                if is_own && folder.is_empty() {
                    state.note_loss();
                }
                let Some(name) = name else { return };
                let is_name = flags.intersects(NAME_EVENTS) || flags.contains(ReadFlags::ISDIR);
                let event = if is_name { NameEvent::Name } else { NameEvent::Content };
                state.reported.add(folder, name.ok(), event);
                if !name.is_ok_and(|name| self.is_skipped(folder, name)) {
                    state.note_event();
                }
            }
        }
    }
}

/// Describes why something is not watched, and a remedy.
fn reason(error: Errno) -> String {
    match error {
        Errno::NOSPC => "the system's limit of watched folders is reached (`sysctl \
             fs.inotify.max_user_watches` shows it)"
            .to_owned(),
        Errno::MFILE => "the system's limit of watchers is reached (`sysctl \
             fs.inotify.max_user_instances` shows it)"
            .to_owned(),
        error => io::Error::from(error).to_string(),
    }
}
