//! The certificates of `--ca-file`.

use std::fmt::Display;
use std::path::Path;
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{WebPkiServerVerifier, verify_server_name};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{DigitallySignedStruct, Error, RootCertStore, SignatureScheme};

use super::failure::Failure;

/// Trusts the certificates of a file both as CAs and as server certificates: `openssl req -x509` creates one that is
/// both at once, which chain validation rejects.
#[derive(Debug)]
pub(super) struct Trusted {
    chains: Arc<WebPkiServerVerifier>,
    own: Vec<CertificateDer<'static>>,
}

impl Trusted {
    pub(super) fn read(file: &Path, provider: Arc<CryptoProvider>) -> Result<Self, Failure> {
        let refuse = |reason: &dyn Display| {
            let file = file.display();
            Failure::usage(format!("the certificates in `{file}`: {reason}"))
        };
        let own = CertificateDer::pem_file_iter(file).and_then(Iterator::collect);
        let own: Vec<CertificateDer<'static>> = own.map_err(|error| refuse(&error))?;
        let mut roots = RootCertStore::empty();
        for certificate in own.iter().cloned() {
            roots.add(certificate).map_err(|error| refuse(&error))?;
        }
        let chains = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider).build();
        Ok(Self {
            chains: chains.map_err(|error| refuse(&error))?,
            own,
        })
    }
}

impl ServerCertVerifier for Trusted {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        stapled: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        if self.own.contains(certificate) {
            verify_server_name(&ParsedCertificate::try_from(certificate)?, name)?;
            return Ok(ServerCertVerified::assertion());
        }
        self.chains
            .verify_server_cert(certificate, intermediates, name, stapled, now)
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.chains
            .verify_tls12_signature(message, certificate, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.chains
            .verify_tls13_signature(message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.chains.supported_verify_schemes()
    }
}
