//! The properties of a packet and their values.

use std::collections::BTreeSet;

use super::fault::XmpFault;
use super::namespaces::{RDF, XML};
use super::tree::{Attribute, Element, Name, Tree};

/// Where a property is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// An element inside a description.
    Element(usize),
    /// The attribute of a description with this place among its attributes.
    Attribute(usize),
}

/// A property of the document.
#[derive(Debug)]
pub(super) struct Property {
    pub(super) name: Name,
    /// The element `rdf:Description` that holds it.
    pub(super) description: usize,
    pub(super) place: Place,
    pub(super) value: Value,
}

/// The three arrays of RDF.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ArrayKind {
    Bag,
    Seq,
    Alt,
}

impl ArrayKind {
    fn from_name(name: &Name) -> Option<Self> {
        match name.local.as_str() {
            _ if name.namespace != RDF => None,
            "Bag" => Some(Self::Bag),
            "Seq" => Some(Self::Seq),
            "Alt" => Some(Self::Alt),
            _ => None,
        }
    }
}

/// The value of a property.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value {
    Text(String),
    Array(ArrayKind, Vec<Item>),
    Structure(Vec<Field>),
    /// RDF that XMP does not allow.
    Foreign(&'static str),
}

/// A value of an array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Item {
    pub(super) value: Value,
    pub(super) has_language: bool,
}

/// A value of a structure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Field {
    pub(super) name: Name,
    pub(super) value: Value,
}

impl Value {
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn fields(&self) -> &[Field] {
        match self {
            Self::Structure(fields) => fields,
            _ => &[],
        }
    }

    pub(super) fn items(&self) -> &[Item] {
        match self {
            Self::Array(_, items) => items,
            _ => &[],
        }
    }

    /// The text of a field.
    pub(super) fn field_text(&self, namespace: &str, local: &str) -> Option<&str> {
        self.field(namespace, local).and_then(Self::text)
    }

    pub(super) fn field(&self, namespace: &str, local: &str) -> Option<&Self> {
        let mut fields = self.fields().iter();
        fields
            .find(|field| field.name.is(namespace, local))
            .map(|field| &field.value)
    }
}

/// A packet as XMP sees it.
#[derive(Debug)]
pub(super) struct Model {
    pub(super) tree: Tree,
    /// The element `rdf:RDF`.
    pub(super) rdf: usize,
    /// The elements `rdf:Description` right inside it.
    pub(super) descriptions: Vec<usize>,
    pub(super) properties: Vec<Property>,
    /// What of the RDF XMP does not allow.
    pub(super) faults: Vec<XmpFault>,
}

impl Model {
    pub(super) fn read(tree: Tree) -> Result<Self, XmpFault> {
        let mut found = tree.elements().filter(|(_, e)| e.name.is(RDF, "RDF"));
        let Some((rdf, _)) = found.next() else {
            return Err(XmpFault::structure("the XMP metadata has no `rdf:RDF`"));
        };
        let has_several = found.next().is_some();
        drop(found);
        let mut model = Self {
            tree,
            rdf,
            descriptions: Vec::new(),
            properties: Vec::new(),
            faults: Vec::new(),
        };
        if has_several {
            model.fault("the XMP metadata has several `rdf:RDF`");
        }
        model.read_descriptions();
        model.find_repeated();
        model.find_subjects();
        Ok(model)
    }

    /// What all descriptions say that they are about.
    pub(super) fn subject(&self) -> &str {
        let mut subjects = self.subjects().into_iter();
        subjects.find(|about| !about.is_empty()).unwrap_or("")
    }

    fn subjects(&self) -> Vec<&str> {
        let descriptions = self.descriptions.iter();
        descriptions
            .filter_map(|index| self.tree.element(*index))
            .filter_map(about)
            .collect()
    }

    fn fault(&mut self, what: impl Into<String>) {
        self.faults.push(XmpFault::structure(what));
    }

    fn read_descriptions(&mut self) {
        let mut faults = Vec::new();
        let has_text = |element: &Element| !element.text.trim().is_empty();
        if self.tree.element(self.rdf).is_some_and(has_text) {
            faults.push("text stands in `rdf:RDF`".to_owned());
        }
        for (index, element) in self.tree.children(self.rdf) {
            if !element.name.is(RDF, "Description") {
                let name = element.name.qualified();
                faults.push(format!("`{name}` stands in `rdf:RDF`"));
                continue;
            }
            if has_text(element) {
                faults.push("text stands in `rdf:Description`".to_owned());
            }
            self.descriptions.push(index);
            for (place, attribute) in element.attributes.iter().enumerate() {
                match kind(attribute) {
                    AttributeKind::Property => self.properties.push(Property {
                        name: attribute.name.clone(),
                        description: index,
                        place: Place::Attribute(place),
                        value: Value::Text(attribute.value.clone()),
                    }),
                    AttributeKind::Known => {}
                    AttributeKind::Foreign => {
                        let name = attribute.name.qualified();
                        faults.push(format!("`rdf:Description` has the attribute `{name}`"));
                    }
                }
            }
            for (child, element) in self.tree.children(index) {
                self.properties.push(Property {
                    name: element.name.clone(),
                    description: index,
                    place: Place::Element(child),
                    value: value(&self.tree, child),
                });
            }
        }
        faults.into_iter().for_each(|what| self.fault(what));
    }

