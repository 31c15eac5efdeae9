//! References that name another generation than that of their object: for other readers they are `null` (6.1.4).

use super::objects::Count;
use crate::pdf::{Dict, Object, ObjectId, PdfError};
use crate::pdfa::Subject;
use std::collections::BTreeMap;

/// Notes objects with references of another generation.
pub(super) fn check(subject: &Subject<'_, '_>, wrong: &mut Count) -> Result<(), PdfError> {
    let Ok(entries) = subject.file.objects() else {
        return Ok(());
    };
    let numbers = || entries.iter().copied();
    let mut known = BTreeMap::new();
    let mut is_odd = visit(&Object::Dict(subject.file.trailer().clone()), &|id| {
        id.generation != 0
    });
    for number in numbers() {
        let Some(located) = readable(subject, number)? else {
            continue;
        };
        if located.generation != 0 {
            known.insert(number, located.generation);
        }
        is_odd |= visit(&located.object, &|id| id.generation != 0);
    }
    // Nearly all files have the generation 0 and no other.
    if known.is_empty() && !is_odd {
        return Ok(());
    }
    let is_wrong = |id: &ObjectId| {
        let exists = entries.binary_search(&id.number).is_ok();
        exists && known.get(&id.number).copied().unwrap_or(0) != id.generation
    };
    let trailer = Object::Dict(subject.file.trailer().clone());
    wrong.add(visit(&trailer, &is_wrong), 0);
    for number in numbers() {
        if let Some(located) = readable(subject, number)? {
            wrong.add(visit(&located.object, &is_wrong), number);
        }
    }
    Ok(())
}

fn readable(
    subject: &Subject<'_, '_>,
    number: u32,
) -> Result<Option<std::rc::Rc<crate::pdf::Located>>, PdfError> {
    match subject.file.object(number) {
        Err(error @ PdfError::TooLarge { .. }) => Err(error),
        Err(_) => Ok(None),
        located => located,
    }
}

/// Whether any reference in an object is of this kind.
fn visit(object: &Object, is_wanted: &impl Fn(&ObjectId) -> bool) -> bool {
    match object {
        Object::Reference(id) => is_wanted(id),
        Object::Array(items) => items.iter().any(|item| visit(item, is_wanted)),
        Object::Dict(_) | Object::Stream(_) => {
            let values = object.as_dict().into_iter().flat_map(Dict::iter);
            values.into_iter().any(|(_, value)| visit(value, is_wanted))
        }
        _ => false,
    }
}
