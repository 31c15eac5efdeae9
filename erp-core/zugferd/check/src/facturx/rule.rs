//! What a business rule of the profiles is made of.

use super::document::Document;
use super::values::{Verdict, is_filled};
use crate::node::Node;

/// Rules that look at the same elements, as the macro `table!` writes them.
pub(super) struct Group {
    pub(super) place: Place,
    /// A line for each rule: its name in the standard and, with tabs between, the kind of its test and the path.
    pub(super) text: &'static str,
    /// The conditions of lines without a test, in their order.
    pub(super) conditions: &'static [Condition],
}

/// A rule, by the name that the standard gives it.
pub(super) struct Rule {
    pub(super) name: &'static str,
    pub(super) place: Place,
    pub(super) test: Test,
}

impl Group {
    pub(super) fn rules(&self) -> impl Iterator<Item = Rule> {
        let mut conditions = self.conditions.iter();
        let place = self.place;
        self.text.lines().filter_map(move |line| {
            let mut fields = line.split('\t');
            let name = fields.next()?;
            let test = match (fields.next(), fields.next()) {
                (Some(kind), Some(path)) => Test::of_path(kind, path)?,
                _ => Test::Holds(*conditions.next()?),
            };
            Some(Rule { name, place, test })
        })
    }
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
    fn of_path(kind: &str, path: &'static str) -> Option<Self> {
        Some(match kind {
            "Present" => Self::Present(path),
            "Filled" => Self::Filled(path),
            "Visible" => Self::Visible(path),
            "Decimals" => Self::Decimals(path),
            "AtMostOne" => Self::AtMostOne(path),
            _ => return None,
        })
    }

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

/// A table of rules: `place { "name" test; … }`.
macro_rules! table {
    (@ $place:expr, [$($text:tt)*] [$($conditions:tt)*]) => {
        $crate::facturx::rule::Group {
            place: $place,
            text: concat!($($text)*),
            conditions: &[$($conditions)*],
        }
    };
    (@ $place:expr, [$($text:tt)*] [$($conditions:tt)*] $name:literal Holds($condition:expr); $($rest:tt)*) => {
        $crate::facturx::rule::table!(@ $place, [$($text)* $name, "\n",] [$($conditions)* $condition,]
            $($rest)*)
    };
    (@ $place:expr, [$($text:tt)*] [$($conditions:tt)*] $name:literal $test:ident($path:literal); $($rest:tt)*) => {
        $crate::facturx::rule::table!(@ $place,
            [$($text)* $name, "\t", stringify!($test), "\t", $path, "\n",] [$($conditions)*] $($rest)*)
    };
    ($($place:ident $(($($argument:expr),+))? { $($rules:tt)* })*) => {
        &[$($crate::facturx::rule::table!(@ $place $(($($argument),+))?, [] [] $($rules)*)),*]
    };
}

pub(super) use table;
