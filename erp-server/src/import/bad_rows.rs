//! Invalid rows of a file.

use erp_core::Problems;
use erp_core::problem::{Code, Problem};

use crate::web::ApiError;

/// An invalid row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadRow {
    /// The line number, from 1.
    pub line: usize,
    /// The problems, with paths inside the row.
    pub problems: Vec<Problem>,
}

impl BadRow {
    pub(super) fn new(line: usize, code: Code, message: impl Into<String>) -> Self {
        Self {
            line,
            problems: vec![Problem::new("", code, message)],
        }
    }
}

/// The invalid rows of a file, at most [`MOST_BAD_ROWS`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadRows(pub Vec<BadRow>);

/// Maximum of reported invalid rows.
pub const MOST_BAD_ROWS: usize = 100;

impl From<BadRows> for ApiError {
    fn from(BadRows(rows): BadRows) -> Self {
        let mut problems = Problems::new();
        for row in rows {
            for problem in row.problems {
                let path = format!("line {}: {}", row.line, problem.path);
                problems.push(Problem {
                    path: path.trim_end_matches([' ', ':']).to_owned(),
                    ..problem
                });
            }
        }
        problems.into()
    }
}
