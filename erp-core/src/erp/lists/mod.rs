//! Lists of orders, which shops and the back office share, and sums of them; lists of offers and of invoices.

mod invoice_list;
mod offer_list;
mod order_list;
mod order_query;
mod order_source;
mod sales;

pub use invoice_list::{InvoicePage, InvoiceQuery, ListedInvoice};
pub use offer_list::{ListedOffer, OfferPage, OfferQuery};
pub use order_list::OrderPage;
pub use order_query::{FirstDigits, OrderQuery};
pub use sales::{ArticleSales, Sales, SalesSum};
