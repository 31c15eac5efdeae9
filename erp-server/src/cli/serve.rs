//! `erp-server serve`: serve until SIGTERM or SIGINT.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use clap::ArgMatches;
use erp_core::Erp;
use jiff::{SignedDuration, Timestamp};
use salvo::conn::{Acceptor as _, Listener as _, TcpListener};

use super::media::grace;
use super::{Failure, open_store, runtime, settings};
use crate::app::{App, core_settings, load_towns};
use crate::backup::Backups;
use crate::config::Settings;
use crate::media::{Unnamed, collect};
use crate::page::Page;
use crate::store::SledStore;
use crate::{api, events, http, logging};

/// How long requests that have begun may take after the signal to stop.
const GRACE: Duration = Duration::from_secs(10);

/// How often rows of expired tokens are removed.
const TIDY_EVERY: Duration = Duration::from_secs(60);

/// How often media files without a record are removed.
const COLLECT_EVERY: Duration = Duration::from_secs(3_600);

pub(super) fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let settings = settings(matches)?;
    let store = open_store(&settings)?;
    serve(settings, store, |_, address| {
        println!("listening on http://{address}")
    })
}

/// Serves a store until a signal ends it. `ready` is told the chosen address before the first request.
pub(super) fn serve(
    settings: Settings,
    store: SledStore,
    ready: impl FnOnce(&Arc<App<SledStore>>, std::net::SocketAddr),
) -> Result<(), Failure> {
    let mut core = core_settings(&settings);
    load_towns(&settings, &mut core)?;
    let page = match &settings.page_dir {
        Some(folder) => Page::read(folder)?,
        None => Page::default(),
    };
    let log = logging::start(&settings, false)?;
    let runtime = runtime()?;
    let closing = store.clone();
    let settings = Arc::new(settings);
    let served = runtime.block_on(async {
        let backups = Backups::of(Arc::new(store.clone()));
        let app = App::with_backups(
            Erp::new(store, core),
            Arc::clone(&settings),
            Some(log.clone()),
            backups,
        );
        let listener = TcpListener::new(settings.listen).try_bind().await;
        let acceptor = listener.map_err(|error| {
            Failure::new(format!("cannot listen on {}: {error}", settings.listen))
        })?;
        let address = acceptor
            .holdings()
            .first()
            .and_then(|holding| holding.local_addr.clone().into_std());
        let address = address.unwrap_or(settings.listen);
        let service = http::service(&app, page.routes(api::routes()));
        let server = http::server(acceptor, &settings);
        let handle = server.handle();
        let stop = stop_signal()?;
        tokio::spawn(async move {
            stop.await;
            tracing::info!("stopping");
            handle.stop_graceful(GRACE);
        });
        if !app.erp().store().is_proved() {
            let store = app.erp().store().clone();
            tokio::task::spawn_blocking(move || match store.read_all() {
                Ok(records) => tracing::info!(records, "every record was read"),
                Err(error) => {
                    tracing::error!(%error, "a record is damaged; nothing is written any more")
                }
            });
        }
        tokio::spawn(tidy(Arc::clone(&app)));
        tokio::spawn(collect_media(Arc::clone(&app)));
        tokio::spawn(events::run(Arc::clone(&app), events::Pace::default()));
        tracing::info!(address = %address, version = env!("CARGO_PKG_VERSION"), "serving");
        ready(&app, address);
        server
            .try_serve(service)
            .await
            .map_err(|error| Failure::new(format!("the server stopped: {error}")))
    });
    runtime.shutdown_timeout(GRACE);
    closing.close()?;
    tracing::info!("stopped");
    log.flush()?;
    served
}

/// Removes rows nobody needs any more, for ever.
async fn tidy(app: Arc<App<SledStore>>) {
    loop {
        tokio::time::sleep(TIDY_EVERY).await;
        if let Err(error) = app.erp().remove_expired_tokens(Timestamp::now()).await {
            tracing::warn!(%error, "expired tokens could not be removed");
        }
        if let Err(error) = app.erp().remove_expired_answers(Timestamp::now()).await {
            tracing::warn!(%error, "expired answers could not be removed");
        }
        if let Err(error) = app
            .erp()
            .remove_old_events(events_until(app.settings()))
            .await
        {
            tracing::warn!(%error, "old events could not be removed");
        }
        let zugferd = app.zugferd().clone();
        let removal = move || zugferd.remove_old_work_files(SystemTime::now());
        if let Ok(Err(error)) = tokio::task::spawn_blocking(removal).await {
            tracing::warn!(%error, "old e-invoice work files could not be removed");
        }
    }
}

/// Removes media files that no record names, for ever.
async fn collect_media(app: Arc<App<SledStore>>) {
    let grace = grace(app.settings());
    loop {
        tokio::time::sleep(COLLECT_EVERY).await;
        match collect(app.erp(), app.bodies(), grace, Unnamed::Remove).await {
            Ok(collected) if collected.unnamed.is_empty() => (),
            Ok(collected) => {
                let (files, bytes) = (collected.unnamed.len(), collected.bytes());
                tracing::info!(files, bytes, "media files without a record removed");
            }
            Err(error) => tracing::warn!(%error, "media files could not be collected"),
        }
    }
}

/// Events handed to delivery before this time are not kept any more.
fn events_until(settings: &Settings) -> Timestamp {
    let kept = SignedDuration::from_hours(i64::from(settings.event_log_days).saturating_mul(24));
    Timestamp::now().checked_sub(kept).unwrap_or(Timestamp::MIN)
}

/// The signal to stop. It is listened for from now on, so that one that comes right after the start does
/// not end the process before the store is closed.
fn stop_signal() -> std::io::Result<impl Future<Output = ()> + Send> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let mut terminate = signal(SignalKind::terminate())?;
        let mut interrupt = signal(SignalKind::interrupt())?;
        Ok(async move {
            tokio::select! {
                _ = terminate.recv() => (),
                _ = interrupt.recv() => (),
            }
        })
    }
    #[cfg(not(unix))]
    Ok(async {
        let _ = tokio::signal::ctrl_c().await;
    })
}
