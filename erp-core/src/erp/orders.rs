//! Orders: `POST /www/auftrag`, `GET /www/auftrag/{AuftNr}`.

use std::collections::{BTreeMap, BTreeSet};

use super::catalogue::{MasterData, MasterKind};
use super::events::{EventKind, Method, event};
use super::operation::{Begun, Decision, number_in, operate};
use super::pricing::{article_states, pricing_state};
use super::stored::CustomerOrderEntry;
use super::{Actor, Attempt, Context, Erp, Error, Outcome, keys, retry_on_conflict};
use crate::document::{
    Manual, NewOrder, Order, OrderNumber, OrderStatus, PricingState, decide_create, order_answer,
    tax_day,
};
use crate::json::{AsJson, Json};
use crate::master::{ArticleNumber, ArticleStock, Customer};
use crate::problem::{Code, Path, Problems};
use crate::record::{Versioned, decode, encode};
use crate::request::{OrderRequest, customer_of};
use crate::storage::{ChangeSet, Key, Revision, Sequence, Storage, StorageError};
use crate::wire;

impl<S: Storage> Erp<S> {
    /// Places an order and returns its number.
    ///
    /// # Errors
    /// [`Error::Invalid`] with every problem of the body; when the store fails.
    pub async fn create_order(
        &self,
        context: &Context<'_>,
        body: &impl AsJson,
    ) -> Result<Outcome<OrderNumber>, Error> {
        let body = &*body.as_json();
        match self.place_order(context, body).await {
            Err(Error::Invalid(problems)) => {
                let all = self.all_problems(context, body, Manual::Allowed, problems);
                Err(Box::pin(all).await?)
            }
            placed => placed?.try_map(|answer| number_in(answer.order_number)),
        }
    }

    /// Places an order, or returns the problems of the first step that fails.
    async fn place_order(
        &self,
        context: &Context<'_>,
        body: &Json,
    ) -> Result<Outcome<wire::OrderNumberAnswer>, Error> {
        let wanted = customer_of(body).map(|number| keys::customer(&number));
        operate!(self, context, wanted.as_slice(), |begun| self
            .decide_new_order(begun, context, body))
    }

    /// Decides what a new order writes.
    async fn decide_new_order(
        &self,
        begun: Begun<'_, S>,
        context: &Context<'_>,
        body: &Json,
    ) -> Result<Decision<wire::OrderNumberAnswer>, Error> {
        let master = &begun.master;
        let mut request = OrderRequest::parse(body, self.settings.reading, &master.time_zone())?;
        let checks = self.check_addresses(&mut request.addresses)?;
        let customer = self
            .known_customer(&begun, context, &request.customer)
            .await?;
        let new = self
            .decide_order(master, context, &customer, &request)
            .await?;
        let (number, order) = self.numbered(&begun, context, &customer, new).await?;
        let mut changes = order_changes(number, &order)?;
        event(
            &mut changes,
            context,
            &master.company,
            EventKind::Order,
            Method::Post,
            &order.number,
        );
        let answer = wire::OrderNumberAnswer {
            order_number: Some(order.number.into()),
        };
        Ok(Decision {
            changes,
            answer,
            checks,
            unchanged: None,
        })
    }

    /// Assigns the next number to a decided order.
    pub(super) async fn numbered(
        &self,
        begun: &Begun<'_, S>,
        context: &Context<'_>,
        customer: &Customer,
        new: NewOrder,
    ) -> Result<(u64, Order), Error> {
        let number = self.draw_one(begun, Sequence::Order).await?;
        let text = OrderNumber::new(&number.to_string()).map_err(|_| Sequence::Order.used_up())?;
        Ok((
            number,
            new.numbered(text, customer.number.clone(), context.caller.name.clone()),
        ))
    }

    // rule: R-END-09
    /// An order as the interface shows it, with its revision.
    ///
    /// # Errors
    /// [`Error::NotFound`] when the order does not exist or the caller may not see its customer.
    pub async fn order(
        &self,
        context: &Context<'_>,
        number: &str,
    ) -> Result<Versioned<wire::Order>, Error> {
        let found = self.visible_order(context, number).await?;
        Ok(Versioned {
            record: order_answer(&found.record),
            revision: found.revision,
        })
    }

    /// An order as stored, including what a selection hides.
    ///
    /// # Errors
    /// [`Error::NotFound`] when there is no order of this number.
    pub async fn stored_order(&self, number: &str) -> Result<Versioned<Order>, Error> {
        let unknown = || Error::not_found("order", number);
        let key = keys::order(keys::document_number(number).ok_or_else(unknown)?);
        self.load(&key).await?.ok_or_else(unknown)
    }

