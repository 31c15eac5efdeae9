//! `GET /admin/sales`: what was sold, by day, by week and by article.

use std::collections::BTreeMap;
use std::sync::Arc;

use erp_core::codes::Currency;
use erp_core::internal::{self, ArticleSales, SalesSum};
use jiff::civil::{Date, Weekday};
use jiff::{Timestamp, ToSpan as _};
use schemars::JsonSchema;
use serde::Serialize;

use super::app::{Clerk, Operation, Shared};
use super::order_list::{Day, day};
use super::response::{Data, data};
use crate::web::{ApiError, ApiRequest, ApiResponse, Query, Result};

/// Days before the last one that are read when the request does not say from when.
const USUAL_DAYS: i64 = 29;

async fn read(app: Shared, user: Clerk, request: ApiRequest) -> Result<ApiResponse> {
    let query = request.query()?;
    let today = user.office(&app).today().await?;
    let (from, to) = days(&query, today)?;
    let state = Arc::clone(&app);
    let sales = app.long_reads.read(user.signature(), async move {
        user.office(&state).sales(from, to).await
    });
    data(Sales::new(sales.await??, from, to))
}

fn days(query: &Query, today: Date) -> Result<(Date, Date)> {
    let named = |name| query.parsed::<Day>(name, 10);
    let to = named("to")?.map_or(today, |day| day.0);
    let usual = to.saturating_sub(USUAL_DAYS.days());
    let from = named("from")?.map_or(usual, |day| day.0);
    if from > to {
        let text = sentence!("parameter.days", from, to);
        return Err(ApiError::of_parameter("from", text));
    }
    Ok((from, to))
}

/// What was sold.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct Sales {
    /// The first day.
    from: Date,
    /// The last day.
    to: Date,
    /// How many orders were read.
    orders: usize,
    /// Orders made before this time are missing, because a request reads a bounded number; `null` when none is.
    since: Option<Timestamp>,
    /// The days with orders, the newest first; one row per currency.
    days: Vec<DaySales>,
    /// The weeks with orders, from Monday to Sunday, the newest first; one row per currency.
    weeks: Vec<WeekSales>,
    /// Up to 20 articles per currency that brought most, the best first.
    articles: Vec<ArticleSales>,
}

impl Sales {
    fn new(sales: internal::Sales, from: Date, to: Date) -> Self {
        let mut weeks: BTreeMap<(Date, Currency), SalesSum> = BTreeMap::new();
        for ((day, currency), sum) in &sales.days {
            let days = day.weekday().since(Weekday::Monday);
            let monday = day.saturating_sub(i64::from(days).days());
            weeks.entry((monday, *currency)).or_default().add(*sum);
        }
        let days = sales.days.into_iter().rev();
        let weeks = weeks.into_iter().rev();
        Self {
            from,
            to,
            orders: sales.orders,
            since: sales.since,
            days: days
                .map(|((day, currency), sum)| DaySales {
                    day,
                    sum: CurrencySum { currency, sum },
                })
                .collect(),
            weeks: weeks
                .map(|((monday, currency), sum)| WeekSales {
                    monday,
                    week: monday.iso_week_date().week(),
                    sum: CurrencySum { currency, sum },
                })
                .collect(),
            articles: sales.best,
        }
    }
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct DaySales {
    /// The day, in the company's time zone.
    day: Date,
    #[serde(flatten)]
    sum: CurrencySum,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct WeekSales {
    /// The Monday of the week.
    monday: Date,
    /// The number of the week (ISO 8601).
    week: i8,
    #[serde(flatten)]
    sum: CurrencySum,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct CurrencySum {
    /// Currency, ISO 4217.
    #[serde(rename = "WaehrAbk")]
    currency: Currency,
    #[serde(flatten)]
    sum: SalesSum,
}

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::get("/admin/sales", "readSales")
            .by(read)
            .query("from", day())
            .query("to", day())
            .fails(&[422])
            .answers_as::<Data<Sales>>(200),
    ]
}
