//! Calculations without the server: the cases for which native code, node and browsers must return the same bytes, and
//! totals compared with those of the server.

use std::collections::{BTreeMap, BTreeSet};

use crate::{file, root};
use erp_core::internal::offline;
use erp_core::internal::response::{Position, TaxRecapEntry};
use erp_core::internal::wire::{Record as _, Schema};
use erp_core::json::{self, Json};
use erp_core::offline::Settings;
use erp_core::town::Directory;
use erp_tests::bodies;
use erp_tests::orders::{place, placed};
use erp_tests::server::{SHOP1, Server};
use erp_tests::wire_types::wire_types;
use rust_decimal::Decimal;
use serde_json::{Value, json};

struct Case {
    name: String,
    call: String,
    args: Vec<Json>,
}

impl Case {
    /// An argument as JSON text; a string is passed as it is.
    fn text(&self, at: usize) -> String {
        match &self.args[at] {
            Json::String(text) => text.clone(),
            value => value.to_string(),
        }
    }

    fn strict(&self) -> bool {
        self.args[1].as_bool().unwrap()
    }

    /// The language of the problems, the last argument if it is there.
    fn language(&self, at: usize) -> &str {
        self.args.get(at).map_or("", |tag| tag.as_str().unwrap())
    }

    fn result(&self, towns: &Directory) -> String {
        let first = self.text(0);
        let check =
            |check: fn(&str, bool, &str) -> String| check(&first, self.strict(), self.language(2));
        match self.call.as_str() {
            "validateAddress" => check(offline::validate_address),
            "validateCustomer" => check(offline::validate_customer),
            "validateOrder" => check(offline::validate_order),
            "validateOffer" => check(offline::validate_offer),
            "validateConversion" => check(offline::validate_conversion),
            "validateOfferChange" => check(offline::validate_offer_change),
            "validateAddressChange" => check(offline::validate_address_change),
            "checkTown" => offline::check_town(towns, &first, self.language(1)),
            "priceOf" => offline::price_of_text(&first, &self.text(1), &self.text(2)),
            "totalsOf" => offline::totals_of_text(&first, &self.text(1), &self.text(2)),
            other => panic!("no such call: {other}"),
        }
    }
}

/// The cases, parsed like request bodies: numbers keep their digits.
fn cases() -> Vec<Case> {
    let cases = json::read(&file("tests/golden/wasm/cases.json")).unwrap();
    let text = |case: &Json, name| case.get(name).unwrap().as_str().unwrap().to_owned();
    let case = |case: &Json| Case {
        name: text(case, "name"),
        call: text(case, "call"),
        args: case.get("args").and_then(Json::as_array).unwrap().clone(),
    };
    cases.as_array().unwrap().iter().map(case).collect()
}

#[test]
fn every_case_has_its_result() {
    let towns = Directory::from_compact(&file("erp-core/data/towns_ch_li.txt")).unwrap();
    let responses: String = cases()
        .iter()
        .map(|case| format!("{}\t{}\n", case.name, case.result(&towns)))
        .collect();
    let path = root().join("tests/golden/wasm/answers.txt");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &responses).unwrap();
    }
    assert!(responses.is_ascii());
    let golden = file("tests/golden/wasm/answers.txt");
    for (found, expected) in responses.lines().zip(golden.lines()) {
        assert_eq!(found, expected);
    }
    assert_eq!(responses.lines().count(), golden.lines().count());
}

/// The cases include the worked examples, so the results must match these.
#[test]
fn the_worked_examples_come_out_to_the_cent() {
    let examples: Value = serde_json::from_str(&file("erp-core/tests/golden/totals.json")).unwrap();
    let cases: BTreeMap<String, Case> = cases()
        .into_iter()
        .map(|case| (case.name.clone(), case))
        .collect();
    let mut compared = 0;
    for example in examples.as_array().unwrap() {
        let name = format!("worked example {}", example["id"].as_str().unwrap());
        let Some(case) = cases.get(&name) else {
            assert_eq!(
                example["about"], "return-negative",
                "{name}: others can be ordered"
            );
            continue;
        };
        let response: Value = serde_json::from_str(&case.result(&Directory::default())).unwrap();
        let (data, header) = (&response["data"], &response["data"]["GrundDaten"]);
        for (found, expected) in [
            (&header["AuftNetto"], "net"),
            (&header["AuftWUST"], "tax"),
            (&header["AuftBrutto"], "gross"),
            (&data["payable"], "payable"),
        ] {
            assert_eq!(
                decimal(found),
                decimal(&example[expected]),
                "{name}: {expected}"
            );
        }
        compared += 1;
    }
    assert_eq!(compared, 13);
}

