//! Errors of the core as responses.

use erp_core::Problems;
use erp_core::document::Mismatch;
use erp_core::erp::{Conflict, Error};
use erp_core::sentence::{Say as _, Sentence};
use erp_core::storage::Sequence;
use serde_json::{Value, json};

use crate::web::{ApiError, StatusCode};

impl From<Error> for ApiError {
    fn from(error: Error) -> Self {
        match error {
            Error::Invalid(problems) => problems.into(),
            Error::NotFound { what, number } => {
                let (thing, number) = (thing(what), shown(&number));
                Self::not_found(sentence!("thing.numbered", thing, number))
            }
            Error::Conflict(ref conflict @ Conflict::DuplicateReference { ref order, .. }) => {
                let conflict = conflict.say();
                Self::new(StatusCode::CONFLICT, "duplicate_reference", conflict)
                    .with_info("AuftNr", order.as_str())
            }
            Error::Conflict(conflict) => Self::conflict(conflict),
            Error::Malformed(problems) => malformed(&problems),
            Error::Mismatch(mismatches) => Self::conflict(sentence!("wire.mismatch")).with_info(
                "mismatch",
                mismatches.iter().map(mismatch).collect::<Vec<Value>>(),
            ),
            Error::PreconditionFailed => Self::precondition_failed(),
            Error::MarkExpired => Self::stand_expired(),
            Error::TooBroad { limit } => Self::too_broad(limit, sentence!("wire.too_broad", limit)),
            Error::ManyCustomers { limit } => {
                Self::too_broad(limit, sentence!("wire.many_customers", limit))
            }
            Error::NumbersUsedUp {
                sequence,
                first,
                last,
            } => used_up(sequence, first, last),
            Error::Storage(error) => error.into(),
            other => Self::internal(other),
        }
    }
}

/// 422 and not 503: trying again does not help.
fn used_up(sequence: Sequence, first: u64, last: u64) -> ApiError {
    let name = sequence.as_str();
    let setting = format!("first_{name}_number");
    let text = sentence!("wire.numbers", name, first, last, setting);
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
        } => ApiError::parameter("debinr", &number, sentence!("allowed.customer")),
        other => other.into(),
    }
}

fn malformed(problems: &Problems) -> ApiError {
    let problem = problems.as_slice().first();
    let sentence = problem.map_or_else(
        || Sentence::Text(String::new()),
        |problem| sentence!("input.at", place = problem.path, message = problem.message),
    );
    ApiError::malformed(sentence)
}

/// The word for a kind of record.
fn thing(what: &str) -> Sentence {
    match what {
        "address" => sentence!("thing.address"),
        "article" => sentence!("thing.article"),
        "change" => sentence!("thing.change"),
        "attribute" => sentence!("thing.attribute"),
        "customer" => sentence!("thing.customer"),
        "delivery" => sentence!("thing.delivery"),
        "event" => sentence!("thing.event"),
        "event target" => sentence!("thing.event_target"),
        "invoice" => sentence!("thing.invoice"),
        "media record" => sentence!("thing.media_record"),
        "offer" => sentence!("thing.offer"),
        "order" => sentence!("thing.order"),
        "part of the media record" => sentence!("thing.media_part"),
        "user" => sentence!("thing.user"),
        other => Sentence::Text(other.to_owned()),
    }
}

fn mismatch(mismatch: &Mismatch) -> Value {
    json!({"subject": mismatch.subject, "offer": mismatch.offer, "customer": mismatch.customer})
}

/// Shortens a number from the client for use in an error message.
pub(super) fn shown(number: &str) -> String {
    number.chars().take(40).collect()
}
