//! `POST /www/auftrag`, `GET /www/auftrag/{AuftNr}`: the main job of a shop.

use std::collections::BTreeSet;

use erp_core::wire::{OrderAddress, OrderHeader, Position, Record, TaxRecapEntry};
use erp_tests::bodies;
use erp_tests::exchange::Exchange;
use erp_tests::golden::golden;
use erp_tests::server::{ADMIN, Login, SHOP1, SHOP2, Server};
use serde_json::{Value, json};

fn place(server: &Server, body: &Value) -> Exchange {
    server.post("/www/auftrag").by(SHOP1).json(body).send()
}

fn read(server: &Server, number: &str) -> Value {
    server.get(&format!("/www/auftrag/{number}")).by(SHOP1).send().expect(200).data()
}

/// Places an order and reads it back.
fn placed_by(server: &Server, login: Login, body: &Value) -> Value {
    let number = server.post("/www/auftrag").by(login).json(body).send().expect(201).number("AuftNr");
    read(server, &number)
}

fn placed(server: &Server, body: &Value) -> Value {
    placed_by(server, SHOP1, body)
}

/// Net, tax and gross.
fn totals(order: &Value) -> [String; 3] {
    ["AuftNetto", "AuftWUST", "AuftBrutto"].map(|name| order["GrundDaten"][name].to_string())
}

/// Some members of every entry of a list, as they stand on the wire.
fn column(list: &Value, names: &[&str]) -> Vec<String> {
    let entries = list.as_array().expect("a list").iter();
    entries.map(|entry| names.iter().map(|name| entry[*name].to_string()).collect::<Vec<_>>().join(" ")).collect()
}

fn members(object: &Value) -> BTreeSet<String> {
    object.as_object().expect("an object").keys().cloned().collect()
}

/// The wire names of a table without those that have no value here.
fn table<R: Record>(without: &[&str]) -> BTreeSet<String> {
    let names = R::SCHEMA.fields.iter().map(|field| field.wire.to_owned());
    names.filter(|name| !without.contains(&name.as_str())).collect()
}

#[test]
fn the_answers_are_the_golden_ones() {
    let server = Server::start();
    golden(&server, "order-created", &place(&server, &bodies::full_order("10001")));
    golden(&server, "order-read", &server.get("/www/auftrag/100001").by(SHOP1).send());
    let least = bodies::order("10004", json!([{"ArtNr": "BU-1003", "Menge": 50, "VPEinheit": "SCHACHTEL"}]));
    let _ = place(&server, &least).expect(201);
    golden(&server, "order-read-least-gross", &server.get("/www/auftrag/100002").by(SHOP1).send());
    golden(&server, "order-unknown", &server.get("/www/auftrag/999999").by(SHOP1).send());
    golden(&server, "order-empty-body", &place(&server, &json!({})));
    let wrong = bodies::order("10001", json!([
        {"ArtNr": "NOPE", "Menge": 1}, {"ArtNr": "BU-1001", "Menge": 7, "VPEinheit": "KARTON"},
        {"ArtNr": "BU-1001", "Menge": 1, "VPEinheit": "FASS"}, {"ArtNr": "BU-1090", "Menge": 1}, {"Menge": 0},
    ]));
    golden(&server, "order-all-problems", &place(&server, &wrong));
}

