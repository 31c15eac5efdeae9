//! A client that only follows `seit` has the articles of a full read, whatever happens and whenever.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use erp_core::Erp;
use erp_core::Links;
use erp_core::document::OrderStatus;
use erp_core::erp::{ArticleChanges, ArticleQuery, Error, Mark, Settings};
use erp_core::internal::json;
use erp_core::master::{ArticleNumber, Caller, Role};
use erp_core::storage::{
    ChangeSet, CommitError, Entry, Key, MemoryStore, Page, Revision, Scan, Sequence, Storage,
    StorageError,
};
use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

use super::common::{LINKS, admin, block_on, import_rows, now, rows, shop};

type Rival = Box<dyn FnOnce() + Send>;

/// A store on which something else happens after some more calls.
#[derive(Clone, Default)]
struct Shared {
    store: Arc<MemoryStore>,
    waiting: Arc<Mutex<Option<(usize, Rival)>>>,
}

impl Shared {
    fn erp(&self) -> Erp<Self> {
        Erp::new(self.clone(), Settings::default())
    }

    fn interrupt(&self, calls: usize, rival: impl FnOnce() + Send + 'static) {
        *self.waiting.lock().unwrap() = Some((calls, Box::new(rival)));
    }

    /// What waited for a call that did not come happens now.
    fn catch_up(&self) {
        let waiting = self.waiting.lock().unwrap().take();
        if let Some((_, rival)) = waiting {
            rival();
        }
    }

    fn called(&self) {
        let mut waiting = self.waiting.lock().unwrap();
        let rival = waiting.take_if(|(calls, _)| {
            *calls = calls.saturating_sub(1);
            *calls == 0
        });
        drop(waiting);
        if let Some((_, rival)) = rival {
            rival();
        }
    }
}

impl Storage for Shared {
    async fn get(&self, keys: &[Key]) -> Result<Vec<Option<Entry>>, StorageError> {
        self.called();
        self.store.get(keys).await
    }

    async fn scan(&self, scan: Scan) -> Result<Page, StorageError> {
        self.called();
        self.store.scan(scan).await
    }

    async fn next_numbers(&self, wanted: &[(Sequence, u64)]) -> Result<Vec<u64>, StorageError> {
        self.store.next_numbers(wanted).await
    }

    async fn commit(&self, changes: ChangeSet) -> Result<Revision, CommitError> {
        self.called();
        self.store.commit(changes).await
    }
}

#[derive(Clone, Debug)]
enum Op {
    Article(u8, u8, u8),
    Remove(u8),
    Text(u8, u8),
    Price(bool, u8, u8),
    RemovePrice(bool, u8),
    Stock(u8, u8),
    Order(u8, u8),
    Status(usize, OrderStatus),
    Log,
    Hours(i64),
    TaxCode(bool),
    PriceList(bool),
}

/// A follower reads: which one, and what happens after how many calls to the store, or between its pages.
#[derive(Clone, Debug)]
struct Read {
    follower: usize,
    page: usize,
    calls: usize,
    interrupts: Vec<Op>,
}

#[derive(Clone, Debug)]
enum Step {
    Do(Op),
    Read(Read),
}

fn op() -> impl Strategy<Value = Op> {
    let article = || 0_u8..5;
    let status = proptest::sample::select(OrderStatus::ALL.to_vec());
    prop_oneof![
        5 => (article(), 0_u8..5, 0_u8..3).prop_map(|(article, selection, text)| Op::Article(article, selection, text)),
        3 => article().prop_map(Op::Remove),
        2 => (article(), any::<u8>()).prop_map(|(article, text)| Op::Text(article, text)),
        2 => (any::<bool>(), article(), 1_u8..9).prop_map(|(list, article, price)| Op::Price(list, article, price)),
        1 => (any::<bool>(), article()).prop_map(|(list, article)| Op::RemovePrice(list, article)),
        2 => (article(), any::<u8>()).prop_map(|(article, stock)| Op::Stock(article, stock)),
        4 => (article(), 1_u8..9).prop_map(|(article, quantity)| Op::Order(article, quantity)),
        3 => (any::<usize>(), status).prop_map(|(order, status)| Op::Status(order, status)),
        2 => Just(Op::Log),
        1 => (1_i64..30).prop_map(Op::Hours),
        1 => any::<bool>().prop_map(Op::TaxCode),
        1 => any::<bool>().prop_map(Op::PriceList),
    ]
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let interrupts = proptest::collection::vec(op(), 0..4);
    let read = (0_usize..6, 1_usize..4, 1_usize..16, interrupts);
    let read = read.prop_map(|(follower, page, calls, interrupts)| Read {
        follower,
        page,
        calls,
        interrupts,
    });
    let step = prop_oneof![3 => op().prop_map(Step::Do), 2 => read.prop_map(Step::Read)];
    proptest::collection::vec(step, 1..60)
}

