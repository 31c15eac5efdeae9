//! Prices positions and computes totals and tax recap.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::civil::Date;
use rust_decimal::Decimal;

use super::{Document, FoundPrice, Package, Position, TaxRecap, in_output_order};
use crate::domain::master::{
    Article, ArticleNumber, ArticlePrices, ArticleStock, Caller, Company, Customer, PackagingUnit,
    TaxClass, TaxCodeId, TaxTable, first_hit,
};
use crate::domain::request::PositionRequest;
use crate::domain::totals::{self, Line, PriceKind, Sums, Totals, TotalsInput};
use crate::values::codes::{Currency, Language};
use crate::values::problem::{Code, Path, Problems};
use crate::values::text::Text;
use crate::wire::record::Entry;
use crate::wire::{Reading, Scope};

/// An article with the data its price depends on.
#[derive(Clone, Debug)]
pub(crate) struct ArticleState {
    pub(crate) article: Arc<Article>,
    /// Its prices, one entry per list of the price list chain.
    pub(crate) prices: Vec<Option<Arc<ArticlePrices>>>,
    pub(crate) stock: Option<Arc<ArticleStock>>,
}

/// All input of pricing. It is loaded before, so that pricing is a pure function.
#[derive(Clone, Debug)]
pub(crate) struct PricingState<'a> {
    pub(crate) company: &'a Company,
    pub(crate) taxes: &'a TaxTable,
    /// The customer; a template offer has none.
    pub(crate) customer: Option<&'a Customer>,
    /// The known articles of the positions; unknown ones are absent.
    pub(crate) articles: &'a BTreeMap<ArticleNumber, ArticleState>,
    pub(crate) caller: &'a Caller,
    pub(crate) currency: Currency,
    /// The day that determines tax rates.
    pub(crate) day: Date,
    /// Delivery costs, net or gross like the document.
    pub(crate) delivery_costs: Decimal,
    /// Smallest coin for cash rounding, if any.
    pub(crate) cash_rounding_step: Option<Decimal>,
    /// Whether customer, currency or day is unknown because of another problem, so that prices and tax rates cannot be
    /// looked up.
    pub(crate) is_unpriced: bool,
}

// rule: R-TOT-05, R-END-45
/// Whether the client may set prices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manual {
    /// Orders: a price in the request is used.
    Allowed,
    /// Offers: prices always come from the price lists.
    Ignored,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Priced {
    pub(crate) kind: PriceKind,
    /// Positions, numbered from 1.
    pub(crate) positions: Vec<Position>,
    pub(crate) recap: Vec<TaxRecap>,
    pub(crate) sums: Sums,
}

/// Tax code and its rate on the day; sorted so that higher rates come first in the recap.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct TaxKey {
    rate: Reverse<Decimal>,
    code: TaxCodeId,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Draft {
    New {
        number: i32,
        request: Entry<PositionRequest>,
        /// What the document already has of it.
        before: Before,
    },
    /// An existing position whose price does not change.
    Kept(Position),
}

/// What a document has of a position that changes; nothing of a new one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Before {
    pub(crate) quantity: Decimal,
    /// How much of it the shop has promised.
    pub(crate) promised: Decimal,
}

impl Draft {
    /// The positions of a new document, numbered from 1.
    #[must_use]
    pub(crate) fn new_document(requests: &[Entry<PositionRequest>]) -> Vec<Self> {
        let numbered = requests.iter().cloned().zip(1_i32..);
        numbered
            .map(|(request, number)| Self::New {
                number,
                request,
                before: Before::default(),
            })
            .collect()
    }
}

