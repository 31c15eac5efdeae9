//! Faults in how objects are written, which a rewritten file does not have.

use crate::repair::Repair;
use crate::{Faults, PdfPlace};
use erp_pdf::file::Located;

/// Clause and words of each fault.
const KINDS: [(&str, &str); 6] = [
    (
        "6.1.9",
        "with wrong blanks or line ends around `obj` or `endobj`",
    ),
    ("6.1.7.1", "whose `Length` is not the length of the data"),
    (
        "6.1.7.1",
        "with wrong line ends around `stream` or `endstream`",
    ),
    (
        "6.1.6",
        "with an odd number of hexadecimal digits in a string",
    ),
    ("6.1.6", "with other characters in a hexadecimal string"),
    (
        "6.1.4",
        "with another generation than in the cross-reference or a reference",
    ),
];

/// How many objects have each fault, and the first of them.
#[derive(Default)]
pub(super) struct Frames([Count; KINDS.len()]);

#[derive(Default)]
pub(super) struct Count {
    number: usize,
    first: u32,
}

impl Count {
    pub(super) const fn add(&mut self, is_wrong: bool, object: u32) {
        if is_wrong {
            if self.number == 0 {
                self.first = object;
            }
            self.number += 1;
        }
    }
}

impl Frames {
    pub(super) fn add(&mut self, located: &Located, number: u32) {
        let (framing, syntax) = (located.framing, located.syntax);
        let wrong = [
            framing.spacing && located.in_stream.is_none(),
            framing.wrong_length,
            framing.stream_lines,
            syntax.odd_hexadecimal,
            syntax.wrong_hexadecimal,
            framing.wrong_generation,
        ];
        for (count, is_wrong) in self.0.iter_mut().zip(wrong) {
            count.add(is_wrong, number);
        }
    }

    pub(super) const fn wrong_generation(&mut self) -> &mut Count {
        let [.., count] = &mut self.0;
        count
    }

    pub(super) fn report(&self, rewrite: Option<&Repair>, faults: &Faults) {
        for ((clause, what), count) in KINDS.into_iter().zip(&self.0) {
            let text = match count.number {
                0 => continue,
                1 => format!("there is 1 object {what}"),
                number => format!("there are {number} objects {what}"),
            };
            let place = PdfPlace::in_object(count.first);
            faults.add_repairable(clause, place, text, rewrite.cloned());
        }
    }
}