/// A company that several servers work for.
#[derive(Clone)]
struct World {
    store: Shared,
    servers: [Arc<Erp<Shared>>; 2],
    now: Arc<Mutex<Timestamp>>,
    /// How often something changed that ends marks.
    ends: Arc<Mutex<usize>>,
}

impl World {
    fn new() -> Self {
        let store = Shared::default();
        let servers = [Arc::new(store.erp()), Arc::new(store.erp())];
        let world = Self {
            store,
            servers,
            now: Arc::new(Mutex::new(now())),
            ends: Arc::default(),
        };
        let mut rows = rows();
        rows.retain(|row| row.get("Artikel").is_none() && row.get("Preisliste").is_none());
        rows.retain(|row| row.get("Bestand").is_none());
        // The customer's price list.
        rows.push(article(0, "*", "x"));
        rows.push(price("HANDEL", 0, 1));
        // The rate changes after two days.
        rows[1]["Steuer"]["Saetze"] = json!([
            {"GueltigAb": "2024-01-01", "GueltigBis": "2026-06-02", "WUSTSatz": 8.1},
            {"GueltigAb": "2026-06-03", "WUSTSatz": 8.5}]);
        let customers = rows.extract_if(.., |row| row.get("Kunde").is_some());
        let customers: Vec<Value> = customers.collect();
        world.import(&rows);
        world.import(&customers);
        world
    }

    fn now(&self) -> Timestamp {
        *self.now.lock().unwrap()
    }

    /// Returns whether the rows could be applied.
    fn import(&self, rows: &[Value]) -> bool {
        let office = self.servers[0].office(self.now());
        match block_on(office.import(&import_rows(rows))) {
            Ok(_) => true,
            Err(Error::Invalid(_)) => false,
            Err(error) => panic!("{error}"),
        }
    }

    fn happen(&self, op: &Op) {
        *self.now.lock().unwrap() += SignedDuration::from_secs(1);
        let of = |number: u8| format!("A-{number}");
        match op {
            Op::Article(number, selection, text) => {
                let selection =
                    ["", "SHOP1", "shop2, SHOP1", "SHOP2", "*"][usize::from(*selection)];
                self.import(&[article(*number, selection, &text.to_string())]);
            }
            Op::Remove(number) => {
                self.import(&[json!({"Artikel": {"ArtNr": of(*number), "Loeschen": true}})]);
            }
            Op::Text(number, text) => {
                let text = json!({"ArtNr": of(*number), "AdrSprache": "fre", "ArtBez": format!("t{text}")});
                self.import(&[json!({"ArtikelText": text})]);
            }
            Op::Price(list, number, amount) => {
                self.import(&[price(list_of(*list), *number, *amount)]);
            }
            Op::RemovePrice(list, number) => {
                self.import(&[json!({"Preisliste": {"PreisListe": list_of(*list), "ArtNr": of(*number), "Preis": []}})]);
            }
            Op::Stock(number, stock) => {
                self.import(&[json!({"Bestand": {"ArtNr": of(*number), "LagerOrt": "Halle", "StaoNr": 1, "LagerBestand": stock}})]);
            }
            Op::Order(number, quantity) => {
                let body = json!({"GrundDaten": {"KundNr": "10001"},
                    "Positionen": [{"ArtNr": of(*number), "Menge": quantity, "Preis": 1}]});
                let caller = admin();
                let shop = self.servers[1].shop(&caller, self.now());
                match block_on(shop.create_order(&body)) {
                    Ok(_) | Err(Error::Invalid(_)) => (),
                    Err(error) => panic!("{error}"),
                }
            }
            Op::Status(order, status) => {
                let number = (100_001 + order % 8).to_string();
                let office = self.servers[0].office(self.now());
                match block_on(office.set_order_status(&number, *status)) {
                    Ok(_) | Err(Error::NotFound { .. } | Error::Conflict(_)) => (),
                    Err(error) => panic!("{error}"),
                }
            }
            Op::Log => block_on(self.servers[1].upkeep(self.now()).log_changes()).unwrap(),
            Op::Hours(hours) => {
                let new_rate: Timestamp = "2026-06-03T00:00:00Z".parse().unwrap();
                let mut now = self.now.lock().unwrap();
                let was_before = *now < new_rate;
                *now += SignedDuration::from_hours(*hours);
                if was_before && *now >= new_rate {
                    *self.ends.lock().unwrap() += 1;
                }
            }
            Op::TaxCode(is_lower) => {
                let mut company = rows().remove(0);
                company["Firma"]["WUSTCode"] = json!(if *is_lower { "CH26" } else { "CH81" });
                self.import(&[company]);
                *self.ends.lock().unwrap() += 1;
            }
            Op::PriceList(has_one) => {
                let mut customer = rows().pop().unwrap();
                if !has_one {
                    customer["Kunde"]["PreisListe"] = json!(null);
                }
                self.import(&[customer]);
                *self.ends.lock().unwrap() += 1;
            }
        }
    }
}

