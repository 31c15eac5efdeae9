//! Numbers of new records: the next free ones of their ranges.
//!
//! A store counts without an end, and never gives out a count twice. The count is mapped to a number of the range, which
//! starts again after its last number, and a number that a record has already is skipped. So neither an import nor a
//! restore can leave a sequence without numbers while there are any.

use std::collections::BTreeSet;

use super::operation::Loaded;
use super::work::{ENTRIES_PER_READ, yield_now};
use super::{Erp, Error, Upkeep, keys};
use crate::storage::{Key, Sequence, Storage, StorageError};

#[derive(Clone, Copy, Debug)]
struct Range {
    sequence: Sequence,
    first: u64,
    length: u64,
}

impl Range {
    const fn number(self, count: u64) -> u64 {
        let offset = count.saturating_sub(self.first).checked_rem(self.length);
        match offset {
            Some(offset) => self.first.saturating_add(offset),
            None => self.first,
        }
    }
}

/// Numbers that the same commit brings.
type Given = BTreeSet<(Sequence, u64)>;

impl<S: Storage> Erp<S> {
    // rule: R-END-27
    /// Draws the next number of each sequence. Drawing none does not call the store.
    ///
    /// A number may be taken, because an import brought it; the commit then fails, and the operation draws again with
    /// `named`, which looks at every number before it is used, and skips those of `named` too.
    pub(crate) async fn draw(
        &self,
        wanted: &[Sequence],
        named: Option<&BTreeSet<u64>>,
    ) -> Result<Vec<u64>, Error> {
        let ranges = wanted.iter().map(|sequence| self.range(*sequence));
        let ranges: Vec<Range> = ranges.collect::<Result<_, _>>()?;
        let mut numbers = self.counted(&ranges).await?;
        let Some(named) = named else {
            return Ok(numbers);
        };
        let sequences: BTreeSet<Sequence> = wanted.iter().copied().collect();
        let mut given: Given = sequences
            .into_iter()
            .flat_map(|sequence| named.iter().map(move |number| (sequence, *number)))
            .collect();
        let mut unsure: Vec<(Range, &mut u64)> = ranges.into_iter().zip(&mut numbers).collect();
        loop {
            let drawn: Vec<_> = unsure
                .iter()
                .map(|(range, number)| (range.sequence, **number))
                .collect();
            let free = self.free(&drawn, &given).await?;
            let mut taken = Vec::new();
            for (((range, number), drawn), is_free) in unsure.into_iter().zip(drawn).zip(free) {
                // The same number twice: the sequence has reached the end of its range in between.
                if !(is_free && given.insert(drawn)) {
                    taken.push((range, number));
                }
            }
            let Some((range, number)) = taken.pop() else {
                return Ok(numbers);
            };
            // The others are drawn again from where this one is found.
            *number = self.next_free(range, &given).await?;
            given.insert((range.sequence, *number));
            let ranges: Vec<Range> = taken.iter().map(|(range, _)| *range).collect();
            for ((_, number), next) in taken.iter_mut().zip(self.counted(&ranges).await?) {
                **number = next;
            }
            unsure = taken;
        }
    }

    /// The numbers of the next counts, free or not.
    async fn counted(&self, ranges: &[Range]) -> Result<Vec<u64>, StorageError> {
        if ranges.is_empty() {
            return Ok(Vec::new());
        }
        let least = ranges.iter().map(|range| (range.sequence, range.first));
        let least: Vec<(Sequence, u64)> = least.collect();
        let counts = self.store.next_numbers(&least).await?;
        let drawn = ranges.iter().zip(counts);
        Ok(drawn.map(|(range, count)| range.number(count)).collect())
    }

    pub(crate) async fn draw_one(
        &self,
        loaded: &Loaded<'_, S>,
        sequence: Sequence,
    ) -> Result<u64, Error> {
        let numbers = self.draw(&[sequence], loaded.named()).await?;
        let number = numbers.first().copied();
        Ok(number.ok_or_else(|| sequence.used_up())?)
    }

    /// The sequences that were found to have no free number left.
    pub(crate) fn used_up_sequences(&self) -> BTreeSet<Sequence> {
        let used_up = self.used_up.lock();
        used_up
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .clone()
    }

    const fn first_number(&self, sequence: Sequence) -> u64 {
        let first = &self.settings.first_numbers;
        match sequence {
            Sequence::Order => first.order,
            Sequence::Offer => first.offer,
            Sequence::Customer => first.customer,
            Sequence::Address => first.address,
            Sequence::Media => 1,
        }
    }

