//! Reading without stopping at damage, and places that an edit can name.

use crate::Place;
use crate::repair::{Edit, Repair, Step};
use erp_pdf::file::Value;
use erp_pdf::{Dict, Object, ObjectId, PdfFile, Result};

/// Reads values; a damaged object is `null`, because the pass over all objects reports it.
#[derive(Clone, Copy)]
pub(super) struct Reader<'f, 'a> {
    pub(super) file: &'f PdfFile<'a>,
}

impl Reader<'_, '_> {
    /// The value after its references are followed.
    pub(super) fn follow<'v>(&self, object: &'v Object) -> Result<Value<'v>> {
        self.file.follow_readable(object)
    }

    /// A member of a dictionary, references followed.
    pub(super) fn member<'v>(&self, dict: &'v Dict, name: &str) -> Result<Value<'v>> {
        self.file.member_readable(dict, name)
    }
}

/// Whether the member is written at all, be it as `null`.
pub(super) fn mentions(dict: &Dict, name: &str) -> bool {
    dict.iter().any(|(key, _)| key == name.as_bytes())
}

/// A name for people.
pub(super) fn shown(name: Option<&[u8]>) -> String {
    name.map_or_else(
        || "?".to_owned(),
        |name| String::from_utf8_lossy(name).into_owned(),
    )
}

/// The value at the end of a way.
pub(super) fn inside<'o>(object: &'o Object, path: &[Step]) -> Option<&'o Object> {
    path.iter().try_fold(object, |object, step| match step {
        Step::Member(name) => object.as_dict()?.get_bytes(name),
        Step::Item(place) => object.as_array()?.get(*place),
    })
}

/// A place in the file that an edit can name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Spot {
    pub(super) object: ObjectId,
    pub(super) path: Vec<Step>,
}

impl Spot {
    pub(super) const fn of(object: ObjectId) -> Self {
        Self {
            object,
            path: Vec::new(),
        }
    }

    fn step(&self, value: Option<&Object>, step: Step) -> Self {
        match value {
            Some(Object::Reference(id)) => Self::of(*id),
            _ => {
                let mut path = self.path.clone();
                path.push(step);
                Self {
                    object: self.object,
                    path,
                }
            }
        }
    }

    /// Where the value of a member is.
    pub(super) fn member(&self, dict: &Dict, name: &str) -> Self {
        self.step(dict.get(name), Step::Member(name.as_bytes().into()))
    }

    /// Where an item is.
    pub(super) fn item(&self, items: &[Object], place: usize) -> Self {
        self.step(items.get(place), Step::Item(place))
    }

    pub(super) const fn place(&self) -> Place {
        Place::in_object(self.object.number)
    }

    /// Sets members of the dictionary here.
    pub(super) fn edit(&self, members: Vec<(&'static str, Object)>) -> Repair {
        Repair::Edit(Edit {
            object: self.object,
            path: self.path.clone(),
            members,
        })
    }

    /// Whether it is an indirect object.
    pub(super) fn is_indirect(&self) -> bool {
        self.path.is_empty()
    }
}
