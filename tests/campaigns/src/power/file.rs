//! One file: the content that processes see, the durable content, and the content that may be on the disk.

use std::collections::BTreeMap;

use crate::Random;

/// Size of a block, which the disk writes completely or not at all.
pub const BLOCK: usize = 4096;

/// The content of a block at a point of the log; shorter at the end of the file.
#[derive(Clone, Debug)]
struct Version {
    moment: u64,
    bytes: Box<[u8]>,
}

/// The content of a file.
#[derive(Clone, Debug, Default)]
pub(super) struct Content {
    /// The content that a process reads.
    pub(super) now: Vec<u8>,
    /// The content that was synced.
    pub(super) durable: Vec<u8>,
    /// The contents of each block since the last sync, oldest first.
    unsynced: BTreeMap<usize, Vec<Version>>,
    /// The point of the log at which the durable length was set.
    length_at: u64,
}

impl Content {
    /// A file whose whole content is durable.
    pub(super) fn settled(bytes: Vec<u8>) -> Self {
        Self {
            now: bytes.clone(),
            durable: bytes,
            ..Self::default()
        }
    }

    pub(super) fn is_settled(&self) -> bool {
        self.unsynced.is_empty() && self.now.len() == self.durable.len()
    }

    pub(super) fn write(&mut self, moment: u64, at: usize, data: &[u8]) {
        let end = at + data.len();
        if end > self.now.len() {
            self.set_length(moment, end);
        }
        self.now[at..end].copy_from_slice(data);
        self.note(moment, at, end);
    }

    pub(super) fn set_length(&mut self, moment: u64, length: usize) {
        let before = self.now.len();
        self.now.resize(length, 0);
        if length < before {
            self.unsynced
                .split_off(&length.div_ceil(BLOCK))
                .into_values()
                .for_each(drop);
            self.note(moment, length / BLOCK * BLOCK, length);
        } else {
            // After the durable end there are only zeros.
            self.note(moment, before, length.min(self.durable.len()));
        }
    }

    fn note(&mut self, moment: u64, from: usize, until: usize) {
        if from >= until {
            return;
        }
        for block in from / BLOCK..until.div_ceil(BLOCK) {
            let end = self.now.len().min((block + 1) * BLOCK);
            let bytes = self.now[block * BLOCK..end].into();
            let versions = self.unsynced.entry(block).or_default();
            versions.push(Version { moment, bytes });
        }
    }

    /// Ends a sync that started at this point of the log, when the file had this length.
    pub(super) fn sync(&mut self, started: u64, length: usize) {
        if started >= self.length_at {
            self.length_at = started;
            self.durable.resize(length, 0);
        }
        for (block, versions) in &mut self.unsynced {
            let covered = versions.partition_point(|version| version.moment <= started);
            if let Some(last) = versions.drain(..covered).next_back() {
                put_block(&mut self.durable, *block, &last.bytes);
            }
        }
        self.unsynced.retain(|_, versions| !versions.is_empty());
    }

    /// A possible content of the disk: each block that was not synced is there with a probability of `kept` in eight,
    /// in its last or an earlier state.
    pub(super) fn torn(&self, random: &mut Random, kept: u64) -> Vec<u8> {
        let mut content = self.durable.clone();
        content.resize(self.torn_length(random), 0);
        for (block, versions) in &self.unsynced {
            if random.below(8) < kept {
                let last = versions.len() - 1;
                let chosen = match random.below(4) {
                    0 => random.index(versions.len()),
                    _ => last,
                };
                put_block(&mut content, *block, &versions[chosen].bytes);
            }
        }
        content
    }

    fn torn_length(&self, random: &mut Random) -> usize {
        let (durable, now) = (self.durable.len(), self.now.len());
        let between = durable.abs_diff(now) / BLOCK;
        match random.below(3) {
            0 => durable,
            1 if between > 0 => (durable.min(now) / BLOCK + random.index(between) + 1) * BLOCK,
            _ => now,
        }
    }
}

/// Writes a block as far as the length of the file allows; the old content is overwritten.
fn put_block(content: &mut [u8], block: usize, bytes: &[u8]) {
    let from = (block * BLOCK).min(content.len());
    let until = ((block + 1) * BLOCK).min(content.len());
    let place = &mut content[from..until];
    let length = place.len().min(bytes.len());
    place.fill(0);
    place[..length].copy_from_slice(&bytes[..length]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_writes_before_the_start_of_a_sync_are_durable() {
        let mut file = Content::default();
        file.write(1, 0, b"first");
        file.write(3, 0, b"other");
        file.write(4, 5, b" and more");
        assert_eq!(file.durable, b"");
        file.sync(2, 5);
        assert_eq!(file.durable, b"first");
        assert_eq!(file.now, b"other and more");
        assert!(!file.is_settled());
        file.sync(5, 14);
        assert_eq!(file.durable, b"other and more");
        assert!(file.is_settled());
    }

    #[test]
    fn of_two_syncs_the_one_that_started_later_counts() {
        let mut file = Content::default();
        file.write(1, 0, b"1");
        file.write(3, 0, b"333");
        file.sync(4, 3);
        file.sync(2, 1);
        assert_eq!(file.durable, b"333");
    }

    #[test]
    fn a_shorter_file_is_longer_on_the_disk_until_the_sync() {
        let mut file = Content::settled(vec![7; 3 * BLOCK]);
        file.set_length(1, BLOCK);
        assert_eq!(file.durable.len(), 3 * BLOCK);
        file.set_length(2, 2 * BLOCK);
        assert_eq!(file.now[BLOCK..], [0; BLOCK]);
        file.sync(3, 2 * BLOCK);
        assert_eq!(file.durable, file.now);
    }

    #[test]
    fn torn_blocks_are_old_or_new_as_a_whole_and_unwritten_ones_are_zero() {
        let mut file = Content::settled(vec![1; 8 * BLOCK]);
        file.write(1, 0, &[2; 8 * BLOCK]);
        file.write(2, 4 * BLOCK, &[3; 8 * BLOCK]);
        let (mut seen, mut lengths) = (std::collections::BTreeSet::new(), Vec::new());
        for seed in 0..200 {
            let torn = file.torn(&mut Random(seed), 4);
            for (index, block) in torn.chunks(BLOCK).enumerate() {
                assert!(block.iter().all(|byte| *byte == block[0]));
                seen.insert((index, block[0]));
            }
            lengths.push(torn.len() / BLOCK);
        }
        let may = |index: usize, byte: u8| seen.contains(&(index, byte));
        assert!(may(0, 1) && may(0, 2) && !may(0, 3) && !may(0, 0));
        assert!(may(5, 1) && may(5, 2) && may(5, 3));
        assert!(may(11, 0) && may(11, 3) && !may(11, 1));
        assert!((8..=12).all(|length| lengths.contains(&length)));
    }
}
