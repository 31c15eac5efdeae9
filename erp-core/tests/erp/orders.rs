//! Values that an order takes from customer, articles and company, where several rules apply.

use crate::common::{Demo, LINKS, admin, block_on, demo, shop};
use erp_core::Erp;
use erp_core::codes::Currency;
use erp_core::erp::{ArticleQuery, Error, Settings};
use erp_core::master::Caller;
use erp_core::storage::MemoryStore;
use serde_json::{Value, json};

/// Places an order of the small company's customer and reads it back.
fn order(demo: &Demo, header: &Value, positions: &Value) -> Value {
    let mut header = header.clone();
    if header.get("KundNr").is_none() {
        header["KundNr"] = json!("10001");
    }
    let body = json!({"GrundDaten": header, "Positionen": positions});
    placed(demo, &body)
}

fn placed(demo: &Demo, body: &Value) -> Value {
    let number = demo.order(body);
    serde_json::to_value(
        block_on(demo.shop(&admin()).order(&number))
            .unwrap()
            .to_wire(),
    )
    .unwrap()
}

fn article(demo: &Demo, caller: &Caller, number: &str) -> Result<Value, Error> {
    let found = block_on(demo.shop(caller).article(number, &ArticleQuery::default()));
    found.map(|article| serde_json::to_value(article.to_wire(&LINKS)).unwrap())
}

fn customer(number: &str, more: &[(&str, Value)]) -> Value {
    let mut row = json!({"KundNr": number, "WaehrAbk": "CHF", "KontaktAdr": {"AdrSprache": "ger",
        "AdrAdresse1": "Weg 1", "AdrAnrede": 0, "AdrFirma": "Käufer AG", "OrtLand": "CH",
        "OrtName": "Zürich", "OrtPLZ": "8001"}});
    for (name, value) in more {
        row[*name] = value.clone();
    }
    json!({ "Kunde": row })
}

fn rates(order: &Value) -> Vec<String> {
    let recap = order["MWSTRekapitulation"].as_array().unwrap();
    recap
        .iter()
        .map(|entry| entry["PosWUSTSatz"].to_string())
        .collect()
}

// rule: D-REQ-06, D-REQ-13
#[test]
fn blank_text_is_absent_and_padding_does_not_count() {
    let demo = demo();
    let order = order(
        &demo,
        &json!({"KundNr": "10001   ", "AuftBez": "  ", "AuftKomment": "", "WaehrAbk": "chf "}),
        &json!([{"ArtNr": "P-1            ", "Menge": 1, "PosBez": " "}]),
    );
    let header = &order["GrundDaten"];
    assert_eq!(header["KundNr"], "10001");
    assert_eq!(header["WaehrAbk"], "CHF");
    assert!(header.get("AuftBez").is_none() && header.get("AuftKomment").is_none());
    assert_eq!(order["Positionen"][0]["ArtNr"], "P-1");
    assert_eq!(order["Positionen"][0]["PosBez"], "Stanzwerkzeug");
}

// rule: D-PRI-17
#[test]
fn the_rate_is_that_of_the_day_of_delivery_in_the_companys_zone() {
    let demo = demo();
    demo.import(&[
        json!({"Steuer": {"WUSTCode": "CH81", "PosWUSTKlasse": "C", "Saetze": [
        {"GueltigAb": "2024-01-01", "GueltigBis": "2026-12-31", "WUSTSatz": 8.1},
        {"GueltigAb": "2027-01-01", "WUSTSatz": 8.8}]}}),
    ])
    .unwrap();
    let positions = json!([{"ArtNr": "P-1", "Menge": 1}]);
    let rate = |header: &Value| rates(&order(&demo, header, &positions));
    assert_eq!(rate(&json!({})), ["8.1"]);
    assert_eq!(
        rate(&json!({"AuftLieferT": "2027-01-01T00:00:00Z"})),
        ["8.8"]
    );
    assert_eq!(
        rate(&json!({"AuftLieferT": "2026-12-31T23:59:59Z"})),
        ["8.1"]
    );
    assert_eq!(rate(&json!({"AuftBestellT": "2027-02-01"})), ["8.8"]);
    let both = json!({"AuftBestellT": "2027-02-01", "AuftLieferT": "2026-12-30"});
    assert_eq!(rate(&both), ["8.1"]);
}

