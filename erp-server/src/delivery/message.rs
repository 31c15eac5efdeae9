//! Body and signature of an event request.

use erp_core::document::OrderStatus;
use erp_core::erp::{Event, EventKind};
use erp_core::internal::json;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::Secret;

const TEST: &str = "REST_Test";

/// The body of an event.
#[derive(Serialize, JsonSchema)]
pub(crate) struct EventMessage {
    /// What kind of record changed.
    #[schemars(extend("enum" = EventKind::ALL.map(EventKind::as_str)))]
    r#type: &'static str,
    /// When it was changed.
    timestamp: Timestamp,
    /// Which record, by whom.
    data: EventData,
}

#[derive(Default, Serialize, JsonSchema)]
struct EventData {
    /// The order, of `REST_Auft`.
    #[serde(rename = "AuftNr", skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 10))]
    order: Option<String>,
    /// The customer, of `REST_Kunde`.
    #[serde(rename = "DebiNr", skip_serializing_if = "Option::is_none")]
    customer: Option<String>,
    /// The articles, of `REST_Artikel`.
    #[serde(rename = "ArtNr", skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(min = 1, max = 1000))]
    articles: Vec<String>,
    /// The invoice or credit note, of `REST_Rechnung`.
    #[serde(rename = "RechNr", skip_serializing_if = "Option::is_none")]
    invoice: Option<String>,
    /// The new state of an order that has moved.
    #[serde(rename = "AuftStatus", skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = ["N", "O", "A", "S"]))]
    status: Option<&'static str>,
    /// Whether it was created, changed or removed.
    #[schemars(extend("enum" = ["POST", "PUT", "DELETE"]))]
    method: &'static str,
    /// Who did it.
    user: String,
}

impl From<&Event> for EventMessage {
    fn from(event: &Event) -> Self {
        let number = |kind| (event.kind == kind).then(|| event.number.clone());
        Self {
            r#type: event.kind.as_str(),
            timestamp: event.at,
            data: EventData {
                order: number(EventKind::Order),
                customer: number(EventKind::Customer),
                invoice: number(EventKind::Invoice),
                articles: event.articles.iter().map(ToString::to_string).collect(),
                status: event.status.map(OrderStatus::as_str),
                method: event.method.as_str(),
                user: event.user.clone(),
            },
        }
    }
}

/// The body of an event, in ASCII:
/// `{"type":"REST_Auft","timestamp":"...","data":{"AuftNr":"1001","method":"POST","user":"shop1"}}`.
/// An event from the store consists of strings, so this never fails for one.
pub fn body(event: &Event) -> Result<Vec<u8>, serde_json::Error> {
    json::to_ascii(&EventMessage::from(event))
}

/// The body of a test that a user sends: the form of an event, without a record.
pub(super) fn test_body(user: &str, now: Timestamp) -> Result<Vec<u8>, serde_json::Error> {
    json::to_ascii(&EventMessage {
        r#type: TEST,
        timestamp: now,
        data: EventData {
            method: "POST",
            user: user.to_owned(),
            ..EventData::default()
        },
    })
}

/// The value of `webhook-signature`: over id, time in seconds since 1970, and body.
pub(crate) fn sign(secret: &Secret, id: &str, seconds: i64, body: &[u8]) -> String {
    let seconds = seconds.to_string();
    let signed = secret.sign(&[id.as_bytes(), b".", seconds.as_bytes(), b".", body]);
    format!("v1,{signed}")
}

#[cfg(test)]
mod tests {
    use erp_core::erp::{EventKind, Method};

    use super::*;

    // rule: R-EVT-05
    #[test]
    fn the_signature_is_that_of_the_convention() {
        // Test vector of the Standard Webhooks libraries.
        let secret = Secret::parse("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
        let id = "msg_p5jXN8AQM9LWM0D4loKWxJek";
        let body = br#"{"test": 2432232314}"#;
        assert_eq!(
            sign(&secret, id, 1_614_265_330, body),
            "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
        );
    }

    // rule: R-EVT-05
    #[test]
    fn the_body_is_that_of_the_decisions() {
        let event = |kind, method| Event {
            kind,
            at: "2026-06-01T10:00:00.25Z".parse().unwrap(),
            number: "1001".to_owned(),
            articles: Vec::new(),
            method,
            user: "Ladenkönig".to_owned(),
            status: None,
        };
        let text = |event: &Event| String::from_utf8(body(event).unwrap()).unwrap();
        assert_eq!(
            text(&event(EventKind::Order, Method::Put)),
            r#"{"type":"REST_Auft","timestamp":"2026-06-01T10:00:00.25Z","data":{"AuftNr":"1001","method":"PUT","user":"Ladenk\u00f6nig"}}"#
        );
        let canceled = Event {
            status: Some(OrderStatus::Canceled),
            ..event(EventKind::Order, Method::Put)
        };
        assert_eq!(
            text(&canceled),
            r#"{"type":"REST_Auft","timestamp":"2026-06-01T10:00:00.25Z","data":{"AuftNr":"1001","AuftStatus":"S","method":"PUT","user":"Ladenk\u00f6nig"}}"#
        );
        assert_eq!(
            text(&event(EventKind::Customer, Method::Post)),
            r#"{"type":"REST_Kunde","timestamp":"2026-06-01T10:00:00.25Z","data":{"DebiNr":"1001","method":"POST","user":"Ladenk\u00f6nig"}}"#
        );
        let removed = Event {
            number: String::new(),
            articles: vec!["A-1".parse().unwrap(), "B-1".parse().unwrap()],
            ..event(EventKind::Article, Method::Delete)
        };
        assert_eq!(
            text(&removed),
            r#"{"type":"REST_Artikel","timestamp":"2026-06-01T10:00:00.25Z","data":{"ArtNr":["A-1","B-1"],"method":"DELETE","user":"Ladenk\u00f6nig"}}"#
        );
    }
}
