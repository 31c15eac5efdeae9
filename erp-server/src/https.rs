//! TLS of outgoing requests: to receivers of events, to the store of media files, to another server.

use std::sync::Arc;

use hyper_rustls::ConfigBuilderExt as _;
use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};

/// Trusts the certificates of the system. Where there are none, requests over https fail and those over http work.
pub(crate) fn system_tls() -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider);
    let builder = builder.with_safe_default_protocol_versions()?;
    let trusting = match builder.clone().with_native_roots() {
        Ok(trusting) => trusting,
        Err(error) => {
            tracing::warn!(%error, "no request can be sent over https");
            builder.with_root_certificates(RootCertStore::empty())
        }
    };
    Ok(trusting.with_no_client_auth())
}