// rule: D-PRI-16
#[test]
fn the_tax_code_of_a_customer_replaces_those_of_articles_and_delivery() {
    let demo = demo();
    demo.import(&[
        json!({"Steuer": {"WUSTCode": "EXPORT", "PosWUSTKlasse": "X",
            "Saetze": [{"GueltigAb": "2024-01-01", "WUSTSatz": 0}]}}),
        customer("10009", &[("WUSTCode", json!("EXPORT"))]),
    ])
    .unwrap();
    let positions = json!([{"ArtNr": "P-1", "Menge": 1}, {"ArtNr": "P-3", "Menge": 1}]);
    let header = json!({"KundNr": "10009", "AuftLiefKost": 10});
    let order = order(&demo, &header, &positions);
    assert_eq!(rates(&order), ["0"]);
    assert_eq!(order["GrundDaten"]["AuftBrutto"].to_string(), "26.55");
}

// rule: D-PRI-16
#[test]
fn a_gross_price_is_what_the_customer_pays_whatever_its_tax_code() {
    let demo = demo();
    let price = json!({"PreisListe": "STANDARD", "ArtNr": "P-4", "WaehrAbk": "CHF", "AbAnzahl": 1,
        "PreisList": 11.90, "Preisart": "B"});
    demo.import(&[
        json!({"Steuer": {"WUSTCode": "EXPORT", "PosWUSTKlasse": "X",
            "Saetze": [{"GueltigAb": "2024-01-01", "WUSTSatz": 0}]}}),
        customer("10009", &[("WUSTCode", json!("EXPORT"))]),
        json!({ "Preis": price }),
    ])
    .unwrap();
    for number in ["10001", "10009"] {
        let header = json!({ "KundNr": number });
        let order = order(&demo, &header, &json!([{"ArtNr": "P-4", "Menge": 1}]));
        assert_eq!(order["GrundDaten"]["AuftBrutto"].to_string(), "11.9");
    }
}

// rule: R-TOT-05
#[test]
fn an_own_price_with_a_packaging_unit_is_the_price_of_a_package() {
    let demo = demo();
    let positions = json!([{"ArtNr": "P-2", "Menge": 24, "VPEinheit": "KT12", "Preis": 7.5}]);
    let order = order(&demo, &json!({}), &positions);
    let position = &order["Positionen"][0];
    assert_eq!(position["VPEPreisEinzel"].to_string(), "7.5");
    assert_eq!(position["PosPreisTotal"].to_string(), "15");
    assert_eq!(position["PosPreisEinzel"].to_string(), "0.625");
}

// rule: R-TOT-04
#[test]
fn the_price_of_a_package_is_never_divided_by_the_articles_basis() {
    let demo = demo();
    let price = |unit: Option<&str>, price: u32| {
        let mut row = json!({"PreisListe": "STANDARD", "ArtNr": "P-8", "WaehrAbk": "CHF", "AbAnzahl": 1,
            "PreisList": price, "Preisart": "N"});
        if let Some(unit) = unit {
            row["VPEinheit"] = json!(unit);
        }
        json!({ "Preis": row })
    };
    demo.import(&[
        json!({"Artikel": {"ArtNr": "P-8", "ArtBez": "Schraube", "PosPreisBasis": 100,
            "attributes": [{"PHKey": "RESTWEBSHOP", "Contents": "*"}],
            "Verpackungen": [{"VPEinheit": "BX500", "Faktor": 500}]}}),
        price(None, 12),
        price(Some("BX500"), 50),
    ])
    .unwrap();
    let positions = json!([{"ArtNr": "P-8", "Menge": 50}, {"ArtNr": "P-8", "Menge": 1000, "VPEinheit": "BX500"}]);
    let order = order(&demo, &json!({}), &positions);
    let total = |at: usize| order["Positionen"][at]["PosPreisTotal"].to_string();
    // 50 × 12 / 100 = 6; two boxes at 50 are 100.
    assert_eq!((total(0), total(1)), ("6".to_owned(), "100".to_owned()));
    assert_eq!(
        order["Positionen"][1]["PosPreisEinzel"].to_string(),
        "10",
        "per 100, as information"
    );
}

