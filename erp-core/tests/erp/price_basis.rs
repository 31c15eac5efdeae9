//! The number of units that a price is for: told where prices are read, and used where they are sent.

use crate::common::{Demo, LINKS, admin, block_on, demo, shop};
use crate::offers::problems;
use erp_core::erp::ArticleQuery;
use erp_core::master::Caller;
use erp_core::offline::{Settings, totals_of};
use serde_json::{Value, json};

/// Screws by 100, except where a price says otherwise; in boxes of 500, of which the price is for 10.
fn screws() -> Demo {
    let demo = demo();
    let tiers = json!([
        {"WaehrAbk": "CHF", "AbAnzahl": 1, "BisAnzahl": 999, "PreisList": 1.56, "Preisart": "N"},
        {"WaehrAbk": "CHF", "AbAnzahl": 1000, "PreisList": 9, "Preisart": "N", "PosPreisBasis": 1000},
        {"WaehrAbk": "CHF", "AbAnzahl": 1, "PreisList": 50, "Preisart": "N", "VPEinheit": "BX500", "PosPreisBasis": 10},
        {"WaehrAbk": "CHF", "AbAnzahl": 1, "PreisList": 4, "Preisart": "N", "VPEinheit": "BX100"},
    ]);
    let shops = json!([{"PHKey": "RESTWEBSHOP", "Contents": "*"}]);
    let packed =
        json!([{"VPEinheit": "BX500", "Faktor": 500}, {"VPEinheit": "BX100", "Faktor": 100}]);
    demo.import(&[
        json!({"Artikel": {"ArtNr": "S", "ArtBez": "Schraube", "PosPreisBasis": 100, "attributes": shops}}),
        json!({"Artikel": {"ArtNr": "SP", "ArtBez": "Schraube", "PosPreisBasis": 100, "attributes": shops,
            "Verpackungen": packed}}),
        json!({"Preisliste": {"PreisListe": "STANDARD", "ArtNr": "S", "Preis": [tiers[0], tiers[1]]}}),
        json!({"Preisliste": {"PreisListe": "STANDARD", "ArtNr": "SP", "Preis": [tiers[2], tiers[3]]}}),
    ])
    .unwrap();
    demo
}

fn article(demo: &Demo, number: &str) -> Value {
    let (caller, query) = (shop("SHOP1"), ArticleQuery::default());
    let article = block_on(demo.shop(&caller).article(number, &query)).unwrap();
    serde_json::to_value(article.to_wire(&LINKS)).unwrap()
}

fn placed(demo: &Demo, position: &Value) -> Value {
    let number = demo.order(&json!({"GrundDaten": {"KundNr": "10001"}, "Positionen": [position]}));
    let order = block_on(demo.shop(&admin()).order(&number)).unwrap();
    serde_json::to_value(order.to_wire()).unwrap()["Positionen"][0].clone()
}

fn total(demo: &Demo, position: &Value) -> String {
    placed(demo, position)["PosPreisTotal"].to_string()
}

fn bases(prices: &Value) -> Vec<String> {
    let entries = prices.as_array().unwrap().iter();
    let bases = entries.map(|entry| entry.get("PosPreisBasis").map(ToString::to_string));
    bases.map(Option::unwrap_or_default).collect()
}

// rule: R-TOT-04, R-RES-15
#[test]
fn each_price_tells_how_many_units_it_is_for() {
    let demo = screws();
    assert_eq!(bases(&article(&demo, "S")["Preis"]), ["100", "1000"]);
    let packed = &article(&demo, "SP")["Verpackungen"];
    assert_eq!(bases(&packed[0]["Preis"]), ["10"]);
    // The article's basis counts base units, so a package without a basis of its own has none.
    assert_eq!(bases(&packed[1]["Preis"]), [""]);
    assert_eq!(bases(&article(&demo, "P-1")["Preis"]), [""]);
}

