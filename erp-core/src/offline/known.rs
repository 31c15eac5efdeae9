//! Converts article responses to the articles, prices and tax codes that pricing uses.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;
use jiff::civil::Date;
use rust_decimal::Decimal;

use super::Settings;
use crate::domain::document::ArticleState;
use crate::domain::master::{
    Article, ArticleNumber, ArticlePrices, Attributes, PackagingUnit, PriceTier, TaxClass, TaxCode,
    TaxCodeId, TaxRate, TaxTable, UnitCode,
};
use crate::domain::totals::PriceKind;
use crate::values::codes::{Currency, Language};
use crate::values::json::Json;
use crate::values::number::Number;
use crate::values::problem::{Code, Path, Problems};
use crate::values::text::Text;
use crate::wire;
use crate::wire::members::{Members, Range};
use crate::wire::record::read_record;
use crate::wire::view::Response;

/// The language that descriptions are stored under: a response has one language and does not say which.
pub(super) const LANGUAGE: Language = Language::GERMAN;

/// Start of validity of all rates: a response contains only the rate of its day.
pub(super) const DAY: Date = Date::MIN;

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
            _ => problems.add(&root, Code::WrongType, "expected a list of article answers"),
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
        let scope = &mut wire::Scope::new(wire::Reading::default(), path, problems);
        let Some(body) = read_record::<wire::Article, Response>(answer, scope) else {
            return;
        };
        let prices = prices(&body, path, problems);
        let article = self.article(&body, settings, path, problems);
        if let (Some((currency, prices)), Some(article)) = (prices, article)
            && problems.len() == before
        {
            self.currency = self.currency.or(Some(currency));
            let number = article.number.clone();
            let state = self.articles.entry(number).or_insert_with(|| ArticleState {
                article: Arc::new(article),
                prices: Vec::new(),
                stock: None,
            });
            state.prices.push(Some(Arc::new(prices)));
        }
    }

    fn article(
        &mut self,
        body: &wire::Article,
        settings: &Settings,
        path: &Path<'_>,
        problems: &mut Problems,
    ) -> Option<Article> {
        let tax_code = self.tax_code_of(body, settings, path, problems);
        let units = units(body, path, problems);
        let mut members = Members::new(path, problems);
        let number: Option<ArticleNumber> = members.key("ArtNr", body.article_number.as_ref());
        let number = members.required("ArtNr", number)?;
        let description = members.text("ArtBez", body.description.as_ref());
        let price_basis = settings.price_bases.get(number.as_str());
        Some(Article {
            stock_managed: false,
            status: 1,
            unit: None,
            colour: None,
            tax_code,
            group: None,
            class: None,
            procurement: None,
            processing: None,
            weight: None,
            price_basis: price_basis.map(|basis| basis.0),
            texts: description
                .map(|text| (LANGUAGE, text))
                .into_iter()
                .collect(),
            attributes: Attributes::default(),
            units,
            declarations: Vec::new(),
            changed_at: Timestamp::UNIX_EPOCH,
            number,
        })
    }

    fn tax_code_of(
        &mut self,
        body: &wire::Article,
        settings: &Settings,
        path: &Path<'_>,
        problems: &mut Problems,
    ) -> Option<TaxCodeId> {
        if let Some(Number(rate)) = settings.customer_tax_rate {
            return self.code_of_rate(rate);
        }
        let mut members = Members::new(path, problems);
        let rate = members.decimal("WUSTSatz", body.tax_rate, Range::PERCENT)?;
        let number = body.article_number.as_ref().map(|number| number.trim_end());
        let Some(name) = number.and_then(|number| settings.tax_codes.get(number)) else {
            return self.code_of_rate(rate);
        };
        let Ok(code) = Text::new(name) else {
            let codes = Path::ROOT.member("settings");
            let message = format!("`{name}` is too long for a tax code");
            problems.add(&codes.member("taxCodes"), Code::TooLong, message);
            return None;
        };
        self.named_codes.insert(code.clone());
        if *self.rates.entry(code.clone()).or_insert(rate) != rate {
            let message = format!("tax code `{code}` has another rate at another article");
            problems.add(&path.member("WUSTSatz"), Code::Contradiction, message);
        }
        Some(code)
    }

    /// The tax code that represents a rate.
    pub(super) fn code_of_rate(&mut self, rate: Decimal) -> Option<TaxCodeId> {
        let code: TaxCodeId = Text::new(&Number(rate).to_string()).ok()?;
        self.rates.entry(code.clone()).or_insert(rate);
        Some(code)
    }

    /// Any code of the articles.
    pub(super) fn some_code(&self) -> Option<TaxCodeId> {
        self.rates.keys().next().cloned()
    }

    /// The tax codes with their rates.
    pub(super) fn taxes(&self) -> TaxTable {
        TaxTable::new(self.rates.iter().map(|(id, rate)| TaxCode {
            id: id.clone(),
            class: TaxClass::Other,
            names: BTreeMap::new(),
            rates: vec![TaxRate {
                valid_from: DAY,
                valid_until: None,
                rate: *rate,
                turnover_figure: None,
                sales_tax_figure: None,
                input_tax_figure: None,
            }],
        }))
    }
}

