//! Tax codes. Rates are dated master data and never fixed in code.

use std::collections::BTreeMap;

use erp_derive::{Record, Word, skip_serializing_none};
use jiff::civil::Date;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use crate::values::codes::Language;
use crate::values::json::Json;
use crate::values::problem::{Code, Problem, Problems};
use crate::values::sentence::Sentence;
use crate::values::text::{IntoText, Text};
use crate::wire::record::read_records;
use crate::wire::value::parsed;
use crate::wire::view::Row;
use crate::wire::write::List;
use crate::wire::{self, Field, Kind, Scope, Spelling, Value};

/// The business system's name of a tax code (`PosWUSTCode`).
pub type TaxCodeId = Text<12>;

/// The tax return that the form figures belong to (`PosWUSTKlasse`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Word)]
pub enum TaxClass {
    /// `D`: German.
    #[serde(rename = "D")]
    German,
    /// `C`: Swiss.
    #[serde(rename = "C")]
    Swiss,
    /// `X`: another one.
    #[serde(rename = "X")]
    Other,
}

/// The category of a tax code in e-invoices (UNTDID 5305, as EN 16931 uses it).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Word)]
pub enum TaxCategory {
    /// `S`: taxed at a rate above 0.
    #[serde(rename = "S")]
    Standard,
    /// `Z`: taxed at the rate 0.
    #[serde(rename = "Z")]
    ZeroRated,
    /// `E`: exempt.
    #[serde(rename = "E")]
    Exempt,
    /// `AE`: the buyer owes the tax (reverse charge).
    #[serde(rename = "AE")]
    ReverseCharge,
    /// `K`: delivery to a business in another country of the EU.
    #[serde(rename = "K")]
    IntraCommunity,
    /// `G`: export out of the EU.
    #[serde(rename = "G")]
    Export,
    /// `O`: not subject to tax.
    #[serde(rename = "O")]
    NotSubject,
}

impl TaxCategory {
    /// Whether an invoice must say why no tax is charged.
    pub const fn needs_reason(self) -> bool {
        !matches!(self, Self::Standard | Self::ZeroRated)
    }
}

parsed! {
    TaxClass: Kind::Char(1), Spelling::Words(&Self::WORDS),
        read_word(Self::parse, |word| none_of(word, &Self::WORDS));
    TaxCategory: Kind::Varchar(2), Spelling::Words(&Self::WORDS),
        read_word(Self::parse, |word| none_of(word, &Self::WORDS));
}

fn none_of(word: &str, known: &[&str]) -> Sentence {
    sentence!("unknown_value.none_of", word, known = known.join(", "))
}

/// A tax code with its rates (`Steuer`).
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Record)]
#[record(Row = "TaxCodeRow", bare(id, class))]
pub struct TaxCode {
    /// Tax code.
    #[wire("WUSTCode", key, required)]
    pub id: TaxCodeId,
    /// Layout of the tax return: D German, C Swiss, X other.
    #[wire("PosWUSTKlasse", required)]
    pub class: TaxClass,
    /// Designation per language.
    #[wire("Text", texts)]
    pub names: BTreeMap<Language, Text<80>>,
    /// Rates, each for its time.
    #[wire("Saetze", list)]
    pub rates: Vec<TaxRate>,
    /// Category in e-invoices: S taxed, Z rate 0, E exempt, AE reverse charge, K within the EU, G export, O not subject;
    /// default: S where the rate is above 0.
    #[wire("Kategorie")]
    pub category: Option<TaxCategory>,
    /// Why no tax is charged, per language.
    #[wire("BefreiungsGrund", default)]
    pub exemption_reasons: BTreeMap<Language, Text<255>>,
    /// Code of this reason (list VATEX), for example `VATEX-EU-IC`.
    #[wire("BefreiungsCode", key)]
    pub exemption_code: Option<Text<40>>,
}

/// A reason in one language (`BefreiungsGrund`).
#[derive(Clone, Record)]
#[record(Row = "ExemptionReasonRow")]
struct ExemptionReasonRow {
    /// Language, ISO 639-2/B.
    #[wire("AdrSprache", default = reader.language())]
    language: Language,
    /// The reason.
    #[wire("Text", required)]
    text: Text<255>,
}

impl Value for BTreeMap<Language, Text<255>> {
    const KIND: Kind = Kind::List(<ExemptionReasonRow as wire::Record<Row>>::SCHEMA);

    fn read_value(value: &Json, field: &Field, scope: &mut Scope<'_>) -> Option<Self> {
        let rows = read_records::<ExemptionReasonRow, Row>(value, field, scope)?;
        let reasons = rows
            .into_iter()
            .map(|row| (row.value.language, row.value.text));
        Some(reasons.collect())
    }

    fn to_wire(&self, _: &Field) -> Option<impl Serialize> {
        let row = |(language, text): (&Language, &Text<255>)| ExemptionReasonRow {
            language: *language,
            text: text.clone(),
        };
        List::<_, Row>::new(self.iter().map(row).collect::<Vec<_>>())
    }
}

