//! Errors of the core as responses.

use erp_core::Problems;
use erp_core::document::Mismatch;
use erp_core::erp::{Conflict, Error};
use erp_core::storage::Sequence;
use serde_json::{Value, json};

use crate::web::{ApiError, StatusCode};

impl From<Error> for ApiError {
    fn from(error: Error) -> Self {
        match error {
            Error::Invalid(problems) => problems.into(),
            Error::NotFound { what, number } => {
                Self::not_found(&format!("{what} `{}`", shown(&number)))
            }
            Error::Conflict(Conflict::DuplicateReference { ref order, .. }) => {
                let order = order.clone();
                Self::new(
                    StatusCode::CONFLICT,
                    "duplicate_reference",
                    error.to_string(),
                )
                .with_info("AuftNr", order.as_str())
            }
            Error::Conflict(conflict) => Self::conflict(conflict.to_string()),
            Error::Malformed(problems) => malformed(&problems),
            Error::Mismatch(mismatches) => Self::conflict("the offer does not fit the customer")
                .with_info(
                    "mismatch",
                    mismatches.iter().map(mismatch).collect::<Vec<Value>>(),
                ),
            Error::PreconditionFailed => Self::precondition_failed(),
            Error::MarkExpired => Self::stand_expired(),
            Error::TooBroad { limit } => Self::too_broad(limit),
            Error::NumbersUsedUp {
                sequence,
                first,
                last,
            } => used_up(sequence, first, last),
            Error::Storage(error) => error.into(),
        }
    }
}

/// 422 and not 503: trying again does not help.
fn used_up(sequence: Sequence, first: u64, last: u64) -> ApiError {
    let name = sequence.as_str();
    let setting = format!("first_{name}_number");
    let text = format!(
        "all {name} numbers from {first} to {last} are taken; the range begins with the setting `{setting}`"
    );
    ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, "numbers_used_up", text)
        .with_info("first", first)
        .with_info("last", last)
        .with_info("setting", setting)
}

/// Maps an unknown customer in the query parameter `debinr` to 400, as for any invalid parameter.
pub(super) fn unknown_debinr(error: Error) -> ApiError {
    match error {
        Error::NotFound {
            what: "customer",
            number,
        } => ApiError::parameter("debinr", &number, "the number of a customer"),
        other => other.into(),
    }
}

fn malformed(problems: &Problems) -> ApiError {
    let problem = problems.as_slice().first();
    let sentence = problem.map_or_else(String::new, |problem| {
        format!("`{}`: {}", problem.path, problem.message)
    });
    ApiError::malformed(sentence)
}

fn mismatch(mismatch: &Mismatch) -> Value {
    json!({"subject": mismatch.subject, "offer": mismatch.offer, "customer": mismatch.customer})
}

/// Shortens a number from the client for use in an error message.
pub(super) fn shown(number: &str) -> String {
    number.chars().take(40).collect()
}
