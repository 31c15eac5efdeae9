//! Offers on the memory store: created, changed, assigned to a customer, converted to an order.

use std::fmt::Debug;

use crate::common::{Demo, LINKS, admin, block_on, demo, now, shop};
use erp_core::erp::{ArticleQuery, Error, Retry};
use erp_core::internal::record::encode;
use erp_core::master::Caller;
use erp_core::storage::{ChangeSet, Key, Space, Storage as _};
use erp_core::text::Text;
use erp_core::town::Directory;
use rust_decimal::Decimal;
use serde_json::{Value, json};

fn make(demo: &Demo, caller: &Caller, body: &Value) -> Value {
    let outcome = block_on(demo.shop(caller).create_offer(body)).unwrap();
    serde_json::to_value(outcome.to_wire()).unwrap()
}

pub(crate) fn template(demo: &Demo, caller: &Caller) -> String {
    let body = json!({"Positionen": [{"ArtNr": "P-1", "Menge": 3}, {"ArtNr": "P-3", "Menge": 2}]});
    make(demo, caller, &body)["OffertNr"]
        .as_str()
        .unwrap()
        .to_owned()
}

pub(crate) fn change(
    demo: &Demo,
    caller: &Caller,
    number: &str,
    customer: Option<&str>,
    body: &Value,
) -> Result<Value, Error> {
    let outcome = block_on(demo.shop(caller).change_offer(number, customer, body))?;
    Ok(serde_json::to_value(outcome.to_wire()).unwrap())
}

fn convert(demo: &Demo, caller: &Caller, number: &str, customer: &str) -> Result<String, Error> {
    let body = json!({"GrundDaten": {"KundNr": customer, "OffertNr": number}, "Zahlung": [{"Bezeichnung": "TransID", "Wert": "77"}]});
    let outcome = block_on(demo.shop(caller).convert_offer(&body))?;
    Ok(outcome.number.to_string())
}

fn positions(offer: &Value) -> Vec<(i64, String, String)> {
    let list = offer["Positionen"].as_array().unwrap().iter();
    list.map(|position| {
        let number = position["PosNr"].as_i64().unwrap();
        (
            number,
            position["ArtNr"].as_str().unwrap().to_owned(),
            position["PosAnzBest"].to_string(),
        )
    })
    .collect()
}

/// The problems of an error, each as path and code.
pub(crate) fn problems(refused: Result<impl Debug, Error>) -> Vec<String> {
    let Err(Error::Invalid(problems)) = refused else {
        panic!("{refused:?}")
    };
    let list = problems.as_slice().iter();
    list.map(|problem| format!("{} {}", problem.path, problem.code))
        .collect()
}

/// The mismatches: field, value of the offer, value of the customer.
fn mismatches(refused: Result<impl Debug, Error>) -> Vec<String> {
    let Err(Error::Mismatch(found)) = refused else {
        panic!("{refused:?}")
    };
    let list = found.iter();
    list.map(|one| format!("{} {} {}", one.subject, one.offer, one.customer))
        .collect()
}

/// A customer of the back office with these members and the required ones.
fn customer(number: &str, language: &str, members: &Value) -> Value {
    let mut row = json!({"KundNr": number, "WaehrAbk": "CHF", "AdrSprache": language, "KontaktAdr": {"AdrSprache": language,
        "AdrAdresse1": "Weg 1", "AdrAnrede": 0, "AdrFirma": number, "OrtLand": "CH", "OrtName": "Zürich", "OrtPLZ": "8001"}});
    for (name, value) in members.as_object().unwrap() {
        row[name] = value.clone();
    }
    json!({ "Kunde": row })
}

/// A higher price of `P-1` in the list of the company.
fn dearer() -> Value {
    json!({"Preis": {"PreisListe": "STANDARD", "ArtNr": "P-1", "WaehrAbk": "CHF", "AbAnzahl": 1, "PreisList": 99, "Preisart": "N"}})
}

