//! The writer: a change that becomes visible at once.
//!
//! Rows go to the cluster while the change is made, marked with its number, which no state names yet. The
//! commit replaces the state, and only then deletes the rows that it replaced. A writer that is killed
//! leaves rows that no reader sees; the next writer deletes them.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use lore_schema::{Field, Stamp};
use serde_json::{Value, json};

use super::{
    cluster::Cluster,
    dictionary,
    lines::{Batch, Queue},
    rows::{Names, UnitRows, Vectors, put_unit, put_words, row_count},
    snapshot::{Snapshot, hits},
    state::{self, Dead, DeadRows, Lease, State, StoredState},
    store::Known,
    table::{Table, Unit, unit_number},
    words::Words,
};
use crate::{DocumentId, DocumentVectors, IndexError, UnitUpdate, Writer};

/// Number of blocks of the dictionary beyond twice that of the last merge, before they are merged again.
/// Few in debug builds, so that tests merge.
const MAX_BLOCKS: u64 = if cfg!(debug_assertions) { 8 } else { 200 };

/// Number of rows that are deleted in one request.
const DELETED: usize = 5_000;

/// The changes of a writer that are not rows yet.
#[derive(Default)]
struct Changes {
    /// New content of units; `None` for deleted ones.
    units: BTreeMap<String, Option<Arc<Unit>>>,
    /// Units of the base with another stamp.
    stamps: BTreeMap<String, Stamp>,
    /// Documents that this writer wrote and replaced itself.
    replaced: Vec<u64>,
    /// Vectors of documents of the base, by document and model.
    vectors: BTreeMap<(u64, String), Vectors>,
    /// Models that are kept; `None` for all.
    models: Option<Vec<String>>,
    words: Words,
    /// Dimensions of vectors whose columns exist.
    dimensions: BTreeSet<usize>,
    has_rows: bool,
}

/// A change of the index of a source.
pub(super) struct ClusterWriter {
    cluster: Arc<Cluster>,
    names: Names,
    base: Arc<Snapshot>,
    change: u64,
    /// Number of rows so far.
    rows: AtomicU64,
    queue: Queue,
    changes: Mutex<Changes>,
    /// The state as this writer last wrote it.
    state: Mutex<StoredState>,
    known: Arc<Known>,
    is_done: bool,
}

impl ClusterWriter {
    /// Begins a change on top of a snapshot. `state` is the state in the cluster, of the same version.
    pub(super) fn begin(
        base: Arc<Snapshot>,
        mut state: StoredState,
        known: Arc<Known>,
    ) -> Result<ClusterWriter, IndexError> {
        let (cluster, names) = (Arc::clone(&base.cluster), base.names.clone());
        let busy = || IndexError::Busy { path: cluster.path() };
        let mut next = state.state.clone();
        let mut leftovers = next.abandoned.clone();
        if let Some(other) = next.writer.take() {
            if other.is_active() {
                return Err(busy());
            }
            next.abandon(other.change);
            leftovers.push(other.change);
        }
        next.begun += 1;
        let change = next.begun;
        next.writer = Some(Lease::new(change));
        let dead = next.dead.clone();
        if !state.replace(&cluster, &names.key, next)? {
            return Err(busy());
        }
        let writer = ClusterWriter {
            cluster,
            names,
            base,
            change,
            rows: AtomicU64::new(0),
            queue: Queue::default(),
            changes: Mutex::default(),
            state: Mutex::new(state),
            known,
            is_done: false,
        };
        let mut queries: Vec<Value> = dead.iter().map(Dead::query).collect();
        if !leftovers.is_empty() {
            queries.push(json!({"terms": {"change": leftovers}}));
        }
        if !queries.is_empty() {
            writer.delete_rows(&json!({"bool": {"should": queries}}))?;
        }
        Ok(writer)
    }

    fn changes(&self) -> std::sync::MutexGuard<'_, Changes> {
        self.changes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn failed(&self, reason: String) -> IndexError {
        self.cluster.failed(reason)
    }

    fn moved(&self) -> IndexError {
        IndexError::Moved { path: self.cluster.path() }
    }

