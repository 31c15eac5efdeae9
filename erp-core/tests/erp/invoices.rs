//! Invoices of orders and their credit notes.

use erp_core::Code;
use erp_core::document::{Invoice, InvoiceKind, OrderStatus};
use erp_core::erp::{Conflict, Error, MadeInvoice, Settings};
use erp_core::storage::MemoryStore;
use erp_core::zugferd::{CheckLimits, check};
use erp_core::{Erp, codes::Currency};
use proptest::prelude::*;
use rust_decimal::Decimal;
use serde_json::{Value, json};

use crate::common::{Demo, admin, block_on, demo, now, rows, shop};

/// The tax codes of a generated order: code, rate, category.
const TAXES: [(&str, &str, &str); 8] = [
    ("S19", "19", "S"),
    ("S7", "7", "S"),
    ("S81", "8.1", ""),
    ("S19B", "19", ""),
    ("Z", "0", "Z"),
    ("E", "0", "E"),
    ("AE", "0", "AE"),
    ("G", "0", "G"),
];

fn tax_rows() -> impl Iterator<Item = Value> {
    let all = TAXES.into_iter().chain([("K", "0", "K"), ("O", "0", "O")]);
    all.map(|(code, rate, category)| {
        let rate: Value = serde_json::from_str(rate).unwrap();
        json!({"Steuer": {"WUSTCode": code, "PosWUSTKlasse": "D", "Kategorie": category,
            "Saetze": [{"GueltigAb": "2020-01-01", "WUSTSatz": rate}],
            "BefreiungsGrund": if matches!(category, "" | "S" | "Z") { json!([]) } else { json!([{"Text": "Ohne Steuer, weil ..."}]) }}})
    })
}

/// A company that can invoice.
pub(crate) fn company(kind: &str) -> Value {
    json!({"Firma": {"FirmaBez": "Muster AG", "WaehrAbk": "CHF", "AdrSprache": "ger", "OrtLand": "CH", "Zeitzone": "UTC",
        "Preisart": kind, "RESTPreisliste": "STANDARD", "WUSTCode": "CH81", "LiefKostWUSTCode": "CH81", "StaoNr": 1,
        "AdrAdresse1": "Hauptstrasse 1", "OrtPLZ": "8001", "OrtName": "Zürich", "UStIdNr": "CHE-123.456.788 MWST",
        "RegisterNr": "CHE-123.456.788", "KontaktName": "Frau Muster", "AdrTf1": "+41 44 123 45 67", "EmailAdress": "rechnung@example.com",
        "IBAN": "CH93 0076 2011 6238 5295 7", "BIC": "POFICHBEXXX", "ZahlFrist": 30,
        "attributes": [{"PHKey": "REST_Rech", "Contents": "1"}]}})
}

pub(crate) fn customer(number: &str, leitweg: &str, tax: &str) -> Value {
    json!({"Kunde": {"KundNr": number, "WaehrAbk": "EUR", "UStIdNr": "DE123456789", "LeitwegID": leitweg, "WUSTCode": tax,
        "KontaktAdr": {"AdrSprache": "ger", "AdrAdresse1": "Weg 1", "AdrAnrede": 0, "AdrFirma": "Käufer & Söhne <GmbH>",
            "OrtLand": "DE", "OrtName": "Köln", "OrtPLZ": "50667"}}})
}

/// The small company, ready for invoices.
pub(crate) fn invoicing(kind: &str) -> Demo {
    let settings = Settings {
        cash_rounding: [(Currency::CHF, Decimal::new(5, 2))].into(),
        ..Settings::default()
    };
    let demo = Demo {
        erp: Erp::new(MemoryStore::new(), settings),
    };
    demo.import(&rows()).unwrap();
    demo.import(&tax_rows().collect::<Vec<_>>()).unwrap();
    let articles = TAXES.iter().enumerate().map(|(at, (code, ..))| {
        json!({"Artikel": {"ArtNr": format!("T-{at}"), "ArtBez": "Ware", "Einheit": "Stk", "WUSTCode": code,
            "attributes": [{"PHKey": "RESTWEBSHOP", "Contents": "*"}], "Verpackungen": [{"VPEinheit": "Karton", "Faktor": 12}]}})
    });
    demo.import(&articles.collect::<Vec<_>>()).unwrap();
    demo.import(&[
        company(kind),
        customer("20001", "", ""),
        customer("20002", "04011000-1234512345-06", ""),
        customer("20003", "", "K"),
        customer("20004", "", "O"),
    ])
    .unwrap();
    demo
}