// rule: R-TOT-05
#[test]
fn a_price_that_was_read_can_be_sent_back() {
    let demo = screws();
    for (position, of_list) in [
        (json!({"ArtNr": "S", "Menge": 50}), "0.78"),
        (json!({"ArtNr": "S", "Menge": 2000}), "18"),
        (
            json!({"ArtNr": "SP", "Menge": 1000, "VPEinheit": "BX500"}),
            "10",
        ),
        (
            json!({"ArtNr": "SP", "Menge": 300, "VPEinheit": "BX100"}),
            "12",
        ),
    ] {
        assert_eq!(total(&demo, &position), of_list, "{position}");
        let read = article(&demo, position["ArtNr"].as_str().unwrap());
        let packages = read["Verpackungen"].as_array().into_iter().flatten();
        let tiers = packages.flat_map(|package| package["Preis"].as_array().unwrap());
        let tiers = tiers.chain(read["Preis"].as_array().into_iter().flatten());
        let is_hit = |tier: &&Value| {
            tier.get("VPEinheit") == position.get("VPEinheit")
                && (position["Menge"] != json!(50)) == (tier["PreisList"] != json!(1.56))
        };
        let tier = tiers.clone().find(is_hit).unwrap();
        let mut sent = position.clone();
        sent["Preis"] = tier["PreisList"].clone();
        assert_eq!(total(&demo, &sent), of_list, "{sent}");
        sent["PosPreisBasis"] = tier.get("PosPreisBasis").cloned().unwrap_or(json!(1));
        assert_eq!(total(&demo, &sent), of_list, "{sent}");
    }
}

// rule: R-TOT-05
#[test]
fn a_gross_price_that_was_read_stays_gross() {
    let demo = demo();
    let gross = json!({"WaehrAbk": "CHF", "AbAnzahl": 1, "PreisList": 108.1, "Preisart": "B"});
    demo.import(&[
        json!({"Preisliste": {"PreisListe": "STANDARD", "ArtNr": "P-1", "Preis": [gross]}}),
    ])
    .unwrap();
    let sums = |positions: Value| {
        let body = json!({"GrundDaten": {"KundNr": "10001"}, "Positionen": positions});
        let order = block_on(demo.shop(&admin()).order(&demo.order(&body))).unwrap();
        let sums = &order.document.sums;
        [sums.net, sums.gross].map(|sum| sum.normalize().to_string())
    };
    let read = json!({"ArtNr": "P-1", "Menge": 1, "Preis": 108.1});
    for position in [json!({"ArtNr": "P-1", "Menge": 1}), read.clone()] {
        assert_eq!(sums(json!([position])), ["100", "108.1"], "{position}");
    }
    // A document with both kinds is net: the gross price enters without its tax. Food has 2.6 %.
    let net = json!({"ArtNr": "P-3", "Menge": 1, "Preis": 10});
    assert_eq!(sums(json!([read, net])), ["110", "118.36"]);
}

// rule: R-TOT-04
#[test]
fn a_basis_of_0_is_none() {
    let demo = screws();
    let tier = json!({"WaehrAbk": "CHF", "AbAnzahl": 1, "PreisList": 10, "Preisart": "N", "PosPreisBasis": 0});
    demo.import(&[
        json!({"Preisliste": {"PreisListe": "STANDARD", "ArtNr": "S", "Preis": [tier]}}),
    ])
    .unwrap();
    assert_eq!(bases(&article(&demo, "S")["Preis"]), ["100"]);
    assert_eq!(total(&demo, &json!({"ArtNr": "S", "Menge": 100})), "10");
}

