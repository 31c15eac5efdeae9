//! Randomly changed orders: each is refused with its problems, or stored consistently.

use std::str::FromStr as _;

use crate::common::{Demo, block_on, demo, shop};
use erp_core::erp::Error;
use erp_core::json;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use rust_decimal::Decimal;
use serde_json::{Value, json};

/// Number of orders sent. Most are changed so little that some are accepted.
const CASES: u32 = 300;

/// One change to a body; indexes are taken modulo the length.
#[derive(Clone, Debug)]
enum Bend {
    Set(usize, Value),
    Remove(usize),
    Position(Value),
    Repeat(usize),
    Customer(&'static str, &'static str),
    Byte(usize, u8),
}

/// Marks numbers, which are kept as texts until the body is written, because a `Value` does not keep all their digits.
const NUMBER: &str = "number:";

fn numbers() -> impl Strategy<Value = Value> {
    let texts = prop_oneof![
        (0_u32..100_000, 0_u32..8)
            .prop_map(|(digits, places)| Decimal::new(digits.into(), places).to_string()),
        (0_u32..1_000).prop_map(|number| number.to_string()),
        proptest::sample::select(vec![
            "-1",
            "0",
            "1e3",
            "1E-3",
            "1e999",
            "999999999.999999",
            "1000000000",
            "0.0000001",
            "123456789012345678901234567890"
        ])
        .prop_map(str::to_owned),
    ];
    texts.prop_map(|text| Value::String(format!("{NUMBER}{text}")))
}

fn values() -> impl Strategy<Value = Value> {
    prop_oneof![
        3 => numbers(),
        1 => Just(Value::Null),
        1 => any::<bool>().prop_map(Value::Bool),
        2 => ".{0,40}".prop_map(Value::String),
        1 => "[ -~äß€Ł]{200,2100}".prop_map(Value::String),
        1 => proptest::sample::select(vec!["CHF", "EUR", "USD", "ger", "KT12", "P-1", "10002", "2026-03-02", "R", "CH", "XX"]).prop_map(|text| json!(text)),
        1 => Just(json!({})),
        1 => Just(json!([])),
    ]
}

fn positions() -> impl Strategy<Value = Value> {
    let articles = vec!["P-1", "P-2", "P-3", "P-4", "HIDDEN", "INTERN", "NOPE"];
    let units = proptest::option::weighted(0.3, proptest::sample::select(vec!["KT12", "PACK"]));
    let quantity = prop_oneof![3 => (1_u32..400).prop_map(Value::from), 1 => numbers()];
    (
        proptest::sample::select(articles),
        units,
        quantity,
        proptest::option::weighted(0.2, numbers()),
        proptest::option::weighted(0.3, 0_u32..10_500),
    )
        .prop_map(|(article, unit, quantity, price, discount)| {
            let mut position = json!({"ArtNr": article, "Menge": quantity});
            if let Some(unit) = unit {
                position["VPEinheit"] = json!(unit);
            }
            if let Some(price) = price {
                position["Preis"] = price;
            }
            if let Some(discount) = discount {
                position["GRabSatz"] =
                    json!(format!("{NUMBER}{}", Decimal::new(discount.into(), 2)));
            }
            position
        })
}

fn bends() -> impl Strategy<Value = Vec<Bend>> {
    let customers = vec![
        ("10001", "CHF"),
        ("10002", "CHF"),
        ("10003", "CHF"),
        ("10003", "EUR"),
    ];
    let bend = prop_oneof![
        2 => (any::<usize>(), values()).prop_map(|(place, value)| Bend::Set(place, value)),
        1 => any::<usize>().prop_map(Bend::Remove),
        6 => positions().prop_map(Bend::Position),
        1 => (1_usize..60).prop_map(Bend::Repeat),
        4 => proptest::sample::select(customers).prop_map(|(customer, currency)| Bend::Customer(customer, currency)),
        1 => (any::<usize>(), any::<u8>()).prop_map(|(place, byte)| Bend::Byte(place, byte)),
    ];
    proptest::collection::vec(bend, 1..5)
}