#[test]
fn the_main_job_of_a_shop() {
    let server = Server::shared();
    let customer = server.post("/www/kunden").by(SHOP1).json(&bodies::customer()).send().expect(201).number("DebiNr");
    let mut body = bodies::order(&customer, json!([
        {"ArtNr": "BU-1002", "Menge": 12},
        {"ArtNr": "BU-1001", "Menge": 10, "VPEinheit": "KARTON", "GRabSatz": 5},
        {"ArtNr": "LM-3001", "Menge": 4, "PosBez": "Kaffee für die Küche"},
    ]));
    body["GrundDaten"]["AuftBez"] = json!("Bestellung für das Büro");
    body["GrundDaten"]["AuftLiefKost"] = json!(9.90);
    body["Zahlung"] = json!([{"Bezeichnung": "payment_method", "Wert": "R"}]);
    let order = placed(&server, &body);
    // 12 x 5.30 = 63.60; 2 cartons x 28.50 less 5 % = 54.15; 4 x 18.90 = 75.60. Delivery 9.90 goes
    // 6.03 to the standard and 3.87 to the reduced rate: 123.78 at 8.1 % = 10.03, 79.47 at 2.6 % = 2.07.
    assert_eq!(totals(&order), ["203.25", "12.1", "215.35"]);
    assert_eq!(
        column(&order["Positionen"], &["PosNr", "VisPosNr", "PosAnzBest", "PosPreisEinzel", "PosPreisBasis", "PosPreisTotal", "PosPreisWUSTBetrag", "WUSTSatz", "GRabSatz"]),
        ["1 10 12 5.3 1 63.6 5.15 8.1 0", "2 20 10 5.7 1 54.15 4.39 8.1 5", "3 30 4 18.9 1 75.6 1.97 2.6 0"]
    );
    assert_eq!(column(&order["Positionen"], &["VPEAnzBest", "VPEPreisEinzel", "VPEinheit"])[1], "2 28.5 \"KARTON\"");
    assert_eq!(
        column(&order["MWSTRekapitulation"], &["PosWUSTCode", "PosWUSTSatz", "PosBetragNetto", "PosWUST", "PosUSTUZiffer", "PosWUSTKlasse"]),
        ["\"CH-NORMAL\" 8.1 123.78 10.03 \"303\" \"C\"", "\"CH-REDUZIERT\" 2.6 79.47 2.07 \"313\" \"C\""]
    );
    let header = &order["GrundDaten"];
    assert_eq!((&header["KundNr"], &header["AuftStatus"], &header["WaehrAbk"]), (&json!(customer), &json!("N"), &json!("CHF")));
    assert_eq!((header["AuftLiefKost"].to_string().as_str(), &header["StaoNr"]), ("9.9", &json!(1)));
    assert_eq!(header["AuftBez"], "Bestellung für das Büro");
    let descriptions: Vec<&Value> = order["Positionen"].as_array().unwrap().iter().map(|position| &position["PosBez"]).collect();
    assert_eq!(descriptions[2], "Kaffee für die Küche");
    assert_eq!(descriptions[1], "Kopierpapier A4, 80 g/m², hochweiss, 500 Blatt");
    assert_eq!(order["Zahlung"][0]["Wert"], "R");
}

#[test]
fn a_full_order_answers_every_member_of_the_tables() {
    let server = Server::shared();
    let order = placed(&server, &bodies::full_order("10001"));
    let parts: BTreeSet<String> = ["GrundDaten", "Adressen", "Positionen", "MWSTRekapitulation", "Zahlung"].map(str::to_owned).into();
    assert_eq!(members(&order), parts);
    assert_eq!(members(&order["GrundDaten"]), table::<OrderHeader>(&[]));
    assert_eq!(members(&order["Positionen"][1]), table::<Position>(&["GRabBez"]));
    assert_eq!(members(&order["Positionen"][0]), table::<Position>(&["GRabBez", "VPEAnzBest", "VPEPreisEinzel", "VPEinheit"]));
    assert_eq!(members(&order["MWSTRekapitulation"][0]), table::<TaxRecapEntry>(&[]));
    assert_eq!(members(&order["Adressen"]), ["KontaktAdr", "LiefAdr", "RechAdr"].map(str::to_owned).into());
    assert_eq!(members(&order["Adressen"]["RechAdr"]), table::<OrderAddress>(&["AdrNr"]));
    let sent = bodies::full_order("10001");
    for name in ["AuftBestellNr", "AuftBez", "AuftBestellRef", "AuftKomment", "KundBedTyp", "StaoNr", "WaehrAbk", "KundNr"] {
        assert_eq!(order["GrundDaten"][name], sent["GrundDaten"][name], "{name}");
    }
    // Shown by ordering number, numbered by place in the body.
    assert_eq!(column(&order["Positionen"], &["VisPosNr", "PosNr", "ArtNr"]), ["10 3 \"LM-3001\"", "20 2 \"BU-1001\"", "30 1 \"BU-1002\""]);
    assert_eq!(column(&order["Zahlung"], &["Bezeichnung", "Wert"]), ["\"payment_method\" \"R\"", "\"TransID\" \"tx-ü-1\""]);
    let keys: BTreeSet<String> = column(&order["Zahlung"], &["Key"]).into_iter().collect();
    assert!(keys.len() == 2 && keys.iter().all(|key| (3..=14).contains(&key.len())), "{keys:?}");
}

