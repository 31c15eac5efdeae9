//! Counts right and wrong results.

use erp_core::town::{Directory, TownEntry, TownKind, TownOutcome};
use strsim::damerau_levenshtein;

pub(crate) fn directory() -> &'static Directory {
    Directory::switzerland_and_liechtenstein()
}

pub(crate) fn official() -> impl Iterator<Item = &'static TownEntry> {
    directory()
        .entries()
        .iter()
        .filter(|entry| entry.kind == TownKind::Official)
}

/// The number of typed towns of one class for each kind of result.
pub(crate) struct Tally {
    class: &'static str,
    pub(crate) pairs: usize,
    /// Corrected to the town's listed spelling, unchanged when it was that, or ambiguous when two names
    /// of the code are equally near.
    pub(crate) right: usize,
    /// Corrected to another town.
    pub(crate) wrong: usize,
    /// Unchanged, because the typed town is another name of the same code.
    pub(crate) other_name: usize,
    /// Some results that were not right, the wrong ones first.
    pub(crate) examples: Vec<String>,
}

impl Tally {
    pub(crate) fn new(class: &'static str) -> Self {
        Self {
            class,
            pairs: 0,
            right: 0,
            wrong: 0,
            other_name: 0,
            examples: Vec::new(),
        }
    }

    pub(crate) fn check(&mut self, entry: &TownEntry, typed: &str) {
        self.pairs += 1;
        let outcome = directory()
            .check(entry.country, &entry.postal_code, typed)
            .outcome;
        let is_right = match &outcome {
            TownOutcome::Unchanged => typed == entry.town,
            TownOutcome::Corrected { to, .. } => *to == entry.town,
            TownOutcome::Ambiguous { candidates } => {
                candidates.contains(&entry.town) && two_are_equally_near(entry, typed)
            }
            _ => false,
        };
        if is_right {
            self.right += 1;
            return;
        }
        let is_wrong = matches!(outcome, TownOutcome::Corrected { .. });
        self.wrong += usize::from(is_wrong);
        self.other_name += usize::from(outcome == TownOutcome::Unchanged);
        self.remember(
            format!(
                "{} {} as {typed}: {outcome:?}",
                entry.postal_code, entry.town
            ),
            is_wrong,
        );
    }

    fn remember(&mut self, example: String, is_wrong: bool) {
        const REMEMBERED: usize = 20;
        if is_wrong {
            self.examples.insert(0, example);
        } else if self.examples.len() < REMEMBERED {
            self.examples.push(example);
        }
    }

    pub(crate) fn report(&self) {
        let Self {
            class,
            pairs,
            right,
            wrong,
            other_name,
            ..
        } = self;
        let hundredths = right * 10_000 / (*pairs).max(1);
        println!(
            "{class}: {pairs} checked, right {}.{:02} %, wrong {wrong}, another listed name {other_name}",
            hundredths / 100,
            hundredths % 100
        );
    }
}

fn two_are_equally_near(entry: &TownEntry, typed: &str) -> bool {
    let typed = typed.to_lowercase();
    let here = official()
        .filter(|other| other.country == entry.country && other.postal_code == entry.postal_code);
    let mut distances: Vec<usize> = here
        .map(|other| damerau_levenshtein(&typed, &other.town.to_lowercase()))
        .collect();
    distances.sort_unstable();
    matches!(distances.as_slice(), [first, second, ..] if first == second)
}
