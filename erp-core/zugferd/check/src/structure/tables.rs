//! The tables of the schemas: `tables.txt` of CII, `ubl.txt` of UBL.
//!
//! A line without a blank in front is a type of elements, with `choice` where only one of its children may be there; the
//! first is that of the document. Below it are, in their order, its children, and its attributes with `@`:
//!
//! ```text
//! ram:NoteType
//!  Content udt:TextType *-11?
//!  SubjectCode qdt:CodeType ?-???
//! ```
//!
//! The name (of `ram` where it has no prefix), its type, and how often it is there in D16B, MINIMUM, BASIC WL, BASIC, EN
//! 16931 and EXTENDED, or in UBL: `1` once, `?` at most once, `2` at most twice, `+` once or more, `*` any number, `-`
//! never. After it is what an attribute must be, `=` a text, or its length. The line `#` has the type of the text of a
//! type. A type that has neither text nor children in a schema is empty there. A child `*` is any element but one of `ext`
//! or without namespace.

use std::sync::OnceLock;

use super::values::Value;
use crate::facturx::Profile;
use crate::invoice::node::Node;
use crate::invoice::texts::{TextMap, Texts};

/// A schema that an invoice must keep. Those of CII are the columns of one table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Schema {
    D16B,
    FacturX(Profile),
    /// Of invoices and credit notes.
    Ubl,
}

impl Schema {
    // rule: D-ZUG-11
    /// The schema for a guideline: that of its profile, which is CII, and for all that is no profile the one of the syntax.
    pub(crate) fn of(profile: Option<Profile>, is_ubl: bool) -> Self {
        let of_syntax = if is_ubl { Self::Ubl } else { Self::D16B };
        profile.map_or(of_syntax, Self::FacturX)
    }

    /// As it is reported.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::D16B => "CII D16B",
            Self::FacturX(Profile::Minimum) => "Factur-X 1.09 MINIMUM",
            Self::FacturX(Profile::BasicWithoutLines) => "Factur-X 1.09 BASIC WL",
            Self::FacturX(Profile::Basic) => "Factur-X 1.09 BASIC",
            Self::FacturX(Profile::En16931) => "Factur-X 1.09 EN 16931",
            Self::FacturX(Profile::Extended) => "Factur-X 1.09 EXTENDED",
            Self::Ubl => "UBL 2.1",
        }
    }

    /// Its table, read when first needed.
    pub(crate) fn types(self) -> &'static [Type] {
        static CII: OnceLock<Vec<Type>> = OnceLock::new();
        static UBL: OnceLock<Vec<Type>> = OnceLock::new();
        match self {
            Self::Ubl => UBL.get_or_init(|| read(include_str!("ubl.txt"))),
            _ => CII.get_or_init(|| read(include_str!("tables.txt"))),
        }
    }

    pub(crate) fn document(self, root: Node<'_>) -> Option<&'static Type> {
        let mut roots = self.types().first()?.children.iter();
        roots.find(|part| root.is(part.name))?.kind(self)
    }

    /// The type of an element of UBL by its name with the usual prefix: it has the same wherever it may be.
    pub(super) fn declared(name: &str) -> Option<&'static Type> {
        static NAMES: OnceLock<TextMap<'static, usize>> = OnceLock::new();
        let types = Self::Ubl.types();
        let names = NAMES.get_or_init(|| {
            let mut names = TextMap::default();
            for part in types.iter().skip(1).flat_map(|kind| &kind.children) {
                names.change(part.name.into(), |kind| *kind = part.kind);
            }
            names
        });
        types.get(*names.get(name)?)
    }
}

pub(crate) struct Type {
    pub(super) name: &'static str,
    /// Whether only one of the children may be there.
    pub(super) is_choice: bool,
    /// What the text must be, where the elements have a text and no children.
    pub(super) text: Option<Value>,
    pub(crate) children: Vec<SchemaPart>,
    pub(crate) attributes: Vec<SchemaPart>,
}

/// A child or an attribute.
pub(crate) struct SchemaPart {
    pub(crate) name: &'static str,
    /// The number of its type.
    kind: usize,
    /// A sign for each schema.
    often: &'static str,
    /// What an attribute must be besides its type.
    pub(super) facet: &'static str,
}

impl SchemaPart {
    /// How often it is there at least and at most; `None` if the schema does not have it.
    pub(crate) fn often(&self, schema: Schema) -> Option<(u32, u32)> {
        let column = match schema {
            Schema::D16B | Schema::Ubl => 0,
            Schema::FacturX(profile) => 1 + profile as usize,
        };
        Some(match self.often.as_bytes().get(column)? {
            b'1' => (1, 1),
            b'?' => (0, 1),
            b'2' => (0, 2),
            b'+' => (1, u32::MAX),
            b'*' => (0, u32::MAX),
            _ => return None,
        })
    }

    pub(crate) fn kind(&self, schema: Schema) -> Option<&'static Type> {
        schema.types().get(self.kind)
    }

    pub(super) fn is(&self, child: Node<'_>) -> bool {
        let is_any =
            || !child.element().namespace().is_empty() && !child.name().starts_with("ext:");
        child.is(self.name) || (self.name == "*" && is_any())
    }
}

impl Type {
    /// A type before its parts are known; those of the XML schema have none.
    fn new(name: &'static str) -> Self {
        Self {
            name,
            is_choice: false,
            text: Value::of(name),
            children: Vec::new(),
            attributes: Vec::new(),
        }
    }

    pub(super) fn attribute(&self, name: &str, schema: Schema) -> Option<&SchemaPart> {
        let mut attributes = self.attributes.iter();
        attributes.find(|part| part.name == name && part.often(schema).is_some())
    }

    /// Whether an element may be inside at all.
    pub(super) fn has(&self, child: Node<'_>, schema: Schema) -> bool {
        let mut children = self.children.iter();
        children.any(|part| part.is(child) && part.often(schema).is_some())
    }

    /// Whether nothing may be inside.
    pub(super) fn is_empty(&self, schema: Schema) -> bool {
        let mut children = self.children.iter();
        self.text.is_none() && !children.any(|part| part.often(schema).is_some())
    }

    fn add(&mut self, part: SchemaPart) {
        match part.name.strip_prefix('@') {
            Some(name) => self.attributes.push(SchemaPart { name, ..part }),
            None => self.children.push(part),
        }
    }
}

fn read(table: &'static str) -> Vec<Type> {
    let mut numbers = Texts::default();
    let mut types: Vec<Type> = Vec::new();
    let mut current = 0;
    for line in table.lines() {
        let is_part = line.starts_with(' ');
        let mut words = line.trim_start().splitn(4, ' ');
        let mut word = || words.next().unwrap_or_default();
        let (name, second) = (word(), word());
        let kind = if is_part { second } else { name };
        let number = numbers.insert(kind.into());
        if number == types.len() {
            types.push(Type::new(kind));
        }
        if !is_part {
            current = number;
        }
        let Some(of) = types.get_mut(current) else {
            continue;
        };
        match name {
            _ if !is_part => of.is_choice = second == "choice",
            "#" => of.text = Value::of(kind),
            name => of.add(SchemaPart {
                name,
                kind: number,
                often: word(),
                facet: word(),
            }),
        }
    }
    types
}