// rule: R-STA-01, R-STA-03, R-STA-12, R-END-45, R-END-46
#[test]
fn a_template_has_no_customer_and_computed_prices() {
    let demo = demo();
    let caller = shop("SHOP1");
    let offer = make(
        &demo,
        &caller,
        &json!({"Positionen": [{"ArtNr": "P-1", "Menge": 3, "Preis": 0.01}]}),
    );
    let header = &offer["GrundDaten"];
    assert_eq!(
        (&header["Template"], &header["AuftStatus"]),
        (&json!(true), &json!("P"))
    );
    assert!(header.get("KundNr").is_none());
    assert_eq!(header["AuftNetto"].to_string(), "37.05");
    assert_eq!(header["AuftBrutto"].to_string(), "40.05");
    assert_eq!(offer["OffertNr"], "100001");
}

// rule: R-STA-06, R-END-55, R-END-56
#[test]
fn the_three_position_rules_apply_together() {
    let demo = demo();
    let caller = shop("SHOP1");
    let number = template(&demo, &caller);
    let body = json!({"Positionen": [
        {"PosNr": 1, "Menge": 5},
        {"PosNr": 2, "Menge": 0},
        {"ArtNr": "P-3", "Menge": 1, "PosBez": "Noch ein Käse", "GRabSatz": 10},
    ]});
    let offer = change(&demo, &caller, &number, None, &body).unwrap();
    assert_eq!(
        positions(&offer),
        [(1, "P-1".into(), "5".into()), (3, "P-3".into(), "1".into())]
    );
    // 5 × 12.35 + 4.20 − 0.42
    assert_eq!(offer["GrundDaten"]["AuftNetto"].to_string(), "65.53");
    let offer = change(
        &demo,
        &caller,
        &number,
        None,
        &json!({"Positionen": [{"ArtNr": "P-1", "Menge": 1}, {"PosNr": 1, "ArtNr": "P-1", "Menge": 2, "GRabSatz": 50}]}),
    )
    .unwrap();
    assert_eq!(
        positions(&offer).last().unwrap().0,
        4,
        "numbers are never used again"
    );
    assert_eq!(offer["Positionen"][0]["PosPreisTotal"].to_string(), "12.35");
}

// rule: R-END-57
#[test]
fn a_change_prices_only_what_it_touches() {
    let demo = demo();
    let caller = shop("SHOP1");
    let number = template(&demo, &caller);
    demo.import(&[dearer()]).unwrap();
    let totals = |entry: Value| {
        let body = json!({ "Positionen": [entry] });
        let offer = change(&demo, &caller, &number, None, &body).unwrap();
        [0, 1].map(|at| offer["Positionen"][at]["PosPreisTotal"].to_string())
    };
    assert_eq!(totals(json!({"PosNr": 2, "Menge": 1})), ["37.05", "4.2"]);
    assert_eq!(totals(json!({"PosNr": 1, "Menge": 4})), ["396", "4.2"]);
}

// rule: R-STA-06, R-END-58, R-END-54
#[test]
fn a_refused_change_changes_nothing() {
    let demo = demo();
    let caller = shop("SHOP1");
    let number = template(&demo, &caller);
    let stored = || block_on(demo.shop(&admin()).offer(&number)).unwrap();
    let before = stored();
    let refused = |body: &Value| problems(change(&demo, &caller, &number, Some("10001"), body));
    let good = json!({"PosNr": 1, "Menge": 9});
    for (entry, problem) in [
        (json!({"PosNr": 7, "Menge": 1}), "PosNr unknown_position"),
        (json!({"PosNr": 7, "Menge": 0}), "PosNr unknown_position"),
        (json!({"Menge": 1}), "ArtNr required"),
        (json!({"ArtNr": "P-1", "Menge": 0}), "Menge out_of_range"),
        (json!({"PosNr": 2}), "Menge required"),
        (json!({"PosNr": 2, "Menge": -1}), "Menge out_of_range"),
        (json!({"PosNr": 1, "Menge": 0}), "PosNr contradiction"),
        (
            json!({"PosNr": 2, "ArtNr": "P-1", "Menge": 1}),
            "ArtNr contradiction",
        ),
        (
            json!({"ArtNr": "NOPE", "Menge": 1}),
            "ArtNr unknown_article",
        ),
        (
            json!({"ArtNr": "HIDDEN", "Menge": 1}),
            "ArtNr unknown_article",
        ),
        (json!({"ArtNr": "P-4", "Menge": 1}), "ArtNr no_price"),
        (
            json!({"PosNr": 2, "Menge": 1, "GRabSatz": 101}),
            "GRabSatz out_of_range",
        ),
    ] {
        let found = refused(&json!({ "Positionen": [good, entry] }));
        assert_eq!(found, [format!("Positionen[1].{problem}")]);
    }
    let several = json!({"Positionen": [good, {"PosNr": 7, "Menge": 1}, {"Menge": 1}]});
    assert_eq!(
        refused(&several),
        [
            "Positionen[2].ArtNr required",
            "Positionen[1].PosNr unknown_position"
        ]
    );
    let several = json!({"Positionen": [good, {"PosNr": 7, "Menge": 1}, {"PosNr": 2, "ArtNr": "P-1", "Menge": 1}]});
    assert_eq!(
        refused(&several),
        [
            "Positionen[1].PosNr unknown_position",
            "Positionen[2].ArtNr contradiction"
        ]
    );
    let half = json!({"Positionen": [good], "Adressen": {"LiefAdr": {"AdrName": "Halb"}}});
    assert_eq!(refused(&half).len(), 6, "a whole address");
    assert_eq!(stored(), before);
}

