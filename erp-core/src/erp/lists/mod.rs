//! Lists of orders, which shops and the back office share.

mod order_list;
mod order_source;

pub(crate) use order_list::ORDERS_PER_READ;
pub use order_list::{FirstDigits, ListedOrder, OrderPage, OrderQuery};