fn pointers(value: &Value, at: &str, into: &mut Vec<String>) {
    let children: Vec<(String, &Value)> = match value {
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| (format!("{at}/{name}"), value))
            .collect(),
        Value::Array(entries) => entries
            .iter()
            .enumerate()
            .map(|(index, value)| (format!("{at}/{index}"), value))
            .collect(),
        _ => Vec::new(),
    };
    for (pointer, child) in children {
        pointers(child, &pointer, into);
        into.push(pointer);
    }
}

/// Writes the body, with its marked texts as numbers.
fn written(body: &Value) -> Vec<u8> {
    let text = body.to_string();
    let mark = format!("\"{NUMBER}");
    let mut parts = text.split(&mark);
    let mut written = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (number, rest) = part.split_once('"').unwrap();
        written.push_str(number);
        written.push_str(rest);
    }
    written.into_bytes()
}

/// An order with every kind of member.
fn order() -> Value {
    let address = json!({"AdrSprache": "ger", "AdrAdresse1": "Weg 1", "AdrAnrede": 0, "AdrFirma": "Käufer AG",
        "OrtLand": "CH", "OrtName": "Zürich", "OrtPLZ": "8001"});
    json!({
        "GrundDaten": {
            "KundNr": "10001", "AuftBez": "Bestellung für das Büro", "AuftBestellT": "2026-03-02T10:00:00Z",
            "AuftLieferT": "2026-03-05T00:00:00+01:00", "WaehrAbk": "CHF", "StaoNr": 1, "AuftLiefKost": 9.9,
        },
        "Adressen": {"KontaktAdr": address, "LiefAdr": address},
        "Positionen": [
            {"ArtNr": "P-1", "Menge": 12, "VisPosNr": 30},
            {"ArtNr": "P-2", "Menge": 24, "VPEinheit": "KT12", "GRabSatz": 5},
            {"ArtNr": "P-3", "Menge": 4, "PosBez": "Käse", "Preis": 17.77},
        ],
        "Zahlung": [{"Bezeichnung": "payment_method", "Wert": "R"}],
    })
}

/// The small company with a customer whose prices include the tax, also in euros.
fn company() -> Demo {
    let demo = demo();
    let price = |article: &str, currency: &str| {
        json!({"Preis": {"PreisListe": "PRIVAT", "ArtNr": article, "WaehrAbk": currency, "AbAnzahl": 1,
            "PreisList": 7.9, "Preisart": "B"}})
    };
    let address = order()["Adressen"]["LiefAdr"].take();
    let customer = json!({"KundNr": "10003", "WaehrAbk": "CHF", "PreisListe": "PRIVAT", "KontaktAdr": address});
    let prices = [("P-1", "CHF"), ("P-1", "EUR"), ("P-3", "EUR")];
    let rows = prices.map(|(article, currency)| price(article, currency));
    demo.import(&rows).unwrap();
    demo.import(&[json!({ "Kunde": customer })]).unwrap();
    demo
}

fn bent(bends: &[Bend]) -> Vec<u8> {
    let mut body = order();
    let mut bytes = Vec::new();
    for bend in bends {
        let mut places = Vec::new();
        pointers(&body, "", &mut places);
        match bend {
            Bend::Set(place, value) if !places.is_empty() => {
                *body.pointer_mut(&places[place % places.len()]).unwrap() = value.clone();
            }
            Bend::Remove(place) if !places.is_empty() => {
                let (parent, name) = places[place % places.len()].rsplit_once('/').unwrap();
                if let Some(Value::Object(members)) = body.pointer_mut(parent) {
                    members.remove(name);
                }
            }
            Bend::Position(position) => {
                if let Some(Value::Array(positions)) = body.pointer_mut("/Positionen") {
                    positions.push(position.clone());
                    positions.remove(0);
                }
            }
            Bend::Repeat(times) => {
                if let Some(Value::Array(positions)) = body.pointer_mut("/Positionen") {
                    *positions = vec![positions.clone(); *times].concat();
                }
            }
            Bend::Customer(customer, currency) => {
                if let Some(Value::Object(header)) = body.pointer_mut("/GrundDaten") {
                    header.insert("KundNr".to_owned(), json!(customer));
                    header.insert("WaehrAbk".to_owned(), json!(currency));
                }
            }
            Bend::Byte(place, byte) => {
                bytes = written(&body);
                let at = place % bytes.len();
                bytes[at] = *byte;
            }
            _ => {}
        }
    }
    if bytes.is_empty() {
        written(&body)
    } else {
        bytes
    }
}

