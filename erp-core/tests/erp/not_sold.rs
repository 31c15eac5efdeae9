//! What ends sales: an inactive article, a canceled order of an offer; and conditions on changes of orders.

use crate::common::{Demo, LINKS, admin, block_on, demo, shop};
use crate::offers::{change, problems};
use erp_core::document::OrderStatus::{Canceled, Completed, Open};
use erp_core::erp::{ArticleQuery, Conflict, Error, Retry};
use erp_core::offline::{Settings, totals_of};
use serde_json::{Value, json};

fn set_status(demo: &Demo, status: i32) {
    demo.import(&[
        json!({"Artikel": {"ArtNr": "P-1", "ArtBez": "Stanzwerkzeug", "ArtikelStatus": status,
        "attributes": [{"PHKey": "RESTWEBSHOP", "Contents": "SHOP1"}]}}),
    ])
    .unwrap();
}

fn offer(demo: &Demo) -> String {
    let body = json!({"GrundDaten": {"KundNr": "10001"},
        "Positionen": [{"ArtNr": "P-1", "Menge": 3}, {"ArtNr": "P-3", "Menge": 2}]});
    let offer = block_on(demo.shop(&shop("SHOP1")).create_offer(&body)).unwrap();
    offer.number.to_string()
}

fn conversion(offer: &str) -> Value {
    json!({"GrundDaten": {"KundNr": "10001", "OffertNr": offer}})
}

// rule: D-DOC-37
#[test]
fn an_inactive_article_is_listed_and_not_sold() {
    let demo = demo();
    let caller = shop("SHOP1");
    let (kept, ordered) = (offer(&demo), offer(&demo));
    let converted = block_on(demo.shop(&caller).convert_offer(&conversion(&ordered))).unwrap();
    set_status(&demo, 0);
    let shown = block_on(demo.shop(&caller).article("P-1", &ArticleQuery::default())).unwrap();
    assert_eq!(shown.status, 0);

    let body =
        json!({"GrundDaten": {"KundNr": "10001"}, "Positionen": [{"ArtNr": "P-1", "Menge": 1}]});
    let not_sold = ["Positionen[0].ArtNr not_sold"];
    assert_eq!(
        problems(block_on(demo.shop(&caller).create_order(&body))),
        not_sold
    );
    assert_eq!(
        problems(block_on(demo.shop(&admin()).create_order(&body))),
        not_sold
    );
    assert_eq!(
        problems(block_on(demo.shop(&caller).create_offer(&body))),
        not_sold
    );
    let articles = serde_json::to_value([shown.to_wire(&LINKS)]).unwrap();
    let offline = totals_of(&body, &articles, &Settings::default()).unwrap_err();
    assert_eq!(offline.as_slice()[0].code.to_string(), "not_sold");

    let changed = |position: Value| {
        change(
            &demo,
            &caller,
            &kept,
            None,
            &json!({"Positionen": [position]}),
        )
    };
    assert_eq!(
        problems(changed(json!({"ArtNr": "P-1", "Menge": 1}))),
        not_sold
    );
    assert_eq!(problems(changed(json!({"PosNr": 1, "Menge": 4}))), not_sold);
    // Less of it, or another text, is no sale.
    changed(json!({"PosNr": 1, "Menge": 2, "PosBez": "Rest"})).unwrap();
    let refused = problems(block_on(
        demo.shop(&caller).convert_offer(&conversion(&kept)),
    ));
    assert_eq!(refused, not_sold);
    // What was ordered before is answered as before.
    let again = block_on(demo.shop(&caller).convert_offer(&conversion(&ordered))).unwrap();
    assert_eq!(again.number, converted.number);

    assert_eq!(
        block_on(demo.office().unsellable()).unwrap().inactive.count,
        1
    );
    changed(json!({"PosNr": 1, "Menge": 0})).unwrap();
    block_on(demo.shop(&caller).convert_offer(&conversion(&kept))).unwrap();
}

// rule: D-DOC-37
#[test]
fn every_other_status_is_sold() {
    let demo = demo();
    for status in [2, -1, 99] {
        set_status(&demo, status);
        let body = json!({"GrundDaten": {"KundNr": "10001"}, "Positionen": [{"ArtNr": "P-1", "Menge": 1}]});
        demo.order(&body);
        let unsellable = block_on(demo.office().unsellable()).unwrap();
        assert_eq!(unsellable.inactive.count, 0, "{status}");
    }
}

// rule: D-DOC-26
#[test]
fn an_offer_whose_order_was_canceled_is_not_ordered_again() {
    let demo = demo();
    let caller = shop("SHOP1");
    let number = offer(&demo);
    let retry = Retry {
        key: "k",
        fingerprint: [7; 32],
    };
    let convert = |retry: Option<Retry<'_>>| {
        block_on(
            demo.shop(&caller)
                .retry(retry)
                .convert_offer(&conversion(&number)),
        )
    };
    let order = convert(Some(retry)).unwrap().number.clone();
    assert_eq!(convert(None).unwrap().number, order);
    block_on(demo.shop(&caller).cancel_order(&order)).unwrap();
    let expected = Conflict::OrderedAndCanceled(number.parse().unwrap(), order.clone());
    let refused = convert(None).unwrap_err();
    assert_eq!(refused, Error::Conflict(expected));
    assert!(
        refused
            .to_string()
            .contains(&format!("order {order}, which is canceled (state S)"))
    );
    // The retry of the request that made the order gets what it got.
    let kept = convert(Some(retry)).unwrap();
    assert!(kept.replayed && kept.number == order);
}

// rule: D-RET-03
#[test]
fn conditions_count_on_each_change_of_an_order() {
    let demo = demo();
    let caller = shop("SHOP1");
    let body =
        json!({"GrundDaten": {"KundNr": "10001"}, "Positionen": [{"ArtNr": "P-1", "Menge": 1}]});
    let number = demo.order(&body);
    let revision = || {
        block_on(demo.shop(&caller).order(&number))
            .unwrap()
            .revision
    };
    let seen = revision();
    block_on(
        demo.office()
            .set_order_note(&number, Some(&"Ruft an".parse().unwrap())),
    )
    .unwrap();
    // An empty list is `If-None-Match: *`, which no record meets.
    for wanted in [&[seen][..], &[]] {
        let refused = Some(Error::PreconditionFailed);
        assert_eq!(
            block_on(demo.shop(&caller).if_match(wanted).cancel_order(&number)).err(),
            refused
        );
        let office = demo.office().if_match(wanted);
        assert_eq!(
            block_on(office.set_order_status(&number, Open)).err(),
            refused
        );
        assert_eq!(
            block_on(office.set_order_note(&number, None)).err(),
            refused
        );
        assert_eq!(block_on(office.make_invoice(&number)).err(), refused);
    }
    let now = [revision()];
    let opened = block_on(
        demo.office()
            .if_match(&now[..])
            .set_order_status(&number, Open),
    )
    .unwrap();
    let now = [opened.revision];
    block_on(
        demo.office()
            .if_match(&now[..])
            .set_order_status(&number, Completed),
    )
    .unwrap();
    let other = demo.order(&body);
    let now = [block_on(demo.shop(&caller).order(&other)).unwrap().revision];
    let canceled = block_on(demo.shop(&caller).if_match(&now[..]).cancel_order(&other)).unwrap();
    assert_eq!(canceled.status, Canceled);
}