// rule: R-RES-05, R-END-04
#[test]
fn an_address_sent_with_the_order_has_no_number_and_is_used_only_for_it() {
    let demo = demo();
    let positions = json!([{"ArtNr": "P-1", "Menge": 1}]);
    let plain = order(&demo, &json!({}), &positions)["Adressen"].take();
    let places = ["KontaktAdr", "LiefAdr", "RechAdr"];
    for place in places {
        let sent = json!({"AdrSprache": "ger", "AdrAnrede": 1, "AdrName": "Öz", "AdrAdresse1": "Am Bach 2",
            "OrtLand": "DE", "OrtName": "Köln", "OrtPLZ": "50667"});
        let body = json!({"GrundDaten": {"KundNr": "10001"}, "Adressen": {place: sent}, "Positionen": positions});
        let with = placed(&demo, &body)["Adressen"].take();
        assert_eq!(with[place]["OrtName"], "Köln");
        assert!(with[place].get("AdrNr").is_none() && plain[place]["AdrNr"].is_number());
        for other in places.into_iter().filter(|other| *other != place) {
            assert_eq!(with[other], plain[other], "{other}");
        }
    }
    assert_eq!(order(&demo, &json!({}), &positions)["Adressen"], plain);
}

// rule: R-END-04, D-IMP-04
#[test]
fn a_document_keeps_its_copies() {
    let demo = demo();
    let body =
        json!({"GrundDaten": {"KundNr": "10001"}, "Positionen": [{"ArtNr": "P-1", "Menge": 1}]});
    let number = demo.order(&body);
    let before = block_on(demo.shop(&admin()).order(&number)).unwrap();
    demo.import(&[
        customer("10001", &[("AdrSprache", json!("fre"))]),
        json!({"Preisliste": {"PreisListe": "STANDARD", "ArtNr": "P-1", "Preis": []}}),
        json!({"Artikel": {"ArtNr": "P-1", "Loeschen": true}}),
    ])
    .unwrap();
    assert_eq!(
        block_on(demo.shop(&admin()).order(&number)).unwrap(),
        before
    );
}

// rule: R-RES-16
#[test]
fn stock_in_base_units_is_shown_and_reserved_besides_packaging_units() {
    let demo = demo();
    demo.import(&[
        json!({"Artikel": {"ArtNr": "P-2", "ArtBez": "Reißnagel", "AnLager": "J",
            "attributes": [{"PHKey": "RESTWEBSHOP", "Contents": "SHOP1"}],
            "Verpackungen": [{"VPEinheit": "KT12", "Faktor": 12}]}}),
        json!({"Bestand": {"ArtNr": "P-2", "LagerOrt": "A", "StaoNr": 1, "LagerBestand": 100}}),
    ])
    .unwrap();
    let stock = || {
        let shown = article(&demo, &shop("SHOP1"), "P-2").unwrap();
        let packages = &shown["Verpackungen"][0]["Bestand"][0]["LagerBestand"];
        (
            shown["Bestand"][0]["LagerBestand"].clone(),
            packages.clone(),
        )
    };
    let cartons = json!([{"ArtNr": "P-2", "Menge": 24, "VPEinheit": "KT12"}]);
    assert_eq!(stock(), (json!(100), Value::Null));
    // The location has no stock in cartons, so base units are reserved.
    order(&demo, &json!({}), &cartons);
    assert_eq!(stock(), (json!(76), Value::Null));
    demo.import(&[
        json!({"Bestand": {"ArtNr": "P-2", "LagerOrt": "B", "StaoNr": 1,
        "LagerBestand": 8, "VPEinheit": "KT12"}}),
    ])
    .unwrap();
    order(&demo, &json!({}), &cartons);
    assert_eq!(stock(), (json!(76), json!(6)));
}

// rule: R-END-07, R-END-17
#[test]
fn an_unknown_customer_is_not_found_in_queries_and_a_problem_in_bodies() {
    let demo = demo();
    let caller = shop("SHOP1");
    let query = ArticleQuery {
        customer: Some("99999".to_owned()),
        ..ArticleQuery::default()
    };
    let error = block_on(demo.shop(&caller).article("P-1", &query)).unwrap_err();
    assert!(matches!(
        error,
        Error::NotFound {
            what: "customer",
            ..
        }
    ));
    let body =
        json!({"GrundDaten": {"KundNr": "99999"}, "Positionen": [{"ArtNr": "P-1", "Menge": 1}]});
    let error = block_on(demo.shop(&caller).create_order(&body)).unwrap_err();
    let Error::Invalid(problems) = error else {
        panic!("{error:?}")
    };
    assert_eq!(problems.as_slice()[0].path, "GrundDaten.KundNr");
    assert_eq!(problems.as_slice()[0].code.to_string(), "unknown_customer");
}

