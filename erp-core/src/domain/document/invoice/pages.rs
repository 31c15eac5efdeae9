//! The readable pages of an invoice, as `erp-invoice-pages` draws them.

use erp_invoice_pages::parts::{
    Account, Adjustment, Change, Contact, Delivery, Line, Party as Address, Payment, References,
    Seller, SwissBill, Tax, TaxCategory as Category, Totals,
};
use erp_invoice_pages::{
    DocumentKind, Error, Invoice as Pages, Language as Written, changes, pages,
};
use rust_decimal::Decimal;

use super::cii::words;
use super::{Invoice, InvoiceKind, InvoiceLine, InvoiceTax, Party};
use crate::domain::master::{Logo, TaxCategory};
use crate::domain::totals::PriceKind;
use crate::values::codes::Language;
use crate::values::sentence::{Locale, Sentence};
use crate::values::text::Text;

/// An invoice as PDF/A-3b with its XML in it, on paper with this logo. A logo that cannot be shown, which a program without
/// pages may have stored, is left out.
///
/// # Errors
/// A text that is too long for the page.
pub fn invoice_pages(invoice: &Invoice, xml: &str, logo: Option<&Logo>) -> Result<Vec<u8>, Error> {
    let mut shown = shown(invoice);
    shown.logo = logo.map(Logo::file);
    match pages(&shown, xml.as_bytes()) {
        Err(Error::Logo(_)) if shown.logo.is_some() => {
            shown.logo = None;
            pages(&shown, xml.as_bytes())
        }
        drawn => drawn,
    }
}

/// Characters that a notice names.
const MOST_CHARACTERS: usize = 20;

// rule: D-INV-13
/// What the pages of an invoice show otherwise than its XML.
pub(crate) fn page_notices(invoice: &Invoice) -> Result<Vec<Sentence>, Error> {
    let (mut characters, mut notices) = (Vec::new(), Vec::new());
    for change in changes(&shown(invoice))? {
        match change {
            Change::Character { character, printed } => {
                characters.push(sentence!("notice.printed.as", character, printed));
            }
            Change::Bill { field, printed } => {
                let place = place(field);
                notices.push(sentence!("notice.qr_bill.text", text = printed, place));
            }
            Change::NoPayer { field } => {
                let place = place(field);
                notices.push(sentence!("notice.qr_bill.no_payer", place));
            }
            _ => {}
        }
    }
    if !characters.is_empty() {
        let more = characters.len().saturating_sub(MOST_CHARACTERS);
        characters.truncate(MOST_CHARACTERS);
        let list = |locale| {
            let mut list: Vec<String> = characters.iter().map(|one| one.text(locale)).collect();
            list.extend((more > 0).then(|| format!("… (+{more})")));
            list.join(", ")
        };
        let characters = Sentence::Each(Box::new(Locale::ALL.map(list)));
        notices.push(sentence!("notice.printed", characters));
    }
    Ok(notices)
}

/// The path of a member of the pages in the invoice.
fn place(field: &str) -> String {
    let (party, member) = field.rsplit_once('.').unwrap_or(("", field));
    let party = if party == "buyer" {
        "Kaeufer"
    } else {
        "Verkaeufer"
    };
    let member = match member {
        "street" => "AdrAdresse1",
        "postcode" => "OrtPLZ",
        "town" => "OrtName",
        "country" => "OrtLand",
        _ => "Name",
    };
    format!("{party}.{member}")
}