    /// The range of a sequence, unless all its numbers are taken. They stay taken, so this is found out once.
    fn range(&self, sequence: Sequence) -> Result<Range, Error> {
        let first = self.first_number(sequence);
        let length = sequence
            .last_number()
            .saturating_add(1)
            .saturating_sub(first);
        if length == 0 || self.used_up_sequences().contains(&sequence) {
            return Err(self.used_up(sequence));
        }
        Ok(Range {
            sequence,
            first,
            length,
        })
    }

    fn used_up(&self, sequence: Sequence) -> Error {
        let used_up = self.used_up.lock();
        let mut used_up = used_up.unwrap_or_else(std::sync::PoisonError::into_inner);
        used_up.insert(sequence);
        Error::NumbersUsedUp {
            sequence,
            first: self.first_number(sequence),
            last: sequence.last_number(),
        }
    }

    /// Draws counts until one has a free number.
    async fn next_free(&self, range: Range, given: &Given) -> Result<u64, Error> {
        let mut least = range.first;
        loop {
            let counts = self.store.next_numbers(&[(range.sequence, least)]).await?;
            let count = counts.first().copied();
            let count = count.ok_or_else(|| range.sequence.used_up())?;
            match self.steps_to_free(range, count, given).await? {
                0 => return Ok(range.number(count)),
                steps => least = count.saturating_add(steps),
            }
        }
    }

    /// How far from this count a free number is. Looks at the distances 1, 2, 4, ... first, so that a long row of taken
    /// numbers costs few reads, and at every number of the range when none of those is free.
    async fn steps_to_free(&self, range: Range, count: u64, given: &Given) -> Result<u64, Error> {
        let doubled = std::iter::successors(Some(1_u64), |steps| steps.checked_mul(2));
        let doubled = doubled.take_while(|steps| *steps < range.length);
        let distances: Vec<u64> = std::iter::once(0).chain(doubled).collect();
        if let Some(free) = self.first_free(range, count, &distances, given).await? {
            // All between two distances are rarely a mixture: the first free one is found by halving.
            let (mut taken, mut free) = (free / 2, free);
            while free.saturating_sub(taken) > 1 {
                let middle = taken.midpoint(free);
                match self.first_free(range, count, &[middle], given).await? {
                    Some(_) => free = middle,
                    None => taken = middle,
                }
            }
            return Ok(free);
        }
        let mut from = 1;
        while from < range.length {
            let until = from
                .saturating_add(ENTRIES_PER_READ as u64)
                .min(range.length);
            let all: Vec<u64> = (from..until).collect();
            if let Some(free) = self.first_free(range, count, &all, given).await? {
                return Ok(free);
            }
            from = until;
        }
        Err(self.used_up(range.sequence))
    }

    /// The first of these distances from a count at which a number is free.
    async fn first_free(
        &self,
        range: Range,
        count: u64,
        distances: &[u64],
        given: &Given,
    ) -> Result<Option<u64>, Error> {
        let number = |distance: &u64| range.number(count.saturating_add(*distance));
        let wanted = distances
            .iter()
            .map(|distance| (range.sequence, number(distance)));
        let free = self.free(&wanted.collect::<Vec<_>>(), given).await?;
        let mut found = distances.iter().zip(free).filter(|(_, is_free)| *is_free);
        Ok(found.next().map(|(distance, _)| *distance))
    }

    /// Whether each of these numbers is free: no record has it, nor will one of the same commit.
    async fn free(
        &self,
        wanted: &[(Sequence, u64)],
        given: &Given,
    ) -> Result<Vec<bool>, StorageError> {
        let mut free = Vec::with_capacity(wanted.len());
        for wanted in wanted.chunks(ENTRIES_PER_READ) {
            let keys: Vec<Key> = wanted
                .iter()
                .map(|(sequence, number)| key(*sequence, *number))
                .collect();
            let found = self.store.get(&keys).await?;
            let found = found.iter().zip(wanted);
            free.extend(found.map(|(entry, number)| entry.is_none() && !given.contains(number)));
            yield_now().await;
        }
        Ok(free)
    }
}

impl<S: Storage> Upkeep<'_, S> {
    /// The sequences that were found to have no free number left.
    #[must_use]
    pub fn used_up_sequences(self) -> BTreeSet<Sequence> {
        self.erp.used_up_sequences()
    }
}

fn key(sequence: Sequence, number: u64) -> Key {
    match sequence {
        Sequence::Order => keys::order(number),
        Sequence::Offer => keys::offer(number),
        Sequence::Customer => keys::customer(&number.to_string()),
        Sequence::Address => keys::address_owner(short(number)),
        Sequence::Media => keys::media(short(number)),
    }
}

/// A drawn address number or media key, whose range ends with the type.
pub(crate) fn short(number: u64) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}
