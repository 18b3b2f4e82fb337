//! Numbers that look random and are the same for the same seed on every machine.

/// A generator of 64-bit numbers: `SplitMix64` (Steele, Lea and Flood, 2014). Not for secrets.
#[derive(Debug, Clone)]
pub(super) struct Random(u64);

impl Random {
    /// The numbers of a seed and of what they are for. Neighbours have nothing in common.
    pub(super) fn of(seed: u64, purpose: &[u64]) -> Random {
        let mut random = Random(seed);
        for part in purpose {
            random.0 = random.next() ^ part.wrapping_mul(0xD6E8_FEB8_6659_FD93);
        }
        random.next();
        random
    }

    /// The next number.
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`, which is at least 1.
    pub(super) fn below(&mut self, end: usize) -> usize {
        // The bias of the modulus is far too small to matter here.
        usize::try_from(self.next() % (end.max(1) as u64)).unwrap_or_default()
    }

    /// A number from `least` to `most`.
    pub(super) fn from(&mut self, least: usize, most: usize) -> usize {
        least + self.below(most - least + 1)
    }

    /// A number of 0.0..1.0.
    pub(super) fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// True in `percent` of a hundred cases.
    pub(super) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of some values.
    pub(super) fn pick<'a, T>(&mut self, values: &'a [T]) -> &'a T {
        &values[self.below(values.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_depend_on_the_seed_and_the_purpose_alone() {
        let of = |seed, purpose: &[u64]| Random::of(seed, purpose).next();
        assert_eq!(of(1, &[2, 3]), of(1, &[2, 3]));
        assert_ne!(of(1, &[2, 3]), of(1, &[3, 2]));
        assert_ne!(of(1, &[2, 3]), of(2, &[2, 3]));
        let mut random = Random::of(7, &[]);
        let mean = (0..10_000).map(|_| random.share()).sum::<f64>() / 10_000.0;
        assert!((0.48..0.52).contains(&mean), "{mean}");
    }
}
