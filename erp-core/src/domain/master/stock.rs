//! Stock of an article, and reservations by orders.

use std::collections::BTreeMap;

use erp_derive::{Record, skip_serializing_none};
use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive;
use serde::{Deserialize, Serialize};

use super::{ArticleNumber, UnitCode};
use crate::storage::{Key, Space};
use crate::values::limits::QUANTITY_BELOW;
use crate::values::number::round_half_away;
use crate::values::problem::{Code, Path, Problems};
use crate::values::text::{IntoText, Text};

/// Counters of reservations count millionths of a unit.
const MILLIONTHS: i64 = 1_000_000;

/// Stock in one warehouse place (`Bestand`).
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Record)]
#[record(Row, bare(place, location, quantity))]
pub struct StockEntry {
    /// Warehouse place.
    #[wire("LagerOrt", required)]
    pub place: Text<60>,
    /// Location number.
    #[wire("StaoNr", required)]
    pub location: i32,
    /// Stored quantity in the entry's unit, before reservations.
    #[wire("LagerBestand", stock, required)]
    pub quantity: Decimal,
    /// Packaging unit that is counted; the base unit when absent.
    #[wire("VPEinheit", key)]
    pub unit: Option<UnitCode>,
    /// Stock range.
    #[wire("Bereich", char(15))]
    pub range: Option<Text<15>>,
    /// Whether the warehouse is released for shops.
    #[wire("Freigegeben", default = true)]
    pub released: bool,
}

/// Stored stock of one article.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArticleStock {
    /// The entries in the order of the import.
    pub entries: Vec<StockEntry>,
}

impl StockEntry {
    /// Whether both count the same unit at the same place.
    pub(crate) fn is_at(&self, other: &Self) -> bool {
        self.place == other.place && self.location == other.location && self.unit == other.unit
    }

    /// Stock of the base unit in a released warehouse place.
    pub fn new(
        place: impl IntoText<60>,
        location: i32,
        quantity: impl Into<Decimal>,
    ) -> Result<Self, Problems> {
        let mut problems = Problems::new();
        let place = problems.text("LagerOrt", place);
        problems.and(Ok(Self {
            released: true,
            ..Self::bare(place, location, quantity.into())
        }))
    }
}

impl ArticleStock {
    /// Subtracts a reservation from the entry that carries it; if none does, from the first entry of the location and
    /// unit. Does nothing without a matching entry.
    pub fn take_out(&mut self, reservation: &Reservation) {
        let same = |entry: &StockEntry| {
            entry.location == reservation.location && entry.unit == reservation.unit
        };
        let carrying = self
            .entries
            .iter()
            .position(|entry| entry.released && same(entry));
        let at = carrying.or_else(|| self.entries.iter().position(same));
        if let Some(entry) = at.and_then(|at| self.entries.get_mut(at)) {
            entry.quantity = entry
                .quantity
                .checked_sub(reservation.quantity)
                .unwrap_or(entry.quantity);
        }
    }

    /// What can be ordered in a unit: the stock of all released places that is kept in it, without what orders reserve. At a
    /// location it is no more than what is left there. `reserved` has what orders reserve in this unit, in millionths.
    pub fn orderable(
        &self,
        unit: Option<&str>,
        at: Option<i32>,
        reserved: &BTreeMap<i32, i64>,
    ) -> Decimal {
        let taken = |millionths: &i64| Decimal::new(millionths.saturating_neg(), 6);
        let mut left: BTreeMap<i32, Decimal> = reserved
            .iter()
            .map(|(location, millionths)| (*location, taken(millionths)))
            .collect();
        for entry in self.kept_in(unit) {
            let place = left.entry(entry.location).or_default();
            *place = place.saturating_add(entry.quantity);
        }
        let sum = left
            .values()
            .fold(Decimal::ZERO, |sum, left| sum.saturating_add(*left));
        let here = at.map(|at| left.get(&at).copied().unwrap_or_default());
        here.map_or(sum, |here| here.min(sum))
    }

