//! Converts article responses to the articles, prices and tax codes that pricing uses.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use erp_derive::Record;
use jiff::Timestamp;
use jiff::civil::Date;
use rust_decimal::Decimal;

use super::Settings;
use crate::domain::document::ArticleState;
use crate::domain::master::{
    Article, ArticleNumber, ArticlePrices, PackagingUnit, PriceTier, TaxClass, TaxCode, TaxCodeId,
    TaxTable, UnitCode,
};
use crate::domain::totals::PriceKind;
use crate::values::codes::{Currency, Language};
use crate::values::json::Json;
use crate::values::number::Number;
use crate::values::problem::{Code, Path, Problems};
use crate::values::text::Text;
use crate::wire::record::{Entry, read_record};
use crate::wire::view::Response;
use crate::wire::{Reading, Scope};

/// The language that descriptions are stored under: a response has one language and does not say which.
pub(super) const LANGUAGE: Language = Language::GERMAN;

/// Start of validity of all rates: a response contains only the rate of its day.
pub(super) const DAY: Date = Date::MIN;

/// What a calculation needs of an article response.
#[derive(Record)]
#[record(Response = "KnownArticle")]
struct KnownArticle {
    /// Article number.
    #[wire("ArtNr", key, required)]
    number: ArticleNumber,
    /// Description.
    #[wire("ArtBez")]
    description: Option<Text<255>>,
    /// Status; 0 is not sold.
    #[wire("ArtikelStatus")]
    status: Option<i32>,
    /// Tax rate in percent.
    #[wire("WUSTSatz", percent)]
    tax_rate: Option<Decimal>,
    /// Currency of the prices.
    #[wire("WaehrAbk", required)]
    currency: Currency,
    /// Price tiers of the base unit.
    #[wire("Preis", entries)]
    prices: Vec<Entry<KnownTier>>,
    /// Packaging units.
    #[wire("Verpackungen", entries)]
    units: Vec<Entry<KnownUnit>>,
}

/// What it needs of a packaging unit.
#[derive(Record)]
#[record(Response = "KnownUnit")]
struct KnownUnit {
    /// Packaging unit id code.
    #[wire("VPEinheit", key, required)]
    code: UnitCode,
    /// Quantity factor to the base unit.
    #[wire("Faktor", required)]
    factor: Decimal,
    /// Price tiers of the packaging unit.
    #[wire("Preis", entries)]
    prices: Vec<Entry<KnownTier>>,
}

/// What it needs of a price tier.
#[derive(Record)]
#[record(Response = "KnownTier")]
struct KnownTier {
    /// Validity from this quantity.
    #[wire("AbAnzahl", required)]
    from: Decimal,
    /// Validity up to this quantity.
    #[wire("BisAnzahl")]
    until: Option<Decimal>,
    /// List price.
    #[wire("PreisList", required)]
    price: Decimal,
    /// How many units the price is for; one when absent.
    #[wire("PosPreisBasis")]
    basis: Option<Decimal>,
    /// Price kind.
    #[wire("Preisart", required)]
    kind: PriceKind,
}

/// The articles of a basket, as known from responses.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// The articles; several responses for one article become its price lists, in order.
    pub(super) articles: BTreeMap<ArticleNumber, ArticleState>,
    /// The currency of the first response.
    pub(super) currency: Option<Currency>,
    /// Tax codes from [`Settings`]; all others are known only by their rate.
    pub(super) named_codes: BTreeSet<TaxCodeId>,
    rates: BTreeMap<TaxCodeId, Decimal>,
}

impl Known {
    /// Reads the responses (a list or a single one) for the requested articles.
    pub(super) fn read(
        answers: &Json,
        wanted: &BTreeSet<&str>,
        settings: &Settings,
        problems: &mut Problems,
    ) -> Self {
        let mut known = Self::default();
        let root = Path::ROOT.member("articles");
        let is_wanted = |answer: &Json| number_of(answer).is_some_and(|it| wanted.contains(it));
        match answers {
            Json::Array(answers) => {
                let answers = answers.iter().enumerate();
                for (at, answer) in answers.filter(|(_, answer)| is_wanted(answer)) {
                    known.add(answer, settings, &root.index(at), problems);
                }
            }
            Json::Object(_) if is_wanted(answers) => {
                known.add(answers, settings, &root, problems);
            }
            Json::Object(_) | Json::Null => {}
            _ => problems.add(&root, Code::WrongType, sentence!("wrong_type.articles")),
        }
        known
    }

