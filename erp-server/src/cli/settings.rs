//! `erp-server settings`: a table of all settings, or their effective values.

use clap::Args;
use hyper::Method;
use serde_json::{Value, json};

use super::failure::Failure;
use super::json::{entries, shown};
use super::open::runtime;
use super::print::ListArgs;
use super::remote::RemoteArgs;
use super::settings_args::SettingsArgs;
use crate::config::Settings;
use crate::resources::settings_json;

/// Print all settings with defaults and units, or their values
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  erp-server settings --values --config /etc/erp/erp.toml")]
pub(super) struct SettingsCommand {
    /// Print the values that file, environment and options give, instead of the table; with `--server` those of the
    /// running server
    #[arg(long)]
    values: bool,
    #[command(flatten)]
    list: ListArgs,
    #[command(flatten)]
    remote: RemoteArgs,
    #[command(flatten)]
    settings: SettingsArgs,
}

impl SettingsCommand {
    pub(super) fn run(self) -> Result<(), Failure> {
        let values = match runtime()?.block_on(of_server(&self.remote))? {
            Some(values) => values,
            None if self.values => settings_json(&self.settings.load()?.setting_values()).into(),
            None if self.list.json => described(),
            None => {
                let head = ["name", "default", "unit", "text"];
                let row = |entry: &Value| head.map(|field| shown(entry, field));
                self.list.print(entries(&described()), head, row);
                return Ok(());
            }
        };
        let head = ["name", "value"];
        let row = |entry: &Value| head.map(|field| shown(entry, field));
        self.list.print(entries(&values), head, row);
        Ok(())
    }
}

/// The table of all settings.
fn described() -> Value {
    let docs = Settings::describe().iter();
    docs.map(|doc| {
        let default = (!doc.default.is_empty()).then_some(doc.default);
        json!({"name": doc.name, "default": default, "unit": doc.unit, "text": doc.text.trim()})
    })
    .collect()
}

/// The settings of a running server; `None` without the options for one.
async fn of_server(remote: &RemoteArgs) -> Result<Option<Value>, Failure> {
    let Some(remote) = remote.log_in().await? else {
        return Ok(None);
    };
    let values = remote.data(Method::GET, "/admin/settings", None).await;
    remote.log_out().await;
    values.map(Some)
}
