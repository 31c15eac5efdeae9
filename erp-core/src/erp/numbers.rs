//! Numbers of new records.

use super::Erp;
use crate::storage::{Sequence, Storage, StorageError};

impl<S: Storage> Erp<S> {
    // rule: R-END-27
    /// Draws the next number of each sequence, at least the number beside it. Drawing none does not call the store.
    pub(super) async fn draw(&self, wanted: &[(Sequence, u64)]) -> Result<Vec<u64>, StorageError> {
        match wanted {
            [] => Ok(Vec::new()),
            wanted => self.store.next_numbers(wanted).await,
        }
    }

    /// Draws the next number of one sequence.
    pub(super) async fn draw_one(
        &self,
        sequence: Sequence,
        first: u64,
    ) -> Result<u64, StorageError> {
        let numbers = self.draw(&[(sequence, first)]).await?;
        numbers.first().copied().ok_or_else(|| sequence.used_up())
    }
}

/// A drawn address number as the interface writes it.
pub(super) fn address_number(number: u64) -> Result<i32, StorageError> {
    i32::try_from(number)
        .map_err(|_| StorageError::Unavailable("the address numbers are used up".to_owned()))
}
