//! The values of elements: texts, numbers and booleans as the official artefacts read them.

use std::borrow::Cow;
use std::cmp::Ordering;

use super::abort::Abort;
use super::decimal::{BLANKS, Decimal};
use super::node::Node;
use super::texts::Texts;
use super::{date, double};

impl<'a> Node<'a> {
    /// The only element at the path; more than one stop the official artefacts.
    pub(crate) fn only(self, path: &str) -> Result<Option<Self>, Abort> {
        let mut only = None;
        if self.find(path, &mut |node| only.replace(node).is_some()) {
            return Err(Abort::several(path));
        }
        Ok(only)
    }

    /// The text of the only element or attribute at the path, empty without one.
    pub(crate) fn only_text(self, path: &str) -> Result<Cow<'a, str>, Abort> {
        let attribute = path.rsplit_once('@').map(|(_, name)| name);
        Ok(match (self.only(path)?, attribute) {
            (None, _) => Cow::Borrowed(""),
            (Some(node), None) => node.text(),
            (Some(node), Some(name)) => Cow::Borrowed(node.attribute(name).unwrap_or_default()),
        })
    }

    /// The text of the only element at the path, its white space reduced as in [`normalize`].
    pub(crate) fn words(self, path: &str) -> Result<String, Abort> {
        Ok(normalize(&self.only_text(path)?))
    }

    /// Whether one of the elements at the path has more than white space.
    pub(crate) fn has_words(self, path: &str) -> bool {
        self.find(path, &mut |node| !is_blank(&node.text()))
    }

    /// Whether the only element or attribute at the path has more than white space.
    pub(crate) fn is_filled(self, path: &str) -> Result<bool, Abort> {
        Ok(!is_blank(&self.only_text(path)?))
    }

    /// The different texts of the elements at the path.
    pub(crate) fn texts(self, path: &str) -> Texts<'static> {
        let mut texts = Texts::default();
        for node in self.all(path) {
            texts.insert(node.text().into_owned().into());
        }
        texts
    }

    /// Whether the period has a date that it ends at and one before that, both in the format 102, or has not both a
    /// start and an end. CII compares the dates as texts.
    pub(crate) fn is_period_in_order(self) -> Result<bool, Abort> {
        if self.syntax().is_ubl {
            if !self.has("cbc:StartDate") || !self.has("cbc:EndDate") {
                return Ok(true);
            }
            let date = |path: &str| date::parse(&self.only_text(path)?);
            return Ok(date("cbc:EndDate")? >= date("cbc:StartDate")?);
        }
        let extreme = |path: &str, wanted: Ordering| {
            let mut known = None;
            for date in self.all(path) {
                if date.attribute("format") == Some("102") {
                    keep_extreme(&mut known, date.text(), wanted);
                }
            }
            known
        };
        let first = extreme("StartDateTime/udt:DateTimeString", Ordering::Less);
        let last = extreme("EndDateTime/udt:DateTimeString", Ordering::Greater);
        let is_in_order = first.is_some_and(|first| last.is_some_and(|last| last >= first));
        Ok(is_in_order || !self.has("StartDateTime") || !self.has("EndDateTime"))
    }

    /// The amount of a kind: the only one, or in CII the first.
    pub(crate) fn amount_node(self, path: &str) -> Result<Option<Self>, Abort> {
        if self.syntax().is_ubl {
            self.only(path)
        } else {
            Ok(self.first(path))
        }
    }

    /// The number of [`Node::amount_node`].
    pub(crate) fn amount(self, path: &str) -> Result<Option<Decimal>, Abort> {
        let node = self.amount_node(path)?;
        node.map(|node| Decimal::parse(&node.text())).transpose()
    }

    /// Whether a tax has this category. White space around the code counts in CII, and so may there be several.
    pub(crate) fn is_of_category(self, code: &str) -> Result<bool, Abort> {
        let path = self.syntax().category;
        if self.syntax().is_ubl {
            Ok(self.words(path)? == code)
        } else {
            Ok(self.has_text(path, code))
        }
    }

    /// The only number at the path.
    pub(crate) fn decimal(self, path: &str) -> Result<Option<Decimal>, Abort> {
        let node = self.only(path)?;
        node.map(|node| Decimal::parse(&node.text())).transpose()
    }

    pub(crate) fn double(self) -> Result<f64, Abort> {
        double::parse(&self.text())
    }

    /// Whether the number equals itself rounded to cents, as double.
    pub(crate) fn has_cents(self) -> Result<bool, Abort> {
        let value = self.double()?;
        Ok(value == double::round_hundredfold(value))
    }

    /// Whether an attribute has a text.
    pub(crate) fn has_value(self, name: &str) -> bool {
        self.attribute(name).is_some_and(|value| !value.is_empty())
    }

    /// Whether the currency of an amount is one of these.
    pub(crate) fn is_in_currency(self, currencies: &Texts<'_>) -> bool {
        let currency = self.attribute("currencyID");
        currency.is_some_and(|currency| currencies.contains(currency))
    }

    /// Whether one of the numbers at the path, taken as doubles, passes.
    pub(crate) fn any_double(
        self,
        path: &str,
        passes: impl Fn(f64) -> bool,
    ) -> Result<bool, Abort> {
        any(self.all(path), |node| node.double().map(&passes))
    }

    /// Whether one of the indicators of an allowance or charge is this boolean (`true`, `false`, `1` or `0`).
    pub(crate) fn indicates(self, charge: bool) -> Result<bool, Abort> {
        any(self.all(self.syntax().indicator), |node| {
            Ok(boolean(&node.text())? == charge)
        })
    }

    /// As [`Node::indicates`] for the only indicator, which must be there.
    pub(crate) fn must_indicate(self, charge: bool) -> Result<bool, Abort> {
        let path = self.syntax().indicator;
        let node = self.only(path)?.ok_or_else(|| Abort::missing(path))?;
        Ok(boolean(&node.text())? == charge)
    }

    /// The guideline (BT-24) of the document without white space around it.
    pub(crate) fn guideline(self) -> Option<String> {
        let text = self.root().first(self.syntax().guideline)?.text();
        (!is_blank(&text)).then(|| text.trim().to_owned())
    }

    /// Whether the type of a tax is VAT, in any case; more than one type stops the official artefacts.
    pub(crate) fn is_vat(self) -> Result<bool, Abort> {
        if !self.syntax().is_ubl {
            return Ok(self.only_text("TypeCode")?.eq_ignore_ascii_case("VAT"));
        }
        any(self.all("cac:TaxScheme"), |scheme| {
            Ok(scheme.words("cbc:ID")?.eq_ignore_ascii_case("VAT"))
        })
    }

    pub(crate) fn has_vat_category(self, taxes: &str) -> Result<bool, Abort> {
        any(self.all(taxes), |tax| {
            Ok(tax.is_vat()? && tax.has(tax.syntax().category))
        })
    }
}

