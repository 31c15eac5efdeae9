//! A PDF whose objects are read only on demand.

use super::chain::Chain;
pub use super::located::{Framing, Located};
use super::memory::Memory;
#[cfg(feature = "decrypt")]
use super::security::Security;
use super::state::FileState;
pub use super::xref::{SectionKind, XrefEntry};
use super::{Dict, Limits, Object, ObjectId, PdfError, Result};
use miniz_oxide::inflate::core::DecompressorOxide;
use std::cell::RefCell;
use std::ops::Deref;
use std::rc::Rc;

/// A PDF in memory, opened at its cross-reference chain; objects are read on demand.
pub struct PdfFile<'a> {
    pub(super) data: &'a [u8],
    pub(super) limits: Limits,
    pub(super) chain: Chain<'a>,
    pub(super) trailer: Dict,
    pub(super) opened: Opened,
    pub(super) state: RefCell<FileState>,
    pub(super) memory: Rc<Memory>,
    /// Its memory is used for one stream after the other.
    pub(super) inflating: RefCell<Box<DecompressorOxide>>,
    /// Of an encrypted file that was unlocked.
    #[cfg(feature = "decrypt")]
    pub(super) security: Option<Security>,
}

/// How the file was opened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Opened {
    /// Bytes before `%PDF-`.
    pub junk_before: usize,
    /// Whether offsets count from `%PDF-` although other bytes are before it.
    pub offsets_after_junk: bool,
    /// The number after `startxref`.
    pub startxref: usize,
    /// Whether the objects were found by looking through the whole file.
    pub rebuilt: bool,
}

/// An object that is either written at the place of use or shared.
pub enum Value<'v> {
    /// It is written where it is used.
    Here(&'v Object),
    /// It is an indirect object.
    There(Rc<Located>),
}

impl Value<'_> {
    /// What is not there.
    pub const NULL: Self = Self::Here(&NULL);
}

impl Deref for Value<'_> {
    type Target = Object;

    fn deref(&self) -> &Object {
        match self {
            Self::Here(object) => object,
            Self::There(located) => &located.object,
        }
    }
}

/// References that lead to references: honest files have one, and a circle ends.
const REFERENCE_CHAIN: usize = 32;
static NULL: Object = Object::Null;

