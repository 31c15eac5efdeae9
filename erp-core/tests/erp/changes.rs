//! What has changed since a mark: which articles, for whom, and when a mark ends.

use std::collections::BTreeSet;

use erp_core::document::OrderStatus;
use erp_core::erp::{ArticleChanges, ArticleQuery, Error, Mark};
use erp_core::internal::history_key;
use erp_core::internal::record::encode;
use erp_core::internal::{Change, ChangedRecord};
use erp_core::master::Caller;
use erp_core::storage::{ChangeSet, Key, Space, Storage};
use jiff::SignedDuration;
use serde_json::{Value, json};

use super::common::{Demo, admin, block_on, demo, now, rows, shop};
use super::counting::{Counting, company, import};

/// A client that asks for changes.
struct Client<'a> {
    demo: &'a Demo,
    caller: Caller,
    query: ArticleQuery,
    mark: Mark,
}

impl<'a> Client<'a> {
    fn new(demo: &'a Demo, caller: Caller) -> Self {
        let query = ArticleQuery::default();
        let whole = ask(demo, &caller, &query, None).unwrap();
        assert_eq!(whole.removed, None);
        Self {
            demo,
            caller,
            query,
            mark: whole.mark,
        }
    }

    fn ask(&self) -> Result<ArticleChanges, Error> {
        ask(self.demo, &self.caller, &self.query, Some(&self.mark))
    }

    /// The numbers of the changed and of the removed articles since the last call.
    fn told(&mut self) -> (Vec<String>, Vec<String>) {
        let changes = self.ask().unwrap();
        let mut shown = shown(self.demo, &self.caller, &changes);
        shown.sort();
        assert_eq!(shown.len(), changes.list.count());
        self.mark = changes.mark;
        let removed = changes.removed.unwrap();
        (shown, removed.iter().map(ToString::to_string).collect())
    }

    fn assert_told(&mut self, changed: &[&str], removed: &[&str], what: &str) {
        let (found, gone) = self.told();
        assert_eq!(
            (&found[..], &gone[..]),
            (&strings(changed)[..], &strings(removed)[..]),
            "{what}"
        );
    }
}

