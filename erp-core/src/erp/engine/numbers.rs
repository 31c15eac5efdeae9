//! Numbers of new records: the next free ones of their ranges.
//!
//! A store counts without an end, and never gives out a count twice. The count is mapped to a number of the range, which
//! starts again after its last number, and a number that a record has already is skipped. So neither an import nor a
//! restore can leave a sequence without numbers while there are any.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::{MutexGuard, PoisonError};

use super::operation::Loaded;
use super::{Erp, Error, Upkeep, keys};
use crate::erp::catalogue::slices::{ENTRIES_PER_READ, yield_now};
use crate::storage::{Key, Sequence, Storage, StoreResult};

/// Numbers that are taken although no record has them: the same commit brings them.
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
        let mut numbers = vec![0; wanted.len()];
        let (mut least, mut given) = (BTreeMap::new(), Given::new());
        for sequence in wanted {
            if least
                .insert(*sequence, self.first_unless_used_up(*sequence)?)
                .is_none()
            {
                let named = named.into_iter().flatten();
                given.extend(named.map(|number| (*sequence, *number)));
            }
        }
        let mut open: Vec<_> = wanted.iter().zip(&mut numbers).collect();
        while !open.is_empty() {
            let from = open
                .iter()
                .filter_map(|(sequence, _)| least.get_key_value(*sequence));
            let from: Vec<_> = from.map(|(sequence, least)| (*sequence, *least)).collect();
            let counts = self.store.next_numbers(&from).await?;
            let drawn = from.iter().zip(&counts);
            let drawn: Vec<_> = drawn
                .map(|((sequence, _), count)| self.number(*sequence, *count))
                .collect();
            let free = match named {
                Some(_) => self.free(&drawn, &given).await?,
                None => vec![true; drawn.len()],
            };
            let (mut taken, mut last) = (Vec::new(), BTreeMap::new());
            let all = open
                .into_iter()
                .zip(counts)
                .zip(drawn.into_iter().zip(free));
            for (((sequence, number), count), (drawn, is_free)) in all {
                last.insert(*sequence, count);
                // The same number twice: the sequence has reached the end of its range in between.
                if !is_free || named.is_some() && !given.insert(drawn) {
                    taken.push((sequence, number));
                } else {
                    *number = drawn.1;
                }
            }
            for (sequence, _) in &taken {
                if let Some(count) = last.remove(*sequence) {
                    let free = self.distance(**sequence, count, &given).await?;
                    least.insert(**sequence, count.saturating_add(free));
                }
            }
            open = taken;
        }
        Ok(numbers)
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

    /// The numbers that a sequence may give.
    const fn range(&self, sequence: Sequence) -> Range<u64> {
        let first = &self.settings.first_numbers;
        let first = match sequence {
            Sequence::Order => first.order,
            Sequence::Offer => first.offer,
            Sequence::Customer => first.customer,
            Sequence::Address => first.address,
            Sequence::Media => 1,
        };
        first..sequence.last_number().saturating_add(1)
    }

    fn number(&self, sequence: Sequence, count: u64) -> (Sequence, u64) {
        let Range { start, end } = self.range(sequence);
        let beyond = count.saturating_sub(start);
        let offset = beyond.checked_rem(end.saturating_sub(start));
        (sequence, start.saturating_add(offset.unwrap_or_default()))
    }

    /// The first number of a sequence, unless all its numbers are taken. They stay taken, so this is found out once.
    fn first_unless_used_up(&self, sequence: Sequence) -> Result<u64, Error> {
        let range = self.range(sequence);
        if range.is_empty() || self.without_numbers().contains(&sequence) {
            return Err(self.used_up(sequence));
        }
        Ok(range.start)
    }

    fn without_numbers(&self) -> MutexGuard<'_, BTreeSet<Sequence>> {
        let used_up = self.used_up.lock();
        used_up.unwrap_or_else(PoisonError::into_inner)
    }

    fn used_up(&self, sequence: Sequence) -> Error {
        self.without_numbers().insert(sequence);
        Error::NumbersUsedUp {
            sequence,
            first: self.range(sequence).start,
            last: sequence.last_number(),
        }
    }

    /// How far behind a taken number a free one is. Looks at the distances 1, 2, 4, ... and halves the last one, so that a
    /// long row of taken numbers costs few reads; looks at every number when none of those is free.
    async fn distance(&self, sequence: Sequence, count: u64, given: &Given) -> Result<u64, Error> {
        let Range { start, end } = self.range(sequence);
        let length = end.saturating_sub(start);
        let number = |distance| self.number(sequence, count.saturating_add(distance));
        let (mut taken, mut free) = (0, 1);
        while free < length && self.free(&[number(free)], given).await? == [false] {
            (taken, free) = (free, free.saturating_mul(2));
        }
        if free < length {
            while free.saturating_sub(taken) > 1 {
                let middle = taken.midpoint(free);
                match self.free(&[number(middle)], given).await?.as_slice() {
                    [true] => free = middle,
                    _ => taken = middle,
                }
            }
            return Ok(free);
        }
        for from in (1..length).step_by(ENTRIES_PER_READ) {
            let all = from..length.min(from.saturating_add(ENTRIES_PER_READ as u64));
            let free = self
                .free(&all.clone().map(number).collect::<Vec<_>>(), given)
                .await?;
            if let Some((distance, _)) = all.zip(free).find(|(_, is_free)| *is_free) {
                return Ok(distance);
            }
        }
        Err(self.used_up(sequence))
    }

    /// Whether each of these numbers is free: no record has it, nor will one of the same commit.
    async fn free(&self, wanted: &[(Sequence, u64)], given: &Given) -> StoreResult<Vec<bool>> {
        let mut free = Vec::with_capacity(wanted.len());
        for wanted in wanted.chunks(ENTRIES_PER_READ) {
            let keys = wanted
                .iter()
                .map(|(sequence, number)| key(*sequence, *number));
            let found = self.store.get(&keys.collect::<Vec<Key>>()).await?;
            let forgotten = self.forgotten(wanted).await?;
            let found = found.iter().zip(wanted);
            free.extend(found.map(|(entry, number)| {
                entry.is_none() && !given.contains(number) && !forgotten.contains(number)
            }));
            yield_now().await;
        }
        Ok(free)
    }
}

impl<S: Storage> Erp<S> {
    /// Those of these numbers that a forgotten customer had: they are never given again.
    async fn forgotten(&self, wanted: &[(Sequence, u64)]) -> StoreResult<Given> {
        let wanted = wanted.iter().copied();
        let wanted: Vec<_> = wanted
            .filter(|(sequence, _)| *sequence == Sequence::Customer)
            .collect();
        if wanted.is_empty() {
            return Ok(Given::new());
        }
        let keys = wanted.iter().map(|(_, number)| number.to_string());
        let keys: Vec<Key> = keys
            .map(|number| keys::forgotten_customer(&number))
            .collect();
        let found = wanted.into_iter().zip(self.store.get(&keys).await?);
        Ok(found
            .filter_map(|(number, entry)| entry.map(|_| number))
            .collect())
    }
}

impl<S: Storage> Upkeep<'_, S> {
    /// The sequences that were found to have no free number left.
    pub fn used_up_sequences(self) -> BTreeSet<Sequence> {
        self.erp.without_numbers().clone()
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
