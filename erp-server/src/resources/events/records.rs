//! Events and their targets as admins see them.

use erp_core::erp::EventKind;
use erp_core::internal;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::delivery::EventMessage;

/// A receiver of events, without its secret.
#[derive(Serialize, JsonSchema)]
pub(super) struct EventTarget {
    /// The number of the receiver.
    id: u64,
    /// Where events are posted.
    url: String,
    /// Which events; none means orders and customers.
    #[schemars(extend("items" = {"type": "string", "enum": EventKind::ALL.map(EventKind::as_str)}))]
    kinds: Vec<&'static str>,
    /// Whether events are sent to it.
    enabled: bool,
    /// When it was added.
    created_at: Timestamp,
}

impl From<&internal::EventTarget> for EventTarget {
    fn from(target: &internal::EventTarget) -> Self {
        Self {
            id: target.id,
            url: target.url.clone(),
            kinds: target.kinds.iter().map(|kind| kind.as_str()).collect(),
            enabled: target.enabled,
            created_at: target.created_at,
        }
    }
}

/// A receiver that was added.
#[derive(Serialize, JsonSchema)]
pub(super) struct AddedEventTarget {
    #[serde(flatten)]
    pub(super) target: EventTarget,
    /// The signing secret.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) secret: Option<String>,
}

/// An event with its deliveries.
#[derive(Serialize, JsonSchema)]
pub(super) struct Event {
    /// The event, for `after` and to send it again.
    id: String,
    #[serde(flatten)]
    message: EventMessage,
    /// One per receiver.
    deliveries: Vec<EventDelivery>,
}

impl From<&internal::LoggedEntry> for Event {
    fn from(entry: &internal::LoggedEntry) -> Self {
        Self {
            id: entry.id.to_string(),
            message: EventMessage::from(&entry.event),
            deliveries: entry.deliveries.iter().map(EventDelivery::from).collect(),
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct EventDelivery {
    /// The receiver.
    target: u64,
    /// How far it is.
    #[schemars(extend("enum" = ["waiting", "delivered", "given_up", "target_gone"]))]
    state: &'static str,
    /// When it is tried next.
    next_attempt_at: Option<Timestamp>,
    /// The attempts, the oldest first.
    attempts: Vec<EventAttempt>,
}

impl From<&internal::Delivery> for EventDelivery {
    fn from(delivery: &internal::Delivery) -> Self {
        Self {
            target: delivery.target,
            state: delivery.state.as_str(),
            next_attempt_at: delivery.next_attempt_at,
            attempts: delivery.attempts.iter().map(EventAttempt::from).collect(),
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct EventAttempt {
    /// When it was tried.
    at: Timestamp,
    /// `answered`, or why there was no response.
    #[schemars(extend("enum" = ["answered", "address_refused", "no_connection", "broken", "timed_out"]))]
    outcome: &'static str,
    /// The status of the response.
    status: Option<u16>,
    /// How long it took, in milliseconds.
    duration_ms: u32,
}

impl From<&internal::DeliveryAttempt> for EventAttempt {
    fn from(attempt: &internal::DeliveryAttempt) -> Self {
        Self {
            at: attempt.at,
            outcome: attempt.outcome.as_str(),
            status: attempt.outcome.status(),
            duration_ms: attempt.duration_ms,
        }
    }
}

/// What became of a test.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub(super) struct TestResult {
    /// How long it took, in milliseconds.
    pub(super) millis: u64,
    /// The status of the response.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 599))]
    pub(super) status: Option<u16>,
    /// Why there was no response.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = ["address_refused", "no_connection", "broken", "timed_out"]))]
    pub(super) error: Option<&'static str>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub(super) struct Begun {
    /// Deliveries that were begun.
    pub(super) deliveries: usize,
}