fn list_of(is_trade: bool) -> &'static str {
    if is_trade { "HANDEL" } else { "STANDARD" }
}

fn article(number: u8, selection: &str, text: &str) -> Value {
    json!({"Artikel": {"ArtNr": format!("A-{number}"), "ArtBez": text, "AnLager": "J",
        "attributes": [{"PHKey": "RESTWEBSHOP", "Contents": selection}]}})
}

fn price(list: &str, number: u8, price: u8) -> Value {
    json!({"Preisliste": {"PreisListe": list, "ArtNr": format!("A-{number}"),
        "Preis": [{"WaehrAbk": "CHF", "AbAnzahl": 1, "PreisList": price, "Preisart": "N"}]}})
}

/// All articles as a full read returns them.
fn full(world: &World, caller: &Caller, query: &ArticleQuery) -> BTreeMap<ArticleNumber, String> {
    let erp = world.store.erp();
    let shop = erp.shop(caller, world.now());
    let list = block_on(shop.article_list(query, &[])).unwrap();
    let articles = block_on(shop.article_page(&list, 0..usize::MAX)).unwrap();
    let shown = |article: erp_core::erp::ShownArticle| {
        let wire = article.to_wire(&LINKS);
        (article.number.clone(), format!("{wire:?}"))
    };
    articles.into_iter().map(shown).collect()
}

/// A server that has long kept texts of articles sends what a new one renders, in lists and alone.
fn assert_texts(world: &World, caller: &Caller, query: &ArticleQuery) {
    let fresh = world.store.erp();
    let (long, fresh) = (&world.servers[0], &fresh);
    let (long, fresh) = (
        long.shop(caller, world.now()),
        fresh.shop(caller, world.now()),
    );
    let links = Links::new("https://erp.example.com/~shop");
    block_on(async {
        let list = fresh.article_list(query, &[]).await.unwrap();
        let articles = fresh.article_page(&list, 0..usize::MAX).await.unwrap();
        let articles: Vec<_> = articles.iter().map(|one| one.to_wire(&links)).collect();
        let expected = String::from_utf8(json::to_ascii(&articles).unwrap()).unwrap();
        let list = long.article_list(query, &[]).await.unwrap();
        let mut kept = b"[".to_vec();
        let page = long.article_texts(&list, 0..usize::MAX, &links, &mut kept);
        page.await.unwrap();
        assert_eq!(String::from_utf8(kept).unwrap() + "]", expected);
        for article in &articles {
            let number = article.article_number.as_ref().unwrap();
            let expected = fresh.article(number, query).await.unwrap();
            let mut kept = Vec::new();
            let article = long.article_text(number, query, &links, &mut kept);
            article.await.unwrap();
            assert_eq!(kept, json::to_ascii(&expected.to_wire(&links)).unwrap());
        }
    });
}

/// A client with its copy of the articles.
struct Follower {
    caller: Caller,
    query: ArticleQuery,
    copy: BTreeMap<ArticleNumber, String>,
    mark: Option<Mark>,
    /// What it could see at its mark, or while the mark was made.
    could_see: BTreeSet<ArticleNumber>,
    ends: usize,
}

impl Follower {
    fn new(caller: Caller, customer: Option<&str>) -> Self {
        Self {
            caller,
            query: ArticleQuery {
                customer: customer.map(str::to_owned),
                ..ArticleQuery::default()
            },
            copy: BTreeMap::new(),
            mark: None,
            could_see: BTreeSet::new(),
            ends: 0,
        }
    }

    fn all() -> Vec<Self> {
        let nobody = Caller::new("nobody", Role::Shop, None).unwrap();
        vec![
            Self::new(shop("SHOP1"), None),
            Self::new(shop("SHOP1"), Some("10002")),
            Self::new(shop("shop2"), None),
            Self::new(nobody, None),
            Self::new(admin(), None),
            Self::new(admin(), Some("10002")),
        ]
    }

