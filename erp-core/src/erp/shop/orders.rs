//! Orders: `POST /www/auftrag`, `GET` and `DELETE /www/auftrag/{AuftNr}`.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::stock::Wanted;
use crate::domain::document::{Order, OrderNumber, OrderStatus, decide_create};
use crate::domain::master::{CustomerNumber, Reservation, Role};
use crate::domain::request::{AsRequest, DocumentRequest, customer_of};
use crate::erp::engine::changes::note_order;
use crate::erp::engine::event::{EventKind, Method};
use crate::erp::engine::operation::{Decided, Decision, Loaded, operate};
use crate::erp::engine::{Conflict, Error, Outcome, Shop, keys, retry_on_conflict};
use crate::erp::keys::secondary::index_order;
use crate::erp::lists::{OrderPage, OrderQuery};
use crate::storage::record::{Versioned, encode};
use crate::storage::{ChangeSet, Sequence, Storage};
use crate::values::json::Json;
use crate::values::text::Text;

impl<S: Storage> Shop<'_, S> {
    /// Places an order, made by the program or as JSON.
    ///
    /// # Errors
    /// [`Error::Invalid`] with every problem of the body.
    pub async fn create_order(
        self,
        request: &impl AsRequest<DocumentRequest>,
    ) -> Result<Outcome<Order>, Error> {
        self.create_order_with(request, Order::clone).await
    }

    /// Like [`Shop::create_order`], with the response that `answer` makes of the order. With [`Shop::retry`] this response is
    /// what is kept and returned to a repetition.
    pub async fn create_order_with<A: Serialize + DeserializeOwned>(
        self,
        request: &impl AsRequest<DocumentRequest>,
        answer: impl Fn(&Order) -> A,
    ) -> Result<Outcome<A>, Error> {
        let request = &self.own(request.as_request());
        let wanted = customer_of(request).map(|number| keys::customer(&number));
        operate!(self, wanted.as_slice(), &answer, |loaded| self
            .decide_new_order(loaded, request))
    }

    async fn decide_new_order(self, loaded: Loaded<'_, S>, request: &Json) -> Decided<Order> {
        let master = &loaded.master;
        let how = self.erp.settings.reading;
        let request = DocumentRequest::of_order(request, how, &master.time_zone());
        let place = request.0.header.location;
        let new = self.new_document(&loaded, request, decide_create).await?;
        let positions = new.document.document.positions.iter().enumerate();
        let wanted = positions.map(|(at, position)| Wanted {
            at,
            position,
            is_promised: false,
        });
        let mut guards = ChangeSet::new();
        let wanted = (wanted.collect(), place);
        self.check_stock(&mut guards, &master.company, &new.document, wanted)
            .await?;
        let (mut changes, order) = self.placed(&loaded, new.document, guards).await?;
        let kind = (EventKind::Order, Method::Post);
        self.event(&mut changes, &master.company, kind, &order.number);
        Ok(Decision::of(changes, order, new.checks))
    }

    // rule: R-END-02
    /// Assigns the next number to a decided order. Returns the order, and everything that it writes beside `changes`.
    pub(super) async fn placed(
        self,
        loaded: &Loaded<'_, S>,
        new: Order,
        mut changes: ChangeSet,
    ) -> Result<(ChangeSet, Order), Error> {
        if self.erp.settings.unique_order_reference
            && let Some(reference) = &new.document.foreign_number
        {
            self.claim_reference(&mut changes, &new.customer, reference)
                .await?;
        }
        let number = self.erp.draw_one(loaded, Sequence::Order).await?;
        let text = OrderNumber::new(&number.to_string()).map_err(|_| Sequence::Order.used_up())?;
        let order = Order {
            number: text,
            ..new
        };
        changes.insert(keys::order(number), encode(&order)?);
        index_order(&mut changes, number, &order)?;
        for (key, millionths) in Reservation::sums(&order.reservations)? {
            changes.add(key, millionths);
        }
        note_order(&mut changes, number, &order)?;
        Ok((changes, order))
    }

    // rule: D-DOC-32
    /// Makes sure that no other order of a customer has a reference; a canceled one does not count. A guard cannot require
    /// that no key was added to a range, so each such order also writes one key, which the next one guards.
    async fn claim_reference(
        self,
        changes: &mut ChangeSet,
        customer: &CustomerNumber,
        reference: &Text<36>,
    ) -> Result<(), Error> {
        let last = keys::last_order_of_reference(reference, customer);
        // Read first: an order that is placed after this and before the orders are read changes it.
        let written = self.erp.entry(&last).await?;
        if let Some(order) = self.erp.order_with_reference(customer, reference).await? {
            let reference = reference.clone();
            return Err(Conflict::DuplicateReference { reference, order }.into());
        }
        changes.guard(last.clone(), written.map(|entry| entry.revision));
        changes.mark(last);
        Ok(())
    }

    // rule: R-END-09
    /// An order with its revision.
    ///
    /// # Errors
    /// [`Error::NotFound`] when the order does not exist or the caller may not see its customer.
    pub async fn order(self, number: &str) -> Result<Versioned<Order>, Error> {
        self.visible_order(number).await
    }

    /// A page of the orders that the caller may see, and how many there are. Unless the page is the last one, the number is
    /// `None` where customers may be hidden from the caller, and where too many orders would have to be counted one by one.
    ///
    /// # Errors
    /// [`Error::NotFound`] when the caller may not see the customer; [`Error::TooBroad`] when too many orders would have to
    /// be read.
    pub async fn orders(self, query: &OrderQuery) -> Result<(OrderPage, Option<usize>), Error> {
        let (customer, visible) = self.customer_of_list(query.customer.as_deref()).await?;
        let query = &OrderQuery {
            customer,
            ..query.clone()
        };
        let is_all = visible.is_none();
        let page = self.erp.list_orders(query, visible).await?;
        // A shop continues at a place of the list, which a short page would not have.
        if page.next.is_some() && page.orders.len() < query.limit {
            let limit = self.erp.settings.scan_entries;
            return Err(Error::TooBroad { limit });
        }
        let is_end = page.next.is_none() && !(page.orders.is_empty() && query.offset > 0);
        let count = match is_end {
            true => Some(query.offset.saturating_add(page.orders.len())),
            false if is_all => self.erp.count_listed_orders(query).await?,
            false => None,
        };
        Ok((page, count))
    }

    // rule: D-DOC-27
    /// Cancels a new order that the caller has placed; admins cancel any new one. An order that is canceled already stays
    /// as it is.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Conflict`] when the order is another user's or no longer new;
    /// [`Error::PreconditionFailed`].
    pub async fn cancel_order(self, number: &str) -> Result<Outcome<Order>, Error> {
        let by = (self.caller.name.as_str(), self.now);
        let ((order, unchanged), written) = retry_on_conflict!(self.erp, self.actor, {
            let found = self.visible_order(number).await?;
            let (order, revision) = (&found.value, found.revision);
            self.check_revision(revision)?;
            let is_own = order.created_by == self.caller.name;
            if !is_own && self.caller.role != Role::Admin {
                return Err(Conflict::OtherUser(order.number.clone()).into());
            }
            match order.status {
                OrderStatus::Canceled => (ChangeSet::new(), (found.value, revision)),
                OrderStatus::New => {
                    let canceled = OrderStatus::Canceled;
                    let (changes, order) = self.erp.status_changes(found, canceled, by).await?;
                    (changes, (order, revision))
                }
                status @ (OrderStatus::Open | OrderStatus::Completed) => {
                    let order = order.number.clone();
                    return Err(Conflict::NotNew { order, status }.into());
                }
            }
        });
        Ok(Outcome {
            value: order,
            revision: Some(written.map_or(unchanged, |committed| committed.revision)),
            written: written.map_or(0, |committed| committed.bytes),
            replayed: false,
            checks: Vec::new(),
        })
    }
}
