//! The resources of the interface, one file or small folder each: its paths, its handlers and their description.
//!
//! A handler reads the request, calls the core and renders the response. Its argument says who may call it: a [`User`]
//! is anyone with a token, others have a right of their role: a [`Trader`], a [`ShopUser`] whose token is not for a single
//! customer, a [`Clerk`], an [`Editor`], an [`Admin`].

mod addresses;
mod app;
mod articles;
mod attachment;
mod audit;
mod backup;
mod changes;
mod choices;
mod company;
mod conditions;
mod customer_list;
mod customers;
mod demo;
mod description;
mod error;
mod events;
mod export;
mod health;
mod import;
mod import_runs;
mod invoice_list;
mod invoices;
mod log;
mod low_stock;
mod me;
mod media;
mod media_upload;
mod members;
mod offers;
mod order_list;
mod order_note;
mod order_status;
mod orders;
mod paging;
mod response;
mod sales;
mod shop_lists;
mod stats;
#[cfg(test)]
mod tests;
mod token;
mod users;
mod zugferd;

use app::Operation;
pub use app::{Admin, App, Clerk, Editor, ResourceOptions, SettingValue, ShopUser, Trader, User};
pub(crate) use backup::backup_file_name;
pub(crate) use company::attribute_name;
pub use demo::{DemoShop, demo_routes};
use description::ADMINISTRATION;
pub use description::lead_to_page;

use crate::web::Routes;

/// A resource: its section of the description, and its operations.
type Listed = (&'static str, fn() -> Vec<Operation>);

// rule: R-END-30
const RESOURCES: [Listed; 34] = [
    ("Token", token::operations),
    ("Artikel", articles::operations),
    ("Artikelmedia", media::operations),
    ("Kunden", customers::operations),
    ("Adressen", addresses::operations),
    ("Offerte", offers::operations),
    ("Offerte", shop_lists::offer_operations),
    ("Auftrag", orders::operations),
    ("Auftrag", shop_lists::order_operations),
    ("Rechnung", invoices::operations),
    ("Rechnung", invoice_list::operations),
    ("Zugferd", zugferd::operations),
    (ADMINISTRATION, backup::operations),
    (ADMINISTRATION, choices::operations),
    (ADMINISTRATION, company::operations),
    (ADMINISTRATION, customer_list::operations),
    (ADMINISTRATION, customers::office_operations),
    (ADMINISTRATION, export::operations),
    (ADMINISTRATION, import::operations),
    (ADMINISTRATION, import_runs::operations),
    (ADMINISTRATION, log::operations),
    (ADMINISTRATION, media_upload::operations),
    (ADMINISTRATION, order_list::operations),
    (ADMINISTRATION, order_note::operations),
    (ADMINISTRATION, order_status::operations),
    (ADMINISTRATION, me::operations),
    (ADMINISTRATION, sales::operations),
    (ADMINISTRATION, low_stock::operations),
    (ADMINISTRATION, stats::operations),
    (ADMINISTRATION, users::operations),
    ("Events", events::operations),
    ("Audit", audit::operations),
    ("Server", health::operations),
    ("Server", description::operations),
];

pub fn routes() -> Routes<App> {
    let operations = RESOURCES
        .into_iter()
        .flat_map(|(_, operations)| operations());
    operations.fold(Routes::default(), |routes, operation| {
        routes.at(operation.path, operation.resource)
    })
}