    fn find_repeated(&mut self) {
        let mut seen = BTreeSet::new();
        let mut repeated = Vec::new();
        for property in &self.properties {
            let name = &property.name;
            if !seen.insert((&name.namespace, &name.local)) {
                repeated.push(format!("the property `{}` stands twice", name.qualified()));
            }
        }
        repeated.into_iter().for_each(|what| self.fault(what));
    }

    /// All descriptions must be about the same thing, which is the document.
    fn find_subjects(&mut self) {
        let subjects: BTreeSet<&str> = self.subjects().into_iter().collect();
        if subjects.len() > 1 {
            self.fault("the descriptions differ in `rdf:about`");
        }
    }
}

fn about(description: &Element) -> Option<&str> {
    let qualified = description.attribute(RDF, "about");
    qualified.or_else(|| description.attribute("", "about"))
}

enum AttributeKind {
    Property,
    Known,
    Foreign,
}

fn kind(attribute: &Attribute) -> AttributeKind {
    let name = &attribute.name;
    let local = name.local.as_str();
    match name.namespace.as_str() {
        XML => AttributeKind::Known,
        RDF if matches!(local, "about" | "ID" | "nodeID") => AttributeKind::Known,
        "" if local == "about" || local == "ID" => AttributeKind::Known,
        "" | RDF => AttributeKind::Foreign,
        _ => AttributeKind::Property,
    }
}

/// The value of a property element, an item or a field.
pub(super) fn value(tree: &Tree, index: usize) -> Value {
    let Some(element) = tree.element(index) else {
        return Value::Foreign("nothing");
    };
    match element.attribute(RDF, "parseType") {
        Some("Resource") => return structure(tree, index),
        Some(_) => return Value::Foreign("another `rdf:parseType` than `Resource`"),
        None => {}
    }
    if element.children.is_empty() {
        return leaf(element);
    }
    if !element.text.trim().is_empty() {
        return Value::Foreign("text between elements");
    }
    let mut children = tree.children(index);
    match (children.next(), children.next()) {
        (Some((child, node)), None) => node_value(tree, child, node),
        _ => Value::Foreign("several elements"),
    }
}

fn leaf(element: &Element) -> Value {
    if let Some(uri) = element.attribute(RDF, "resource") {
        return Value::Text(uri.to_owned());
    }
    let fields = attribute_fields(element);
    if fields.is_empty() {
        return Value::Text(element.text.clone());
    }
    if element.text.trim().is_empty() {
        simplify(fields)
    } else {
        Value::Foreign("text and fields together")
    }
}

fn node_value(tree: &Tree, index: usize, node: &Element) -> Value {
    if let Some(kind) = ArrayKind::from_name(&node.name) {
        return array(tree, index, kind);
    }
    if node.name.is(RDF, "Description") {
        return structure(tree, index);
    }
    Value::Foreign("a typed node")
}

fn array(tree: &Tree, index: usize, kind: ArrayKind) -> Value {
    let mut items = Vec::new();
    for (child, element) in tree.children(index) {
        if !element.name.is(RDF, "li") {
            return Value::Foreign("an array of something other than `rdf:li`");
        }
        items.push(Item {
            value: value(tree, child),
            has_language: element.attribute(XML, "lang").is_some(),
        });
    }
    Value::Array(kind, items)
}

fn structure(tree: &Tree, index: usize) -> Value {
    let mut fields = tree
        .element(index)
        .map(attribute_fields)
        .unwrap_or_default();
    fields.extend(tree.children(index).map(|(child, element)| Field {
        name: element.name.clone(),
        value: value(tree, child),
    }));
    let names: BTreeSet<_> = fields
        .iter()
        .map(|field| (&field.name.namespace, &field.name.local))
        .collect();
    if names.len() < fields.len() {
        return Value::Foreign("a field twice");
    }
    simplify(fields)
}

