//! What is wrong with a request: every problem at once, each with its place on the wire.

use std::fmt;

use erp_derive::{Word, skip_serializing_none};
use serde::{Deserialize, Serialize};

use crate::values::limits::PROBLEMS_PER_BODY;
use crate::values::sentence::Sentence;
use crate::values::text::{IntoText, Text, TextError};

/// One thing that is wrong with a body, as listed in `info.problems` of an `invalid` response.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// Where, in wire names: `Positionen[2].ArtNr`; empty for the body itself.
    pub path: String,
    /// A stable word for programs, for example `too_long`.
    pub code: Code,
    /// A sentence for people, lower case, without a full stop.
    pub message: Sentence,
    /// The bound that was broken, when there is one.
    pub limit: Option<u64>,
}

impl fmt::Display for Problem {
    /// Path, message and code: `KundNr: customer 1 is unknown (unknown_customer)`.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let colon = if self.path.is_empty() { "" } else { ": " };
        let message = self.message.english();
        write!(out, "{}{colon}{message} ({})", self.path, self.code)
    }
}

impl Problem {
    /// A problem without a limit.
    pub fn new(path: impl Into<String>, code: Code, message: impl Into<Sentence>) -> Self {
        Self {
            path: path.into(),
            code,
            message: message.into(),
            limit: None,
        }
    }
}

/// The stable codes of problems. They only ever grow.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Word,
)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Code {
    /// A member that must be there is not.
    Required,
    /// The JSON type is another than the field's.
    WrongType,
    /// More characters than the field's length.
    TooLong,
    /// More entries than a list may hold.
    TooMany,
    /// A number outside its range.
    OutOfRange,
    /// More fraction digits than allowed.
    TooPrecise,
    /// Text that is not of the form the field asks for.
    Malformed,
    /// A control character in a text.
    ControlCharacter,
    /// A member no table lists, with `strict_bodies` only.
    UnknownMember,
    /// Not one of the values the field knows.
    UnknownValue,
    /// Not an ISO 3166 alpha-2 country.
    UnknownCountry,
    /// Not an ISO 4217 currency.
    UnknownCurrency,
    /// Not an ISO 639-2/B language.
    UnknownLanguage,
    /// Two members contradict each other.
    Contradiction,
    /// No such customer.
    UnknownCustomer,
    /// No such offer.
    UnknownOffer,
    /// No such article, or not one this user may see.
    UnknownArticle,
    /// The article has no such packaging unit, or not for shops.
    UnknownPackagingUnit,
    /// A document without positions where one needs at least one.
    PositionsMissing,
    /// No such position in the document.
    UnknownPosition,
    /// No such tax code.
    UnknownTaxCode,
    /// The article is inactive.
    NotSold,
    /// More than can be ordered of an article; the limit is what can be, in base units.
    OutOfStock,
    /// No price in this currency and quantity.
    NoPrice,
    /// The quantity is no whole multiple of the packaging unit.
    NotAWholePackage,
    /// No such file, or none stored under this hash.
    UnknownFile,
    /// A town and a postal code that do not belong together (setting `address_check = "strict"`).
    AddressCheck,
    /// Only the shop itself may set it, not the token of one customer.
    ShopOnly,
    /// An e-invoice that breaks a rule it must keep (`valid` in the setting `zugferd_require`).
    InvoiceRule,
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A place in a body, built on the stack while it is read and printed only when something is wrong.
#[derive(Clone, Copy, Debug)]
pub struct Path<'a> {
    parent: Option<&'a Path<'a>>,
    step: PathStep<'a>,
}

#[derive(Clone, Copy, Debug)]
enum PathStep<'a> {
    Root,
    Member(&'a str),
    Index(usize),
}

impl<'a> Path<'a> {
    /// The body itself.
    pub const ROOT: Path<'static> = Path {
        parent: None,
        step: PathStep::Root,
    };

    /// A member of the object at this place.
    pub const fn member(&'a self, name: &'a str) -> Path<'a> {
        Path {
            parent: Some(self),
            step: PathStep::Member(name),
        }
    }

    /// An entry of the list at this place.
    pub const fn index(&'a self, index: usize) -> Path<'a> {
        Path {
            parent: Some(self),
            step: PathStep::Index(index),
        }
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parent_is_root = match self.parent {
            None => return Ok(()),
            Some(parent) => {
                parent.fmt(f)?;
                matches!(parent.step, PathStep::Root)
            }
        };
        match self.step {
            PathStep::Root => Ok(()),
            PathStep::Member(name) if parent_is_root => f.write_str(name),
            PathStep::Member(name) => write!(f, ".{name}"),
            PathStep::Index(index) => write!(f, "[{index}]"),
        }
    }
}

// rule: D-REQ-10, D-REQ-18
/// Collects the problems of one request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Problems {
    list: Vec<Problem>,
    /// Problems beyond [`PROBLEMS_PER_BODY`], which are only counted.
    more: usize,
}

