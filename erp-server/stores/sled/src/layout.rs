//! The folder of a store: its files, its lock and its identity.
//!
//! | name | content |
//! |---|---|
//! | `LOCK` | locked while a process has the store open; its content does not matter |
//! | `STORE` | format, identity and sled's segment size; written last at creation |
//! | `STORE.copy` | copy of `STORE`, read when that is damaged or missing |
//! | `STORE.creating` | an unfinished creation; nothing in the folder was ever acknowledged |
//! | `journal/` | the [journal](super::journal) |
//! | `sled/` | the records |
//! | `CLOSED`, `OPEN` | how the last process ended, see [`clean`](super::clean) |
//! | `BACKUP` | the last commit that a verified backup covers, if any |
//! | `recovering/` | parts of a store that are being rebuilt, see [`replace`](super::replace) |
//! | `REPLACING` | the rebuilt parts are complete and are being moved into place |
//! | `replaced-…/` | the replaced parts; not read any more |

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use erp_core::storage::OpenError;
use xxhash_rust::xxh3::xxh3_64;

use super::FORMAT;
use super::error::Fault;

pub(crate) const JOURNAL: &str = "journal";

const STORE: &str = "STORE";
pub(crate) const COPY: &str = "STORE.copy";
const CREATING: &str = "STORE.creating";
/// One process holds a store, because sled has one writer. A second one is refused, and the first is named.
const LOCK: &str = "LOCK";
const BACKUP: &str = "BACKUP";
pub(crate) const RECOVERING: &str = "recovering";
pub(crate) const REPLACING: &str = "REPLACING";
const TITLE: &str = "erp-store";

/// What to do about damage; part of every message that reports it.
const ADVICE: &str = "nothing was deleted and nothing should be: keep a copy of the folder, and run \
                      `erp-server recover`, with the last backup when it asks for one";

/// The same for damage that `recover` cannot repair, because the journal is lost or does not belong to the store.
pub const RESTORE_ADVICE: &str = "nothing was deleted and nothing should be: keep a copy of the folder, and \
                      restore the last backup into a new folder with `erp-server restore FILE --data \
                      NEW-FOLDER`; changes after the backup are lost with the journal";

/// The content of `STORE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    /// Random. Every journal segment and the note in sled contain it, so that files of two stores are never mixed.
    pub(crate) id: [u8; 16],
    /// sled cannot open its file with another segment size.
    pub(crate) sled_segment_bytes: usize,
    /// The state the store started with, if it was not empty.
    pub(crate) origin: Option<Origin>,
    /// The store's own commits get numbers above this one. If commits of the origin were lost, it is far above the
    /// origin's revision, so that no revision of a lost commit is used again.
    pub(crate) base: u64,
}

/// The state of another store that this store was restored from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    pub(crate) store: [u8; 16],
    pub(crate) revision: u64,
}

impl Identity {
    /// Identity of a new, empty store.
    pub(crate) fn random(sled_segment_bytes: usize) -> Self {
        Self {
            id: rand::random(),
            sled_segment_bytes,
            origin: None,
            base: 0,
        }
    }

    /// Whether this store has had that state: its own, or the one it started with.
    pub(crate) fn had(&self, store: [u8; 16], revision: u64) -> bool {
        let began = self
            .origin
            .is_some_and(|origin| origin == Origin { store, revision });
        began || store == self.id && revision >= self.base
    }

    fn render(&self) -> String {
        let (id, segment) = (id_text(self.id), self.sled_segment_bytes);
        let origin = self.origin.map_or_else(String::new, |origin| {
            format!("origin {} {}\n", id_text(origin.store), origin.revision)
        });
        let base = self.base;
        sealed(format!(
            "{TITLE}\nformat {FORMAT}\nid {id}\nsled_segment_bytes {segment}\n{origin}base {base}\n"
        ))
    }

