//! The tokens of a tokenizer, by their bytes.
//!
//! The binary contains the bytes and the lengths only. The starts and a hash table would add 4 MB to it;
//! a process that counts tokens builds them once, in a few milliseconds.

use std::{cmp::Reverse, collections::BinaryHeap, sync::OnceLock};

/// The tokens of a tokenizer. The number of a token is its rank.
pub(super) struct Vocabulary {
    /// The bytes of all tokens, by rank.
    pub(super) bytes: &'static [u8],
    /// The number of bytes of each token, by rank.
    pub(super) lengths: &'static [u8],
    /// The tables for [`Vocabulary::rank`].
    index: OnceLock<Index>,
}

/// Positions of tokens, by rank and by their bytes.
struct Index {
    /// The start of each token in the bytes, and the end of the last one.
    starts: Vec<u32>,
    /// A hash table of ranks. The number of slots is a power of two, and at least half of them are
    /// [`FREE`].
    slots: Vec<u32>,
}

/// The content of a slot without a token.
const FREE: u32 = u32::MAX;

/// Marks the start of a part that was merged into the one before it.
const MERGED: usize = usize::MAX;

impl Vocabulary {
    /// A vocabulary with the two tables of a tokenizer.
    pub(super) const fn new(bytes: &'static [u8], lengths: &'static [u8]) -> Vocabulary {
        Vocabulary { bytes, lengths, index: OnceLock::new() }
    }

    /// Number of tokens of a piece of text.
    pub(super) fn count(&self, piece: &[u8]) -> usize {
        if self.rank(piece).is_some() {
            return 1;
        }
        // For each byte, the end of the part that starts there and the start of the part before it.
        // At first, each part is a single byte.
        let mut ends: Vec<usize> = (1..=piece.len()).collect();
        let mut befores: Vec<Option<usize>> =
            (0..piece.len()).map(|start| start.checked_sub(1)).collect();
        let mut parts = piece.len();
        let second_end = |ends: &[usize], start: usize| ends.get(ends[start]).copied();
        let mut pairs = BinaryHeap::new();
        let offer = |pairs: &mut BinaryHeap<_>, ends: &[usize], start: usize| {
            if let Some(end) = second_end(ends, start)
                && let Some(rank) = self.rank(&piece[start..end])
            {
                pairs.push(Reverse((rank, start, end)));
            }
        };
        for start in 0..piece.len() {
            offer(&mut pairs, &ends, start);
        }
        while let Some(Reverse((_, start, end))) = pairs.pop() {
            // Skip a pair of which a part was merged with another one meanwhile.
            if ends[start] == MERGED || second_end(&ends, start) != Some(end) {
                continue;
            }
            let joined = ends[start];
            ends[joined] = MERGED;
            ends[start] = end;
            parts -= 1;
            if let Some(before) = befores.get_mut(end) {
                *before = Some(start);
            }
            offer(&mut pairs, &ends, start);
            if let Some(before) = befores[start] {
                offer(&mut pairs, &ends, before);
            }
        }
        parts
    }

    /// The rank of the token with these bytes, if it exists.
    fn rank(&self, bytes: &[u8]) -> Option<u32> {
        let index = self.index.get_or_init(|| Index::build(self.bytes, self.lengths));
        slots(bytes, index.slots.len())
            .map(|slot| index.slots[slot])
            .take_while(|rank| *rank != FREE)
            .find(|rank| {
                let rank = *rank as usize;
                let token = index.starts[rank] as usize..index.starts[rank + 1] as usize;
                &self.bytes[token] == bytes
            })
    }
}

impl Index {
    fn build(bytes: &[u8], lengths: &[u8]) -> Index {
        let mut starts = Vec::with_capacity(lengths.len() + 1);
        let mut slots_of_all = vec![FREE; (lengths.len() * 2).next_power_of_two()];
        let mut start = 0_u32;
        for (rank, length) in (0_u32..).zip(lengths) {
            starts.push(start);
            let end = start + u32::from(*length);
            let mut slots = slots(&bytes[start as usize..end as usize], slots_of_all.len());
            let free = slots.find(|slot| slots_of_all[*slot] == FREE);
            slots_of_all[free.expect("half of the slots are free")] = rank;
            start = end;
        }
        starts.push(start);
        Index { starts, slots: slots_of_all }
    }
}

/// The slots of these bytes in a table with this number of slots (a power of two), in probing order. The
/// hash is FNV-1a with its high bits folded into the low ones.
fn slots(bytes: &[u8], size: usize) -> impl Iterator<Item = usize> + use<> {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in bytes {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    }
    hash ^= hash >> 32;
    let first = usize::try_from(hash & 0xffff_ffff).unwrap_or(0);
    (first..).take(size).map(move |slot| slot & (size - 1))
}
