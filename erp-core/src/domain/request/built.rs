//! Bodies that are built in Rust are read like their JSON.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use rust_decimal::Decimal;
use serde_json::json;

use super::{CustomerRequest, DocumentRequest};
use crate::values::json::{AsJson, Json};
use crate::values::number::Number;
use crate::values::problem::{Code, Problems};
use crate::wire::{AddressBody, CustomerBody, OfferBody, OrderBody, PositionBody, Reading};

const STRICT: Reading = Reading { strict: true };

fn address() -> AddressBody {
    AddressBody {
        language: Some("ger".into()),
        salutation: Some(0),
        company: Some("Käufer AG".into()),
        street: Some("Weg 1".into()),
        country: Some("CH".into()),
        postal_code: Some("8001".into()),
        town: Some("Zürich".into()),
        ..AddressBody::default()
    }
}

#[test]
fn a_built_order_is_the_order_of_its_json() {
    let time: Timestamp = "2026-03-31T10:00:00Z".parse().unwrap();
    let built = OrderBody::of("10001")
        .foreign_number("F-1")
        .currency("EUR")
        .ordered_at(time)
        .delivery_costs(Decimal::new(950, 2))
        .position("A-1", 2)
        .with_position(PositionBody {
            article_number: Some("B".into()),
            quantity: Some(Number(Decimal::new(1_234_567, 6))),
            price: Some(Number(Decimal::new(125, 2))),
            ..PositionBody::default()
        })
        .payment("payment_method", "K");
    let json = json!({
        "GrundDaten": {"KundNr": "10001", "AuftBestellNr": "F-1", "WaehrAbk": "EUR",
            "AuftBestellT": "2026-03-31T10:00:00Z", "AuftLiefKost": 9.5},
        "Positionen": [{"ArtNr": "A-1", "Menge": 2}, {"ArtNr": "B", "Menge": 1.234567, "Preis": 1.25}],
        "Zahlung": [{"Bezeichnung": "payment_method", "Wert": "K"}],
    });
    let read = |body: Json| DocumentRequest::of_order(&body, STRICT, &TimeZone::UTC);
    let (built, problems) = read(built.as_json().into_owned());
    assert_eq!(problems, Problems::new());
    assert_eq!(built, read(json.into()).0);
}

#[test]
fn what_is_wrong_with_a_built_body_has_the_path_of_its_json() {
    let built = OrderBody::of(" ")
        .comment("x".repeat(256))
        .position("A", -1);
    let (_, problems) = DocumentRequest::of_order(&built, STRICT, &TimeZone::UTC);
    let found: Vec<_> = problems
        .as_slice()
        .iter()
        .map(|of| (of.path.as_str(), of.code))
        .collect();
    let expected = [
        ("GrundDaten.AuftKomment", Code::TooLong),
        ("GrundDaten.KundNr", Code::Required),
        ("Positionen[0].Menge", Code::OutOfRange),
    ];
    assert_eq!(found, expected);
}

#[test]
fn offers_and_customers_are_built_alike() {
    let template = OfferBody::default().position("A", 1);
    let (template, problems) = DocumentRequest::of_offer(&template, STRICT, &TimeZone::UTC);
    assert_eq!(problems, Problems::new());
    assert_eq!((template.customer, template.positions.len()), (None, 1));
    let customer = CustomerBody::of("CHF", "B", address())
        .payment_methods("K,R")
        .credit_limit(500)
        .billing(address());
    let customer = CustomerRequest::parse(&customer, STRICT).unwrap();
    assert_eq!(customer.billing, Some(customer.contact));
    assert_eq!(
        (customer.credit_limit, customer.payment_methods.len()),
        (500, 2)
    );
}
