//! What can be ordered of an article, and who may order more.

use crate::common::{Demo, LINKS, block_on, demo, import_rows, now, rows, shop};
use crate::offers::change;
use crate::overtaken::Overtaken;
use erp_core::Erp;
use erp_core::document::OrderStatus;
use erp_core::erp::{ArticleQuery, Error, Settings};
use erp_core::master::Caller;
use erp_core::storage::{MemoryStore, Storage};
use serde_json::{Value, json};

/// A page of the customer 10001.
fn page() -> Caller {
    Caller {
        customer: Some("10001".parse().unwrap()),
        ..shop("SHOP1")
    }
}

/// The problems with their limits; of an order that is placed none.
fn ordered<S: Storage>(
    erp: &Erp<S>,
    caller: &Caller,
    header: &Value,
    positions: &Value,
) -> Vec<String> {
    let mut body = json!({"GrundDaten": {"KundNr": "10001"}, "Positionen": positions});
    for (name, value) in header.as_object().unwrap() {
        body["GrundDaten"][name] = value.clone();
    }
    told(block_on(erp.shop(caller, now()).create_order(&body)).map(drop))
}

fn told(outcome: Result<(), Error>) -> Vec<String> {
    match outcome {
        Ok(()) => Vec::new(),
        Err(Error::Invalid(problems)) => {
            let list = problems.as_slice().iter();
            list.map(|one| {
                format!(
                    "{} {} {}",
                    one.path,
                    one.code,
                    one.limit.unwrap_or(u64::MAX)
                )
            })
            .collect()
        }
        Err(other) => panic!("{other:?}"),
    }
}

fn of(menge: u32) -> Value {
    json!([{"ArtNr": "P-1", "Menge": menge}])
}

fn backorders(demo: &Demo, allowed: &str) {
    let mut company = rows()[0].clone();
    company["Firma"]["Rueckstand"] = json!(allowed);
    demo.import(&[company]).unwrap();
}

// rule: D-DOC-39
#[test]
fn a_customer_orders_what_there_is() {
    let demo = demo();
    let order = |caller: &Caller, menge: u32| ordered(&demo.erp, caller, &json!({}), &of(menge));
    assert_eq!(order(&page(), 11), ["Positionen[0].Menge out_of_stock 10"]);
    assert_eq!(order(&page(), 7), [""; 0]);
    assert_eq!(order(&page(), 4), ["Positionen[0].Menge out_of_stock 3"]);
    // The shop itself may order more.
    assert_eq!(order(&shop("SHOP1"), 4), [""; 0]);
    assert_eq!(order(&page(), 1), ["Positionen[0].Menge out_of_stock 0"]);
    // An article without stock is not counted.
    let uncounted = json!([{"ArtNr": "P-3", "Menge": 5_000}]);
    assert_eq!(ordered(&demo.erp, &page(), &json!({}), &uncounted), [""; 0]);
    // Positions of one article are summed.
    demo.import(&[json!({"Bestand": {"ArtNr": "P-1", "LagerOrt": "Halle A", "StaoNr": 1, "LagerBestand": 21}})]).unwrap();
    let two = json!([{"ArtNr": "P-1", "Menge": 6}, {"ArtNr": "P-3", "Menge": 1}, {"ArtNr": "P-1", "Menge": 6}]);
    assert_eq!(
        ordered(&demo.erp, &page(), &json!({}), &two),
        ["Positionen[2].Menge out_of_stock 4"]
    );
}

// rule: D-DOC-39
#[test]
fn the_company_decides_whether_more_may_be_ordered() {
    let settings = Settings {
        customers_may_backorder: true,
        ..Settings::default()
    };
    let demo = Demo {
        erp: Erp::new(MemoryStore::new(), settings),
    };
    demo.import(&rows()).unwrap();
    let order = |caller: &Caller| ordered(&demo.erp, caller, &json!({}), &of(11));
    assert_eq!(order(&page()), [""; 0]);
    backorders(&demo, "N");
    let refused = ["Positionen[0].Menge out_of_stock 0"];
    assert_eq!(order(&page()), refused);
    assert_eq!(order(&shop("SHOP1")), refused);
    assert_eq!(order(&crate::common::admin()), refused);
    backorders(&demo, "J");
    assert_eq!(order(&shop("SHOP1")), [""; 0]);
}

