//! The one error body of every endpoint (interface: "Errors", extended by the decisions).

use smol_str::SmolStr;

use super::record::wire_record;
use crate::values::problem::{Problem, Problems};

wire_record! {
    /// The body of every response that is an error.
    pub struct ErrorBody {
        /// Stable code, for example `invalid` or `endpoint`.
        error: text required,
        /// What went wrong, in a sentence.
        description "error_description": text required,
        /// What else is known.
        info: object(ErrorInfo) required,
    }
}

wire_record! {
    /// `info` of an error.
    pub struct ErrorInfo {
        /// Name of the wanted output file (e-invoice endpoint).
        filename: text,
        /// Processing steps and warnings (e-invoice endpoint).
        subprocess_output: texts,
        /// Everything that is wrong with the body (status 422).
        problems: list(ProblemEntry),
        /// `true` when `problems` lists only the first of them (status 422).
        truncated: bool,
        /// How many problems there are when the list is not complete (status 422).
        count: int,
        /// Where a template offer does not fit the customer (status 409).
        mismatch: list(MismatchEntry),
    }
}

wire_record! {
    /// An entry of `info.problems`.
    pub struct ProblemEntry {
        /// Place in wire names, for example `Positionen[2].ArtNr`; empty for the body itself.
        path: text required,
        /// Stable code, for example `too_long`.
        code: text required,
        /// What is wrong, in a sentence.
        message: text required,
        /// The bound that was broken.
        limit: int,
    }
}

wire_record! {
    /// An entry of `info.mismatch`: one thing in which an offer and a customer differ.
    pub struct MismatchEntry {
        /// What differs: `price_list`, `cost_bearer`, `tax_code` or `currency`.
        subject: text required,
        /// The value of the offer.
        offer: text,
        /// The value of the customer.
        customer: text,
    }
}

impl ErrorBody {
    /// An error without further information.
    #[must_use]
    pub fn new(error: &str, description: &str) -> Self {
        Self {
            error: Some(SmolStr::new(error)),
            description: Some(SmolStr::new(description)),
            info: None,
        }
    }
}

impl From<&Problem> for ProblemEntry {
    fn from(problem: &Problem) -> Self {
        Self {
            path: Some(SmolStr::new(&problem.path)),
            code: Some(SmolStr::new_static(problem.code.as_str())),
            message: Some(SmolStr::new(&problem.message)),
            limit: problem.limit.and_then(|limit| i32::try_from(limit).ok()),
        }
    }
}

impl From<&Problems> for ErrorInfo {
    fn from(problems: &Problems) -> Self {
        let is_cut = problems.as_slice().len() < problems.len();
        let count = i32::try_from(problems.len()).unwrap_or(i32::MAX);
        Self {
            problems: Some(problems.as_slice().iter().map(ProblemEntry::from).collect()),
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

    // rule: R-ERR-02
    #[test]
    fn problems_become_info_of_an_error() {
        let mut problems = Problems::new();
        let path = Path::ROOT.member("AuftBez");
        problems.add_limit(
            &path,
            Code::TooLong,
            80,
            "81 characters, at most 80 are allowed",
        );
        let body = ErrorBody {
            info: Some(ErrorInfo::from(&problems)),
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
