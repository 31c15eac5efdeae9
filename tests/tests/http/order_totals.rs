//! The main job of a shop, and totals of orders compared with amounts calculated by hand.

use erp_tests::bodies;
use erp_tests::orders::{column, place, placed, placed_by, totals};
use erp_tests::server::{Login, SHOP1, SHOP2, Server};
use serde_json::{Value, json};

/// An order of three positions with a discount, delivery costs and a payment entry.
fn main_job(customer: &str) -> Value {
    let mut body = bodies::order(
        customer,
        json!([
            {"ArtNr": "BU-1002", "Menge": 12},
            {"ArtNr": "BU-1001", "Menge": 10, "VPEinheit": "KARTON", "GRabSatz": 5},
            {"ArtNr": "LM-3001", "Menge": 4, "PosBez": "Kaffee für die Küche"},
        ]),
    );
    body["GrundDaten"]["AuftBez"] = json!("Bestellung für das Büro");
    body["GrundDaten"]["AuftLiefKost"] = json!(9.90);
    body["Zahlung"] = json!([{"Bezeichnung": "payment_method", "Wert": "R"}]);
    body
}

// rule: R-END-09
#[test]
fn the_main_job_of_a_shop() {
    let server = Server::shared();
    let customer = server
        .post("/www/kunden")
        .by(SHOP1)
        .json(&bodies::customer())
        .send()
        .expect(201)
        .number("DebiNr");
    let order = placed(&server, &main_job(&customer));
    // 12 x 5.30 = 63.60; 2 cartons x 28.50 less 5 % = 54.15; 4 x 18.90 = 75.60. Of the delivery costs 9.90, the
    // standard rate applies to 6.03 and the reduced rate to 3.87: 123.78 at 8.1 % = 10.03, 79.47 at 2.6 % = 2.07.
    assert_eq!(totals(&order), ["203.25", "12.1", "215.35"]);
    assert_eq!(
        column(
            &order["Positionen"],
            &[
                "PosNr",
                "VisPosNr",
                "PosAnzBest",
                "PosPreisEinzel",
                "PosPreisBasis",
                "PosPreisTotal",
                "PosPreisWUSTBetrag",
                "WUSTSatz",
                "GRabSatz"
            ]
        ),
        [
            "1 10 12 5.3 1 63.6 5.15 8.1 0",
            "2 20 10 5.7 1 54.15 4.39 8.1 5",
            "3 30 4 18.9 1 75.6 1.97 2.6 0"
        ]
    );
    assert_eq!(
        column(
            &order["Positionen"],
            &["VPEAnzBest", "VPEPreisEinzel", "VPEinheit"]
        )[1],
        "2 28.5 \"KARTON\""
    );
    assert_eq!(
        column(
            &order["MWSTRekapitulation"],
            &[
                "PosWUSTCode",
                "PosWUSTSatz",
                "PosBetragNetto",
                "PosWUST",
                "PosUSTUZiffer",
                "PosWUSTKlasse"
            ]
        ),
        [
            "\"CH-NORMAL\" 8.1 123.78 10.03 \"303\" \"C\"",
            "\"CH-REDUZIERT\" 2.6 79.47 2.07 \"313\" \"C\""
        ]
    );
    has_what_was_sent(&order, &customer);
}

/// Header, descriptions and payment of the main job's order.
fn has_what_was_sent(order: &Value, customer: &str) {
    let header = &order["GrundDaten"];
    assert_eq!(
        (
            &header["KundNr"],
            &header["AuftStatus"],
            &header["WaehrAbk"]
        ),
        (&json!(customer), &json!("N"), &json!("CHF"))
    );
    assert_eq!(
        (
            header["AuftLiefKost"].to_string().as_str(),
            &header["StaoNr"]
        ),
        ("9.9", &json!(1))
    );
    assert_eq!(header["AuftBez"], "Bestellung für das Büro");
    let descriptions: Vec<&Value> = order["Positionen"]
        .as_array()
        .unwrap()
        .iter()
        .map(|position| &position["PosBez"])
        .collect();
    assert_eq!(descriptions[2], "Kaffee für die Küche");
    assert_eq!(
        descriptions[1],
        "Kopierpapier A4, 80 g/m², hochweiss, 500 Blatt"
    );
    assert_eq!(order["Zahlung"][0]["Wert"], "R");
}

// rule: D-PRI-10
#[test]
fn gross_lists_keep_the_advertised_price() {
    let server = Server::shared();
    let mut body = bodies::order(
        "10004",
        json!([{"ArtNr": "BU-1001", "Menge": 3}, {"ArtNr": "LM-3001", "Menge": 2}]),
    );
    body["GrundDaten"]["AuftLiefKost"] = json!(8);
    let order = placed(&server, &body);
    // 3 x 7.90 + 2 x 22.90 + 8.00 = 77.50; 26.43 includes 1.98 at 8.1 %, 51.07 includes 1.29 at 2.6 %.
    assert_eq!(totals(&order), ["74.23", "3.27", "77.5"]);
    assert_eq!(
        column(
            &order["Positionen"],
            &["PosPreisEinzel", "PosPreisTotal", "PosPreisWUSTBetrag"]
        ),
        ["7.9 23.7 1.78", "22.9 45.8 1.16"]
    );
    assert_eq!(
        column(&order["MWSTRekapitulation"], &["PosBetragNetto", "PosWUST"]),
        ["24.45 1.98", "49.78 1.29"]
    );
}

