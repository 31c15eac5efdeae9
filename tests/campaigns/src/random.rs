//! Random numbers that are reproducible from a seed.

use std::time::{SystemTime, UNIX_EPOCH};

/// Random numbers from a seed (splitmix64).
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    /// The seed in `CRASH_SEED`, or one from the clock; it is printed.
    #[must_use]
    pub fn from_environment() -> Self {
        let given = std::env::var("CRASH_SEED").ok();
        let seed: u64 = given.and_then(|seed| seed.parse().ok()).unwrap_or_else(|| {
            let since = SystemTime::now().duration_since(UNIX_EPOCH);
            since.expect("a clock").subsec_nanos().into()
        });
        println!("CRASH_SEED={seed}");
        Self(seed)
    }

    /// A number below a bound.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % bound
    }

    /// A random index of a list of this length.
    pub fn index(&mut self, length: usize) -> usize {
        usize::try_from(self.below(length as u64)).expect("it is below a length")
    }

    /// True in one of `of` cases.
    pub fn one_in(&mut self, of: u64) -> bool {
        self.below(of) == 0
    }

    /// An entry of a list.
    pub fn choose<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.index(list.len())]
    }
}
