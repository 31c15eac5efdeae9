//! State of a running server, shared by all handlers.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use erp_core::Erp;
use erp_core::erp::{Actor, Context, TokenHash};
use erp_core::master::Role;
use erp_core::storage::Storage;
use jiff::Timestamp;
use secrecy::SecretString;

use crate::backup::Backups;
use crate::delivery::Tester;
use crate::long_reads::LongReads;
use crate::media::Bodies;
use crate::observe::audit;
use crate::observe::figures::Figures;
use crate::observe::logging::LogFiles;
use crate::observe::readiness::Readiness;
use crate::passwords::Passwords;
use crate::tokens;
use crate::web::{ApiError, Application, Authorized, Call, Caller, HttpState};
use crate::zugferd::Processor;

/// State shared by all handlers: core operations, HTTP layer, worker pools, media, log.
pub struct App<S> {
    pub(crate) erp: Arc<Erp<S>>,
    pub(crate) options: Options,
    pub(crate) http_state: Arc<HttpState>,
    pub(crate) passwords: Passwords,
    pub(crate) long_reads: LongReads,
    pub(crate) zugferd: Processor,
    pub(crate) bodies: Arc<Bodies>,
    pub(crate) log: Option<LogFiles>,
    pub(crate) readiness: Readiness,
    pub(crate) backups: Backups,
    pub(crate) tester: Tester,
    pub(crate) figures: Figures,
}

/// Server state as handlers receive it.
pub(super) type Shared<S> = Arc<App<S>>;

/// Options of the handlers.
#[derive(Clone, Debug)]
pub struct Options {
    /// Lifetime of a bearer token.
    pub token_lifetime_seconds: u64,
    /// Send `expires_in` as a string.
    pub expires_in_as_string: bool,
    /// Longest body of an import.
    pub import_body_bytes: u64,
    /// Allow private, loopback and link-local addresses as targets of events.
    pub event_private_targets: bool,
    /// Time limit of an e-invoice request.
    pub zugferd_timeout: Duration,
    /// What `GET /admin/settings` returns.
    pub settings: Vec<SettingValue>,
}

/// A setting with its value as text; an unset one is empty.
#[derive(Clone, Debug)]
pub struct SettingValue {
    /// Its name.
    pub name: &'static str,
    /// The value.
    pub value: String,
    /// The default.
    pub default: &'static str,
    /// Unit or form of the value.
    pub unit: &'static str,
}

impl<S> App<S> {
    /// Backups this server offers; by default none.
    pub const fn backups(&self) -> &Backups {
        &self.backups
    }

    /// Business operations on the store.
    pub const fn erp(&self) -> &Arc<Erp<S>> {
        &self.erp
    }

    /// Worker threads that compute and check password hashes.
    pub const fn passwords(&self) -> &Passwords {
        &self.passwords
    }

    /// Threads for reads that may be long.
    pub const fn long_reads(&self) -> &LongReads {
        &self.long_reads
    }

    /// The e-invoice processor.
    pub const fn zugferd(&self) -> &Processor {
        &self.zugferd
    }

    /// Storage of article media files.
    pub const fn bodies(&self) -> &Arc<Bodies> {
        &self.bodies
    }

    /// Options of the handlers.
    pub const fn options(&self) -> &Options {
        &self.options
    }

    /// Checks of `GET /health/ready`.
    pub const fn readiness(&self) -> &Readiness {
        &self.readiness
    }

    /// Sends tests to receivers of events.
    pub const fn tester(&self) -> &Tester {
        &self.tester
    }

    /// Start and store of the server.
    pub const fn figures(&self) -> &Figures {
        &self.figures
    }

    /// Log files; `None` when the server writes none.
    pub const fn log(&self) -> Option<&LogFiles> {
        self.log.as_ref()
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

    /// This user, acting now by a request.
    #[must_use]
    pub fn actor(&self, call: &Call) -> Actor {
        audit::requested(
            call.method(),
            call.route(),
            call.request_id(),
            call.trace(),
            &self.caller.name,
        )
    }
}

/// A user with the role `admin`. Handlers restricted to admins take this instead of a [`User`].
#[derive(Clone, Debug)]
pub struct Admin(User);

impl Authorized<User> for Admin {
    // rule: R-AUT-03, D-ERR-04
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
