//! The index of one source of a repository in a cluster.

use std::sync::{Arc, Mutex, PoisonError};

use lore_schema::SourceName;
use serde_json::json;

use super::{
    cluster::Cluster,
    looks,
    reader::ClusterReader,
    snapshot::Snapshot,
    state::{self, State},
    table::Table,
    writer::ClusterWriter,
};
use crate::{IndexError, IndexVersion, Reader, Store, Writer};

/// The table of the last version that this process wrote or read.
#[derive(Debug, Default)]
pub(super) struct Known(Mutex<Option<(IndexVersion, Arc<Table>)>>);

impl Known {
    pub(super) fn set(&self, version: IndexVersion, table: Arc<Table>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((version, table));
    }

    fn get(&self) -> Option<(IndexVersion, Arc<Table>)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The index of one source of a repository, as all its users in this process share it.
#[derive(Debug)]
pub(super) struct SharedIndex {
    cluster: Arc<Cluster>,
    key: String,
    source: SourceName,
    fingerprint: String,
    known: Arc<Known>,
    /// The last snapshot, which readers of the same version share.
    last: Mutex<Option<Arc<Snapshot>>>,
}

impl SharedIndex {
    pub(super) fn new(
        cluster: Arc<Cluster>,
        key: String,
        source: SourceName,
        fingerprint: &str,
    ) -> SharedIndex {
        SharedIndex {
            cluster,
            key,
            source,
            fingerprint: fingerprint.to_owned(),
            known: Arc::default(),
            last: Mutex::new(None),
        }
    }

    fn snapshot(&self) -> Result<Arc<Snapshot>, IndexError> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(snapshot) = &*last
            && snapshot.state.generation > 0
        {
            let now = looks::read(&self.cluster, &self.key, &self.fingerprint)?;
            if now.state.version() == snapshot.state.version() {
                return Ok(Arc::clone(snapshot));
            }
        }
        let known = self.known.get();
        let opened =
            Snapshot::open(&self.cluster, &self.key, self.source, &self.fingerprint, known)?;
        let opened = Arc::new(opened);
        if opened.state.generation > 0 {
            self.known.set(opened.state.version(), Arc::clone(&opened.table));
        }
        *last = Some(Arc::clone(&opened));
        Ok(opened)
    }
}

/// The index of one source of a repository.
pub(super) struct ClusterStore(Arc<SharedIndex>);

impl ClusterStore {
    pub(super) fn new(index: Arc<SharedIndex>) -> ClusterStore {
        ClusterStore(index)
    }
}

impl Store for ClusterStore {
    fn reader(&self) -> Result<Box<dyn Reader>, IndexError> {
        Ok(Box::new(ClusterReader::new(self.0.snapshot()?)))
    }

    fn writer(&self, base: IndexVersion) -> Result<Box<dyn Writer>, IndexError> {
        if !self.0.cluster.exists()? {
            return Err(IndexError::Unwritable {
                path: self.0.cluster.path(),
                reason: "there is no index; `lore cluster init` creates it".to_owned(),
            });
        }
        let moved = || IndexError::Moved { path: self.0.cluster.path() };
        let snapshot = self.0.snapshot()?;
        let state = state::read(&self.0.cluster, &self.0.key, &self.0.fingerprint)?;
        if snapshot.state.version() != base || state.state.version() != base {
            return Err(moved());
        }
        let writer = ClusterWriter::begin(snapshot, state, Arc::clone(&self.0.known))?;
        Ok(Box::new(writer))
    }

    fn verify(&self) -> Result<Vec<String>, IndexError> {
        let snapshot = self.0.snapshot()?;
        let State { documents, chunks, .. } = &snapshot.state;
        let mut faults = Vec::new();
        for (kind, expected) in [("document", documents), ("chunk", chunks)] {
            let found = snapshot.count(&snapshot.rows(&[kind]))?;
            if found != *expected {
                faults
                    .push(format!("{found} rows of kind `{kind}` where there must be {expected}"));
            }
        }
        let answer = self.0.cluster.send(
            "GET",
            &format!("_cluster/health/{}", self.0.cluster.alias()),
            None,
        )?;
        if answer["status"] == json!("red") {
            faults.push("a shard is missing: the cluster is red".to_owned());
        }
        Ok(faults)
    }
}