    fn add(
        &mut self,
        answer: &Json,
        settings: &Settings,
        path: &Path<'_>,
        problems: &mut Problems,
    ) {
        let before = problems.len();
        let scope = &mut Scope::new(Reading::default(), path, problems);
        let Some(body) = read_record::<KnownArticle, Response>(answer, scope) else {
            return;
        };
        let prices = prices(&body, path, problems);
        let tax_code = self.tax_code_of(&body, settings, path, problems);
        if problems.len() > before {
            return;
        }
        self.currency = self.currency.or(Some(body.currency));
        let number = body.number.clone();
        let state = self.articles.entry(number);
        let state = state.or_insert_with(|| body.state(tax_code, settings));
        state.prices.push(Some(Arc::new(prices)));
    }

    fn tax_code_of(
        &mut self,
        body: &KnownArticle,
        settings: &Settings,
        path: &Path<'_>,
        problems: &mut Problems,
    ) -> Option<TaxCodeId> {
        if let Some(Number(rate)) = settings.customer_tax_rate {
            return self.code_of_rate(rate);
        }
        let rate = body.tax_rate?;
        let Some(name) = settings.tax_codes.get(body.number.as_str()) else {
            return self.code_of_rate(rate);
        };
        let Ok(code) = Text::new(name) else {
            let message = sentence!("too_long.tax_code", name);
            problems.add("settings.taxCodes", Code::TooLong, message);
            return None;
        };
        self.named_codes.insert(code.clone());
        if *self.rates.entry(code.clone()).or_insert(rate) != rate {
            let message = sentence!("contradiction.rate", code);
            problems.add(&path.member("WUSTSatz"), Code::Contradiction, message);
        }
        Some(code)
    }

    pub(super) fn code_of_rate(&mut self, rate: Decimal) -> Option<TaxCodeId> {
        let code: TaxCodeId = Text::new(&Number(rate).to_string()).ok()?;
        self.rates.entry(code.clone()).or_insert(rate);
        Some(code)
    }

    /// Any code of the articles.
    pub(super) fn some_code(&self) -> Option<TaxCodeId> {
        self.rates.keys().next().cloned()
    }

    pub(super) fn taxes(&self) -> TaxTable {
        let codes = self.rates.iter();
        TaxTable::new(
            codes.map(|(id, rate)| TaxCode::bare(id.clone(), TaxClass::Other).rate(DAY, *rate)),
        )
    }
}

pub(super) fn number_of(answer: &Json) -> Option<&str> {
    let number = answer.get("ArtNr").and_then(Json::as_str)?;
    Some(number.trim_end_matches(' '))
}

impl KnownArticle {
    /// The article, without a price.
    fn state(self, tax_code: Option<TaxCodeId>, settings: &Settings) -> ArticleState {
        let price_basis = settings.price_bases.get(self.number.as_str());
        let texts = self.description.map(|text| (LANGUAGE, text));
        let units = self.units.into_iter().map(|unit| PackagingUnit {
            code: unit.value.code,
            factor: unit.value.factor,
            ..PackagingUnit::default()
        });
        let article = Article {
            status: self.status.unwrap_or(1),
            tax_code,
            price_basis: price_basis.map(|basis| basis.0),
            texts: texts.into_iter().collect(),
            units: units.collect(),
            number: self.number,
            ..Article::default()
        };
        ArticleState {
            article: Arc::new(article),
            prices: Vec::new(),
            stock: None,
        }
    }
}

/// The tiers of the article and of its packaging units, as one price list.
fn prices(body: &KnownArticle, path: &Path<'_>, problems: &mut Problems) -> ArticlePrices {
    let mut list = ArticlePrices::default();
    let mut add = |unit: Option<&UnitCode>, tiers: &[Entry<KnownTier>], path: &Path<'_>| {
        let path = path.member("Preis");
        for Entry { at, value, .. } in tiers {
            let put = list.put(unit.cloned(), body.currency, value.kind, value.as_price());
            if let Err(error) = put {
                problems.add(&path.index(*at), Code::Contradiction, error);
            }
        }
    };
    add(None, &body.prices, path);
    let units = path.member("Verpackungen");
    for Entry { at, value, .. } in &body.units {
        add(Some(&value.code), &value.prices, &units.index(*at));
    }
    list
}

impl KnownTier {
    fn as_price(&self) -> PriceTier {
        PriceTier {
            from: self.from,
            until: self.until,
            price: self.price,
            basis: Some(self.basis.unwrap_or(Decimal::ONE)),
            range: None,
            changed_at: Timestamp::UNIX_EPOCH,
        }
    }
}
