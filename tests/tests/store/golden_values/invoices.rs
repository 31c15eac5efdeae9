//! Invoices.

use erp_core::codes::{Country, Currency, Language};
use erp_core::document::{Invoice, InvoiceKind, InvoiceLine, InvoiceTax, Party};
use erp_core::master::TaxCategory;
use erp_core::totals::PriceKind;

use super::{of, some, some_of, text};

fn party() -> Party {
    Party {
        name: text("Muster & Söhne AG"),
        name_addition: some("Filiale"),
        street: text("Städtle 1"),
        street_addition: some("3. Stock"),
        postal_code: text("9490"),
        town: text("Vaduz"),
        country: Some(Country::LI),
        vat_id: some("CHE-123.456.788 MWST"),
        tax_number: some("12/345"),
        register_entry: some("FL-0002.123.456-7"),
        contact_name: some("Frau Größ"),
        phone: some("+423 000 00 01"),
        email: some("rechnung@example.li"),
    }
}

pub fn invoice() -> Invoice {
    Invoice {
        number: text("17"),
        kind: InvoiceKind::CreditNote,
        date: of("2026-06-02"),
        canceled: some("16"),
        canceled_date: some_of("2026-06-01"),
        order: text("1000001"),
        customer: text("10007"),
        purchase_order: some("B-17"),
        leitweg_id: some("04011000-1234512345-06"),
        delivered_on: of("2026-05-31"),
        due_on: some_of("2026-07-02"),
        payment_terms: some("30 Tage netto"),
        language: Language::FRENCH,
        currency: Currency::EUR,
        price_kind: PriceKind::Gross,
        seller: party(),
        buyer: party(),
        delivery: Some(party()),
        means: some("58"),
        reference: text("RF3917"),
        has_qr_bill: true,
        iban: some("LI21088100002324013AA"),
        bic: some("LILALI2XXXX"),
        lines: vec![InvoiceLine {
            number: 1,
            article: text("LM-3001"),
            description: some("Käse\nam Stück"),
            quantity: of("3"),
            unit: some("KARTON"),
            unit_code: text("XCT"),
            price: of("9.203333"),
            price_basis: of("1"),
            before_discount: of("27.61"),
            discount_rate: of("10"),
            discount: of("2.76"),
            net: of("24.85"),
            order_price: of("9.95"),
            order_price_basis: of("1"),
            order_total: of("26.87"),
            category: TaxCategory::Exempt,
            tax_rate: of("0"),
        }],
        taxes: vec![InvoiceTax {
            category: TaxCategory::Exempt,
            rate: of("0"),
            net: of("30.85"),
            tax: of("0"),
            delivery_net: of("6.00"),
            exemption_reason: some("Von der Steuer ausgenommen"),
            exemption_code: some("VATEX-EU-132"),
        }],
        lines_net: of("24.85"),
        delivery_net: of("6.00"),
        net: of("30.85"),
        tax: of("0"),
        gross: of("30.85"),
        rounding: of("0.00"),
        paid: of("10.85"),
        payable: of("20.00"),
        notices: vec![["a", "b", "c", "d"].map(str::to_owned)],
    }
}

pub fn small_invoice() -> Invoice {
    let small = Party {
        name_addition: None,
        street_addition: None,
        vat_id: None,
        tax_number: None,
        register_entry: None,
        contact_name: None,
        phone: None,
        email: None,
        ..party()
    };
    let mut invoice = Invoice {
        kind: InvoiceKind::Invoice,
        canceled: None,
        canceled_date: None,
        purchase_order: None,
        leitweg_id: None,
        due_on: None,
        payment_terms: None,
        seller: small.clone(),
        buyer: small,
        delivery: None,
        means: None,
        iban: None,
        bic: None,
        notices: Vec::new(),
        ..invoice()
    };
    for line in &mut invoice.lines {
        (line.description, line.unit) = (None, None);
    }
    for tax in &mut invoice.taxes {
        (tax.exemption_reason, tax.exemption_code) = (None, None);
    }
    invoice
}
