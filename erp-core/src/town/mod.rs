//! The check of a town against its postal code (`AdrCheck`).
//!
//! A [`Directory`] lists which towns belong to which postal code; [`Directory::check`] compares what a
//! customer typed with it and says so as an [`Outcome`]. Only [`Outcome::Corrected`] names another town
//! to store, and it never replaces a town that exists elsewhere: then the postal code may be the wrong
//! one, and the outcome is [`Outcome::Conflict`].
//!
//! Postal codes 9485 to 9498 belong to Liechtenstein. Many people send them with the country `CH`; they
//! are then looked up in Liechtenstein and [`Check::country`] says so. The country of an address is
//! never changed.
//!
//! ```
//! # #[cfg(feature = "towns-ch-li")] {
//! use erp_core::codes::Country;
//! use erp_core::town::{Directory, Outcome, Stage};
//!
//! let directory = Directory::switzerland_and_liechtenstein();
//! let check = directory.check(Country::CH, "CH-2502", "Biel");
//! assert_eq!(check.postal_code, "2502");
//! let Outcome::Corrected { to, stage, .. } = check.outcome else { panic!() };
//! assert_eq!((to.as_str(), stage), ("Biel/Bienne", Stage::BilingualHalf));
//! # }
//! ```

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

use serde::Serialize;
use smol_str::SmolStr;

use crate::codes::Country;

pub use csv_file::DirectoryError;
pub use directory::{Directory, Entry, Kind};

/// What a check found out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Check {
    /// The country whose list answered: Liechtenstein for its postal codes sent with `CH`, else the
    /// country asked for.
    pub country: Country,
    /// The postal code without blanks and country prefix (`CH-8001` is `8001`).
    pub postal_code: SmolStr,
    /// How postal code and town fit together.
    pub outcome: Outcome,
}

/// How a postal code and a town fit together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Outcome {
    /// The town is spelled as listed.
    Unchanged,
    /// The town is clear, its listed spelling is another.
    Corrected {
        /// As typed.
        from: SmolStr,
        /// The listed spelling.
        to: SmolStr,
        /// What made it clear.
        stage: Stage,
    },
    /// The typed town is a town elsewhere: postal code or town is wrong.
    Conflict {
        /// Where the typed town really is; a town with many codes is shown with the first ones.
        places: Vec<Place>,
    },
    /// It is not clear which town of the postal code is meant, or whether any is.
    Ambiguous {
        /// The towns of the postal code that may be meant.
        candidates: Vec<SmolStr>,
    },
    /// The directory covers the country and does not list the postal code.
    UnknownPostalCode,
    /// The directory does not cover the country.
    NotCovered,
}

impl Outcome {
    /// The name of the outcome, as in the answer header `X-Address-Check`.
    #[must_use]
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

/// What made the town of a correction clear, in the order in which it is tried. A town that is spelled
/// exactly as listed needs no stage: it is [`Outcome::Unchanged`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Stage {
    /// Equal but for case, accents, `ae` for `ä`, hyphens, `Sankt` for `St.`, `bei` for `b.`, or a
    /// canton or other addition that is missing or too much.
    Normalised,
    /// One half of a bilingual name (`Biel` of `Biel/Bienne`).
    BilingualHalf,
    /// The name in another language (`Genf` for `Genève`).
    Alias,
    /// The political municipality, which has exactly one town with this postal code.
    Municipality,
    /// A few typing errors, and no other town of the postal code is nearly as near.
    EditDistance,
    /// The beginning of exactly one town of the postal code.
    UniquePrefix,
    /// The only town of the postal code, and at least half of the letters agree.
    SingleCandidate,
}

impl Stage {
    /// The name of the stage, as in logs and answers.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Normalised => "normalised",
            Self::BilingualHalf => "bilingual_half",
            Self::Alias => "alias",
            Self::Municipality => "municipality",
            Self::EditDistance => "edit_distance",
            Self::UniquePrefix => "unique_prefix",
            Self::SingleCandidate => "single_candidate",
        }
    }
}

/// A town with one of its postal codes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    /// Its country.
    pub country: Country,
    /// The postal code.
    pub postal_code: SmolStr,
    /// The listed spelling of the town.
    pub town: SmolStr,
    /// Canton or other region; empty when the directory does not say.
    pub region: SmolStr,
}
