//! Typing errors at random positions of a seed.

/// Makes typing errors; equal seeds make equal errors.
pub(crate) struct Typist {
    state: u64,
}

type Mistake = fn(&mut Typist, &str) -> String;

impl Typist {
    pub(crate) const MISTAKES: [(&'static str, Mistake); 4] = [
        ("one letter replaced", Self::replace),
        ("one letter left out", Self::leave_out),
        ("one letter added", Self::add),
        ("two letters swapped", Self::swap),
    ];

    pub(crate) fn new(seed: usize) -> Self {
        Self {
            state: u64::try_from(seed).unwrap_or_default(),
        }
    }

    /// A number below `limit`, by SplitMix64.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^= mixed >> 31;
        let limit = u64::try_from(limit.max(1)).unwrap_or(1);
        usize::try_from(mixed % limit).unwrap_or_default()
    }

    pub(crate) fn any_mistake(&mut self, town: &str) -> String {
        let chosen = self.below(Self::MISTAKES.len());
        Self::MISTAKES
            .get(chosen)
            .map_or_else(String::new, |(_, mistake)| mistake(self, town))
    }

    fn letter(&mut self) -> char {
        let letters: Vec<char> = ('a'..='z').collect();
        let chosen = self.below(letters.len());
        letters.get(chosen).copied().unwrap_or('x')
    }

    fn replace(&mut self, town: &str) -> String {
        let mut letters: Vec<char> = town.chars().collect();
        let place = self.below(letters.len());
        let new = self.letter();
        if let Some(letter) = letters.get_mut(place) {
            *letter = if *letter == new { 'q' } else { new };
        }
        letters.into_iter().collect()
    }

    fn leave_out(&mut self, town: &str) -> String {
        let place = self.below(town.chars().count());
        town.chars()
            .enumerate()
            .filter(|(at, _)| *at != place)
            .map(|(_, letter)| letter)
            .collect()
    }

    fn add(&mut self, town: &str) -> String {
        let mut letters: Vec<char> = town.chars().collect();
        let place = self.below(letters.len() + 1);
        let new = self.letter();
        letters.insert(place, new);
        letters.into_iter().collect()
    }

    fn swap(&mut self, town: &str) -> String {
        let mut letters: Vec<char> = town.chars().collect();
        let last = letters.len().saturating_sub(1);
        let place = self.below(last);
        if place < last {
            letters.swap(place, place + 1);
        }
        letters.into_iter().collect()
    }
}

/// The first 60 % of the characters, rounded up.
pub(crate) fn cut_to_60_percent(town: &str) -> &str {
    let kept = (town.chars().count() * 6).div_ceil(10);
    let end = town
        .char_indices()
        .nth(kept)
        .map_or(town.len(), |(end, _)| end);
    town.get(..end).unwrap_or(town)
}
