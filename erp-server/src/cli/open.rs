use std::path::Path;

use erp_core::Erp;
use secrecy::SecretString;
use tempfile::TempDir;
use tokio::runtime::Runtime;

use super::failure::{DAMAGED, Failure, LOCKED};
use crate::config::{Settings, core_settings};
use crate::store::{
    OpenError, PostgresOptions, PostgresStore, Retention, SledStore, Store, StoreOptions,
    holds_store,
};

pub(super) fn runtime() -> Result<Runtime, Failure> {
    Ok(Runtime::new()?)
}

/// Whether a missing store is created.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Opening {
    Existing,
    /// A store is created in an existing, empty folder. A missing folder may be a typing error.
    InFolder,
    /// The same, but the store is made in a temporary folder.
    Trial,
}

/// Rejects a data folder without a store, unless the command may create one.
pub(super) fn check_folder(settings: &Settings, opening: Opening) -> Result<(), Failure> {
    let folder = &settings.store.data_dir;
    if settings.store.database.is_some() || holds_store(folder) {
        return Ok(());
    }
    let shown = folder.display();
    match opening {
        Opening::Existing => Err(Failure::new(format!("there is no store at `{shown}`"))),
        _ if !folder.is_dir() => Err(Failure::new(format!(
            "there is no store at `{shown}`; create the empty folder first if a new store is wanted there"
        ))),
        Opening::InFolder | Opening::Trial => Ok(()),
    }
}

/// The folder that takes the place of a data folder without a store while something is only tried.
pub(super) fn trial_folder(
    settings: &mut Settings,
    opening: Opening,
) -> Result<Option<TempDir>, Failure> {
    check_folder(settings, opening)?;
    let store = &mut settings.store;
    if opening != Opening::Trial || store.database.is_some() || holds_store(&store.data_dir) {
        return Ok(None);
    }
    let folder = tempfile::tempdir()?;
    folder.path().clone_into(&mut store.data_dir);
    Ok(Some(folder))
}

/// Opens the store of these settings; maps errors to exit codes.
pub(super) fn open_store(settings: &Settings, opening: Opening) -> Result<Store, Failure> {
    let mut entries = std::fs::read_dir(&settings.store.data_dir).into_iter();
    let was_empty = entries.all(|mut entries| entries.next().is_none());
    if let Some(options) = database_options(settings)? {
        let store = PostgresStore::open(&options).map_err(store_failure)?;
        close_to_others(&settings.store.data_dir, was_empty);
        return Ok(store.into());
    }
    let is_new = !holds_store(&settings.store.data_dir);
    let store = SledStore::open(&settings.store.data_dir, store_options(settings));
    let store = Store::from(store.map_err(store_failure)?);
    if is_new && opening != Opening::Trial {
        complain!(
            "erp-server: new store in `{}`",
            settings.store.data_dir.display()
        );
    }
    close_to_others(&settings.store.data_dir, was_empty);
    for repair in store.repairs() {
        complain!("erp-server: {repair}");
    }
    Ok(store)
}

/// The same for a server, which creates a missing store. Connections to a database live on `runtime`.
pub(super) fn open_on(runtime: &Runtime, settings: &Settings) -> Result<Store, Failure> {
    let _here = runtime.enter();
    open_store(settings, Opening::InFolder)
}

/// The database of these settings, with its password.
pub(super) fn database_options(settings: &Settings) -> Result<Option<PostgresOptions>, Failure> {
    let Some(url) = settings.store.database.clone() else {
        return Ok(None);
    };
    let url = match &settings.store.database_password_file {
        None => url,
        Some(path) => {
            let text = std::fs::read_to_string(path).map_err(|error| {
                Failure::new(format!("`{}` cannot be read: {error}", path.display()))
            })?;
            let password = SecretString::from(text.trim_end_matches(['\r', '\n']));
            url.with_password(&password)
        }
    };
    Ok(Some(PostgresOptions {
        ca_file: settings.store.database_ca_file.clone(),
        connections: settings.store.database_connections,
        queue: waiting_writers(settings),
        ..PostgresOptions::new(url)
    }))
}

/// Writers that may wait for the store: fewer than `max_requests`, so that reads are served while no writer gets on.
fn waiting_writers(settings: &Settings) -> usize {
    (settings.limits.max_requests / 2).max(1)
}

/// The options of the embedded store: the journal is kept until a backup covers it.
pub(super) fn store_options(settings: &Settings) -> StoreOptions {
    StoreOptions {
        cache_bytes: settings.store.sled_cache_bytes,
        queue: waiting_writers(settings),
        retention: Retention::UntilBackup {
            most_bytes: settings.store.journal_bytes,
        },
        repair: true,
        read_later: true,
        ..StoreOptions::default()
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it is used in `map_err`")]
pub(super) fn store_failure(error: OpenError) -> Failure {
    let code = match error {
        OpenError::Locked { .. } => LOCKED,
        OpenError::Damaged { .. } => DAMAGED,
        _ => 1,
    };
    Failure::coded(code, error.to_string())
}

pub(super) fn open_erp(settings: &Settings, opening: Opening) -> Result<Erp<Store>, Failure> {
    check_folder(settings, opening)?;
    Ok(Erp::new(
        open_store(settings, opening)?,
        core_settings(settings),
    ))
}

/// Removes the permissions of other users from a data folder that an earlier version or an administrator created. The
/// permissions of its group are kept. Nothing is said of a folder that held nothing others could read.
#[cfg(unix)]
fn close_to_others(folder: &Path, was_empty: bool) {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt as _;
    let Ok(found) = fs::metadata(folder) else {
        return;
    };
    let mode = found.permissions().mode() & 0o7777;
    if mode & 0o007 == 0 {
        return;
    }
    let closed = fs::set_permissions(folder, Permissions::from_mode(mode & !0o007));
    let shown = folder.display();
    match closed {
        Ok(()) if was_empty => {}
        Ok(()) => complain!(
            "erp-server: other users could read the data folder `{shown}`; its mode is {:o} now",
            mode & !0o007
        ),
        Err(error) => complain!(
            "erp-server: other users can read the data folder `{shown}`, and that cannot be changed: {error}"
        ),
    }
}

#[cfg(not(unix))]
fn close_to_others(_: &Path, _: bool) {}
