//! `erp-server zugferd`: processes e-invoice files, one or thousands, without a server and a store.

mod batch;
mod check;
mod combine;
mod extract;
mod inputs;
mod inspect;
mod output;
mod password;
mod read;
mod reports;

use clap::Subcommand;

use super::failure::Failure;

/// Embed invoices in PDF files, extract, check and read them, inspect files; needs neither store nor settings
#[derive(Debug, Subcommand)]
#[command(after_help = "Example:\n  erp-server zugferd combine invoice.pdf invoice.xml")]
pub(super) enum ZugferdCommand {
    Combine(combine::Combine),
    Extract(extract::Extract),
    Inspect(inspect::Inspect),
    Check(check::InvoiceCheck),
    Read(read::Read),
}

impl ZugferdCommand {
    pub(super) fn run(self) -> Result<(), Failure> {
        match self {
            Self::Combine(command) => command.run(),
            Self::Extract(command) => command.run(),
            Self::Inspect(command) => command.run(),
            Self::Check(command) => command.run(),
            Self::Read(command) => command.run(),
        }
    }
}
