//! TLS: loads certificate and key from files and reloads them on request.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use rustls::version::{TLS12, TLS13};
use rustls::{InconsistentKeys, ServerConfig};
use thiserror::Error;

/// Reasons why certificate and key cannot be used.
#[derive(Debug, Error)]
pub enum TlsError {
    /// One of the two settings is set without the other.
    #[error("`{0}` needs `{1}` beside it")]
    Alone(&'static str, &'static str),
    /// A file cannot be read.
    #[error("the file `{path}` of `{setting}` cannot be read: {source}")]
    Unreadable {
        /// Setting that contains the path.
        setting: &'static str,
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// A file has the wrong content.
    #[error("the file `{path}` of `{setting}` {reason}")]
    Unusable {
        /// Setting that contains the path.
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

const CERTIFICATE: &str = "tls_certificate";
const KEY: &str = "tls_key";

/// Files of certificate and key; both or neither.
#[derive(Clone, Debug, Default)]
pub struct TlsFiles {
    /// Setting `tls_certificate`: the certificate chain in PEM form.
    pub certificate: Option<PathBuf>,
    /// Setting `tls_key`: the private key in PEM form.
    pub key: Option<PathBuf>,
}

/// Certificate and key for new connections.
#[derive(Debug)]
pub struct Certificates {
    chain: PathBuf,
    key: PathBuf,
    current: RwLock<Arc<CertifiedKey>>,
}

impl Certificates {
    /// Loads the files; `None` when none are configured.
    ///
    /// # Errors
    /// When a file is missing or invalid; the message names it.
    pub fn of(files: &TlsFiles) -> Result<Option<Arc<Self>>, TlsError> {
        let (chain, key) = match (&files.certificate, &files.key) {
            (None, None) => return Ok(None),
            (Some(_), None) => return Err(TlsError::Alone(CERTIFICATE, KEY)),
            (None, Some(_)) => return Err(TlsError::Alone(KEY, CERTIFICATE)),
            (Some(chain), Some(key)) => (chain.clone(), key.clone()),
        };
        let current = RwLock::new(Arc::new(read(&chain, &key)?));
        Ok(Some(Arc::new(Self {
            chain,
            key,
            current,
        })))
    }

    /// Reloads the files. New connections use the new certificate; open connections are unaffected.
    ///
    /// # Errors
    /// When a file is missing or invalid; the message names it. The current certificate then stays in use.
    pub fn reload(&self) -> Result<(), TlsError> {
        let read = Arc::new(read(&self.chain, &self.key)?);
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = read;
        Ok(())
    }

    /// Configuration with TLS 1.2 and 1.3; prefers HTTP/2 over HTTP/1.1.
    pub(super) fn config(self: &Arc<Self>) -> Result<ServerConfig, TlsError> {
        let mut config = ServerConfig::builder_with_provider(Arc::new(provider()))
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

fn provider() -> CryptoProvider {
    ring::default_provider()
}

fn read(chain: &Path, key: &Path) -> Result<CertifiedKey, TlsError> {
    let certificates = certificates(chain)?;
    let private = private_key(key)?;
    CertifiedKey::from_der(certificates, private, &provider()).map_err(|error| match error {
        rustls::Error::InconsistentKeys(InconsistentKeys::KeyMismatch) => TlsError::Mismatch {
            chain: chain.to_owned(),
            key: key.to_owned(),
        },
        rustls::Error::InvalidCertificate(_) => unusable(
            CERTIFICATE,
            chain,
            format!("holds no usable certificate: {error}"),
        ),
        other => unusable(KEY, key, format!("holds no usable key: {other}")),
    })
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let text = bytes(CERTIFICATE, path)?;
    let read: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&text).collect();
    match read {
        Ok(list) if !list.is_empty() => Ok(list),
        Ok(_) => Err(unusable(
            CERTIFICATE,
            path,
            "holds no certificate in PEM form".to_owned(),
        )),
        Err(error) => Err(unusable(
            CERTIFICATE,
            path,
            format!("is no PEM file: {error}"),
        )),
    }
}

fn private_key(path: &Path) -> Result<PrivateKeyDer<'static>, TlsError> {
    let text = bytes(KEY, path)?;
    // PKCS #8 has ENCRYPTED in the PEM label, older formats in a header line after it.
    if text.windows(9).any(|part| part == b"ENCRYPTED") {
        let reason =
            "holds an encrypted key; it must be without a password, readable for the server alone";
        return Err(unusable(KEY, path, reason.to_owned()));
    }
    let read = PrivateKeyDer::from_pem_slice(&text);
    read.map_err(|error| {
        unusable(
            KEY,
            path,
            format!("holds no private key in PEM form: {error}"),
        )
    })
}

fn bytes(setting: &'static str, path: &Path) -> Result<Vec<u8>, TlsError> {
    fs::read(path).map_err(|source| TlsError::Unreadable {
        setting,
        path: path.to_owned(),
        source,
    })
}

fn unusable(setting: &'static str, path: &Path, reason: String) -> TlsError {
    TlsError::Unusable {
        setting,
        path: path.to_owned(),
        reason,
    }
}
