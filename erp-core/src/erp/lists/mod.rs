//! Lists of orders, which shops and the back office share, and sums of them; lists of offers.

mod offer_list;
mod order_list;
mod order_query;
mod order_source;
mod sales;

pub use offer_list::{ListedOffer, OfferPage, OfferQuery};
pub use order_list::{ListedOrder, OrderPage};
pub use order_query::{FirstDigits, OrderQuery};
pub use sales::{ArticleSales, Sales, SalesSum};