/// Prices the positions of a document.
///
/// # Errors
/// Every position that cannot be ordered or priced, with its wire path. What may only follow from another problem of the
/// body is left out, so the list may be empty.
pub(crate) fn price_document(
    state: &PricingState<'_>,
    drafts: &[Draft],
    manual: Manual,
) -> Result<Priced, Problems> {
    let mut problems = Problems::new();
    let list = Path::ROOT.member("Positionen");
    let found: Vec<Option<Position>> = drafts
        .iter()
        .map(|draft| match draft {
            Draft::New {
                number,
                request,
                before,
            } => {
                let (path, mut own) = (list.index(request.at), Problems::new());
                let scope = &mut Scope::new(Reading::default(), &path, &mut own);
                let found = find(state, (*number, *before), &request.value, manual, scope);
                own.retain(|problem| match problem.code {
                    Code::UnknownArticle | Code::UnknownPackagingUnit | Code::NotSold => true,
                    Code::NotAWholePackage => request.is_complete,
                    _ => request.is_complete && !state.is_unpriced,
                });
                problems.append(own);
                found
            }
            Draft::Kept(position) => Some(position.clone()),
        })
        .collect();
    if state.is_unpriced {
        return Err(problems);
    }
    let delivery_tax = delivery_tax(state, &mut problems);
    let found: Option<Vec<Position>> = found.into_iter().collect();
    let found = problems.clone().or_else_value(found)?;
    let hits = found.iter().filter_map(|found| found.price.kind);
    let kind = PriceKind::of_document(hits, state.company.price_kind);
    priced(state, found, kind, delivery_tax).ok_or_else(|| {
        problems.add(&list, Code::OutOfRange, sentence!("out_of_range.document"));
        problems
    })
}

/// Totals, recap and finished positions; `None` when an amount is too large.
fn priced(
    state: &PricingState<'_>,
    found: Vec<Position>,
    kind: PriceKind,
    delivery_tax: Option<TaxKey>,
) -> Option<Priced> {
    let found: Vec<Position> = found
        .into_iter()
        .map(|position| position.shown_in(kind))
        .collect::<Option<_>>()?;
    let totals = sum_up(state, &found, kind, delivery_tax)?;
    let lines = found.into_iter().zip(&totals.lines);
    Some(Priced {
        kind,
        positions: lines
            .map(|(position, line)| Position {
                total: line.total,
                net: line.net,
                tax: line.tax,
                ..position
            })
            .collect(),
        recap: recap(state, &totals),
        sums: totals.sums,
    })
}

/// A position with article, unit and price, still without what follows from the other positions.
fn find(
    state: &PricingState<'_>,
    (number, before): (i32, Before),
    request: &PositionRequest,
    manual: Manual,
    scope: &mut Scope<'_>,
) -> Option<Position> {
    let known = find_article(state, &request.article, scope)?;
    let article = known.article.as_ref();
    if request.quantity > before.quantity {
        check_sold(article, scope);
    }
    let unit = match &request.unit {
        None => None,
        Some(code) => {
            let unknown = Code::UnknownPackagingUnit;
            Some(find_unit(article, code, unknown, scope)?)
        }
    };
    let count = count(request, unit, scope)?;
    let tax = tax_key(state, article, scope);
    let price = price(state, known, unit, count, (request, manual), scope)?;
    let tax = tax?;
    Some(Position {
        number,
        visible_number: request
            .visible_number
            .unwrap_or_else(|| number.saturating_mul(10)),
        article: article.number.clone(),
        description: request
            .description
            .clone()
            .or_else(|| default_description(state, article)),
        quantity: request.quantity,
        price,
        price_basis: article.price_basis_of(None, None),
        unit_price: Decimal::ZERO,
        discount_rate: request.discount_rate.unwrap_or_default(),
        total: Decimal::ZERO,
        net: Decimal::ZERO,
        tax: Decimal::ZERO,
        tax_code: tax.code.clone(),
        tax_rate: tax.rate.0,
        package: unit.map(|unit| Package {
            unit: unit.code.clone(),
            quantity: count,
            price: Decimal::ZERO,
        }),
        article_text: request.description.is_none(),
        promised: (state.caller.customer.is_some() && request.quantity > before.promised)
            .then_some(before.promised),
    })
}