    fn parse(text: &str) -> Result<Self, Fault> {
        let field = |name: &str| {
            let value = |line: &str| Some(line.strip_prefix(name)?.strip_prefix(' ')?.to_owned());
            text.lines().find_map(value)
        };
        let format = field("format").and_then(|format| format.parse::<u32>().ok());
        if let Some(format) = format.filter(|format| *format > FORMAT) {
            // A single flipped bit can turn a 1 into a 9.
            let newer = is_whole(text).then_some(Fault::NewerFormat(format));
            return Err(newer.unwrap_or_else(unreadable));
        }
        let origin = |field: String| {
            let (store, revision) = field.split_once(' ')?;
            Some(Origin {
                store: parse_id(store)?,
                revision: revision.parse().ok()?,
            })
        };
        let read = || {
            Some(Self {
                id: parse_id(&field("id")?)?,
                sled_segment_bytes: field("sled_segment_bytes")?.parse().ok()?,
                origin: field("origin").and_then(origin),
                base: field("base")?.parse().ok()?,
            })
        };
        // Comparing the rendered text verifies the checksum and everything that was not parsed.
        let identity = read().filter(|identity| identity.render() == text);
        identity.ok_or_else(unreadable)
    }
}

fn unreadable() -> Fault {
    Fault::damaged("the file `STORE` is unreadable")
}

pub(crate) fn sealed(text: String) -> String {
    let checksum = xxh3_64(text.as_bytes());
    format!("{text}checksum {checksum:016x}\n")
}

/// Whether the text ends with the checksum of the text before it.
fn is_whole(text: &str) -> bool {
    let parts = text.rsplit_once("checksum ");
    parts.is_some_and(|(before, _)| sealed(before.to_owned()) == text)
}

pub(crate) fn id_text(id: [u8; 16]) -> String {
    format!("{:032x}", u128::from_be_bytes(id))
}

pub(crate) fn parse_id(text: &str) -> Option<[u8; 16]> {
    u128::from_str_radix(text, 16).ok().map(u128::to_be_bytes)
}