    fn full(&self, world: &World) -> BTreeMap<ArticleNumber, String> {
        full(world, &self.caller, &self.query)
    }

    fn assert_current(&self, world: &World) {
        assert_eq!(self.copy, self.full(world));
        assert_texts(world, &self.caller, &self.query);
    }

    /// Reads what has changed, in pages. Returns the removed articles.
    fn read(
        &mut self,
        world: &World,
        page: usize,
        between: &mut Vec<Op>,
    ) -> Result<Vec<ArticleNumber>, Error> {
        let since = self.mark;
        let ask = |until: Option<&Mark>| -> Result<ArticleChanges, Error> {
            let shop = world.servers[0].shop(&self.caller, world.now());
            block_on(shop.article_changes(&self.query, since.as_ref(), until))
        };
        let first = ask(None)?;
        let (mark, count, removed) = (first.mark, first.list.count(), first.removed.clone());
        let mut changes = first;
        let mut copy = match since {
            Some(_) => self.copy.clone(),
            None => BTreeMap::new(),
        };
        for number in removed.iter().flatten() {
            copy.remove(number);
        }
        let mut at = 0;
        loop {
            let shop = world.servers[0].shop(&self.caller, world.now());
            for article in block_on(shop.article_page(&changes.list, at..at + page))? {
                let wire = article.to_wire(&LINKS);
                copy.insert(article.number.clone(), format!("{wire:?}"));
            }
            at += page;
            if at >= count {
                break;
            }
            if let Some(op) = between.pop() {
                world.happen(&op);
            }
            changes = ask(Some(&mark))?;
            assert_eq!((changes.mark, changes.list.count()), (mark, count));
            assert_eq!(changes.removed, removed);
        }
        (self.copy, self.mark) = (copy, Some(mark));
        Ok(removed.unwrap_or_default())
    }

    /// The same, with everything anew when the mark is too old.
    fn update(&mut self, world: &World, read: &Read) {
        let seen: BTreeSet<ArticleNumber> = self.full(world).into_keys().collect();
        let seen = Arc::new(Mutex::new(seen));
        let mut between = read.interrupts.clone();
        if let Some(op) = between.pop() {
            let (during, seen) = (world.clone(), Arc::clone(&seen));
            let (caller, query) = (self.caller.clone(), self.query.clone());
            world.store.interrupt(read.calls, move || {
                during.happen(&op);
                let now = full(&during, &caller, &query).into_keys();
                seen.lock().unwrap().extend(now);
            });
        }
        let mut is_whole = self.mark.is_none();
        let removed = loop {
            let ends = self.ends;
            let removed = self.read(world, read.page, &mut between);
            match removed {
                Ok(removed) => break removed,
                Err(Error::MarkExpired) => {
                    world.store.catch_up();
                    self.ends = *world.ends.lock().unwrap();
                    assert!(self.ends > ends, "the mark has ended without a reason");
                    (self.mark, is_whole) = (None, true);
                }
                Err(error) => panic!("{error}"),
            }
        };
        world.store.catch_up();
        if !is_whole {
            for number in &removed {
                assert!(self.could_see.contains(number), "{number} was hidden");
            }
        }
        let mut seen = seen.lock().unwrap();
        seen.extend(self.full(world).into_keys());
        self.could_see = std::mem::take(&mut seen);
    }
}

const QUIET: Read = Read {
    follower: 0,
    page: usize::MAX / 2,
    calls: 0,
    interrupts: Vec::new(),
};

// rule: D-ANS-15
#[test]
fn a_client_that_follows_the_changes_has_what_a_full_read_returns() {
    let config = Config {
        cases: 24,
        failure_persistence: None,
        ..Config::default()
    };
    let mut runner = TestRunner::new(config);
    let run = |steps: Vec<Step>| {
        let world = World::new();
        let mut followers = Follower::all();
        for step in steps {
            match step {
                Step::Do(op) => world.happen(&op),
                Step::Read(read) => {
                    let follower = &mut followers[read.follower];
                    follower.update(&world, &read);
                    follower.update(&world, &QUIET);
                    follower.assert_current(&world);
                }
            }
        }
        for follower in &mut followers {
            follower.update(&world, &QUIET);
            follower.assert_current(&world);
        }
        let sound = block_on(world.servers[0].upkeep(world.now()).check()).unwrap();
        assert_eq!(sound.findings, []);
        Ok(())
    };
    runner.run(&steps(), run).unwrap();
}
