//! The objects a PDF consists of (ISO 32000-1, 7.3).

use smol_str::SmolStr;
use std::ops::Range;

/// Number and generation of an indirect object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId {
    /// The object's number, from 1.
    pub number: u32,
    /// How often the number was used before, nearly always 0.
    pub generation: u16,
}

impl ObjectId {
    /// An object of the first generation.
    pub const fn new(number: u32) -> Self {
        Self {
            number,
            generation: 0,
        }
    }
}

impl std::fmt::Display for ObjectId {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{} {}", self.number, self.generation)
    }
}

/// A name without its slash; nearly all are short enough to need no memory of their own.
pub type Name = smallvec::SmallVec<[u8; 16]>;

/// One value of a PDF.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Object {
    /// `null`; a member with it counts as absent.
    #[default]
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number without a fraction.
    Integer(i64),
    /// A number with a fraction, kept as it is written so that no digit is lost.
    Real(SmolStr),
    /// A name without its slash, its `#xx` resolved.
    Name(Name),
    /// A string in parentheses or as hexadecimal digits.
    String(PdfString),
    /// A list.
    Array(Vec<Object>),
    /// Named members.
    Dict(Dict),
    /// Bytes with a dictionary that describes them.
    Stream(Stream),
    /// A reference to an indirect object.
    Reference(ObjectId),
}

/// The bytes of a string and how they were written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PdfString {
    /// The bytes, escapes resolved.
    pub bytes: Vec<u8>,
    /// Whether it is written as hexadecimal digits.
    pub hexadecimal: bool,
}

/// Bytes with a dictionary that describes them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stream {
    /// Length, filters, type.
    pub dict: Dict,
    /// The bytes as they are stored, filters applied.
    pub data: StreamData,
}

/// Where the bytes of a stream are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StreamData {
    /// In the file.
    InFile(Range<usize>),
    /// In memory: a stream that is new.
    New(Vec<u8>),
}

/// Named members in the order of the file. Of a name that is there twice the last one counts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Dict {
    members: Vec<(Name, Object)>,
}

impl Dict {
    /// A dictionary without members.
    pub const fn new() -> Self {
        Self {
            members: Vec::new(),
        }
    }

    /// A dictionary with room for some members.
    pub(super) fn for_members(count: usize) -> Self {
        Self {
            members: Vec::with_capacity(count),
        }
    }

    /// The member of this name as it is written, references not followed; `null` is absent.
    pub fn get(&self, name: &str) -> Option<&Object> {
        self.get_bytes(name.as_bytes())
    }

    /// Like [`Dict::get`], for names that need not be UTF-8.
    pub fn get_bytes(&self, name: &[u8]) -> Option<&Object> {
        let mut members = self.members.iter().rev();
        let (_, value) = members.find(|(key, _)| &**key == name)?;
        (!matches!(value, Object::Null)).then_some(value)
    }

    /// The member of this name, to be changed in place.
    pub fn get_mut(&mut self, name: &[u8]) -> Option<&mut Object> {
        let mut members = self.members.iter_mut().rev();
        let (_, value) = members.find(|(key, _)| &**key == name)?;
        Some(value)
    }

    /// Whether there is a member of this name that is not `null`.
    pub fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Puts a member in, at the place of the one it replaces.
    pub fn set(&mut self, name: &str, value: Object) {
        self.set_bytes(name.as_bytes(), value);
    }

    /// Like [`Dict::set`], for names that need not be UTF-8.
    pub fn set_bytes(&mut self, name: &[u8], value: Object) {
        match self.get_mut(name) {
            Some(place) => *place = value,
            None => self.members.push((name.into(), value)),
        }
    }

    /// The dictionary with one more member.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Object>) -> Self {
        self.set(name, value.into());
        self
    }

    /// Takes a member out.
    pub fn remove(&mut self, name: &str) -> Option<Object> {
        let mut removed = None;
        self.members.retain_mut(|(key, value)| {
            let goes = &**key == name.as_bytes();
            if goes {
                removed = Some(std::mem::take(value));
            }
            !goes
        });
        removed.filter(|value| !matches!(value, Object::Null))
    }

    /// Adds a member without looking for one of the same name.
    pub fn push(&mut self, name: Name, value: Object) {
        self.members.push((name, value));
    }

    /// The members in their order.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], &Object)> {
        self.members.iter().map(|(name, value)| (&**name, value))
    }

    /// The members, to be changed in place.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut Object> {
        self.members.iter_mut().map(|(_, value)| value)
    }

    /// How many members there are.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// The member as a name, when it is written as one.
    pub fn name(&self, name: &str) -> Option<&[u8]> {
        self.get(name).and_then(Object::as_name)
    }

    /// The member as a whole number, when it is written as one.
    pub fn integer(&self, name: &str) -> Option<i64> {
        self.get(name).and_then(Object::as_integer)
    }

    /// The member as a reference.
    pub fn reference(&self, name: &str) -> Option<ObjectId> {
        self.get(name).and_then(Object::as_reference)
    }

    /// Whether `/Type` is this name.
    pub fn is_type(&self, name: &str) -> bool {
        self.name("Type") == Some(name.as_bytes())
    }
}

