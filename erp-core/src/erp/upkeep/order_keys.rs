//! Keys by state and by reference for the orders that older versions have stored.
//!
//! New orders and changes of state write these keys themselves. Versions that knew only keys by state have written a record of
//! their own about them, which counts until all orders have both. A slice reads some orders in the order of their numbers and
//! writes their keys together with the number to continue at, so that no crash and no second server makes a difference.

use jiff::SignedDuration;

use crate::domain::document::{Order, OrderStatus};
use crate::erp::engine::secondary::{move_order, refer_to_order, status_keys};
use crate::erp::engine::{Attempt, Error, OrderKeys, Upkeep, keys, retry_on_conflict};
use crate::storage::record::{decode, encode};
use crate::storage::{ChangeSet, Scan, Storage, StorageError};

/// Orders per slice: a commit of this size does not hold up others.
const ORDERS_PER_SLICE: usize = 100;

impl<S: Storage> Upkeep<'_, S> {
    /// Whether all orders have keys by state and by reference.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn has_order_keys(self) -> Result<bool, Error> {
        Ok(self.erp.has_order_keys().await? && self.erp.has_reference_keys().await?)
    }

    /// Writes the keys of the next orders of an older version, and returns how far the store is; when nothing is left, it
    /// only reads one record. Until `wait` has passed since the first call on this store, nothing is done: servers of
    /// the older version may still store orders without keys.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn write_order_keys(self, wait: SignedDuration) -> Result<OrderKeys, Error> {
        let now = self.now;
        let key = keys::reference_keys();
        let (state, _) = retry_on_conflict!(self.erp, None, {
            let found = self.erp.load::<OrderKeys>(&key).await?;
            let revision = found.as_ref().map(|found| found.revision);
            let mut state = found.map_or(OrderKeys::none(now), |found| found.value);
            let Some(next) = state.next else {
                return Ok(state);
            };
            let mut changes = ChangeSet::new();
            if now.duration_since(state.since) >= wait {
                state.next = self.write_slice(&mut changes, next).await?;
            } else if revision.is_some() {
                return Ok(state);
            }
            changes.guard(key.clone(), revision);
            match state.next {
                Some(_) => changes.put(key.clone(), encode(&state)?),
                None => OrderKeys::complete(&mut changes, state.since)?,
            }
            Attempt::Commit(changes, state)
        });
        Ok(state)
    }

    /// Writes the keys of the orders from a number on. Returns the number to continue at.
    async fn write_slice(
        self,
        changes: &mut ChangeSet,
        from: u64,
    ) -> Result<Option<u64>, StorageError> {
        let scan = Scan {
            from: keys::order(from),
            ..keys::orders().limit(ORDERS_PER_SLICE)
        };
        let page = self.erp.store.scan(scan).await?;
        let mut orders = Vec::with_capacity(page.entries.len());
        for (key, entry) in &page.entries {
            changes.guard(key.clone(), Some(entry.revision));
            let number = key.parts().number().unwrap_or_default();
            orders.push((number, decode::<Order>(key, entry)?));
        }
        let of_all = orders
            .iter()
            .flat_map(|(number, order)| status_keys(*number, order));
        let found = self.erp.store.get(&of_all.collect::<Vec<_>>()).await?;
        let states = OrderStatus::ALL.len();
        for ((number, order), found) in orders.iter().zip(found.chunks(states)) {
            move_order(changes, *number, order, found);
            refer_to_order(changes, *number, order);
        }
        let last = orders.last().filter(|_| page.next.is_some());
        Ok(last.map(|(number, _)| number.saturating_add(1)))
    }
}
