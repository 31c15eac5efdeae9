//! Puts a server together from its settings, and runs it until a signal ends it.
//!
//! This is the composition root: the only place that sees settings and modules together. Modules below get their
//! own options and the parts they need.

mod error;
mod open_files;
mod signals;

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use erp_core::Erp;
use jiff::Timestamp;
use tokio::runtime::Runtime;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

pub use error::ServeError;

use crate::backup::Backups;
use crate::config::{Settings, core_settings, load_towns};
use crate::delivery::{Pace, Tester};
use crate::lane::{self, Lane, MOST_WAITING};
use crate::media::Bodies;
use crate::observe::logging::{self, LogFiles};
use crate::passwords::Passwords;
use crate::resources::{self, App, DemoShop, ResourceOptions};
use crate::scrape::WatchError;
use crate::store::Store;
use crate::web::{
    Handle, HttpState, Listen, ListenError, Proxy, Routes, Server, ShopPage, WebOptions,
};
use crate::zugferd::Processor;
use crate::{console, delivery, jobs, scrape, web};

/// Time limit at shutdown for work that no request waits for.
const LEFT_OVER: Duration = Duration::from_secs(10);

/// How often the server looks whether the store has failed.
const LOOK_FOR_FAILURE: Duration = Duration::from_millis(250);

/// What is only on the address of the office, if it has its own, with all below it.
const OFFICE_PATHS: &[&str] = &["admin", "console", "docs", "openapi.json"];

const OFFICE_CONNECTIONS: usize = 256;

/// Time limit for requests in progress after the store failed.
const AFTER_FAILURE: Duration = Duration::from_secs(5);

#[derive(Clone, Debug)]
pub struct Listening {
    /// URL or path of the interface.
    pub address: String,
    /// URL or path of the office, if it has its own.
    pub admin: Option<String>,
    /// Address of the metrics, if they are served.
    pub metrics: Option<SocketAddr>,
}

/// The state of a server with these settings. With `log` set to `None`, `DELETE /www/log` deletes nothing.
pub fn app(erp: Erp<Store>, settings: &Settings, log: Option<LogFiles>) -> Arc<App> {
    let http_state = HttpState::new(settings.web_options());
    let counted = http_state.metrics.invoices.clone();
    let invoices = settings.zugferd_options();
    // One more than there are cores, because one caller alone leaves a place free.
    let at_once = invoices.parallel.unwrap_or(lane::cores() + 1);
    let invoice_pages = Lane::new(at_once, MOST_WAITING, "too many e-invoices wait");
    Arc::new(App {
        backups: Backups::of(Arc::new(erp.store().clone())),
        erp: Arc::new(erp),
        zugferd: Processor::counted(&invoices, invoice_pages.clone(), counted),
        invoice_pages,
        bodies: Arc::new(Bodies::of_checked(&settings.media_options())),
        media_responds: AtomicBool::new(true),
        data_dir: settings.store.data_dir.clone(),
        passwords: Passwords::new(MOST_WAITING),
        invoicing: Lane::new(1, MOST_WAITING, "too many invoices wait"),
        long_reads: Lane::new(
            (lane::cores() / 2 + 1).max(2),
            MOST_WAITING,
            "too many long reads wait",
        ),
        of_customers: Lane::new(
            (lane::cores() / 2).max(1),
            MOST_WAITING,
            "too many documents wait",
        ),
        options: settings.resource_options(),
        http_state,
        tester: Tester::new(settings.events.event_private_targets),
        started: Timestamp::now(),
        log,
    })
}

/// Creates the random number that identifies a server in the leases it takes.
pub fn holder() -> u64 {
    rand::random()
}

