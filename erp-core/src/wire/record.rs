//! A record is a struct with `#[derive(Record)]`, which is read and written for each of its [views](super::view). Reading with
//! all problems, writing, the glossary and the API document follow from its table.

use std::borrow::Cow;

use jiff::tz::TimeZone;
use serde::Serialize;

use super::scope::{Reading, Scope, entries, wrong_type};
use super::table::{Field, Schema};
use super::value::Value;
use super::view;
use crate::values::codes::Language;
use crate::values::json::{self, AsJson, Json, Object};
use crate::values::problem::{Code, Path, Problems};

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
        Some(entries.into_iter().map(|entry| entry.value).collect())
    }

    /// The records of a list that can be read, as entries. A list that is required has one.
    pub(crate) fn entries<T: Record<V>, V>(&mut self, field: &Field) -> Option<Vec<Entry<T>>> {
        self.read(field, |value, scope| {
            let is_empty = value.as_array().is_some_and(Vec::is_empty);
            if is_empty && field.required {
                return scope.refuse(Code::Required, sentence!("required.entry"));
            }
            read_records(value, field, scope)
        })
    }

    /// The language of texts without one.
    pub(crate) const fn language(&self) -> Language {
        self.scope.language
    }

    /// What is made of each record of a list.
    pub(crate) fn entries_at<T: Record<view::Row>, U>(
        &mut self,
        field: &Field,
        mut make: impl FnMut(&mut T, &mut Scope<'_>) -> Option<U>,
    ) -> Vec<U> {
        let path = self.scope.path.member(field.wire);
        let entries = self.entries::<T, view::Row>(field).unwrap_or_default();
        let made = entries.into_iter().filter_map(|mut entry| {
            let path = path.index(entry.at);
            make(&mut entry.value, &mut self.scope.at(&path))
        });
        made.collect()
    }

    /// A record whose members are in this object.
    pub(crate) fn group<T: Record<V>, V>(&mut self) -> Option<T> {
        T::read_members(self)
    }

    /// Notes that one of two members is required, unless one is there but unreadable.
    pub(crate) fn one_of(&mut self, names: [&str; 2], is_given: bool) {
        self.scope.one_of(names, is_given);
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

pub(crate) fn read_record<T: Record<V>, V>(value: &Json, scope: &mut Scope<'_>) -> Option<T> {
    let object = object(value, T::SCHEMA, scope)?;
    let path = scope.path;
    T::read_members(&mut Reader {
        object,
        scope: scope.at(path),
    })
}

/// A record that was read from a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry<T> {
    /// Its place in the list.
    pub(crate) at: usize,
    /// Whether it has no problem but unknown members.
    pub(crate) is_complete: bool,
    pub(crate) value: T,
}

impl<T> Entry<T> {
    /// One that a program adds to a list.
    pub(crate) fn next(list: &[Self], value: T) -> Self {
        Self {
            at: list.len(),
            is_complete: true,
            value,
        }
    }

    /// The entry with what is made of it.
    pub(crate) const fn with<U>(&self, value: U) -> Entry<U> {
        Entry {
            at: self.at,
            is_complete: self.is_complete,
            value,
        }
    }
}

pub(crate) fn read_records<T: Record<V>, V>(
    value: &Json,
    field: &Field,
    scope: &mut Scope<'_>,
) -> Option<Vec<Entry<T>>> {
    let mut read = Vec::new();
    for (at, entry) in entries(value, field, scope)?.iter().enumerate() {
        let path = scope.path.index(at);
        let value = read_record(entry, &mut scope.at(&path));
        let is_complete = !scope.problems.are_in(&path);
        read.extend(value.map(|value| Entry {
            at,
            is_complete,
            value,
        }));
    }
    Some(read)
}

fn object<'j>(value: &'j Json, schema: &Schema, scope: &mut Scope<'_>) -> Option<&'j Object> {
    let Json::Object(object) = value else {
        return wrong_type(value, sentence!("type.object"), scope);
    };
    if scope.how.strict {
        refuse_unknown(object, schema, scope);
    }
    Some(object)
}

fn refuse_unknown(object: &Object, schema: &Schema, scope: &mut Scope<'_>) {
    for name in object.keys().filter(|name| schema.field(name).is_none()) {
        let message = sentence!("unknown_member", name);
        scope
            .problems
            .add(&scope.path.member(name), Code::UnknownMember, message);
    }
}

impl<T: Record + Serialize> AsJson for T {
    /// The members that are there, with the exact digits of numbers.
    fn as_json(&self) -> Cow<'_, Json> {
        Cow::Owned(json::written(self))
    }
}
