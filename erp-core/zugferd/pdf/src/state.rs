//! What was read of a file and is kept, so that it is not read again.

use super::located::Located;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Numbers above it are those of files too large to be kept.
const KEPT_NUMBERS: usize = 200_000;

/// What was read of a file and how much that took.
#[derive(Default)]
pub(super) struct FileState {
    /// By number; what has a number beyond it is not kept.
    pub(super) objects: Vec<Option<Rc<Located>>>,
    pub(super) kept_bytes: usize,
    pub(super) streams: BTreeMap<u32, Rc<ObjectStream>>,
    pub(super) cached_bytes: usize,
    pub(super) decoded_bytes: usize,
    /// No `endstream` starts at this byte or after it.
    pub(super) no_stream_ends_after: Option<usize>,
    /// Object streams that are being read inside each other: one whose length, filter or index is in another one.
    pub(super) reading: usize,
}

impl FileState {
    /// Keeps an object while all of them together have at most `most` bytes; else all others are read again.
    pub(super) fn keep(&mut self, place: usize, located: &Rc<Located>, most: usize) {
        if place >= KEPT_NUMBERS {
            return;
        }
        let bytes = located.alive.bytes;
        if self.kept_bytes.saturating_add(bytes) > most {
            self.objects.clear();
            self.kept_bytes = 0;
        }
        if place >= self.objects.len() {
            self.objects.resize(place + 1, None);
        }
        if let Some(slot) = self.objects.get_mut(place) {
            *slot = Some(Rc::clone(located));
            self.kept_bytes += bytes;
        }
    }
}

pub(super) struct ObjectStream {
    pub(super) bytes: Vec<u8>,
    /// Number and start of each object, sorted by number.
    pub(super) objects: Vec<(u32, usize)>,
}
