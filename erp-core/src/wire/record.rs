//! One table per resource: wire name, Rust name, type, length and meaning stand together, and
//! everything else (serialising, reading with all problems, the glossary, the API document) is
//! derived from it.

use std::borrow::Cow;
use std::fmt;

use smol_str::SmolStr;

use crate::values::json::{AsJson, Json, Object};
use crate::values::limits::POSITIONS_PER_DOCUMENT;
use crate::values::number::Number;
use crate::values::problem::{Code, Path, Problems};
use crate::values::text::{self, TextError};

/// No list of the interface is longer than the positions of a document; reading stops before a flood
/// of entries takes memory.
const ENTRIES_PER_LIST: usize = POSITIONS_PER_DOCUMENT;

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
}

/// All members of a record.
#[derive(Clone, Copy, Debug)]
pub struct Schema {
    /// The Rust type.
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

// rule: D-REQ-04
/// How a body is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// Refuse members no table lists (setting `strict_bodies`).
    pub strict: bool,
}

/// A resource of the interface.
pub trait Record: Sized {
    /// The table this record was made from.
    const SCHEMA: &'static Schema;

    /// Reads an object, noting every problem; members with a problem are left out.
    fn read_object(object: &Object, how: Reading, path: &Path<'_>, problems: &mut Problems)
    -> Self;

    /// The members that are there, with the exact digits of numbers.
    fn to_object(&self) -> Object;

    /// Keeps only the members whose wire name `keep` accepts.
    fn retain(&mut self, keep: &dyn Fn(&str) -> bool);

    /// Reads a whole body.
    ///
    /// # Errors
    /// Every problem of the body.
    fn read(body: &impl AsJson, how: Reading) -> Result<Self, Problems> {
        let body = &*body.as_json();
        let mut problems = Problems::new();
        let record = Self::read_member(
            body,
            &Kind::Object(Self::SCHEMA),
            how,
            &Path::ROOT,
            &mut problems,
        );
        problems.or_else_value(record)
    }

    /// Reads a nested object.
    fn read_member(
        value: &Json,
        _kind: &Kind,
        how: Reading,
        path: &Path<'_>,
        problems: &mut Problems,
    ) -> Option<Self> {
        match value {
            Json::Object(object) => {
                if how.strict {
                    refuse_unknown(object, Self::SCHEMA, path, problems);
                }
                Some(Self::read_object(object, how, path, problems))
            }
            other => {
                wrong_type(other, "an object", path, problems);
                None
            }
        }
    }
}

fn refuse_unknown(object: &Object, schema: &Schema, path: &Path<'_>, problems: &mut Problems) {
    for name in object.keys() {
        if schema.field(name).is_none() {
            problems.add(
                &path.member(name),
                Code::UnknownMember,
                format!("no table lists the member `{name}`"),
            );
        }
    }
}

fn wrong_type(found: &Json, wanted: &str, path: &Path<'_>, problems: &mut Problems) {
    let found = match found {
        Json::Null => "null",
        Json::Bool(_) => "true or false",
        Json::Number(_) => "a number",
        Json::String(_) => "a string",
        Json::Array(_) => "a list",
        Json::Object(_) => "an object",
    };
    problems.add(
        path,
        Code::WrongType,
        format!("expected {wanted}, found {found}"),
    );
}

/// A type a member can have.
pub trait Member: Sized {
    /// Reads the value of a member that is there and not null.
    fn read_value(
        value: &Json,
        kind: &Kind,
        how: Reading,
        path: &Path<'_>,
        problems: &mut Problems,
    ) -> Option<Self>;

    /// The value as JSON.
    fn to_value(&self) -> Json;
}

impl Member for SmolStr {
    fn to_value(&self) -> Json {
        Json::from(self.as_str())
    }

    fn read_value(
        value: &Json,
        kind: &Kind,
        _: Reading,
        path: &Path<'_>,
        problems: &mut Problems,
    ) -> Option<Self> {
        let Json::String(text) = value else {
            wrong_type(value, "a string", path, problems);
            return None;
        };
        check_text(text, kind, path, problems).then(|| Self::from(text.as_str()))
    }
}

/// Checks length and characters of a text member; `true` when it is fine.
fn check_text(text: &str, kind: &Kind, path: &Path<'_>, problems: &mut Problems) -> bool {
    let limit = match *kind {
        Kind::Varchar(limit) | Kind::Char(limit) => Some(limit),
        _ => None,
    };
    match text::check(text, limit) {
        Ok(()) => true,
        Err(error) => {
            note_text(error, path, problems);
            false
        }
    }
}

/// Notes why a text does not fit its field.
pub(crate) fn note_text(error: TextError, path: &Path<'_>, problems: &mut Problems) {
    match error {
        TextError::TooLong { limit, .. } => {
            problems.add_limit(path, Code::TooLong, limit as u64, error.to_string());
        }
        TextError::ControlCharacter(_) | TextError::InvisibleCharacter(_) => {
            problems.add(path, Code::ControlCharacter, error.to_string());
        }
    }
}

impl Member for bool {
    fn to_value(&self) -> Json {
        Json::Bool(*self)
    }

