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

    /// The operation will draw numbers of these sequences: the store may fetch them meanwhile.
    pub(super) fn expect_numbers(&self, sequences: &[Sequence]) {
        let first = &self.settings.first_numbers;
        let wanted: Vec<(Sequence, u64)> = sequences
            .iter()
            .map(|sequence| match sequence {
                Sequence::Order => (Sequence::Order, first.order),
                Sequence::Offer => (Sequence::Offer, first.offer),
                Sequence::Customer => (Sequence::Customer, first.customer),
                Sequence::Address => (Sequence::Address, first.address),
                Sequence::Media => (Sequence::Media, 1),
            })
            .collect();
        self.store.expect_numbers(&wanted);
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