// rule: R-TOT-10
#[test]
fn a_document_with_both_kinds_is_net() {
    let server = Server::shared();
    let order = placed(
        &server,
        &bodies::order(
            "10004",
            json!([{"ArtNr": "EL-2013", "Menge": 1}, {"ArtNr": "BU-1001", "Menge": 1}]),
        ),
    );
    // 7.90 gross is 7.308048 net; 64.00 + 7.31 at 8.1 %.
    assert_eq!(totals(&order), ["71.31", "5.78", "77.09"]);
    assert_eq!(
        column(&order["Positionen"], &["PosPreisEinzel", "PosPreisTotal"]),
        ["64 64", "7.308048 7.31"]
    );
}

// rule: R-TOT-04
#[test]
fn price_bases_fractions_and_own_prices() {
    let server = Server::shared();
    let line = |login: Login, position: Value| {
        let order = placed_by(&server, login, &bodies::order("10006", json!([position])));
        column(
            &order["Positionen"],
            &["PosPreisEinzel", "PosPreisBasis", "PosPreisTotal"],
        )[0]
        .clone()
    };
    // 2500 x 1.35 / 1000 = 3.375, rounded away from zero.
    assert_eq!(
        line(SHOP1, json!({"ArtNr": "BU-1010", "Menge": 2500})),
        "1.35 1000 3.38"
    );
    assert_eq!(
        line(SHOP1, json!({"ArtNr": "BF-6001", "Menge": 250})),
        "4.6 100 11.5"
    );
    // 1.25 kg x 26.50 = 33.125.
    assert_eq!(
        line(SHOP2, json!({"ArtNr": "LM-3012", "Menge": 1.25})),
        "26.5 1 33.13"
    );
    assert_eq!(
        line(
            SHOP2,
            json!({"ArtNr": "LM-3012", "Menge": 13, "VPEinheit": "LAIB"})
        ),
        "22.923077 1 298"
    );
    assert_eq!(
        line(
            SHOP1,
            json!({"ArtNr": "LM-3001", "Menge": 4, "Preis": 17.77})
        ),
        "17.77 1 71.08"
    );
    assert_eq!(
        line(SHOP1, json!({"ArtNr": "LM-3001", "Menge": 1, "Preis": 0})),
        "0 1 0"
    );
    assert_eq!(
        line(
            SHOP1,
            json!({"ArtNr": "BU-1090", "Menge": 2, "Preis": 0.333333})
        ),
        "0.333333 1 0.67"
    );
    assert_eq!(
        line(
            SHOP1,
            json!({"ArtNr": "BU-1001", "Menge": 3, "GRabSatz": 100})
        ),
        "6.2 1 0"
    );
    assert_eq!(
        line(
            SHOP1,
            json!({"ArtNr": "BU-1001", "Menge": 0.000001, "Preis": 6.2})
        ),
        "6.2 1 0"
    );
}

// rule: R-TOT-01, R-END-35
#[test]
fn tiers_are_chosen_by_quantity_and_a_quantity_below_the_first_has_no_price() {
    let server = Server::shared();
    for (quantity, price) in [
        ("1", "6.2"),
        ("9", "6.2"),
        // The tier of a quantity is chosen by its integer part.
        ("9.5", "6.2"),
        ("10", "5.8"),
        ("49", "5.8"),
        ("50", "5.35"),
        ("5000", "5.35"),
    ] {
        let quantity: Value = serde_json::from_str(quantity).unwrap();
        let order = placed(
            &server,
            &bodies::order("10006", json!([{"ArtNr": "BU-1001", "Menge": quantity}])),
        );
        assert_eq!(order["Positionen"][0]["PosPreisEinzel"].to_string(), price);
    }
    // The article can be ordered from 100 on.
    let few = bodies::order("10006", json!([{"ArtNr": "BU-1007", "Menge": 99}]));
    assert_eq!(
        place(&server, &few).expect(422).problems(),
        [("Positionen[0].ArtNr".to_owned(), "no_price".to_owned())]
    );
}

// rule: D-PRI-17, D-PRI-18
#[test]
fn the_rate_is_that_of_the_day_of_delivery() {
    let server = Server::shared();
    for (delivery, rate, figure) in [
        ("2023-12-31", "7.7", "302"),
        ("2024-01-01", "8.1", "303"),
        ("2023-12-31T22:59:59Z", "7.7", "302"),
        ("2023-12-31T23:00:00Z", "8.1", "303"),
    ] {
        let mut body = bodies::order("10001", json!([{"ArtNr": "BU-1001", "Menge": 1}]));
        body["GrundDaten"]["AuftLieferT"] = json!(delivery);
        let recap = placed(&server, &body)["MWSTRekapitulation"][0].take();
        assert_eq!(
            (
                recap["PosWUSTSatz"].to_string().as_str(),
                &recap["PosUSTUZiffer"]
            ),
            (rate, &json!(figure)),
            "{delivery}"
        );
    }
}

// rule: D-PRI-19
#[test]
fn cash_rounding_is_a_position_of_its_own_when_it_is_on() {
    let server = Server::with(&[("cash_rounding", "0.05")]);
    let order = placed(
        &server,
        &bodies::order("10006", json!([{"ArtNr": "BU-1001", "Menge": 1}])),
    );
    // 6.20 at 8.1 % is exactly 6.70; 5.70 is 6.16, paid as 6.15.
    assert_eq!(
        (
            totals(&order)[2].as_str(),
            order["Positionen"].as_array().unwrap().len()
        ),
        ("6.7", 1)
    );
    let order = placed(
        &server,
        &bodies::order("10006", json!([{"ArtNr": "BU-1002", "Menge": 1}])),
    );
    assert_eq!(totals(&order), ["5.7", "0.46", "6.16"]);
    let rounding = &order["Positionen"][1];
    assert_eq!(
        (
            rounding["PosPreisTotal"].to_string().as_str(),
            &rounding["PosNr"]
        ),
        ("-0.01", &json!(0))
    );
}
