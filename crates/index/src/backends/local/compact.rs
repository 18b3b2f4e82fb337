//! Merges vector files that are small or have many dead rows, by the same rule as segments. Few
//! files remain, and rows of deleted documents are dropped, unless they can be restored.

use std::{collections::BTreeMap, io};

use tantivy::directory::OwnedBytes;

use super::{
    draft::DraftVectors,
    merge::{Merges, Size, plan},
    quantise::row_bytes,
    record::{EmbeddingRecord, RowRange},
    shelf,
    state::VectorFile,
    vector_writer::VectorWriter,
};

/// Merges files of the same model and dimension, if they are `movable`. `read` returns the bytes of
/// the file at a position. [`Merges::Build`] is the end of a first build, when the files of its parts
/// are merged.
pub(super) fn compact(
    vectors: &mut DraftVectors,
    vector_writer: &mut VectorWriter,
    merges: Merges,
    movable: impl Fn(&VectorFile) -> bool,
    read: impl Fn(usize, &VectorFile) -> io::Result<OwnedBytes>,
) -> io::Result<()> {
    let before = vector_writer.files().count();
    for (model, dimension, positions) in groups(vectors, merges, movable) {
        let mut sources: BTreeMap<u32, OwnedBytes> = BTreeMap::new();
        for position in positions {
            let file = vectors.files.get(position).ok_or_else(unknown)?;
            sources.insert(u32::try_from(position).map_err(|_| unknown())?, read(position, file)?);
        }
        let records = vectors.records.get_mut(model as usize).ok_or_else(unknown)?;
        let shelved = shelf::embeddings(&mut vectors.shelf);
        let mut moved: Vec<&mut RowRange> = records
            .iter_mut()
            .filter_map(|record| record.rows.as_mut())
            .chain(shelved.filter_map(|embedding| embedding.rows.as_mut()))
            .filter(|rows| sources.contains_key(&rows.file))
            .collect();
        // In storage order.
        moved.sort_unstable();
        let target = vector_writer.create(model, dimension)?;
        let length = row_bytes(dimension as usize);
        for rows in moved {
            let start = rows.first as usize * length;
            let bytes = sources[&rows.file].get(start..start + rows.count as usize * length);
            *rows = vector_writer.append(target, bytes.ok_or_else(unknown)?)?;
        }
        vector_writer.finish()?;
    }
    vectors.files.extend(vector_writer.files().skip(before).cloned());
    Ok(())
}

/// Groups of files to merge: model, dimension, positions.
fn groups(
    vectors: &mut DraftVectors,
    merges: Merges,
    movable: impl Fn(&VectorFile) -> bool,
) -> Vec<(u32, u32, Vec<usize>)> {
    let mut alive = vec![0_u64; vectors.files.len()];
    let records: &[Vec<EmbeddingRecord>] = &vectors.records;
    let shelved = shelf::embeddings(&mut vectors.shelf);
    let shelved = shelved.filter_map(|embedding| embedding.rows);
    for rows in records.iter().flatten().filter_map(|record| record.rows).chain(shelved) {
        if let Some(alive) = alive.get_mut(rows.file as usize) {
            *alive += u64::from(rows.count);
        }
    }
    let mut of_same_kind: BTreeMap<(u32, u32), Vec<usize>> = BTreeMap::new();
    for (position, file) in vectors.files.iter().enumerate() {
        // A file without references is dropped anyway.
        if alive[position] > 0 && movable(file) {
            of_same_kind.entry((file.model, file.dimension)).or_default().push(position);
        }
    }
    let mut groups = Vec::new();
    for ((model, dimension), positions) in of_same_kind {
        let size = |position: &usize| {
            let (rows, alive) = (u64::from(vectors.files[*position].rows), alive[*position]);
            Size { alive, deleted: rows.saturating_sub(alive) }
        };
        let sizes: Vec<Size> = positions.iter().map(size).collect();
        for group in plan(&sizes, merges) {
            let group = group.into_iter().map(|index| positions[index]).collect();
            groups.push((model, dimension, group));
        }
    }
    groups
}

/// Number of files of one model and dimension from which on a commit is made only to merge them.
const MIN_CROWDED: usize = 6;

/// Returns true if there are so many vector files that comparing them costs time.
pub(super) fn are_crowded(files: &[VectorFile]) -> bool {
    let same_kind = |file: &VectorFile| {
        let kind = |file: &VectorFile| (file.model, file.dimension);
        files.iter().filter(|other| kind(other) == kind(file)).count()
    };
    files.iter().any(|file| same_kind(file) >= MIN_CROWDED)
}

fn unknown() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "a document has vectors outside every file")
}