fn decimal(value: &Value) -> Decimal {
    let text = value.to_string();
    text.trim_matches('"')
        .parse()
        .unwrap_or_else(|_| panic!("no number: {text}"))
}

/// The articles as the shop reads them for a customer.
fn articles(server: &Server, customer: &str, currency: &str) -> Value {
    let path = format!("/www/artikel?debinr={customer}&waehrabk={currency}");
    let response = server.get(&path).by(SHOP1).send().expect(200).json();
    response["data"].clone()
}

/// The members that an order of the server and a basket have in common.
fn priced(document: &Value) -> Value {
    let header = &document["GrundDaten"];
    let sums = [
        "WaehrAbk",
        "AuftLiefKost",
        "AuftNetto",
        "AuftWUST",
        "AuftBrutto",
    ];
    let sums: BTreeMap<&str, &Value> = sums.iter().map(|name| (*name, &header[*name])).collect();
    let recap = document["MWSTRekapitulation"].as_array().unwrap().iter();
    let recap: Vec<Value> = recap
        .map(|entry| {
            json!([
                entry["PosWUSTSatz"],
                entry["PosBetragNetto"],
                entry["PosWUST"]
            ])
        })
        .collect();
    let mut positions = document["Positionen"].clone();
    for position in positions.as_array_mut().unwrap() {
        // The server uses the text in the customer's language, the basket that of the response.
        position.as_object_mut().unwrap().remove("PosBez");
    }
    json!({"sums": sums, "recap": recap, "positions": positions})
}

/// Every article and packaging unit that has a price, each with another quantity and discount.
fn everything(articles: &Value) -> Vec<Value> {
    let mut positions = Vec::new();
    let articles = articles.as_array().unwrap().iter();
    for article in articles.filter(|article| article["ArtikelStatus"] != 0) {
        let mut add = |prices: &Value, factor: i64, unit: &Value| {
            if prices.is_null() {
                return;
            }
            let at = i64::try_from(positions.len()).unwrap();
            positions.push(json!({
                "ArtNr": article["ArtNr"], "Menge": factor * (1 + at * 7 % 53), "VPEinheit": unit,
                "GRabSatz": at % 4 * 5, "VisPosNr": 1000 - at,
            }));
        };
        add(&article["Preis"], 1, &Value::Null);
        for unit in article["Verpackungen"].as_array().into_iter().flatten() {
            let factor = unit["Faktor"].as_i64().unwrap();
            add(&unit["Preis"], factor, &unit["VPEinheit"]);
        }
    }
    positions
}

/// Settings that only the server knows: price bases of articles sold in packages, and the rate of a customer's own tax code.
fn settings(rate: &Value) -> Settings {
    let bases = ["BU-1007", "BU-1009", "EL-2009", "EL-2010", "BF-6001"].into_iter();
    let bases = bases.chain(["BF-6002", "BF-6003", "BF-6004", "BF-6005", "BF-6006"]);
    let bases: BTreeMap<&str, u32> = bases.map(|number| (number, 100)).collect();
    Settings::parse(&json!({"customerTaxRate": rate, "priceBases": bases})).unwrap()
}

#[test]
fn a_basket_costs_what_the_order_costs() {
    let server = Server::start();
    let own_rate = |customer| match customer {
        "10015" => json!(0),
        "10017" => json!(19),
        "10020" => json!(20),
        _ => Value::Null,
    };
    for customer in [
        "10001", "10003", "10004", "10006", "10013", "10015", "10017", "10020",
    ] {
        for (currency, costs) in [("CHF", json!(9.9)), ("EUR", json!(0)), ("CHF", json!(0.05))] {
            let articles = articles(&server, customer, currency);
            let mut positions = everything(&articles);
            assert!(positions.len() > 5, "{customer} {currency}");
            positions.push(json!({"ArtNr": "LM-3014", "Menge": 13, "Preis": 0.333_333}));
            let mut order = bodies::order(customer, Value::from(positions));
            order["GrundDaten"]["WaehrAbk"] = json!(currency);
            order["GrundDaten"]["AuftLiefKost"] = costs;
            let totals = offline::totals_of(&order, &articles, &settings(&own_rate(customer)));
            let totals = serde_json::to_value(totals.unwrap()).unwrap();
            let placed = placed(&server, &order);
            assert_eq!(priced(&totals), priced(&placed), "{customer} {currency}");
        }
    }
}

