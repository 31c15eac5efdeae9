//! Bodies that never change: one copy in memory for all responses, compressed once per coding.
//!
//! A client without a token may ask for such a body as often as it likes and never take it. With a copy per
//! response, memory would grow with every request.

use std::sync::Arc;

use salvo::http::HeaderValue;
use salvo::hyper::body::Bytes;
use tokio::sync::OnceCell;

/// The bytes of a static body, plain and in the codings that clients have asked for so far.
#[derive(Debug)]
pub struct StaticBody {
    plain: Bytes,
    gzip: OnceCell<Bytes>,
    brotli: OnceCell<Bytes>,
}

impl StaticBody {
    /// Keeps these bytes.
    #[must_use]
    pub fn new(bytes: Vec<u8>) -> Arc<Self> {
        Arc::new(Self {
            plain: bytes.into(),
            gzip: OnceCell::new(),
            brotli: OnceCell::new(),
        })
    }

    /// The bytes as they are; a clone shares them.
    #[must_use]
    pub const fn plain(&self) -> &Bytes {
        &self.plain
    }

    /// The place of the compressed bytes; `None` for a coding that is not kept.
    pub(super) fn coded(&self, coding: &HeaderValue) -> Option<&OnceCell<Bytes>> {
        match coding.as_bytes() {
            b"gzip" => Some(&self.gzip),
            b"br" => Some(&self.brotli),
            _ => None,
        }
    }
}