// rule: R-STA-04, R-STA-05, R-END-52
#[test]
fn a_template_can_only_be_assigned_to_a_customer_it_fits() {
    let demo = demo();
    let caller = shop("SHOP1");
    let number = template(&demo, &caller);
    let Err(Error::Mismatch(found)) = change(&demo, &caller, &number, Some("10002"), &json!({}))
    else {
        panic!("no fit")
    };
    assert_eq!(found.len(), 1);
    assert_eq!(
        (
            found[0].subject,
            found[0].offer.as_str(),
            found[0].customer.as_str()
        ),
        ("price_list", "STANDARD", "HANDEL")
    );
    let both = change(
        &demo,
        &caller,
        &number,
        Some("10001"),
        &json!({"GrundDaten": {"KundNr": "10002"}}),
    );
    assert!(matches!(both, Err(Error::Malformed(_))));
    let offer = change(
        &demo,
        &caller,
        &number,
        None,
        &json!({"GrundDaten": {"KundNr": "10001"}}),
    )
    .unwrap();
    assert_eq!(
        (
            &offer["GrundDaten"]["Template"],
            &offer["GrundDaten"]["KundNr"]
        ),
        (&json!(false), &json!("10001"))
    );
    assert_eq!(offer["Adressen"]["RechAdr"]["AdrFirma"], "Käufer AG");
    let other = change(&demo, &caller, &number, Some("10002"), &json!({}));
    assert!(matches!(other, Err(Error::Conflict(_))));
    assert!(change(&demo, &caller, &number, Some("10001"), &json!({})).is_ok());
}

