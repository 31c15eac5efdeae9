//! Faults in how objects are written, which a rewritten file does not have.

use crate::repair::Repair;
use crate::{Faults, Place};
use erp_pdf::file::Located;

/// Counts of faults that a rewritten file does not have, with the first object of each.
#[derive(Default)]
pub(super) struct Frames {
    spacing: Count,
    wrong_length: Count,
    stream_lines: Count,
    odd_hexadecimal: Count,
    wrong_hexadecimal: Count,
    pub(super) wrong_generation: Count,
}

/// How many objects have a fault, and the first of them.
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
        let spacing = framing.spacing && located.in_stream.is_none();
        self.spacing.add(spacing, number);
        self.wrong_length.add(framing.wrong_length, number);
        self.stream_lines.add(framing.stream_lines, number);
        self.odd_hexadecimal.add(syntax.odd_hexadecimal, number);
        self.wrong_hexadecimal.add(syntax.wrong_hexadecimal, number);
        self.wrong_generation.add(framing.wrong_generation, number);
    }

    pub(super) fn report(&self, rewrite: Option<&Repair>, faults: &mut Faults) {
        let all = [
            (
                "6.1.9",
                &self.spacing,
                "with wrong blanks or line ends around `obj` or `endobj`",
            ),
            (
                "6.1.7.1",
                &self.wrong_length,
                "whose `Length` is not the length of the data",
            ),
            (
                "6.1.7.1",
                &self.stream_lines,
                "with wrong line ends around `stream` or `endstream`",
            ),
            (
                "6.1.6",
                &self.odd_hexadecimal,
                "with an odd number of hexadecimal digits in a string",
            ),
            (
                "6.1.6",
                &self.wrong_hexadecimal,
                "with other characters in a hexadecimal string",
            ),
            (
                "6.1.4",
                &self.wrong_generation,
                "with another generation than in the cross-reference or a reference",
            ),
        ];
        for (clause, count, what) in all {
            if count.number == 0 {
                continue;
            }
            let noun = if count.number == 1 {
                "object"
            } else {
                "objects"
            };
            let text = format!("there is {} {noun} {what}", count.number);
            let text = if count.number == 1 {
                text
            } else {
                text.replacen("is", "are", 1)
            };
            let place = Place::in_object(count.first);
            faults.add_repairable(clause, place, text, rewrite.cloned());
        }
    }
}
