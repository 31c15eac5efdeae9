//! Customers are forgotten, while others work with them.

use erp_core::Erp;
use erp_core::document::OrderStatus;
use erp_core::erp::{Conflict, Error, RESPONSE_LIFETIME, Retry, Settings};
use erp_core::internal::TokenHash;
use erp_core::internal::master::User;
use erp_core::master::Role;
use erp_core::storage::{MemoryStore, Space, Storage};
use erp_core::text::Text;
use serde_json::{Value, json};

use super::common::{admin, block_on, import_rows, now, rows, shop};
use super::overtaken::Overtaken;

fn filled<S: Storage>(erp: &Erp<S>) {
    block_on(erp.office(now()).import(&import_rows(&rows()))).unwrap();
}

fn order<S: Storage>(erp: &Erp<S>) -> Result<String, Error> {
    let body =
        json!({"GrundDaten": {"KundNr": "10001"}, "Positionen": [{"ArtNr": "P-3", "Menge": 1}]});
    let caller = admin();
    let placed = block_on(erp.shop(&caller, now()).create_order(&body))?;
    Ok(placed.number.to_string())
}

fn offer<S: Storage>(erp: &Erp<S>) -> Result<String, Error> {
    let body =
        json!({"GrundDaten": {"KundNr": "10001"}, "Positionen": [{"ArtNr": "P-3", "Menge": 1}]});
    let caller = admin();
    let made = block_on(erp.shop(&caller, now()).create_offer(&body))?;
    Ok(made.number.to_string())
}

fn forget<S: Storage>(erp: &Erp<S>) -> Result<(), Error> {
    block_on(erp.office(now()).forget_customer("10001"))
}

fn assert_sound<S: Storage>(erp: &Erp<S>) {
    assert_eq!(block_on(erp.upkeep(now()).check()).unwrap().findings, []);
}

fn is_unknown(outcome: Result<String, Error>) -> bool {
    matches!(outcome, Err(Error::Invalid(_)))
}

// rule: D-CUS-01
#[test]
fn a_customer_with_an_order_is_not_forgotten_whoever_is_faster() {
    // The order is first: the customer stays.
    let store = Overtaken::default();
    let erp = store.erp();
    filled(&erp);
    store.overtaken_by(|rival| drop(order(rival).unwrap()));
    let refused = forget(&erp);
    let Err(Error::Conflict(Conflict::OrderInWork { customer, .. })) = &refused else {
        panic!("{refused:?}");
    };
    assert_eq!(customer, "10001");
    assert!(store.was_overtaken());
    assert_sound(&erp);
    // It is first, after the orders of the customer were read: the same.
    let store = Overtaken::default();
    let erp = store.erp();
    filled(&erp);
    store.overtaken_after_read(Space::OrderOfCustomer, |rival| drop(order(rival).unwrap()));
    assert!(forget(&erp).is_err());
    assert!(store.was_overtaken());
    assert_sound(&erp);
    // The customer is forgotten first: there is no offer, and an order that was under way stays like those before.
    let store = Overtaken::default();
    let erp = store.erp();
    filled(&erp);
    store.overtaken_by(|rival| forget(rival).unwrap());
    assert!(is_unknown(offer(&erp)));
    assert!(store.was_overtaken());
    assert!(is_unknown(order(&erp)));
    let store = Overtaken::default();
    let erp = store.erp();
    filled(&erp);
    store.overtaken_by(|rival| forget(rival).unwrap());
    let late = order(&erp).unwrap();
    assert!(store.was_overtaken());
    let office = erp.office(now());
    block_on(office.set_order_status(&late, OrderStatus::Completed)).unwrap();
    assert_sound(&erp);
}

// rule: D-CUS-01
#[test]
fn a_token_that_is_issued_while_its_customer_is_forgotten_is_not_valid() {
    let name: Text<80> = Text::new("anna").unwrap();
    let anna = User::new(name, "$argon2id$old".to_owned(), Role::Shop, None);
    let hash = TokenHash::new([7; 32]);
    let issue = |erp: &Erp<Overtaken>, anna: &User| {
        let later = now() + RESPONSE_LIFETIME;
        let users = erp.office(now()).users();
        block_on(users.issue_customer_token(&hash, anna, ("10001", None), later))
    };
    let store = Overtaken::default();
    let erp = store.erp();
    filled(&erp);
    block_on(erp.office(now()).users().add(&anna)).unwrap();
    issue(&erp, &anna).unwrap();
    forget(&erp).unwrap();
    let users = erp.office(now()).users();
    assert_eq!(block_on(users.tokens_of("anna")).unwrap().len(), 0);
    // Forgotten after the customer was looked at.
    let store = Overtaken::default();
    let erp = store.erp();
    filled(&erp);
    block_on(erp.office(now()).users().add(&anna)).unwrap();
    store.overtaken_by(|rival| forget(rival).unwrap());
    let _ = issue(&erp, &anna);
    let users = erp.office(now()).users();
    assert_eq!(block_on(users.caller(&hash)).unwrap(), None);
    assert_sound(&erp);
}

// rule: D-CUS-01
#[test]
fn the_number_of_a_forgotten_customer_is_never_given_again() {
    let erp = Erp::new(MemoryStore::new(), Settings::default());
    filled(&erp);
    let caller = shop("SHOP1");
    let body: Value = json!({"GrundDaten": {"AdrSprache": "ger", "WaehrAbk": "CHF", "FAKTZahlArt": "B"},
        "Adressen": {"KontaktAdr": {"AdrSprache": "ger", "AdrAnrede": 0, "AdrFirma": "Neu AG",
            "AdrAdresse1": "Weg 1", "OrtLand": "CH", "OrtPLZ": "8001", "OrtName": "Zürich"}}});
    let create = |key: &'static str| {
        let retry = Retry {
            key,
            fingerprint: [1; 32],
        };
        let shop = erp.shop(&caller, now()).retry(retry);
        block_on(shop.create_customer(&body))
    };
    let first: u64 = create("a").unwrap().number.parse().unwrap();
    // The next numbers were those of customers that another store has forgotten.
    let marks: Vec<Value> = (1..=40)
        .map(|more| json!({"Kunde": {"KundNr": (first + more).to_string(), "Vergessen": true}}))
        .collect();
    block_on(erp.office(now()).import(&import_rows(&marks))).unwrap();
    let next: u64 = create("b").unwrap().number.parse().unwrap();
    assert!(next > first + 40, "{next}");
    // A repeated request is not carried out again.
    block_on(erp.office(now()).forget_customer(&next.to_string())).unwrap();
    let again = create("b");
    assert!(
        matches!(again, Err(Error::Conflict(Conflict::ForgottenResponse))),
        "{again:?}"
    );
    assert!(create("a").unwrap().replayed);
    assert_sound(&erp);
}
