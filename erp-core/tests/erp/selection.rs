//! The effect of the company's selection of addresses on each operation, on the memory store.

use crate::common::{Demo, LINKS, admin, block_on, demo, rows, shop};
use erp_core::erp::{ArticleQuery, Error};
use erp_core::master::Caller;
use serde_json::{Value, json};

/// The customer both shops see; its delivery and billing addresses belong to the first shop.
const SHARED: &str = "20001";

const OWN: &str = "20002";

fn address(street: &str, shops: &str) -> Value {
    json!({"AdrSprache": "ger", "AdrAdresse1": street, "AdrAnrede": 0, "AdrFirma": "Zwei Läden AG",
        "OrtLand": "CH", "OrtName": "Bern", "OrtPLZ": "3011",
        "attributes": [{"PHKey": "RESTWEBSHOP", "Contents": shops}]})
}

/// The small company with both customers; `selects` switches the selection of addresses on.
fn two_shops(selects: bool) -> Demo {
    let demo = demo();
    let customer = |number: &str, shops: &str| {
        json!({"Kunde": {"KundNr": number, "WaehrAbk": "CHF", "KontaktAdr": address("Kontakt 1", shops),
            "LiefAdr": [address("Rampe 1", "SHOP1"), address("Rampe 2", "SHOP1")],
            "RechAdr": [address("Kasse 1", "SHOP1")]}})
    };
    let mut company = rows().remove(0);
    if selects {
        company["Firma"]["attributes"] = json!([{"PHKey": "RESTWEBSHOP", "Contents": ""}]);
    }
    let price = json!({"Preis": {"PreisListe": "STANDARD", "ArtNr": "P-4", "WaehrAbk": "CHF", "AbAnzahl": 1,
        "PreisList": 2, "Preisart": "N"}});
    let rows = [
        company,
        price,
        customer(SHARED, "shop2, SHOP1"),
        customer(OWN, "SHOP1"),
    ];
    demo.import(&rows).unwrap();
    demo
}

fn positions() -> Value {
    json!([{"ArtNr": "P-4", "Menge": 1}])
}

fn order_for(customer: &str) -> Value {
    json!({"GrundDaten": {"KundNr": customer}, "Positionen": positions()})
}

fn ordered(demo: &Demo, caller: &Caller, body: &Value) -> Result<String, Error> {
    let outcome = block_on(demo.shop(caller).create_order(body))?;
    Ok(outcome.number.to_string())
}

fn offered(demo: &Demo, caller: &Caller, body: &Value) -> Result<String, Error> {
    let outcome = block_on(demo.shop(caller).create_offer(body))?;
    Ok(outcome.number.to_string())
}

fn changed(demo: &Demo, caller: &Caller, offer: &str, body: &Value) -> Result<(), Error> {
    let door = demo.shop(caller);
    block_on(door.change_offer(offer, None, body)).map(drop)
}

fn converted(demo: &Demo, caller: &Caller, offer: &str, customer: &str) -> Result<String, Error> {
    let body = json!({"GrundDaten": {"KundNr": customer, "OffertNr": offer}});
    let outcome = block_on(demo.shop(caller).convert_offer(&body))?;
    Ok(outcome.number.to_string())
}

fn order(demo: &Demo, caller: &Caller, number: &str) -> Result<Value, Error> {
    let found = block_on(demo.shop(caller).order(number))?;
    Ok(serde_json::to_value(found.to_wire()).unwrap())
}

fn addresses(demo: &Demo, caller: &Caller, customer: &str) -> Result<Value, Error> {
    let found = block_on(demo.shop(caller).customer(customer))?;
    Ok(serde_json::to_value(found.addresses_to_wire(&LINKS)).unwrap())
}

fn customer(demo: &Demo, caller: &Caller, number: &str) -> Result<Value, Error> {
    let found = block_on(demo.shop(caller).customer(number))?;
    Ok(serde_json::to_value(found.to_wire(&LINKS)).unwrap())
}

fn replaced(demo: &Demo, caller: &Caller, number: &str, sent: Value) -> Result<Value, Error> {
    let body = json!({"GrundDaten": {"WaehrAbk": "CHF", "FAKTZahlArt": "R"}, "Adressen": sent});
    let door = demo.shop(caller);
    let outcome = block_on(door.replace_customer(number, &body))?;
    Ok(serde_json::to_value(outcome.to_wire(&LINKS)).unwrap())
}

fn streets(addresses: &Value, kind: &str) -> Vec<String> {
    let list = addresses[kind].as_array().unwrap().iter();
    list.map(|entry| entry["AdrAdresse1"].as_str().unwrap().to_owned())
        .collect()
}

