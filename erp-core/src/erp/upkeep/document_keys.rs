//! Keys for the orders and offers that older versions have stored: of orders by state and by reference, of offers by customer.
//!
//! New documents and changes of state write these keys themselves. Versions that knew only keys of orders by state have written
//! a record of their own about them, which counts until all orders have both. A slice reads some documents in the order of their
//! numbers and writes their keys together with the number to continue at, so that no crash and no second server makes a
//! difference.

use jiff::SignedDuration;

use crate::domain::document::{Offer, Order, OrderStatus};
use crate::erp::engine::secondary::{index_offer, move_order, refer_to_order, status_keys};
use crate::erp::engine::{Attempt, Error, OrderKeys, Upkeep, keys, retry_on_conflict};
use crate::storage::record::{decode, encode};
use crate::storage::{ChangeSet, Key, Page, Scan, Storage, StorageError};

/// Documents per slice: a commit of this size does not hold up others.
const DOCUMENTS_PER_SLICE: usize = 100;

/// What gets keys.
#[derive(Clone, Copy)]
enum Documents {
    Orders,
    Offers,
}

impl Documents {
    /// The record that says how far they have their keys.
    fn progress(self) -> Key {
        match self {
            Self::Orders => keys::reference_keys(),
            Self::Offers => keys::offer_keys(),
        }
    }

    /// The records that say at the end that they have their keys.
    fn kinds(self) -> Vec<Key> {
        match self {
            Self::Orders => vec![keys::order_keys(), keys::reference_keys()],
            Self::Offers => vec![keys::offer_keys()],
        }
    }

    /// Those from a number on.
    fn from(self, number: u64) -> Scan {
        let (from, all) = match self {
            Self::Orders => (keys::order(number), keys::orders()),
            Self::Offers => (keys::offer(number), keys::offers()),
        };
        Scan { from, ..all }
    }
}

impl<S: Storage> Upkeep<'_, S> {
    /// Whether all orders have keys by state and by reference, and all offers by customer.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn has_document_keys(self) -> Result<bool, Error> {
        Ok(self.erp.has_order_keys().await?
            && self.erp.has_reference_keys().await?
            && self.erp.has_offer_keys().await?)
    }

    /// Writes the keys of the next orders and of the next offers of an older version, and returns how far the store is; when
    /// nothing is left, it only reads two records. Until `wait` has passed since the first call on this store, nothing is done:
    /// servers of the older version may still store documents without keys.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn write_document_keys(self, wait: SignedDuration) -> Result<OrderKeys, Error> {
        let orders = self.write_keys(Documents::Orders, wait).await?;
        let offers = self.write_keys(Documents::Offers, wait).await?;
        Ok(if orders.next.is_some() {
            orders
        } else {
            offers
        })
    }

    async fn write_keys(self, of: Documents, wait: SignedDuration) -> Result<OrderKeys, Error> {
        let now = self.now;
        let key = of.progress();
        let (state, _) = retry_on_conflict!(self.erp, None, {
            let found = self.erp.load::<OrderKeys>(&key).await?;
            let revision = found.as_ref().map(|found| found.revision);
            let mut state = found.map_or(OrderKeys::none(now), |found| found.value);
            let Some(next) = state.next else {
                return Ok(state);
            };
            let mut changes = ChangeSet::new();
            if now.duration_since(state.since) >= wait {
                state.next = self.write_slice(&mut changes, of, next).await?;
            } else if revision.is_some() {
                return Ok(state);
            }
            changes.guard(key.clone(), revision);
            match state.next {
                Some(_) => changes.put(key.clone(), encode(&state)?),
                None => OrderKeys::complete(&mut changes, &of.kinds(), state.since)?,
            }
            Attempt::Commit(changes, state)
        });
        Ok(state)
    }

    /// Writes the keys of the documents from a number on. Returns the number to continue at.
    async fn write_slice(
        self,
        changes: &mut ChangeSet,
        of: Documents,
        from: u64,
    ) -> Result<Option<u64>, StorageError> {
        let scan = of.from(from).limit(DOCUMENTS_PER_SLICE);
        let page = self.erp.store.scan(scan).await?;
        for (key, entry) in &page.entries {
            changes.guard(key.clone(), Some(entry.revision));
        }
        match of {
            Documents::Orders => self.write_keys_of_orders(changes, &page).await?,
            Documents::Offers => {
                for (key, entry) in &page.entries {
                    index_offer(changes, number(key), &decode::<Offer>(key, entry)?);
                }
            }
        }
        let last = page.entries.last().filter(|_| page.next.is_some());
        Ok(last.map(|(key, _)| number(key).saturating_add(1)))
    }

    async fn write_keys_of_orders(
        self,
        changes: &mut ChangeSet,
        page: &Page,
    ) -> Result<(), StorageError> {
        let mut orders = Vec::with_capacity(page.entries.len());
        for (key, entry) in &page.entries {
            orders.push((number(key), decode::<Order>(key, entry)?));
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
        Ok(())
    }
}

/// The number in the key of a document.
fn number(key: &Key) -> u64 {
    key.parts().number().unwrap_or_default()
}
