//! The backend for a cluster: OpenSearch 3 stores the rows of all repositories of an organisation in one
//! index, with routing by repository.
//!
//! - [`connection`] sends requests, and repeats those that fail for a reason that may pass.
//! - [`cluster`] knows the index: its mapping, its alias and its format.
//! - [`state`] makes a commit one change, although the cluster makes rows visible one by one.
//! - [`writer`] sends rows ([`rows`]) in batches ([`lines`]); [`snapshot`] is what a reader sees.
//! - [`looks`] reads the states of a repository together; [`kept`] has the earlier answers of a snapshot.
//! - [`select`] finds the repositories that a question is about.
//! - [`lexical`] ([`part`]), [`dense`] and [`dictionary`] answer queries with the results of the local index.
//! - [`restricted`] does so for a user whose role has document-level security.

mod accepted;
mod admin;
mod cluster;
mod connection;
mod dense;
mod dictionary;
mod kept;
mod lexical;
mod lines;
mod lists;
mod looks;
mod part;
mod points;
mod reader;
mod restricted;
mod rows;
mod select;
mod snapshot;
mod state;
mod store;
mod table;
mod terms;
mod vectors;
mod words;
mod writer;

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use lore_schema::SourceName;

use self::{
    cluster::Cluster,
    store::{ClusterStore, SharedIndex},
};
pub use self::{
    cluster::ClusterLayout,
    connection::{ClusterAddress, ClusterCredentials},
};
use super::local::LocalBackend;
use crate::{Backend, IndexError, IndexLocation, Store};

/// Indexes in a cluster. An index in memory is a local one.
#[derive(Debug)]
pub struct OpenSearchBackend {
    cluster: Arc<Cluster>,
    /// Name of the repository in the cluster; `None` to name it by its cache directory, for tests.
    repository: Option<String>,
    /// The open indexes, by key and fingerprint: their last snapshots are shared.
    indexes: Mutex<HashMap<(String, String), Arc<SharedIndex>>>,
}

impl OpenSearchBackend {
    /// Prepares a backend for an index of a cluster, named by its alias. Opens no connection.
    ///
    /// # Errors
    /// [`IndexError::Storage`] if the address or the name cannot be used.
    pub fn new(
        address: &ClusterAddress,
        index: &str,
        layout: ClusterLayout,
        repository: Option<&str>,
    ) -> Result<OpenSearchBackend, IndexError> {
        Ok(OpenSearchBackend {
            cluster: Arc::new(Cluster::new(address, index, layout)?),
            repository: repository.map(str::to_owned),
            indexes: Mutex::default(),
        })
    }

    /// The backend of another repository in the same index. Both share their connections.
    #[must_use]
    pub fn of_repository(&self, repository: &str) -> OpenSearchBackend {
        let (cluster, indexes) = (Arc::clone(&self.cluster), Mutex::default());
        OpenSearchBackend { cluster, repository: Some(repository.to_owned()), indexes }
    }

    /// Name of the rows of a source; `None` for an index in memory.
    fn key(&self, source: SourceName, location: &IndexLocation) -> Option<String> {
        let IndexLocation::Folder(folder) = location else { return None };
        let repository = self.repository.clone();
        let repository = repository.unwrap_or_else(|| folder.display().to_string());
        Some(format!("{repository}/{}", source.as_str()))
    }
}

impl Backend for OpenSearchBackend {
    fn name(&self) -> &'static str {
        "opensearch"
    }

    fn format(&self) -> u32 {
        cluster::FORMAT
    }

    fn open(
        &self,
        source: SourceName,
        location: &IndexLocation,
        fingerprint: &str,
    ) -> Result<Box<dyn Store>, IndexError> {
        let Some(key) = self.key(source, location) else {
            return LocalBackend.open(source, location, fingerprint);
        };
        let names = (key.clone(), fingerprint.to_owned());
        let known = points::lock(&self.indexes).get(&names).cloned();
        let index = if let Some(known) = known {
            // Its state is read and checked with each reader.
            known
        } else {
            if self.cluster.exists()? {
                looks::read(&self.cluster, &key, fingerprint)?;
            }
            let cluster = Arc::clone(&self.cluster);
            let index = Arc::new(SharedIndex::new(cluster, key, source, fingerprint));
            Arc::clone(points::lock(&self.indexes).entry(names).or_insert(index))
        };
        Ok(Box::new(ClusterStore::new(index)))
    }

    fn stores_texts(&self) -> bool {
        true
    }

    fn release(&self) {
        points::lock(&self.indexes).clear();
    }

    /// Only an index whose state cannot be read, or by request. A cluster that does not answer is no
    /// reason, nor is the index of a user with another version: others use it.
    fn erases(&self, error: &IndexError, rebuild: bool) -> bool {
        match error {
            IndexError::Damaged { .. } => true,
            IndexError::Incompatible { .. } => rebuild,
            _ => false,
        }
    }

    fn erase(&self, location: &IndexLocation) -> Result<(), IndexError> {
        let IndexLocation::Folder(folder) = location else { return LocalBackend.erase(location) };
        if !self.cluster.exists()? {
            return Ok(());
        }
        // The last name of the directory is that of the source.
        let name = folder.file_name().and_then(|name| name.to_str());
        let source = name.and_then(SourceName::from_name);
        let Some(key) = source.and_then(|source| self.key(source, location)) else {
            return Err(self.cluster.failed(format!("`{}` names no source", folder.display())));
        };
        state::erase(&self.cluster, &key)
    }
}
