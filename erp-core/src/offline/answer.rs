//! JSON responses in the same form as the server's.

use serde::Serialize;

use crate::domain::town::DirectoryError;
use crate::values::json;
use crate::values::problem::{Code, Path, Problems};
use crate::values::sentence::{Locale, Sentence};
use crate::wire::{Envelope, ErrorBody, ErrorInfo};

/// Why there is no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The input is not JSON: `malformed`, with a message.
    Malformed(Sentence),
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
        problems.add(&Path::ROOT, Code::Malformed, error);
        Self::Invalid(problems)
    }
}

impl Refusal {
    fn body(&self, locale: Locale) -> ErrorBody {
        match self {
            Self::Malformed(why) => ErrorBody::new("malformed", &why.text(locale)),
            Self::Invalid(problems) => ErrorBody {
                info: Some(ErrorInfo::of(problems, locale)),
                ..ErrorBody::new("invalid", &summary(problems).text(locale))
            },
        }
    }
}

fn summary(problems: &Problems) -> Sentence {
    match problems.as_slice() {
        [] => sentence!("input.broken"),
        [only] if only.path.is_empty() => only.message.clone(),
        [only] => sentence!("input.at", place = only.path, message = only.message),
        _ => sentence!("input.problems", count = problems.len()),
    }
}

/// `{"data": ...}`, or the error body of the interface, in English.
pub(super) fn text<T: Serialize>(answer: Result<T, Refusal>) -> String {
    text_in(answer, Locale::English)
}

pub(super) fn text_in<T: Serialize>(answer: Result<T, Refusal>, locale: Locale) -> String {
    match answer {
        Ok(data) => ascii(&Envelope::data(data)),
        Err(refusal) => ascii(&refusal.body(locale)),
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
        let too_much = Sentence::Text("too much".to_owned());
        problems.add_limit(&menge, Code::OutOfRange, 9, too_much);
        assert_eq!(
            text::<()>(Err(problems.clone().into())),
            r#"{"error":"invalid","error_description":"`Menge`: too much","info":{"problems":[{"path":"Menge","code":"out_of_range","message":"too much","limit":9}]}}"#
        );
        problems.add(&menge, Code::Malformed, sentence!("input.broken"));
        let refusal = text::<()>(Err(problems.into()));
        assert!(refusal.contains("the input has 2 problems"), "{refusal}");
        let broken = Err(Refusal::Malformed(sentence!("input.broken")));
        assert_eq!(
            text_in::<()>(broken, Locale::German),
            r#"{"error":"malformed","error_description":"die Eingabe verletzt eine Regel"}"#
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
