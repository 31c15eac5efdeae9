//! The note on the last verified backup. It is a record, so all servers on a store and every later start know it.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::erp::engine::{Error, Upkeep, keys, retry_on_conflict};
use crate::storage::record::encode;
use crate::storage::{ChangeSet, Revision, Storage};

/// The last verified backup.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackupNote {
    /// When it was verified.
    pub at: Timestamp,
    /// The last commit it contains.
    pub revision: Revision,
}

impl<S: Storage> Upkeep<'_, S> {
    /// Notes a verified backup. A backup of an older state than the noted one changes nothing.
    #[cfg(feature = "internal")]
    pub async fn note_backup(self, note: BackupNote) -> Result<(), Error> {
        let key = keys::backup();
        retry_on_conflict!(self.erp, None, {
            let before = self.erp.load::<BackupNote>(&key).await?;
            let mut changes = ChangeSet::new();
            changes.guard(key.clone(), before.as_ref().map(|before| before.revision));
            if before.is_some_and(|before| before.value.revision > note.revision) {
                return Ok(());
            }
            changes.put(key.clone(), encode(&note)?);
            (changes, ())
        });
        Ok(())
    }

    /// The last verified backup; `None` without one.
    #[cfg(feature = "internal")]
    pub async fn last_backup(self) -> Result<Option<BackupNote>, Error> {
        let found = self.erp.load::<BackupNote>(&keys::backup()).await?;
        Ok(found.map(|found| found.value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::erp::{Erp, Settings};
    use crate::storage::MemoryStore;
    use pollster::block_on;

    #[test]
    fn the_note_is_of_the_newest_state() {
        let erp = Erp::new(MemoryStore::new(), Settings::default());
        let last = || block_on(erp.upkeep(Timestamp::UNIX_EPOCH).last_backup()).unwrap();
        let noted = |second, revision| {
            let at = Timestamp::from_second(second).unwrap();
            let note = BackupNote { at, revision };
            block_on(erp.upkeep(Timestamp::UNIX_EPOCH).note_backup(note)).unwrap();
            note
        };
        assert_eq!(last(), None);
        let first = noted(1_780_000_000, 7);
        assert_eq!(last(), Some(first));
        let second = noted(1_780_086_400, 9);
        // One that began before the second and was confirmed after it.
        let _ = noted(1_780_086_401, 8);
        assert_eq!(last(), Some(second));
        // Nothing was written meanwhile.
        let third = noted(1_780_172_800, 9);
        assert_eq!(last(), Some(third));
        let found = block_on(erp.upkeep(Timestamp::UNIX_EPOCH).check()).unwrap();
        assert!(found.findings.is_empty(), "{found:?}");
    }
}