// rule: R-STA-05, R-STA-07, R-END-39, R-END-47
#[test]
fn a_template_must_fit_in_four_ways() {
    let demo = demo();
    let caller = shop("SHOP1");
    let all = json!({"PreisListe": "HANDEL", "WUSTCode": "EXPORT", "WaehrAbk": "EUR"});
    demo.import(&[
        json!({"Steuer": {"WUSTCode": "EXPORT", "PosWUSTKlasse": "X", "Saetze": [{"GueltigAb": "2024-01-01", "WUSTSatz": 0}]}}),
        customer("20001", "ger", &json!({"PreisListe": "HANDEL"})),
        customer("20002", "ger", &json!({"WUSTCode": "EXPORT"})),
        customer("20003", "ger", &json!({"WaehrAbk": "EUR"})),
        customer("20004", "ger", &json!({"KTNr": "100200"})),
        customer("20005", "ger", &json!({"PreisListe": "STANDARD", "KTNr": "100300"})),
        customer("20006", "ger", &all),
    ])
    .unwrap();
    let number = template(&demo, &caller);
    let stored = |number: &str| block_on(demo.office().offer(number)).unwrap();
    let before = stored(&number);
    let assign =
        |number: &str, customer: &str| change(&demo, &caller, number, Some(customer), &json!({}));
    let refused = |number: &str, customer: &str| {
        let by_body = json!({"GrundDaten": {"KundNr": customer}});
        let found = mismatches(assign(number, customer));
        assert_eq!(
            mismatches(change(&demo, &caller, number, None, &by_body)),
            found
        );
        assert_eq!(mismatches(convert(&demo, &caller, number, customer)), found);
        found
    };
    let (list, tax) = ("price_list STANDARD HANDEL", "tax_code - EXPORT");
    let currency = "currency CHF EUR";
    assert_eq!(refused(&number, "20001"), [list]);
    assert_eq!(refused(&number, "20002"), [tax]);
    assert_eq!(refused(&number, "20003"), [currency]);
    assert_eq!(refused(&number, "20006"), [list, tax, currency]);
    assert_eq!(stored(&number), before);
    // The interface has no member for the cost bearer of a template; the back office sets it.
    let with_bearer = |number: &str| {
        let mut offer = stored(number).value;
        offer.terms.cost_bearer = Some(Text::new("100200").unwrap());
        let mut changes = ChangeSet::new();
        let key = Key::of(Space::Offer).number(number.parse().unwrap());
        changes.put(key, encode(&offer).unwrap());
        block_on(demo.erp.store().commit(changes)).unwrap();
    };
    with_bearer(&number);
    assert_eq!(refused(&number, "20005"), ["cost_bearer 100200 100300"]);
    // A cost bearer that one side does not have fits, and so does the company's own list by name.
    assert!(assign(&number, "20004").is_ok());
    assert!(convert(&demo, &caller, &template(&demo, &caller), "20005").is_ok());
    let other = template(&demo, &caller);
    with_bearer(&other);
    assert!(convert(&demo, &caller, &other, "10001").is_ok());
}

// rule: R-END-47, R-END-48
#[test]
fn the_payment_condition_is_in_the_language_of_the_contact() {
    let demo = demo();
    let caller = shop("SHOP1");
    let mut company = crate::common::rows().remove(0);
    company["Firma"]["Zahlungsbedingungen"] = json!([{"KundBedTyp": 1, "Texte": [
        {"AdrSprache": "ger", "Text": "30 Tage netto"}, {"AdrSprache": "fre", "Text": "30 jours net"}]}]);
    let condition = json!({"KundBedTyp": 1});
    demo.import(&[
        company,
        customer("20001", "ger", &condition),
        customer("20002", "fre", &condition),
    ])
    .unwrap();
    let text = |offer: &Value| offer["GrundDaten"]["KundBedBez"].clone();
    let positions = json!([{"ArtNr": "P-1", "Menge": 1}]);
    for (customer, expected) in [("20001", "30 Tage netto"), ("20002", "30 jours net")] {
        let body = json!({"GrundDaten": {"KundNr": customer}, "Positionen": positions});
        assert_eq!(text(&make(&demo, &caller, &body)), expected, "{customer}");
    }
    let open = make(&demo, &caller, &json!({ "Positionen": positions }));
    assert_eq!(text(&open), Value::Null);
    let number = open["OffertNr"].as_str().unwrap();
    let given = change(&demo, &caller, number, Some("20002"), &json!({})).unwrap();
    assert_eq!(text(&given), "30 jours net");
}

