//! One table per record: wire name, type, length, rule and meaning stand together, and everything else (reading with
//! all problems, writing, the glossary, the API document) is derived from it.
//!
//! A record is a struct with `#[derive(Record)]`, which is read and written for each of its [views](super::view).

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use jiff::tz::TimeZone;
use serde::ser::{Serialize, SerializeMap, Serializer};

use super::rule::Rule;
use super::value::{Value, wrong_type};
use super::view;
use crate::values::codes::Language;
use crate::values::json::{self, AsJson, Json, Object};
use crate::values::limits::POSITIONS_PER_DOCUMENT;
use crate::values::problem::{Code, Path, Problems};

/// No list of the interface is longer than the positions of a document; reading stops before a flood
/// of entries takes memory.
pub(crate) const ENTRIES_PER_LIST: usize = POSITIONS_PER_DOCUMENT;

/// The type of a member as the interface document declares it.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Kind {
    /// `varchar(n)`: text of at most n characters.
    Varchar(usize),
    /// `char(n)`: text of at most n characters.
    Char(usize),
    /// Text without a declared length.
    Text,
    /// A whole number of 32 bits.
    Int,
    /// A whole number from 0 to 255.
    TinyInt,
    /// A decimal number.
    Float,
    /// An amount of money.
    Money,
    /// `true` or `false`.
    Bool,
    /// RFC 3339 text; its form is checked when it becomes a time.
    DateTime,
    /// An object.
    Object(&'static Schema),
    /// A list of objects.
    List(&'static Schema),
    /// A list of texts.
    Texts,
}

impl Kind {
    /// A list of such values.
    pub(crate) const fn listed(self) -> Self {
        match self {
            Self::Object(schema) => Self::List(schema),
            Self::Text => Self::Texts,
            other => other,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Varchar(limit) => write!(f, "varchar({limit})"),
            Self::Char(limit) => write!(f, "char({limit})"),
            Self::Text => f.write_str("string"),
            Self::Int => f.write_str("int"),
            Self::TinyInt => f.write_str("tinyint"),
            Self::Float => f.write_str("float"),
            Self::Money => f.write_str("money"),
            Self::Bool => f.write_str("bool"),
            Self::DateTime => f.write_str("time"),
            Self::Object(schema) => f.write_str(schema.name),
            Self::List(schema) => write!(f, "list of {}", schema.name),
            Self::Texts => f.write_str("list of string"),
        }
    }
}

/// One member of a record.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// The name on the wire.
    pub wire: &'static str,
    /// The name in Rust.
    pub rust: &'static str,
    /// What it means, from the interface document.
    pub meaning: &'static str,
    /// Its declared type.
    pub kind: Kind,
    /// Whether a body without it is refused, and a response always has it.
    pub required: bool,
    /// What its value must be besides.
    pub rule: Rule,
    /// How many entries a list may have.
    pub most: usize,
    /// Whether trailing blanks of a text are padding.
    pub padded: bool,
    /// Its place among the fields of the struct, whose order a response need not have.
    pub at: usize,
}

/// All members of a record.
#[derive(Clone, Copy, Debug)]
pub struct Schema {
    /// The name of the record.
    pub name: &'static str,
    /// What the record is.
    pub meaning: &'static str,
    /// The members in wire order.
    pub fields: &'static [Field],
}

impl Schema {
    /// The member with this wire name.
    #[must_use]
    pub fn field(&self, wire: &str) -> Option<&'static Field> {
        self.fields.iter().find(|field| field.wire == wire)
    }
}

/// A member without rules.
pub(crate) const fn plain(wire: &'static str, meaning: &'static str) -> Field {
    Field {
        wire,
        rust: "",
        meaning,
        kind: Kind::Text,
        required: false,
        rule: Rule::NONE,
        most: ENTRIES_PER_LIST,
        padded: true,
        at: 0,
    }
}

/// The member of a row that removes what it names.
pub(crate) const REMOVE: Field = Field {
    rust: "remove",
    kind: Kind::Bool,
    ..plain("Loeschen", "take away what the row names")
};

/// How many members the parts of a record have.
pub(crate) const fn count(mut parts: &[&[Field]]) -> usize {
    let mut count = 0;
    while let Some((part, rest)) = parts.split_first() {
        count += part.len();
        parts = rest;
    }
    count
}

/// The members of all parts of a record, one after the other.
pub(crate) const fn joined<const N: usize>(mut parts: &[&[Field]]) -> [Field; N] {
    let mut fields = [plain("", ""); N];
    let mut at = 0;
    let mut rest = fields.as_mut_slice();
    while let Some((&(mut part), others)) = parts.split_first() {
        let (mut here, after) = rest.split_at_mut(part.len());
        while let (Some((place, places)), Some((field, left))) =
            (here.split_first_mut(), part.split_first())
        {
            *place = Field { at, ..*field };
            at += 1;
            (here, part) = (places, left);
        }
        (rest, parts) = (after, others);
    }
    fields
}