impl Object {
    /// Whether this value or one inside it is as wanted; references are not followed.
    pub fn any<F: FnMut(&Self) -> bool>(&self, is_wanted: &mut F) -> bool {
        is_wanted(self)
            || match self {
                Self::Array(items) => items.iter().any(|item| item.any(is_wanted)),
                Self::Dict(dict) | Self::Stream(Stream { dict, .. }) => {
                    dict.iter().any(|(_, value)| value.any(is_wanted))
                }
                _ => false,
            }
    }

    /// A name.
    pub fn name(name: &str) -> Self {
        Self::Name(name.as_bytes().into())
    }

    /// A string in parentheses.
    pub fn string(bytes: impl Into<Vec<u8>>) -> Self {
        Self::String(PdfString {
            bytes: bytes.into(),
            hexadecimal: false,
        })
    }

    /// The name, if it is one.
    pub fn as_name(&self) -> Option<&[u8]> {
        match self {
            Self::Name(name) => Some(name),
            _ => None,
        }
    }

    /// The whole number, if it is one.
    pub const fn as_integer(&self) -> Option<i64> {
        match self {
            Self::Integer(value) => Some(*value),
            _ => None,
        }
    }

    /// The value of an integer that is no less than zero and fits.
    pub fn as_count<T: TryFrom<i64>>(&self) -> Option<T> {
        T::try_from(self.as_integer()?).ok()
    }

    /// The truth value, if it is one.
    pub const fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The number, with or without a fraction.
    pub fn as_number(&self) -> Option<f64> {
        match self {
            // Numbers of a PDF are at most 2^53 apart from forged ones.
            Self::Integer(value) => i32::try_from(*value).ok().map(f64::from),
            Self::Real(text) => text.parse().ok(),
            _ => None,
        }
    }

    /// The bytes of the string, if it is one.
    pub fn as_string(&self) -> Option<&[u8]> {
        match self {
            Self::String(string) => Some(&string.bytes),
            _ => None,
        }
    }

    /// The list, if it is one.
    pub fn as_array(&self) -> Option<&[Self]> {
        match self {
            Self::Array(items) => Some(items),
            _ => None,
        }
    }

    /// The items of a list; any other value is a list of itself.
    pub fn as_list(&self) -> &[Self] {
        self.as_array().unwrap_or(std::slice::from_ref(self))
    }

    /// The dictionary, also that of a stream.
    pub const fn as_dict(&self) -> Option<&Dict> {
        match self {
            Self::Dict(dict) => Some(dict),
            Self::Stream(stream) => Some(&stream.dict),
            _ => None,
        }
    }

    /// The dictionary, also that of a stream, to be changed.
    pub const fn as_dict_mut(&mut self) -> Option<&mut Dict> {
        match self {
            Self::Dict(dict) => Some(dict),
            Self::Stream(stream) => Some(&mut stream.dict),
            _ => None,
        }
    }

    /// The stream, if it is one.
    pub const fn as_stream(&self) -> Option<&Stream> {
        match self {
            Self::Stream(stream) => Some(stream),
            _ => None,
        }
    }

    /// The reference, if it is one.
    pub const fn as_reference(&self) -> Option<ObjectId> {
        match self {
            Self::Reference(id) => Some(*id),
            _ => None,
        }
    }
}

macro_rules! from {
    ($($type:ty => $kind:ident;)*) => {$(
        impl From<$type> for Object {
            fn from(value: $type) -> Self {
                Self::$kind(value)
            }
        }
    )*};
}

from! {
    Dict => Dict;
    ObjectId => Reference;
    i64 => Integer;
    Vec<Object> => Array;
}

impl Stream {
    /// A stream that is new, its bytes as given.
    pub const fn new(dict: Dict, data: Vec<u8>) -> Self {
        Self {
            dict,
            data: StreamData::New(data),
        }
    }
}
