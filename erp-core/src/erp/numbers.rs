//! Numbers of new records.

use super::Erp;
use crate::storage::{Sequence, Storage, StorageError};

impl<S: Storage> Erp<S> {
    // rule: R-END-27
    /// Draws the next number of each sequence, at least the number beside it. Drawing none does not call the store.
    pub(super) async fn draw(&self, wanted: &[(Sequence, u64)]) -> Result<Vec<u64>, StorageError> {
        let mut numbers = Vec::with_capacity(wanted.len());
        for (sequence, first) in wanted {
            numbers.push(self.store.next_number(*sequence, *first).await?);
        }
        Ok(numbers)
    }
}

/// A drawn address number as the interface writes it.
pub(super) fn address_number(number: u64) -> Result<i32, StorageError> {
    i32::try_from(number)
        .map_err(|_| StorageError::Unavailable("the address numbers are used up".to_owned()))
}
