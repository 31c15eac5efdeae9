//! The table of a record: wire name, type, length, rule and meaning of each member stand together.

use std::fmt;

use super::rule::{Rule, Spelling};
use crate::values::limits::POSITIONS_PER_DOCUMENT;

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
    /// How its text is written.
    pub spelling: Spelling,
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
    pub fn field(&self, wire: &str) -> Option<&'static Field> {
        self.fields.iter().find(|field| field.wire == wire)
    }
}

pub(crate) const fn plain(wire: &'static str, meaning: &'static str) -> Field {
    Field {
        wire,
        rust: "",
        meaning,
        kind: Kind::Text,
        required: false,
        rule: Rule::None,
        spelling: Spelling::Free,
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
