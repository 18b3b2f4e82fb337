//! The open connections of the HTTP server, and their bounds.
//!
//! Connections that sent the token and those that did not have separate bounds, so that a local user
//! without the token cannot use up the connections of those with it. A connection is busy while a
//! complete request is answered. When a bound is reached, the idle connection that was used least
//! recently is closed.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use tokio::sync::Notify;

/// Maximum number of connections that have not sent the token yet.
pub(super) const MAX_UNAUTHORIZED: usize = 64;

/// Maximum number of connections that have sent the token.
pub(super) const MAX_AUTHORIZED: usize = 64;

/// Time in which a new connection is not closed for a newer one. A client on this machine sends its
/// request within it. New connections wait meanwhile, so that it also bounds their rate.
const MIN_AGE: Duration = Duration::from_millis(20);

/// All open connections of a server.
#[derive(Debug, Default)]
pub(super) struct Connections {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Number of uses so far, which orders them.
    uses: u64,
    /// The connections by the number of the use that opened them.
    open: BTreeMap<u64, Entry>,
}

#[derive(Debug)]
struct Entry {
    opened: Instant,
    is_authorized: bool,
    /// Number of requests that are being answered.
    running: usize,
    last_use: u64,
    closed: Arc<Notify>,
}

impl State {
    fn next_use(&mut self) -> u64 {
        self.uses += 1;
        self.uses
    }

    fn count(&self, is_authorized: bool) -> usize {
        self.open.values().filter(|entry| entry.is_authorized == is_authorized).count()
    }

    /// Closes the idle connection of this kind that was used least recently. Returns false if all are
    /// busy.
    fn close_idle(&mut self, is_authorized: bool) -> bool {
        let idle = self
            .open
            .iter()
            .filter(|(_, entry)| entry.is_authorized == is_authorized && entry.running == 0);
        let oldest = idle.min_by_key(|(_, entry)| entry.last_use).map(|(id, _)| *id);
        match oldest.and_then(|id| self.open.remove(&id)) {
            Some(entry) => {
                entry.closed.notify_one();
                true
            }
            None => false,
        }
    }
}

impl Connections {
    /// Waits until a further connection can be accepted: at once, unless very many are opened.
    pub(super) async fn room(&self) {
        let oldest = {
            let state = self.state();
            if state.count(false) < MAX_UNAUTHORIZED {
                return;
            }
            state.open.values().find(|entry| !entry.is_authorized).map(|entry| entry.opened)
        };
        if let Some(opened) = oldest {
            tokio::time::sleep(MIN_AGE.saturating_sub(opened.elapsed())).await;
        }
    }

    /// Adds a connection, and closes the oldest one without the token if there are too many.
    pub(super) fn open(self: &Arc<Self>) -> Connection {
        let mut state = self.state();
        if MAX_UNAUTHORIZED <= state.count(false) {
            state.close_idle(false);
        }
        let id = state.next_use();
        let closed = Arc::new(Notify::new());
        let entry = Entry {
            opened: Instant::now(),
            is_authorized: false,
            running: 0,
            last_use: id,
            closed: Arc::clone(&closed),
        };
        state.open.insert(id, entry);
        drop(state);
        Connection { all: Arc::clone(self), id, closed }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One connection. It is removed from the open ones when this is dropped.
#[derive(Debug)]
pub(super) struct Connection {
    all: Arc<Connections>,
    id: u64,
    closed: Arc<Notify>,
}

impl Connection {
    /// Waits until the connection must be closed in favour of another one.
    pub(super) async fn closed(&self) {
        self.closed.notified().await;
    }

    /// Counts the connection among those with the token. Returns false if there are too many, and
    /// all are busy.
    pub(super) fn authorize(&self) -> bool {
        let mut state = self.all.state();
        let is_new = state.open.get(&self.id).is_some_and(|entry| !entry.is_authorized);
        if is_new && MAX_AUTHORIZED <= state.count(true) && !state.close_idle(true) {
            return false;
        }
        let last_use = state.next_use();
        if let Some(entry) = state.open.get_mut(&self.id) {
            entry.is_authorized = true;
            entry.last_use = last_use;
        }
        true
    }

    /// Makes the connection busy until the returned value is dropped.
    pub(super) fn run(self: &Arc<Self>) -> Running {
        if let Some(entry) = self.all.state().open.get_mut(&self.id) {
            entry.running += 1;
        }
        Running(Arc::clone(self))
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.all.state().open.remove(&self.id);
    }
}

/// A request that is being answered.
#[derive(Debug)]
pub(super) struct Running(Arc<Connection>);

impl Drop for Running {
    fn drop(&mut self) {
        let mut state = self.0.all.state();
        let last_use = state.next_use();
        if let Some(entry) = state.open.get_mut(&self.0.id) {
            entry.running -= 1;
            entry.last_use = last_use;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open_ids(all: &Connections) -> Vec<u64> {
        all.state().open.keys().copied().collect()
    }

    #[test]
    fn the_oldest_connection_without_the_token_goes_first() {
        let all = Arc::new(Connections::default());
        let authorized = all.open();
        assert!(authorized.authorize());
        let strangers: Vec<Connection> = (0..MAX_UNAUTHORIZED).map(|_| all.open()).collect();
        let more = all.open();
        let open = open_ids(&all);
        assert_eq!(open.len(), MAX_UNAUTHORIZED + 1);
        assert!(open.contains(&authorized.id) && open.contains(&more.id));
        assert!(!open.contains(&strangers[0].id) && open.contains(&strangers[1].id));
    }

    #[test]
    fn a_busy_connection_is_not_closed_for_another_one() {
        let all = Arc::new(Connections::default());
        let authorized: Vec<Arc<Connection>> =
            (0..MAX_AUTHORIZED).map(|_| Arc::new(all.open())).collect();
        assert!(authorized.iter().all(|connection| connection.authorize()));
        let busy = authorized[0].run();
        assert!(all.open().authorize(), "the second one is closed for it");
        assert!(!open_ids(&all).contains(&authorized[1].id));
        let running: Vec<Running> = authorized[2..].iter().map(Connection::run).collect();
        let first = Arc::new(all.open());
        assert!(first.authorize());
        let running_too = first.run();
        assert!(!all.open().authorize(), "all are busy");
        drop((busy, running, running_too));
        assert!(all.open().authorize());
    }

    #[test]
    fn a_dropped_connection_is_forgotten() {
        let all = Arc::new(Connections::default());
        drop(all.open());
        assert!(open_ids(&all).is_empty());
    }
}
