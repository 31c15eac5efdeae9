//! What signals do: SIGTERM and SIGINT end the server, SIGHUP reloads files.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::web::{Certificates, Handle, HttpState, ShopPage};

#[derive(Clone)]
pub(super) struct Shutdown {
    pub(super) http_state: Arc<HttpState>,
    pub(super) servers: Vec<Handle>,
    /// Time between the signal, when the server is no longer ready, and the end of listening.
    pub(super) delay: Duration,
    pub(super) grace: Duration,
}

impl Shutdown {
    /// Graceful shutdown at the first signal, immediate shutdown at the second; one more is needed when the first
    /// starts a delay. Acknowledged commits are stored either way.
    pub(super) async fn on(self, mut signals: UnboundedReceiver<()>) {
        let _ = signals.recv().await;
        tracing::info!("stopping");
        self.http_state.stop();
        if !self.delay.is_zero() {
            let _ = tokio::time::timeout(self.delay, signals.recv()).await;
        }
        self.stop(self.grace);
        let _ = signals.recv().await;
        tracing::warn!("stopping at once; requests that are worked on are cut off");
        self.servers.iter().for_each(Handle::stop_now);
    }

    pub(super) fn stop(&self, grace: Duration) {
        self.servers.iter().for_each(|server| server.stop(grace));
    }
}

/// The stop signals. Handlers are installed by this call, so that a signal right after the start does not end the
/// process before the store is closed.
pub(super) fn stop_signals() -> io::Result<UnboundedReceiver<()>> {
    let (sender, receiver) = unbounded_channel();
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        for kind in [SignalKind::terminate(), SignalKind::interrupt()] {
            let (mut signals, sender) = (signal(kind)?, sender.clone());
            tokio::spawn(async move {
                while signals.recv().await.is_some() && sender.send(()).is_ok() {}
            });
        }
    }
    #[cfg(not(unix))]
    tokio::spawn(async move {
        while tokio::signal::ctrl_c().await.is_ok() && sender.send(()).is_ok() {}
    });
    Ok(receiver)
}

/// Reloads certificate, key and page on SIGHUP. What cannot be read stays unchanged.
#[cfg(unix)]
pub(super) fn reload_on_hangup(
    certificates: Vec<Arc<Certificates>>,
    page: Option<Arc<ShopPage>>,
) -> io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut hangups = signal(SignalKind::hangup())?;
    tokio::spawn(async move {
        while hangups.recv().await.is_some() {
            let (certificates, page) = (certificates.clone(), page.clone());
            let reload = move || {
                for certificates in certificates {
                    report("certificate", certificates.reload());
                }
                if let Some(page) = page {
                    report("page", page.reload());
                }
            };
            if let Err(error) = tokio::task::spawn_blocking(reload).await {
                tracing::error!(%error, "SIGHUP: nothing more was read again");
            }
        }
    });
    Ok(())
}

#[cfg(unix)]
fn report<E: std::fmt::Display>(what: &str, outcome: Result<(), E>) {
    match outcome {
        Ok(()) => tracing::info!("SIGHUP: the {what} was read again"),
        Err(error) => tracing::error!(%error, "SIGHUP: the {what} stays as it was"),
    }
}

#[cfg(not(unix))]
pub(super) fn reload_on_hangup(
    _: Vec<Arc<Certificates>>,
    _: Option<Arc<ShopPage>>,
) -> io::Result<()> {
    Ok(())
}
