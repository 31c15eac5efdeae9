//! Matching stages for towns that are not typed in any known form.

use super::candidates::Candidate;
use super::distance::{Sketch, tolerated, within};
use super::matcher::{Matcher, ambiguous};
use super::normalise::Key;
use super::{Stage, TownOutcome};

/// Maximum distance of another town of the postal code that prevents a correction.
const RIVAL: usize = 3;

/// Distance to a candidate in typing errors, and the length of its closest form.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Nearness {
    distance: usize,
    length: usize,
}

impl Matcher<'_> {
    /// Corrects to the nearest town if no other can be meant. With two typing errors, a name can come within one error
    /// of another name, so every other town must be at least three away.
    pub(super) fn by_distance(&self) -> Option<TownOutcome> {
        let nearness = |one| Some((self.nearness(one, RIVAL)?, one));
        let near = self.candidates.iter().filter_map(nearness).enumerate();
        let near: Vec<(usize, (Nearness, &Candidate))> = near.collect();
        // Minimum without a sort: each sort adds code to every address form that browsers download.
        let (first, (Nearness { distance, length }, winner)) =
            *near.iter().min_by_key(|(_, (nearness, _))| *nearness)?;
        let rivals = near.iter().filter(|(at, _)| *at != first);
        let mut rivals = rivals.map(|(_, rival)| rival);
        let is_clear = rivals
            .all(|(rival, _)| rival.distance > distance && rival.distance >= RIVAL)
            && distance <= tolerated(length)
            && !self.is_beginning_of_another(winner);
        // Letters missing at the end were probably omitted on purpose.
        let is_cut = distance > 1 && self.is_beginning_of(winner);
        if !is_clear || is_cut {
            return None;
        }
        self.unless_elsewhere(winner, distance, Stage::EditDistance)
    }

    /// Corrects to the one town that begins with the typed letters.
    pub(super) fn by_prefix(&self) -> Option<TownOutcome> {
        let shortest = if self.candidates.len() == 1 { 2 } else { 3 };
        if self.typed.key.plain.chars().count() < shortest {
            return None;
        }
        let mut beginning = self
            .candidates
            .iter()
            .filter(|one| self.is_beginning_of(one));
        let winner = beginning.next()?;
        let mut rivals = self.candidates.iter().filter(|one| one.town != winner.town);
        let is_clear = rivals.all(|one| self.nearness(one, RIVAL - 1).is_none())
            && !self.is_beginning_of_another(winner);
        if !is_clear || self.is_contradicted(winner) {
            return None;
        }
        Some(self.corrected(&winner.town, Stage::UniquePrefix))
    }

    // rule: D-ADR-02
    /// Corrects to the only town, if at least half of the letters agree.
    pub(super) fn only_one(&self) -> Option<TownOutcome> {
        let [winner] = self.candidates.as_slice() else {
            return None;
        };
        let typed = self.typed.key.plain.chars().count();
        let limit = winner.town.chars().count().max(typed) / 2;
        let Nearness { distance, length } = self.nearness(winner, limit)?;
        if distance * 2 > length.max(typed) {
            return None;
        }
        self.unless_elsewhere(winner, distance, Stage::SingleCandidate)
    }

    /// The outcome when no stage recognises the town.
    pub(super) fn unclear(&self) -> TownOutcome {
        const LONG_ENOUGH: usize = 4;
        let near: Vec<&Candidate> = self
            .candidates
            .iter()
            .filter(|one| self.nearness(one, RIVAL).is_some() || self.is_beginning_of(one))
            .collect();
        if !near.is_empty() {
            return ambiguous(near.into_iter());
        }
        let is_long = self.typed.key.plain.chars().count() >= LONG_ENOUGH;
        let elsewhere = is_long.then(|| self.near_elsewhere(1)).flatten();
        elsewhere.unwrap_or_else(|| ambiguous(self.candidates.iter()))
    }

    /// The correction, unless a town elsewhere or another listed name is closer, or the typed text itself contradicts
    /// the correction.
    fn unless_elsewhere(
        &self,
        winner: &Candidate,
        distance: usize,
        stage: Stage,
    ) -> Option<TownOutcome> {
        let nearer = distance.saturating_sub(1);
        let mut minor = self.minor_names.iter();
        let minor_is_nearer = minor.any(|minor| self.measure(&minor.key, nearer).is_some());
        if minor_is_nearer || self.is_contradicted(winner) {
            return None;
        }
        let elsewhere = (nearer > 0).then(|| self.near_elsewhere(nearer)).flatten();
        elsewhere.or_else(|| Some(self.corrected(&winner.town, stage)))
    }

    fn near_elsewhere(&self, limit: usize) -> Option<TownOutcome> {
        let near = self.directory.index().near(&self.typed.key, limit);
        let near: Vec<_> = near
            .filter_map(|(distance, position)| Some((distance, self.other_town(position)?)))
            .collect();
        let at = |wanted| near.iter().filter(move |(distance, _)| *distance == wanted);
        self.conflict((0..=limit).flat_map(at).map(|(_, entry)| *entry))
    }

    fn is_contradicted(&self, winner: &Candidate) -> bool {
        winner.is_contradicted(&self.typed, self.directory.all_regions())
    }

    pub(super) fn nearness(&self, candidate: &Candidate, limit: usize) -> Option<Nearness> {
        let near = candidate.keys().filter_map(|key| {
            let distance = self.measure(key, limit)?;
            Some(Nearness {
                distance,
                length: key.plain.chars().count(),
            })
        });
        near.min()
    }

    fn measure(&self, key: &Key, limit: usize) -> Option<usize> {
        let typed = &self.typed.key;
        let pairs = [(&typed.plain, &key.plain), (&typed.merged, &key.merged)];
        let sketched = |name| (name, Sketch::new(name));
        let measured = pairs
            .into_iter()
            .filter_map(|(left, right)| within(limit, sketched(left), sketched(right)));
        measured.min()
    }

    fn is_beginning_of(&self, candidate: &Candidate) -> bool {
        candidate.keys().any(|key| self.begins(key))
    }

    /// Whether another name of the postal code begins with the typed letters. Boxes of the town itself, whose names
    /// begin the same way, do not count.
    fn is_beginning_of_another(&self, winner: &Candidate) -> bool {
        let own = Key::new(&winner.town).plain;
        let mut rivals = self.candidates.iter().filter(|one| one.town != winner.town);
        let mut minor = self
            .minor_names
            .iter()
            .filter(|one| !one.key.plain.starts_with(&*own));
        rivals.any(|one| self.is_beginning_of(one)) || minor.any(|one| self.begins(&one.key))
    }

    fn begins(&self, key: &Key) -> bool {
        key.plain.starts_with(self.typed.key.plain.as_str())
    }
}
