//! Loads what the prices of a document depend on.

use std::collections::BTreeMap;

use rust_decimal::Decimal;

use super::articles::price_chain;
use crate::domain::document::{ArticleState, PricingState};
use crate::domain::master::{ArticleNumber, Customer};
use crate::erp::engine::catalogue::{Articles, MasterData};
use crate::erp::engine::{Context, Error};
use crate::storage::Storage;

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
    let Articles {
        articles,
        prices,
        stock,
    } = master.priced_articles(&chain, &numbers).await?;
    let parts = numbers.into_iter().zip(articles).zip(prices).zip(stock);
    Ok(parts
        .filter_map(|(((number, article), prices), stock)| {
            Some((
                number,
                ArticleState {
                    article: article?,
                    prices,
                    stock,
                },
            ))
        })
        .collect())
}

/// What prices depend on for a document in the company's currency, taxed today, without delivery costs and cash
/// rounding. The caller replaces what its document has.
pub(super) fn pricing_state<'a, S: Storage>(
    master: &'a MasterData<'_, S>,
    context: &Context<'a>,
    customer: Option<&'a Customer>,
    articles: &'a BTreeMap<ArticleNumber, ArticleState>,
) -> PricingState<'a> {
    PricingState {
        company: &master.company,
        taxes: &master.taxes,
        customer,
        articles,
        caller: context.caller,
        currency: master.company.currency,
        day: master.time_zone().to_datetime(context.now).date(),
        delivery_costs: Decimal::ZERO,
        cash_rounding_step: None,
    }
}