    /// Where and in which unit a position of a document reserves: at the document's location, in the position's packaging unit
    /// if that is kept there, otherwise in base units; where that location keeps neither, at the first released place that does.
    /// So lists, checks and completion count with the entry that the goods are in.
    pub(crate) fn reserved_at<'a>(
        &self,
        location: i32,
        unit: Option<&'a UnitCode>,
    ) -> (i32, Option<&'a UnitCode>) {
        let units = [unit, None];
        let mut here = units.into_iter().map(|unit| (location, unit));
        let is_kept = |(location, unit): &(i32, Option<&UnitCode>)| {
            let mut entries = self.kept_in(unit.map(UnitCode::as_str));
            entries.any(|entry| entry.location == *location)
        };
        let elsewhere = units.into_iter().find_map(|unit| {
            let entry = self.kept_in(unit.map(UnitCode::as_str)).next()?;
            Some((entry.location, unit))
        });
        here.find(is_kept).or(elsewhere).unwrap_or((location, None))
    }

    pub(crate) fn kept_in(&self, unit: Option<&str>) -> impl Iterator<Item = &StockEntry> {
        let entries = self.entries.iter();
        entries.filter(move |entry| entry.released && entry.unit.as_deref() == unit)
    }

    /// The released entries, each with whether it carries the reservations of its location and unit (only the first of
    /// them does).
    pub fn released(&self) -> impl Iterator<Item = (&StockEntry, bool)> {
        let entries = self
            .entries
            .iter()
            .enumerate()
            .filter(|(_, entry)| entry.released);
        entries.map(|(at, entry)| {
            let same = |other: &&StockEntry| {
                other.released && other.location == entry.location && other.unit == entry.unit
            };
            let first = !self.entries.iter().take(at).any(|other| same(&other));
            (entry, first)
        })
    }

    /// The reservation counter of each released entry; `None` where an entry has none.
    pub(crate) fn counters(&self, article: &str) -> Vec<Option<Key>> {
        let counter = |(entry, carries): (&StockEntry, bool)| {
            carries.then(|| Reservation::counter(article, entry.location, entry.unit.as_deref()))
        };
        self.released().map(counter).collect()
    }
}

/// Stock reserved by one position of an order.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reservation {
    /// The article.
    pub article: ArticleNumber,
    /// The location.
    pub location: i32,
    /// The packaging unit; the base unit when absent.
    pub unit: Option<UnitCode>,
    /// Reserved quantity, in that unit.
    pub quantity: Decimal,
}

impl Reservation {
    /// Key of the counter shared by all reservations of this article, location and unit.
    pub fn key(&self) -> Key {
        Self::counter(&self.article, self.location, self.unit.as_deref())
    }

    /// Key of the counter of an article, location and unit, in millionths.
    pub fn counter(article: &str, location: i32, unit: Option<&str>) -> Key {
        Key::of(Space::Reserved)
            .text(article)
            .signed(location.into())
            .text(unit.unwrap_or_default())
    }

    /// The article whose reservations a key counts; `None` when it is another kind of key.
    pub(crate) fn counted(key: &Key) -> Option<String> {
        let is_counter = key.space() == Space::Reserved as u8;
        key.parts().text().filter(|_| is_counter)
    }

    /// The quantity in millionths; `None` when it exceeds 64 bits.
    pub fn millionths(&self) -> Option<i64> {
        round_half_away(self.quantity, 6)
            .checked_mul(Decimal::from(MILLIONTHS))?
            .to_i64()
    }

    /// What an order adds to each counter, in millionths.
    /// Errors: when it reserves too much of an article.
    pub(crate) fn sums(reservations: &[Self]) -> Result<BTreeMap<Key, i64>, Problems> {
        let below = i64::try_from(QUANTITY_BELOW).unwrap_or(i64::MAX);
        let below = below.saturating_mul(MILLIONTHS);
        let mut sums = BTreeMap::new();
        for reservation in reservations {
            let sum: &mut i64 = sums.entry(reservation.key()).or_default();
            let more = reservation.millionths();
            let more = more.and_then(|more| sum.checked_add(more));
            *sum = more
                .filter(|sum| *sum < below)
                .ok_or_else(|| Self::too_much(&reservation.article))?;
        }
        Ok(sums)
    }

