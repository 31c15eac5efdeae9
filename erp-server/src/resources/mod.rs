//! The resources of the interface, one file or small folder each: its paths, its handlers and their description.
//!
//! A handler reads the request, calls the core and renders the response. Its argument says who may call it: a [`User`]
//! is anyone with a token, an [`Admin`] has the role `admin`.

mod addresses;
mod app;
mod articles;
mod attachment;
mod audit;
mod backup;
mod company;
mod conditions;
mod customer_list;
mod customers;
mod description;
mod error;
mod events;
mod export;
mod health;
mod import;
mod import_runs;
mod log;
mod media;
mod media_upload;
mod members;
mod offers;
mod order_list;
mod order_status;
mod orders;
mod paging;
mod response;
mod stats;
#[cfg(test)]
mod tests;
mod token;
mod users;
mod zugferd;

pub use app::{Admin, App, Options, SettingValue, User};
pub(crate) use backup::backup_file_name;
pub(crate) use company::{attribute_name, setting_values};
use description::ADMINISTRATION;
pub use description::lead_to_page;

use crate::openapi::operation::Described;
use crate::web::Routes;

/// A resource: its section of the description, its paths, and the description of its operations.
type Listed = (
    &'static str,
    fn(Routes<App>) -> Routes<App>,
    fn() -> Vec<Described>,
);

// rule: R-END-30
/// All resources of the server.
const RESOURCES: [Listed; 24] = [
    ("Token", token::routes, token::operations),
    ("Artikel", articles::routes, articles::operations),
    ("Artikelmedia", media::routes, media::operations),
    ("Kunden", customers::routes, customers::operations),
    ("Adressen", addresses::routes, addresses::operations),
    ("Offerte", offers::routes, offers::operations),
    ("Auftrag", orders::routes, orders::operations),
    ("Zugferd", zugferd::routes, zugferd::operations),
    (ADMINISTRATION, backup::routes, backup::operations),
    (ADMINISTRATION, company::routes, company::operations),
    (
        ADMINISTRATION,
        customer_list::routes,
        customer_list::operations,
    ),
    (ADMINISTRATION, export::routes, export::operations),
    (ADMINISTRATION, import::routes, import::operations),
    (ADMINISTRATION, import_runs::routes, import_runs::operations),
    (ADMINISTRATION, log::routes, log::operations),
    (
        ADMINISTRATION,
        media_upload::routes,
        media_upload::operations,
    ),
    (ADMINISTRATION, order_list::routes, order_list::operations),
    (
        ADMINISTRATION,
        order_status::routes,
        order_status::operations,
    ),
    (ADMINISTRATION, stats::routes, stats::operations),
    (ADMINISTRATION, users::routes, users::operations),
    ("Events", events::routes, events::operations),
    ("Audit", audit::routes, audit::operations),
    ("Server", health::routes, health::operations),
    ("Server", description::routes, description::operations),
];

/// All routes of the server.
#[must_use]
pub fn routes() -> Routes<App> {
    let resources = RESOURCES.into_iter();
    resources.fold(Routes::new(), |routes, (_, add, _)| add(routes))
}
