//! Rows of an import and what is wrong with them.

use crate::import::Row;
use crate::values::problem::{Code, Path, Problem};

/// An import row and its line number.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportRow {
    /// The line of the file, counted from 1.
    pub line: usize,
    /// The row.
    pub row: Row,
}

/// An error in a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowError {
    /// The line of the file, counted from 1.
    pub line: usize,
    /// The problem.
    pub problem: Problem,
}

pub(super) fn problem(member: &str, code: Code, message: String) -> Problem {
    Problem::new(Path::ROOT.member(member).to_string(), code, message)
}