/// The article number of a response.
pub(super) fn number_of(answer: &Json) -> Option<&str> {
    let number = answer.get("ArtNr").and_then(Json::as_str)?;
    Some(number.trim_end_matches(' '))
}

fn units(body: &wire::Article, path: &Path<'_>, problems: &mut Problems) -> Vec<PackagingUnit> {
    let list = path.member("Verpackungen");
    let bodies = body.packaging_units.as_deref().unwrap_or_default();
    let bodies = bodies.iter().enumerate();
    let units = bodies.filter_map(|(at, unit)| {
        let path = list.index(at);
        let mut members = Members::new(&path, problems);
        let code: Option<UnitCode> = members.key("VPEinheit", unit.unit.as_ref());
        let code = members.required("VPEinheit", code);
        let factor = members.required("Faktor", unit.factor);
        Some(PackagingUnit {
            code: code?,
            ean: None,
            names: BTreeMap::new(),
            weight_factor: None,
            weight: None,
            content_weight: None,
            factor: factor?.0,
        })
    });
    units.collect()
}

/// The tiers of the article and of its packaging units, as one price list.
fn prices(
    body: &wire::Article,
    path: &Path<'_>,
    problems: &mut Problems,
) -> Option<(Currency, ArticlePrices)> {
    let mut members = Members::new(path, problems);
    let currency = members.currency("WaehrAbk", body.currency.as_ref());
    let currency = members.required("WaehrAbk", currency)?;
    let mut list = ArticlePrices::default();
    let tiers = body.prices.as_deref().unwrap_or_default();
    add_tiers(&mut list, None, currency, tiers, path, problems);
    let units = path.member("Verpackungen");
    let bodies = body.packaging_units.as_deref().unwrap_or_default();
    for (at, unit) in bodies.iter().enumerate() {
        let code = unit.unit.as_deref().map(|code| code.trim_end_matches(' '));
        let Some(code) = code.and_then(|code| Text::new(code).ok()) else {
            continue;
        };
        let tiers = unit.prices.as_deref().unwrap_or_default();
        let path = units.index(at);
        add_tiers(&mut list, Some(&code), currency, tiers, &path, problems);
    }
    Some((currency, list))
}

fn add_tiers(
    list: &mut ArticlePrices,
    unit: Option<&UnitCode>,
    currency: Currency,
    tiers: &[wire::PriceTier],
    path: &Path<'_>,
    problems: &mut Problems,
) {
    let path = path.member("Preis");
    for (at, tier) in tiers.iter().enumerate() {
        let path = path.index(at);
        let Some((kind, tier)) = price_tier(tier, &path, problems) else {
            continue;
        };
        if let Err(error) = list.put(unit.cloned(), currency, kind, tier) {
            problems.add(&path, Code::Contradiction, error.to_string());
        }
    }
}

fn price_tier(
    tier: &wire::PriceTier,
    path: &Path<'_>,
    problems: &mut Problems,
) -> Option<(PriceKind, PriceTier)> {
    let mut members = Members::new(path, problems);
    let from = members.required("AbAnzahl", tier.from_quantity);
    let price = members.required("PreisList", tier.price);
    let letter = members.required("Preisart", tier.kind.as_deref());
    let kind = letter.and_then(PriceKind::parse);
    if let (Some(letter), None) = (letter, kind) {
        let message = format!("`{letter}` is neither `N` nor `B`");
        members.refuse("Preisart", Code::UnknownValue, message);
    }
    let tier = PriceTier {
        from: from?.0,
        until: tier.to_quantity.map(|until| until.0),
        price: price?.0,
        basis: None,
        range: None,
        changed_at: Timestamp::UNIX_EPOCH,
    };
    Some((kind?, tier))
}
