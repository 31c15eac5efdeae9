//! Body and signature of an event request.

use erp_core::erp::Event;
use erp_core::json;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Map, Value};

use super::Secret;

/// The type of a test.
const TEST: &str = "REST_Test";

#[derive(Serialize)]
struct Message {
    r#type: &'static str,
    timestamp: String,
    data: Map<String, Value>,
}

/// The body of an event, in ASCII:
/// `{"type":"REST_Auft","timestamp":"...","data":{"AuftNr":"1001","method":"POST","user":"shop1"}}`.
///
/// # Errors
/// Never for an event from the store: it consists of strings.
pub fn body(event: &Event) -> Result<Vec<u8>, serde_json::Error> {
    let data = [
        (event.kind.number_name(), event.number.as_str()),
        ("method", event.method.as_str()),
        ("user", event.user.as_str()),
    ];
    message(event.kind.as_str(), event.at, &data)
}

/// The body of a test that a user sends: the form of an event, without a record.
pub(super) fn test_body(user: &str, now: Timestamp) -> Result<Vec<u8>, serde_json::Error> {
    message(TEST, now, &[("method", "POST"), ("user", user)])
}

fn message(
    r#type: &'static str,
    at: Timestamp,
    data: &[(&str, &str)],
) -> Result<Vec<u8>, serde_json::Error> {
    let data = data.iter();
    json::to_ascii(&Message {
        r#type,
        timestamp: at.to_string(),
        data: data
            .map(|(name, text)| ((*name).to_owned(), Value::from(*text)))
            .collect(),
    })
}

/// The value of `webhook-signature`: over id, time in seconds since 1970, and body.
pub(super) fn sign(secret: &Secret, id: &str, seconds: i64, body: &[u8]) -> String {
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
            method,
            user: "Ladenkönig".to_owned(),
        };
        let text = |event: &Event| String::from_utf8(body(event).unwrap()).unwrap();
        assert_eq!(
            text(&event(EventKind::Order, Method::Put)),
            r#"{"type":"REST_Auft","timestamp":"2026-06-01T10:00:00.25Z","data":{"AuftNr":"1001","method":"PUT","user":"Ladenk\u00f6nig"}}"#
        );
        assert_eq!(
            text(&event(EventKind::Customer, Method::Post)),
            r#"{"type":"REST_Kunde","timestamp":"2026-06-01T10:00:00.25Z","data":{"DebiNr":"1001","method":"POST","user":"Ladenk\u00f6nig"}}"#
        );
    }
}