// rule: D-SEL-11
/// Checks that the caller may order every position of an offer today: article and packaging unit must be visible.
/// Quantities and prices stay those of the offer. Problem paths use the index of the position as the offer shows
/// it.
pub(super) fn check_orderable(
    state: &PricingState<'_>,
    document: &Document,
) -> Result<(), Problems> {
    let mut problems = Problems::new();
    let list = Path::ROOT.member("Positionen");
    if document.positions.is_empty() {
        let message = sentence!("positions_missing");
        problems.add(&list, Code::PositionsMissing, message);
    }
    for (at, position) in in_output_order(&document.positions).into_iter().enumerate() {
        let path = list.index(at);
        let scope = &mut Scope::new(Reading::default(), &path, &mut problems);
        let Some(known) = find_article(state, &position.article, scope) else {
            continue;
        };
        check_sold(&known.article, scope);
        if let Some(package) = &position.package {
            // The body of a conversion contains no unit, so the whole position is reported as unknown.
            let unknown = Code::UnknownArticle;
            find_unit(&known.article, &package.unit, unknown, scope);
        }
    }
    problems.or_else_value(Some(()))
}

// rule: R-ART-02
/// An article that the caller may see.
fn find_article<'a>(
    state: &PricingState<'a>,
    number: &ArticleNumber,
    scope: &mut Scope<'_>,
) -> Option<&'a ArticleState> {
    let known = state.articles.get(number);
    let known = known.filter(|known| state.caller.sees(&known.article.attributes));
    known.or_else(|| {
        let message = sentence!("unknown_article", number);
        scope.refuse_member("ArtNr", Code::UnknownArticle, message)
    })
}

fn check_sold(article: &Article, scope: &mut Scope<'_>) {
    if !article.is_sold() {
        let message = sentence!("not_sold", article = article.number);
        let _: Option<()> = scope.refuse_member("ArtNr", Code::NotSold, message);
    }
}

fn find_unit<'a>(
    article: &'a Article,
    code: &str,
    unknown: Code,
    scope: &mut Scope<'_>,
) -> Option<&'a PackagingUnit> {
    article.shop_unit(code).or_else(|| {
        let article = &article.number;
        let message = sentence!("unknown_packaging_unit", article, code);
        scope.refuse_member("VPEinheit", unknown, message)
    })
}

fn count(
    request: &PositionRequest,
    unit: Option<&PackagingUnit>,
    scope: &mut Scope<'_>,
) -> Option<Decimal> {
    let Some(unit) = unit else {
        return Some(request.quantity);
    };
    totals::whole_packages(request.quantity, unit.factor).or_else(|| {
        let (quantity, code, factor) = (request.quantity, &unit.code, unit.factor.normalize());
        let message = sentence!("not_a_whole_package", quantity, code, factor);
        scope.refuse_member("Menge", Code::NotAWholePackage, message)
    })
}

// rule: R-TOT-01, R-END-35
/// The price that the client set, else that of the tier.
fn price(
    state: &PricingState<'_>,
    known: &ArticleState,
    unit: Option<&PackagingUnit>,
    count: Decimal,
    (request, manual): (&PositionRequest, Manual),
    scope: &mut Scope<'_>,
) -> Option<FoundPrice> {
    let chain = known.prices.iter().map(Option::as_deref);
    let code = unit.map(|unit| unit.code.as_str());
    let hit = first_hit(chain, code, state.currency);
    let tier = hit.and_then(|hit| hit.set.tier(count).map(|tier| (tier, hit.set.kind)));
    let basis = known
        .article
        .price_basis_of(code, tier.map(|(tier, _)| tier));
    if let Some(amount) = request.price.filter(|_| manual == Manual::Allowed) {
        let basis = request.price_basis.unwrap_or(basis);
        return Some(FoundPrice {
            amount,
            basis,
            kind: tier.map(|(_, kind)| kind),
        });
    }
    let Some((tier, kind)) = tier else {
        let base = || sentence!("unit.base");
        let unit = code.map_or_else(base, |code| sentence!("unit.packaging", code));
        let (currency, count) = (state.currency, count.normalize());
        let message = sentence!("no_price", currency, count, unit);
        return scope.refuse_member("ArtNr", Code::NoPrice, message);
    };
    Some(FoundPrice {
        amount: tier.price,
        basis,
        kind: Some(kind),
    })
}

