//! The state of the index of one source of a repository: one document of the cluster, which every
//! commit replaces.
//!
//! All rows of all repositories are in one index, and a cluster makes changes visible one by one. The
//! state makes a commit one change all the same: each row names the change that wrote it, and a reader
//! accepts only the rows of the changes that its state names, without those that a later change
//! replaced. Replaced rows are deleted after the commit.

use std::{
    collections::HashMap,
    time::{Duration, SystemTime},
};

use lore_schema::{Field, Level, SkipCounts, SkipReason};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use xxhash_rust::xxh3::xxh3_128;

use super::{cluster::Cluster, points::RawState};
use crate::{IndexError, IndexVersion};

/// Maximum silence of a writer before another one takes its place.
pub(super) const LEASE: Duration = Duration::from_mins(1);

/// Maximum number of abandoned changes that a state names. The rows of older ones were deleted long
/// ago, and their writers may no longer write.
const MAX_ABANDONED: usize = 200;

/// The state of an index.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct State {
    pub(super) fingerprint: String,
    /// Random for each index, to tell apart a rebuilt one.
    pub(super) identity: u64,
    /// Number of the last commit; 0 before the first.
    pub(super) generation: u64,
    /// Number of the change of the last commit.
    pub(super) committed: u64,
    /// Number of the last change that was begun.
    pub(super) begun: u64,
    /// Numbers of changes that were begun and not committed.
    pub(super) abandoned: Vec<u64>,
    /// Rows of earlier changes that no longer count, and may not be deleted yet.
    pub(super) dead: Vec<Dead>,
    pub(super) cursor: Option<String>,
    pub(super) documents: u64,
    pub(super) chunks: u64,
    /// Number of terms of each field, in the order of [`Field::ALL`].
    pub(super) tokens: [u64; Field::ALL.len()],
    pub(super) skipped: Vec<(u8, u64)>,
    /// Number of blocks of the dictionary.
    pub(super) blocks: u64,
    /// Number of them when they were last merged.
    pub(super) merged: u64,
    /// False if every word of the dictionary is in a row of this state.
    #[serde(default = "unknown")]
    pub(super) has_dead_words: bool,
    pub(super) writer: Option<Lease>,
    /// Time of the last commit in seconds since the epoch.
    #[serde(default)]
    pub(super) written: Option<i64>,
}

/// Words may be dead in a state that does not record it.
fn unknown() -> bool {
    true
}

/// Rows of changes before one, which it replaced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Dead {
    /// Rows of this change and later ones count.
    pub(super) before: u64,
    pub(super) rows: DeadRows,
}

/// The rows that a change replaced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum DeadRows {
    /// All rows of these units.
    Units(Vec<String>),
    /// The descriptions of these units.
    Descriptions(Vec<String>),
    /// All.
    All,
    /// The blocks of the dictionary.
    Words,
    /// The vectors of a model for these documents.
    Vectors(String, Vec<u64>),
    /// The vectors of all models but these, also those of the change itself.
    OtherModels(Vec<String>),
}

/// A writer that is active.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Lease {
    /// Number of its change.
    pub(super) change: u64,
    /// When it ends without another sign of life, in milliseconds since the epoch.
    pub(super) until: u64,
}

impl Lease {
    pub(super) fn new(change: u64) -> Lease {
        let lease = u64::try_from(LEASE.as_millis()).unwrap_or(u64::MAX);
        Lease { change, until: now().saturating_add(lease) }
    }

    pub(super) fn is_active(&self) -> bool {
        now() < self.until
    }

    /// Returns true if a third of the time has passed. The clock goes on while a machine sleeps.
    pub(super) fn is_old(&self) -> bool {
        let left = self.until.saturating_sub(now());
        u128::from(left) < LEASE.as_millis() * 2 / 3
    }
}

/// Seconds since the epoch.
pub(super) fn seconds() -> i64 {
    i64::try_from(now() / 1_000).unwrap_or(i64::MAX)
}

/// Milliseconds since the epoch.
fn now() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

impl State {
    /// The state before the first commit.
    pub(super) fn new(fingerprint: &str) -> State {
        State {
            fingerprint: fingerprint.to_owned(),
            identity: 0,
            generation: 0,
            committed: 0,
            begun: 0,
            abandoned: Vec::new(),
            dead: Vec::new(),
            cursor: None,
            documents: 0,
            chunks: 0,
            tokens: [0; Field::ALL.len()],
            skipped: Vec::new(),
            blocks: 0,
            merged: 0,
            has_dead_words: false,
            writer: None,
            written: None,
        }
    }

    pub(super) fn version(&self) -> IndexVersion {
        if self.generation == 0 {
            return IndexVersion { generation: 0, digest: 0 };
        }
        let mark = [self.identity, self.committed].map(u64::to_le_bytes).concat();
        IndexVersion { generation: self.generation, digest: xxh3_128(&mark) }
    }

