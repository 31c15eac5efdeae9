//! Named resources, and whether a content stream has them itself (6.2.2).

use super::state::{GraphicsState, Paint};
use super::states::Parameters;
use crate::PdfPlace;
use erp_pdf::{Dict, Object, ObjectId, PdfFile, Result};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

/// A resource dictionary, and what is already known about its members.
#[derive(Debug, Default)]
pub(super) struct Resources {
    /// The same dictionary has the same number.
    pub(super) id: u32,
    /// The value of `/Resources`, to be put where it is missing.
    pub(super) value: Object,
    pub(super) dict: Dict,
    pub(super) has_default_gray: bool,
    pub(super) fonts: RefCell<BTreeMap<Box<[u8]>, usize>>,
    pub(super) states: RefCell<BTreeMap<Box<[u8]>, Rc<Parameters>>>,
    /// What replaces gray, RGB and CMYK: not known yet, themselves, or a default colour space.
    pub(super) devices: Cell<[Option<Option<Paint>>; 3]>,
}

/// The resources a content stream sees.
#[derive(Debug, Clone)]
pub(super) struct Scope {
    pub(super) own: Rc<Resources>,
    /// The resources of the page it is drawn on, for a stream that is not a page.
    pub(super) page: Option<Rc<Resources>>,
    /// Its own ones are inherited, from a node of the page tree.
    pub(super) inherited: bool,
    /// The object that would have them, when it has none.
    pub(super) missing_at: Option<ObjectId>,
}

/// How a content stream is drawn.
#[derive(Clone, Copy)]
pub(super) struct Way<'s> {
    pub(super) scope: &'s Scope,
    pub(super) state: GraphicsState,
    pub(super) place: PdfPlace,
}

impl<'s> Way<'s> {
    /// The same with the resources of a stream of its own, at its object.
    pub(super) const fn inside(self, scope: &'s Scope, place: PdfPlace) -> Self {
        Self {
            scope,
            place,
            ..self
        }
    }
}

impl Resources {
    pub(super) fn new(file: &PdfFile<'_>, id: u32, value: Object, dict: Dict) -> Result<Self> {
        let mut resources = Self {
            id,
            value,
            dict,
            ..Self::default()
        };
        resources.has_default_gray = resources.has(file, "ColorSpace", b"DefaultGray")?;
        Ok(resources)
    }

    /// A member of one of its categories, references not followed.
    pub(super) fn get(
        &self,
        file: &PdfFile<'_>,
        category: &str,
        name: &[u8],
    ) -> Result<Option<Object>> {
        let members = file.member(&self.dict, category)?;
        let members = members.as_dict();
        Ok(members.and_then(|members| members.get_bytes(name)).cloned())
    }

    fn has(&self, file: &PdfFile<'_>, category: &str, name: &[u8]) -> Result<bool> {
        let Some(object) = self.get(file, category, name)? else {
            return Ok(false);
        };
        Ok(!matches!(*file.follow(&object)?, Object::Null))
    }
}

impl Scope {
    pub(super) fn page_level(&self) -> &Rc<Resources> {
        self.page.as_ref().unwrap_or(&self.own)
    }

    /// The dictionary that has a resource, its own or that of the page, and whether it is that of another object.
    pub(super) fn find(
        &self,
        file: &PdfFile<'_>,
        category: &str,
        name: &[u8],
    ) -> Result<Option<(&Rc<Resources>, bool)>> {
        if self.own.has(file, category, name)? {
            return Ok(Some((&self.own, self.inherited)));
        }
        match &self.page {
            Some(page) if page.has(file, category, name)? => Ok(Some((page, true))),
            _ => Ok(None),
        }
    }
}
