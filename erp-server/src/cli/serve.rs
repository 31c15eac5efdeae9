//! `erp-server serve`: runs the server until SIGTERM or SIGINT.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use clap::ArgMatches;
use erp_core::Erp;
use erp_core::erp::Leased;
use jiff::{SignedDuration, Timestamp};
use tokio::runtime::Runtime;

use super::config::clear_text;
use super::media::grace;
use super::{Failure, STORE_FAILED, open_on, runtime, settings};
use crate::app::{App, core_settings, load_towns};
use crate::backup::Backups;
use crate::config::Settings;
use crate::http::{Application as _, Certificates, Handle, Listener, Server};
use crate::leases::LeaderTask;
use crate::media::{Bodies, Unnamed, collect, remove_abandoned};
use crate::page::Page;
use crate::store::Store;
use crate::{api, events, http, logging, metrics};

/// Time limit at shutdown for work that no request waits for.
const LEFT_OVER: Duration = Duration::from_secs(10);

/// Polling interval of the check that the store accepts writes.
const LOOK_FOR_FAILURE: Duration = Duration::from_millis(250);

/// Time limit for requests in progress after the store failed.
const AFTER_FAILURE: Duration = Duration::from_secs(5);

/// Interval for removing expired token rows.
const TIDY_EVERY: Duration = Duration::from_secs(60);

/// Duration of the cleanup lease: if its holder crashes, cleanup pauses this long.
const TIDY_LEASE: Duration = Duration::from_secs(3_600);

/// Interval for removing media files without a record.
const COLLECT_EVERY: Duration = Duration::from_secs(3_600);

pub(super) fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let settings = settings(matches)?;
    let runtime = runtime()?;
    let store = open_on(&runtime, &settings)?;
    serve(settings, runtime, store, |_, address| {
        say!("listening on {address}")
    })
}

/// Runs the server until a signal ends it. `ready` gets the listening address before the first request.
pub(super) fn serve(
    settings: Settings,
    runtime: Runtime,
    store: Store,
    ready: impl FnOnce(&Arc<App<Store>>, &str),
) -> Result<(), Failure> {
    if let Some(warning) = clear_text(&settings) {
        complain!("erp-server: warning: {warning}");
    }
    let mut core = core_settings(&settings);
    load_towns(&settings, &mut core)?;
    let page = settings.page_dir.as_deref().map(Page::read).transpose()?;
    let page = page.map(Arc::new);
    // Invalid media settings end the start; an unavailable service does not.
    drop(Bodies::of(&settings)?);
    let log = logging::start(&settings, false)?;
    let closing = store.clone();
    let settings = Arc::new(settings);
    let served: Result<Option<String>, Failure> = runtime.block_on(async {
        let backups = Backups::of(Arc::new(store.clone()));
        let app = App::with_backups(
            Erp::new(store, core),
            Arc::clone(&settings),
            Some(log.clone()),
            backups,
        );
        let listener = Listener::bind(app.http_state()).await?;
        let address = listener.address().to_owned();
        let certificates = listener.certificates().cloned();
        let routes = match &page {
            Some(page) => page.routes(api::routes()),
            None => api::routes(),
        };
        let service = http::service(&app, routes);
        if let Some(address) = metrics::watch(&app).await? {
            say!("metrics on http://{address}/metrics");
        }
        let server = Server::new(listener, service);
        tokio::spawn(stop(stop_signals()?, Arc::clone(&app), server.handle()));
        let failed = tokio::spawn(stop_on_failure(Arc::clone(&app), server.handle()));
        reload_on_signal(certificates, page)?;
        tell_of_connections(&settings);
        warn_of_risks(app.erp().store()).await;
        if let Store::Sled(store) = app.erp().store().clone()
            && !store.is_proved()
        {
            tokio::task::spawn_blocking(move || match store.read_all() {
                Ok(records) => tracing::info!(records, "every record was read"),
                Err(error) => {
                    tracing::error!(%error, "a record is damaged")
                }
            });
        }
        tokio::spawn(tidy(Arc::clone(&app)));
        tokio::spawn(collect_media(Arc::clone(&app)));
        // The embedded store belongs to one process, so all existing leases are stale.
        if let Store::Sled(_) = app.erp().store()
            && let Err(error) = app.erp().leases().end_all().await
        {
            tracing::warn!(%error, "leases of an earlier run could not be ended");
        }
        let (stop_events, stopped) = tokio::sync::oneshot::channel::<()>();
        let pace = events::Pace::default();
        let events = tokio::spawn(events::run_until(Arc::clone(&app), pace, stopped));
        tracing::info!(address, version = env!("CARGO_PKG_VERSION"), "serving");
        ready(&app, &address);
        server.serve().await;
        drop(stop_events);
        let _ = events.await;
        // If the task has ended, its result is the reason.
        Ok(match failed.is_finished() {
            true => failed.await.unwrap_or_default(),
            false => None,
        })
    });
    runtime.shutdown_timeout(LEFT_OVER);
    let closed = closing.close();
    tracing::info!("stopped");
    let flushed = log.flush();
    if let Some(reason) = served? {
        return Err(Failure {
            code: STORE_FAILED,
            message: format!("the store failed while it was served: {reason}"),
        });
    }
    // An error of closing the store takes precedence over an error of the log.
    closed?;
    Ok(flushed?)
}

