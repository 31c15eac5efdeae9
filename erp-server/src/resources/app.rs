//! State of a running server, shared by all handlers.

use std::borrow::Cow;
use std::marker::PhantomData;
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use erp_core::Erp;
use erp_core::erp::{Office, Shop, Upkeep};
use erp_core::internal::master::Right;
use erp_core::internal::{Actor, TokenHash};
use jiff::Timestamp;
use schemars::JsonSchema;
use secrecy::SecretString;
use serde::Serialize;

use crate::backup::Backups;
use crate::delivery::Tester;
use crate::lane::Lane;
use crate::media::Bodies;
use crate::observe::audit;
use crate::observe::logging::LogFiles;
use crate::observe::readiness::{Ready, has_room};
use crate::openapi::operation::Described;
use crate::passwords::Passwords;
use crate::store::Store;
use crate::tokens;
use crate::web::{
    ApiError, ApiRequest, ApiResponse, Application, Authorized, Caller, HttpState, Result,
};
use crate::zugferd::Processor;

/// State shared by all handlers: core operations, HTTP layer, lanes of work, media, log.
pub struct App {
    pub erp: Arc<Erp<Store>>,
    pub options: ResourceOptions,
    pub http_state: Arc<HttpState>,
    pub passwords: Passwords,
    pub long_reads: Lane,
    /// Invoices get their numbers here, one at a time, because each waits for the number before it.
    pub invoicing: Lane,
    /// Documents that tokens of one customer read. Strangers get such tokens, and a document may have 1,000 positions.
    pub of_customers: Lane,
    /// E-invoices and pages of invoices. They are no [`App::long_reads`], because lists must not wait for them.
    pub invoice_pages: Lane,
    pub zugferd: Processor,
    pub bodies: Arc<Bodies>,
    /// Log files; `None` when the server writes none.
    pub log: Option<LogFiles>,
    /// Whether the place of the media files responds, as far as is known.
    pub media_responds: AtomicBool,
    pub data_dir: PathBuf,
    pub backups: Backups,
    pub tester: Tester,
    pub started: Timestamp,
}

impl App {
    /// Whether the server should get requests: a few atomic loads and one system call.
    pub fn ready(&self) -> Ready {
        let status = self.erp.store().status();
        Ready {
            store: status.works,
            writes: status.takes_writes,
            disk: has_room(&self.data_dir),
            media: self.media_responds.load(Ordering::Relaxed),
            serving: !self.http_state.stopping(),
        }
    }

    /// Reads a document: with a token of one customer in turns with the others, with a user's own at once.
    pub(super) async fn document(
        &self,
        caller: Option<String>,
        read: impl Future<Output = Result<ApiResponse>> + Send + 'static,
    ) -> Result<ApiResponse> {
        match caller {
            Some(customer) => self.of_customers.read(customer, read).await?,
            None => read.await,
        }
    }
}

pub(super) type Operation = Described<App>;

/// Server state as handlers receive it.
pub(super) type Shared = Arc<App>;

#[derive(Clone, Debug)]
pub struct ResourceOptions {
    pub token_lifetime_seconds: u64,
    pub expires_in_as_string: bool,
    pub shop_may_cancel: bool,
    /// Allow private, loopback and link-local addresses as targets of events.
    pub event_private_targets: bool,
    pub zugferd_timeout: Duration,
    /// What `GET /admin/settings` returns.
    pub settings: Vec<SettingValue>,
}

/// A setting with its value as text.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SettingValue {
    /// The name of the setting.
    pub name: &'static str,
    /// Its value; `null` is not set.
    pub value: Option<String>,
    /// The value without the setting.
    pub default: Option<&'static str>,
    /// The unit of the value.
    pub unit: &'static str,
}

#[derive(Clone, Debug)]
pub struct User {
    pub caller: erp_core::master::Caller,
    /// Hash of the bearer token sent with the request; `None` is the command line, whose requests come from this process.
    pub token: Option<TokenHash>,
}

impl User {
    /// What this user may do as a shop, now.
    pub fn shop<'a>(&'a self, app: &'a App) -> Shop<'a, Store> {
        app.erp.shop(&self.caller, Timestamp::now())
    }

