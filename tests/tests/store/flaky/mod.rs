//! Every operation is run with a failure at each call to the store: it is executed completely or not at all, and can be
//! repeated. And many writers at once.

mod administration;
mod documents;
mod master_data;
mod reading;
mod writers;

use std::collections::BTreeMap;
use std::sync::Arc;

use erp_core::Erp;
use erp_core::codes::Language;
use erp_core::erp::{Error, ImportRow, Retry, Settings};
use erp_core::import::{BodySource, Row};
use erp_core::internal::TokenHash;
use erp_core::internal::master::User;
use erp_core::master::{Caller, Role};
use erp_core::media::BodyHash;
use erp_core::storage::conformance::{Flaky, When};
use erp_core::storage::{Entry, Key, MemoryStore, Storage, StorageError};
use erp_core::text::Text;
use erp_tests::{forward_storage, storage};
use jiff::Timestamp;
use pollster::block_on;
use serde_json::{Value, json};

/// A store that several operations share: some through a wrapper that fails, some directly.
#[derive(Clone, Debug, Default)]
struct Shared(Arc<MemoryStore>);

impl Storage for Shared {
    forward_storage!(0: get, scan, next_numbers, commit);
}

type Content = BTreeMap<Key, Vec<u8>>;

impl Shared {
    fn content(&self) -> Content {
        let content = block_on(storage::content(self)).unwrap();
        let value = |(key, entry): (Key, Entry)| (key, entry.value);
        content.into_iter().map(value).collect()
    }

    fn erp(&self) -> Erp<Self> {
        Erp::new(self.clone(), Settings::default())
    }

    /// A wrapper that fails at the n-th call to the store; with 0 no call fails.
    fn failing(&self, call: u64, when: When) -> Erp<Flaky<Self>> {
        Erp::new(Flaky::new(self.clone(), call, when), Settings::default())
    }

    #[track_caller]
    fn is_sound(&self, what: &str) {
        assert_eq!(
            block_on(self.erp().upkeep(now()).check()).unwrap().findings,
            [],
            "{what}"
        );
    }
}

fn now() -> Timestamp {
    "2026-06-01T10:00:00Z".parse().unwrap()
}

fn shop() -> Caller {
    Caller::new("shop", Role::Shop, Some("SHOP1".parse().unwrap())).unwrap()
}

fn address(name: &str) -> Value {
    json!({"AdrSprache": "ger", "AdrAdresse1": "Weg 1", "AdrAnrede": 0, "AdrFirma": name, "OrtLand": "CH", "OrtName": "Zürich",
        "OrtPLZ": "8001"})
}

fn rows(rows: &[Value]) -> Vec<ImportRow> {
    let row = |(row, line)| ImportRow {
        line,
        row: Row::read(row, Language::GERMAN).unwrap(),
    };
    rows.iter().zip(1..).map(row).collect()
}

fn company_rows() -> Vec<ImportRow> {
    let everyone = json!([{"PHKey": "RESTWEBSHOP", "Contents": "*"}]);
    let price = |article: &str, price: u32, unit: Value| {
        json!({"Preisliste": {"PreisListe": "STANDARD", "ArtNr": article, "Preis": [
            {"WaehrAbk": "CHF", "AbAnzahl": 1, "PreisList": price, "Preisart": "N", "VPEinheit": unit}]}})
    };
    rows(&[
        json!({"Firma": {"FirmaBez": "Muster AG", "WaehrAbk": "CHF", "AdrSprache": "ger", "OrtLand": "CH", "Zeitzone": "UTC",
            "Preisart": "N", "RESTPreisliste": "STANDARD", "WUSTCode": "CH81", "StaoNr": 1,
            "attributes": [{"PHKey": "REST_Auft", "Contents": "1"}, {"PHKey": "REST_Kunde", "Contents": "1"}]}}),
        json!({"Steuer": {"WUSTCode": "CH81", "PosWUSTKlasse": "C", "Saetze": [{"GueltigAb": "2024-01-01", "WUSTSatz": 8.1}]}}),
        json!({"Artikel": {"ArtNr": "P-1", "AnLager": "J", "ArtBez": "Stanzwerkzeug", "attributes": everyone}}),
        json!({"Artikel": {"ArtNr": "P-2", "AnLager": "J", "ArtBez": "Reißnagel", "attributes": everyone,
            "Verpackungen": [{"VPEinheit": "KT12", "Faktor": 12}]}}),
        price("P-1", 12, Value::Null),
        price("P-2", 10, json!("KT12")),
        json!({"Bestand": {"ArtNr": "P-1", "LagerOrt": "Halle A", "StaoNr": 1, "LagerBestand": 10}}),
        json!({"Kunde": {"KundNr": "10001", "WaehrAbk": "CHF", "KontaktAdr": address("Käufer AG")}}),
    ])
}

fn user() -> User {
    User::new(
        Text::new("shop").unwrap(),
        "hash".to_owned(),
        Role::Shop,
        None,
    )
}

fn tomorrow() -> Timestamp {
    "2026-06-02T10:00:00Z".parse().unwrap()
}