// rule: D-DOC-39
#[test]
fn at_a_location_no_more_than_is_there_can_be_ordered() {
    let demo = demo();
    let stock = |place: &str, location: u32, count: u32, released: bool| {
        json!({"Bestand": {"ArtNr": "P-1", "LagerOrt": place, "StaoNr": location, "LagerBestand": count,
            "Freigegeben": released}})
    };
    demo.import(&[stock("B", 2, 5, true), stock("C", 1, 100, false)])
        .unwrap();
    let order = |header: Value, menge: u32| ordered(&demo.erp, &page(), &header, &of(menge));
    assert_eq!(
        order(json!({"StaoNr": 2}), 6),
        ["Positionen[0].Menge out_of_stock 5"]
    );
    assert_eq!(
        order(json!({}), 16),
        ["Positionen[0].Menge out_of_stock 15"]
    );
    // More than the company's own place has, which is there all the same.
    assert_eq!(order(json!({}), 12), [""; 0]);
    assert_eq!(
        order(json!({"StaoNr": 2}), 4),
        ["Positionen[0].Menge out_of_stock 3"]
    );
    assert_eq!(
        order(json!({"StaoNr": 3}), 1),
        ["Positionen[0].Menge out_of_stock 0"]
    );
}

// rule: D-DOC-39
#[test]
fn stock_is_counted_in_the_unit_that_it_is_kept_in() {
    let demo = demo();
    let article = json!({"Artikel": {"ArtNr": "P-2", "AnLager": "J", "ArtBez": "Reißnagel",
        "attributes": [{"PHKey": "RESTWEBSHOP", "Contents": "*"}], "Verpackungen": [{"VPEinheit": "KT12", "Faktor": 12}]}});
    let loose =
        json!({"Bestand": {"ArtNr": "P-2", "LagerOrt": "A", "StaoNr": 1, "LagerBestand": 85}});
    demo.import(&[article, loose]).unwrap();
    let order = |cartons: u32| {
        let positions = json!([{"ArtNr": "P-2", "Menge": 12 * cartons, "VPEinheit": "KT12"}]);
        ordered(&demo.erp, &page(), &json!({}), &positions)
    };
    // 85 loose ones fill seven cartons.
    assert_eq!(order(8), ["Positionen[0].Menge out_of_stock 84"]);
    // Where cartons are kept, loose ones are no cartons.
    demo.import(&[json!({"Bestand": {"ArtNr": "P-2", "LagerOrt": "B", "StaoNr": 1, "LagerBestand": 2, "VPEinheit": "KT12"}})]).unwrap();
    assert_eq!(order(3), ["Positionen[0].Menge out_of_stock 24"]);
    assert_eq!(order(2), [""; 0]);
    assert_eq!(order(1), ["Positionen[0].Menge out_of_stock 0"]);
}

// rule: D-DOC-39, R-RES-16
#[test]
fn goods_at_another_place_than_the_companys_are_sold_once() {
    let demo = demo();
    let gone =
        json!({"Bestand": {"ArtNr": "P-1", "LagerOrt": "Halle A", "StaoNr": 1, "Loeschen": true}});
    let there =
        json!({"Bestand": {"ArtNr": "P-1", "LagerOrt": "B", "StaoNr": 2, "LagerBestand": 5}});
    demo.import(&[gone, there]).unwrap();
    let left = || {
        let (caller, query) = (shop("SHOP1"), ArticleQuery::default());
        let article = block_on(demo.shop(&caller).article("P-1", &query)).unwrap();
        serde_json::to_value(article.to_wire(&LINKS)).unwrap()["Bestand"][0]["LagerBestand"].clone()
    };
    let place = |menge: u32| {
        let body = json!({"GrundDaten": {"KundNr": "10001"}, "Positionen": of(menge)});
        block_on(demo.shop(&page()).create_order(&body)).unwrap()
    };
    let first = place(3);
    assert_eq!(left(), 2);
    for header in [json!({}), json!({"StaoNr": 2})] {
        let refused = ordered(&demo.erp, &page(), &header, &of(3));
        assert_eq!(refused, ["Positionen[0].Menge out_of_stock 2"], "{header}");
    }
    let completed = demo
        .erp
        .office(now())
        .set_order_status(&first.number, OrderStatus::Completed);
    block_on(completed).unwrap();
    assert_eq!(left(), 2);
    place(2);
    assert_eq!(left(), 0);
    assert_eq!(
        block_on(demo.erp.upkeep(now()).check()).unwrap().findings,
        []
    );
}

