//! Binary format of a journal record.

use erp_core::storage::Key;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::super::bytes::{Cut, length_of, put_counted};

/// Records start at multiples of this many bytes.
pub(crate) const ALIGNMENT: usize = 64;

/// Size of a record header in bytes; the payload follows it.
pub(crate) const HEAD_BYTES: usize = 32;

const MAGIC: u32 = 0xE7_9A_4A_52;
const LAYOUT: u8 = 1;

/// Record kinds. The numbers are part of the file format and never change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum RecordKind {
    /// Commits from `number` on; the payload starts with their time.
    Group = 1,
    /// Confirms that everything up to commit `number` was synced.
    Seal = 2,
    /// The base of the next segment is `number`.
    Successor = 3,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Record<'a> {
    pub(crate) kind: RecordKind,
    pub(crate) count: u32,
    pub(crate) number: u64,
    pub(crate) payload: &'a [u8],
}

/// Bytes that a record with this payload size occupies in its segment.
pub(crate) const fn footprint(payload: usize) -> usize {
    HEAD_BYTES
        .saturating_add(payload)
        .next_multiple_of(ALIGNMENT)
}

/// The seed of the checksum: a record is valid only at its offset of its segment of its store, so bytes sent by a
/// client can never pass as a record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RecordPlace {
    pub(crate) store: [u8; 16],
    pub(crate) base: u64,
    pub(crate) offset: u64,
}

impl RecordPlace {
    fn seed(self) -> u64 {
        let with_base = xxh3_64_with_seed(&self.store, self.base);
        xxh3_64_with_seed(&self.offset.to_be_bytes(), with_base)
    }
}

/// The bytes of a record, padded with zeros to its footprint.
pub(crate) fn render(
    kind: RecordKind,
    number: u64,
    count: u32,
    payload: &[u8],
    place: RecordPlace,
) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(footprint(payload.len()));
    bytes.extend_from_slice(&MAGIC.to_be_bytes());
    bytes.extend_from_slice(&[LAYOUT, kind as u8, 0, 0]);
    bytes.extend_from_slice(&length_of(payload).to_be_bytes());
    bytes.extend_from_slice(&count.to_be_bytes());
    bytes.extend_from_slice(&number.to_be_bytes());
    let checksum = checksum(&bytes, payload, place);
    bytes.extend_from_slice(&checksum.to_be_bytes());
    bytes.extend_from_slice(payload);
    bytes.resize(footprint(payload.len()), 0);
    bytes
}

/// The record at an offset of a segment; `None` when there is no valid one.
pub(crate) fn parse(segment: &[u8], place: RecordPlace) -> Option<Record<'_>> {
    let from = segment.get(usize::try_from(place.offset).ok()?..)?;
    let head = from.get(..HEAD_BYTES - 8)?;
    let mut cut = Cut(from);
    if cut.u32()? != MAGIC {
        return None;
    }
    let [LAYOUT, kind, 0, 0] = cut.u32()?.to_be_bytes() else {
        return None;
    };
    let kind = [RecordKind::Group, RecordKind::Seal, RecordKind::Successor]
        .into_iter()
        .find(|known| *known as u8 == kind)?;
    let length = usize::try_from(cut.u32()?).ok()?;
    let (count, number, stored) = (cut.u32()?, cut.u64()?, cut.u64()?);
    let payload = cut.take(length)?;
    (stored == checksum(head, payload, place)).then_some(Record {
        kind,
        count,
        number,
        payload,
    })
}

/// The commit number in the head of a record that may be damaged.
pub(crate) fn number_at(segment: &[u8], offset: usize) -> Option<u64> {
    let mut head = Cut(segment.get(offset..)?);
    head.take(16)?;
    head.u64()
}

fn checksum(head: &[u8], payload: &[u8], place: RecordPlace) -> u64 {
    xxh3_64_with_seed(payload, xxh3_64_with_seed(head, place.seed()))
}

/// One change of a commit: the new value of a key, or `None` for a deletion.
pub(crate) type KeyChange = (Key, Option<Vec<u8>>);

/// Starts a group's payload with its time, in milliseconds since 1970.
pub(crate) fn put_time(payload: &mut Vec<u8>, time: u64) {
    payload.extend_from_slice(&time.to_be_bytes());
}

/// Starts a commit in a group's payload.
pub(crate) fn put_change_count(payload: &mut Vec<u8>, changes: usize) {
    payload.extend_from_slice(&u32::try_from(changes).unwrap_or(u32::MAX).to_be_bytes());
}

pub(crate) fn put_change(payload: &mut Vec<u8>, key: &Key, value: Option<&[u8]>) {
    payload.push(u8::from(value.is_some()));
    put_counted(payload, key.as_bytes());
    if let Some(value) = value {
        put_counted(payload, value);
    }
}

/// Reads the changes of the next commit from a group's payload.
pub(crate) fn read_commit(cut: &mut Cut<'_>) -> Option<Vec<KeyChange>> {
    let mut changes = Vec::new();
    for _ in 0..cut.u32()? {
        let has_value = cut.u8()? == 1;
        let key = Key::from_bytes(cut.counted()?.to_vec());
        let value = if has_value {
            Some(cut.counted()?.to_vec())
        } else {
            None
        };
        changes.push((key, value));
    }
    Some(changes)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACE: RecordPlace = RecordPlace {
        store: [7; 16],
        base: 41,
        offset: 64,
    };

    #[test]
    fn a_record_is_valid_in_its_place_only() {
        let mut segment = vec![0; 64];
        segment.extend(render(RecordKind::Group, 42, 1, b"payload", PLACE));
        segment.extend(vec![0; 64]);
        let record = parse(&segment, PLACE).unwrap();
        assert_eq!((record.number, record.payload), (42, b"payload".as_slice()));
        assert!(parse(&segment, RecordPlace { base: 40, ..PLACE }).is_none());
        assert!(
            parse(
                &segment,
                RecordPlace {
                    store: [8; 16],
                    ..PLACE
                }
            )
            .is_none()
        );
        let moved = [vec![0; 64], segment].concat();
        assert!(
            parse(
                &moved,
                RecordPlace {
                    offset: 128,
                    ..PLACE
                }
            )
            .is_none()
        );
    }

    #[test]
    fn commits_read_back() {
        let changes: Vec<KeyChange> = vec![
            (Key::from_bytes(vec![1, 2]), Some(vec![3])),
            (Key::from_bytes(vec![9]), None),
        ];
        let mut payload = Vec::new();
        put_change_count(&mut payload, changes.len());
        for (key, value) in &changes {
            put_change(&mut payload, key, value.as_deref());
        }
        assert_eq!(read_commit(&mut Cut(&payload)), Some(changes));
        for length in 0..payload.len() {
            assert_eq!(read_commit(&mut Cut(&payload[..length])), None);
        }
    }
}