/// Whether a folder contains something that is not a store. Files that a file system creates in the root of a
/// volume are ignored.
pub(crate) fn is_foreign(path: &Path) -> io::Result<bool> {
    let ours = [
        STORE, COPY, CREATING, JOURNAL, "sled", RECOVERING, REPLACING,
    ];
    if ours.iter().any(|name| path.join(name).exists()) {
        return Ok(false);
    }
    for entry in fs::read_dir(path)? {
        let name = entry?.file_name();
        if name != LOCK && name != "lost+found" {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether a folder contains a store, intact or damaged.
pub fn is_store(path: &Path) -> bool {
    let parts = [STORE, COPY, JOURNAL, "sled", REPLACING];
    // What may not be looked at is not nothing.
    let is_there = |name| path.join(name).try_exists().unwrap_or(true);
    parts.into_iter().any(is_there)
}

/// The folder of a store, locked for this process.
#[derive(Debug)]
pub(crate) struct Layout {
    path: PathBuf,
    lock: File,
}

impl Drop for Layout {
    /// Unlocks explicitly. Closing the file is not enough: a child process that another thread starts at this moment
    /// has a copy of the descriptor until it calls `exec`.
    fn drop(&mut self) {
        let _ = self.lock.unlock();
    }
}

impl Layout {
    pub(crate) fn lock(path: &Path) -> Result<Self, Fault> {
        let lock = File::options()
            .write(true)
            .create(true)
            .truncate(false)
            .open(path.join(LOCK))?;
        match lock.try_lock() {
            Ok(()) => Ok(Self {
                path: path.to_owned(),
                lock,
            }),
            Err(fs::TryLockError::WouldBlock) => Err(Fault::Locked),
            Err(fs::TryLockError::Error(error)) => Err(error.into()),
        }
    }

    pub(crate) fn journal(&self) -> PathBuf {
        self.path.join(JOURNAL)
    }

    pub(crate) fn sled(&self) -> PathBuf {
        self.path.join("sled")
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The last commit that a verified backup covers. An unreadable note counts as none: it only costs disk space.
    pub(crate) fn backed_up(&self, identity: &Identity) -> u64 {
        let text = fs::read_to_string(self.path.join(BACKUP)).unwrap_or_default();
        let read = || {
            let (store, revision) = text.trim_end().split_once(' ')?;
            (parse_id(store)? == identity.id).then(|| revision.parse().ok())?
        };
        read().unwrap_or(0)
    }

    /// The identity; `None` when there is no store yet. The copy is used when `STORE` is damaged or missing.
    pub(crate) fn identity(&self) -> Result<Option<Identity>, Fault> {
        match self.known_identity() {
            Ok(None) => self.without_identity(),
            known => known,
        }
    }

    /// As [`Layout::identity`], but removes nothing when the identity is unknown.
    pub(crate) fn known_identity(&self) -> Result<Option<Identity>, Fault> {
        match identity_in(&self.path.join(STORE)) {
            Ok(None) if self.path.join(CREATING).exists() => Ok(None),
            first @ (Ok(None) | Err(Fault::Damaged(_) | Fault::Io(_))) => {
                match identity_in(&self.path.join(COPY)) {
                    Ok(Some(identity)) => Ok(Some(identity)),
                    _ => first,
                }
            }
            other => other,
        }
    }

    /// Whether `STORE` itself (not its copy) is valid.
    pub(crate) fn has_first_identity(&self) -> bool {
        matches!(identity_in(&self.path.join(STORE)), Ok(Some(_)))
    }

    /// Rewrites `STORE` or its copy if one is damaged or missing, and returns the names of the damaged ones. If that
    /// fails for lack of disk space, the valid one remains.
    pub(crate) fn keep_both(&self, identity: &Identity) -> Vec<&'static str> {
        let text = identity.render();
        let mut damaged = Vec::new();
        for name in [STORE, COPY] {
            let path = self.path.join(name);
            if fs::read(&path).is_ok_and(|bytes| bytes == text.as_bytes()) {
                continue;
            }
            // A crash at the end of the creation leaves no copy.
            if name == STORE || path.exists() {
                damaged.push(name);
            }
            if let Err(error) = write_whole(&path, &text) {
                tracing::warn!(file = name, %error, "the file cannot be written");
            }
        }
        damaged
    }

    fn without_identity(&self) -> Result<Option<Identity>, Fault> {
        if self.path.join(CREATING).exists() {
            for folder in [self.journal(), self.sled()] {
                existing(fs::remove_dir_all(folder))?;
            }
            return Ok(None);
        }
        if self.journal().exists() || self.sled().exists() {
            return Err(Fault::damaged("the file `STORE` is missing"));
        }
        Ok(None)
    }

    /// Notes that a creation has started, so that a crash in between is distinguished from damage.
    pub(crate) fn begin(&self, identity: &Identity) -> Result<(), Fault> {
        write_synced(&self.path.join(CREATING), &identity.render())?;
        Ok(sync_folder(&self.path)?)
    }

    /// Writes the identity into a folder where a store is rebuilt.
    pub(crate) fn write_identity(folder: &Path, identity: &Identity) -> Result<(), Fault> {
        for name in [STORE, COPY] {
            write_synced(&folder.join(name), &identity.render())?;
        }
        Ok(sync_folder(folder)?)
    }

    /// Completes a creation: from here on the store exists.
    pub(crate) fn finish(&self) -> Result<(), Fault> {
        // The other names must be on the disk before `STORE`, which vouches for them.
        sync_folder(&self.path)?;
        fs::rename(self.path.join(CREATING), self.path.join(STORE))?;
        sync_folder(&self.path)?;
        if let Some(parent) = self.path.canonicalize()?.parent() {
            sync_folder(parent)?;
        }
        Ok(())
    }
}

/// Reads the identity from a file; `None` when the file does not exist.
fn identity_in(path: &Path) -> Result<Option<Identity>, Fault> {
    let Some(bytes) = existing(fs::read(path))? else {
        return Ok(None);
    };
    let text = String::from_utf8(bytes).map_err(|_| unreadable())?;
    Identity::parse(&text).map(Some)
}

/// Replaces a file atomically: a crash leaves either the old or the new one.
pub(crate) fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    let mut new = path.as_os_str().to_owned();
    new.push(".new");
    write_synced(Path::new(&new), text)?;
    fs::rename(&new, path)?;
    path.parent().map_or(Ok(()), sync_folder)
}

/// Writes a file and syncs it; the caller syncs its folder.
pub(crate) fn write_synced(path: &Path, text: &str) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// `None` for what does not exist.
pub(crate) fn existing<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        found => found.map(Some),
    }
}

