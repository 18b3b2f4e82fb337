//! A state that does not change: a point in time of the cluster, with the units and documents in memory.

use std::{
    borrow::Cow,
    collections::HashMap,
    num::NonZeroUsize,
    sync::{Arc, Mutex, PoisonError},
};

use lore_schema::{Level, SourceName};
use lru::LruCache;
use serde_json::{Value, json};

use super::{
    cluster::{Cluster, MAX_HITS},
    kept::Kept,
    looks,
    points::{KEEP, Point},
    restricted::{add_names, lower_scores, queries_of_names, raise_minimum, score_offset},
    rows::{Names, decoded},
    state::{self, State},
    table::{Table, Unit},
};
use crate::IndexError;

/// Number of stored rows that a snapshot keeps.
const CACHED_ROWS: NonZeroUsize = NonZeroUsize::new(10_000).expect("above zero");

/// Maximum number of texts in one answer of the cluster.
const MAX_TEXTS: usize = 200;

/// Number of attempts to find a state that does not change while it is opened.
const ATTEMPTS: usize = 20;

/// The parts of an answer that are read.
const PARTS: &str = "filter_path=pit_id,timed_out,hits.total,hits.hits._id,hits.hits._score,\
    hits.hits._source,hits.hits.fields,hits.hits.sort,hits.hits.matched_queries,aggregations";

/// The parts of the answers to several queries that are read.
const PARTS_OF_ALL: &str = "filter_path=responses.status,responses.error,responses.timed_out,\
    responses.hits.total,responses.hits.hits._id,responses.hits.hits._score,\
    responses.hits.hits._source,responses.hits.hits.fields,responses.hits.hits.sort,\
    responses.hits.hits.matched_queries,responses.aggregations";

/// The rows of one state.
#[derive(Debug)]
pub(super) struct Snapshot {
    pub(super) cluster: Arc<Cluster>,
    pub(super) names: Names,
    pub(super) source: SourceName,
    pub(super) state: State,
    pub(super) table: Arc<Table>,
    /// Stored rows that were read lately, and of documents their outlines.
    stored: Mutex<LruCache<u64, Arc<[u8]>>>,
    outlines: Mutex<LruCache<u64, Option<Arc<[u8]>>>>,
    /// Identifier of the point in time; `None` if there is no index.
    point: Mutex<Option<Arc<Point>>>,
    /// Earlier answers.
    pub(super) kept: Kept,
}

impl Snapshot {
    /// Opens the last state. `known` is the table of a version, which saves reading it.
    pub(super) fn open(
        cluster: &Arc<Cluster>,
        key: &str,
        source: SourceName,
        fingerprint: &str,
        known: Option<(crate::IndexVersion, Arc<Table>)>,
    ) -> Result<Snapshot, IndexError> {
        let names = Names::new(key);
        let new = |state: State, point: Option<Arc<Point>>| Snapshot {
            cluster: Arc::clone(cluster),
            names: names.clone(),
            source,
            state,
            table: Arc::default(),
            point: Mutex::new(point),
            kept: Kept::default(),
            stored: Mutex::new(LruCache::new(CACHED_ROWS)),
            outlines: Mutex::new(LruCache::new(CACHED_ROWS)),
        };
        if !cluster.exists()? {
            return Ok(new(State::new(fingerprint), None));
        }
        for _ in 0..ATTEMPTS {
            let last = looks::read(cluster, key, fingerprint)?.state;
            if last.generation == 0 {
                return Ok(new(last, None));
            }
            let Some(point) = looks::point(cluster, key, last.version())? else { continue };
            let mut snapshot = new(last, Some(point));
            let version = snapshot.state.version();
            snapshot.table = match known {
                Some((known, table)) if known == version => table,
                _ => Arc::new(snapshot.read_table()?),
            };
            return Ok(snapshot);
        }
        Err(IndexError::Moved { path: cluster.path() })
    }

