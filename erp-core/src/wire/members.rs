//! Checks the fields of a record that is read already and collects problems with their paths.

use rust_decimal::Decimal;
use smol_str::SmolStr;

use crate::values::number::Number;
use crate::values::problem::{Code, Path, Problems};
use crate::values::text::Text;
use crate::wire::Reading;
use crate::wire::scope::Scope;
use crate::wire::value::{note_text, within};

pub(crate) use crate::wire::rule::Range;

/// The fields of the object at one path of a body.
pub(crate) struct Members<'a, 'p> {
    path: &'a Path<'a>,
    problems: &'p mut Problems,
}

impl<'a, 'p> Members<'a, 'p> {
    pub(crate) const fn new(path: &'a Path<'a>, problems: &'p mut Problems) -> Self {
        Self { path, problems }
    }

    /// Reports a missing required field.
    pub(crate) fn required<T>(&mut self, name: &str, value: Option<T>) -> Option<T> {
        if value.is_none() {
            self.problems.missing(&self.path.member(name));
        }
        value
    }

    /// Reports that one of two fields is required, unless one is present but unreadable.
    pub(crate) fn one_of(&mut self, names: [&str; 2], given: bool) {
        let [first, second] = names;
        let unreadable = |name| self.problems.covers(&self.path.member(name));
        if !given && !unreadable(first) && !unreadable(second) {
            let message = format!("`{first}` or `{second}` is required");
            self.refuse(first, Code::Required, message);
        }
    }

    /// Reports a problem of a field.
    pub(crate) fn refuse(&mut self, name: &str, code: Code, message: impl Into<String>) {
        self.problems.add(&self.path.member(name), code, message);
    }

    /// Free text; blank counts as absent.
    pub(crate) fn text<const MAX: usize>(
        &mut self,
        name: &str,
        value: Option<&SmolStr>,
    ) -> Option<Text<MAX>> {
        self.checked_text(name, present(value)?)
    }

    /// A text from a column of fixed width: trailing blanks are padding.
    pub(crate) fn padded<const MAX: usize>(
        &mut self,
        name: &str,
        value: Option<&SmolStr>,
    ) -> Option<Text<MAX>> {
        self.checked_text(name, present(value)?.trim_end_matches(' '))
    }

    fn checked_text<const MAX: usize>(&mut self, name: &str, text: &str) -> Option<Text<MAX>> {
        match Text::new(text) {
            Ok(text) => Some(text),
            Err(error) => {
                note_text(error, &self.path.member(name), self.problems);
                None
            }
        }
    }

    /// A number within a range and with at most [`FRACTION_DIGITS`] fraction digits.
    pub(crate) fn decimal(
        &mut self,
        name: &str,
        value: Option<Number>,
        range: Range,
    ) -> Option<Decimal> {
        let path = self.path.member(name);
        let scope = &mut Scope::new(Reading::default(), &path, self.problems);
        value.and_then(|Number(value)| within(value, range, scope))
    }
}

/// A text with at least one non-white-space character.
pub(crate) fn present(value: Option<&SmolStr>) -> Option<&str> {
    value
        .map(SmolStr::as_str)
        .filter(|text| !text.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(value: &str, range: Range) -> Result<Decimal, (Code, Option<u64>)> {
        let mut problems = Problems::new();
        let number = Number(value.parse().unwrap());
        let read = Members::new(&Path::ROOT, &mut problems).decimal("Menge", Some(number), range);
        read.ok_or_else(|| (problems.as_slice()[0].code, problems.as_slice()[0].limit))
    }

    // rule: R-TOT-02
    #[test]
    fn numbers_stay_within_their_range() {
        for (value, range) in [
            ("0.000001", Range::QUANTITY),
            ("999999999.999999", Range::QUANTITY),
            ("1.5000000000", Range::QUANTITY),
            ("0", Range::CHANGED_QUANTITY),
            ("0", Range::AMOUNT),
            ("100.000", Range::PERCENT),
        ] {
            assert!(decimal(value, range).is_ok(), "{value} in {range}");
        }
        for (value, range, limit) in [
            ("0", Range::QUANTITY, 1_000_000_000),
            ("-1", Range::CHANGED_QUANTITY, 1_000_000_000),
            ("1000000000", Range::QUANTITY, 1_000_000_000),
            ("1000000000", Range::AMOUNT, 1_000_000_000),
            ("-0.01", Range::AMOUNT, 1_000_000_000),
            ("100.01", Range::PERCENT, 100),
        ] {
            assert_eq!(
                decimal(value, range),
                Err((Code::OutOfRange, Some(limit))),
                "{value}"
            );
        }
        assert_eq!(
            decimal("1.0000001", Range::AMOUNT),
            Err((Code::TooPrecise, Some(6)))
        );
    }
}
