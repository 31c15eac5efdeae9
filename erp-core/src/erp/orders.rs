//! Orders: `POST /www/auftrag`, `GET /www/auftrag/{AuftNr}`.

use std::collections::BTreeMap;

use serde_json::Value;

use super::articles::price_chain;
use super::catalogue::MasterData;
use super::{Attempt, Context, Erp, Error, keys, until_committed};
use crate::document::{ArticleState, NewOrder, Order, OrderNumber, PricingState, decide_create, order_answer, tax_day};
use crate::master::{ArticleNumber, Customer};
use crate::problem::{Code, Path, Problems};
use crate::record::{CustomerOrderEntry, Versioned, decode, encode};
use crate::request::OrderRequest;
use crate::storage::{ChangeSet, Sequence, Storage, StorageError};
use crate::wire;

impl<S: Storage> Erp<S> {
    /// Places an order and answers its number.
    ///
    /// # Errors
    /// [`Error::Invalid`] with every problem of the body; when the store fails.
    pub async fn create_order(&self, context: &Context<'_>, body: &Value) -> Result<OrderNumber, Error> {
        let (master, _) = self.begin(&[]).await?;
        let request = OrderRequest::parse(body, self.settings.reading, &master.time_zone())?;
        let customer = self.ordering_customer(&request).await?;
        let new = self.decide_order(&master, context, &customer, &request).await?;
        let order = self.commit_order(context, &customer, new).await?;
        Ok(order.number)
    }

    /// An order as the interface shows it, with its revision.
    ///
    /// # Errors
    /// [`Error::NotFound`] when there is none of this number.
    pub async fn order(&self, number: &str) -> Result<Versioned<wire::Order>, Error> {
        let found = self.stored_order(number).await?;
        Ok(Versioned { record: order_answer(&found.record), revision: found.revision })
    }

    /// An order as stored.
    ///
    /// # Errors
    /// [`Error::NotFound`] when there is none of this number.
    pub async fn stored_order(&self, number: &str) -> Result<Versioned<Order>, Error> {
        let unknown = || Error::not_found("order", number);
        let key = keys::order(keys::document_number(number).ok_or_else(unknown)?);
        self.load(&key).await?.ok_or_else(unknown)
    }

    async fn ordering_customer(&self, request: &OrderRequest) -> Result<Customer, Error> {
        let found = self.load::<Customer>(&keys::customer(&request.customer)).await?;
        found.map(|found| found.record).ok_or_else(|| {
            let mut problems = Problems::new();
            let header = Path::ROOT.member("GrundDaten");
            let message = format!("there is no customer `{}`", request.customer);
            problems.add(&header.member("KundNr"), Code::UnknownCustomer, message);
            problems.into()
        })
    }

    async fn decide_order(
        &self,
        master: &MasterData<'_, S>,
        context: &Context<'_>,
        customer: &Customer,
        request: &OrderRequest,
    ) -> Result<NewOrder, Error> {
        let articles = article_states(master, customer, request).await?;
        let currency = request.currency.unwrap_or(master.company.currency);
        let state = PricingState {
            company: &master.company,
            taxes: &master.taxes,
            customer: Some(customer),
            articles: &articles,
            caller: context.caller,
            currency,
            day: tax_day(request, context.now, &master.time_zone()),
            delivery_costs: request.delivery_costs.unwrap_or_default(),
            cash_rounding_step: self.settings.cash_rounding.get(&currency).copied(),
        };
        Ok(decide_create(&state, customer, request, context.now)?)
    }

    async fn commit_order(&self, context: &Context<'_>, customer: &Customer, new: NewOrder) -> Result<Order, Error> {
        let (order, _) = until_committed!(self, {
            let number = self.store.next_number(Sequence::Order, self.settings.first_numbers.order).await?;
            let text = OrderNumber::new(&number.to_string())
                .map_err(|_| StorageError::Unavailable("the order numbers are used up".to_owned()))?;
            let order = new.clone().numbered(text, customer.number.clone(), context.caller.name.clone());
            Attempt::Commit(order_changes(number, &order)?, order)
        });
        Ok(order)
    }
}

/// Everything a new order writes, in one commit.
fn order_changes(number: u64, order: &Order) -> Result<ChangeSet, Error> {
    let mut changes = ChangeSet::new();
    changes.insert(keys::order(number), encode(order)?);
    let entry = CustomerOrderEntry { status: order.status, created_at: order.document.created_at };
    changes.put(keys::order_of_customer(&order.customer, number), encode(&entry)?);
    for reservation in &order.reservations {
        let millionths = reservation.millionths().ok_or_else(|| {
            let mut problems = Problems::new();
            let path = Path::ROOT.member("Positionen");
            problems.add(&path, Code::OutOfRange, "the quantity is too large to reserve");
            Error::from(problems)
        })?;
        changes.add(reservation.key(), millionths);
    }
    Ok(changes)
}

/// The articles of a request with prices and stock, unknown ones left out.
async fn article_states<S: Storage>(
    master: &MasterData<'_, S>,
    customer: &Customer,
    request: &OrderRequest,
) -> Result<BTreeMap<ArticleNumber, ArticleState>, Error> {
    let mut numbers: Vec<ArticleNumber> = request.positions.iter().map(|position| position.article.clone()).collect();
    numbers.sort();
    numbers.dedup();
    let articles = master.articles(&numbers).await?;
    let prices = master.prices(&price_chain(master, Some(customer)), &numbers).await?;
    let stock = master.stock(&numbers).await?;
    let parts = numbers.into_iter().zip(articles).zip(prices).zip(stock);
    Ok(parts
        .filter_map(|(((number, article), prices), stock)| {
            Some((number, ArticleState { article: article?, prices, stock }))
        })
        .collect())
}

/// The orders of a customer, newest first.
pub(super) fn customer_order(key: &crate::storage::Key, entry: &crate::storage::Entry) -> Result<(u64, CustomerOrderEntry), StorageError> {
    let mut parts = key.parts();
    let number = parts.text().and_then(|_| parts.number());
    let number = number.ok_or_else(|| StorageError::Damaged(format!("key {key:?} holds no order number")))?;
    Ok((number, decode(key, entry)?))
}