/// A structure with `rdf:value` is that value, with qualifiers around it.
fn simplify(fields: Vec<Field>) -> Value {
    let mut named = fields.iter();
    let value = named.find(|field| field.name.is(RDF, "value"));
    match value {
        Some(field) => field.value.clone(),
        None => Value::Structure(fields),
    }
}

fn attribute_fields(element: &Element) -> Vec<Field> {
    let is_field = |attribute: &&Attribute| {
        let name = &attribute.name;
        name.is(RDF, "value") || matches!(kind(attribute), AttributeKind::Property)
    };
    let attributes = element.attributes.iter().filter(is_field);
    attributes
        .map(|attribute| Field {
            name: attribute.name.clone(),
            value: Value::Text(attribute.value.clone()),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(body: &str) -> Model {
        let text = format!(
            "<rdf:RDF xmlns:rdf='{RDF}' xmlns:a='urn:a'><rdf:Description rdf:about=''>{body}</rdf:Description></rdf:RDF>"
        );
        Model::read(Tree::parse(text).unwrap()).unwrap()
    }

    fn only(body: &str) -> Value {
        model(body).properties.remove(0).value
    }

    #[test]
    fn each_form_of_rdf_has_its_value() {
        let text = |text: &str| Value::Text(text.to_owned());
        assert_eq!(only("<a:b>x</a:b>"), text("x"));
        assert_eq!(only("<a:b/>"), text(""));
        assert_eq!(only("<a:b rdf:resource='urn:x'/>"), text("urn:x"));
        assert_eq!(
            only(
                "<a:b><rdf:Description><rdf:value>v</rdf:value><a:q>1</a:q></rdf:Description></a:b>"
            ),
            text("v")
        );
        let forms = [
            "<a:b rdf:parseType='Resource'><a:c>1</a:c></a:b>",
            "<a:b><rdf:Description><a:c>1</a:c></rdf:Description></a:b>",
            "<a:b><rdf:Description a:c='1'/></a:b>",
            "<a:b a:c='1'/>",
        ];
        for form in forms {
            assert_eq!(only(form).field_text("urn:a", "c"), Some("1"), "{form}");
        }
        let alternatives =
            only("<a:b><rdf:Alt><rdf:li xml:lang='x-default'>t</rdf:li></rdf:Alt></a:b>");
        assert_eq!(
            alternatives,
            Value::Array(
                ArrayKind::Alt,
                vec![Item {
                    value: text("t"),
                    has_language: true
                }]
            )
        );
        for form in [
            "<a:b rdf:parseType='Literal'>x</a:b>",
            "<a:b><a:c/></a:b>",
            "<a:b>x<rdf:Bag/></a:b>",
            "<a:b><rdf:Bag/><rdf:Bag/></a:b>",
            "<a:b><rdf:Bag><a:c/></rdf:Bag></a:b>",
            "<a:b a:c='1'>x</a:b>",
        ] {
            assert!(matches!(only(form), Value::Foreign(_)), "{form}");
        }
    }

    #[test]
    fn properties_stand_in_elements_and_attributes() {
        let text = format!(
            "<x><rdf:RDF xmlns:rdf='{RDF}' xmlns:a='urn:a'><rdf:Description rdf:about='s' a:b='1'/>\
             <rdf:Description about='s'><a:c>2</a:c></rdf:Description></rdf:RDF></x>"
        );
        let model = Model::read(Tree::parse(text).unwrap()).unwrap();
        let found: Vec<_> = model
            .properties
            .iter()
            .map(|property| (property.name.qualified(), property.value.text().unwrap()))
            .collect();
        assert_eq!(found, [("a:b".to_owned(), "1"), ("a:c".to_owned(), "2")]);
        assert_eq!(model.subject(), "s");
        assert_eq!(model.faults, []);
    }

    #[test]
    fn rdf_that_xmp_forbids_is_a_fault() {
        assert_eq!(model("<a:b/><a:b/>").faults.len(), 1);
        assert_eq!(model("text").faults.len(), 1);
        let model = |rdf: &str| {
            let text = format!("<rdf:RDF xmlns:rdf='{RDF}'>{rdf}</rdf:RDF>");
            Model::read(Tree::parse(text).unwrap())
                .unwrap()
                .faults
                .len()
        };
        assert_eq!(model("<other/>"), 1);
        assert_eq!(
            model("<rdf:Description rdf:about='a'/><rdf:Description rdf:about='b'/>"),
            1
        );
        assert_eq!(
            model("<rdf:Description rdf:about='a'/><rdf:Description/>"),
            0
        );
        assert_eq!(model("<rdf:Description plain=''/>"), 1);
        assert_eq!(model("<rdf:RDF/>"), 2);
        assert!(Model::read(Tree::parse("<a/>".to_owned()).unwrap()).is_err());
    }
}