    /// The condition of the rows of this state of some kinds.
    pub(super) fn rows(&self, kinds: &[&str]) -> Value {
        let state = self.state.rows(&self.names.key);
        json!({"bool": {"filter": [state, {"terms": {"row": kinds}}]}})
    }

    /// Sends a query. All rows that it finds are of the point in time.
    pub(super) fn search(&self, mut body: Value) -> Result<Value, IndexError> {
        let Some(point) = self.point() else { return Ok(Value::Null) };
        body["pit"] = json!({"id": point, "keep_alive": KEEP});
        let names =
            if body["named"].take().is_null() { "" } else { "&include_named_queries_score" };
        if let Some(body) = body.as_object_mut() {
            body.remove("named");
        }
        let path = format!("_search?{PARTS}&allow_partial_search_results=false{names}");
        let offset = score_offset(&self.cluster, &self.names)?;
        raise_minimum(&mut body, offset);
        let mut answer = self.cluster.try_send("POST", &path, Some(&body))?;
        // The cluster forgets a point in time that was not used, or whose node is gone. Pages of two points
        // do not fit together.
        if !answer.is_success() && answer.status != 400 {
            if !body["search_after"].is_null() {
                return Err(IndexError::Moved { path: self.cluster.path() });
            }
            body["pit"]["id"] = json!(self.reopen(&point)?);
            answer = self.cluster.try_send("POST", &path, Some(&body))?;
        }
        if !answer.is_success() {
            return Err(self.cluster.refused(&answer));
        }
        if answer.body["timed_out"] == Value::Bool(true) {
            return Err(self.cluster.failed("the cluster took too long".to_owned()));
        }
        if offset > 0.0 {
            lower_scores(&mut answer.body, offset);
            let (parts, queries): (Vec<_>, Vec<_>) =
                queries_of_names(&body, &answer.body).into_iter().unzip();
            if !parts.is_empty() {
                let answers = self.search_all(queries)?;
                add_names(&mut answer.body, &parts, &answers, !names.is_empty());
            }
        }
        Ok(answer.body)
    }

    /// Sends several queries at once. The answers are in their order.
    pub(super) fn search_all(&self, mut bodies: Vec<Value>) -> Result<Vec<Value>, IndexError> {
        if bodies.len() < 2 {
            return bodies.pop().map(|body| self.search(body)).into_iter().collect();
        }
        let Some(point) = self.point() else { return Ok(vec![Value::Null; bodies.len()]) };
        let offset = score_offset(&self.cluster, &self.names)?;
        let mut send = |point: &str| -> Result<Vec<Value>, IndexError> {
            let point = json!({"id": point, "keep_alive": KEEP});
            let mut lines = Vec::new();
            for body in &mut bodies {
                body["pit"] = point.clone();
                let mut body = Cow::Borrowed(&*body);
                if offset > 0.0 {
                    raise_minimum(body.to_mut(), offset);
                }
                lines.extend_from_slice(b"{\"allow_partial_search_results\":false}\n");
                lines.extend_from_slice(body.to_string().as_bytes());
                lines.push(b'\n');
            }
            let mut answer =
                self.cluster.send_lines(&format!("_msearch?{PARTS_OF_ALL}"), &lines)?;
            Ok(answer["responses"].as_array_mut().map(std::mem::take).unwrap_or_default())
        };
        let mut answers = send(&point)?;
        // The cluster forgot the point in time.
        if answers.iter().any(|answer| answer["status"] == json!(404)) {
            answers = send(&self.reopen(&point)?)?;
        }
        let is_complete =
            |answer: &Value| answer["error"].is_null() && answer["timed_out"] == Value::Bool(false);
        if answers.len() == bodies.len() && answers.iter().all(is_complete) {
            if offset > 0.0 {
                for answer in &mut answers {
                    lower_scores(answer, offset);
                }
            }
            return Ok(answers);
        }
        // One by one, each is repeated where that helps, or has an error with a reason.
        bodies.into_iter().map(|body| self.search(body)).collect()
    }