/// Stops the server when the store accepts no more writes, so that a supervisor restarts it: only a start can repair
/// the store. Returns the reason.
async fn stop_on_failure(app: Arc<App<Store>>, server: Handle) -> Option<String> {
    let Store::Sled(store) = app.erp().store().clone() else {
        return None;
    };
    let reason = loop {
        if let Some(reason) = store.writes_refused() {
            break reason;
        }
        tokio::time::sleep(LOOK_FOR_FAILURE).await;
    };
    tracing::error!(reason, "the store failed; the server ends");
    app.http_state().stop();
    let seconds = app.settings().shutdown_seconds;
    server.stop(Duration::from_secs(seconds).min(AFTER_FAILURE));
    Some(reason)
}

/// Removes expired rows, forever.
async fn tidy(app: Arc<App<Store>>) {
    let mut duty = LeaderTask::new(Leased::Housekeeping, TIDY_LEASE);
    loop {
        tokio::time::sleep(TIDY_EVERY).await;
        if duty.is_ours(&app).await {
            remove_rows(&app).await;
        }
        let zugferd = app.zugferd().clone();
        let removal = move || zugferd.remove_old_work_files(SystemTime::now());
        if let Ok(Err(error)) = tokio::task::spawn_blocking(removal).await {
            tracing::warn!(%error, "old e-invoice work files could not be removed");
        }
    }
}

async fn remove_rows(app: &App<Store>) {
    if let Err(error) = app
        .erp()
        .users()
        .remove_expired_tokens(Timestamp::now())
        .await
    {
        tracing::warn!(%error, "expired tokens could not be removed");
    }
    if let Err(error) = app.erp().remove_expired_answers(Timestamp::now()).await {
        tracing::warn!(%error, "expired answers could not be removed");
    }
    if let Err(error) = app
        .erp()
        .events()
        .remove_old(events_until(app.settings()))
        .await
    {
        tracing::warn!(%error, "old events could not be removed");
    }
    if let Some(before) = audit_until(app.settings())
        && let Err(error) = app.erp().audit().remove_old(before).await
    {
        tracing::warn!(%error, "old audit entries could not be removed");
    }
}

