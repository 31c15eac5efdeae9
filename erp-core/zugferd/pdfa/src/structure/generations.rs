//! References that name another generation than that of their object: for other readers they are `null` (6.1.4).

use super::frames::Count;
use crate::Subject;
use erp_pdf::file::Located;
use erp_pdf::{Object, ObjectId, PdfError, Result};
use std::collections::BTreeMap;

/// What is known after all objects were read once.
#[derive(Default)]
pub(super) struct Generations {
    /// Of objects of another generation than 0.
    known: BTreeMap<u32, u16>,
    /// Whether a reference names another generation than 0.
    is_odd: bool,
}

impl Generations {
    pub(super) fn note(&mut self, number: u32, located: &Located) {
        if located.generation != 0 {
            self.known.insert(number, located.generation);
        }
        self.is_odd = self.is_odd || has(&located.object, |id| id.generation != 0);
    }

    /// Notes objects with references of another generation.
    pub(super) fn check(
        self,
        subject: &Subject<'_, '_>,
        numbers: &[u32],
        wrong: &mut Count,
    ) -> Result<()> {
        let trailer = Object::Dict(subject.file.trailer().clone());
        // Nearly all files have the generation 0 and no other.
        let is_odd = self.is_odd || has(&trailer, |id| id.generation != 0);
        if self.known.is_empty() && !is_odd {
            return Ok(());
        }
        let is_wrong = |id: ObjectId| {
            let exists = numbers.binary_search(&id.number).is_ok();
            exists && self.known.get(&id.number).copied().unwrap_or(0) != id.generation
        };
        wrong.add(has(&trailer, is_wrong), 0);
        for number in numbers {
            if let Some(Some(located)) = PdfError::readable(subject.file.object(*number))? {
                wrong.add(has(&located.object, is_wrong), *number);
            }
        }
        Ok(())
    }
}

fn has(object: &Object, is_wanted: impl Fn(ObjectId) -> bool) -> bool {
    object.any(&mut |inner| inner.as_reference().is_some_and(&is_wanted))
}
