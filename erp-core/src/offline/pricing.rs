//! Prices and totals of a basket.

use erp_derive::Record;
use rust_decimal::Decimal;
use serde::Serialize;

use super::Settings;
use super::known::{DAY, Known, LANGUAGE, number_of};
use crate::domain::document::{
    Draft, Manual, Priced, PricingState, check_delivery_costs, price_document,
};
use crate::domain::master::{Caller, Company, Role};
use crate::domain::request::{DocumentRequest, PositionRequest};
use crate::domain::response::{Position, TaxRecapEntry, positions, recap_entry};
use crate::domain::totals::PriceKind;
use crate::values::codes::Currency;
use crate::values::json::{AsJson, Json, Object};
use crate::values::number::Number;
use crate::values::problem::{Code, Problem, Problems};
use crate::values::text::Text;
use crate::wire::Reading;
use crate::wire::record::Entry;

/// The totals of a basket: the price-dependent fields of an order, with names and types as in the response of
/// `GET /www/auftrag/{AuftNr}`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct BasketTotals {
    /// Whether unit prices and line totals are net or gross.
    #[serde(rename = "Preisart")]
    pub kind: PriceKind,
    /// The amount the customer pays: `AuftBrutto`, rounded to the smallest coin if one is set.
    pub payable: Number,
    /// Currency, delivery costs and the three sums.
    #[serde(rename = "GrundDaten")]
    pub header: Sums,
    /// The positions by `VisPosNr`, then the cash rounding position.
    #[serde(rename = "Positionen")]
    pub positions: Vec<Position>,
    /// The recap. It contains tax codes only where [`Settings::tax_codes`] does.
    #[serde(rename = "MWSTRekapitulation")]
    pub tax_recap: Vec<TaxRecapEntry>,
}

/// The sums of a basket, with the fields they have in the header of an order.
#[derive(Clone, Debug, PartialEq, Record)]
#[record(Response = "Sums")]
pub struct Sums {
    /// Currency, ISO 4217.
    #[wire("WaehrAbk", required)]
    pub currency: Currency,
    /// Delivery costs.
    #[wire("AuftLiefKost", money, required)]
    pub delivery_costs: Decimal,
    /// Net amount.
    #[wire("AuftNetto", money, required)]
    pub net: Decimal,
    /// Tax amount.
    #[wire("AuftWUST", money, required)]
    pub tax: Decimal,
    /// Gross amount: net amount plus tax amount.
    #[wire("AuftBrutto", money, required)]
    pub gross: Decimal,
}

/// The price of one position, with the fields it has in an order.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Price {
    /// Whether the prices are net or gross.
    #[serde(rename = "Preisart")]
    pub kind: PriceKind,
    /// Currency, ISO 4217.
    #[serde(rename = "WaehrAbk")]
    pub currency: Currency,
    /// The position, as if it were the only one in an order.
    #[serde(flatten)]
    pub position: Position,
}

/// Computes the totals of an order or offer body from article responses.
///
/// `articles` is a list of entries of `GET /www/artikel`, or one of them. Responses for articles that are not in the
/// basket are ignored. Several responses for one article (from several price lists or currencies) are searched in
/// order; the first with a price for the unit in the currency is used.
///
/// ```
/// use erp_core::offline::{Settings, totals_of};
/// use serde_json::json;
///
/// let article = json!({
///     "ArtNr": "A-1", "WaehrAbk": "CHF", "WUSTSatz": 8.1, "HatVPE": "N",
///     "Preis": [{"AbAnzahl": 1, "PreisList": 12.35, "Preisart": "N"}]
/// });
/// let order = json!({"Positionen": [{"ArtNr": "A-1", "Menge": 3}]});
/// let totals = totals_of(&order, &json!([article]), &Settings::default());
/// assert!(totals.is_ok_and(|totals| totals.payable.to_string() == "40.05"));
/// ```
///
/// # Errors
/// Every problem of the body and of the required responses, and every position without a price; with the paths and
/// codes of the server.
pub fn totals_of(
    body: &impl AsJson,
    articles: &impl AsJson,
    settings: &Settings,
) -> Result<BasketTotals, Problems> {
    let (body, articles) = (&*body.as_json(), &*articles.as_json());
    let (basket, problems) = DocumentRequest::of_basket(body, Reading::default());
    let priced = BasketShop::new(&basket, articles, settings, &problems)
        .and_then(|shop| Ok((shop.priced(&basket.positions)?, shop)));
    let (priced, shop) = problems.and(priced)?;
    Ok(answer(&shop, &priced))
}