pub(crate) fn body(customer: &str, positions: &Value) -> Value {
    json!({"GrundDaten": {"KundNr": customer, "AuftBestellNr": "B-17"}, "Positionen": positions})
}

fn make(demo: &Demo, order: &str) -> Result<String, Error> {
    block_on(demo.office().make_invoice(order)).map(|made| made.number.to_string())
}

pub(crate) fn told(made: &MadeInvoice) -> Vec<String> {
    let notices = made.notices.iter();
    notices.map(|notice| notice.english()).collect()
}

pub(crate) fn stored(demo: &Demo, number: &str) -> (Invoice, String) {
    let caller = admin();
    let shown = block_on(demo.shop(&caller).invoice(number)).unwrap();
    let xml = block_on(demo.shop(&caller).invoice_xml(number)).unwrap();
    (shown.value.invoice, xml)
}

pub(crate) fn problems(error: Error) -> Vec<(String, Code)> {
    let Error::Invalid(problems) = error else {
        panic!("{error:?}");
    };
    let problems = problems.into_vec().into_iter();
    problems
        .map(|problem| (problem.path, problem.code))
        .collect()
}

// rule: D-INV-03
#[test]
fn an_invoice_is_made_once() {
    let demo = invoicing("N");
    let first = demo.order(&body(
        "20001",
        &json!([{"ArtNr": "P-1", "Menge": 3, "GRabSatz": 12.5}]),
    ));
    let second = demo.order(&body(
        "20001",
        &json!([{"ArtNr": "T-0", "Menge": 1, "Preis": 10}]),
    ));
    assert_eq!(make(&demo, &second).unwrap(), "1");
    assert_eq!(make(&demo, &first).unwrap(), "2");
    assert_eq!(make(&demo, &second).unwrap(), "1");
    let order = block_on(demo.office().order(&first)).unwrap();
    assert_eq!(order.invoice.as_deref(), Some("2"));
    let (invoice, xml) = stored(&demo, "2");
    assert_eq!(invoice.kind, InvoiceKind::Invoice);
    assert_eq!(
        (invoice.net, invoice.gross),
        (order.document.sums.net, order.document.sums.gross)
    );
    assert!(xml.contains("Käufer &amp; Söhne &lt;GmbH&gt;"), "{xml}");
    assert!(xml.contains(":2017</ram:ID>"), "{xml}");
    // A later change of master data does not reach it.
    demo.import(&[json!({"Firma": {"FirmaBez": "Anders AG", "WaehrAbk": "CHF"}})])
        .unwrap();
    assert_eq!(stored(&demo, "2"), (invoice, xml));
    assert_eq!(make(&demo, &first).unwrap(), "2");
    let found = block_on(demo.upkeep().check()).unwrap();
    assert_eq!(found.findings, []);
    assert_eq!(found.records["invoices"], 2);
    let (all, _) = super::export::lines(&demo.erp);
    let exported = all.iter().filter(|line| line.starts_with("{\"Rechnung\":"));
    assert_eq!(exported.count(), 2);
    let again = super::export::import(&demo.erp, &all);
    assert_eq!((again.skipped, again.rows), (4, all.len()), "documents");
}

// rule: D-INV-04
#[test]
fn a_credit_note_cancels_an_invoice_once() {
    let demo = invoicing("B");
    let order = demo.order(&body(
        "20001",
        &json!([{"ArtNr": "T-0", "Menge": 7, "Preis": 9.95}]),
    ));
    assert_eq!(make(&demo, &order).unwrap(), "1");
    let note = || block_on(demo.office().make_credit_note("1")).map(|made| made.number);
    assert_eq!(note().unwrap(), "2");
    assert_eq!(note().unwrap(), "2");
    let (note, xml) = stored(&demo, "2");
    assert_eq!(note.kind, InvoiceKind::CreditNote);
    assert_eq!(note.canceled.as_deref(), Some("1"));
    assert!(xml.contains("<ram:TypeCode>381</ram:TypeCode>"), "{xml}");
    assert!(
        xml.contains(
            "<ram:InvoiceReferencedDocument><ram:IssuerAssignedID>1</ram:IssuerAssignedID>"
        ),
        "{xml}"
    );
    let caller = admin();
    let shown = |number| {
        block_on(demo.shop(&caller).invoice(number))
            .unwrap()
            .value
            .credit_note
    };
    assert_eq!((shown("1").as_deref(), shown("2")), (Some("2"), None));
    assert!(matches!(
        block_on(demo.office().make_credit_note("2")),
        Err(Error::Conflict(Conflict::CreditNote(_)))
    ));
    assert!(matches!(
        block_on(demo.office().make_credit_note("3")),
        Err(Error::NotFound { .. })
    ));
}

