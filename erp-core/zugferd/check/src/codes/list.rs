//! A code list.

use crate::invoice::decimal::BLANKS;

/// A code list.
#[derive(Debug)]
pub(crate) struct CodeList {
    pub(crate) name: &'static str,
    /// The codes with blanks between, sorted; `AA1..4` are those from `AA1` to `AA4`.
    pub(crate) codes: &'static str,
}

impl CodeList {
    /// Whether the text is a code of the list; white space around it does not count.
    pub(crate) fn contains(&self, text: &str) -> bool {
        self.contains_exactly(text.trim_matches(BLANKS))
    }

    /// All codes with blanks between and around, without ranges.
    pub(crate) fn written_out(&self) -> String {
        each(self.codes).fold(" ".to_owned(), |written, code| written + &code + " ")
    }

    /// Whether the text is a code of the list as it is.
    pub(crate) fn contains_exactly(&self, code: &str) -> bool {
        is_listed(self.codes, code)
    }
}

/// Whether the text is one of the codes, which are written as in a [`CodeList`].
pub(crate) fn is_listed(codes: &str, code: &str) -> bool {
    // No part of the list as it is written is a code itself.
    if code.contains(' ') || code.contains("..") {
        return false;
    }
    let codes = codes.as_bytes();
    let Some((last, before)) = code.as_bytes().split_last() else {
        return false;
    };
    let is_start = |at: usize| {
        at.checked_sub(1)
            .is_none_or(|at| codes.get(at) == Some(&b' '))
    };
    let mut starts = memchr::memmem::find_iter(codes, before).filter(|at| is_start(*at));
    starts.any(|at| match codes.get(at + before.len()..) {
        Some([first, b'.', b'.', end, ..]) => first <= last && last <= end,
        Some([only, b' ', ..] | [only]) => only == last,
        _ => false,
    })
}

/// All codes, one by one.
pub(crate) fn each(codes: &str) -> impl Iterator<Item = String> {
    codes.split(' ').flat_map(|written| {
        let (first, last) = written.split_once("..").unwrap_or((written, ""));
        let before = first.get(..first.len().saturating_sub(1));
        let before = before.unwrap_or_default();
        let from = first.bytes().next_back().unwrap_or_default();
        let to = last.bytes().next().unwrap_or(from);
        (from..=to).map(move |end| format!("{before}{}", char::from(end)))
    })
}
