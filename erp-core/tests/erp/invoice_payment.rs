//! How an invoice is paid: Swiss QR-bills, what is paid already, and what the office is told of its pages.

use erp_core::Code;
use erp_core::codes::Language;
use erp_core::document::Invoice;
use erp_core::import::Row;
use erp_core::master::Caller;
use erp_core::zugferd::{CheckLimits, check};
use serde_json::{Value, json};

use crate::common::{Demo, block_on, shop};
use crate::invoices::{body, company, customer, invoicing, stored, told};

const QR_IBAN: &str = "CH44 3199 9123 0008 8901 2";

/// Buyers in some countries.
const CH: &str = "30001";
const LI: &str = "30002";
const AT: &str = "30003";
const FR: &str = "30004";
const DE: &str = "30005";

/// The company with these members, and the buyers.
fn with(kind: &str, members: Value) -> Demo {
    let demo = invoicing(kind);
    let mut row = company(kind);
    let Value::Object(members) = members else {
        panic!("members");
    };
    for (name, value) in members {
        row["Firma"][name] = value;
    }
    let buyers = [("CH", CH), ("LI", LI), ("AT", AT), ("FR", FR), ("DE", DE)];
    let buyers = buyers.map(|(country, number)| {
        let mut row = customer(number, "", "");
        row["Kunde"]["KontaktAdr"]["OrtLand"] = json!(country);
        row["Kunde"]["UStIdNr"] = json!("");
        if number == CH {
            row["Kunde"]["WaehrAbk"] = json!("CHF");
        }
        row
    });
    demo.import(&[row]).unwrap();
    demo.import(&buyers).unwrap();
    demo
}

/// An order of one line with this price.
fn of(customer: &str, currency: &str, price: &str) -> Value {
    let price: Value = serde_json::from_str(price).unwrap();
    let mut order = body(
        customer,
        &json!([{"ArtNr": "T-2", "Menge": 1, "Preis": price}]),
    );
    order["GrundDaten"]["WaehrAbk"] = json!(currency);
    order
}

/// Its invoice, whose XML keeps every rule, and what the office is told of it, twice.
fn invoiced(demo: &Demo, order: &Value) -> (Invoice, String, Vec<String>) {
    let number = demo.order(order);
    made(demo, &number)
}

fn made(demo: &Demo, order: &str) -> (Invoice, String, Vec<String>) {
    let made = || block_on(demo.office().make_invoice(order)).unwrap();
    let first = made();
    assert_eq!(made(), first, "asked again");
    let (invoice, xml) = stored(demo, &first.number);
    let report = check(xml.as_bytes(), &CheckLimits::DEFAULT);
    assert!(report.valid, "{:?}", report.findings);
    (invoice, xml, told(&first))
}

fn means(invoice: &Invoice) -> Option<&str> {
    invoice.means.as_deref()
}

// rule: D-INV-08
#[test]
fn a_qr_bill_has_the_reference_of_its_account() {
    let demo = with("N", json!({"QRIBAN": QR_IBAN}));
    let (first, xml, told) = invoiced(&demo, &of(CH, "CHF", "10"));
    assert_eq!(told, [""; 0]);
    assert_eq!(first.number, "1");
    assert!(first.has_qr_bill);
    assert_eq!(first.iban.as_deref(), Some("CH4431999123000889012"));
    assert_eq!(first.reference, "000000000000000000000000011");
    assert!(xml.contains(&format!(
        "<ram:PaymentReference>{}<",
        first.reference.as_str()
    )));
    // A buyer abroad pays to the ordinary account.
    let (abroad, _, told) = invoiced(&demo, &of(DE, "EUR", "10"));
    assert_eq!(
        told,
        ["no QR-bill: the buyer is not in Switzerland or Liechtenstein"]
    );
    assert_eq!(
        (
            abroad.has_qr_bill,
            abroad.reference.as_str(),
            abroad.iban.as_deref()
        ),
        (false, "2", Some("CH9300762011623852957"))
    );
    // Without a QR-IBAN the reference is the one of ISO 11649.
    let demo = with("N", json!({}));
    let (plain, xml, told) = invoiced(&demo, &of(LI, "EUR", "10"));
    assert_eq!(told, [""; 0]);
    assert_eq!(plain.reference, "RF741");
    assert_eq!(means(&plain), Some("58"));
    assert!(xml.contains("<ram:PaymentReference>RF741<"));
    assert_eq!(plain.iban.as_deref(), Some("CH9300762011623852957"));
}