    fn read_value(
        value: &Json,
        _: &Kind,
        _: Reading,
        path: &Path<'_>,
        problems: &mut Problems,
    ) -> Option<Self> {
        let found = value.as_bool();
        if found.is_none() {
            wrong_type(value, "true or false", path, problems);
        }
        found
    }
}

impl Member for Number {
    fn to_value(&self) -> Json {
        Json::Number(self.digits())
    }

    fn read_value(
        value: &Json,
        _: &Kind,
        _: Reading,
        path: &Path<'_>,
        problems: &mut Problems,
    ) -> Option<Self> {
        let Json::Number(number) = value else {
            wrong_type(value, "a number", path, problems);
            return None;
        };
        let read = Self::from_digits(number);
        if read.is_none() {
            problems.add(path, Code::OutOfRange, "the number has more than 28 digits");
        }
        read
    }
}

fn whole(
    value: &Json,
    lowest: i64,
    highest: i64,
    path: &Path<'_>,
    problems: &mut Problems,
) -> Option<i64> {
    let Json::Number(number) = value else {
        wrong_type(value, "a whole number", path, problems);
        return None;
    };
    let whole = Number::from_digits(number)
        .map(|number| number.0.normalize())
        .filter(|decimal| decimal.scale() == 0)
        .and_then(|decimal| i64::try_from(decimal).ok())
        .filter(|whole| (lowest..=highest).contains(whole));
    if whole.is_none() {
        let message = format!("expected a whole number from {lowest} to {highest}");
        problems.add(path, Code::OutOfRange, message);
    }
    whole
}

impl Member for i32 {
    fn to_value(&self) -> Json {
        Json::from(i64::from(*self))
    }

    fn read_value(
        value: &Json,
        _: &Kind,
        _: Reading,
        path: &Path<'_>,
        problems: &mut Problems,
    ) -> Option<Self> {
        let whole = whole(
            value,
            i64::from(Self::MIN),
            i64::from(Self::MAX),
            path,
            problems,
        )?;
        Self::try_from(whole).ok()
    }
}

impl Member for u8 {
    fn to_value(&self) -> Json {
        Json::from(i64::from(*self))
    }

    fn read_value(
        value: &Json,
        _: &Kind,
        _: Reading,
        path: &Path<'_>,
        problems: &mut Problems,
    ) -> Option<Self> {
        let whole = whole(value, 0, i64::from(Self::MAX), path, problems)?;
        Self::try_from(whole).ok()
    }
}

impl<T: Record> Member for T {
    fn to_value(&self) -> Json {
        Json::Object(self.to_object())
    }

    fn read_value(
        value: &Json,
        kind: &Kind,
        how: Reading,
        path: &Path<'_>,
        problems: &mut Problems,
    ) -> Option<Self> {
        T::read_member(value, kind, how, path, problems)
    }
}

impl<T: Record> AsJson for T {
    fn as_json(&self) -> Cow<'_, Json> {
        Cow::Owned(self.to_value())
    }
}

impl<T: Member + Default> Member for Vec<T> {
    fn to_value(&self) -> Json {
        Json::Array(self.iter().map(Member::to_value).collect())
    }

    fn read_value(
        value: &Json,
        kind: &Kind,
        how: Reading,
        path: &Path<'_>,
        problems: &mut Problems,
    ) -> Option<Self> {
        let Json::Array(values) = value else {
            wrong_type(value, "a list", path, problems);
            return None;
        };
        if values.len() > ENTRIES_PER_LIST {
            let message = format!(
                "{} entries, at most {ENTRIES_PER_LIST} are allowed",
                values.len()
            );
            problems.add_limit(path, Code::TooMany, ENTRIES_PER_LIST as u64, message);
            return None;
        }
        // An unreadable entry keeps its place, so that the paths of the entries after it are right.
        let read = values.iter().enumerate();
        Some(
            read.map(|(at, value)| {
                T::read_value(value, kind, how, &path.index(at), problems).unwrap_or_default()
            })
            .collect(),
        )
    }
}

/// Reads one member of an object: absent and `null` mean the same.
pub(crate) fn read_field<T: Member>(
    object: &Object,
    field: &Field,
    how: Reading,
    path: &Path<'_>,
    problems: &mut Problems,
) -> Option<T> {
    match object.get(field.wire) {
        None | Some(Json::Null) => None,
        Some(value) => T::read_value(value, &field.kind, how, &path.member(field.wire), problems),
    }
}