/// The members with these names, then the others.
pub(crate) const fn first<const N: usize>(
    mut names: &[&str],
    mut fields: [Field; N],
) -> [Field; N] {
    let mut rest = fields.as_mut_slice();
    while let Some((name, others)) = names.split_first() {
        let mut count = 1;
        while let Some((field, _)) = rest.split_at(count - 1).1.split_first() {
            if equal(field.wire.as_bytes(), name.as_bytes()) {
                break;
            }
            count += 1;
        }
        rest.split_at_mut(count).0.rotate_right(1);
        (rest, names) = (rest.split_at_mut(1).1, others);
    }
    fields
}

const fn equal(mut left: &[u8], mut right: &[u8]) -> bool {
    while let (Some((a, after_a)), Some((b, after_b))) = (left.split_first(), right.split_first()) {
        if *a != *b {
            return false;
        }
        (left, right) = (after_a, after_b);
    }
    left.is_empty() && right.is_empty()
}

// rule: D-REQ-04
/// How a body is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// Refuse members no table lists (setting `strict_bodies`).
    pub strict: bool,
}

/// Where a value is read, and what is noted there.
pub struct Scope<'a> {
    /// How bodies are read.
    pub how: Reading,
    /// The language of texts without one.
    pub language: Language,
    /// The time zone of dates without a time.
    pub zone: &'a TimeZone,
    /// The place of the value.
    pub path: &'a Path<'a>,
    /// What is wrong so far.
    pub problems: &'a mut Problems,
}

impl<'a> Scope<'a> {
    /// A whole body or row.
    pub fn new(how: Reading, path: &'a Path<'a>, problems: &'a mut Problems) -> Self {
        const UTC: &TimeZone = &TimeZone::UTC;
        Self {
            how,
            language: Language::GERMAN,
            zone: UTC,
            path,
            problems,
        }
    }

    /// The same at another place.
    pub fn at<'p>(&'p mut self, path: &'p Path<'p>) -> Scope<'p> {
        Scope {
            how: self.how,
            language: self.language,
            zone: self.zone,
            path,
            problems: self.problems,
        }
    }

    /// Notes a problem of the value. `None`, because the value cannot be read.
    pub fn refuse<T>(&mut self, code: Code, message: impl Into<String>) -> Option<T> {
        self.problems.add(self.path, code, message);
        None
    }
}

/// Reads the members of an object.
pub struct Reader<'a> {
    object: &'a Object,
    scope: Scope<'a>,
}

