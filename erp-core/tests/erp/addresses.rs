//! Addresses on the memory store: reading, changing, searching.

use crate::common::{Demo, LINKS, block_on, demo, shop};
use erp_core::erp::{Error, FoundCustomer, SearchField, SearchTerms};
use erp_core::internal::response::AddressRecord;
use serde_json::{Value, json};

fn customer(demo: &Demo, name: &str, extra: Value) -> String {
    let mut address = json!({"AdrSprache": "ger", "AdrAdresse1": "Hauptstraße 1", "AdrAnrede": 1, "AdrName": name,
        "OrtLand": "CH", "OrtName": "Bern", "OrtPLZ": "3011"});
    for (key, value) in extra.as_object().unwrap() {
        address[key] = value.clone();
    }
    let body = json!({"GrundDaten": {"WaehrAbk": "CHF", "FAKTZahlArt": "B"}, "Adressen": {"KontaktAdr": address}});
    let caller = shop("SHOP1");
    let outcome = block_on(demo.shop(&caller).create_customer(&body)).unwrap();
    outcome.number.to_string()
}

fn find(demo: &Demo, criteria: &[(&str, &str)]) -> Result<String, u64> {
    let mut terms = SearchTerms::default();
    for (name, text) in criteria {
        let field = SearchField::ALL
            .into_iter()
            .find(|field| field.name == *name)
            .unwrap();
        terms.add(field, text);
    }
    let caller = shop("SHOP1");
    let found = block_on(demo.shop(&caller).find_customer(&terms)).unwrap();
    match found {
        FoundCustomer::One(found) => Ok(found.number.to_string()),
        FoundCustomer::None => Err(0),
        FoundCustomer::Several => Err(2),
    }
}

// rule: R-END-72, R-END-74, D-ADR-06
#[test]
fn exactly_one_customer_is_found_however_it_is_spelled() {
    let demo = demo();
    let mueller = customer(
        &demo,
        "Müller-Groß",
        json!({"AdrTf1": "+41 31 000 00 01", "EmailAdress": "A.Mueller@Example.ch"}),
    );
    customer(&demo, "Meier", json!({}));
    for criteria in [
        &[("AdrName", "MÜLLER-GROSS")][..],
        &[("AdrName", "  mueller-gross ")],
        &[("AdrName", "Muller-Groß"), ("OrtPLZ", "3011")],
        &[("AdrTf1", "+41310000001")],
        &[("EmailAdress", "a.mueller@example.ch"), ("OrtLand", "ch")],
    ] {
        assert_eq!(find(&demo, criteria), Ok(mueller.clone()), "{criteria:?}");
    }
    assert_eq!(find(&demo, &[("AdrAdresse1", "hauptstrasse  1")]), Err(2));
    assert_eq!(
        find(&demo, &[("AdrName", "Müller-Groß"), ("OrtPLZ", "8001")]),
        Err(0),
        "all must hold on one address"
    );
    let rueegg = customer(
        &demo,
        "Rüegg",
        json!({"OrtPLZ": "CH-8001", "OrtName": "Zürich"}),
    );
    for criteria in [
        [("AdrName", "RUEEGG"), ("OrtPLZ", "8001")],
        [("AdrName", "Ruegg"), ("OrtPLZ", "CH-8001")],
        [("AdrName", "rüegg"), ("OrtPLZ", "80 01")],
    ] {
        assert_eq!(find(&demo, &criteria), Ok(rueegg.clone()), "{criteria:?}");
    }
    assert_eq!(find(&demo, &[("AdrName", "Nobody")]), Err(0));
    assert_eq!(find(&demo, &[("AdrTf1", "-")]), Err(0));
    assert_eq!(find(&demo, &[]), Err(2));
}

