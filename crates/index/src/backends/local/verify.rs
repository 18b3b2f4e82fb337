//! Verification: compares every byte of an index with the checksums.

use tantivy::Index;

use super::{
    failure::{guarded, while_reading},
    file_names::META_FILE,
    payload::Payload,
    seal::{is_intact, is_vector_file_intact, segment_files},
    snapshot::{Expected, Snapshot, read_state},
    storage::Storage,
};
use crate::IndexError;

/// Returns one line for each damaged file.
pub(super) fn verify(storage: &Storage, expected: &Expected) -> Result<Vec<String>, IndexError> {
    let mut lines = Vec::new();
    match Snapshot::open(storage, expected) {
        Ok(_) => {}
        Err(IndexError::Damaged { reason, .. } | IndexError::Incompatible { reason, .. }) => {
            lines.push(reason);
        }
        Err(error) => return Err(error),
    }
    let Some(directory) = storage.directory()? else { return Ok(lines) };
    if storage.read(&*directory, META_FILE)?.is_none() {
        return Ok(lines);
    }
    let path = storage.path();
    let damaged = guarded(path, || {
        let failed = |error: tantivy::TantivyError| while_reading(path, &error);
        let index = Index::open(directory.clone()).map_err(failed)?;
        let list = index.load_metas().map_err(failed)?;
        let mut lines: Vec<String> = segment_files(&list)
            .into_iter()
            .filter(|name| !is_intact(index.directory(), name))
            .map(|name| format!("the checksum of `{name}` differs"))
            .collect();
        if let Some(Ok(payload)) =
            list.payload.map(|text| Payload::decode(&text, expected.source, &expected.fingerprint))
        {
            match read_state(storage, &*directory, &payload) {
                Ok(state) => lines.extend(
                    state
                        .vector_files()
                        .iter()
                        .filter(|file| !is_vector_file_intact(storage, &*directory, file))
                        .map(|file| format!("the checksum of `{}` differs", file.name())),
                ),
                Err(IndexError::Damaged { reason, .. }) => lines.push(reason),
                Err(_) => {}
            }
        }
        Ok(lines)
    });
    match damaged {
        Ok(damaged) => lines.extend(damaged),
        Err(IndexError::Damaged { reason, .. } | IndexError::Incompatible { reason, .. }) => {
            lines.push(reason);
        }
        Err(error) => return Err(error),
    }
    lines.sort();
    lines.dedup();
    Ok(lines)
}
