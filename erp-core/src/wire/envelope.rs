//! The frame around every payload (interface: "General response conventions", rule 1).

use serde::Serialize;

use super::Link;

// rule: R-CON-01
/// A response: the payload in `data`, some with `count`, `success` and `links` too.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Envelope<T> {
    /// How many entries there are; in lists before `limit` and `offset`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// Whether something was found or done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub success: Option<bool>,
    /// The payload.
    pub data: T,
    /// Neighbouring pages of a list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub links: Option<Vec<Link>>,
}

impl<T> Envelope<T> {
    /// Only the payload.
    pub const fn data(data: T) -> Self {
        Self {
            count: None,
            success: None,
            data,
            links: None,
        }
    }

    /// The payload with `count` and `success: true`.
    pub const fn counted(count: u64, data: T) -> Self {
        Self {
            count: Some(count),
            success: Some(true),
            data,
            links: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::MismatchEntry;

    // rule: R-CON-01, R-CON-04
    #[test]
    fn members_without_a_value_are_left_out() {
        let answer = MismatchEntry {
            subject: "currency".into(),
            ..MismatchEntry::default()
        };
        let json = |envelope| serde_json::to_string(&envelope).unwrap();
        assert_eq!(
            json(Envelope::data(answer.clone())),
            r#"{"data":{"subject":"currency"}}"#
        );
        assert_eq!(
            json(Envelope::counted(1, answer)),
            r#"{"count":1,"success":true,"data":{"subject":"currency"}}"#
        );
    }
}
