//! The extension schemas of a packet: what they describe, and whether they do it as PDF/A requires.

use std::collections::BTreeMap;

use erp_xml::Element;
use erp_xml::text::is_name;

use super::fault::{FaultKind, XmpFault};
use super::packet::is_named;
use super::rdf::{ArrayKind, Model, Property, Value, XmlPlace, value};
use super::read::SchemaFacts;
use super::types::{OwnStructure, Types};
use super::{lexical, namespaces as ns, predefined};
use crate::is_one_of;

#[derive(Debug)]
pub(super) struct DeclaredSchema<'p> {
    pub(super) facts: SchemaFacts,
    /// The element `rdf:li` that describes it.
    pub(super) item: Element<'p>,
    /// The element `rdf:Seq` of its properties.
    pub(super) sequence: Option<Element<'p>>,
}

/// All extension schemas of a packet.
#[derive(Debug, Default)]
pub(super) struct Extension<'p> {
    pub(super) schemas: Vec<DeclaredSchema<'p>>,
    /// Namespace and name of each described property with its type.
    properties: BTreeMap<(String, String), String>,
    pub(super) types: Types,
    pub(super) faults: Vec<XmpFault>,
}

/// The fields of a value type, with blanks between: texts, which are all needed, and others.
struct Shape {
    what: &'static str,
    namespace: &'static str,
    prefix: &'static str,
    texts: &'static str,
    others: &'static str,
}

const SCHEMA: Shape = Shape {
    what: "schema",
    namespace: ns::SCHEMA,
    prefix: "pdfaSchema",
    texts: "schema namespaceURI prefix",
    others: "property valueType",
};

const PROPERTY: Shape = Shape {
    what: "property",
    namespace: ns::PROPERTY,
    prefix: "pdfaProperty",
    texts: "name valueType category description",
    others: "",
};

const TYPE: Shape = Shape {
    what: "value type",
    namespace: ns::TYPE,
    prefix: "pdfaType",
    texts: "type namespaceURI prefix description",
    others: "field",
};

const FIELD: Shape = Shape {
    what: "field",
    namespace: ns::FIELD,
    prefix: "pdfaField",
    texts: "name valueType description",
    others: "",
};

/// Whether a property holds extension schemas; there should be at most one.
pub(super) fn is_container(property: &Property<'_>) -> bool {
    property.name.is(ns::EXTENSION, "schemas")
}

pub(super) fn containers<'m>(model: &'m Model<'m>) -> impl Iterator<Item = &'m Property<'m>> {
    let properties = model.properties.iter();
    properties.filter(|property| is_container(property))
}

pub(super) fn array_of<'p>(container: &Property<'p>) -> Option<Element<'p>> {
    let XmlPlace::Element(element) = container.place else {
        return None;
    };
    let mut children = element.children();
    children.find(|child| ArrayKind::of(*child).is_some())
}

/// Whether a container is the only bag with the prefix that PDF/A requires.
pub(super) fn is_proper(container: &Property<'_>) -> bool {
    container.name.prefix == "pdfaExtension"
        && matches!(container.value, Value::Array(ArrayKind::Bag, _))
}

/// Letters of a namespace in a message; there may be as many messages as properties.
const SHOWN: usize = 200;

impl<'p> Extension<'p> {
    pub(super) fn read(model: &'p Model<'p>) -> Self {
        let mut extension = Self::default();
        let mut descriptions = Vec::new();
        for container in containers(model) {
            if !is_proper(container) {
                let what =
                    "the extension schemas are not in an `rdf:Bag` of `pdfaExtension:schemas`";
                let fault = XmpFault::new(FaultKind::ExtensionContainer, what);
                extension.faults.push(fault);
            }
            let items = array_of(container).into_iter().flat_map(Element::children);
            descriptions.extend(items.map(|item| (item, value(item))));
        }
        for (_, schema) in &descriptions {
            extension.define_types(schema);
        }
        for (item, schema) in &descriptions {
            extension.read_schema(*item, schema);
        }
        extension
    }

    pub(super) fn property_type(&self, namespace: &str, local: &str) -> Option<&str> {
        let name = (namespace.to_owned(), local.to_owned());
        self.properties.get(&name).map(String::as_str)
    }