impl<'a> PdfFile<'a> {
    /// All bytes, from the first that offsets count from.
    pub const fn data(&self) -> &'a [u8] {
        self.data
    }

    /// The newest trailer, or the dictionary of the newest cross-reference stream.
    pub const fn trailer(&self) -> &Dict {
        &self.trailer
    }

    /// How the file was opened.
    pub const fn opened(&self) -> Opened {
        self.opened
    }

    /// The limits it was opened with.
    pub const fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Starts and kinds of all sections, the newest first.
    pub fn sections(&self) -> impl ExactSizeIterator<Item = (usize, SectionKind)> {
        let sections = self.chain.sections.iter();
        sections.map(|section| (section.at, section.kind))
    }

    /// Whether strings and streams are encrypted.
    pub fn is_encrypted(&self) -> bool {
        self.trailer.has("Encrypt")
    }

    /// Encrypted files are not read: the feature `decrypt` is not built in.
    /// Errors: [`PdfError::Encrypted`] when it is encrypted.
    #[cfg(not(feature = "decrypt"))]
    pub fn unlock(&mut self, _password: &str) -> Result<()> {
        if self.is_encrypted() {
            return Err(PdfError::Encrypted);
        }
        Ok(())
    }

    /// What the cross-reference says about an object.
    /// Errors: [`PdfError::Damaged`] when its line is broken.
    pub fn entry(&self, number: u32) -> Result<XrefEntry> {
        self.chain.entry(number)
    }

    /// The numbers of all objects that exist, in their order.
    /// Errors: [`PdfError::TooLarge`] beyond `Limits::objects`; [`PdfError::Damaged`] for broken lines.
    pub fn objects(&self) -> Result<Vec<u32>> {
        self.chain.objects(self.limits.objects)
    }

    /// One more than the highest number any section mentions.
    pub fn next_number(&self) -> u32 {
        let size = self.trailer.integer("Size");
        self.chain
            .next_number(size.and_then(|size| u32::try_from(size).ok()))
    }

    /// Whether a table frees an object of an older section in a way that other readers misunderstand: they find the old
    /// object, or take the row for that of object 0. Also true if there are too many rows to find out.
    pub fn has_misleading_free_rows(&self) -> bool {
        self.chain.has_misleading_free_rows(self.limits.objects)
    }

    /// An indirect object; `None` when it does not exist.
    /// Errors: [`PdfError::Damaged`] when it is not where it should be, and the limits.
    pub fn object(&self, number: u32) -> Result<Option<Rc<Located>>> {
        let place = usize::try_from(number).unwrap_or(usize::MAX);
        if let Some(Some(known)) = self.state.borrow().objects.get(place) {
            return Ok(Some(Rc::clone(known)));
        }
        let located = match self.entry(number)? {
            XrefEntry::Free => return Ok(None),
            #[cfg(feature = "decrypt")]
            XrefEntry::At(_) if self.security.as_ref().is_some_and(|all| all.is_own(number)) => {
                return Ok(None);
            }
            XrefEntry::At(at) => {
                let mut located = self.read_plain(number, at)?;
                let stated = self.chain.row_generation(number);
                located.framing.wrong_generation =
                    stated.is_some_and(|stated| stated != u32::from(located.generation));
                located
            }
            XrefEntry::InStream { stream } => match self.read_in_stream(number, stream)? {
                Some(located) => located,
                None => return Ok(None),
            },
        };
        let located = Rc::new(located);
        self.state
            .borrow_mut()
            .keep(place, &located, self.kept_bytes());
        self.check_held()?;
        Ok(Some(located))
    }

    /// Follows references until there is a value; what does not exist is `null` (7.3.10).
    /// Errors: as [`PdfFile::object`]; [`PdfError::Damaged`] for references in a circle.
    pub fn follow<'v>(&self, object: &'v Object) -> Result<Value<'v>> {
        let Object::Reference(id) = object else {
            return Ok(Value::Here(object));
        };
        let mut id = *id;
        for _ in 0..REFERENCE_CHAIN {
            let Some(located) = self.object(id.number)? else {
                return Ok(Value::NULL);
            };
            match located.object {
                Object::Reference(next) => id = next,
                _ => return Ok(Value::There(located)),
            }
        }
        Err(PdfError::damaged("references lead in a circle", 0))
    }

    /// A member of a dictionary, references followed; `null` when absent.
    pub fn member<'v>(&self, dict: &'v Dict, name: &str) -> Result<Value<'v>> {
        dict.get(name)
            .map_or(Ok(Value::NULL), |object| self.follow(object))
    }

    /// Whether a dictionary has a member that is not `null`, references followed.
    pub fn has(&self, dict: &Dict, name: &str) -> Result<bool> {
        Ok(!matches!(*self.member(dict, name)?, Object::Null))
    }

    /// The name that an object is, references followed; empty for another object.
    pub fn name(&self, object: &Object) -> Result<Vec<u8>> {
        Ok(self.follow(object)?.as_name().unwrap_or_default().to_vec())
    }

    /// Like [`PdfFile::follow`], but a damaged object is `null`.
    /// Errors: only when a limit is exceeded.
    pub fn follow_readable<'v>(&self, object: &'v Object) -> Result<Value<'v>> {
        Ok(PdfError::readable(self.follow(object))?.unwrap_or(Value::NULL))
    }

    /// Like [`PdfFile::member`], but a damaged object is `null`.
    /// Errors: only when a limit is exceeded.
    pub fn member_readable<'v>(&self, dict: &'v Dict, name: &str) -> Result<Value<'v>> {
        dict.get(name)
            .map_or(Ok(Value::NULL), |object| self.follow_readable(object))
    }

    /// The document catalog.
    /// Errors: [`PdfError::Damaged`] when there is none.
    pub fn catalog(&self) -> Result<(ObjectId, Dict)> {
        let missing = || PdfError::damaged("the document catalog is missing", 0);
        let id = self.trailer.reference("Root").ok_or_else(missing)?;
        let located = self.object(id.number)?.ok_or_else(missing)?;
        match &located.object {
            Object::Dict(dict) if dict.has("Pages") => Ok((id, dict.clone())),
            _ => Err(missing()),
        }
    }
}
