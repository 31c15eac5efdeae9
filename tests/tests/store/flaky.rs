//! Every operation with the store failing at every call: it happens whole or not at all, and can be
//! repeated. And many writers at once.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::thread;

use erp_core::Erp;
use erp_core::article::parse_sorts;
use erp_core::codes::Language;
use erp_core::document::OrderStatus;
use erp_core::erp::{
    ArticleQuery, Context, CustomerOrders, Error, ImportRow, Retry, SearchField, SearchTerms,
    Settings, TokenHash, UserChange,
};
use erp_core::import::{BodySource, Row};
use erp_core::master::{Attribute, Caller, Reservation, Role, User};
use erp_core::media::BodyHash;
use erp_core::storage::conformance::{Flaky, When};
use erp_core::storage::{
    ChangeSet, CommitError, Entry, Key, MemoryStore, Page, Revision, Scan, Sequence, Space,
    Storage, StorageError,
};
use erp_core::text::Text;
use jiff::Timestamp;
use pollster::block_on;
use serde_json::{Value, json};

/// A store that several operations share: one that fails and one that never does.
#[derive(Clone, Debug, Default)]
struct Shared(Arc<MemoryStore>);

impl Storage for Shared {
    async fn get(&self, keys: &[Key]) -> Result<Vec<Option<Entry>>, StorageError> {
        self.0.get(keys).await
    }

    async fn scan(&self, scan: Scan) -> Result<Page, StorageError> {
        self.0.scan(scan).await
    }

    async fn next_numbers(&self, wanted: &[(Sequence, u64)]) -> Result<Vec<u64>, StorageError> {
        self.0.next_numbers(wanted).await
    }

    async fn commit(&self, changes: ChangeSet) -> Result<Revision, CommitError> {
        self.0.commit(changes).await
    }
}

/// What a store holds, without revisions.
type Content = BTreeMap<Key, Vec<u8>>;

impl Shared {
    fn content(&self) -> Content {
        let mut content = Content::new();
        let all = Scan {
            from: Key::from_bytes(vec![0]),
            until: Key::from_bytes(vec![255; 8]),
            backwards: false,
            limit: 1000,
        };
        let mut next = Some(all);
        while let Some(scan) = next {
            let page = block_on(self.scan(scan)).unwrap();
            content.extend(
                page.entries
                    .into_iter()
                    .map(|(key, entry)| (key, entry.value)),
            );
            next = page.next;
        }
        content
    }

    fn erp(&self) -> Erp<Self> {
        Erp::new(self.clone(), Settings::default())
    }

    #[track_caller]
    fn is_sound(&self, what: &str) {
        assert_eq!(block_on(self.erp().check()).unwrap().findings, [], "{what}");
    }
}

fn now() -> Timestamp {
    "2026-06-01T10:00:00Z".parse().unwrap()
}

fn shop() -> Caller {
    Caller {
        name: Text::new("shop").unwrap(),
        role: Role::Shop,
        shop: Some(Text::new("SHOP1").unwrap()),
    }
}

fn context(caller: &Caller) -> Context<'_> {
    Context::new(now(), caller, "https://erp.example.com")
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

fn master_data() -> Vec<ImportRow> {
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
    User {
        name: Text::new("shop").unwrap(),
        password_hash: "hash".to_owned(),
        role: Role::Shop,
        shop: None,
    }
}

fn tomorrow() -> Timestamp {
    "2026-06-02T10:00:00Z".parse().unwrap()
}

/// A company with articles, a customer with an order, a template, and a user with two tokens.
fn prepared() -> Shared {
    let store = Shared::default();
    let erp = store.erp();
    block_on(async {
        erp.import(&master_data(), now(), None).await.unwrap();
        erp.users().add(&user(), None).await.unwrap();
        for hash in [[1; 32], [2; 32]] {
            erp.users()
                .issue_token(&TokenHash::new(hash), &user(), now(), tomorrow(), None)
                .await
                .unwrap();
        }
        erp.create_order(&context(&shop()), &order()).await.unwrap();
        let made = erp.create_offer(&context(&shop()), &template()).await;
        assert_eq!(made.unwrap().answer.offer_number.unwrap(), OFFER);
    });
    store
}

/// The template in a prepared store.
const OFFER: &str = "500001";

