//! `erp-server serve`: runs the server until SIGTERM or SIGINT.

use tokio::runtime::Runtime;

use super::config::clear_text;
use super::failure::{Failure, STORE_FAILED};
use super::open::{open_on, runtime};
use super::settings_args::SettingsArgs;
use crate::config::Settings;
use crate::resources::DemoShop;
use crate::serve::{self, ServeError};
use crate::store::Store;

pub(super) fn run(settings: &SettingsArgs<true>) -> Result<(), Failure> {
    let settings = settings.load()?;
    let runtime = runtime()?;
    let store = open_on(&runtime, &settings)?;
    serve(settings, runtime, store, None, |address| {
        say!("listening on {address}");
    })
}

/// Runs the server until a signal ends it. `ready` gets the listening address before the first request.
pub(super) fn serve(
    settings: Settings,
    runtime: Runtime,
    store: Store,
    demo: Option<DemoShop>,
    ready: impl FnOnce(&str),
) -> Result<(), Failure> {
    if let Some(warning) = clear_text(&settings) {
        complain!("erp-server: warning: {warning}");
    }
    let served = serve::run(&settings, runtime, store, demo, |listening| {
        if let Some(address) = listening.metrics {
            say!("metrics on http://{address}/metrics");
        }
        if let Some(address) = &listening.admin {
            say!("the console and the administration on {address}");
        }
        ready(&listening.address);
    });
    served.map_err(|error| match error {
        ServeError::StoreFailed(_) => Failure::coded(STORE_FAILED, error.to_string()),
        other => other.into(),
    })
}
