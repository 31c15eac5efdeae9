//! Whether what an order reserves can be ordered.

use std::collections::{BTreeMap, BTreeSet};

use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive;

use crate::domain::document::{Order, Position};
use crate::domain::master::{ArticleNumber, ArticleStock, Company, Reservation};
use crate::erp::engine::{Error, Shop, keys};
use crate::storage::record::Versioned;
use crate::storage::{ChangeSet, Entry, Key, Storage, StoreResult};
use crate::values::limits::KEYS_PER_GET;
use crate::values::problem::{Code, Path, Problems};

type Read = BTreeMap<Key, Option<Entry>>;

/// A position with its index in problem paths, and whether the shop has promised it.
pub(super) struct Wanted<'a> {
    pub(super) at: usize,
    pub(super) position: &'a Position,
    pub(super) is_promised: bool,
}

impl<S: Storage> Shop<'_, S> {
    // rule: D-DOC-39
    /// Refuses positions of which more is wanted than can be ordered, where the caller may not. What was read of stock and
    /// reservations must still be so when the order is committed. `place` is the location that the order names.
    pub(super) async fn check_stock(
        self,
        changes: &mut ChangeSet,
        company: &Company,
        new: &Order,
        (mut wanted, place): (Vec<Wanted<'_>>, Option<i32>),
    ) -> Result<(), Error> {
        let may_backorder = company.backorders
            && (self.caller.customer.is_none() || self.erp.settings.customers_may_backorder);
        let reserved: BTreeSet<_> = new.reservations.iter().map(|one| &one.article).collect();
        wanted.retain(|one| reserved.contains(&one.position.article));
        let mut wanted: Vec<_> = wanted.into_iter().zip(&new.reservations).collect();
        if may_backorder || wanted.iter().all(|(one, _)| one.is_promised) {
            return Ok(());
        }
        let mut read = Read::new();
        let stocks = reserved.iter().map(|article| keys::stock(article));
        self.read_into(&mut read, stocks.collect()).await?;
        let mut stocks = BTreeMap::new();
        for article in reserved {
            let key = keys::stock(article);
            let entry = read.get(&key).and_then(Option::as_ref);
            let stock = entry.map(|entry| Versioned::<ArticleStock>::decode(&key, entry));
            let stock = stock.transpose()?.map(|stock| stock.value);
            stocks.insert(article, stock.unwrap_or_default());
        }
        let counters = new.reservations.iter().flat_map(|one| {
            let stock = stocks.get(&one.article);
            let counters = stock.into_iter().flat_map(|stock| counters(stock, one));
            counters.map(|(_, key)| key).collect::<Vec<_>>()
        });
        self.read_into(&mut read, counters.collect()).await?;
        // What was promised is taken first.
        wanted.sort_by_key(|(one, _)| (!one.is_promised, one.at));
        let mut left = BTreeMap::new();
        let mut problems = Problems::new();
        for (one, reservation) in wanted {
            let (article, unit) = (&reservation.article, reservation.unit.as_deref());
            let left = left.entry((article, unit)).or_insert_with(|| {
                let stock = stocks.get(article);
                stock.map_or(Decimal::ZERO, |stock| {
                    stock.orderable(unit, place, &counts(&read, stock, reservation))
                })
            });
            let before = *left;
            *left = before.saturating_sub(reservation.quantity);
            if !one.is_promised && left.is_sign_negative() {
                refuse(&one, before, reservation, &mut problems);
            }
        }
        problems.or_else_value(Some(()))?;
        for (key, entry) in read {
            changes.guard(key, entry.map(|entry| entry.revision));
        }
        Ok(())
    }

    async fn read_into(self, read: &mut Read, mut keys: Vec<Key>) -> StoreResult<()> {
        keys.sort();
        keys.dedup();
        for keys in keys.chunks(KEYS_PER_GET) {
            let entries = self.erp.store.get(keys).await?;
            read.extend(keys.iter().cloned().zip(entries));
        }
        Ok(())
    }
}

/// The counters of what is reserved in the unit of a reservation: at the places that have stock, and at its own.
fn counters(stock: &ArticleStock, of: &Reservation) -> Vec<(i32, Key)> {
    let unit = of.unit.as_deref();
    let places = stock.kept_in(unit).map(|entry| entry.location);
    let places: BTreeSet<i32> = places.chain([of.location]).collect();
    let key = |place| (place, Reservation::counter(&of.article, place, unit));
    places.into_iter().map(key).collect()
}

fn counts(read: &Read, stock: &ArticleStock, of: &Reservation) -> BTreeMap<i32, i64> {
    let counters = counters(stock, of).into_iter();
    let count = |key: &Key| read.get(key)?.as_ref()?.counter();
    counters
        .map(|(place, key)| (place, count(&key).unwrap_or_default()))
        .collect()
}

fn refuse(one: &Wanted<'_>, left: Decimal, of: &Reservation, problems: &mut Problems) {
    let position = one.position;
    let left = left.max(Decimal::ZERO);
    let factor = position.package.as_ref();
    let factor = factor.and_then(|package| position.quantity.checked_div(package.quantity));
    // Only whole packages can be ordered, of stock that is kept in packages or not.
    let can_be = match (factor, &of.unit) {
        (Some(factor), Some(_)) => left.floor().checked_mul(factor),
        (Some(factor), None) => left
            .checked_div(factor)
            .and_then(|packages| packages.floor().checked_mul(factor)),
        (None, _) => Some(left),
    };
    let can_be = can_be.unwrap_or_default().normalize();
    let article: &ArticleNumber = &position.article;
    let message = sentence!("out_of_stock", article, left = can_be);
    let list = Path::ROOT.member("Positionen");
    let path = list.index(one.at);
    let limit = can_be.to_u64().unwrap_or_default();
    problems.add_limit(&path.member("Menge"), Code::OutOfStock, limit, message);
}