/// Paths and codes of the problems, or the other error.
fn refusal<T: std::fmt::Debug>(result: Result<T, Error>) -> Vec<String> {
    match result {
        Err(Error::Invalid(problems)) => problems
            .as_slice()
            .iter()
            .map(|problem| format!("{} {}", problem.path, problem.code))
            .collect(),
        Err(Error::NotFound { what, .. }) => vec![format!("no {what}")],
        other => vec![format!("{other:?}")],
    }
}

// rule: D-SEL-07, D-SEL-08
#[test]
fn a_customer_with_a_hidden_contact_address_is_unknown_to_every_operation() {
    let demo = two_shops(true);
    let (owner, other) = (shop("SHOP1"), shop("SHOP2"));
    let placed = ordered(&demo, &owner, &order_for(OWN)).unwrap();
    let offer = offered(&demo, &owner, &order_for(OWN)).unwrap();
    let done = offered(&demo, &owner, &order_for(OWN)).unwrap();
    let _ = converted(&demo, &owner, &done, OWN).unwrap();
    let template = json!({"Positionen": [{"ArtNr": "HIDDEN", "Menge": 1}]});
    let template = offered(&demo, &other, &template).unwrap();
    let unknown = ["GrundDaten.KundNr unknown_customer"];
    let query = ArticleQuery {
        customer: Some(OWN.to_owned()),
        ..ArticleQuery::default()
    };
    let door = demo.shop(&other);
    assert_eq!(refusal(customer(&demo, &other, OWN)), ["no customer"]);
    assert_eq!(refusal(addresses(&demo, &other, OWN)), ["no customer"]);
    let contact = json!({"KontaktAdr": address("Fremd 1", "")});
    let put = replaced(&demo, &other, OWN, contact);
    assert_eq!(refusal(put), ["no customer"]);
    let article = block_on(door.article("P-4", &query));
    assert_eq!(refusal(article), ["no customer"]);
    let list = block_on(door.article_list(&query, &[]));
    assert_eq!(refusal(list), ["no customer"]);
    assert_eq!(refusal(ordered(&demo, &other, &order_for(OWN))), unknown);
    assert_eq!(refusal(offered(&demo, &other, &order_for(OWN))), unknown);
    assert_eq!(refusal(order(&demo, &other, &placed)), ["no order"]);
    let read = block_on(door.offer(&offer));
    assert_eq!(refusal(read), ["no offer"]);
    let change = json!({"Positionen": [{"PosNr": 1, "Menge": 2}]});
    assert_eq!(
        refusal(changed(&demo, &other, &offer, &change)),
        ["no offer"]
    );
    let give = json!({"GrundDaten": {"KundNr": OWN}});
    assert_eq!(refusal(changed(&demo, &other, &template, &give)), unknown);
    assert_eq!(refusal(converted(&demo, &other, &template, OWN)), unknown);
    assert_eq!(refusal(converted(&demo, &other, &offer, OWN)), ["no offer"]);
    assert_eq!(refusal(converted(&demo, &other, &done, OWN)), ["no offer"]);
    // An admin with a shop value counts as a shop here; one without a value sees everything.
    let of_a_shop = Caller {
        shop: other.shop.clone(),
        ..admin()
    };
    assert_eq!(refusal(order(&demo, &of_a_shop, &placed)), ["no order"]);
    assert!(order(&demo, &admin(), &placed).is_ok());
    assert!(customer(&demo, &admin(), OWN).is_ok());
}

// rule: D-SEL-07, D-SEL-08
#[test]
fn without_the_attribute_of_the_company_every_shop_may_name_every_customer() {
    let demo = two_shops(false);
    let (owner, other) = (shop("SHOP1"), shop("SHOP2"));
    let placed = ordered(&demo, &owner, &order_for(OWN)).unwrap();
    assert!(order(&demo, &other, &placed).is_ok());
    assert!(ordered(&demo, &other, &order_for(OWN)).is_ok());
    let listed = addresses(&demo, &other, OWN).unwrap();
    assert_eq!(streets(&listed, "KundLief"), ["Rampe 1", "Rampe 2"]);
    let contact = json!({"KontaktAdr": address("Neu 1", "")});
    assert!(replaced(&demo, &other, OWN, contact).is_ok());
    let listed = addresses(&demo, &owner, OWN).unwrap();
    assert_eq!(streets(&listed, "KundLief"), ["Neu 1"], "none was sent");
}

