//! The one error body of every endpoint (interface: "Errors", extended by the decisions).

use erp_derive::Record;
use smol_str::SmolStr;

use crate::values::problem::{Problem, Problems};
use crate::values::sentence::Locale;

/// The body of every response that is an error.
#[derive(Clone, Debug, PartialEq, Record)]
#[record(Response)]
pub struct ErrorBody {
    /// Stable code, for example `invalid` or `endpoint`.
    #[wire("error", required)]
    pub error: SmolStr,
    /// What went wrong, in a sentence.
    #[wire("error_description", required)]
    pub description: SmolStr,
    /// What else is known.
    #[wire("info", required)]
    pub info: Option<ErrorInfo>,
}

/// `info` of an error.
#[derive(Clone, Debug, Default, PartialEq, Record)]
#[record(Response)]
pub struct ErrorInfo {
    /// Name of the wanted output file (e-invoice endpoint).
    #[wire("filename")]
    pub filename: Option<SmolStr>,
    /// Processing steps and warnings (e-invoice endpoint).
    #[wire("subprocess_output")]
    pub subprocess_output: Option<Vec<SmolStr>>,
    /// Everything that is wrong with the body (status 422).
    #[wire("problems")]
    pub problems: Option<Vec<ProblemEntry>>,
    /// `true` when `problems` lists only the first of them (status 422).
    #[wire("truncated")]
    pub truncated: Option<bool>,
    /// How many problems there are when the list is not complete (status 422).
    #[wire("count")]
    pub count: Option<i32>,
    /// Where a template offer does not fit the customer (status 409).
    #[wire("mismatch")]
    pub mismatch: Option<Vec<MismatchEntry>>,
}

/// An entry of `info.problems`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Record)]
#[record(Response)]
pub struct ProblemEntry {
    /// Place in wire names, for example `Positionen[2].ArtNr`; empty for the body itself.
    #[wire("path", required)]
    pub path: SmolStr,
    /// Stable code, for example `too_long`.
    #[wire("code", required)]
    pub code: SmolStr,
    /// What is wrong, in a sentence.
    #[wire("message", required)]
    pub message: SmolStr,
    /// The bound that was broken.
    #[wire("limit")]
    pub limit: Option<i32>,
}

/// An entry of `info.mismatch`: one thing in which an offer and a customer differ.
#[derive(Clone, Debug, Default, PartialEq, Eq, Record)]
#[record(Response)]
pub struct MismatchEntry {
    /// What differs: `price_list`, `cost_bearer`, `tax_code` or `currency`.
    #[wire("subject", required)]
    pub subject: SmolStr,
    /// The value of the offer.
    #[wire("offer")]
    pub offer: Option<SmolStr>,
    /// The value of the customer.
    #[wire("customer")]
    pub customer: Option<SmolStr>,
}

impl ErrorBody {
    /// An error without further information.
    pub fn new(error: &str, description: &str) -> Self {
        Self {
            error: SmolStr::new(error),
            description: SmolStr::new(description),
            info: None,
        }
    }
}

impl ProblemEntry {
    fn of(problem: &Problem, locale: Locale) -> Self {
        Self {
            path: SmolStr::new(&problem.path),
            code: SmolStr::new_static(problem.code.as_str()),
            message: problem.message.text(locale).into(),
            limit: problem.limit.and_then(|limit| i32::try_from(limit).ok()),
        }
    }
}

impl ErrorInfo {
    /// Problems with their messages in a language.
    pub fn of(problems: &Problems, locale: Locale) -> Self {
        let is_cut = problems.as_slice().len() < problems.len();
        let list = problems.as_slice().iter();
        let list = list.map(|problem| ProblemEntry::of(problem, locale));
        let count = i32::try_from(problems.len()).unwrap_or(i32::MAX);
        Self {
            problems: Some(list.collect()),
            truncated: is_cut.then_some(true),
            count: is_cut.then_some(count),
            ..Self::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::problem::{Code, Path};
    use crate::values::text::TextError;

    // rule: R-ERR-02
    #[test]
    fn problems_become_info_of_an_error() {
        let mut problems = Problems::new();
        let path = Path::ROOT.member("AuftBez");
        problems.add_limit(
            &path,
            Code::TooLong,
            80,
            TextError::TooLong {
                length: 81,
                limit: 80,
            },
        );
        let body = ErrorBody {
            info: Some(ErrorInfo::of(&problems, Locale::English)),
            ..ErrorBody::new("invalid", "the body breaks 1 rule")
        };
        assert_eq!(
            serde_json::to_string(&body).unwrap(),
            concat!(
                r#"{"error":"invalid","error_description":"the body breaks 1 rule","#,
                r#""info":{"problems":[{"path":"AuftBez","code":"too_long","#,
                r#""message":"81 characters, at most 80 are allowed","limit":80}]}}"#
            )
        );
    }
}