    pub(super) fn skip_counts(&self) -> SkipCounts {
        let named = |(reason, count): &(u8, u64)| {
            Some((*SkipReason::ALL.get(usize::from(*reason))?, *count))
        };
        self.skipped.iter().filter_map(named).collect()
    }

    /// Number of rows of a level.
    pub(super) fn rows_of(&self, level: Level) -> u64 {
        match level {
            Level::Chunk => self.chunks,
            Level::Document => self.documents,
        }
    }

    /// Returns true if a change was committed, by this state or one before.
    pub(super) fn has_committed(&self, change: u64) -> bool {
        change <= self.committed && !self.abandoned.contains(&change)
    }

    /// Notes that a change will not be committed.
    pub(super) fn abandon(&mut self, change: u64) {
        self.abandoned.push(change);
        let surplus = self.abandoned.len().saturating_sub(MAX_ABANDONED);
        self.abandoned.drain(..surplus);
    }

    /// The condition that the rows of this state meet, as a query.
    pub(super) fn rows(&self, key: &str) -> Value {
        let mut without: Vec<Value> = self.dead.iter().map(Dead::query).collect();
        if !self.abandoned.is_empty() {
            without.push(json!({"terms": {"change": self.abandoned}}));
        }
        json!({"bool": {
            "filter": [
                {"term": {"key": key}},
                {"range": {"change": {"lte": self.committed}}},
            ],
            "must_not": without,
        }})
    }
}

impl Dead {
    /// The rows as a query.
    pub(super) fn query(&self) -> Value {
        let before = json!({"range": {"change": {"lt": self.before}}});
        match &self.rows {
            DeadRows::All => before,
            DeadRows::Words => {
                json!({"bool": {"filter": [before, {"term": {"row": "words"}}]}})
            }
            DeadRows::Units(units) => {
                json!({"bool": {"filter": [before, {"terms": {"unit": units}}]}})
            }
            DeadRows::Descriptions(units) => json!({"bool": {"filter": [
                before, {"term": {"row": "unit"}}, {"terms": {"unit": units}},
            ]}}),
            DeadRows::Vectors(model, documents) => json!({"bool": {"filter": [
                before, {"term": {"model": model}}, {"terms": {"document": documents}},
            ]}}),
            DeadRows::OtherModels(models) => {
                let before = json!({"range": {"change": {"lte": self.before}}});
                json!({"bool": {
                    "filter": [before, {"exists": {"field": "model"}}],
                    "must_not": [{"terms": {"model": models}}],
                }})
            }
        }
    }
}

/// A state as it is in the cluster.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct StoredState {
    pub(super) state: State,
    /// Its version in the cluster; `None` if it was never written.
    version: Option<(u64, u64)>,
}

/// The number of a key, which is a part of the identifiers of its rows.
pub(super) fn key_number(key: &str) -> String {
    format!("{:032x}", xxh3_128(key.as_bytes()))
}

/// Routing of a key: all sources of a repository are in one shard.
pub(super) fn routing(key: &str) -> String {
    let repository = key.rsplit_once('/').map_or(key, |(repository, _)| repository);
    format!("{:016x}", xxhash_rust::xxh3::xxh3_64(repository.as_bytes()))
}

fn place(cluster: &Cluster, key: &str) -> String {
    format!("{}/_doc/{}-state?routing={}", cluster.alias(), key_number(key), routing(key))
}

/// Reads the last state of a key.
///
/// # Errors
/// [`IndexError::Incompatible`] if it was written with another text analysis.
pub(super) fn read(
    cluster: &Cluster,
    key: &str,
    fingerprint: &str,
) -> Result<StoredState, IndexError> {
    let raw = read_raw(cluster, key)?;
    checked(cluster, key, fingerprint, raw)
}

/// Decodes the state of a key, and checks its text analysis.
pub(super) fn checked(
    cluster: &Cluster,
    key: &str,
    fingerprint: &str,
    raw: Option<RawState>,
) -> Result<StoredState, IndexError> {
    let Some((version, state)) = raw else {
        return Ok(StoredState { state: State::new(fingerprint), version: None });
    };
    let state = serde_json::from_value(state).map_err(|error| IndexError::Damaged {
        path: cluster.path(),
        reason: format!("the state of `{key}` cannot be read: {error}"),
    })?;
    let mut stored = StoredState { state, version };
    if stored.state.generation == 0 {
        fingerprint.clone_into(&mut stored.state.fingerprint);
    }
    if stored.state.fingerprint == fingerprint {
        return Ok(stored);
    }
    Err(IndexError::Incompatible {
        path: cluster.path(),
        reason: format!("`{key}` was written with another text analysis"),
    })
}

/// The version of a state; `None` if it cannot be decoded.
pub(super) fn version_of(raw: &RawState) -> Option<IndexVersion> {
    State::deserialize(&raw.1).ok().map(|state| state.version())
}