#[test]
fn a_basket_is_refused_as_the_order_is() {
    let server = Server::shared();
    let articles = articles(&server, "10001", "CHF");
    let list = json!([
        {"ArtNr": "LM-3014", "Menge": 0.5},
        {"ArtNr": "NOPE", "Menge": 1},
        {"ArtNr": "LM-3013", "Menge": 25, "VPEinheit": "TRAY"},
        {"ArtNr": "LM-3013", "Menge": 25, "VPEinheit": "NOPE"},
        {"ArtNr": "LM-3013", "Menge": "1"},
        {"ArtNr": "LM-3014", "Menge": 1, "GRabSatz": 100.5},
    ]);
    let mut order = bodies::order("10001", list);
    order["GrundDaten"]["AuftBez"] = json!(7);
    order["GrundDaten"]["AuftLiefKost"] = json!(-1);
    let problems = offline::totals_of(&order, &articles, &settings(&Value::Null)).unwrap_err();
    let refused = place(&server, &order).expect(422).json();
    let problems = serde_json::to_value(problems.into_vec()).unwrap();
    assert_eq!(problems, refused["info"]["problems"]);
    assert!(problems.as_array().unwrap().len() >= 7, "{problems}");
}

/// The response for an article with packaging units does not show the price of its base unit.
#[test]
fn a_price_that_responses_do_not_show_is_not_guessed() {
    let server = Server::shared();
    let articles = articles(&server, "10001", "CHF");
    let order = bodies::order("10001", json!([{"ArtNr": "BU-1002", "Menge": 12}]));
    let problems = offline::totals_of(&order, &articles, &Settings::default()).unwrap_err();
    assert_eq!(problems.as_slice()[0].code, erp_core::Code::NoPrice);
    assert_eq!(place(&server, &order).status, 201);
}

#[test]
fn the_types_of_the_package_are_those_of_the_tables() {
    assert!(
        file("erp-wasm/npm/src/wire.ts") == wire_types(),
        "`cargo run -p erp-tests --example wire_types` prints the right ones"
    );
}

fn entries<'a>(records: &'a [Value], list: &str) -> Vec<&'a Value> {
    let lists = records.iter().filter_map(|one| one[list].as_array());
    lists.flatten().collect()
}

/// The required fields of a table that are missing in one of these records.
fn lacking(schema: &Schema, records: &[&Value]) -> BTreeSet<&'static str> {
    let required = schema.fields.iter().filter(|field| field.required);
    let lacked = required.filter(|field| records.iter().any(|one| one.get(field.wire).is_none()));
    lacked.map(|field| field.wire).collect()
}

/// Totals and prices lack only these required fields of a response: `BasketTax` and `Price` of the package.
#[test]
fn totals_and_prices_have_the_fields_that_their_types_promise() {
    let towns = Directory::default();
    let results = |call: &str| -> Vec<Value> {
        let cases = cases().into_iter().filter(|case| case.call == call);
        let results = cases.map(|case| serde_json::from_str(&case.result(&towns)).unwrap());
        let mut results: Vec<Value> = results.collect();
        results
            .iter_mut()
            .map(|one| one["data"].take())
            .filter(|data| !data.is_null())
            .collect()
    };
    let totals = results("totalsOf");
    let positions = entries(&totals, "Positionen");
    let taxes = entries(&totals, "MWSTRekapitulation");
    assert!(positions.len() > 20 && taxes.len() > 20);
    assert_eq!(lacking(Position::SCHEMA, &positions), BTreeSet::new());
    assert_eq!(
        lacking(TaxRecapEntry::SCHEMA, &taxes),
        ["PosWUSTCode", "PosWUSTKlasse"].into()
    );
    for one in &totals {
        let sums = one["GrundDaten"].as_object().unwrap();
        let expected = [
            "AuftBrutto",
            "AuftLiefKost",
            "AuftNetto",
            "AuftWUST",
            "WaehrAbk",
        ];
        assert!(sums.keys().eq(expected), "{sums:?}");
    }
    let prices = results("priceOf");
    let prices: Vec<_> = prices.iter().collect();
    assert!(!prices.is_empty());
    assert_eq!(
        lacking(Position::SCHEMA, &prices),
        ["PosNr", "VisPosNr"].into()
    );
}

#[test]
fn manifests_and_lock_files_fit_the_project() {
    let manifest: Value = serde_json::from_str(&file("erp-wasm/npm/package.json")).unwrap();
    assert_eq!(manifest["version"], erp_core::VERSION);
    assert_eq!(manifest["license"], "MIT OR Apache-2.0");
    for folder in ["erp-wasm/npm", "tests/wasm"] {
        let lock = file(&format!("{folder}/package-lock.json"));
        assert!(
            !lock.contains("\"resolved\"") && !lock.contains("://registry"),
            "{folder}"
        );
        let manifest: Value =
            serde_json::from_str(&file(&format!("{folder}/package.json"))).unwrap();
        for (name, version) in manifest["devDependencies"].as_object().unwrap() {
            let version = version.as_str().unwrap();
            assert!(
                version.starts_with(|digit: char| digit.is_ascii_digit()),
                "{folder}: {name}"
            );
        }
    }
}
