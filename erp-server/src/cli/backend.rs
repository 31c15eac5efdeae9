//! Carries out commands by requests of the interface for admins: on a running server, or in this process on the store of
//! a data folder or database. Each command is written once, for both.

use std::sync::Arc;

use clap::Args;
use erp_core::Erp;
use erp_core::master::{Caller, Role};
use erp_core::storage::StorageError;
use http_body_util::BodyExt as _;
use hyper::body::Bytes;
use hyper::{Method, Request, Response, StatusCode};
use serde_json::Value;

use super::failure::Failure;
use super::json::entries;
use super::open::{Opening, open_erp, runtime, trial_folder};
use super::print::{self, ListArgs, ResultArgs};
use super::remote::{Body, Content, Remote, RemoteArgs, json_of, reason, refusal};
use super::settings_args::SettingsArgs;
use crate::config::Settings;
use crate::observe::audit::COMMAND_LINE;
use crate::resources::{self, App, User};
use crate::serve;
use crate::store::Store;
use crate::web::{self, Query, Service};

const JSON: &str = "application/json";

/// Entries of a list per request.
const PAGE: usize = 1_000;

/// What carries out the requests of a command.
pub(super) enum Backend {
    /// This process, on a store that no server has open.
    Store(Box<Local>),
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
    pub(super) settings: SettingsArgs,
}

/// The options of a command that prints a list.
#[derive(Debug, Args)]
pub(super) struct ListingArgs {
    #[command(flatten)]
    pub(super) list: ListArgs,
    #[command(flatten)]
    pub(super) backend: BackendArgs,
}

/// The options of a command that prints one result.
#[derive(Debug, Args)]
pub(super) struct ChangeArgs {
    #[command(flatten)]
    pub(super) output: ResultArgs,
    #[command(flatten)]
    pub(super) backend: BackendArgs,
}

impl ListingArgs {
    /// Requests a list and prints it as a table with one row for each entry.
    pub(super) fn table<const N: usize>(
        &self,
        path: &str,
        head: [&str; N],
        row: impl Fn(&Value) -> [String; N],
    ) -> Result<(), Failure> {
        let listed = self.backend.request(Method::GET, path, None)?;
        self.list.print(entries(&listed), head, row);
        Ok(())
    }

    /// Requests a list page by page, of at most `limit` entries if there is one, while standard output is read.
    /// `print` gets the entries of a page, and whether it is the first.
    pub(super) fn pages(
        &self,
        path: &str,
        parameters: &[(&str, Option<&str>)],
        limit: Option<u32>,
        print: impl Fn(&[Value], bool),
    ) -> Result<(), Failure> {
        let limit = limit.and_then(|limit| usize::try_from(limit).ok());
        let mut left = limit.unwrap_or(usize::MAX);
        let mut after: Option<String> = None;
        self.backend.run(async |backend| {
            loop {
                let limit = left.min(PAGE).to_string();
                let place = [("after", after.as_deref()), ("limit", Some(limit.as_str()))];
                let path = format!("{path}{}", query(&[parameters, &place].concat()));
                let page = &backend.call(Method::GET, &path, None).await?;
                let listed = entries(&page["data"]);
                left = left.saturating_sub(listed.len());
                print(listed, after.is_none());
                match page["next"].as_str() {
                    Some(next) if left > 0 && print::is_read() => after = Some(next.to_owned()),
                    _ => return Ok(()),
                }
            }
        })
    }
}

impl ChangeArgs {
    /// Sends the only request of a command; prints what `result` makes of the response, as JSON or in words.
    pub(super) fn request(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
        result: impl FnOnce(Value) -> (Value, String),
    ) -> Result<(), Failure> {
        let (result, words) = result(self.backend.request(method, path, body)?);
        self.output.print(&result, words);
        Ok(())
    }
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
    pub(super) fn run_on<T>(
        &self,
        opening: Opening,
        work: impl AsyncFnOnce(&Backend) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        runtime()?.block_on(async {
            if let Some(remote) = self.remote.log_in().await? {
                return Backend::Server(Box::new(remote)).finish(work).await;
            }
            run_here(self.settings.load()?, opening, work).await
        })
    }

    pub(super) const fn is_of_server(&self) -> bool {
        self.remote.server.is_some()
    }

    /// Rejects reading standard input for `what` when the login reads it too.
    pub(super) fn require_stdin(&self, what: &str) -> Result<(), Failure> {
        if !self.remote.reads_stdin() {
            return Ok(());
        }
        Err(Failure::usage(format!(
            "standard input holds {what}: `--server` needs `--user-password-file` here"
        )))
    }
}

