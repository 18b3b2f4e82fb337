//! A small generator of pseudo-random numbers, so that a seed gives the same test everywhere.

/// The generator `SplitMix64`.
pub(crate) struct Random(u64);

impl Random {
    /// The generator of a seed.
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// The next number.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, which is greater than 0.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound as u64).expect("below a usize")
    }

    /// True in one of `times` cases on average.
    pub(crate) fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// One of the values, of which there is at least one.
    pub(crate) fn pick<'a, T>(&mut self, values: &'a [T]) -> &'a T {
        &values[self.below(values.len())]
    }

    /// A text of `length` characters of an alphabet, which is not empty.
    pub(crate) fn text(&mut self, alphabet: &str, length: usize) -> String {
        let characters: Vec<char> = alphabet.chars().collect();
        (0..length).map(|_| *self.pick(&characters)).collect()
    }
}
