//! Sets of small numbers, stored as the bits of words.

/// Iterates over the positions of the set bits, lowest first.
pub(super) fn bits(mut word: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = word.trailing_zeros();
        // Returns `None` when no bit is left.
        word &= word.checked_sub(1)?;
        Some(bit)
    })
}

#[cfg(test)]
mod tests {
    use super::bits;

    #[test]
    fn bits_are_iterated_from_the_lowest() {
        assert_eq!(bits(0).count(), 0);
        assert_eq!(bits(1 << 63 | 0b1001).collect::<Vec<_>>(), [0, 3, 63]);
    }
}