impl Reader<'_> {
    /// The value of a member; absent, `null` and a blank text mean the same.
    pub(crate) fn value<T: Value>(&mut self, field: &Field) -> Option<T> {
        self.read(field, |value, scope| T::read_value(value, field, scope))
    }

    /// Changes a value to that of a member that is sent.
    pub(crate) fn change<T: Value>(&mut self, field: &Field, value: &mut T) {
        if self.has(field) {
            let required = Field {
                required: true,
                ..*field
            };
            if let Some(sent) = self.value(&required) {
                *value = sent;
            }
        }
    }

    /// Changes a value that may be absent to that of a member that is sent; a blank text removes it.
    pub(crate) fn change_optional<T: Value>(&mut self, field: &Field, value: &mut Option<T>) {
        if self.has(field) {
            *value = self.value(field);
        }
    }

    /// Whether the member is there and not null.
    fn has(&self, field: &Field) -> bool {
        self.object
            .get(field.wire)
            .is_some_and(|value| !value.is_null())
    }

    /// A record in a member; one with a problem counts as absent.
    pub(crate) fn object<T: Record<V>, V>(&mut self, field: &Field) -> Option<T> {
        self.read(field, |value, scope| {
            let record = read_record(value, scope);
            record.filter(|_| !scope.problems.are_in(scope.path))
        })
    }

    /// A record in a member, with the parts of it that have no problem. An absent one lacks what it requires.
    pub(crate) fn section<T: Record<V>, V>(&mut self, field: &Field) -> Option<T> {
        const NOTHING: &Json = &Json::Object(Object::new());
        let path = self.scope.path.member(field.wire);
        let value = self.object.get(field.wire).filter(|value| !value.is_null());
        read_record(value.unwrap_or(NOTHING), &mut self.scope.at(&path))
    }

    /// The records of a list that can be read.
    pub(crate) fn list<T: Record<V>, V>(&mut self, field: &Field) -> Option<Vec<T>> {
        let entries = self.entries(field)?;
        Some(entries.into_iter().map(|(_, entry)| entry).collect())
    }

    /// The records of a list that can be read, with their places in the list. A list that is required has one.
    pub(crate) fn entries<T: Record<V>, V>(&mut self, field: &Field) -> Option<Vec<(usize, T)>> {
        self.read(field, |value, scope| {
            let entries = entries(value, field, scope)?;
            if entries.is_empty() && field.required {
                return scope.refuse(Code::Required, "at least one entry is required");
            }
            let mut read = Vec::new();
            for (at, entry) in entries.iter().enumerate() {
                let path = scope.path.index(at);
                read.extend(read_record(entry, &mut scope.at(&path)).map(|entry| (at, entry)));
            }
            Some(read)
        })
    }

    /// The language of texts without one.
    pub(crate) const fn language(&self) -> Language {
        self.scope.language
    }

    /// Whether the object has no problem but unknown members.
    pub(crate) fn is_complete(&self) -> bool {
        !self.scope.problems.are_in(self.scope.path)
    }

    /// What is made of each record of a list.
    pub(crate) fn entries_at<T: Record<view::Row>, U>(
        &mut self,
        field: &Field,
        mut make: impl FnMut(&mut T, &mut Scope<'_>) -> Option<U>,
    ) -> Vec<U> {
        let path = self.scope.path.member(field.wire);
        let entries = self.entries::<T, view::Row>(field).unwrap_or_default();
        let made = entries
            .into_iter()
            .filter_map(|(at, mut entry)| make(&mut entry, &mut self.scope.at(&path.index(at))));
        made.collect()
    }

    /// A record whose members are in this object.
    pub(crate) fn group<T: Record<V>, V>(&mut self) -> Option<T> {
        T::read_members(self)
    }

    /// Notes that one of two members is required, unless one is there but unreadable.
    pub(crate) fn one_of(&mut self, [first, second]: [&str; 2], is_given: bool) {
        let Scope {
            path,
            ref mut problems,
            ..
        } = self.scope;
        let has_problem = |name| problems.covers(&path.member(name));
        if !is_given && !has_problem(first) && !has_problem(second) {
            let message = format!("`{first}` or `{second}` is required");
            problems.add(&path.member(first), Code::Required, message);
        }
    }

    fn read<T>(
        &mut self,
        field: &Field,
        read: impl FnOnce(&Json, &mut Scope<'_>) -> Option<T>,
    ) -> Option<T> {
        let path = self.scope.path.member(field.wire);
        let sent = self.object.get(field.wire).filter(|value| !value.is_null());
        let before = self.scope.problems.len();
        let value = sent.and_then(|value| read(value, &mut self.scope.at(&path)));
        if value.is_none() && field.required && self.scope.problems.len() == before {
            self.scope.problems.missing(&path);
        }
        value
    }
}

/// A record of the interface, as one of its [views](super::view) has it.
pub trait Record<V = view::Response>: Sized {
    /// The table of its members.
    const SCHEMA: &'static Schema;

    /// Reads the members and notes every problem; `None` without one that must be there.
    fn read_members(reader: &mut Reader<'_>) -> Option<Self>;

    /// Reads a whole body.
    ///
    /// # Errors
    /// Every problem of the body.
    fn read(body: &impl AsJson, how: Reading) -> Result<Self, Problems> {
        let (record, problems) = Self::read_parts(body, how, &TimeZone::UTC);
        problems.or_else_value(record)
    }

    /// Reads what can be read of a body, and every problem. `zone` is that of dates without a time.
    fn read_parts(body: &impl AsJson, how: Reading, zone: &TimeZone) -> (Option<Self>, Problems) {
        let mut problems = Problems::new();
        let scope = Scope::new(how, &Path::ROOT, &mut problems);
        let record = read_record(&body.as_json(), &mut Scope { zone, ..scope });
        (record, problems)
    }
}

/// A record that can be changed member by member.
pub trait PatchRecord {
    /// The table of the members that can be changed.
    const SCHEMA: &'static Schema;

    /// Changes the fields whose members are sent and notes every problem. A field whose member has a problem has any
    /// value afterwards.
    fn patch(&mut self, reader: &mut Reader<'_>);

    /// Changes the record by a whole body.
    fn patch_by(&mut self, body: &Json, how: Reading, problems: &mut Problems) {
        let mut scope = Scope::new(how, &Path::ROOT, problems);
        if let Some(object) = object(body, Self::SCHEMA, &mut scope) {
            self.patch(&mut Reader { object, scope });
        }
    }
}

/// A record that can be written member by member.
pub trait WriteRecord<V>: Record<V> {
    /// Writes all members that have a value, in the order of the table.
    ///
    /// # Errors
    /// Those of the map.
    fn write_members<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let mut fields = Self::SCHEMA.fields.iter();
        fields.try_for_each(|field| self.write_member(field.at, field, map))
    }

    /// Writes the member of the field at this place, if it has a value.
    ///
    /// # Errors
    /// Those of the map.
    fn write_member<M: SerializeMap>(
        &self,
        at: usize,
        field: &Field,
        map: &mut M,
    ) -> Result<(), M::Error>;
}

// rule: R-CON-04
/// A map that takes members.
pub(crate) trait WriteMember: SerializeMap {
    /// Writes a member that has a value.
    fn member(&mut self, field: &Field, value: Option<impl Serialize>) -> Result<(), Self::Error> {
        value.map_or(Ok(()), |value| self.serialize_entry(field.wire, &value))
    }
}

impl<M: SerializeMap> WriteMember for M {}

/// A record as one of its views has it, in the order of its table.
pub struct As<'a, T, V> {
    record: &'a T,
    only: Option<&'a [&'a str]>,
    view: PhantomData<V>,
}

