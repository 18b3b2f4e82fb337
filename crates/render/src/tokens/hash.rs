//! The hash function of the token tables: shared by their generator and the lookup.

/// The content of a slot without a token.
pub(crate) const FREE: u32 = u32::MAX;

/// The slots of these bytes in a table of this size (a power of two), in probing order. The hash is
/// FNV-1a with its high bits folded into the low ones.
pub(crate) fn slots(bytes: &[u8], size: usize) -> impl Iterator<Item = usize> {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in bytes {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    }
    hash ^= hash >> 32;
    let first = usize::try_from(hash & 0xffff_ffff).unwrap_or(0);
    (first..).take(size).map(move |slot| slot & (size - 1))
}