/// A company with articles, a customer with an order, a template, and a user with two tokens.
fn prepared() -> Shared {
    let store = Shared::default();
    let erp = store.erp();
    block_on(async {
        erp.office(now()).import(&company_rows()).await.unwrap();
        erp.office(now()).users().add(&user()).await.unwrap();
        for hash in [[1; 32], [2; 32]] {
            erp.office(now())
                .users()
                .issue_token(&TokenHash::new(hash), &user(), tomorrow())
                .await
                .unwrap();
        }
        erp.shop(&shop(), now())
            .create_order(&order())
            .await
            .unwrap();
        let made = erp.shop(&shop(), now()).create_offer(&template()).await;
        assert_eq!(made.unwrap().number.as_str(), OFFER);
    });
    store
}

const OFFER: &str = "100001";

fn template() -> Value {
    json!({"GrundDaten": {"AuftBestellNr": "O-1"}, "Positionen": [{"ArtNr": "P-1", "Menge": 3}, {"ArtNr": "P-2", "Menge": 24, "VPEinheit": "KT12"}]})
}

fn order() -> Value {
    json!({"GrundDaten": {"KundNr": "10001"}, "Positionen": [
        {"ArtNr": "P-1", "Menge": 3}, {"ArtNr": "P-2", "Menge": 24, "VPEinheit": "KT12"}, {"ArtNr": "P-1", "Menge": 1.5}]})
}

/// Runs an operation with a failure at the n-th call, before or after the call is executed, for every n.
///
/// `repeated` decides which errors are right for the repetition if the first attempt was executed after all.
#[track_caller]
fn holds(
    name: &str,
    run: impl Fn(&Erp<Flaky<Shared>>) -> Result<(), Error>,
    repeated: impl Fn(&Error) -> bool,
) {
    let before = prepared().content();
    let whole = {
        let store = prepared();
        let erp = store.failing(0, When::Before);
        run(&erp).unwrap();
        store.is_sound(name);
        store.content()
    };
    let mut happened = 0;
    for when in [When::Before, When::After] {
        for call in 1.. {
            assert!(call < 1_000, "{name} never ends");
            let what = format!("{name}, call {call} fails {when:?}");
            let store = prepared();
            let erp = store.failing(call, when);
            let result = run(&erp);
            if erp.store().calls() < call {
                assert_eq!(result, Ok(()), "{what}: nothing failed");
                assert_eq!(store.content(), whole, "{what}: nothing failed");
                break;
            }
            assert!(
                matches!(result, Err(Error::Storage(StorageError::Unavailable(_)))),
                "{what}: {result:?}"
            );
            let content = store.content();
            assert!(
                content == before || content == whole,
                "{what}: something in between is stored"
            );
            store.is_sound(&what);
            let done = content != before;
            happened += usize::from(done);
            match run(&erp) {
                Ok(()) if !done => assert_same_records(&store.content(), &whole, &what),
                Ok(()) => (),
                Err(error) => assert!(done && repeated(&error), "{what}, repeated: {error}"),
            }
            store.is_sound(&format!("{what}, repeated"));
        }
    }
    assert_eq!(
        happened > 0,
        before != whole,
        "{name}: a lost response is among the failures"
    );
}

/// Compares the number of records of each kind: reserved numbers that were not used make the keys differ.
#[track_caller]
fn assert_same_records(found: &Content, expected: &Content, what: &str) {
    let kinds = |content: &Content| {
        content
            .keys()
            .fold(BTreeMap::<u8, usize>::new(), |mut kinds, key| {
                *kinds.entry(key.space()).or_default() += 1;
                kinds
            })
    };
    assert_eq!(kinds(found), kinds(expected), "{what}, repeated");
}

const fn never(_: &Error) -> bool {
    false
}

/// For an operation that is safe to repeat: if it is repeated after any failure, it is executed once, and every further
/// response is the same.
#[track_caller]
fn happens_once(name: &str, run: impl Fn(&Erp<Flaky<Shared>>) -> Result<String, Error>) {
    holds(name, |erp| run(erp).map(drop), never);
    let untouched = prepared().failing(0, When::Before);
    run(&untouched).unwrap();
    let whole = untouched.store().inner().content();
    for when in [When::Before, When::After] {
        for call in 1.. {
            assert!(call < 1_000, "{name} never ends");
            let what = format!("{name}, call {call} fails {when:?}");
            let store = prepared();
            let erp = store.failing(call, when);
            let first = run(&erp);
            if erp.store().calls() < call {
                first.unwrap();
                break;
            }
            assert!(first.is_err(), "{what}: {first:?}");
            let again = run(&erp).unwrap();
            assert_same_records(&store.content(), &whole, &what);
            assert_eq!(run(&erp), Ok(again), "{what}");
            assert_same_records(&store.content(), &whole, &what);
            store.is_sound(&what);
        }
    }
}

const RETRY: Retry<'_> = Retry {
    key: "order-1",
    fingerprint: [7; 32],
};

/// Media rows whose file is already stored, as the server creates them.
fn media_rows(values: &[Value]) -> Vec<ImportRow> {
    let mut rows = rows(values);
    for row in &mut rows {
        if let Row::Media(media) = &mut row.row
            && let Some(image) = &mut media.image
        {
            let hash = BodyHash::new([7; 32]);
            image.body = BodySource::Stored { hash, length: 3 };
        }
    }
    rows
}