impl fmt::Display for Problems {
    /// Every problem on a line of its own, and how many were only counted.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, problem) in self.list.iter().enumerate() {
            let line_end = if at == 0 { "" } else { "\n" };
            write!(out, "{line_end}{problem}")?;
        }
        match self.more {
            0 => Ok(()),
            more => write!(out, "\nand {more} more"),
        }
    }
}

impl std::error::Error for Problems {}

impl Problems {
    /// Nothing wrong yet.
    pub const fn new() -> Self {
        Self {
            list: Vec::new(),
            more: 0,
        }
    }

    /// Notes a problem; beyond [`PROBLEMS_PER_BODY`] the rest is only counted.
    pub fn push(&mut self, problem: Problem) {
        if self.list.len() < PROBLEMS_PER_BODY {
            self.list.push(problem);
        } else {
            self.more += 1;
        }
    }

    /// Adds the problems of another step.
    pub fn append(&mut self, others: Self) {
        others.list.into_iter().for_each(|other| self.push(other));
        self.more += others.more;
    }

    /// Notes that a member is missing, unless it (or what holds it) is there but unreadable.
    pub fn missing(&mut self, path: &(impl fmt::Display + ?Sized)) {
        if !self.covers(path) {
            self.add(path, Code::Required, sentence!("required"));
        }
    }

    // rule: D-AUT-13
    /// Notes that a customer sent a member that only the shop itself may set.
    pub(crate) fn shop_only(&mut self, path: &Path<'_>) {
        self.add(path, Code::ShopOnly, sentence!("shop_only"));
    }

    /// Whether a place, or what holds it, has a problem.
    pub fn covers(&self, path: &(impl fmt::Display + ?Sized)) -> bool {
        let place = path.to_string();
        let mut known = self.list.iter();
        known.any(|problem| is_within(&place, &problem.path))
    }

    /// Whether a place, or something in it, has a problem other than an unknown member.
    pub fn are_in(&self, path: &Path<'_>) -> bool {
        if self.list.is_empty() {
            return false;
        }
        let place = path.to_string();
        let mut counting = self.list.iter();
        counting
            .any(|problem| problem.code != Code::UnknownMember && is_within(&problem.path, &place))
    }

    /// Notes a problem at a [`Path`], or at a place by its wire names.
    pub fn add(
        &mut self,
        path: &(impl fmt::Display + ?Sized),
        code: Code,
        message: impl Into<Sentence>,
    ) {
        self.push(Problem::new(path.to_string(), code, message));
    }

    /// Notes a broken bound at a path.
    pub fn add_limit(
        &mut self,
        path: &(impl fmt::Display + ?Sized),
        code: Code,
        limit: u64,
        message: impl Into<Sentence>,
    ) {
        let mut problem = Problem::new(path.to_string(), code, message);
        problem.limit = Some(limit);
        self.push(problem);
    }

    /// Notes why a text does not fit its field.
    pub(crate) fn refuse_text(&mut self, path: &(impl fmt::Display + ?Sized), error: TextError) {
        match error {
            TextError::TooLong { limit, .. } => {
                self.add_limit(path, Code::TooLong, limit as u64, error);
            }
            TextError::ControlCharacter(_) | TextError::InvisibleCharacter(_) => {
                self.add(path, Code::ControlCharacter, error);
            }
        }
    }

    /// The text that a program gives for a field; an empty one when it does not fit.
    pub(crate) fn text<const MAX: usize>(
        &mut self,
        path: &str,
        text: impl IntoText<MAX>,
    ) -> Text<MAX> {
        text.try_into().unwrap_or_else(|error| {
            self.refuse_text(path, error.into());
            Text::default()
        })
    }

    /// Keeps the problems that `keep` accepts.
    pub fn retain(&mut self, keep: impl FnMut(&Problem) -> bool) {
        self.list.retain(keep);
    }

    /// Adds the problems of another step, but for places that have one already.
    pub fn merge(&mut self, others: Self) {
        for other in others.list {
            if !self.list.iter().any(|known| known.path == other.path) {
                self.push(other);
            }
        }
        self.more += others.more;
    }

    /// What was decided when nothing is wrong, else the problems with those of the decision. What the decision says
    /// about a place that has a problem already is left out.
    pub fn and<T>(mut self, decided: Result<T, Self>) -> Result<T, Self> {
        match decided {
            decided if self.is_empty() => return decided,
            Ok(_) => {}
            Err(more) => self.merge(more),
        }
        Err(self)
    }

    /// Whether nothing is wrong.
    pub const fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// How many problems were noted, also those that are only counted.
    pub const fn len(&self) -> usize {
        self.list.len() + self.more
    }

    /// The problems in the order they were found, at most [`PROBLEMS_PER_BODY`].
    pub fn as_slice(&self) -> &[Problem] {
        &self.list
    }

