//! Removal of files that the last commit does not name.

use std::{
    collections::{BTreeSet, HashSet},
    path::{Path, PathBuf},
    sync::Arc,
};

use tantivy::{Directory, Index, directory::ManagedDirectory};

use crate::backends::local::{
    file_names::{META_FILE, is_segment, is_state, is_temporary, is_vectors, state_file},
    payload::Payload,
    seal::{deletions_file, segment_files},
    snapshot::{Expected, Segment, Snapshot, read_state},
    state::VectorFile,
};

/// Extension of the files of deleted rows.
const DELETIONS: &str = "del";

/// Returns true if a killed writer left files beside those of the commit.
pub(in crate::backends::local) fn has_unnamed_files(base: &Snapshot) -> bool {
    let segments: HashSet<String> =
        base.segments.iter().map(|segment| segment.reader.segment_id().uuid_string()).collect();
    let mut named: HashSet<String> =
        base.state.vector_files().iter().map(VectorFile::name).collect();
    named.extend(base.payload.as_ref().map(Payload::state_file));
    // A segment has at most one file of deleted rows.
    let has_deletes = |segment: &&Arc<Segment>| segment.reader.has_deletes();
    let mut deletions = base.segments.iter().filter(has_deletes).count();
    base.storage.files().unwrap_or_default().iter().any(|name| {
        if is_temporary(name) {
            return true;
        }
        if !is_segment(name) {
            return (is_state(name) || is_vectors(name)) && !named.contains(name);
        }
        let Some((id, ending)) = name.split_once('.') else { return false };
        let is_extra_deletion = ending.ends_with(DELETIONS) && {
            let is_extra = deletions == 0;
            deletions = deletions.saturating_sub(1);
            is_extra
        };
        is_extra_deletion || !segments.contains(id)
    })
}

/// Removes the files that the last commit does not name, those in `written` included. Files that
/// cannot be removed now are removed by a later commit.
pub(in crate::backends::local) fn remove_unnamed_files(
    base: &Snapshot,
    directory: &dyn Directory,
    written: Vec<String>,
) -> tantivy::Result<()> {
    let Expected { source, fingerprint, .. } = &base.expected;
    let list = Index::open(directory.box_clone())?.load_metas()?;
    let payload =
        list.payload.as_ref().and_then(|text| Payload::decode(text, *source, fingerprint).ok());
    let segments = segment_files(&list);
    let mut alive: HashSet<PathBuf> = segments.iter().map(Into::into).collect();
    alive.insert(META_FILE.into());
    ManagedDirectory::wrap(directory.box_clone())?.garbage_collect(|| alive)?;
    let mut named: HashSet<String> = match &payload {
        None => HashSet::new(),
        Some(payload) => match read_state(&base.storage, directory, payload) {
            Ok(state) => {
                let vectors = state.vector_files().iter().map(VectorFile::name);
                vectors.chain([payload.state_file()]).collect()
            }
            Err(_) => return Ok(()),
        },
    };
    named.extend(segments);
    let files = base.storage.files()?.into_iter();
    // tantivy removes segments, but its list of files may be incomplete after a failed write. It
    // also lacks files of an erased index that another process had mapped, which Windows does not
    // delete.
    let mut candidates: BTreeSet<String> = files
        .filter(|name| is_state(name) || is_vectors(name) || is_segment(name) || is_temporary(name))
        .collect();
    // Storage in memory does not list its files.
    candidates.insert(state_file(base.generation()));
    candidates.extend(base.state.vector_files().iter().map(VectorFile::name));
    candidates.extend(base.segments.iter().filter_map(|segment| {
        let opstamp = segment.reader.delete_opstamp()?;
        Some(deletions_file(&segment.reader.segment_id().uuid_string(), opstamp))
    }));
    candidates.extend(written);
    for name in candidates.iter().filter(|name| !named.contains(*name)) {
        // The file may not exist.
        let _ = directory.delete(Path::new(name));
    }
    Ok(())
}