// rule: D-PRI-16
fn tax_key(state: &PricingState<'_>, article: &Article, scope: &mut Scope<'_>) -> Option<TaxKey> {
    let of_customer = state
        .customer
        .and_then(|customer| customer.tax_code.as_ref());
    let code = of_customer
        .or(article.tax_code.as_ref())
        .or(state.company.tax_code.as_ref());
    code.and_then(|code| rate_of(state, code)).or_else(|| {
        let (article, day) = (&article.number, state.day);
        let message = match code {
            Some(code) => sentence!("unknown_tax_code.no_rate", code, article, day),
            None => sentence!("unknown_tax_code.article", article),
        };
        scope.refuse_member("ArtNr", Code::UnknownTaxCode, message)
    })
}

fn rate_of(state: &PricingState<'_>, code: &TaxCodeId) -> Option<TaxKey> {
    let rate = state.taxes.rate_on(code, state.day)?.rate;
    Some(TaxKey {
        rate: Reverse(rate),
        code: code.clone(),
    })
}

fn delivery_tax(state: &PricingState<'_>, problems: &mut Problems) -> Option<TaxKey> {
    if state.delivery_costs.is_zero() {
        return None;
    }
    let of_customer = state
        .customer
        .and_then(|customer| customer.tax_code.as_ref());
    let code = of_customer
        .or(state.company.delivery_tax_code.as_ref())
        .or(state.company.tax_code.as_ref());
    let key = code.and_then(|code| rate_of(state, code));
    if key.is_none() {
        let message = sentence!("unknown_tax_code.delivery");
        problems.add("GrundDaten.AuftLiefKost", Code::UnknownTaxCode, message);
    }
    key
}

fn sum_up(
    state: &PricingState<'_>,
    found: &[Position],
    kind: PriceKind,
    delivery_tax: Option<TaxKey>,
) -> Option<Totals<TaxKey>> {
    let line = |position: &Position| {
        Some(Line {
            quantity: position.count(),
            unit_price: position.price_in(kind)?,
            price_basis: position.price.basis,
            discount_rate: position.discount_rate,
            tax: TaxKey {
                rate: Reverse(position.tax_rate),
                code: position.tax_code.clone(),
            },
        })
    };
    let lines = found.iter().map(line).collect::<Option<Vec<_>>>()?;
    totals::totals(&TotalsInput {
        kind,
        minor_digits: state.currency.minor_digits(),
        lines: &lines,
        rates: &|key: &TaxKey| key.rate.0,
        delivery_costs: state.delivery_costs,
        delivery_tax,
        cash_rounding_step: state.cash_rounding_step,
    })
    .ok()
}

/// A kept position may have a tax code that no longer exists or has no rate on the day: its entry has what is known,
/// so that the entries still add up to the totals.
fn recap(state: &PricingState<'_>, totals: &Totals<TaxKey>) -> Vec<TaxRecap> {
    let language = language(state);
    let entries = totals.recap.iter().map(|entry| {
        let key = &entry.key;
        let code = state.taxes.get(&key.code);
        let rate = code.and_then(|code| code.rate_on(state.day));
        let name = code.and_then(|code| state.company.translation(&code.names, language));
        TaxRecap {
            code: key.code.clone(),
            rate: key.rate.0,
            class: code.map_or(TaxClass::Other, |code| code.class),
            name: name.cloned(),
            net: entry.net,
            tax: entry.tax,
            turnover_figure: rate.and_then(|rate| rate.turnover_figure.clone()),
            sales_tax_figure: rate.and_then(|rate| rate.sales_tax_figure.clone()),
            input_tax_figure: rate.and_then(|rate| rate.input_tax_figure.clone()),
        }
    });
    entries.collect()
}

// rule: R-END-05
/// The article's text in the customer's language.
pub(super) fn default_description(
    state: &PricingState<'_>,
    article: &Article,
) -> Option<Text<2048>> {
    let text = state.company.translation(&article.texts, language(state))?;
    Text::new(text.as_str()).ok()
}

/// The customer's language; for a template, the company's.
fn language(state: &PricingState<'_>) -> Language {
    state
        .customer
        .map_or(state.company.language, |customer| customer.details.language)
}
