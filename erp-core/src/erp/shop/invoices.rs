//! Invoices: `GET /www/rechnung/{RechNr}`.

#[cfg(feature = "invoice-pages")]
use crate::domain::document::invoice_pages;
use crate::erp::engine::invoices::{InvoiceXml, ShownInvoice};
use crate::erp::engine::{Error, Shop, keys};
use crate::storage::record::Versioned;
use crate::storage::{Storage, StorageError};
#[cfg(feature = "invoice-pages")]
use crate::values::problem::{Code, Problems};
#[cfg(feature = "invoice-pages")]
use crate::values::sentence::Sentence;

impl<S: Storage> Shop<'_, S> {
    // rule: D-INV-05
    /// An invoice or a credit note; who sees the order sees it.
    ///
    /// # Errors
    /// [`Error::NotFound`] when there is none of this number, or the caller may not see its order.
    pub async fn invoice(self, number: &str) -> Result<Versioned<ShownInvoice>, Error> {
        let found = self.erp.stored_invoice(number).await?;
        let order = match self.visible_order(&found.value.order).await {
            Err(Error::NotFound { .. }) => return Err(Error::not_found("invoice", number)),
            order => order?,
        };
        let credit_note = order.value.credit_note;
        let is_canceled = credit_note.as_ref() != Some(&found.value.number);
        Ok(Versioned {
            revision: order.revision,
            value: ShownInvoice {
                credit_note: credit_note.filter(|_| is_canceled),
                invoice: found.value,
            },
        })
    }

    /// The XML of an invoice, as it was made.
    pub async fn invoice_xml(self, number: &str) -> Result<String, Error> {
        let shown = self.invoice(number).await?;
        let key = keys::invoice_xml(
            keys::document_number(&shown.value.invoice.number).unwrap_or_default(),
        );
        let found = self.erp.load::<InvoiceXml>(&key).await?;
        let missing = || StorageError::Damaged(format!("invoice {number} has no XML"));
        Ok(found.ok_or_else(missing)?.value.xml)
    }

    /// The invoice as a PDF/A-3b: readable pages with the logo that the company has now, and its XML in it.
    ///
    /// # Errors
    /// As [`Shop::invoice`]; [`Error::Invalid`] for a text that cannot be printed, in an invoice of a program without pages.
    #[cfg(feature = "invoice-pages")]
    pub async fn invoice_pdf(self, number: &str) -> Result<Vec<u8>, Error> {
        let xml = self.invoice_xml(number).await?;
        let invoice = self.erp.stored_invoice(number).await?.value;
        let company = self.erp.company().await?;
        invoice_pages(&invoice, &xml, company.issuer.logo.as_ref()).map_err(|error| {
            let mut problems = Problems::new();
            let message = Sentence::Text(error.to_string());
            problems.add("Rechnung", Code::InvoiceRule, message);
            problems.into()
        })
    }
}
