//! The code lists that the rules enforce: `codes.txt`.

use std::sync::OnceLock;

use crate::invoice::decimal::BLANKS;

#[derive(Debug)]
pub(crate) struct CodeList {
    /// What lists of rules call it.
    id: &'static str,
    /// What people call it.
    pub(crate) name: &'static str,
    /// The list that it differs from, by codes more with `+` and codes less with `-`.
    pub(crate) base: Option<&'static str>,
    /// The codes with blanks between, sorted; `AA1..4` are those from `AA1` to `AA4`.
    pub(crate) codes: &'static str,
}

impl CodeList {
    fn read(line: &'static str) -> Option<Self> {
        let mut columns = line.split(" | ");
        let (id, name, codes) = (columns.next()?, columns.next()?, columns.next()?);
        let (base, codes) = match (name, codes.split_once(' ')) {
            ("-", Some((base, codes))) => (Some(base), codes),
            _ => (None, codes),
        };
        Some(Self {
            id,
            name,
            base,
            codes,
        })
    }

    /// Whether the text is a code of the list; white space around it does not count.
    pub(crate) fn contains(&self, text: &str) -> bool {
        self.contains_exactly(text.trim_matches(BLANKS))
    }

    /// Whether the text is a code of the list as it is.
    fn contains_exactly(&self, code: &str) -> bool {
        let Some(base) = self.base else {
            return is_listed(self.codes, code);
        };
        let mut changes = self.codes.split(' ');
        match changes.find(|change| change.get(1..) == Some(code)) {
            Some(change) => change.starts_with('+'),
            None => has(base, code),
        }
    }

    /// All codes with blanks between and around, without ranges.
    pub(crate) fn written_out(&self) -> String {
        each(self.codes).fold(" ".to_owned(), |written, code| written + &code + " ")
    }
}

/// The list that rules call so.
pub(crate) fn list(id: &str) -> Option<&'static CodeList> {
    static LISTS: OnceLock<Vec<CodeList>> = OnceLock::new();
    let lists = LISTS.get_or_init(|| {
        let lines = include_str!("codes.txt").lines();
        lines.filter_map(CodeList::read).collect()
    });
    lists.iter().find(|list| list.id == id)
}

/// Whether the text is, as it is, a code of the list that rules call so.
pub(crate) fn has(list: &str, code: &str) -> bool {
    self::list(list).is_some_and(|list| list.contains_exactly(code))
}

/// Whether the text is one of the codes, which are written as in [`CodeList::codes`].
fn is_listed(codes: &str, code: &str) -> bool {
    // No part of the list as it is written is a code itself.
    if code.contains(' ') || code.contains("..") {
        return false;
    }
    let codes = codes.as_bytes();
    let Some((last, before)) = code.as_bytes().split_last() else {
        return false;
    };
    let is_start = |at: usize| at == 0 || codes.get(at - 1) == Some(&b' ');
    let mut starts = memchr::memmem::find_iter(codes, before).filter(|at| is_start(*at));
    starts.any(|at| match codes.get(at + before.len()..) {
        Some([first, b'.', b'.', end, ..]) => first <= last && last <= end,
        Some([only, b' ', ..] | [only]) => only == last,
        _ => false,
    })
}

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

#[cfg(test)]
mod tests {
    use super::*;

    fn of(id: &str) -> &'static CodeList {
        list(id).unwrap_or_else(|| panic!("{id}"))
    }

    #[test]
    fn codes_are_found_whole() {
        for (text, is_code) in [
            ("EUR", true),
            (" EUR\n", true),
            ("eur", false),
            ("EU", false),
            ("UR", false),
            ("EUR ERN", false),
            ("ERN EUR", false),
            ("", false),
            (" ", false),
            ("AED", true),
            ("ZWG", true),
        ] {
            assert_eq!(of("currencies").contains(text), is_code, "{text:?}");
        }
        for (code, is_code) in [
            ("B30", true),
            ("B35", true),
            ("B36", false),
            ("B3", true),
            ("B3.", false),
            ("B3..", false),
            ("B30..5", false),
            ("30..5", false),
            ("B", false),
        ] {
            assert_eq!(has("units", code), is_code, "{code:?}");
        }
        assert!(of("categories").contains("S") && of("categories").contains("L"));
        assert!(!of("categories").contains("A") && !of("categories").contains("."));
        assert!(!has("mime", "image/png "));
        assert!(of("document-types").contains("380"));
    }

    #[test]
    fn the_lists_have_as_many_codes_as_the_artefact() {
        for (list, count) in [
            ("countries", 251),
            ("countries-ubl", 251),
            ("credit-note-types", 13),
            ("invoice-types", 50),
            ("subjects-ubl", 383),
            ("tax-points-ubl", 3),
            ("currencies", 178),
            ("document-types", 62),
            ("mime", 6),
            ("reference-types", 818),
            ("subjects", 401),
            ("eas", 104),
            ("icd", 243),
            ("allowance-reasons", 19),
            ("charge-reasons", 178),
            ("payment-means", 84),
            ("classifications", 185),
            ("categories", 10),
            ("exemptions", 88),
            ("tax-points", 3),
            ("units", 2162),
        ] {
            let list = of(list);
            assert_eq!(each(list.codes).count(), count, "{}", list.name);
            assert!(
                each(list.codes).all(|code| list.contains(&code)),
                "{}",
                list.name
            );
        }
    }
}