/// A tax rate and its form figures for a period of days (`Saetze`).
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Record)]
#[record(Row = "TaxRateRow", bare(valid_from, rate))]
pub struct TaxRate {
    /// First day, `YYYY-MM-DD`.
    #[wire("GueltigAb", required)]
    pub valid_from: Date,
    /// Last day, `YYYY-MM-DD`; unlimited when absent.
    #[wire("GueltigBis")]
    pub valid_until: Option<Date>,
    /// Rate in percent.
    #[wire("WUSTSatz", percent, required)]
    pub rate: Decimal,
    /// Form figure of the turnover.
    #[wire("PosUSTUZiffer")]
    pub turnover_figure: Option<Text<12>>,
    /// Form figure of the sales tax.
    #[wire("PosUSTSZiffer")]
    pub sales_tax_figure: Option<Text<12>>,
    /// Form figure of the input tax.
    #[wire("PosVSTSZiffer")]
    pub input_tax_figure: Option<Text<12>>,
}

impl TaxCode {
    /// A tax code, still without a rate.
    pub fn new(id: impl IntoText<12>, class: TaxClass) -> Result<Self, Problems> {
        let mut problems = Problems::new();
        let code = Self::bare(problems.text("WUSTCode", id), class);
        problems.and(Ok(code))
    }

    /// Adds a rate in percent that applies from a day on.
    #[must_use]
    pub fn rate(mut self, valid_from: Date, rate: Decimal) -> Self {
        self.rates.push(TaxRate::bare(valid_from, rate));
        self
    }

    // rule: D-IMP-07
    /// Checks that every day has at most one rate; a rate without an end ends where the next one begins.
    /// Errors: the first rate that contradicts itself or another one; a code without rates.
    pub(crate) fn check_rates(&self) -> Result<(), Problem> {
        let refused = |member: &str, code, message: Sentence| {
            Err(Problem::new(member.to_owned(), code, message))
        };
        if self.rates.is_empty() {
            let message = sentence!("required.rate", code = self.id);
            return refused("Saetze", Code::Required, message);
        }
        let mut rates: Vec<_> = self.rates.iter().enumerate().collect();
        rates.sort_by_key(|(_, rate)| rate.valid_from);
        let mut next = rates.iter().skip(1);
        for (at, rate) in &rates {
            let (from, next) = (rate.valid_from, next.next());
            if let Some((other, _)) = next.filter(|(_, next)| next.valid_from == from) {
                let member = format!("Saetze[{other}].GueltigAb");
                let message = sentence!("contradiction.rates_begin", day = from);
                return refused(&member, Code::Contradiction, message);
            }
            let member = format!("Saetze[{at}].GueltigBis");
            let Some(until) = rate.valid_until else {
                continue;
            };
            if until < from {
                let message = sentence!("contradiction.rate_ends", from, until);
                return refused(&member, Code::Contradiction, message);
            }
            if let Some((_, next)) = next.filter(|(_, next)| next.valid_from <= until) {
                let next = next.valid_from;
                let message = sentence!("contradiction.rates_overlap", until, next);
                return refused(&member, Code::Contradiction, message);
            }
        }
        Ok(())
    }

    /// The rate on a day. If two periods contain the day, the later one applies.
    pub fn rate_on(&self, day: Date) -> Option<&TaxRate> {
        let valid = |rate: &&TaxRate| {
            rate.valid_from <= day && rate.valid_until.is_none_or(|last| day <= last)
        };
        self.rates
            .iter()
            .filter(valid)
            .max_by_key(|rate| rate.valid_from)
    }
}

/// All tax codes of a company.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaxTable {
    codes: BTreeMap<TaxCodeId, TaxCode>,
}

impl TaxTable {
    /// A table of codes.
    pub fn new(codes: impl IntoIterator<Item = TaxCode>) -> Self {
        Self {
            codes: codes
                .into_iter()
                .map(|code| (code.id.clone(), code))
                .collect(),
        }
    }

    /// A code by its name.
    pub fn get(&self, id: &TaxCodeId) -> Option<&TaxCode> {
        self.codes.get(id)
    }

    /// The rate of a code on a day.
    pub fn rate_on(&self, id: &TaxCodeId, day: Date) -> Option<&TaxRate> {
        self.codes.get(id)?.rate_on(day)
    }

    /// Whether every code has the same rate on both days.
    pub(crate) fn is_same_on(&self, day: Date, other: Date) -> bool {
        let rate = |code: &TaxCode, day| code.rate_on(day).map(|rate| rate.rate);
        let mut codes = self.iter();
        codes.all(|code| rate(code, day) == rate(code, other))
    }

    /// All codes.
    pub fn iter(&self) -> impl Iterator<Item = &TaxCode> {
        self.codes.values()
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    // rule: R-RES-13, D-PRI-17
    #[test]
    fn a_rate_counts_for_its_days() {
        let rate = |from: Date, until: Option<Date>, percent: &str| TaxRate {
            valid_from: from,
            valid_until: until,
            rate: percent.parse().unwrap(),
            turnover_figure: None,
            sales_tax_figure: None,
            input_tax_figure: None,
        };
        let code = TaxCode {
            id: Text::new("CH").unwrap(),
            class: TaxClass::Swiss,
            names: BTreeMap::new(),
            rates: vec![
                rate(date(2018, 1, 1), Some(date(2023, 12, 31)), "7.7"),
                rate(date(2024, 1, 1), None, "8.1"),
            ],
            category: None,
            exemption_reasons: BTreeMap::new(),
            exemption_code: None,
        };
        let on = |day| code.rate_on(day).map(|rate| rate.rate.to_string());
        assert_eq!(on(date(2023, 12, 31)).as_deref(), Some("7.7"));
        assert_eq!(on(date(2024, 1, 1)).as_deref(), Some("8.1"));
        assert_eq!(on(date(2017, 12, 31)), None);
    }
}