#[test]
fn gross_lists_keep_the_advertised_price() {
    let server = Server::shared();
    let mut body = bodies::order("10004", json!([{"ArtNr": "BU-1001", "Menge": 3}, {"ArtNr": "LM-3001", "Menge": 2}]));
    body["GrundDaten"]["AuftLiefKost"] = json!(8);
    let order = placed(&server, &body);
    // 3 x 7.90 + 2 x 22.90 + 8.00 = 77.50; 26.43 holds 1.98 at 8.1 %, 51.07 holds 1.29 at 2.6 %.
    assert_eq!(totals(&order), ["74.23", "3.27", "77.5"]);
    assert_eq!(column(&order["Positionen"], &["PosPreisEinzel", "PosPreisTotal", "PosPreisWUSTBetrag"]), ["7.9 23.7 1.78", "22.9 45.8 1.16"]);
    assert_eq!(column(&order["MWSTRekapitulation"], &["PosBetragNetto", "PosWUST"]), ["24.45 1.98", "49.78 1.29"]);
}

#[test]
fn a_document_with_both_kinds_is_net() {
    let server = Server::shared();
    let order = placed(&server, &bodies::order("10004", json!([{"ArtNr": "EL-2013", "Menge": 1}, {"ArtNr": "BU-1001", "Menge": 1}])));
    // 7.90 gross is 7.308048 net; 64.00 + 7.31 at 8.1 %.
    assert_eq!(totals(&order), ["71.31", "5.78", "77.09"]);
    assert_eq!(column(&order["Positionen"], &["PosPreisEinzel", "PosPreisTotal"]), ["64 64", "7.308048 7.31"]);
}

#[test]
fn an_export_customer_pays_no_tax_and_a_foreign_one_its_own() {
    let server = Server::shared();
    let mut body = bodies::order("10015", json!([{"ArtNr": "BU-1001", "Menge": 10}]));
    body["GrundDaten"]["WaehrAbk"] = json!("EUR");
    body["GrundDaten"]["AuftLiefKost"] = json!(12.30);
    let order = placed(&server, &body);
    assert_eq!(totals(&order), ["62.8", "0", "62.8"]);
    let recap = ["WaehrAbk", "PosWUSTCode", "PosWUSTSatz", "PosBetragNetto", "PosWUST", "PosUSTUZiffer", "PosUSTSZiffer"];
    assert_eq!(column(&order["MWSTRekapitulation"], &recap), ["\"EUR\" \"CH-EXPORT\" 0 62.8 0 \"220\" null"]);
    body["GrundDaten"] = json!({"KundNr": "10017", "WaehrAbk": "EUR", "AuftBestellT": "2026-03-02"});
    body["Positionen"] = json!([{"ArtNr": "BU-1001", "Menge": 1}]);
    let order = placed(&server, &body);
    assert_eq!(totals(&order), ["6.57", "1.25", "7.82"]);
    let recap = ["PosWUSTCode", "PosWUSTSatz", "PosWUSTKlasse", "PosUSTUZiffer", "PosUSTSZiffer", "PosVSTSZiffer"];
    assert_eq!(column(&order["MWSTRekapitulation"], &recap), ["\"DE-NORMAL\" 19 \"D\" \"81\" \"81\" \"66\""]);
}

