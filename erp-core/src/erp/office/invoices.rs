//! Invoices of orders: made once, never changed, canceled by a credit note.

use std::collections::BTreeMap;

use erp_zugferd::{CheckLimits, check};

use crate::domain::document::{
    Invoice, InvoiceKind, InvoiceNumber, Invoicing, Order, OrderStatus, cii, decide_invoice,
};
#[cfg(feature = "invoice-pages")]
use crate::domain::document::{invoice_pages, page_notices};
use crate::domain::master::{Article, ArticleNumber, Company, Customer};
use crate::erp::engine::event::{Event, EventKind, Method};
use crate::erp::engine::invoices::{InvoiceNumbers, InvoiceXml};
use crate::erp::engine::{Conflict, Error, Office, keys, retry_on_conflict};
use crate::erp::keys::secondary::{invoice_keys, put_row};
use crate::storage::record::{Versioned, encode};
use crate::storage::{ChangeSet, Revision, Storage, StorageError, StoreResult};
use crate::values::problem::{Code, Problems};
use crate::values::sentence::Sentence;
use crate::values::text::Text;

/// An invoice or a credit note that there is now.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MadeInvoice {
    /// Its number.
    pub number: InvoiceNumber,
    /// What the office should know: it is of an earlier day than the one before it; why it has no Swiss QR-bill; what its
    /// pages show otherwise than its XML. The same each time it is asked for.
    pub notices: Vec<Sentence>,
    /// Whether this call made it, with an earlier day than the one before it: a clock is or was wrong.
    pub is_misdated: bool,
}

/// The next number, and the revision of the record that says so.
struct Next {
    number: InvoiceNumber,
    value: u64,
    revision: Option<Revision>,
    /// The invoice that has the number before.
    last: Option<Invoice>,
}

impl Next {
    // rule: D-INV-03
    /// What is odd about the day of the invoice with this number.
    fn notice(&self, invoice: &Invoice) -> Option<Sentence> {
        let last = self.last.as_ref();
        let last = last.filter(|last| last.date > invoice.date)?;
        let (day, number, later) = (invoice.date, &last.number, last.date);
        Some(sentence!("notice.clock", day, number, later))
    }
}

impl MadeInvoice {
    fn of(invoice: Invoice, is_misdated: bool) -> Self {
        let notices = invoice.notices.into_iter();
        Self {
            number: invoice.number,
            notices: notices
                .map(|texts| Sentence::Each(Box::new(texts)))
                .collect(),
            is_misdated,
        }
    }
}

