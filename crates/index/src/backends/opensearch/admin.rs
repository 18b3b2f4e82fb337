//! Administration of a cluster: its state, the repositories in it, and their removal.

use std::collections::BTreeMap;

use lore_schema::SourceName;
use serde_json::{Value, json};

use super::{OpenSearchBackend, cluster, snapshot::hits, state};
use crate::{ClusterIndex, ClusterRepository, ClusterStatus, IndexError};

impl OpenSearchBackend {
    /// Creates the index in the cluster, and allows the queries of this backend.
    ///
    /// # Errors
    /// [`IndexError`] if the cluster refuses it.
    pub fn create(&self) -> Result<(), IndexError> {
        self.cluster.create()?;
        let settings = json!({"persistent": {
            "indices.query.bool.max_clause_count": cluster::MAX_CLAUSES,
            "search.max_open_pit_context": cluster::MAX_POINTS,
        }});
        self.cluster.send("PUT", "_cluster/settings", Some(&settings)).map(drop)
    }

    /// The state of the cluster and of its index.
    ///
    /// # Errors
    /// [`IndexError`] if the cluster does not answer, or the index has another format.
    pub fn status(&self) -> Result<ClusterStatus, IndexError> {
        let alias = self.cluster.alias();
        let root = self.cluster.send("GET", "", None)?;
        let health = self.cluster.send("GET", "_cluster/health", None)?;
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let number = |value: &Value| value.as_u64().unwrap_or(0);
        let mut status = ClusterStatus {
            name: text(&root["cluster_name"]),
            version: text(&root["version"]["number"]),
            health: text(&health["status"]),
            nodes: number(&health["number_of_nodes"]),
            index: None,
            repositories: Vec::new(),
        };
        if !self.cluster.exists()? {
            return Ok(status);
        }
        let settings = self.cluster.send("GET", &format!("{alias}/_settings"), None)?;
        let stats = self.cluster.send("GET", &format!("{alias}/_stats/docs,store"), None)?;
        let settings = settings.as_object().and_then(|indexes| indexes.values().next());
        let setting = |name: &str| {
            let value = settings.map_or(&Value::Null, |it| &it["settings"]["index"][name]);
            value.as_str().and_then(|value| value.parse().ok()).unwrap_or(0)
        };
        status.index = Some(ClusterIndex {
            shards: setting("number_of_shards"),
            replicas: setting("number_of_replicas"),
            rows: number(&stats["_all"]["primaries"]["docs"]["count"]),
            bytes: number(&stats["_all"]["total"]["store"]["size_in_bytes"]),
        });
        status.repositories = self.repositories()?;
        Ok(status)
    }

    /// The repositories with a commit, by name. Empty if there is no index.
    ///
    /// # Errors
    /// [`IndexError`] if the cluster does not answer, or the index has another format.
    pub fn names(&self) -> Result<Vec<String>, IndexError> {
        if !self.cluster.exists()? {
            return Ok(Vec::new());
        }
        Ok(self.repositories()?.into_iter().map(|repository| repository.name).collect())
    }

    /// The repositories with a commit, by name.
    fn repositories(&self) -> Result<Vec<ClusterRepository>, IndexError> {
        let mut found: BTreeMap<String, ClusterRepository> = BTreeMap::new();
        let mut body = json!({
            "size": cluster::MAX_HITS, "query": {"term": {"row": "state"}},
            "sort": [{"key": "asc"}],
        });
        loop {
            let path = format!("{}/_search", self.cluster.alias());
            let answer = self.cluster.send("POST", &path, Some(&body))?;
            let hits = hits(&answer);
            for hit in hits {
                let key = hit["_source"]["key"].as_str().unwrap_or_default();
                let Some((name, source)) = key.rsplit_once('/') else { continue };
                let Some(source) = SourceName::from_name(source) else { continue };
                let number = |name: &str| hit["_source"]["state"][name].as_u64().unwrap_or(0);
                if number("generation") == 0 {
                    continue;
                }
                let counts = (number("documents"), number("chunks"), number("generation"));
                let repository = found.entry(name.to_owned()).or_default();
                name.clone_into(&mut repository.name);
                repository.sources.insert(source, counts);
            }
            match hits.last() {
                Some(last) if hits.len() == cluster::MAX_HITS => {
                    body["search_after"] = last["sort"].clone();
                }
                _ => return Ok(found.into_values().collect()),
            }
        }
    }

    /// Removes all rows of a repository. Returns false if there is none of this name.
    ///
    /// # Errors
    /// [`IndexError::Busy`] while it is written.
    pub fn forget(&self, repository: &str) -> Result<bool, IndexError> {
        if !self.cluster.exists()? {
            return Ok(false);
        }
        let known = self.repositories()?.into_iter().any(|known| known.name == repository);
        for source in SourceName::ALL {
            state::erase(&self.cluster, &format!("{repository}/{}", source.as_str()))?;
        }
        Ok(known)
    }
}
