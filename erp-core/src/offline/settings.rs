//! Settings for pricing a basket.

use std::collections::BTreeMap;

use rust_decimal::Decimal;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use smol_str::SmolStr;

use crate::domain::totals::PriceKind;
use crate::values::codes::Currency;
use crate::values::json::{AsJson, Json};
use crate::values::number::{Number, fraction_digits};
use crate::values::problem::{Code, Path, Problems};
use crate::values::sentence::Sentence;

/// Data of the business system that article responses do not contain. All fields are optional.
///
/// ```
/// use erp_core::offline::Settings;
/// use serde_json::json;
///
/// let settings = Settings::parse(&json!({"cashRounding": 0.05, "customerTaxRate": 0}));
/// assert!(settings.is_ok_and(|settings| settings.customer_tax_rate.is_some()));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct Settings {
    /// The basket is an offer: prices in positions and delivery costs are ignored.
    pub offer: bool,
    /// The currency of a basket without one; otherwise that of the first article is used.
    pub currency: Option<SmolStr>,
    /// Net (`N`) or gross (`B`) if no price list has a price; default net.
    pub price_kind: PriceKind,
    /// Tax rate of the customer's own tax code in percent; replaces all other rates. `WUSTSatz` of the customer.
    pub customer_tax_rate: Option<Number>,
    /// Tax rate in percent for delivery costs that no position can carry.
    pub delivery_tax_rate: Option<Number>,
    /// The coin that the payable amount is rounded to, for example 0.05.
    pub cash_rounding: Option<Number>,
    /// Tax codes by `ArtNr`: the tax of each code is computed separately, even at the same rate.
    pub tax_codes: BTreeMap<SmolStr, SmolStr>,
    /// `PosPreisBasis` of articles by `ArtNr`, for what no entry of `Preis` says: sent prices without a list price, and
    /// `PosPreisEinzel` of packages.
    pub price_bases: BTreeMap<SmolStr, Number>,
    /// The language of problems as a tag like `de-CH`: German, French or Italian, otherwise English.
    pub language: Option<SmolStr>,
}

impl Settings {
    /// Parses settings; `null` means defaults.
    ///
    /// # Errors
    /// An unknown field or wrong type, a negative rate or basis, an invalid coin.
    pub fn parse(settings: &impl AsJson) -> Result<Self, Problems> {
        let settings = &*settings.as_json();
        let root = Path::ROOT.member("settings");
        let mut problems = Problems::new();
        refuse_objects(settings, &root, &mut problems);
        if !problems.is_empty() {
            return Err(problems);
        }
        let read: Self = options(settings, &root)?;
        read.check(&root, &mut problems);
        problems.or_else_value(Some(read))
    }

    fn check(&self, root: &Path<'_>, problems: &mut Problems) {
        let rates = [
            ("customerTaxRate", self.customer_tax_rate),
            ("deliveryTaxRate", self.delivery_tax_rate),
            ("priceBases", self.price_bases.values().min().copied()),
        ];
        for (name, number) in rates {
            if number.is_some_and(|number| number.0 < Decimal::ZERO) {
                let message = sentence!("out_of_range.lowest", lowest = 0);
                problems.add(&root.member(name), Code::OutOfRange, message);
            }
        }
        if self.cash_rounding.is_some_and(|coin| !is_coin(coin.0)) {
            let message = sentence!("out_of_range.coin");
            problems.add(&root.member("cashRounding"), Code::OutOfRange, message);
        }
        if let Some(currency) = &self.currency
            && Currency::parse(currency).is_err()
        {
            let message = sentence!("unknown_currency", text = currency);
            problems.add(&root.member("currency"), Code::UnknownCurrency, message);
        }
    }

    /// The coin, if the currency has amounts that small.
    pub(super) fn coin(&self, currency: Currency) -> Option<Decimal> {
        let coin = self.cash_rounding?.0;
        (fraction_digits(coin) <= currency.minor_digits()).then_some(coin)
    }
}

