//! TLS: loads certificate and key from files and reloads them on request.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use rustls::version::{TLS12, TLS13};
use rustls::{InconsistentKeys, ServerConfig};

use crate::error::Error;

const CERTIFICATE: &str = "tls_certificate";
const KEY: &str = "tls_key";

/// Certificate and key for new connections.
#[derive(Debug)]
pub struct Certificates {
    chain: PathBuf,
    key: PathBuf,
    current: RwLock<Arc<CertifiedKey>>,
}

impl Certificates {
    /// Loads the certificate chain and its key, both in PEM form; `None` without either.
    /// Errors: when a file is missing or invalid; the message names it.
    pub fn of(certificate: Option<&Path>, key: Option<&Path>) -> Result<Option<Arc<Self>>, Error> {
        match (certificate, key) {
            (None, None) => Ok(None),
            (Some(_), None) => Err(Error::Alone(CERTIFICATE, KEY)),
            (None, Some(_)) => Err(Error::Alone(KEY, CERTIFICATE)),
            (Some(chain), Some(key)) => Ok(Some(Arc::new(Self {
                current: RwLock::new(Arc::new(read(chain, key)?)),
                chain: chain.to_owned(),
                key: key.to_owned(),
            }))),
        }
    }

    /// Reloads the files. New connections use the new certificate; open connections are unaffected.
    /// Errors: when a file is missing or invalid; the message names it. The current certificate then stays in use.
    pub fn reload(&self) -> Result<(), Error> {
        let read = Arc::new(read(&self.chain, &self.key)?);
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = read;
        Ok(())
    }

    /// Configuration with TLS 1.2 and 1.3; prefers HTTP/2 over HTTP/1.1.
    pub(crate) fn config(self: &Arc<Self>) -> Result<ServerConfig, Error> {
        let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_protocol_versions(&[&TLS13, &TLS12])?
            .with_no_client_auth()
            .with_cert_resolver(Arc::clone(self) as Arc<dyn ResolvesServerCert>);
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(config)
    }
}

impl ResolvesServerCert for Certificates {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        Some(Arc::clone(&current))
    }
}

fn read(chain: &Path, key: &Path) -> Result<CertifiedKey, Error> {
    let (certificates, private) = (certificates(chain)?, private_key(key)?);
    let read = CertifiedKey::from_der(certificates, private, &ring::default_provider());
    read.map_err(|error| match error {
        rustls::Error::InconsistentKeys(InconsistentKeys::KeyMismatch) => Error::Mismatch {
            chain: chain.to_owned(),
            key: key.to_owned(),
        },
        rustls::Error::InvalidCertificate(_) => {
            let reason = format!("holds no usable certificate: {error}");
            unusable(CERTIFICATE, chain, reason)
        }
        other => unusable(KEY, key, format!("holds no usable key: {other}")),
    })
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, Error> {
    let text = bytes(CERTIFICATE, path)?;
    let read: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&text).collect();
    let reason = match read {
        Ok(list) if !list.is_empty() => return Ok(list),
        Ok(_) => "holds no certificate in PEM form".to_owned(),
        Err(error) => format!("is no PEM file: {error}"),
    };
    Err(unusable(CERTIFICATE, path, reason))
}

fn private_key(path: &Path) -> Result<PrivateKeyDer<'static>, Error> {
    let text = bytes(KEY, path)?;
    // PKCS #8 has ENCRYPTED in the PEM label, older formats in a header line after it.
    if text.windows(9).any(|part| part == b"ENCRYPTED") {
        let reason =
            "holds an encrypted key; it must be without a password, readable for the server alone";
        return Err(unusable(KEY, path, reason.to_owned()));
    }
    PrivateKeyDer::from_pem_slice(&text).map_err(|error| {
        let reason = format!("holds no private key in PEM form: {error}");
        unusable(KEY, path, reason)
    })
}

fn bytes(setting: &'static str, path: &Path) -> Result<Vec<u8>, Error> {
    fs::read(path).map_err(|source| Error::Unreadable {
        setting,
        path: path.to_owned(),
        source,
    })
}

fn unusable(setting: &'static str, path: &Path, reason: String) -> Error {
    Error::Unusable {
        setting,
        path: path.to_owned(),
        reason,
    }
}
