//! `erp-server order`: back-office operations on orders.

use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use clap::{Args, Subcommand};
use erp_core::document::OrderStatus;
use hyper::Method;
use serde_json::{Value, json};

use super::backend::ChangeArgs;
use super::failure::Failure;
use super::json::entries;
use crate::web::encode;

/// Change the state of orders, make their invoices
#[derive(Debug, Subcommand)]
#[command(after_help = "Example:\n  erp-server order status 100123 O")]
pub(super) enum OrderCommand {
    Status(Status),
    Invoice(MakeInvoice),
}

impl OrderCommand {
    pub(super) fn run(self) -> Result<(), Failure> {
        match self {
            Self::Status(command) => command.run(),
            Self::Invoice(command) => command.run(),
        }
    }
}

/// Move orders to another state: N to O, A or S, O to A or S; there is no way back
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  erp-server order status 100123 O\n  erp-server order status 100123 100124 A"
)]
pub(super) struct Status {
    /// Number of the order, or up to 1,000 of them, each of which moves for itself
    #[arg(value_name = "AUFTNR", required = true)]
    numbers: Vec<String>,
    /// O (open, in processing), A (completed) or S (canceled: what it reserves is available again)
    #[arg(value_parser = PossibleValuesParser::new(["O", "A", "S"]).try_map(status))]
    status: OrderStatus,
    #[command(flatten)]
    change: ChangeArgs,
}

/// Make the invoice of an order; asked again, it prints the number of the one that there is
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  erp-server order invoice 100123")]
pub(super) struct MakeInvoice {
    /// Number of the order
    #[arg(value_name = "AUFTNR")]
    number: String,
    #[command(flatten)]
    change: ChangeArgs,
}

impl MakeInvoice {
    fn run(self) -> Result<(), Failure> {
        let path = format!("/admin/auftrag/{}/rechnung", encode(&self.number));
        self.change.request(Method::POST, &path, None, |made| {
            let invoice = text(&made, "RechNr");
            let line = format!("order {} has invoice {invoice}", self.number);
            (json!({"AuftNr": self.number, "RechNr": invoice}), line)
        })
    }
}

/// The text of a field, empty without one.
fn text<'a>(object: &'a Value, field: &str) -> &'a str {
    object[field].as_str().unwrap_or_default()
}

fn status(letter: String) -> Result<OrderStatus, &'static str> {
    OrderStatus::parse(&letter).ok_or("expected O, A or S")
}

impl Status {
    fn run(self) -> Result<(), Failure> {
        match self.numbers.as_slice() {
            [number] => self.move_one(number),
            numbers => self.move_all(numbers),
        }
    }

    fn move_one(&self, number: &str) -> Result<(), Failure> {
        let status = self.status.as_str();
        let path = format!("/admin/auftrag/{}/status", encode(number));
        let body = json!({"AuftStatus": status});
        self.change.request(Method::PUT, &path, Some(&body), |_| {
            let result = json!({"AuftNr": number, "AuftStatus": status});
            (result, format!("order {number} is {status}"))
        })
    }

    /// Prints what became of each order. Fails when one of them could not move.
    fn move_all(&self, numbers: &[String]) -> Result<(), Failure> {
        let body = json!({"status": self.status.as_str(), "orders": numbers});
        let mut failed = 0_usize;
        let path = "/admin/orders/status";
        self.change
            .request(Method::POST, path, Some(&body), |outcomes| {
                let mut lines = Vec::new();
                for outcome in entries(&outcomes) {
                    let [number, what, message] =
                        ["AuftNr", "outcome", "message"].map(|name| text(outcome, name));
                    failed += usize::from(what == "problem");
                    let line = format!("order {number}: {what} {message}");
                    lines.push(line.trim_end().to_owned());
                }
                (outcomes, lines.join("\n"))
            })?;
        match failed {
            0 => Ok(()),
            _ => Err(Failure::new(format!(
                "{failed} of {} orders did not move",
                numbers.len()
            ))),
        }
    }
}
