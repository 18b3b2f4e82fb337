//! Changes of rows as lines of JSON, sent in batches.
//!
//! A batch has a few megabytes, and the thread that fills it sends it, so that no more is in memory than
//! the threads of the writer can hold. Where the cluster refuses single rows because its queues are
//! full, only these are sent again.

use std::{
    io::Write as _,
    sync::{Mutex, PoisonError},
    thread,
    time::Duration,
};

use serde_json::{Map, Value, json};

use super::cluster::Cluster;
use crate::IndexError;

/// Size of a batch in bytes. The cluster's guide recommends 5 to 15 MB; with less, senders take turns.
const BATCH: usize = 4 << 20;

/// The pauses before refused rows are sent again.
const PAUSES: [Duration; 6] = [
    Duration::from_millis(100),
    Duration::from_millis(300),
    Duration::from_secs(1),
    Duration::from_secs(3),
    Duration::from_secs(6),
    Duration::from_secs(12),
];

/// A batch of changes. Each is one or two lines.
#[derive(Debug, Default)]
pub(super) struct Batch {
    lines: Vec<u8>,
    /// The end of each change.
    ends: Vec<usize>,
}

impl Batch {
    /// Appends a row, which replaces the one with this identifier.
    pub(super) fn put(&mut self, id: &str, routing: &str, row: &Map<String, Value>) {
        self.action("index", id, routing);
        self.value(row);
        self.ends.push(self.lines.len());
    }

    /// Appends a row with a vector of bytes. An array of JSON values would take most of the time.
    pub(super) fn put_vector(
        &mut self,
        id: &str,
        routing: &str,
        row: &Map<String, Value>,
        column: &str,
        components: &[u8],
    ) {
        self.action("index", id, routing);
        // The vector comes first, then the rest of the object.
        let start = self.lines.len();
        self.value(row);
        let rest = self.lines.split_off(start + 1);
        // Writing to memory does not fail.
        let _ = write!(self.lines, "\"{column}\":[");
        for (place, component) in components.iter().enumerate() {
            let comma = if place == 0 { "" } else { "," };
            let _ = write!(self.lines, "{comma}{}", i8::from_le_bytes([*component]));
        }
        self.lines.extend_from_slice(b"],");
        self.lines.extend_from_slice(&rest);
        self.ends.push(self.lines.len());
    }

    /// Appends the deletion of a row.
    pub(super) fn delete(&mut self, id: &str, routing: &str) {
        self.action("delete", id, routing);
        self.ends.push(self.lines.len());
    }

    fn action(&mut self, action: &str, id: &str, routing: &str) {
        let place = json!({action: {"_id": id, "routing": routing}});
        self.lines.extend_from_slice(place.to_string().as_bytes());
        self.lines.push(b'\n');
    }

    fn value(&mut self, row: &Map<String, Value>) {
        // Writing to memory does not fail.
        let _ = serde_json::to_writer(&mut self.lines, row);
        self.lines.push(b'\n');
    }

    fn append(&mut self, other: &Batch) {
        let start = self.lines.len();
        self.lines.extend_from_slice(&other.lines);
        self.ends.extend(other.ends.iter().map(|end| start + end));
    }

    fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Sends all changes, in requests of a few megabytes.
    pub(super) fn send(self, cluster: &Cluster) -> Result<(), IndexError> {
        let mut piece = Batch::default();
        let mut start = 0;
        for end in &self.ends {
            if !piece.is_empty() && piece.lines.len() + (end - start) > BATCH {
                std::mem::take(&mut piece).send_piece(cluster)?;
            }
            piece.lines.extend_from_slice(&self.lines[start..*end]);
            piece.ends.push(piece.lines.len());
            start = *end;
        }
        piece.send_piece(cluster)
    }

    /// Sends one request. Repeats the changes that the cluster refuses for now.
    fn send_piece(mut self, cluster: &Cluster) -> Result<(), IndexError> {
        let mut pauses = PAUSES.iter();
        while !self.is_empty() {
            let path = format!(
                "{}/_bulk?require_alias=true&filter_path=errors,items.*.status,items.*.error",
                cluster.alias()
            );
            let answer = cluster.send_lines(&path, &self.lines)?;
            if answer["errors"] == Value::Bool(false) {
                return Ok(());
            }
            let refused = self.refused(&answer).map_err(|reason| cluster.failed(reason))?;
            if refused.is_empty() {
                return Ok(());
            }
            let Some(pause) = pauses.next() else {
                let count = refused.ends.len();
                return Err(cluster.failed(format!("the cluster refused {count} rows: it is busy")));
            };
            thread::sleep(*pause);
            self = refused;
        }
        Ok(())
    }