#[test]
fn price_bases_fractions_and_own_prices() {
    let server = Server::shared();
    let line = |login: Login, position: Value| {
        let order = placed_by(&server, login, &bodies::order("10006", json!([position])));
        column(&order["Positionen"], &["PosPreisEinzel", "PosPreisBasis", "PosPreisTotal"])[0].clone()
    };
    // 2500 x 1.35 / 1000 = 3.375, rounded away from zero.
    assert_eq!(line(SHOP1, json!({"ArtNr": "BU-1010", "Menge": 2500})), "1.35 1000 3.38");
    assert_eq!(line(SHOP1, json!({"ArtNr": "BF-6001", "Menge": 250})), "4.6 100 11.5");
    // 1.25 kg x 26.50 = 33.125.
    assert_eq!(line(SHOP2, json!({"ArtNr": "LM-3012", "Menge": 1.25})), "26.5 1 33.13");
    assert_eq!(line(SHOP2, json!({"ArtNr": "LM-3012", "Menge": 13, "VPEinheit": "LAIB"})), "22.923077 1 298");
    assert_eq!(line(SHOP1, json!({"ArtNr": "LM-3001", "Menge": 4, "Preis": 17.77})), "17.77 1 71.08");
    assert_eq!(line(SHOP1, json!({"ArtNr": "LM-3001", "Menge": 1, "Preis": 0})), "0 1 0");
    assert_eq!(line(SHOP1, json!({"ArtNr": "BU-1090", "Menge": 2, "Preis": 0.333333})), "0.333333 1 0.67");
    assert_eq!(line(SHOP1, json!({"ArtNr": "BU-1001", "Menge": 3, "GRabSatz": 100})), "6.2 1 0");
    assert_eq!(line(SHOP1, json!({"ArtNr": "BU-1001", "Menge": 0.000001, "Preis": 6.2})), "6.2 1 0");
}

#[test]
fn tiers_are_chosen_by_quantity_and_a_quantity_below_the_first_has_no_price() {
    let server = Server::shared();
    for (quantity, price) in [("1", "6.2"), ("9", "6.2"), ("10", "5.8"), ("49", "5.8"), ("50", "5.35"), ("5000", "5.35")] {
        let quantity: Value = serde_json::from_str(quantity).unwrap();
        let order = placed(&server, &bodies::order("10006", json!([{"ArtNr": "BU-1001", "Menge": quantity}])));
        assert_eq!(order["Positionen"][0]["PosPreisEinzel"].to_string(), price);
    }
    // Ordered from 100 on; and between 9 and 10 of the other there is no tier.
    for position in [json!({"ArtNr": "BU-1007", "Menge": 99}), json!({"ArtNr": "BU-1001", "Menge": 9.5})] {
        let refused = place(&server, &bodies::order("10006", json!([position]))).expect(422);
        assert_eq!(refused.problems(), [("Positionen[0].ArtNr".to_owned(), "no_price".to_owned())]);
    }
}

#[test]
fn prices_and_texts_are_those_of_the_customer() {
    let server = Server::shared();
    let order = placed(&server, &bodies::order("10007", json!([{"ArtNr": "BU-1003", "Menge": 20}])));
    assert_eq!(order["Positionen"][0]["PosPreisEinzel"].to_string(), "0.78");
    assert_eq!(order["Positionen"][0]["PosBez"], "Stylo à bille rétractable, bleu, trait 0,7 mm");
    assert_eq!(order["MWSTRekapitulation"][0]["PosWUSTBez"], "TVA taux normal");
    assert_eq!(order["GrundDaten"]["KundBedTyp"], 1);
}