    /// The user, or the customer of its token, as a caller of a lane.
    pub fn signature(&self) -> String {
        self.caller.signature().into_owned()
    }

    /// The customer of its token, as a caller of a lane.
    pub(super) fn customer(&self) -> Option<String> {
        (!self.is_user()).then(|| self.signature())
    }

    /// This user, acting now by a request or by the command of this process.
    pub fn actor(&self, request: &ApiRequest) -> Actor {
        let command = match self.token {
            Some(_) => None,
            None => audit::this_command(),
        };
        command.unwrap_or_else(|| request.actor(&self.signature()))
    }
}

/// What a handler asks of its user: a right, and whether the token of one customer will do.
pub trait Permission: Send + 'static {
    const RIGHT: Right;
    /// Whether a token of one customer is refused.
    const WHOLE_SHOP: bool = true;
}

pub trait OfOffice: Permission {}

/// A user with a permission. Handlers that are not for every user take one of these instead of a [`User`].
pub struct By<P>(User, PhantomData<P>);

pub type Trader = By<Trade>;
/// A user who orders, with a token for the whole shop.
pub type ShopUser = By<TradeOfShop>;
/// A user who works with the orders of all customers.
pub type Clerk = By<Orders>;
pub type Editor = By<MasterData>;
pub type Admin = By<Administration>;

/// [`Right::Trade`], with the token of one customer too.
pub struct Trade;

impl Permission for Trade {
    const RIGHT: Right = Right::Trade;
    const WHOLE_SHOP: bool = false;
}

pub struct TradeOfShop;

impl Permission for TradeOfShop {
    const RIGHT: Right = Right::Trade;
}

pub struct Orders;

impl Permission for Orders {
    const RIGHT: Right = Right::Orders;
}

impl OfOffice for Orders {}

pub struct MasterData;

impl Permission for MasterData {
    const RIGHT: Right = Right::MasterData;
}

impl OfOffice for MasterData {}

pub struct Administration;

impl Permission for Administration {
    const RIGHT: Right = Right::Administration;
}

impl OfOffice for Administration {}

/// The roles that have a right, as words.
pub(super) fn words(right: Right) -> Vec<&'static str> {
    right.roles().iter().map(|role| role.as_str()).collect()
}

pub(super) fn allow(user: &User, right: Right) -> Result<()> {
    if user.caller.role.may(right) {
        Ok(())
    } else {
        Err(ApiError::insufficient_scope(&words(right)))
    }
}

impl<P: OfOffice> By<P> {
    pub fn office<'a>(&self, app: &'a App) -> Office<'a, Store> {
        app.erp.office(Timestamp::now())
    }

    pub fn upkeep<'a>(&self, app: &'a App) -> Upkeep<'a, Store> {
        app.erp.upkeep(Timestamp::now())
    }
}

impl<P: Permission> Authorized<User> for By<P> {
    const REFUSES: bool = true;

    fn roles() -> Vec<&'static str> {
        words(P::RIGHT)
    }

    // rule: R-AUT-03, D-AUT-12, D-ERR-04
    fn authorize(user: User) -> Result<Self> {
        allow(&user, P::RIGHT)?;
        if P::WHOLE_SHOP && user.caller.customer.is_some() {
            return Err(ApiError::forbidden(sentence!("wire.whole_shop")));
        }
        Ok(Self(user, PhantomData))
    }
}

impl<P> Clone for By<P> {
    fn clone(&self) -> Self {
        Self(self.0.clone(), PhantomData)
    }
}

impl<P> Deref for By<P> {
    type Target = User;

    fn deref(&self) -> &User {
        &self.0
    }
}

impl Caller for User {
    fn name(&self) -> Cow<'_, str> {
        self.caller.signature()
    }

    // rule: D-NET-15
    fn is_user(&self) -> bool {
        self.caller.customer.is_none()
    }
}

impl Application for App {
    type User = User;

    fn http_state(&self) -> &Arc<HttpState> {
        &self.http_state
    }

    async fn user_of(&self, token: SecretString) -> Result<Option<User>> {
        let token = tokens::hash(&token);
        let office = self.erp.office(Timestamp::now());
        let caller = office.users().caller(&token).await?;
        Ok(caller.map(|caller| User {
            caller,
            token: Some(token),
        }))
    }
}
