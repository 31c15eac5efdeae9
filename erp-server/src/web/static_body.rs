//! Static response bodies: one copy in memory for all responses, compressed once per content coding.
//!
//! Unauthenticated clients can request such a body without ever reading it. With one copy per response, memory use
//! would grow with every request.

use std::sync::Arc;

use salvo::http::HeaderValue;
use salvo::hyper::body::Bytes;
use tokio::sync::OnceCell;

/// Bytes of a static body, plain and in the codings requested so far.
#[derive(Debug)]
pub struct StaticBody {
    plain: Bytes,
    gzip: OnceCell<Bytes>,
    brotli: OnceCell<Bytes>,
}

impl StaticBody {
    /// Creates a body without compressed forms; they are added on first use.
    #[must_use]
    pub fn new(bytes: Vec<u8>) -> Arc<Self> {
        Arc::new(Self {
            plain: bytes.into(),
            gzip: OnceCell::new(),
            brotli: OnceCell::new(),
        })
    }

    /// Uncompressed bytes; clones share the memory.
    #[must_use]
    pub const fn plain(&self) -> &Bytes {
        &self.plain
    }

    /// Cell for the compressed bytes; `None` for unsupported codings.
    pub(super) fn coded(&self, coding: &HeaderValue) -> Option<&OnceCell<Bytes>> {
        match coding.as_bytes() {
            b"gzip" => Some(&self.gzip),
            b"br" => Some(&self.brotli),
            _ => None,
        }
    }
}