// rule: R-STA-08, R-END-38, R-STA-11, R-END-36, R-END-41
#[test]
fn an_offer_becomes_an_order_exactly_once_at_its_own_prices() {
    let demo = demo();
    let caller = shop("SHOP1");
    let number = template(&demo, &caller);
    demo.import(&[dearer()]).unwrap();
    let stock = || {
        let door = demo.shop(&caller);
        let query = ArticleQuery::default();
        let found = block_on(door.article("P-1", &query));
        serde_json::to_value(found.unwrap().to_wire(&LINKS)).unwrap()["Bestand"][0]["LagerBestand"]
            .clone()
    };
    assert_eq!(stock(), 10, "an offer reserves nothing");
    let order = convert(&demo, &caller, &number, "10001").unwrap();
    assert_eq!(
        convert(&demo, &caller, &number, "10001").unwrap(),
        order,
        "the same again"
    );
    assert_eq!(stock(), 7);
    assert!(matches!(
        convert(&demo, &caller, &number, "10002"),
        Err(Error::Conflict(_))
    ));
    assert!(matches!(
        change(&demo, &caller, &number, None, &json!({})),
        Err(Error::Conflict(_))
    ));
    let stored = block_on(demo.shop(&admin()).order(&order)).unwrap().value;
    let stored = serde_json::to_value(stored.to_wire()).unwrap();
    // 3 × 12.35 + 2 × 4.20, as offered
    assert_eq!(stored["GrundDaten"]["AuftNetto"].to_string(), "45.45");
    assert_eq!(
        stored["Zahlung"],
        json!([{"Bezeichnung": "TransID", "Wert": "77", "Key": "1"}])
    );
    assert_eq!(stored["Adressen"]["LiefAdr"]["AdrFirma"], "Käufer AG");
    let offer = serde_json::to_value(
        block_on(demo.shop(&admin()).offer(&number))
            .unwrap()
            .to_wire(),
    )
    .unwrap();
    assert_eq!(
        (
            &offer["GrundDaten"]["AuftStatus"],
            &offer["GrundDaten"]["AuftNr"]
        ),
        (&json!("A"), &json!(order))
    );
    for part in ["Adressen", "Positionen", "MWSTRekapitulation"] {
        assert_eq!(stored[part], offer[part], "{part}");
    }
    assert_eq!(block_on(demo.upkeep().check()).unwrap().findings, []);
}

// rule: R-STA-08
#[test]
fn parallel_conversions_make_one_order() {
    let demo = std::sync::Arc::new(demo());
    let caller = shop("SHOP1");
    let number = template(&demo, &caller);
    let threads: Vec<_> = (0..64)
        .map(|_| {
            let (demo, number, caller) =
                (std::sync::Arc::clone(&demo), number.clone(), caller.clone());
            #[expect(
                clippy::disallowed_methods,
                reason = "the test needs writers at the same time"
            )]
            std::thread::spawn(move || convert(&demo, &caller, &number, "10001").unwrap())
        })
        .collect();
    let orders: std::collections::BTreeSet<String> = threads
        .into_iter()
        .map(|thread| thread.join().unwrap())
        .collect();
    assert_eq!(orders.len(), 1);
    assert_eq!(
        block_on(demo.upkeep().check()).unwrap().records["orders"],
        1
    );
}

// rule: D-RET-01, D-RET-06
#[test]
fn a_retried_request_gets_its_first_response() {
    let demo = demo();
    let (caller, other) = (
        shop("SHOP1"),
        Caller {
            name: erp_core::text::Text::new("other").unwrap(),
            ..shop("SHOP1")
        },
    );
    let body =
        json!({"GrundDaten": {"KundNr": "10001"}, "Positionen": [{"ArtNr": "P-1", "Menge": 1}]});
    let send = |caller: &Caller, key: &'static str, fingerprint: u8, hours: i64| {
        let later = jiff::SignedDuration::from_hours(hours);
        let door = demo.erp.shop(caller, now().checked_add(later).unwrap());
        let retry = Some(Retry {
            key,
            fingerprint: [fingerprint; 32],
        });
        let outcome = block_on(door.retry(retry).create_order(&body))?;
        Ok::<_, Error>((outcome.number.to_string(), outcome.replayed))
    };
    let (first, replayed) = send(&caller, "k", 1, 0).unwrap();
    assert!(!replayed);
    assert_eq!(send(&caller, "k", 1, 23).unwrap(), (first.clone(), true));
    assert!(
        matches!(send(&caller, "k", 2, 0), Err(Error::Invalid(_))),
        "another body under the same key"
    );
    assert_ne!(
        send(&other, "k", 2, 0).unwrap().0,
        first,
        "keys belong to their user"
    );
    assert_ne!(
        send(&caller, "k", 1, 25).unwrap().0,
        first,
        "kept for 24 hours"
    );
    assert_eq!(
        block_on(
            demo.erp
                .upkeep("2026-06-02T10:30:00Z".parse().unwrap())
                .remove_expired_responses()
        )
        .unwrap(),
        1
    );
    assert_eq!(
        block_on(demo.upkeep().check()).unwrap().records["kept answers"],
        1
    );
}