// rule: R-END-73, R-END-75
#[test]
fn a_search_returns_keys_and_links() {
    let demo = demo();
    let number = customer(&demo, "Einzig", json!({}));
    let mut terms = SearchTerms::default();
    terms.add(SearchField::ALL[7], "einzig");
    let caller = shop("SHOP1");
    let found = block_on(demo.shop(&caller).find_customer(&terms))
        .unwrap()
        .one()
        .unwrap();
    let found = serde_json::to_value(found.search_result_to_wire(&LINKS)).unwrap();
    assert_eq!(found["DebiNr"], number.as_str());
    assert_eq!(found["KundLief"], found["KundKontakt"]);
    let links: Vec<_> = found["links"]
        .as_array()
        .unwrap()
        .iter()
        .map(|link| {
            (
                link["type"].as_str().unwrap(),
                link["rel"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        links,
        [
            ("GET", "adressen KundRech"),
            ("PATCH", "adressen KundRech"),
            ("GET", "adressen KundKontakt"),
            ("PATCH", "adressen KundKontakt"),
            ("GET", "adressen KundLief"),
            ("PATCH", "adressen KundLief"),
            ("GET", "kunden"),
        ]
    );
}

// rule: R-END-64, R-END-66, R-END-67, R-END-70, D-ADR-06, D-RET-03, D-RET-02
#[test]
fn a_changed_address_is_found_by_its_new_values() {
    let demo = demo();
    let caller = shop("SHOP1");
    let door = demo.shop(&caller);
    let number = customer(&demo, "Vorher", json!({}));
    let customer_read = block_on(door.customer(&number)).unwrap();
    let list = serde_json::to_value(customer_read.addresses_to_wire(&LINKS)).unwrap();
    let address = list["KundKontakt"][0]["AdrNr"].to_string();
    assert_eq!(list["KundLief"], list["KundKontakt"]);
    let before = block_on(door.address(&address)).unwrap();
    let patch = |body: &Value, revision: u64| {
        let revisions = [revision];
        block_on(door.if_match(&revisions[..]).change_address(&address, body))
    };
    let outcome = patch(
        &json!({"AdrName": "Nachher", "AdrTf1": "031 000 00 09"}),
        before.revision,
    )
    .unwrap();
    assert_ne!(outcome.revision, Some(before.revision));
    assert!(matches!(
        patch(&json!({"AdrName": "Zu spät"}), before.revision),
        Err(Error::PreconditionFailed)
    ));
    let after = serde_json::to_value(AddressRecord::from(
        &block_on(door.address(&address)).unwrap().address,
    ))
    .unwrap();
    assert_eq!(
        (&after["AdrName"], &after["OrtName"]),
        (&json!("Nachher"), &json!("Bern"))
    );
    assert_eq!(find(&demo, &[("AdrName", "Vorher")]), Err(0));
    assert_eq!(find(&demo, &[("AdrName", "Nachher")]), Ok(number.clone()));
    // Another customer with this name, who is the only match once the first one has another name.
    let second = customer(&demo, "NACHHER", json!({}));
    assert_eq!(find(&demo, &[("AdrName", "Nachher")]), Err(2));
    let third = json!({"AdrName": "Dritter"});
    block_on(door.change_address(&address, &third)).unwrap();
    assert_eq!(find(&demo, &[("AdrName", "Nachher")]), Ok(second));
    assert!(matches!(
        block_on(door.address("99999")),
        Err(Error::NotFound { .. })
    ));
    assert!(matches!(
        block_on(door.customer("99999")),
        Err(Error::NotFound { .. })
    ));
    assert_eq!(block_on(demo.upkeep().check()).unwrap().findings, []);
}

// rule: R-END-70
#[test]
fn an_address_must_be_valid_after_a_change() {
    let demo = demo();
    let caller = shop("SHOP1");
    let door = demo.shop(&caller);
    let number = customer(&demo, "Bleibt", json!({}));
    let found = block_on(door.customer(&number)).unwrap();
    let address = found.contact.number.to_string();
    let stored = || block_on(door.address(&address)).unwrap();
    let before = stored();
    let change = |body: &Value| block_on(door.change_address(&address, body));
    for (mut body, path, code) in [
        (json!({"AdrName": ""}), "AdrFirma", "required"),
        (json!({"AdrAdresse1": ""}), "AdrAdresse1", "required"),
        (json!({"OrtName": " "}), "OrtName", "required"),
        (json!({"OrtPLZ": ""}), "OrtPLZ", "required"),
        (json!({"OrtLand": "CHE"}), "OrtLand", "unknown_country"),
        (
            json!({"AdrSprache": "deu"}),
            "AdrSprache",
            "unknown_language",
        ),
        (json!({"AdrAnrede": 3}), "AdrAnrede", "unknown_value"),
        (json!({"AdrAnrede": "1"}), "AdrAnrede", "wrong_type"),
        (json!({"AdrFax": "0".repeat(29)}), "AdrFax", "too_long"),
        (json!({"AdrTf1": 41}), "AdrTf1", "wrong_type"),
    ] {
        body["AdrVorname"] = json!("Darf nicht bleiben");
        let Err(Error::Invalid(problems)) = change(&body) else {
            panic!("{body}")
        };
        let [problem] = problems.as_slice() else {
            panic!("{body}: {problems:?}")
        };
        assert_eq!(
            (problem.path.as_str(), problem.code.to_string()),
            (path, code.to_owned())
        );
    }
    assert_eq!(stored(), before);
    // An address with a company instead of a name is valid.
    change(&json!({"AdrName": "", "AdrFirma": "Firma"})).unwrap();
}

// rule: R-END-65
#[test]
fn the_company_attribute_hides_addresses_of_others() {
    let demo = demo();
    let caller = shop("SHOP1");
    let number = customer(&demo, "Versteckt", json!({}));
    let mut company = crate::common::rows().remove(0);
    company["Firma"]["attributes"] = json!([{"PHKey": "RESTWEBSHOP", "Contents": "1"}]);
    demo.import(&[company]).unwrap();
    let door = demo.shop(&caller);
    let found = block_on(door.customer(&number));
    assert!(matches!(found, Err(Error::NotFound { .. })), "{found:?}");
    assert_eq!(find(&demo, &[("AdrName", "Versteckt")]), Err(0));
    let admin = crate::common::admin();
    assert!(block_on(demo.shop(&admin).customer(&number)).is_ok());
}

// rule: R-END-15
#[test]
fn replacing_a_customer_replaces_the_first_address_of_a_kind_or_leaves_none() {
    let demo = demo();
    let caller = shop("SHOP1");
    let door = demo.shop(&caller);
    let address = |street: &str| {
        json!({"AdrSprache": "ger", "AdrAdresse1": street, "AdrAnrede": 0, "AdrFirma": "Zwei Lager AG",
            "OrtLand": "CH", "OrtName": "Bern", "OrtPLZ": "3011"})
    };
    let row = json!({"Kunde": {"KundNr": "10900", "WaehrAbk": "CHF", "KontaktAdr": address("Weg 1"),
        "LiefAdr": [address("Rampe 1"), address("Rampe 2")]}});
    demo.import(&[row]).unwrap();
    let streets = || {
        let found = block_on(door.customer("10900")).unwrap();
        let addresses = found.addresses_to_wire(&LINKS).delivery;
        let streets = addresses
            .iter()
            .map(|entry| (entry.number.unwrap(), entry.address.street.to_string()));
        streets.collect::<Vec<_>>()
    };
    let before = streets();
    let replace = |addresses: Value| {
        let body =
            json!({"GrundDaten": {"WaehrAbk": "CHF", "FAKTZahlArt": "R"}, "Adressen": addresses});
        block_on(door.replace_customer("10900", &body)).unwrap()
    };
    replace(json!({"KontaktAdr": address("Weg 1"), "LiefAdr": address("Rampe 3")}));
    let first = (before[0].0, "Rampe 3".to_owned());
    assert_eq!(streets(), [first, before[1].clone()]);
    replace(json!({"KontaktAdr": address("Weg 1")}));
    assert_eq!(
        streets()
            .iter()
            .map(|(_, street)| street.as_str())
            .collect::<Vec<_>>(),
        ["Weg 1"]
    );
    assert_eq!(block_on(demo.upkeep().check()).unwrap().findings, []);
}

#[test]
fn frequent_names_and_towns_are_distinguished() {
    let demo = demo();
    let mut wanted = String::new();
    for number in 0..150 {
        let code = format!("{}", 3000 + number % 10);
        let mail = format!("m{number}@example.ch");
        let name = if number % 2 == 0 { "Müller" } else { "Meier" };
        let stored = customer(
            &demo,
            name,
            json!({"OrtPLZ": code, "EmailAdress": mail, "AdrVorname": format!("V{}", number % 7)}),
        );
        if number == 84 {
            wanted = stored;
        }
    }
    // 75 Müller, 15 of them at postal code 3004, and several of these called V0.
    assert_eq!(
        find(&demo, &[("AdrName", "müller"), ("OrtPLZ", "3004")]),
        Err(2)
    );
    assert_eq!(
        find(
            &demo,
            &[
                ("AdrName", "Müller"),
                ("OrtPLZ", "3004"),
                ("AdrVorname", "V0"),
                ("EmailAdress", "m84@example.ch")
            ]
        ),
        Ok(wanted)
    );
    assert_eq!(
        find(&demo, &[("AdrName", "Müller"), ("OrtPLZ", "3001")]),
        Err(0),
        "odd numbers are Meier"
    );
    assert_eq!(
        find(
            &demo,
            &[
                ("OrtName", "Bern"),
                ("AdrAdresse1", "Hauptstrasse 1"),
                ("AdrVorname", "V9")
            ]
        ),
        Err(0)
    );
}

// rule: R-END-65
#[test]
fn a_shop_sees_the_addresses_it_stored_and_other_shops_do_not() {
    let demo = demo();
    let mut company = crate::common::rows().remove(0);
    company["Firma"]["attributes"] = json!([{"PHKey": "RESTWEBSHOP", "Contents": "1"}]);
    demo.import(&[company]).unwrap();
    let number = customer(&demo, "Selbst", json!({}));
    let seen = |value: &str| {
        let caller = shop(value);
        block_on(demo.shop(&caller).customer(&number)).is_ok()
    };
    assert_eq!((seen("SHOP1"), seen("SHOP2")), (true, false));
    assert_eq!(find(&demo, &[("AdrName", "Selbst")]), Ok(number.clone()));
}

// rule: R-END-14
#[test]
fn the_designation_of_a_customer_follows_its_contact_until_it_is_maintained() {
    let demo = demo();
    let caller = shop("SHOP1");
    let door = demo.shop(&caller);
    let body = |name: &str| {
        json!({"GrundDaten": {"WaehrAbk": "CHF", "FAKTZahlArt": "B"}, "Adressen": {"KontaktAdr": {
            "AdrSprache": "ger", "AdrAnrede": 0, "AdrFirma": name, "AdrAdresse1": "Weg 1",
            "OrtLand": "CH", "OrtName": "Bern", "OrtPLZ": "3011"}}})
    };
    let long = "Gesellschaft für das Allgemeine GmbH";
    let number = demo.customer(&body(long));
    let stored = || {
        block_on(demo.office().customer(&number))
            .unwrap()
            .value
            .designation
    };
    assert_eq!(
        stored().as_str(),
        long.chars().take(24).collect::<String>().trim_end()
    );
    block_on(door.replace_customer(&number, &body("Neu AG"))).unwrap();
    assert_eq!(stored().as_str(), "Neu AG");
    let maintained = json!({"Kunde": {"KundNr": number, "WaehrAbk": "CHF", "KundBez": "Stammkunde", "FAKTZahlArt": "B",
        "KontaktAdr": {"AdrSprache": "ger", "AdrAdresse1": "Weg 1", "AdrAnrede": 0, "AdrFirma": "Käufer AG", "OrtLand": "CH",
            "OrtName": "Zürich", "OrtPLZ": "8001"}}});
    demo.import(&[maintained]).unwrap();
    block_on(door.replace_customer(&number, &body("Andere AG"))).unwrap();
    assert_eq!(stored().as_str(), "Stammkunde");
}
