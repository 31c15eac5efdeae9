//! The readable pages of an invoice, as `erp-invoice-pages` draws them.

use erp_invoice_pages::parts::{
    Account, Adjustment, Contact, Delivery, Line, Party as Address, Payment, References, Seller,
    SwissBill, Tax, TaxCategory as Category, Totals,
};
use erp_invoice_pages::{DocumentKind, Error, Invoice as Pages, Language as Written, pages};
use rust_decimal::Decimal;

use super::cii::words;
use super::{Invoice, InvoiceKind, InvoiceLine, InvoiceTax, Party};
use crate::domain::master::{Logo, TaxCategory};
use crate::values::codes::{Currency, Language};
use crate::values::text::Text;

// rule: D-INV-08
/// An invoice as PDF/A-3b with its XML in it, on paper with this logo. Where the standard of the Swiss QR-bill allows it, the
/// pages end with the payment part. A logo that cannot be shown, which a program without pages may have stored, is left out.
///
/// # Errors
/// A text with a character that is neither Latin, Greek nor Cyrillic, or that is too long for the page.
pub fn invoice_pages(invoice: &Invoice, xml: &str, logo: Option<&Logo>) -> Result<Vec<u8>, Error> {
    let mut shown = shown(invoice);
    shown.logo = logo.map(Logo::file);
    loop {
        match pages(&shown, xml.as_bytes()) {
            Err(Error::Swiss { .. }) if shown.payment.swiss.is_some() => shown.payment.swiss = None,
            Err(Error::Logo(_)) if shown.logo.is_some() => shown.logo = None,
            drawn => return drawn,
        }
    }
}

fn shown(invoice: &Invoice) -> Pages {
    let seller = &invoice.seller;
    Pages {
        kind: match invoice.kind {
            InvoiceKind::Invoice => DocumentKind::Invoice,
            InvoiceKind::CreditNote => DocumentKind::CreditNote,
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
            to: invoice
                .delivery
                .as_ref()
                .map(address)
                .filter(|to| *to != address(&invoice.buyer)),
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
        payment: match invoice.kind {
            InvoiceKind::Invoice => payment(invoice),
            // Nobody pays a credit note to the seller.
            InvoiceKind::CreditNote => Payment::default(),
        },
        ..Pages::default()
    }
}

fn payment(invoice: &Invoice) -> Payment {
    Payment {
        due: invoice.due_on,
        terms: text(&invoice.payment_terms).into_iter().collect(),
        account: text(&invoice.iban).map(|iban| Account {
            iban,
            bic: text(&invoice.bic),
            bank: None,
        }),
        reference: Some(invoice.number.to_string()),
        swiss: has_swiss_bill(invoice).then(SwissBill::default),
        ..Payment::default()
    }
}

/// Whether the payment part of the Swiss QR-bill belongs to an invoice.
fn has_swiss_bill(invoice: &Invoice) -> bool {
    let iban = invoice.iban.as_deref().unwrap_or_default();
    matches!(invoice.currency, Currency::CHF | Currency::EUR)
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
    let (name, more) = line.name_and_more();
    Line {
        position: line.number.to_string(),
        number: Some(line.article.to_string()),
        name: name.to_owned(),
        text: Some(more.to_owned()).filter(|more| !more.is_empty()),
        quantity: line.quantity,
        unit: text(&line.unit).unwrap_or_default(),
        price: line.price,
        price_quantity: (line.price_basis != Decimal::ONE).then_some(line.price_basis),
        discount: (!line.discount_rate.is_zero()).then_some(line.discount_rate),
        tax_rate: Some(line.tax_rate),
        sum: line.net,
    }
}

fn delivery_costs(invoice: &Invoice) -> Option<Adjustment> {
    (!invoice.delivery_net.is_zero()).then(|| Adjustment {
        text: words(invoice.language).delivery.to_owned(),
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn invoice() -> Invoice {
        let party = json!({"name": "Käufer AG", "street": "Weg 1", "postal_code": "8001", "town": "Zürich", "country": "CH"});
        let line = json!({"number": 1, "article": "A-1", "description": "Käse\nam Stück", "quantity": "3", "unit_code": "C62",
            "price": "2", "price_basis": "1", "before_discount": "6", "discount_rate": "0", "discount": "0", "net": "6",
            "order_price": "2", "order_price_basis": "1", "order_total": "6", "category": "S", "tax_rate": "8.1"});
        serde_json::from_value(json!({"number": "17", "kind": "380", "date": "2026-06-01", "order": "100001", "customer": "10007",
            "delivered_on": "2026-06-01", "language": "fre", "currency": "CHF", "price_kind": "N", "seller": party, "buyer": party,
            "delivery": party, "iban": "CH9300762011623852957", "lines": [line], "taxes": [], "lines_net": "6",
            "delivery_net": "4", "net": "10", "tax": "0.81", "gross": "10.81", "rounding": "0", "payable": "10.81"}))
        .unwrap()
    }

    #[test]
    fn a_place_of_delivery_is_named_when_it_is_not_the_buyers() {
        let mut of = invoice();
        assert_eq!(shown(&of).delivery.to, None);
        of.delivery.as_mut().unwrap().town = Text::new("Basel").unwrap();
        assert_eq!(shown(&of).delivery.to.unwrap().town, "Basel");
    }

    #[test]
    fn words_are_those_of_the_xml_and_no_codes() {
        let of = invoice();
        let pages = shown(&of);
        assert_eq!(pages.adjustments[0].text, words(of.language).delivery);
        let line = &pages.lines[0];
        assert_eq!(
            (line.name.as_str(), line.text.as_deref()),
            ("Käse", Some("am Stück"))
        );
        assert_eq!(line.unit, "");
    }

    // rule: D-INV-08
    #[test]
    fn the_swiss_bill_needs_an_account_and_something_to_pay() {
        let has = |change: fn(&mut Invoice)| {
            let mut of = invoice();
            change(&mut of);
            shown(&of).payment.swiss.is_some()
        };
        assert!(has(|_| ()));
        assert!(has(|of| of.currency = Currency::EUR));
        assert!(!has(|of| of.currency = "USD".parse().unwrap()));
        assert!(!has(|of| of.iban = Text::new("DE89370400440532013000").ok()));
        assert!(!has(|of| of.iban = None));
        assert!(!has(|of| of.payable = Decimal::ZERO));
        assert!(!has(|of| of.kind = InvoiceKind::CreditNote));
    }

    // rule: D-INV-08
    #[test]
    fn a_credit_note_asks_for_no_payment() {
        let mut of = invoice();
        of.due_on = Some(of.date);
        of.payment_terms = Text::new("30 jours net").ok();
        let asked = shown(&of).payment;
        assert!(asked.due.is_some() && asked.account.is_some());
        assert_eq!(
            (asked.terms.len(), asked.reference.as_deref()),
            (1, Some("17"))
        );
        of.kind = InvoiceKind::CreditNote;
        assert_eq!(shown(&of).payment, Payment::default());
    }

    #[test]
    fn a_bill_that_the_standard_forbids_is_left_out() {
        let mut of = invoice();
        // An account for bills with a reference of another kind.
        of.iban = Text::new("CH4431999123000889012").ok();
        let xml = super::super::cii(&of);
        let pdf = invoice_pages(&of, &xml, None).unwrap();
        assert!(pdf.starts_with(b"%PDF-"));
        of.buyer.name = Text::new("Käufer \u{1FA91}").unwrap();
        let refused = invoice_pages(&of, &xml, None).unwrap_err();
        assert!(matches!(refused, Error::Character { .. }), "{refused}");
    }
}