/// All routes, with the console and the files of a page; without one `/` leads to the description of the interface.
/// Only the pages of a demo log in by its links, and only a demo logs the customers of its shop in.
pub fn routes(
    page: Option<&Arc<ShopPage>>,
    demo: Option<DemoShop>,
    options: &ResourceOptions,
) -> Routes<App> {
    let may_cancel = options.shop_may_cancel;
    let routes = console::routes(resources::routes(), demo.is_some(), may_cancel);
    let routes = match demo {
        Some(shop) => resources::demo_routes(routes, shop),
        None => routes,
    };
    match page {
        Some(page) => page.routes(routes),
        None => resources::lead_to_page(routes),
    }
}

/// Reads ahead what the first requests need and, if setting `metrics_listen` is set, serves metrics. Returns the metrics
/// address.
/// Errors: when listening on the address fails.
pub async fn watch(app: &Arc<App>, settings: &Settings) -> Result<Option<SocketAddr>, WatchError> {
    if let Err(error) = app.erp.upkeep(Timestamp::now()).warm_up().await {
        tracing::warn!(%error, "the first requests read more than others");
    }
    let Some(address) = settings.observe.metrics_listen else {
        return Ok(None);
    };
    let listening = scrape::listen(address, settings.web_options(), Arc::clone(app));
    listening.await.map(Some)
}

// rule: D-NET-16
/// The listener of the office. It shares everything with the other one but its connections: strangers cannot take them.
fn office(listen: Listen, options: &WebOptions) -> Result<Server, ListenError> {
    let mut options = WebOptions {
        listen,
        ..options.clone()
    };
    options.limits.max_connections = OFFICE_CONNECTIONS;
    // An office is often behind one address.
    options.limits.connections_per_address = OFFICE_CONNECTIONS;
    web::bind(&HttpState::new(options))
}

/// Runs a server on this store until a signal ends it; the pages of a `demo` log in by its links. `ready`
/// gets its addresses before the first request.
/// Errors: why the server does not start, or that the store failed.
pub fn run(
    settings: &Settings,
    runtime: Runtime,
    store: Store,
    demo: Option<DemoShop>,
    ready: impl FnOnce(&Listening),
) -> Result<(), ServeError> {
    let mut core = core_settings(settings);
    load_towns(settings, &mut core)?;
    let page = settings.web.page_dir.as_deref().map(ShopPage::read);
    let page = page.transpose()?.map(Arc::new);
    // Invalid media settings end the start; an unavailable service does not.
    drop(Bodies::of(&settings.media_options())?);
    let log = logging::start(&settings.logging_options(), false)?;
    let closing = store.clone();
    // The parts of the shop page that are built apart.
    let built = page.clone().filter(|_| demo.is_some());
    let served = runtime.block_on(async {
        if let Some(page) = built {
            tokio::spawn(page.follow("erp-wasm"));
        }
        let app = app(Erp::new(store, core), settings, Some(log.clone()));
        serve(&app, settings, (page, demo), ready).await
    });
    runtime.shutdown_timeout(LEFT_OVER);
    // A failure just before the end did not stop the server, but needs a restart all the same.
    let failed = closing.status().failed;
    let closed = closing.close();
    tracing::info!("stopped");
    let flushed = log.flush();
    served?;
    if let Some(reason) = failed {
        return Err(ServeError::StoreFailed(reason));
    }
    // An error of closing the store takes precedence over an error of the log.
    closed?;
    Ok(flushed?)
}

