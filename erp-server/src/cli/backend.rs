//! Runs commands either on the store of a data folder or on a running server. Each group of commands defines its
//! operations for both, with the same JSON result, and prints the result in one place.

use clap::Args;
use erp_core::Erp;

use super::failure::Failure;
use super::open::{Opening, open_erp, runtime};
use super::remote::{Remote, RemoteArgs};
use super::settings_args::SettingsArgs;
use crate::config::Settings;
use crate::store::Store;

/// Where a command runs. Operations return the JSON of the endpoints, which the command line renders.
pub(super) enum Backend {
    /// The store of a data folder that no server has open.
    Store(Box<Erp<Store>>, Box<Settings>),
    /// A running server.
    Server(Box<Remote>),
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
        let erp = open_erp(&settings, opening)?;
        Ok(Backend::Store(Box::new(erp), Box::new(settings)))
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
    async fn close(self) -> Result<(), Failure> {
        match self {
            Self::Store(erp, _) => erp.store().close()?,
            Self::Server(remote) => remote.log_out().await,
        }
        Ok(())
    }
}