    // rule: D-DOC-03
    /// The problem of an order that reserves more of an article than one order, or all together, may.
    pub(crate) fn too_much(article: &str) -> Problems {
        let most = i64::MAX / MILLIONTHS;
        let below = QUANTITY_BELOW;
        let message = sentence!("out_of_range.reserved", article, below, most);
        let mut problems = Problems::new();
        let path = Path::ROOT.member("Positionen");
        problems.add_limit(&path, Code::OutOfRange, QUANTITY_BELOW, message);
        problems
    }
}

// rule: R-RES-16
/// Available quantity of an entry after reservations, in whole units, rounded down.
pub fn available(entry: &StockEntry, reserved_millionths: i64) -> i32 {
    let reserved = Decimal::new(reserved_millionths, 6);
    let left = entry
        .quantity
        .checked_sub(reserved)
        .unwrap_or_default()
        .floor();
    left.to_i32().unwrap_or(if left.is_sign_negative() {
        i32::MIN
    } else {
        i32::MAX
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(place: &str, location: i32, quantity: &str, released: bool) -> StockEntry {
        StockEntry {
            place: Text::new(place).unwrap(),
            location,
            quantity: quantity.parse().unwrap(),
            unit: None,
            range: None,
            released,
        }
    }

    // rule: R-RES-16, R-STA-14
    #[test]
    fn the_first_released_place_of_a_location_carries_its_reservations() {
        let stock = ArticleStock {
            entries: vec![
                entry("X", 1, "5", false),
                entry("A", 1, "5", true),
                entry("B", 1, "5", true),
                entry("C", 2, "5", true),
            ],
        };
        let carries: Vec<_> = stock
            .released()
            .map(|(entry, carries)| (entry.place.as_str(), carries))
            .collect();
        assert_eq!(carries, [("A", true), ("B", false), ("C", true)]);
    }

    // rule: R-RES-16
    #[test]
    fn an_order_reserves_where_the_goods_are() {
        let carton = UnitCode::new("KARTON").unwrap();
        let in_cartons = |location, released| StockEntry {
            unit: Some(carton.clone()),
            ..entry("K", location, "5", released)
        };
        let stock = |entries: &[StockEntry]| ArticleStock {
            entries: entries.to_vec(),
        };
        let (base, elsewhere) = (entry("A", 1, "5", true), entry("B", 2, "5", true));
        let unit = Some(&carton);
        for (entries, in_unit, expected) in [
            (vec![], unit, (1, None)),
            (vec![base.clone(), elsewhere.clone()], None, (1, None)),
            (
                vec![entry("X", 1, "5", false), elsewhere.clone()],
                None,
                (2, None),
            ),
            (
                vec![in_cartons(1, true), elsewhere.clone()],
                unit,
                (1, unit),
            ),
            (vec![in_cartons(1, true), elsewhere], None, (2, None)),
            (vec![in_cartons(1, false), base.clone()], unit, (1, None)),
            (vec![base, in_cartons(2, true)], unit, (1, None)),
            (vec![in_cartons(2, true)], unit, (2, unit)),
        ] {
            let found = stock(&entries).reserved_at(1, in_unit);
            assert_eq!(found, expected, "{entries:?}");
        }
    }

    // rule: R-RES-16
    #[test]
    fn what_is_left_is_rounded_down_and_may_be_negative() {
        assert_eq!(available(&entry("A", 1, "5.5", true), 0), 5);
        assert_eq!(available(&entry("A", 1, "5", true), 7_500_000), -3);
        assert_eq!(
            available(&entry("A", 1, "79228162514264337593543950335", true), 0),
            i32::MAX
        );
    }
}