fn strings(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

fn ask(
    demo: &Demo,
    caller: &Caller,
    query: &ArticleQuery,
    since: Option<&Mark>,
) -> Result<ArticleChanges, Error> {
    block_on(demo.shop(caller).article_changes(query, since, None))
}

fn shown(demo: &Demo, caller: &Caller, changes: &ArticleChanges) -> Vec<String> {
    let shop = demo.shop(caller);
    let page = shop.article_page(&changes.list, 0..usize::MAX);
    let page = block_on(page).unwrap();
    let number = |article: erp_core::erp::ShownArticle| article.number.to_string();
    page.into_iter().map(number).collect()
}

fn selected(number: &str, selection: &str) -> Value {
    json!({"Artikel": {"ArtNr": number, "ArtBez": "x",
        "attributes": [{"PHKey": "RESTWEBSHOP", "Contents": selection}]}})
}

fn gone(number: &str) -> Value {
    json!({"Artikel": {"ArtNr": number, "Loeschen": true}})
}

// rule: D-ANS-15
#[test]
fn everything_that_a_shop_can_see_of_an_article_is_a_change() {
    let demo = demo();
    let mut client = Client::new(&demo, shop("SHOP1"));
    client.assert_told(&[], &[], "nothing");
    let price = json!({"WaehrAbk": "CHF", "AbAnzahl": 1, "PreisList": 7, "Preisart": "N"});
    let mut article = rows().remove(3);
    article["Artikel"]["Farbe"] = json!("#ff0000");
    let rows = [
        ("article", article),
        (
            "text",
            json!({"ArtikelText": {"ArtNr": "P-1", "AdrSprache": "ita", "ArtBez": "Punzone"}}),
        ),
        (
            "unit",
            json!({"Verpackung": {"ArtNr": "P-1", "VPEinheit": "K2", "Faktor": 2}}),
        ),
        (
            "declaration",
            json!({"Deklaration": {"ArtNr": "P-1", "Nr": 1, "AdrSprache": "ger", "Bezeichnung1": "CH"}}),
        ),
        (
            "price",
            json!({"Preisliste": {"PreisListe": "STANDARD", "ArtNr": "P-1", "Preis": [price]}}),
        ),
        (
            "stock",
            json!({"Bestand": {"ArtNr": "P-1", "LagerOrt": "Halle A", "StaoNr": 1, "LagerBestand": 20}}),
        ),
        (
            "media",
            json!({"ArtikelMedia": {"ArtNr": "P-1", "IDKey": 9, "AMDText": "rot"}}),
        ),
    ];
    for (what, row) in rows {
        demo.import(std::slice::from_ref(&row)).unwrap();
        client.assert_told(&["P-1"], &[], what);
        demo.import(&[row]).unwrap();
        client.assert_told(&[], &[], what);
    }
    let order = |article: &str| json!({"GrundDaten": {"KundNr": "10001"}, "Positionen": [{"ArtNr": article, "Menge": 2}]});
    let first = demo.order(&order("P-1"));
    client.assert_told(&["P-1"], &[], "a reservation");
    demo.order(&order("P-3"));
    client.assert_told(&[], &[], "an order of what has no stock");
    let become_ =
        |number: &str, status| block_on(demo.office().set_order_status(number, status)).unwrap();
    become_(&first, OrderStatus::Open);
    client.assert_told(&[], &[], "still reserved");
    become_(&first, OrderStatus::Completed);
    client.assert_told(&["P-1"], &[], "taken out of the stock");
    let second = demo.order(&order("P-1"));
    become_(&second, OrderStatus::Canceled);
    client.assert_told(&["P-1"], &[], "canceled");
    let offer = block_on(demo.shop(&client.caller).create_offer(&order("P-1"))).unwrap();
    client.assert_told(&[], &[], "an offer");
    let body = json!({"GrundDaten": {"KundNr": "10001", "OffertNr": offer.number.as_str()}});
    block_on(demo.shop(&client.caller).convert_offer(&body)).unwrap();
    client.assert_told(&["P-1"], &[], "an offer that is ordered");
    assert_eq!(block_on(demo.upkeep().check()).unwrap().findings, []);
}

// rule: D-ANS-15
#[test]
fn a_picture_that_moves_changes_both_articles() {
    let demo = demo();
    let media =
        |article: &str| json!({"ArtikelMedia": {"IDKey": 7, "ArtNr": article, "AMDText": "rot"}});
    demo.import(&[media("P-1")]).unwrap();
    let mut client = Client::new(&demo, shop("SHOP1"));
    demo.import(&[media("P-2")]).unwrap();
    client.assert_told(&["P-1", "P-2"], &[], "moved");
    demo.import(&[json!({"ArtikelMedia": {"IDKey": 7, "Loeschen": true}})])
        .unwrap();
    client.assert_told(&["P-2"], &[], "removed");
}

/// Every way from one visibility to another, in one step or over a third: an article appears or vanishes for a caller as
/// it sees it at the marks, and one that it saw at neither of them is not told.
// rule: D-ANS-15, D-ERR-05
#[test]
fn an_article_appears_and_vanishes_and_nothing_hidden_is_told() {
    const STATES: [Option<&str>; 5] = [
        None,
        Some(""),
        Some("SHOP2"),
        Some("SHOP1"),
        Some("shop2, shop1"),
    ];
    let callers = || [shop("SHOP1"), shop("SHOP2"), admin()];
    let sees = |caller: &Caller, state: Option<&str>| match (caller.shop.as_deref(), state) {
        (_, None) => false,
        (None, Some(_)) => true,
        (Some(shop), Some(selection)) => selection.to_uppercase().contains(shop),
    };
    let demo = demo();
    let set = |state: Option<&str>| {
        let row = state.map_or_else(|| gone("X-1"), |selection| selected("X-1", selection));
        demo.import(&[row]).unwrap();
    };
    let mut stock = 0;
    for before in STATES {
        for between in STATES {
            for after in STATES {
                for is_logged in [false, true] {
                    set(before);
                    let mut clients: Vec<Client<'_>> =
                        callers().map(|caller| Client::new(&demo, caller)).into();
                    set(between);
                    if is_logged {
                        block_on(demo.upkeep().log_changes()).unwrap();
                    }
                    // A change of what a shop may not see, too.
                    stock += 1;
                    let entry = json!({"ArtNr": "X-1", "LagerOrt": "H", "StaoNr": 1, "LagerBestand": stock});
                    let _ = demo.import(&[json!({"Bestand": entry})]);
                    set(after);
                    for client in &mut clients {
                        let what = format!(
                            "{before:?} {between:?} {after:?} for {:?}",
                            client.caller.shop
                        );
                        let (saw, now) =
                            (sees(&client.caller, before), sees(&client.caller, after));
                        let (changed, removed) = client.told();
                        assert_eq!(changed.len(), usize::from(now), "{what}");
                        assert_eq!(removed.len(), usize::from(saw && !now), "{what}");
                        client.assert_told(&[], &[], &what);
                    }
                }
            }
        }
    }
}

// rule: D-ANS-14
#[test]
fn a_mark_ends_with_what_changes_everything() {
    let expires = |change: &dyn Fn(&mut Client<'_>, &Demo)| {
        let demo = demo();
        let mut client = Client::new(&demo, shop("SHOP1"));
        client.assert_told(&[], &[], "");
        change(&mut client, &demo);
        assert_eq!(client.ask().unwrap_err(), Error::MarkExpired);
        let other = ask(&demo, &client.caller, &client.query, None).unwrap();
        client.mark = other.mark;
        client.assert_told(&[], &[], "");
    };
    expires(&|_, demo| {
        let mut company = rows().remove(0);
        company["Firma"]["FirmaBez"] = json!("Neu AG");
        demo.import(&[company]).unwrap();
    });
    expires(&|_, demo| {
        let mut code = rows().remove(2);
        code["Steuer"]["Saetze"][0]["WUSTSatz"] = json!(2.5);
        demo.import(&[code]).unwrap();
    });
    expires(&|client, _| client.caller = shop("SHOP2"));
    expires(&|client, _| client.caller = admin());
    expires(&|client, _| client.query.customer = Some("10002".to_owned()));
    expires(&|client, _| client.query.currency = Some("EUR".parse().unwrap()));
    expires(&|client, _| client.query.language = Some("fre".parse().unwrap()));
    // The store starts a new history.
    expires(&|_, demo| {
        let mut changes = ChangeSet::new();
        changes.delete(history_key());
        block_on(demo.erp.store().commit(changes)).unwrap();
    });
    // A mark of commits that are lost.
    expires(&|client, _| {
        let mark = client.mark.to_string();
        let mut parts: Vec<&str> = mark.split('.').collect();
        parts[2] = "ffff";
        client.mark = parts.join(".").parse().unwrap();
    });
}

// rule: D-ANS-14
#[test]
fn a_mark_ends_when_a_tax_rate_changes_by_itself() {
    let demo = demo();
    let rates = json!([{"GueltigAb": "2024-01-01", "GueltigBis": "2026-06-30", "WUSTSatz": 8.1},
        {"GueltigAb": "2026-07-01", "WUSTSatz": 8.5}]);
    demo.import(&[json!({"Steuer": {"WUSTCode": "CH81", "PosWUSTKlasse": "C", "Saetze": rates}})])
        .unwrap();
    let client = Client::new(&demo, shop("SHOP1"));
    let after = |days: i64| {
        let later = now() + SignedDuration::from_hours(24 * days);
        let shop = demo.erp.shop(&client.caller, later);
        block_on(shop.article_changes(&client.query, Some(&client.mark), None))
            .map(|changes| changes.list.count())
    };
    assert_eq!(after(29), Ok(0));
    assert_eq!(after(30), Err(Error::MarkExpired));
    assert_eq!(after(-1), Ok(0));
}

// rule: D-ANS-14
#[test]
fn marks_that_are_far_behind_end_and_the_log_stays_bounded() {
    let demo = demo();
    let mut client = Client::new(&demo, shop("SHOP1"));
    let note = |number: u64, count: u64| {
        let article = |at| ChangedRecord {
            number: format!("N-{at}").into(),
            before: None,
        };
        let change = Change {
            records: (0..count).map(article).collect(),
        };
        let mut changes = ChangeSet::new();
        changes.put(
            Key::of(Space::Change).number(0).number(number),
            encode(&change).unwrap(),
        );
        block_on(demo.erp.store().commit(changes)).unwrap();
    };
    for number in 0..150 {
        note(number, 1_000);
    }
    client.told();
    let old = client.mark;
    note(0, 7);
    client.told();
    for number in 0..250 {
        note(number, 1_000);
    }
    block_on(demo.upkeep().log_changes()).unwrap();
    for mark in [old, client.mark] {
        let asked = ask(&demo, &client.caller, &client.query, Some(&mark));
        assert_eq!(asked.unwrap_err(), Error::MarkExpired);
    }
    let entries = demo
        .erp
        .store()
        .scan(erp_core::storage::Scan::prefix(&Key::of(Space::Change)));
    assert_eq!(block_on(entries).unwrap().entries.len(), 200);
    assert_eq!(block_on(demo.upkeep().check()).unwrap().findings, []);
}

/// 50 changed articles cost as much among 3,000 as among 300, and a bounded number of calls.
// rule: D-ANS-15
#[test]
fn the_cost_is_that_of_what_changed() {
    let cost = |articles: usize| {
        let erp = company(50_000);
        let all = (0..articles).map(|at| selected(&format!("M-{at:05}"), "SHOP1"));
        import(&erp, &all.collect::<Vec<_>>());
        let caller = shop("SHOP1");
        let query = ArticleQuery::default();
        let ask = |since: Option<&Mark>| {
            let shop = erp.shop(&caller, now());
            block_on(async {
                let changes = shop.article_changes(&query, since, None).await.unwrap();
                let page = shop.article_page(&changes.list, 0..100);
                (changes.mark, page.await.unwrap().len())
            })
        };
        let (mark, _) = ask(None);
        let stock = |at| json!({"Bestand": {"ArtNr": format!("M-{at:05}"), "LagerOrt": "H", "StaoNr": 1, "LagerBestand": 1}});
        import(&erp, &(0..50).map(stock).collect::<Vec<_>>());
        let store: &Counting = erp.store();
        store.take();
        let (_, changed) = ask(Some(&mark));
        assert_eq!(changed, 50);
        let counts = store.take();
        (counts.calls(), counts.entries)
    };
    let few = cost(300);
    assert_eq!(few, cost(3_000));
    let (calls, entries) = few;
    assert!(calls <= 14 && entries <= 250, "{few:?}");
}

/// The notes of many orders are moved once each, and what was moved is not read again.
#[test]
fn moving_many_notes_reads_each_once() {
    const ORDERS: usize = 1_000;
    let erp = company(50_000);
    let body =
        json!({"GrundDaten": {"KundNr": "10001"}, "Positionen": [{"ArtNr": "P-3", "Menge": 1}]});
    let caller = admin();
    for _ in 0..ORDERS {
        block_on(erp.shop(&caller, now()).create_order(&body)).unwrap();
    }
    erp.store().take();
    block_on(erp.upkeep(now()).log_changes()).unwrap();
    let counts = erp.store().take();
    assert!(counts.entries <= ORDERS + 20, "{counts:?}");
    assert_eq!(counts.removed, 0, "{counts:?}");
    assert!(counts.commits <= ORDERS / 400 + 4, "{counts:?}");
}

#[test]
fn a_page_is_of_the_state_of_the_first_one() {
    let demo = demo();
    let mut client = Client::new(&demo, shop("SHOP1"));
    for number in ["P-1", "P-2", "P-3"] {
        demo.import(&[selected(number, "SHOP1")]).unwrap();
    }
    let first = client.ask().unwrap();
    demo.import(&[
        gone("P-1"),
        selected("P-0", "*"),
        selected("P-2", "SHOP2"),
        selected("P-4", "*"),
    ])
    .unwrap();
    let caller = client.caller.clone();
    let shop = demo.shop(&caller);
    let again =
        block_on(shop.article_changes(&client.query, Some(&client.mark), Some(&first.mark)))
            .unwrap();
    assert_eq!(
        (again.mark, again.list.count(), &again.removed),
        (first.mark, 3, &Some(Vec::new()))
    );
    let page = |range| {
        block_on(shop.article_page(&again.list, range))
            .unwrap()
            .len()
    };
    assert_eq!(
        [page(0..2), page(2..4)],
        [0, 1],
        "what is gone meanwhile is told next time"
    );
    client.mark = first.mark;
    client.assert_told(&["P-0", "P-4"], &["P-1", "P-2"], "afterwards");
    let backwards =
        block_on(shop.article_changes(&client.query, Some(&client.mark), Some(&first.mark)));
    assert_eq!(backwards.unwrap_err(), Error::MarkExpired);
    let numbers: BTreeSet<String> = shown(
        &demo,
        &client.caller,
        &ask(&demo, &client.caller, &client.query, None).unwrap(),
    )
    .into_iter()
    .collect();
    assert_eq!(
        numbers,
        strings(&["P-0", "P-3", "P-4"]).into_iter().collect()
    );
}
