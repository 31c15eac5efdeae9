//! `erp-server attribute`: single attributes of the company.

use clap::{Args, Subcommand};
use erp_core::master::Attribute;
use erp_core::text::Text;
use hyper::Method;
use serde_json::{Value, json};

use super::backend::{Backend, BackendArgs};
use super::failure::Failure;
use super::json::{entries, shown};
use super::print::{ListArgs, ResultArgs};
use crate::observe::audit::this_command;
use crate::resources::{attribute_json, attribute_name};
use crate::web::encode;

/// Manage single attributes of the company
#[derive(Debug, Subcommand)]
#[command(after_help = "Example:\n  erp-server attribute list")]
pub(super) enum AttributeCommand {
    List(List),
    Set(Set),
    Remove(Remove),
}

impl AttributeCommand {
    pub(super) fn run(self) -> Result<(), Failure> {
        match self {
            Self::List(command) => command.run(),
            Self::Set(command) => command.run(),
            Self::Remove(command) => command.run(),
        }
    }
}

/// List the attributes of the company
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  erp-server attribute list")]
pub(super) struct List {
    #[command(flatten)]
    list: ListArgs,
    #[command(flatten)]
    backend: BackendArgs,
}

impl List {
    fn run(self) -> Result<(), Failure> {
        let attributes = self.backend.run(Backend::attributes)?;
        let head = ["PHKey", "Contents"];
        let row = |entry: &Value| head.map(|field| shown(entry, field));
        self.list.print(entries(&attributes), head, row);
        Ok(())
    }
}

/// Set one attribute of the company; the others stay
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  erp-server attribute set REST_Auft 1")]
pub(super) struct Set {
    #[command(flatten)]
    name: Name,
    /// Contents of the attribute
    #[arg(allow_hyphen_values = true)]
    contents: String,
    #[command(flatten)]
    output: ResultArgs,
    #[command(flatten)]
    backend: BackendArgs,
}

impl Set {
    fn run(self) -> Result<(), Failure> {
        let contents = Text::new(&self.contents);
        let attribute = Attribute {
            key: self.name.check()?,
            contents: contents.map_err(|error| Failure::usage(format!("contents: {error}")))?,
        };
        let set = async |backend: &Backend| backend.set_attribute(&attribute).await;
        let stored = self.backend.run(set)?;
        let [name, contents] = ["PHKey", "Contents"].map(|field| shown(&stored, field));
        let words = format!("{name}\t{contents}");
        self.output.print(&stored, words);
        Ok(())
    }
}

/// Remove one attribute of the company
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  erp-server attribute remove REST_Auft")]
pub(super) struct Remove {
    #[command(flatten)]
    name: Name,
    #[command(flatten)]
    output: ResultArgs,
    #[command(flatten)]
    backend: BackendArgs,
}

impl Remove {
    fn run(self) -> Result<(), Failure> {
        let name = self.name.check()?;
        self.backend
            .run(async |backend| backend.remove_attribute(&name).await)?;
        let result = json!({"PHKey": name, "removed": true});
        self.output.print(&result, format_args!("removed {name}"));
        Ok(())
    }
}

/// The attribute of a command.
#[derive(Debug, Args)]
struct Name {
    /// Name of the attribute (PHKey), for example REST_Auft
    name: String,
}

impl Name {
    fn check(&self) -> Result<Text<12>, Failure> {
        attribute_name(&self.name).map_err(|error| Failure::usage(format!("name: {error}")))
    }
}

/// API path of an attribute.
fn path(name: &str) -> String {
    format!("/admin/attributes/{}", encode(name))
}

impl Backend {
    async fn attributes(&self) -> Result<Value, Failure> {
        match self {
            Self::Store(erp, _) => {
                let company = erp.company().await?;
                Ok(company.attributes.iter().map(attribute_json).collect())
            }
            Self::Server(remote) => remote.data(Method::GET, "/admin/attributes", None).await,
        }
    }

    async fn set_attribute(&self, attribute: &Attribute) -> Result<Value, Failure> {
        match self {
            Self::Store(erp, _) => {
                erp.set_company_attribute(attribute, this_command().as_ref())
                    .await?;
                Ok(attribute_json(attribute))
            }
            Self::Server(remote) => {
                let body = json!({"Contents": attribute.contents});
                remote
                    .data(Method::PUT, &path(&attribute.key), Some(&body))
                    .await
            }
        }
    }

    async fn remove_attribute(&self, name: &str) -> Result<(), Failure> {
        match self {
            Self::Store(erp, _) => {
                erp.remove_company_attribute(name, this_command().as_ref())
                    .await?
            }
            Self::Server(remote) => {
                remote.data(Method::DELETE, &path(name), None).await?;
            }
        }
        Ok(())
    }
}
