//! What a change of an order's state writes, whoever makes it.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use super::changes::note_order;
use super::event::{Event, EventKind, Method};
use super::{Conflict, Erp, Error, keys};
use crate::domain::document::{Order, OrderStatus};
use crate::domain::master::{ArticleNumber, ArticleStock};
use crate::erp::catalogue::MasterKind;
use crate::erp::keys::secondary::{list_order, move_order};
use crate::storage::record::{Versioned, encode};
use crate::storage::{ChangeSet, Storage, StorageError, StoreResult};

impl<S: Storage> Erp<S> {
    // rule: D-DOC-26, D-INV-09
    /// Everything that a new state of an order writes, as one commit: the order, its secondary keys, the event, and the end
    /// of its reservations when it reserves stock no longer.
    pub(crate) async fn status_changes(
        &self,
        found: Versioned<Order>,
        status: OrderStatus,
        (user, now): (&str, Timestamp),
    ) -> Result<(ChangeSet, Order), Error> {
        if status == OrderStatus::Canceled
            && let (Some(invoice), None) = (&found.value.invoice, &found.value.credit_note)
        {
            let (order, invoice) = (found.value.number.clone(), invoice.clone());
            return Err(Conflict::InvoicedOrder { order, invoice }.into());
        }
        let from = found.value.status;
        let order = Order {
            status,
            ..found.value
        };
        let number = keys::document_number(&order.number).ok_or_else(|| {
            StorageError::Damaged(format!("order {} has no number of ours", order.number))
        })?;
        let mut changes = ChangeSet::new();
        changes.guard(keys::order(number), Some(found.revision));
        changes.put(keys::order(number), encode(&order)?);
        list_order(&mut changes, number, &order)?;
        let company = self.company().await?;
        move_order(&mut changes, number, &order, from)?;
        if !status.reserves() {
            for reservation in &order.reservations {
                let millionths = reservation.millionths().unwrap_or_default();
                changes.add(reservation.key(), millionths.saturating_neg());
            }
            note_order(&mut changes, number, &order)?;
        }
        if status == OrderStatus::Completed {
            self.take_out_of_stock(&mut changes, &order).await?;
            // A company that has said where its numbers begin makes invoices here, also before the first one.
            let is_invoicing = company.first_invoice.is_some()
                || self.entry(&keys::invoice_numbers()).await?.is_some();
            if is_invoicing && order.invoice.is_none() {
                changes.mark(keys::order_to_invoice(number));
            }
        }
        let event = Event {
            kind: EventKind::Order,
            at: now,
            number: order.number.to_string(),
            articles: Vec::new(),
            method: Method::Put,
            user: user.to_owned(),
            status: Some(status),
        };
        event.add_to(&mut changes, &company);
        Ok((changes, order))
    }

    // rule: R-STA-14
    /// Subtracts an order's reservations from stored stock, so that the available quantity stays the same.
    async fn take_out_of_stock(&self, changes: &mut ChangeSet, order: &Order) -> StoreResult<()> {
        let reserved = order.reservations.iter();
        let reserved: BTreeSet<&ArticleNumber> = reserved.map(|of| &of.article).collect();
        if reserved.is_empty() {
            return Ok(());
        }
        let keys = reserved.iter().map(|article| keys::stock(article));
        let found = self.load_each::<ArticleStock>(keys.collect()).await?;
        let found = reserved.into_iter().zip(found);
        let mut stocks: BTreeMap<_, _> = found
            .filter_map(|(article, stock)| Some((article, stock?)))
            .collect();
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