/// The price of one position: `Menge`, optionally `VPEinheit`, `GRabSatz`, `Preis`. Without `ArtNr`, the first article
/// is used.
///
/// # Errors
/// As [`totals_of`], with paths relative to the position.
pub fn price_of(
    position: &impl AsJson,
    articles: &impl AsJson,
    settings: &Settings,
) -> Result<Price, Problems> {
    let mut position = position.as_json().into_owned();
    let articles = &*articles.as_json();
    if let (Some(members), Some(number)) = (position.as_object_mut(), first_number(articles)) {
        let is_there = members.get("ArtNr").is_some_and(|number| !number.is_null());
        if !is_there {
            members.insert("ArtNr".to_owned(), Json::from(number));
        }
    }
    let mut body = Object::new();
    body.insert("Positionen".to_owned(), Json::Array(vec![position]));
    let totals = totals_of(&Json::Object(body), articles, settings).map_err(of_position)?;
    let position = totals.positions.into_iter().next().unwrap_or_default();
    Ok(Price {
        kind: totals.kind,
        currency: totals.header.currency,
        position: Position {
            position_number: None,
            visible_number: None,
            ..position
        },
    })
}

fn first_number(articles: &Json) -> Option<&str> {
    match articles {
        Json::Array(list) => list.first().and_then(number_of),
        one => number_of(one),
    }
}

/// Makes the paths of problems relative to the only position.
fn of_position(problems: Problems) -> Problems {
    let mut own = Problems::new();
    for problem in problems.into_vec() {
        let rest = problem.path.strip_prefix("Positionen[0]");
        let rest = rest.map(|rest| rest.trim_start_matches('.').to_owned());
        own.push(Problem {
            path: rest.unwrap_or(problem.path),
            ..problem
        });
    }
    own
}

struct BasketShop<'a> {
    known: Known,
    settings: &'a Settings,
    company: Company,
    currency: Currency,
    delivery_costs: Decimal,
    is_unpriced: bool,
}

impl<'a> BasketShop<'a> {
    /// `problems` are those of the body.
    fn new(
        basket: &DocumentRequest,
        articles: &Json,
        settings: &'a Settings,
        problems: &Problems,
    ) -> Result<Self, Problems> {
        let mut more = Problems::new();
        let wanted = basket.positions().map(|asked| asked.article.as_str());
        let mut known = Known::read(articles, &wanted.collect(), settings, &mut more);
        let header = &basket.header;
        // Costs count only in a whole body, and never in an offer.
        let costs = header.delivery_costs;
        let costs = costs.filter(|_| problems.is_empty() && !settings.offer);
        let set = settings.currency.as_deref();
        let currency = header.currency.or_else(|| Currency::parse(set?).ok());
        let currency = currency.or(known.currency).unwrap_or(Currency::CHF);
        let rate = settings.customer_tax_rate.or(settings.delivery_tax_rate);
        let delivery_tax_code = match rate {
            Some(Number(rate)) => known.code_of_rate(rate),
            None => known.some_code(),
        };
        let company = Company {
            currency,
            language: LANGUAGE,
            price_kind: settings.price_kind,
            delivery_tax_code,
            ..Company::default()
        };
        more.or_else_value(Some(Self {
            known,
            settings,
            company,
            currency,
            delivery_costs: costs.unwrap_or_default(),
            is_unpriced: header.currency.is_none() && problems.covers("GrundDaten.WaehrAbk"),
        }))
    }

    fn priced(&self, positions: &[Entry<PositionRequest>]) -> Result<Priced, Problems> {
        let taxes = self.known.taxes();
        let everyone = Caller::named(Text::default(), Role::Admin, None);
        let state = PricingState {
            company: &self.company,
            taxes: &taxes,
            customer: None,
            articles: &self.known.articles,
            caller: &everyone,
            currency: self.currency,
            day: DAY,
            delivery_costs: self.delivery_costs,
            cash_rounding_step: self.settings.coin(self.currency),
            is_unpriced: self.is_unpriced,
        };
        let manual = if self.settings.offer {
            Manual::Ignored
        } else {
            Manual::Allowed
        };
        let mut problems = Problems::new();
        check_delivery_costs(&state, &mut problems);
        let drafts = Draft::new_document(positions);
        let priced = price_document(&state, &drafts, manual);
        if let Ok(priced) = &priced {
            self.check_delivery_tax(priced, &mut problems);
        }
        problems.and(priced)
    }

    /// Delivery costs that no position can carry need their own tax rate.
    fn check_delivery_tax(&self, priced: &Priced, problems: &mut Problems) {
        let rate = self
            .settings
            .customer_tax_rate
            .or(self.settings.delivery_tax_rate);
        let mut totals = priced.positions.iter().map(|position| position.total);
        let sum = totals.try_fold(Decimal::ZERO, |sum, total| sum.checked_add(total));
        if rate.is_none() && !self.delivery_costs.is_zero() && sum == Some(Decimal::ZERO) {
            let message = sentence!("unknown_tax_code.no_position");
            problems.add("GrundDaten.AuftLiefKost", Code::UnknownTaxCode, message);
        }
    }
}

