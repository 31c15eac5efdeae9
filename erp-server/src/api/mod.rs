//! The endpoints, one file per resource. A handler reads the request, calls the core and renders the response.

mod addresses;
mod admin;
mod articles;
mod audit;
mod backup;
mod company;
mod conditions;
mod customers;
mod description;
mod events;
mod export;
mod health;
mod log;
mod media;
mod members;
mod offers;
mod orders;
mod token;
mod users;
mod zugferd;

use std::sync::Arc;
use std::time::Duration;

use erp_core::Problems;
use erp_core::document::Mismatch;
use erp_core::erp::Error;
use erp_core::storage::Storage;
use salvo::http::Method;
use serde_json::{Value, json};

pub(crate) use audit::entry_json as audit_entry_json;
pub(crate) use company::{attribute_json, attribute_name, settings_json};
pub(crate) use events::{entry_json as event_json, target_json};
pub(crate) use users::{account_json, token_json, user_json};

use crate::resources::App;
use crate::web::{ApiError, Resource, Routes, health};

pub(crate) use backup::file_name as backup_file_name;

/// Time limit for file uploads.
const UPLOAD_TIME: Duration = Duration::from_secs(600);

/// All routes of the server.
#[must_use]
pub fn routes<S: Storage + 'static>() -> Routes<App<S>> {
    let open = Resource::new;
    Routes::new()
        .at("/www/token", open().open(Method::POST, token::create))
        .at("/www/token/revoke", open().post(token::revoke))
        .at("/www/artikel", open().get(articles::list))
        .at("/www/artikel/{ArtNr}", open().get(articles::single))
        .at("/www/tofaktorlogin/{ArtNr}", open().get(articles::single))
        .at("/www/kunden", open().post(customers::create))
        .at(
            "/www/kunden/{DebiNr}",
            open().get(customers::read).put(customers::replace),
        )
        .at(
            "/www/auftrag",
            open().post(orders::create).put(orders::convert),
        )
        .at("/www/auftrag/{AuftNr}", open().get(orders::read))
        .at(
            "/www/offerte",
            open()
                .post(offers::create)
                .get(offers::read)
                .patch(offers::change),
        )
        .at("/www/adressen", open().get(addresses::list))
        .at(
            "/www/adressen/{AdrNr}",
            open().get(addresses::read).patch(addresses::change),
        )
        .at("/www/adressensuche", open().get(addresses::search))
        .at(
            "/www/zugferd",
            open().post(zugferd::run).timed_by(zugferd::time_limit),
        )
        .at("/www/artikelmedia/{ArtNr}", open().get(media::list))
        .at("/www/artikelmediadaten/{IDKey}", open().get(media::data))
        .at("/www/log", open().delete(log::delete))
        .at("/admin/import", open().post(admin::import))
        .at("/admin/export", open().get(export::all))
        .at(
            "/admin/media",
            open().post(media::upload).time_limit(UPLOAD_TIME),
        )
        .at(
            "/admin/auftrag/{AuftNr}/status",
            open().put(admin::set_order_status),
        )
        .at("/admin/backup", open().get(backup::create))
        .at("/admin/backup/confirm", open().post(backup::confirm))
        .at("/admin/events", open().get(events::list))
        .at("/admin/events/replay", open().post(events::replay_since))
        .at(
            "/admin/events/targets",
            open().get(events::targets).post(events::add_target),
        )
        .at(
            "/admin/events/targets/{id}",
            open()
                .put(events::switch_target)
                .delete(events::remove_target),
        )
        .at("/admin/events/replay/{id}", open().post(events::replay))
        .at("/admin/audit", open().get(audit::list))
        .at("/admin/users", open().get(users::list).post(users::add))
        .at(
            "/admin/users/{name}",
            open()
                .get(users::read)
                .put(users::change)
                .delete(users::remove),
        )
        .at(
            "/admin/users/{name}/password",
            open().put(users::set_password),
        )
        .at(
            "/admin/users/{name}/tokens",
            open().get(users::tokens).delete(users::revoke),
        )
        .at("/admin/settings", open().get(company::settings))
        .at("/admin/attributes", open().get(company::attributes))
        .at(
            "/admin/attributes/{name}",
            open()
                .put(company::set_attribute)
                .delete(company::remove_attribute),
        )
        .at("/health/ready", open().open(Method::GET, health::ready))
        .at("/health/live", open().open(Method::GET, health))
        .at("/health", open().open(Method::GET, health))
        .at(
            "/openapi.json",
            open().open(Method::GET, description::document),
        )
        .at("/docs", open().open(Method::GET, description::page))
}

impl From<Error> for ApiError {
    fn from(error: Error) -> Self {
        match error {
            Error::Invalid(problems) => problems.into(),
            Error::NotFound { what, number } => {
                Self::not_found(&format!("{what} `{}`", shown(&number)))
            }
            Error::Conflict(reason) => Self::conflict(reason),
            Error::Malformed(problems) => malformed(&problems),
            Error::Mismatch(mismatches) => Self::conflict("the offer does not fit the customer")
                .with_info(
                    "mismatch",
                    mismatches.iter().map(mismatch).collect::<Vec<Value>>(),
                ),
            Error::PreconditionFailed => Self::precondition_failed(),
            Error::TooBroad { limit } => Self::too_broad(limit),
            Error::Storage(error) => error.into(),
            _ => Self::internal(error.to_string()),
        }
    }
}

/// Maps an unknown customer in the query parameter `debinr` to 400, as for any invalid parameter.
fn unknown_debinr(error: Error) -> ApiError {
    match error {
        Error::NotFound {
            what: "customer",
            number,
        } => ApiError::parameter("debinr", &number, "the number of a customer"),
        other => other.into(),
    }
}

fn malformed(problems: &Problems) -> ApiError {
    let problem = problems.as_slice().first();
    let sentence = problem.map_or_else(String::new, |problem| {
        format!("`{}`: {}", problem.path, problem.message)
    });
    ApiError::malformed(sentence)
}

fn mismatch(mismatch: &Mismatch) -> Value {
    json!({"subject": mismatch.subject, "offer": mismatch.offer, "customer": mismatch.customer})
}

/// Shortens a number from the client for use in an error message.
fn shown(number: &str) -> String {
    number.chars().take(40).collect()
}

/// Server state as handlers receive it.
type Shared<S> = Arc<App<S>>;
