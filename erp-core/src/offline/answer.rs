//! JSON responses in the same form as the server's.

use serde::Serialize;
use smol_str::SmolStr;

use crate::domain::town::DirectoryError;
use crate::values::json;
use crate::values::problem::{Code, Path, Problems};
use crate::wire::{Envelope, ErrorBody, ErrorInfo};

/// Why there is no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The input is not JSON: `malformed`, with a message.
    Malformed(String),
    /// The input violates rules: `invalid`, with every problem.
    Invalid(Problems),
}

impl From<Problems> for Refusal {
    fn from(problems: Problems) -> Self {
        Self::Invalid(problems)
    }
}

impl From<DirectoryError> for Refusal {
    fn from(error: DirectoryError) -> Self {
        let mut problems = Problems::new();
        problems.add(&Path::ROOT, Code::Malformed, error.to_string());
        Self::Invalid(problems)
    }
}

impl Refusal {
    fn body(&self) -> ErrorBody {
        match self {
            Self::Malformed(why) => ErrorBody::new("malformed", why),
            Self::Invalid(problems) => ErrorBody {
                info: Some(ErrorInfo::from(problems)),
                ..ErrorBody::new("invalid", &sentence(problems))
            },
        }
    }
}

fn sentence(problems: &Problems) -> SmolStr {
    let first = problems.as_slice().first();
    let place = first.map_or("", |problem| problem.path.as_str());
    let message = first.map_or("", |problem| problem.message.as_str());
    match problems.len() {
        0 => SmolStr::new_static("the input breaks a rule"),
        1 if place.is_empty() => SmolStr::new(message),
        1 => smol_str::format_smolstr!("`{place}`: {message}"),
        count => smol_str::format_smolstr!("the input has {count} problems"),
    }
}

/// `{"data": ...}`, or the error body of the interface.
pub(super) fn text<T: Serialize>(answer: Result<T, Refusal>) -> String {
    match answer {
        Ok(data) => ascii(&Envelope::data(data)),
        Err(refusal) => ascii(&refusal.body()),
    }
}

/// A body as JSON.
pub(super) fn ascii(body: &impl Serialize) -> String {
    let bytes = json::to_ascii(body).ok();
    let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
    text.unwrap_or_else(|| r#"{"error":"internal"}"#.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_look_like_those_of_the_server() {
        assert_eq!(text(Ok("Zürich")), r#"{"data":"Z\u00fcrich"}"#);
        let mut problems = Problems::new();
        let menge = Path::ROOT.member("Menge");
        problems.add_limit(&menge, Code::OutOfRange, 9, "too much");
        assert_eq!(
            text::<()>(Err(problems.clone().into())),
            r#"{"error":"invalid","error_description":"`Menge`: too much","info":{"problems":[{"path":"Menge","code":"out_of_range","message":"too much","limit":9}]}}"#
        );
        problems.add(&menge, Code::Malformed, "odd");
        let refusal = text::<()>(Err(problems.into()));
        assert!(refusal.contains("the input has 2 problems"), "{refusal}");
        assert_eq!(
            text::<()>(Err(Refusal::Malformed("no JSON".to_owned()))),
            r#"{"error":"malformed","error_description":"no JSON"}"#
        );
    }

    #[test]
    fn a_single_problem_of_the_whole_has_no_place() {
        let refusal = text::<()>(Err(DirectoryError::Empty.into()));
        assert!(
            refusal.contains(r#""error_description":"the table has no rows""#),
            "{refusal}"
        );
    }
}
