//! The properties of a packet and their values.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use erp_xml::{Attribute, Element};

use super::fault::XmpFault;
use super::namespaces::{PDFA_ID, RDF, XML};
use super::packet::{Packet, XmpName, attribute, has_text, is_named};

#[derive(Debug, Clone, Copy)]
pub(super) enum XmlPlace<'p> {
    /// An element inside a description.
    Element(Element<'p>),
    Attribute(Attribute<'p>),
}

impl XmlPlace<'_> {
    pub(super) fn span(&self) -> Range<usize> {
        match self {
            Self::Element(element) => element.span(),
            Self::Attribute(attribute) => attribute.span(),
        }
    }
}

#[derive(Debug)]
pub(super) struct Property<'p> {
    pub(super) name: XmpName<'p>,
    /// The element `rdf:Description` that holds it.
    pub(super) description: Element<'p>,
    pub(super) place: XmlPlace<'p>,
    pub(super) value: Value<'p>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ArrayKind {
    Bag,
    Seq,
    Alt,
}

impl ArrayKind {
    pub(super) fn of(element: Element<'_>) -> Option<Self> {
        match element.local() {
            _ if element.namespace() != RDF => None,
            "Bag" => Some(Self::Bag),
            "Seq" => Some(Self::Seq),
            "Alt" => Some(Self::Alt),
            _ => None,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value<'p> {
    Text(Cow<'p, str>),
    Array(ArrayKind, Vec<Item<'p>>),
    Structure(Vec<XmpField<'p>>),
    /// RDF that XMP does not allow.
    Foreign(&'static str),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Item<'p> {
    pub(super) value: Value<'p>,
    pub(super) has_language: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct XmpField<'p> {
    pub(super) name: XmpName<'p>,
    pub(super) value: Value<'p>,
}

impl<'p> Value<'p> {
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn items(&self) -> &[Item<'p>] {
        match self {
            Self::Array(_, items) => items,
            _ => &[],
        }
    }

    pub(super) fn field_text(&self, namespace: &str, local: &str) -> Option<&str> {
        self.field(namespace, local).and_then(Self::text)
    }

    pub(super) fn field(&self, namespace: &str, local: &str) -> Option<&Self> {
        let Self::Structure(fields) = self else {
            return None;
        };
        let mut fields = fields.iter();
        let field = fields.find(|field| field.name.is(namespace, local))?;
        Some(&field.value)
    }
}

/// A packet as XMP sees it.
#[derive(Debug)]
pub(super) struct Model<'p> {
    pub(super) packet: &'p Packet<'p>,
    pub(super) rdf: Element<'p>,
    pub(super) properties: Vec<Property<'p>>,
    /// What the descriptions are about.
    pub(super) subject: &'p str,
    /// What of the RDF XMP does not allow.
    pub(super) faults: Vec<XmpFault>,
}

impl<'p> Model<'p> {
    pub(super) fn read(packet: &'p Packet<'p>) -> Result<Self, XmpFault> {
        let mut found = packet.tree.elements().filter(|e| is_named(*e, RDF, "RDF"));
        let Some(rdf) = found.next() else {
            return Err(XmpFault::structure("the XMP metadata has no `rdf:RDF`"));
        };
        let mut model = Self {
            packet,
            rdf,
            properties: Vec::new(),
            subject: "",
            faults: Vec::new(),
        };
        if found.next().is_some() {
            model.fault("the XMP metadata has several `rdf:RDF`");
        }
        let subjects = model.read_descriptions();
        model.find_repeated();
        // All descriptions must be about the same thing, which is the document.
        if subjects.len() > 1 {
            model.fault("the descriptions differ in `rdf:about`");
        }
        Ok(model)
    }

    /// The text of a property of the PDF/A identification.
    pub(super) fn claimed(&self, local: &str) -> Option<&str> {
        let mut properties = self.properties.iter();
        let found = properties.find(|property| property.name.is(PDFA_ID, local))?;
        found.value.text()
    }

    fn fault(&mut self, what: impl Into<String>) {
        self.faults.push(XmpFault::structure(what));
    }

    /// Reads all descriptions; what they say that they are about.
    fn read_descriptions(&mut self) -> BTreeSet<&'p str> {
        if has_text(self.rdf) {
            self.fault("text stands in `rdf:RDF`");
        }
        let mut subjects = BTreeSet::new();
        for element in self.rdf.children() {
            if !is_named(element, RDF, "Description") {
                self.fault(format!("`{}` stands in `rdf:RDF`", element.name()));
                continue;
            }
            let qualified = attribute(element, RDF, "about");
            if let Some(about) = qualified.or_else(|| element.attribute("about")) {
                subjects.insert(about);
                if self.subject.is_empty() {
                    self.subject = about;
                }
            }
            self.read_description(element);
        }
        subjects
    }

    fn read_description(&mut self, description: Element<'p>) {
        if has_text(description) {
            self.fault("text stands in `rdf:Description`");
        }
        for attribute in description.attributes() {
            let name = XmpName::of_attribute(attribute);
            match kind(attribute) {
                AttributeKind::Property => self.properties.push(Property {
                    name,
                    description,
                    place: XmlPlace::Attribute(attribute),
                    value: Value::Text(attribute.value().into()),
                }),
                AttributeKind::Known => {}
                AttributeKind::Foreign => {
                    let name = name.qualified();
                    self.fault(format!("`rdf:Description` has the attribute `{name}`"));
                }
            }
        }
        let properties = description.children().map(|element| Property {
            name: XmpName::of(element),
            description,
            place: XmlPlace::Element(element),
            value: value(element),
        });
        self.properties.extend(properties);
    }

    fn find_repeated(&mut self) {
        let mut seen = BTreeSet::new();
        for name in self.properties.iter().map(|property| property.name) {
            if !seen.insert((name.namespace, name.local)) {
                let what = format!("the property `{}` stands twice", name.qualified());
                self.faults.push(XmpFault::structure(what));
            }
        }
    }
}

enum AttributeKind {
    Property,
    Known,
    Foreign,
}

fn kind(attribute: Attribute<'_>) -> AttributeKind {
    let local = attribute.local();
    match attribute.namespace() {
        XML => AttributeKind::Known,
        RDF if matches!(local, "about" | "ID" | "nodeID") => AttributeKind::Known,
        "" if local == "about" || local == "ID" => AttributeKind::Known,
        "" | RDF => AttributeKind::Foreign,
        _ => AttributeKind::Property,
    }
}

/// The value of a property element, an item or a field.
pub(super) fn value(element: Element<'_>) -> Value<'_> {
    match attribute(element, RDF, "parseType") {
        Some("Resource") => return structure(element),
        Some(_) => return Value::Foreign("another `rdf:parseType` than `Resource`"),
        None => {}
    }
    let mut children = element.children();
    let Some(child) = children.next() else {
        return leaf(element);
    };
    if has_text(element) {
        return Value::Foreign("text between elements");
    }
    match children.next() {
        Some(_) => Value::Foreign("several elements"),
        None => node_value(child),
    }
}

fn leaf(element: Element<'_>) -> Value<'_> {
    if let Some(uri) = attribute(element, RDF, "resource") {
        return Value::Text(uri.into());
    }
    let fields: Vec<_> = attribute_fields(element).collect();
    if fields.is_empty() {
        return Value::Text(element.text());
    }
    if has_text(element) {
        Value::Foreign("text and fields together")
    } else {
        simplify(fields)
    }
}

fn node_value(node: Element<'_>) -> Value<'_> {
    match ArrayKind::of(node) {
        Some(kind) => array(node, kind),
        None if is_named(node, RDF, "Description") => structure(node),
        None => Value::Foreign("a typed node"),
    }
}

fn array(node: Element<'_>, kind: ArrayKind) -> Value<'_> {
    let mut items = Vec::new();
    for element in node.children() {
        if !is_named(element, RDF, "li") {
            return Value::Foreign("an array of something other than `rdf:li`");
        }
        items.push(Item {
            value: value(element),
            has_language: attribute(element, XML, "lang").is_some(),
        });
    }
    Value::Array(kind, items)
}

fn structure(element: Element<'_>) -> Value<'_> {
    let inside = element.children().map(|child| XmpField {
        name: XmpName::of(child),
        value: value(child),
    });
    let fields: Vec<_> = attribute_fields(element).chain(inside).collect();
    let names = fields.iter().map(|field| field.name);
    let names = names.map(|name| (name.namespace, name.local));
    if names.collect::<BTreeSet<_>>().len() < fields.len() {
        return Value::Foreign("a field twice");
    }
    simplify(fields)
}

/// A structure with `rdf:value` is that value, with qualifiers around it.
fn simplify(fields: Vec<XmpField<'_>>) -> Value<'_> {
    let mut named = fields.iter();
    let value = named.find(|field| field.name.is(RDF, "value"));
    let value = value.map(|field| field.value.clone());
    value.unwrap_or(Value::Structure(fields))
}

fn attribute_fields(element: Element<'_>) -> impl Iterator<Item = XmpField<'_>> {
    let attributes = element.attributes().filter(|attribute| {
        XmpName::of_attribute(*attribute).is(RDF, "value")
            || matches!(kind(*attribute), AttributeKind::Property)
    });
    attributes.map(|attribute| XmpField {
        name: XmpName::of_attribute(attribute),
        value: Value::Text(attribute.value().into()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_model<T>(text: &str, look: impl FnOnce(Model<'_>) -> T) -> T {
        look(Model::read(&Packet::parse(text).unwrap()).unwrap())
    }

    fn around(body: &str) -> String {
        format!(
            "<rdf:RDF xmlns:rdf='{RDF}' xmlns:a='urn:a'><rdf:Description rdf:about=''>{body}</rdf:Description></rdf:RDF>"
        )
    }

    fn only(body: &str, is_wanted: impl FnOnce(&Value<'_>) -> bool) {
        with_model(&around(body), |model| {
            let value = &model.properties[0].value;
            assert!(is_wanted(value), "{body}: {value:?}");
        });
    }

    #[test]
    fn each_form_of_rdf_has_its_value() {
        for (form, text) in [
            ("<a:b>x</a:b>", "x"),
            ("<a:b/>", ""),
            ("<a:b rdf:resource='urn:x'/>", "urn:x"),
            (
                "<a:b><rdf:Description><rdf:value>v</rdf:value><a:q>1</a:q></rdf:Description></a:b>",
                "v",
            ),
        ] {
            only(form, |value| value.text() == Some(text));
        }
        for form in [
            "<a:b rdf:parseType='Resource'><a:c>1</a:c></a:b>",
            "<a:b><rdf:Description><a:c>1</a:c></rdf:Description></a:b>",
            "<a:b><rdf:Description a:c='1'/></a:b>",
            "<a:b a:c='1'/>",
        ] {
            only(form, |value| value.field_text("urn:a", "c") == Some("1"));
        }
        let alternatives = "<a:b><rdf:Alt><rdf:li xml:lang='x-default'>t</rdf:li></rdf:Alt></a:b>";
        let item = Item {
            value: Value::Text("t".into()),
            has_language: true,
        };
        only(alternatives, |value| {
            *value == Value::Array(ArrayKind::Alt, vec![item])
        });
        for form in [
            "<a:b rdf:parseType='Literal'>x</a:b>",
            "<a:b><a:c/></a:b>",
            "<a:b>x<rdf:Bag/></a:b>",
            "<a:b><rdf:Bag/><rdf:Bag/></a:b>",
            "<a:b><rdf:Bag><a:c/></rdf:Bag></a:b>",
            "<a:b a:c='1'>x</a:b>",
        ] {
            only(form, |value| matches!(value, Value::Foreign(_)));
        }
    }

    #[test]
    fn properties_stand_in_elements_and_attributes() {
        let text = format!(
            "<x><rdf:RDF xmlns:rdf='{RDF}' xmlns:a='urn:a'><rdf:Description rdf:about='s' a:b='1'/>\
             <rdf:Description about='s'><a:c>2</a:c></rdf:Description></rdf:RDF></x>"
        );
        let packet = Packet::parse(&text).unwrap();
        let model = Model::read(&packet).unwrap();
        let found: Vec<_> = model
            .properties
            .iter()
            .map(|property| (property.name.qualified(), property.value.text().unwrap()))
            .collect();
        assert_eq!(found, [("a:b".to_owned(), "1"), ("a:c".to_owned(), "2")]);
        assert_eq!(model.subject, "s");
        assert_eq!(model.faults, []);
    }

    #[test]
    fn rdf_that_xmp_forbids_is_a_fault() {
        let faults = |text: &str| with_model(text, |model| model.faults.len());
        assert_eq!(faults(&around("<a:b/><a:b/>")), 1);
        assert_eq!(faults(&around("text")), 1);
        let model = |rdf: &str| faults(&format!("<rdf:RDF xmlns:rdf='{RDF}'>{rdf}</rdf:RDF>"));
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
        assert!(Model::read(&Packet::parse("<a/>").unwrap()).is_err());
    }
}
