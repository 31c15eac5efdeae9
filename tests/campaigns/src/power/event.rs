//! The log of everything a process did to its files.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;

/// Bytes of an event's header: length, kind, file, offset, lengths of both names.
const HEAD: usize = 32;

/// The kind of marks; tests write them, the recorder does not.
const MARK: u32 = 100;

/// One event. Files are identified by inode numbers, which may be reused for new files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event<'a> {
    /// A file or folder was opened.
    Open {
        /// Its inode number.
        file: u64,
        /// Its path relative to the root.
        name: &'a str,
        /// Whether it is a folder.
        folder: bool,
        /// Whether it was opened with the flag to create it.
        create: bool,
        /// Whether it was opened with the flag to truncate it.
        truncate: bool,
    },
    /// Bytes were written.
    Write {
        /// The file.
        file: u64,
        /// Their offset.
        at: u64,
        /// The bytes.
        data: &'a [u8],
    },
    /// The length of a file was changed.
    Length {
        /// The file.
        file: u64,
        /// Its new length.
        length: u64,
    },
    /// A folder was created.
    MakeFolder(&'a str),
    /// The name of a file or of an empty folder was removed.
    Remove(&'a str),
    /// A file or folder was renamed.
    Rename(&'a str, &'a str),
    /// A hard link to a file was created.
    Link(&'a str, &'a str),
    /// A sync has started.
    SyncBegin {
        /// The file or folder.
        file: u64,
        /// The id of this sync.
        ticket: u64,
    },
    /// A sync has ended successfully.
    SyncEnd {
        /// The id of the sync.
        ticket: u64,
    },
    /// A call that the model does not support.
    Unknown(&'a str),
    /// A mark written by the test.
    Mark(&'a [u8]),
}

/// All events of a run.
#[derive(Debug)]
pub struct Log(Vec<u8>);

impl Log {
    /// Reads a log.
    ///
    /// # Errors
    /// Errors of the operating system.
    pub fn read(path: &Path) -> io::Result<Self> {
        fs::read(path).map(Self)
    }

    /// The events in order.
    #[must_use]
    pub fn events(&self) -> Vec<Event<'_>> {
        let mut events = Vec::new();
        let mut rest = self.0.as_slice();
        while !rest.is_empty() {
            let length = u32::from_ne_bytes(rest[..4].try_into().expect("four bytes")) as usize;
            let (event, after) = rest.split_at(length);
            events.push(parse(event));
            rest = after;
        }
        events
    }
}

fn parse(event: &[u8]) -> Event<'_> {
    let short = |from: usize| {
        u32::from_ne_bytes(event[from..from + 4].try_into().expect("four bytes")) as usize
    };
    let long =
        |from: usize| u64::from_ne_bytes(event[from..from + 8].try_into().expect("eight bytes"));
    let (kind, file, at) = (short(4), long(8), long(16));
    let (name, rest) = event[HEAD..].split_at(short(24));
    let (other, data) = rest.split_at(short(28));
    let text = |bytes| std::str::from_utf8(bytes).expect("paths are UTF-8");
    let (name, other) = (text(name), text(other));
    match kind {
        1 => Event::Open {
            file,
            name,
            folder: at & 1 != 0,
            create: at & 2 != 0,
            truncate: at & 4 != 0,
        },
        2 => Event::Write { file, at, data },
        3 => Event::Length { file, length: at },
        4 => Event::MakeFolder(name),
        5 | 6 => Event::Remove(name),
        7 => Event::Rename(name, other),
        8 => Event::Link(name, other),
        9 => Event::SyncBegin { file, ticket: at },
        10 => Event::SyncEnd { ticket: at },
        11 => Event::Unknown(name),
        100 => Event::Mark(data),
        kind => panic!("there is no event of kind {kind}"),
    }
}

/// Writes marks of a test into the log, in sequence with the events.
#[derive(Debug)]
pub struct Mark(File);

impl Mark {
    /// Opens a log, which may be missing.
    ///
    /// # Errors
    /// Errors of the operating system.
    pub fn open(log: &Path) -> io::Result<Self> {
        File::options()
            .create(true)
            .append(true)
            .open(log)
            .map(Self)
    }

    /// Appends a mark.
    pub fn put(&self, data: &[u8]) {
        let length = u32::try_from(HEAD + data.len()).expect("a note is short");
        let mut event = length.to_ne_bytes().to_vec();
        event.extend(MARK.to_ne_bytes());
        event.resize(HEAD, 0);
        event.extend(data);
        let written = (&self.0).write(&event).expect("the log can be written");
        assert_eq!(written, event.len(), "half an event is in the log");
    }
}
