//! A code list.

use crate::check::decimal::BLANKS;

/// A code list.
#[derive(Debug)]
pub(in crate::check) struct CodeList {
    pub(in crate::check) name: &'static str,
    /// The codes with blanks between.
    pub(in crate::check) codes: &'static str,
}

impl CodeList {
    /// Whether the text is a code of the list; white space around it does not count.
    pub(in crate::check) fn contains(&self, text: &str) -> bool {
        self.contains_exactly(text.trim_matches(BLANKS))
    }

    /// Whether the text is a code of the list as it is.
    pub(in crate::check) fn contains_exactly(&self, code: &str) -> bool {
        let codes = self.codes.as_bytes();
        let is_edge = |byte: Option<&u8>| byte.is_none_or(|byte| *byte == b' ');
        !code.is_empty()
            && !code.contains(' ')
            && memchr::memmem::find_iter(codes, code.as_bytes()).any(|start| {
                is_edge(start.checked_sub(1).and_then(|before| codes.get(before)))
                    && is_edge(codes.get(start + code.len()))
            })
    }
}