    /// The changes that can be sent again. Fails with the reason if another one failed.
    fn refused(&self, answer: &Value) -> Result<Batch, String> {
        let mut refused = Batch::default();
        let items = answer["items"].as_array().map(Vec::as_slice).unwrap_or_default();
        if items.len() != self.ends.len() {
            return Err("the cluster did not report on every row".to_owned());
        }
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        for (item, (start, end)) in items.iter().zip(starts.zip(&self.ends)) {
            let (action, result) =
                item.as_object().and_then(|item| item.iter().next()).ok_or("an item is empty")?;
            match result["status"].as_u64().unwrap_or(0) {
                200..=299 => {}
                404 if action == "delete" => {}
                // Its queue is full, or the node of the row is being replaced.
                429 | 503 => {
                    refused.lines.extend_from_slice(&self.lines[start..*end]);
                    refused.ends.push(refused.lines.len());
                }
                status => {
                    let reason = result["error"]["reason"].as_str().unwrap_or("unknown");
                    return Err(format!("a row was refused with status {status}: {reason}"));
                }
            }
        }
        Ok(refused)
    }
}

/// Changes of several threads, sent in batches.
#[derive(Debug, Default)]
pub(super) struct Queue {
    batch: Mutex<Batch>,
}

impl Queue {
    /// Adds changes. Sends a batch if there is one.
    pub(super) fn add(&self, cluster: &Cluster, changes: &Batch) -> Result<(), IndexError> {
        let full = {
            let mut batch = self.batch.lock().unwrap_or_else(PoisonError::into_inner);
            batch.append(changes);
            (batch.lines.len() >= BATCH).then(|| std::mem::take(&mut *batch))
        };
        full.map_or(Ok(()), |full| full.send(cluster))
    }

    /// Sends the rest.
    pub(super) fn finish(&self, cluster: &Cluster) -> Result<(), IndexError> {
        let rest = std::mem::take(&mut *self.batch.lock().unwrap_or_else(PoisonError::into_inner));
        rest.send(cluster)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch() -> Batch {
        let mut batch = Batch::default();
        batch.put("a", "r", &Map::new());
        batch.put("b", "r", &Map::new());
        batch.delete("c", "r");
        batch
    }

    #[test]
    fn only_refused_rows_are_sent_again() {
        let answer = json!({"errors": true, "items": [
            {"index": {"status": 429}}, {"index": {"status": 200}}, {"delete": {"status": 404}},
        ]});
        let refused = batch().refused(&answer).expect("no error");
        let lines = String::from_utf8(refused.lines).expect("JSON");
        assert_eq!(lines, "{\"index\":{\"_id\":\"a\",\"routing\":\"r\"}}\n{}\n");
        let answer = json!({"errors": true, "items": [
            {"index": {"status": 201}}, {"index": {"status": 201}}, {"delete": {"status": 429}},
        ]});
        let refused = batch().refused(&answer).expect("no error");
        assert_eq!(refused.ends.len(), 1);
        assert!(refused.lines.starts_with(b"{\"delete\""));
    }

    #[test]
    fn a_vector_is_a_part_of_its_row() {
        let mut batch = Batch::default();
        let row = json!({"number": 7});
        let row = row.as_object().expect("an object");
        batch.put_vector("a", "r", row, "v_3", &[1, 0xFF, 0x81]);
        let lines = String::from_utf8(batch.lines).expect("JSON");
        let row: Value = serde_json::from_str(lines.lines().nth(1).expect("a row")).expect("JSON");
        assert_eq!(row, json!({"v_3": [1, -1, -127], "number": 7}));
    }

    #[test]
    fn other_errors_are_reported() {
        let answer = json!({"errors": true, "items": [
            {"index": {"status": 400, "error": {"reason": "too deep"}}},
            {"index": {"status": 201}}, {"delete": {"status": 200}},
        ]});
        assert_eq!(
            batch().refused(&answer).expect_err("an error"),
            "a row was refused with status 400: too deep"
        );
        assert!(batch().refused(&json!({"errors": true, "items": []})).is_err());
    }
}
