//! Memory of a writer, and the tantivy writer that works within it.

use std::thread::available_parallelism;

use tantivy::{
    Directory, Index, IndexWriter,
    indexer::{IndexWriterOptions, NoMergePolicy},
};

use crate::backends::local::{
    backlog::MAX_PENDING_BYTES,
    row::Row,
    schema::{TOKENIZER, settings},
    snapshot::Snapshot,
    tokenizer::EncodedTerms,
};

/// Maximum bytes that one indexing thread collects before it writes a segment. More bytes make
/// fewer segments to merge; fewer bytes save memory. A small tree uses only what it fills.
const BYTES_OF_BUILD: usize = 160 << 20;
/// The same for a change of an existing index. A large one, as after the rename of a folder, would
/// otherwise be merged before the answer.
const BYTES_OF_UPDATE: usize = 64 << 20;
/// Minimum that tantivy accepts.
const MIN_BYTES: usize = 15_000_000;
/// Minimum backlog in bytes: one large unit.
const MIN_BACKLOG: usize = 1 << 20;
/// Indexing threads of a first build. Analysis needs the other cores.
const THREADS_OF_BUILD: usize = 2;

/// The memory of a writer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Buffers {
    threads: usize,
    /// Bytes per thread.
    each: usize,
    /// Bytes that may wait for the threads.
    pub(super) backlog: usize,
}

impl Buffers {
    /// Returns the buffers of a first build or of an update that fit into `memory` bytes, or the
    /// smallest possible ones.
    pub(super) fn within(memory: u64, is_build: bool) -> Buffers {
        let memory = usize::try_from(memory).unwrap_or(usize::MAX);
        let backlog = (memory / 8).clamp(MIN_BACKLOG, MAX_PENDING_BYTES);
        let (max_bytes, threads) =
            if is_build { (BYTES_OF_BUILD, THREADS_OF_BUILD) } else { (BYTES_OF_UPDATE, 1) };
        let left = memory.saturating_sub(backlog);
        let threads = (left / max_bytes).clamp(1, threads);
        Buffers { threads, each: (left / threads).clamp(MIN_BYTES, max_bytes), backlog }
    }
}

/// Opens the tantivy writer of an index, which is created on the first write.
pub(super) fn start(
    base: &Snapshot,
    directory: Box<dyn Directory>,
    buffers: Buffers,
) -> tantivy::Result<IndexWriter<Row>> {
    let columns = &base.expected.columns;
    let index = if base.has_files() {
        Index::open(directory)?
    } else {
        Index::create(directory, columns.schema().clone(), settings())?
    };
    index.tokenizers().register(TOKENIZER, EncodedTerms::default());
    let cores = available_parallelism().map_or(1, usize::from);
    let options = IndexWriterOptions::builder()
        .num_worker_threads(cores.min(buffers.threads))
        .memory_budget_per_thread(buffers.each)
        .num_merge_threads(cores.min(THREADS_OF_BUILD))
        .build();
    let writer = index.writer_with_options(options)?;
    writer.set_merge_policy(Box::new(NoMergePolicy));
    Ok(writer)
}

#[cfg(test)]
mod tests {
    use super::Buffers;

    #[test]
    fn buffers_shrink_with_the_memory_limit() {
        let check = |megabytes: u64, is_build, expected: (usize, usize, usize)| {
            let Buffers { threads, each, backlog } = Buffers::within(megabytes << 20, is_build);
            assert_eq!((threads, each >> 20, backlog >> 20), expected, "{megabytes}");
        };
        check(1000, true, (2, 160, 16));
        check(96, true, (1, 84, 12));
        check(48, true, (1, 42, 6));
        check(24, true, (1, 21, 3));
        check(8, true, (1, 14, 1));
        check(1000, false, (1, 64, 16));
        check(8, false, (1, 14, 1));
    }
}
