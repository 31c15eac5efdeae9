//! Rows of an import and what is wrong with them.

use crate::import::Row;
use crate::values::problem::{Code, Problem};
use crate::values::sentence::Sentence;

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

impl RowError {
    pub(super) fn new(line: usize, member: &str, code: Code, message: Sentence) -> Self {
        let problem = Problem::new(member, code, message);
        Self { line, problem }
    }
}