// rule: D-SEL-09
#[test]
fn the_contact_address_takes_the_place_of_hidden_ones() {
    let demo = two_shops(true);
    let (owner, other) = (shop("SHOP1"), shop("SHOP2"));
    let shown = customer(&demo, &other, SHARED).unwrap();
    assert_eq!(shown["KundLief"], shown["KundKontakt"]);
    assert_eq!(shown["KundRech"], shown["KundKontakt"]);
    let whole = customer(&demo, &owner, SHARED).unwrap();
    assert_ne!(whole["KundLief"], whole["KundKontakt"]);
    let listed = addresses(&demo, &other, SHARED).unwrap();
    for kind in ["KundKontakt", "KundLief", "KundRech"] {
        assert_eq!(streets(&listed, kind), ["Kontakt 1"], "{kind}");
    }
    let street = |order: &Value, kind: &str| order["Adressen"][kind]["AdrAdresse1"].clone();
    let template = json!({"Positionen": [{"ArtNr": "HIDDEN", "Menge": 1}]});
    let template = offered(&demo, &other, &template).unwrap();
    for number in [
        ordered(&demo, &other, &order_for(SHARED)).unwrap(),
        converted(&demo, &other, &template, SHARED).unwrap(),
    ] {
        let order = order(&demo, &other, &number).unwrap();
        for kind in ["KontaktAdr", "LiefAdr", "RechAdr"] {
            assert_eq!(street(&order, kind), "Kontakt 1", "{kind}");
        }
    }
    // A stored document keeps its addresses, whoever reads it.
    let number = ordered(&demo, &owner, &order_for(SHARED)).unwrap();
    let kept = order(&demo, &other, &number).unwrap();
    assert_eq!(kept, order(&demo, &owner, &number).unwrap());
    assert_eq!(street(&kept, "LiefAdr"), "Rampe 1");
}

// rule: D-SEL-09
#[test]
fn replacing_a_customer_leaves_hidden_addresses_as_they_are() {
    let demo = two_shops(true);
    let (owner, other) = (shop("SHOP1"), shop("SHOP2"));
    let before = addresses(&demo, &owner, SHARED).unwrap();
    let hidden = |demo: &Demo| {
        let now = addresses(demo, &owner, SHARED).unwrap();
        ["KundLief", "KundRech"].map(|kind| now[kind].clone())
    };
    let unchanged = ["KundLief", "KundRech"].map(|kind| before[kind].clone());
    let contact = address("Kontakt 2", "");
    let shown = replaced(&demo, &other, SHARED, json!({"KontaktAdr": contact})).unwrap();
    assert_eq!(shown["KundLief"], shown["KundKontakt"]);
    assert_eq!(hidden(&demo), unchanged);
    // The shop adds an address of its own, changes it, and removes it again.
    for street in ["Tor 1", "Tor 2"] {
        let sent = json!({"KontaktAdr": contact, "LiefAdr": address(street, "")});
        let shown = replaced(&demo, &other, SHARED, sent).unwrap();
        assert_ne!(shown["KundLief"], shown["KundKontakt"]);
        let listed = addresses(&demo, &other, SHARED).unwrap();
        assert_eq!(streets(&listed, "KundLief"), [street]);
        assert_eq!(hidden(&demo), unchanged);
    }
    let all = addresses(&demo, &admin(), SHARED).unwrap();
    assert_eq!(streets(&all, "KundLief"), ["Rampe 1", "Rampe 2", "Tor 2"]);
    let shown = replaced(&demo, &other, SHARED, json!({"KontaktAdr": contact})).unwrap();
    assert_eq!(shown["KundLief"], shown["KundKontakt"]);
    assert_eq!(hidden(&demo), unchanged);
    assert_eq!(block_on(demo.upkeep().check()).unwrap().findings, []);
}

