//! Notes of the office on orders.

use crate::domain::document::{Order, OrderNote};
use crate::erp::engine::{Attempt, Error, Office, keys, retry_on_conflict};
use crate::storage::record::{Versioned, encode};
use crate::storage::{ChangeSet, Storage};

impl<S: Storage> Office<'_, S> {
    /// Replaces the note on an order; `None` removes it. Shops do not see it, and it is no event.
    ///
    /// # Errors
    /// [`Error::NotFound`] when there is no order of this number; [`Error::PreconditionFailed`].
    pub async fn set_order_note(
        self,
        number: &str,
        note: Option<&OrderNote>,
    ) -> Result<Versioned<Order>, Error> {
        let ((order, unchanged), written) = retry_on_conflict!(self.erp, self.actor, {
            let Versioned { value, revision } = self.order(number).await?;
            self.check_revision(revision)?;
            if value.note.as_ref() == note {
                Attempt::Done((value, revision))
            } else {
                let order = Order {
                    note: note.cloned(),
                    ..value
                };
                let key = keys::order(keys::document_number(number).unwrap_or_default());
                let mut changes = ChangeSet::new();
                changes.guard(key.clone(), Some(revision));
                changes.put(key, encode(&order)?);
                Attempt::Commit(changes, (order, revision))
            }
        });
        Ok(Versioned {
            value: order,
            revision: written.map_or(unchanged, |committed| committed.revision),
        })
    }
}