// rule: D-INV-08
#[test]
fn why_there_is_no_qr_bill_is_told() {
    let demo = with("N", json!({"QRIBAN": QR_IBAN}));
    let order = |customer, currency, price, count: i32| {
        let mut order = of(customer, currency, price);
        order["Positionen"][0]["Menge"] = json!(count);
        order["Positionen"][0]["ArtNr"] = json!("T-4");
        order
    };
    for (customer, currency, price, count, reason) in [
        (
            AT,
            "CHF",
            "10",
            1,
            "the buyer is not in Switzerland or Liechtenstein",
        ),
        (
            FR,
            "EUR",
            "10",
            1,
            "the buyer is not in Switzerland or Liechtenstein",
        ),
        (
            CH,
            "USD",
            "10",
            1,
            "the currency USD is neither CHF nor EUR",
        ),
        (
            CH,
            "EUR",
            "500000000",
            2,
            "1000000000.00 is not between 0.01 and 999999999.99",
        ),
        (
            CH,
            "EUR",
            "0",
            1,
            "0.00 is not between 0.01 and 999999999.99",
        ),
    ] {
        let (invoice, _, told) = invoiced(&demo, &order(customer, currency, price, count));
        assert_eq!(
            told,
            [format!("no QR-bill: {reason}")],
            "{customer} {price}"
        );
        assert!(!invoice.has_qr_bill);
        assert_eq!(invoice.reference, invoice.number.as_str());
    }
    let (most, _, told) = invoiced(&demo, &order(CH, "EUR", "999999999.99", 1));
    assert!(most.has_qr_bill && told.is_empty());
    // A QR-IBAN takes nothing else.
    let demo = with("N", json!({"IBAN": QR_IBAN}));
    let (abroad, xml, told) = invoiced(&demo, &of(DE, "EUR", "10"));
    assert_eq!(told.len(), 2);
    assert!(told[1].contains("its `IBAN` is missing"), "{told:?}");
    assert_eq!((means(&abroad), &abroad.iban), (None, &None));
    assert!(!xml.contains("IBANID"));
    let (at_home, ..) = invoiced(&demo, &of(CH, "CHF", "10"));
    assert_eq!(at_home.reference.len(), 27);
    // A company elsewhere never has one, and nobody misses it.
    let demo = with(
        "N",
        json!({"IBAN": "DE89370400440532013000", "OrtLand": "DE"}),
    );
    let (german, _, told) = invoiced(&demo, &of(DE, "EUR", "10"));
    assert_eq!(told, [""; 0]);
    assert_eq!(means(&german), Some("58"));
}

// rule: D-INV-12
#[test]
fn accounts_and_routing_ids_are_checked_when_they_are_stored() {
    let problems = |row: Value| {
        let problems = Row::read(&row, Language::GERMAN).unwrap_err();
        let problems = problems.into_vec().into_iter();
        let problems = problems.map(|problem| (problem.path, problem.code));
        problems.collect::<Vec<_>>()
    };
    for (name, wrong) in [
        ("IBAN", "CH93 0076 2011 6238 5295 8"),
        ("IBAN", "Konto 7"),
        ("QRIBAN", "CH93 0076 2011 6238 5295 7"),
    ] {
        let mut row = company("N");
        row["Firma"][name] = json!(wrong);
        let found = problems(row);
        assert_eq!(found, [(format!("Firma.{name}"), Code::Malformed)]);
    }
    let row = customer("20009", "04011000-1234512345-07", "");
    assert_eq!(
        problems(row),
        [("Kunde.LeitwegID".to_owned(), Code::Malformed)]
    );
}

/// What an order says of its payment: members of `Zahlung`, condition.
type Said<'a> = (&'a [(&'a str, &'a str)], Option<u8>);

