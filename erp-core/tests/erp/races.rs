//! Two servers change the same records at the same moment: the result is that of one after the other.

use erp_core::Erp;
use erp_core::erp::{Error, EventKind, ImportReport, RESPONSE_LIFETIME, Retry};
use erp_core::internal::master::User;
use erp_core::internal::{DeliveryState, LeaseAfter, TokenHash};
use erp_core::master::{Caller, Role};
use erp_core::storage::{Key, Space, Storage as _};
use erp_core::text::Text;
use jiff::SignedDuration;
use serde_json::{Value, json};

use super::common::{admin, block_on, import_rows, now, rows};
use super::deliveries::{assert_sound, at, due, happen, lease, target};
use super::leases::note;
use super::overtaken::Overtaken;

// rule: R-EVT-08, R-EVT-13
#[test]
fn an_event_that_is_replayed_to_a_new_target_while_it_is_removed_stays() {
    let store = Overtaken::default();
    let erp = store.erp();
    happen(&erp, EventKind::Order, "1", 0);
    block_on(erp.upkeep(at(0)).events().fan_out(100)).unwrap();
    store.overtaken_by(|rival| {
        let _ = target(rival, &[]);
        let loaded = block_on(rival.upkeep(at(60)).events().replay_since(at(0)));
        assert_eq!(loaded.unwrap(), 1);
    });
    assert_eq!(
        block_on(erp.upkeep(now()).events().remove_old(at(50))).unwrap(),
        0
    );
    assert!(store.was_overtaken());
    assert_eq!(due(&erp, 1, 60).len(), 1);
    assert_sound(&erp);
}

// rule: R-EVT-07
#[test]
fn a_delivery_that_ends_while_it_is_looked_up_is_not_due() {
    let store = Overtaken::default();
    let erp = store.erp();
    let target = target(&erp, &[]).id;
    for number in ["1", "2"] {
        happen(&erp, EventKind::Order, number, 0);
    }
    block_on(erp.upkeep(at(0)).events().fan_out(100)).unwrap();
    let held = lease(&erp, target, 1, 0).unwrap();
    let first = due(&erp, target, 0).remove(0);
    store.overtaken_after_read(Space::DeliveryDue, move |rival| {
        let noted = note(rival, &first, 204, &held, LeaseAfter::Kept).unwrap();
        assert_eq!(noted.state, DeliveryState::Delivered);
    });
    let numbers = |due: Vec<erp_core::internal::Due>| -> Vec<String> {
        due.into_iter().map(|due| due.event.number).collect()
    };
    assert_eq!(numbers(due(&erp, target, 0)), ["2"]);
    store.overtaken_after_read(Space::DeliveryDue, move |rival| {
        block_on(rival.upkeep(at(0)).events().switch_target(target, false)).unwrap();
    });
    assert_eq!(due(&erp, target, 0), []);
    assert!(store.was_overtaken());
}

fn anna() -> User {
    User::new(
        Text::new("anna").unwrap(),
        "$argon2id$old".to_owned(),
        Role::Shop,
        Some(Text::new("SHOP1").unwrap()),
    )
}

const TOKEN: TokenHash = TokenHash::new([7; 32]);

/// Logs in with the first password of `anna`.
fn log_in(erp: &Erp<Overtaken>, token: &TokenHash) -> Result<(), Error> {
    let anna = anna();
    block_on(erp.office(at(0)).users().issue_token(token, &anna, at(60)))
}

fn is_valid(erp: &Erp<Overtaken>) -> bool {
    block_on(erp.office(at(1)).users().caller(&TOKEN))
        .unwrap()
        .is_some()
}

// rule: R-AUT-02, D-AUT-03
#[test]
fn a_token_issued_while_its_user_is_removed_or_gets_a_password_ends_too() {
    type Change = fn(&Erp<Overtaken>);
    let changes: [Change; 2] = [
        |erp| {
            block_on(
                erp.office(now())
                    .users()
                    .set_password("anna", "$argon2id$new"),
            )
            .unwrap()
        },
        |erp| block_on(erp.office(now()).users().remove("anna")).unwrap(),
    ];
    for change in changes {
        let store = Overtaken::default();
        let erp = store.erp();
        block_on(erp.office(now()).users().add(&anna())).unwrap();
        store.overtaken_by(|rival| log_in(rival, &TOKEN).unwrap());
        change(&erp);
        assert!(store.was_overtaken());
        // Nor is the token valid for the next user with this name.
        let _ = block_on(erp.office(now()).users().add(&anna()));
        assert!(!is_valid(&erp));
        assert_sound(&erp);
        // If the removal comes first, no token is issued.
        let store = Overtaken::default();
        let erp = store.erp();
        block_on(erp.office(now()).users().add(&anna())).unwrap();
        store.overtaken_by(change);
        assert!(matches!(log_in(&erp, &TOKEN), Err(Error::NotFound { .. })));
        let _ = block_on(erp.office(now()).users().add(&anna()));
        assert!(!is_valid(&erp));
        assert_sound(&erp);
    }
}

// rule: D-AUT-03
#[test]
fn users_that_log_in_at_the_same_time_all_get_their_tokens() {
    let store = Overtaken::default();
    let erp = store.erp();
    block_on(erp.office(now()).users().add(&anna())).unwrap();
    store.overtaken_by(|rival| {
        log_in(rival, &TokenHash::new([8; 32])).unwrap();
    });
    log_in(&erp, &TOKEN).unwrap();
    assert!(is_valid(&erp));
    let listed = block_on(erp.office(at(1)).users().tokens_of("anna")).unwrap();
    assert_eq!(listed.len(), 2);
}

