//! Orders: `POST /www/auftrag`, `GET /www/auftrag/{AuftNr}`.

use crate::domain::document::{NewOrder, Order, OrderNumber, decide_create, order_answer};
use crate::domain::master::Customer;
use crate::domain::request::{AsRequest, DocumentRequest, Request};
use crate::erp::engine::event::{EventKind, Method, event};
use crate::erp::engine::operation::{Decision, Loaded, number_in, operate};
use crate::erp::engine::secondary::index_order;
use crate::erp::engine::{Context, Erp, Error, Outcome, keys};
use crate::storage::record::{Versioned, encode};
use crate::storage::{ChangeSet, Sequence, Storage};
use crate::values::problem::{Code, Path, Problems};
use crate::wire;

impl<S: Storage> Erp<S> {
    /// Places an order and returns its number.
    ///
    /// # Errors
    /// [`Error::Invalid`] with every problem of the body; when the store fails.
    pub async fn create_order(
        &self,
        context: &Context<'_>,
        request: &impl AsRequest<DocumentRequest>,
    ) -> Result<Outcome<OrderNumber>, Error> {
        let request = &request.as_request();
        let wanted = request.customer().map(|number| keys::customer(&number));
        let placed: Outcome<wire::OrderNumberAnswer> =
            operate!(self, context, wanted.as_slice(), |loaded| self
                .decide_new_order(loaded, context, request))?;
        placed.try_map(|answer| number_in(answer.order_number))
    }

    /// Decides what a new order writes.
    async fn decide_new_order(
        &self,
        loaded: Loaded<'_, S>,
        context: &Context<'_>,
        request: &Request<'_, DocumentRequest>,
    ) -> Result<Decision<wire::OrderNumberAnswer>, Error> {
        let master = &loaded.master;
        let request = request.order(self.settings.reading, &master.time_zone());
        let new = self
            .new_document(&loaded, context, request, decide_create)
            .await?;
        let customer = new
            .customer
            .ok_or_else(|| Error::not_found("customer", ""))?;
        let (number, order) = self
            .numbered(&loaded, context, &customer, new.document)
            .await?;
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
            checks: new.checks,
            unchanged: None,
        })
    }

    /// Assigns the next number to a decided order.
    pub(super) async fn numbered(
        &self,
        loaded: &Loaded<'_, S>,
        context: &Context<'_>,
        customer: &Customer,
        new: NewOrder,
    ) -> Result<(u64, Order), Error> {
        let number = self.draw_one(loaded, Sequence::Order).await?;
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
}

// rule: R-END-02
/// Everything that a new order writes, as one commit.
pub(super) fn order_changes(number: u64, order: &Order) -> Result<ChangeSet, Error> {
    let mut changes = ChangeSet::new();
    changes.insert(keys::order(number), encode(order)?);
    index_order(&mut changes, number, order)?;
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
