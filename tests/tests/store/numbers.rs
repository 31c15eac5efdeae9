//! Number sequences of the embedded store.

use std::sync::Mutex;

use erp_core::storage::{Sequence, Storage};
use erp_server::store::SledStore;
use erp_tests::embedded_store::{manual, open};
use tempfile::TempDir;

/// Numbers per block, see the committer.
const BLOCK: u64 = 100;

fn next(store: &SledStore, sequence: Sequence) -> u64 {
    pollster::block_on(store.next_numbers(&[(sequence, 1)])).unwrap()[0]
}

/// Two clients repeatedly take numbers at the same moment, so both find a block empty and one of them is served by a
/// group that writes nothing.
#[test]
fn concurrent_writers_waste_no_numbers() {
    const EACH: u64 = 2_000;
    for sequence in [
        Sequence::Order,
        Sequence::Offer,
        Sequence::Customer,
        Sequence::Address,
    ] {
        let folder = TempDir::new().unwrap();
        let store = open(folder.path(), &manual());
        let given = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let numbers: Vec<u64> = (0..EACH).map(|_| next(&store, sequence)).collect();
                    given.lock().unwrap().extend(numbers);
                });
            }
        });
        let mut given = given.into_inner().unwrap();
        given.sort_unstable();
        let count = given.len() as u64;
        given.dedup();
        assert_eq!(given.len() as u64, count, "a number was assigned twice");
        assert_eq!(given.first(), Some(&1));
        let last = given.last().copied().unwrap();
        assert!(
            last < count + BLOCK,
            "{count} numbers of {sequence:?} took {last}"
        );
    }
}
