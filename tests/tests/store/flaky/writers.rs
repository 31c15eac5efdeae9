//! Several writers at once.

use std::sync::Mutex;
use std::thread;

use erp_core::Erp;
use erp_core::erp::{Error, ImportRow, Settings};
use erp_core::master::Reservation;
use erp_core::storage::{ChangeSet, CommitError, Revision, Space, Storage};
use erp_tests::forward_storage;
use pollster::block_on;
use serde_json::json;

use super::{Content, OFFER, Shared, media_rows, now, prepared, rows, shop};

/// A store in which another writer is faster: directly before the first commit it imports these rows.
#[derive(Debug)]
struct Overtaken {
    store: Shared,
    rows: Mutex<Option<Vec<ImportRow>>>,
}

impl Storage for Overtaken {
    forward_storage!(store: get, scan, next_numbers);

    async fn commit(&self, changes: ChangeSet) -> Result<Revision, CommitError> {
        if let Some(rows) = self.rows.lock().unwrap().take() {
            block_on(self.store.erp().office(now()).import(&rows)).unwrap();
        }
        self.store.commit(changes).await
    }
}

#[test]
fn an_article_is_never_removed_without_its_media() {
    let picture = |name: &str| {
        media_rows(&[json!({"ArtikelMedia": {"ArtNr": "P-2", "Datei": name, "AMDText": "x"}})])
    };
    let remove = || rows(&[json!({"Artikel": {"ArtNr": "P-2", "Loeschen": true}})]);
    // With the first media of an article and with further ones, before and after the article is removed.
    for known in [None, Some("a.png")] {
        for (late, early) in [
            (picture("b.png"), remove()),
            (remove(), picture("b.png")),
            (picture("b.png"), picture("c.png")),
        ] {
            let store = prepared();
            if let Some(known) = known {
                block_on(store.erp().office(now()).import(&picture(known))).unwrap();
            }
            let overtaken = Overtaken {
                store: store.clone(),
                rows: Mutex::new(Some(early)),
            };
            let erp = Erp::new(overtaken, Settings::default());
            // Media of an article that was just removed are refused.
            match block_on(erp.office(now()).import(&late)) {
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
                let placed = block_on(erp.shop(&shop(), now()).convert_offer(body)).unwrap();
                placed.number.to_string()
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
                let place = |_| block_on(erp.shop(&shop(), now()).create_order(&body)).unwrap().number.to_string();
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
        "no number is assigned twice"
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
        block_on(erp.office(now()).order(&number)).unwrap();
    }
    store.is_sound("after all writers");
}
