//! Highest imported numbers, for a storage backend that must continue above them.

use super::keys;
use super::stored::NumberFloor;
use crate::record::decode;
use crate::storage::{Entry, Key, Sequence};

// rule: D-STO-50, D-STO-51
/// The sequence and the highest imported number, if the record holds one; `None` for other records.
///
/// A store that loses commits must not assign numbers again that the lost commits imported.
#[must_use]
pub fn imported_number(key: &Key, value: &[u8]) -> Option<(Sequence, u64)> {
    let is_noted = |sequence: &Sequence| keys::number_floor(*sequence) == *key;
    let sequence = Sequence::ALL.into_iter().find(is_noted)?;
    let entry = Entry {
        revision: 0,
        value: value.to_vec(),
    };
    let floor: NumberFloor = decode(key, &entry).ok()?;
    Some((sequence, floor.number))
}

#[cfg(test)]
mod tests {
    use crate::record::encode;

    use super::*;

    #[test]
    fn the_note_of_a_sequence_is_recognized_and_nothing_else() {
        let bytes = encode(&NumberFloor { number: 50_000 }).unwrap();
        for sequence in Sequence::ALL {
            let key = keys::number_floor(sequence);
            assert_eq!(imported_number(&key, &bytes), Some((sequence, 50_000)));
            assert_eq!(imported_number(&key, b"?"), None);
        }
        assert_eq!(imported_number(&keys::user("order"), &bytes), None);
    }
}
