//! Notes for the next start on how this process ended: the files `CLOSED` and `OPEN`.
//!
//! Reading every record at the start takes time. It is done later, beside requests, when sled's file can only contain
//! what the last process wrote: after a clean shutdown, if the file has not changed since; and after a process that was
//! killed, if the machine has not been restarted since, because the system writes what a killed process left to it.
//! Both notes are removed before anything is opened, so that they do not outlast a crash.

use std::fs;
use std::io;
use std::path::Path;
use std::time::SystemTime;

use super::disk;
use super::layout::{Identity, Layout, existing, id_text, sealed, sync_folder, write_synced};

const CLOSED: &str = "CLOSED";
const OPEN: &str = "OPEN";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// A clean shutdown after this commit.
    Clean(u64),
    /// Killed, while the machine went on.
    Killed,
    Unknown,
}

/// Notes that the process works on a store whose records are those that were written.
pub(crate) fn note_open(layout: &Layout, identity: &Identity) -> io::Result<()> {
    write(layout, OPEN, &open_text(layout, identity)?)
}

/// Notes a clean shutdown after the last commit. Without the note the next start reads everything.
pub(crate) fn note_end(layout: &Layout, identity: &Identity, revision: u64) -> io::Result<()> {
    write(layout, CLOSED, &closed_text(layout, identity, revision)?)
}

/// Removes the note of the process that works on the store: the next start reads everything.
pub(crate) fn distrust(folder: &Path) -> io::Result<()> {
    match existing(fs::remove_file(folder.join(OPEN)))? {
        Some(()) => sync_folder(folder),
        None => Ok(()),
    }
}

/// Removes the notes and returns what they say.
pub(crate) fn take(layout: &Layout, identity: &Identity) -> io::Result<End> {
    let closed = take_text(layout, CLOSED)?;
    let open = take_text(layout, OPEN)?;
    let revision = closed.as_deref().and_then(revision_of);
    let is_same = |revision: &u64| {
        closed_text(layout, identity, *revision).is_ok_and(|expected| closed == Some(expected))
    };
    let was_open = || open_text(layout, identity).is_ok_and(|expected| open == Some(expected));
    Ok(match revision.filter(is_same) {
        Some(revision) => End::Clean(revision),
        None if closed.is_none() && was_open() => End::Killed,
        None => End::Unknown,
    })
}

fn write(layout: &Layout, name: &str, text: &str) -> io::Result<()> {
    write_synced(&layout.path().join(name), text)?;
    sync_folder(layout.path())
}

/// The text of a note, which is removed; `None` when there is none.
fn take_text(layout: &Layout, name: &str) -> io::Result<Option<String>> {
    let path = layout.path().join(name);
    let text = match existing(fs::read_to_string(&path)) {
        Ok(Some(text)) => text,
        Ok(None) => return Ok(None),
        Err(_) => String::new(),
    };
    fs::remove_file(&path)?;
    sync_folder(layout.path())?;
    Ok(Some(text))
}

fn revision_of(text: &str) -> Option<u64> {
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("revision "))?;
    line.parse().ok()
}

fn closed_text(layout: &Layout, identity: &Identity, revision: u64) -> io::Result<String> {
    let (store, sled) = (id_text(identity.id), layout.sled());
    let (conf, db) = (state(&sled.join("conf"))?, state(&sled.join("db"))?);
    Ok(sealed(format!(
        "store {store}\nrevision {revision}\nconf {conf}\ndb {db}\n"
    )))
}

/// A copy of the folder has other files, and a restarted machine another number.
fn open_text(layout: &Layout, identity: &Identity) -> io::Result<String> {
    let (store, sled) = (id_text(identity.id), layout.sled());
    let machine = disk::start_of_machine()?;
    let db = disk::number_of_file(&sled.join("db"))?;
    Ok(sealed(format!(
        "store {store}\nmachine {machine}\ndb {db}\n"
    )))
}

fn state(path: &Path) -> io::Result<String> {
    let data = fs::metadata(path)?;
    let changed = data.modified()?.duration_since(SystemTime::UNIX_EPOCH);
    let changed = changed.map_err(io::Error::other)?;
    Ok(format!("{} {}", data.len(), changed.as_nanos()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fs;
    use std::path::Path;

    use erp_core::storage::{ChangeSet, Key, Storage as _};

    use crate::{SledStore, StoreOptions};

    /// The bytes of each file in a folder and in those inside.
    fn bytes(folder: &Path, found: &mut BTreeMap<String, Vec<u8>>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                bytes(&path, found);
            } else {
                found.insert(path.display().to_string(), fs::read(&path).unwrap());
            }
        }
    }

    // rule: D-CHK-01
    #[tokio::test]
    async fn a_store_that_is_only_read_keeps_its_files() {
        let folder = tempfile::tempdir().unwrap();
        let key = |number: u8| Key::from_bytes(vec![b'k', number]);
        for ends_clean in [true, false] {
            let store = SledStore::open(folder.path(), StoreOptions::default()).unwrap();
            for number in 0..9 {
                let mut changes = ChangeSet::new();
                changes.put(key(number), vec![number; 100]);
                store.commit(changes).await.unwrap();
                if number == 5 {
                    store.checkpoint().unwrap();
                }
            }
            if ends_clean {
                store.close().unwrap();
            } else {
                store.abandon();
            }
            let (mut before, mut after) = <(BTreeMap<_, _>, BTreeMap<_, _>)>::default();
            bytes(folder.path(), &mut before);
            let options = StoreOptions {
                read_only: true,
                ..StoreOptions::default()
            };
            let read = SledStore::open(folder.path(), options).unwrap();
            let found = read.get(&[key(8)]).await.unwrap();
            assert_eq!(found[0].as_ref().unwrap().value, [8; 100]);
            read.commit(ChangeSet::new()).await.unwrap_err();
            read.close().unwrap();
            bytes(folder.path(), &mut after);
            let names =
                |files: &BTreeMap<String, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
            let changed: Vec<&String> = before
                .keys()
                .filter(|name| before.get(*name) != after.get(*name))
                .collect();
            assert_eq!(
                (changed, names(&before)),
                (Vec::new(), names(&after)),
                "{ends_clean}"
            );
        }
    }
}