#[test]
fn the_rate_is_that_of_the_day_of_delivery() {
    let server = Server::shared();
    for (delivery, rate, figure) in [("2023-12-31", "7.7", "302"), ("2024-01-01", "8.1", "303"), ("2023-12-31T22:59:59Z", "7.7", "302"), ("2023-12-31T23:00:00Z", "8.1", "303")] {
        let mut body = bodies::order("10001", json!([{"ArtNr": "BU-1001", "Menge": 1}]));
        body["GrundDaten"]["AuftLieferT"] = json!(delivery);
        let recap = placed(&server, &body)["MWSTRekapitulation"][0].take();
        assert_eq!((recap["PosWUSTSatz"].to_string().as_str(), &recap["PosUSTUZiffer"]), (rate, &json!(figure)), "{delivery}");
    }
}

#[test]
fn dates_come_in_several_forms_and_leave_in_one() {
    let server = Server::shared();
    let with = |date: Value| {
        let mut body = bodies::order("10001", json!([{"ArtNr": "BU-1001", "Menge": 1}]));
        body["GrundDaten"]["AuftBestellT"] = date.clone();
        body["GrundDaten"]["AuftLieferT"] = date;
        body
    };
    for (given, shown) in [
        ("2026-03-02T10:00:00Z", "2026-03-02T10:00:00Z"), ("2026-03-02T11:00:00+01:00", "2026-03-02T10:00:00Z"),
        ("2026-03-02T00:30:00-09:30", "2026-03-02T10:00:00Z"), ("2026-03-02", "2026-03-01T23:00:00Z"),
        ("2026-07-01", "2026-06-30T22:00:00Z"), ("2026-03-02t10:00:00z", "2026-03-02T10:00:00Z"),
    ] {
        let header = placed(&server, &with(json!(given)))["GrundDaten"].take();
        for name in ["AuftBestellT", "AuftBestellTUTC", "AuftLieferT", "AuftLieferTUTC"] {
            assert_eq!(header[name], shown, "{name} {given}");
        }
    }
    for wrong in ["2.3.2026", "2026-02-30", "2026-03-02T10:00:00", "2026-03-02T25:00:00Z", "20260302", "Mar 2 2026", "99999-01-01", "now"] {
        let refused = place(&server, &with(json!(wrong))).expect(422).problems();
        let paths: Vec<&str> = refused.iter().map(|(path, _)| path.as_str()).collect();
        assert_eq!(paths, ["GrundDaten.AuftBestellT", "GrundDaten.AuftLieferT"], "{wrong}: {refused:?}");
    }
    let absent = placed(&server, &with(Value::Null))["GrundDaten"].take();
    assert_eq!((absent["AuftBestellT"].as_str().unwrap().len(), absent.get("AuftLieferT")), (20, None));
}

#[test]
fn an_address_of_the_order_overrides_the_customers_for_it_alone() {
    let server = Server::shared();
    let positions = json!([{"ArtNr": "BU-1001", "Menge": 1}]);
    let plain = placed(&server, &bodies::order("10001", positions.clone()))["Adressen"].take();
    for place in ["KontaktAdr", "LiefAdr", "RechAdr"] {
        let mut body = bodies::order("10001", positions.clone());
        body["Adressen"] = json!({place: bodies::full_address("once")});
        let addresses = placed(&server, &body)["Adressen"].take();
        assert_eq!(addresses[place]["EmailAdress"], "once@example.ch");
        assert_eq!(addresses[place].get("AdrNr"), None);
        for other in ["KontaktAdr", "LiefAdr", "RechAdr"].into_iter().filter(|other| *other != place) {
            assert_eq!(addresses[other], plain[other], "{other}");
        }
    }
    assert_eq!(placed(&server, &bodies::order("10001", positions))["Adressen"], plain);
    assert_eq!(plain["LiefAdr"]["ISOLandA2"], "CH");
}

