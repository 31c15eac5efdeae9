//! Loads what the prices of a document depend on, and decides new documents.

use std::collections::BTreeMap;

use jiff::Timestamp;
use rust_decimal::Decimal;

use super::articles::price_chain;
use crate::domain::document::{ArticleState, PricingState, tax_day};
use crate::domain::master::{ArticleNumber, Customer};
use crate::domain::request::DocumentRequest;
use crate::erp::catalogue::MasterData;
use crate::erp::engine::operation::Loaded;
use crate::erp::engine::{AddressCheck, Error, Shop};
use crate::storage::Storage;
use crate::values::codes::Currency;
use crate::values::problem::{Path, Problems};

/// A new order or offer without its number.
pub(super) struct NewDocument<T> {
    pub(super) document: T,
    /// A template has none.
    pub(super) customer: Option<Customer>,
    pub(super) checks: Vec<AddressCheck>,
}

impl<'a, S: Storage> Shop<'a, S> {
    // rule: R-TOT-15
    /// Decides a new order or offer by what can be read of its body. Checks that lack their input (a price without the
    /// customer, a tax rate without the date) are skipped, so that the response lists the problems of all steps.
    pub(super) async fn new_document<T>(
        self,
        loaded: &Loaded<'_, S>,
        (mut request, mut problems): (DocumentRequest, Problems),
        decide: fn(&PricingState<'_>, &DocumentRequest, Timestamp) -> Result<T, Problems>,
    ) -> Result<NewDocument<T>, Error> {
        let master = &loaded.master;
        let checks = self
            .erp
            .check_addresses(&mut request.addresses, &mut problems);
        if self.caller.customer.is_some() {
            request.refuse_shop_only(self.now, &mut problems);
        }
        let number = request.header.customer.as_deref();
        let customer = self.known_customer(loaded, number, &mut problems).await?;
        let own_currency = self.own_currency(customer.as_ref());
        if let Some(own) = own_currency {
            request.refuse_other_currency(own, &mut problems);
        }
        let articles = request.positions().map(|asked| &asked.article);
        let articles = article_states(master, customer.as_ref(), articles).await?;
        let is_unknown = request.header.currency.is_none() && cover(&problems, &["WaehrAbk"]);
        let currency = request
            .header
            .currency
            .or(own_currency)
            .unwrap_or(master.company.currency);
        let costs = request.header.delivery_costs.filter(|_| !is_unknown);
        let day = tax_day(
            request.header.delivery_at,
            request.header.ordered_at,
            self.now,
            &master.time_zone(),
        );
        let state = PricingState {
            day,
            delivery_costs: costs.unwrap_or_default(),
            is_unpriced: is_unknown
                || cover(&problems, &["AuftBestellT", "AuftLieferT"])
                || customer.is_none() && cover(&problems, &["KundNr"]),
            ..self.pricing_state(master, customer.as_ref(), &articles, currency)
        };
        let document = problems.and(decide(&state, &request, self.now))?;
        Ok(NewDocument {
            document,
            customer,
            checks,
        })
    }

    /// What prices depend on for a document that is taxed today, without delivery costs. The caller replaces what its
    /// document has.
    pub(super) fn pricing_state<'b>(
        self,
        master: &'b MasterData<'_, S>,
        customer: Option<&'b Customer>,
        articles: &'b BTreeMap<ArticleNumber, ArticleState>,
        currency: Currency,
    ) -> PricingState<'b>
    where
        'a: 'b,
    {
        PricingState {
            company: &master.company,
            taxes: &master.taxes,
            customer,
            articles,
            caller: self.caller,
            currency,
            day: master.time_zone().to_datetime(self.now).date(),
            delivery_costs: Decimal::ZERO,
            cash_rounding_step: self.erp.settings.cash_rounding.get(&currency).copied(),
            is_unpriced: false,
        }
    }
}

/// Whether one of these fields of the header has a problem.
pub(super) fn cover(problems: &Problems, names: &[&str]) -> bool {
    let header = Path::ROOT.member("GrundDaten");
    let mut names = names.iter();
    names.any(|name| problems.covers(&header.member(name)))
}

/// Articles with prices and stock; unknown articles are left out.
pub(super) async fn article_states<'n, S: Storage>(
    master: &MasterData<'_, S>,
    customer: Option<&Customer>,
    numbers: impl Iterator<Item = &'n ArticleNumber>,
) -> Result<BTreeMap<ArticleNumber, ArticleState>, Error> {
    let mut numbers: Vec<ArticleNumber> = numbers.cloned().collect();
    numbers.sort();
    numbers.dedup();
    let chain = price_chain(master, customer);
    let states = master.priced_articles(&chain, &numbers).await?;
    let states = numbers.into_iter().zip(states);
    Ok(states
        .filter_map(|(number, state)| Some((number, state?)))
        .collect())
}