// rule: D-RET-05
#[test]
fn parallel_equal_requests_make_one_order() {
    let demo = std::sync::Arc::new(demo());
    let threads: Vec<_> = (0..64)
        .map(|_| {
            let demo = std::sync::Arc::clone(&demo);
            #[expect(clippy::disallowed_methods, reason = "the test needs writers at the same time")]
            std::thread::spawn(move || {
                let caller = shop("SHOP1");
                let retry = Some(Retry { key: "same", fingerprint: [1; 32] });
                let door = demo.shop(&caller).retry(retry);
                let body = json!({"GrundDaten": {"KundNr": "10001"}, "Positionen": [{"ArtNr": "P-1", "Menge": 1}]});
                block_on(door.create_order(&body)).unwrap().number.to_string()
            })
        })
        .collect();
    let orders: std::collections::BTreeSet<_> = threads
        .into_iter()
        .map(|thread| thread.join().unwrap())
        .collect();
    assert_eq!(orders.len(), 1);
}

// rule: D-RET-03
#[test]
fn a_change_under_a_stale_revision_is_refused() {
    let demo = demo();
    let caller = shop("SHOP1");
    let number = template(&demo, &caller);
    let revision = block_on(demo.shop(&admin()).offer(&number))
        .unwrap()
        .revision;
    let at = |revision: u64| {
        let revisions = [revision];
        let door = demo.shop(&caller).if_match(&revisions[..]);
        block_on(door.change_offer(
            &number,
            None,
            &json!({"Positionen": [{"PosNr": 1, "Menge": 4}]}),
        ))
    };
    let changed = at(revision).unwrap().revision.unwrap();
    assert!(matches!(at(revision), Err(Error::PreconditionFailed)));
    assert!(at(changed).is_ok());
}

// rule: R-STA-01, R-STA-13, R-STA-14
#[test]
fn states_only_go_forward_and_completion_takes_from_stock() {
    use erp_core::document::OrderStatus::{Completed, New, Open};
    let demo = demo();
    let caller = shop("SHOP1");
    let body =
        json!({"GrundDaten": {"KundNr": "10001"}, "Positionen": [{"ArtNr": "P-1", "Menge": 4}]});
    let order = block_on(demo.shop(&caller).create_order(&body))
        .unwrap()
        .number
        .clone();
    let stock = || {
        let article = block_on(demo.shop(&caller).article("P-1", &Default::default())).unwrap();
        article.stock().next().unwrap().1
    };
    assert_eq!(stock(), 6);
    let more =
        json!({"GrundDaten": {"KundNr": "10001"}, "Positionen": [{"ArtNr": "P-1", "Menge": 3}]});
    let _ = demo.order(&more);
    assert_eq!(stock(), 3);
    let set = |status| block_on(demo.office().set_order_status(&order, status));
    assert!(set(Open).is_ok());
    assert!(matches!(set(New), Err(Error::Conflict(_))));
    assert_eq!(stock(), 3);
    assert!(set(Completed).is_ok());
    assert_eq!(stock(), 3, "what was reserved is now taken out");
    let counted = json!({"Bestand": {"ArtNr": "P-1", "LagerOrt": "Halle A", "StaoNr": 1, "LagerBestand": 10}});
    demo.import(&[counted]).unwrap();
    assert_eq!(stock(), 7, "a new count shows what is still reserved");
    for status in [New, Open] {
        assert!(matches!(set(status), Err(Error::Conflict(_))));
    }
    assert_eq!(block_on(demo.upkeep().check()).unwrap().findings, []);
}

