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
mod members;
mod offers;
mod order_list;
mod orders;
mod paging;
mod stats;
#[cfg(test)]
mod tests;
mod token;
mod users;
mod zugferd;

pub use app::{Admin, App, Options, SettingValue, User};
pub(crate) use backup::backup_file_name;
pub(crate) use company::{attribute_name, settings_json};
pub use description::lead_to_page;

use crate::web::Routes;

/// Adds the paths of a resource.
type AddPaths = fn(Routes<App>) -> Routes<App>;

// rule: R-END-30
/// All routes of the server.
#[must_use]
pub fn routes() -> Routes<App> {
    let resources: [AddPaths; 22] = [
        token::routes,
        articles::routes,
        customers::routes,
        orders::routes,
        offers::routes,
        addresses::routes,
        zugferd::routes,
        media::routes,
        log::routes,
        import::routes,
        import_runs::routes,
        export::routes,
        backup::routes,
        events::routes,
        audit::routes,
        stats::routes,
        order_list::routes,
        customer_list::routes,
        users::routes,
        company::routes,
        health::routes,
        description::routes,
    ];
    resources
        .into_iter()
        .fold(Routes::new(), |routes, add| add(routes))
}
