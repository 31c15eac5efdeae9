//! Changes of orders by the back office: their states and notes.

use crate::domain::document::{Order, OrderNote, OrderStatus};
use crate::erp::catalogue::slices::yield_now;
use crate::erp::engine::{Conflict, Error, Office, keys, retry_on_conflict};
use crate::storage::record::{Versioned, encode};
use crate::storage::{ChangeSet, Storage};

impl<S: Storage> Office<'_, S> {
    /// Changes the state of an order: N→O, N→A, N→S, O→A, O→S. Completing it takes what it reserves out of the stock,
    /// canceling it gives it back.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Conflict`] for any other transition; [`Error::PreconditionFailed`].
    pub async fn set_order_status(
        self,
        number: &str,
        status: OrderStatus,
    ) -> Result<Versioned<Order>, Error> {
        Ok(self.moved(number, status).await?.0)
    }

    // rule: D-DOC-28
    /// Changes the state of several orders, each in a commit of its own. Returns for each whether it has changed, or why it
    /// cannot.
    ///
    /// # Errors
    /// When the store fails; the orders before have changed then.
    pub async fn set_order_statuses(
        self,
        numbers: &[String],
        status: OrderStatus,
    ) -> Result<Vec<Result<bool, Error>>, Error> {
        let mut outcomes = Vec::with_capacity(numbers.len());
        for number in numbers {
            match self.moved(number, status).await {
                Err(failed @ Error::Storage(_)) => return Err(failed),
                moved => outcomes.push(moved.map(|(_, is_changed)| is_changed)),
            }
            yield_now().await;
        }
        Ok(outcomes)
    }

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
            let found = self.order(number).await?;
            let (mut order, revision) = (found.value, found.revision);
            self.check_revision(revision)?;
            let mut changes = ChangeSet::new();
            if order.note.as_ref() != note {
                order.note = note.cloned();
                let key = keys::order(keys::document_number(number).unwrap_or_default());
                changes.guard(key.clone(), Some(revision));
                changes.put(key, encode(&order)?);
            }
            (changes, (order, revision))
        });
        Ok(Versioned {
            value: order,
            revision: written.map_or(unchanged, |committed| committed.revision),
        })
    }

    /// The order in this state, and whether it had another one before.
    async fn moved(
        self,
        number: &str,
        status: OrderStatus,
    ) -> Result<(Versioned<Order>, bool), Error> {
        let by = (self.user(), self.now);
        let ((order, unchanged), written) = retry_on_conflict!(self.erp, self.actor, {
            let found = self.order(number).await?;
            let (from, revision) = (found.value.status, found.revision);
            self.check_revision(revision)?;
            if from == status {
                (ChangeSet::new(), (found.value, revision))
            } else if from.may_become(status) {
                let (changes, order) = self.erp.status_changes(found, status, by).await?;
                (changes, (order, revision))
            } else {
                return Err(Conflict::OrderStatus { from, to: status }.into());
            }
        });
        let order = Versioned {
            value: order,
            revision: written.map_or(unchanged, |committed| committed.revision),
        };
        Ok((order, written.is_some()))
    }
}
