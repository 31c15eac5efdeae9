//! What would repair a fault, for a program that repairs files.

use erp_pdf::{Object, ObjectId};

/// What repairs a fault, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Repair {
    /// The file is rewritten: its frame is at fault, not its content.
    Rewrite,
    /// An sRGB output intent is added.
    OutputIntent,
    /// An `/ID` is added to the trailer.
    FileId,
    /// Members of objects change.
    Edit(Edit),
    /// The stream is decoded and stored with a filter that PDF/A allows.
    Recode(ObjectId),
    /// The file specification is added to the `/AF` of the catalog.
    Associate(ObjectId),
}

impl Repair {
    pub(crate) fn members(object: ObjectId, members: Vec<(&'static str, Object)>) -> Self {
        Self::Edit(Edit {
            object,
            path: Vec::new(),
            members,
        })
    }
}

/// Changes inside one indirect object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The object.
    pub object: ObjectId,
    /// The path to a dictionary inside it, through direct values; empty for the object itself.
    pub path: Vec<EditStep>,
    /// Members to set; `null` takes a member out.
    pub members: Vec<(&'static str, Object)>,
}

/// One step into a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EditStep {
    /// Into the member of this name.
    Member(Box<[u8]>),
    /// Into the item at this place.
    Item(usize),
}
