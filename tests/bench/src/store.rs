//! Stores of the benchmark, created without a server.

use std::ops::Range;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use erp_core::Erp;
use erp_core::erp::Settings;
use erp_core::internal::master::User;
use erp_core::json;
use erp_core::master::{Caller, Role};
use erp_core::storage::{
    ChangeSet, CommitError, Entry, Key, MemoryStore, Page, Revision, Scan, Sequence, Storage,
    StorageError, Write,
};
use erp_core::text::Text;
use erp_server::import::import_lines;
use erp_server::media::Bodies;
use erp_server::store::{SledStore, Store, StoreOptions};
use erp_server::tokens;
use futures_util::future::ready;
use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};
use jiff::{Timestamp, ToSpan as _};
use secrecy::ExposeSecret as _;

use crate::child::cpu_of;
use crate::company::{self, CUSTOMERS, Random, company, prices, stock};
use crate::{Outcome, orders};

async fn import_text<S: Storage>(erp: &Erp<S>, text: &str) -> Outcome<()> {
    // No row names a media file, so nothing is ever stored here.
    let bodies = Bodies::new(Path::new("."), 0);
    let office = erp.office(Timestamp::now());
    import_lines(office, &bodies, &|_| None, text.as_bytes()).await?;
    Ok(())
}

pub(crate) fn open(data: &Path) -> Outcome<Erp<SledStore>> {
    Ok(Erp::new(
        SledStore::open(data, StoreOptions::default())?,
        Settings::default(),
    ))
}

/// Creates a company with this number of articles and returns a token of its shop user.
pub(crate) async fn prepare(data: &Path, count: usize) -> Outcome<String> {
    let erp = open(data)?;
    fill(&erp, count as u64, CUSTOMERS).await?;
    import_text(&erp, &prices("OTHER", 0..100)).await?;
    let token = shop_token(&erp).await?;
    erp.store().close()?;
    Ok(token)
}

/// The same in any store.
pub(crate) async fn prepare_on(store: Store, count: usize) -> Outcome<String> {
    let erp = Erp::new(store, Settings::default());
    fill(&erp, count as u64, CUSTOMERS).await?;
    let token = shop_token(&erp).await?;
    erp.store().close()?;
    Ok(token)
}

/// Creates a company with these customers and returns a token of its shop user.
pub(crate) async fn prepare_addresses(data: &Path, customers: &str) -> Outcome<String> {
    let erp = open(data)?;
    import_text(&erp, &company()).await?;
    import_text(&erp, customers).await?;
    let token = shop_token(&erp).await?;
    erp.store().close()?;
    Ok(token)
}

pub(crate) async fn shop_token<S: Storage>(erp: &Erp<S>) -> Outcome<String> {
    let user = shop_user()?;
    erp.office(Timestamp::now()).users().add(&user).await?;
    let (token, hash) = tokens::create()?;
    let now = Timestamp::now();
    erp.office(now)
        .users()
        .issue_token(&hash, &user, now + 24.hours())
        .await?;
    Ok(token.expose_secret().to_owned())
}

fn shop_user() -> Outcome<User> {
    // No password has this hash; the token is issued without one.
    let shop = Some(Text::new("SHOP1")?);
    Ok(User::new(
        Text::new("shop")?,
        "none".to_owned(),
        Role::Shop,
        shop,
    ))
}

/// Number of articles or customers that are generated and imported in one part.
const AT_ONCE: u64 = 50_000;

/// Imports a company with this number of articles and customers.
pub(crate) async fn fill<S: Storage>(erp: &Erp<S>, articles: u64, customers: u64) -> Outcome<()> {
    import_text(erp, &company()).await?;
    for of in parts(articles) {
        for text in [
            company::articles(of.clone()),
            prices("STANDARD", of.clone()),
            prices("HANDEL", of.clone()),
            stock(of),
        ] {
            import_text(erp, &text).await?;
        }
    }
    for of in parts(customers) {
        import_text(erp, &company::customers(of)).await?;
    }
    Ok(())
}

/// Number of orders that are placed at the same time: they share commits.
const ORDERS_AT_ONCE: usize = 256;

/// Places this many orders of some of these articles and customers. Returns the number of the first.
pub(crate) async fn place_orders<S: Storage>(
    erp: &Erp<S>,
    count: u64,
    customers: u64,
) -> Outcome<u64> {
    let caller = Caller::from(shop_user()?);
    let place = async |number: u64| -> Outcome<u64> {
        let body = orders::body_among(&mut Random(number), count, customers);
        let shop = erp.shop(&caller, Timestamp::now());
        let placed = shop.create_order(&json::read(&body)?).await?;
        Ok(placed.value.number.parse()?)
    };
    let placed = stream::iter(0..count)
        .map(place)
        .buffer_unordered(ORDERS_AT_ONCE);
    let first = |first: u64, number| ready(Ok(first.min(number)));
    placed.try_fold(u64::MAX, first).await
}

/// The numbers below a count, in parts.
fn parts(count: u64) -> impl Iterator<Item = Range<u64>> {
    let starts = (0..count).step_by(usize::try_from(AT_ONCE).unwrap_or(usize::MAX));
    starts.map(move |start| start..start.saturating_add(AT_ONCE).min(count))
}

/// Three prices for every article, in a list that no customer uses.
pub(crate) async fn add_other_list(data: &Path, count: usize) -> Outcome<()> {
    let erp = open(data)?;
    import_text(&erp, &prices("OTHER", 0..count as u64)).await?;
    Ok(erp.store().close()?)
}

pub(crate) struct Imported {
    pub(crate) elapsed: Duration,
    pub(crate) cpu: Duration,
    pub(crate) bytes: usize,
}

/// Imports a file of articles into a new store.
pub(crate) async fn import(data: &Path, count: usize) -> Outcome<Imported> {
    let erp = open(data)?;
    import_text(&erp, &company()).await?;
    let text = company::articles(0..count as u64);
    let (cpu, started) = (cpu_of("self")?, Instant::now());
    import_text(&erp, &text).await?;
    let elapsed = started.elapsed();
    erp.store().close()?;
    Ok(Imported {
        elapsed,
        cpu: cpu_of("self")?.saturating_sub(cpu),
        bytes: text.len(),
    })
}

/// A store in memory that records the last change set.
#[derive(Default)]
struct Recorder {
    store: MemoryStore,
    last: Mutex<ChangeSet>,
}

impl Storage for Recorder {
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
        changes.clone_into(&mut self.last.lock().unwrap_or_else(PoisonError::into_inner));
        self.store.commit(changes).await
    }
}

/// The keys and values that an order of the benchmark writes.
pub(crate) async fn writes_of_an_order() -> Outcome<Vec<(Vec<u8>, Vec<u8>)>> {
    let erp = Erp::new(Recorder::default(), Settings::default());
    fill(&erp, 1_000, CUSTOMERS).await?;
    let caller = Caller::from(shop_user()?);
    let body = json::read(&orders::body(&mut Random(1)))?;
    let shop = erp.shop(&caller, Timestamp::now());
    shop.create_order(&body).await?;
    let last = erp
        .store()
        .last
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    let writes = last.writes.iter().map(|write| match write {
        Write::Put { key, value } => (key.as_bytes().to_vec(), value.clone()),
        Write::Add { key, delta } => (key.as_bytes().to_vec(), delta.to_be_bytes().to_vec()),
        Write::Delete { key } => (key.as_bytes().to_vec(), Vec::new()),
    });
    Ok(writes.collect())
}
