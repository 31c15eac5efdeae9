//! The readable pages of an invoice, as `erp-invoice-pages` draws them.

use erp_invoice_pages::parts::{
    Account, Adjustment, Contact, Delivery, Line, Party as Address, Payment, References, Seller,
    SwissBill, Tax, TaxCategory as Category, Totals,
};
use erp_invoice_pages::{Error, Invoice as Pages, Kind, Language as Written, pages};
use rust_decimal::Decimal;

use super::{Invoice, InvoiceKind, InvoiceLine, InvoiceTax, Party};
use crate::domain::master::TaxCategory;
use crate::values::codes::{Currency, Language};
use crate::values::text::Text;

// rule: D-INV-08
/// An invoice as PDF/A-3b with its XML in it. Where the standard of the Swiss QR-bill allows it, the pages end with the
/// payment part.
///
/// # Errors
/// A text with a character that is neither Latin, Greek nor Cyrillic, or that is too long for the page.
pub fn invoice_pages(invoice: &Invoice, xml: &str) -> Result<Vec<u8>, Error> {
    let mut shown = shown(invoice);
    match pages(&shown, xml.as_bytes()) {
        Err(Error::Swiss { .. }) => {
            shown.payment.swiss = None;
            pages(&shown, xml.as_bytes())
        }
        drawn => drawn,
    }
}

fn shown(invoice: &Invoice) -> Pages {
    let seller = &invoice.seller;
    let is_invoice = invoice.kind == InvoiceKind::Invoice;
    Pages {
        kind: match invoice.kind {
            InvoiceKind::Invoice => Kind::Invoice,
            InvoiceKind::CreditNote => Kind::CreditNote,
        },
        language: written(invoice.language),
        number: invoice.number.to_string(),
        date: invoice.date,
        currency: invoice.currency.as_str().to_owned(),
        seller: Seller {
            party: address(seller),
            vat_id: text(&seller.vat_id),
            tax_number: text(&seller.tax_number),
            register: text(&seller.register_entry),
            phone: text(&seller.phone),
            email: text(&seller.email),
            ..Seller::default()
        },
        buyer: address(&invoice.buyer),
        buyer_vat_id: text(&invoice.buyer.vat_id),
        references: References {
            customer_number: Some(invoice.customer.to_string()),
            order_number: Some(invoice.order.to_string()),
            buyer_order: text(&invoice.purchase_order),
            buyer_reference: text(&invoice.leitweg_id),
            earlier_invoice: text(&invoice.canceled),
            earlier_date: invoice.canceled_date,
            ..References::default()
        },
        contact: Contact {
            name: text(&seller.contact_name),
            phone: text(&seller.phone),
            email: text(&seller.email),
        },
        delivery: Delivery {
            from: Some(invoice.delivered_on),
            to: invoice.delivery.as_ref().map(address),
            ..Delivery::default()
        },
        lines: invoice.lines.iter().map(line).collect(),
        adjustments: delivery_costs(invoice).into_iter().collect(),
        taxes: invoice.taxes.iter().map(tax).collect(),
        totals: Totals {
            lines: invoice.lines_net,
            net: invoice.net,
            tax: invoice.tax,
            gross: invoice.gross,
            prepaid: None,
            rounding: (!invoice.rounding.is_zero()).then_some(invoice.rounding),
            payable: invoice.payable,
        },
        payment: Payment {
            due: invoice.due_on.filter(|_| is_invoice),
            terms: text(&invoice.payment_terms).into_iter().collect(),
            account: text(&invoice.iban).map(|iban| Account {
                iban,
                bic: text(&invoice.bic),
                bank: None,
            }),
            reference: Some(invoice.number.to_string()),
            swiss: has_swiss_bill(invoice).then(SwissBill::default),
            ..Payment::default()
        },
        ..Pages::default()
    }
}

/// Whether the payment part of the Swiss QR-bill belongs to an invoice.
fn has_swiss_bill(invoice: &Invoice) -> bool {
    let iban = invoice.iban.as_deref().unwrap_or_default();
    invoice.kind == InvoiceKind::Invoice
        && matches!(invoice.currency, Currency::CHF | Currency::EUR)
        && (iban.starts_with("CH") || iban.starts_with("LI"))
        && invoice.payable > Decimal::ZERO
}

fn text<const N: usize>(text: &Option<Text<N>>) -> Option<String> {
    let text = text.as_deref().map(str::trim);
    text.filter(|text| !text.is_empty()).map(str::to_owned)
}

fn address(party: &Party) -> Address {
    let additions = [text(&party.name_addition), text(&party.street_addition)];
    Address {
        name: party.name.to_string(),
        additions: additions.into_iter().flatten().collect(),
        street: Some(party.street.to_string()),
        house_number: None,
        postcode: Some(party.postal_code.to_string()),
        town: party.town.to_string(),
        country: party
            .country
            .map(|country| country.as_str().to_owned())
            .unwrap_or_default(),
        country_name: None,
    }
}

fn line(line: &InvoiceLine) -> Line {
    let description = text(&line.description).unwrap_or_else(|| line.article.to_string());
    let (name, more) = match description.split_once('\n') {
        Some((name, more)) => (name.trim().to_owned(), Some(more.trim().to_owned())),
        None => (description, None),
    };
    let unit = text(&line.unit).unwrap_or_else(|| line.unit_code.to_string());
    Line {
        position: line.number.to_string(),
        number: Some(line.article.to_string()),
        name,
        text: more.filter(|more| !more.is_empty()),
        quantity: line.quantity,
        unit,
        price: line.price,
        price_quantity: (line.price_basis != Decimal::ONE).then_some(line.price_basis),
        discount: (!line.discount_rate.is_zero()).then_some(line.discount_rate),
        tax_rate: Some(line.tax_rate),
        sum: line.net,
    }
}

fn delivery_costs(invoice: &Invoice) -> Option<Adjustment> {
    let words = match written(invoice.language) {
        Written::German => "Lieferkosten",
        Written::English => "Delivery",
        Written::French => "Frais de livraison",
        Written::Italian => "Spese di consegna",
    };
    (!invoice.delivery_net.is_zero()).then(|| Adjustment {
        text: words.to_owned(),
        percent: None,
        amount: invoice.delivery_net,
    })
}

fn tax(tax: &InvoiceTax) -> Tax {
    Tax {
        category: match tax.category {
            TaxCategory::Standard => Category::Taxed,
            TaxCategory::ZeroRated => Category::Zero,
            TaxCategory::Exempt => Category::Exempt,
            TaxCategory::ReverseCharge => Category::ReverseCharge,
            TaxCategory::IntraCommunity => Category::IntraCommunity,
            TaxCategory::Export => Category::Export,
            TaxCategory::NotSubject => Category::OutOfScope,
        },
        rate: Some(tax.rate),
        base: tax.net,
        amount: tax.tax,
        reason: text(&tax.exemption_reason),
    }
}

/// The language of the pages; English for one that they do not have.
fn written(language: Language) -> Written {
    match language {
        Language::GERMAN => Written::German,
        Language::FRENCH => Written::French,
        Language::ITALIAN => Written::Italian,
        _ => Written::English,
    }
}
