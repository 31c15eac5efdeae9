//! State of a running server, shared by all handlers.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use erp_core::Erp;
use erp_core::erp::{Context, TokenHash};
use erp_core::master::Role;
use erp_core::storage::Storage;
use jiff::Timestamp;
use secrecy::SecretString;

use crate::backup::Backups;
use crate::config::Settings;
use crate::http::{ApiError, Application, Authorized, Caller, HttpState};
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
    settings: Arc<Settings>,
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
        let http_state = HttpState::new(settings.http_options());
        let counted = http_state.metrics().invoices();
        Arc::new(Self {
            erp,
            zugferd: Processor::counted(&settings.zugferd_options(), counted),
            bodies: Arc::new(Bodies::of_checked(&settings.media_options())),
            readiness: Readiness::new(settings.readiness_options()),
            http_state,
            passwords: Passwords::new(settings.limits.login_queue_length),
            settings,
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
        &self.settings
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
        let caller = self.erp.caller(&token, Timestamp::now()).await?;
        Ok(caller.map(|caller| User { caller, token }))
    }
}
