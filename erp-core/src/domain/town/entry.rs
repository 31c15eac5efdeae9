//! One name at one postal code.

use std::cmp::Ordering;

use smol_str::SmolStr;

use super::TownPlace;
use crate::values::codes::Country;

/// The role of a name at a postal code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TownKind {
    /// A town in the official list.
    Official,
    /// Post-office boxes, or a company with its own postal code (`Genève 11`, `Bern UBS`).
    PoBox,
    /// An old name, a hamlet or a part of a town.
    Other,
}

/// One name at one postal code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TownEntry {
    /// The country.
    pub country: Country,
    /// The postal code.
    pub postal_code: SmolStr,
    /// The correct spelling of the name.
    pub town: SmolStr,
    /// Canton or other region; may be empty. A two-letter region is accepted after the typed town.
    pub region: SmolStr,
    /// Role of the name.
    pub kind: TownKind,
    /// Municipalities whose area includes a part of the town at this code.
    pub municipalities: Vec<SmolStr>,
}

impl TownEntry {
    pub(super) fn place(&self) -> TownPlace {
        TownPlace {
            country: self.country,
            postal_code: self.postal_code.clone(),
            town: self.town.clone(),
            region: self.region.clone(),
        }
    }

    pub(super) fn cmp_place(&self, other: &Self) -> Ordering {
        let place = (self.country, &self.postal_code, &self.town);
        place.cmp(&(other.country, &other.postal_code, &other.town))
    }
}