// rule: R-EVT-01, R-EVT-12
#[test]
fn events_are_written_when_the_company_wants_them() {
    let demo = demo();
    let caller = shop("SHOP1");
    let order =
        json!({"GrundDaten": {"KundNr": "10001"}, "Positionen": [{"ArtNr": "P-1", "Menge": 1}]});
    block_on(demo.shop(&caller).create_order(&order)).unwrap();
    assert_eq!(
        block_on(demo.upkeep().events().outbox(None, 10)).unwrap(),
        []
    );
    let mut company = crate::common::rows().remove(0);
    company["Firma"]["attributes"] =
        json!([{"PHKey": "REST_Auft", "Contents": "1"}, {"PHKey": "REST_Kunde", "Contents": "0"}]);
    demo.import(&[company]).unwrap();
    let number = block_on(demo.shop(&caller).create_order(&order))
        .unwrap()
        .number
        .clone();
    let offer = template(&demo, &caller);
    let converted = convert(&demo, &caller, &offer, "10001").unwrap();
    let events = block_on(demo.upkeep().events().outbox(None, 10)).unwrap();
    let reported: Vec<_> = events
        .iter()
        .map(|entry| {
            (
                entry.event.kind.as_str(),
                entry.event.number.as_str(),
                entry.event.method.as_str(),
                entry.event.user.as_str(),
            )
        })
        .collect();
    assert_eq!(
        reported,
        [
            ("REST_Auft", number.as_str(), "POST", "shop"),
            ("REST_Auft", converted.as_str(), "PUT", "shop")
        ]
    );
    assert_eq!(
        block_on(demo.upkeep().events().outbox(Some(events[0].id), 10)).unwrap(),
        events[1..]
    );
    block_on(demo.upkeep().events().acknowledge(events[0].id)).unwrap();
    assert_eq!(
        block_on(demo.upkeep().events().outbox(None, 10)).unwrap(),
        events[1..]
    );
}

// rule: D-RET-02, D-RET-01
#[test]
fn a_replayed_response_does_not_repeat_the_town_check() {
    use erp_core::erp::{Settings, TownCheck};
    let directory = Directory::from_csv("country,postal_code,town\nCH,8001,Zürich\n").unwrap();
    let towns = TownCheck {
        directory: Some(std::sync::Arc::new(directory)),
        strict: false,
    };
    let settings = Settings {
        towns,
        ..Settings::default()
    };
    let erp = erp_core::Erp::new(erp_core::storage::MemoryStore::new(), settings);
    let caller = shop("SHOP1");
    let retry = Some(Retry {
        key: "k",
        fingerprint: [1; 32],
    });
    let door = erp.shop(&caller, now()).retry(retry);
    let body = json!({"GrundDaten": {"WaehrAbk": "CHF", "FAKTZahlArt": "B"}, "Adressen": {"KontaktAdr":
        {"AdrSprache": "ger", "AdrAdresse1": "Weg 1", "AdrAnrede": 0, "AdrFirma": "A", "OrtLand": "CH",
         "OrtName": "ZUERICH", "OrtPLZ": "CH-8001"}}});
    let first = block_on(door.create_customer(&body)).unwrap();
    let reported: Vec<_> = first
        .checks
        .iter()
        .map(|entry| (entry.member, entry.check.outcome.as_str()))
        .collect();
    assert_eq!(reported, [("KontaktAdr", "corrected")]);
    let again = block_on(door.create_customer(&body)).unwrap();
    assert_eq!(
        (again.value, again.replayed, again.checks),
        (first.value.clone(), true, vec![])
    );
    let stored = block_on(erp.office(now()).customer(&first.number))
        .unwrap()
        .value;
    assert_eq!(
        (
            &*stored.contact.address.town,
            &*stored.contact.address.postal_code
        ),
        ("Zürich", "8001")
    );
}

