//! `erp-server order`: back-office operations on orders.

use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use clap::{Args, Subcommand};
use erp_core::document::OrderStatus;
use hyper::Method;
use serde_json::json;

use super::backend::ChangeArgs;
use super::failure::Failure;
use crate::web::encode;

/// Change the state of orders
#[derive(Debug, Subcommand)]
#[command(after_help = "Example:\n  erp-server order status 100123 O")]
pub(super) enum OrderCommand {
    Status(Status),
}

impl OrderCommand {
    pub(super) fn run(self) -> Result<(), Failure> {
        match self {
            Self::Status(command) => command.run(),
        }
    }
}

/// Move an order to another state: N to O, A or S, O to A or S; there is no way back
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  erp-server order status 100123 O")]
pub(super) struct Status {
    /// Number of the order
    #[arg(value_name = "AUFTNR")]
    number: String,
    /// O (open, in processing), A (completed) or S (canceled: what it reserves is available again)
    #[arg(value_parser = PossibleValuesParser::new(["O", "A", "S"]).try_map(status))]
    status: OrderStatus,
    #[command(flatten)]
    change: ChangeArgs,
}

fn status(letter: String) -> Result<OrderStatus, &'static str> {
    OrderStatus::parse(&letter).ok_or("expected O, A or S")
}

impl Status {
    fn run(self) -> Result<(), Failure> {
        let (number, status) = (&self.number, self.status.as_str());
        let path = format!("/admin/auftrag/{}/status", encode(number));
        let body = json!({"AuftStatus": status});
        self.change.request(Method::PUT, &path, Some(&body), |_| {
            let result = json!({"AuftNr": number, "AuftStatus": status});
            (result, format!("order {number} is {status}"))
        })
    }
}
