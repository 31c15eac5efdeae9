//! `erp-server order`: back-office operations on orders.

use clap::{Arg, ArgMatches, Command};
use erp_core::document::OrderStatus;
use hyper::Method;
use serde_json::json;

use super::Failure;
use super::place::{Place, at_place, data, with_place};
use crate::audit::this_command;
use crate::http::encode;

pub(super) fn command() -> Command {
    let number = Arg::new("number")
        .required(true)
        .value_name("AUFTNR")
        .help("Number of the order");
    let status = Arg::new("status")
        .required(true)
        .value_name("STATUS")
        .value_parser(["O", "A"])
        .help("O (open, in processing) or A (completed)");
    let set = Command::new("status")
        .about("Move an order to another state: N to O, O to A, N to A; there is no way back")
        .arg(number)
        .arg(status);
    Command::new("order")
        .about("Move orders through their states")
        .subcommand_required(true)
        .subcommand(with_place(set))
}

pub(super) fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let Some(("status", matches)) = matches.subcommand() else {
        return Err(Failure::usage("name what to do with the order"));
    };
    let text = |name: &str| {
        matches
            .get_one::<String>(name)
            .map(String::as_str)
            .unwrap_or_default()
    };
    let (number, letter) = (text("number"), text("status"));
    at_place(matches, async |place| {
        place.set_order_status(number, letter).await
    })?;
    say!("order {number} is {letter}");
    Ok(())
}

impl Place {
    async fn set_order_status(&self, number: &str, letter: &str) -> Result<(), Failure> {
        match self {
            Self::Offline(erp, _) => {
                let status = OrderStatus::parse(letter);
                let status = status.ok_or_else(|| Failure::usage("the status is O or A"))?;
                erp.set_order_status(number, status, this_command().as_ref())
                    .await?;
            }
            Self::Online(remote) => {
                let path = format!("/admin/auftrag/{}/status", encode(number));
                let body = json!({"AuftStatus": letter});
                data(remote, Method::PUT, &path, Some(&body)).await?;
            }
        }
        Ok(())
    }
}
