//! Users, their tokens and single attributes of the company.

use erp_core::erp::{Error, Event, Method};
use erp_core::internal::master::User;
use erp_core::internal::{TokenHash, UserChange};
use erp_core::master::{Attribute, Caller, Role};
use erp_core::text::Text;
use jiff::{Span, Timestamp, ToSpan as _};
use serde_json::{Value, json};

use super::common::{Demo, block_on, demo};

fn user(name: &str, role: Role) -> User {
    User::new(
        Text::new(name).unwrap(),
        "$argon2id$secret".to_owned(),
        role,
        None,
    )
}

fn add(demo: &Demo, name: &str, role: Role) {
    block_on(demo.office().users().add(&user(name, role))).unwrap();
}

fn now() -> Timestamp {
    "2026-06-01T10:00:00Z".parse().unwrap()
}

fn hash(first: u8) -> TokenHash {
    let mut bytes = [7; 32];
    bytes[0] = first;
    TokenHash::new(bytes)
}

fn issue(demo: &Demo, name: &str, first: u8, minutes: i64) {
    let user = block_on(demo.office().users().find(name)).unwrap().unwrap();
    let expires_at = now() + minutes.minutes();
    block_on(
        demo.erp
            .office(now())
            .users()
            .issue_token(&hash(first), &user, expires_at),
    )
    .unwrap();
}

fn caller(demo: &Demo, first: u8) -> Option<Caller> {
    block_on(demo.erp.office(now()).users().caller(&hash(first))).unwrap()
}

fn role(role: Role) -> UserChange {
    UserChange {
        role: Some(role),
        shop: None,
    }
}

fn value(value: Option<&str>) -> UserChange {
    UserChange {
        role: None,
        shop: Some(value.map(|value| Text::new(value).unwrap())),
    }
}

// rule: D-AUT-02, D-AUT-03
#[test]
fn a_change_of_value_applies_to_existing_tokens_and_one_of_role_ends_them() {
    let demo = demo();
    add(&demo, "chef", Role::Admin);
    add(&demo, "anna", Role::Shop);
    issue(&demo, "anna", 1, 60);
    let change =
        |change: &UserChange| block_on(demo.office().users().change("anna", change)).unwrap();
    assert_eq!(change(&role(Role::Admin)).role, Role::Admin);
    assert_eq!(caller(&demo, 1), None);
    issue(&demo, "anna", 1, 60);
    change(&role(Role::Admin));
    assert_eq!(change(&value(Some("SHOP2"))).shop.as_deref(), Some("SHOP2"));
    let now = caller(&demo, 1).unwrap();
    assert_eq!(
        (now.role, now.shop.as_deref()),
        (Role::Admin, Some("SHOP2"))
    );
    assert_eq!(change(&role(Role::Shop)).shop.as_deref(), Some("SHOP2"));
    change(&role(Role::Admin));
    assert_eq!(caller(&demo, 1), None, "the former role makes none valid");
    assert_eq!(change(&role(Role::Shop)).shop.as_deref(), Some("SHOP2"));
    assert_eq!(change(&value(None)).shop, None);
    let stored = block_on(demo.office().users().find("anna"))
        .unwrap()
        .unwrap();
    assert_eq!(stored, user("anna", Role::Shop));
    let refused = block_on(demo.office().users().change("bert", &role(Role::Shop)));
    assert!(
        matches!(refused, Err(Error::NotFound { what: "user", .. })),
        "{refused:?}"
    );
}

#[test]
fn there_is_always_an_admin_once_there_was_one() {
    let demo = demo();
    add(&demo, "chef", Role::Admin);
    add(&demo, "anna", Role::Shop);
    let demote = |name| block_on(demo.office().users().change(name, &role(Role::Shop)));
    let remove = |name| block_on(demo.office().users().remove(name));
    assert!(matches!(demote("chef"), Err(Error::Conflict(_))));
    assert!(matches!(remove("chef"), Err(Error::Conflict(_))));
    block_on(demo.office().users().change("chef", &value(Some("SHOP1")))).unwrap();
    block_on(demo.office().users().change("anna", &role(Role::Admin))).unwrap();
    demote("chef").unwrap();
    assert!(matches!(remove("anna"), Err(Error::Conflict(_))));
    block_on(demo.office().users().change("chef", &role(Role::Admin))).unwrap();
    remove("anna").unwrap();
    let names: Vec<String> = block_on(demo.office().users().list())
        .unwrap()
        .iter()
        .map(|user| user.name.to_string())
        .collect();
    assert_eq!(names, ["chef"]);
}

