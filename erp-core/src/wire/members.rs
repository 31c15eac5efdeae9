//! Checks the fields of a record that is read already and collects problems with their paths.

use rust_decimal::Decimal;
use smol_str::SmolStr;

use crate::values::problem::{Code, Path, Problems};
use crate::values::text::Text;
use crate::wire::scope::Scope;
use crate::wire::value::{note_text, within};
use crate::wire::{Reading, Rule};

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

    /// A number that a rule allows.
    pub(crate) fn decimal(
        &mut self,
        name: &str,
        value: Option<Decimal>,
        rule: Rule,
    ) -> Option<Decimal> {
        let path = self.path.member(name);
        let scope = &mut Scope::new(Reading::default(), &path, self.problems);
        within(value?, rule, scope)
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

    fn decimal(value: &str, rule: Rule) -> Result<Decimal, (Code, Option<u64>)> {
        let mut problems = Problems::new();
        let number = Some(value.parse().unwrap());
        let read = Members::new(&Path::ROOT, &mut problems).decimal("Menge", number, rule);
        read.ok_or_else(|| (problems.as_slice()[0].code, problems.as_slice()[0].limit))
    }

    // rule: R-TOT-02
    #[test]
    fn numbers_stay_within_their_range() {
        for (value, rule) in [
            ("0.000001", Rule::Quantity),
            ("999999999.999999", Rule::Quantity),
            ("1.5000000000", Rule::Quantity),
            ("0", Rule::ChangedQuantity),
            ("0", Rule::Amount),
            ("100.000", Rule::Percent),
        ] {
            assert!(decimal(value, rule).is_ok(), "{value} by {rule:?}");
        }
        for (value, rule, limit) in [
            ("0", Rule::Quantity, 1_000_000_000),
            ("-1", Rule::ChangedQuantity, 1_000_000_000),
            ("1000000000", Rule::Quantity, 1_000_000_000),
            ("1000000000", Rule::Amount, 1_000_000_000),
            ("-0.01", Rule::Amount, 1_000_000_000),
            ("100.01", Rule::Percent, 100),
        ] {
            assert_eq!(
                decimal(value, rule),
                Err((Code::OutOfRange, Some(limit))),
                "{value}"
            );
        }
        assert_eq!(
            decimal("1.0000001", Rule::Amount),
            Err((Code::TooPrecise, Some(6)))
        );
    }
}
