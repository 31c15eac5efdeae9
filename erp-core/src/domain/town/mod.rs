//! Checks a town against its postal code (`AdrCheck`).
//!
//! A [`Directory`] lists the towns of each postal code. [`Directory::check`] compares a typed town with it and returns
//! a [`TownOutcome`]. Only [`TownOutcome::Corrected`] changes the stored town, and it never replaces a town that exists
//! elsewhere: in that case the postal code may be wrong, and the outcome is [`TownOutcome::Conflict`].
//!
//! Postal codes 9485 to 9498 belong to Liechtenstein but are often sent with the country `CH`. They are looked up in
//! Liechtenstein, which [`TownMatch::country`] reports. The country of an address is never changed.

mod address;
mod aliases;
mod candidates;
mod csv_file;
mod directory;
mod distance;
mod format;
mod forms;
mod fuzzy;
mod index;
mod matcher;
mod normalise;
mod postal_code;

use std::cmp::Ordering;

use erp_derive::Word;
use serde::Serialize;
use smol_str::SmolStr;

use crate::values::codes::Country;

pub use csv_file::DirectoryError;
pub use directory::Directory;
pub(crate) use postal_code::without_prefix;

/// Result of a check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct TownMatch {
    /// The country that was searched: Liechtenstein for its postal codes sent with `CH`, otherwise the requested
    /// country.
    pub country: Country,
    /// The postal code without blanks and country prefix (`CH-8001` is `8001`).
    pub postal_code: SmolStr,
    /// Comparison of postal code and town.
    #[serde(flatten)]
    pub outcome: TownOutcome,
}

/// Result of comparing a postal code with a town.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum TownOutcome {
    /// The town is spelled as listed.
    Unchanged,
    /// The town is certain, but its listed spelling differs.
    Corrected {
        /// As typed.
        from: SmolStr,
        /// The listed spelling.
        to: SmolStr,
        /// The stage that recognised it.
        stage: Stage,
    },
    /// The typed town exists elsewhere: postal code or town is wrong.
    Conflict {
        /// Postal codes of the typed town; only the first ones if there are many.
        places: Vec<TownPlace>,
    },
    /// It is unclear which town of the postal code is meant, or whether any is.
    Ambiguous {
        /// Towns of the postal code that may be meant.
        candidates: Vec<SmolStr>,
    },
    /// The directory covers the country and does not list the postal code.
    UnknownPostalCode,
    /// The directory does not cover the country.
    NotCovered,
}

impl TownOutcome {
    /// The name of the outcome, as in the response header `X-Address-Check`.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Unchanged => "unchanged",
            Self::Corrected { .. } => "corrected",
            Self::Conflict { .. } => "conflict",
            Self::Ambiguous { .. } => "ambiguous",
            Self::UnknownPostalCode => "unknown_postal_code",
            Self::NotCovered => "not_covered",
        }
    }
}

/// The stage that recognised a corrected town, in the order of the attempts. A town that is spelled exactly as listed
/// needs no stage: it is [`TownOutcome::Unchanged`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Word)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Stage {
    /// Equal except for case, accents, `ae` for `ä`, hyphens, `Sankt` for `St.`, `bei` for `b.`, or a missing or
    /// additional canton or other addition.
    Normalised,
    /// One half of a bilingual name (`Biel` of `Biel/Bienne`).
    BilingualHalf,
    /// The name in another language (`Genf` for `Genève`).
    Alias,
    /// The political municipality, if exactly one of its towns has this postal code.
    Municipality,
    /// A few typing errors, and no other town of the postal code is nearly as close.
    EditDistance,
    /// The beginning of exactly one town of the postal code.
    UniquePrefix,
    /// The only town of the postal code, if at least half of the letters agree.
    SingleCandidate,
}

/// A town with one of its postal codes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct TownPlace {
    /// Its country.
    pub country: Country,
    /// The postal code.
    pub postal_code: SmolStr,
    /// The listed spelling of the town.
    pub town: SmolStr,
    /// Canton or other region; empty if the directory has none.
    pub region: SmolStr,
}

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
    fn place(&self) -> TownPlace {
        TownPlace {
            country: self.country,
            postal_code: self.postal_code.clone(),
            town: self.town.clone(),
            region: self.region.clone(),
        }
    }

    fn cmp_place(&self, other: &Self) -> Ordering {
        let place = (self.country, &self.postal_code, &self.town);
        place.cmp(&(other.country, &other.postal_code, &other.town))
    }
}
