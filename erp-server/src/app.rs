//! State of a running server, shared by all handlers.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use erp_core::Erp;
use erp_core::codes::Currency;
use erp_core::erp::{Actor, Context, FirstNumbers, TokenHash, TownCheck};
use erp_core::master::Role;
use erp_core::storage::Storage;
use erp_core::town::Directory;
use erp_core::wire::Reading;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use secrecy::SecretString;
use thiserror::Error;

use crate::audit;
use crate::backup::Backups;
use crate::config::{AddressCheck, Settings};
use crate::http::{ApiError, Application, Authorized, Call, Caller, HttpState};
use crate::logging::LogFiles;
use crate::media::Bodies;
use crate::media::removal::AsErp;
use crate::metrics::Metrics;
use crate::passwords::Passwords;
use crate::readiness::Readiness;
use crate::tokens;
use crate::zugferd::Processor;

/// State shared by all handlers: core operations, HTTP layer, worker pools, media, log.
pub struct App<S> {
    erp: Erp<S>,
    http_state: Arc<HttpState>,
    passwords: Passwords,
    zugferd: Processor,
    bodies: Arc<Bodies>,
    log: Option<LogFiles>,
    readiness: Readiness,
    backups: Backups,
    holder: u64,
}

impl<S: Storage> App<S> {
    /// Creates a server without backup support. With `log` set to `None`, `DELETE /www/log` deletes nothing.
    #[must_use]
    pub fn new(erp: Erp<S>, settings: Arc<Settings>, log: Option<LogFiles>) -> Arc<Self> {
        Self::with_backups(erp, settings, log, Backups::default())
    }

    /// Like [`App::new`], but the server offers backups.
    #[must_use]
    pub fn with_backups(
        erp: Erp<S>,
        settings: Arc<Settings>,
        log: Option<LogFiles>,
        backups: Backups,
    ) -> Arc<Self> {
        let http_state = HttpState::new(Arc::clone(&settings));
        Arc::new(Self {
            erp,
            zugferd: Processor::counted(&settings, http_state.metrics().invoices()),
            bodies: Arc::new(Bodies::of_checked(&settings)),
            readiness: Readiness::new(&settings),
            http_state,
            passwords: Passwords::new(settings.login_queue_length),
            log,
            backups,
            holder: rand::random(),
        })
    }

    /// Random number that identifies this server in the leases it takes.
    pub const fn holder(&self) -> u64 {
        self.holder
    }

    /// Backups this server offers; by default none.
    pub const fn backups(&self) -> &Backups {
        &self.backups
    }

    /// Business operations on the store.
    pub const fn erp(&self) -> &Erp<S> {
        &self.erp
    }

    /// Worker threads that compute and check password hashes.
    pub const fn passwords(&self) -> &Passwords {
        &self.passwords
    }

    /// The e-invoice processor.
    pub const fn zugferd(&self) -> &Processor {
        &self.zugferd
    }

    /// Storage of article media files.
    pub const fn bodies(&self) -> &Arc<Bodies> {
        &self.bodies
    }

    /// Settings the server was started with.
    pub fn settings(&self) -> &Settings {
        self.http_state.settings()
    }

    /// Checks of `GET /health/ready`.
    pub const fn readiness(&self) -> &Readiness {
        &self.readiness
    }

    /// Prometheus counters.
    pub fn metrics(&self) -> &Metrics {
        self.http_state.metrics()
    }

    /// Log files; `None` when the server writes none.
    pub const fn log(&self) -> Option<&LogFiles> {
        self.log.as_ref()
    }
}

impl<S: Storage + 'static> AsErp<S> for Arc<App<S>> {
    fn erp(&self) -> &Erp<S> {
        App::erp(self)
    }
}

impl<S> fmt::Debug for App<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("App").finish_non_exhaustive()
    }
}

/// Converts server settings to core settings, with the built-in postal code directory.
#[must_use]
pub fn core_settings(settings: &Settings) -> erp_core::erp::Settings {
    erp_core::erp::Settings {
        reading: Reading {
            strict: settings.strict_bodies,
        },
        first_numbers: FirstNumbers {
            order: settings.first_order_number,
            offer: settings.first_offer_number,
            customer: settings.first_customer_number,
            address: settings.first_address_number,
        },
        cash_rounding: settings
            .cash_rounding
            .map(|step| (Currency::CHF, step))
            .into_iter()
            .collect(),
        towns: TownCheck {
            strict: settings.address_check == AddressCheck::Strict,
            ..TownCheck::default()
        },
        time_zones: |name| TimeZone::get(name).ok(),
        scan_entries: settings.scan_entries,
        ..erp_core::erp::Settings::default()
    }
}

/// Authenticated user of a request.
#[derive(Clone, Debug)]
pub struct User {
    /// Name and role of the user.
    pub caller: erp_core::master::Caller,
    /// Hash of the bearer token sent with the request.
    pub token: TokenHash,
}

impl User {
    /// Context of an operation that runs now.
    #[must_use]
    pub fn context<'a>(&'a self, base_url: &'a str) -> Context<'a> {
        Context::new(Timestamp::now(), &self.caller, base_url)
    }

    /// This user, acting now by a request.
    #[must_use]
    pub fn actor(&self, call: &Call) -> Actor {
        audit::requested(call, &self.caller.name)
    }
}

/// A user with the role `admin`. Handlers restricted to admins take this instead of a [`User`].
#[derive(Clone, Debug)]
pub struct Admin(User);

impl Authorized<User> for Admin {
    fn authorize(user: User) -> Result<Self, ApiError> {
        match user.caller.role {
            Role::Admin => Ok(Self(user)),
            Role::Shop => Err(ApiError::insufficient_scope()),
        }
    }
}

impl Deref for Admin {
    type Target = User;

    fn deref(&self) -> &User {
        &self.0
    }
}

impl Caller for User {
    fn name(&self) -> &str {
        &self.caller.name
    }
}

impl<S: Storage + 'static> Application for App<S> {
    type User = User;

    fn http_state(&self) -> &Arc<HttpState> {
        &self.http_state
    }

    async fn user_of(&self, token: SecretString) -> Result<Option<User>, ApiError> {
        let token = tokens::hash(&token);
        let caller = self.erp.users().caller(&token, Timestamp::now()).await?;
        Ok(caller.map(|caller| User { caller, token }))
    }
}

/// Reports that a postal code file cannot be used.
#[derive(Debug, Error)]
#[error("the postal codes in `{file}` cannot be used: {reason}")]
pub struct TownFileError {
    file: String,
    reason: String,
}

/// Loads the file in setting `town_directory`; it replaces the built-in postal codes of the countries it contains.
///
/// # Errors
/// When the file cannot be read or is not a valid table of postal codes.
pub fn load_towns(
    settings: &Settings,
    core: &mut erp_core::erp::Settings,
) -> Result<(), TownFileError> {
    let Some(path) = &settings.town_directory else {
        return Ok(());
    };
    let refuse = |reason: String| TownFileError {
        file: path.display().to_string(),
        reason,
    };
    let text = std::fs::read_to_string(path).map_err(|error| refuse(error.to_string()))?;
    let newer = Directory::from_csv(&text).map_err(|error| refuse(error.to_string()))?;
    let known = Directory::switzerland_and_liechtenstein();
    core.towns.directory = Some(Arc::new(known.merged(&newer)));
    Ok(())
}
