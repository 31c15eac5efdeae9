//! `erp-server order`: what the back office does with orders.

use clap::{Arg, ArgMatches, Command};
use erp_core::document::OrderStatus;

use super::{Failure, open_erp, runtime, settings, with_settings};

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
        .about("Move orders through their states; the server must not run")
        .subcommand_required(true)
        .subcommand(with_settings(set))
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
    let status =
        OrderStatus::parse(letter).ok_or_else(|| Failure::usage("the status is O or A"))?;
    let erp = open_erp(&settings(matches)?)?;
    let moved = runtime()?.block_on(erp.set_order_status(number, status));
    erp.store().close()?;
    moved?;
    println!("order {number} is {letter}");
    Ok(())
}
