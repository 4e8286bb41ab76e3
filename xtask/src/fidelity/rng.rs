//! A small random number generator that gives the same numbers for a seed on every machine.

/// A small generator of random numbers (`SplitMix64`).
#[derive(Debug, Clone)]
pub(super) struct Rng(u64);

impl Rng {
    /// Starts a sequence.
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns a number below `end`, which is not zero.
    pub(super) fn below(&mut self, end: usize) -> usize {
        let end = u64::try_from(end).expect("a length fits in 64 bits");
        usize::try_from(self.next() % end).expect("smaller than a length")
    }

    /// Is true in `percent` of a hundred cases.
    pub(super) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// Picks one of several things.
    pub(super) fn pick<T: Copy>(&mut self, things: &[T]) -> T {
        things[self.below(things.len())]
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_of_a_seed_is_fixed() {
        let mut rng = Rng::new(7);
        let numbers: Vec<usize> = (0..5).map(|_| rng.below(100)).collect();
        assert_eq!(numbers, [87, 4, 46, 3, 74]);
    }
}