// rule: R-TOT-11
#[test]
fn delivery_costs_are_spread_over_the_codes_of_the_lines() {
    let demo = demo();
    let positions = json!([{"ArtNr": "P-1", "Menge": 3}, {"ArtNr": "P-3", "Menge": 2.5}]);
    let order = order(&demo, &json!({"AuftLiefKost": 9.9}), &positions);
    let recap: Vec<String> = order["MWSTRekapitulation"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["PosBetragNetto"].to_string())
        .collect();
    // Lines of 37.05 and 10.50 get 7.71 and 2.19 of the 9.90.
    assert_eq!(recap, ["44.76", "12.69"]);
    assert_eq!(order["GrundDaten"]["AuftNetto"].to_string(), "57.45");
    assert_eq!(order["GrundDaten"]["AuftLiefKost"].to_string(), "9.9");
}

// rule: D-PRI-19
#[test]
fn cash_rounding_is_a_position_outside_of_the_totals() {
    let step = "0.05".parse().unwrap();
    let settings = Settings {
        cash_rounding: [(Currency::CHF, step)].into(),
        ..Settings::default()
    };
    let demo = Demo {
        erp: Erp::new(MemoryStore::new(), settings),
    };
    demo.import(&crate::common::rows()).unwrap();
    let order = order(&demo, &json!({}), &json!([{"ArtNr": "P-1", "Menge": 1}]));
    // 12.35 + 1.00 = 13.35 needs no rounding; two make 24.70 + 2.00 = 26.70.
    assert_eq!(order["Positionen"].as_array().unwrap().len(), 1);
    let order = self::order(&demo, &json!({}), &json!([{"ArtNr": "P-3", "Menge": 1}]));
    // 4.20 + 0.11 = 4.31 is paid as 4.30.
    assert_eq!(order["GrundDaten"]["AuftBrutto"].to_string(), "4.31");
    let rounding = &order["Positionen"][1];
    assert_eq!(
        (&rounding["PosNr"], rounding.get("ArtNr")),
        (&json!(0), None)
    );
    assert_eq!(rounding["PosPreisTotal"].to_string(), "-0.01");
}

// rule: R-END-03, R-END-06
#[test]
fn a_blocked_customer_may_order() {
    let demo = demo();
    let stored = block_on(demo.office().customer("10001")).unwrap().value;
    assert_eq!(stored.details.credit_limit, 0);
    let order = order(&demo, &json!({}), &json!([{"ArtNr": "P-1", "Menge": 1}]));
    assert_eq!(order["GrundDaten"]["AuftStatus"], "N");
}

// rule: R-RES-09, R-END-36
#[test]
fn payments_have_keys_counted_from_one() {
    let demo = demo();
    let body = json!({"GrundDaten": {"KundNr": "10001"}, "Positionen": [{"ArtNr": "P-1", "Menge": 1}],
        "Zahlung": [{"Bezeichnung": "Dienstleister", "Wert": "Muster Pay"}, {"Wert": "4711"}]});
    assert_eq!(
        placed(&demo, &body)["Zahlung"],
        json!([
            {"Bezeichnung": "Dienstleister", "Wert": "Muster Pay", "Key": "1"},
            {"Wert": "4711", "Key": "2"},
        ])
    );
}

fn codes(demo: &Demo, body: &Value) -> Vec<(String, String)> {
    let caller = shop("SHOP1");
    match block_on(demo.shop(&caller).create_order(body)) {
        Err(Error::Invalid(problems)) => problems
            .as_slice()
            .iter()
            .map(|problem| (problem.path.clone(), problem.code.to_string()))
            .collect(),
        other => panic!("{other:?}"),
    }
}