fn raw_state(answer: &Value) -> RawState {
    let number = |name: &str| answer[name].as_u64();
    let version = number("_seq_no").zip(number("_primary_term"));
    (version, answer["_source"]["state"].clone())
}

/// Reads the last state of a key, whatever it contains.
fn read_raw(cluster: &Cluster, key: &str) -> Result<Option<RawState>, IndexError> {
    let answer = cluster.try_send("GET", &place(cluster, key), None)?;
    if answer.status == 404 {
        return Ok(None);
    }
    if !answer.is_success() {
        return Err(cluster.refused(&answer));
    }
    Ok(Some(raw_state(&answer.body)))
}

/// Reads the last states of keys with the same routing, whatever they contain.
pub(super) fn read_all(
    cluster: &Cluster,
    routing: &str,
    keys: Vec<String>,
) -> Result<HashMap<String, Option<RawState>>, IndexError> {
    let rows = keys
        .iter()
        .map(|key| json!({"_id": format!("{}-state", key_number(key)), "routing": routing}));
    let body = json!({"docs": rows.collect::<Vec<_>>()});
    let path = format!("{}/_mget", cluster.alias());
    let answer = cluster.send("POST", &path, Some(&body))?;
    let answers = answer["docs"].as_array().map(Vec::as_slice).unwrap_or_default();
    if let Some(failed) = answers.iter().find(|answer| !answer["error"].is_null()) {
        let reason = failed["error"]["reason"].as_str().unwrap_or("no reason was given");
        return Err(cluster.failed(reason.to_owned()));
    }
    if answers.len() != keys.len() {
        return Err(cluster.failed("the cluster did not report on every state".to_owned()));
    }
    let state = |answer: &Value| (answer["found"] == Value::Bool(true)).then(|| raw_state(answer));
    Ok(keys.into_iter().zip(answers.iter().map(state)).collect())
}

impl StoredState {
    /// Replaces the state if it is still the last one. Returns false if it is not.
    pub(super) fn replace(
        &mut self,
        cluster: &Cluster,
        key: &str,
        state: State,
    ) -> Result<bool, IndexError> {
        let mut condition = match self.version {
            Some((number, term)) => format!("&if_seq_no={number}&if_primary_term={term}"),
            None => "&require_alias=true&op_type=create".to_owned(),
        };
        // The list of the repositories finds states with a search, which sees what was refreshed.
        if state.generation != self.state.generation {
            condition.push_str("&refresh=true");
        }
        let path = place(cluster, key) + &condition;
        let body = json!({"key": key, "row": "state", "state": state});
        let answer = cluster.try_send("PUT", &path, Some(&body));
        cluster.looks.forget(key);
        let answer = answer?;
        if answer.status == 409 {
            // A repeated request may find its own effect.
            let last = read(cluster, key, &state.fingerprint)?;
            let is_mine = last.state == state;
            *self = last;
            return Ok(is_mine);
        }
        if !answer.is_success() {
            return Err(cluster.refused(&answer));
        }
        let number = |name: &str| answer.body[name].as_u64();
        self.version = number("_seq_no").zip(number("_primary_term"));
        self.state = state;
        Ok(true)
    }
}

/// Empties the index of a key. Fails while a writer is active.
pub(super) fn erase(cluster: &Cluster, key: &str) -> Result<(), IndexError> {
    let Some((version, raw)) = read_raw(cluster, key)? else { return Ok(()) };
    // A damaged state is replaced, too; above its number, if that can be read.
    let damaged = || State { begun: raw["begun"].as_u64().unwrap_or(1 << 30), ..State::new("") };
    let state = State::deserialize(&raw).unwrap_or_else(|_| damaged());
    let mut last = StoredState { state, version };
    if last.state.writer.as_ref().is_some_and(Lease::is_active) {
        return Err(IndexError::Busy { path: cluster.path() });
    }
    // The numbers of changes go on, so that no row of the old index is taken for one of the next.
    let begun = last.state.begun;
    let dead = vec![Dead { before: begun + 1, rows: DeadRows::All }];
    let mut empty = State { begun, dead, ..State::new(&last.state.fingerprint) };
    // Their writers may still send rows.
    empty.abandoned.clone_from(&last.state.abandoned);
    if let Some(silent) = &last.state.writer {
        empty.abandon(silent.change);
    }
    if !last.replace(cluster, key, empty)? {
        return Err(IndexError::Busy { path: cluster.path() });
    }
    cluster.refresh()?;
    let query = json!({"query": {"bool": {
        "filter": [{"term": {"key": key}}, {"range": {"change": {"lte": begun}}}],
    }}});
    let path = format!(
        "{}/_delete_by_query?routing={}&conflicts=proceed&wait_for_completion=false",
        cluster.alias(),
        routing(key)
    );
    cluster.send("POST", &path, Some(&query)).map(drop)
}