#[test]
fn tokens_are_listed_by_user_without_secrets() {
    let demo = demo();
    for name in ["anna", "anna2"] {
        add(&demo, name, Role::Shop);
    }
    issue(&demo, "anna", 0x0a, 10);
    issue(&demo, "anna", 0xff, 60);
    issue(&demo, "anna", 1, 0);
    issue(&demo, "anna2", 2, 60);
    let listed = block_on(demo.erp.office(now()).users().tokens_of("anna")).unwrap();
    let shown: Vec<(&str, Timestamp, Timestamp)> = listed
        .iter()
        .map(|token| (token.id.as_str(), token.issued_at, token.expires_at))
        .collect();
    let issued = now();
    assert_eq!(
        shown,
        [
            ("ff070707", issued, now() + 60.minutes()),
            ("0a070707", issued, now() + 10.minutes()),
        ],
        "the last to end first, and none that has ended"
    );
    assert!(block_on(demo.erp.office(now()).users().tokens_of("bert")).is_err());
}

/// A clock was ten years ahead: without a limit its tokens would be valid for ten years after the clock is corrected.
#[test]
fn a_token_issued_by_a_fast_clock_ends_when_the_clock_is_corrected() {
    let demo = demo();
    add(&demo, "anna", Role::Shop);
    let anna = block_on(demo.office().users().find("anna"))
        .unwrap()
        .unwrap();
    let issued = |first: u8, ahead: Span| {
        let at = now() + ahead;
        let until = at + 60.minutes();
        block_on(
            demo.erp
                .office(at)
                .users()
                .issue_token(&hash(first), &anna, until),
        )
        .unwrap();
        let valid = |now| {
            block_on(demo.erp.office(now).users().caller(&hash(first)))
                .unwrap()
                .is_some()
        };
        (valid(at), valid(now()))
    };
    assert_eq!(issued(1, (24 * 3_650).hours()), (true, false));
    assert_eq!(issued(2, 61.seconds()), (true, false));
    // The clocks of servers on one database may differ by some seconds.
    assert_eq!(issued(3, 60.seconds()), (true, true));
    // An admin still sees the tokens, and can end them.
    let listed = block_on(demo.erp.office(now()).users().tokens_of("anna")).unwrap();
    assert_eq!(listed.len(), 3);
}

#[test]
fn all_tokens_of_a_user_end_at_once_and_no_others() {
    let demo = demo();
    for name in ["anna", "anna2"] {
        add(&demo, name, Role::Shop);
    }
    for first in 0..3 {
        issue(&demo, "anna", first, 60);
    }
    issue(&demo, "anna2", 9, 60);
    assert!(caller(&demo, 0).is_some());
    assert_eq!(
        block_on(demo.office().users().revoke_tokens_of("anna")).unwrap(),
        3
    );
    assert_eq!(
        block_on(demo.office().users().revoke_tokens_of("anna")).unwrap(),
        0
    );
    assert!((0..3).all(|first| caller(&demo, first).is_none()));
    assert_eq!(caller(&demo, 9).unwrap().name.as_str(), "anna2");
    assert_eq!(
        block_on(demo.erp.office(now()).users().tokens_of("anna")).unwrap(),
        []
    );
    assert!(matches!(
        block_on(demo.office().users().revoke_tokens_of("bert")),
        Err(Error::NotFound { .. })
    ));
    let sound = block_on(demo.upkeep().check()).unwrap();
    assert_eq!(sound.findings, []);
}

#[test]
fn many_tokens_end_too() {
    let demo = demo();
    add(&demo, "anna", Role::Shop);
    let anna = user("anna", Role::Shop);
    let issue = |count: u32| {
        for number in 0..count {
            let mut bytes = [0; 32];
            bytes[..4].copy_from_slice(&number.to_be_bytes());
            let hash = TokenHash::new(bytes);
            let expires_at = now() + 1.hour();
            block_on(demo.office().users().issue_token(&hash, &anna, expires_at)).unwrap();
        }
        let listed = block_on(demo.office().users().tokens_of("anna")).unwrap();
        assert_eq!(listed.len(), count as usize);
    };
    let revoke = || block_on(demo.office().users().revoke_tokens_of("anna")).unwrap();
    issue(2_500);
    assert_eq!(revoke(), 2_500);
    // More than one change set holds.
    issue(45_000);
    block_on(demo.office().users().set_password("anna", "new")).unwrap();
    assert_eq!(revoke(), 0);
    assert_eq!(block_on(demo.upkeep().check()).unwrap().findings, []);
}

fn attribute(key: &str, contents: &str) -> Attribute {
    Attribute {
        key: Text::new(key).unwrap(),
        contents: Text::new(contents).unwrap(),
    }
}

fn set(demo: &Demo, key: &str, contents: &str) {
    block_on(
        demo.office()
            .set_company_attribute(&attribute(key, contents)),
    )
    .unwrap();
}

