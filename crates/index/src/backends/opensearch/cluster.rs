//! An index of a cluster: its mapping, and requests to it with errors in terms of an index.

use std::{
    path::PathBuf,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};

use serde_json::{Value, json};

use super::{
    connection::{Answer, ClusterAddress, Connection, Failure},
    points::{KEEP, Looks, Point},
    terms::{CONTAINED, column, length_column},
};
use crate::IndexError;
use lore_schema::Field;

/// Version of the mapping and of everything that is stored. An index of another one is not read.
pub(super) const FORMAT: u32 = 2;

/// Maximum number of hits of one request, the default of the cluster.
pub(super) const MAX_HITS: usize = 10_000;

/// Maximum number of values of a condition. The default of the cluster is 65,536; lists of documents
/// are longer.
const MAX_TERMS: u32 = 4_000_000;

/// Maximum number of words of one query. The default of the cluster is 1,024, less than the forms of a
/// long question in all fields.
pub(super) const MAX_CLAUSES: u32 = 16_384;

/// Maximum number of points in time that are open at once, one for each tree that a process searches.
/// The default of the cluster is 300.
pub(super) const MAX_POINTS: u32 = 10_000;

/// The layout of a new index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClusterLayout {
    /// Number of shards. A repository is in one of them, chosen by the hash of its name.
    pub shards: u32,
    /// Number of copies of each shard beside the first.
    pub replicas: u32,
}

impl Default for ClusterLayout {
    fn default() -> ClusterLayout {
        ClusterLayout { shards: 1, replicas: 1 }
    }
}

/// An index of a cluster.
#[derive(Debug)]
pub(super) struct Cluster {
    connection: Arc<Connection>,
    /// Name under which the index is searched and written: an alias of the index of a format.
    alias: String,
    layout: ClusterLayout,
    /// True once the index was found with the right format. It is looked up once: if it is deleted later,
    /// it has no states, and rows are refused because there is no alias.
    is_found: AtomicBool,
    /// The last looks at the states of repositories.
    pub(super) looks: Looks,
    /// Constant that the cluster adds to every score for this user.
    pub(super) score_offset: OnceLock<f64>,
}

impl Cluster {
    /// Prepares requests. Sends none.
    pub(super) fn new(
        address: &ClusterAddress,
        alias: &str,
        layout: ClusterLayout,
    ) -> Result<Cluster, IndexError> {
        check_name(alias).and_then(|()| Connection::new(address)).map_or_else(
            |reason| {
                let path = PathBuf::from(format!("{}/{alias}", address.nodes.join(",")));
                Err(IndexError::Storage { path, reason })
            },
            |connection| {
                let (alias, is_found) = (alias.to_owned(), AtomicBool::new(false));
                let (connection, looks) = (Arc::new(connection), Looks::default());
                let score_offset = OnceLock::new();
                Ok(Cluster { connection, alias, layout, is_found, looks, score_offset })
            },
        )
    }

    /// The location in messages.
    pub(super) fn path(&self) -> PathBuf {
        PathBuf::from(format!("{}/{}", self.connection.name(), self.alias))
    }

    pub(super) fn alias(&self) -> &str {
        &self.alias
    }

    pub(super) fn failed(&self, reason: String) -> IndexError {
        IndexError::Storage { path: self.path(), reason }
    }