// rule: D-INV-03
#[test]
fn an_invoice_that_is_dated_before_the_last_one_says_so() {
    let demo = invoicing("N");
    let ordered = || demo.order(&body("20001", &json!([{"ArtNr": "P-1", "Menge": 1}])));
    let ahead = "2036-06-01T10:00:00Z".parse().unwrap();
    let orders = [ordered(), ordered(), ordered()];
    let made =
        |at: usize, clock| block_on(demo.erp.office(clock).make_invoice(&orders[at])).unwrap();
    let clock = |made: &MadeInvoice| {
        let told = told(made);
        told.iter().find(|text| text.contains("clock")).cloned()
    };
    assert_eq!(clock(&made(0, ahead)), None);
    let second = made(1, now());
    assert_eq!((second.number.as_str(), second.is_misdated), ("2", true));
    assert_eq!(
        clock(&second).as_deref(),
        Some(
            "this invoice is of 2026-06-01, but number 1 before it of 2036-06-01: a clock is or was wrong"
        )
    );
    // Told again, but logged once; and not told of those that follow.
    let again = made(1, now());
    assert_eq!(
        (again.notices, again.is_misdated),
        (second.notices.clone(), false)
    );
    assert_eq!(clock(&made(2, now())), None);
    let note = block_on(demo.erp.office(ahead).make_credit_note("1")).unwrap();
    assert_eq!(note.notices, []);
    let note = block_on(demo.office().make_credit_note("2")).unwrap();
    assert!(clock(&note).is_some());
}

// rule: R-REQ-15
#[test]
fn a_customer_in_kosovo_gets_an_invoice() {
    let demo = invoicing("N");
    let mut order = body("20001", &json!([{"ArtNr": "P-1", "Menge": 1}]));
    order["Adressen"] = json!({"RechAdr": {"AdrSprache": "eng", "AdrAdresse1": "Rruga 1", "AdrAnrede": 0,
        "AdrFirma": "Firma", "OrtLand": "XK", "OrtName": "Prishtina", "OrtPLZ": "10000"}});
    let order = demo.order(&order);
    let number = make(&demo, &order).unwrap();
    let (_, xml) = stored(&demo, &number);
    assert!(xml.contains("<ram:CountryID>1A</ram:CountryID>"), "{xml}");
}

// rule: D-INV-01
#[test]
fn a_canceled_order_has_no_invoice() {
    let demo = invoicing("N");
    let order = demo.order(&body("20001", &json!([{"ArtNr": "P-1", "Menge": 3}])));
    block_on(
        demo.office()
            .set_order_status(&order, OrderStatus::Canceled),
    )
    .unwrap();
    assert!(matches!(
        make(&demo, &order),
        Err(Error::Conflict(Conflict::CanceledOrder(_)))
    ));
    assert!(matches!(make(&demo, "77"), Err(Error::NotFound { .. })));
}

// rule: D-INV-02
#[test]
fn all_that_is_missing_is_named() {
    let demo = demo();
    demo.import(&[
        json!({"Steuer": {"WUSTCode": "FREI", "PosWUSTKlasse": "C", "Saetze": [{"GueltigAb": "2024-01-01", "WUSTSatz": 0}]}}),
        json!({"Steuer": {"WUSTCode": "AUSL", "PosWUSTKlasse": "C", "Kategorie": "K", "Saetze": [{"GueltigAb": "2024-01-01", "WUSTSatz": 0}]}}),
        json!({"Artikel": {"ArtNr": "F-1", "ArtBez": "Frei", "WUSTCode": "FREI", "attributes": [{"PHKey": "RESTWEBSHOP", "Contents": "*"}]}}),
        json!({"Artikel": {"ArtNr": "F-2", "ArtBez": "Ausland", "WUSTCode": "AUSL", "attributes": [{"PHKey": "RESTWEBSHOP", "Contents": "*"}]}}),
        json!({"Kunde": {"KundNr": "20002", "WaehrAbk": "CHF", "LeitwegID": "04011000-1234512345-06", "KontaktAdr": {"AdrSprache": "ger",
            "AdrAdresse1": "Weg 1", "AdrAnrede": 0, "AdrFirma": "Amt", "OrtLand": "DE", "OrtName": "Köln", "OrtPLZ": "50667"}}}),
    ])
    .unwrap();
    let positions =
        json!([{"ArtNr": "F-1", "Menge": 1, "Preis": 5}, {"ArtNr": "F-2", "Menge": 1, "Preis": 5}]);
    let order = demo.order(&body("20002", &positions));
    let found = problems(make(&demo, &order).unwrap_err());
    let expected = [
        "Steuer.AUSL.BefreiungsGrund",
        "Steuer.FREI.Kategorie",
        "Firma.AdrAdresse1",
        "Firma.OrtPLZ",
        "Firma.OrtName",
        "Firma.UStIdNr",
        "Kunde.UStIdNr",
        "Firma.KontaktName",
        "Firma.AdrTf1",
        "Firma.EmailAdress",
        "Firma.ZahlFrist",
        "Firma.IBAN",
    ];
    let expected = expected.map(|path| (path.to_owned(), Code::Required));
    assert_eq!(found, expected);
    // Nothing was written: the first invoice is number 1.
    demo.import(&[company("N")]).unwrap();
    let order = demo.order(&body("10001", &json!([{"ArtNr": "P-1", "Menge": 1}])));
    assert_eq!(make(&demo, &order).unwrap(), "1");
}