    // rule: R-TOT-15
    async fn decide_order(
        &self,
        master: &MasterData<'_, S>,
        context: &Context<'_>,
        customer: &Customer,
        request: &OrderRequest,
    ) -> Result<NewOrder, Error> {
        let articles = article_states(
            master,
            Some(customer),
            request.positions.iter().map(|position| &position.article),
        )
        .await?;
        let currency = request.currency.unwrap_or(master.company.currency);
        let state = PricingState {
            currency,
            day: tax_day(
                request.delivery_at,
                request.ordered_at,
                context.now,
                &master.time_zone(),
            ),
            delivery_costs: request.delivery_costs.unwrap_or_default(),
            cash_rounding_step: self.settings.cash_rounding.get(&currency).copied(),
            ..pricing_state(master, context, Some(customer), &articles)
        };
        Ok(decide_create(&state, customer, request, context.now)?)
    }

    /// Changes the state of an order: N→O, O→A, N→A. Completing it deducts its reservations from stock.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Conflict`] for any other transition.
    pub async fn set_order_status(
        &self,
        number: &str,
        status: OrderStatus,
        actor: Option<&Actor>,
    ) -> Result<Versioned<wire::Order>, Error> {
        let ((order, unchanged), written) = retry_on_conflict!(self, actor, {
            let found = self.stored_order(number).await?;
            let from = found.record.status;
            if from != status && !from.may_become(status) {
                let (from, to) = (from.as_str(), status.as_str());
                return Err(Error::Conflict(format!(
                    "an order in state {from} cannot become {to}"
                )));
            }
            let order = Order {
                status,
                ..found.record
            };
            if from == status {
                Attempt::Done((order, found.revision))
            } else {
                let changes = self.status_changes(&order, found.revision).await?;
                Attempt::Commit(changes, (order, found.revision))
            }
        });
        Ok(Versioned {
            record: order_answer(&order),
            revision: written.map_or(unchanged, |committed| committed.revision),
        })
    }

    async fn status_changes(&self, order: &Order, revision: Revision) -> Result<ChangeSet, Error> {
        let mut changes = ChangeSet::new();
        let number = keys::document_number(&order.number).ok_or_else(|| {
            StorageError::Damaged(format!("order {} has no number of ours", order.number))
        })?;
        changes.guard(keys::order(number), Some(revision));
        changes.put(keys::order(number), encode(order)?);
        list_order(&mut changes, number, order)?;
        if order.status == OrderStatus::A {
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
        &self,
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
        let entries = self.store.get(&keys).await?;
        let mut stocks: BTreeMap<&ArticleNumber, Versioned<ArticleStock>> = BTreeMap::new();
        for ((article, key), entry) in reserved.into_iter().zip(&keys).zip(entries) {
            if let Some(entry) = entry {
                let record = decode(key, &entry)?;
                let revision = entry.revision;
                stocks.insert(article, Versioned { record, revision });
            }
        }
        for reservation in &order.reservations {
            if let Some(stock) = stocks.get_mut(&reservation.article) {
                stock.record.take_out(reservation);
            }
        }
        for (article, stock) in &stocks {
            changes.guard(keys::stock(article), Some(stock.revision));
            changes.put(keys::stock(article), encode(&stock.record)?);
        }
        if !stocks.is_empty() {
            MasterKind::Stock.touch(changes);
        }
        Ok(())
    }
}

// rule: R-END-02
/// Everything that a new order writes, as one commit.
pub(super) fn order_changes(number: u64, order: &Order) -> Result<ChangeSet, Error> {
    let mut changes = ChangeSet::new();
    changes.insert(keys::order(number), encode(order)?);
    list_order(&mut changes, number, order)?;
    for reservation in &order.reservations {
        let millionths = reservation.millionths().ok_or_else(|| {
            let mut problems = Problems::new();
            let path = Path::ROOT.member("Positionen");
            problems.add(
                &path,
                Code::OutOfRange,
                "the quantity is too large to reserve",
            );
            Error::from(problems)
        })?;
        changes.add(reservation.key(), millionths);
    }
    Ok(changes)
}

/// Writes an order's entry in the list of its customer.
fn list_order(changes: &mut ChangeSet, number: u64, order: &Order) -> Result<(), Error> {
    let entry = CustomerOrderEntry {
        status: order.status,
        created_at: order.document.created_at,
    };
    let key = keys::order_of_customer(&order.customer, number);
    changes.put(key, encode(&entry)?);
    Ok(())
}

/// An entry in the list of a customer's orders, with the number of the order.
pub(super) fn customer_order(
    key: &crate::storage::Key,
    entry: &crate::storage::Entry,
) -> Result<(u64, CustomerOrderEntry), StorageError> {
    let mut parts = key.parts();
    let number = parts.text().and_then(|_| parts.number());
    let number = number
        .ok_or_else(|| StorageError::Damaged(format!("key {key:?} holds no order number")))?;
    Ok((number, decode(key, entry)?))
}