fn template() -> Value {
    json!({"GrundDaten": {"AuftBestellNr": "O-1"}, "Positionen": [{"ArtNr": "P-1", "Menge": 3}, {"ArtNr": "P-2", "Menge": 24, "VPEinheit": "KT12"}]})
}

fn order() -> Value {
    json!({"GrundDaten": {"KundNr": "10001"}, "Positionen": [
        {"ArtNr": "P-1", "Menge": 3}, {"ArtNr": "P-2", "Menge": 24, "VPEinheit": "KT12"}, {"ArtNr": "P-1", "Menge": 1.5}]})
}

/// Runs an operation with the n-th call failing, before or after it happened, for every n.
///
/// `repeated` says which refusals of a repetition are right when the first try had happened after all.
#[track_caller]
fn holds(
    name: &str,
    run: impl Fn(&Erp<Flaky<Shared>>) -> Result<(), Error>,
    repeated: impl Fn(&Error) -> bool,
) {
    let before = prepared().content();
    let whole = {
        let store = prepared();
        let erp = Erp::new(
            Flaky::new(store.clone(), 0, When::Before),
            Settings::default(),
        );
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
            let erp = Erp::new(Flaky::new(store.clone(), call, when), Settings::default());
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

/// As many records of each kind: numbers that were drawn in vain make the keys differ.
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

/// An operation that is safe to repeat: sent again after any failure, it has happened once, and every
/// further answer is the same.
#[track_caller]
fn happens_once(name: &str, run: impl Fn(&Erp<Flaky<Shared>>) -> Result<String, Error>) {
    holds(name, |erp| run(erp).map(drop), never);
    let untouched = Erp::new(Flaky::new(prepared(), 0, When::Before), Settings::default());
    run(&untouched).unwrap();
    let whole = untouched.store().inner().content();
    for when in [When::Before, When::After] {
        for call in 1.. {
            let what = format!("{name}, call {call} fails {when:?}");
            let store = prepared();
            let erp = Erp::new(Flaky::new(store.clone(), call, when), Settings::default());
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

/// A request with an idempotency key.
fn retried(caller: &Caller) -> Context<'_> {
    Context {
        retry: Some(Retry {
            key: "order-1",
            fingerprint: [7; 32],
        }),
        ..context(caller)
    }
}

// rule: R-RET-01
#[test]
fn creating_an_order_with_a_key() {
    happens_once("creating an order with a key", |erp| {
        let placed = block_on(erp.create_order(&retried(&shop()), &order()))?;
        Ok(placed.answer.to_string())
    });
}

// rule: R-STO-05
#[test]
fn creating_an_offer() {
    let mut body = template();
    body["GrundDaten"]["KundNr"] = json!("10001");
    let create = |erp: &Erp<_>| block_on(erp.create_offer(&context(&shop()), &body)).map(drop);
    holds("creating an offer", create, never);
    happens_once("creating an offer with a key", |erp| {
        let made = block_on(erp.create_offer(&retried(&shop()), &template()))?;
        Ok(made.answer.offer_number.unwrap().to_string())
    });
}

// rule: R-STA-06, R-STO-05
#[test]
fn changing_an_offer() {
    let body = json!({"GrundDaten": {"KundNr": "10001"}, "Adressen": {"LiefAdr": address("Lager")}, "Positionen": [
        {"PosNr": 1, "Menge": 5}, {"PosNr": 2, "Menge": 0}, {"ArtNr": "P-1", "Menge": 2}]});
    let change =
        |erp: &Erp<_>| block_on(erp.change_offer(&context(&shop()), OFFER, None, &body)).map(drop);
    // The deleted position is gone when the change had happened.
    holds("changing an offer", change, |error| {
        matches!(error, Error::Invalid(_))
    });
    happens_once("changing an offer with a key", |erp| {
        let changed = block_on(erp.change_offer(&retried(&shop()), OFFER, None, &body))?;
        Ok(serde_json::to_string(&changed.answer).unwrap())
    });
}

#[test]
fn changing_an_offer_of_a_known_revision() {
    let store = prepared();
    let revision = block_on(store.erp().stored_offer(OFFER)).unwrap().revision;
    let body = json!({"Positionen": [{"PosNr": 1, "Menge": 5}]});
    let change = |erp: &Erp<_>| {
        let (caller, known) = (shop(), [revision]);
        let context = Context {
            if_match: Some(&known),
            ..context(&caller)
        };
        block_on(erp.change_offer(&context, OFFER, None, &body)).map(drop)
    };
    // Once changed, the offer has another revision.
    holds("changing a known offer", change, |error| {
        matches!(error, Error::PreconditionFailed)
    });
}

// rule: R-STA-08, R-STO-05
#[test]
fn converting_an_offer() {
    // Safe to repeat without a key.
    let body = json!({"GrundDaten": {"KundNr": "10001", "OffertNr": OFFER}, "Zahlung": [{"Bezeichnung": "payment_method", "Wert": "R"}]});
    happens_once("converting an offer", |erp| {
        let placed = block_on(erp.convert_offer(&context(&shop()), &body))?;
        Ok(placed.answer.to_string())
    });
    happens_once("converting an offer with a key", |erp| {
        let placed = block_on(erp.convert_offer(&retried(&shop()), &body))?;
        Ok(placed.answer.to_string())
    });
}

// rule: R-STO-05
#[test]
fn changing_an_address() {
    let body =
        json!({"AdrFirma": "Umbenannt AG", "EmailAdress": "neu@example.ch", "OrtName": "Bern"});
    happens_once("changing an address", |erp| {
        block_on(erp.change_address(&context(&shop()), "1", &body)).map(|_| String::new())
    });
}

// rule: R-STA-14, R-STO-05
#[test]
fn completing_an_order() {
    for status in [OrderStatus::O, OrderStatus::A] {
        let set = |erp: &Erp<_>| block_on(erp.set_order_status("1000001", status, None)).map(drop);
        holds("setting the state of an order", set, |error| {
            matches!(error, Error::Conflict(_))
        });
    }
}

/// Media rows whose file is stored already, as the server makes them.
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

// rule: R-STO-05, R-IMP-06
#[test]
fn importing_media() {
    let picture =
        |name: &str| json!({"ArtikelMedia": {"ArtNr": "P-1", "Datei": name, "AMDText": "Größe"}});
    let batch = media_rows(&[
        picture("a.png"),
        picture("b.png"),
        json!({"ArtikelMedia": {"IDKey": 70, "ArtNr": "P-2", "AMDText": "Reißnagel"}}),
    ]);
    let import = |erp: &Erp<_>| block_on(erp.import(&batch, now(), None)).map(drop);
    holds("importing media", import, never);
    // A record that goes to another article, one that goes, and an article that goes with its media.
    let changes = media_rows(&[
        picture("a.png"),
        json!({"ArtikelMedia": {"IDKey": 70, "ArtNr": "P-2", "AMDText": "Reißnagel"}}),
        json!({"ArtikelMedia": {"IDKey": 71, "ArtNr": "P-1", "AMDText": "x"}}),
        json!({"ArtikelMedia": {"IDKey": 71, "ArtNr": "P-2", "AMDText": "x"}}),
        json!({"ArtikelMedia": {"IDKey": 70, "Loeschen": true}}),
        json!({"Artikel": {"ArtNr": "P-2", "Loeschen": true}}),
    ]);
    holds(
        "changing media",
        |erp| block_on(erp.import(&changes, now(), None)).map(drop),
        // The article is gone when the import had happened.
        |error| matches!(error, Error::Invalid(_)),
    );
    let store = prepared();
    block_on(store.erp().import(&batch, now(), None)).unwrap();
    block_on(store.erp().import(&changes, now(), None)).unwrap();
    store.is_sound("changing media");
    let known = store.erp();
    assert_eq!(block_on(known.media().named_bodies()).unwrap().len(), 1);
}

/// A store in which another writer is faster: right before the first commit it imports these rows.
#[derive(Debug)]
struct Overtaken {
    store: Shared,
    rows: Mutex<Option<Vec<ImportRow>>>,
}

impl Storage for Overtaken {
    async fn get(&self, keys: &[Key]) -> Result<Vec<Option<Entry>>, StorageError> {
        self.store.get(keys).await
    }

    async fn scan(&self, scan: Scan) -> Result<Page, StorageError> {
        self.store.scan(scan).await
    }

    async fn next_numbers(&self, wanted: &[(Sequence, u64)]) -> Result<Vec<u64>, StorageError> {
        self.store.next_numbers(wanted).await
    }

    async fn commit(&self, changes: ChangeSet) -> Result<Revision, CommitError> {
        if let Some(rows) = self.rows.lock().unwrap().take() {
            block_on(self.store.erp().import(&rows, now(), None)).unwrap();
        }
        self.store.commit(changes).await
    }
}

// rule: R-IMP-06
#[test]
fn an_article_never_goes_without_its_media() {
    let picture = |name: &str| {
        media_rows(&[json!({"ArtikelMedia": {"ArtNr": "P-2", "Datei": name, "AMDText": "x"}})])
    };
    let remove = || rows(&[json!({"Artikel": {"ArtNr": "P-2", "Loeschen": true}})]);
    // The first media of an article and further ones, before and after the article goes.
    for known in [None, Some("a.png")] {
        for (late, early) in [
            (picture("b.png"), remove()),
            (remove(), picture("b.png")),
            (picture("b.png"), picture("c.png")),
        ] {
            let store = prepared();
            if let Some(known) = known {
                block_on(store.erp().import(&picture(known), now(), None)).unwrap();
            }
            let overtaken = Overtaken {
                store: store.clone(),
                rows: Mutex::new(Some(early)),
            };
            let erp = Erp::new(overtaken, Settings::default());
            // A picture of an article that has just gone is refused.
            match block_on(erp.import(&late, now(), None)) {
                Ok(_) | Err(Error::Invalid(_)) => (),
                Err(error) => panic!("{error}"),
            }
            store.is_sound("after both writers");
        }
    }
}

// rule: R-STA-08
#[test]
fn thirty_two_writers_convert_one_offer_once() {
    let store = prepared();
    let (erp, before) = (store.erp(), store.content());
    let body = json!({"GrundDaten": {"KundNr": "10001", "OffertNr": OFFER}});
    let mut orders: Vec<String> = thread::scope(|scope| {
        let convert = |_| {
            let (erp, body) = (&erp, &body);
            scope.spawn(move || {
                let placed = block_on(erp.convert_offer(&context(&shop()), body)).unwrap();
                placed.answer.to_string()
            })
        };
        let writers: Vec<_> = (0..32).map(convert).collect();
        writers
            .into_iter()
            .map(|writer| writer.join().unwrap())
            .collect()
    });
    orders.dedup();
    assert_eq!(orders.len(), 1, "{orders:?}");
    let placed = |content: &Content| {
        content
            .keys()
            .filter(|key| key.space() == Space::Order as u8)
            .count()
    };
    assert_eq!(placed(&store.content()), placed(&before) + 1);
    store.is_sound("after all writers");
}

// rule: R-END-02, R-STO-05
#[test]
fn creating_an_order() {
    holds(
        "creating an order",
        |erp| block_on(erp.create_order(&context(&shop()), &order())).map(drop),
        never,
    );
}

// rule: R-STO-05
#[test]
fn creating_a_customer() {
    let body = json!({"GrundDaten": {"WaehrAbk": "CHF", "FAKTZahlArt": "B"},
        "Adressen": {"KontaktAdr": address("Neu AG"), "LiefAdr": address("Neu AG Lager"), "RechAdr": address("Treuhand")}});
    holds(
        "creating a customer",
        |erp| block_on(erp.create_customer(&context(&shop()), &body)).map(drop),
        never,
    );
}

// rule: R-END-15
#[test]
fn replacing_a_customer() {
    let body = json!({"GrundDaten": {"WaehrAbk": "EUR", "FAKTZahlArt": "L"},
        "Adressen": {"KontaktAdr": address("Käufer GmbH"), "LiefAdr": address("Käufer Lager")}});
    let replace =
        |erp: &Erp<_>| block_on(erp.replace_customer(&context(&shop()), "10001", &body)).map(drop);
    holds("replacing a customer", replace, never);
}

// rule: R-STO-05, R-IMP-02
#[test]
fn importing_a_batch() {
    let batch = rows(&[
        json!({"Artikel": {"ArtNr": "P-9", "AnLager": "J", "ArtBez": "Neu"}}),
        json!({"Preis": {"PreisListe": "STANDARD", "ArtNr": "P-9", "WaehrAbk": "CHF", "AbAnzahl": 1, "PreisList": 5, "Preisart": "N"}}),
        json!({"Bestand": {"ArtNr": "P-9", "LagerOrt": "B", "StaoNr": 1, "LagerBestand": 5}}),
        json!({"Artikel": {"ArtNr": "P-2", "Loeschen": true}}),
        json!({"Kunde": {"KundNr": "10001", "WaehrAbk": "CHF", "KontaktAdr": address("Käufer"), "LiefAdr": [address("Lager")]}}),
        json!({"Kunde": {"KundNr": "10900", "WaehrAbk": "CHF", "KontaktAdr": address("Importiert")}}),
    ]);
    holds(
        "importing a batch",
        |erp| block_on(erp.import(&batch, now(), None)).map(drop),
        never,
    );
}

#[test]
fn issuing_a_token() {
    let hash = TokenHash::new([9; 32]);
    holds(
        "issuing a token",
        |erp| {
            block_on(
                erp.users()
                    .issue_token(&hash, &user(), now(), tomorrow(), None),
            )
        },
        never,
    );
}

#[test]
fn revoking_a_token() {
    holds(
        "revoking a token",
        |erp| block_on(erp.users().revoke_token(&TokenHash::new([2; 32]), None)),
        never,
    );
}

// rule: R-AUT-08
#[test]
fn removing_expired_tokens() {
    let later: Timestamp = "2026-07-01T00:00:00Z".parse().unwrap();
    holds(
        "removing expired tokens",
        |erp| block_on(erp.users().remove_expired_tokens(later)).map(drop),
        never,
    );
}

#[test]
fn adding_a_user() {
    let other = User {
        name: Text::new("other").unwrap(),
        ..user()
    };
    let add = |erp: &Erp<_>| block_on(erp.users().add(&other, None));
    holds("adding a user", add, |error| {
        matches!(error, Error::Conflict(_))
    });
}

#[test]
fn setting_a_password() {
    holds(
        "setting a password",
        |erp| block_on(erp.users().set_password("shop", "other", None)),
        never,
    );
}

#[test]
fn removing_a_user() {
    let remove = |erp: &Erp<_>| block_on(erp.users().remove("shop", None));
    holds("removing a user", remove, |error| {
        matches!(error, Error::NotFound { .. })
    });
}

// rule: R-STO-05
#[test]
fn changing_a_user() {
    let change = UserChange {
        role: Some(Role::Admin),
        shop: Some(None),
    };
    holds(
        "changing a user",
        |erp| block_on(erp.users().change("shop", &change, None)).map(drop),
        never,
    );
}

// rule: R-STO-05
#[test]
fn ending_all_tokens_of_a_user() {
    holds(
        "ending all tokens of a user",
        |erp| block_on(erp.users().revoke_tokens_of("shop", None)).map(drop),
        never,
    );
}

// rule: R-STO-05
#[test]
fn setting_an_attribute_of_the_company() {
    let attribute = Attribute {
        key: Text::new("REST_Auft").unwrap(),
        contents: Text::new("0").unwrap(),
    };
    holds(
        "setting an attribute",
        |erp| block_on(erp.set_company_attribute(&attribute, None)),
        never,
    );
}

// rule: R-STO-05
#[test]
fn removing_an_attribute_of_the_company() {
    holds(
        "removing an attribute",
        |erp| block_on(erp.remove_company_attribute("REST_Auft", None)),
        |error| matches!(error, Error::NotFound { .. }),
    );
}

fn searched(name: &str) -> SearchField {
    let field = SearchField::ALL.into_iter();
    field.into_iter().find(|field| field.name == name).unwrap()
}

/// Reads that must answer the same whatever failed before.
fn reads(erp: &Erp<impl Storage>) -> Result<Vec<Value>, Error> {
    let (caller, query) = (
        shop(),
        ArticleQuery {
            customer: Some("10001".to_owned()),
            ..ArticleQuery::default()
        },
    );
    let context = context(&caller);
    let mut terms = SearchTerms::default();
    terms.add(searched("AdrFirma"), "käufer ag");
    terms.add(searched("OrtPLZ"), "8001");
    block_on(async {
        let list = erp
            .article_list(&context, &query, &parse_sorts("").unwrap())
            .await?;
        let page = erp.article_page(&context, &list, 0..10).await?;
        let article = erp.article(&context, "P-1", &query).await?;
        let orders = CustomerOrders {
            last: 5,
            ..CustomerOrders::default()
        };
        let customer = erp.customer(&context, "10001", orders).await?.record;
        let order = erp.order(&context, "1000001").await?.record;
        let offer = erp.offer(&context, OFFER).await?.record;
        let addresses = erp.addresses(&context, "10001").await?;
        let found = erp.find_customer(&context, &terms).await?;
        let address = erp.address(&context, "1").await?.record;
        let value = |value| serde_json::to_value(value).unwrap();
        Ok(vec![
            value(&page),
            serde_json::to_value(article).unwrap(),
            serde_json::to_value(customer).unwrap(),
            serde_json::to_value(order).unwrap(),
            serde_json::to_value(offer).unwrap(),
            serde_json::to_value(addresses).unwrap(),
            serde_json::to_value(found.one().unwrap()).unwrap(),
            serde_json::to_value(address).unwrap(),
        ])
    })
}

// rule: R-STO-05
#[test]
fn reading() {
    let store = prepared();
    let expected = reads(&store.erp()).unwrap();
    assert_eq!(expected[0].as_array().unwrap().len(), 2);
    let run = |erp: &Erp<_>| reads(erp).map(|answers| assert_eq!(answers, expected));
    holds("reading", run, never);
}

#[test]
fn a_failure_does_not_spoil_what_is_kept_in_memory() {
    // The first read fills the memory; then master data change, and a read fails while it notices.
    let changed = rows(&[
        json!({"Artikel": {"ArtNr": "P-1", "AnLager": "J", "ArtBez": "Umbenannt",
        "attributes": [{"PHKey": "RESTWEBSHOP", "Contents": "*"}]}}),
    ]);
    for skipped in 0.. {
        let store = prepared();
        let count = Erp::new(
            Flaky::new(store.clone(), 0, When::Before),
            Settings::default(),
        );
        reads(&count).unwrap();
        let call = count.store().calls() + skipped + 1;
        let erp = Erp::new(
            Flaky::new(store.clone(), call, When::Before),
            Settings::default(),
        );
        reads(&erp).unwrap();
        block_on(store.erp().import(&changed, now(), None)).unwrap();
        let expected = reads(&store.erp()).unwrap();
        assert_eq!(expected[1]["ArtBez"], "Umbenannt");
        let failed = reads(&erp);
        if erp.store().calls() < call {
            assert!(skipped > 3, "reading after a change reads the store");
            assert_eq!(failed, Ok(expected));
            return;
        }
        assert!(failed.is_err(), "call {call} failed");
        assert_eq!(reads(&erp).unwrap(), expected, "call {call} failed");
    }
}

// rule: R-RES-16
#[test]
fn thirty_two_writers_reserve_exactly_what_they_ordered() {
    const WRITERS: i64 = 32;
    const EACH: i64 = 8;
    let store = prepared();
    let (before, erp) = (store.content(), store.erp());
    let mut numbers: Vec<String> = thread::scope(|scope| {
        let write = |writer: i64| {
            let erp = &erp;
            scope.spawn(move || {
                let body = json!({"GrundDaten": {"KundNr": "10001"}, "Positionen": [{"ArtNr": "P-1", "Menge": writer + 1}]});
                let place = |_| block_on(erp.create_order(&context(&shop()), &body)).unwrap().answer.to_string();
                (0..EACH).map(place).collect::<Vec<_>>()
            })
        };
        let writers: Vec<_> = (0..WRITERS).map(write).collect();
        writers
            .into_iter()
            .flat_map(|writer| writer.join().unwrap())
            .collect()
    });
    numbers.sort_unstable();
    numbers.dedup();
    assert_eq!(
        numbers.len(),
        usize::try_from(WRITERS * EACH).unwrap(),
        "no number is given twice"
    );
    let reserved = |content: &Content| {
        let value = content.get(&Reservation::counter("P-1", 1, None)).unwrap();
        i64::from_be_bytes(value.as_slice().try_into().unwrap())
    };
    let ordered = EACH * WRITERS * (WRITERS + 1) / 2;
    assert_eq!(
        reserved(&store.content()) - reserved(&before),
        ordered * 1_000_000
    );
    for number in numbers {
        block_on(erp.stored_order(&number)).unwrap();
    }
    store.is_sound("after all writers");
}
