//! Orders, offers and customers of all shops, including what a selection hides from shops; articles that cannot be sold.

use std::sync::Arc;

use jiff::civil::Date;

use super::{CustomerPage, CustomerQuery};
use crate::domain::document::{Offer, Order, OrderStatus};
use crate::domain::master::Customer;
use crate::erp::catalogue::Unsellable;
use crate::erp::engine::{Error, Office, keys};
use crate::erp::lists::{InvoicePage, InvoiceQuery, OrderPage, OrderQuery, Sales};
use crate::storage::Storage;
use crate::storage::record::Versioned;

impl<S: Storage> Office<'_, S> {
    /// A page of the orders of all customers, newest first. When too many orders would have to be read for a whole
    /// page, it is a short one.
    ///
    /// # Errors
    /// [`Error::TooBroad`] when too many orders would have to be read to find one; [`Error::ManyCustomers`].
    pub async fn orders(self, query: &OrderQuery) -> Result<OrderPage, Error> {
        self.erp.list_orders(query, None).await
    }

    /// How many orders each state has.
    pub async fn count_orders(self) -> Result<[(OrderStatus, i64); OrderStatus::ALL.len()], Error> {
        let mut counts = OrderStatus::ALL.map(|status| (status, 0));
        for (status, count) in &mut counts {
            *count = self.erp.count_of_status(*status).await?;
        }
        Ok(counts)
    }

    /// How many orders are to invoice, completed since the first invoice was made and without one; of more than 1,000 this
    /// number.
    pub async fn count_to_invoice(self) -> Result<usize, Error> {
        Ok(self.erp.count_to_invoice().await?)
    }

    /// A page of the invoices and credit notes, newest first.
    ///
    /// # Errors
    /// [`Error::TooBroad`] when too many of them lie before the page.
    pub async fn invoices(self, query: &InvoiceQuery) -> Result<InvoicePage, Error> {
        self.erp.list_invoices(query).await
    }

    /// Today in the company's time zone.
    pub async fn today(self) -> Result<Date, Error> {
        let company = self.erp.company().await?;
        let zone = self.erp.time_zone(&company.time_zone);
        Ok(self.now.to_zoned(zone).date())
    }

    /// What was sold from one day to another, without canceled orders, as far back as one request may read.
    ///
    /// # Errors
    /// [`Error::TooBroad`] when not even the first orders may be read.
    #[cfg(feature = "internal")]
    pub async fn sales(self, from: Date, to: Date) -> Result<Sales, Error> {
        self.erp.sales(from, to).await
    }

    /// Articles that cannot be sold now. They are counted once per change of articles, prices or settings.
    #[cfg(feature = "internal")]
    pub async fn unsellable(self) -> Result<Arc<Unsellable>, Error> {
        let (master, _) = self.erp.load_master(&[]).await?;
        Ok(master.unsellable(self.now).await?)
    }

    /// A page of the customers. When too many entries would have to be read for a whole page, it is a short one.
    ///
    /// # Errors
    /// [`Error::TooBroad`] when too many entries would have to be read to find one customer.
    pub async fn customers(self, query: &CustomerQuery) -> Result<CustomerPage, Error> {
        self.erp.list_customers(query).await
    }

    /// An order by its number.
    ///
    /// # Errors
    /// [`Error::NotFound`] when there is no order of this number.
    pub async fn order(self, number: &str) -> Result<Versioned<Order>, Error> {
        let unknown = || Error::not_found("order", number);
        let key = keys::order(keys::document_number(number).ok_or_else(unknown)?);
        self.erp.load(&key).await?.ok_or_else(unknown)
    }

    /// An offer by its number.
    ///
    /// # Errors
    /// [`Error::NotFound`] when there is no offer of this number.
    pub async fn offer(self, number: &str) -> Result<Versioned<Offer>, Error> {
        let unknown = || Error::not_found("offer", number);
        let key = keys::offer(keys::document_number(number).ok_or_else(unknown)?);
        self.erp.load(&key).await?.ok_or_else(unknown)
    }

    /// A customer by its number.
    ///
    /// # Errors
    /// [`Error::NotFound`] when there is no customer of this number.
    pub async fn customer(self, number: &str) -> Result<Versioned<Customer>, Error> {
        self.erp.stored_customer(number).await
    }
}
