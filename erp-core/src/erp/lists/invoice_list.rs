//! The list of invoices and credit notes, newest first, for the back office.

use std::collections::BTreeSet;

use erp_derive::skip_serializing_none;
use jiff::civil::Date;
use serde::Serialize;
use smol_str::SmolStr;

use super::order_source::{ORDERS_PER_READ, number_in};
use crate::domain::document::{Invoice, InvoiceKind, InvoiceNumber, Order, OrderNumber};
use crate::domain::master::CustomerNumber;
use crate::erp::catalogue::slices::{ENTRIES_PER_READ, yield_now};
use crate::erp::engine::work::Work;
use crate::erp::engine::{Erp, Error, keys};
use crate::storage::Storage;
use crate::values::codes::Currency;
use crate::values::number::Number;
use crate::values::text::Text;

/// Which invoices and credit notes to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InvoiceQuery {
    /// Only those of this customer.
    pub customer: Option<SmolStr>,
    /// Only those of this order.
    pub order: Option<SmolStr>,
    /// Only those of this day or later (`RechDatum`).
    pub from: Option<Date>,
    /// Only those of this day or earlier.
    pub to: Option<Date>,
    /// How many to leave out at the beginning.
    pub offset: usize,
    /// Maximum number of entries.
    pub limit: usize,
}

impl InvoiceQuery {
    fn takes(&self, invoice: &Invoice) -> bool {
        self.from.is_none_or(|from| from <= invoice.date)
            && self.to.is_none_or(|to| invoice.date <= to)
            && (self.customer.as_deref()).is_none_or(|customer| invoice.customer == customer)
    }
}

/// An invoice or a credit note in the list.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ListedInvoice {
    /// Number.
    #[serde(rename = "RechNr")]
    pub number: InvoiceNumber,
    /// 380 invoice, 381 credit note.
    #[serde(rename = "RechTyp")]
    #[cfg_attr(feature = "schema", schemars(with = "String", extend("enum" = ["380", "381"])))]
    pub kind: InvoiceKind,
    /// Its day, in the company's time zone.
    #[serde(rename = "RechDatum")]
    pub date: Date,
    /// The day on which it is due.
    #[serde(rename = "FaelligAm")]
    pub due_on: Option<Date>,
    /// Order number.
    #[serde(rename = "AuftNr")]
    pub order: OrderNumber,
    /// Customer number.
    #[serde(rename = "KundNr")]
    pub customer: CustomerNumber,
    /// Who is invoiced.
    #[serde(rename = "Name")]
    pub name: Text<255>,
    /// Currency, ISO 4217.
    #[serde(rename = "WaehrAbk")]
    pub currency: Currency,
    /// Sum with tax.
    #[serde(rename = "RechBrutto")]
    pub gross: Number,
    /// Amount to pay.
    #[serde(rename = "RechZahlbar")]
    pub payable: Number,
    /// The invoice that a credit note cancels.
    #[serde(rename = "RechZuNr")]
    pub canceled: Option<InvoiceNumber>,
    /// The credit note that cancels an invoice.
    #[serde(rename = "GutschriftNr")]
    pub credit_note: Option<InvoiceNumber>,
}

impl ListedInvoice {
    fn new(invoice: Invoice, order: Option<Order>) -> Self {
        let credit_note = order.and_then(|order| order.credit_note);
        Self {
            credit_note: credit_note.filter(|_| invoice.kind == InvoiceKind::Invoice),
            number: invoice.number,
            kind: invoice.kind,
            date: invoice.date,
            due_on: invoice.due_on,
            order: invoice.order,
            customer: invoice.customer,
            name: invoice.buyer.name,
            currency: invoice.currency,
            gross: Number(invoice.gross),
            payable: Number(invoice.payable),
            canceled: invoice.canceled,
        }
    }
}

/// A page of the list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct InvoicePage {
    /// The newest first: by day, then by number.
    pub invoices: Vec<ListedInvoice>,
    /// Whether others follow.
    pub has_next: bool,
}

impl<S: Storage> Erp<S> {
    // rule: D-INV-14
    /// A page of the invoices and credit notes. Keys say which they are, so that only those of the page are read.
    ///
    /// # Errors
    /// [`Error::TooBroad`] when too many keys would have to be read.
    pub(crate) async fn list_invoices(&self, query: &InvoiceQuery) -> Result<InvoicePage, Error> {
        let most = query.limit.saturating_add(1);
        let mut numbers = match &query.order {
            Some(order) => self.invoices_of_order(query, order).await?,
            None => {
                self.invoice_numbers(query, query.offset.saturating_add(most))
                    .await?
            }
        };
        numbers.drain(..query.offset.min(numbers.len()));
        let mut page = InvoicePage {
            has_next: numbers.len() >= most,
            ..InvoicePage::default()
        };
        numbers.truncate(query.limit);
        for part in numbers.chunks(ORDERS_PER_READ) {
            let wanted = part.iter().map(|number| keys::invoice(*number));
            let found = self.load_each::<Invoice>(wanted.collect()).await?;
            let invoices: Vec<_> = found
                .into_iter()
                .flatten()
                .map(|found| found.value)
                .collect();
            let orders = invoices.iter().map(|invoice| {
                keys::order(keys::document_number(&invoice.order).unwrap_or_default())
            });
            let orders = self.load_each::<Order>(orders.collect()).await?;
            let orders = orders.into_iter().map(|found| Some(found?.value));
            let listed = invoices.into_iter().zip(orders);
            page.invoices
                .extend(listed.map(|(invoice, order)| ListedInvoice::new(invoice, order)));
            yield_now().await;
        }
        Ok(page)
    }

    async fn invoice_numbers(&self, query: &InvoiceQuery, most: usize) -> Result<Vec<u64>, Error> {
        let customer = query.customer.as_deref().unwrap_or_default();
        let listed = keys::listed_invoices(customer, query.from, query.to);
        let mut pages = self.pages(listed.limit(most.min(ENTRIES_PER_READ)));
        let mut work = Work::new(self.settings.scan_entries);
        let mut numbers = Vec::new();
        while numbers.len() < most
            && let Some(entries) = pages.next().await?
        {
            work.count(entries.len()).await?;
            numbers.extend(entries.iter().filter_map(|(key, _)| number_in(key)));
        }
        numbers.truncate(most);
        Ok(numbers)
    }

    async fn invoices_of_order(
        &self,
        query: &InvoiceQuery,
        order: &str,
    ) -> Result<Vec<u64>, Error> {
        let Some(order) = keys::document_number(order) else {
            return Ok(Vec::new());
        };
        let Some(order) = self.load::<Order>(&keys::order(order)).await? else {
            return Ok(Vec::new());
        };
        let mut found = BTreeSet::new();
        for number in [&order.credit_note, &order.invoice].into_iter().flatten() {
            let invoice = self.stored_invoice(number).await?;
            if query.takes(&invoice) {
                found.extend(keys::document_number(number).map(|number| (invoice.date, number)));
            }
        }
        Ok(found.into_iter().rev().map(|(_, number)| number).collect())
    }
}