    /// Calls `found` with every hit of a query, in any order.
    pub(super) fn each(
        &self,
        mut body: Value,
        mut found: impl FnMut(&Value) -> Result<(), IndexError>,
    ) -> Result<(), IndexError> {
        body["size"] = json!(MAX_HITS);
        body["sort"] = json!([{"_shard_doc": "asc"}]);
        body["track_total_hits"] = json!(false);
        loop {
            let answer = self.search(body.clone())?;
            let hits = hits(&answer);
            hits.iter().try_for_each(&mut found)?;
            match hits.last() {
                Some(last) if hits.len() == MAX_HITS => body["search_after"] = last["sort"].clone(),
                _ => return Ok(()),
            }
        }
    }

    /// Stored rows by their numbers, in the order of the numbers; `None` for those that do not exist.
    pub(super) fn stored(&self, numbers: &[u64]) -> Result<Vec<Option<Arc<[u8]>>>, IndexError> {
        let lock = || self.stored.lock().unwrap_or_else(PoisonError::into_inner);
        let mut read: HashMap<u64, Arc<[u8]>> = {
            let mut known = lock();
            numbers.iter().filter_map(|it| Some((*it, Arc::clone(known.get(it)?)))).collect()
        };
        let missing: Vec<u64> =
            numbers.iter().copied().filter(|number| !read.contains_key(number)).collect();
        if !missing.is_empty() {
            let rows = self.rows(&["chunk", "document"]);
            let body = json!({
                "query": {"bool": {"filter": [rows, {"terms": {"number": missing}}]}},
                "stored_fields": "_none_", "docvalue_fields": ["number", "stored"],
            });
            self.each(body, |hit| {
                read.insert(number(hit, "number"), self.keep(hit)?);
                Ok(())
            })?;
        }
        Ok(numbers.iter().map(|number| read.get(number).cloned()).collect())
    }

    /// Keeps the stored row of a hit, which also has its number. Returns it.
    pub(super) fn keep(&self, hit: &Value) -> Result<Arc<[u8]>, IndexError> {
        let bytes = stored(hit).ok_or_else(|| self.undecodable())?;
        let bytes: Arc<[u8]> = bytes.into();
        let mut known = self.stored.lock().unwrap_or_else(PoisonError::into_inner);
        known.put(number(hit, "number"), Arc::clone(&bytes));
        Ok(bytes)
    }

    /// Encoded outlines of documents, in their order; `None` for a document without one. Reads the stored
    /// rows of the documents and their chunks, too, because they are needed next.
    pub(super) fn outlines(&self, documents: &[u64]) -> Result<Vec<Option<Arc<[u8]>>>, IndexError> {
        let lock = || self.outlines.lock().unwrap_or_else(PoisonError::into_inner);
        let mut read: HashMap<u64, Option<Arc<[u8]>>> = {
            let mut known = lock();
            documents.iter().filter_map(|it| Some((*it, known.get(it)?.clone()))).collect()
        };
        let missing: Vec<u64> =
            documents.iter().copied().filter(|number| !read.contains_key(number)).collect();
        if !missing.is_empty() {
            let rows = self.rows(&["chunk", "document"]);
            let body = json!({
                "query": {"bool": {"filter": [rows, {"terms": {"document": missing}}]}},
                "stored_fields": "_none_",
                "docvalue_fields": ["number", "document", "stored", "outline"],
            });
            self.each(body, |hit| {
                self.keep(hit)?;
                let own = number(hit, "document");
                if number(hit, "number") == own {
                    let outline = &hit["fields"]["outline"][0];
                    let bytes = (!outline.is_null()).then(|| decoded(outline));
                    let bytes = bytes.map(|it| it.ok_or_else(|| self.undecodable())).transpose()?;
                    let bytes: Option<Arc<[u8]>> = bytes.map(Into::into);
                    lock().put(own, bytes.clone());
                    read.insert(own, bytes);
                }
                Ok(())
            })?;
        }
        let unknown = || self.cluster.failed("the row belongs to another reader".to_owned());
        let outline = |number: &u64| read.get(number).cloned().ok_or_else(unknown);
        documents.iter().map(outline).collect()
    }