// rule: D-INV-02
#[test]
fn what_the_standard_cannot_express_is_refused() {
    let demo = invoicing("N");
    let order = json!({"GrundDaten": {"KundNr": "20001", "WaehrAbk": "KWD"}, "Positionen": [{"ArtNr": "T-0", "Menge": 1, "Preis": 1.234}]});
    let order = demo.order(&order);
    assert_eq!(
        problems(make(&demo, &order).unwrap_err()),
        [("GrundDaten.WaehrAbk".to_owned(), Code::InvoiceRule)]
    );
    // A rule of the official check that no field of ours knows.
    let wrong = json!({"Kunde": {"KundNr": "20001", "WaehrAbk": "EUR", "UStIdNr": "123", "KontaktAdr": {"AdrSprache": "ger",
        "AdrAdresse1": "Weg 1", "AdrAnrede": 0, "AdrFirma": "Amt", "OrtLand": "DE", "OrtName": "Köln", "OrtPLZ": "50667"}}});
    demo.import(&[wrong]).unwrap();
    let order = demo.order(&body(
        "20001",
        &json!([{"ArtNr": "T-0", "Menge": 1, "Preis": 1}]),
    ));
    let Err(Error::Invalid(found)) = block_on(demo.office().make_invoice(&order)) else {
        panic!("the VAT identifier of the buyer is none");
    };
    let first = found.as_slice().first().unwrap();
    assert_eq!(first.path, "Rechnung");
    assert!(first.message.english().starts_with("BR-CO-09: "), "{first}");
}

// rule: D-INV-05
#[test]
fn who_may_not_see_the_order_does_not_see_its_invoice() {
    let demo = invoicing("N");
    let order = demo.order(&body("20001", &json!([{"ArtNr": "P-1", "Menge": 3}])));
    let number = make(&demo, &order).unwrap();
    let mut own = shop("SHOP1");
    own.customer = Some("20001".parse().unwrap());
    assert!(block_on(demo.shop(&own).invoice(&number)).is_ok());
    own.customer = Some("20002".parse().unwrap());
    let hidden = block_on(demo.shop(&own).invoice(&number)).unwrap_err();
    let unknown = block_on(demo.shop(&own).invoice("99")).unwrap_err();
    assert_eq!(
        hidden.to_string().replace("`1`", "`99`"),
        unknown.to_string()
    );
    assert!(block_on(demo.shop(&own).invoice_xml(&number)).is_err());
}

/// A position of a generated order.
#[derive(Clone, Debug)]
struct Sold {
    tax: usize,
    /// In thousandths, or in packages.
    quantity: i64,
    is_package: bool,
    /// In millionths.
    price: i64,
    /// In hundredths of a percent.
    discount: i64,
}

/// Amounts stay below 10^12: the official rules add with floating point, which loses cents of larger sums.
fn sold() -> impl Strategy<Value = Sold> {
    let discount = prop_oneof![2 => Just(0_i64), 2 => 0..10_001_i64, 1 => Just(10_000)];
    let price = prop_oneof![
        0..100_i64.pow(4),
        0..1_000_000_000_i64,
        Just(0),
        0..200_000_000_000_i64
    ];
    let quantity = prop_oneof![1..50_i64, 1..100_000_000_i64];
    (0..TAXES.len(), quantity, any::<bool>(), price, discount).prop_map(
        |(tax, quantity, is_package, price, discount)| Sold {
            tax,
            quantity,
            is_package,
            price,
            discount,
        },
    )
}

