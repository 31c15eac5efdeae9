//! Trace context of a request (W3C Trace Context, `traceparent`).

use rand::RngExt as _;
use salvo::http::header::GetAll;
use salvo::http::{HeaderName, HeaderValue};

/// `traceparent`, a request header only: the standard defines no response header.
pub const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");

/// Length of version 00: version, trace, parent and flags, separated by dashes.
const LENGTH: usize = 55;

/// Trace id, and the span id of this request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trace {
    pub(crate) id: u128,
    /// That of this request.
    pub(crate) span: u64,
    /// The client has sent the id of the trace.
    pub(crate) is_foreign: bool,
}

impl Trace {
    /// Creates a span in the client's trace if there is exactly one well-formed `traceparent`, or else in a new trace.
    pub fn from_client(sent: GetAll<'_, HeaderValue>) -> Self {
        let mut values = sent.iter();
        let sent = values.next().filter(|_| values.next().is_none());
        let foreign = sent.and_then(|value| trace_id(value.as_bytes()));
        let mut random = rand::rng();
        Self {
            id: foreign.unwrap_or_else(|| random.random_range(1..=u128::MAX)),
            span: random.random_range(1..=u64::MAX),
            is_foreign: foreign.is_some(),
        }
    }
}

/// Trace id of a well-formed `traceparent`. Later versions may append more after another dash.
fn trace_id(value: &[u8]) -> Option<u128> {
    let (known, rest) = value.split_at_checked(LENGTH)?;
    let mut fields = known.split(|byte| *byte == b'-');
    let version = hex(fields.next()?, 2)?;
    let trace = hex(fields.next()?, 32)?;
    let parent = hex(fields.next()?, 16)?;
    hex(fields.next()?, 2)?;
    let ends_well = match (version, rest) {
        (_, []) => true,
        (0, _) => false,
        (_, [first, ..]) => *first == b'-',
    };
    (fields.next().is_none() && ends_well && version != 0xff && trace != 0 && parent != 0)
        .then_some(trace)
}

/// Parses exactly `digits` lower-case hex digits.
fn hex(field: &[u8], digits: usize) -> Option<u128> {
    let legal = |byte: &u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(byte);
    if field.len() != digits || !field.iter().all(legal) {
        return None;
    }
    u128::from_str_radix(std::str::from_utf8(field).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use salvo::http::HeaderMap;

    const ID: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
    const NUMBER: u128 = 0x4bf9_2f35_77b3_4da6_a3ce_929d_0e0e_4736;
    const GOOD: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    fn trace(values: &[&str]) -> Trace {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(TRACEPARENT, HeaderValue::from_str(value).unwrap());
        }
        Trace::from_client(headers.get_all(TRACEPARENT))
    }

    #[test]
    fn a_well_formed_trace_is_taken_on_with_a_span_of_its_own() {
        let taken = trace(&[GOOD]);
        assert_eq!(taken.id, NUMBER);
        assert!(taken.is_foreign);
        assert_ne!(taken.span, 0x00f0_67aa_0ba9_02b7);
        let later = GOOD.replacen("00", "cc", 1);
        for value in [later.clone(), format!("{later}-what-ever")] {
            assert_eq!(trace(&[&value]).id, NUMBER, "{value}");
        }
    }

    #[test]
    fn what_is_not_well_formed_begins_a_new_trace() {
        let cases = [
            String::new(),
            GOOD.to_ascii_uppercase(),
            GOOD.replacen("00", "ff", 1),
            GOOD.replace(ID, &"0".repeat(32)),
            GOOD.replace("00f067aa0ba902b7", &"0".repeat(16)),
            GOOD.replace("-01", "-0g"),
            GOOD.replace('-', "_"),
            GOOD.trim_end_matches('1').to_owned(),
            format!("{GOOD}-more"),
            format!("{}.more", GOOD.replacen("00", "cc", 1)),
            format!(" {GOOD}"),
            GOOD.replace("4bf9", "+bf9"),
        ];
        for value in &cases {
            let made = trace(&[value]);
            assert!(!made.is_foreign, "{value}");
            assert_ne!(made.id, NUMBER, "{value}");
        }
        assert!(!trace(&[GOOD, GOOD]).is_foreign);
        assert!(!trace(&[]).is_foreign);
        assert_ne!(trace(&[]).id, trace(&[]).id);
    }
}
