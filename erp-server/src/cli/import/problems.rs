//! The problems of rows, by file and line.

use std::collections::BTreeMap;

use erp_core::Problem;
use serde::Deserialize;

use super::file::{ImportFile, Line};
use crate::import::MOST_BAD_ROWS;

#[derive(Clone, Copy)]
pub(super) struct Placed<'a> {
    pub(super) file: &'a ImportFile,
    pub(super) at: usize,
    pub(super) line: &'a Line,
}

/// Problems of rows, as a response lists them.
#[derive(Deserialize)]
pub(super) struct Listed {
    problems: Vec<Problem>,
    /// Whether there are more.
    #[serde(default)]
    truncated: bool,
}

pub(super) struct RowProblems<'a> {
    files: &'a [ImportFile],
    found: BTreeMap<(usize, usize), Vec<Problem>>,
    /// Whether there are more.
    is_cut: bool,
}

impl<'a> RowProblems<'a> {
    /// Those that were found before anything was sent.
    pub(super) fn of(files: &'a [ImportFile]) -> Self {
        let found = files.iter().enumerate().flat_map(|(at, file)| {
            let problems = file.problems.iter();
            problems.map(move |(line, problems)| ((at, *line), problems.clone()))
        });
        Self {
            files,
            found: found.collect(),
            is_cut: false,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Adds the problems of a response to these rows. What was found before is told in the words of the file's format.
    pub(super) fn add(&mut self, rows: &[Placed<'_>], listed: Listed) {
        self.is_cut |= listed.truncated;
        for mut problem in listed.problems {
            let (number, path) = row_of(&problem.path);
            let path = path.to_owned();
            let row = number.and_then(|at| rows.get(at));
            let Some(row) = row.or(rows.first()) else {
                continue;
            };
            let place = (row.at, row.line.0);
            let known = row.file.problems.get(&row.line.0).into_iter().flatten();
            if !same(known, &path) {
                problem.path = path;
                self.found.entry(place).or_default().push(problem);
            }
        }
    }

    /// What is wrong, file by file; `what` is the consequence.
    pub(super) fn text(&self, what: &str) -> String {
        let mut text = format!("{what}, because ");
        let mut begin = "";
        for (at, file) in self.files.iter().enumerate() {
            let name = &file.name;
            let of_file = self.found.range((at, 0)..(at, usize::MAX));
            let mut problems = of_file.flat_map(|((_, line), problems)| {
                problems.iter().map(move |problem| (line, problem))
            });
            let shown: Vec<_> = problems.by_ref().take(MOST_BAD_ROWS).collect();
            if shown.is_empty() {
                continue;
            }
            text.push_str(&format!("{begin}rows of `{name}` are wrong:"));
            begin = "\n";
            let is_full = shown.len() == MOST_BAD_ROWS;
            for (line, problem) in shown {
                text.push_str(&format!("\n  {name}:{line}: {problem}"));
            }
            if is_full && (file.is_unread || problems.next().is_some()) {
                text.push_str(&format!("\n  {name}: and more"));
            }
        }
        if self.is_cut {
            text.push_str("\nand more");
        }
        text
    }
}

/// A CSV field has the name of its column, which the path of the row's member ends with.
fn same<'a>(mut known: impl Iterator<Item = &'a Problem>, path: &str) -> bool {
    known.any(|known| {
        let before = path.strip_suffix(known.path.as_str());
        before.is_some_and(|before| before.is_empty() || before.ends_with('.'))
    })
}

/// The row of a path like `line 3: ArtNr`, counted from 0, and the rest of it.
pub(super) fn row_of(path: &str) -> (Option<usize>, &str) {
    let Some(numbered) = path.strip_prefix("line ") else {
        return (None, path);
    };
    // Without a rest the problem concerns the whole row.
    let (line, rest) = numbered.split_once(": ").unwrap_or((numbered, ""));
    let line = line.parse::<usize>().ok();
    (line.and_then(|line| line.checked_sub(1)), rest)
}
