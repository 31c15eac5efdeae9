//! `erp-server health`.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::failure::Failure;
use super::open::runtime;
use super::print::ResultArgs;
use super::remote;

/// Ask a running server whether it is ready, for example as the health check of a container
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  erp-server health http://127.0.0.1:8080")]
pub(super) struct HealthCommand {
    /// Address of the server
    #[arg(value_name = "URL", default_value = "http://127.0.0.1:8080")]
    server: String,
    /// Certificates (PEM) to trust instead of those of the system: of the authority, or the server's own
    #[arg(long, value_name = "FILE")]
    ca_file: Option<PathBuf>,
    #[command(flatten)]
    output: ResultArgs,
}

impl HealthCommand {
    pub(super) fn run(self) -> Result<(), Failure> {
        let asked = remote::ready(&self.server, self.ca_file.as_deref());
        runtime()?.block_on(asked)?;
        self.output.print(&json!({"ready": true}), "ready");
        Ok(())
    }
}
