//! What the interface lets a shop do: orders, offers, customers, addresses, articles and their media.

mod addresses;
mod article_changes;
mod article_search;
mod articles;
mod customers;
mod invoices;
mod media;
mod offers;
mod ordering;
mod orders;
mod pricing;
mod search;
mod stock;

pub use article_changes::{ArticleChanges, Mark};
pub use article_search::ArticleFilter;
pub use articles::{ArticleJson, ArticleList, ArticleQuery};
pub use customers::{CustomerOrders, CustomerWithOrders, OrderOfCustomer, OrderPages};
pub use media::{MediaContent, MediaPart};
pub use search::{FoundCustomer, SearchTerms};
