//! What a business rule of the profiles is made of.

use super::document::Document;
use super::values::{Verdict, is_filled};
use crate::check::node::Node;

/// A rule, by the name that the standard gives it.
pub(super) struct Rule {
    pub(super) name: &'static str,
    pub(super) place: Place,
    pub(super) test: Test,
}

/// Which elements a rule looks at.
#[derive(Clone, Copy)]
pub(super) enum Place {
    Root,
    /// A path from the root.
    Path(&'static str),
    /// Elements anywhere of which the names, with those around them, end so.
    Any(&'static str),
    /// Those of them that satisfy a condition.
    Some(&'static str, Condition),
    /// Every element.
    Everything,
}

/// A condition on an element.
pub(super) type Condition = fn(&Document<'_>, Node<'_>) -> Verdict;

/// What a rule asks of an element.
#[derive(Clone, Copy)]
pub(super) enum Test {
    /// An element at one of the paths.
    Present(&'static str),
    /// A text at the path, be it blank.
    Filled(&'static str),
    /// A text at the path that is not blank.
    Visible(&'static str),
    /// At most two characters after the point.
    Decimals(&'static str),
    /// At most one element at the path.
    AtMostOne(&'static str),
    Holds(Condition),
}

impl Test {
    pub(super) fn holds(self, document: &Document<'_>, element: Node<'_>) -> Verdict {
        match self {
            Self::Present(paths) => Ok(paths.split('|').any(|path| element.has(path))),
            Self::Filled(path) => Ok(is_filled(element, path)),
            Self::Visible(path) => element.is_filled(path),
            Self::Decimals(path) => two_decimals(element.only(path)?),
            Self::AtMostOne(path) => Ok(element.all(path).len() <= 1),
            Self::Holds(condition) => condition(document, element),
        }
    }
}

/// Whether the text of an amount has at most two characters after its point.
pub(super) fn two_decimals(amount: Option<Node<'_>>) -> Verdict {
    Ok(amount.is_none_or(|amount| {
        let text = amount.text();
        let fraction = text.split_once('.').map_or("", |(_, fraction)| fraction);
        fraction.chars().count() <= 2
    }))
}

/// A table of rules: `"name" place => test;`.
macro_rules! table {
    ($($name:literal $place:expr => $test:expr;)*) => {
        &[$($crate::check::facturx::rule::Rule { name: $name, place: $place, test: $test }),*]
    };
}

pub(super) use table;
