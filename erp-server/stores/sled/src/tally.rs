//! Counts and digests per key space: they prove that no record is missing.
//!
//! A checksum only proves that a record read is the record written; a count and a digest prove completeness.
//! Both are stored in the same batch as the number of the last applied commit.

use std::collections::BTreeMap;

use super::bytes::Cut;
use super::error::Fault;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) count: u64,
    /// The wrapping sum of the entries' checksums: independent of the order.
    pub(crate) digest: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tallies(BTreeMap<u8, Tally>);

impl Tallies {
    pub(crate) fn add(&mut self, key: &[u8], checksum: u64) {
        let tally = self.0.entry(space_of(key)).or_default();
        tally.count = tally.count.wrapping_add(1);
        tally.digest = tally.digest.wrapping_add(checksum);
    }

    pub(crate) fn remove(&mut self, key: &[u8], checksum: u64) {
        let (count, digest) = (1, checksum);
        self.subtract(space_of(key), Tally { count, digest });
    }

    /// Takes away what a change added, where it is known how much that was.
    pub(crate) fn without(mut self, change: &Self) -> Self {
        for (space, less) in &change.0 {
            self.subtract(*space, *less);
        }
        self
    }

    fn subtract(&mut self, space: u8, less: Tally) {
        let tally = self.0.entry(space).or_default();
        tally.count = tally.count.wrapping_sub(less.count);
        tally.digest = tally.digest.wrapping_sub(less.digest);
        if *tally == Tally::default() {
            self.0.remove(&space);
        }
    }

    /// Proves that these are the records that were written.
    pub(crate) fn prove(&self, expected: &Self) -> Result<(), Fault> {
        match self.difference(expected) {
            None => Ok(()),
            Some((space, found, expected)) => Err(Fault::Damaged(format!(
                "of the records of kind {space} there are {found} where {expected} were written, \
                 or they are not the ones that were written"
            ))),
        }
    }

    /// The first space in which two tallies differ, with both counts.
    fn difference(&self, other: &Self) -> Option<(u8, u64, u64)> {
        let spaces = self.0.keys().chain(other.0.keys());
        let of = |tallies: &Self, space: &u8| tallies.0.get(space).copied().unwrap_or_default();
        spaces
            .map(|space| (*space, of(self, space), of(other, space)))
            .find(|(_, one, two)| one != two)
            .map(|(space, one, two)| (space, one.count, two.count))
    }

    pub(crate) fn of_space(&self, space: u8) -> Self {
        let tally = self.0.get(&space).map(|tally| (space, *tally));
        Self(tally.into_iter().collect())
    }

    pub(crate) fn write(&self, into: &mut Vec<u8>) {
        into.extend_from_slice(&u32::try_from(self.0.len()).unwrap_or(256).to_be_bytes());
        for (space, tally) in &self.0 {
            into.push(*space);
            into.extend_from_slice(&tally.count.to_be_bytes());
            into.extend_from_slice(&tally.digest.to_be_bytes());
        }
    }

    pub(crate) fn read(cut: &mut Cut<'_>) -> Option<Self> {
        let mut tallies = BTreeMap::new();
        for _ in 0..cut.u32()? {
            let (space, count, digest) = (cut.u8()?, cut.u64()?, cut.u64()?);
            tallies.insert(space, Tally { count, digest });
        }
        Some(Self(tallies))
    }
}

/// Tallies of the entries whose keys are below a limit.
#[derive(Debug, Default)]
pub(crate) struct Below {
    pub(crate) limit: Vec<u8>,
    pub(crate) tallies: Tallies,
}

impl Below {
    /// The tallies, if the entry of a key is among them.
    pub(crate) fn with(&mut self, key: &[u8]) -> Option<&mut Tallies> {
        (key < self.limit.as_slice()).then_some(&mut self.tallies)
    }
}

pub(crate) fn space_of(key: &[u8]) -> u8 {
    key.first().copied().unwrap_or(0)
}
