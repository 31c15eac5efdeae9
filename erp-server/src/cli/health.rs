//! `erp-server health`.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::failure::Failure;
use super::open::runtime;
use super::print::ResultArgs;
use super::remote;
use super::settings_args::SettingsArgs;
use crate::config::Settings;
use crate::web::Listen;

/// Ask a running server whether it is ready, for example as the health check of a container
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
        erp-server health http://127.0.0.1:8080\n  \
        erp-server health --config /srv/erp/erp.toml")]
pub(super) struct HealthCommand {
    /// Address of the server; without it the one it listens on by its settings
    #[arg(value_name = "URL")]
    server: Option<String>,
    /// Certificates (PEM) to trust instead of those of the system: of the authority, or the server's own
    #[arg(long, value_name = "FILE")]
    ca_file: Option<PathBuf>,
    #[command(flatten)]
    output: ResultArgs,
    #[command(flatten)]
    settings: SettingsArgs,
}

impl HealthCommand {
    pub(super) fn run(self) -> Result<(), Failure> {
        let server = match self.server {
            Some(server) => server,
            None => own_address(&self.settings.load()?)?,
        };
        let asked = remote::ready(&server, self.ca_file.as_deref());
        runtime()?.block_on(asked)?;
        self.output.print(&json!({"ready": true}), "ready");
        Ok(())
    }
}

/// The address at which a server with these settings is reached from its own machine.
fn own_address(settings: &Settings) -> Result<String, Failure> {
    let Listen::Tcp(mut address) = settings.web.listen else {
        return Err(Failure::usage(
            "this server listens on a unix socket; name the address of its proxy",
        ));
    };
    match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => address.set_ip(Ipv4Addr::LOCALHOST.into()),
        IpAddr::V6(ip) if ip.is_unspecified() => address.set_ip(Ipv6Addr::LOCALHOST.into()),
        _ => (),
    }
    let scheme = match settings.web.tls_certificate {
        Some(_) => "https",
        None => "http",
    };
    Ok(format!("{scheme}://{address}"))
}
