//! One response lists all problems: those of the form, and those of what is known.

use std::fmt::Debug;
use std::sync::Arc;

use crate::common::{Demo, block_on, shop};
use crate::offers::{change, problems, template};
use erp_core::Erp;
use erp_core::erp::{Error, Settings, TownCheck};
use erp_core::storage::MemoryStore;
use erp_core::town::Directory;
use serde_json::{Value, json};

/// The small company, where a town must have its postal code.
fn strict() -> Demo {
    let directory = "country,postal_code,town\nCH,8001,Zürich\nCH,4051,Basel\n";
    let towns = TownCheck {
        directory: Some(Arc::new(Directory::from_csv(directory).unwrap())),
        strict: true,
    };
    let settings = Settings {
        towns,
        ..Settings::default()
    };
    let demo = Demo {
        erp: Erp::new(MemoryStore::new(), settings),
    };
    demo.import(&crate::common::rows()).unwrap();
    demo
}

fn address(town: &str) -> Value {
    json!({"AdrSprache": "ger", "AdrAdresse1": "Weg 1", "AdrAnrede": 0, "AdrFirma": "A", "OrtLand": "CH",
        "OrtName": town, "OrtPLZ": "8001"})
}

fn sorted(refused: Result<impl Debug, Error>) -> Vec<String> {
    let mut found = problems(refused);
    found.sort();
    found
}

// rule: D-REQ-10, D-CTR-03
#[test]
fn what_is_unknown_in_a_document_hides_no_other_problem() {
    let demo = strict();
    let caller = shop("SHOP1");
    let shop = demo.shop(&caller);
    let mut body = json!({
        "GrundDaten": {"KundNr": "77777"},
        "Positionen": [
            {"ArtNr": "NOPE", "Menge": 1},
            {"ArtNr": "P-2", "Menge": 13, "VPEinheit": "NOPE"},
            {"ArtNr": "P-2", "Menge": 13, "VPEinheit": "KT12"},
            {"ArtNr": "NOPE-2", "Menge": "x"},
            // It has no price. That is no problem while it is unknown whose price it would be.
            {"ArtNr": "P-4", "Menge": 1},
        ],
        "Adressen": {"LiefAdr": address("Basel")},
    });
    let mut all = vec![
        "Adressen.LiefAdr.OrtName address_check",
        "GrundDaten.KundNr unknown_customer",
        "Positionen[0].ArtNr unknown_article",
        "Positionen[1].VPEinheit unknown_packaging_unit",
        "Positionen[2].Menge not_a_whole_package",
        "Positionen[3].ArtNr unknown_article",
        "Positionen[3].Menge wrong_type",
    ];
    let both = |body: &Value, all: &[&str]| {
        assert_eq!(sorted(block_on(shop.create_order(body))), all);
        assert_eq!(sorted(block_on(shop.create_offer(body))), all);
    };
    both(&body, &all);
    body["Positionen"][3]["Menge"] = json!(1);
    all.pop();
    both(&body, &all);
    body["GrundDaten"]["WaehrAbk"] = json!("XXX");
    all.insert(2, "GrundDaten.WaehrAbk unknown_currency");
    both(&body, &all);
}

// rule: D-REQ-10, D-CTR-03
#[test]
fn what_is_unknown_in_a_change_or_conversion_hides_no_other_problem() {
    let demo = strict();
    let caller = shop("SHOP1");
    let number = template(&demo, &caller);
    let body = json!({
        "GrundDaten": {"KundNr": "77777"},
        "Positionen": [
            {"ArtNr": "NOPE", "Menge": 1},
            {"PosNr": 99, "Menge": 1},
            {"PosNr": 1, "Menge": 2, "ArtNr": "P-3"},
            {"ArtNr": "NOPE-2", "Menge": "x"},
        ],
        "Adressen": {"LiefAdr": address("Basel")},
    });
    let all = [
        "Adressen.LiefAdr.OrtName address_check",
        "GrundDaten.KundNr unknown_customer",
        "Positionen[0].ArtNr unknown_article",
        "Positionen[1].PosNr unknown_position",
        "Positionen[2].ArtNr contradiction",
        "Positionen[3].ArtNr unknown_article",
        "Positionen[3].Menge wrong_type",
    ];
    assert_eq!(sorted(change(&demo, &caller, &number, None, &body)), all);
    // The positions of an unknown offer are not known.
    let mut body = body;
    body["Positionen"][3]["Menge"] = json!(1);
    let unknown = [all[0], "OffertNr unknown_offer", all[2], all[5]];
    assert_eq!(sorted(change(&demo, &caller, "1", None, &body)), unknown);
    let fine = json!({"Positionen": [{"ArtNr": "P-1", "Menge": 1}]});
    let missing = change(&demo, &caller, "1", None, &fine);
    assert!(matches!(missing, Err(Error::NotFound { .. })));
    let body =
        json!({"GrundDaten": {"KundNr": "77777", "OffertNr": "1"}, "Zahlung": [{"Wert": 7}]});
    let converted = block_on(demo.shop(&caller).convert_offer(&body));
    let all = [
        "GrundDaten.KundNr unknown_customer",
        "GrundDaten.OffertNr unknown_offer",
        "Zahlung[0].Wert wrong_type",
    ];
    assert_eq!(sorted(converted), all);
}

// rule: D-REQ-10
#[test]
fn a_member_of_an_address_has_one_problem_and_hides_no_other() {
    let demo = strict();
    let caller = shop("SHOP1");
    let shop = demo.shop(&caller);
    let customer = block_on(demo.office().customer("10001")).unwrap();
    let number = customer.contact.number.to_string();
    for (body, expected) in [
        (
            json!({"AdrSprache": "deu", "OrtName": "Basel"}),
            &["AdrSprache unknown_language", "OrtName address_check"][..],
        ),
        (
            json!({"AdrSprache": "deu", "AdrFirma": ""}),
            &["AdrFirma required", "AdrSprache unknown_language"],
        ),
        (json!({"AdrFirma": 7}), &["AdrFirma wrong_type"]),
        (
            json!({"OrtPLZ": 7, "OrtName": "Basel"}),
            &["OrtPLZ wrong_type"],
        ),
    ] {
        let refused = block_on(shop.change_address(&number, &body));
        assert_eq!(sorted(refused), expected, "{body}");
    }
}