    /// The problems as a list.
    pub fn into_vec(self) -> Vec<Problem> {
        self.list
    }

    /// `value` when nothing is wrong, else the problems.
    pub fn or_else_value<T>(self, value: Option<T>) -> Result<T, Self> {
        match value {
            Some(value) if self.list.is_empty() => Ok(value),
            _ => Err(self),
        }
    }
}

/// Whether a place is another one or in it.
fn is_within(inner: &str, outer: &str) -> bool {
    let rest = inner.strip_prefix(outer);
    rest.is_some_and(|rest| rest.is_empty() || outer.is_empty() || rest.starts_with(['.', '[']))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said() -> Sentence {
        sentence!("required")
    }

    #[test]
    fn a_path_reads_as_on_the_wire() {
        let positions = Path::ROOT.member("Positionen");
        let third = positions.index(2);
        assert_eq!(third.member("ArtNr").to_string(), "Positionen[2].ArtNr");
        assert_eq!(Path::ROOT.to_string(), "");
    }

    #[test]
    fn problems_read_as_lines() {
        let mut problems = Problems::new();
        let positions = Path::ROOT.member("Positionen");
        problems.missing(&positions.index(1).member("ArtNr"));
        problems.add(&Path::ROOT, Code::WrongType, sentence!("wrong_type.object"));
        let error: &dyn std::error::Error = &problems;
        assert_eq!(
            error.to_string(),
            "Positionen[1].ArtNr: this member is required (required)\nexpected an object (wrong_type)"
        );
    }

    #[test]
    fn an_unreadable_member_is_not_called_missing_too() {
        let mut problems = Problems::new();
        let positions = Path::ROOT.member("Positionen");
        problems.add(&positions.index(1), Code::WrongType, said());
        problems.missing(&positions.index(1).member("ArtNr"));
        problems.missing(&positions.index(10).member("ArtNr"));
        let paths: Vec<_> = problems
            .as_slice()
            .iter()
            .map(|p| p.path.as_str())
            .collect();
        assert_eq!(paths, ["Positionen[1]", "Positionen[10].ArtNr"]);
    }

    // rule: D-REQ-10
    #[test]
    fn a_decision_says_more_about_other_places_only() {
        let of = |places: &[(&str, Code)]| {
            let mut problems = Problems::new();
            for (place, code) in places {
                problems.add(&Path::ROOT.member(place), *code, said());
            }
            problems
        };
        let twice = [("A", Code::NoPrice), ("A", Code::UnknownTaxCode)];
        assert_eq!(Problems::new().and(Ok(1)), Ok(1));
        assert_eq!(Problems::new().and::<()>(Err(of(&twice))), Err(of(&twice)));
        let form = [("B", Code::WrongType)];
        assert_eq!(of(&form).and(Ok(1)), Err(of(&form)));
        let decided = of(&[("B", Code::UnknownArticle), ("A", Code::NoPrice)]);
        let both = [("B", Code::WrongType), ("A", Code::NoPrice)];
        assert_eq!(of(&form).and::<()>(Err(decided)), Err(of(&both)));
    }

    #[test]
    fn a_problem_covers_what_is_in_its_place() {
        let list = Path::ROOT.member("Positionen");
        let (entry, other) = (list.index(1), list.index(10));
        let (member, unknown) = (entry.member("Menge"), entry.member("Nope"));
        let mut problems = Problems::new();
        problems.add(&unknown, Code::UnknownMember, said());
        assert!(!problems.are_in(&entry));
        problems.add(&member, Code::WrongType, said());
        assert!(problems.are_in(&entry) && problems.are_in(&list) && problems.are_in(&member));
        assert!(problems.covers(&member) && !problems.covers(&entry) && !problems.are_in(&other));
        problems.add(&entry, Code::WrongType, said());
        assert!(problems.covers(&entry.member("ArtNr")) && !problems.covers(&other));
    }

    // rule: D-REQ-10, D-REQ-18
    #[test]
    fn problems_are_bounded_and_all_are_counted() {
        let noted = |count: usize| {
            let mut problems = Problems::new();
            for _ in 0..count {
                problems.add(&Path::ROOT, Code::Malformed, said());
            }
            problems
        };
        let mut problems = noted(2 * PROBLEMS_PER_BODY);
        problems.append(noted(2));
        problems.merge(noted(PROBLEMS_PER_BODY + 1));
        assert_eq!(problems.len(), 2 * PROBLEMS_PER_BODY + 3);
        assert_eq!(problems.into_vec().len(), PROBLEMS_PER_BODY);
    }

    // rule: R-ERR-02
    #[test]
    fn codes_are_snake_case_and_differ() {
        let mut seen = std::collections::BTreeSet::new();
        for code in Code::ALL {
            assert!(seen.insert(code.as_str()));
            assert!(
                code.as_str()
                    .chars()
                    .all(|c| c.is_ascii_lowercase() || c == '_')
            );
        }
    }
}