// rule: R-RES-08
#[test]
fn a_recap_has_an_entry_for_a_tax_code_that_lost_its_rate() {
    let demo = demo();
    let caller = shop("SHOP1");
    let reduced = |from: &str| {
        json!({"Steuer": {"WUSTCode": "RED", "PosWUSTKlasse": "C", "Texte": [{"AdrSprache": "ger", "Text": "reduziert"}],
            "Saetze": [{"GueltigAb": from, "WUSTSatz": 2.5, "PosUSTUZiffer": "313"}]}})
    };
    let rows = [
        reduced("2024-01-01"),
        json!({"Artikel": {"ArtNr": "P-9", "ArtBez": "Buch", "WUSTCode": "RED",
            "attributes": [{"PHKey": "RESTWEBSHOP", "Contents": "*"}]}}),
        json!({"Preis": {"PreisListe": "STANDARD", "ArtNr": "P-9", "WaehrAbk": "CHF", "AbAnzahl": 1,
            "PreisList": 20, "Preisart": "N"}}),
    ];
    demo.import(&rows).unwrap();
    let offer = make(
        &demo,
        &caller,
        &json!({"Positionen": [{"ArtNr": "P-9", "Menge": 1}]}),
    );
    let number = offer["OffertNr"].as_str().unwrap();
    demo.import(&[reduced("2030-01-01")]).unwrap();
    let body = json!({"Positionen": [{"ArtNr": "P-1", "Menge": 1}]});
    let offer = change(&demo, &caller, number, None, &body).unwrap();
    let amount = |value: &Value| value.to_string().parse::<Decimal>().unwrap();
    let recap = offer["MWSTRekapitulation"].as_array().unwrap();
    let sum = |name: &str| {
        recap
            .iter()
            .map(|entry| amount(&entry[name]))
            .sum::<Decimal>()
    };
    let header = &offer["GrundDaten"];
    assert_eq!(sum("PosBetragNetto"), amount(&header["AuftNetto"]));
    assert_eq!(sum("PosWUST"), amount(&header["AuftWUST"]));
    let codes: Vec<_> = recap.iter().map(|entry| &entry["PosWUSTCode"]).collect();
    assert_eq!(codes, ["CH81", "RED"]);
    assert_eq!(recap[1]["PosWUSTBez"], "reduziert");
    assert!(recap[1].get("PosUSTUZiffer").is_none());
}

// rule: R-STA-06, R-STA-05
#[test]
fn a_template_takes_the_language_of_its_customer() {
    let demo = demo();
    let in_company_list = json!({"Kunde": {"KundNr": "10002", "WaehrAbk": "CHF", "AdrSprache": "fre",
        "KontaktAdr": {"AdrSprache": "fre", "AdrAdresse1": "Weg 1", "AdrAnrede": 0, "AdrFirma": "Acheteur SA",
            "OrtLand": "CH", "OrtName": "Zürich", "OrtPLZ": "8001"}}});
    demo.import(&[in_company_list]).unwrap();
    let caller = shop("SHOP1");
    let texts = |document: &Value| -> Vec<String> {
        let list = document["Positionen"].as_array().unwrap().iter();
        list.map(|position| position["PosBez"].as_str().unwrap().to_owned())
            .collect()
    };
    let body = json!({"Positionen": [{"ArtNr": "P-1", "Menge": 3}, {"ArtNr": "P-1", "Menge": 1, "PosBez": "Eigener"},
        {"ArtNr": "P-3", "Menge": 1}, {"ArtNr": "P-1", "Menge": 2}]});
    let made = || make(&demo, &caller, &body);
    let number = |offer: &Value| offer["OffertNr"].as_str().unwrap().to_owned();
    let template = made();
    assert_eq!(
        texts(&template),
        ["Stanzwerkzeug", "Eigener", "Käse", "Stanzwerkzeug"]
    );
    let again = json!({"Positionen": [{"PosNr": 4, "Menge": 5}]});
    let given = change(&demo, &caller, &number(&template), Some("10002"), &again).unwrap();
    let french = ["Outil de découpe", "Eigener", "Käse", "Outil de découpe"];
    assert_eq!(texts(&given), french);
    assert_eq!(given["GrundDaten"]["AuftNetto"].to_string(), "115.35");
    let offer = number(&made());
    let order = convert(&demo, &caller, &offer, "10002").unwrap();
    let order = block_on(demo.shop(&caller).order(&order)).unwrap();
    let offer = block_on(demo.shop(&caller).offer(&offer)).unwrap();
    for document in [
        serde_json::to_value(order.to_wire()),
        serde_json::to_value(offer.value.to_wire()),
    ] {
        assert_eq!(texts(&document.unwrap()), french);
    }
}
