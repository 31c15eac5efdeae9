//! `erp-server attribute`: single attributes of the company.

use clap::{Arg, ArgMatches, Command};
use erp_core::master::Attribute;
use erp_core::text::Text;
use hyper::Method;
use serde_json::{Value, json};

use super::place::{Place, at_place, data, entries, shown, with_place};
use super::{Failure, print};
use crate::resources::{attribute_json, attribute_name};
use crate::web::encode;

pub(super) fn command() -> Command {
    let name = || {
        Arg::new("name")
            .required(true)
            .value_name("NAME")
            .help("Name of the attribute (PHKey), like REST_Auft")
    };
    let set = Command::new("set")
        .about("Set one attribute of the company; the others stay")
        .arg(name())
        .arg(
            Arg::new("contents")
                .required(true)
                .value_name("CONTENTS")
                .allow_hyphen_values(true)
                .help("Its contents"),
        );
    let remove = Command::new("remove")
        .about("Take one attribute of the company away")
        .arg(name());
    Command::new("attribute")
        .about("Attributes of the company: list, set, remove them one by one")
        .subcommand_required(true)
        .subcommand(with_place(
            Command::new("list").about("List the attributes of the company"),
        ))
        .subcommand(with_place(set))
        .subcommand(with_place(remove))
}

pub(super) fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let Some((verb, matches)) = matches.subcommand() else {
        return Err(Failure::usage("name what to do with attributes"));
    };
    match verb {
        "set" => set(matches),
        "remove" => remove(matches),
        _ => list(matches),
    }
}

fn name_of(matches: &ArgMatches) -> Result<Text<12>, Failure> {
    let name = matches.get_one::<String>("name");
    attribute_name(name.map(String::as_str).unwrap_or_default())
        .map_err(|error| Failure::usage(format!("name: {error}")))
}

fn list(matches: &ArgMatches) -> Result<(), Failure> {
    let attributes = at_place(matches, Place::attributes)?;
    let head = ["PHKey", "Contents"];
    let rows = entries(&attributes).iter();
    print::table(head, rows.map(|one| head.map(|of| shown(one, of)).into()));
    Ok(())
}

fn set(matches: &ArgMatches) -> Result<(), Failure> {
    let contents = matches.get_one::<String>("contents");
    let contents = Text::new(contents.map(String::as_str).unwrap_or_default())
        .map_err(|error| Failure::usage(format!("contents: {error}")))?;
    let attribute = Attribute {
        key: name_of(matches)?,
        contents,
    };
    let stored = at_place(matches, async |place| place.set_attribute(&attribute).await)?;
    let [name, contents] = ["PHKey", "Contents"].map(|of| shown(&stored, of));
    say!("{name}\t{contents}");
    Ok(())
}

fn remove(matches: &ArgMatches) -> Result<(), Failure> {
    let name = name_of(matches)?;
    at_place(matches, async |place| place.remove_attribute(&name).await)?;
    say!("removed {name}");
    Ok(())
}

/// API path of an attribute.
fn path(name: &str) -> String {
    format!("/admin/attributes/{}", encode(name))
}

impl Place {
    async fn attributes(&self) -> Result<Value, Failure> {
        match self {
            Self::Offline(erp, _) => {
                let company = erp.company().await?;
                Ok(company.attributes.iter().map(attribute_json).collect())
            }
            Self::Online(remote) => data(remote, Method::GET, "/admin/attributes", None).await,
        }
    }

    async fn set_attribute(&self, attribute: &Attribute) -> Result<Value, Failure> {
        match self {
            Self::Offline(erp, _) => {
                erp.set_company_attribute(attribute).await?;
                Ok(attribute_json(attribute))
            }
            Self::Online(remote) => {
                let body = json!({"Contents": attribute.contents});
                data(remote, Method::PUT, &path(&attribute.key), Some(&body)).await
            }
        }
    }

    async fn remove_attribute(&self, name: &str) -> Result<(), Failure> {
        match self {
            Self::Offline(erp, _) => erp.remove_company_attribute(name).await?,
            Self::Online(remote) => {
                data(remote, Method::DELETE, &path(name), None).await?;
            }
        }
        Ok(())
    }
}
