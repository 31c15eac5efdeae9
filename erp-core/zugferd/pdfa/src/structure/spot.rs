//! Places that an edit can name.

use crate::PdfPlace;
use crate::repair::{Edit, EditStep, Repair};
use erp_pdf::{Dict, Object, ObjectId};

/// Whether the member is written at all, be it as `null`.
pub(super) fn mentions(dict: &Dict, name: &str) -> bool {
    dict.iter().any(|(key, _)| key == name.as_bytes())
}

/// A name for people.
pub(super) fn shown(name: Option<&[u8]>) -> String {
    String::from_utf8_lossy(name.unwrap_or(b"?")).into_owned()
}

/// The value at the end of a way.
pub(super) fn inside<'o>(object: &'o Object, path: &[EditStep]) -> Option<&'o Object> {
    path.iter().try_fold(object, |object, step| match step {
        EditStep::Member(name) => object.as_dict()?.get_bytes(name),
        EditStep::Item(place) => object.as_array()?.get(*place),
    })
}

/// A place in the file that an edit can name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Spot {
    pub(super) object: ObjectId,
    pub(super) path: Vec<EditStep>,
}

impl Spot {
    pub(crate) const fn of(object: ObjectId) -> Self {
        Self {
            object,
            path: Vec::new(),
        }
    }

    /// Where a value is that is one step inside.
    pub(crate) fn step(&self, value: Option<&Object>, step: EditStep) -> Self {
        if let Some(Object::Reference(id)) = value {
            return Self::of(*id);
        }
        let mut inner = self.clone();
        inner.path.push(step);
        inner
    }

    pub(super) fn member(&self, dict: &Dict, name: &str) -> Self {
        self.step(dict.get(name), EditStep::Member(name.as_bytes().into()))
    }

    pub(super) fn item(&self, items: &[Object], place: usize) -> Self {
        self.step(items.get(place), EditStep::Item(place))
    }

    pub(super) const fn place(&self) -> PdfPlace {
        PdfPlace::in_object(self.object.number)
    }

    pub(crate) fn edit(&self, members: Vec<(&'static str, Object)>) -> Repair {
        Repair::Edit(Edit {
            object: self.object,
            path: self.path.clone(),
            members,
        })
    }

    pub(super) fn is_indirect(&self) -> bool {
        self.path.is_empty()
    }
}