/// Takes a text that is before (`Less`) or after (`Greater`) the one that is known.
pub(crate) fn keep_extreme(known: &mut Option<String>, text: Cow<'_, str>, wanted: Ordering) {
    let known_text = known.as_deref();
    if known_text.is_none_or(|known| (*text).cmp(known) == wanted) {
        *known = Some(text.into_owned());
    }
}

/// Whether something holds of one of the items; those after it are not looked at.
pub(crate) fn any<T>(
    items: impl IntoIterator<Item = T>,
    mut holds: impl FnMut(T) -> Result<bool, Abort>,
) -> Result<bool, Abort> {
    for item in items {
        if holds(item)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn boolean(text: &str) -> Result<bool, Abort> {
    match text.trim_matches(BLANKS) {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        _ => Err(Abort::not_a_boolean(text)),
    }
}

/// Whether there is only white space of XML.
pub(crate) fn is_blank(text: &str) -> bool {
    text.trim_matches(BLANKS).is_empty()
}

/// Whether the text is a date `YYYYMMDD`, with hour and minute when it has 12 digits. Month 01 to 12 and day 01 to 31;
/// whether the month has that day is not checked.
pub(crate) fn is_date(text: &str, digits: usize) -> bool {
    let text = text.trim_matches(BLANKS);
    let within = |start: usize, least: &str, most: &str| {
        let part = text.get(start..start + 2);
        part.is_some_and(|part| least <= part && part <= most)
    };
    text.len() == digits
        && text.bytes().all(|byte| byte.is_ascii_digit())
        && within(4, "01", "12")
        && within(6, "01", "31")
        && (digits == 8 || (within(8, "00", "23") && within(10, "00", "59")))
}

/// White space at the ends removed and inside reduced to one blank.
pub(crate) fn normalize(text: &str) -> String {
    let words = text.split(BLANKS).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}
