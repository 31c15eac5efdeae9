//! Lists of orders, which shops and the back office share, and sums of them.

mod order_list;
mod order_source;
mod sales;

pub(crate) use order_list::ORDERS_PER_READ;
pub use order_list::{FirstDigits, ListedOrder, OrderPage, OrderQuery};
pub use sales::{ArticleSales, Sales, SalesSum};
