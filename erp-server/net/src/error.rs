use std::io;
use std::path::PathBuf;

use thiserror::Error as Derived;

use crate::listen::Listen;

/// Why a server cannot listen.
#[derive(Debug, Derived)]
#[non_exhaustive]
pub enum Error {
    /// The address or the folder of the socket cannot be used.
    #[error("cannot listen on {listen}: {source}")]
    Bind {
        /// Address to listen on.
        listen: Listen,
        /// Error of the operating system.
        source: io::Error,
    },
    /// Another process accepts connections on the socket.
    #[error("cannot listen on {0}: another process listens there")]
    Taken(Listen),
    /// The path of the socket is occupied by another kind of file.
    #[error("cannot listen on {0}: there is a file that is no socket")]
    NoSocket(Listen),
    /// Unix sockets are not supported on this system.
    #[error("cannot listen on {0}: this system has no unix sockets")]
    NotHere(Listen),
    /// A certificate without key, or a key without certificate.
    #[error("`{0}` needs `{1}` beside it")]
    Alone(&'static str, &'static str),
    /// A file cannot be read.
    #[error("the file `{path}` of `{setting}` cannot be read: {source}")]
    Unreadable {
        /// `tls_certificate` or `tls_key`.
        setting: &'static str,
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// A file has the wrong content.
    #[error("the file `{path}` of `{setting}` {reason}")]
    Unusable {
        /// `tls_certificate` or `tls_key`.
        setting: &'static str,
        /// Path of the file.
        path: PathBuf,
        /// Description of the problem.
        reason: String,
    },
    /// The certificate does not belong to the key.
    #[error("the key in `{key}` is not that of the certificate in `{chain}`")]
    Mismatch {
        /// Path of the certificate.
        chain: PathBuf,
        /// Path of the key.
        key: PathBuf,
    },
    /// The TLS library rejects the protocol versions or the key.
    #[error("encryption cannot be set up: {0}")]
    Library(#[from] rustls::Error),
}