    /// Texts of documents, by their numbers, as far as they are stored.
    pub(super) fn texts(&self, documents: &[u64]) -> Result<HashMap<u64, String>, IndexError> {
        let mut texts = HashMap::new();
        let rows = self.rows(&["text"]);
        for some in documents.chunks(MAX_TEXTS) {
            let body = json!({
                "query": {"bool": {"filter": [rows, {"terms": {"document": some}}]}},
                "_source": ["text"], "docvalue_fields": ["document"],
            });
            self.each(body, |hit| {
                if let Some(text) = hit["_source"]["text"].as_str() {
                    texts.insert(number(hit, "document"), text.to_owned());
                }
                Ok(())
            })?;
        }
        Ok(texts)
    }

    /// Number of rows that a query finds.
    pub(super) fn count(&self, query: &Value) -> Result<u64, IndexError> {
        let body = json!({"size": 0, "track_total_hits": true, "query": query});
        Ok(total(&self.search(body)?))
    }

    fn point(&self) -> Option<String> {
        let point = self.point.lock().unwrap_or_else(PoisonError::into_inner);
        point.as_ref().map(|point| point.id.clone())
    }

    /// Opens another point in time of the same state. Fails if there was another commit.
    fn reopen(&self, old: &str) -> Result<String, IndexError> {
        let mut point = self.point.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(newer) = point.as_ref().filter(|point| point.id != old) {
            return Ok(newer.id.clone());
        }
        let new = self.cluster.open_point(&self.names.routing)?;
        let last = state::read(&self.cluster, &self.names.key, &self.state.fingerprint)?;
        if last.state.version() != self.state.version() {
            return Err(IndexError::Moved { path: self.cluster.path() });
        }
        let id = new.id.clone();
        *point = Some(Arc::new(new));
        Ok(id)
    }

    fn read_table(&self) -> Result<Table, IndexError> {
        let mut units = Vec::new();
        let body = json!({
            "query": self.rows(&["unit"]), "stored_fields": "_none_", "docvalue_fields": ["stored"],
        });
        self.each(body, |hit| {
            let unit: Option<Unit> =
                stored(hit).and_then(|bytes| postcard::from_bytes(&bytes).ok());
            units.push(Arc::new(unit.ok_or_else(|| self.undecodable())?));
            Ok(())
        })?;
        Ok(Table::new(units))
    }

    pub(super) fn undecodable(&self) -> IndexError {
        IndexError::Damaged {
            path: self.cluster.path(),
            reason: "a stored row cannot be decoded".to_owned(),
        }
    }
}

/// The kind of the rows that have the fields of a level.
pub(super) fn row_kind(level: Level) -> &'static str {
    match level {
        Level::Chunk => "chunk",
        Level::Document => "document",
    }
}

/// The hits of an answer.
pub(super) fn hits(answer: &Value) -> &[Value] {
    answer["hits"]["hits"].as_array().map(Vec::as_slice).unwrap_or_default()
}

/// The total of an answer.
pub(super) fn total(answer: &Value) -> u64 {
    answer["hits"]["total"]["value"].as_u64().unwrap_or(0)
}

/// The value of a column of numbers of a hit.
pub(super) fn number(hit: &Value, column: &str) -> u64 {
    hit["fields"][column][0].as_u64().unwrap_or(0)
}

/// The stored bytes of a hit.
pub(super) fn stored(hit: &Value) -> Option<Vec<u8>> {
    decoded(&hit["fields"]["stored"][0])
}

/// The score of a hit.
#[expect(clippy::cast_possible_truncation, reason = "the cluster computes in single precision")]
pub(super) fn score(hit: &Value) -> f32 {
    hit["_score"].as_f64().unwrap_or(0.0) as f32
}
