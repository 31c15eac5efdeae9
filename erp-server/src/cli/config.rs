//! `erp-server config check`: reports every error in the settings and every unusable resource they refer to.

use std::fs;
use std::net::{SocketAddr, TcpListener};
use std::path::Path;

use clap::Subcommand;
use serde_json::json;

use super::failure::{Failure, USAGE};
use super::open::database_options;
use super::print::ResultArgs;
use super::private_file::folder_of;
use super::settings_args::{SettingsArgs, sentence};
use crate::config::{Settings, core_settings, load_towns};
use crate::media::Bodies;
use crate::store::PostgresStore;
use crate::web::{Certificates, Listen, Proxy, ShopPage};

/// Check the settings
#[derive(Debug, Subcommand)]
#[command(after_help = "Example:\n  erp-server config check --config /etc/erp/erp.toml")]
pub(super) enum ConfigCommand {
    /// Report every mistake in the settings, and try the files, folders and services they name
    #[command(after_help = "Example:\n  erp-server config check --config /etc/erp/erp.toml")]
    Check {
        #[command(flatten)]
        result: ResultArgs,
        #[command(flatten)]
        settings: SettingsArgs,
    },
}

impl ConfigCommand {
    pub(super) fn run(self) -> Result<(), Failure> {
        let Self::Check { result, settings } = self;
        let (loaded, mistakes) = settings.gather()?;
        let mut findings: Vec<String> = mistakes.iter().map(sentence).collect();
        findings.extend(unusable(&loaded.settings));
        let unknown = loaded.unknown_variables.iter();
        let unknown = unknown.map(|name| format!("the variable {name} names no setting"));
        let notes: Vec<String> = unknown.chain(hints(&loaded.settings)).collect();
        let noted = notes.iter().map(|note| format!("note: {note}"));
        let found = findings.iter().map(|finding| format!("mistake: {finding}"));
        let sound = findings
            .is_empty()
            .then(|| "the settings are sound".to_owned());
        let lines: Vec<String> = noted.chain(found).chain(sound).collect();
        let found = json!({"mistakes": findings, "notes": notes});
        result.print(&found, lines.join("\n"));
        let message = match findings.len() {
            0 => return Ok(()),
            1 => "one mistake in the settings".to_owned(),
            count => format!("{count} mistakes in the settings"),
        };
        Err(Failure::coded(USAGE, message))
    }
}

fn unusable(settings: &Settings) -> Vec<String> {
    let mut core = core_settings(settings);
    let web = &settings.web;
    let page = web.page_dir.as_deref().map(ShopPage::read);
    let certificates = Certificates::of(web.tls_certificate.as_deref(), web.tls_key.as_deref());
    let metrics = settings.observe.metrics_listen;
    let found = [
        writable("data_dir", &settings.store.data_dir),
        writable("log_dir", &settings.log_folder()),
        page.and_then(fault),
        fault(load_towns(settings, &mut core)),
        fault(certificates),
        database(settings),
        reachable(settings),
        listens(&web.listen),
        metrics.and_then(|address| bound("metrics_listen", address)),
    ];
    found.into_iter().flatten().collect()
}

fn fault<T, E: ToString>(result: Result<T, E>) -> Option<String> {
    result.err().map(|error| error.to_string())
}

/// Checks that the bucket of the media files responds.
fn reachable(settings: &Settings) -> Option<String> {
    let bodies = match Bodies::of(&settings.media_options()) {
        Ok(bodies) => bodies,
        Err(error) => return Some(error.to_string()),
    };
    let error = bodies.probe().err()?;
    let place = settings.media.media_store.as_ref()?;
    Some(format!("`media_store`: `{place}` cannot be used: {error}"))
}

/// Checks that the database accepts a connection; creates nothing there.
fn database(settings: &Settings) -> Option<String> {
    let reason = match database_options(settings) {
        Ok(options) => fault(PostgresStore::try_out(&options?))?,
        Err(failure) => failure.message,
    };
    Some(format!("`database`: {reason}"))
}

/// Checks that a folder is writable, or can be created.
fn writable(name: &str, folder: &Path) -> Option<String> {
    let nearest = folder.ancestors().find(|folder| folder.exists());
    let nearest = nearest.unwrap_or(Path::new("."));
    let refuse = |reason: &str| format!("`{name}`: `{}` {reason}", folder.display());
    if !nearest.is_dir() {
        return Some(refuse("is not a folder"));
    }
    // Tried out, because permissions are not the only possible obstacle.
    let trial = nearest.join(format!(".erp-config-check-{}", std::process::id()));
    let written = fs::write(&trial, b"");
    let _ = fs::remove_file(&trial);
    written
        .err()
        .map(|error| refuse(&format!("cannot be written to: {error}")))
}

fn listens(listen: &Listen) -> Option<String> {
    match listen {
        Listen::Tcp(address) => bound("listen", *address),
        Listen::Unix(path) => {
            let folder = folder_of(path);
            (!folder.is_dir()).then(|| {
                format!(
                    "`listen`: there is no folder `{}` for the socket",
                    folder.display()
                )
            })
        }
    }
}

fn bound(name: &str, address: SocketAddr) -> Option<String> {
    let error = TcpListener::bind(address).err()?;
    // The server with these settings may be running.
    (error.kind() != std::io::ErrorKind::AddrInUse)
        .then(|| format!("`{name}`: {address} cannot be listened on: {error}"))
}

fn is_open(address: &SocketAddr) -> bool {
    !address.ip().is_loopback()
}

/// A warning when passwords from other machines would be sent unencrypted. It is not refused, because tunnels and
/// private networks are safe.
pub(super) fn clear_text(settings: &Settings) -> Option<String> {
    let open = matches!(&settings.web.listen, Listen::Tcp(address) if is_open(address));
    let has_proxy = |proxy: &Proxy| *proxy != Proxy::Unix;
    let encrypted = settings.web.tls_certificate.is_some()
        || settings.web.trusted_proxies.iter().any(has_proxy);
    (open && !encrypted).then(|| {
        "`listen` can be reached from other machines without TLS and without a proxy: passwords travel in the clear".to_owned()
    })
}

fn hints(settings: &Settings) -> impl Iterator<Item = String> {
    let tls = settings.web.tls_certificate.is_some();
    let base = settings.web.base_url.as_ref().map(ToString::to_string);
    [
        settings.observe.metrics_listen.filter(is_open).map(|address| {
            format!("`metrics_listen` {address} can be reached from other machines, and needs no token")
        }),
        clear_text(settings),
        base.filter(|base| tls && base.starts_with("http://"))
            .map(|base| format!("`base_url` {base} is not https, but the server speaks https")),
        (!settings.limits.rate_limits).then(|| "`rate_limits` is off".to_owned()),
        settings
            .store.journal_bytes
            .map(|bytes| format!("`journal_bytes`: above {bytes} bytes of journal, commits that no backup has cannot be recovered")),
    ]
    .into_iter()
    .flatten()
}