impl Sold {
    fn position(&self) -> Value {
        let number = |text: String| -> Value { serde_json::from_str(&text).unwrap() };
        let decimal = |mantissa, scale| number(Decimal::new(mantissa, scale).to_string());
        let mut position = json!({"ArtNr": format!("T-{}", self.tax), "Preis": decimal(self.price, 6),
            "GRabSatz": decimal(self.discount, 2)});
        if self.is_package {
            position["VPEinheit"] = json!("Karton");
            position["Menge"] = json!((self.quantity % 1_000 + 1) * 12);
        } else {
            position["Menge"] = decimal(self.quantity, 3);
        }
        position
    }
}

/// The first text of an element.
fn amount(xml: &str, element: &str) -> Option<Decimal> {
    let (_, rest) = xml.split_once(&format!("<ram:{element}>"))?;
    let (text, _) = rest.split_once('<')?;
    Some(text.parse().unwrap())
}

fn agrees(demo: &Demo, order: &Value) -> Result<(), TestCaseError> {
    let number = demo.order(order);
    let made = make(demo, &number);
    prop_assert!(made.is_ok(), "{:?} of {order}", made);
    let (invoice, xml) = stored(demo, &made.unwrap());
    let report = check(xml.as_bytes(), &CheckLimits::DEFAULT);
    prop_assert!(
        report.valid && report.findings.is_empty(),
        "{:?}",
        report.findings
    );
    let document = block_on(demo.office().order(&number))
        .unwrap()
        .value
        .document;
    let zero = Decimal::ZERO;
    prop_assert_eq!(amount(&xml, "TaxBasisTotalAmount"), Some(document.sums.net));
    prop_assert_eq!(amount(&xml, "GrandTotalAmount"), Some(document.sums.gross));
    prop_assert_eq!(
        amount(&xml, "DuePayableAmount"),
        Some(document.sums.gross + document.sums.cash_rounding)
    );
    prop_assert_eq!(
        amount(&xml, "RoundingAmount").unwrap_or(zero),
        document.sums.cash_rounding
    );
    prop_assert_eq!(
        invoice.taxes.iter().map(|tax| tax.tax).sum::<Decimal>(),
        document.sums.tax
    );
    prop_assert_eq!(invoice.lines_net + invoice.delivery_net, document.sums.net);
    let net: Vec<Decimal> = invoice.lines.iter().map(|line| line.net).collect();
    let mut positions: Vec<_> = document.positions.iter().collect();
    positions.sort_by_key(|position| (position.visible_number, position.number));
    prop_assert_eq!(
        net,
        positions
            .iter()
            .map(|position| position.net)
            .collect::<Vec<_>>()
    );
    for line in &invoice.lines {
        // What a reader computes from the line is its amount, to the cent.
        let digits = document.currency.minor_digits();
        let before =
            erp_core::totals::amount_of(line.quantity, line.price, line.price_basis, digits);
        prop_assert_eq!(before, Some(line.before_discount));
        prop_assert_eq!(line.before_discount - line.discount, line.net);
    }
    Ok(())
}

fn order_of(currency: &str, customer: &str, delivery: i64, sold: &[Sold]) -> Value {
    let digits = currency.parse::<Currency>().unwrap().minor_digits();
    let costs: Value = serde_json::from_str(&Decimal::new(delivery, digits).to_string()).unwrap();
    let positions: Vec<Value> = sold.iter().map(Sold::position).collect();
    json!({"GrundDaten": {"KundNr": customer, "WaehrAbk": currency, "AuftLiefKost": costs}, "Positionen": positions})
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    // rule: D-INV-02, D-INV-06
    #[test]
    fn an_invoice_has_the_sums_of_its_order_and_keeps_every_rule(
        (kind, currency) in prop_oneof![
            (prop_oneof![Just("N"), Just("B")], prop_oneof![Just("CHF"), Just("EUR")]),
            // The tax of a gross order in yen may differ by more than the rules allow.
            (Just("N"), Just("JPY")),
        ],
        customer in prop_oneof![Just("20001"), Just("20002"), Just("20003"), Just("20004")],
        delivery in prop_oneof![Just(0_i64), 0..100_000_i64],
        sold in prop::collection::vec(sold(), 1..25),
    ) {
        agrees(&invoicing(kind), &order_of(currency, customer, delivery, &sold))?;
    }
}

// rule: D-INV-06
#[test]
fn an_invoice_has_a_thousand_lines() {
    for kind in ["N", "B"] {
        let sold: Vec<Sold> = (0..1_000_i64)
            .map(|at| Sold {
                tax: usize::try_from(at % 8).unwrap(),
                quantity: at * 37 % 9_001 + 1,
                is_package: at % 3 == 0,
                price: at * 7_919 % 99_999_989 + 1,
                discount: at % 100 * 100,
            })
            .collect();
        agrees(&invoicing(kind), &order_of("EUR", "20002", 1_990, &sold)).unwrap();
    }
}