fn shown(invoice: &Invoice) -> Pages {
    let seller = &invoice.seller;
    let (lines_sum, delivery) = match invoice.price_kind {
        PriceKind::Net => (invoice.lines_net, invoice.delivery_net),
        PriceKind::Gross => {
            let sum: Decimal = invoice.lines.iter().map(|line| line.order_total).sum();
            (sum, invoice.gross.saturating_sub(sum))
        }
    };
    Pages {
        kind: match invoice.kind {
            InvoiceKind::Invoice => DocumentKind::Invoice,
            InvoiceKind::CreditNote => DocumentKind::CreditNote,
        },
        language: written(invoice.language),
        number: invoice.number.to_string(),
        date: invoice.date,
        currency: invoice.currency.as_str().to_owned(),
        gross_prices: invoice.price_kind == PriceKind::Gross,
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
        lines: invoice
            .lines
            .iter()
            .map(|one| line(one, invoice.price_kind))
            .collect(),
        adjustments: delivery_costs(invoice, delivery).into_iter().collect(),
        taxes: invoice.taxes.iter().map(tax).collect(),
        totals: Totals {
            lines: lines_sum,
            net: invoice.net,
            tax: invoice.tax,
            gross: invoice.gross,
            prepaid: (!invoice.paid.is_zero()).then_some(invoice.paid),
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
    let reference = Some(invoice.reference.to_string());
    let word = match invoice.language {
        Language::GERMAN => "Rechnung",
        Language::FRENCH => "Facture",
        Language::ITALIAN => "Fattura",
        _ => "Invoice",
    };
    let message = format!("{word} {}", invoice.number);
    Payment {
        due: invoice.due_on,
        terms: text(&invoice.payment_terms).into_iter().collect(),
        account: text(&invoice.iban).map(|iban| Account {
            iban,
            bic: text(&invoice.bic),
            bank: None,
        }),
        reference: reference.clone().filter(|_| invoice.paid.is_zero()),
        swiss: invoice.has_qr_bill.then_some(SwissBill {
            reference,
            message: Some(message),
            bill_information: None,
        }),
        ..Payment::default()
    }
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

fn line(line: &InvoiceLine, kind: PriceKind) -> Line {
    let (name, more) = line.name_and_more();
    let (price, basis, sum) = match kind {
        PriceKind::Net => (line.price, line.price_basis, line.net),
        PriceKind::Gross => (line.order_price, line.order_price_basis, line.order_total),
    };
    Line {
        position: line.number.to_string(),
        number: Some(line.article.to_string()),
        name: name.to_owned(),
        text: Some(more.to_owned()).filter(|more| !more.is_empty()),
        quantity: line.quantity,
        unit: text(&line.unit).unwrap_or_default(),
        price,
        price_quantity: (basis != Decimal::ONE).then_some(basis),
        discount: (!line.discount_rate.is_zero()).then_some(line.discount_rate),
        tax_rate: Some(line.tax_rate),
        sum,
    }
}

fn delivery_costs(invoice: &Invoice, amount: Decimal) -> Option<Adjustment> {
    let [_, word] = words(invoice.language);
    (!amount.is_zero()).then(|| Adjustment {
        text: word.to_owned(),
        percent: None,
        amount,
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
            "delivery_net": "4", "net": "10", "tax": "0.81", "gross": "10.81", "rounding": "0", "paid": "0", "payable": "10.81",
            "means": "30", "reference": "RF3017", "has_qr_bill": true}))
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
        assert_eq!(pages.adjustments[0].text, words(of.language)[1]);
        let line = &pages.lines[0];
        assert_eq!(
            (line.name.as_str(), line.text.as_deref()),
            ("Käse", Some("am Stück"))
        );
        assert_eq!(line.unit, "");
    }

    #[test]
    fn gross_prices_are_shown_as_the_order_shows_them() {
        let mut of = invoice();
        (of.gross, of.lines_net) = (Decimal::new(1081, 2), Decimal::new(6, 0));
        (of.lines[0].order_price, of.lines[0].order_total) =
            (Decimal::new(216, 2), Decimal::new(649, 2));
        assert_eq!(shown(&of).totals.lines, of.lines_net);
        of.price_kind = PriceKind::Gross;
        let pages = shown(&of);
        assert!(pages.gross_prices);
        assert_eq!(
            (pages.lines[0].price, pages.lines[0].sum),
            (Decimal::new(216, 2), Decimal::new(649, 2))
        );
        assert_eq!(pages.totals.lines, Decimal::new(649, 2));
        assert_eq!(pages.adjustments[0].amount, Decimal::new(432, 2));
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
            (1, Some("RF3017"))
        );
        let bill = asked.swiss.unwrap();
        assert_eq!(bill.reference.as_deref(), Some("RF3017"));
        assert_eq!(bill.message.as_deref(), Some("Facture 17"));
        of.kind = InvoiceKind::CreditNote;
        assert_eq!(shown(&of).payment, Payment::default());
    }

    // rule: D-INV-13
    #[test]
    fn what_the_pages_show_otherwise_is_told_in_each_language() {
        let mut of = invoice();
        assert_eq!(page_notices(&of).unwrap(), []);
        of.seller.name = Text::new(&"Käsehandlung ".repeat(7)).unwrap();
        of.buyer.name = Text::new("Ελλάς \u{1FA91}").unwrap();
        let other: String = ('\u{4e00}'..='\u{4e1f}').collect();
        of.lines[0].description = Text::new(&other).ok();
        let notices = page_notices(&of).unwrap();
        let said: Vec<String> = notices
            .iter()
            .map(|notice| notice.text(Locale::German))
            .collect();
        let cut = "Käsehandlung ".repeat(7);
        let cut: String = cut.chars().take(70).collect();
        assert_eq!(
            said[0],
            format!("die QR-Rechnung nennt `{cut}` als Verkaeufer.Name")
        );
        assert!(
            said[1].ends_with("sie kann Kaeufer.Name nicht nennen"),
            "{said:?}"
        );
        assert!(said[2].contains("一 wird □, 丁 wird □"), "{said:?}");
        assert!(said[2].ends_with(", … (+13)"), "{said:?}");
        assert!(notices[2].english().contains("一 is □"));
        assert!(
            invoice_pages(&of, &super::super::cii(&of), None)
                .unwrap()
                .starts_with(b"%PDF-")
        );
    }
}
