//! The endpoints, one file per resource. A handler reads the call, asks the core, renders the answer.

mod admin;
mod articles;
mod customers;
mod log;
mod orders;
mod token;

use std::sync::Arc;

use erp_core::erp::Error;
use erp_core::storage::Storage;
use salvo::http::Method;

use crate::app::App;
use crate::http::{ApiError, Resource, Routes, health};

/// Every path of the server.
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
        .at("/www/kunden/{DebiNr}", open().get(customers::read).put(customers::replace))
        .at("/www/auftrag", open().post(orders::create))
        .at("/www/auftrag/{AuftNr}", open().get(orders::read))
        .at("/www/log", open().delete(log::delete))
        .at("/admin/import", open().post(admin::import))
        .at("/health/live", open().open(Method::GET, health))
        .at("/health", open().open(Method::GET, health))
}

impl From<Error> for ApiError {
    fn from(error: Error) -> Self {
        match error {
            Error::Invalid(problems) => problems.into(),
            Error::NotFound { what, number } => Self::not_found(&format!("{what} `{}`", shown(&number))),
            Error::Conflict(reason) => Self::conflict(reason),
            Error::Storage(error) => error.into(),
            _ => Self::internal(error.to_string()),
        }
    }
}

/// A number as sent, short enough for a sentence.
fn shown(number: &str) -> String {
    number.chars().take(40).collect()
}

/// What handlers share of a server.
type Shared<S> = Arc<App<S>>;