fn paying(customer: &str, (payments, condition): Said<'_>) -> Value {
    let mut order = of(customer, "CHF", "100");
    let payments = payments.iter();
    let payments = payments.map(|(name, value)| json!({"Bezeichnung": name, "Wert": value}));
    order["Zahlung"] = payments.collect();
    if let Some(condition) = condition {
        order["GrundDaten"]["KundBedTyp"] = json!(condition);
    }
    order
}

fn conditions() -> Value {
    let text = |text: &str| json!([{"AdrSprache": "ger", "Text": text}]);
    json!({"Zahlungsbedingungen": [{"KundBedTyp": 1, "Texte": text("10 Tage netto"), "ZahlFrist": 10},
        {"KundBedTyp": 4, "Texte": text("Bezahlt mit Gutschein"), "Bezahlt": "J"}]})
}

// rule: D-INV-11
#[test]
fn what_is_paid_is_not_asked_for_again() {
    let demo = with("N", conditions());
    let (card, id) = (("payment_method", "K"), ("TransID", "tx-1"));
    let by_invoice = ("payment_method", "R");
    let paid: [(Said<'_>, &str); 6] = [
        ((&[card], None), "48"),
        ((&[card, id], None), "48"),
        ((&[(" payment_method ", " K ")], None), "48"),
        ((&[id], None), "68"),
        ((&[("payment_method", "V"), id], None), "68"),
        ((&[by_invoice], Some(4)), "68"),
    ];
    for (said, wanted) in paid {
        let (invoice, xml, told) = invoiced(&demo, &paying(CH, said));
        assert_eq!(told, ["no QR-bill: the order is paid"], "{said:?}");
        assert_eq!(means(&invoice), Some(wanted), "{said:?}");
        let total = invoice.gross + invoice.rounding;
        assert_eq!((invoice.paid, invoice.payable), (total, 0.into()));
        assert_eq!((&invoice.iban, invoice.due_on), (&None, None));
        assert!(
            xml.contains(&format!("<ram:TotalPrepaidAmount>{total:.2}<")),
            "{xml}"
        );
        assert!(xml.contains("<ram:DuePayableAmount>0.00<"), "{xml}");
        assert_eq!(
            invoice.payment_terms.as_deref(),
            said.1.map(|_| "Bezahlt mit Gutschein")
        );
    }
    let unpaid: [Said<'_>; 7] = [
        (&[], None),
        (&[by_invoice], None),
        (&[by_invoice, id], None),
        (&[("payment_method", "V")], None),
        (&[("payment_method", "k")], None),
        (&[("TransID", "  ")], None),
        (&[("paid", "J")], Some(1)),
    ];
    for said in unpaid {
        let (invoice, xml, told) = invoiced(&demo, &paying(CH, said));
        assert_eq!(told, [""; 0], "{said:?}");
        assert_eq!((invoice.paid, means(&invoice)), (0.into(), Some("30")));
        assert!(invoice.has_qr_bill && invoice.due_on.is_some());
        assert!(!xml.contains("TotalPrepaidAmount"));
        // The days of the condition, otherwise those of the company.
        let days = if said.1.is_some() { 10 } else { 30 };
        let due = invoice.due_on.unwrap();
        assert_eq!(invoice.date.until(due).unwrap().get_days(), days);
    }
    // XRechnung wants data of a card, which nobody has here.
    let (invoice, ..) = invoiced(&demo, &paying("20002", (&[card], None)));
    assert_eq!(means(&invoice), Some("68"));
}

// rule: D-INV-11
#[test]
fn a_token_of_one_customer_makes_nothing_paid() {
    let demo = with("N", conditions());
    let own = Caller {
        customer: Some(CH.parse().unwrap()),
        ..shop("SHOP1")
    };
    let paid = json!([{"Bezeichnung": "payment_method", "Wert": "K"}, {"Bezeichnung": "TransID", "Wert": "1"}]);
    let order = json!({"Positionen": [{"ArtNr": "P-1", "Menge": 1}], "Zahlung": paid});
    let header = json!({"KundNr": CH});
    let mut offer = order.clone();
    offer.as_object_mut().unwrap().remove("Zahlung");
    let placed = |caller: &Caller| {
        let mut order = order.clone();
        order["GrundDaten"] = header.clone();
        block_on(demo.shop(caller).create_order(&order))
            .unwrap()
            .number
            .clone()
    };
    let converted = |caller: &Caller| {
        let mut offer = offer.clone();
        offer["GrundDaten"] = header.clone();
        let offer = block_on(demo.shop(&own).create_offer(&offer)).unwrap();
        let header = json!({"OffertNr": offer.number, "KundNr": CH});
        let body = json!({"GrundDaten": header, "Zahlung": paid});
        block_on(demo.shop(caller).convert_offer(&body))
            .unwrap()
            .number
            .clone()
    };
    for order in [placed(&own), converted(&own)] {
        let stored = block_on(demo.office().order(&order)).unwrap();
        assert_eq!(stored.document.payments.len(), 2, "the claim stays");
        let (invoice, ..) = made(&demo, &order);
        assert_eq!((invoice.paid, invoice.has_qr_bill), (0.into(), true));
    }
    let caller = shop("SHOP1");
    for order in [placed(&caller), converted(&caller)] {
        assert_eq!(made(&demo, &order).0.payable, 0.into());
    }
}

// rule: D-INV-04, D-INV-11
#[test]
fn a_credit_note_is_paid_by_nobody() {
    let demo = with("B", conditions());
    let card: Said<'_> = (&[("payment_method", "K")], None);
    for (customer, said, wanted) in [
        (CH, card, ("48", false)),
        (CH, (&[][..], None), ("97", false)),
        (DE, (&[][..], None), ("30", true)),
        ("20002", card, ("68", false)),
        ("20002", (&[][..], Some(1)), ("30", true)),
    ] {
        let (invoice, ..) = invoiced(&demo, &paying(customer, said));
        let note = block_on(demo.office().make_credit_note(&invoice.number)).unwrap();
        let (note, xml) = stored(&demo, &note.number);
        let report = check(xml.as_bytes(), &CheckLimits::DEFAULT);
        assert_eq!(report.findings, [], "{customer} {said:?} {xml}");
        assert_eq!(
            (means(&note), note.iban.is_some()),
            (Some(wanted.0), wanted.1)
        );
        assert_eq!(note.payable, invoice.gross + invoice.rounding);
        assert_eq!(
            (note.paid, note.reference.as_str()),
            (0.into(), note.number.as_str())
        );
        assert!(!xml.contains("TotalPrepaidAmount"));
    }
}

// rule: D-INV-13
#[test]
fn no_order_is_refused_for_its_texts() {
    let demo = with("N", json!({}));
    let mut order = of(CH, "CHF", "10");
    let text = "Οἶνος 🍷 葡萄酒 e\u{301}\u{323} \u{202e}\u{ad}\u{200b}„Q“—½ \u{e000}";
    order["Positionen"][0]["PosBez"] = json!(text);
    order["Positionen"][0]["ArtNr"] = json!("P-1");
    order["Adressen"] = json!({"RechAdr": {"AdrSprache": "ger", "AdrAdresse1": "Weg 1", "AdrAnrede": 0,
        "AdrFirma": "葡萄酒", "OrtLand": "CH", "OrtName": "Zürich", "OrtPLZ": "8001"}});
    let (invoice, xml, told) = invoiced(&demo, &order);
    assert_eq!(invoice.lines[0].description.as_deref(), Some(text));
    assert!(xml.contains("🍷 葡萄酒"));
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[0].contains("empty box for the payer"), "{told:?}");
    assert!(told[0].ends_with("Kaeufer.Name"), "{told:?}");
    assert!(told[1].contains("ἶ is ι, 萄 is □"), "{told:?}");
    assert!(told[1].ends_with("🍷 is □"), "{told:?}");
    assert!(!told[1].contains("é"), "{told:?}");
    // Its credit note has the same texts, and no QR-bill.
    let note = block_on(demo.office().make_credit_note(&invoice.number)).unwrap();
    assert_eq!(crate::invoices::told(&note), told[1..]);
}