// rule: D-DOC-39
#[test]
fn what_the_shop_has_offered_can_be_ordered() {
    let demo = demo();
    let offer = |caller: &Caller, menge: u32| {
        let body = json!({"GrundDaten": {"KundNr": "10001"}, "Positionen": of(menge)});
        let offer = block_on(demo.shop(caller).create_offer(&body)).unwrap();
        offer.number.to_string()
    };
    let convert = |caller: &Caller, offer: &str| {
        let body = json!({"GrundDaten": {"KundNr": "10001", "OffertNr": offer}});
        told(block_on(demo.shop(caller).convert_offer(&body)).map(drop))
    };
    let quantity = |offer: &str, menge: u32| {
        let body = json!({"Positionen": [{"PosNr": 1, "Menge": menge}]});
        change(&demo, &page(), offer, None, &body).unwrap();
    };
    let refused = ["Positionen[0].Menge out_of_stock 10"];
    let own = offer(&page(), 20);
    assert_eq!(convert(&page(), &own), refused);
    quantity(&own, 11);
    assert_eq!(convert(&page(), &own), refused);
    // The shop itself converts it where backorders are taken.
    backorders(&demo, "N");
    assert_eq!(convert(&shop("SHOP1"), &own), refused);
    // The customer has raised what the shop has promised.
    let raised = offer(&shop("SHOP1"), 20);
    quantity(&raised, 21);
    assert_eq!(convert(&page(), &raised), refused);
    let lowered = offer(&shop("SHOP1"), 20);
    quantity(&lowered, 19);
    assert_eq!(convert(&page(), &lowered), [""; 0]);
    // What it lowers again is promised still.
    let back = offer(&shop("SHOP1"), 20);
    for menge in [25, 22] {
        quantity(&back, menge);
        let refused = ["Positionen[0].Menge out_of_stock 0"];
        assert_eq!(convert(&page(), &back), refused, "{menge}");
    }
    quantity(&back, 20);
    assert_eq!(convert(&page(), &back), [""; 0]);
    backorders(&demo, "J");
    assert_eq!(convert(&shop("SHOP1"), &raised), [""; 0]);
}

// rule: D-DOC-39
#[test]
fn two_orders_at_once_do_not_take_the_same_stock() {
    let store = Overtaken::default();
    let erp = store.erp();
    block_on(erp.office(now()).import(&import_rows(&rows()))).unwrap();
    store.overtaken_by(|rival| assert_eq!(ordered(rival, &page(), &json!({}), &of(6)), [""; 0]));
    let second = ordered(&erp, &page(), &json!({}), &of(6));
    assert!(store.was_overtaken());
    assert_eq!(second, ["Positionen[0].Menge out_of_stock 4"]);
    // So it is when the stock itself changes meanwhile.
    store.overtaken_by(|rival| {
        let row = json!({"Bestand": {"ArtNr": "P-1", "LagerOrt": "Halle A", "StaoNr": 1, "LagerBestand": 7}});
        block_on(rival.office(now()).import(&import_rows(&[row]))).unwrap();
    });
    assert_eq!(
        ordered(&erp, &page(), &json!({}), &of(4)),
        ["Positionen[0].Menge out_of_stock 1"]
    );
}
