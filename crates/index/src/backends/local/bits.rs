//! Sets of small numbers as the bits of words.

/// The numbers of the bits that are set, lowest first.
pub(super) fn bits(mut word: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = word.trailing_zeros();
        // Fails where none is left.
        word &= word.checked_sub(1)?;
        Some(bit)
    })
}

#[cfg(test)]
mod tests {
    use super::bits;

    #[test]
    fn bits_are_told_from_the_lowest() {
        assert_eq!(bits(0).count(), 0);
        assert_eq!(bits(1 << 63 | 0b1001).collect::<Vec<_>>(), [0, 3, 63]);
    }
}