/// The Rust type of a declared type.
macro_rules! wire_type {
    (varchar $n:literal) => { ::smol_str::SmolStr };
    (char $n:literal) => { ::smol_str::SmolStr };
    (text) => { ::smol_str::SmolStr };
    (date_time) => { ::smol_str::SmolStr };
    (int) => { i32 };
    (lifetime) => { $crate::wire::Lifetime };
    (tinyint) => { u8 };
    (float) => { $crate::values::number::Number };
    (money) => { $crate::values::number::Number };
    (bool) => { bool };
    (object $record:ty) => { $record };
    (list $record:ty) => { Vec<$record> };
    (texts) => { Vec<::smol_str::SmolStr> };
}

/// The [`Kind`] of a declared type.
macro_rules! wire_kind {
    (varchar $n:literal) => {
        $crate::wire::Kind::Varchar($n)
    };
    (char $n:literal) => {
        $crate::wire::Kind::Char($n)
    };
    (text) => {
        $crate::wire::Kind::Text
    };
    (date_time) => {
        $crate::wire::Kind::DateTime
    };
    (int) => {
        $crate::wire::Kind::Int
    };
    (lifetime) => {
        $crate::wire::Kind::Int
    };
    (tinyint) => {
        $crate::wire::Kind::TinyInt
    };
    (float) => {
        $crate::wire::Kind::Float
    };
    (money) => {
        $crate::wire::Kind::Money
    };
    (bool) => {
        $crate::wire::Kind::Bool
    };
    (object $record:ty) => {
        $crate::wire::Kind::Object(<$record as $crate::wire::Record>::SCHEMA)
    };
    (list $record:ty) => {
        $crate::wire::Kind::List(<$record as $crate::wire::Record>::SCHEMA)
    };
    (texts) => {
        $crate::wire::Kind::Texts
    };
}

/// The wire name of a member.
macro_rules! wire_name {
    ($rust:ident $wire:literal) => {
        $wire
    };
    ($rust:ident) => {
        stringify!($rust)
    };
}

/// Whether a member is required.
macro_rules! wire_required {
    () => {
        false
    };
    (required) => {
        true
    };
}

// rule: R-CON-04
/// Makes a resource from its table: `rust_name "WireName": type,` with the meaning as doc comment, or
/// `name: type,` when both names are the same; `type required,` for a member that must be there.
macro_rules! wire_record {
    (
        $(#[doc = $about:literal])+
        pub struct $name:ident {
            $(
                $(#[doc = $meaning:literal])+
                $rust:ident $($wire:literal)?: $kind:ident $(($($of:tt)+))? $($required:ident)?,
            )+
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(default)]
        pub struct $name {
            $(
                $(#[doc = $meaning])+
                $(#[doc(alias = $wire)])?
                $(#[serde(rename = $wire)])?
                #[serde(skip_serializing_if = "Option::is_none")]
                pub $rust: Option<$crate::wire::record::wire_type!($kind $($($of)+)?)>,
            )+
        }

        impl $crate::wire::Record for $name {
            const SCHEMA: &'static $crate::wire::Schema = &$crate::wire::Schema {
                name: stringify!($name),
                meaning: concat!($($about),+),
                fields: &[$(
                    $crate::wire::Field {
                        wire: $crate::wire::record::wire_name!($rust $($wire)?),
                        rust: stringify!($rust),
                        meaning: concat!($($meaning),+),
                        kind: $crate::wire::record::wire_kind!($kind $($($of)+)?),
                        required: $crate::wire::record::wire_required!($($required)?),
                    },
                )+],
            };

            fn read_object(
                object: &$crate::values::json::Object,
                how: $crate::wire::Reading,
                path: &$crate::values::problem::Path<'_>,
                problems: &mut $crate::values::problem::Problems,
            ) -> Self {
                let mut fields = Self::SCHEMA.fields.iter();
                $(
                    let $rust = fields.next().and_then(|field| {
                        $crate::wire::record::read_field(object, field, how, path, problems)
                    });
                )+
                Self { $($rust),+ }
            }

            fn to_object(&self) -> $crate::values::json::Object {
                let mut object = $crate::values::json::Object::new();
                $(
                    if let Some(value) = &self.$rust {
                        let name = $crate::wire::record::wire_name!($rust $($wire)?);
                        object.insert(name.to_owned(), $crate::wire::Member::to_value(value));
                    }
                )+
                object
            }

            fn retain(&mut self, keep: &dyn Fn(&str) -> bool) {
                $(
                    if !keep($crate::wire::record::wire_name!($rust $($wire)?)) {
                        self.$rust = None;
                    }
                )+
            }
        }
    };
}

pub(crate) use {wire_kind, wire_name, wire_record, wire_required, wire_type};