// rule: D-SEL-11, D-DOC-25
#[test]
fn a_conversion_refuses_articles_that_its_caller_could_not_order() {
    let demo = two_shops(true);
    let (owner, other) = (shop("SHOP1"), shop("SHOP2"));
    let body = json!({"Positionen": [
        {"ArtNr": "P-1", "Menge": 1, "VisPosNr": 20},
        {"ArtNr": "P-2", "Menge": 12, "VPEinheit": "KT12", "VisPosNr": 30},
        {"ArtNr": "P-3", "Menge": 1, "VisPosNr": 10},
    ]});
    let number = offered(&demo, &owner, &body).unwrap();
    let before = block_on(demo.office().offer(&number)).unwrap();
    // The second shop can read the template, but cannot order anything from it.
    assert!(block_on(demo.shop(&other).offer(&number)).is_ok());
    assert_eq!(
        refusal(converted(&demo, &other, &number, SHARED)),
        [
            "Positionen[0].ArtNr unknown_article",
            "Positionen[1].ArtNr unknown_article",
            "Positionen[2].ArtNr unknown_article"
        ]
    );
    let sentence = |caller: &Caller| match converted(&demo, caller, &number, SHARED) {
        Err(Error::Invalid(problems)) => problems.as_slice()[0].message.english(),
        other => panic!("{other:?}"),
    };
    let hidden = sentence(&other);
    // A unit that shops may no longer use, and an article that was removed, in the order of the output.
    demo.import(&[
        json!({"Artikel": {"ArtNr": "P-3", "Loeschen": true}}),
        json!({"Artikel": {"ArtNr": "P-2", "ArtBez": "Reißnagel",
            "attributes": [{"PHKey": "RESTWEBSHOP", "Contents": "SHOP1"}, {"PHKey": "WEBSHOPVPE", "Contents": "X"}],
            "Verpackungen": [{"VPEinheit": "KT12", "Faktor": 12}]}}),
    ])
    .unwrap();
    for caller in [&owner, &admin()] {
        assert_eq!(
            refusal(converted(&demo, caller, &number, SHARED)),
            [
                "Positionen[0].ArtNr unknown_article",
                "Positionen[2].VPEinheit unknown_article"
            ]
        );
    }
    assert_eq!(sentence(&owner), hidden, "hidden and absent read alike");
    assert_eq!(block_on(demo.office().offer(&number)).unwrap(), before);
    assert_eq!(
        block_on(demo.upkeep().check()).unwrap().records["orders"],
        0
    );
}

// rule: D-SEL-11, D-DOC-25
#[test]
fn an_offer_of_a_customer_keeps_a_position_and_an_order_has_one() {
    let demo = demo();
    let caller = shop("SHOP1");
    let positions = json!([{"ArtNr": "P-1", "Menge": 1}, {"ArtNr": "P-3", "Menge": 1}]);
    let delete = |numbers: &[i32]| {
        let changes = numbers
            .iter()
            .map(|number| json!({"PosNr": number, "Menge": 0}));
        json!({"Positionen": changes.collect::<Vec<_>>()})
    };
    let missing = ["Positionen positions_missing"];
    let body = json!({"GrundDaten": {"KundNr": "10001"}, "Positionen": positions});
    let offer = offered(&demo, &caller, &body).unwrap();
    let before = block_on(demo.office().offer(&offer)).unwrap();
    assert_eq!(
        refusal(changed(&demo, &caller, &offer, &delete(&[1, 2]))),
        missing
    );
    assert_eq!(block_on(demo.office().offer(&offer)).unwrap(), before);
    changed(&demo, &caller, &offer, &delete(&[1])).unwrap();
    assert_eq!(
        refusal(changed(&demo, &caller, &offer, &delete(&[2]))),
        missing
    );
    // A new position in the same request replaces the deleted one.
    let mut exchange = delete(&[2]);
    let list = exchange["Positionen"].as_array_mut().unwrap();
    list.push(json!({"ArtNr": "P-1", "Menge": 4}));
    changed(&demo, &caller, &offer, &exchange).unwrap();
    // A template may be empty, but it cannot be assigned or ordered then.
    let template = offered(&demo, &caller, &json!({"Positionen": positions})).unwrap();
    changed(&demo, &caller, &template, &delete(&[1, 2])).unwrap();
    assert_eq!(
        refusal(converted(&demo, &caller, &template, "10001")),
        missing
    );
    let give = json!({"GrundDaten": {"KundNr": "10001"}});
    assert_eq!(refusal(changed(&demo, &caller, &template, &give)), missing);
    let mut filled = give;
    filled["Positionen"] = json!([{"ArtNr": "P-1", "Menge": 1}]);
    changed(&demo, &caller, &template, &filled).unwrap();
    assert!(converted(&demo, &caller, &template, "10001").is_ok());
}

// rule: D-SEL-09, D-DOC-16
#[test]
fn a_conversion_copies_no_address_that_has_become_hidden() {
    let demo = two_shops(true);
    let (first, second) = (shop("SHOP1"), shop("SHOP2"));
    let made = || offered(&demo, &first, &order_for(SHARED)).unwrap();
    let (own, other) = (made(), made());
    let streets = |caller: &Caller, offer: &str| {
        let number = converted(&demo, caller, offer, SHARED).unwrap();
        let order = order(&demo, caller, &number).unwrap();
        ["KontaktAdr", "LiefAdr", "RechAdr"].map(|kind| {
            order["Adressen"][kind]["AdrAdresse1"]
                .as_str()
                .unwrap()
                .to_owned()
        })
    };
    assert_eq!(streets(&first, &own), ["Kontakt 1", "Rampe 1", "Kasse 1"]);
    assert_eq!(
        streets(&second, &other),
        ["Kontakt 1", "Kontakt 1", "Kontakt 1"]
    );
}
