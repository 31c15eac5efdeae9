//! Which elements rules are judged at.

use super::rule::{Category, Condition};
use super::table::Tables;

/// Contexts in the order of the official artefact: the first that matches an element takes it.
pub(super) type Pattern = &'static [Context];

/// Which elements some rules are judged at.
pub(super) struct Context {
    pub(super) place: Place,
    /// What else must hold for the element; an error counts as no.
    pub(super) when: Option<Condition>,
    /// The VAT category, for rules that exist for each.
    pub(super) category: Option<&'static Category>,
    pub(super) rules: Tables,
}

impl Context {
    pub(super) const fn new(place: Place, rules: Tables) -> Self {
        Self {
            place,
            when: None,
            category: None,
            rules,
        }
    }

    pub(super) const fn when(self, when: Condition) -> Self {
        Self {
            when: Some(when),
            ..self
        }
    }

    pub(super) const fn of(self, category: &'static Category) -> Self {
        Self {
            category: Some(category),
            ..self
        }
    }
}

/// Where an element is. Names as in paths.
pub(super) enum Place {
    /// The path from the document element.
    Path(&'static [&'static str]),
    /// The end of the path, anywhere.
    Anywhere(&'static [&'static str]),
    /// One of these paths from the document element.
    Paths(&'static [&'static [&'static str]]),
    /// Any element of `ram` whose name ends like this.
    Suffix(&'static str),
    /// Any element of any namespace whose name ends like this.
    AnySuffix(&'static str),
}