/// Options in an object; `null` means defaults.
pub(super) fn options<O: Default + DeserializeOwned>(
    given: &Json,
    path: &Path<'_>,
) -> Result<O, Problems> {
    let mut problems = Problems::new();
    let read = match given {
        Json::Null => Some(O::default()),
        Json::Object(_) => {
            let read = given.to_type();
            read.map_err(|message| problems.add(path, Code::Malformed, Sentence::Text(message)))
                .ok()
        }
        // serde would also accept a list for a struct.
        _ => {
            problems.add(path, Code::WrongType, sentence!("wrong_type.object"));
            None
        }
    };
    problems.or_else_value(read)
}

/// Rejects objects in place of numbers, with the path of each.
fn refuse_objects(settings: &Json, root: &Path<'_>, problems: &mut Problems) {
    let mut refuse = |path: &Path<'_>, number: Option<&Json>| {
        if number.is_some_and(Json::is_object) {
            let (wanted, found) = (sentence!("type.number"), sentence!("type.object"));
            let message = sentence!("wrong_type", wanted, found);
            problems.add(path, Code::WrongType, message);
        }
    };
    for name in ["customerTaxRate", "deliveryTaxRate", "cashRounding"] {
        refuse(&root.member(name), settings.get(name));
    }
    let bases = root.member("priceBases");
    let articles = settings.get("priceBases").and_then(Json::as_object);
    for (article, basis) in articles.into_iter().flatten() {
        refuse(&bases.member(article), Some(basis));
    }
}

fn is_coin(coin: Decimal) -> bool {
    coin > Decimal::ZERO && coin < Decimal::from(1_000) && fraction_digits(coin) <= 2
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn places(settings: &impl AsJson) -> Vec<(String, Code)> {
        let problems = Settings::parse(settings).unwrap_err().into_vec();
        let place = |problem: crate::values::problem::Problem| (problem.path, problem.code);
        problems.into_iter().map(place).collect()
    }

    #[test]
    fn everything_may_be_left_out() {
        assert_eq!(Settings::parse(&Value::Null), Ok(Settings::default()));
        assert_eq!(Settings::parse(&json!({})), Ok(Settings::default()));
        let all = json!({
            "offer": true, "currency": "EUR", "priceKind": "B", "customerTaxRate": 0,
            "deliveryTaxRate": 8.1, "cashRounding": 0.05, "taxCodes": {"A": "CH"},
            "priceBases": {"A": 100}
        });
        let read = Settings::parse(&all).unwrap();
        assert!(read.offer);
        assert_eq!(read.price_kind, PriceKind::Gross);
        assert_eq!(read.delivery_tax_rate.unwrap().to_string(), "8.1");
        assert_eq!(read.coin(Currency::CHF).unwrap().to_string(), "0.05");
        let yen = Currency::parse("JPY").unwrap();
        assert_eq!(read.coin(yen), None);
    }

    // rule: D-REQ-07
    #[test]
    fn what_makes_no_sense_is_refused() {
        let malformed = [("settings".to_owned(), Code::Malformed)];
        assert_eq!(places(&json!({"cashrounding": 0.05})), malformed);
        assert_eq!(places(&json!({"offer": 1})), malformed);
        let like_a_number = crate::values::json::read(
            r#"{"cashRounding": {"$serde_json::private::Number": "1"},
                "priceBases": {"A": {"$serde_json::private::Number": "1"}}}"#,
        );
        assert_eq!(
            places(&like_a_number.unwrap()),
            [
                ("settings.cashRounding".to_owned(), Code::WrongType),
                ("settings.priceBases.A".to_owned(), Code::WrongType),
            ]
        );
        let no_object = [("settings".to_owned(), Code::WrongType)];
        assert_eq!(places(&json!([])), no_object);
        let place = |name: &str, code| (format!("settings.{name}"), code);
        assert_eq!(
            places(&json!({
                "customerTaxRate": -1, "deliveryTaxRate": -0.1, "cashRounding": 0,
                "priceBases": {"A": -1, "B": 2}, "currency": "XXX"
            })),
            [
                place("customerTaxRate", Code::OutOfRange),
                place("deliveryTaxRate", Code::OutOfRange),
                place("priceBases", Code::OutOfRange),
                place("cashRounding", Code::OutOfRange),
                place("currency", Code::UnknownCurrency),
            ]
        );
        assert_eq!(
            places(&json!({"cashRounding": 0.001})),
            [place("cashRounding", Code::OutOfRange)]
        );
    }
}