/// Runs a command on the store of these settings, and closes it.
pub(super) async fn run_here<T>(
    mut settings: Settings,
    opening: Opening,
    work: impl AsyncFnOnce(&Backend) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let _trial = trial_folder(&mut settings, opening)?;
    let local = Local::new(open_erp(&settings, opening)?, &settings)?;
    Backend::Store(Box::new(local)).finish(work).await
}

impl Backend {
    async fn finish<T>(
        self,
        work: impl AsyncFnOnce(&Self) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let done = work(&self).await;
        let closed = match self {
            Self::Store(local) => local.app.erp.store().close(),
            Self::Server(remote) => {
                remote.log_out().await;
                Ok(())
            }
        };
        match closed {
            Ok(()) => done,
            // What was done is in the journal, and its result may be a password that nobody sees again.
            Err(StorageError::Unavailable(why)) if done.is_ok() => {
                complain!("erp-server: warning: {why}; what was changed is safe in the journal");
                done
            }
            Err(error) => done.and(Err(error.into())),
        }
    }

    /// Sends a request; returns the JSON body of the response.
    pub(super) async fn call(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Value, Failure> {
        let body = body.map(serde_json::to_vec).transpose()?;
        let content = body.map(|body| (JSON, Bytes::from(body)));
        let may_repeat = method == Method::GET;
        let response = self.send(method, path, content, may_repeat).await?;
        json_of(self.successful(response).await?).await
    }

    /// The same; returns the field `data` of the response.
    pub(super) async fn data(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Value, Failure> {
        Ok(data(self.call(method, path, body).await?))
    }

    /// Requests a file or a long list.
    pub(super) async fn open(&self, path: &str) -> Result<Response<Body>, Failure> {
        let response = self.send(Method::GET, path, None, true).await?;
        self.successful(response).await
    }

    /// The same; `None` if there is nothing at this path.
    pub(super) async fn open_existing(
        &self,
        path: &str,
    ) -> Result<Option<Response<Body>>, Failure> {
        let response = self.send(Method::GET, path, None, true).await?;
        match response.status() {
            StatusCode::NOT_FOUND => Ok(None),
            _ => self.successful(response).await.map(Some),
        }
    }

    /// Sends a request, and again when the server is busy, if that does no harm.
    pub(super) async fn send(
        &self,
        method: Method,
        path: &str,
        content: Option<Content>,
        may_repeat: bool,
    ) -> Result<Response<Body>, Failure> {
        match self {
            Self::Store(local) => local.send(method, path, content).await,
            Self::Server(remote) => remote.send(method, path, content, may_repeat).await,
        }
    }

    /// The response, unless it is an error.
    pub(super) async fn successful(
        &self,
        response: Response<Body>,
    ) -> Result<Response<Body>, Failure> {
        if response.status().is_success() {
            return Ok(response);
        }
        Err(match self {
            Self::Store(_) => Failure::new(reason(response).await),
            Self::Server(_) => refusal(response).await,
        })
    }
}

pub(super) fn data(mut response: Value) -> Value {
    let data = response.get_mut("data").map(Value::take);
    data.unwrap_or_default()
}

impl Local {
    fn new(erp: Erp<Store>, settings: &Settings) -> Result<Self, Failure> {
        let mut settings = settings.clone();
        // A command may take as long as it needs.
        settings.limits.request_timeout_seconds = u64::MAX;
        let app = serve::app(erp, &settings, None);
        Ok(Self {
            service: web::service(&app, resources::routes()),
            app,
            user: User {
                caller: Caller::new(COMMAND_LINE, Role::Admin, None)?,
                token: None,
            },
        })
    }

    async fn send(
        &self,
        method: Method,
        path: &str,
        content: Option<Content>,
    ) -> Result<Response<Body>, Failure> {
        let (media_type, bytes) = content.unwrap_or((JSON, Bytes::new()));
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header("host", "localhost")
            .header("content-type", media_type)
            .body(bytes.into())?;
        let response = web::run_here(&self.service, self.user.clone(), request).await;
        let response = response.map_err(Failure::new)?;
        Ok(response.map(|body| Body::new(body.map_err(Into::into))))
    }
}

pub(super) fn query(parameters: &[(&str, Option<&str>)]) -> String {
    let given = parameters.iter();
    let given: Vec<(&str, &str)> = given
        .filter_map(|(name, text)| Some((*name, (*text)?)))
        .collect();
    Query::default().with(&given).to_string()
}
