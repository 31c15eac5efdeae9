//! Certificates for tests, with their keys: for `localhost` and 127.0.0.1, each its own issuer, valid until 2099.

use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// A certificate and its key, in PEM.
pub struct Identity {
    /// The certificate.
    pub certificate: &'static str,
    /// Its key.
    pub key: &'static str,
}

macro_rules! identity {
    ($name:literal) => {
        Identity {
            certificate: include_str!(concat!("../fixtures/tls/", $name, ".pem")),
            key: include_str!(concat!("../fixtures/tls/", $name, ".key")),
        }
    };
}

/// Of servers.
pub const SERVERS: [Identity; 3] = [
    identity!("server-1"),
    identity!("server-2"),
    identity!("server-3"),
];

/// Of servers that are authorities at once, as `openssl req -x509` makes them.
pub const AUTHORITIES: [Identity; 2] = [identity!("authority-1"), identity!("authority-2")];

impl Identity {
    /// The certificate as bytes.
    ///
    /// # Panics
    /// Never: it is one.
    #[must_use]
    pub fn certificate_der(&self) -> CertificateDer<'static> {
        CertificateDer::from_pem_slice(self.certificate.as_bytes()).unwrap()
    }

    /// The key as bytes.
    ///
    /// # Panics
    /// Never: it is one.
    #[must_use]
    pub fn key_der(&self) -> PrivateKeyDer<'static> {
        PrivateKeyDer::from_pem_slice(self.key.as_bytes()).unwrap()
    }
}
