//! Points in time of the cluster, and states that were read in advance.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::Instant,
};

use serde_json::{Value, json};

use super::connection::Connection;
use crate::IndexVersion;

/// Locks a cache. A thread that panicked leaves it complete.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Time that the cluster keeps a point in time after its last use.
pub(super) const KEEP: &str = "1m";

/// The version and the content of a state in the cluster.
pub(super) type RawState = (Option<(u64, u64)>, Value);

/// The last looks at the repositories of a cluster.
#[derive(Debug, Default)]
pub(super) struct Looks {
    /// States that were read and not used yet, by key.
    pub(super) unused: Mutex<HashMap<String, (Instant, Option<RawState>)>>,
    /// The last point in time of each repository, with the versions for which it is valid.
    pub(super) points: Mutex<HashMap<String, Opened>>,
}

/// A point in time, and the versions of sources that it has.
#[derive(Debug)]
pub(super) struct Opened {
    pub(super) point: Weak<Point>,
    pub(super) versions: HashMap<String, IndexVersion>,
}

/// A point in time of the cluster, closed with its last use.
#[derive(Debug)]
pub(super) struct Point {
    connection: Arc<Connection>,
    pub(super) id: String,
}

impl Point {
    /// A point in time that was opened.
    pub(super) fn new(connection: &Arc<Connection>, id: String) -> Point {
        Point { connection: Arc::clone(connection), id }
    }
}

impl Drop for Point {
    fn drop(&mut self) {
        // The cluster forgets it later in any case.
        let body = json!({"pit_id": [self.id]}).to_string();
        let path = "_search/point_in_time";
        let _ = self.connection.send("DELETE", path, Some(body.as_bytes()));
    }
}

impl Looks {
    /// Forgets the state of a key, because this process changed it.
    pub(super) fn forget(&self, key: &str) {
        lock(&self.unused).remove(key);
    }
}
