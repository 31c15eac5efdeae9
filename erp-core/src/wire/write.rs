//! Writes records in the order of their tables.

use std::borrow::Cow;
use std::marker::PhantomData;

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::record::Record;
use super::table::Field;

/// A record that can be written member by member.
pub trait WriteRecord<V>: Record<V> {
    /// Writes all members that have a value, in the order of the table.
    fn write_members<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let mut fields = Self::SCHEMA.fields.iter();
        fields.try_for_each(|field| self.write_member(field.at, field, map))
    }

    /// Writes the member of the field at this place, if it has a value.
    fn write_member<M: SerializeMap>(
        &self,
        at: usize,
        field: &Field,
        map: &mut M,
    ) -> Result<(), M::Error>;
}

// rule: R-CON-04
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

    /// Only the members with these wire names.
    #[must_use]
    pub const fn only(mut self, names: &'a [&'a str]) -> Self {
        self.only = Some(names);
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