#[test]
fn an_order_keeps_its_addresses_and_prices_when_the_customer_changes() {
    let server = Server::start();
    let number = place(&server, &bodies::full_order("10001")).expect(201).number("AuftNr");
    let before = server.get(&format!("/www/auftrag/{number}")).by(SHOP1).send().expect(200);
    let _ = server.put("/www/kunden/10001").by(SHOP1).json(&bodies::full_customer()).send().expect(200);
    server.import(r#"{"Preis": {"PreisListe": "HANDEL", "ArtNr": "BU-1002", "WaehrAbk": "CHF", "AbAnzahl": 1, "BisAnzahl": 9, "PreisList": 99, "Preisart": "N"}}"#);
    let after = server.get(&format!("/www/auftrag/{number}")).by(SHOP1).send().expect(200);
    assert_eq!((after.text(), after.header("etag")), (before.text(), before.header("etag")));
    assert!(before.header("etag").unwrap().starts_with("\"r"));
}

#[test]
fn orders_survive_a_restart_and_numbers_go_on() {
    let server = Server::start();
    let number = place(&server, &bodies::full_order("10001")).expect(201).number("AuftNr");
    let before = read(&server, &number);
    let server = server.restart(&[]);
    assert_eq!(read(&server, &number), before);
    let next = place(&server, &bodies::full_order("10001")).expect(201).number("AuftNr");
    assert!(next.parse::<u64>().unwrap() > number.parse().unwrap(), "{number} {next}");
}

#[test]
fn what_cannot_be_ordered_is_refused_with_every_reason() {
    let server = Server::shared();
    let refused = |login: Login, customer: &str, position: Value| {
        let mut body = bodies::order(customer, json!([position]));
        if customer == "10013" {
            body["GrundDaten"]["WaehrAbk"] = json!("EUR");
        }
        let answer = server.post("/www/auftrag").by(login).json(&body).send().expect(422);
        answer.problems().into_iter().map(|(path, code)| format!("{path} {code}")).collect::<Vec<_>>().join(", ")
    };
    let first = |position: Value| refused(SHOP1, "10001", position);
    assert_eq!(refused(SHOP1, "99999", json!({"ArtNr": "BU-1001", "Menge": 1})), "GrundDaten.KundNr unknown_customer");
    assert_eq!(first(json!({"ArtNr": "NOPE", "Menge": 1})), "Positionen[0].ArtNr unknown_article");
    assert_eq!(first(json!({"ArtNr": "LM-3012", "Menge": 1})), "Positionen[0].ArtNr unknown_article");
    assert_eq!(refused(SHOP2, "10001", json!({"ArtNr": "EL-2006", "Menge": 1})), "Positionen[0].ArtNr unknown_article");
    assert_eq!(first(json!({"ArtNr": "EL-2090", "Menge": 1, "Preis": 1})), "Positionen[0].ArtNr unknown_article");
    assert_eq!(first(json!({"ArtNr": "BU-1001", "Menge": 7, "VPEinheit": "KARTON"})), "Positionen[0].Menge not_a_whole_package");
    assert_eq!(first(json!({"ArtNr": "HH-5004", "Menge": 8, "VPEinheit": "PACK"})), "Positionen[0].VPEinheit unknown_packaging_unit");
    assert_eq!(first(json!({"ArtNr": "BU-1001", "Menge": 1, "VPEinheit": "FASS"})), "Positionen[0].VPEinheit unknown_packaging_unit");
    assert_eq!(first(json!({"ArtNr": "BU-1090", "Menge": 1})), "Positionen[0].ArtNr no_price");
    // No list has this article in euros.
    assert_eq!(refused(SHOP1, "10013", json!({"ArtNr": "HH-5004", "Menge": 1})), "Positionen[0].ArtNr no_price");
    for (quantity, code) in [("0", "out_of_range"), ("-1", "out_of_range"), ("1000000000", "out_of_range"), ("0.0000001", "too_precise")] {
        let quantity: Value = serde_json::from_str(quantity).unwrap();
        assert_eq!(first(json!({"ArtNr": "BU-1001", "Menge": quantity})), format!("Positionen[0].Menge {code}"));
    }
    assert_eq!(first(json!({"ArtNr": "BU-1001", "Menge": 1, "GRabSatz": 100.01})), "Positionen[0].GRabSatz out_of_range");
    assert_eq!(first(json!({"ArtNr": "BU-1001", "Menge": 1, "Preis": -0.01})), "Positionen[0].Preis out_of_range");
    assert_eq!(first(json!({})), "Positionen[0].ArtNr required, Positionen[0].Menge required");
    let _ = server.post("/www/auftrag").by(ADMIN).json(&bodies::order("10001", json!([{"ArtNr": "EL-2090", "Menge": 1, "Preis": 1}]))).send().expect(201);
}

#[test]
fn positions_are_needed_and_at_most_a_thousand() {
    let server = Server::shared();
    let many = |count: usize| Value::Array(vec![json!({"ArtNr": "BU-1004", "Menge": 1}); count]);
    for none in [Value::Null, json!([])] {
        let refused = place(&server, &bodies::order("10001", none)).expect(422).problems();
        assert_eq!(refused, [("Positionen".to_owned(), "required".to_owned())]);
    }
    let refused = place(&server, &bodies::order("10001", many(1_001))).expect(422);
    assert_eq!(refused.problems(), [("Positionen".to_owned(), "too_many".to_owned())]);
    assert_eq!(refused.json()["info"]["problems"][0]["limit"], 1_000);
    let order = placed(&server, &bodies::order("10006", many(1_000)));
    assert_eq!(order["Positionen"].as_array().unwrap().len(), 1_000);
    assert_eq!(totals(&order)[0], "2400");
}

#[test]
fn a_refused_order_leaves_nothing_behind() {
    let server = Server::start();
    let first = place(&server, &bodies::full_order("10001")).expect(201).number("AuftNr");
    let mut body = bodies::full_order("10001");
    body["Positionen"][2]["ArtNr"] = json!("NOPE");
    let _ = place(&server, &body).expect(422);
    let orders = server.get("/www/kunden/10001?order=10").by(SHOP1).send().expect(200).data()["Auftrag"].take();
    assert_eq!(column(&orders, &["AuftNr"]), [format!("\"{first}\"")]);
    let article = server.get("/www/artikel/BU-1002").by(SHOP1).send().expect(200).data();
    let entry = &article["Bestand"][0];
    assert_eq!((&entry["LagerOrt"], &entry["LagerBestand"]), (&json!("A-01-02"), &json!(57 - 12)));
}

#[test]
fn unknown_members_are_ignored_unless_the_server_is_strict() {
    let server = Server::shared();
    let mut body = bodies::order("10001", json!([{"ArtNr": "BU-1001", "Menge": 1, "Farbe": "rot"}]));
    body["Nope"] = json!({"a": [1, 2]});
    let _ = place(&server, &body).expect(201);
    let strict = Server::with(&[("strict_bodies", "true")]);
    let mut refused = place(&strict, &body).expect(422).problems();
    refused.sort();
    let unknown = |path: &str| (path.to_owned(), "unknown_member".to_owned());
    assert_eq!(refused, [unknown("Nope"), unknown("Positionen[0].Farbe")]);
}

#[test]
fn cash_rounding_is_a_position_of_its_own_when_it_is_on() {
    let server = Server::with(&[("cash_rounding", "0.05")]);
    let order = placed(&server, &bodies::order("10006", json!([{"ArtNr": "BU-1001", "Menge": 1}])));
    // 6.20 at 8.1 % is 6.70; two of them 13.40; with 5.70 once 6.16, paid as 6.15.
    assert_eq!((totals(&order)[2].as_str(), order["Positionen"].as_array().unwrap().len()), ("6.7", 1));
    let order = placed(&server, &bodies::order("10006", json!([{"ArtNr": "BU-1002", "Menge": 1}])));
    assert_eq!(totals(&order), ["5.7", "0.46", "6.16"]);
    let rounding = &order["Positionen"][1];
    assert_eq!((rounding["PosPreisTotal"].to_string().as_str(), &rounding["PosNr"]), ("-0.01", &json!(0)));
}