fn decimal(value: &Value) -> Decimal {
    let text = value.to_string();
    Decimal::from_str(&text).unwrap_or_else(|_| panic!("`{text}` is no plain decimal"))
}

fn sum(list: &Value, name: &str) -> Decimal {
    list.as_array()
        .unwrap()
        .iter()
        .map(|entry| decimal(&entry[name]))
        .sum()
}

fn check(order: &Value) {
    let header = &order["GrundDaten"];
    let [net, tax, gross, delivery] =
        ["AuftNetto", "AuftWUST", "AuftBrutto", "AuftLiefKost"].map(|name| decimal(&header[name]));
    assert_eq!(net + tax, gross, "{order}");
    let recap = &order["MWSTRekapitulation"];
    assert_eq!(
        (sum(recap, "PosBetragNetto"), sum(recap, "PosWUST")),
        (net, tax),
        "{order}"
    );
    let lines = sum(&order["Positionen"], "PosPreisTotal") + delivery;
    assert!(
        lines == net || lines == gross,
        "the lines come to {lines}: {order}"
    );
    let line_tax = sum(&order["Positionen"], "PosPreisWUSTBetrag");
    assert!(line_tax <= tax, "{order}");
    if delivery.is_zero() {
        assert_eq!(line_tax, tax, "{order}");
    }
    for entry in recap.as_array().unwrap() {
        let (net, tax, rate) = (
            decimal(&entry["PosBetragNetto"]),
            decimal(&entry["PosWUST"]),
            decimal(&entry["PosWUSTSatz"]),
        );
        let exact = net * rate / Decimal::ONE_HUNDRED;
        assert!((exact - tax).abs() <= Decimal::new(1, 2), "{entry}");
    }
    for position in order["Positionen"].as_array().unwrap() {
        if let Some(packages) = position.get("VPEAnzBest").map(decimal) {
            assert!(
                packages.fract().is_zero() && packages > Decimal::ZERO,
                "{position}"
            );
        }
        assert!(
            decimal(&position["PosPreisTotal"]) >= Decimal::ZERO,
            "{position}"
        );
    }
    for place in ["KontaktAdr", "LiefAdr", "RechAdr"] {
        assert!(order["Adressen"][place]["OrtLand"].is_string(), "{order}");
    }
}

// rule: R-ERR-02
#[test]
fn bent_orders_are_refused_with_a_reason_or_consistent() {
    let demo = company();
    let caller = shop("SHOP1");
    let door = demo.shop(&caller);
    let mut counts = [0, 0];
    let config = Config {
        cases: CASES,
        failure_persistence: None,
        max_shrink_iters: 200,
        ..Config::default()
    };
    let algorithm = proptest::test_runner::RngAlgorithm::ChaCha;
    let numbers = proptest::test_runner::TestRng::deterministic_rng(algorithm);
    let mut runner = TestRunner::new_with_rng(config, numbers);
    let seen = std::cell::RefCell::new(&mut counts);
    let ran = runner.run(&bends(), |bends| {
        let text = String::from_utf8(bent(&bends));
        let Ok(body) = json::read(&text.unwrap_or_default()) else {
            return Ok(());
        };
        match block_on(door.create_order(&body)) {
            Ok(placed) => {
                seen.borrow_mut()[0] += 1;
                let order = block_on(door.order(&placed.number)).unwrap().value;
                check(&serde_json::to_value(order.to_wire()).unwrap());
            }
            Err(Error::Invalid(problems)) => {
                seen.borrow_mut()[1] += 1;
                assert!(!problems.as_slice().is_empty());
            }
            Err(other) => panic!("{other:?}"),
        }
        Ok(())
    });
    ran.unwrap_or_else(|error| panic!("{error}"));
    // Both outcomes must occur often, otherwise the test shows little.
    let [accepted, refused] = counts;
    assert!(
        accepted > CASES / 10 && refused > CASES / 10,
        "{accepted} accepted, {refused} refused"
    );
    assert_eq!(block_on(demo.upkeep().check()).unwrap().findings, []);
}
