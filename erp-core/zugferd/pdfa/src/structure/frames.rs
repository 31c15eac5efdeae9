//! Faults in how objects are written, which a rewritten file does not have.

use crate::repair::Repair;
use crate::{Faults, PdfPlace};
use erp_pdf::file::Located;

/// Clause and words of each fault.
const KINDS: &str = include_str!("frames.tsv");

/// How many objects have each fault, and the first of them.
#[derive(Default)]
pub(super) struct Frames([Count; 6]);

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
        let kinds = KINDS.lines().filter_map(|kind| kind.split_once('\t'));
        for ((clause, what), count) in kinds.zip(&self.0) {
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