    /// The properties that are neither predefined nor described.
    pub(super) fn unknown<'m>(
        &self,
        model: &'m Model<'m>,
    ) -> impl Iterator<Item = (usize, &'m Property<'m>)> {
        let properties = model.properties.iter().enumerate();
        properties.filter(|(_, property)| {
            let (namespace, local) = (property.name.namespace, property.name.local);
            !is_container(property)
                && predefined::property_type(namespace, local).is_none()
                && self.property_type(namespace, local).is_none()
        })
    }

    fn fault(&mut self, what: String) {
        let fault = XmpFault::new(FaultKind::ExtensionSchema, what);
        self.faults.push(fault);
    }

    fn define_types(&mut self, schema: &Value<'_>) {
        let types = schema.field(ns::SCHEMA, "valueType");
        for item in types.map(Value::items).unwrap_or_default() {
            let name = item.value.field_text(ns::TYPE, "type");
            let namespace = item.value.field_text(ns::TYPE, "namespaceURI");
            let fields = item.value.field(ns::TYPE, "field");
            let fields = fields.map(Value::items).unwrap_or_default();
            let read = |kind: &Value<'_>| {
                let text = |name| kind.field_text(ns::FIELD, name).map(str::to_owned);
                Some((text("name")?, text("valueType")?))
            };
            if let (Some(name), Some(namespace)) = (name, namespace) {
                let structure = OwnStructure {
                    namespace: namespace.to_owned(),
                    fields: fields.iter().filter_map(|item| read(&item.value)).collect(),
                };
                self.types.define(name, structure);
            }
        }
    }

    fn read_schema(&mut self, item: Element<'p>, schema: &Value<'_>) {
        let text = |name| schema.field_text(ns::SCHEMA, name).unwrap_or_default();
        let uri = text("namespaceURI");
        let namespace: String = uri.chars().take(SHOWN).collect();
        self.check_shape(&SCHEMA, schema, &namespace);
        if !lexical::is_uri(uri) {
            self.fault(format!("the namespace `{namespace}` of a schema is no URI"));
        }
        let mut properties = Vec::new();
        for property in self.items(schema, &SCHEMA, "property", &namespace) {
            if let Some((name, kind)) = self.read_property(&property, &namespace) {
                let key = (uri.to_owned(), name.clone());
                self.properties.entry(key).or_insert(kind);
                properties.push(name);
            }
        }
        for kind in self.items(schema, &SCHEMA, "valueType", &namespace) {
            self.check_type(&kind, &namespace);
        }
        let facts = SchemaFacts {
            namespace: uri.to_owned(),
            prefix: text("prefix").to_owned(),
            properties,
        };
        self.schemas.push(DeclaredSchema {
            facts,
            item,
            sequence: sequence_of(item),
        });
    }

    fn read_property(&mut self, property: &Value<'_>, namespace: &str) -> Option<(String, String)> {
        self.check_shape(&PROPERTY, property, namespace);
        let text = |name| property.field_text(ns::PROPERTY, name);
        let category = text("category").unwrap_or_default();
        if !matches!(category, "internal" | "external") {
            self.fault(format!(
                "the category `{category}` in the schema `{namespace}` is neither `internal` nor `external`"
            ));
        }
        let (name, kind) = (text("name")?, text("valueType")?);
        self.check_known(kind, namespace);
        Some((name.to_owned(), kind.to_owned()))
    }

    fn check_type(&mut self, kind: &Value<'_>, namespace: &str) {
        self.check_shape(&TYPE, kind, namespace);
        let uri = kind.field_text(ns::TYPE, "namespaceURI");
        if uri.is_some_and(|uri| !lexical::is_uri(uri)) {
            self.fault(format!(
                "the namespace of a value type in the schema `{namespace}` is no URI"
            ));
        }
        for field in self.items(kind, &TYPE, "field", namespace) {
            self.check_shape(&FIELD, &field, namespace);
            if let Some(kind) = field.field_text(ns::FIELD, "valueType") {
                self.check_known(kind, namespace);
            }
        }
    }

    fn check_known(&mut self, kind: &str, namespace: &str) {
        // A leading `=` is the notation of this program's own tables.
        if kind.starts_with('=') || !self.types.is_known(kind) {
            self.fault(format!(
                "the value type `{kind}` in the schema `{namespace}` is not known"
            ));
        }
    }

    /// The items of a field, which must be in an `rdf:Seq`.
    fn items<'v>(
        &mut self,
        owner: &Value<'v>,
        shape: &Shape,
        name: &str,
        namespace: &str,
    ) -> Vec<Value<'v>> {
        match owner.field(shape.namespace, name) {
            None => Vec::new(),
            Some(Value::Array(ArrayKind::Seq, items)) => {
                items.iter().map(|item| item.value.clone()).collect()
            }
            Some(_) => {
                let prefix = shape.prefix;
                self.fault(format!(
                    "`{prefix}:{name}` in the schema `{namespace}` is no `rdf:Seq`"
                ));
                Vec::new()
            }
        }
    }

    /// Looks for fields too many, too few, under another prefix, and for texts that are none.
    fn check_shape(&mut self, shape: &Shape, value: &Value<'_>, namespace: &str) {
        let (what, prefix) = (shape.what, shape.prefix);
        let Value::Structure(fields) = value else {
            self.fault(format!(
                "the description of a {what} in the schema `{namespace}` is no structure"
            ));
            return;
        };
        for field in fields {
            let name = &field.name;
            let is_in = |names| is_one_of(names, name.local.as_bytes());
            let known = is_in(shape.texts) || is_in(shape.others);
            if !known || name.namespace != shape.namespace || name.prefix != prefix {
                let name = name.qualified();
                self.fault(format!(
                    "the description of a {what} in the schema `{namespace}` has the field `{name}`"
                ));
            }
        }
        let field = |name: &str| value.field(shape.namespace, name);
        let texts = || shape.texts.split(' ');
        for name in texts().filter(|name| field(name).is_none()) {
            self.fault(format!(
                "the description of a {what} in the schema `{namespace}` has no `{prefix}:{name}`"
            ));
        }
        for name in texts().filter(|name| field(name).is_some_and(|field| field.text().is_none())) {
            self.fault(format!(
                "`{prefix}:{name}` in the schema `{namespace}` is no text"
            ));
        }
    }
}

fn sequence_of(item: Element<'_>) -> Option<Element<'_>> {
    fn only<'p>(parent: Element<'p>, namespace: &str, local: &str) -> Option<Element<'p>> {
        let mut children = parent.children();
        children.find(|child| is_named(*child, namespace, local))
    }
    let holder = only(item, ns::RDF, "Description").unwrap_or(item);
    let property = only(holder, ns::SCHEMA, "property")?;
    only(property, ns::RDF, "Seq")
}

/// Whether a description as text would make the property valid.
pub(super) fn can_be_described(property: &Property<'_>) -> bool {
    let name = &property.name;
    let is_reserved = matches!(
        name.namespace,
        ns::EXTENSION | ns::SCHEMA | ns::PROPERTY | ns::TYPE | ns::FIELD | ns::PDFA_ID | ns::RDF
    );
    property.value.text().is_some()
        && !is_reserved
        && !name.namespace.is_empty()
        && lexical::is_uri(name.namespace)
        && is_name(name.prefix)
}