// rule: R-TOT-05
#[test]
fn a_sent_basis_counts_for_a_sent_price_only() {
    let demo = screws();
    let position = json!({"ArtNr": "S", "Menge": 50, "Preis": 2, "PosPreisBasis": 50});
    let shown = placed(&demo, &position);
    assert_eq!(shown["PosPreisBasis"].to_string(), "50");
    assert_eq!(shown["PosPreisEinzel"].to_string(), "2");
    assert_eq!(shown["PosPreisTotal"].to_string(), "2");
    assert_eq!(
        total(
            &demo,
            &json!({"ArtNr": "S", "Menge": 50, "PosPreisBasis": 7})
        ),
        "0.78"
    );
    // Without a tier the article's basis counts, for packages one.
    assert_eq!(
        total(&demo, &json!({"ArtNr": "SP", "Menge": 50, "Preis": 2})),
        "1"
    );
    let beyond = json!({"ArtNr": "SP", "Menge": 250, "VPEinheit": "BX100", "Preis": 2});
    let caller = shop("SHOP1");
    let refused = |position: &Value, caller: &Caller| {
        let body = json!({"GrundDaten": {"KundNr": "10001"}, "Positionen": [position]});
        problems(block_on(demo.shop(caller).create_order(&body)))
    };
    assert_eq!(
        refused(&beyond, &caller),
        ["Positionen[0].Menge not_a_whole_package"]
    );
    for wrong in [json!(0), json!(-1), json!(0.000_000_1)] {
        let position = json!({"ArtNr": "S", "Menge": 1, "Preis": 1, "PosPreisBasis": wrong});
        let found = refused(&position, &caller);
        assert!(
            found[0].starts_with("Positionen[0].PosPreisBasis"),
            "{found:?}"
        );
    }
}

// rule: D-AUT-13
#[test]
fn a_customer_sets_no_basis() {
    let demo = screws();
    let caller = Caller {
        customer: Some("10001".parse().unwrap()),
        ..shop("SHOP1")
    };
    let body = json!({"Positionen": [{"ArtNr": "S", "Menge": 1, "PosPreisBasis": 100}]});
    let refused = problems(block_on(demo.shop(&caller).create_order(&body)));
    assert_eq!(refused, ["Positionen[0].PosPreisBasis shop_only"]);
}

// rule: R-TOT-03
#[test]
fn the_price_of_a_package_is_that_of_one() {
    let demo = screws();
    let shown = placed(
        &demo,
        &json!({"ArtNr": "SP", "Menge": 1500, "VPEinheit": "BX500"}),
    );
    let number = |name: &str| shown[name].to_string();
    assert_eq!(
        (number("VPEAnzBest"), number("VPEPreisEinzel")),
        ("3".into(), "5".into())
    );
    assert_eq!(
        (number("PosPreisTotal"), number("PosPreisBasis")),
        ("15".into(), "100".into())
    );
    // 5 for 500 screws is 1 for 100.
    assert_eq!(number("PosPreisEinzel"), "1");
    // Six digits are shown; the line has all: 3 × 10 / 7.
    let odd = json!({"ArtNr": "SP", "Menge": 1500, "VPEinheit": "BX500", "Preis": 10, "PosPreisBasis": 7});
    let shown = placed(&demo, &odd);
    assert_eq!(shown["VPEPreisEinzel"].to_string(), "1.428571");
    assert_eq!(shown["PosPreisTotal"].to_string(), "4.29");
}

// rule: R-TOT-04
#[test]
fn a_basket_in_the_browser_costs_what_the_order_costs() {
    let demo = screws();
    let articles = json!([article(&demo, "S"), article(&demo, "SP")]);
    for position in [
        json!({"ArtNr": "S", "Menge": 50}),
        json!({"ArtNr": "S", "Menge": 2000}),
        json!({"ArtNr": "S", "Menge": 2000, "Preis": 7}),
        json!({"ArtNr": "S", "Menge": 2000, "Preis": 7, "PosPreisBasis": 10}),
        json!({"ArtNr": "SP", "Menge": 1000, "VPEinheit": "BX500"}),
        json!({"ArtNr": "SP", "Menge": 1000, "VPEinheit": "BX500", "Preis": 45}),
    ] {
        let basket = json!({"Positionen": [position]});
        let totals = totals_of(&basket, &articles, &Settings::default()).unwrap();
        let totals = serde_json::to_value(totals).unwrap();
        assert_eq!(
            totals["Positionen"][0]["PosPreisTotal"].to_string(),
            total(&demo, &position)
        );
    }
}
