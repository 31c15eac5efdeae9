//! Carries out commands by requests of the interface for admins: on a running server, or in this process on the store of
//! a data folder or database. Each command is written once, for both.

use std::ops::Deref;
use std::sync::Arc;

use clap::Args;
use erp_core::Erp;
use erp_core::master::{Caller, Role};
use erp_core::text::Text;
use http_body_util::BodyExt as _;
use hyper::{Method, Request, Response, StatusCode};
use serde_json::Value;

use super::failure::Failure;
use super::open::{Opening, open_erp, runtime};
use super::remote::{Body, JSON, Remote, RemoteArgs, json_of, reason};
use super::settings_args::SettingsArgs;
use crate::backup::Backups;
use crate::config::Settings;
use crate::observe::audit::COMMAND_LINE;
use crate::resources::{self, App, User};
use crate::serve;
use crate::store::Store;
use crate::web::{self, Query, Service};

/// What carries out the requests of a command.
pub(super) enum Backend {
    /// This process, on a store that no server has open.
    Store(Box<Local>, Box<Settings>),
    /// A running server.
    Server(Box<Remote>),
}

/// The interface on the store of this process, without socket and without the jobs of a server. Its user is the command.
pub(super) struct Local {
    app: Arc<App>,
    service: Service,
    user: User,
}

/// The options for both.
#[derive(Debug, Args)]
pub(super) struct BackendArgs {
    #[command(flatten)]
    remote: RemoteArgs,
    #[command(flatten)]
    settings: SettingsArgs,
}

impl BackendArgs {
    /// Sends the only request of a command; returns the field `data` of the response.
    pub(super) fn request(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Value, Failure> {
        self.run(async |backend| backend.data(method, path, body).await)
    }

    /// Runs a command and closes the store or session.
    pub(super) fn run<T>(
        &self,
        work: impl AsyncFnOnce(&Backend) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        self.run_on(Opening::Existing, work)
    }

    /// The same for a command that may start with an empty data folder.
    pub(super) fn run_on_new<T>(
        &self,
        work: impl AsyncFnOnce(&Backend) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        self.run_on(Opening::InFolder, work)
    }

    fn run_on<T>(
        &self,
        opening: Opening,
        work: impl AsyncFnOnce(&Backend) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        runtime()?.block_on(async {
            let backend = self.open(opening).await?;
            let done = work(&backend).await;
            let closed = backend.close().await;
            done.and_then(|done| closed.map(|()| done))
        })
    }

    async fn open(&self, opening: Opening) -> Result<Backend, Failure> {
        if let Some(remote) = self.remote.log_in().await? {
            return Ok(Backend::Server(Box::new(remote)));
        }
        let settings = self.settings.load()?;
        let local = Local::new(open_erp(&settings, opening)?, &settings)?;
        Ok(Backend::Store(Box::new(local), Box::new(settings)))
    }

    /// Rejects reading standard input for `what` when the login reads it too.
    pub(super) fn require_stdin(&self, what: &str) -> Result<(), Failure> {
        match self.remote.reads_stdin() {
            true => Err(Failure::usage(format!(
                "standard input holds {what}: `--server` needs `--user-password-file` here"
            ))),
            false => Ok(()),
        }
    }
}

impl Backend {
    /// Sends a request; returns the JSON body of the response.
    pub(super) async fn call(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Value, Failure> {
        match self {
            Self::Store(local, _) => {
                json_of(successful(local.request(method, path, body).await?).await?).await
            }
            Self::Server(remote) => remote.call(method, path, body).await,
        }
    }

    /// The same; returns the field `data` of the response.
    pub(super) async fn data(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Value, Failure> {
        let mut response = self.call(method, path, body).await?;
        let data = response.get_mut("data").map(Value::take);
        Ok(data.unwrap_or_default())
    }

    /// Requests a file; `None` if there is none at this path.
    pub(super) async fn open_existing(
        &self,
        path: &str,
    ) -> Result<Option<Response<Body>>, Failure> {
        match self {
            Self::Store(local, _) => local.open_existing(path).await,
            Self::Server(remote) => remote.open_existing(path).await,
        }
    }

    async fn close(self) -> Result<(), Failure> {
        match self {
            Self::Store(local, _) => local.store().close()?,
            Self::Server(remote) => remote.log_out().await,
        }
        Ok(())
    }
}

impl Local {
    fn new(erp: Erp<Store>, settings: &Settings) -> Result<Self, Failure> {
        let mut settings = settings.clone();
        // A command may take as long as it needs.
        settings.limits.request_timeout_seconds = u64::MAX;
        let app = serve::app(erp, &settings, None, Backups::default());
        let name = Text::new(COMMAND_LINE)?;
        Ok(Self {
            service: web::service(&app, resources::routes()),
            app,
            user: User {
                caller: Caller::new(name, Role::Admin, None),
                token: None,
            },
        })
    }

    async fn open_existing(&self, path: &str) -> Result<Option<Response<Body>>, Failure> {
        let response = self.request(Method::GET, path, None).await?;
        match response.status() {
            StatusCode::NOT_FOUND => Ok(None),
            _ => successful(response).await.map(Some),
        }
    }

    async fn request(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Response<Body>, Failure> {
        let body = body.map(serde_json::to_vec).transpose()?;
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header("host", "localhost")
            .header("content-type", JSON)
            .body(body.unwrap_or_default())?;
        let response = web::run_here(&self.service, self.user.clone(), request).await;
        let response = response.map_err(Failure::new)?;
        Ok(response.map(|body| Body::new(body.map_err(Into::into))))
    }
}

/// The response, unless it is an error of this process.
async fn successful(response: Response<Body>) -> Result<Response<Body>, Failure> {
    match response.status().is_success() {
        true => Ok(response),
        false => Err(Failure::new(reason(response, &|_| None).await)),
    }
}

/// An import works on the store without requests.
impl Deref for Local {
    type Target = Erp<Store>;

    fn deref(&self) -> &Erp<Store> {
        &self.app.erp
    }
}

/// The query of a path, of the parameters that are given.
pub(super) fn query(parameters: &[(&str, Option<&str>)]) -> String {
    let given = parameters.iter();
    let given: Vec<(&str, &str)> = given
        .filter_map(|(name, text)| Some((*name, (*text)?)))
        .collect();
    Query::default().with(&given)
}