/// Removes media files that no record refers to, forever.
async fn collect_media(app: Arc<App<Store>>) {
    let grace = grace(app.settings());
    let mut duty = LeaderTask::new(Leased::MediaCollection, COLLECT_EVERY.saturating_mul(2));
    let bodies = Arc::clone(app.bodies());
    let probe = tokio::task::spawn_blocking(move || bodies.probe()).await;
    if let Ok(Err(error)) = probe {
        tracing::error!(%error, "the place of the media files cannot be used");
    }
    loop {
        tokio::time::sleep(COLLECT_EVERY).await;
        if !duty.is_ours(&app).await {
            if let Err(error) = remove_abandoned(app.bodies(), grace).await {
                tracing::warn!(%error, "files that were begun could not be removed");
            }
            continue;
        }
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

/// Delivered events older than this are removed.
fn events_until(settings: &Settings) -> Timestamp {
    let kept = SignedDuration::from_hours(i64::from(settings.event_log_days).saturating_mul(24));
    Timestamp::now().checked_sub(kept).unwrap_or(Timestamp::MIN)
}

/// Audit entries older than this are removed; `None` keeps all.
fn audit_until(settings: &Settings) -> Option<Timestamp> {
    let days = i64::from(settings.audit_days);
    let kept = SignedDuration::from_hours(days.saturating_mul(24));
    let before = Timestamp::now().checked_sub(kept).ok();
    before.filter(|_| days > 0)
}

/// Graceful shutdown at the first signal, immediate shutdown at the second; one more is needed when the first starts a
/// delay. Acknowledged commits are stored either way.
async fn stop(
    mut signals: tokio::sync::mpsc::UnboundedReceiver<()>,
    app: Arc<App<Store>>,
    server: Handle,
) {
    let _ = signals.recv().await;
    tracing::info!("stopping");
    app.http_state().stop();
    let settings = app.settings();
    let delay = Duration::from_secs(settings.shutdown_delay_seconds);
    if !delay.is_zero() {
        let _ = tokio::time::timeout(delay, signals.recv()).await;
    }
    server.stop(Duration::from_secs(settings.shutdown_seconds));
    let _ = signals.recv().await;
    tracing::warn!("stopping at once; requests that are worked on are cut off");
    server.stop_now();
}

/// The stop signals. Handlers are installed by this call, so that a signal right after the start does not end the
/// process before the store is closed.
fn stop_signals() -> std::io::Result<tokio::sync::mpsc::UnboundedReceiver<()>> {
    let (sender, receiver) = tokio::sync::mpsc::unbounded_channel();
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
fn reload_on_signal(
    certificates: Option<Arc<Certificates>>,
    page: Option<Arc<Page>>,
) -> std::io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut hangups = signal(SignalKind::hangup())?;
    tokio::spawn(async move {
        while hangups.recv().await.is_some() {
            let (certificates, page) = (certificates.clone(), page.clone());
            let reload = move || {
                if let Some(certificates) = certificates {
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

/// Logs the result of a reload.
#[cfg(unix)]
fn report<E: std::fmt::Display>(what: &str, outcome: Result<(), E>) {
    match outcome {
        Ok(()) => tracing::info!("SIGHUP: the {what} was read again"),
        Err(error) => tracing::error!(%error, "SIGHUP: the {what} stays as it was"),
    }
}

#[cfg(not(unix))]
fn reload_on_signal(_: Option<Arc<Certificates>>, _: Option<Arc<Page>>) -> std::io::Result<()> {
    Ok(())
}

/// File descriptors besides connections: the store, the log, media, uploads.
#[cfg(unix)]
const OTHER_FILES: u64 = 256;

/// Warns when a crash of the database or its machine may lose acknowledged commits.
async fn warn_of_risks(store: &Store) {
    let Store::Postgres(store) = store else {
        return;
    };
    match store.risks().await {
        Ok(risks) if risks.is_empty() => (),
        Ok(risks) => tracing::warn!(
            settings = risks.join(", "),
            "the database may lose acknowledged records in a crash: these settings are off"
        ),
        Err(error) => tracing::warn!(%error, "the settings of the database could not be read"),
    }
}

/// Raises the soft limit on open files as far as possible, and warns when it is too low.
#[cfg(unix)]
fn tell_of_connections(settings: &Settings) {
    use crate::http::Listen;
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let wanted = u64::try_from(settings.max_connections).unwrap_or(u64::MAX);
    let wanted = wanted.saturating_add(OTHER_FILES);
    let allowed = limit.maximum.unwrap_or(u64::MAX).min(wanted);
    let current = limit.current.unwrap_or(u64::MAX);
    let raised = Rlimit {
        current: Some(allowed),
        maximum: limit.maximum,
    };
    let files = match current < allowed && setrlimit(Resource::Nofile, raised).is_ok() {
        true => allowed,
        false => current,
    };
    if files < wanted {
        let connections = files.saturating_sub(OTHER_FILES);
        tracing::warn!(
            files,
            connections,
            "the system's limit on open files is lower than `max_connections`"
        );
    }
    if matches!(settings.listen, Listen::Unix(_)) && !settings.trusted_unix_proxy {
        tracing::info!(
            "requests over the unix socket have no address; logins are limited by user alone"
        );
    }
}

#[cfg(not(unix))]
fn tell_of_connections(_: &Settings) {}