    /// Extends the lease if its end is near. Fails if another writer took over.
    fn renew(&self) -> Result<(), IndexError> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        // After the commit there is none.
        if !state.state.writer.as_ref().is_some_and(Lease::is_old) {
            return Ok(());
        }
        let mut next = state.state.clone();
        next.writer = Some(Lease::new(self.change));
        if state.replace(&self.cluster, &self.names.key, next)? {
            return Ok(());
        }
        Err(self.moved())
    }

    /// Deletes the rows of this key that a query finds.
    fn delete_rows(&self, query: &Value) -> Result<(), IndexError> {
        let (alias, routing) = (self.cluster.alias(), &self.names.routing);
        let key = &self.names.key;
        self.cluster.refresh()?;
        loop {
            let body = json!({
                "size": DELETED, "_source": false, "sort": [{"_doc": "asc"}],
                "query": {"bool": {"filter": [{"term": {"key": key}}, query],
                    "must_not": [{"term": {"row": "state"}}]}},
            });
            self.renew()?;
            let path = format!(
                "{alias}/_search?routing={routing}&allow_partial_search_results=false\
                 &filter_path=hits.hits._id,timed_out"
            );
            let answer = self.cluster.send("POST", &path, Some(&body))?;
            if answer["timed_out"] == Value::Bool(true) {
                return Err(self.failed("the cluster took too long".to_owned()));
            }
            let found = hits(&answer);
            let mut batch = Batch::default();
            for hit in found {
                batch.delete(hit["_id"].as_str().unwrap_or_default(), routing);
            }
            let count = found.len();
            if count == 0 {
                return Ok(());
            }
            batch.send(&self.cluster)?;
            self.cluster.refresh()?;
        }
    }

    /// Adds the columns of vectors that do not exist yet.
    fn ensure_columns(&self, dimensions: &BTreeSet<usize>) -> Result<(), IndexError> {
        for dimension in dimensions {
            if !self.changes().dimensions.contains(dimension) {
                self.cluster.add_vectors(*dimension)?;
                self.changes().dimensions.insert(*dimension);
            }
        }
        Ok(())
    }

    /// Writes the rows that depend on the whole change. Returns the next state, without its lease, and the
    /// units of the next version.
    fn finish(&self, cursor: &str) -> Result<(State, Table), IndexError> {
        let mut changes = self.changes();
        let changes = &mut *changes;
        let mut batch = Batch::default();
        let replaced = std::mem::take(&mut changes.replaced);
        let mut has_dead_words = !replaced.is_empty();
        if !replaced.is_empty() {
            self.queue.finish(&self.cluster)?;
            self.delete_rows(&json!({"bool": {"filter": [
                {"term": {"change": self.change}}, {"terms": {"document": replaced}},
            ]}}))?;
        }
        let mut units: HashMap<&str, Arc<Unit>> =
            self.base.table.units().iter().map(|unit| (&*unit.name, Arc::clone(unit))).collect();
        let mut dead = Vec::new();
        let mut gone = Vec::new();
        for (name, unit) in &changes.units {
            if units.remove(&**name).is_some() {
                gone.push(unit_number(name));
            }
            if let Some(unit) = unit {
                put_unit(&self.names, self.change, unit, &mut batch)
                    .map_err(|it| self.failed(it))?;
                units.insert(name, Arc::clone(unit));
            }
        }
        let mut restamped = Vec::new();
        for (name, stamp) in &changes.stamps {
            let Some(unit) = units.get_mut(&**name) else { continue };
            let stamped =
                Unit { metadata: stamp.metadata, content: stamp.content, ..(**unit).clone() };
            put_unit(&self.names, self.change, &stamped, &mut batch)
                .map_err(|it| self.failed(it))?;
            restamped.push(unit_number(name));
            *unit = Arc::new(stamped);
        }
        has_dead_words |= !gone.is_empty();
        for rows in [DeadRows::Units(gone), DeadRows::Descriptions(restamped)] {
            let (DeadRows::Units(units) | DeadRows::Descriptions(units)) = &rows else { continue };
            if !units.is_empty() {
                dead.push(Dead { before: self.change, rows });
            }
        }
        let mut embedded: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
        for ((document, model), vectors) in &changes.vectors {
            let Some((unit, described)) = self.base.table.document(*document) else { continue };
            if changes.units.contains_key(&unit.name) {
                continue;
            }
            self.renew()?;
            // Filters by kinds of symbols need those of the chunks.
            let symbols = self.symbols(described.number, described.chunks)?;
            let unit = unit_number(&unit.name);
            vectors.write(&self.names, self.change, &unit, described, &symbols, &mut batch);
            embedded.entry(model).or_default().push(*document);
        }
        dead.extend(embedded.into_iter().map(|(model, documents)| Dead {
            before: self.change,
            rows: DeadRows::Vectors(model.to_owned(), documents),
        }));
        if let Some(models) = &changes.models {
            let rows = DeadRows::OtherModels(models.clone());
            dead.push(Dead { before: self.change, rows });
        }
        let mut words = std::mem::take(&mut changes.words);
        let mut blocks = self.base.state.blocks;
        // Most words of a small change are in the dictionary: merged, the blocks are few again.
        if blocks > 0 && blocks > 2 * self.base.state.merged + MAX_BLOCKS {
            words.absorb(dictionary::all(&self.base)?);
            dead.push(Dead { before: self.change, rows: DeadRows::Words });
            blocks = 0;
        }
        let is_merged = blocks == 0;
        blocks += put_words(&self.names, self.change, &words, &mut batch);
        let merged = if is_merged { blocks } else { self.base.state.merged };
        self.queue.add(&self.cluster, &batch)?;
        self.queue.finish(&self.cluster)?;
        let last = self.state.lock().unwrap_or_else(PoisonError::into_inner).state.clone();
        let mut state = State {
            generation: last.generation + 1,
            committed: self.change,
            cursor: Some(cursor.to_owned()),
            written: Some(state::seconds()),
            writer: None,
            documents: 0,
            chunks: 0,
            tokens: [0; Field::ALL.len()],
            skipped: Vec::new(),
            blocks,
            merged,
            has_dead_words: has_dead_words || last.has_dead_words,
            ..last
        };
        if state.identity == 0 {
            state.identity = fresh_identity();
        }
        // What was dead before was deleted when this writer began.
        state.dead = dead;
        let table = Table::new(units.into_values().collect());
        let mut skipped: BTreeMap<u8, u64> = BTreeMap::new();
        for unit in table.units() {
            state.documents += unit.documents.len() as u64;
            state.chunks += unit.chunks();
            for (total, tokens) in state.tokens.iter_mut().zip(unit.tokens) {
                *total += u64::from(tokens);
            }
            for (reason, count) in &unit.skipped {
                *skipped.entry(*reason).or_default() += count;
            }
        }
        state.skipped = skipped.into_iter().collect();
        Ok((state, table))
    }

    /// Kinds of definitions in the chunks of a document of the base.
    fn symbols(&self, own: u64, chunks: u32) -> Result<Vec<Option<Value>>, IndexError> {
        let mut symbols = vec![None; chunks as usize];
        let first = own - u64::from(chunks);
        let rows = self.base.rows(&["chunk"]);
        let body = json!({
            "query": {"bool": {"filter": [
                rows, {"term": {"document": own}}, {"exists": {"field": "symbols"}},
            ]}},
            "stored_fields": "_none_", "docvalue_fields": ["number", "symbols"],
        });
        self.base.each(body, |hit| {
            let number = super::snapshot::number(hit, "number");
            let place = usize::try_from(number.saturating_sub(first)).ok();
            if let Some(symbols) = place.and_then(|place| symbols.get_mut(place)) {
                *symbols = Some(hit["fields"]["symbols"].clone());
            }
            Ok(())
        })?;
        Ok(symbols)
    }

    /// Notes in the state that this change will not be committed. Returns false if that is not possible:
    /// another writer took over.
    fn give_up(&self) -> Result<bool, IndexError> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let mut next = state.state.clone();
        if next.writer.as_ref().is_none_or(|lease| lease.change != self.change) {
            return Ok(false);
        }
        next.writer = None;
        next.abandon(self.change);
        state.replace(&self.cluster, &self.names.key, next)
    }

    /// Replaces the state. Whether that succeeded may be known only from the state itself.
    fn publish(&self, next: State) -> Result<(), IndexError> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let replaced = state.replace(&self.cluster, &self.names.key, next);
        if matches!(replaced, Ok(true)) {
            return Ok(());
        }
        *state = state::read(&self.cluster, &self.names.key, &self.base.state.fingerprint)?;
        if state.state.has_committed(self.change) {
            return Ok(());
        }
        replaced.and_then(|_| Err(self.moved()))
    }
}