fn answer(shop: &BasketShop<'_>, priced: &Priced) -> BasketTotals {
    let payable = priced.sums.gross.checked_add(priced.sums.cash_rounding);
    let named = &shop.known.named_codes;
    let recap = priced.recap.iter().map(|entry| TaxRecapEntry {
        tax_class: None,
        tax_code: named.contains(&entry.code).then(|| entry.code.clone()),
        ..recap_entry(shop.currency, entry)
    });
    BasketTotals {
        kind: priced.kind,
        payable: Number(payable.unwrap_or(priced.sums.gross)),
        header: Sums {
            currency: shop.currency,
            delivery_costs: shop.delivery_costs,
            net: priced.sums.net,
            tax: priced.sums.tax,
            gross: priced.sums.gross,
        },
        positions: positions(&priced.positions, priced.sums.cash_rounding),
        tax_recap: recap.collect(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn article(number: &str, currency: &str, price: f64, kind: &str) -> Value {
        json!({
            "ArtNr": number, "ArtBez": "Prüfling", "WaehrAbk": currency, "WUSTSatz": 8.1,
            "Preis": [{"AbAnzahl": 1, "PreisList": price, "Preisart": kind}]
        })
    }

    fn settings(settings: &Value) -> Settings {
        Settings::parse(settings).unwrap()
    }

    fn unit_price(answers: &Value, with: &Value) -> Result<String, Code> {
        let price = price_of(&json!({"Menge": 2}), answers, &settings(with));
        price
            .map(|price| Number(price.position.unit_price).to_string())
            .map_err(|problems| problems.as_slice()[0].code)
    }

    #[test]
    fn the_first_answer_with_a_price_in_the_currency_counts() {
        let mut without = article("A", "CHF", 1.0, "N");
        without["Preis"] = Value::Null;
        let answers = json!([
            without,
            article("A", "CHF", 12.35, "N"),
            article("A", "CHF", 9.0, "N"),
            article("A", "EUR", 11.5, "N"),
        ]);
        assert_eq!(unit_price(&answers, &json!({})).unwrap(), "12.35");
        let in_euros = json!({"currency": "EUR"});
        assert_eq!(unit_price(&answers, &in_euros).unwrap(), "11.5");
        let in_dollars = json!({"currency": "USD"});
        assert_eq!(unit_price(&answers, &in_dollars), Err(Code::NoPrice));
    }

    #[test]
    fn answers_for_other_articles_are_not_looked_at() {
        let answers = json!([article("A", "CHF", 5.0, "N"), {"ArtNr": "B", "Preis": 7}, 3, null]);
        assert_eq!(unit_price(&answers, &json!({})).unwrap(), "5");
    }

    #[test]
    fn a_basket_of_both_kinds_is_net_as_an_order_is() {
        let answers = json!([
            article("A", "CHF", 5.0, "N"),
            article("B", "CHF", 10.81, "B")
        ]);
        let body = json!({"Positionen": [{"ArtNr": "A", "Menge": 1}, {"ArtNr": "B", "Menge": 1}]});
        let totals = totals_of(&body, &answers, &Settings::default()).unwrap();
        let sums = [totals.header.net, totals.header.tax, totals.header.gross];
        let sums = sums.map(|sum| Number(sum).to_string());
        assert_eq!(
            (totals.kind, sums),
            (PriceKind::Net, ["15", "1.22", "16.22"].map(Into::into))
        );
    }

    #[test]
    fn the_coin_rounds_what_is_paid() {
        let answers = article("A", "CHF", 10.01, "B");
        let body = json!({"Positionen": [{"ArtNr": "A", "Menge": 1}]});
        let totals = totals_of(&body, &answers, &settings(&json!({"cashRounding": 0.05}))).unwrap();
        assert_eq!(totals.payable.to_string(), "10");
        let last = totals.positions.last().unwrap();
        assert_eq!(
            (last.position_number, last.total),
            (Some(0), Decimal::new(-1, 2))
        );
    }

    #[test]
    fn problems_of_a_position_begin_at_it() {
        let answers = article("A", "CHF", 5.0, "N");
        let problems = price_of(&json!({"VPEinheit": "X"}), &answers, &Settings::default());
        let problems = problems.unwrap_err().into_vec();
        let paths: Vec<&str> = problems
            .iter()
            .map(|problem| problem.path.as_str())
            .collect();
        assert_eq!(paths, ["Menge", "VPEinheit"]);
        let problems = price_of(&json!(5), &answers, &Settings::default()).unwrap_err();
        assert_eq!(problems.as_slice()[0].path, "");
    }
}
