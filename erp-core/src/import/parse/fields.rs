//! Fields of an import row: each returns the checked value, or `None` for a blank one and for one with a problem.

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;
use rust_decimal::Decimal;
use smol_str::SmolStr;

use super::Reader;
use crate::domain::master::{Attribute, Attributes};
use crate::domain::totals::PriceKind;
use crate::import::rows::TextRow;
use crate::values::codes::{Country, Currency, Language};
use crate::values::number::Number;
use crate::values::problem::Code;
use crate::values::text::Text;
use crate::wire;
use crate::wire::members::Range;

impl Reader<'_> {
    /// An optional text; blank counts as absent, trailing blanks are padding.
    pub(super) fn text<const MAX: usize>(
        &mut self,
        name: &str,
        value: Option<SmolStr>,
    ) -> Option<Text<MAX>> {
        self.members().padded(name, value.as_ref())
    }

    /// An optional name, address or foreign number, without invisible characters.
    pub(super) fn name<const MAX: usize>(
        &mut self,
        name: &str,
        value: Option<SmolStr>,
    ) -> Option<Text<MAX>> {
        let value = value.map(|value| SmolStr::new(value.trim_end_matches(' ')));
        self.members().name(name, value.as_ref())
    }

    /// An optional key, without invisible characters.
    pub(super) fn key<const MAX: usize>(
        &mut self,
        name: &str,
        value: Option<SmolStr>,
    ) -> Option<Text<MAX>> {
        self.members().key(name, value.as_ref())
    }

    pub(super) fn required_key<const MAX: usize>(
        &mut self,
        name: &str,
        value: Option<SmolStr>,
    ) -> Option<Text<MAX>> {
        let key = self.key(name, value);
        self.required(name, key)
    }

    pub(super) fn required_text<const MAX: usize>(
        &mut self,
        name: &str,
        value: Option<SmolStr>,
    ) -> Option<Text<MAX>> {
        let text = self.text(name, value);
        self.required(name, text)
    }

    pub(super) fn currency(&mut self, name: &str, value: Option<SmolStr>) -> Option<Currency> {
        self.members().currency(name, value.as_ref())
    }

    pub(super) fn language(&mut self, name: &str, value: Option<SmolStr>) -> Option<Language> {
        self.members().language(name, value.as_ref())
    }

    pub(super) fn required_currency(
        &mut self,
        name: &str,
        value: Option<SmolStr>,
    ) -> Option<Currency> {
        let currency = self.currency(name, value);
        self.required(name, currency)
    }

    pub(super) fn required_language(
        &mut self,
        name: &str,
        value: Option<SmolStr>,
    ) -> Option<Language> {
        let language = self.language(name, value);
        self.required(name, language)
    }

    pub(super) fn country(&mut self, name: &str, value: Option<SmolStr>) -> Option<Country> {
        self.members().country(name, value.as_ref())
    }

    pub(super) fn yes_or_no(&mut self, name: &str, value: Option<SmolStr>) -> Option<bool> {
        match value.as_deref().map(str::trim) {
            None | Some("" | "N") => Some(false),
            Some("J") => Some(true),
            Some(other) => {
                let message = format!("`{other}` is neither J nor N");
                self.refuse(name, Code::UnknownValue, message)
            }
        }
    }

    pub(super) fn price_kind(&mut self, name: &str, value: Option<SmolStr>) -> Option<PriceKind> {
        let value = value.filter(|value| !value.trim().is_empty())?;
        match PriceKind::parse(value.trim()) {
            Some(kind) => Some(kind),
            None => {
                let message = format!("`{value}` is neither N (net) nor B (gross)");
                self.refuse(name, Code::UnknownValue, message)
            }
        }
    }

    pub(super) fn number(
        &mut self,
        name: &str,
        value: Option<Number>,
        range: Range,
    ) -> Option<Decimal> {
        self.members().decimal(name, value, range)
    }

    pub(super) fn required_number(
        &mut self,
        name: &str,
        value: Option<Number>,
        range: Range,
    ) -> Option<Decimal> {
        let number = self.number(name, value, range);
        self.required(name, number)
    }

    pub(super) fn day(&mut self, name: &str, value: Option<SmolStr>) -> Option<Date> {
        let value = value.filter(|value| !value.trim().is_empty())?;
        match value.parse() {
            Ok(day) => Some(day),
            Err(_) => {
                let message = format!("`{value}` is no day `YYYY-MM-DD`");
                self.refuse(name, Code::Malformed, message)
            }
        }
    }

    pub(super) fn attributes(&mut self, list: Option<Vec<wire::Attribute>>) -> Attributes {
        let mut names = BTreeSet::new();
        let attributes = self.each("attributes", list, |reader, row| {
            let key = reader.required_key("PHKey", row.key);
            let contents = reader.text("Contents", row.contents).unwrap_or_default();
            let key = key?;
            if !names.insert(key.to_ascii_lowercase()) {
                let message = format!("the attribute `{key}` is given twice");
                return reader.refuse("PHKey", Code::Contradiction, message);
            }
            Some(Attribute { key, contents })
        });
        Attributes::new(attributes)
    }

    /// Texts per language, from a default text and a list of translations.
    pub(super) fn texts<const MAX: usize>(
        &mut self,
        name: &str,
        default: Option<SmolStr>,
        list: Option<Vec<TextRow>>,
        of: impl Fn(&TextRow) -> Option<SmolStr>,
    ) -> BTreeMap<Language, Text<MAX>> {
        let mut texts = BTreeMap::new();
        if let Some(text) = self.text(name, default) {
            texts.insert(self.language, text);
        }
        texts.extend(self.each("Texte", list, |reader, row| {
            let text = reader.required_text(name, of(&row));
            let language = reader.required_language("AdrSprache", row.language);
            Some((language?, text?))
        }));
        texts
    }
}