pub(crate) fn note_backup(folder: &Path, identity: &Identity, revision: u64) -> io::Result<()> {
    let text = format!("{} {revision}\n", id_text(identity.id));
    write_whole(&folder.join(BACKUP), &text)
}

/// Creates a folder, and missing parents, accessible to the owner only. An existing folder is not changed.
pub fn create_private(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Makes the directory entries of a folder durable. Unix only.
pub fn sync_folder(path: &Path) -> io::Result<()> {
    if cfg!(unix) {
        File::open(path)?.sync_all()?;
    }
    Ok(())
}

impl Fault {
    pub(crate) fn at(self, path: &Path) -> OpenError {
        // Without the journal `erp-server recover` has no data to work with.
        let advice = match std::fs::read_dir(path.join(JOURNAL)).map(|mut files| files.next()) {
            Ok(Some(_)) => ADVICE,
            _ => RESTORE_ADVICE,
        };
        let path = path.display().to_string();
        match self {
            Self::Damaged(what) => OpenError::Damaged { path, what, advice },
            Self::Io(source) => OpenError::Io { path, source },
            Self::Locked => OpenError::Locked { path },
            Self::NewerFormat(found) => OpenError::NewerFormat {
                path,
                found,
                known: FORMAT,
            },
            Self::NotAStore => OpenError::NotAStore { path },
            Self::HoldsStore => OpenError::HoldsStore { path },
            Self::Refused(reason) => OpenError::Refused { reason },
            Self::Closed => OpenError::Io {
                path,
                source: io::Error::other("the store is closed"),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identity_reads_back_and_damage_is_found() {
        let identity = Identity {
            id: *b"0123456789abcdef",
            sled_segment_bytes: 4096,
            origin: Some(Origin {
                store: *b"abcdef0123456789",
                revision: 77,
            }),
            base: 5_000,
        };
        let text = identity.render();
        assert_eq!(Identity::parse(&text).unwrap(), identity);
        for at in 0..text.len() {
            let mut bytes = text.clone().into_bytes();
            bytes[at] ^= 1;
            let parsed = String::from_utf8(bytes).map(|text| Identity::parse(&text));
            assert!(!matches!(parsed, Ok(Ok(_))), "byte {at} was not found");
        }
        let new = Identity::random(4096);
        assert_eq!(Identity::parse(&new.render()).unwrap(), new);
        assert!(identity.had(identity.id, 5_000) && identity.had(*b"abcdef0123456789", 77));
        assert!(!identity.had(identity.id, 4_999) && !identity.had(*b"abcdef0123456789", 78));
        let newer = text.replace("format 1", "format 9");
        // Without a valid checksum it is a flipped bit.
        assert!(matches!(Identity::parse(&newer), Err(Fault::Damaged(_))));
        let before = newer.split("checksum").next().unwrap();
        let newer = format!("{before}checksum {:016x}\n", xxh3_64(before.as_bytes()));
        assert!(matches!(
            Identity::parse(&newer),
            Err(Fault::NewerFormat(9))
        ));
    }
}
