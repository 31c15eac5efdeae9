//! Properties without a description, and descriptions for those that are plain text.

use erp_xml::text::is_name;

use super::extension::Extension;
use super::lexical;
use super::namespaces as ns;
use super::predefined;
use super::rdf::{Model, Property};

/// The properties that are neither predefined nor described.
pub(super) fn unknown<'m>(
    model: &'m Model<'m>,
    extension: &Extension<'_>,
) -> impl Iterator<Item = (usize, &'m Property<'m>)> {
    let properties = model.properties.iter().enumerate();
    properties.filter(|(_, property)| {
        let (namespace, local) = (property.name.namespace, property.name.local);
        !property.name.is(ns::EXTENSION, "schemas")
            && predefined::property_type(namespace, local).is_none()
            && extension.property_type(namespace, local).is_none()
    })
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