// rule: R-END-32
#[test]
fn a_payment_condition_must_be_in_the_companys_list_if_there_is_one() {
    let demo = demo();
    let body = |condition: u8, customer: &str| {
        json!({"GrundDaten": {"KundNr": customer, "KundBedTyp": condition},
            "Positionen": [{"ArtNr": "P-1", "Menge": 1}]})
    };
    demo.order(&body(99, "10001"));
    let mut company = crate::common::rows().remove(0);
    company["Firma"]["Zahlungsbedingungen"] =
        json!([{"KundBedTyp": 30, "Texte": [{"AdrSprache": "ger", "Text": "30 Tage"}]}]);
    demo.import(&[company]).unwrap();
    demo.order(&body(30, "10001"));
    let unknown = (
        "GrundDaten.KundBedTyp".to_owned(),
        "unknown_value".to_owned(),
    );
    assert_eq!(
        codes(&demo, &body(99, "10001")),
        std::slice::from_ref(&unknown)
    );
    assert!(
        codes(&demo, &body(99, "4711")).contains(&unknown),
        "beside an unknown customer"
    );
}

// rule: R-RES-07, R-RES-08
#[test]
fn recap_entries_name_their_section_and_the_figures_of_the_form() {
    let demo = demo();
    let positions =
        json!([{"ArtNr": "P-3", "Menge": 10}, {"ArtNr": "P-1", "Menge": 1, "GRabSatz": 10}]);
    let order = order(&demo, &json!({}), &positions);
    let recap = &order["MWSTRekapitulation"];
    assert_eq!(
        recap[0],
        serde_json::from_str::<Value>(
            r#"{"Abschnitt":"MWSTRekapitulation","WaehrAbk":"CHF","PosWUST":0.9,"PosWUSTSatz":8.1,
            "PosWUSTBez":"MWST 8.1 %","PosBetragNetto":11.11,"PosWUSTCode":"CH81",
            "PosWUSTKlasse":"C","PosUSTUZiffer":"303"}"#
        )
        .unwrap()
    );
    assert_eq!(rates(&order), ["8.1", "2.6"]);
    assert!(order["Positionen"][1].get("GRabBez").is_none());
    assert_eq!(order["Positionen"][1]["GRabSatz"].to_string(), "10");
}

// rule: R-TOT-15, R-END-32
#[test]
fn the_currency_is_the_leading_one_and_bounds_the_digits_of_delivery_costs() {
    let demo = demo();
    let positions = json!([{"ArtNr": "P-1", "Menge": 1, "Preis": 1}]);
    assert_eq!(
        order(&demo, &json!({}), &positions)["GrundDaten"]["WaehrAbk"],
        "CHF"
    );
    let body = |currency: &str, costs: &str| {
        let costs: Value = serde_json::from_str(costs).unwrap();
        json!({"GrundDaten": {"KundNr": "10001", "WaehrAbk": currency, "AuftLiefKost": costs},
            "Positionen": positions})
    };
    let problem = [(
        "GrundDaten.AuftLiefKost".to_owned(),
        "too_precise".to_owned(),
    )];
    assert_eq!(codes(&demo, &body("CHF", "9.905")), problem);
    assert_eq!(codes(&demo, &body("JPY", "9.9")), problem);
    placed(&demo, &body("JPY", "9"));
}

// rule: R-ART-03
#[test]
fn a_unit_that_shops_do_not_see_cannot_be_ordered() {
    let demo = demo();
    demo.import(&[json!({"Artikel": {"ArtNr": "P-2", "ArtBez": "Reißnagel",
        "attributes": [{"PHKey": "RESTWEBSHOP", "Contents": "SHOP1"}, {"PHKey": "WEBSHOPVPE", "Contents": "PAL"}],
        "Verpackungen": [{"VPEinheit": "KT12", "Faktor": 12}, {"VPEinheit": "PAL", "Faktor": 480}]}})])
        .unwrap();
    let shown = article(&demo, &shop("SHOP1"), "P-2").unwrap();
    assert_eq!(shown["Verpackungen"].as_array().unwrap().len(), 1);
    let positions = json!([{"ArtNr": "P-2", "Menge": 12, "VPEinheit": "KT12"}]);
    let body = json!({"GrundDaten": {"KundNr": "10001"}, "Positionen": positions});
    assert_eq!(
        codes(&demo, &body),
        [(
            "Positionen[0].VPEinheit".to_owned(),
            "unknown_packaging_unit".to_owned()
        )]
    );
}
