//! Terms and groups of an invoice.

use serde::{Serialize, Serializer};

/// Terms and groups of EN 16931 by their numbers: an invoice, or a group in it. JSON is its members in their order.
///
/// | name | value |
/// |---|---|
/// | a term (`BT-1`, `BT-30-1`) | a text: codes as codes, dates as `2026-01-31` where the invoice has a day of the calendar, numbers with the digits of the invoice |
/// | a group (`BG-4`, the seller) | its terms and groups |
/// | `BG-1`, `BG-3`, `BG-17`, `BG-20`, `BG-21`, `BG-23`, `BG-24`, `BG-25`, `BG-27`, `BG-28`, `BG-32` | a list of such groups, also of one |
/// | `BT-29`, `BT-46`, `BT-60`, `BT-71`, `BT-158` | a list too, of the term with its scheme (`BT-29-1`) and, of `BT-158`, version |
/// | `syntax`, of the invoice alone | `CII` or `UBL` |
///
/// Amounts are in the currency `BT-5`, `BT-111` in `BT-6`; one that names another is followed by it (`12.00 USD`), so that
/// nobody takes it for the wrong one. What the standard has once and the invoice several times are lines of one text.
///
/// Not here: what only EXTENDED of Factur-X or the extension of XRechnung know (lines inside lines, third party payments), and the
/// content of attached files (`BT-125`; their names and types are `BT-125-2` and `BT-125-1`).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TermGroup(Vec<(&'static str, TermValue)>);

/// What is said under the number of a term or group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum TermValue {
    /// Of a term.
    Text(String),
    /// Of a group.
    Group(TermGroup),
    /// Of a group or term that may be there several times.
    List(Vec<TermGroup>),
}

impl Serialize for TermGroup {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl TermGroup {
    /// All that it says, in the order of the model.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &TermValue)> {
        self.0.iter().map(|(name, value)| (*name, value))
    }

    fn get(&self, name: &str) -> Option<&TermValue> {
        self.iter()
            .find(|(own, _)| *own == name)
            .map(|(_, value)| value)
    }

    /// The text of a term.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.get(name)? {
            TermValue::Text(text) => Some(text),
            _ => None,
        }
    }

    /// A group that is there once.
    #[must_use]
    pub fn group(&self, name: &str) -> Option<&Self> {
        match self.get(name)? {
            TermValue::Group(group) => Some(group),
            _ => None,
        }
    }

    /// The entries of a list; none where there is no such list.
    #[must_use]
    pub fn list(&self, name: &str) -> &[Self] {
        match self.get(name) {
            Some(TermValue::List(list)) => list,
            _ => &[],
        }
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds what is said, if it is anything; what is there already is kept.
    pub(super) fn add(&mut self, name: &'static str, value: TermValue) {
        match (self.0.iter_mut().find(|(own, _)| *own == name), value) {
            (_, TermValue::Text(more)) if more.is_empty() => {}
            (_, TermValue::List(more)) if more.iter().all(Self::is_empty) => {}
            (None, value) => self.0.push((name, value)),
            (Some((_, TermValue::Text(text))), TermValue::Text(more)) if *text != more => {
                text.push('\n');
                text.push_str(&more);
            }
            (Some((_, TermValue::Group(group))), TermValue::Group(more)) => group.extend(more),
            (Some((_, TermValue::List(list))), TermValue::List(more)) => list.extend(more),
            _ => {}
        }
    }

    pub(super) fn extend(&mut self, more: Self) {
        more.0
            .into_iter()
            .for_each(|(name, value)| self.add(name, value));
    }

    /// A group inside, which is made where it is missing; of a list the last one.
    pub(super) fn inside(&mut self, name: &'static str, is_list: bool) -> Option<&mut Self> {
        if self.get(name).is_none() {
            let new = Self::default();
            let list = is_list.then(|| TermValue::List(vec![new.clone()]));
            self.0.push((name, list.unwrap_or(TermValue::Group(new))));
        }
        match self.0.iter_mut().find(|(own, _)| *own == name)? {
            (_, TermValue::Text(_)) => None,
            (_, TermValue::Group(group)) => Some(group),
            (_, TermValue::List(list)) => list.last_mut(),
        }
    }
}
