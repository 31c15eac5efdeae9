//! Static response bodies: one copy in memory for all responses, compressed once per content coding.
//!
//! Unauthenticated clients can request such a body without ever reading it. With one copy per response, memory use
//! would grow with every request.

use std::sync::Arc;

use salvo::http::HeaderValue;
use salvo::hyper::body::Bytes;
use tokio::sync::RwLock;

/// Bytes of a static body, plain and in the codings requested so far.
#[derive(Debug)]
pub struct StaticBody {
    plain: Bytes,
    gzip: Compressed,
    brotli: Compressed,
}

/// A compressed form, once there is one. The first request writes it; others do not wait, because thousands that wait
/// would hold their memory: they get the plain bytes.
pub(super) type Compressed = RwLock<Option<Bytes>>;

impl StaticBody {
    /// Creates a body without compressed forms; they are added on first use.
    pub fn new(bytes: Vec<u8>) -> Arc<Self> {
        Arc::new(Self {
            plain: bytes.into(),
            gzip: Compressed::default(),
            brotli: Compressed::default(),
        })
    }

    /// Uncompressed bytes; clones share the memory.
    pub const fn plain(&self) -> &Bytes {
        &self.plain
    }

    /// The compressed bytes; `None` for unsupported codings.
    pub(super) fn coded(&self, coding: &HeaderValue) -> Option<&Compressed> {
        match coding.as_bytes() {
            b"gzip" => Some(&self.gzip),
            b"br" => Some(&self.brotli),
            _ => None,
        }
    }
}
