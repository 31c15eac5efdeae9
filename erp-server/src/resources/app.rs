//! State of a running server, shared by all handlers.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use erp_core::Erp;
use erp_core::erp::{Actor, Office, Shop, TokenHash, Upkeep};
use erp_core::master::Role;
use jiff::Timestamp;
use secrecy::SecretString;

use crate::backup::Backups;
use crate::delivery::Tester;
use crate::lane::Lane;
use crate::media::Bodies;
use crate::observe::audit;
use crate::observe::figures::Figures;
use crate::observe::logging::LogFiles;
use crate::observe::readiness::Readiness;
use crate::openapi::operation::Described;
use crate::passwords::Passwords;
use crate::store::Store;
use crate::tokens;
use crate::web::{ApiError, ApiRequest, Application, Authorized, Caller, HttpState};
use crate::zugferd::Processor;

/// State shared by all handlers: core operations, HTTP layer, lanes of work, media, log.
pub struct App {
    /// Business operations on the store.
    pub erp: Arc<Erp<Store>>,
    /// Options of the handlers.
    pub options: Options,
    /// State of the HTTP layer.
    pub http_state: Arc<HttpState>,
    /// Computes and checks password hashes.
    pub passwords: Passwords,
    /// Reads that may be long.
    pub long_reads: Lane,
    /// The e-invoice processor.
    pub zugferd: Processor,
    /// Storage of article media files.
    pub bodies: Arc<Bodies>,
    /// Log files; `None` when the server writes none.
    pub log: Option<LogFiles>,
    /// Checks of `GET /health/ready`.
    pub readiness: Readiness,
    /// Backups this server offers; by default none.
    pub backups: Backups,
    /// Sends tests to receivers of events.
    pub tester: Tester,
    /// Start and store of the server.
    pub figures: Figures,
}

/// An operation of a path: its handler and its description.
pub(super) type Operation = Described<App>;

/// Server state as handlers receive it.
pub(super) type Shared = Arc<App>;

/// Options of the handlers.
#[derive(Clone, Debug)]
pub struct Options {
    /// Lifetime of a bearer token.
    pub token_lifetime_seconds: u64,
    /// Send `expires_in` as a string.
    pub expires_in_as_string: bool,
    /// Shops may cancel their own new orders.
    pub shop_may_cancel: bool,
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

impl fmt::Debug for App {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("App").finish_non_exhaustive()
    }
}

/// Authenticated user of a request.
#[derive(Clone, Debug)]
pub struct User {
    /// Name and role of the user.
    pub caller: erp_core::master::Caller,
    /// Hash of the bearer token sent with the request; `None` is the command line, whose requests come from this process.
    pub token: Option<TokenHash>,
}

impl User {
    /// What this user may do as a shop, now.
    #[must_use]
    pub fn shop<'a>(&'a self, app: &'a App) -> Shop<'a, Store> {
        app.erp.shop(&self.caller, Timestamp::now())
    }

    /// This user, acting now by a request or by the command of this process.
    #[must_use]
    pub fn actor(&self, request: &ApiRequest) -> Actor {
        let command = match self.token {
            Some(_) => None,
            None => audit::this_command(),
        };
        command.unwrap_or_else(|| {
            audit::requested(
                request.method(),
                request.route(),
                request.request_id(),
                request.trace(),
                &self.caller.signature(),
            )
        })
    }
}

/// A user with a token for the whole shop. Handlers that are not for the token of one customer take this instead of a
/// [`User`].
#[derive(Clone, Debug)]
pub struct ShopUser(User);

impl Authorized<User> for ShopUser {
    const REFUSES: bool = true;

    // rule: D-AUT-12
    fn authorize(user: User) -> Result<Self, ApiError> {
        match user.caller.customer {
            None => Ok(Self(user)),
            Some(_) => Err(ApiError::forbidden(
                "a token of one customer does not reach this endpoint",
            )),
        }
    }
}

impl Deref for ShopUser {
    type Target = User;

    fn deref(&self) -> &User {
        &self.0
    }
}

/// A user with the role `admin`. Handlers restricted to admins take this instead of a [`User`].
#[derive(Clone, Debug)]
pub struct Admin(User);

impl Admin {
    /// What the back office does, now.
    #[must_use]
    pub fn office<'a>(&self, app: &'a App) -> Office<'a, Store> {
        app.erp.office(Timestamp::now())
    }

    /// The upkeep of the store, now.
    #[must_use]
    pub fn upkeep<'a>(&self, app: &'a App) -> Upkeep<'a, Store> {
        app.erp.upkeep(Timestamp::now())
    }
}

impl Authorized<User> for Admin {
    const REFUSES: bool = true;

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
    fn name(&self) -> Cow<'_, str> {
        self.caller.signature()
    }
}

impl Application for App {
    type User = User;

    fn http_state(&self) -> &Arc<HttpState> {
        &self.http_state
    }

    async fn user_of(&self, token: SecretString) -> Result<Option<User>, ApiError> {
        let token = tokens::hash(&token);
        let office = self.erp.office(Timestamp::now());
        let caller = office.users().caller(&token).await?;
        Ok(caller.map(|caller| User {
            caller,
            token: Some(token),
        }))
    }
}
