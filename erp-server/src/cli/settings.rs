//! `erp-server settings`: a table of all settings, or their effective values.

use clap::Args;
use hyper::Method;
use serde_json::{Value, json};

use super::backend::ListingArgs;
use super::failure::Failure;
use super::json::{entries, shown_fields};
use crate::config::Settings;

/// Print all settings with defaults and units, or their values
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  erp-server settings --values --config /etc/erp/erp.toml")]
pub(super) struct SettingsCommand {
    /// Print the values that file, environment and options give, instead of the table; with `--server` those of the
    /// running server
    #[arg(long)]
    values: bool,
    #[command(flatten)]
    listing: ListingArgs,
}

impl SettingsCommand {
    pub(super) fn run(self) -> Result<(), Failure> {
        let ListingArgs { list, backend } = &self.listing;
        if !backend.is_of_server() && !self.values {
            let head = ["name", "default", "unit", "text"];
            list.print(entries(&described()), head, |entry| {
                shown_fields(entry, head)
            });
            return Ok(());
        }
        let values = if backend.is_of_server() {
            backend.request(Method::GET, "/admin/settings", None)?
        } else {
            json!(backend.settings.load()?.setting_values())
        };
        let head = ["name", "value"];
        list.print(entries(&values), head, |entry| shown_fields(entry, head));
        Ok(())
    }
}

fn described() -> Value {
    let docs = Settings::describe().iter();
    docs.map(|doc| {
        let default = (!doc.default.is_empty()).then_some(doc.default);
        json!({"name": doc.name, "default": default, "unit": doc.unit, "text": doc.text.trim()})
    })
    .collect()
}