async fn serve(
    app: &Arc<App>,
    settings: &Settings,
    (page, demo): (Option<Arc<ShopPage>>, Option<DemoShop>),
    ready: impl FnOnce(&Listening),
) -> Result<(), ServeError> {
    let server = web::bind(&app.http_state)?;
    let address = server.url();
    let options = &app.http_state.options;
    let office = options
        .admin_listen
        .clone()
        .map(|listen| office(listen, options));
    let office = office.transpose()?;
    let admin = office.as_ref().map(Server::url);
    let servers = || std::iter::once(&server).chain(&office);
    let certificates = servers()
        .filter_map(Server::certificates)
        .cloned()
        .collect();
    let handles: Vec<Handle> = servers().map(Server::handle).collect();
    let mut routes_here = routes(page.as_ref(), demo.clone(), &app.options);
    if office.is_some() {
        routes_here = routes_here.without(OFFICE_PATHS);
        if page.is_none() {
            // It leads to a path of the office.
            routes_here = routes_here.without(&[""]);
        }
    }
    let metrics = watch(app, settings).await?;
    let shutdown = signals::Shutdown {
        http_state: Arc::clone(&app.http_state),
        servers: handles,
        delay: Duration::from_secs(settings.web.shutdown_delay_seconds),
        grace: Duration::from_secs(settings.web.shutdown_seconds),
    };
    tokio::spawn(stop_on_failure(app.erp.store().clone(), shutdown.clone()));
    tokio::spawn(shutdown.on(signals::stop_signals()?));
    signals::reload_on_hangup(certificates, page)?;
    open_files::raise_limit(&app.http_state.options);
    note_unix_socket(&app.http_state.options);
    let (stop_delivery, delivery) = start_jobs(app, settings).await;
    tracing::info!(address, version = env!("CARGO_PKG_VERSION"), "serving");
    ready(&Listening {
        address,
        admin,
        metrics,
    });
    let here = web::serve(server, web::service(app, routes_here));
    match office {
        Some(office) => {
            let service = web::service(app, routes(None, demo, &app.options));
            tokio::join!(here, web::serve(office, service));
        }
        None => here.await,
    }
    // Attempts to deliver are recorded, and leases are released.
    drop(stop_delivery);
    let _ = delivery.await;
    Ok(())
}

/// Stops the server when the store accepts no more writes, so that a supervisor restarts it: only a start can repair
/// the store.
async fn stop_on_failure(store: Store, shutdown: signals::Shutdown) {
    let reason = loop {
        if let Some(reason) = store.status().failed {
            break reason;
        }
        tokio::time::sleep(LOOK_FOR_FAILURE).await;
    };
    tracing::error!(reason, "the store failed; the server ends");
    shutdown.http_state.stop();
    shutdown.stop(shutdown.grace.min(AFTER_FAILURE));
}

/// Starts the background jobs. Returns what ends the delivery of events when it is dropped, and that job.
async fn start_jobs(app: &Arc<App>, settings: &Settings) -> (oneshot::Sender<()>, JoinHandle<()>) {
    let (erp, holder) = (&app.erp, holder());
    erp.store().begin_checks();
    // A store of one process has no lease but stale ones.
    if !erp.store().is_shared()
        && let Err(error) = erp.upkeep(Timestamp::now()).leases().end_all().await
    {
        tracing::warn!(%error, "leases of an earlier run could not be ended");
    }
    let options = settings.job_options();
    let (bodies, zugferd) = (Arc::clone(&app.bodies), app.zugferd.clone());
    tokio::spawn(jobs::tidy(Arc::clone(erp), zugferd, options, holder));
    let watched = Arc::clone(app);
    tokio::spawn(jobs::watch_media(Arc::clone(&bodies), move |responds| {
        watched.media_responds.swap(responds, Ordering::Relaxed)
    }));
    tokio::spawn(jobs::collect_media(Arc::clone(erp), bodies, holder));
    let (stop_delivery, stopped) = oneshot::channel();
    let options = delivery::DeliveryOptions {
        holder,
        private_targets: settings.events.event_private_targets,
        pace: Pace::default(),
        counts: app.http_state.metrics.deliveries.clone(),
    };
    let delivery = delivery::run_until(Arc::clone(erp), options, stopped);
    (stop_delivery, tokio::spawn(delivery))
}

/// Logs that clients of the unix socket cannot be distinguished.
fn note_unix_socket(options: &WebOptions) {
    if matches!(options.listen, Listen::Unix(_)) && !options.trusted_proxies.contains(&Proxy::Unix)
    {
        tracing::info!(
            "requests over the unix socket have no address; logins are limited by user alone"
        );
    }
}
