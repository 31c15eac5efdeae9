//! Changes of an order's state by the back office.

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::document::{Order, OrderStatus};
use crate::domain::master::{ArticleNumber, ArticleStock};
use crate::erp::engine::catalogue::MasterKind;
use crate::erp::engine::secondary::{list_order, move_order, status_keys};
use crate::erp::engine::{Attempt, Conflict, Error, Office, keys, retry_on_conflict};
use crate::storage::record::{Versioned, decode, encode};
use crate::storage::{ChangeSet, Key, Revision, Storage, StorageError};

impl<S: Storage> Office<'_, S> {
    /// Changes the state of an order: N→O, O→A, N→A. Completing it deducts its reservations from stock.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Conflict`] for any other transition.
    pub async fn set_order_status(
        self,
        number: &str,
        status: OrderStatus,
    ) -> Result<Versioned<Order>, Error> {
        let ((order, unchanged), written) = retry_on_conflict!(self.erp, self.actor, {
            let found = self.order(number).await?;
            let from = found.value.status;
            if from != status && !from.may_become(status) {
                return Err(Conflict::OrderStatus { from, to: status }.into());
            }
            let order = Order {
                status,
                ..found.value
            };
            if from == status {
                Attempt::Done((order, found.revision))
            } else {
                let changes = self.status_changes(&order, found.revision).await?;
                Attempt::Commit(changes, (order, found.revision))
            }
        });
        Ok(Versioned {
            value: order,
            revision: written.map_or(unchanged, |committed| committed.revision),
        })
    }

    async fn status_changes(self, order: &Order, revision: Revision) -> Result<ChangeSet, Error> {
        let mut changes = ChangeSet::new();
        let number = keys::document_number(&order.number).ok_or_else(|| {
            StorageError::Damaged(format!("order {} has no number of ours", order.number))
        })?;
        changes.guard(keys::order(number), Some(revision));
        changes.put(keys::order(number), encode(order)?);
        list_order(&mut changes, number, order)?;
        let found = self.erp.store.get(&status_keys(number, order)).await?;
        move_order(&mut changes, number, order, &found);
        if order.status == OrderStatus::Completed {
            for reservation in &order.reservations {
                let millionths = reservation.millionths().unwrap_or_default();
                changes.add(reservation.key(), millionths.saturating_neg());
            }
            self.take_out_of_stock(&mut changes, order).await?;
        }
        Ok(changes)
    }

    // rule: R-STA-14
    /// Subtracts an order's reservations from stored stock, so that the available quantity stays the same.
    async fn take_out_of_stock(
        self,
        changes: &mut ChangeSet,
        order: &Order,
    ) -> Result<(), StorageError> {
        let reserved = order.reservations.iter();
        let reserved: BTreeSet<&ArticleNumber> = reserved.map(|of| &of.article).collect();
        if reserved.is_empty() {
            return Ok(());
        }
        let keys: Vec<Key> = reserved
            .iter()
            .map(|article| keys::stock(article))
            .collect();
        let entries = self.erp.store.get(&keys).await?;
        let mut stocks: BTreeMap<&ArticleNumber, Versioned<ArticleStock>> = BTreeMap::new();
        for ((article, key), entry) in reserved.into_iter().zip(&keys).zip(entries) {
            if let Some(entry) = entry {
                let value = decode(key, &entry)?;
                let revision = entry.revision;
                stocks.insert(article, Versioned { value, revision });
            }
        }
        for reservation in &order.reservations {
            if let Some(stock) = stocks.get_mut(&reservation.article) {
                stock.value.take_out(reservation);
            }
        }
        for (article, stock) in &stocks {
            changes.guard(keys::stock(article), Some(stock.revision));
            changes.put(keys::stock(article), encode(&stock.value)?);
        }
        if !stocks.is_empty() {
            MasterKind::Stock.touch(changes);
        }
        Ok(())
    }
}
