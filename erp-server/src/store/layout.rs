//! The folder of a store: what is in it, its lock and its identity.
//!
//! | name | what |
//! |---|---|
//! | `LOCK` | locked while a process has the store open; its content does not matter |
//! | `STORE` | format, identity and sled's segment size; written last at creation |
//! | `STORE.creating` | a creation that did not end; nothing in the folder was ever acknowledged |
//! | `journal/` | the [journal](super::journal) |
//! | `sled/` | the records |

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_64;

use super::FORMAT;
use super::error::Fault;

const STORE: &str = "STORE";
const CREATING: &str = "STORE.creating";
const LOCK: &str = "LOCK";
const TITLE: &str = "erp-store";

/// What `STORE` says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    /// Random; every journal segment and the note in sled carry it, so files of two stores do not mix.
    pub(crate) id: [u8; 16],
    /// sled cannot open its file with another segment size.
    pub(crate) sled_segment_bytes: usize,
}

impl Identity {
    pub(crate) fn id_text(&self) -> String {
        self.id.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    fn render(&self) -> String {
        let (id, segment) = (self.id_text(), self.sled_segment_bytes);
        let text = format!("{TITLE}\nformat {FORMAT}\nid {id}\nsled_segment_bytes {segment}\n");
        let checksum = xxh3_64(text.as_bytes());
        format!("{text}checksum {checksum:016x}\n")
    }

    fn parse(text: &str) -> Result<Self, Fault> {
        let field = |name: &str| {
            let value = |line: &str| Some(line.strip_prefix(name)?.strip_prefix(' ')?.to_owned());
            text.lines().find_map(value)
        };
        let format = field("format").and_then(|format| format.parse::<u32>().ok());
        if let Some(format) = format.filter(|format| *format > FORMAT) {
            return Err(Fault::NewerFormat(format));
        }
        let id = || {
            u128::from_str_radix(&field("id")?, 16)
                .ok()
                .map(u128::to_be_bytes)
        };
        let segment = || field("sled_segment_bytes")?.parse().ok();
        let identity = id().zip(segment()).map(|(id, sled_segment_bytes)| Self {
            id,
            sled_segment_bytes,
        });
        // Rendering again covers the checksum and everything that was not looked at.
        identity
            .filter(|identity| identity.render() == text)
            .ok_or_else(|| Fault::damaged("the file `STORE` is unreadable"))
    }
}

/// Whether a folder holds something that is not a store. What a file system puts into the root of a
/// volume does not count.
pub(crate) fn is_foreign(path: &Path) -> io::Result<bool> {
    let ours = [STORE, CREATING, "journal", "sled"];
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

/// Whether there is a store in a folder, whole or damaged.
pub(crate) fn is_store(path: &Path) -> bool {
    let parts = [STORE, "journal", "sled"];
    parts.iter().any(|name| path.join(name).exists())
}

/// The folder of a store, locked for this process.
#[derive(Debug)]
pub(crate) struct Layout {
    path: PathBuf,
    _lock: File,
}

impl Layout {
    /// Takes the folder's lock.
    pub(crate) fn lock(path: &Path) -> Result<Self, Fault> {
        let lock = File::options()
            .write(true)
            .create(true)
            .truncate(false)
            .open(path.join(LOCK))?;
        match lock.try_lock() {
            Ok(()) => Ok(Self {
                path: path.to_owned(),
                _lock: lock,
            }),
            Err(fs::TryLockError::WouldBlock) => Err(Fault::Locked),
            Err(fs::TryLockError::Error(error)) => Err(error.into()),
        }
    }

    pub(crate) fn journal(&self) -> PathBuf {
        self.path.join("journal")
    }

    pub(crate) fn sled(&self) -> PathBuf {
        self.path.join("sled")
    }

    /// Who the store is; `None` when there is none yet.
    pub(crate) fn identity(&self) -> Result<Option<Identity>, Fault> {
        match fs::read(self.path.join(STORE)) {
            Ok(bytes) => {
                let text = String::from_utf8(bytes)
                    .map_err(|_| Fault::damaged("the file `STORE` is unreadable"))?;
                Identity::parse(&text).map(Some)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => self.without_identity(),
            Err(error) => Err(error.into()),
        }
    }

    fn without_identity(&self) -> Result<Option<Identity>, Fault> {
        if self.path.join(CREATING).exists() {
            for folder in [self.journal(), self.sled()] {
                match fs::remove_dir_all(folder) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => {
                        return Err(error.into());
                    }
                    _ => {}
                }
            }
            return Ok(None);
        }
        if self.journal().exists() || self.sled().exists() {
            return Err(Fault::damaged("the file `STORE` is missing"));
        }
        Ok(None)
    }

    /// Notes that a creation has begun, so that a crash in the middle can be told from damage.
    pub(crate) fn begin(&self, identity: &Identity) -> Result<(), Fault> {
        let mut file = File::create(self.path.join(CREATING))?;
        file.write_all(identity.render().as_bytes())?;
        file.sync_all()?;
        Ok(sync_folder(&self.path)?)
    }

    /// Ends a creation: from here on the store exists.
    pub(crate) fn finish(&self) -> Result<(), Fault> {
        fs::rename(self.path.join(CREATING), self.path.join(STORE))?;
        sync_folder(&self.path)?;
        if let Some(parent) = self.path.canonicalize()?.parent() {
            sync_folder(parent)?;
        }
        Ok(())
    }
}

/// Makes the names in a folder durable. Only Unix knows such a thing.
pub(crate) fn sync_folder(path: &Path) -> io::Result<()> {
    if cfg!(unix) {
        File::open(path)?.sync_all()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identity_reads_back_and_damage_is_found() {
        let identity = Identity {
            id: *b"0123456789abcdef",
            sled_segment_bytes: 4096,
        };
        let text = identity.render();
        assert_eq!(Identity::parse(&text).unwrap(), identity);
        for at in 0..text.len() {
            let mut bytes = text.clone().into_bytes();
            bytes[at] ^= 1;
            let parsed = String::from_utf8(bytes).map(|text| Identity::parse(&text));
            assert!(!matches!(parsed, Ok(Ok(_))), "byte {at} was not found");
        }
        let newer = text.replace("format 1", "format 2");
        assert!(matches!(
            Identity::parse(&newer),
            Err(Fault::NewerFormat(2))
        ));
    }
}
