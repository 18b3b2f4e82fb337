//! Looks at the states of a repository: the states of all its sources are read together.
//!
//! A search opens one source after the other. The state of each is read at most [`MAX_AGE`] before it is
//! used, and used once. A point in time that was opened between two looks is valid for every source
//! whose state was the same in both.

use std::{
    collections::HashMap,
    sync::Arc,
    time::{Duration, Instant},
};

use lore_schema::SourceName;

use super::{
    cluster::Cluster,
    points::{Opened, Point, lock},
    state::{self, StoredState, routing},
};
use crate::{IndexError, IndexVersion};

/// Maximum age of a state that was read together with that of another source.
const MAX_AGE: Duration = Duration::from_millis(100);

/// The keys of all sources of the repository of a key.
fn siblings(key: &str) -> Vec<String> {
    let repository = key.rsplit_once('/').map_or(key, |(repository, _)| repository);
    let sources = SourceName::ALL.iter();
    sources.map(|source| format!("{repository}/{}", source.as_str())).collect()
}

/// Reads the last state of a key, and those of the other sources of its repository for their readers.
pub(super) fn read(
    cluster: &Cluster,
    key: &str,
    fingerprint: &str,
) -> Result<StoredState, IndexError> {
    let unused = lock(&cluster.looks.unused).remove(key);
    let raw = if let Some((_, raw)) = unused.filter(|(read, _)| read.elapsed() < MAX_AGE) {
        raw
    } else {
        let read = Instant::now();
        let mut states = state::read_all(cluster, &routing(key), siblings(key))?;
        let own = states.remove(key).flatten();
        let others = states.into_iter().map(|(key, raw)| (key, (read, raw)));
        let mut unused = lock(&cluster.looks.unused);
        unused.retain(|_, (read, _)| read.elapsed() < MAX_AGE);
        unused.extend(others);
        own
    };
    state::checked(cluster, key, fingerprint, raw)
}

/// Returns a point in time that has a version of a key; `None` if the key has another version now.
pub(super) fn point(
    cluster: &Cluster,
    key: &str,
    version: IndexVersion,
) -> Result<Option<Arc<Point>>, IndexError> {
    let routing = routing(key);
    let known = {
        let points = lock(&cluster.looks.points);
        let known = points.get(&routing).filter(|known| known.versions.get(key) == Some(&version));
        known.and_then(|known| known.point.upgrade())
    };
    if known.is_some() {
        return Ok(known);
    }
    let versions = || -> Result<HashMap<String, IndexVersion>, IndexError> {
        let states = state::read_all(cluster, &routing, siblings(key))?;
        let version = |(key, raw)| Some((key, state::version_of(&raw?)?));
        Ok(states.into_iter().filter_map(version).collect())
    };
    let mut before = versions()?;
    let point = Arc::new(cluster.open_point(&routing)?);
    // A writer deletes what it replaced only after it changed the state.
    let after = versions()?;
    before.retain(|key, version| after.get(key) == Some(version));
    let is_valid = before.get(key) == Some(&version);
    let mut points = lock(&cluster.looks.points);
    points.retain(|_, known| known.point.strong_count() > 0);
    points.insert(routing, Opened { point: Arc::downgrade(&point), versions: before });
    drop(points);
    Ok(is_valid.then_some(point))
}