    /// Sends a request. An answer with an error status is returned.
    pub(super) fn try_send(
        &self,
        method: &str,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Answer, IndexError> {
        let body = body.map(Value::to_string);
        let answer = self.connection.send(method, path, body.as_deref().map(str::as_bytes));
        answer.map_err(|failure| self.unanswered(failure))
    }

    /// Sends a request. An answer with an error status is an error.
    pub(super) fn send(
        &self,
        method: &str,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Value, IndexError> {
        let answer = self.try_send(method, path, body)?;
        if answer.is_success() { Ok(answer.body) } else { Err(self.refused(&answer)) }
    }

    /// Sends lines of changes.
    pub(super) fn send_lines(&self, path: &str, lines: &[u8]) -> Result<Value, IndexError> {
        let answer = self.connection.send("POST", path, Some(lines));
        let answer = answer.map_err(|failure| self.unanswered(failure))?;
        if answer.is_success() { Ok(answer.body) } else { Err(self.refused(&answer)) }
    }

    /// The error of a request without an answer.
    fn unanswered(&self, Failure { reason, is_untrusted }: Failure) -> IndexError {
        if !is_untrusted {
            return self.failed(reason);
        }
        let hint = "name the certificate of the cluster's authority in `cluster.ca`, and a node by a name of its \
                    certificate in `cluster.url`";
        IndexError::Refused { path: self.path(), reason, hint }
    }

    /// The error of an answer with an error status.
    pub(super) fn refused(&self, answer: &Answer) -> IndexError {
        let (reason, hint) = match answer.status {
            401 => (
                "the cluster does not accept the user or the secret (HTTP status 401)".to_owned(),
                "check `cluster.user` and the variable that `cluster.password_env` names",
            ),
            403 => (
                format!("the cluster refuses this user: {}", answer.reason()),
                "give the user a role with this permission; the guide \"Running a cluster\" lists the roles",
            ),
            _ => return self.failed(answer.reason()),
        };
        IndexError::Refused { path: self.path(), reason, hint }
    }

    /// Opens a point in time of the repositories with a routing.
    pub(super) fn open_point(&self, routing: &str) -> Result<Point, IndexError> {
        let alias = &self.alias;
        let path = format!("{alias}/_search/point_in_time?keep_alive={KEEP}&routing={routing}");
        let answer = self.send("POST", &path, None)?;
        let id = answer["pit_id"].as_str().map(str::to_owned);
        let id = id.ok_or_else(|| self.failed("the cluster gave no point in time".to_owned()))?;
        Ok(Point::new(&self.connection, id))
    }

    /// Makes changes visible to readers that are opened after it.
    pub(super) fn refresh(&self) -> Result<(), IndexError> {
        let answer = self.send("POST", &format!("{}/_refresh", self.alias), None)?;
        match answer["_shards"]["failed"].as_u64() {
            Some(0) => Ok(()),
            _ => Err(self.failed("a shard did not make the changes visible".to_owned())),
        }
    }

    /// Returns true if the index exists. Fails if it has another format.
    pub(super) fn exists(&self) -> Result<bool, IndexError> {
        if self.is_found.load(Ordering::Relaxed) {
            return Ok(true);
        }
        let answer = self.try_send("GET", &format!("{}/_mapping", self.alias), None)?;
        if answer.status == 404 {
            return Ok(false);
        }
        if !answer.is_success() {
            return Err(self.refused(&answer));
        }
        let mapping = answer.body.as_object().and_then(|indexes| indexes.values().next());
        let format = mapping.map_or(&Value::Null, |it| &it["mappings"]["_meta"]["format"]);
        if format.as_u64() == Some(u64::from(FORMAT)) {
            self.is_found.store(true, Ordering::Relaxed);
            return Ok(true);
        }
        Err(IndexError::Incompatible {
            path: self.path(),
            reason: match format.as_u64() {
                Some(other) => format!("the cluster has format {other}, and this is {FORMAT}"),
                None => "another program wrote it".to_owned(),
            },
        })
    }

    /// Creates the index if it does not exist.
    pub(super) fn create(&self) -> Result<(), IndexError> {
        if self.exists()? {
            return Ok(());
        }
        let index = self.index();
        let answer = self.try_send("PUT", &index, Some(&self.description()))?;
        let was_faster = answer.kind() == "resource_already_exists_exception";
        if answer.is_success() || was_faster { Ok(()) } else { Err(self.refused(&answer)) }
    }

    /// Name of the index behind the alias.
    fn index(&self) -> String {
        format!("{}-format-{FORMAT}", self.alias)
    }

    /// Settings, mapping and alias of the index.
    fn description(&self) -> Value {
        let mut properties = json!({
            // Repository and source; kind of row; number of the change that wrote it.
            "key": {"type": "keyword"},
            "row": {"type": "keyword"},
            "change": {"type": "long"},
            "unit": {"type": "keyword"},
            "number": {"type": "long"},
            "document": {"type": "long"},
            "ordinal": {"type": "integer", "index": false, "doc_values": false},
            "language": {"type": "keyword"},
            "category": {"type": "keyword"},
            "kind": {"type": "keyword"},
            "symbols": {"type": "keyword"},
            "model": {"type": "keyword"},
            "vectors": {"type": "integer"},
            "dimension": {"type": "integer"},
            "first": {"type": "keyword"},
            "last": {"type": "keyword"},
            "field": {"type": "keyword"},
            // Never searched. Readers read columns, because the cluster would decompress and parse the whole
            // row for a part of it.
            "stored": {"type": "binary", "doc_values": true},
            "outline": {"type": "binary", "doc_values": true},
            "state": {"type": "object", "enabled": false},
        });
        let words = |similarity: &str| {
            json!({
                "type": "text",
                "analyzer": "whitespace",
                "index_options": "freqs",
                "similarity": similarity,
            })
        };
        for field in Field::ALL {
            properties[column(*field)] = words("frequency");
            properties[column(*field)]["norms"] = json!(false);
            properties[length_column(*field)] = json!({"type": "integer", "index": false});
        }
        properties[CONTAINED] = words("boolean");
        properties[CONTAINED]["index_options"] = json!("docs");
        properties[CONTAINED]["norms"] = json!(false);
        json!({
            "settings": {
                "number_of_shards": self.layout.shards,
                "number_of_replicas": self.layout.replicas,
                // Each commit makes its rows visible, and others need no rows.
                "refresh_interval": "-1",
                // A refresh makes changes visible in all copies.
                "replication": {"type": "DOCUMENT"},
                "max_terms_count": MAX_TERMS,
                "similarity": {
                    "frequency": {
                        "type": "scripted",
                        "script": {"source": "return query.boost * doc.freq;"},
                    },
                },
            },
            "mappings": {
                "_meta": {"format": FORMAT},
                "_routing": {"required": true},
                "dynamic": false,
                "properties": properties,
            },
            "aliases": {&self.alias: {}},
        })
    }

    /// Adds the column of vectors of a dimension.
    pub(super) fn add_vectors(&self, dimension: usize) -> Result<(), IndexError> {
        let properties = json!({
            vector_column(dimension): {
                "type": "knn_vector",
                "dimension": dimension,
                // Without `index.knn` of the index, vectors are compared one by one and no graph is built.
                "data_type": "byte",
            },
        });
        let body = json!({"properties": properties});
        self.send("PUT", &format!("{}/_mapping", self.alias), Some(&body)).map(drop)
    }
}

/// The name of the column of vectors of a dimension.
pub(super) fn vector_column(dimension: usize) -> String {
    format!("v_{dimension}")
}

/// Checks the name of an index, which is a part of addresses.
fn check_name(name: &str) -> Result<(), String> {
    let is_allowed = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_');
    let begins = name.bytes().next().is_some_and(|byte| byte.is_ascii_lowercase());
    if begins && name.len() <= 100 && name.bytes().all(is_allowed) {
        return Ok(());
    }
    Err(format!(
        "`{name}` is no name of an index: use lower-case letters, digits, `-` and `_`, beginning \
         with a letter"
    ))
}
