//! Readiness checks for `GET /health/ready`.

use std::path::Path;

use crate::store::free_bytes;

/// Free bytes of the data folder's file system below which the server is not ready and the log takes only errors: a
/// few files of the journal, so that there is time to act.
pub const LEAST_FREE_BYTES: u64 = 100 << 20;

/// Result of the checks; `true` means passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ready {
    pub store: bool,
    pub writes: bool,
    /// The file system of the data folder has enough free space.
    pub disk: bool,
    /// The place of the media files responds, as far as is known.
    pub media: bool,
    pub serving: bool,
}

impl Ready {
    /// Whether the server should get requests. Media and stuck commits do not count: all servers share bucket and
    /// database, so none would be left, also not for what still works.
    pub const fn all(self) -> bool {
        self.store && self.disk && self.serving
    }

    pub const fn checks(self) -> [(&'static str, bool); 5] {
        [
            ("store", self.store),
            ("writes", self.writes),
            ("disk", self.disk),
            ("media", self.media),
            ("serving", self.serving),
        ]
    }
}

/// Whether the file system of a folder has enough free space. If that cannot be determined, assume there is none.
pub fn has_room(folder: &Path) -> bool {
    free_bytes(folder).is_ok_and(|free| free >= LEAST_FREE_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_needs_store_disk_and_time() {
        let ready = Ready {
            store: true,
            writes: true,
            disk: true,
            media: true,
            serving: true,
        };
        assert!(ready.all());
        for failed in [
            Ready {
                store: false,
                ..ready
            },
            Ready {
                disk: false,
                ..ready
            },
            Ready {
                serving: false,
                ..ready
            },
        ] {
            assert!(!failed.all(), "{failed:?}");
        }
        let without_writes = Ready {
            writes: false,
            ..ready
        };
        assert!(without_writes.all(), "reads need no commits");
        let without_media = Ready {
            media: false,
            ..ready
        };
        assert!(without_media.all(), "orders need no pictures");
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_that_is_gone_has_no_room() {
        assert!(!has_room(Path::new("/there/is/no/such/folder")));
    }
}
