//! The values of elements: texts, numbers and booleans as the official artefacts read them.

use std::borrow::Cow;

use super::abort::Abort;
use super::decimal::{BLANKS, Decimal};
use super::double;
use super::node::Node;

impl<'a> Node<'a> {
    /// The only element at the path; more than one stop the official artefacts.
    pub(super) fn only(self, path: &str) -> Result<Option<Self>, Abort> {
        let nodes = self.all(path);
        match nodes.as_slice() {
            [] => Ok(None),
            [node] => Ok(Some(*node)),
            _ => Err(Abort::several(path)),
        }
    }

    /// The text of the only element or attribute at the path, empty without one.
    pub(super) fn only_text(self, path: &str) -> Result<Cow<'a, str>, Abort> {
        let attribute = path.rsplit_once('@').map(|(_, name)| name);
        Ok(match (self.only(path)?, attribute) {
            (None, _) => Cow::Borrowed(""),
            (Some(node), None) => node.text(),
            (Some(node), Some(name)) => Cow::Borrowed(node.attribute(name).unwrap_or_default()),
        })
    }

    /// Whether the only element or attribute at the path has more than white space.
    pub(super) fn is_filled(self, path: &str) -> Result<bool, Abort> {
        Ok(!is_blank(&self.only_text(path)?))
    }

    /// The first number at the path.
    pub(super) fn first_decimal(self, path: &str) -> Result<Option<Decimal>, Abort> {
        let node = self.first(path);
        node.map(|node| Decimal::parse(&node.text())).transpose()
    }

    /// The only number at the path.
    pub(super) fn decimal(self, path: &str) -> Result<Option<Decimal>, Abort> {
        let node = self.only(path)?;
        node.map(|node| Decimal::parse(&node.text())).transpose()
    }

    pub(super) fn double(self) -> Result<f64, Abort> {
        double::parse(&self.text())
    }

    /// Whether one of the numbers at the path, taken as doubles, passes.
    pub(super) fn any_double(
        self,
        path: &str,
        passes: impl Fn(f64) -> bool,
    ) -> Result<bool, Abort> {
        for node in self.all(path) {
            if passes(node.double()?) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether one of the indicators of an allowance or charge is this boolean (`true`, `false`, `1` or `0`).
    pub(super) fn indicates(self, charge: bool) -> Result<bool, Abort> {
        for node in self.all(INDICATOR) {
            if boolean(&node.text())? == charge {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// As [`Node::indicates`] for the only indicator, which must be there.
    pub(super) fn must_indicate(self, charge: bool) -> Result<bool, Abort> {
        let node = self.only(INDICATOR)?;
        let node = node.ok_or_else(|| Abort::missing(INDICATOR))?;
        Ok(boolean(&node.text())? == charge)
    }

    /// Whether the only tax type is VAT in any case; more than one stop the official artefacts.
    pub(super) fn is_vat(self) -> Result<bool, Abort> {
        Ok(self.only_text("TypeCode")?.eq_ignore_ascii_case("VAT"))
    }
}

/// The indicator of an allowance or charge.
const INDICATOR: &str = "ChargeIndicator/udt:Indicator";

fn boolean(text: &str) -> Result<bool, Abort> {
    match text.trim_matches(BLANKS) {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        _ => Err(Abort::not_a_boolean(text)),
    }
}

/// Whether there is only white space of XML.
pub(super) fn is_blank(text: &str) -> bool {
    text.trim_matches(BLANKS).is_empty()
}

/// White space at the ends removed and inside reduced to one blank.
pub(super) fn normalize(text: &str) -> String {
    let words = text.split(BLANKS).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}
