//! `erp-server attribute`: single attributes of the company.

use clap::{Args, Subcommand};
use erp_core::text::Text;
use hyper::Method;
use serde_json::json;

use super::backend::{ChangeArgs, ListingArgs};
use super::failure::Failure;
use super::json::shown_fields;
use crate::resources::attribute_name;
use crate::web::encode;

const FIELDS: [&str; 2] = ["PHKey", "Contents"];

/// Manage single attributes of the company
#[derive(Debug, Subcommand)]
#[command(after_help = "Example:\n  erp-server attribute list")]
pub(super) enum AttributeCommand {
    /// List the attributes of the company
    #[command(after_help = "Example:\n  erp-server attribute list")]
    List(ListingArgs),
    Set(Set),
    Remove(Remove),
}

impl AttributeCommand {
    pub(super) fn run(self) -> Result<(), Failure> {
        match self {
            Self::List(listing) => listing.table("/admin/attributes", FIELDS, |entry| {
                shown_fields(entry, FIELDS)
            }),
            Self::Set(command) => command.run(),
            Self::Remove(command) => command.run(),
        }
    }
}

/// Set one attribute of the company; the others stay
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  erp-server attribute set REST_Auft 1")]
pub(super) struct Set {
    #[command(flatten)]
    name: AttributeName,
    /// Contents of the attribute
    #[arg(allow_hyphen_values = true)]
    contents: String,
    #[command(flatten)]
    change: ChangeArgs,
}

impl Set {
    fn run(self) -> Result<(), Failure> {
        let path = path(&self.name.check()?);
        let contents = Text::<200>::new(&self.contents);
        let contents = contents.map_err(|error| Failure::usage(format!("contents: {error}")))?;
        let body = json!({"Contents": contents});
        self.change
            .request(Method::PUT, &path, Some(&body), |stored| {
                let words = shown_fields(&stored, FIELDS).join("\t");
                (stored, words)
            })
    }
}

/// Remove one attribute of the company
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  erp-server attribute remove REST_Auft")]
pub(super) struct Remove {
    #[command(flatten)]
    name: AttributeName,
    #[command(flatten)]
    change: ChangeArgs,
}

impl Remove {
    fn run(self) -> Result<(), Failure> {
        let name = self.name.check()?;
        let path = path(&name);
        self.change.request(Method::DELETE, &path, None, |_| {
            let result = json!({"PHKey": name, "removed": true});
            (result, format!("removed {name}"))
        })
    }
}

#[derive(Debug, Args)]
struct AttributeName {
    /// Name of the attribute (PHKey), for example REST_Auft
    name: String,
}

impl AttributeName {
    fn check(&self) -> Result<Text<12>, Failure> {
        attribute_name(&self.name)
            .map_err(|error| Failure::usage(format!("name: {}", error.english())))
    }
}

fn path(name: &str) -> String {
    format!("/admin/attributes/{}", encode(name))
}