impl<S: Storage> Office<'_, S> {
    /// Makes the invoice of an order, once: asked again, it returns the number of the one that there is.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Conflict`] when the order is canceled; [`Error::Invalid`] with all that is missing for
    /// an invoice, and with what EN 16931 cannot express; [`Error::PreconditionFailed`].
    pub async fn make_invoice(self, order: &str) -> Result<MadeInvoice, Error> {
        let (made, _) = retry_on_conflict!(self.erp, self.actor, {
            let found = self.order(order).await?;
            self.check_revision(found.revision)?;
            match (&found.value.invoice, found.value.status) {
                (Some(number), _) => (ChangeSet::new(), self.made_before(number).await?),
                (None, OrderStatus::Canceled) => {
                    return Err(Conflict::CanceledOrder(found.value.number).into());
                }
                (None, _) => {
                    let next = self.next_invoice().await?;
                    let (invoice, company) = self.new_invoice(&found, next.number.clone()).await?;
                    let changed = Order {
                        invoice: Some(invoice.number.clone()),
                        ..found.value.clone()
                    };
                    let order = (changed, found.revision);
                    self.invoice_changes(&next, invoice, order, &company)?
                }
            }
        });
        Ok(made)
    }

    async fn made_before(self, number: &InvoiceNumber) -> Result<MadeInvoice, Error> {
        let stored = self.erp.stored_invoice(number).await?;
        Ok(MadeInvoice::of(stored.value, false))
    }

    // rule: D-INV-04
    /// Makes the credit note that cancels an invoice, once: asked again, it returns the number of the one that there is.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Conflict`] when the number is that of a credit note.
    pub async fn make_credit_note(self, invoice: &str) -> Result<MadeInvoice, Error> {
        let (made, _) = retry_on_conflict!(self.erp, self.actor, {
            let canceled = self.erp.stored_invoice(invoice).await?.value;
            if canceled.kind == InvoiceKind::CreditNote {
                return Err(Conflict::CreditNote(canceled.number).into());
            }
            let found = self.order(&canceled.order).await?;
            match &found.value.credit_note {
                Some(number) => (ChangeSet::new(), self.made_before(number).await?),
                None => {
                    let next = self.next_invoice().await?;
                    let company = self.erp.company().await?;
                    let zone = self.erp.time_zone(&company.time_zone);
                    let today = zone.to_datetime(self.now).date();
                    let note = canceled.credit_note(next.number.clone(), today);
                    let changed = Order {
                        credit_note: Some(note.number.clone()),
                        ..found.value.clone()
                    };
                    let order = (changed, found.revision);
                    self.invoice_changes(&next, note, order, &company)?
                }
            }
        });
        Ok(made)
    }

    async fn next_invoice(self) -> Result<Next, Error> {
        let found = self
            .erp
            .load::<InvoiceNumbers>(&keys::invoice_numbers())
            .await?;
        let last = found.as_ref().map_or(0, |found| found.value.last);
        let company = self.erp.company().await?;
        let first = company.first_invoice.unwrap_or_default().unsigned_abs();
        let value = last
            .saturating_add(1)
            .max(self.erp.settings.first_numbers.invoice)
            .max(first.into());
        let number = InvoiceNumber::new(&value.to_string()).map_err(|_| {
            StorageError::Unavailable("the numbers of invoices are used up".to_owned())
        })?;
        let before = self.erp.load::<Invoice>(&keys::invoice(last)).await?;
        Ok(Next {
            number,
            value,
            last: before.map(|before| before.value),
            revision: found.map(|found| found.revision),
        })
    }

    /// The invoice of an order with this number, and the company that makes it.
    async fn new_invoice(
        self,
        order: &Versioned<Order>,
        number: InvoiceNumber,
    ) -> Result<(Invoice, Company), Error> {
        let customer = keys::customer(&order.value.customer);
        let loaded = self.erp.loaded(std::slice::from_ref(&customer)).await?;
        let found: Option<Versioned<Customer>> = loaded.customer(&customer)?;
        let units = self.units(&order.value).await?;
        let company = loaded.master.company.clone();
        let invoice = decide_invoice(
            &Invoicing {
                order: &order.value,
                company: &company,
                customer: found.as_ref().map(|found| &found.value),
                taxes: &loaded.master.taxes,
                units: &units,
                zone: &loaded.master.time_zone(),
                now: self.now,
            },
            number,
        )?;
        Ok((invoice, Company::clone(&company)))
    }

    async fn units(self, order: &Order) -> StoreResult<BTreeMap<ArticleNumber, Text<12>>> {
        let positions = order.document.positions.iter();
        let keys = positions.map(|position| keys::article(&position.article));
        let articles = self.erp.load_each::<Article>(keys.collect()).await?;
        let articles = articles.into_iter().flatten().map(|found| found.value);
        let units = articles.filter_map(|article| Some((article.number, article.unit?)));
        Ok(units.collect())
    }

    /// What an invoice or a credit note writes, as one commit: itself, its XML, its number, the order that names it, the event.
    fn invoice_changes(
        self,
        next: &Next,
        mut invoice: Invoice,
        (order, revision): (Order, Revision),
        company: &Company,
    ) -> Result<(ChangeSet, MadeInvoice), Error> {
        let (xml, notices) = checked(&invoice)?;
        let misdated = next.notice(&invoice);
        let is_misdated = misdated.is_some();
        let notices = misdated.into_iter().chain(notices);
        invoice
            .notices
            .extend(notices.map(|notice| notice.in_each()));
        let mut changes = ChangeSet::new();
        changes.guard(keys::invoice_numbers(), next.revision);
        let numbers = InvoiceNumbers { last: next.value };
        changes.put(keys::invoice_numbers(), encode(&numbers)?);
        changes.insert(keys::invoice(next.value), encode(&invoice)?);
        changes.put(keys::invoice_xml(next.value), encode(&InvoiceXml { xml })?);
        for key in invoice_keys(next.value, &invoice) {
            changes.mark(key);
        }
        let key = keys::document_number(&order.number).unwrap_or_default();
        changes.guard(keys::order(key), Some(revision));
        changes.put(keys::order(key), encode(&order)?);
        put_row(&mut changes, key, &order)?;
        if order.status == OrderStatus::Completed {
            changes.delete(keys::order_to_invoice(key));
        }
        let event = Event {
            kind: EventKind::Invoice,
            at: self.now,
            number: invoice.number.to_string(),
            articles: Vec::new(),
            method: Method::Post,
            user: self.user().to_owned(),
            status: None,
        };
        event.add_to(&mut changes, company);
        Ok((changes, MadeInvoice::of(invoice, is_misdated)))
    }
}

/// The XML of an invoice that keeps every rule, warnings too, and whose pages can be drawn; and what these show otherwise. The
/// findings say what in the data breaks a rule.
fn checked(invoice: &Invoice) -> Result<(String, Vec<Sentence>), Problems> {
    let xml = cii(invoice);
    let report = check(xml.as_bytes(), &CheckLimits::DEFAULT);
    let mut problems = Problems::new();
    let path = "Rechnung";
    for finding in &report.findings {
        let what = Sentence::Pair(finding.en.clone(), finding.de.clone());
        let message = sentence!("invoice_rule", rule = finding.rule, what);
        problems.add(path, Code::InvoiceRule, message);
    }
    #[cfg(not(feature = "invoice-pages"))]
    let notices = Vec::new();
    #[cfg(feature = "invoice-pages")]
    let notices = {
        let drawn = invoice_pages(invoice, &xml, None).and_then(|_| page_notices(invoice));
        drawn.unwrap_or_else(|error| {
            problems.add(path, Code::InvoiceRule, Sentence::Text(error.to_string()));
            Vec::new()
        })
    };
    problems.or_else_value(report.valid.then_some((xml, notices)))
}