/// A number that differs between two indexes.
fn fresh_identity() -> u64 {
    use std::hash::{BuildHasher as _, RandomState};
    // Seeded by the system for each process, and different for each call.
    RandomState::new().hash_one(std::process::id()).max(1)
}

impl Writer for ClusterWriter {
    fn replace(&self, unit: UnitUpdate) -> Result<(), IndexError> {
        self.renew()?;
        let count = row_count(&unit);
        let first = (self.change << 32) + self.rows.fetch_add(count, Ordering::Relaxed);
        let rows = UnitRows::new(&self.names, self.change, first, unit);
        let UnitRows { unit, batch, words, dimensions } = rows.map_err(|it| self.failed(it))?;
        self.ensure_columns(&dimensions)?;
        {
            let mut changes = self.changes();
            changes.has_rows = true;
            changes.words.absorb(words);
            changes.stamps.remove(&unit.name);
            let earlier = changes.units.insert(unit.name.clone(), Some(Arc::new(unit)));
            if let Some(Some(earlier)) = earlier {
                changes.drop_rows(&earlier);
            }
        }
        self.queue.add(&self.cluster, &batch)
    }

    fn restamp(&self, unit: &str, stamp: Stamp) -> Result<(), IndexError> {
        let mut changes = self.changes();
        match changes.units.get_mut(unit) {
            Some(Some(known)) => {
                let stamped =
                    Unit { metadata: stamp.metadata, content: stamp.content, ..(**known).clone() };
                *known = Arc::new(stamped);
            }
            Some(None) => {}
            None => {
                changes.stamps.insert(unit.to_owned(), stamp);
            }
        }
        Ok(())
    }