impl<'a, T, V> As<'a, T, V> {
    /// The record in this view.
    pub const fn new(record: &'a T) -> Self {
        Self {
            record,
            only: None,
            view: PhantomData,
        }
    }

    /// Only the members with these wire names; `None` means all.
    #[must_use]
    pub const fn only(mut self, names: Option<&'a [&'a str]>) -> Self {
        self.only = names;
        self
    }
}

impl<T: WriteRecord<V>, V> Serialize for As<'_, T, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match self.only {
            None => self.record.write_members(&mut map)?,
            Some(names) => {
                let fields = T::SCHEMA.fields.iter();
                for field in fields.filter(|field| names.contains(&field.wire)) {
                    self.record.write_member(field.at, field, &mut map)?;
                }
            }
        }
        map.end()
    }
}

/// A list of records in a view.
pub(crate) struct List<'a, T: Clone, V>(Cow<'a, [T]>, PhantomData<V>);

impl<'a, T: Clone, V> List<'a, T, V> {
    /// The list; `None` for an empty one.
    pub(crate) fn new(list: impl Into<Cow<'a, [T]>>) -> Option<Self> {
        let list = list.into();
        (!list.is_empty()).then_some(Self(list, PhantomData))
    }

    /// The list, empty or not.
    pub(crate) const fn of(list: &'a [T]) -> Self {
        Self(Cow::Borrowed(list), PhantomData)
    }
}

impl<T: WriteRecord<V> + Clone, V> Serialize for List<'_, T, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(As::<T, V>::new))
    }
}

/// Reads an object as a record.
pub(crate) fn read_record<T: Record<V>, V>(value: &Json, scope: &mut Scope<'_>) -> Option<T> {
    let object = object(value, T::SCHEMA, scope)?;
    let path = scope.path;
    T::read_members(&mut Reader {
        object,
        scope: scope.at(path),
    })
}

/// The members of an object.
fn object<'j>(value: &'j Json, schema: &Schema, scope: &mut Scope<'_>) -> Option<&'j Object> {
    let Json::Object(object) = value else {
        return wrong_type(value, "an object", scope);
    };
    if scope.how.strict {
        refuse_unknown(object, schema, scope);
    }
    Some(object)
}

/// The entries of a list, unless there are too many.
pub(crate) fn entries<'j>(
    value: &'j Json,
    field: &Field,
    scope: &mut Scope<'_>,
) -> Option<&'j [Json]> {
    let Json::Array(entries) = value else {
        return wrong_type(value, "a list", scope);
    };
    let (count, most) = (entries.len(), field.most);
    if count > most {
        let message = format!("{count} entries, at most {most} are allowed");
        let limit = most as u64;
        scope
            .problems
            .add_limit(scope.path, Code::TooMany, limit, message);
        return None;
    }
    Some(entries)
}

fn refuse_unknown(object: &Object, schema: &Schema, scope: &mut Scope<'_>) {
    for name in object.keys().filter(|name| schema.field(name).is_none()) {
        let message = format!("no table lists the member `{name}`");
        scope
            .problems
            .add(&scope.path.member(name), Code::UnknownMember, message);
    }
}

impl<T: Record + Serialize> AsJson for T {
    /// The members that are there, with the exact digits of numbers.
    fn as_json(&self) -> Cow<'_, Json> {
        let text = serde_json::to_string(self).unwrap_or_default();
        Cow::Owned(json::read(&text).unwrap_or_default())
    }
}
