//! What the interface lets a shop do: orders, offers, customers, addresses, articles and their media.

mod addresses;
mod article_changes;
mod articles;
mod customers;
mod invoices;
mod media;
mod offers;
mod orders;
mod pricing;
mod search;
mod stock;

pub use article_changes::{ArticleChanges, Mark};
pub use articles::{ArticleList, ArticleQuery, ShownArticle};
pub use customers::{
    CustomerOrders, CustomerWithOrders, OrderOfCustomer, OrderPages, ShownCustomer,
};
pub use media::{MediaContent, MediaPart};
pub use search::{FoundCustomer, SearchTerms};