/// Places an order as this user under one idempotency key. Returns whether it is the order of an earlier request, and
/// its number.
fn order(erp: &Erp<Overtaken>, user: &User) -> (bool, String) {
    let caller = Caller::from(user.clone());
    let door = erp.shop(&caller, at(0)).retry(Retry {
        key: "key",
        fingerprint: [1; 32],
    });
    let body =
        json!({"GrundDaten": {"KundNr": "10001"}, "Positionen": [{"ArtNr": "P-3", "Menge": 1}]});
    let placed = block_on(door.create_order(&body)).unwrap();
    (placed.replayed, placed.number.to_string())
}

/// Removes `anna` and adds another user with this name.
fn another_anna(erp: &Erp<Overtaken>) -> User {
    block_on(erp.office(now()).users().remove("anna")).unwrap();
    added(erp)
}

fn added(erp: &Erp<Overtaken>) -> User {
    block_on(erp.office(now()).users().add(&anna())).unwrap();
    block_on(erp.office(now()).users().find("anna"))
        .unwrap()
        .unwrap()
}

#[test]
fn a_user_gets_no_response_to_an_earlier_user_of_the_name() {
    let store = Overtaken::default();
    let erp = company(&store);
    let first = added(&erp);
    let (_, number) = order(&erp, &first);
    let second = another_anna(&erp);
    let (replayed, other) = order(&erp, &second);
    assert!(!replayed && other != number, "{other}");
    // A change of the user does not affect it.
    block_on(
        erp.office(now())
            .users()
            .set_password("anna", "$argon2id$new"),
    )
    .unwrap();
    let second = block_on(erp.office(now()).users().find("anna"))
        .unwrap()
        .unwrap();
    assert_eq!(order(&erp, &second), (true, other.clone()));
    // A late request of the first user does not get the second user's response.
    assert_eq!(order(&erp, &first), (true, number));
    let expired = at(0) + RESPONSE_LIFETIME + SignedDuration::from_secs(1);
    assert_eq!(
        block_on(erp.upkeep(expired).remove_expired_responses()).unwrap(),
        2
    );
}

#[test]
fn a_request_started_before_its_user_was_replaced_keeps_its_response_separate() {
    let store = Overtaken::default();
    let erp = company(&store);
    let first = added(&erp);
    store.overtaken_by(|rival| drop(another_anna(rival)));
    let (_, number) = order(&erp, &first);
    assert!(store.was_overtaken());
    let second = block_on(erp.office(now()).users().find("anna"))
        .unwrap()
        .unwrap();
    let (replayed, other) = order(&erp, &second);
    assert!(!replayed && other != number, "{other}");
}

#[test]
fn users_with_the_same_name_added_at_the_same_time_have_two_generations() {
    let store = Overtaken::default();
    let erp = company(&store);
    store.overtaken_by(|rival| {
        assert_eq!(added(rival).generation, 0);
        block_on(rival.office(at(0)).users().remove("anna")).unwrap();
    });
    assert_eq!(added(&erp).generation, 1);
    assert!(store.was_overtaken());
}

fn import(erp: &Erp<Overtaken>, rows: &[Value]) -> Result<ImportReport, Error> {
    block_on(erp.office(at(0)).import(&import_rows(rows)))
}

/// A company whose article `P-4` has no stock.
fn company(store: &Overtaken) -> Erp<Overtaken> {
    let erp = store.erp();
    import(&erp, &rows()).unwrap();
    erp
}

// rule: D-IMP-04
#[test]
fn stock_of_an_article_removed_at_the_same_time_is_removed() {
    let stock =
        || json!({"Bestand": {"ArtNr": "P-4", "LagerOrt": "B", "StaoNr": 1, "LagerBestand": 5}});
    let removal = || json!({"Artikel": {"ArtNr": "P-4", "Loeschen": true}});
    let stored = |erp: &Erp<Overtaken>| {
        let key = Key::of(Space::Stock).text("P-4");
        block_on(erp.store().get(&[key])).unwrap().remove(0)
    };
    // The removal commits first: the stock row has no article.
    let store = Overtaken::default();
    let erp = company(&store);
    store.overtaken_by(move |rival| assert_eq!(import(rival, &[removal()]).unwrap().removed, 1));
    assert!(matches!(import(&erp, &[stock()]), Err(Error::Invalid(_))));
    assert_eq!(stored(&erp), None);
    // The stock commits first: it is removed with the article.
    let store = Overtaken::default();
    let erp = company(&store);
    store.overtaken_by(move |rival| assert_eq!(import(rival, &[stock()]).unwrap().added, 1));
    assert_eq!(import(&erp, &[removal()]).unwrap().removed, 1);
    assert!(store.was_overtaken());
    assert_eq!(stored(&erp), None);
}

#[test]
fn an_offer_that_appears_while_it_is_changed_is_not_found() {
    let store = Overtaken::default();
    let erp = company(&store);
    let caller = admin();
    let door = erp.shop(&caller, at(0));
    store.overtaken_after_read(Space::Offer, |rival| {
        let caller = admin();
        let door = rival.shop(&caller, at(0));
        let body = json!({"Positionen": [{"ArtNr": "P-1", "Menge": 3}]});
        block_on(door.create_offer(&body)).unwrap();
    });
    let body = json!({"Positionen": []});
    let changed = block_on(door.change_offer("100001", None, &body));
    assert!(
        matches!(changed, Err(Error::NotFound { .. })),
        "{changed:?}"
    );
    assert!(store.was_overtaken());
}