    fn delete(&self, unit: &str) -> Result<(), IndexError> {
        let mut changes = self.changes();
        changes.stamps.remove(unit);
        if let Some(Some(earlier)) = changes.units.insert(unit.to_owned(), None) {
            changes.drop_rows(&earlier);
        }
        Ok(())
    }

    fn embed(&self, document: DocumentId, vectors: DocumentVectors) -> Result<(), IndexError> {
        self.renew()?;
        let known = self.base.table.document(document.number);
        let (_, described) =
            known.ok_or_else(|| self.failed("the document is not in the index".to_owned()))?;
        let vectors = Vectors::new(&vectors, described.chunks as usize);
        let vectors = vectors.map_err(|reason| self.failed(reason))?;
        self.ensure_columns(&vectors.dimension().into_iter().collect())?;
        let model = vectors.model().to_owned();
        self.changes().vectors.insert((document.number, model), vectors);
        Ok(())
    }

    fn keep_models(&self, models: &[&str]) -> Result<(), IndexError> {
        let models = models.iter().map(|model| (*model).to_owned()).collect();
        self.changes().models = Some(models);
        Ok(())
    }

    fn commit(mut self: Box<Self>, cursor: &str) -> Result<(), IndexError> {
        let (next, table) = self.finish(cursor)?;
        self.cluster.refresh()?;
        let dead: Vec<Value> = next.dead.iter().map(Dead::query).collect();
        let version = next.version();
        // From here, the rows may be those of a commit: they are not deleted.
        self.is_done = true;
        self.publish(next)?;
        self.known.set(version, Arc::new(table));
        // The change is complete. What is not deleted now is deleted by the next writer.
        if !dead.is_empty() && self.delete_rows(&json!({"bool": {"should": dead}})).is_ok() {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            if state.state.version() == version {
                let next = State { dead: Vec::new(), ..state.state.clone() };
                let _ = state.replace(&self.cluster, &self.names.key, next);
            }
        }
        Ok(())
    }
}

impl Changes {
    /// Notes that rows of this writer no longer count.
    fn drop_rows(&mut self, unit: &Unit) {
        self.replaced.extend(unit.documents.iter().map(|document| document.number));
    }
}

impl Drop for ClusterWriter {
    fn drop(&mut self) {
        if self.is_done {
            return;
        }
        // The next writer does the same if this fails.
        if matches!(self.give_up(), Ok(true)) && self.changes().has_rows {
            let _ = self.delete_rows(&json!({"term": {"change": self.change}}));
        }
    }
}