// rule: D-IMP-05
#[test]
fn an_attribute_of_the_company_changes_alone_and_is_seen_at_once() {
    let demo = demo();
    let order = || {
        demo.order(&json!({"GrundDaten": {"KundNr": "10001"},
            "Positionen": [{"ArtNr": "P-1", "Menge": 1}]}))
    };
    let events = || {
        block_on(demo.upkeep().events().outbox(None, 100))
            .unwrap()
            .len()
    };
    let _ = order();
    assert_eq!(events(), 0);
    let before = block_on(demo.office().company()).unwrap();
    set(&demo, "REST_Auft", "1");
    let _ = order();
    assert_eq!(events(), 1, "the company in memory is not used any more");
    set(&demo, "rest_auft", "0");
    set(&demo, "OTHER", "ä");
    let _ = order();
    assert_eq!(events(), 1);
    let company = block_on(demo.office().company()).unwrap();
    let listed: Vec<(&str, &str)> = company
        .attributes
        .iter()
        .map(|attribute| (attribute.key.as_str(), attribute.contents.as_str()))
        .collect();
    assert_eq!(listed, [("rest_auft", "0"), ("OTHER", "ä")]);
    block_on(demo.office().remove_company_attribute("REST_AUFT")).unwrap();
    block_on(demo.office().remove_company_attribute("OTHER")).unwrap();
    assert_eq!(block_on(demo.office().company()).unwrap(), before);
    let gone = block_on(demo.office().remove_company_attribute("OTHER"));
    assert!(matches!(
        gone,
        Err(Error::NotFound {
            what: "attribute",
            ..
        })
    ));
}

// rule: D-EVT-05
#[test]
fn an_import_names_the_articles_it_changed_and_removed() {
    let demo = demo();
    let texts = |count: usize| {
        let row = |number| json!({"Artikel": {"ArtNr": format!("E-{number}"), "ArtBez": "Locher"}});
        (0..count).map(row).collect::<Vec<_>>()
    };
    let _ = demo.import(&texts(1)).unwrap();
    set(&demo, "REST_Artikel", "1");
    let events = |rows: &[Value]| {
        let before = block_on(demo.upkeep().events().outbox(None, 100)).unwrap();
        let _ = demo.import(rows).unwrap();
        let after = block_on(
            demo.upkeep()
                .events()
                .outbox(before.last().map(|entry| entry.id), 100),
        );
        let numbers = |event: Event| {
            (
                event.method,
                event
                    .articles
                    .iter()
                    .map(ToString::to_string)
                    .collect::<Vec<_>>(),
            )
        };
        after
            .unwrap()
            .into_iter()
            .map(|entry| numbers(entry.event))
            .collect::<Vec<_>>()
    };
    let names = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert!(events(&texts(1)).is_empty(), "nothing changed");
    let price = json!({"Preis": {"PreisListe": "STANDARD", "ArtNr": "E-0", "WaehrAbk": "CHF", "AbAnzahl": 1,
        "PreisList": 7.9, "Preisart": "N"}});
    assert_eq!(events(&[price]), [(Method::Put, names(&["E-0"]))]);
    let stock = json!({"Bestand": {"ArtNr": "P-1", "LagerOrt": "Halle A", "StaoNr": 1, "LagerBestand": 11}});
    let removed = json!({"Artikel": {"ArtNr": "E-0", "Loeschen": true}});
    assert_eq!(
        events(&[stock, removed]),
        [
            (Method::Put, names(&["P-1"])),
            (Method::Delete, names(&["E-0"]))
        ]
    );
    let sizes: Vec<usize> = events(&texts(1_001))
        .iter()
        .map(|(_, numbers)| numbers.len())
        .collect();
    assert_eq!(sizes, [1_000, 1]);
}

// rule: D-IMP-05
#[test]
fn a_company_that_was_never_imported_has_attributes_too() {
    let demo = Demo {
        erp: erp_core::Erp::new(
            erp_core::storage::MemoryStore::new(),
            erp_core::erp::Settings::default(),
        ),
    };
    set(&demo, "REST_Kunde", "1");
    let company = block_on(demo.office().company()).unwrap();
    assert!(company.sends_event("REST_Kunde"));
    assert_eq!(company.location, 1);
    assert!(block_on(demo.upkeep().check()).unwrap().findings.is_empty());
}

/// Two admins remove or demote each other at the same moment: one of them is refused.
#[test]
fn two_admins_cannot_remove_each_other() {
    for round in 0..50 {
        let demo = std::sync::Arc::new(demo());
        for name in ["chef", "boss"] {
            add(&demo, name, Role::Admin);
        }
        let threads = ["chef", "boss"].map(|name| {
            let demo = std::sync::Arc::clone(&demo);
            let go = move || match round % 2 {
                0 => block_on(demo.office().users().remove(name)).is_ok(),
                _ => block_on(demo.office().users().change(name, &role(Role::Shop))).is_ok(),
            };
            #[expect(
                clippy::disallowed_methods,
                reason = "the test needs writers at the same time"
            )]
            std::thread::spawn(go)
        });
        let done = threads.map(|thread| thread.join().unwrap());
        assert_eq!(done.iter().filter(|done| **done).count(), 1, "{done:?}");
        let users = block_on(demo.office().users().list()).unwrap();
        let admins = users.iter().filter(|user| user.role == Role::Admin);
        assert_eq!(admins.count(), 1);
    }
}
