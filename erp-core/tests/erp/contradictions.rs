//! Imports that contradict themselves, and what goes with an article.

use crate::common::{Demo, block_on, demo, shop};
use crate::offers::problems;
use serde_json::{Value, json};

fn refused(demo: &Demo, rows: &[Value]) -> Vec<String> {
    problems(demo.import(rows))
}

fn tax(code: &str, rates: Value) -> Value {
    json!({"Steuer": {"WUSTCode": code, "PosWUSTKlasse": "X", "Saetze": rates}})
}

fn price(article: &str, from: u32, price: &str) -> Value {
    let price: Value = serde_json::from_str(price).unwrap();
    json!({"Preis": {"PreisListe": "STANDARD", "ArtNr": article, "WaehrAbk": "CHF", "AbAnzahl": from, "PreisList": price,
        "Preisart": "N"}})
}

// rule: D-IMP-07
#[test]
fn a_day_has_one_rate() {
    let demo = demo();
    let rate = |from: &str, until: Option<&str>| json!({"GueltigAb": from, "GueltigBis": until, "WUSTSatz": 5});
    for (rates, expected) in [
        (json!([]), "line 1: Saetze required"),
        (
            json!([rate("2026-01-01", None), rate("2026-01-01", None)]),
            "line 1: Saetze[1].GueltigAb contradiction",
        ),
        (
            json!([rate("2026-01-01", Some("2025-12-31"))]),
            "line 1: Saetze[0].GueltigBis contradiction",
        ),
        // The order of the list does not matter.
        (
            json!([
                rate("2026-07-01", None),
                rate("2026-01-01", Some("2026-07-01"))
            ]),
            "line 1: Saetze[1].GueltigBis contradiction",
        ),
    ] {
        // The row that names the code has no problem of its own.
        let article = json!({"Artikel": {"ArtNr": "P-1", "AnLager": "J", "ArtBez": "Stanzwerkzeug", "WUSTCode": "NX"}});
        assert_eq!(
            refused(&demo, &[tax("NX", rates.clone()), article]),
            [expected],
            "{rates}"
        );
    }
    let without_end = json!([
        rate("2026-01-01", None),
        rate("2026-07-01", None),
        rate("2027-01-01", Some("2027-12-31"))
    ]);
    demo.import(&[tax("NX", without_end)]).unwrap();
    demo.import(&[tax(
        "NX",
        json!([
            rate("2026-01-01", Some("2026-06-30")),
            rate("2026-07-01", None)
        ]),
    )])
    .unwrap();
}

// rule: D-IMP-07
#[test]
fn rows_of_one_import_do_not_contradict_each_other() {
    let demo = demo();
    let contradiction = |member: &str| [format!("line 2: {member} contradiction")];
    assert_eq!(
        refused(&demo, &[price("P-1", 1, "5"), price("P-1", 1, "6")]),
        contradiction("PreisList")
    );
    let mut with_basis = price("P-1", 1, "5");
    with_basis["Preis"]["PosPreisBasis"] = json!(100);
    assert_eq!(
        refused(&demo, &[price("P-1", 1, "5"), with_basis]),
        contradiction("PreisList")
    );
    let list = json!({"Preisliste": {"PreisListe": "STANDARD", "ArtNr": "P-1", "Preis": [
        {"WaehrAbk": "CHF", "AbAnzahl": 1, "PreisList": 7, "Preisart": "N"}]}});
    assert_eq!(
        refused(&demo, &[price("P-1", 1, "5"), list]),
        contradiction("PreisList")
    );
    let company = |name: &str| json!({"Firma": {"FirmaBez": name, "WaehrAbk": "CHF", "OrtLand": "CH", "Zeitzone": "UTC"}});
    let two = refused(&demo, &[company("Muster AG"), company("Andere AG")]);
    assert_eq!(two, ["line 2 contradiction"]);
    let rate = |percent: u32| {
        tax(
            "NX",
            json!([{"GueltigAb": "2026-01-01", "WUSTSatz": percent}]),
        )
    };
    assert_eq!(
        refused(&demo, &[rate(5), rate(6)]),
        contradiction("WUSTCode")
    );
    // What says the same, or another thing, is none.
    demo.import(&[
        price("P-1", 1, "5"),
        price("P-1", 1, "5.00"),
        price("P-4", 1, "6"),
        rate(5),
        rate(5),
    ])
    .unwrap();
    // Another import may say otherwise.
    demo.import(&[price("P-1", 1, "6"), rate(6)]).unwrap();
}

// rule: D-IMP-04
#[test]
fn the_prices_of_a_removed_article_go_with_it() {
    let demo = demo();
    let other = json!({"Preis": {"PreisListe": "NEU", "ArtNr": "P-1", "WaehrAbk": "CHF", "PreisList": 3, "Preisart": "N"}});
    let remove = json!({"Artikel": {"ArtNr": "P-1", "Loeschen": true}});
    demo.import(&[other, remove]).unwrap();
    let again = json!({"Artikel": {"ArtNr": "P-1", "ArtBez": "Neu", "attributes": [{"PHKey": "RESTWEBSHOP", "Contents": "*"}]}});
    demo.import(&[again]).unwrap();
    let order = |customer: &str| {
        let body = json!({"GrundDaten": {"KundNr": customer}, "Positionen": [{"ArtNr": "P-1", "Menge": 1}]});
        problems(block_on(demo.shop(&shop("SHOP1")).create_order(&body)))
    };
    // Neither the company's list nor that of the customer has a price.
    assert_eq!(order("10001"), ["Positionen[0].ArtNr no_price"]);
    assert_eq!(order("10002"), ["Positionen[0].ArtNr no_price"]);
    // A price after the removal in the same import stays.
    let article = |text: &str| json!({"Artikel": {"ArtNr": "P-3", "ArtBez": text, "attributes": [{"PHKey": "RESTWEBSHOP", "Contents": "*"}]}});
    demo.import(&[
        json!({"Artikel": {"ArtNr": "P-3", "Loeschen": true}}),
        article("Neu"),
        price("P-3", 1, "8"),
    ])
    .unwrap();
    demo.order(
        &json!({"GrundDaten": {"KundNr": "10001"}, "Positionen": [{"ArtNr": "P-3", "Menge": 1}]}),
    );
}
