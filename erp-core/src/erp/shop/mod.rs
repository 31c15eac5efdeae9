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
pub use articles::{ArticleList, ArticleQuery};
pub use customers::{
    CustomerOrders, CustomerWithOrders, OrderOfCustomer, OrderPages, ShownCustomer,
};
pub use media::{MediaContent, MediaPart};
pub use search::{FoundCustomer, SearchTerms};

use crate::erp::engine::doors::check_revision;
use crate::erp::engine::{Error, Shop};
use crate::storage::Revision;

impl<S> Shop<'_, S> {
    /// Checks `If-Match` against the revision that the change is based on.
    fn check_revision(&self, found: Revision) -> Result<(), Error> {
        check_revision(self.if_match, found)
    }
}
